(* A lazy value is forced twice by inlined code; in between the GC puts its contents, an immediate, in its place. *)
let force (n : int Lazy.t) = Lazy.force n

let run k =
  let counter = ref k in
  let n = lazy !counter in
  let first = force n in
  Gc.full_major ();
  first + force n

let () = Printf.printf "%d\n" (run (Sys.opaque_identity 329))
