(* A planetary system integrated by symplectic Euler steps over mutable float records. *)

type body = {
  mutable x : float;
  mutable y : float;
  mutable z : float;
  mutable vx : float;
  mutable vy : float;
  mutable vz : float;
  mass : float;
}

let gravity = 4. *. Float.pi *. Float.pi

(* A star of mass 1 at the origin and planets on slightly tilted circular
   orbits; distances in AU, times in years. *)
let planet i =
  let r = 0.5 +. (0.8 *. float_of_int i) in
  let angle = 1.3 *. float_of_int i in
  let speed = sqrt (gravity /. r) in
  { x = r *. cos angle;
    y = r *. sin angle;
    z = 0.02 *. float_of_int (i mod 3);
    vx = -.speed *. sin angle;
    vy = speed *. cos angle;
    vz = 0.01 *. float_of_int (i mod 2);
    mass = 1e-4 *. float_of_int (1 + (i * i mod 7)) }

let star () = { x = 0.; y = 0.; z = 0.; vx = 0.; vy = 0.; vz = 0.; mass = 1. }
let system n = Array.init (n + 1) (fun i -> if i = 0 then star () else planet i)

(* Makes the total momentum zero, so that the system does not drift. *)
let offset_momentum bodies =
  let px, py, pz =
    Array.fold_left
      (fun (px, py, pz) b ->
        (px +. (b.vx *. b.mass), py +. (b.vy *. b.mass), pz +. (b.vz *. b.mass)))
      (0., 0., 0.) bodies
  in
  let s = bodies.(0) in
  s.vx <- s.vx -. (px /. s.mass);
  s.vy <- s.vy -. (py /. s.mass);
  s.vz <- s.vz -. (pz /. s.mass)

let attract dt a b =
  let dx = a.x -. b.x and dy = a.y -. b.y and dz = a.z -. b.z in
  let dist2 = (dx *. dx) +. (dy *. dy) +. (dz *. dz) in
  let mag = gravity *. dt /. (dist2 *. sqrt dist2) in
  let ma = a.mass *. mag and mb = b.mass *. mag in
  a.vx <- a.vx -. (dx *. mb);
  a.vy <- a.vy -. (dy *. mb);
  a.vz <- a.vz -. (dz *. mb);
  b.vx <- b.vx +. (dx *. ma);
  b.vy <- b.vy +. (dy *. ma);
  b.vz <- b.vz +. (dz *. ma)

let drift dt b =
  b.x <- b.x +. (dt *. b.vx);
  b.y <- b.y +. (dt *. b.vy);
  b.z <- b.z +. (dt *. b.vz)

let advance bodies dt =
  let n = Array.length bodies in
  for i = 0 to n - 1 do
    for j = i + 1 to n - 1 do
      attract dt bodies.(i) bodies.(j)
    done
  done;
  Array.iter (drift dt) bodies

let kinetic b = 0.5 *. b.mass *. ((b.vx *. b.vx) +. (b.vy *. b.vy) +. (b.vz *. b.vz))

let energy bodies =
  let total = ref 0. in
  Array.iteri
    (fun i a ->
      total := !total +. kinetic a;
      for j = i + 1 to Array.length bodies - 1 do
        let b = bodies.(j) in
        let dx = a.x -. b.x and dy = a.y -. b.y and dz = a.z -. b.z in
        let dist = sqrt ((dx *. dx) +. (dy *. dy) +. (dz *. dz)) in
        total := !total -. (gravity *. a.mass *. b.mass /. dist)
      done)
    bodies;
  !total

let steps = 6_500_000

let () =
  let bodies = system 5 in
  offset_momentum bodies;
  Printf.printf "energy before %.12f\n" (energy bodies);
  for _ = 1 to steps do
    advance bodies 1e-4
  done;
  Printf.printf "energy after  %.12f\n" (energy bodies);
  Printf.printf "star at %.9f %.9f %.9f\n" bodies.(0).x bodies.(0).y bodies.(0).z
