(* A recursive ray tracer over spheres and a plane, with vectors as records of floats. *)

module Vec = struct
  type t = { x : float; y : float; z : float }

  let make x y z = { x; y; z }
  let zero = make 0. 0. 0.
  let add a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }
  let sub a b = { x = a.x -. b.x; y = a.y -. b.y; z = a.z -. b.z }
  let scale k a = { x = k *. a.x; y = k *. a.y; z = k *. a.z }
  let mul a b = { x = a.x *. b.x; y = a.y *. b.y; z = a.z *. b.z }
  let dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
  let length a = sqrt (dot a a)
  let normalise a = scale (1. /. length a) a
  let reflect v n = sub v (scale (2. *. dot v n) n)
end

type ray = { origin : Vec.t; dir : Vec.t }

type material = { colour : Vec.t; diffuse : float; specular : float; mirror : float }

type shape =
  | Sphere of { centre : Vec.t; radius : float }
  | Plane of { normal : Vec.t; offset : float }

type obj = { shape : shape; material : material }
type hit = { distance : float; point : Vec.t; normal : Vec.t; target : obj }

let epsilon = 1e-6
let point_at ray t = Vec.add ray.origin (Vec.scale t ray.dir)

let intersect ray shape =
  match shape with
  | Sphere { centre; radius } ->
    let oc = Vec.sub ray.origin centre in
    let b = Vec.dot oc ray.dir in
    let c = Vec.dot oc oc -. (radius *. radius) in
    let disc = (b *. b) -. c in
    if disc < 0. then None
    else
      let root = sqrt disc in
      let near = -.b -. root and far = -.b +. root in
      if near > epsilon then Some near else if far > epsilon then Some far else None
  | Plane { normal; offset } ->
    let denom = Vec.dot normal ray.dir in
    if abs_float denom < epsilon then None
    else
      let t = (offset -. Vec.dot normal ray.origin) /. denom in
      if t > epsilon then Some t else None

let normal_at shape point =
  match shape with
  | Sphere { centre; _ } -> Vec.normalise (Vec.sub point centre)
  | Plane { normal; _ } -> normal

let closest scene ray =
  let nearer best obj =
    match intersect ray obj.shape, best with
    | Some t, Some (t', _) when t >= t' -> best
    | Some t, _ -> Some (t, obj)
    | None, _ -> best
  in
  match List.fold_left nearer None scene with
  | None -> None
  | Some (distance, target) ->
    let point = point_at ray distance in
    Some { distance; point; normal = normal_at target.shape point; target }

let light = Vec.make 6. 9. (-7.)

let sky dir =
  let t = 0.5 *. (dir.Vec.y +. 1.) in
  Vec.add (Vec.scale (1. -. t) (Vec.make 1. 1. 1.)) (Vec.scale t (Vec.make 0.4 0.6 1.))

let shadowed scene point to_light distance =
  let ray = { origin = point; dir = to_light } in
  List.exists
    (fun obj -> match intersect ray obj.shape with Some t -> t < distance | None -> false)
    scene

let rec trace scene depth ray =
  match closest scene ray with
  | None -> sky ray.dir
  | Some { point; normal; target = { material; _ }; _ } ->
    let delta = Vec.sub light point in
    let distance = Vec.length delta in
    let to_light = Vec.scale (1. /. distance) delta in
    let start = Vec.add point (Vec.scale 1e-4 normal) in
    let direct =
      if shadowed scene start to_light distance then Vec.zero
      else
        let lambert = max 0. (Vec.dot normal to_light) in
        let half = max 0. (Vec.dot (Vec.reflect ray.dir normal) to_light) in
        let shine = material.specular *. (half ** 32.) in
        Vec.add
          (Vec.scale (material.diffuse *. lambert) material.colour)
          (Vec.make shine shine shine)
    in
    let ambient = Vec.scale 0.1 material.colour in
    let reflected =
      if material.mirror <= 0. || depth = 0 then Vec.zero
      else
        let bounced = { origin = start; dir = Vec.reflect ray.dir normal } in
        Vec.scale material.mirror (Vec.mul material.colour (trace scene (depth - 1) bounced))
    in
    Vec.add ambient (Vec.add direct reflected)

let scene =
  let ground =
    { shape = Plane { normal = Vec.make 0. 1. 0.; offset = -1. };
      material = { colour = Vec.make 0.6 0.6 0.5; diffuse = 0.8; specular = 0.; mirror = 0.2 } }
  in
  let ball i =
    let angle = float_of_int i *. 0.7 in
    let radius = 0.4 +. (0.05 *. float_of_int (i mod 5)) in
    let centre = Vec.make (3. *. cos angle) (0.3 *. float_of_int (i mod 3)) (3. +. (2. *. sin angle)) in
    let colour = Vec.make (0.3 +. (0.07 *. float_of_int i)) 0.5 (1. -. (0.07 *. float_of_int i)) in
    { shape = Sphere { centre; radius };
      material = { colour; diffuse = 0.7; specular = 0.5; mirror = 0.3 } }
  in
  ground :: List.init 9 ball

let render width height =
  let sum = ref Vec.zero in
  let lit = ref 0 in
  for j = 0 to height - 1 do
    for i = 0 to width - 1 do
      let x = ((2. *. float_of_int i) -. float_of_int width) /. float_of_int height in
      let y = (float_of_int height -. (2. *. float_of_int j)) /. float_of_int height in
      let ray = { origin = Vec.make 0. 0.5 (-4.); dir = Vec.normalise (Vec.make x y 1.6) } in
      let colour = trace scene 4 ray in
      if colour.x +. colour.y +. colour.z > 1.5 then incr lit;
      sum := Vec.add !sum colour
    done
  done;
  (!sum, !lit)

let () =
  let width = 1600 and height = 1200 in
  let sum, lit = render width height in
  let mean = Vec.scale (1. /. float_of_int (width * height)) sum in
  Printf.printf "mean colour %.6f %.6f %.6f, bright pixels %d\n" mean.x mean.y mean.z lit
