(** Whether OCaml code may run on several processors at the same time: from 5.0 on. *)

let several = true
