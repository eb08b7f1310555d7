(* Persistent red-black trees with insertion, deletion, folds and set operations. *)

type colour = Red | Black
type 'a tree = Empty | Node of colour * 'a tree * 'a * 'a tree

let rec mem cmp x = function
  | Empty -> false
  | Node (_, l, y, r) ->
    let c = cmp x y in
    if c < 0 then mem cmp x l else if c > 0 then mem cmp x r else true

let blacken = function Node (_, l, x, r) -> Node (Black, l, x, r) | Empty -> Empty
let redden = function Node (_, l, x, r) -> Node (Red, l, x, r) | Empty -> Empty

(* Repairs a red node with a red child under a black one. *)
let balance l x r =
  match l, x, r with
  | Node (Red, a, x, b), y, Node (Red, c, z, d) -> Node (Red, Node (Black, a, x, b), y, Node (Black, c, z, d))
  | Node (Red, Node (Red, a, x, b), y, c), z, d
  | Node (Red, a, x, Node (Red, b, y, c)), z, d
  | a, x, Node (Red, Node (Red, b, y, c), z, d)
  | a, x, Node (Red, b, y, Node (Red, c, z, d)) ->
    Node (Red, Node (Black, a, x, b), y, Node (Black, c, z, d))
  | l, x, r -> Node (Black, l, x, r)

let insert cmp x t =
  let rec go = function
    | Empty -> Node (Red, Empty, x, Empty)
    | Node (colour, l, y, r) as node ->
      let c = cmp x y in
      if c = 0 then node
      else
        let l, r = if c < 0 then (go l, r) else (l, go r) in
        (match colour with Black -> balance l y r | Red -> Node (Red, l, y, r))
  in
  blacken (go t)

(* Rebalance after the left or the right side lost one level of black. *)
let balance_left l x r =
  match l, x, r with
  | Node (Red, a, x, b), y, c -> Node (Red, Node (Black, a, x, b), y, c)
  | l, x, Node (Black, a, y, b) -> balance l x (Node (Red, a, y, b))
  | l, x, Node (Red, Node (Black, a, y, b), z, c) ->
    Node (Red, Node (Black, l, x, a), y, balance b z (redden c))
  | l, x, r -> Node (Black, l, x, r)

let balance_right l x r =
  match l, x, r with
  | a, x, Node (Red, b, y, c) -> Node (Red, a, x, Node (Black, b, y, c))
  | Node (Black, a, x, b), y, r -> balance (Node (Red, a, x, b)) y r
  | Node (Red, a, x, Node (Black, b, y, c)), z, r ->
    Node (Red, balance (redden a) x b, y, Node (Black, c, z, r))
  | l, x, r -> Node (Black, l, x, r)

let rec append a b =
  match a, b with
  | Empty, t | t, Empty -> t
  | Node (Red, a, x, b), Node (Red, c, y, d) -> (
    match append b c with
    | Node (Red, b', z, c') -> Node (Red, Node (Red, a, x, b'), z, Node (Red, c', y, d))
    | bc -> Node (Red, a, x, Node (Red, bc, y, d)))
  | Node (Black, a, x, b), Node (Black, c, y, d) -> (
    match append b c with
    | Node (Red, b', z, c') -> Node (Red, Node (Black, a, x, b'), z, Node (Black, c', y, d))
    | bc -> balance_left a x (Node (Black, bc, y, d)))
  | a, Node (Red, b, x, c) -> Node (Red, append a b, x, c)
  | Node (Red, a, x, b), c -> Node (Red, a, x, append b c)

let remove cmp x t =
  let rec go = function
    | Empty -> Empty
    | Node (_, l, y, r) ->
      let c = cmp x y in
      if c < 0 then
        match l with
        | Node (Black, _, _, _) -> balance_left (go l) y r
        | Empty | Node (Red, _, _, _) -> Node (Red, go l, y, r)
      else if c > 0 then
        match r with
        | Node (Black, _, _, _) -> balance_right l y (go r)
        | Empty | Node (Red, _, _, _) -> Node (Red, l, y, go r)
      else append l r
  in
  blacken (go t)

let rec fold f t acc =
  match t with Empty -> acc | Node (_, l, x, r) -> fold f r (f x (fold f l acc))

let cardinal t = fold (fun _ n -> n + 1) t 0
let union cmp a b = fold (insert cmp) a b
let rec height = function Empty -> 0 | Node (_, l, _, r) -> 1 + max (height l) (height r)

(* Black height, or [None] where the tree breaks a rule. *)
let rec black_height = function
  | Empty -> Some 1
  | Node (Red, Node (Red, _, _, _), _, _) | Node (Red, _, _, Node (Red, _, _, _)) -> None
  | Node (colour, l, _, r) -> (
    match black_height l, black_height r with
    | Some a, Some b when a = b -> Some (if colour = Black then a + 1 else a)
    | _ -> None)

let key i = i * 1103515245 land 0xffffff

let () =
  let cmp = Int.compare in
  let n = 210_000 in
  let full = ref Empty in
  for i = 1 to n do
    full := insert cmp (key i) !full
  done;
  let all = !full in
  let hits = ref 0 in
  for i = 1 to 2 * n do
    if mem cmp (key i) all then incr hits
  done;
  let rest = ref all in
  for i = 1 to n do
    if i mod 3 <> 0 then rest := remove cmp (key i) !rest
  done;
  let rest = !rest in
  let back = union cmp all rest in
  let show name t =
    Printf.printf "%s: %d elements, balanced %b, height below 45 %b\n" name (cardinal t)
      (black_height t <> None) (height t < 45)
  in
  show "all" all;
  show "rest" rest;
  show "back" back;
  Printf.printf "hits %d, sum %d\n" !hits (fold ( + ) rest 0)
