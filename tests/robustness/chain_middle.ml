(* Uses the first unit, and is used by the last. *)
open Chain_base

let total shapes = List.fold_left (fun sum shape -> sum +. area shape) 0. shapes
let quadruple = apply_twice (apply_twice (fun x -> x * 2))
let partial = sum7 1 2 3
let guarded n = try fail_at n 5 with Bad (why, n) -> why ^ string_of_int n | Not_found -> "found nothing"

module Words = Sorted (struct
  type t = string

  let compare = compare
  let show w = w
end)

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let boxed (x : int64) = Int64.add x (Int64.of_int !counter)
let default = optional 1
let given = optional ~step:10 1
let () = floats.(1) <- floats.(1) *. 2.
