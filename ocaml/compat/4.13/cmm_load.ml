(** Loads of Cmm: 4.13. *)

open Cmm

(** A load that is not atomic. *)
let plain chunk mutability = Cload (chunk, mutability)

(** If an operation is a plain load: what is loaded, and the same load of something else. *)
let view = function
  | Cload (chunk, mutability) -> Some (chunk, fun chunk -> Cload (chunk, mutability))
  | _ -> None
