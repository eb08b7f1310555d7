(* A tree-walking interpreter of a small imperative language with functions, arrays and closures. *)

type binop = Add | Sub | Mul | Div | Mod | Lt | Le | Eq | Ne | And | Or

type expr =
  | Lit of int
  | Bool of bool
  | Local of int
  | Binop of binop * expr * expr
  | Not of expr
  | Index of expr * expr
  | New_array of expr * expr
  | Call of string * expr list

type stmt =
  | Assign of int * expr
  | Store of expr * expr * expr
  | If of expr * stmt * stmt
  | While of expr * stmt
  | Block of stmt list
  | Return of expr
  | Skip

type func = { name : string; params : int; locals : int; body : stmt }

type value = Int of int | Flag of bool | Array of value array | Unit

type outcome = Next | Returned of value

exception Type_error of string

module Names = Map.Make (String)

let int = function Int n -> n | Flag _ | Array _ | Unit -> raise (Type_error "int")
let flag = function Flag b -> b | Int _ | Array _ | Unit -> raise (Type_error "bool")
let array = function Array a -> a | Int _ | Flag _ | Unit -> raise (Type_error "array")

let rec equal a b =
  match a, b with
  | Int x, Int y -> x = y
  | Flag x, Flag y -> x = y
  | Array x, Array y ->
    Array.length x = Array.length y && Array.for_all2 equal x y
  | Unit, Unit -> true
  | (Int _ | Flag _ | Array _ | Unit), _ -> false

let arithmetic op a b =
  match op with
  | Add -> Int (int a + int b)
  | Sub -> Int (int a - int b)
  | Mul -> Int (int a * int b)
  | Div -> Int (int a / int b)
  | Mod -> Int (int a mod int b)
  | Lt -> Flag (int a < int b)
  | Le -> Flag (int a <= int b)
  | Eq -> Flag (equal a b)
  | Ne -> Flag (not (equal a b))
  | And | Or -> assert false

let rec eval funcs frame = function
  | Lit n -> Int n
  | Bool b -> Flag b
  | Local i -> frame.(i)
  | Binop (And, a, b) -> if flag (eval funcs frame a) then eval funcs frame b else Flag false
  | Binop (Or, a, b) -> if flag (eval funcs frame a) then Flag true else eval funcs frame b
  | Binop (op, a, b) ->
    let a = eval funcs frame a in
    let b = eval funcs frame b in
    arithmetic op a b
  | Not e -> Flag (not (flag (eval funcs frame e)))
  | Index (a, i) -> (array (eval funcs frame a)).(int (eval funcs frame i))
  | New_array (n, init) ->
    let n = int (eval funcs frame n) in
    Array (Array.make n (eval funcs frame init))
  | Call (name, args) -> call funcs name (List.map (eval funcs frame) args)

and exec funcs frame = function
  | Assign (i, e) ->
    frame.(i) <- eval funcs frame e;
    Next
  | Store (a, i, e) ->
    let a = array (eval funcs frame a) in
    let i = int (eval funcs frame i) in
    a.(i) <- eval funcs frame e;
    Next
  | If (c, yes, no) -> exec funcs frame (if flag (eval funcs frame c) then yes else no)
  | While (c, body) as loop ->
    if not (flag (eval funcs frame c)) then Next
    else begin
      match exec funcs frame body with
      | Next -> exec funcs frame loop
      | Returned _ as r -> r
    end
  | Block stmts -> exec_all funcs frame stmts
  | Return e -> Returned (eval funcs frame e)
  | Skip -> Next

and exec_all funcs frame = function
  | [] -> Next
  | s :: rest -> (
    match exec funcs frame s with Next -> exec_all funcs frame rest | Returned _ as r -> r)

and call funcs name args =
  let f = Names.find name funcs in
  if List.length args <> f.params then raise (Type_error f.name);
  let frame = Array.make (f.params + f.locals) Unit in
  List.iteri (fun i v -> frame.(i) <- v) args;
  match exec funcs frame f.body with Next -> Unit | Returned v -> v

(* Programs, written with a little syntax. *)
let ( + ) a b = Binop (Add, a, b)
let ( - ) a b = Binop (Sub, a, b)
let ( * ) a b = Binop (Mul, a, b)
let ( % ) a b = Binop (Mod, a, b)
let ( < ) a b = Binop (Lt, a, b)
let ( <= ) a b = Binop (Le, a, b)
let ( == ) a b = Binop (Eq, a, b)
let ( && ) a b = Binop (And, a, b)
let n x = Lit x
let l x = Local x
let incr i = Assign (i, l i + n 1)
let for_ i ~from ~below body = Block [ Assign (i, from); While (l i < below, Block [ body; incr i ]) ]

(* count of primes below local 0; 1: sieve, 2: i, 3: j, 4: count *)
let primes =
  { name = "primes"; params = 1; locals = 4;
    body =
      Block
        [ Assign (1, New_array (l 0, Bool true));
          Assign (4, n 0);
          for_ 2 ~from:(n 2) ~below:(l 0)
            (If
               ( Index (l 1, l 2),
                 Block
                   [ incr 4;
                     Assign (3, l 2 * l 2);
                     While (l 3 < l 0, Block [ Store (l 1, l 3, Bool false); Assign (3, l 3 + l 2) ]) ],
                 Skip ));
          Return (l 4) ] }

let fib =
  { name = "fib"; params = 1; locals = 0;
    body =
      If
        ( l 0 < n 2, Return (l 0),
          Return (Call ("fib", [ l 0 - n 1 ]) + Call ("fib", [ l 0 - n 2 ])) ) }

(* insertion sort of a pseudo-random array; 1: array, 2: i, 3: j, 4: x *)
let sort =
  { name = "sort"; params = 1; locals = 4;
    body =
      Block
        [ Assign (1, New_array (l 0, n 0));
          for_ 2 ~from:(n 0) ~below:(l 0) (Store (l 1, l 2, l 2 * n 7919 % n 1009));
          for_ 2 ~from:(n 1) ~below:(l 0)
            (Block
               [ Assign (4, Index (l 1, l 2));
                 Assign (3, l 2);
                 While
                   ( n 1 <= l 3 && Not (Index (l 1, l 3 - n 1) <= l 4),
                     Block [ Store (l 1, l 3, Index (l 1, l 3 - n 1)); Assign (3, l 3 - n 1) ] );
                 Store (l 1, l 3, l 4) ]);
          Return (Index (l 1, n 10) + (Index (l 1, l 0 - n 1) * n 1000)) ] }

let gcd =
  { name = "gcd"; params = 2; locals = 0;
    body = If (l 1 == n 0, Return (l 0), Return (Call ("gcd", [ l 1; l 0 % l 1 ]))) }

let () =
  let funcs =
    List.fold_left (fun m f -> Names.add f.name f m) Names.empty [ primes; fib; sort; gcd ]
  in
  let show name args = Printf.printf "%s %d\n" name (int (call funcs name (List.map (fun x -> Int x) args))) in
  show "primes" [ 1_200_000 ];
  show "fib" [ 28 ];
  show "sort" [ 2800 ];
  show "gcd" [ 832_040; 514_229 ]
