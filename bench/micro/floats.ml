(* Floats in arrays of a kind that is not known, in joins, in pairs (D12, E1, E3, E7). *)

let row = Measure.row

let ones = Array.make Measure.n 1.
let twos = Array.make Measure.n 2.

let () =
  row "D12 Array.init with floats" (fun n -> Array.init n (fun i -> float i *. 0.3));
  row "D12 Array.map on floats" (fun _ -> Array.map (fun x -> x *. 2.) ones);
  row ~flambda2:1008 "D12 Array.map2 on floats" (fun _ -> Array.map2 (fun x y -> x +. y) ones twos)

let swap a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x

let floats = Array.init Measure.n (fun i -> float i)

(* Flambda 2 was measured where the stock compiler's program allocated a word more than here: 7. *)
let () =
  row ~flambda2:6 "F1 elements of a generic array swapped, at float" (fun n ->
      for i = 0 to (n / 2) - 1 do
        swap floats i (n - 1 - i)
      done;
      for i = 0 to (n / 2) - 1 do
        swap floats i (n - 1 - i)
      done;
      floats.(0))

let least (a : float) b = if a < b then a else b
let greatest (a : float) b = if a > b then a else b
let values = Array.init Measure.n (fun i -> float ((i * 7919) mod 1000))

let () =
  row ~flambda2:26 "E1 a pair of running minimum and maximum in a reference" (fun n ->
      let r = ref (infinity, neg_infinity) in
      for i = 0 to n - 1 do
        let x = values.(i) in
        let low, high = !r in
        r := (least x low, greatest x high)
      done;
      !r);
  row ~flambda2:48 "E1 an accumulator of a pair of lists" (fun n ->
      let rec split i ((small, large) as both) =
        if i = n then both
        else if i land 255 = 0 then split (i + 1) (i :: small, large)
        else if i land 255 = 128 then split (i + 1) (small, i :: large)
        else split (i + 1) (small, large)
      in
      split 0 ([], []));
  row "E3 a sum of products, converted" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        s := !s + int_of_float (float i *. 0.5)
      done;
      !s);
  row "D9 sqrt of what does not change, behind a branch" (fun n ->
      let x = Sys.opaque_identity 2. and y = Sys.opaque_identity 3. and s = ref 0. in
      for i = 1 to n do
        if i land 1 = 0 then s := !s +. sqrt (x *. y)
      done;
      !s);
  row "D1 C primitives on constants" (fun n ->
      let s = ref 0. in
      for _ = 1 to n do
        s := !s +. sqrt 4. +. (2. ** 3.) +. Int64.to_float 5L +. float (int_of_string "12")
      done;
      !s)

type complex = { re : float; im : float }

let mul a b = { re = (a.re *. b.re) -. (a.im *. b.im); im = (a.re *. b.im) +. (a.im *. b.re) }
let add a b = { re = a.re +. b.re; im = a.im +. b.im }

(* In the manner of a Fourier transform. *)
let rec transform step points from length =
  if length = 1 then [| points.(from) |]
  else begin
    let half = length / 2 in
    let even = transform (2 * step) points from half and odd = transform (2 * step) points (from + step) half in
    let out = Array.make length { re = 0.; im = 0. } in
    for k = 0 to half - 1 do
      let angle = -6.283185307179586 *. float k /. float length in
      let t = mul { re = cos angle; im = sin angle } odd.(k) in
      out.(k) <- add even.(k) t;
      out.(k + half) <- add even.(k) { re = -.t.re; im = -.t.im }
    done;
    out
  end

let points = Array.init 256 (fun i -> { re = float (i land 7); im = 0. })

let () =
  row "complex FFT" (fun _ ->
      let spectrum = transform 1 points 0 256 in
      int_of_float (Array.fold_left (fun s c -> s +. Float.abs c.re) 0. spectrum))
