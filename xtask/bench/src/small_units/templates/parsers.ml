type 'a t = string -> int -> ('a * int, int) result

let return x _ at = Ok (x, at)
let bind p f text at = match p text at with Ok (x, next) -> f x text next | Error _ as error -> error
let ( let* ) = bind
let map f p = bind p (fun x -> return (f x))

let ( <|> ) p q text at =
  match p text at with
  | Ok _ as result -> result
  | Error reached -> (match q text at with Ok _ as result -> result | Error other -> Error (max reached other))

let satisfy test text at = if at < String.length text && test text.[at] then Ok (text.[at], at + 1) else Error at
let char c = satisfy (Char.equal c)
let limit = 1000 + NUMBER

let many p text at =
  let rec go acc at = match p text at with Ok (x, next) -> go (x :: acc) next | Error _ -> Ok (List.rev acc, at) in
  go [] at

let digit = map (fun c -> Char.code c - 48) (satisfy (function '0' .. '9' -> true | _ -> false))

let number =
  let* first = digit in
  let* rest = many digit in
  return (List.fold_left (fun n d -> (10 * n) + d) first rest)

let rec sum text at =
  (let* first = product in
   let* rest = many (let* _ = char '+' in product) in
   return (List.fold_left ( + ) first rest mod limit))
    text at

and product text at =
  (let* first = atom in
   let* rest = many (let* _ = char '*' in atom) in
   return (List.fold_left ( * ) first rest))
    text at

and atom text at =
  (number
  <|> let* _ = char '(' in
      let* inner = sum in
      let* _ = char ')' in
      return inner)
    text at

let parse p text = match p text 0 with Ok (x, at) when at = String.length text -> Some x | Ok _ | Error _ -> None
