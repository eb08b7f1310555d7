(** What attributes look for in a parse tree: 4.13. *)

open Parsetree

let is_function e = match e.pexp_desc with Pexp_fun _ | Pexp_function _ -> true | _ -> false

(** The digits of an integer literal without suffix. *)
let integer_literal e =
  match e.pexp_desc with Pexp_constant (Pconst_integer (digits, None)) -> Some digits | _ -> None
