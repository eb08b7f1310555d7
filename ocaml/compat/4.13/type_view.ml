(** Types of the source, as far as their representation depends on them: 4.13. *)

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
  match Btype.row_field_repr field with
  | Rpresent None | Reither (true, [], _, _) -> No_argument
  | Rpresent (Some ty) | Reither (false, [ ty ], _, _) -> Argument ty
  | Reither _ | Rabsent -> Unclear

let view ty =
  let ty = Btype.repr ty in
  match ty.desc with
  | Tvar _ -> Variable ty.id
  | Ttuple parts -> Tuple parts
  | Tconstr (path, args, _) -> Constructor (path, args)
  | Tvariant row ->
      let row = Btype.row_repr row in
      let tags = List.map (fun (label, field) -> (label, row_argument field)) row.row_fields in
      Row { closed = row.row_closed; tags }
  | Tpoly (ty, _) -> Scheme ty
  | _ -> Other

(** The parameter and the result of a function. *)
let arrow ty = match (Btype.repr ty).desc with Tarrow (_, argument, result, _) -> Some (argument, result) | _ -> None

(** The type of the first argument of a function. *)
let first_argument ty = Option.map fst (arrow ty)
