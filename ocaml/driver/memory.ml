(** The compiler's own memory. *)

(** Whether the user's environment says how memory is managed. *)
let is_set_by_user () =
  let is_set name = Option.is_some (Sys.getenv_opt name) in
  is_set "OCAMLRUNPARAM" || is_set "CAMLRUNPARAM"

(* A unit of more bytes than this in the request is large. *)
let large_unit = 200_000
let large_minor_heap_words = 1024 * 1024

(* Free memory beside live memory, in hundredths. What a small unit leaves behind is less than a collection costs. *)
let large_space_overhead = 200

(** Makes room for the back end's work on a unit that has so many bytes in the request. A minor collection scans the whole
    stack, which is deep where the program is: for a large unit there should be few. (A function of 4,000 branches
    compiles in 16 % less time for that. Small units would take more, because the cache and the pages are used up; eight
    times as much room takes a third more memory, and gains nothing.) *)
let make_room ~unit_bytes =
  if unit_bytes > large_unit && not (is_set_by_user ()) then
    Gc.set { (Gc.get ()) with minor_heap_size = large_minor_heap_words; space_overhead = large_space_overhead }
