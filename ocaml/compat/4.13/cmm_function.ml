(** Functions of Cmm: 4.13. *)

open Cmm

(** A function, as the back end wants it. *)
let make ~name ~params ~body ~dbg ~fun_codegen_options ~may_poll:(_ : bool) =
  Cfunction { fun_name = name; fun_args = params; fun_body = body; fun_codegen_options; fun_dbg = dbg }
