type kind = Plain | Weighted of float | Tagged of { tag : string; level : int }
type t = { name : string; mutable count : int; kind : kind }

exception Empty of string

let base = NUMBER
let make ?(kind = Plain) name count = { name; count = count + base; kind }

let weight t =
  match t.kind with
  | Plain -> float_of_int t.count
  | Weighted w -> w *. float_of_int t.count
  | Tagged { level; tag = _ } -> float_of_int (level * t.count)

let scale k t =
  let kind = match t.kind with Weighted w -> Weighted (w /. 2.) | Tagged r -> Tagged { r with level = r.level + k } | Plain -> Plain in
  { t with count = t.count * k; kind }

let rec sum acc = function
  | [] -> acc
  | { count; kind = Plain; _ } :: rest -> sum (acc + count) rest
  | t :: rest -> sum (acc + int_of_float (weight t)) rest

let total list = sum 0 list

let heaviest = function
  | [] -> raise (Empty "records NUMBER")
  | first :: rest -> List.fold_left (fun best t -> if weight t > weight best then t else best) first rest

let pp_kind formatter = function
  | Plain -> Format.pp_print_string formatter "plain"
  | Weighted w -> Format.fprintf formatter "weighted %g" w
  | Tagged { tag; level } -> Format.fprintf formatter "%s at %d" tag level

let pp formatter { name; count; kind } =
  Format.fprintf formatter "@[<2>%s:@ %d,@ %a@]" name count pp_kind kind
