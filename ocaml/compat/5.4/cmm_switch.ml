(** Switches of Cmm: from 5.4 on, where the scrutinee says whether it is tagged. *)

(** A switch on a naked integer, by a table or a tree. *)
let on_naked dbg scrutinee index arms = Cmm_helpers.transl_switch_clambda dbg (Untagged scrutinee) index arms
