(* Inlining in Flambda 2, "Inlining predictably": what an inlined function of another unit makes and calls is simplified where it comes to be. *)
(* file: c.ml *)
let bar f x = f x + 1
let[@inline never] far x = x + 1
(* file: a.ml *)
let foo x =
  let fox y = y + x in
  let z = C.bar fox 3 in
  C.far z
(* expect foo: no call of bar, 1 call of far, no allocation *)
(* file: b.ml *)
let baz () = A.foo 4
(* expect baz: no call of foo, 1 call *)
