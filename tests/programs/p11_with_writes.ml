(* flags: -w -a *)
(* pitfalls 11, 12: a load may not be folded through a call, a store by an alias, or a tail of a list under construction. *)
type t = { mutable a : int; b : t option; mutable c : float; mutable s : string }
let[@inline never] poke t n = t.a <- n; t.c <- float n; t.s <- string_of_int n
let f t = let x = t.a in poke t 5; let y = t.a in x + y
let g t u = t.a <- 1; u.a <- 2; t.a
let h t cb = let c0 = t.c in cb (); let c1 = t.c in c0 +. c1
let make () = { a = 0; b = None; c = 0.; s = "0" }
let k () = let t = make () in let r = t in t.a <- 3; poke r 9; (t.a, r.a, t.c, t.s)
let l () = let t = make () in let u = { t with a = 8; b = Some t } in t.a <- 100; (u.a, (match u.b with Some v -> v.a | None -> -1))
let cell () = let r = ref 0 in let get () = !r and set n = r := n in set 4; let a = get () in set 5; (a, get (), !r)
let arr () = let a = [| 1; 2; 3 |] in let b = a in b.(1) <- 20; let s = a.(1) in Array.fill b 0 3 0; (s, a.(1))
let queue () = let q = Queue.create () in Queue.add 1 q; let n = Queue.length q in Queue.add 2 q; (n, Queue.length q, Queue.peek q)
let rec app l m = match l with [] -> m | x :: r -> x :: app r m
let () =
  let t = make () in
  Printf.printf "%d %d\n" (f t) (f t);
  Printf.printf "%d %d\n" (g t (make ())) (g t t);
  Printf.printf "%g\n" (h t (fun () -> t.c <- 100.));
  let a, b, c, s = k () in Printf.printf "%d %d %g %s\n" a b c s;
  let a, b = l () in Printf.printf "%d %d\n" a b;
  let a, b, c = cell () in Printf.printf "%d %d %d\n" a b c;
  let a, b = arr () in Printf.printf "%d %d\n" a b;
  let a, b, c = queue () in Printf.printf "%d %d %d\n" a b c;
  Printf.printf "%d\n" (List.fold_left ( + ) 0 (app [ 1; 2 ] (app [ 3 ] [ 4 ])))
