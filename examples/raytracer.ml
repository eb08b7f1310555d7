(* A ray tracer: spheres over a chequered floor, with shadows and reflections, printed in letters.
   Shows floats in records, closures, and functions that return several floats. *)

type vec = { x : float; y : float; z : float }

let vec x y z = { x; y; z }
let ( +| ) a b = vec (a.x +. b.x) (a.y +. b.y) (a.z +. b.z)
let ( -| ) a b = vec (a.x -. b.x) (a.y -. b.y) (a.z -. b.z)
let ( *| ) k a = vec (k *. a.x) (k *. a.y) (k *. a.z)
let dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
let unit a = 1. /. sqrt (dot a a) *| a

type surface = { brightness : vec -> float; mirror : float }
type shape = Sphere of vec * float | Floor of float
type thing = { shape : shape; surface : surface }

(* Where a ray from [origin] meets a shape: the distance, when it is in front. *)
let distance shape origin direction =
  match shape with
  | Sphere (centre, radius) ->
      let v = centre -| origin in
      let b = dot v direction in
      let discriminant = (b *. b) -. dot v v +. (radius *. radius) in
      if discriminant < 0. then None
      else
        let root = sqrt discriminant in
        if b -. root > 1e-6 then Some (b -. root)
        else if b +. root > 1e-6 then Some (b +. root)
        else None
  | Floor height ->
      let d = (height -. origin.y) /. direction.y in
      if d > 1e-6 && d < 1e3 then Some d else None

let normal shape point =
  match shape with
  | Sphere (centre, _) -> unit (point -| centre)
  | Floor _ -> vec 0. 1. 0.

let nearest scene origin direction =
  List.fold_left
    (fun best thing ->
      match (distance thing.shape origin direction, best) with
      | None, _ -> best
      | Some d, Some (d', _) when d' <= d -> best
      | Some d, _ -> Some (d, thing))
    None scene

let light = unit (vec 1. 3. (-2.))

let rec brightness scene depth origin direction =
  match nearest scene origin direction with
  | None -> 0.2 +. (0.3 *. Float.max 0. direction.y)
  | Some (d, { shape; surface }) ->
      let point = origin +| (d *| direction) in
      let normal = normal shape point in
      let facing = dot normal light in
      let lit = facing > 0. && nearest scene point light = None in
      let own = surface.brightness point *. (0.15 +. if lit then 0.85 *. facing else 0.) in
      if depth = 0 || surface.mirror = 0. then own
      else
        let mirrored = direction -| (2. *. dot direction normal *| normal) in
        ((1. -. surface.mirror) *. own)
        +. (surface.mirror *. brightness scene (depth - 1) point mirrored)

let chequered p =
  if (int_of_float (floor p.x) + int_of_float (floor p.z)) land 1 = 0 then 1. else 0.3

let scene =
  let plain brightness mirror = { brightness = (fun _ -> brightness); mirror } in
  { shape = Floor (-1.); surface = { brightness = chequered; mirror = 0.2 } }
  :: List.concat_map
       (fun i ->
         let a = float_of_int i *. 0.9 in
         [ { shape = Sphere (vec (2.2 *. cos a) (0.4 *. sin (2. *. a)) (6. +. (2. *. sin a)), 0.7);
             surface = plain (0.5 +. (0.07 *. float_of_int i)) 0.4 } ])
       [ 0; 1; 2; 3; 4; 5; 6 ]

let samples = 30
let width = 76
let height = 34

let pixel column row =
  let sum = ref 0. in
  for i = 0 to samples - 1 do
    for j = 0 to samples - 1 do
      let part k = (float_of_int k +. 0.5) /. float_of_int samples in
      let x = ((float_of_int column +. part i) /. float_of_int width *. 2.) -. 1. in
      let y = 1. -. ((float_of_int row +. part j) /. float_of_int height *. 2.) in
      sum := !sum +. brightness scene 3 (vec 0. 0.3 0.) (unit (vec (x *. 0.9) (y *. 0.6) 1.3))
    done
  done;
  !sum /. float_of_int (samples * samples)

let () =
  let shades = " .:-=+*#%@" in
  let total = ref 0. in
  for row = 0 to height - 1 do
    print_endline
      (String.init width (fun column ->
           let b = pixel column row in
           total := !total +. b;
           shades.[max 0 (min 9 (int_of_float (b *. 10.)))]))
  done;
  Printf.printf "mean brightness %.6f\n" (!total /. float_of_int (width * height))
