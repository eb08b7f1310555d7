(** Reading a field in Clambda: 4.13. *)

(** As a primitive of Lambda; [None] for all other primitives. *)
let field : Clambda_primitives.primitive -> Lambda.primitive option = function
  | Pfield n -> Some (Pfield n)
  | _ -> None
