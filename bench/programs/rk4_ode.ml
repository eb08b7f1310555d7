(* Runge-Kutta solver written with higher-order functions: pendulum, Lorenz and van der Pol. *)

(* A vector space, given by its operations: what the solver needs of a state. *)
type 'a space = { add : 'a -> 'a -> 'a; scale : float -> 'a -> 'a }

let euler space f h t y = space.add y (space.scale h (f t y))

let rk4 space f h t y =
  let half = h /. 2. in
  let k1 = f t y in
  let k2 = f (t +. half) (space.add y (space.scale half k1)) in
  let k3 = f (t +. half) (space.add y (space.scale half k2)) in
  let k4 = f (t +. h) (space.add y (space.scale h k3)) in
  let sum = space.add (space.add k1 (space.scale 2. (space.add k2 k3))) k4 in
  space.add y (space.scale (h /. 6.) sum)

(* Repeats a stepper; [observe] folds over the states passed through. *)
let integrate step ~h ~steps ~observe ~init y0 =
  let rec go i t y acc =
    if i = steps then (y, acc) else
      let y = step h t y in
      let t = t +. h in
      go (i + 1) t y (observe acc t y)
  in
  go 0 0. y0 init

module Pair = struct
  type t = float * float

  let space : t space =
    { add = (fun (a, b) (c, d) -> (a +. c, b +. d)); scale = (fun k (a, b) -> (k *. a, k *. b)) }
end

module Triple = struct
  type t = { x : float; y : float; z : float }

  let space =
    { add = (fun a b -> { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z });
      scale = (fun k a -> { x = k *. a.x; y = k *. a.y; z = k *. a.z }) }
end

let pendulum ~damping _t (theta, omega) = (omega, (-9.81 *. sin theta) -. (damping *. omega))

let van_der_pol ~mu _t (x, v) = (v, (mu *. (1. -. (x *. x)) *. v) -. x)

let lorenz ~sigma ~rho ~beta _t { Triple.x; y; z } =
  { Triple.x = sigma *. (y -. x); y = (x *. (rho -. z)) -. y; z = (x *. y) -. (beta *. z) }

let forced ~drive f t (x, v) =
  let dx, dv = f t (x, v) in
  (dx, dv +. drive t)

(* Observers. *)
let maximum project acc _t y = Float.max acc (project y)

let crossings project (count, last) _t y =
  let v = project y in
  ((if last < 0. && v >= 0. then count + 1 else count), v)

let steps = 2_400_000

let () =
  let f = pendulum ~damping:0.05 in
  let (theta, omega), (count, _) =
    integrate (rk4 Pair.space f) ~h:1e-4 ~steps ~observe:(crossings fst) ~init:(0, 0.) (1.0, 0.)
  in
  Printf.printf "pendulum %.9f %.9f, %d swings\n" theta omega count;
  let (e, _), _ =
    integrate (euler Pair.space f) ~h:1e-4 ~steps ~observe:(fun () _ _ -> ()) ~init:() (1.0, 0.)
  in
  Printf.printf "euler differs by %.9f\n" (abs_float (e -. theta));
  let f = lorenz ~sigma:10. ~rho:28. ~beta:(8. /. 3.) in
  let last, top =
    integrate (rk4 Triple.space f) ~h:1e-4 ~steps:(steps * 2)
      ~observe:(maximum (fun s -> s.Triple.z))
      ~init:neg_infinity
      { Triple.x = 1.; y = 1.; z = 1. }
  in
  Printf.printf "lorenz max z %.6f, bounded %b\n" top (abs_float last.Triple.x < 25.);
  let f = forced ~drive:(fun t -> 0.2 *. cos (0.5 *. t)) (van_der_pol ~mu:1.5) in
  let (x, v), amplitude =
    integrate (rk4 Pair.space f) ~h:1e-4 ~steps ~observe:(maximum fst) ~init:0. (0.1, 0.)
  in
  Printf.printf "van der pol %.9f %.9f, amplitude %.9f\n" x v amplitude
