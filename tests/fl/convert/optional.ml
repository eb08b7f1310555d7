(* A function with default arguments is a stub that computes them, and a function that takes them. *)
let f ?(x = 1) ?(y = x + 1) z = x + y + z
let rec g ?(n = 3) acc = if n = 0 then acc else g ~n:(n - 1) (acc * 2)
