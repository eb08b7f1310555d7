(** How arguments of externals are passed: 4.13. *)

let is_untagged = function
  | Primitive.Untagged_int -> true
  | Same_as_ocaml_repr | Unboxed_float | Unboxed_integer _ -> false
