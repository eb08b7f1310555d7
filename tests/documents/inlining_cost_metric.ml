(* Inlining in Flambda 2, "Cost_metric": what disappears makes up for size, in particular allocations, indirect calls that become direct and
   polymorphic comparisons that become others. *)

type shape = Circle of int | Square of int | Other of (int -> int)
let area scale s =
  let u = (scale * 31 + 7) land 0xffff in
  let v = (u * 37 + scale) lxor (u lsl 3) in
  let w = (v * 41 + u) land 0xffffff in
  match s with
  | Circle r -> r * r * 3 + w
  | Square r -> r * r + v
  | Other f -> f (w + v + u)
let allocation_goes scale x = area scale (Circle x)
let call_becomes_direct scale x = area scale (Other (fun y -> y + x))
(* expect allocation_goes: no call, no allocation, no branch *)
(* expect call_becomes_direct: no call, no allocation, no branch *)

let mem x y = compare x y = 0
let of_ints (x : int) y = mem x y
(* expect of_ints: no c_call *)

(* The functions that a function makes count, and are copied with it. *)
let adder n = fun x -> x + n
let three x = adder 3 x
(* expect three: no call, no allocation *)
