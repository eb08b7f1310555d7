(* Interpreters: instructions in arrays, names in association lists, closures in environments, types of their own (S6, S8). *)

let row = Measure.row

(* An environment interpreter. *)
type expr =
  | Num of int
  | Var of string
  | Bin of op * expr * expr
  | If of expr * expr * expr
  | Fun of string * expr
  | App of expr * expr
  | Let of string * expr * expr

and op = Add | Sub | Mul | Less

type value = Int of int | Closure of string * expr * env
and env = (string * value) list

exception Type_error of string

let int = function Int n -> n | Closure _ -> raise (Type_error "integer")

let rec eval env = function
  | Num n -> Int n
  | Var x -> ( try List.assoc x env with Not_found -> raise (Type_error x))
  | Bin (op, a, b) -> (
      let a = int (eval env a) in
      let b = int (eval env b) in
      match op with
      | Add -> Int (a + b)
      | Sub -> Int (a - b)
      | Mul -> Int (a * b)
      | Less -> Int (if a < b then 1 else 0))
  | If (c, a, b) -> if int (eval env c) <> 0 then eval env a else eval env b
  | Fun (x, e) -> Closure (x, e, env)
  | App (f, a) -> (
      match eval env f with
      | Closure (x, e, env') -> eval ((x, eval env a) :: env') e
      | Int _ -> raise (Type_error "function"))
  | Let (x, e, body) -> eval ((x, eval env e) :: env) body

let program =
  Let
    ( "twice",
      Fun ("f", Fun ("x", App (Var "f", App (Var "f", Var "x")))),
      Let
        ( "inc",
          Fun ("n", If (Bin (Less, Var "n", Num 100), Bin (Add, Var "n", Var "k"), Bin (Sub, Var "n", Num 7))),
          App (App (Var "twice", App (Var "twice", Var "inc")), Bin (Mul, Var "k", Num 3)) ) )

(* A machine: instructions are variants in an array, the stack is a list, variables are names. *)
type instruction =
  | Push of int
  | Load of string
  | Store of string
  | Apply of op
  | Jump of int
  | Branch of int
  | Halt

let code =
  [|
    Push 0; Store "sum"; Push 0; Store "i"; Load "i"; Load "n"; Apply Less; Branch 17; Load "sum"; Load "i"; Apply Add;
    Store "sum"; Load "i"; Push 1; Apply Add; Store "i"; Jump 4; Halt;
  |]

let rec assign x v = function [] -> [ (x, v) ] | (y, _) :: l when y = x -> (x, v) :: l | b :: l -> b :: assign x v l

let run n =
  let rec step pc stack vars =
    match (code.(pc), stack) with
    | Push k, _ -> step (pc + 1) (k :: stack) vars
    | Load x, _ -> step (pc + 1) (List.assoc x vars :: stack) vars
    | Store x, v :: stack -> step (pc + 1) stack (assign x v vars)
    | Apply op, b :: a :: stack ->
        let r = match op with Add -> a + b | Sub -> a - b | Mul -> a * b | Less -> if a < b then 1 else 0 in
        step (pc + 1) (r :: stack) vars
    | Jump to_, _ -> step to_ stack vars
    | Branch to_, c :: stack -> step (if c = 0 then to_ else pc + 1) stack vars
    | Halt, _ -> List.assoc "sum" vars
    | (Store _ | Apply _ | Branch _), _ -> failwith "stack"
  in
  step 0 [] [ ("n", n) ]

(* A stack machine on arrays. *)
let machine n =
  let stack = Array.make 16 0 and locals = Array.make 4 0 in
  let sp = ref 0 and pc = ref 0 and running = ref true in
  locals.(0) <- n;
  while !running do
    (match code.(!pc) with
    | Push k -> stack.(!sp) <- k; incr sp
    | Load "n" -> stack.(!sp) <- locals.(0); incr sp
    | Load "i" -> stack.(!sp) <- locals.(1); incr sp
    | Load _ -> stack.(!sp) <- locals.(2); incr sp
    | Store "i" -> decr sp; locals.(1) <- stack.(!sp)
    | Store _ -> decr sp; locals.(2) <- stack.(!sp)
    | Apply op ->
        let b = stack.(!sp - 1) and a = stack.(!sp - 2) in
        sp := !sp - 1;
        stack.(!sp - 1) <- (match op with Add -> a + b | Sub -> a - b | Mul -> a * b | Less -> if a < b then 1 else 0)
    | Jump to_ -> pc := to_ - 1
    | Branch to_ -> decr sp; if stack.(!sp) = 0 then pc := to_ - 1
    | Halt -> running := false);
    incr pc
  done;
  locals.(2)

