(** Flags that change what a source means: their names up to 5.3. *)

let no_alias_deps = Clflags.transparent_modules
