(** The parts of a tuple: they have no labels yet. *)

let unlabelled parts = parts
let labelled parts = parts
