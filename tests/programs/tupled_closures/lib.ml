(* Functions of tuples: called with the fields, through closures, by other units, and out of functors. *)
let add (a, b) = (a * 10) + b

(* Captures what is not static, and is known by its label. *)
let weighted =
  let weight = Sys.opaque_identity 3 in
  fun (a, b) -> if a > 100 then invalid_arg "weighted" else (a * weight) + b

module type SCALE = sig
  val by : int
end

module Scaled (S : SCALE) = struct
  let[@inline never] f (a, b) = (a * S.by) + b
  let[@inline never] apply g l = List.map g l
  let all l = apply (fun (a, b) -> f (b, a) - S.by) l
end

(* Gives out a closure of a tuple with what it captures. *)
let[@inline never] between lo hi = fun (x, y, z) -> x >= lo && z <= hi && y <> x

type visitor = { on_pair : int * string -> unit; on_triple : int * int * float -> float }

let[@inline never] visitor buffer =
  {
    on_pair = (fun (n, s) -> Buffer.add_string buffer (s ^ string_of_int n));
    on_triple = (fun (_, n, f) -> float_of_int n *. f);
  }

(* Recursive through its closure. *)
let[@inline never] descend step =
  let rec go (n, acc) = if n = 0 then acc else (step [@inlined never]) go (n - 1, n :: acc) in
  go
