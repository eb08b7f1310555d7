(** What attributes look for in a parse tree: from 5.3 on (functions take several parameters since 5.2, constants have
    locations). *)

open Parsetree

let is_function e = match e.pexp_desc with Pexp_function _ -> true | _ -> false

(** The digits of an integer literal without suffix. *)
let integer_literal e =
  match e.pexp_desc with
  | Pexp_constant { pconst_desc = Pconst_integer (digits, None); _ } -> Some digits
  | _ -> None
