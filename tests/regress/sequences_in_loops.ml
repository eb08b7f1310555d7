(* Loops that consume sequences: a version for each call pattern (crates/simplify/src/call_patterns.rs). *)

let show name f = Printf.printf "%s %d\n" name (f ())

let rec ints i n () = if i >= n then Seq.Nil else Seq.Cons (i, ints (i + 1) n)

(* One sequence after another: two patterns for one loop. *)
let rec append a b () =
  match a () with
  | Seq.Nil -> b ()
  | Seq.Cons (x, next) -> Seq.Cons (x, append next b)

let rec take n s () =
  if n = 0 then Seq.Nil
  else match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, next) -> Seq.Cons (x, take (n - 1) next)

let rec interleave a b () =
  match a () with
  | Seq.Nil -> b ()
  | Seq.Cons (x, next) -> Seq.Cons (x, interleave b next)

let rec forever x () = Seq.Cons (x, forever x)

(* A sequence that raises, and one that counts how often it is asked. *)
exception Stop of int

let rec until n i () = if i = n then raise (Stop i) else Seq.Cons (i, until n (i + 1))

let asked = ref 0

let rec counted s () =
  incr asked;
  match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, next) -> Seq.Cons (x, counted next)

let sum s = Seq.fold_left ( + ) 0 s

(* The loop calls the sequence, and keeps it. *)
let last_closure : (unit -> int Seq.node) ref = ref Seq.empty

let keeping s =
  let rec loop acc s =
    last_closure := s;
    match s () with Seq.Nil -> acc | Seq.Cons (x, next) -> loop (acc + x) next
  in
  loop 0 s

(* The loop goes on with the same sequence, or with another one. *)
let retry s =
  let rec loop n acc s =
    match s () with
    | Seq.Nil -> acc
    | Seq.Cons (x, next) -> if n > 0 && x mod 3 = 0 then loop (n - 1) (acc + 1) s else loop n (acc + x) next
  in
  loop 4 0 s

(* Two sequences at once. *)
let dot a b =
  let rec loop acc a b =
    match a () with
    | Seq.Nil -> acc
    | Seq.Cons (x, a) -> ( match b () with Seq.Nil -> acc | Seq.Cons (y, b) -> loop (acc + (x * y)) a b)
  in
  loop 0 a b

(* A state machine whose states are closures; each waits for two arguments. *)
type step = Done of int | More of (int -> int -> step)

let rec even acc a b = if a > 20 then Done acc else More (odd (acc + b))
and odd acc a b = if b > 30 then Done (acc * 2) else More (even (acc - a))

let run () =
  let rec loop i step =
    match step i (i + 1) with Done x -> x | More next -> loop (i + 1) next
  in
  loop 0 (even 0)

(* Floats and pairs in what is captured. *)
let rec halves (x : float) () = if x < 0.001 then Seq.Nil else Seq.Cons (x, halves (x /. 2.0))

let rec pairs i j () = if i > j then Seq.Nil else Seq.Cons ((i, j), pairs (i + 1) (j - 1))

let caught s = try sum s with Stop n -> -n

(* Sequences that know each other. *)
let rec ping n () = if n = 0 then Seq.Nil else Seq.Cons (n, pong (n - 1))
and pong n () = if n = 0 then Seq.Nil else Seq.Cons (-n, ping (n - 1))

let unknown = Sys.opaque_identity (ints 3 7)

