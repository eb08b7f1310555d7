(** The linker's names: 4.13. *)

(** What stands between a unit and the name of what it defines. *)
let separator = "__"
