(** The garbage collector of the compiler's own memory: from 5.0 on. *)

(** Free memory beside live memory, in hundredths, while a unit is not known to be large: most of what is promoted lives
    to the end, and marking it takes 4 % of the time of small units. What a slice has to do is known before its hook is
    called, so that the hook of 4.x has no effect; and no block is followed by free memory of this proportion. *)
let space_overhead : int option = Some 1000

(** Whether the heap that the runtime begins with is in one piece: it grows by pools of 32 kB, some at once. *)
let heap_is_one_piece = false
