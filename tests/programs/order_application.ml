(* flags: -w -a *)
(* Evaluation order of applications of every kind. *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
let f1 a = t "f1" a
let f3 a b c = t "f3" (a + b + c)
let fun2 a b = t "fun2" (fun c d -> t "inner" (a + b + c + d))
let id x = x
let o = Sys.opaque_identity
let () =
  ignore (f1 (t "a" 1)); nl ();
  ignore (f3 (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  ignore ((t "fn" f3) (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  ignore ((t "fn" (o f3)) (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  let p = f3 (t "a" 1) (t "b" 2) in t "|" (); ignore (p (t "c" 3)); nl ();
  let p = (t "fn" (o f3)) (t "a" 1) in t "|" (); ignore (p (t "b" 1) (t "c" 3)); nl ();
  ignore (fun2 (t "a" 1) (t "b" 2) (t "c" 3) (t "d" 4)); nl ();
  ignore ((o fun2) (t "a" 1) (t "b" 2) (t "c" 3) (t "d" 4)); nl ();
  ignore ((fun2 (t "a" 1) (t "b" 2)) (t "c" 3) (t "d" 4)); nl ();
  ignore (id f3 (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  ignore (f3 (f1 (t "a" 1)) (f1 (f1 (t "b" 2))) (f3 (t "x" 1) (t "y" 1) (t "z" 1))); nl ();
  ignore (t "a" 1 |> f1 |> fun x -> t "last" x); nl ();
  ignore (f1 @@ t "a" 1); nl ();
  ignore ((fun a b -> t "body" (a - b)) (t "a" 1) (t "b" 2)); nl ();
  ignore (List.map (fun x -> t (string_of_int x) x) [ t "l1" 1; t "l2" 2 ]); nl ();
  ignore (Fun.flip f3 (t "a" 1) (t "b" 2) (t "c" 3)); nl ();
  let (%+) a b = t "op" (a + b) in ignore (t "a" 1 %+ t "b" 2 %+ t "c" 3); nl ();
  let rec g n acc = if n = 0 then acc else g (t "n" (n - 1)) (t "acc" (acc + n)) in ignore (g 2 0); nl ();
  ignore ((fun ~a ~b c -> t "lab" (a + b + c)) (t "c" 3) ~b:(t "b" 2) ~a:(t "a" 1)); nl ();
  let s = let open Printf in sprintf "%d %d" (t "x" 1) (t "y" 2) in print_endline s
