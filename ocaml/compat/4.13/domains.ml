(** Whether OCaml code may run on several processors at the same time: 4.13. *)

let several = false
