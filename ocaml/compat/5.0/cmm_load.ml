(** Loads of Cmm: from 5.0 on, where they may be atomic. *)

open Cmm

(** A load that is not atomic. *)
let plain memory_chunk mutability = Cload { memory_chunk; mutability; is_atomic = false }

(** If an operation is a plain load: what is loaded, and the same load of something else. *)
let view = function
  | Cload { memory_chunk; mutability; is_atomic = false } -> Some (memory_chunk, fun chunk -> plain chunk mutability)
  | _ -> None
