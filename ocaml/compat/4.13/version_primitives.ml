(** Primitives of Lambda that differ between versions, as [Primitives] writes the others: 4.13. *)

open Lambda
open Lambda_numbers

(** The function of the runtime, with OCaml's own calling convention, that does what a primitive says. *)
let runtime_function (_ : primitive) : string option = None

(** The operands of a primitive as it is written. *)
let operands (_ : primitive) (args : lambda list) = args

(** Whether the one operand is evaluated before what [operands] adds. *)
let evaluates_first (_ : primitive) = false

(** Writes a primitive. *)
let write w prim =
  let open Byte_writer in
  match prim with
  | Pfield n ->
      (* Whether it may be assigned is not said. *)
      byte w Opcode.field; u w n; byte w Field_mutability.unknown
  | prim -> Lambda_codes.unknown prim
