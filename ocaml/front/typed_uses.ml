(** At which types the source uses the functions of the runtime that compare any values, and calls functions that may
    ([docs/design/types-of-the-source.md]).

    Lambda does not carry types, but its primitives and applications have the locations of the expressions that they
    come from. So the uses are collected from the typed tree by location, and found again in Lambda. What stands twice under one location (code that a preprocessor made) with different types is forgotten. *)

open Typedtree

type position = { file : string; first : int; last : int; runtime_function : string }

let position (loc : Location.t) runtime_function =
  { file = loc.loc_start.pos_fname; first = loc.loc_start.pos_cnum; last = loc.loc_end.pos_cnum; runtime_function }

type description = Argument_shapes.description = { terms : Type_terms.term list; root : int }

(* What stands under one location. *)
type use = {
  mutable description : description option;
  mutable count : int;
  mutable coerced_to : description option;  (** The type of all that use a function that is this one. *)
  mutable operand : (Env.t * Types.type_expr) option;  (** The type of the operands, if only one use stands here. *)
}

(* Where an application stands. *)
type place = { in_file : string; from : int; until : int }

type application = {
  shapes : Argument_shapes.shape list Lazy.t;  (** Of the arguments. *)
  of_own : bool;  (** The function is of this unit, as far as the path shows. *)
}

type t = {
  comparisons : (position, use) Hashtbl.t;
  applications : (place, application) Hashtbl.t;
  variables : (Env.t * Types.type_expr) Ident.Tbl.t;  (** The variables that patterns bind. *)
  mutable polymorphic : bool;
      (** Some function of the unit may compare values of any type, or has arrays of such. *)
}

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

let description = Option.map (fun (terms, root) -> { terms; root })
let describe env ty = description (Option.bind (Type_view.first_argument ty) (Type_terms.of_type env))

let use uses loc runtime_function =
  let position = position loc runtime_function in
  match Hashtbl.find_opt uses.comparisons position with
  | Some use -> use
  | None ->
      let use = { description = None; count = 0; coerced_to = None; operand = None } in
      Hashtbl.add uses.comparisons position use;
      use

let is_unknown { terms; root } = List.nth terms root = Type_terms.Unknown

let note uses loc runtime_function (description, operand) =
  if Option.fold ~none:true ~some:is_unknown description then uses.polymorphic <- true;
  let use = use uses loc runtime_function in
  use.count <- use.count + 1;
  use.operand <- (if use.count = 1 then operand else None);
  if use.count = 1 then use.description <- description
  else if use.description <> description then use.description <- None

(* The name of the primitive that [e] is. *)
let primitive_of e =
  match e.exp_desc with
  | Texp_ident (_, _, { val_kind = Val_prim primitive; _ }) -> Some primitive.prim_name
  | _ -> None

(* The name of the function of the runtime that [e] is. *)
let function_of e = Option.bind (primitive_of e) runtime_function

let used_function e =
  let operand = Option.map (fun ty -> (e.exp_env, ty)) (Type_view.first_argument e.exp_type) in
  Option.map (fun name -> (name, (describe e.exp_env e.exp_type, operand))) (function_of e)

(* {1 Calls of polymorphic functions} *)

let unknown = { shapes = lazy []; of_own = false }

let place (loc : Location.t) =
  { in_file = loc.loc_start.pos_fname; from = loc.loc_start.pos_cnum; until = loc.loc_end.pos_cnum }

let is_polymorphic scheme = Ctype.free_variables scheme <> []
let is_variable ty = match Type_view.view ty with Variable _ -> true | _ -> false

(* The functions of the standard library that compare or hash, or have arrays of any type. What others are called with
   is not described: this is all that the list is for. *)
let is_of_interest_in_library = function
  | ("List" | "ListLabels"), ("mem" | "assoc" | "assoc_opt" | "mem_assoc" | "remove_assoc" | "fold_left") -> true
  | ( ("Array" | "ArrayLabels"),
      ( "mem" | "fold_left" | "fold_right" | "map" | "mapi" | "map2" | "init" | "iter" | "iteri" | "iter2" | "exists"
      | "for_all" | "sort" | "stable_sort" | "fast_sort" | "to_list" | "of_list" | "make_matrix" ) ) ->
      true
  | "Hashtbl", ("add" | "find" | "find_opt" | "find_all" | "mem" | "remove" | "replace" | "hash") -> true
  | "Stdlib", ("min" | "max") -> true
  | _ -> false

let module_name = function
  | Path.Pident id -> Ident.name id
  | Path.Pdot (_, name) -> name
  | path -> Path.last path

