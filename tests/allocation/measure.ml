(* What calls of a function allocate. Each of these has loops of [iterations] iterations, so that a word in each shows. *)

let iterations = 1000
let keep x = ignore (Sys.opaque_identity x)

let words f =
  let before = Gc.minor_words () in
  f (Sys.opaque_identity iterations);
  let after = Gc.minor_words () in
  int_of_float (after -. before)

let nothing = words (fun _ -> ())
let check name limit f = Printf.printf "%s %d %d\n" name (words f - nothing) limit
