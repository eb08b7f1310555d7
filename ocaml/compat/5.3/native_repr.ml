(** How arguments of externals are passed: from 5.3 on. *)

let is_untagged = function
  | Primitive.Untagged_immediate -> true
  | Same_as_ocaml_repr | Unboxed_float | Unboxed_integer _ -> false
