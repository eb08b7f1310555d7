(** Types of the source as small terms: what the representation of their values is ([docs/formats.md]).

    Trusted is what the environment of the use shows, as stock trusts it when it specialises a comparison. *)

open Types

type field = { content : int; is_mutable : bool }

type term =
  | Unknown
  | Immediate
  | Float
  | String
  | Bytes
  | Int32
  | Int64
  | Nativeint
  | Array of int
  | Float_record of int  (** So many fields. *)
  | Variant of { constants : int; blocks : (int * field list) list }  (** By tag; tuples and records, too. *)
  | Polymorphic_variant of (int * int) list  (** The tags that have a known argument. *)

(* Of one description: the same path can mean different things in two environments. *)
type state = {
  env : Env.t;
  numbers : (key, int) Hashtbl.t;
  terms : (int, term) Hashtbl.t;
  mutable fuel : int;
}

and key = Term of term | Applied of Path.t * int list

exception Too_large

(* More than this is not derived for anyway; and types that contain ever larger instances of themselves end. *)
let largest = 64

let spend state n =
  state.fuel <- state.fuel - n;
  if state.fuel < 0 then raise_notrace Too_large

let reserve state key =
  spend state 1;
  let number = Hashtbl.length state.numbers in
  Hashtbl.add state.numbers key number;
  number

let shared state term =
  match Hashtbl.find_opt state.numbers (Term term) with
  | Some number -> number
  | None ->
      let number = reserve state (Term term) in
      Hashtbl.add state.terms number term;
      number

let predefined =
  [
    (Predef.path_int, Immediate);
    (Predef.path_char, Immediate);
    (Predef.path_float, Float);
    (Predef.path_string, String);
    (Predef.path_bytes, Bytes);
    (Predef.path_int32, Int32);
    (Predef.path_int64, Int64);
    (Predef.path_nativeint, Nativeint);
  ]

(* [variables]: what the parameters of the declaration stand for, by their numbers. *)
let rec describe state variables ty =
  spend state 1;
  match Type_view.view ty with
  | Variable id -> (
      match List.assoc_opt id variables with Some number -> number | None -> shared state Unknown)
  | Tuple parts -> shared state (Variant { constants = 0; blocks = [ (0, List.map (field state variables) parts) ] })
  | Constructor (path, args) -> constructor state path (List.map (describe state variables) args)
  | Row { closed; tags } -> row state variables ~closed tags
  | Scheme ty -> describe state variables ty
  | Other -> shared state Unknown

and field ?(is_mutable = false) state variables ty = { content = describe state variables ty; is_mutable }

and row state variables ~closed tags =
  let is_constant = function _, Type_view.No_argument -> true | _, (Argument _ | Unclear) -> false in
  if closed && List.for_all is_constant tags then shared state Immediate
  else
    let with_argument (label, argument) =
      match argument with
      | Type_view.Argument ty -> Some (Btype.hash_variant label, describe state variables ty)
      | No_argument | Unclear -> None
    in
    shared state (Polymorphic_variant (List.filter_map with_argument tags))

and constructor state path args =
  let is_predefined (predefined, _) = Path.same path predefined in
  match (List.find_opt is_predefined predefined, args) with
  | Some (_, term), _ -> shared state term
  | None, [ element ] when Path.same path Predef.path_array -> shared state (Array element)
  | None, _ when Path.same path Predef.path_floatarray -> shared state (Array (shared state Float))
  | None, _ -> (
      let key = Applied (path, args) in
      match Hashtbl.find_opt state.numbers key with
      | Some number -> number
      | None -> declared state key (Env.find_type path state.env) args)

and declared state key declaration args =
  let parameter ty number =
    match Type_view.view ty with Variable id -> Some (id, number) | _ -> None
  in
  let parameters = List.map2 parameter declaration.type_params args in
  let variables = List.filter_map Fun.id parameters in
  match (declaration.type_kind, declaration.type_manifest) with
  | Type_variant ([ { cd_args = Cstr_tuple [ ty ] | Cstr_record [ { ld_type = ty; _ } ]; _ } ], Variant_unboxed), _
  | Type_record ([ { ld_type = ty; _ } ], Record_unboxed _), _ ->
      describe state variables ty
  | Type_variant (constructors, Variant_regular), _ -> variant state key variables constructors
  | Type_record (labels, Record_float), _ -> shared state (Float_record (List.length labels))
  | Type_record (labels, Record_regular), _ ->
      define state key (fun () -> Variant { constants = 0; blocks = [ (0, labelled state variables labels) ] })
  | (Type_variant _ | Type_record _ | Type_open), _ -> shared state Unknown
  | _ when declaration.type_immediate <> Type_immediacy.Unknown -> shared state Immediate
  | _, Some manifest -> describe state variables manifest
  | _, None -> shared state Unknown

(* The term may mention its own number. *)
and define state key term =
  let number = reserve state key in
  Hashtbl.add state.terms number (term ());
  number

and variant state key variables constructors =
  let is_constant c = match c.cd_args with Cstr_tuple [] -> true | Cstr_tuple _ | Cstr_record _ -> false in
  let constants, blocks = List.partition is_constant constructors in
  if blocks = [] then shared state Immediate
  else
    let block tag c =
      (* The variables of a constructor with a result of its own are its own. *)
      let variables = if Option.is_some c.cd_res then [] else variables in
      let fields =
        match c.cd_args with
        | Cstr_tuple types -> List.map (field state variables) types
        | Cstr_record labels -> labelled state variables labels
      in
      (tag, fields)
    in
    define state key (fun () -> Variant { constants = List.length constants; blocks = List.mapi block blocks })

and labelled state variables labels =
  List.map (fun l -> field state variables l.ld_type ~is_mutable:(l.ld_mutable = Mutable)) labels

let terms env describe =
  let state = { env; numbers = Hashtbl.create 16; terms = Hashtbl.create 16; fuel = largest * 4 } in
  match describe state with
  | root when Hashtbl.length state.terms <= largest ->
      Some (List.init (Hashtbl.length state.terms) (Hashtbl.find state.terms), root)
  | _ | (exception (Too_large | Not_found | Env.Error _ | Persistent_env.Error _ | Cmi_format.Error _)) -> None

(** The terms of a type, in the order of their numbers, and the number of the type's own; nothing, if the type is too
    large, or the environment does not say what it is. *)
let of_type env ty = terms env (fun state -> describe state [] ty)

(** Of a type constructor without parameters. *)
let of_constructor env path = terms env (fun state -> constructor state path [])

let write_field w { content; is_mutable } =
  Byte_writer.u w content;
  Byte_writer.bool w is_mutable

(** Writes a term; the numbers in it are of terms of the same list. *)
let write w term =
  let open Byte_writer in
  let module T = Lambda_numbers.Type_term in
  match term with
  | Unknown -> byte w T.unknown
  | Immediate -> byte w T.immediate
  | Float -> byte w T.float
  | String -> byte w T.string
  | Bytes -> byte w T.bytes
  | Int32 -> byte w T.int32
  | Int64 -> byte w T.int64
  | Nativeint -> byte w T.nativeint
  | Array element -> byte w T.array; u w element
  | Float_record size -> byte w T.float_record; u w size
  | Variant { constants; blocks } ->
      byte w T.variant;
      u w constants;
      list w (fun (tag, fields) -> u w tag; list w (write_field w) fields) blocks
  | Polymorphic_variant arguments ->
      byte w T.polymorphic_variant;
      list w (fun (tag, argument) -> i w tag; u w argument) arguments
