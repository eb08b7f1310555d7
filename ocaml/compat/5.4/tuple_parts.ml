(** The parts of a tuple's type: from 5.4 on, they may have labels. *)

let types (parts : (string option * Types.type_expr) list) = List.map snd parts
