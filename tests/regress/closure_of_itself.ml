(* A function that is never called but in the closure that it returns makes this, and itself, there once more: the
   search for the functions that a call is in went round in that for ever, if others of the unit call each other. *)
let steps = ref 0
let more () = incr steps; !steps < 100

let nothing () =
  let rec delayed fuel (_ : int -> int) =
    incr steps;
    fun x -> if fuel <= 0 || not (more ()) then 8 else delayed (fuel - 1) (fun y -> y) x
  in
  5

let something () =
  let rec delayed fuel (_ : int -> int) =
    incr steps;
    fun x ->
      if fuel <= 0 || not (more ()) then x
      else
        delayed (fuel - 1)
          (let rec first z = if z = 0 then x else second (z - 1) and second z = if z < 0 then 7 else first (z - 1) in
           fun y -> first y)
          (x + 1)
  in
  delayed 3 (fun x -> x) 1

let rec even x = x = 0 || odd (x - 1)
and odd x = x <> 0 && even (x - 1)

let () = Printf.printf "%d %d %b %d\n" (nothing ()) (something ()) (even 10) !steps
