(* flags: -w -a *)
(* A ray tracer: spheres and a plane, shadows, reflection; prints an image in characters and a checksum. *)
type v = { x : float; y : float; z : float }
let vec x y z = { x; y; z }
let add a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }
let sub a b = { x = a.x -. b.x; y = a.y -. b.y; z = a.z -. b.z }
let scale k a = { x = k *. a.x; y = k *. a.y; z = k *. a.z }
let dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
let norm a = scale (1. /. sqrt (dot a a)) a
let reflect d n = sub d (scale (2. *. dot d n) n)
type shape = Sphere of { c : v; r : float } | Plane of { n : v; d : float }
type obj = { shape : shape; color : v; refl : float; pattern : (v -> float) option }
type hit = { t : float; p : v; n : v; o : obj }
let intersect o org dir = match o.shape with
  | Sphere { c; r } ->
    let oc = sub org c in
    let b = dot oc dir in
    let disc = (b *. b) -. dot oc oc +. (r *. r) in
    if disc < 0. then None
    else begin
      let s = sqrt disc in
      let t = if -.b -. s > 1e-4 then -.b -. s else -.b +. s in
      if t > 1e-4 then (let p = add org (scale t dir) in Some { t; p; n = scale (1. /. r) (sub p c); o }) else None
    end
  | Plane { n; d } -> let k = dot n dir in
    if abs_float k < 1e-6 then None else (let t = -.(dot n org +. d) /. k in if t > 1e-4 then Some { t; p = add org (scale t dir); n; o } else None)
let scene = [
  { shape = Sphere { c = vec 0. 0. 5.; r = 1.5 }; color = vec 1. 0.2 0.2; refl = 0.3; pattern = None };
  { shape = Sphere { c = vec (-2.) 0.5 4.; r = 0.8 }; color = vec 0.2 1. 0.2; refl = 0.; pattern = None };
  { shape = Sphere { c = vec 1.6 (-0.8) 3.; r = 0.6 }; color = vec 0.3 0.3 1.; refl = 0.6; pattern = None };
  { shape = Plane { n = vec 0. 1. 0.; d = 1.5 }; color = vec 0.9 0.9 0.9; refl = 0.1; pattern = Some (fun p -> if (truncate (floor p.x) + truncate (floor p.z)) land 1 = 0 then 1. else 0.3) } ]
let light = norm (vec (-1.) 2. (-1.5))
let closest org dir = List.fold_left (fun best o -> match intersect o org dir, best with None, b -> b | Some h, None -> Some h | Some h, Some b -> if h.t < b.t then Some h else best) None scene
let shadow p = List.exists (fun o -> match intersect o p light with Some _ -> true | None -> false) scene
let rays = ref 0
let rec trace depth org dir =
  incr rays;
  match closest org dir with
  | None -> let k = 0.5 *. (dir.y +. 1.) in vec (0.4 *. k) (0.5 *. k) (0.8 *. k)
  | Some h ->
    let diff = if shadow h.p then 0. else max 0. (dot h.n light) in
    let spec = if diff > 0. then (max 0. (dot (reflect dir h.n) light)) ** 20. else 0. in
    let k = match h.o.pattern with Some f -> f h.p | None -> 1. in
    let base = add (scale ((0.15 +. (0.8 *. diff)) *. k) h.o.color) (scale spec (vec 1. 1. 1.)) in
    if h.o.refl > 0. && depth > 0 then add (scale (1. -. h.o.refl) base) (scale h.o.refl (trace (depth - 1) h.p (norm (reflect dir h.n)))) else base
let w = 60 and h = 26
let () =
  let palette = " .,:;i1tfLCG08@" in
  let sum = ref 0 in
  for j = 0 to h - 1 do
    let line = String.init w (fun i ->
      let x = (float i -. (float w /. 2.)) /. 25. and y = ((float h /. 2.) -. float j) /. 12. in
      let c = trace 3 (vec 0. 0. (-2.)) (norm (vec x y 2.)) in
      let l = (0.3 *. c.x) +. (0.59 *. c.y) +. (0.11 *. c.z) in
      sum := (!sum * 31 + truncate (l *. 1000.)) land 0xffffff;
      palette.[max 0 (min 14 (truncate (l *. 15.)))]) in
    print_endline line
  done;
  Printf.printf "%d rays, checksum %d\n" !rays !sum
