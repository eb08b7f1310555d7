(** [[@poll error]]: from 4.14 on. *)

(** Whether a function may poll. *)
let may_poll (attribute : Lambda.function_attribute) =
  match attribute.poll with Default_poll -> true | Error_poll -> false
