(** [[@poll error]]: 4.13 does not know it. *)

(** Whether a function may poll. *)
let may_poll (_ : Lambda.function_attribute) = true
