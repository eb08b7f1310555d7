(* flags: -w -a *)
(* soundness 42: recursive stubs, default arguments that call the function, fixpoint types. *)
let rec f ?(x = f ()) () = x + 1
let rec g ?(x = g ~x:1 ()) ?(y = x) () = x + y
let[@inline always] rec down n = if n <= 0 then 0 else down (n - 1) + 1
type 'a fix = Fix of ('a fix -> 'a)
let y f = let g (Fix x as w) = f (fun a -> x w a) in g (Fix g)
let fact = y (fun self n -> if n = 0 then 1 else n * self (n - 1))
let[@inline] rec a n = if n = 0 then 1 else b (n - 1) + b (n - 1) and[@inline] b n = if n = 0 then 1 else a (n - 1) + a (n - 1)
let[@inline always] twice f x = f (f x)
let big = twice (twice (twice (twice succ)))
let rec tuple (n, m) = if n = 0 then m else tuple (n - 1, m + 1)
let rec opt ?(n = 3) ?(acc = []) () = if n = 0 then acc else opt ~n:(n - 1) ~acc:(n :: acc) ()
module rec R : sig val f : int -> int end = struct let[@inline] f n = if n = 0 then 0 else 1 + R.f (n - 1) end
let () =
  Printf.printf "%d %d\n" (f ~x:4 ()) (g ());
  Printf.printf "%d %d %d %d\n" (down 100) (fact 10) (a 8) (big 0);
  Printf.printf "%d %d %d\n" (tuple (10, 5)) (List.length (opt ())) (R.f 50);
  let r = try (let n = ref 0 in let rec deep () = incr n; if !n > 1000 then raise Exit else 1 + deep () in deep ()) with Exit -> 7 in
  Printf.printf "%d\n" r
