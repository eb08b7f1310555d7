(** Making Lambda, where versions differ: from 5.2 on, where a [let rec] binds functions only. *)

open Lambda

let function_ ~params ~body ~loc =
  let params = List.map (fun id -> (id, Pgenval)) params in
  lfunction ~kind:Curried ~params ~return:Pgenval ~body ~attr:default_function_attribute ~loc

(** Functions that know one another. *)
let letrec functions body =
  let binding (id, lambda) =
    match lambda with Lfunction def -> { id; def } | _ -> Misc.fatal_error "flambeau: no function in a let rec"
  in
  Lletrec (List.map binding functions, body)

let field n ~mutable_ = Pfield (n, Pointer, if mutable_ then Mutable else Immutable)

(* The last operand is what native code captures the fiber in. *)
let rec without_last = function [] | [ _ ] -> [] | arg :: args -> arg :: without_last args

(** The primitive that is a function of the runtime with OCaml's own calling convention, and its operands. *)
let runtime_function name args =
  match name with
  | "caml_runstack" -> (Prunstack, args)
  | "caml_perform" -> (Pperform, without_last args)
  | "caml_resume" -> (Presume, args)
  | "caml_reperform" -> (Preperform, args)
  | _ -> Misc.fatal_errorf "flambeau: there is no primitive %s" name