(* The evaluator of a GADT: some arms need what a closure has captured. *)
type _ term =
  | Lit : int -> int term
  | Bool : bool -> bool term
  | Arg : int term
  | Plus : int term * int term -> int term
  | Minus : int term * int term -> int term
  | Times : int term * int term -> int term
  | Neg : int term -> int term
  | Lt : int term * int term -> bool term
  | Eq : int term * int term -> bool term
  | Not : bool term -> bool term
  | And : bool term * bool term -> bool term
  | Cond : bool term * 'a term * 'a term -> 'a term
  | Pair : 'a term * 'b term -> ('a * 'b) term
  | First : ('a * 'b) term -> 'a term

let evaluate : type a. (int -> int) -> int -> a term -> a =
 fun cost x ->
  let rec go : type a. a term -> a = function
    | Lit n -> n
    | Bool b -> b
    | Arg -> x
    | Plus (a, b) -> cost (go a) + go b
    | Minus (a, b) -> cost (go a) - go b
    | Times (a, b) -> cost (go a) * go b
    | Neg a -> -cost (go a)
    | Lt (a, b) -> go a < go b
    | Eq (a, b) -> cost (go a) = go b
    | Not b -> not (go b)
    | And (a, b) -> go a && go b
    | Cond (c, a, b) -> if go c then go a else go b
    | Pair (a, b) ->
        let x = go a in
        let y = go b in
        (x, y)
    | First p -> fst (go p)
  in
  fun t -> go t

let term =
  Cond
    ( And (Lt (Arg, Lit 500), Not (Eq (Arg, Lit 7))),
      Plus (Times (Arg, Lit 3), Neg (Minus (Arg, First (Pair (Plus (Arg, Lit 1), Bool true))))),
      Minus (Times (Lit 5, Arg), Plus (Arg, Lit 9)) )

let cost = Sys.opaque_identity (fun x -> x land 0xffff)

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

let () =
  row "S6 environment interpreter" (repeat (fun i -> int (eval [ ("k", Int i) ] program)));
  row "S6 machine on lists and names" (fun n -> run (n / 10));
  row "stack machine on arrays" machine;
  row "S8 GADT evaluator" (repeat (fun i -> evaluate cost i term))

(* Completion in the manner of Knuth and Bendix: terms, substitutions, matching, rewriting. *)
type tree = V of int | T of string * tree list

let rec substitute s = function
  | V n as v -> ( try List.assoc n s with Not_found -> v)
  | T (f, l) -> T (f, List.map (substitute s) l)

exception No_match

let matching pattern t =
  let rec go s = function
    | V n, t -> if List.mem_assoc n s then if List.assoc n s = t then s else raise No_match else (n, t) :: s
    | T (f, l), T (g, m) -> if f = g then List.fold_left go s (List.combine l m) else raise No_match
    | T _, V _ -> raise No_match
  in
  go [] (pattern, t)

let rec rewrite rules = function
  | V _ as v -> v
  | T (f, l) -> (
      let t = T (f, List.map (rewrite rules) l) in
      let rec first = function
        | [] -> t
        | (left, right) :: rest -> (
            match matching left t with s -> rewrite rules (substitute s right) | exception No_match -> first rest)
      in
      first rules)

let rec unify a b =
  match (a, b) with
  | V n, V m when n = m -> []
  | V n, t | t, V n -> [ (n, t) ]
  | T (f, l), T (g, m) ->
      if f <> g then raise No_match
      else List.fold_left2 (fun s a b -> unify (substitute s a) (substitute s b) @ s) [] l m

let mult a b = T ("*", [ a; b ])
let inv a = T ("i", [ a ])
let one = T ("1", [])
let rules = [ (mult one (V 0), V 0); (mult (inv (V 0)) (V 0), one); (mult (mult (V 0) (V 1)) (V 2), mult (V 0) (mult (V 1) (V 2))) ]

