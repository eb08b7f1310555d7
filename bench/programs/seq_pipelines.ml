(* Lazy pipelines over Seq.t: generators, windows, groups and merges with small closures. *)

let rec count_from n () = Seq.Cons (n, count_from (n + 1))

let rec take n seq () =
  if n = 0 then Seq.Nil
  else match seq () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (x, take (n - 1) rest)

let rec take_while test seq () =
  match seq () with
  | Seq.Cons (x, rest) when test x -> Seq.Cons (x, take_while test rest)
  | Seq.Cons _ | Seq.Nil -> Seq.Nil

let rec scan f acc seq () =
  match seq () with
  | Seq.Nil -> Seq.Nil
  | Seq.Cons (x, rest) ->
    let acc = f acc x in
    Seq.Cons (acc, scan f acc rest)

let rec zip_with f a b () =
  match a (), b () with
  | Seq.Cons (x, a), Seq.Cons (y, b) -> Seq.Cons (f x y, zip_with f a b)
  | _ -> Seq.Nil

let tail seq () = match seq () with Seq.Nil -> Seq.Nil | Seq.Cons (_, rest) -> rest ()

let rec merge cmp a b () =
  match a (), b () with
  | Seq.Nil, other | other, Seq.Nil -> other
  | (Seq.Cons (x, a') as na), (Seq.Cons (y, b') as nb) ->
    let c = cmp x y in
    if c < 0 then Seq.Cons (x, merge cmp a' (fun () -> nb))
    else if c > 0 then Seq.Cons (y, merge cmp (fun () -> na) b')
    else Seq.Cons (x, merge cmp a' b')

(* Runs of equal keys, with the number of elements in each. *)
let rec runs key seq () =
  match seq () with
  | Seq.Nil -> Seq.Nil
  | Seq.Cons (x, rest) ->
    let k = key x in
    let rec skip n seq =
      match seq () with
      | Seq.Cons (y, rest) when key y = k -> skip (n + 1) rest
      | node -> (n, fun () -> node)
    in
    let n, rest = skip 1 rest in
    Seq.Cons ((k, n), runs key rest)

let rec chunks size seq () =
  let rec fill n acc seq =
    if n = 0 then (List.rev acc, seq)
    else
      match seq () with
      | Seq.Nil -> (List.rev acc, Seq.empty)
      | Seq.Cons (x, rest) -> fill (n - 1) (x :: acc) rest
  in
  match fill size [] seq with [], _ -> Seq.Nil | chunk, rest -> Seq.Cons (chunk, chunks size rest)

let sum seq = Seq.fold_left ( + ) 0 seq
let length seq = Seq.fold_left (fun n _ -> n + 1) 0 seq

(* Pythagorean triples with a perimeter up to [limit]. *)
let triples limit =
  let square x = x * x in
  count_from 1
  |> take_while (fun a -> 3 * a < limit)
  |> Seq.flat_map (fun a ->
         count_from (a + 1)
         |> take_while (fun b -> a + (2 * b) < limit)
         |> Seq.filter_map (fun b ->
                let c = int_of_float (sqrt (float_of_int (square a + square b))) in
                if square c = square a + square b && a + b + c <= limit then Some (a, b, c)
                else None))

let smooth limit =
  let multiples k = count_from 1 |> Seq.map (fun n -> n * k) |> take_while (fun n -> n <= limit) in
  List.fold_left (fun acc k -> merge Int.compare acc (multiples k)) Seq.empty [ 3; 5; 7; 11 ]

let generator seed = Seq.unfold (fun s -> Some (s lsr 16, ((s * 1103515245) + 12345) land 0x7fffffff)) seed

let () =
  let t = triples 4000 in
  Printf.printf "triples %d, sum of legs %d\n" (length t)
    (Seq.fold_left (fun acc (a, b, _) -> acc + a + b) 0 t);
  let s = smooth 2_000_000 in
  Printf.printf "multiples %d, sum %d\n" (length s) (sum s);
  let noise = take 4_000_000 (generator 17) in
  let longest =
    noise |> Seq.map (fun x -> x land 3) |> runs Fun.id |> Seq.map snd |> Seq.fold_left max 0
  in
  let walk = noise |> Seq.map (fun x -> if x land 1 = 0 then 1 else -1) |> scan ( + ) 0 in
  let highest = Seq.fold_left max 0 walk in
  let crossings = zip_with (fun a b -> a < 0 <> (b < 0)) walk (tail walk) |> Seq.filter Fun.id |> length in
  Printf.printf "longest run %d, highest %d, crossings %d\n" longest highest crossings;
  let best_chunk =
    noise |> chunks 8
    |> Seq.map (List.fold_left ( + ) 0)
    |> Seq.fold_left max 0
  in
  Printf.printf "best chunk %d\n" best_chunk
