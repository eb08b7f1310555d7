(* A graph library parametrised by vertex and weight: Dijkstra, BFS, components, spanning tree. *)

module type VERTEX = sig
  type t

  val compare : t -> t -> int
end

module type WEIGHT = sig
  type t

  val zero : t
  val add : t -> t -> t
  val compare : t -> t -> int
end

module Graph (V : VERTEX) (W : WEIGHT) = struct
  module Vmap = Map.Make (V)
  module Vset = Set.Make (V)

  module Queue_entry = struct
    type t = { priority : W.t; vertex : V.t }

    let compare a b =
      match W.compare a.priority b.priority with 0 -> V.compare a.vertex b.vertex | c -> c
  end

  module Frontier = Set.Make (Queue_entry)

  type edge = { target : V.t; weight : W.t }
  type t = edge list Vmap.t

  let empty : t = Vmap.empty
  let successors (g : t) v = Option.value (Vmap.find_opt v g) ~default:[]

  let add_arc source weight target (g : t) : t =
    Vmap.update source (fun es -> Some ({ target; weight } :: Option.value es ~default:[])) g

  let add_edge a weight b g = add_arc a weight b (add_arc b weight a g)
  let vertices (g : t) = Vmap.fold (fun v _ acc -> v :: acc) g []

  let relax distance (distances, frontier) { target; weight } =
    let candidate = W.add distance weight in
    let insert frontier =
      ( Vmap.add target candidate distances,
        Frontier.add { priority = candidate; vertex = target } frontier )
    in
    match Vmap.find_opt target distances with
    | None -> insert frontier
    | Some old when W.compare candidate old < 0 ->
      insert (Frontier.remove { priority = old; vertex = target } frontier)
    | Some _ -> (distances, frontier)

  let dijkstra g source =
    let rec go distances frontier =
      match Frontier.min_elt_opt frontier with
      | None -> distances
      | Some ({ priority; vertex } as entry) ->
        let frontier = Frontier.remove entry frontier in
        let distances, frontier =
          List.fold_left (relax priority) (distances, frontier) (successors g vertex)
        in
        go distances frontier
    in
    go (Vmap.singleton source W.zero)
      (Frontier.singleton { priority = W.zero; vertex = source })

  let bfs g source ~init ~visit =
    let queue = Queue.create () in
    Queue.add (source, 0) queue;
    let rec go seen acc =
      match Queue.take_opt queue with
      | None -> (seen, acc)
      | Some (v, depth) ->
        let enqueue seen { target; _ } =
          if Vset.mem target seen then seen
          else begin
            Queue.add (target, depth + 1) queue;
            Vset.add target seen
          end
        in
        go (List.fold_left enqueue seen (successors g v)) (visit acc v depth)
    in
    go (Vset.singleton source) init

  let components g =
    let step (count, seen) v =
      if Vset.mem v seen then (count, seen)
      else
        let reached, () = bfs g v ~init:() ~visit:(fun () _ _ -> ()) in
        (count + 1, Vset.union reached seen)
    in
    fst (List.fold_left step (0, Vset.empty) (vertices g))

  (* Prim's algorithm: total weight of a minimal spanning tree. *)
  let spanning_weight g source =
    let push frontier { target; weight } = Frontier.add { priority = weight; vertex = target } frontier in
    let rec go total seen frontier =
      match Frontier.min_elt_opt frontier with
      | None -> total
      | Some ({ priority; vertex } as entry) ->
        let frontier = Frontier.remove entry frontier in
        if Vset.mem vertex seen then go total seen frontier
        else
          go (W.add total priority) (Vset.add vertex seen)
            (List.fold_left push frontier (successors g vertex))
    in
    go W.zero (Vset.singleton source) (List.fold_left push Frontier.empty (successors g source))
end

module Point = struct
  type t = { x : int; y : int }

  let compare a b = match Int.compare a.x b.x with 0 -> Int.compare a.y b.y | c -> c
end

module Grid = Graph (Point) (struct include Int let zero = 0 end)
module Roads = Graph (String) (struct include Float let zero = 0. end)

let noise a b = ((a * 7919) + (b * 104729) + (a * b * 31)) land 0xffff mod 97

let grid size =
  let g = ref Grid.empty in
  for x = 0 to size - 1 do
    for y = 0 to size - 1 do
      let here = { Point.x; y } in
      if x + 1 < size then g := Grid.add_edge here (1 + noise x y) { here with x = x + 1 } !g;
      if y + 1 < size then g := Grid.add_edge here (1 + noise y x) { here with y = y + 1 } !g
    done
  done;
  !g

let roads towns =
  let name i = Printf.sprintf "town%03d" i in
  let rec go g i =
    if i = towns then g
    else
      let length j = 1. +. (float_of_int (noise i j) /. 7.) in
      let a = (i * 17 + 5) mod towns and b = (i * i) mod towns in
      let g = Roads.add_edge (name i) (length a) (name a) g in
      go (Roads.add_edge (name i) (length b) (name b) g) (i + 1)
  in
  go Roads.empty 0

let () =
  let size = 210 in
  let g = grid size in
  let corner = { Point.x = 0; y = 0 } in
  let distances = Grid.dijkstra g corner in
  let furthest = Grid.Vmap.fold (fun _ d acc -> max d acc) distances 0 in
  let _, depth = Grid.bfs g corner ~init:0 ~visit:(fun acc _ d -> max acc d) in
  Printf.printf "grid: furthest %d, depth %d, tree %d, components %d\n" furthest depth
    (Grid.spanning_weight g corner) (Grid.components g);
  let r = roads 900 in
  let sum = ref 0. in
  for i = 0 to 59 do
    let d = Roads.dijkstra r (Printf.sprintf "town%03d" (i * 15)) in
    sum := Roads.Vmap.fold (fun _ -> Float.add) d !sum
  done;
  Printf.printf "roads: sum %.3f, tree %.3f, components %d\n" !sum
    (Roads.spanning_weight r "town000") (Roads.components r)
