(** Atomic loads: from 5.0 on, of the only field of a block. *)

open Cmm

let of_value = "%atomic_load"
let of_immediate = "%atomic_load_immediate"

(** Applies the C call of that name, if it is one of these. *)
let apply ~name args dbg =
  match args with
  | [ block ] when name = of_value -> Some (Cop (Cmm_helpers.mk_load_atomic Word_val, [ block ], dbg))
  | [ block ] when name = of_immediate -> Some (Cop (Cmm_helpers.mk_load_atomic Word_int, [ block ], dbg))
  | _ -> None
