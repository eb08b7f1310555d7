(* flags: -w -a -noassert *)
(* Under -noassert only `assert false` remains. *)
let () =
  let x = ref 0 in
  assert (incr x; !x > 100); Printf.printf "%d\n" !x;
  (try assert false with Assert_failure (_, l, c) -> Printf.printf "%d %d\n" l c);
  let f n = assert (n <> 0); 10 / n in
  print_int (try f 0 with Division_by_zero -> -1 | Assert_failure _ -> -2); print_newline ()
