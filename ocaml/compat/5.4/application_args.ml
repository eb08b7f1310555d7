(** The arguments of an application in the typed tree: from 5.4 on, a type of their own. *)

(** The arguments, if none is left out. *)
let all_given (args : (Asttypes.arg_label * Typedtree.apply_arg) list) =
  let given = function _, Typedtree.Arg e -> Some e | _, Typedtree.Omitted () -> None in
  let args = List.map given args in
  if List.for_all Option.is_some args then Some (List.filter_map Fun.id args) else None
