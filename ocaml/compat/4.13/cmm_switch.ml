(** Switches of Cmm: 4.13. *)

(** A switch on a naked integer, by a table or a tree. *)
let on_naked dbg scrutinee index arms = Cmm_helpers.transl_switch_clambda dbg scrutinee index arms
