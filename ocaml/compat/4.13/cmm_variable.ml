(** Reads of variables in Cmm: 4.13. *)

let read ~is_mutable:(_ : bool) var = Cmm.Cvar var
