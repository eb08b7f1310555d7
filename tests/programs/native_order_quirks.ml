(* flags: -w -a *)
(* bytecode: no, stock native code orders these operands otherwise *)
(* Evaluation orders where stock ocamlopt differs from ocamlc, as native code has them. *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
let o = Sys.opaque_identity
let f1 a = t "f1" a
let f3 a b c = t "f3" (a + b + c)
let () =
  ignore ((if t "c" true then o f1 else f1) (t "a" 1)); nl ();
  ignore ((match t "m" (o 1) with 0 -> f3 | _ -> o f3) (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  ignore (compare (t "a" (o 1)) (t "b" (o 2))); nl ();
  ignore (Int64.div (t "a" (o 1L)) (t "b" (o 2L))); nl ();
  ignore (Int32.rem (t "a" (o 1l)) (t "b" (o 2l))); nl ();
  ignore (t "s" (o "abc")).[t "i" (o 1)]; nl ();
  (try Bytes.set (o (Bytes.make 1 'x')) (t "i" (o 5)) (t "v" 'c') with Invalid_argument m -> print_endline m);
  let g = ref f1 in ignore (!g (g := (fun x -> t "new" x); t "a" 1)); nl ()
