(** The variable that a pattern binds by itself: from 5.4 on, where aliases have a type. *)

open Typedtree

let of_pattern (type k) (pattern : k general_pattern) =
  match pattern.pat_desc with
  | Tpat_var (id, _, _) -> Some id
  | Tpat_alias (_, id, _, _, _) -> Some id
  | _ -> None
