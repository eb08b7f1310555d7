(* Three priority queues behind one signature (leftist, pairing, skew), driving a simulation. *)

module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

module type QUEUE = sig
  type elt
  type t

  val name : string
  val empty : t
  val insert : elt -> t -> t
  val merge : t -> t -> t
  val pop : t -> (elt * t) option
end

module Leftist (E : ORDERED) : QUEUE with type elt = E.t = struct
  type elt = E.t
  type t = Leaf | Node of { rank : int; value : elt; left : t; right : t }

  let name = "leftist"
  let empty = Leaf
  let rank = function Leaf -> 0 | Node { rank; _ } -> rank

  let node value a b =
    if rank a >= rank b then Node { rank = rank b + 1; value; left = a; right = b }
    else Node { rank = rank a + 1; value; left = b; right = a }

  let rec merge a b =
    match a, b with
    | Leaf, t | t, Leaf -> t
    | Node x, Node y ->
      if E.compare x.value y.value <= 0 then node x.value x.left (merge x.right b)
      else node y.value y.left (merge a y.right)

  let insert value t = merge (node value Leaf Leaf) t

  let pop = function
    | Leaf -> None
    | Node { value; left; right; _ } -> Some (value, merge left right)
end

module Pairing (E : ORDERED) : QUEUE with type elt = E.t = struct
  type elt = E.t
  type t = Empty | Tree of elt * t list

  let name = "pairing"
  let empty = Empty

  let merge a b =
    match a, b with
    | Empty, t | t, Empty -> t
    | Tree (x, xs), Tree (y, ys) ->
      if E.compare x y <= 0 then Tree (x, b :: xs) else Tree (y, a :: ys)

  let insert value t = merge (Tree (value, [])) t

  let rec merge_pairs = function
    | [] -> Empty
    | [ t ] -> t
    | a :: b :: rest -> merge (merge a b) (merge_pairs rest)

  let pop = function Empty -> None | Tree (x, children) -> Some (x, merge_pairs children)
end

module Skew (E : ORDERED) : QUEUE with type elt = E.t = struct
  type elt = E.t
  type t = Nil | Fork of t * elt * t

  let name = "skew"
  let empty = Nil

  let rec merge a b =
    match a, b with
    | Nil, t | t, Nil -> t
    | Fork (l, x, r), Fork (l', y, r') ->
      if E.compare x y <= 0 then Fork (merge r b, x, l) else Fork (merge r' a, y, l')

  let insert value t = merge (Fork (Nil, value, Nil)) t
  let pop = function Nil -> None | Fork (l, x, r) -> Some (x, merge l r)
end

module Sort (Q : QUEUE) = struct
  let rec drain f acc q =
    match Q.pop q with None -> acc | Some (x, q) -> drain f (f acc x) q

  let fold f init items = drain f init (List.fold_left (fun q x -> Q.insert x q) Q.empty items)
end

(* Customers arrive, wait for one of the servers, and leave. *)
module Event = struct
  type kind = Arrival | Departure of { served : int }
  type t = { time : int; serial : int; kind : kind }

  let compare a b =
    match Int.compare a.time b.time with 0 -> Int.compare a.serial b.serial | c -> c
end

module Simulation (Make_queue : functor (E : ORDERED) -> QUEUE with type elt = E.t) = struct
  module Q = Make_queue (Event)

  type state = {
    agenda : Q.t;
    serial : int;
    seed : int;
    free : int;
    waiting : int;
    longest : int;
    done_ : int;
  }

  let random bound s =
    let seed = ((s.seed * 1103515245) + 12345) land 0x3fffffff in
    (seed lsr 8 mod bound, { s with seed })

  let schedule time kind s =
    let agenda = Q.insert { Event.time; serial = s.serial; kind } s.agenda in
    { s with agenda; serial = s.serial + 1 }

  let start_service now s =
    let span, s = random 380 s in
    schedule (now + 10 + span) (Event.Departure { served = span }) { s with free = s.free - 1 }

  let handle s { Event.time; kind; _ } =
    match kind with
    | Event.Arrival ->
      let gap, s = random 20 s in
      let s = schedule (time + 1 + gap) Event.Arrival s in
      if s.free > 0 then start_service time s
      else
        let waiting = s.waiting + 1 in
        { s with waiting; longest = max s.longest waiting }
    | Event.Departure { served } ->
      let s = { s with free = s.free + 1; done_ = s.done_ + min served 1 } in
      if s.waiting > 0 then start_service time { s with waiting = s.waiting - 1 } else s

  let run ~servers ~steps =
    let init =
      { agenda = Q.empty; serial = 0; seed = 11; free = servers; waiting = 0; longest = 0; done_ = 0 }
    in
    let rec go n s =
      if n = 0 then s
      else
        match Q.pop s.agenda with
        | None -> s
        | Some (event, agenda) -> go (n - 1) (handle { s with agenda } event)
    in
    let s = go steps (schedule 0 Event.Arrival init) in
    Printf.printf "%s: served %d, longest queue %d\n" Q.name s.done_ s.longest

  module Heapsort = Sort (Make_queue (Int))

  let sort items =
    let sum, sorted, _ =
      Heapsort.fold
        (fun (sum, sorted, last) x -> ((sum * 31 + x) land 0xffffff, sorted && last <= x, x))
        (0, true, min_int) items
    in
    Printf.printf "sorted %b, checksum %d\n" sorted sum
end

module Leftist_simulation = Simulation (Leftist)
module Pairing_simulation = Simulation (Pairing)
module Skew_simulation = Simulation (Skew)

let () =
  let items = List.init 100_000 (fun i -> i * 7919 mod 65521) in
  Leftist_simulation.run ~servers:19 ~steps:700_000;
  Leftist_simulation.sort items;
  Pairing_simulation.run ~servers:19 ~steps:700_000;
  Pairing_simulation.sort items;
  Skew_simulation.run ~servers:19 ~steps:700_000;
  Skew_simulation.sort items
