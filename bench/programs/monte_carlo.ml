(* Monte-Carlo estimates (pi, an integral, an Asian option) with a generator of our own. *)

module Rng : sig
  type t

  val make : int -> t
  val uniform : t -> float
  val gaussian : t -> float
end = struct
  type t = { mutable s0 : int; mutable s1 : int; mutable spare : float; mutable has_spare : bool }

  (* xorshift+ on OCaml's 63-bit integers. *)
  let next t =
    let a = t.s0 and b = t.s1 in
    t.s0 <- b;
    let a = a lxor (a lsl 23) in
    t.s1 <- a lxor b lxor (a lsr 18) lxor (b lsr 5);
    t.s1 + b

  let make seed =
    let t = { s0 = seed lxor 0x1234567; s1 = (seed * 0x9E3779B9) + 1; spare = 0.; has_spare = false } in
    for _ = 1 to 20 do ignore (next t) done;
    t

  let uniform t = float_of_int (next t land 0x3fff_ffff_ffff) /. 70368744177664.

  (* Marsaglia's polar method, which gives two values at a time. *)
  let rec gaussian t =
    if t.has_spare then begin
      t.has_spare <- false;
      t.spare
    end
    else
      let u = (2. *. uniform t) -. 1. and v = (2. *. uniform t) -. 1. in
      let s = (u *. u) +. (v *. v) in
      if s >= 1. || s = 0. then gaussian t
      else
        let m = sqrt (-2. *. log s /. s) in
        t.spare <- v *. m;
        t.has_spare <- true;
        u *. m
end

(* Welford's running mean and variance. *)
module Stats = struct
  type t = { mutable n : int; mutable mean : float; mutable m2 : float }

  let create () = { n = 0; mean = 0.; m2 = 0. }

  let add t x =
    t.n <- t.n + 1;
    let delta = x -. t.mean in
    t.mean <- t.mean +. (delta /. float_of_int t.n);
    t.m2 <- t.m2 +. (delta *. (x -. t.mean))

  let std_error t = sqrt (t.m2 /. float_of_int (t.n - 1) /. float_of_int t.n)
end

let sample ~trials draw =
  let stats = Stats.create () in
  for _ = 1 to trials do
    Stats.add stats (draw ())
  done;
  stats

let pi_draw rng () =
  let x = Rng.uniform rng in
  let y = Rng.uniform rng in
  if (x *. x) +. (y *. y) <= 1. then 4. else 0.

let integral rng f ~lo ~hi () =
  let x = lo +. ((hi -. lo) *. Rng.uniform rng) in
  (hi -. lo) *. f x

type option_terms = { spot : float; strike : float; rate : float; volatility : float; years : float }

(* One payoff of an arithmetic-average call along a path of [steps]. *)
let asian_payoff rng terms ~steps () =
  let dt = terms.years /. float_of_int steps in
  let drift = (terms.rate -. (0.5 *. terms.volatility *. terms.volatility)) *. dt in
  let vol = terms.volatility *. sqrt dt in
  let price = ref terms.spot and sum = ref 0. in
  for _ = 1 to steps do
    price := !price *. exp (drift +. (vol *. Rng.gaussian rng));
    sum := !sum +. !price
  done;
  let average = !sum /. float_of_int steps in
  exp (-.terms.rate *. terms.years) *. Float.max 0. (average -. terms.strike)

let report name stats =
  Printf.printf "%s %.6f +- %.6f\n" name stats.Stats.mean (Stats.std_error stats)

let () =
  let rng = Rng.make 2021 in
  report "pi" (sample ~trials:10_000_000 (pi_draw rng));
  let f x = (x *. x) +. (1. /. (1. +. x)) in
  report "integral" (sample ~trials:8_000_000 (integral rng f ~lo:0. ~hi:2.));
  let terms = { spot = 100.; strike = 100.; rate = 0.03; volatility = 0.25; years = 1. } in
  report "asian call" (sample ~trials:80_000 (asian_payoff rng terms ~steps:100))
