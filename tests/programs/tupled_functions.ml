(* flags: -w -a *)
(* Functions over tuples: direct, as values, partial, over-applied, unused components, nested tuples. *)
let add (a, b) = a + b
let sw (a, b) = (b, a)
let f3 (a, b, c) = a - b + c
let curried (a, b) c (d, e) = a + b * c - d * e
let over (a, b) = fun x -> a * x + b
let nested ((a, b), (c, (d, e))) = a + b + c + d + e
let unused (_, b) = b
let aliased ((a, b) as p) = (p, a + b)
let rec loop (i, acc) = if i = 0 then acc else loop (i - 1, acc + i)
let rec even (n, u) = if n = 0 then u else odd (n - 1, not u) and odd (n, u) = if n = 0 then not u else even (n - 1, not u)
let fl (x, y) = x *. y +. 1.
let str (a, b, c, d, e, f, g, h) = String.concat "" [ a; b; c; d; e; f; g; h ]
let clos k = let g (a, b) = a * k + b in g
let t s v = print_string s; print_char ' '; v
let o = Sys.opaque_identity
let () =
  let p = o (3, 4) in
  Printf.printf "%d %d %d %d\n" (add (1, 2)) (add p) (fst (sw p)) (f3 (o (1, 2, 3)));
  Printf.printf "%d %d %d\n" (curried (1, 2) 3 (4, 5)) (let c = curried p 1 in c p) (over p 5 + (o over) p 6);
  Printf.printf "%d %d %d\n" (nested ((1, 2), (3, (4, 5)))) (nested (p, (1, p))) (unused (t "a" 1, t "b" 2));
  let (q, s) = aliased p in Printf.printf "%b %d\n" (q == p) s;
  Printf.printf "%d %b %b\n" (loop (1_000_000, 0)) (even (100_001, true)) (odd (7, false));
  Printf.printf "%g %s %d\n" (fl (2., 3.)) (str ("a", "b", "c", "d", "e", "f", "g", "h")) (clos 3 (4, 5));
  List.iter (Printf.printf "%d ") (List.map add [ (1, 2); (3, 4) ] @ List.map (clos 2) [ p; sw p ]); print_newline ();
  let l = [ ("add", add); ("sub", fun (a, b) -> a - b); ("fst", fst); ("unused", unused) ] in
  List.iter (fun (n, f) -> Printf.printf "%s %d; " n (f p)) l; print_newline ();
  let ap f x = f x in Printf.printf "%d %d\n" (ap add (5, 6)) (ap f3 (7, 8, 9));
  Printf.printf "%d\n" (add (if o true then (t "x" 10, t "y" 20) else p));
  Printf.printf "%d\n" (List.fold_left (fun acc (a, b) -> add (acc, f3 (a, b, acc))) 0 [ (1, 2); (3, 4); (5, 6) ]);
  let comp (a, b) = (fun (c, d) -> (fun (e, f) -> a * c * e + b * d * f)) in Printf.printf "%d %d\n" (comp p p p) ((o comp) (1, 1) (2, 2) (3, 3))
