(** Types of the source, as far as their representation depends on them: from 4.14 on, where types are abstract. *)

open Types

type row_argument = No_argument | Argument of type_expr | Unclear

type view =
  | Variable of int  (** With what distinguishes it from others. *)
  | Tuple of type_expr list
  | Constructor of Path.t * type_expr list
  | Row of { closed : bool; tags : (string * row_argument) list }  (** A polymorphic variant. *)
  | Scheme of type_expr  (** Of a polymorphic field. *)
  | Other

let row_argument field =
  match row_field_repr field with
  | Rpresent None | Reither (true, [], _) -> No_argument
  | Rpresent (Some ty) | Reither (false, [ ty ], _) -> Argument ty
  | Reither _ | Rabsent -> Unclear

let view ty =
  match get_desc ty with
  | Tvar _ -> Variable (get_id ty)
  | Ttuple parts -> Tuple (Tuple_parts.unlabelled parts)
  | Tconstr (path, args, _) -> Constructor (path, args)
  | Tvariant row ->
      let tags = List.map (fun (label, field) -> (label, row_argument field)) (row_fields row) in
      Row { closed = row_closed row; tags }
  | Tpoly (ty, _) -> Scheme ty
  | _ -> Other

(** The parameter and the result of a function. *)
let arrow ty = match get_desc ty with Tarrow (_, argument, result, _) -> Some (argument, result) | _ -> None

(** The type of the first argument of a function. *)
let first_argument ty = Option.map fst (arrow ty)
