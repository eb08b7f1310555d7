(* Manual 21.7: what is known of variables is used wherever they are. *)

let pair x y =
  let p = x, y in
  let q = fst p + snd p in
  q * fst p
(* expect pair: no allocation, no block_load *)

type t = { a : int; b : t option }
let nested x =
  let r = { a = x; b = Some { a = x + 1; b = None } } in
  match r.b with
  | Some s -> r.a + s.a
  | None -> 0
(* expect nested: no allocation, no block_load, no branch *)

(* Which functions come to an indirect call. *)
let next x = x + 1
let previous x = x - 1
let indirect x =
  let f = if x > 0 then next else next in
  let r = (f, x) in
  (fst r) (snd r)
(* expect indirect: no call *)

let known_tuple_of_functions x =
  let table = (next, previous) in
  let f, g = table in
  f (g x)
(* expect known_tuple_of_functions: no call, no allocation *)

(* Aliases: of variables, and of symbols. *)
let same x = let y = x in if x == y then 1 else 2
let constant = (1, 2)
let also_constant = constant
let of_symbol () = fst also_constant
(* expect same: returns 1 *)
(* expect of_symbol: returns 1 *)

(* Facts of the branch. *)
let facts x = let y = x land 255 in if y > 10 then (if y > 5 then 1 else 2) else 3
let again o = match o with None -> 0 | Some x -> (match o with None -> 1 | Some y -> x + y)
(* expect facts: 1 branch *)
(* expect again: 1 branch *)
