(* Matrices over any ring given as a record of operations: ints mod p, floats, polynomials, tropical. *)

type 'a ring = { zero : 'a; one : 'a; add : 'a -> 'a -> 'a; mul : 'a -> 'a -> 'a }

module Matrix = struct
  type 'a t = { rows : int; columns : int; cells : 'a array }

  let init rows columns f =
    { rows; columns; cells = Array.init (rows * columns) (fun k -> f (k / columns) (k mod columns)) }

  let get m i j = m.cells.((i * m.columns) + j)
  let set m i j x = m.cells.((i * m.columns) + j) <- x
  let identity ring n = init n n (fun i j -> if i = j then ring.one else ring.zero)
  let map f m = { m with cells = Array.map f m.cells }

  let map2 f a b =
    if a.rows <> b.rows || a.columns <> b.columns then invalid_arg "Matrix.map2";
    { a with cells = Array.map2 f a.cells b.cells }

  let add ring = map2 ring.add
  let transpose m = init m.columns m.rows (fun i j -> get m j i)

  let mul ring a b =
    if a.columns <> b.rows then invalid_arg "Matrix.mul";
    let out = { rows = a.rows; columns = b.columns; cells = Array.make (a.rows * b.columns) ring.zero } in
    for i = 0 to a.rows - 1 do
      for j = 0 to b.columns - 1 do
        let sum = ref ring.zero in
        for k = 0 to a.columns - 1 do
          sum := ring.add !sum (ring.mul (get a i k) (get b k j))
        done;
        set out i j !sum
      done
    done;
    out

  let rec power ring m n =
    if n = 0 then identity ring m.rows
    else
      let half = power ring m (n / 2) in
      let square = mul ring half half in
      if n land 1 = 0 then square else mul ring square m

  let trace ring m =
    let rec go i acc = if i = m.rows then acc else go (i + 1) (ring.add acc (get m i i)) in
    go 0 ring.zero

  let fold f init m = Array.fold_left f init m.cells
end

let modular p = { zero = 0; one = 1; add = (fun a b -> (a + b) mod p); mul = (fun a b -> a * b mod p) }
let floats = { zero = 0.; one = 1.; add = ( +. ); mul = ( *. ) }
let booleans = { zero = false; one = true; add = ( || ); mul = ( && ) }

(* Distances: the least sum wins. *)
type distance = Finite of int | Infinite

let tropical =
  let add a b =
    match a, b with
    | Infinite, d | d, Infinite -> d
    | Finite x, Finite y -> if x <= y then a else b
  and mul a b =
    match a, b with
    | Infinite, _ | _, Infinite -> Infinite
    | Finite x, Finite y -> Finite (x + y)
  in
  { zero = Infinite; one = Finite 0; add; mul }

(* Polynomials as coefficient lists, lowest power first. *)
let polynomials ring =
  let rec add a b =
    match a, b with
    | [], p | p, [] -> p
    | x :: a, y :: b -> ring.add x y :: add a b
  in
  let rec mul a b =
    match a with
    | [] -> []
    | x :: rest -> add (List.map (ring.mul x) b) (ring.zero :: mul rest b)
  in
  { zero = []; one = [ ring.one ]; add; mul }

let eval ring p x = List.fold_right (fun c acc -> ring.add c (ring.mul x acc)) p ring.zero
let noise i j = ((i * 7919) + (j * 104729) + (i * j * 31)) land 0xffff

let () =
  let n = 130 in
  let ring = modular 1_000_003 in
  let m = Matrix.init n n noise in
  let p = Matrix.power ring m 60 in
  Printf.printf "modular: trace %d, sum %d\n" (Matrix.trace ring p) (Matrix.fold ring.add 0 p);
  let f = Matrix.init n n (fun i j -> float_of_int (noise i j) /. 65536. /. float_of_int n) in
  let q = Matrix.add floats (Matrix.power floats f 30) (Matrix.transpose f) in
  Printf.printf "floats: trace %.9f\n" (Matrix.trace floats q);
  let edges = Matrix.init n n (fun i j ->
      if i = j then Finite 0 else if noise i j mod 19 = 0 then Finite (1 + (noise j i mod 50)) else Infinite)
  in
  let shortest = Matrix.power tropical edges 64 in
  let furthest = Matrix.fold (fun m -> function Finite d -> max m d | Infinite -> m) 0 shortest in
  Printf.printf "tropical: furthest %d\n" furthest;
  let reach = Matrix.power booleans (Matrix.map (fun d -> d <> Infinite) edges) 64 in
  Printf.printf "booleans: %d pairs\n" (Matrix.fold (fun n b -> if b then n + 1 else n) 0 reach);
  let poly = polynomials ring in
  let m = Matrix.init 10 10 (fun i j -> [ noise i j mod 7; noise j i mod 5 ]) in
  let d = Matrix.trace poly (Matrix.power poly m 24) in
  Printf.printf "polynomials: degree %d, value at 5 %d\n" (List.length d - 1) (eval ring d 5)
