(** The linker's names: from 5.1 on, with a separator that no name of a unit has in it. *)

(** What stands between a unit and the name of what it defines. *)
let separator = String.make 1 Compilenv.symbol_separator
