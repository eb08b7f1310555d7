(* flags: -w -a *)
(* All operations of Int64 and Nativeint on boundary values, known and unknown. *)
let o = Sys.opaque_identity
let v64 = [ 0L; 1L; -1L; 2L; 63L; Int64.max_int; Int64.min_int; 0x123456789abcdefL; -0x7fffffffL; 0x80000000L; 0xffffffffL ]
let h = ref 0
let mix x = h := ((!h * 1000003) lxor Hashtbl.hash x) land 0x3fffffff
let t name f = h := 0; f (); Printf.printf "%s %d\n" name !h
let b1 f = List.iter (fun a -> mix (f a)) v64
let b2 f = List.iter (fun a -> List.iter (fun b -> match f a b with v -> mix v | exception Division_by_zero -> mix "dz") v64) v64
let () =
  t "add" (fun () -> b2 Int64.add); t "add2" (fun () -> b2 (fun a b -> Int64.add a b)); t "sub" (fun () -> b2 (fun a b -> Int64.sub a b)); t "mul" (fun () -> b2 (fun a b -> Int64.mul a b));
  t "div" (fun () -> b2 (fun a b -> Int64.div a b)); t "rem" (fun () -> b2 (fun a b -> Int64.rem a b)); t "udiv" (fun () -> b2 Int64.unsigned_div); t "urem" (fun () -> b2 Int64.unsigned_rem);
  t "logic" (fun () -> b2 (fun a b -> Int64.logxor (Int64.logand a b) (Int64.logor a (Int64.lognot b)))); t "cmp" (fun () -> b2 (fun a b -> Int64.of_int (Int64.compare a b + (2 * Int64.unsigned_compare a b))));
  t "shift" (fun () -> for i = 0 to 63 do b1 (fun a -> Int64.shift_left a i); b1 (fun a -> Int64.shift_right a i); b1 (fun a -> Int64.shift_right_logical a i) done);
  t "conv" (fun () -> b1 (fun a -> Int64.of_int (Int64.to_int a)); b1 (fun a -> Int64.of_int32 (Int64.to_int32 a)); b1 (fun a -> Int64.of_nativeint (Int64.to_nativeint a)); b1 (fun a -> Int64.bits_of_float (Int64.to_float a)); b1 (fun a -> Int64.bits_of_float (Int64.float_of_bits a)); b1 (fun a -> Int64.of_string (Int64.to_string a)));
  t "unary" (fun () -> b1 Int64.neg; b1 Int64.succ; b1 Int64.pred; b1 Int64.abs; b1 (fun a -> Int64.neg a));
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%b%b%b%b%b%b" (a < b) (a <= b) (a > b) (a >= b) (a = b) (a <> b)) [ 0L; o (-1L) ]) [ 0L; 1L; Int64.min_int ]; print_newline ();
  let n = List.map Int64.to_nativeint v64 in let nb f = List.iter (fun a -> List.iter (fun b -> match f a b with v -> mix v | exception Division_by_zero -> mix "dz") n) n in
  t "nadd" (fun () -> nb Nativeint.add); t "nops" (fun () -> nb (fun a b -> Nativeint.logxor (Nativeint.sub (Nativeint.mul a b) b) (Nativeint.logand a b))); t "ndiv" (fun () -> nb (fun a b -> Nativeint.div a b)); t "nrem" (fun () -> nb Nativeint.rem); t "nudiv" (fun () -> nb Nativeint.unsigned_div);
  t "nsh" (fun () -> for i = 0 to 63 do List.iter (fun a -> mix (Nativeint.shift_left a i); mix (Nativeint.shift_right a i); mix (Nativeint.shift_right_logical a i)) n done);
  List.iter (fun (x : nativeint) -> Printf.printf "%nd %d %ld %g %b; " x (Nativeint.to_int x) (Nativeint.to_int32 x) (Nativeint.to_float x) (x < 0n)) n; print_newline ();
  Printf.printf "%Ld %Ld %nd\n" (Int64.of_float (o 1e18)) (Int64.of_string "0xffffffffffffffff") (Nativeint.of_string "-0b101"); (match Int64.of_string_opt "9223372036854775808" with None -> print_endline "none" | Some n -> Printf.printf "%Ld\n" n);
  let acc = ref 0L and k = ref 1n in for i = 1 to 100 do acc := Int64.(add (mul !acc 6364136223846793005L) (of_int i)); k := Nativeint.(add (mul !k 31n) (of_int i)) done; Printf.printf "%Ld %nd %Lx\n" !acc !k (Int64.shift_right_logical !acc 60);
  let if_ c = if c then Int64.add (o 1L) 2L else o 5L in Printf.printf "%Ld %Ld %b\n" (if_ (o true)) (if_ false) (Int64.equal (if_ true) 3L); Printf.printf "%d %d\n" (compare (o 1L) 2L) (Int64.compare (o Int64.min_int) Int64.max_int)
