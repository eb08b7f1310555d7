(** What a call of a polymorphic function says of an argument: where the type variables of the function's own type stand
    in the type of the parameter, and what they are at the call ([docs/design/types-of-the-source.md]). *)

open Types

type description = { terms : Type_terms.term list; root : int }

type shape =
  | Unknown
  | Value of { description : description; exact : bool }
      (** Of the type that a variable is. [exact]: the caller itself might read it without asking what it is; else it is
          part of a type that somebody declared, and polymorphic code may have put something else there by [Obj]. *)
  | Array of shape
  | Bigarray of Lambda.bigarray_kind * Lambda.bigarray_layout  (** Both are known. *)
  | Block of shape list  (** Immediates, and blocks with these fields whatever their tags. *)
  | Enclosing of int  (** The block that has so many others around it. *)
  | Variable of int  (** Of whatever type this variable is: what is no argument, but in a function that has some. *)
  | Function of shape list * shape  (** What it is called with, and the result. *)

let describe env ty =
  match Type_terms.of_type env ty with
  | Some (terms, root) when List.nth terms root <> Type_terms.Unknown ->
      Value { description = { terms; root }; exact = true }
  | Some _ | None -> Unknown

let rec loose = function
  | Value { description; _ } -> Value { description; exact = false }
  | Array element -> Array (loose element)
  | Block fields -> Block (List.map loose fields)
  | Function (parameters, result) -> Function (List.map loose parameters, loose result)
  | (Unknown | Bigarray _ | Enclosing _ | Variable _) as shape -> shape

(* Whether something is known that does not only name blocks of this level, or further inside. *)
let rec is_informative level = function
  | Unknown -> false
  | Enclosing outer -> outer < level
  | Value _ | Bigarray _ | Variable _ -> true
  | Array part -> is_informative level part
  | Function (parameters, result) -> List.exists (is_informative level) (result :: parameters)
  | Block fields -> List.exists (is_informative level) fields

(* [around]: with the block itself. *)
let block around fields = if List.exists (is_informative (List.length around - 1)) fields then Block fields else Unknown

(* {1 The types of variables} *)

(* More pairs of types are not looked at: with [-rectypes], types are cyclic. *)
let most_pairs = 1_000

(* What the variables of a scheme are in an instance of it. Where the scheme has a tuple, a function or another type, the
   instance may have an abbreviation of it: [t] for ['a * 'b]. *)
let instances env scheme instance =
  let left = ref most_pairs in
  let rec add known scheme instance =
    decr left;
    if !left < 0 then known
    else
      match (Type_view.view scheme, Type_view.arrow scheme, Type_view.arrow instance) with
      | Variable id, _, _ -> if List.mem_assoc id known then known else (id, instance) :: known
      | _, Some (parameter, result), Some (argument, value) -> add (add known parameter argument) result value
      | view, arrow, _ -> (
          match (view, Type_view.view instance) with
          | Tuple parts, Tuple others -> add_all known parts others
          | Constructor (path, args), Constructor (other, others) when Path.same path other -> add_all known args others
          | Scheme ty, Scheme other -> add known ty other
          | (Tuple _ | Constructor _ | Scheme _), Constructor _ -> add_abbreviated known scheme instance
          | _, Constructor _ when Option.is_some arrow -> add_abbreviated known scheme instance
          | _ -> known)
  and add_abbreviated known scheme instance =
    let expanded = Ctype.expand_head env instance in
    match (Type_view.view instance, Type_view.view expanded) with
    | Constructor (path, _), Constructor (other, _) when Path.same path other -> known
    | _ -> add known scheme expanded
  and add_all known schemes others =
    if List.compare_lengths schemes others = 0 then List.fold_left2 add known schemes others else known
  in
  add [] scheme instance

(* {1 The shapes of parameters} *)

exception Too_large

(* [around]: the declared types that stand around, each with its arguments, or nothing for a tuple; the innermost one
   first. *)
type state = { env : Env.t; mutable fuel : int }

let largest = 100

