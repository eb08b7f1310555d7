(* Infinite lazy streams: primes by trial and by an incremental sieve, Hamming numbers, power series. *)

type 'a stream = Cons of 'a * 'a stream Lazy.t

let head (Cons (x, _)) = x
let tail (Cons (_, rest)) = Lazy.force rest
let rec from n = Cons (n, lazy (from (n + 1)))
let rec map f (Cons (x, rest)) = Cons (f x, lazy (map f (Lazy.force rest)))

let rec map2 f (Cons (x, xs)) (Cons (y, ys)) =
  Cons (f x y, lazy (map2 f (Lazy.force xs) (Lazy.force ys)))

let rec filter test (Cons (x, rest)) =
  if test x then Cons (x, lazy (filter test (Lazy.force rest))) else filter test (Lazy.force rest)

let rec nth s n = if n = 0 then head s else nth (tail s) (n - 1)

let take n s =
  let rec go acc n s = if n = 0 then List.rev acc else go (head s :: acc) (n - 1) (tail s) in
  go [] n s

let rec fold_while test f acc (Cons (x, rest)) =
  if test x then fold_while test f (f acc x) (Lazy.force rest) else acc

let rec merge (Cons (x, xs) as a) (Cons (y, ys) as b) =
  if x < (y : int) then Cons (x, lazy (merge (Lazy.force xs) b))
  else if x > y then Cons (y, lazy (merge a (Lazy.force ys)))
  else Cons (x, lazy (merge (Lazy.force xs) (Lazy.force ys)))

(* Primes: each candidate is divided by the primes up to its root. *)
let rec primes = Cons (2, lazy (filter is_prime (from 3)))

and is_prime n =
  let rec go (Cons (p, rest)) = p * p > n || (n mod p <> 0 && go (Lazy.force rest)) in
  go primes

(* The same by taking away the multiples of each prime. *)
module Sieve = struct
  let multiples p = map (fun k -> p * k) (from p)

  let rec minus (Cons (x, xs) as a) (Cons (y, ys) as b) =
    if x < y then Cons (x, lazy (minus (Lazy.force xs) b))
    else if x > y then minus a (Lazy.force ys)
    else minus (Lazy.force xs) (Lazy.force ys)

  (* The union of streams, each of which begins above the one before. *)
  let rec unions (Cons (Cons (x, xs), rest)) =
    Cons (x, lazy (merge (Lazy.force xs) (unions (Lazy.force rest))))

  let rec primes = Cons (2, lazy (Cons (3, lazy (minus (from 4) composites))))
  and composites = Cons (4, lazy (tail (unions (map multiples primes))))
end

let hamming =
  let rec s = Cons (1, lazy (merge (map (( * ) 2) s) (merge (map (( * ) 3) s) (map (( * ) 5) s)))) in
  s

(* Power series over integers modulo a prime. *)
module Series = struct
  let p = 998_244_353
  let add = map2 (fun a b -> (a + b) mod p)
  let scale k = map (fun a -> a * k mod p)

  let rec mul (Cons (x, xs)) b =
    let (Cons (y, ys)) = b in
    Cons (x * y mod p, lazy (add (scale x (Lazy.force ys)) (mul (Lazy.force xs) b)))

  let catalan =
    let rec c = Cons (1, lazy (mul c c)) in
    c
end

let rec fibs = Cons (0, lazy (Cons (1, lazy (map2 (fun a b -> (a + b) land 0xffffffff) fibs (tail fibs)))))

let show list = String.concat " " (List.map string_of_int list)

let () =
  Printf.printf "primes %s, sum below 700000 %d\n" (show (take 10 primes))
    (fold_while (fun p -> p < 700_000) ( + ) 0 primes);
  Printf.printf "sieve %s, sum below 450000 %d\n" (show (take 10 Sieve.primes))
    (fold_while (fun p -> p < 450_000) ( + ) 0 Sieve.primes);
  Printf.printf "hamming %s, the 10000th %d\n" (show (take 15 hamming)) (nth hamming 9_999);
  Printf.printf "catalan %s, the 500th %d\n" (show (take 8 Series.catalan)) (nth Series.catalan 500);
  Printf.printf "fibonacci %d\n" (nth fibs 500_000)
