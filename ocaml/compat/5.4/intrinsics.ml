(** C calls that are not calls but operations of Cmm: from 5.4 on. To the middle end they are calls of C functions of which it
    knows nothing, so that it moves nothing over them (docs/memory-model.md). *)

open Cmm

let atomic_load = "%atomic_load"
let dls_get = "%dls_get"
let poll = "%poll"

(** Applies such an operation, if the name is that of one. An atomic load takes a block and a tagged field. *)
let apply ~name args dbg =
  match args with
  | [ block; field ] when name = atomic_load ->
      let address = Cmm_helpers.field_address_computed block field dbg in
      Some (Cop (Cmm_helpers.mk_load_atomic Word_val, [ address ], dbg))
  | [ unit ] when name = dls_get -> Some (Cop (Cdls_get, [ unit ], dbg))
  | [ unit ] when name = poll ->
      Some (Csequence (Cmm_helpers.remove_unit unit, Cmm_helpers.return_unit dbg (Cop (Cpoll, [], dbg))))
  | _ -> None
