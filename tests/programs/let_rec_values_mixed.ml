(* flags: -w -a *)
(* Recursive values: closures with blocks, lazies, arrays, records, strings, nested groups. *)
type 'a stream = Cons of 'a * 'a stream Lazy.t
type node = { id : int; mutable out : node list; step : int -> node }
type ops = { add : int -> int; neg : int -> int; twice : int -> int; self : ops Lazy.t }
let rec nats = let rec from n = Cons (n, lazy (from (n + 1))) in from 0
let rec fibs = Cons (0, lazy (Cons (1, lazy (add fibs (tl fibs)))))
and add (Cons (a, s)) (Cons (b, t)) = Cons (a + b, lazy (add (Lazy.force s) (Lazy.force t)))
and tl (Cons (_, t)) = Lazy.force t
let rec take n (Cons (x, s)) = if n = 0 then [] else x :: take (n - 1) (Lazy.force s)
let rec n1 = { id = 1; out = [ n2; n3 ]; step = (fun k -> if k = 0 then n1 else n2.step (k - 1)) } and n2 = { id = 2; out = [ n1 ]; step = (fun k -> if k = 0 then n2 else n3.step (k - 1)) } and n3 = { id = 3; out = []; step = (fun k -> if k = 0 then n3 else n1.step (k - 1)) }
let mk z = let rec o = { add = (fun x -> x + z); neg = (fun x -> -(o.add x)); twice = (fun x -> o.add (o.add x)); self = lazy o } in o
let rec l1 = 1 :: 2 :: l2 and l2 = 3 :: l1
let rec arr = [| `F (fun n -> n + Array.length arr); `A arr |]
let rec f x = if x = 0 then snd pair else List.length lst + x and pair = (f, 42) and lst = [ (f, pair_) ] and pair_ = (f, 0)
let rec s = "const" and t = (s, u) and u = [ s; "x" ]
let rec fl = 1.5 and tup = (fl, fun () -> fl +. 1.)
let local k = let rec x = (k, y) and y = lazy (fst x + g 1) and g n = if n = 0 then k else fst x * g (n - 1) in Lazy.force (snd x)
let deep k = let rec a = (let m = k + 1 in (m, fun () -> fst b + m)) and b = (let m = k + 2 in (m, fun () -> fst a * m)) in (snd a (), snd b ())
let cond c = let rec f = (let k = if c then 1 else 2 in fun n -> if n <= 0 then "t" ^ string_of_int n else f (n - k)) in f 3
let matched o = let rec g = (let open List in let k = match o with None -> 200 | Some k -> k in fun x -> if x > 100 then x else g (x + k)) in g 1
let seq () = let log = ref [] in let rec a = (log := "a" :: !log; (1, fun () -> snd b)) and b = (log := "b" :: !log; (2, 5)) in (fst b, snd a (), String.concat "" (List.rev !log))
let wrap () = let rec r = { contents = (fun n -> if n = 0 then 0 else !r (n - 1) + 2) } in let v = !r 4 in r := (fun _ -> 7); (v, !r 4)
let () =
  List.iter (Printf.printf "%d ") (take 5 nats @ take 12 fibs); print_newline ();
  Printf.printf "%d %d %d %d\n" (n1.step 4).id (List.hd n2.out).id (List.nth n1.out 1).id (n3.step 2).id; n3.out <- [ n1; n2 ]; Printf.printf "%d\n" (List.length (List.nth n1.out 1).out);
  let o = mk 3 in Printf.printf "%d %d %d\n" (o.neg 4) (o.twice 1) ((Lazy.force o.self).add 10);
  Printf.printf "%d %d\n" (List.nth l1 100) (List.nth l2 100); (match arr.(0) with `F f -> Printf.printf "%d\n" (f 5) | `A _ -> ());
  Printf.printf "%d %d %s %g %d\n" (f 0) (f 3) (List.hd (snd t)) (snd tup ()) (local 6);
  let a, b = deep 1 in let c, d, e = seq () in let g, h = wrap () in Printf.printf "%d %d %s %s %d %d %d %d %s %d %d\n" a b (cond true) (cond false) (matched None) (matched (Some 30)) c d e g h
