(* flags: -w -a *)
(* Hindley-Milner inference with levels, let-polymorphism, records of pairs, recursion and errors. *)
type ty = Var of tv ref | Con of string * ty list | Arrow of ty * ty
and tv = Unbound of int * int | Link of ty | Generic of int
type expr = Int of int | Bool of bool | Id of string | Fun of string * expr | App of expr * expr | Let of string * expr * expr | Rec of string * expr * expr | If of expr * expr * expr | Pair of expr * expr | Nil | Cons of expr * expr
exception Unify of ty * ty
exception Occurs
exception Unbound_id of string
let level = ref 0 and next = ref 0
let fresh () = incr next; Var (ref (Unbound (!next, !level)))
let int = Con ("int", []) and bool = Con ("bool", []) let list t = Con ("list", [ t ]) and pair a b = Con ("pair", [ a; b ])
let rec repr = function Var ({ contents = Link t } as r) -> let t = repr t in r := Link t; t | t -> t
let rec occurs r lvl t = match repr t with
  | Var r' when r == r' -> raise Occurs
  | Var ({ contents = Unbound (n, l) } as r') -> if l > lvl then r' := Unbound (n, lvl)
  | Var _ -> () | Con (_, l) -> List.iter (occurs r lvl) l | Arrow (a, b) -> occurs r lvl a; occurs r lvl b
let rec unify a b = match repr a, repr b with
  | Var r, Var s when r == s -> ()
  | Var ({ contents = Unbound (_, l) } as r), t | t, Var ({ contents = Unbound (_, l) } as r) -> occurs r l t; r := Link t
  | Con (c, l), Con (d, m) when c = d && List.length l = List.length m -> List.iter2 unify l m
  | Arrow (a, b), Arrow (c, d) -> unify a c; unify b d
  | a, b -> raise (Unify (a, b))
let rec gen t = match repr t with Var { contents = Unbound (n, l) } when l > !level -> Var (ref (Generic n)) | Var _ as t -> t | Con (c, l) -> Con (c, List.map gen l) | Arrow (a, b) -> let a = gen a in Arrow (a, gen b)
let inst t = let tbl = Hashtbl.create 5 in let rec go t = match repr t with Var { contents = Generic n } -> (try Hashtbl.find tbl n with Not_found -> let v = fresh () in Hashtbl.add tbl n v; v) | Var _ as t -> t | Con (c, l) -> Con (c, List.map go l) | Arrow (a, b) -> let a = go a in Arrow (a, go b) in go t
module Env = Map.Make (String)
let rec infer env = function
  | Int _ -> int | Bool _ -> bool | Nil -> list (fresh ())
  | Id x -> (match Env.find x env with t -> inst t | exception Not_found -> raise (Unbound_id x))
  | Fun (x, e) -> let a = fresh () in let b = infer (Env.add x a env) e in Arrow (a, b)
  | App (f, x) -> let tf = infer env f in let tx = infer env x in let r = fresh () in unify tf (Arrow (tx, r)); r
  | Let (x, e, b) -> incr level; let t = (try infer env e with ex -> decr level; raise ex) in decr level; infer (Env.add x (gen t) env) b
  | Rec (f, e, b) -> incr level; let v = fresh () in (match unify v (infer (Env.add f v env) e) with () -> decr level | exception ex -> decr level; raise ex); infer (Env.add f (gen v) env) b
  | If (c, a, b) -> unify (infer env c) bool; let t = infer env a in unify t (infer env b); t
  | Pair (a, b) -> let a = infer env a in pair a (infer env b)
  | Cons (a, b) -> let t = infer env a in unify (infer env b) (list t); list t
let show t = let names = Hashtbl.create 5 in
  let name k = try Hashtbl.find names k with Not_found -> let s = "'" ^ String.make 1 (Char.chr (97 + Hashtbl.length names)) in Hashtbl.add names k s; s in
  let rec go p t = match repr t with Var { contents = Unbound (n, _) } -> "_" ^ name n | Var { contents = Generic n } -> name (-n) | Var _ -> assert false | Con ("pair", [ a; b ]) -> let a = go 1 a in Printf.sprintf "(%s * %s)" a (go 1 b) | Con (c, []) -> c | Con (c, l) -> String.concat " " (List.map (go 1) l) ^ " " ^ c
    | Arrow (a, b) -> let a = go 1 a in let s = a ^ " -> " ^ go 0 b in if p > 0 then "(" ^ s ^ ")" else s in go 0 t
let env0 = let a = Var (ref (Generic 1000)) and b = Var (ref (Generic 1001)) in List.fold_left (fun m (k, t) -> Env.add k t m) Env.empty [ ("+", Arrow (int, Arrow (int, int))); ("=", Arrow (a, Arrow (a, bool))); ("fst", Arrow (pair a b, a)); ("snd", Arrow (pair a b, b)); ("hd", Arrow (list a, a)); ("tl", Arrow (list a, list a)); ("isnil", Arrow (list a, bool)) ]
let f x e = Fun (x, e) and ( @@@ ) a b = App (a, b) and v x = Id x
let progs = [ f "x" (v "x"); f "f" (f "g" (f "x" (v "f" @@@ (v "g" @@@ v "x")))); Let ("id", f "x" (v "x"), Pair (v "id" @@@ Int 1, v "id" @@@ Bool true)); f "x" (v "x" @@@ v "x"); f "id" (Pair (v "id" @@@ Int 1, v "id" @@@ Bool true));
  Rec ("map", f "f" (f "l" (If (v "isnil" @@@ v "l", Nil, Cons (v "f" @@@ (v "hd" @@@ v "l"), (v "map" @@@ v "f") @@@ (v "tl" @@@ v "l"))))), v "map"); If (Int 1, Int 2, Int 3); v "zz"; f "x" (Let ("y", v "x", v "y")); f "x" (Let ("y", f "z" (v "x"), Pair (v "y" @@@ Int 1, v "y")));
  Rec ("fold", f "f" (f "a" (f "l" (If (v "isnil" @@@ v "l", v "a", ((v "fold" @@@ v "f") @@@ ((v "f" @@@ v "a") @@@ (v "hd" @@@ v "l"))) @@@ (v "tl" @@@ v "l"))))), Let ("sum", (v "fold" @@@ v "+") @@@ Int 0, Pair (v "sum", v "fold"))); Cons (Int 1, Cons (Bool true, Nil)); Let ("k", f "x" (f "y" (v "x")), Let ("s", f "x" (f "y" (f "z" ((v "x" @@@ v "z") @@@ (v "y" @@@ v "z")))), (v "s" @@@ v "k") @@@ v "k")); f "p" (Pair (v "snd" @@@ v "p", v "fst" @@@ v "p")) ]
let () = List.iteri (fun i e -> level := 0; print_endline (Printf.sprintf "%d: " i ^ (match (incr level; let t = infer env0 e in decr level; gen t) with t -> show t | exception Unify (a, b) -> "cannot unify " ^ show a ^ " with " ^ show b | exception Occurs -> "infinite type" | exception Unbound_id x -> "unbound " ^ x))) progs
