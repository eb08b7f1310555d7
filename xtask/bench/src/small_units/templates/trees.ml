type t =
  | Num of int
  | Var of string
  | Add of t * t
  | Mul of t * t
  | If of t * t * t
  | Let of string * t * t

let rec size = function
  | Num _ | Var _ -> 1
  | Add (a, b) | Mul (a, b) -> size a + size b + 1
  | If (a, b, c) -> size a + size b + size c + 1
  | Let (_, a, b) -> size a + size b + 1

let rec simplify t =
  match t with
  | Num _ | Var _ -> t
  | Add (a, b) -> begin
      match simplify a, simplify b with
      | Num x, Num y -> Num (x + y)
      | Num 0, e | e, Num 0 -> e
      | a, b -> Add (a, b)
    end
  | Mul (a, b) -> begin
      match simplify a, simplify b with
      | Num x, Num y -> Num (x * y)
      | (Num 0 as zero), _ | _, (Num 0 as zero) -> zero
      | Num 1, e | e, Num 1 -> e
      | a, b -> Mul (a, b)
    end
  | If (c, a, b) -> (match simplify c with Num 0 -> simplify b | Num _ -> simplify a | c -> If (c, simplify a, simplify b))
  | Let (x, a, b) -> Let (x, simplify a, simplify b)

let rec eval env = function
  | Num n -> n
  | Var x -> (match List.assoc_opt x env with Some n -> n | None -> NUMBER)
  | Add (a, b) -> eval env a + eval env b
  | Mul (a, b) -> eval env a * eval env b
  | If (c, a, b) -> if eval env c <> 0 then eval env a else eval env b
  | Let (x, a, b) -> eval ((x, eval env a) :: env) b

let free t =
  let rec go bound acc = function
    | Num _ -> acc
    | Var x -> if List.mem x bound || List.mem x acc then acc else x :: acc
    | Add (a, b) | Mul (a, b) -> go bound (go bound acc a) b
    | If (a, b, c) -> go bound (go bound (go bound acc a) b) c
    | Let (x, a, b) -> go (x :: bound) (go bound acc a) b
  in
  List.sort String.compare (go [] [] t)
