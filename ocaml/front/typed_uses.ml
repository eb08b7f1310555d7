(** At which types the source uses the functions of the runtime that compare any values
    ([docs/design/types-of-the-source.md]).

    Lambda does not carry types, but its primitives have the locations of the expressions that they come from. So the
    uses are collected from the typed tree by location, when the first comparison is met in Lambda, and found again
    there. What stands twice under one location (code that a preprocessor made) with different types is forgotten. *)

open Typedtree

type position = { file : string; first : int; last : int; runtime_function : string }

let position (loc : Location.t) runtime_function =
  { file = loc.loc_start.pos_fname; first = loc.loc_start.pos_cnum; last = loc.loc_end.pos_cnum; runtime_function }

type description = { terms : Type_terms.term list; root : int }

type t = (position, description option) Hashtbl.t

(** The functions of the runtime, by the names that the source may have for them. *)
let runtime_function = function
  | "%compare" | "caml_compare" -> Some "caml_compare"
  | "%equal" | "caml_equal" -> Some "caml_equal"
  | "%notequal" | "caml_notequal" -> Some "caml_notequal"
  | "%lessthan" | "caml_lessthan" -> Some "caml_lessthan"
  | "%lessequal" | "caml_lessequal" -> Some "caml_lessequal"
  | "%greaterthan" | "caml_greaterthan" -> Some "caml_greaterthan"
  | "%greaterequal" | "caml_greaterequal" -> Some "caml_greaterequal"
  | _ -> None

let describe env ty =
  Option.map (fun (terms, root) -> { terms; root }) (Option.bind (Type_view.first_argument ty) (Type_terms.of_type env))

let note uses loc runtime_function description =
  let position = position loc runtime_function in
  match Hashtbl.find_opt uses position with
  | Some other when other <> description -> Hashtbl.replace uses position None
  | Some _ -> ()
  | None -> Hashtbl.add uses position description

(* The type at which [e] is a function of the runtime. *)
let used_function e =
  match e.exp_desc with
  | Texp_ident (_, _, { val_kind = Val_prim primitive; _ }) ->
      Option.map (fun name -> (name, describe e.exp_env e.exp_type)) (runtime_function primitive.prim_name)
  | _ -> None

(* Translated to Lambda, a primitive has the location of the application; if it gets too few arguments, its own. *)
let expression uses super self e =
  let used = match e.exp_desc with Texp_apply (f, _) -> used_function f | _ -> used_function e in
  Option.iter (fun (name, description) -> note uses e.exp_loc name description) used;
  super.Tast_iterator.expr self e

exception Coerced

(* A primitive that a coercion makes a function of has the location of a module, or of a declaration. *)
let rec coercion = function
  | Tcoerce_none -> ()
  | Tcoerce_structure (fields, others) ->
      List.iter (fun (_, c) -> coercion c) fields;
      List.iter (fun (_, _, c) -> coercion c) others
  | Tcoerce_functor (parameter, result) ->
      coercion parameter;
      coercion result
  | Tcoerce_primitive { pc_desc; _ } ->
      if Option.is_some (runtime_function pc_desc.prim_name) then raise_notrace Coerced
  | Tcoerce_alias (_, _, c) -> coercion c

let module_expression super self m =
  (match m.mod_desc with
  | Tmod_constraint (_, _, _, c) | Tmod_apply (_, _, c) -> coercion c
  | _ -> ());
  super.Tast_iterator.module_expr self m

(** The uses in a structure: none, if a coercion has some that are not told from others. *)
let collect (typed : Typedtree.implementation) : t =
  let uses = Hashtbl.create 64 in
  let super = Tast_iterator.default_iterator in
  let iterator = { super with expr = expression uses super; module_expr = module_expression super } in
  (try
     coercion typed.coercion;
     iterator.structure iterator typed.structure
   with Coerced -> Hashtbl.reset uses);
  uses

(** The type at which a function of the runtime is used in Lambda, if it is known. *)
let find (uses : t Lazy.t) (loc : Lambda.scoped_location) name =
  match (runtime_function name, loc) with
  | Some _, Loc_known { loc; _ } ->
      Option.join (Hashtbl.find_opt (Lazy.force uses) (position loc name))
  | (Some _ | None), _ -> None
