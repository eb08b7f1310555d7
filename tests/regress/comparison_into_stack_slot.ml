(* The result of a comparison, kept from before the loop, has a stack slot, where no instruction extends a byte to
   (ocaml/ocaml#11803, fixed in 5.1): the assembler refused the function, and the stock middle end compiled it. *)
let cells = Bigarray.(Array1.create int32 c_layout 8)

let mix (a : int32) (b : int32) n =
  let x = ref a and y = ref a in
  let i = ref 0 in
  while !i < n do
    incr i;
    let z = Int32.logxor (if b < a then a else !x) (Int32.logor !x b) in
    x := Int32.sub !y z;
    y := Int32.shift_right_logical z (n land 31);
    Bigarray.Array1.set cells (n land 7) z
  done;
  !x

let () =
  Bigarray.Array1.fill cells 0l;
  List.iter (fun (a, b) -> Printf.printf "%ld\n" (mix a b 11)) [ (1l, 2l); (-7l, -9l); (0x12345678l, 0x7fffffffl) ];
  Printf.printf "%ld\n" cells.{3}
