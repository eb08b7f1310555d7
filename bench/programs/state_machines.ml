(* State machines as closures that return the next state; built from combinators, run in parallel. *)

(* A machine consumes an input and gives its output and what it becomes. *)
type ('i, 'o) machine = Machine of ('i -> 'o * ('i, 'o) machine)

let step (Machine f) x = f x

let rec pure f = Machine (fun x -> (f x, pure f))

let rec fold_state state f =
  Machine
    (fun x ->
      let state, out = f state x in
      (out, fold_state state f))

let rec ( >>> ) a b =
  Machine
    (fun x ->
      let y, a = step a x in
      let z, b = step b y in
      (z, a >>> b))

let rec both a b =
  Machine
    (fun x ->
      let y, a = step a x in
      let z, b = step b x in
      ((y, z), both a b))

let rec only test ~otherwise m =
  Machine
    (fun x ->
      if test x then
        let y, m = step m x in
        (y, only test ~otherwise m)
      else (otherwise, only test ~otherwise m))

(* Switches for good once [first] answers [Error]. *)
let rec until first second =
  Machine
    (fun x ->
      match step first x with
      | Ok y, first -> (y, until first second)
      | Error y, _ -> (y, second))

let edges = fold_state false (fun last x -> (x, x && not last))
let counter = fold_state 0 (fun n b -> if b then (n + 1, n + 1) else (n, n))
let delay init = fold_state init (fun last x -> (x, last))

let average window =
  fold_state (List.init window (fun _ -> 0)) (fun history x ->
      let history = x :: List.filteri (fun i _ -> i < window - 1) history in
      (history, List.fold_left ( + ) 0 history / window))

(* A vending machine written state by state. *)
type coin = Five | Ten | Refund
type answer = Nothing | Item | Change of int

let vending price =
  let rec idle = Machine (function Refund -> (Nothing, idle) | coin -> insert 0 coin)
  and insert credit coin =
    let credit = credit + match coin with Five -> 5 | Ten -> 10 | Refund -> 0 in
    if credit >= price then (Item, idle) else (Nothing, holding credit)
  and holding credit =
    Machine (function Refund -> (Change credit, idle) | coin -> insert credit coin)
  in
  idle

(* A recogniser of comments "/* ... */" as mutually recursive closures. *)
let comments =
  let rec code = Machine (function '/' -> (false, slash) | _ -> (false, code))
  and slash =
    Machine (function '*' -> (true, inside) | '/' -> (false, slash) | _ -> (false, code))
  and inside = Machine (function '*' -> (true, star) | _ -> (true, inside))
  and star =
    Machine (function '/' -> (true, code) | '*' -> (true, star) | _ -> (true, inside))
  in
  code

let run machine ~inputs ~length ~init ~f =
  let rec go i machine acc =
    if i = length then acc
    else
      let out, machine = step machine (inputs i) in
      go (i + 1) machine (f acc out)
  in
  go 0 machine init

let () =
  let noise i = ((i * 7919) lxor (i lsr 3)) land 255 in
  let presses =
    pure (fun x -> x > 128) >>> both edges (delay false >>> pure not)
    >>> pure (fun (edge, quiet) -> edge && quiet)
    >>> counter
  in
  Printf.printf "presses %d\n" (run presses ~inputs:noise ~length:4_000_000 ~init:0 ~f:(fun _ n -> n));
  let smoothed = average 8 >>> only (fun x -> x land 1 = 0) ~otherwise:0 (pure (fun x -> x * x)) in
  Printf.printf "smoothed %d\n"
    (run smoothed ~inputs:noise ~length:1_000_000 ~init:0 ~f:(fun acc x -> (acc + x) land 0xfffffff));
  let coins i = match noise i land 7 with 0 | 1 | 2 | 3 -> Five | 4 | 5 | 6 -> Ten | _ -> Refund in
  let items, change =
    run (vending 35) ~inputs:coins ~length:15_000_000 ~init:(0, 0) ~f:(fun (items, change) -> function
      | Nothing -> (items, change)
      | Item -> (items + 1, change)
      | Change c -> (items, change + c))
  in
  Printf.printf "items %d, change %d\n" items change;
  let text = "let x = a / b; /* a ** note / */ y //* z */ done" in
  let inside =
    run comments
      ~inputs:(fun i -> text.[i mod String.length text])
      ~length:25_000_000 ~init:0
      ~f:(fun n b -> if b then n + 1 else n)
  in
  Printf.printf "characters in comments %d\n" inside;
  let fuse =
    until
      (fold_state 0 (fun n x -> (n + x, if n + x > 500_000 then Error (-1) else Ok x)))
      (pure (fun _ -> 1))
  in
  Printf.printf "fuse %d\n" (run fuse ~inputs:noise ~length:4_000_000 ~init:0 ~f:( + ))