let () =
  show "ints" (fun () -> sum (ints 0 100));
  show "map" (fun () -> sum (Seq.map (fun x -> x * x) (ints 0 100)));
  show "filter" (fun () -> sum (Seq.filter (fun x -> x land 3 = 1) (ints 0 100)));
  show "filter_map"
    (fun () -> sum (Seq.filter_map (fun x -> if x land 1 = 0 then Some (x * 3) else None) (ints 0 100)));
  show "flat_map" (fun () -> sum (Seq.flat_map (fun x -> ints 0 x) (ints 0 20)));
  show "three"
    (fun () ->
      ints 0 100 |> Seq.map (fun x -> x + 1) |> Seq.filter (fun x -> x mod 7 <> 0) |> Seq.map (fun x -> x * 2)
      |> sum);
  show "append" (fun () -> sum (append (ints 0 10) (ints 100 110)));
  show "append3" (fun () -> sum (append (append (ints 0 10) (take 5 (forever 7))) (ints 100 110)));
  show "take" (fun () -> sum (take 12 (forever 5)));
  show "interleave" (fun () -> sum (take 15 (interleave (ints 0 10) (forever 1000))));
  show "caught" (fun () -> caught (until 17 0));
  show "caught map" (fun () -> caught (Seq.map (fun x -> x) (until 17 0)));
  show "counted" (fun () -> sum (counted (ints 0 10)) + (1000 * !asked));
  show "keeping" (fun () -> keeping (ints 0 10) + match !last_closure () with Seq.Nil -> 0 | _ -> 1);
  show "retry" (fun () -> retry (ints 0 20));
  show "dot" (fun () -> dot (ints 0 20) (Seq.map (fun x -> x + 1) (ints 5 15)));
  show "run" run;
  show "halves" (fun () -> int_of_float (1000. *. Seq.fold_left ( +. ) 0.0 (halves 64.0)));
  show "pairs" (fun () -> Seq.fold_left (fun acc (i, j) -> acc + (i * j)) 0 (pairs 0 30));
  show "ping" (fun () -> sum (ping 31));
  show "unknown" (fun () -> sum (Seq.map (fun x -> x * 2) unknown));
  show "unknown after known" (fun () -> sum (append (ints 0 5) unknown));
  show "string" (fun () -> Seq.fold_left (fun acc c -> acc + Char.code c) 0 (String.to_seq "sequences"));
  show "list" (fun () -> sum (List.to_seq [ 1; 2; 3; 4 ]));
  show "array" (fun () -> sum (Array.to_seq [| 1; 2; 3; 4 |]));
  show "strings" (fun () -> String.length (String.of_seq (Seq.map Char.uppercase_ascii (String.to_seq "abc"))));
  show "iter" (fun () ->
      let n = ref 0 in
      Seq.iter (fun (i, c) -> n := !n + (i * Char.code c)) (String.to_seqi "iterated");
      !n);
  show "to list" (fun () -> List.length (List.of_seq (Seq.filter (fun x -> x > 10) (ints 0 50))));
  show "table" (fun () ->
      let table = Hashtbl.create 7 in
      Hashtbl.add_seq table (Seq.map (fun x -> (x, x * x)) (ints 0 50));
      Seq.fold_left (fun acc (k, v) -> acc + k - v) 0 (Hashtbl.to_seq table));
  show "queue" (fun () ->
      let queue = Queue.of_seq (ints 0 30) in
      sum (Seq.map (fun x -> x + 1) (Queue.to_seq queue)))

(* Recursive functions that consume sequences have versions, too. *)
let rec sum_of s = match s () with Seq.Nil -> 0 | Seq.Cons (x, next) -> x + sum_of next

let rec last default s = match s () with Seq.Nil -> default | Seq.Cons (x, next) -> last x next

let rec count_until stop s =
  match s () with
  | Seq.Nil -> 0
  | Seq.Cons (x, next) -> if x = stop then 1000 + Seq.fold_left ( + ) 0 next else 1 + count_until stop next

let rec build s = match s () with Seq.Nil -> [] | Seq.Cons (x, next) -> x :: build_rest x next
and build_rest y s = match s () with Seq.Nil -> [ y ] | Seq.Cons (x, next) -> (x - y) :: build next

let rec merge a b =
  match a () with
  | Seq.Nil -> sum_of b
  | Seq.Cons (x, next) -> if x land 1 = 0 then x + merge b next else x - merge next b

let rec holds kept s = match s () with Seq.Nil -> List.length kept | Seq.Cons (_, next) -> holds (s :: kept) next

let () =
  let squares n = Seq.map (fun x -> x * x) (ints 0 n) in
  show "sum_of" (fun () -> sum_of (squares 50));
  show "last" (fun () -> last 0 (squares 50));
  show "count_until" (fun () -> count_until 49 (squares 12));
  show "build" (fun () -> List.fold_left (fun acc x -> (acc * 3) + x) 0 (build (squares 9)));
  show "merge" (fun () -> merge (squares 9) (ints 3 8));
  show "holds" (fun () -> holds [] (squares 9));
  show "sum_of unknown" (fun () -> sum_of unknown);
  show "sum_of raising" (fun () -> try sum_of (until 17 0) with Stop n -> n)
