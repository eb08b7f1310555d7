(** Effects: from 5.0 on. *)

open Lambda

(** The function of the runtime, with OCaml's own calling convention, that does what a primitive says. *)
let runtime_function = function
  | Prunstack -> Some "caml_runstack"
  | Pperform -> Some "caml_perform"
  | Presume -> Some "caml_resume"
  | Preperform -> Some "caml_reperform"
  | _ -> None

(** What [perform] captures: the fiber and the last of those between it and the handler. *)
let continuation =
  let zero = Lconst (Const_base (Const_int 0)) in
  Lprim (Pmakeblock (Obj.cont_tag, Mutable, None), [ zero; zero ], Loc_unknown)
