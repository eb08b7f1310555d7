(* A lazy value is forced twice by inlined code; in between the GC puts its contents, an immediate, in its place. *)
let force (n : int Lazy.t) = Lazy.force n

let run k =
  let counter = ref k in
  let n = lazy !counter in
  let first = force n in
  Gc.full_major ();
  first + force n

let is_odd (n : bool Lazy.t) = if Lazy.force n then 1 else 0

let run_test k =
  let counter = ref k in
  let n = lazy (!counter land 1 = 1) in
  let first = is_odd n in
  Gc.full_major ();
  first + is_odd n

let () = Printf.printf "%d %d\n" (run (Sys.opaque_identity 329)) (run_test (Sys.opaque_identity 329))
