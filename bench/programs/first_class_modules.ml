(* First-class modules chosen at run time: codecs, containers and number systems behind signatures. *)

module type NUMBER = sig
  type t

  val name : string
  val of_int : int -> t
  val add : t -> t -> t
  val mul : t -> t -> t
  val to_string : t -> string
end

module Machine = struct
  type t = int

  let name = "machine"
  let of_int n = n
  let add = ( + )
  let mul a b = a * b land 0xffffffff
  let to_string = string_of_int
end

module Gaussian = struct
  type t = { re : int; im : int }

  let p = 1_000_003
  let name = "gaussian"
  let of_int n = { re = n mod p; im = 1 }
  let add a b = { re = (a.re + b.re) mod p; im = (a.im + b.im) mod p }

  let mul a b =
    { re = ((a.re * b.re) - (a.im * b.im) + (p * p)) mod p; im = ((a.re * b.im) + (a.im * b.re)) mod p }

  let to_string { re; im } = Printf.sprintf "%d+%di" re im
end

module Real = struct
  include Float

  let name = "real"
  let to_string x = Printf.sprintf "%.6f" x
  let mul a b = Float.rem (Float.mul a b) 1000.
end

(* Polynomials in any number, by Horner's rule. *)
let horner (type a) (module N : NUMBER with type t = a) coefficients (x : a) =
  List.fold_left (fun acc c -> N.add (N.mul acc x) c) (N.of_int 0) coefficients

let polynomial_sum (module N : NUMBER) ~count =
  let coefficients = List.init 12 (fun i -> N.of_int ((i * 7) + 1)) in
  let rec go i acc =
    if i > count then acc
    else go (i + 1) (N.add acc (horner (module N) coefficients (N.of_int (i land 1023))))
  in
  Printf.sprintf "%s %s" N.name (N.to_string (go 1 (N.of_int 0)))

(* Containers as packed modules with a hidden state. *)
module type BAG = sig
  type 'a t

  val name : string
  val empty : 'a t
  val add : 'a -> 'a t -> 'a t
  val take : 'a t -> ('a * 'a t) option
end

module Stack_bag = struct
  type 'a t = 'a list

  let name = "stack"
  let empty = []
  let add x t = x :: t
  let take = function [] -> None | x :: rest -> Some (x, rest)
end

module Queue_bag = struct
  type 'a t = { front : 'a list; back : 'a list }

  let name = "queue"
  let empty = { front = []; back = [] }
  let add x t = { t with back = x :: t.back }

  let rec take = function
    | { front = x :: front; back } -> Some (x, { front; back })
    | { front = []; back = [] } -> None
    | { front = []; back } -> take { front = List.rev back; back = [] }
end

(* A walk over an implicit graph in the order the bag gives. *)
let walk (module B : BAG) ~limit =
  let seen = Bytes.make limit '\000' in
  let visit (bag, fresh) v =
    if v >= limit || Bytes.get seen v <> '\000' then (bag, fresh)
    else begin
      Bytes.set seen v '\001';
      (B.add v bag, fresh + 1)
    end
  in
  let rec go bag found order =
    match B.take bag with
    | None -> (found, order)
    | Some (v, bag) ->
      let bag, found = List.fold_left visit (bag, found) [ (2 * v) + 1; (3 * v) + 2; v / 2; v + 5 ] in
      go bag found (((order * 31) + v) land 0xffffff)
  in
  let bag, found = visit (B.empty, 0) 0 in
  let found, order = go bag found 0 in
  Printf.sprintf "%s: found %d, order %d" B.name found order

(* Codecs with their state, as existential packages. *)
module type CODEC = sig
  type state

  val initial : state
  val step : state -> int -> state * int
end

type codec = Codec : { name : string; codec : (module CODEC with type state = 's) } -> codec

module Delta = struct
  type state = int

  let initial = 0
  let step last x = (x, x - last)
end

module Run_length = struct
  type state = { last : int; count : int }

  let initial = { last = -1; count = 0 }
  let step { last; count } x = if x = last then ({ last; count = count + 1 }, 0) else ({ last = x; count = 1 }, (count * 256) + last)
end

module Move_to_front = struct
  type state = int list

  let initial = List.init 16 Fun.id

  let step order x =
    let rec find i before = function
      | [] -> (order, -1)
      | y :: rest when y = x -> (x :: List.rev_append before rest, i)
      | y :: rest -> find (i + 1) (y :: before) rest
    in
    find 0 [] order
end

module Pair (A : CODEC) (B : CODEC) = struct
  type state = A.state * B.state

  let initial = (A.initial, B.initial)

  let step (a, b) x =
    let a, y = A.step a x in
    let b, z = B.step b (y land 15) in
    ((a, b), y + z)
end

module Delta_front = Pair (Delta) (Move_to_front)

let encode (Codec { name; codec = (module C) }) ~length =
  let rec go i state sum =
    if i = length then sum
    else
      let state, y = C.step state ((i * i / 64) land 15) in
      go (i + 1) state (((sum * 31) + y) land 0xffffff)
  in
  Printf.sprintf "%s %d" name (go 0 C.initial 0)

let () =
  let numbers : (module NUMBER) list = [ (module Machine); (module Gaussian); (module Real) ] in
  List.iter (fun n -> print_endline (polynomial_sum n ~count:700_000)) numbers;
  let bags : (module BAG) list = [ (module Stack_bag); (module Queue_bag) ] in
  List.iter (fun b -> print_endline (walk b ~limit:1_500_000)) bags;
  List.iter
    (fun c -> print_endline (encode c ~length:2_000_000))
    [ Codec { name = "delta"; codec = (module Delta) };
      Codec { name = "run length"; codec = (module Run_length) };
      Codec { name = "delta, front"; codec = (module Delta_front) } ]