let is_of_interest path =
  Ident.name (Path.head path) <> "Stdlib"
  ||
  match path with
  | Path.Pdot (of_module, name) -> is_of_interest_in_library (module_name of_module, name)
  | _ -> false

(* [Obj.magic x]: nothing is known of a value by this type. *)
let is_magic e =
  match e.exp_desc with
  | Texp_apply ({ exp_desc = Texp_ident (_, _, { val_kind = Val_prim { prim_name = "%identity"; _ }; _ }); _ }, _) ->
      true
  | _ -> false

let is_polymorphic_function e =
  match e.exp_desc with
  | Texp_ident (_, _, { val_kind = Val_reg; val_type; _ }) -> is_polymorphic val_type && Type_view.arrow val_type <> None
  | _ -> false

(* A polymorphic function that is passed on is called at the type that it has there. *)
let shape_of_function e =
  match e.exp_desc with
  | Texp_ident (_, _, { val_type = scheme; _ }) when is_polymorphic_function e ->
      Argument_shapes.of_function e.exp_env ~scheme ~instance:e.exp_type
  | _ -> Argument_shapes.Unknown

let shapes_of_application uses f args =
  match f.exp_desc with
  | Texp_ident (path, _, { val_kind = Val_reg; val_type = scheme; _ })
    when (not (List.exists is_magic args))
         && is_polymorphic scheme
         && (is_of_interest path || List.exists is_polymorphic_function args) ->
      let instance = f.exp_type in
      if Ctype.free_variables instance <> [] then uses.polymorphic <- true;
      let shape of_parameter arg =
        match shape_of_function arg with Argument_shapes.Unknown -> of_parameter | of_function -> of_function
      in
      let rec shapes parameters args =
        match (parameters, args) with
        | parameter :: parameters, arg :: args -> shape parameter arg :: shapes parameters args
        | _, args -> List.map shape_of_function args
      in
      {
        shapes = lazy (shapes (Argument_shapes.of_application f.exp_env ~scheme ~instance) args);
        of_own = not (Ident.persistent (Path.head path));
      }
  | _ -> unknown

(* The function that is applied and all arguments, if none is left out. In Lambda [x |> f a] and [f a @@ x] are [f a x],
   where the whole stands; type checkers make [(f a) x] of them, or keep the operator. *)
let rec applied e =
  match e.exp_desc with
  | Texp_apply (f, args) ->
      let apply args =
        match (primitive_of f, args) with
        | Some "%apply", [ f; arg ] | Some "%revapply", [ arg; f ] -> applied_to f [ arg ]
        | _, args -> applied_to f args
      in
      Option.map apply (Application_args.all_given args)
  | _ -> None

and applied_to f args =
  match applied f with
  | Some (f, first) -> (f, first @ args)
  | None -> (f, args)

(* Where several applications stand, they must have the same types. *)
let note_application uses loc application =
  let place = place loc in
  match Hashtbl.find_opt uses.applications place with
  | None -> Hashtbl.add uses.applications place application
  | Some others ->
      if Lazy.force others.shapes <> Lazy.force application.shapes then
        Hashtbl.replace uses.applications place unknown

let application uses e =
  match (e.exp_desc, applied e) with
  | Texp_apply _, None -> note_application uses e.exp_loc unknown
  | _, Some (f, args) -> note_application uses e.exp_loc (shapes_of_application uses f args)
  | _, None -> ()

let is_prefix prefix name =
  let length = String.length prefix in
  String.length name >= length && String.sub name 0 length = prefix

(* An operation on arrays of values of any type, or on bigarrays of any kind or layout. *)
let array_operation uses f =
  match f.exp_desc with
  | Texp_ident (_, _, { val_kind = Val_prim { prim_name; _ }; _ }) when is_prefix "%caml_ba_" prim_name ->
      let known = Option.bind (Type_view.first_argument f.exp_type) (Argument_shapes.known_bigarray f.exp_env) in
      if Option.is_none known then uses.polymorphic <- true
  | Texp_ident (_, _, { val_kind = Val_prim { prim_name; _ }; _ })
    when is_prefix "%array_" prim_name -> (
      match Option.map Type_view.view (Type_view.first_argument f.exp_type) with
      | Some (Constructor (_, [ element ])) when is_variable element -> uses.polymorphic <- true
      | _ -> ())
  | _ -> ()

(* {1 Variables} *)

let pattern uses super self (type k) (pattern : k general_pattern) =
  let note id = Ident.Tbl.replace uses.variables id (pattern.pat_env, pattern.pat_type) in
  Option.iter note (Pattern_variable.of_pattern pattern);
  super.Tast_iterator.pat self pattern

