(* LU decomposition with partial pivoting on float array array; solves, inverts, determinants. *)

exception Singular

type lu = { factors : float array array; pivots : int array; sign : float }

let dim a = Array.length a
let copy a = Array.map Array.copy a

let swap a i j =
  let t = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- t

let pivot_row a k =
  let best = ref k in
  for i = k + 1 to dim a - 1 do
    if abs_float a.(i).(k) > abs_float a.(!best).(k) then best := i
  done;
  !best

let decompose matrix =
  let a = copy matrix in
  let n = dim a in
  let pivots = Array.init n (fun i -> i) in
  let sign = ref 1. in
  for k = 0 to n - 1 do
    let p = pivot_row a k in
    if a.(p).(k) = 0. then raise Singular;
    if p <> k then begin
      swap a p k;
      swap pivots p k;
      sign := -. !sign
    end;
    let row_k = a.(k) in
    for i = k + 1 to n - 1 do
      let row_i = a.(i) in
      let factor = row_i.(k) /. row_k.(k) in
      row_i.(k) <- factor;
      for j = k + 1 to n - 1 do
        row_i.(j) <- row_i.(j) -. (factor *. row_k.(j))
      done
    done
  done;
  { factors = a; pivots; sign = !sign }

let solve { factors = a; pivots; _ } b =
  let n = dim a in
  let x = Array.map (fun p -> b.(p)) pivots in
  for i = 1 to n - 1 do
    let sum = ref x.(i) in
    for j = 0 to i - 1 do
      sum := !sum -. (a.(i).(j) *. x.(j))
    done;
    x.(i) <- !sum
  done;
  for i = n - 1 downto 0 do
    let sum = ref x.(i) in
    for j = i + 1 to n - 1 do
      sum := !sum -. (a.(i).(j) *. x.(j))
    done;
    x.(i) <- !sum /. a.(i).(i)
  done;
  x

let log_determinant { factors; _ } =
  let sum = ref 0. in
  Array.iteri (fun i row -> sum := !sum +. log (abs_float row.(i))) factors;
  !sum

let unit n i = Array.init n (fun j -> if i = j then 1. else 0.)

(* The columns of the inverse. *)
let inverse_columns lu =
  let n = dim lu.factors in
  Array.init n (fun i -> solve lu (unit n i))

let trace_of_columns columns =
  let sum = ref 0. in
  Array.iteri (fun i column -> sum := !sum +. column.(i)) columns;
  !sum

let residual a x b =
  let worst = ref 0. in
  Array.iteri
    (fun i row ->
      let sum = ref (-.b.(i)) in
      Array.iteri (fun j v -> sum := !sum +. (v *. x.(j))) row;
      worst := Float.max !worst (abs_float !sum))
    a;
  !worst

let random_matrix n seed =
  let state = ref seed in
  let next () =
    state := ((!state * 1103515245) + 12345) land 0x3fffffff;
    (float_of_int !state /. 536870912.) -. 1.
  in
  Array.init n (fun i -> Array.init n (fun j -> next () +. if i = j then 4. else 0.))

let size = 300
let rounds = 14

let () =
  let total = ref 0. and logs = ref 0. and worst = ref 0. in
  for seed = 1 to rounds do
    let a = random_matrix size seed in
    let lu = decompose a in
    let b = Array.init size (fun i -> float_of_int (i mod 7)) in
    worst := Float.max !worst (residual a (solve lu b) b);
    logs := !logs +. (lu.sign *. log_determinant lu);
    total := !total +. trace_of_columns (inverse_columns lu)
  done;
  Printf.printf "traces %.6f, log determinants %.6f, accurate %b\n" !total !logs (!worst < 1e-8)
