(** The parts of a tuple's type: they have no labels yet. *)

let types (parts : Types.type_expr list) = parts
