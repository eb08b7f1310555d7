(** Reads of variables in Cmm: from 5.4 on, those of mutable ones say so. The back end moves others past assignments. *)

let read ~is_mutable var = if is_mutable then Cmm.Cvar_mut var else Cvar var
