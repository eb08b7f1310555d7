(* Lloyd's k-means over points given as records of floats, with generic folds and minima. *)

type point = { x : float; y : float; z : float }

let origin = { x = 0.; y = 0.; z = 0. }
let ( +| ) a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }
let ( *| ) k a = { x = k *. a.x; y = k *. a.y; z = k *. a.z }

let distance2 a b =
  let dx = a.x -. b.x and dy = a.y -. b.y and dz = a.z -. b.z in
  (dx *. dx) +. (dy *. dy) +. (dz *. dz)

module Cluster = struct
  type t = { mutable total : point; mutable count : int; mutable inertia : float }

  let empty () = { total = origin; count = 0; inertia = 0. }

  let absorb t p d =
    t.total <- t.total +| p;
    t.count <- t.count + 1;
    t.inertia <- t.inertia +. d

  let centre ~default t = if t.count = 0 then default else (1. /. float_of_int t.count) *| t.total
end

(* Index and value of the element with the least [cost]. *)
let argmin cost items =
  let best = ref 0 and least = ref (cost items.(0)) in
  for i = 1 to Array.length items - 1 do
    let c = cost items.(i) in
    if c < !least then begin
      best := i;
      least := c
    end
  done;
  (!best, !least)

let assign centres points =
  let clusters = Array.map (fun _ -> Cluster.empty ()) centres in
  Array.iter
    (fun p ->
      let i, d = argmin (distance2 p) centres in
      Cluster.absorb clusters.(i) p d)
    points;
  clusters

let inertia clusters = Array.fold_left (fun acc c -> acc +. c.Cluster.inertia) 0. clusters

let rec iterate ~limit ~tolerance rounds centres points =
  let clusters = assign centres points in
  let next = Array.map2 (fun default c -> Cluster.centre ~default c) centres clusters in
  let moved =
    Array.fold_left Float.max 0. (Array.map2 distance2 centres next)
  in
  if rounds >= limit || moved < tolerance then (next, clusters, rounds)
  else iterate ~limit ~tolerance (rounds + 1) next points

module Rng = struct
  type t = { mutable state : int }

  let make seed = { state = seed }

  let uniform t =
    t.state <- ((t.state * 25214903917) + 11) land 0xffff_ffff_ffff;
    float_of_int (t.state lsr 16) /. 4294967296.

  let bell t = uniform t +. uniform t +. uniform t +. uniform t -. 2.
end

let blobs rng ~k ~per_blob =
  let centres =
    Array.init k (fun _ ->
        { x = 20. *. Rng.uniform rng; y = 20. *. Rng.uniform rng; z = 20. *. Rng.uniform rng })
  in
  Array.init (k * per_blob) (fun i ->
      let c = centres.(i mod k) in
      c +| { x = Rng.bell rng; y = Rng.bell rng; z = Rng.bell rng })

let () =
  let rng = Rng.make 42 in
  let k = 24 in
  let points = blobs rng ~k ~per_blob:700 in
  let total_rounds = ref 0 and best = ref infinity and largest = ref 0 in
  for start = 1 to 4 do
    let centres = Array.init k (fun i -> points.((i * 997 * start) mod Array.length points)) in
    let _, clusters, rounds = iterate ~limit:40 ~tolerance:1e-9 1 centres points in
    total_rounds := !total_rounds + rounds;
    let cost = inertia clusters in
    if cost < !best then begin
      best := cost;
      largest := Array.fold_left (fun m c -> max m c.Cluster.count) 0 clusters
    end
  done;
  Printf.printf "best inertia %.6f, largest cluster %d, rounds %d\n" !best !largest !total_rounds
