(* Exact, partial, over- and unknown applications; tupled functions; evaluation from right to left. *)
external effect : int -> int = "effect"
let two x y = x - y
let exact () = two (effect 1) (effect 2)
let partial () = two (effect 1)
let returns x = fun y -> x + y
let over f = (returns 1 2, f 1 2)
let tupled (x, y) = x * y
let visible () = tupled (effect 1, effect 2)
let hidden p = tupled p
