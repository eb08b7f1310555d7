(* Memoisation with generic hash tables and structural keys: edit distance, partitions, grids, games. *)

(* Open recursion: the function gets itself, memoised. *)
let memo_fix ?(size = 1024) f =
  let table = Hashtbl.create size in
  let rec self x =
    match Hashtbl.find_opt table x with
    | Some y -> y
    | None ->
      let y = f self x in
      Hashtbl.add table x y;
      y
  in
  self

(* An association tree ordered by polymorphic comparison, for small tables. *)
module Assoc = struct
  type ('k, 'v) t = Leaf | Node of ('k, 'v) t * 'k * 'v * ('k, 'v) t

  let rec find_opt k = function
    | Leaf -> None
    | Node (l, k', v, r) ->
      let c = compare k k' in
      if c = 0 then Some v else find_opt k (if c < 0 then l else r)

  let rec add k v = function
    | Leaf -> Node (Leaf, k, v, Leaf)
    | Node (l, k', v', r) ->
      let c = compare k k' in
      if c = 0 then Node (l, k, v, r)
      else if c < 0 then Node (add k v l, k', v', r)
      else Node (l, k', v', add k v r)
end

let memo_tree f =
  let tree = ref Assoc.Leaf in
  let rec self x =
    match Assoc.find_opt x !tree with
    | Some y -> y
    | None ->
      let y = f self x in
      tree := Assoc.add x y !tree;
      y
  in
  self

let edit_distance a b =
  let distance =
    memo_fix (fun self (i, j) ->
        if i = 0 then j
        else if j = 0 then i
        else if a.[i - 1] = b.[j - 1] then self (i - 1, j - 1)
        else 1 + min (self (i - 1, j - 1)) (min (self (i - 1, j)) (self (i, j - 1))))
  in
  distance (String.length a, String.length b)

(* Number of ways to write n as a sum of parts not above k. *)
let partitions =
  memo_fix (fun self (n, k) ->
      if n = 0 then 1
      else if n < 0 || k = 0 then 0
      else (self (n, k - 1) + self (n - k, k)) mod 1_000_000_007)

type cell = { row : int; column : int; keys : int }

(* Paths down a grid with locks that need as many keys as were collected. *)
let paths size =
  let count =
    memo_fix (fun self { row; column; keys } ->
        if row >= size || column >= size then 0
        else
          let mark = (row * 31) + (column * 17) in
          let keys = if mark mod 11 = 0 then min 3 (keys + 1) else keys in
          if mark mod 13 = 5 && keys = 0 then 0
          else if row = size - 1 && column = size - 1 then 1
          else
            (self { row = row + 1; column; keys } + self { row; column = column + 1; keys })
            mod 1_000_000_007)
  in
  count { row = 0; column = 0; keys = 1 }

type player = First | Second

(* A game on piles: take one, two or a third of a pile; who cannot move loses. *)
let winner piles =
  let other = function First -> Second | Second -> First in
  let rec moves before = function
    | [] -> []
    | pile :: rest ->
      let after takes = List.rev_append before ((pile - takes) :: rest) in
      let takes = List.filter (fun t -> t > 0 && t <= pile) (List.sort_uniq compare [ 1; 2; pile / 3 ]) in
      List.map after takes @ moves (pile :: before) rest
  in
  let wins =
    memo_tree (fun self (player, piles) ->
        match moves [] piles with
        | [] -> other player
        | options ->
          let next piles = self (other player, List.sort compare piles) in
          if List.exists (fun piles -> next piles = player) options then player else other player)
  in
  wins (First, List.sort compare piles)

let text seed length =
  String.init length (fun i -> Char.chr (97 + ((i * i * seed) + (i / 3)) mod 5))

let () =
  Printf.printf "edit distance %d\n" (edit_distance (text 3 560) (text 7 600));
  Printf.printf "partitions %d\n" (partitions (660, 660));
  Printf.printf "paths %d\n" (paths 330);
  let show = function First -> "first" | Second -> "second" in
  Printf.printf "winners %s %s\n" (show (winner [ 14; 15; 17 ])) (show (winner [ 6; 12; 21 ]))
