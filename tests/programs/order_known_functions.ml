(* flags: -w -a *)
(* bytecode: no, stock native code evaluates the function first where it has all its arguments *)
(* The function of an application does something, and then is a function that the compiler knows. Stock native code
   evaluates it after the arguments if they are too few or too many, and else before (ocaml#7531; soundness row 4). *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
let o = Sys.opaque_identity
let f2 a b = a + b
let pair (a, b) = a - b
module M = struct let f a = a * 2 module N = struct let g a b = fun c -> a + b * c end end
let exact = (let _x = t "f" 1 in fun q -> q + 1) (t "a" 1)
let partial = (let _x = t "f" 1 in fun q i -> q + i) (t "a" 1)
let () = nl (); Printf.printf "%d %d\n" exact (partial 2)
let () =
  let k = o 3 in
  print_int ((let x = t "f" k in fun q i -> x + q + i) (t "a" 1) (t "b" 2)); nl ();
  print_int ((ignore (t "f" 1); f2) (t "a" 1) (t "b" 2)); nl ();
  print_int ((ignore (t "f" 1); f2) (t "a" 1) (o 4)); nl ();
  print_int ((ignore (t "f" 1); f2) (t "a" 1) 5); nl ();
  print_int ((let g = (ignore (t "f" 1); f2) in g) (t "a" 1) |> fun h -> h (t "b" 2)); nl ();
  let compose f g = ignore (t "in" 0); fun x -> f (g x) in
  print_int ((ignore (t "f" 1); compose) (t "a" succ) (t "b" succ) (t "c" 6)); nl ();
  print_int ((let z = t "f" 1 in fun f g -> ignore (t "in" z); fun x -> f (g x + k)) (t "a" succ) (t "b" succ) (t "c" 6)); nl ();
  print_int ((ignore (t "f" 1); o compose) (t "a" succ) (t "b" succ) (t "c" 6)); nl ();
  print_int ((ignore (t "f" 1); List.map) (t "a" succ) |> fun m -> List.length (m (t "b" [ 1 ]))); nl ();
  print_int ((ignore (t "f" 1); M.f) (t "a" 4)); nl ();
  print_int ((ignore (t "f" 1); M.N.g) (t "a" 4) (t "b" 5) (t "c" 6)); nl ();
  print_int ((ignore (t "f" 1); pair) (t "a" 4, t "b" 5)); nl ();
  print_int ((ignore (t "f" 1); pair) (ignore (t "e" 0); o (t "a" 4, t "b" 5))); nl ();
  print_int ((let g = (ignore (t "f" 1); f2) in g) (t "a" 1) (t "b" 2)); nl ();
  print_int ((let rec g n = if n = 0 then k else g (n - 1) in ignore (t "f" (g 1)); g) (t "a" 3)); nl ();
  print_int ((let rec g n = if n = 0 then List.length l else g (n - 1) and l = [ t "l" k ] in g) (t "a" 3)); nl ();
  let r = ref 0 in
  print_int ((r := 10; fun a -> a + !r) (r := !r + 1; !r)); nl ();
  print_int ((ignore (t "f" 1); List.length) (t "a" [ 1; 2 ])); nl ();
  (try ignore ((ignore (t "f" 1); f2) (t "a" 1) (raise Exit)) with Exit -> print_endline "exit");
  (try ignore ((failwith "f" : unit); f2 (t "a" 1) 2) with Failure m -> print_endline m)
