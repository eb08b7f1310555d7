open Sig
module Make (I : ITEM) = struct
  type t = I.t tree
  exception Missing of I.t
  let empty = Leaf
  let rec add x = function Leaf -> Node (Leaf, x, Leaf) | Node (l, y, r) -> (match I.compare x y with 0 -> raise (Duplicate (I.show x)) | c when c < 0 -> Node (add x l, y, r) | _ -> Node (l, y, add x r))
  let find f t = let last = ref None in let rec go = function Leaf -> (match !last with Some x -> raise (Missing x) | None -> raise Not_found) | Node (l, x, r) -> last := Some x; (match f x with 0 -> x | c when c < 0 -> go l | _ -> go r) in go t
  let rec show = function Leaf -> "." | Node (l, x, r) -> "(" ^ show l ^ I.show x ^ show r ^ ")"
  let rec fold f a = function Leaf -> a | Node (l, x, r) -> fold f (f (fold f a l) x) r
end
module Ints = struct module M = Make (struct include Int let show = to_string end) let of_list l = M.show (List.fold_left (fun t x -> try M.add x t with Duplicate _ -> t) M.empty l) end
