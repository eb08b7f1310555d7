(** C calls that are not calls but operations of Cmm: from 5.0 on. To the middle end they are calls of unknown C
    functions, so that it moves nothing across them (docs/memory-model.md). *)

open Cmm

let dls_get = "%dls_get"
let poll = "%poll"

(** Applies such an operation, if the name is that of one. *)
let apply ~name args dbg =
  match args with
  | [ unit ] when name = dls_get -> Some (Cop (Cdls_get, [ unit ], dbg))
  | [ unit ] when name = poll ->
      Some (Csequence (Cmm_helpers.remove_unit unit, Cmm_helpers.return_unit dbg (Cop (Cpoll, [], dbg))))
  | _ -> Atomic_load.apply ~name args dbg
