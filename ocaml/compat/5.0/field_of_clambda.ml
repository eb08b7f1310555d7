(** Reading a field in Clambda: from 5.0 on, where it says what the field holds. *)

(** As a primitive of Lambda; [None] for all other primitives. *)
let field : Clambda_primitives.primitive -> Lambda.primitive option = function
  | Pfield (n, pointer, mutability) -> Some (Pfield (n, pointer, mutability))
  | _ -> None
