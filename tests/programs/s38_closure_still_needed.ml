(* flags: -w -a *)
(* soundness 38: closures used only through direct calls, projections, or a sibling. *)
let f x = let rec g y = if y = 0 then x else h (y - 1) and h y = if y = 0 then -x else g (y - 1) in h 3 + g 4
let f2 x = let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1) in if x > 5 then even else odd
let f3 a b = let u () = a in let v () = u () + b in let w () = v () * 2 in w
let f4 n = let rec only_h k = if k > n then n else self (k + 1) and self k = only_h k in let _ = only_h in self 0
let f5 l k = let add x = x + k in let _unused x = add (x * k) in List.map add l
let f6 x = let g = fun y -> x + y in let p = (g, 1) in let h = fst p in h (snd p)
let f7 c x = let g y = x * y in let k = if c then g else fun z -> g (z + 1) in k 10 + g 1
let f8 n = let rec a i acc = if i = 0 then acc else b (i - 1) (n :: acc) and b i acc = if i = 0 then acc else c (i - 1) acc and c i acc = if i = 0 then List.map (fun f -> f + n) acc else a i acc in a n []
type self = S of (int -> unit -> self)
let f9 x = let rec self y = if y > x then fun () -> S self else fun () -> S self in ignore (self x ()); x
let () =
  Printf.printf "%d %b %b %d %d\n" (f 7) (f2 6 3) (f2 5 3) (f3 1 2 ()) (f4 9);
  List.iter (Printf.printf "%d ") (f5 [ 1; 2 ] 10);
  Printf.printf "%d %d %d\n" (f6 4) (f7 true 3) (f7 false 3);
  List.iter (Printf.printf "%d ") (f8 7);
  Printf.printf "%d\n" (f9 3)
