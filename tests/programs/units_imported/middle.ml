(* What goes on from here is of another unit: its functions, its data, its exceptions. *)
include Base
let sum l = List.fold_left add origin l
let checked a b = check a + check b
let total a = Array.fold_left ( + ) 0 a
let both f g x = compose f g x
let label n = name ^ ":" ^ describe n
let raise_it n = try check n with Negative m -> m * 100
let next () = tick () + tick ()
module IntMax = Base.Max (Int)
let max3 a b c = IntMax.max a (IntMax.max b c)
let default = scale origin
