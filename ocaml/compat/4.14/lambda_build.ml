(** Making Lambda, where versions differ: 4.14. *)

open Lambda

let function_ ~params ~body ~loc =
  let params = List.map (fun id -> (id, Pgenval)) params in
  lfunction ~kind:Curried ~params ~return:Pgenval ~body ~attr:default_function_attribute ~loc

(** Functions that know one another. *)
let letrec (functions : (Ident.t * lambda) list) body = Lletrec (functions, body)

let field n ~mutable_:(_ : bool) = Pfield n

(** The primitive that is a function of the runtime with OCaml's own calling convention, and its operands. *)
let runtime_function (name : string) (_ : lambda list) : primitive * lambda list =
  Misc.fatal_errorf "flambeau: there is no primitive %s" name
