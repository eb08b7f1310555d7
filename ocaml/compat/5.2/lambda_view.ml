(** Parts of Lambda: from 5.2 on, where the front end compiles recursive values, and [let rec] binds functions only. *)

open Lambda

(** What a [let rec] binds. *)
let bindings bindings = List.map (fun { id; def } -> (id, Lfunction def)) bindings

let split id { kind; params; return; body; attr; loc } =
  bindings (Simplif.split_default_wrapper ~id ~kind ~params ~return ~body ~attr ~loc)

(** Functions with default arguments that are bound together, split as in the stock compiler: a stub that computes the
    defaults, and a function that takes them as they are (features A7); but a single function that is always to be
    inlined is not split. *)
let split_defaults = function
  | [ (_, Lfunction { attr = { inline = Always_inline; _ }; _ }) ] as alone -> alone
  | bindings ->
      List.concat_map
        (fun (id, lambda) -> match lambda with Lfunction f -> split id f | _ -> [ (id, lambda) ])
        bindings

(** Whether string literals may be shared. *)
let strings_are_immutable = true
