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

(** Whether the one operand is evaluated before what is added to it. A continuation is for a [perform] that follows at
    once: one that the collector has promoted before the runtime writes the fiber into it (it writes without a barrier)
    is not looked at by the next minor collection, and the fiber keeps pointers to where its values were. Stock native
    code up to 5.4 allocates the continuation before the operand, and has this error. *)
let evaluates_first = function Pperform -> true | _ -> false
