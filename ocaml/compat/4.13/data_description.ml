(** What the type checker knows of labels and constructors: up to 5.3. *)

type label = Types.label_description
type constructor = Types.constructor_description
