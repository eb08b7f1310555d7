(** Names of C functions of the runtime that only the back end calls: from 5.3 on. *)

(** Makes an array, flat or not, of a block of its elements. *)
let make_array = "caml_array_of_uniform_array"
