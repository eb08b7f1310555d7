(* flags: -w -a *)
(* pitfalls 61-63: int32 values are sign-extended after every operation; unsigned tests; nativeint. *)
let o = Sys.opaque_identity
let vals = [ 0l; 1l; -1l; 2l; 0x7fffffffl; 0x80000000l; 0x40000000l; 0x12345678l; -0x12345678l; 0xffffl; 0xff80l ]
let chk x = Printf.printf "%ld/%d/%Ld/%nd/%lx " x (Int32.to_int x) (Int64.of_int32 x) (Nativeint.of_int32 x) x
let () =
  List.iter (fun a -> List.iter (fun b ->
    List.iter chk Int32.[ add a b; sub a b; mul a b; logand a b; logor a b; logxor a b ];
    Printf.printf "%d %b %b %b %d; " (Int32.compare a b) (a < b) (a = b) (a >= b) (Int32.unsigned_compare a b)) [ 1l; 0x7fffffffl; -1l; 0x80000000l ]; print_newline ()) vals;
  List.iter (fun a -> List.iter chk Int32.[ neg a; succ a; pred a; lognot a; abs a; shift_left a 1; shift_left a 31; shift_right a 4; shift_right_logical a 4; shift_right_logical a 0; of_int (to_int a + 1); of_int (to_int a * 0x10001) ]; print_newline ()) vals;
  List.iter (fun n -> chk (Int32.of_int n); Printf.printf "%d " (Int32.to_int (Int32.of_int n))) [ 0x80000000; 0xffffffff; 0x100000000; max_int; min_int; -0x80000001 ]; print_newline ();
  List.iter (fun n -> chk (Int64.to_int32 n)) [ 0x80000000L; -1L; 0x1_0000_0001L; Int64.max_int ]; print_newline ();
  List.iter (fun f -> chk (Int32.of_float f)) [ 1.9; -1.9; 2147483647.; -2147483648. ]; print_newline ();
  let r = ref 1l in for i = 1 to 40 do r := Int32.add (Int32.mul !r 3l) 7l done; chk !r;
  let h = ref 0xcafebabel in String.iter (fun c -> h := Int32.logxor (Int32.mul !h 16777619l) (Int32.of_int (Char.code c))) "hello world"; chk !h; print_newline ();
  let a = Array.make 3 0x80000000l in a.(1) <- Int32.shift_right_logical a.(0) 31; chk a.(1); chk (Int32.shift_left (o a.(1)) 31); chk (Int32.of_string "0u4294967295"); print_newline ();
  (match o 0x80000000l with -2147483648l -> print_endline "min" | 0l -> print_endline "zero" | _ -> print_endline "?");
  Printf.printf "%b %b\n" (Int32.equal (Int32.add (o Int32.max_int) 1l) Int32.min_int) (compare (Int32.add (o Int32.max_int) 1l) 0l < 0);
  Printf.printf "%d %d\n" (Hashtbl.hash (Int32.add (o Int32.max_int) 1l)) (Hashtbl.hash Int32.min_int);
  Printf.printf "%g %g\n" (Int32.to_float (Int32.add (o Int32.max_int) 1l)) (Int32.float_of_bits (o 0xbf800000l)); chk (Int32.bits_of_float (-1.5)); print_newline ()
