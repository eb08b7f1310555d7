(** Names of C functions of the runtime that only the back end calls: 4.13. *)

(** Makes an array, flat or not, of a block of its elements. *)
let make_array = "caml_make_array"
