(* A typed language as a GADT: type checking from raw syntax, optimisation, evaluation and compilation. *)

type _ ty = Int : int ty | Bool : bool ty | Pair : 'a ty * 'b ty -> ('a * 'b) ty

type (_, _) equal = Refl : ('a, 'a) equal

let rec same : type a b. a ty -> b ty -> (a, b) equal option =
 fun a b ->
  match a, b with
  | Int, Int -> Some Refl
  | Bool, Bool -> Some Refl
  | Pair (a, b), Pair (c, d) -> (
    match same a c, same b d with Some Refl, Some Refl -> Some Refl | _ -> None)
  | (Int | Bool | Pair _), _ -> None

(* Typed expressions; the two inputs of a program are [X] and [Y]. *)
type _ expr =
  | X : int expr
  | Y : int expr
  | Const : 'a ty * 'a -> 'a expr
  | Add : int expr * int expr -> int expr
  | Mul : int expr * int expr -> int expr
  | Mod : int expr * int expr -> int expr
  | Less : int expr * int expr -> bool expr
  | And : bool expr * bool expr -> bool expr
  | Not : bool expr -> bool expr
  | If : bool expr * 'a expr * 'a expr -> 'a expr
  | Make : 'a expr * 'b expr -> ('a * 'b) expr
  | First : ('a * 'b) expr -> 'a expr
  | Second : ('a * 'b) expr -> 'b expr

type raw =
  | Raw_x
  | Raw_y
  | Raw_int of int
  | Raw_bool of bool
  | Raw_op of string * raw list

type packed = Packed : 'a ty * 'a expr -> packed

exception Ill_typed of string

let rec check : type a. a ty -> raw -> a expr =
 fun expected raw ->
  let (Packed (ty, e)) = infer raw in
  match same expected ty with Some Refl -> e | None -> raise (Ill_typed "other type expected")

and infer = function
  | Raw_x -> Packed (Int, X)
  | Raw_y -> Packed (Int, Y)
  | Raw_int n -> Packed (Int, Const (Int, n))
  | Raw_bool b -> Packed (Bool, Const (Bool, b))
  | Raw_op ("add", [ a; b ]) -> Packed (Int, Add (check Int a, check Int b))
  | Raw_op ("mul", [ a; b ]) -> Packed (Int, Mul (check Int a, check Int b))
  | Raw_op ("mod", [ a; b ]) -> Packed (Int, Mod (check Int a, check Int b))
  | Raw_op ("less", [ a; b ]) -> Packed (Bool, Less (check Int a, check Int b))
  | Raw_op ("and", [ a; b ]) -> Packed (Bool, And (check Bool a, check Bool b))
  | Raw_op ("not", [ a ]) -> Packed (Bool, Not (check Bool a))
  | Raw_op ("if", [ c; a; b ]) ->
    let (Packed (ty, a)) = infer a in
    Packed (ty, If (check Bool c, a, check ty b))
  | Raw_op ("pair", [ a; b ]) ->
    let (Packed (ta, a)) = infer a in
    let (Packed (tb, b)) = infer b in
    Packed (Pair (ta, tb), Make (a, b))
  | Raw_op ("first", [ p ]) -> (
    match infer p with
    | Packed (Pair (ty, _), p) -> Packed (ty, First p)
    | Packed ((Int | Bool), _) -> raise (Ill_typed "pair expected"))
  | Raw_op ("second", [ p ]) -> (
    match infer p with
    | Packed (Pair (_, ty), p) -> Packed (ty, Second p)
    | Packed ((Int | Bool), _) -> raise (Ill_typed "pair expected"))
  | Raw_op (name, _) -> raise (Ill_typed ("unknown operation " ^ name))

let rec eval : type a. int -> int -> a expr -> a =
 fun x y -> function
  | X -> x
  | Y -> y
  | Const (_, v) -> v
  | Add (a, b) -> eval x y a + eval x y b
  | Mul (a, b) -> eval x y a * eval x y b
  | Mod (a, b) -> eval x y a mod eval x y b
  | Less (a, b) -> eval x y a < eval x y b
  | And (a, b) -> eval x y a && eval x y b
  | Not a -> not (eval x y a)
  | If (c, a, b) -> if eval x y c then eval x y a else eval x y b
  | Make (a, b) ->
    let a = eval x y a in
    (a, eval x y b)
  | First p -> fst (eval x y p)
  | Second p -> snd (eval x y p)

