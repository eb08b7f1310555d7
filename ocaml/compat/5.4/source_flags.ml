(** Flags that change what a source means: their names from 5.4 on. *)

let no_alias_deps = Clflags.no_alias_deps
