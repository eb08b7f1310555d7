(** Here object files are made by the system's assembler. *)

let register () = ()
