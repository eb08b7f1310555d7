(** Functions of Cmm: from 4.14 on, where a function may promise not to poll. *)

open Cmm

(** A function, as the back end wants it. [may_poll]: without [[@poll error]]. *)
let make ~name ~params ~body ~dbg ~fun_codegen_options ~may_poll =
  let fun_poll = if may_poll then Lambda.Default_poll else Error_poll in
  Cfunction { fun_name = name; fun_args = params; fun_body = body; fun_codegen_options; fun_poll; fun_dbg = dbg }
