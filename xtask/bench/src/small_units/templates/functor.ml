module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

module Make (O : ORDERED) = struct
  type t = Leaf | Node of t * O.t * t * int

  let empty = Leaf
  let rank = function Leaf -> 0 | Node (_, _, _, n) -> n
  let node l x r = Node (l, x, r, 1 + max (rank l) (rank r))

  let balance l x r =
    match l, r with
    | Node (ll, y, lr, _), _ when rank l > rank r + 1 && rank ll >= rank lr -> node ll y (node lr x r)
    | _, Node (rl, y, rr, _) when rank r > rank l + 1 && rank rr >= rank rl -> node (node l x rl) y rr
    | _ -> node l x r

  let rec add x = function
    | Leaf -> Node (Leaf, x, Leaf, 1)
    | Node (l, y, r, _) as t ->
        let order = O.compare x y in
        if order = 0 then t else if order < 0 then balance (add x l) y r else balance l y (add x r)

  let rec mem x = function
    | Leaf -> false
    | Node (l, y, r, _) ->
        let order = O.compare x y in
        order = 0 || mem x (if order < 0 then l else r)

  let rec fold f t acc = match t with Leaf -> acc | Node (l, x, r, _) -> fold f r (f x (fold f l acc))
  let union a b = fold add a b
  let of_list list = List.fold_left (fun t x -> add x t) empty list
  let length t = fold (fun _ n -> n + 1) t 0
end
