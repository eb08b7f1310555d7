(* Manual 21.3.3: functors are functions; those applied at the toplevel are inlined, so that their bodies know their arguments;
   elsewhere they are treated as other functions are. *)
(* file: t.mli *)
val use : int -> int
val local : int -> int
val size_of_four : int -> int
(* file: t.ml *)
module Make (X : sig val step : int -> int end) = struct
  let rec count n acc = if n = 0 then acc else count (n - 1) (X.step acc)
  let twice x = X.step (X.step x)
end
module Succ = Make (struct let step x = x + 1 end)
let use x = Succ.twice x + Succ.count x 0
(* expect entry: no call *)

let local x =
  let module M = Make (struct let step y = y + x end) in
  M.twice 1
(* expect local: no indirect call, no call of step *)

module type Sized = sig type t val size : t -> int end
module Pair (A : Sized) (B : Sized) = struct let size (a, b) = A.size a + B.size b end
module Int = struct type t = int let size _ = 1 end
module Two = Pair (Int) (Int)
module Four = Pair (struct type t = int * int let size = Two.size end) (struct type t = int * int let size = Two.size end)
let size_of_four x = Four.size ((x, x), (x, x))
(* expect Make: is gone *)
(* expect Pair: is gone *)
