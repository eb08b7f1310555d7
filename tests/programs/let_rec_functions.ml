(* flags: -w -a *)
(* Recursive functions of all shapes: local, mutual, capturing, polymorphic recursion, passed around. *)
let rec fact n = if n <= 1 then 1 else n * fact (n - 1)
let rec a n = if n = 0 then "a" else b (n - 1) and b n = if n = 0 then "b" else c (n - 1) and c n = if n = 0 then "c" else a (n - 1)
let closed n = let rec go i acc = if i > n then acc else go (i + 1) (acc + i) in go 0 0
let capture x y z = let k = x * 2 in let rec f i = if i = 0 then y else g (i - 1) + k and g i = if i = 0 then z else f (i - 1) - x and h i = f i * g i in (f 5, g 5, h 2)
let nested n = let rec outer i = let rec inner j = if j = 0 then i else if j > 3 then outer (i - 1) else inner (j - 1) in if i <= 0 then n else inner (i mod 6) in outer n
let inside x = let rec f = fun y -> let rec g = fun z -> if z = 0 then x + y else if y = 0 then g (z - 1) else f (y - 1) + g (z - 1) in g y in f x
type 'a nest = Flat of 'a | Nest of ('a * 'a) nest
let rec depth : 'a. 'a nest -> int = function Flat _ -> 0 | Nest n -> 1 + depth n
let rec len : 'a. ('a -> int) -> 'a nest -> int = fun f -> function Flat x -> f x | Nest n -> len (fun (a, b) -> f a + f b) n
let returned k = let rec f x = if x > 10 then x else f (x + k) and g () = f in if k > 3 then f else fun x -> g () (x + 1)
let esc () = let rec f n = if n = 0 then [] else g :: f (n - 1) and g x = List.length (f x) in f 3
let twice n = let rec go f n = if n = 0 then f 0 else go (fun x -> f (x + n)) (n - 1) in go Fun.id n
let rec curry3 a b c = if c = 0 then fun d -> a + b + d else curry3 b c (c - 1)
let unused_arg n = let rec f a b n = if n = 0 then b else f b a (n - 1) in f 1 2 n
let rec hanoi n s d v = if n = 0 then [] else hanoi (n - 1) s v d @ ((s, d) :: hanoi (n - 1) v d s)
let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)
let rec floats x n = if n = 0 then x else floats (x *. 1.5 -. 1.) (n - 1)
let rec i64 x n = if n = 0 then x else i64 (Int64.add (Int64.mul x 3L) 1L) (n - 1)
let () =
  Printf.printf "%d %s %s %s %d\n" (fact 15) (a 4) (b 9) (c 0) (closed 100);
  let p, q, r = capture 1 2 3 in Printf.printf "%d %d %d %d %d\n" p q r (nested 20) (inside 5);
  Printf.printf "%d %d\n" (depth (Nest (Nest (Flat ((1, 2), (3, 4)))))) (len Fun.id (Nest (Nest (Flat ((1, 2), (3, 4))))));
  Printf.printf "%d %d %s\n" (returned 5 1) (returned 2 1) (String.concat "," (List.map (fun g -> string_of_int (g 4)) (esc ())));
  Printf.printf "%d %d %d %d %d %d\n" (twice 10) (curry3 1 2 3 10) (unused_arg 3) (List.length (hanoi 6 1 2 3)) (tak 12 8 4) (List.length (List.filter (fun (a, _) -> a = 1) (hanoi 5 1 2 3)));
  Printf.printf "%g %Ld\n" (floats 3. 20) (i64 1L 30)
