(* With -nodynlink the linker refused the offset of an access that never happens: the index is a constant only for the
   optimiser (fuzz, seed 750819760). Linked with that flag, which ocamlc does not know, by crates/flambeau/tests. *)

let at s i = try String.make 1 s.[i] with Invalid_argument message -> message
let far = int_of_float 2147483647.

let () =
  print_endline (at "" 0x7fff_ffff);
  print_endline (at "abc" (far * 2));
  print_endline (at "abc" (-1));
  print_endline (at "abc" 2);
  match 1 / (far - far) with
  | n -> print_int n
  | exception Division_by_zero -> print_endline "by zero"
