(* flags: -w -a *)
(* Continuation-passing style, state/reader/writer/exception monads as functors and first class, free monads, delimited generators. *)
module type MONAD = sig type 'a t val return : 'a -> 'a t val bind : 'a t -> ('a -> 'b t) -> 'b t end
module Ops (M : MONAD) = struct let ( >>= ) = M.bind let ( >|= ) m f = M.bind m (fun x -> M.return (f x)) let ( let* ) = M.bind let rec mapM f = function [] -> M.return [] | x :: r -> f x >>= fun y -> mapM f r >|= fun l -> y :: l let rec foldM f a = function [] -> M.return a | x :: r -> let* a = f a x in foldM f a r let rec forever_until p m = m >>= fun x -> if p x then M.return x else forever_until p m end
module State (S : sig type t end) = struct type 'a t = S.t -> 'a * S.t let return x s = (x, s) let bind m f s = let x, s = m s in f x s let get s = (s, s) let put s _ = ((), s) let run m s = m s end
module Option_ = struct type 'a t = 'a option let return x = Some x let bind = Option.bind end
module Writer = struct type 'a t = 'a * string list let return x = (x, []) let bind (x, w) f = let y, w' = f x in (y, w @ w') let tell s = ((), [ s ]) end
module Cont = struct type 'a t = { run : 'r. ('a -> 'r) -> 'r } let return x = { run = (fun k -> k x) } let bind m f = { run = (fun k -> m.run (fun x -> (f x).run k)) } end
module ContR (R : sig type t end) = struct type 'a t = ('a -> R.t) -> R.t let return x k = k x let bind m f k = m (fun x -> f x k) let callcc f k = f (fun x _ -> k x) k end
module ExnT (M : MONAD) = struct type 'a t = ('a, string) result M.t let return x = M.return (Ok x) let bind m f = M.bind m (function Ok x -> f x | Error e -> M.return (Error e)) let fail e = M.return (Error e) let lift m = M.bind m (fun x -> M.return (Ok x)) end
type 'a free = Pure of 'a | Get of (int -> 'a free) | Put of int * 'a free | Say of string * (unit -> 'a free)
let rec fbind m f = match m with Pure x -> f x | Get k -> Get (fun n -> fbind (k n) f) | Put (n, m) -> Put (n, fbind m f) | Say (s, k) -> Say (s, fun () -> fbind (k ()) f)
let rec frun n = function Pure x -> (x, n) | Get k -> frun n (k n) | Put (n, m) -> frun n m | Say (s, k) -> print_string (s ^ " "); frun n (k ())
type 'a gen = Done | Yield of 'a * (unit -> 'a gen)
let rec tree_gen t k = match t with `L -> k () | `N (l, x, r) -> tree_gen l (fun () -> Yield (x, fun () -> tree_gen r k))
let same a b = let rec go a b = match a, b with Done, Done -> true | Yield (x, f), Yield (y, g) -> x = y && go (f ()) (g ()) | _ -> false in go (tree_gen a (fun () -> Done)) (tree_gen b (fun () -> Done))
let rec fact_k n k = if n = 0 then k 1 else fact_k (n - 1) (fun r -> k (n * r))
let rec fib_k n k = if n < 2 then k n else fib_k (n - 1) (fun a -> fib_k (n - 2) (fun b -> k (a + b)))
let rec append_k a b k = match a with [] -> k b | x :: r -> append_k r b (fun l -> k (x :: l))
module S = State (struct type t = int end) module SO = Ops (S) module OO = Ops (Option_) module WO = Ops (Writer) module CO = Ops (Cont) module CR = ContR (Int) module CRO = Ops (CR) module E = ExnT (S) module EO = Ops (E)
let () =
  let l, s = S.run (SO.mapM (fun x -> SO.(S.get >>= fun s -> S.put (s + x) >|= fun () -> s * x)) [ 1; 2; 3; 4 ]) 10 in List.iter (Printf.printf "%d ") l; Printf.printf "%d\n" s;
  Printf.printf "%b %b\n" (OO.mapM (fun x -> if x > 0 then Some x else None) [ 1; -1 ] = None) (OO.foldM (fun a x -> if x = 0 then None else Some (a / x)) 100 [ 2; 5 ] = Some 10); let n, w = WO.foldM (fun a x -> WO.(Writer.tell (string_of_int x) >|= fun () -> a + x)) 0 [ 1; 2; 3 ] in Printf.printf "%d %s\n" n (String.concat "," w);
  Printf.printf "%d %d\n" ((CO.mapM (fun x -> Cont.return (x * 2)) [ 1; 2; 3 ]).Cont.run (List.fold_left ( + ) 0)) (CRO.(CR.callcc (fun exit -> foldM (fun a x -> if x < 0 then exit (a * 1000) else CR.return (a + x)) 0 [ 1; 2; -1; 5 ])) Fun.id);
  let m = EO.(E.lift S.get >>= fun s -> if s > 5 then E.fail "big" else E.lift (S.put (s + 1)) >|= fun () -> s) in let show (r, s) = Printf.printf "%s %d\n" (match r with Ok n -> string_of_int n | Error e -> e) s in show (S.run m 3); show (S.run m 9); show (S.run (EO.forever_until (fun n -> n = 4) m) 1); show (S.run (EO.forever_until (fun n -> n = 9) m) 1);
  let prog = fbind (Get (fun n -> Pure n)) (fun n -> Put (n * 2, Say ("said", fun () -> Get (fun m -> Pure (n + m))))) in let a, b = frun 7 (fbind prog (fun x -> fbind prog (fun y -> Pure (x, y)))) in Printf.printf "%d %d %d\n" (fst a) (snd a) b;
  let t1 = `N (`N (`L, 1, `L), 2, `N (`L, 3, `L)) and t2 = `N (`L, 1, `N (`L, 2, `N (`L, 3, `L))) in Printf.printf "%b %b\n" (same t1 t2) (same t1 (`N (`L, 1, `L))); Printf.printf "%d %d %d\n" (fact_k 12 Fun.id) (fib_k 15 Fun.id) (List.length (append_k (List.init 50000 Fun.id) [ 1 ] Fun.id))