let rec build n = if n = 0 then T ("a", []) else if n land 1 = 0 then mult (build (n - 1)) one else mult (inv (build (n / 2))) (build (n / 2))
let rec size = function V _ -> 1 | T (_, l) -> List.fold_left (fun s t -> s + size t) 1 l

let () =
  row "S6 Knuth-Bendix completion" (fun n ->
      let s = ref 0 in
      for i = 1 to n / 100 do
        let t = rewrite rules (build (9 + (i land 3))) in
        s := !s + size t + List.length (unify (mult (V 0) (V 1)) (mult t one))
      done;
      !s)

(* An interpreter that makes closures of its program: functions are records, names are looked up in lists. *)
type data = I of int | F of data func | L of data list
and 'a func = { name : string; call : 'a -> 'a }

type source =
  | Number of int
  | Name of string
  | Lambda of string * source
  | Call of source * source
  | Arith of char * source * source
  | Several of source list
  | Each of source * source
  | Sum of source

let rec closure e : (string * data) list -> data =
  match e with
  | Number n ->
      let v = I n in
      fun _ -> v
  | Name x -> fun env -> List.assoc x env
  | Lambda (x, b) ->
      let b = closure b in
      fun env -> F { name = x; call = (fun v -> b ((x, v) :: env)) }
  | Call (f, a) -> (
      let f = closure f and a = closure a in
      fun env -> match f env with F f -> f.call (a env) | _ -> failwith "function")
  | Arith (c, a, b) -> (
      let a = closure a and b = closure b in
      let op = match c with '+' -> ( + ) | '-' -> ( - ) | _ -> ( * ) in
      fun env -> match (a env, b env) with I a, I b -> I (op a b) | _ -> failwith "integer")
  | Several l ->
      let l = List.map closure l in
      fun env -> L (List.map (fun c -> c env) l)
  | Each (f, l) -> (
      let f = closure f and l = closure l in
      fun env -> match (f env, l env) with F f, L l -> L (List.map f.call l) | _ -> failwith "list")
  | Sum l -> (
      let l = closure l in
      let add a b = match (a, b) with I a, I b -> I (a + b) | _ -> failwith "integer" in
      fun env -> match l env with L l -> List.fold_left add (I 0) l | _ -> failwith "list")

let closures =
  let inner = Call (Lambda ("y", Arith ('*', Name "y", Number 3)), Name "k") in
  closure
    (Sum
       (Each
          ( Lambda ("x", Arith ('+', Name "x", inner)),
            Several [ Number 1; Name "k"; Arith ('-', Name "k", Number 4) ] )))

(* A machine whose instructions are variants with functions in them, and whose procedures have names. *)
type registers = { mutable acc : int; values : int array }

type step =
  | Set of int * int
  | Plus_both of int * int
  | Jump_if of int * (registers -> bool)
  | Do of (registers -> unit)
  | Procedure of string
  | Stop

let procedures = [ ("inc", fun r -> r.acc <- r.acc + 1); ("double", fun r -> r.acc <- r.acc * 2) ]

let steps =
  [|
    Set (0, 1); Procedure "inc"; Plus_both (0, 1); Do (fun r -> r.values.(1) <- r.acc); Procedure "double";
    Jump_if (1, fun r -> r.acc < 1000); Stop;
  |]

let run_steps n =
  let r = { acc = n; values = Array.make 4 n } in
  let rec go pc =
    match steps.(pc) with
    | Set (i, v) -> r.values.(i) <- v; go (pc + 1)
    | Plus_both (i, j) -> r.acc <- r.acc + r.values.(i) + r.values.(j); go (pc + 1)
    | Jump_if (target, c) -> if c r then go target else go (pc + 1)
    | Do f -> f r; go (pc + 1)
    | Procedure name -> (List.assoc name procedures) r; go (pc + 1)
    | Stop -> r.acc
  in
  go 0

let () =
  row "S6 interpreter of closures" (repeat (fun i -> match closures [ ("k", I i) ] with I n -> n | _ -> 0));
  row "S6 machine with functions in its instructions" (repeat run_steps)