(* Nothing is known of a value by a type that it was given by [Obj.magic]. *)
let value_binding uses super self binding =
  super.Tast_iterator.value_binding self binding;
  if is_magic binding.vb_expr then List.iter (Ident.Tbl.remove uses.variables) (pat_bound_idents binding.vb_pat)

(** What a variable is, over the type variables of the functions that it is in, if that matters. *)
let variable_shape (uses : t Lazy.t) id =
  let uses = Lazy.force uses in
  match Ident.Tbl.find uses.variables id with
  | env, ty when uses.polymorphic -> Argument_shapes.of_variables env ty
  | _ -> Argument_shapes.Unknown
  | exception Not_found -> Argument_shapes.Unknown

(** The front end made a function with these parameters of a primitive: [compare] alone. *)
let note_operands (uses : t Lazy.t) (loc : Lambda.scoped_location) name ids =
  match (runtime_function name, loc) with
  | Some _, Loc_known { loc; _ } ->
      let uses = Lazy.force uses in
      let use = Hashtbl.find_opt uses.comparisons (position loc name) in
      let operand = Option.bind use (fun use -> use.operand) in
      Option.iter (fun operand -> List.iter (fun id -> Ident.Tbl.replace uses.variables id operand) ids) operand
  | (Some _ | None), _ -> ()

(* {1 Expressions} *)

(* Translated to Lambda, a primitive has the location of the application; if it gets too few arguments, its own. *)
let expression uses super self e =
  let used = match e.exp_desc with Texp_apply (f, _) -> used_function f | _ -> used_function e in
  Option.iter (fun (name, description) -> note uses e.exp_loc name description) used;
  application uses e;
  array_operation uses e;
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

