(* flags: -w -a *)
(* soundness 3: a local function turned into a continuation keeps the right-to-left order of its arguments;
   the empty interface lets the compiler inline everything. *)
let p n = print_string (string_of_int n); print_char ' '; n
let f x =
  let local a b = print_endline "local"; a + (10 * b) in
  let r = if x then local (p 1) (p 2) else local (p 3) (p 4) in
  r
let g a b c = Printf.printf "g %d %d %d\n" a b c
let h x = let k a b = g a b x in match x with 0 -> k (p 1) (p 2) | _ -> k (p 3) (p 4)
let loop n =
  let rec go i acc = if i = n then acc else go (p (i + 1)) (p (acc + i)) in
  go 0 0
let () =
  print_int (f true); print_newline ();
  print_int (f false); print_newline ();
  h 0; h 1;
  print_int (loop 4); print_newline ();
  List.iter (fun i -> print_int (Aux.run i); print_newline ()) [0; 1; 2; 3];
  (fun a b -> g a b (a + b)) (p 7) (p 8);
  (fun (a, b) c -> g a b c) (p 7, p 8) (p 9)
