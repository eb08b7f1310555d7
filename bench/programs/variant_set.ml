(* Sets of variants: by the functor with [compare], and as polymorphic search trees and sorted lists of one's own. *)

type suit = Clubs | Diamonds | Hearts | Spades
type card = Number of suit * int | Face of suit * char | Joker
type state = { held : card list; table : card option; turn : int }

module Cards = Set.Make (struct
  type t = card

  let compare = compare
end)

module States = Set.Make (struct
  type t = state

  let compare = compare
end)

type 'a tree = Empty | Node of 'a tree * 'a * 'a tree

let rec mem x = function
  | Empty -> false
  | Node (l, y, r) ->
      let c = compare x y in
      c = 0 || mem x (if c < 0 then l else r)

let rec add x = function
  | Empty -> Node (Empty, x, Empty)
  | Node (l, y, r) as tree ->
      if x = y then tree else if x < y then Node (add x l, y, r) else Node (l, y, add x r)

let rec cardinal = function Empty -> 0 | Node (l, _, r) -> cardinal l + 1 + cardinal r

let rec union a b =
  match (a, b) with
  | [], l | l, [] -> l
  | x :: xs, y :: ys -> if x = y then x :: union xs ys else if x < y then x :: union xs b else y :: union a ys

let suits = [| Clubs; Diamonds; Hearts; Spades |]

let card i =
  let suit = suits.(i land 3) in
  match i mod 11 with
  | 0 -> Joker
  | 1 | 2 | 3 -> Face (suit, [| 'J'; 'Q'; 'K' |].(i mod 3))
  | k -> Number (suit, k + (i * 7 mod 50))

let state i =
  { held = [ card i; card (i * 3); card (i / 2) ]; table = (if i mod 5 = 0 then None else Some (card (i * 7))); turn = i land 3 }

let run () =
  let out = Buffer.create 100 in
  let cards = ref Cards.empty and tree = ref Empty and found = ref 0 in
  for i = 1 to 100_000 do
    let c = card (i * 7919 mod 3001) in
    if Cards.mem c !cards then incr found else cards := Cards.add c !cards;
    if mem c !tree then incr found else tree := add c !tree
  done;
  Printf.bprintf out "cards %d %d %d\n" (Cards.cardinal !cards) (cardinal !tree) !found;
  let states = ref States.empty in
  for i = 1 to 20_000 do states := States.add (state (i * 31 mod 5003)) !states done;
  Printf.bprintf out "states %d\n" (States.cardinal !states);
  let sorted = ref [] in
  for i = 1 to 400 do sorted := union [ card i; Number (Spades, 100 + (i mod 90)) ] !sorted done;
  Printf.bprintf out "union %d\n" (List.length !sorted);
  Buffer.contents out

let () =
  for _ = 1 to 25 do ignore (Sys.opaque_identity (run ())) done;
  print_string (run ())
