(* flags: -w -a *)
(* pitfall 56: recursion through types, records, references, objects and modules instead of let rec. *)
type 'a self = { self : 'a self -> 'a }
let fix f = let w = { self = (fun w x -> f (w.self w) x) } in w.self w
type d = Fn of (d -> d) | Num of int
let app f x = match f with Fn f -> f x | Num _ -> failwith "app"
let church n = Fn (fun f -> Fn (fun x -> let rec go k = if k = 0 then x else app f (go (k - 1)) in go n))
let to_int c = match app (app c (Fn (function Num n -> Num (n + 1) | d -> d))) (Num 0) with Num n -> n | _ -> -1
let plus = Fn (fun a -> Fn (fun b -> Fn (fun f -> Fn (fun x -> app (app a f) (app (app b f) x)))))
let times = Fn (fun a -> Fn (fun b -> Fn (fun f -> app a (app b f))))
let omega_guard n = let c = ref 0 in let rec w = Fn (fun x -> incr c; if !c > n then Num !c else app x x) in app w w
let landin f = let r = ref (fun _ -> assert false) in r := (fun x -> f !r x); !r
let obj f = let o = object (s) method call x = f (fun y -> s#call y) x end in fun (x : int) : int -> o#call x
module type F = sig val f : int -> int end
let rec via n = let module M = struct let f x = if x = 0 then 0 else x + via (x - 1) end in M.f n
let rec fcm n = (module struct let f x = if n = 0 then x else let (module N : F) = fcm (n - 1) in N.f (x + n) end : F)
exception K of (int -> int)
let by_exn n = let get () = try raise (K (fun x -> x + n)) with K f -> f in get () (get () 1)
type obj_ = { mutable step : obj_ -> int -> int }
let opened n = let o = { step = (fun _ _ -> 0) } in o.step <- (fun s k -> if k <= 0 then n else 1 + s.step s (k - 2)); o.step o 21
let z f = (fun (`X x) -> f (fun v -> x (`X x) v)) (`X (fun (`X x) -> f (fun v -> x (`X x) v))) [@@ocaml.warning "-a"]
let () = ()
let () =
  let fact self n = if n = 0 then 1 else n * self (n - 1) in Printf.printf "%d %d %d\n" (fix fact 10) (landin fact 10) (obj fact 10); Printf.printf "%d %d\n" (to_int (app (app plus (church 3)) (church 4))) (to_int (app (app times (church 6)) (church 7))); (match omega_guard 100 with Num n -> Printf.printf "%d\n" n | _ -> ());
  let (module M : F) = fcm 10 in Printf.printf "%d %d %d %d\n" (via 50) (M.f 1) (by_exn 5) (opened 7)
