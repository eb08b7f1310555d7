(* Closed functions are static; captured variables are slots; known calls are direct. *)
let add x y = x + y
let twice f x = f (f x)
let make_adder n = fun x -> add n x
let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1)
let local n =
  let rec loop i = if i = n then 0 else 1 + other (i + 1)
  and other i = if i > n then 1 else loop i in
  loop 0
