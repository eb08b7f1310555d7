(** The compiler's own memory. *)

(** Whether the user's environment says how memory is managed. *)
let is_set_by_user () =
  let is_set name = Option.is_some (Sys.getenv_opt name) in
  is_set "OCAMLRUNPARAM" || is_set "CAMLRUNPARAM"

(* A unit of more bytes than this in the request is large. *)
let large_unit = 200_000
let large_minor_heap_words = 8 * 1024 * 1024

(** Makes room for the back end's work on a unit that has so many bytes in the request. A minor collection scans the whole
    stack, which is deep where the program is: for a large unit there should be few. (Units of 10,000 lines compile in 6
    to 26 % less time for that, with up to 7 % more memory; small ones in 13 % more, because the cache and the pages
    are used up.) *)
let make_room ~unit_bytes =
  if unit_bytes > large_unit && not (is_set_by_user ()) then
    Gc.set { (Gc.get ()) with minor_heap_size = large_minor_heap_words }
