(** The garbage collector of the compiler's own memory: 4.13. *)

(** Free memory beside live memory, in hundredths, while a unit is not known to be large; if it is not what the runtime
    was started with ([crates/flambeau/src/boundary/memory.rs]), which lets slices of the collection see more. *)
let space_overhead : int option = None

(** Whether the heap that the runtime begins with is in one piece. *)
let heap_is_one_piece = true
