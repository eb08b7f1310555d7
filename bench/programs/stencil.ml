(* Heat diffusion by a five-point stencil over Bigarray.Array2, with sources and a residual. *)

open Bigarray

type grid = (float, float64_elt, c_layout) Array2.t

let create rows columns : grid =
  let g = Array2.create Float64 C_layout rows columns in
  Array2.fill g 0.;
  g

type source = { row : int; column : int; heat : float }

let apply_sources (g : grid) = List.iter (fun { row; column; heat } -> g.{row, column} <- heat)

let hot_edge (g : grid) =
  for j = 0 to Array2.dim2 g - 1 do
    g.{0, j} <- float_of_int (j mod 100)
  done

(* One Jacobi step from [src] into [dst]; gives the largest change. *)
let step ~rate (src : grid) (dst : grid) =
  let change = ref 0. in
  for i = 1 to Array2.dim1 src - 2 do
    for j = 1 to Array2.dim2 src - 2 do
      let here = src.{i, j} in
      let around = src.{i - 1, j} +. src.{i + 1, j} +. src.{i, j - 1} +. src.{i, j + 1} in
      let next = here +. (rate *. (around -. (4. *. here))) in
      let delta = abs_float (next -. here) in
      if delta > !change then change := delta;
      dst.{i, j} <- next
    done
  done;
  !change

(* A Gauss-Seidel sweep in place over every other cell. *)
let red_black_sweep ~omega (g : grid) =
  for parity = 0 to 1 do
    for i = 1 to Array2.dim1 g - 2 do
      let j = ref (1 + ((i + parity) land 1)) in
      while !j <= Array2.dim2 g - 2 do
        let jj = !j in
        let around = g.{i - 1, jj} +. g.{i + 1, jj} +. g.{i, jj - 1} +. g.{i, jj + 1} in
        g.{i, jj} <- ((1. -. omega) *. g.{i, jj}) +. (omega *. 0.25 *. around);
        j := jj + 2
      done
    done
  done

let total (g : grid) =
  let sum = ref 0. in
  for i = 0 to Array2.dim1 g - 1 do
    for j = 0 to Array2.dim2 g - 1 do
      sum := !sum +. g.{i, j}
    done
  done;
  !sum

let sources =
  [ { row = 100; column = 100; heat = 500. };
    { row = 300; column = 200; heat = -200. };
    { row = 200; column = 350; heat = 300. } ]

let diffuse ~steps a b =
  let rec go n src dst change =
    if n = 0 then (src, change)
    else begin
      apply_sources src sources;
      let change = step ~rate:0.2 src dst in
      go (n - 1) dst src change
    end
  in
  go steps a b infinity

let () =
  let size = 400 in
  let a = create size size and b = create size size in
  hot_edge a;
  hot_edge b;
  let last, change = diffuse ~steps:800 a b in
  Printf.printf "jacobi: total %.6f, change %.9f\n" (total last) change;
  for _ = 1 to 270 do
    red_black_sweep ~omega:1.8 last
  done;
  Printf.printf "relaxed: total %.6f, centre %.9f\n" (total last) last.{size / 2, size / 2}