let rec optimise : type a. a expr -> a expr = function
  | X -> X
  | Y -> Y
  | Const _ as e -> e
  | Add (a, b) -> (
    match optimise a, optimise b with
    | Const (_, m), Const (_, n) -> Const (Int, m + n)
    | Const (_, 0), e | e, Const (_, 0) -> e
    | a, b -> Add (a, b))
  | Mul (a, b) -> (
    match optimise a, optimise b with
    | Const (_, m), Const (_, n) -> Const (Int, m * n)
    | Const (_, 1), e | e, Const (_, 1) -> e
    | a, b -> Mul (a, b))
  | Mod (a, b) -> Mod (optimise a, optimise b)
  | Less (a, b) -> Less (optimise a, optimise b)
  | And (a, b) -> (
    match optimise a, optimise b with
    | Const (_, true), e | e, Const (_, true) -> e
    | a, b -> And (a, b))
  | Not a -> ( match optimise a with Not e -> e | e -> Not e)
  | If (c, a, b) -> (
    match optimise c with
    | Const (_, true) -> optimise a
    | Const (_, false) -> optimise b
    | c -> If (c, optimise a, optimise b))
  | Make (a, b) -> Make (optimise a, optimise b)
  | First p -> ( match optimise p with Make (a, _) -> a | p -> First p)
  | Second p -> ( match optimise p with Make (_, b) -> b | p -> Second p)

(* The same to closures. *)
let rec compile : type a. a expr -> int -> int -> a = function
  | X -> fun x _ -> x
  | Y -> fun _ y -> y
  | Const (_, v) -> fun _ _ -> v
  | Add (a, b) -> lift2 ( + ) a b
  | Mul (a, b) -> lift2 ( * ) a b
  | Mod (a, b) -> lift2 ( mod ) a b
  | Less (a, b) -> lift2 (fun (a : int) b -> a < b) a b
  | And (a, b) ->
    let a = compile a and b = compile b in
    fun x y -> a x y && b x y
  | Not a ->
    let a = compile a in
    fun x y -> not (a x y)
  | If (c, a, b) ->
    let c = compile c and a = compile a and b = compile b in
    fun x y -> if c x y then a x y else b x y
  | Make (a, b) -> lift2 (fun a b -> (a, b)) a b
  | First p ->
    let p = compile p in
    fun x y -> fst (p x y)
  | Second p ->
    let p = compile p in
    fun x y -> snd (p x y)

and lift2 : type a b c. (a -> b -> c) -> a expr -> b expr -> int -> int -> c =
 fun f a b ->
  let a = compile a and b = compile b in
  fun x y -> f (a x y) (b x y)

let op name args = Raw_op (name, args)

let rec program depth =
  if depth = 0 then op "mod" [ op "add" [ Raw_x; op "mul" [ Raw_y; Raw_int 3 ] ]; Raw_int 101 ]
  else
    let sub = program (depth - 1) in
    let pair = op "pair" [ sub; op "less" [ Raw_x; Raw_int (depth * 10) ] ] in
    op "if"
      [ op "and" [ Raw_bool true; op "not" [ op "not" [ op "second" [ pair ] ] ] ];
        op "add" [ op "first" [ pair ]; Raw_int 0 ];
        op "mod" [ op "mul" [ sub; Raw_int (depth + 1) ]; Raw_int 10007 ] ]

let () =
  let e = check Int (program 6) in
  let small = optimise e in
  let code = compile e in
  let sum f count =
    let total = ref 0 in
    for i = 1 to count do
      total := (!total + f (i land 127) (i * 7 land 63)) land 0xffffff
    done;
    !total
  in
  let count = 80_000 in
  Printf.printf "evaluated %d\n" (sum (fun x y -> eval x y e) count);
  Printf.printf "optimised %d\n" (sum (fun x y -> eval x y small) count);
  Printf.printf "compiled  %d\n" (sum code count);
  match check Bool (program 2) with
  | _ -> print_endline "typed?"
  | exception Ill_typed message -> print_endline message
