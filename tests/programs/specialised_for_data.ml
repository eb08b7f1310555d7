(* flags: -w -53-55 *)
(* Recursive functions that are copied for records, tuples and modules of functions, and, where an attribute wishes it,
   for constants (features C1, C6). *)

let log fmt = Printf.printf (fmt ^^ "\n")
let opaque = Sys.opaque_identity

type operations = { zero : int; add : int -> int -> int; scale : int -> int -> int }

let rec horner ops x l = match l with [] -> ops.zero | a :: l -> ops.add a (ops.scale x (horner ops x l))

(* The functions change: what is copied for the ones is not called with the others. *)
let rec alternating ops other l =
  match l with [] -> ops.zero | a :: l -> ops.add a (alternating other ops l)

let rec pair (f, g) n = if n = 0 then 0 else f n (g n (pair (f, g) (n - 1)))
let rec same_pair fg n = if n = 0 then 0 else (fst fg) n ((snd fg) n (same_pair fg (n - 1)))

type changing = { mutable step : int -> int; name : string }

let rec walk c n acc =
  if n = 0 then acc
  else begin
    if n = 3 then c.step <- (fun x -> x * 100);
    walk c (n - 1) (acc + c.step n)
  end

let rec not_tail c n = if n = 0 then 0 else begin
    if n = 2 then c.step <- (fun x -> x * 1000);
    let s = c.step n in
    s + not_tail c (n - 1)
  end

module type Ring = sig
  type t

  val zero : t
  val add : t -> t -> t
  val of_int : int -> t
  val show : t -> string
end

module Ints = struct
  type t = int

  let zero = 0
  let add = ( + )
  let of_int x = x
  let show = string_of_int
end

module Floats = struct
  type t = float

  let zero = 0.
  let add = ( +. )
  let of_int x = float x /. 4.
  let show = Printf.sprintf "%g"
end

let rec sum : type a. (module Ring with type t = a) -> int list -> a =
 fun (module R) l -> match l with [] -> R.zero | x :: l -> R.add (R.of_int x) (sum (module R) l)

let[@inline never] shown (type a) (module R : Ring with type t = a) l = R.show (sum (module R) l)
let[@inline never] ints l = Ints.show (sum (module Ints) l)
let[@inline never] floats l = Floats.show (sum (module Floats) l)

(* Constants. *)
let[@specialise] rec pow x n = if n = 0 then 1 else x * pow x (n - 1)
let rec plain_pow x n = if n = 0 then 1 else x * plain_pow x (n - 1)
let[@specialise] rec even flag n = if n = 0 then flag else odd flag (n - 1)
and odd flag n = if n = 0 then not flag else even flag (n - 1)

(* The constant is exchanged, or grows. *)
let[@specialise] rec exchange a b n = if n = 0 then a else 1 + exchange b a (n - 1)
let[@specialise] rec grow k n = if n = 0 then k else k + grow (k + 1) (n - 1)
let[@specialise] rec restart k n = if n = 0 then k else if n = 5 then restart 7 4 + k else k * restart k (n - 1)
let[@specialise] rec by_name name n = match name, n with _, 0 -> 0 | "two", n -> 2 + by_name name (n - 1) | _, n -> 1 + by_name name (n - 1)

(* The function is used otherwise, too. *)
let[@specialise] rec kept k n = if n = 0 then [] else ((fun x -> kept k x) : int -> (int * int) list) |> fun f -> (k, n) :: (if n > 1 then f (n - 1) else [])

let[@inline never] with_captured i l = horner { zero = i; add = (fun a b -> a + b + i); scale = (fun a b -> (a * b) - i) } 2 l

let () =
  let l = opaque [ 1; 2; 3; 4 ] in
  log "%d" (horner { zero = 3; add = ( + ); scale = ( * ) } 2 l);
  log "%d %d" (with_captured 5 l) (with_captured 6 []);
  log "%d" (horner (if opaque true then { zero = 1; add = ( - ); scale = ( + ) } else { zero = 2; add = ( + ); scale = ( - ) }) 3 l);
  log "%d" (alternating { zero = 1; add = ( + ); scale = ( * ) } { zero = 2; add = ( - ); scale = ( * ) } l);
  log "%d %d" (pair ((fun a b -> a + b), fun a b -> (a * 2) + b) 5) (same_pair ((fun a b -> a - b), fun a b -> (a * 2) + b) 5);
  let c = { step = (fun x -> x + 1); name = "c" } in
  log "%d %s" (walk c 5 0) c.name;
  log "%d" (not_tail { step = (fun x -> x + 1); name = "d" } 5);
  log "%s %s %s %s" (ints l) (floats l) (shown (module Ints) l) (shown (module Floats) l);
  log "%d %d %d" (pow 2 (opaque 10)) (pow 3 (opaque 4)) ((plain_pow [@specialised]) 5 (opaque 3));
  log "%b %b %b" (even true (opaque 7)) (odd false (opaque 7)) (even (opaque false) 3);
  log "%d %d" (exchange 10 20 (opaque 3)) (grow 1 (opaque 4));
  log "%d %d" (restart 2 (opaque 8)) (by_name "two" (opaque 5) + by_name "one" (opaque 5));
  List.iter (fun (k, n) -> log "%d %d" k n) (kept 9 (opaque 3))