(* {1 Structures that are seen at a signature}

   [module M = Map.Make (struct type t = int * int let compare = compare end)]: the function is polymorphic, but those
   who use it see the type of the functor's parameter. So it is with an interface of a unit. *)

exception Mentioned

let mentions structure id =
  let super = Tast_iterator.default_iterator in
  let expr self e =
    match e.exp_desc with
    | Texp_ident (Path.Pident other, _, _) when Ident.same other id -> raise_notrace Mentioned
    | _ -> super.expr self e
  in
  let iterator = { super with expr } in
  match iterator.structure iterator structure with () -> false | exception Mentioned -> true

let exported_value (signature : Types.signature) name =
  List.find_map
    (function Types.Sig_value (id, value, _) when Ident.name id = name -> Some (id, value) | _ -> None)
    signature

let exported_type (signature : Types.signature) name =
  List.find_map (function Types.Sig_type (id, _, _, _) when Ident.name id = name -> Some id | _ -> None) signature

(* The type of the structure that the first argument of a value of the signature has. *)
let argument_in structure signature (value : Types.value_description) =
  match Option.map Type_view.view (Type_view.first_argument value.val_type) with
  | Some (Constructor (Path.Pident id, [])) -> (
      match exported_type signature (Ident.name id) with
      | Some other when Ident.same id other ->
          let own = exported_type structure.str_type (Ident.name id) in
          Option.bind own (fun own -> Type_terms.of_constructor structure.str_final_env (Path.Pident own))
      | Some _ | None -> None)
  | _ -> None

(* A binding of a structure that nothing but what the signature shows can use. *)
let binding_seen_at uses structure signature { vb_pat; vb_expr; _ } =
  match (function_of vb_expr, pat_bound_idents vb_pat) with
  | Some name, [ id ] -> (
      match (exported_value structure.str_type (Ident.name id), exported_value signature (Ident.name id)) with
      | Some (own, _), Some (_, value) when Ident.same own id && not (mentions structure id) ->
          (use uses vb_expr.exp_loc name).coerced_to <- description (argument_in structure signature value)
      | _ -> ())
  | _ -> ()

let seen_at uses structure signature =
  let item { str_desc; _ } =
    match str_desc with
    | Tstr_value (_, bindings) -> List.iter (binding_seen_at uses structure signature) bindings
    | _ -> ()
  in
  List.iter item structure.str_items

let rec structure_of m =
  match m.mod_desc with
  | Tmod_structure structure -> Some structure
  | Tmod_constraint (m, _, Tmodtype_implicit, _) -> structure_of m
  | _ -> None

let scrape env ty = try Some (Mtype.scrape env ty) with Not_found | Env.Error _ -> None

let module_seen_at uses env m ty =
  match (structure_of m, Option.bind ty (scrape env)) with
  | Some structure, Some (Types.Mty_signature signature) -> seen_at uses structure signature
  | _ -> ()

let parameter env f =
  match scrape env f.mod_type with Some (Types.Mty_functor (Named (_, ty), _)) -> Some ty | _ -> None

(* {1 Modules that functors are applied to} *)

(* How the types of a module are named in an environment: those of a structure, or of a module with a name. *)
let rec types_of_module m =
  match m.mod_desc with
  | Tmod_ident (path, _) -> Some (m.mod_env, fun id -> Path.Pdot (path, Ident.name id))
  | Tmod_structure structure -> Some (structure.str_final_env, fun id -> Path.Pident id)
  | Tmod_constraint (m, _, Tmodtype_implicit, _) -> types_of_module m
  | _ -> None

let signature_of env ty =
  match scrape env (Env.scrape_alias env ty) with Some (Types.Mty_signature signature) -> Some signature | _ -> None

(* What the functions of a module are called with by a functor that sees it at a signature: those that are polymorphic
   in the module itself, such as [compare] in [struct type t = int * int let compare = compare end]. *)
let shape_of_module m formal =
  match (types_of_module m, signature_of m.mod_env m.mod_type, signature_of m.mod_env formal) with
  | Some (env, path_of), Some own, Some seen ->
      let known known = function
        | Types.Sig_type (id, _, _, _) -> (
            match exported_type own (Ident.name id) with
            | Some own -> Subst.add_type id (path_of own) known
            | None -> known)
        | _ -> known
      in
      let types = List.fold_left known Subst.identity seen in
      let shape id =
        match (exported_value own (Ident.name id), exported_value seen (Ident.name id)) with
        | Some (_, { val_type = scheme; _ }), Some (seen, { val_type; _ })
          when Ident.same seen id && is_polymorphic scheme ->
            Argument_shapes.of_function env ~scheme ~instance:(Subst.type_expr types val_type)
        | _ -> Argument_shapes.Unknown
      in
      Argument_shapes.of_module (List.map shape (Types.bound_value_identifiers seen))
  | _ -> Argument_shapes.Unknown

let functor_application uses m argument formal =
  let shapes = lazy [ shape_of_module argument formal ] in
  note_application uses m.mod_loc { shapes; of_own = false }

let module_expression uses super self m =
  (match m.mod_desc with
  | Tmod_constraint (inner, ty, Tmodtype_explicit _, c) ->
      coercion c;
      module_seen_at uses m.mod_env inner (Some ty)
  | Tmod_apply (f, argument, c) ->
      coercion c;
      let formal = parameter m.mod_env f in
      module_seen_at uses m.mod_env argument formal;
      Option.iter (functor_application uses m argument) formal
  | Tmod_constraint (_, _, Tmodtype_implicit, c) -> coercion c
  | _ -> ());
  super.Tast_iterator.module_expr self m

(* {1 All uses} *)

(** The uses in a structure: none, if a coercion has some that can't be distinguished from others. *)
let collect (typed : Typedtree.implementation) : t =
  let uses =
    {
      comparisons = Hashtbl.create 64;
      applications = Hashtbl.create 64;
      variables = Ident.Tbl.create 64;
      polymorphic = false;
    }
  in
  let super = Tast_iterator.default_iterator in
  let pat self found = pattern uses super self found in
  let value_binding self binding = value_binding uses super self binding in
  let expr = expression uses super and module_expr = module_expression uses super in
  let iterator = { super with expr; module_expr; pat; value_binding } in
  (try
     coercion typed.coercion;
     seen_at uses typed.structure typed.signature;
     iterator.structure iterator typed.structure
   with Coerced ->
     Hashtbl.reset uses.comparisons;
     Ident.Tbl.reset uses.variables;
     Hashtbl.reset uses.applications);
  uses

(** The type at which a function of the runtime is used in Lambda, if it is known. *)
let find (uses : t Lazy.t) (loc : Lambda.scoped_location) name =
  match (runtime_function name, loc) with
  | Some _, Loc_known { loc; _ } ->
      Option.bind (Hashtbl.find_opt (Lazy.force uses).comparisons (position loc name)) (fun use ->
          match use.description with
          | Some known when is_unknown known && use.count = 1 -> use.coerced_to
          | known -> known)
  | (Some _ | None), _ -> None

(** The shapes of the arguments of an application in Lambda, as far as they are known and matter. *)
let argument_shapes (uses : t Lazy.t) (loc : Lambda.scoped_location) args =
  match loc with
  | Loc_known { loc; _ } -> (
      let uses = Lazy.force uses in
      match Hashtbl.find_opt uses.applications (place loc) with
      | Some { shapes; of_own } when (not of_own) || uses.polymorphic ->
          let shapes = Lazy.force shapes in
          let is_informative = List.exists (( <> ) Argument_shapes.Unknown) shapes in
          if is_informative && List.compare_lengths shapes args = 0 then shapes else []
      | Some _ | None -> [])
  | Loc_unknown -> []
