(* flags: -w -a *)
(* lazy of every kind of expression: constants, variables, functions, applications, blocks; sharing of effects; patterns; streams; memo. *)
let n = ref 0
let tick s = incr n; print_string (s ^ " "); !n
let c0 = lazy 1 and c1 = lazy "s" and c2 = lazy 1.5 and c3 = lazy [ 1; 2 ] and c4 = lazy (1, "a") and c5 = lazy () and c6 = lazy true and c7 = lazy (fun x -> x + 1) and c8 = lazy None
let v x = lazy x
let fl x = lazy (x +. 1.)
let e = lazy (tick "e")
let both = lazy (Lazy.force e + Lazy.force e)
let rec l1 = lazy (1 :: Lazy.force l2) and l2 = lazy [ 2; 3 ]
type 'a s = Nil | Cons of 'a * 'a s Lazy.t
let rec take k s = if k = 0 then [] else match s with (lazy Nil) -> [] | (lazy (Cons (x, r))) -> x :: take (k - 1) r
let rec from k = lazy (Cons (k, from (k + 1)))
let rec filter p s = lazy (match Lazy.force s with Nil -> Nil | Cons (x, r) -> if p x then Cons (x, filter p r) else Lazy.force (filter p r))
let rec sieve s = lazy (match s with (lazy Nil) -> Nil | (lazy (Cons (p, r))) -> Cons (p, sieve (filter (fun x -> x mod p <> 0) r)))
let rec merge a b = lazy (match a, b with (lazy (Cons (x, r))), (lazy (Cons (y, s))) -> if x < y then Cons (x, merge r b) else if x > y then Cons (y, merge a s) else Cons (x, merge r s) | (lazy Nil), s | s, _ -> Lazy.force s)
let rec map f s = lazy (match s with (lazy Nil) -> Nil | (lazy (Cons (x, r))) -> Cons (f x, map f r))
let rec hamming = lazy (Cons (1, merge (map (( * ) 2) hamming) (merge (map (( * ) 3) hamming) (map (( * ) 5) hamming))))
let pat (lazy a, lazy b) = a + b
let guard = function (lazy 0) -> "zero" | (lazy k) when k > 100 -> "big" | lazy k -> string_of_int k
let knot xs = let tbl = Array.make 50 (lazy 0) in Array.iteri (fun i _ -> tbl.(i) <- lazy (if i < 2 then i else Lazy.force tbl.(i - 1) + Lazy.force tbl.(i - 2))) tbl; Lazy.force tbl.(xs)
let () =
  Printf.printf "%d %s %g %d %s %b %d %b\n" (Lazy.force c0) (Lazy.force c1) (Lazy.force c2) (List.length (Lazy.force c3)) (snd (Lazy.force c4)) (Lazy.force c6) ((Lazy.force c7) 3) (Lazy.force c8 = None); Lazy.force c5; Printf.printf "%d %g %g %s\n" (Lazy.force (v 3)) (Lazy.force (v 2.5)) (Lazy.force (fl 2.)) (Lazy.force (v "x")); Printf.printf "%d %d\n" (Lazy.force both) !n; Printf.printf "%d\n" (List.length (Lazy.force l1));
  List.iter (Printf.printf "%d ") (take 10 (sieve (from 2)) @ take 15 hamming); print_newline (); let a = lazy (tick "a") and b = lazy (tick "b") in Printf.printf "%d " (pat (a, b)); Printf.printf "%d %d\n" (pat (b, a)) !n; List.iter (fun k -> print_string (guard (lazy (tick (string_of_int k) * 0 + k)) ^ " ")) [ 0; 5; 500 ]; Printf.printf "%d\n" (knot 40); let r = ref 5 in let z = lazy (!r * 2) in r := 6; Printf.printf "%d " (Lazy.force z); r := 7; Printf.printf "%d\n" (Lazy.force z); let fs = List.init 3 (fun i -> lazy (tick "f" + i)) in List.iter (fun l -> ignore (Lazy.force l)) (fs @ fs); Printf.printf "%d %b\n" !n (List.for_all Lazy.is_val fs); let rec depth k = if k = 0 then lazy 0 else lazy (1 + Lazy.force (depth (k - 1))) in Printf.printf "%d\n" (Lazy.force (depth 1000)); let nested = lazy (lazy (tick "inner")) in let i1 = Lazy.force nested in let i2 = Lazy.force nested in Printf.printf "%b %d %d\n" (i1 == i2) (Lazy.force i1) (Lazy.force i2); (match (match lazy (raise Exit) with (lazy 0) -> 1 | _ -> 2) with k -> print_int k | exception Exit -> print_endline "exit in pattern")
