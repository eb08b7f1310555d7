(** What the type checker knows of labels and constructors: from 5.4 on. *)

type label = Data_types.label_description
type constructor = Data_types.constructor_description
