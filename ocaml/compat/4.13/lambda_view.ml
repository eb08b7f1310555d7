(** Parts of Lambda: 4.13. *)

open Lambda

(** What a [let rec] binds. *)
let bindings (bindings : (Ident.t * lambda) list) = bindings

(** Functions with default arguments that are bound together, split as in the stock compiler: a stub that computes the
    defaults, and a function that takes them as they are (features A7). *)
let split_defaults bindings =
  let split (id, lambda) =
    match lambda with
    | Lfunction { kind; params; return; body; attr; loc } ->
        Simplif.split_default_wrapper ~id ~kind ~params ~return ~body ~attr ~loc
    | _ -> [ (id, lambda) ]
  in
  List.concat_map split bindings

(** Whether string literals may be shared: not where strings may be mutable ([-unsafe-string]). *)
let strings_are_immutable = Config.safe_string
