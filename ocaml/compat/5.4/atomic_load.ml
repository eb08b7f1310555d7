(** Atomic loads: from 5.4 on, of any field of a block, whose tagged number is the second operand. *)

open Cmm

let of_value = "%atomic_load"

(** Applies the C call of that name, if it is one of these. *)
let apply ~name args dbg =
  match args with
  | [ block; field ] when name = of_value ->
      let address = Cmm_helpers.field_address_computed block field dbg in
      Some (Cop (Cmm_helpers.mk_load_atomic Word_val, [ address ], dbg))
  | _ -> None
