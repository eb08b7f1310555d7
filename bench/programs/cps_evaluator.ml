(* A continuation-passing evaluator of a lambda calculus with call/cc and mutable cells. *)

type expr =
  | Int of int
  | Var of string
  | Lam of string * expr
  | App of expr * expr
  | Prim of prim * expr * expr
  | If of expr * expr * expr
  | Fix of string * string * expr
  | Callcc of string * expr
  | Try of expr * string * expr
  | Throw of expr

and prim = Add | Sub | Mul | Less | Equal | Mod

type value =
  | Num of int
  | Closure of (value -> handler -> (value -> answer) -> answer)

and handler = value -> answer
and answer = Done of value | Uncaught of value

exception Stuck of string

(* Compile time: names become positions, and each node becomes one closure. *)
type env = value list
type code = env -> handler -> (value -> answer) -> answer

let rec position name = function
  | [] -> raise (Stuck ("unbound " ^ name))
  | n :: rest -> if String.equal n name then 0 else 1 + position name rest

let rec lookup env i =
  match env with
  | [] -> raise (Stuck "environment")
  | v :: rest -> if i = 0 then v else lookup rest (i - 1)

let number = function Num n -> n | Closure _ -> raise (Stuck "number expected")
let of_bool b = Num (if b then 1 else 0)

let apply_prim prim a b =
  let a = number a and b = number b in
  match prim with
  | Add -> Num (a + b)
  | Sub -> Num (a - b)
  | Mul -> Num (a * b)
  | Less -> of_bool (a < b)
  | Equal -> of_bool (a = b)
  | Mod -> Num (a mod b)

let rec compile names expr : code =
  match expr with
  | Int n ->
    let v = Num n in
    fun _ _ k -> k v
  | Var name ->
    let i = position name names in
    fun env _ k -> k (lookup env i)
  | Lam (x, body) ->
    let body = compile (x :: names) body in
    fun env _ k -> k (Closure (fun v h k -> body (v :: env) h k))
  | Fix (f, x, body) ->
    let body = compile (x :: f :: names) body in
    fun env _ k ->
      let rec self = Closure (fun v h k -> body (v :: self :: env) h k) in
      k self
  | App (f, a) ->
    let f = compile names f and a = compile names a in
    fun env h k ->
      f env h (fun f ->
          a env h (fun a ->
              match f with Closure code -> code a h k | Num _ -> raise (Stuck "function expected")))
  | Prim (p, a, b) ->
    let a = compile names a and b = compile names b in
    fun env h k -> a env h (fun a -> b env h (fun b -> k (apply_prim p a b)))
  | If (c, yes, no) ->
    let c = compile names c and yes = compile names yes and no = compile names no in
    fun env h k -> c env h (fun c -> if number c <> 0 then yes env h k else no env h k)
  | Callcc (name, body) ->
    let body = compile (name :: names) body in
    fun env h k -> body (Closure (fun v _ _ -> k v) :: env) h k
  | Try (body, name, handler) ->
    let body = compile names body and handler = compile (name :: names) handler in
    fun env h k -> body env (fun v -> handler (v :: env) h k) k
  | Throw e ->
    let e = compile names e in
    fun env h _ -> e env h h

let run expr =
  match compile [] expr [] (fun v -> Uncaught v) (fun v -> Done v) with
  | Done v -> Printf.sprintf "%d" (number v)
  | Uncaught v -> Printf.sprintf "uncaught %d" (number v)

let ( + ) a b = Prim (Add, a, b)
let ( - ) a b = Prim (Sub, a, b)
let ( < ) a b = Prim (Less, a, b)
let ( = ) a b = Prim (Equal, a, b)
let ( % ) a b = Prim (Mod, a, b)
let ( * ) a b = Prim (Mul, a, b)
let v name = Var name
let call f args = List.fold_left (fun f a -> App (f, a)) f args
let let_ name value body = App (Lam (name, body), value)

let fib n =
  let_ "fib"
    (Fix ("fib", "n", If (v "n" < Int 2, v "n", App (v "fib", v "n" - Int 1) + App (v "fib", v "n" - Int 2))))
    (App (v "fib", Int n))

(* The least divisor of n, jumping out of a loop through a continuation. *)
let least_divisor n =
  Callcc
    ( "return",
      call
        (Fix
           ( "loop", "d",
             If (v "n" % v "d" = Int 0, App (v "return", v "d"), App (v "loop", v "d" + Int 1)) ))
        [ Int 2 ]
      * Int 0 )
  |> let_ "n" (Int n)

(* Throws on every seventh element and adds up what the handlers give. *)
let throwing n =
  call
    (Fix
       ( "loop", "i",
         If
           ( v "i" = Int 0, Int 0,
             Try (If (v "i" % Int 7 = Int 0, Throw (v "i"), Int 1), "e", v "e" * Int 2)
             + App (v "loop", v "i" - Int 1) ) ))
    [ Int n ]

let () =
  Printf.printf "fib %s\n" (run (fib 32));
  Printf.printf "divisor %s\n" (run (least_divisor 4_999_999));
  Printf.printf "throwing %s\n" (run (throwing 1_000_000));
  Printf.printf "%s\n" (run (Int 1 + Throw (Int 42)))
