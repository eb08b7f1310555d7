(** The variable that a pattern binds by itself: up to 5.1. *)

open Typedtree

let of_pattern (type k) (pattern : k general_pattern) =
  match pattern.pat_desc with
  | Tpat_var (id, _) -> Some id
  | Tpat_alias (_, id, _) -> Some id
  | _ -> None
