(* Symbolic differentiation and simplification of expressions, with structural comparison. *)

type expr =
  | Const of int
  | Var of string
  | Neg of expr
  | Add of expr * expr
  | Mul of expr * expr
  | Pow of expr * int
  | Sin of expr
  | Cos of expr
  | Exp of expr

let rec diff x = function
  | Const _ -> Const 0
  | Var y -> Const (if String.equal x y then 1 else 0)
  | Neg e -> Neg (diff x e)
  | Add (a, b) -> Add (diff x a, diff x b)
  | Mul (a, b) -> Add (Mul (diff x a, b), Mul (a, diff x b))
  | Pow (e, n) -> Mul (Mul (Const n, Pow (e, n - 1)), diff x e)
  | Sin e -> Mul (Cos e, diff x e)
  | Cos e -> Neg (Mul (Sin e, diff x e))
  | Exp e -> Mul (Exp e, diff x e)

(* A total order: constants first, so that sums and products can be sorted. *)
let rank = function
  | Const _ -> 0 | Var _ -> 1 | Pow _ -> 2 | Sin _ -> 3 | Cos _ -> 4 | Exp _ -> 5
  | Neg _ -> 6 | Add _ -> 7 | Mul _ -> 8

let rec order a b =
  match a, b with
  | Const m, Const n -> Int.compare m n
  | Var x, Var y -> String.compare x y
  | Pow (e, m), Pow (f, n) -> ( match order e f with 0 -> Int.compare m n | c -> c)
  | Sin e, Sin f | Cos e, Cos f | Exp e, Exp f | Neg e, Neg f -> order e f
  | Add (a, b), Add (c, d) | Mul (a, b), Mul (c, d) -> (
    match order a c with 0 -> order b d | c -> c)
  | _ -> Int.compare (rank a) (rank b)

(* The terms of a simplified sum (which has no [Neg]). *)
let rec terms e acc =
  match e with Add (a, b) -> terms a (terms b acc) | Const 0 -> acc | e -> e :: acc

let rec factors e acc = match e with Mul (a, b) -> factors a (factors b acc) | e -> e :: acc

(* The numeric coefficient and the rest of a product. *)
let coefficient factors =
  List.fold_left
    (fun (c, rest) f ->
      match f with
      | Const n -> (c * n, rest)
      | Neg e -> (-c, e :: rest)
      | e -> (c, e :: rest))
    (1, []) factors

let base_power = function Pow (e, n) -> (e, n) | e -> (e, 1)
let power e n = if n = 1 then e else Pow (e, n)

let rec merge_powers = function
  | a :: b :: rest ->
    let ea, na = base_power a and eb, nb = base_power b in
    if order ea eb = 0 then merge_powers (power ea (na + nb) :: rest)
    else a :: merge_powers (b :: rest)
  | short -> short

let by_base a b = order (fst (base_power a)) (fst (base_power b))

let product c = function
  | [] -> Const c
  | f :: rest ->
    let body = List.fold_left (fun acc g -> Mul (acc, g)) f rest in
    if c = 0 then Const 0 else if c = 1 then body else Mul (Const c, body)

let split_coefficient = function
  | Mul (Const c, e) -> (c, e)
  | Const c -> (c, Const 1)
  | e -> (1, e)

let rec merge_terms = function
  | (c, a) :: (d, b) :: rest when order a b = 0 -> merge_terms ((c + d, a) :: rest)
  | (0, _) :: rest -> merge_terms rest
  | t :: rest -> t :: merge_terms rest
  | [] -> []

let rebuild_term (c, e) =
  match e with Const 1 -> Const c | e -> if c = 1 then e else Mul (Const c, e)

let rec simplify e =
  match e with
  | Const _ | Var _ -> e
  | Neg e -> simplify (Mul (Const (-1), e))
  | Sin e -> ( match simplify e with Const 0 -> Const 0 | e -> Sin e)
  | Cos e -> ( match simplify e with Const 0 -> Const 1 | e -> Cos e)
  | Exp e -> ( match simplify e with Const 0 -> Const 1 | e -> Exp e)
  | Pow (_, 0) -> Const 1
  | Pow (e, n) -> (
    match simplify e with
    | Const 0 -> Const 0
    | Const 1 -> Const 1
    | Pow (e, m) -> Pow (e, m * n)
    | e -> power e n)
  | Mul (a, b) ->
    let c, rest = coefficient (factors (simplify a) (factors (simplify b) [])) in
    if c = 0 then Const 0 else product c (merge_powers (List.stable_sort by_base rest))
  | Add (a, b) -> (
    let all = terms (simplify a) (terms (simplify b) []) in
    let weighted = List.map split_coefficient all in
    let sorted = List.stable_sort (fun (_, a) (_, b) -> order a b) weighted in
    match List.map rebuild_term (merge_terms sorted) with
    | [] -> Const 0
    | t :: rest -> List.fold_left (fun acc t -> Add (acc, t)) t rest)

let rec size = function
  | Const _ | Var _ -> 1
  | Neg e | Pow (e, _) | Sin e | Cos e | Exp e -> 1 + size e
  | Add (a, b) | Mul (a, b) -> 1 + size a + size b

let rec eval env = function
  | Const n -> float_of_int n
  | Var x -> env x
  | Neg e -> -.eval env e
  | Add (a, b) -> eval env a +. eval env b
  | Mul (a, b) -> eval env a *. eval env b
  | Pow (e, n) ->
    let base = eval env e in
    let rec go acc n = if n = 0 then acc else go (acc *. base) (n - 1) in
    go 1. n
  | Sin e -> sin (eval env e)
  | Cos e -> cos (eval env e)
  | Exp e -> exp (eval env e)

let rec derivatives x n e = if n = 0 then e else derivatives x (n - 1) (simplify (diff x e))

let () =
  let x = Var "x" and y = Var "y" in
  let samples =
    [ ("wave", Mul (Sin (Mul (x, y)), Exp (Mul (x, y))));
      ("power", Mul (Pow (Add (x, Mul (Const 3, y)), 6), Cos x));
      ("nested", Sin (Add (Pow (x, 2), Cos (Mul (x, y))))) ]
  in
  let env = function "x" -> 0.4 | _ -> 0.7 in
  let report round (name, e) =
    let d = derivatives "x" 8 e in
    let mixed = derivatives "y" 1 (derivatives "x" 6 e) in
    if round = 0 then
      Printf.printf "%s: sizes %d %d, values %.6f %.6f\n" name (size d) (size mixed) (eval env d)
        (eval env mixed)
  in
  for round = 0 to 74 do
    List.iter (report round) samples
  done
