(* Mutually recursive functions that call each other with other functions: no number of copies is enough for them. *)

let rec m1 f n = if n <= 0 then 0 else f n + m2 f (n - 1)
and m2 f n = if n <= 0 then 1 else f (n + 1) * m1 f (n - 2)

(* Each call wraps the function once more. *)
let rec grow f n = if n <= 0 then f 0 else f n + shrink (fun x -> f (x + 1)) (n - 1)
and shrink f n = if n <= 0 then 1 else grow (fun x -> f x land 255) (n - 2)

(* A fold over a tree in three functions, which take what they do from their callers. *)
type tree = Leaf of int | Node of tree list | Pair of tree * tree

let rec fold leaf node acc = function
  | Leaf x -> leaf acc x
  | Node l -> node (fold_list leaf node acc l) (List.length l)
  | Pair (a, b) -> fold_pair leaf node acc a b

and fold_list leaf node acc = function [] -> acc | t :: l -> fold_list leaf node (fold leaf node acc t) l
and fold_pair leaf node acc a b = fold (fun acc x -> leaf acc (x + 1)) node (fold leaf node acc a) b
