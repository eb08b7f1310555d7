(** The arguments of an application in the typed tree: options yet. *)

(** The arguments, if none is left out. *)
let all_given (args : (Asttypes.arg_label * Typedtree.expression option) list) =
  let args = List.map snd args in
  if List.for_all Option.is_some args then Some (List.filter_map Fun.id args) else None
