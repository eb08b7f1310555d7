(* The box of a number that one branch needs was allocated before a call that precedes the branch, on every path (seed
   802000094 of `cargo xtask fuzz --shapes`: 190 words, the stock compiler 130). *)

let[@inline never] odd n = n land 1 = 1
let[@inline never] keep (x : 'a) = Sys.opaque_identity x

let last = ref 0.

let[@inline never] used n =
  let x = float_of_int n in
  let y = if odd n then keep x else x in
  int_of_float (y +. x)

(* Not between a read and a store. *)
let[@inline never] stored n =
  let x = float_of_int n *. 0.5 in
  if odd n && !last < 100. then last := x;
  x +. 1.

let[@inline never] returned n =
  let x = Int64.mul (Int64.of_int n) 3L in
  if odd n then if odd (Int64.to_int x / 3 / 2) then x else 0L else 1L

let[@inline never] raised n =
  let x = float_of_int n in
  try if odd n then raise_notrace (Failure (string_of_float x)) else x +. 0.5 with Failure s -> float_of_string s

let () =
  let sum = ref 0 in
  for i = 1 to 60 do
    sum := !sum + used i + int_of_float (stored i) + Int64.to_int (returned i) + int_of_float (raised i)
  done;
  Printf.printf "%d %g %g\n" !sum !last (floor 2.5)
