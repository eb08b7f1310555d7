(* Two variables that an iteration makes together, of which either becomes the parameter of the next one. *)

let order n =
  let rec go i best =
    if i > n then best
    else
      let low, high = if best < i then best, i else i, best in
      if i land 3 = 0 then go (i + 1) low else go (i + 1) (high - 2)
  in
  go 0 5

let floats n =
  let rec go i x y =
    if i = n then x, y
    else
      let a, b = if x < y then y /. 2., x +. 1. else x, y *. 1.5 in
      if i mod 3 = 0 then go (i + 1) a b else if i mod 3 = 1 then go (i + 1) b a else go (i + 1) b y
  in
  go 0 1. 7.

let loop n =
  let best = ref 3 in
  for i = 1 to n do
    let a, b, c = if i mod 5 < 2 then !best, i, i * 2 else i * 3, !best, i in
    best := if i land 1 = 0 then a else if i mod 7 = 0 then c else b
  done;
  !best

(* The streams of stream fusion, with a state of three parts. *)
type ('a, 's) step = Stop | Next of 'a * 's | Again of 's
type 'a stream = S : ('s -> ('a, 's) step) * 's -> 'a stream

let range a b = S ((fun i -> if i > b then Stop else Next (i, i + 1)), a)

let map f (S (step, s)) =
  S
    ( (fun s ->
        match step s with Stop -> Stop | Next (x, s) -> Next (f x, s) | Again s -> Again s),
      s )

let filter p (S (step, s)) =
  S ((fun s -> match step s with Next (x, s) when not (p x) -> Again s | r -> r), s)

let zip (S (f, a)) (S (g, b)) =
  S
    ( (fun (a, b, held) ->
        match held with
        | None -> (
            match f a with
            | Stop -> Stop
            | Again a -> Again (a, b, None)
            | Next (x, a) -> Again (a, b, Some x))
        | Some x -> (
            match g b with
            | Stop -> Stop
            | Again b -> Again (a, b, held)
            | Next (y, b) -> Next ((x, y), (a, b, None)))),
      (a, b, None) )

let fold f acc (S (step, s)) =
  let rec go acc s =
    match step s with Stop -> acc | Again s -> go acc s | Next (x, s) -> go (f acc x) s
  in
  go acc s

let dot a b =
  zip (range 1 a) (range 7 b)
  |> map (fun (x, y) -> x * y)
  |> filter (fun x -> x mod 3 <> 0)
  |> fold ( + ) 0

let () =
  for n = 0 to 40 do
    let x, y = floats n in
    Printf.printf "%d %g %g %d %d\n" (order n) x y (loop n) (dot n (3 * n))
  done
