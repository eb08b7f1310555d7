(** C calls of a reply that are not calls but operations of Cmm: 4.13 has none. *)

(** Applies such an operation, if the name is that of one. *)
let apply ~name:(_ : string) (_ : Cmm.expression list) (_ : Debuginfo.t) : Cmm.expression option = None
