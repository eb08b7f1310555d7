(* Fast Fourier transform on arrays of Complex.t: spectrum of a signal and a convolution. *)

open Complex

let is_power_of_two n = n > 0 && n land (n - 1) = 0

let bit_reverse bits i =
  let rec go acc i k = if k = 0 then acc else go ((acc lsl 1) lor (i land 1)) (i lsr 1) (k - 1) in
  go 0 i bits

let log2 n =
  let rec go k n = if n <= 1 then k else go (k + 1) (n lsr 1) in
  go 0 n

(* Roots of unity for a transform of size [n]. *)
let roots n =
  Array.init (n / 2) (fun k ->
      let angle = -2. *. Float.pi *. float_of_int k /. float_of_int n in
      { re = cos angle; im = sin angle })

let permuted input =
  let n = Array.length input in
  let bits = log2 n in
  Array.init n (fun i -> input.(bit_reverse bits i))

(* Iterative radix-2 decimation in time; [input] is left alone. *)
let transform roots input =
  let n = Array.length input in
  assert (is_power_of_two n);
  let a = permuted input in
  let half = ref 1 in
  while !half < n do
    let stride = n / (2 * !half) in
    let start = ref 0 in
    while !start < n do
      for k = 0 to !half - 1 do
        let i = !start + k in
        let t = mul roots.(k * stride) a.(i + !half) in
        let u = a.(i) in
        a.(i) <- add u t;
        a.(i + !half) <- sub u t
      done;
      start := !start + (2 * !half)
    done;
    half := 2 * !half
  done;
  a

let inverse roots spectrum =
  let n = float_of_int (Array.length spectrum) in
  let back = transform roots (Array.map conj spectrum) in
  Array.map (fun c -> let c = conj c in { re = c.re /. n; im = c.im /. n }) back

let convolve roots a b =
  let fa = transform roots a and fb = transform roots b in
  inverse roots (Array.map2 mul fa fb)

let signal n =
  Array.init n (fun i ->
      let t = float_of_int i /. float_of_int n in
      let re = sin (2. *. Float.pi *. 50. *. t) +. (0.5 *. cos (2. *. Float.pi *. 120. *. t)) in
      { re; im = 0. })

let kernel n = Array.init n (fun i -> if i < 8 then { re = 0.125; im = 0. } else zero)

let peak spectrum =
  let best = ref 0 in
  for i = 1 to (Array.length spectrum / 2) - 1 do
    if norm2 spectrum.(i) > norm2 spectrum.(!best) then best := i
  done;
  !best

let power a = Array.fold_left (fun acc c -> acc +. norm2 c) 0. a

let size = 32768
let rounds = 22

let () =
  let roots = roots size in
  let smoothing = kernel size in
  let current = ref (signal size) in
  Printf.printf "peak at %d\n" (peak (transform roots !current));
  for _ = 1 to rounds do
    current := convolve roots !current smoothing
  done;
  let c = !current.(1000) in
  Printf.printf "power %.6f, sample %.9f\n" (power !current) c.re
