(* flags: -w -a *)
(* soundness 33: equal expressions in different scopes, around joins and stores. *)
type p = { x : int; y : int; mutable z : int }
let f a b c = let u = a * b in let v = if c then a * b + 1 else (a * b) - 1 in u + v + (a * b)
let g p c = let s = p.x + p.y in
  let t = if c then (p.z <- s; p.x + p.y + p.z) else p.z in
  s + t + p.z
let h a i = let x = a.(i) in a.(i) <- x + 1; let y = a.(i) in let k = if y > 3 then a.(i) else (a.(i) <- 0; a.(i)) in x + (10 * y) + (100 * k)
let k a b = let r = ref 0 in for i = 0 to a + b do r := !r + (a + b) - i done; if !r > a + b then a + b else !r
let m a = match a with [] -> 0 | [ x ] -> x + 1 | x :: y :: _ -> let s = x + y in if s > 3 then x + y else (x + y) * 2
let n a b = try let q = a / b in if q > 2 then raise Exit else q + (a / b) with Exit -> a - b | Division_by_zero -> a + b
let o x y = let a = (x, y) in let b = (x, y) in let c = if x > y then a else b in fst a + snd b + fst c
let fl x y = let a = x *. y in let b = if a > 1. then x *. y else -.(x *. y) in a +. b +. (x *. y)
let () =
  Printf.printf "%d %d\n" (f 3 4 true) (f 3 4 false);
  let p = { x = 1; y = 2; z = 10 } in
  Printf.printf "%d " (g p false); Printf.printf "%d " (g p true); Printf.printf "%d\n" p.z;
  let a = [| 1; 5 |] in
  Printf.printf "%d %d " (h a 0) (h a 1); Printf.printf "%d %d\n" a.(0) a.(1);
  Printf.printf "%d %d %d\n" (k 2 3) (k 0 0) (k (-5) 2);
  Printf.printf "%d %d %d %d\n" (m []) (m [ 4 ]) (m [ 1; 2 ]) (m [ 3; 4; 5 ]);
  Printf.printf "%d %d %d\n" (n 9 2) (n 4 2) (n 4 0);
  Printf.printf "%d %d\n" (o 1 2) (o 2 1);
  Printf.printf "%g %g\n" (fl 2. 3.) (fl 0.5 0.5)