(* In itself with other arguments a type is looked at that often. One that is not regular, ['a t = … | Two of ('a * 'a) t],
   is there with ever larger ones, whose shapes have twice as many parts each time. *)
let most_nested = 2

(* Types whose parts everybody reads. *)
let is_plain path = List.exists (Path.same path) [ Predef.path_list; Predef.path_option ]

(* The parameters of a function, up to as many, and its result. *)
let arrows ty =
  let rec from left ty =
    match Type_view.arrow ty with
    | Some (parameter, result) when left > 0 ->
        let parameters, result = from (left - 1) result in
        (parameter :: parameters, result)
    | Some _ | None -> ([], ty)
  in
  from largest ty

let rec of_type state variables around ty =
  state.fuel <- state.fuel - 1;
  if state.fuel < 0 then raise_notrace Too_large;
  match arrows ty with
  | [], _ -> (
      match Type_view.view ty with
      | Variable id -> ( match List.assoc_opt id variables with Some shape -> shape | None -> Unknown)
      | Tuple parts ->
          let around = None :: around in
          block around (List.map (of_type state variables around) parts)
      | Constructor (path, args) -> of_constructor state around path (List.map (of_type state variables around) args)
      | Scheme ty -> of_type state variables around ty
      | Row _ | Other -> Unknown)
  | parameters, result ->
      Function (List.map (of_type state variables around) parameters, of_type state variables around result)

and of_constructor state around path args =
  match args with
  | [ element ] when Path.same path Predef.path_array -> Array element
  | _ when List.for_all (( = ) Unknown) args -> Unknown
  | _ -> (
      let args = if is_plain path then args else List.map loose args in
      let rec enclosing = function
        | Some (other, others) :: outer when Path.same path other && args = others -> Some (List.length outer)
        | _ :: outer -> enclosing outer
        | [] -> None
      in
      let is_same = function Some (other, _) -> Path.same path other | None -> false in
      match enclosing around with
      | Some depth -> Enclosing depth
      | None when List.length (List.filter is_same around) >= most_nested -> Unknown
      | None -> declared state (Some (path, args) :: around) (Env.find_type path state.env) args)

(* [around]: with the type itself. *)
and declared state around declaration args =
  let parameter ty shape = match Type_view.view ty with Variable id -> Some (id, shape) | _ -> None in
  let variables = List.filter_map Fun.id (List.map2 parameter declaration.type_params args) in
  match (declaration.type_kind, declaration.type_manifest) with
  | Type_variant ([ { cd_args = Cstr_tuple [ ty ] | Cstr_record [ { ld_type = ty; _ } ]; _ } ], Variant_unboxed), _
  | Type_record ([ { ld_type = ty; _ } ], Record_unboxed _), _ ->
      of_type state variables (List.tl around) ty
  | Type_variant (constructors, Variant_regular), _ ->
      block around (List.fold_left both [] (List.map (constructor state variables around) constructors))
  | Type_record (labels, Record_regular), _ -> block around (labelled state variables around labels)
  | (Type_variant _ | Type_record _ | Type_open), _ -> Unknown
  | _, Some manifest -> of_type state variables (List.tl around) manifest
  | _, None -> Unknown

and constructor state variables around c =
  (* The variables of a constructor with a result of its own are its own. *)
  let variables = if Option.is_some c.cd_res then [] else variables in
  match c.cd_args with
  | Cstr_tuple types -> List.map (of_type state variables around) types
  | Cstr_record labels -> labelled state variables around labels

and labelled state variables around labels = List.map (fun l -> of_type state variables around l.ld_type) labels

(* The fields of blocks with one tag, or the other. *)
and both fields others =
  match (fields, others) with
  | field :: fields, other :: others -> (if field = other then field else Unknown) :: both fields others
  | fields, [] | [], fields -> fields

let of_parameter env variables ty =
  let state = { env; fuel = largest } in
  match of_type state variables [] ty with
  | shape -> if is_informative 0 shape then shape else Unknown
  | exception (Too_large | Not_found | Env.Error _ | Persistent_env.Error _ | Cmi_format.Error _) -> Unknown

let is_bigarray = function
  | Path.Pdot (Path.Pdot (bigarray, ("Array1" | "Array2" | "Array3")), "t") -> (
      match bigarray with
      | Path.Pident id -> Ident.name id = "Stdlib__Bigarray"
      | Path.Pdot (Path.Pident id, "Bigarray") -> Ident.name id = "Stdlib"
      | _ -> false)
  | _ -> false

(** Of what kind and layout bigarrays of a type are, if they are bigarrays and both are known. *)
let known_bigarray env ty =
  match Type_view.view (Ctype.expand_head env ty) with
  | Constructor (path, _) when is_bigarray path -> (
      match Typeopt.bigarray_type_kind_and_layout env ty with
      | Pbigarray_unknown, _ | _, Pbigarray_unknown_layout -> None
      | known -> Some known)
  | _ -> None

(* A function that takes bigarrays of any kind or layout gets one of these. *)
let of_bigarray env ~scheme ~instance =
  match known_bigarray env instance with
  | Some (kind, layout) when Ctype.free_variables scheme <> [] -> Bigarray (kind, layout)
  | Some _ | None -> Unknown

(** The shapes of the arguments of a function of type [scheme], which is used at the type [instance]. *)
let of_application env ~scheme ~instance =
  let variables = List.map (fun (id, ty) -> (id, describe env ty)) (instances env scheme instance) in
  let rec parameters schemes instances =
    match (schemes, instances) with
    | scheme :: schemes, instance :: instances ->
        let shape =
          match of_bigarray env ~scheme ~instance with
          | Unknown -> of_parameter env variables scheme
          | bigarray -> bigarray
        in
        shape :: parameters schemes instances
    | schemes, _ -> List.map (of_parameter env variables) schemes
  in
  parameters (fst (arrows scheme)) (fst (arrows instance))

(** The shape of a value of a type, over the type's variables. *)
let of_variables env ty =
  let variable ty = match Type_view.view ty with Type_view.Variable id -> Some (id, Variable id) | _ -> None in
  of_parameter env (List.filter_map variable (Ctype.free_variables ty)) ty

(** The shape of a function of type [scheme] that is seen at the type [instance]: what it is called with. *)
let of_function env ~scheme ~instance =
  match of_application env ~scheme ~instance with
  | parameters when List.exists (( <> ) Unknown) parameters -> Function (List.map loose parameters, Unknown)
  | _ -> Unknown

(** The shape of a module whose fields have these shapes. *)
let of_module fields = if List.exists (( <> ) Unknown) fields then Block fields else Unknown

(** Writes a shape; [number]: that of a description, [variable]: that of a variable. *)
let write w ~number ~variable shape =
  let open Byte_writer in
  let module A = Lambda_numbers.Arg_type in
  let rec write depth = function
    | Unknown -> byte w A.unknown
    | Value { description; exact } -> byte w A.value; u w (number description); bool w exact
    | Array element -> byte w A.array; write depth element
    | Block fields -> byte w A.block; list w (write (depth + 1)) fields
    | Bigarray (kind, layout) ->
        byte w A.bigarray;
        byte w (Lambda_codes.bigarray_kind kind);
        byte w (Lambda_codes.bigarray_layout layout)
    | Enclosing outer -> byte w A.enclosing; u w (depth - 1 - outer)
    | Variable id -> byte w A.variable; u w (variable id)
    | Function (parameters, result) -> byte w A.function_; list w (write depth) parameters; write depth result
  in
  write 0 shape
