(** [[@unrolled]], [[@specialise]] and [[@specialised]].

    The stock front end does not know them (it was configured without Flambda): its translation to Lambda drops
    them with a warning that they are misplaced. So they are collected from the parse tree before typing, and taken
    out of it there; functions and applications of Lambda find them again by their locations.

    Those that are really misplaced, or have a payload that makes no sense, are left for the warning. *)

open Parsetree

type position = { file : string; first : int; last : int }

let position (loc : Location.t) =
  { file = loc.loc_start.pos_fname; first = loc.loc_start.pos_cnum; last = loc.loc_end.pos_cnum }

let unrolled_calls : (position, Lambda.inline_attribute) Hashtbl.t = Hashtbl.create 8
let specialised_calls : (position, Lambda.specialise_attribute) Hashtbl.t = Hashtbl.create 8
let specialise_functions : (position, Lambda.specialise_attribute) Hashtbl.t = Hashtbl.create 8

let forget () =
  Hashtbl.reset unrolled_calls;
  Hashtbl.reset specialised_calls;
  Hashtbl.reset specialise_functions

(* {1 Reading attributes} *)

let is name attribute =
  let txt = attribute.attr_name.txt in
  txt = name || txt = "ocaml." ^ name

let unrolled_payload = function
  | PStr [ { pstr_desc = Pstr_eval (e, []); _ } ] ->
      Option.map (fun n -> Lambda.Unroll n) (Option.bind (Parse_view.integer_literal e) int_of_string_opt)
  | _ -> None

let specialise_payload = function
  | PStr [] -> Some Lambda.Always_specialise
  | PStr [ { pstr_desc = Pstr_eval ({ pexp_desc = Pexp_ident { txt = Lident word; _ }; _ }, []); _ } ] -> (
      match word with
      | "always" -> Some Lambda.Always_specialise
      | "never" -> Some Lambda.Never_specialise
      | "maybe" -> Some Lambda.Default_specialise
      | _ -> None)
  | _ -> None

(* Takes the attribute [name] out of [attributes], if it is there once and makes sense; enters its meaning under
   the location. *)
let take table name payload loc attributes =
  match List.partition (is name) attributes with
  | [ attribute ], others -> (
      match payload attribute.attr_payload with
      | Some meaning ->
          Hashtbl.replace table (position loc) meaning;
          others
      | None -> attributes)
  | _ -> attributes

(* {1 Finding them} *)

(** The function that a definition gives, under what does not change what it is. *)
let rec function_of e =
  match e.pexp_desc with
  | _ when Parse_view.is_function e -> Some e
  | Pexp_newtype (_, e) | Pexp_constraint (e, _) | Pexp_coerce (e, _, _) | Pexp_poly (e, _) -> function_of e
  | _ -> None

let take_from_application apply callee =
  let attributes =
    callee.pexp_attributes
    |> take unrolled_calls "unrolled" unrolled_payload apply.pexp_loc
    |> take specialised_calls "specialised" specialise_payload apply.pexp_loc
  in
  { callee with pexp_attributes = attributes }

let take_from_function definition attributes =
  match function_of definition with
  | None -> attributes
  | Some f -> take specialise_functions "specialise" specialise_payload f.pexp_loc attributes

let mapper =
  let super = Ast_mapper.default_mapper in
  let expr self e =
    let e =
      match e.pexp_desc with
      | Pexp_apply (callee, args) -> { e with pexp_desc = Pexp_apply (take_from_application e callee, args) }
      | _ -> { e with pexp_attributes = take_from_function e e.pexp_attributes }
    in
    super.expr self e
  in
  let value_binding self binding =
    super.value_binding self
      { binding with pvb_attributes = take_from_function binding.pvb_expr binding.pvb_attributes }
  in
  { super with expr; value_binding }

let names = [ "unrolled"; "specialised"; "specialise" ]

exception Found

(* Whether there is any of them: in most programs there is none, and then the tree need not be rebuilt. *)
let occur structure =
  let super = Ast_iterator.default_iterator in
  let attribute _ a = if List.exists (fun name -> is name a) names then raise_notrace Found in
  let iterator = { super with attribute } in
  match iterator.structure iterator structure with () -> false | exception Found -> true

(** Takes the attributes out of a parse tree, and remembers them. *)
let collect structure =
  forget ();
  if occur structure then mapper.structure mapper structure else structure

(* {1 Giving them back} *)

let find table (loc : Lambda.scoped_location) default =
  match loc with
  | Loc_known { loc; _ } when Hashtbl.length table > 0 -> (
      try Hashtbl.find table (position loc) with Not_found -> default)
  | _ -> default

(** The [[@inlined]] attribute of an application, for which Lambda has [attribute]. *)
let inlined loc (attribute : Lambda.inline_attribute) =
  match attribute with Default_inline -> find unrolled_calls loc attribute | _ -> attribute

(** The [[@specialised]] attribute of an application, for which Lambda has [attribute]. *)
let specialised loc (attribute : Lambda.specialise_attribute) =
  match attribute with Default_specialise -> find specialised_calls loc attribute | _ -> attribute

(** The [[@specialise]] attribute of a function, for which Lambda has [attribute]. *)
let specialise loc (attribute : Lambda.function_attribute) =
  match attribute.specialise with
  | Default_specialise when not attribute.stub -> find specialise_functions loc attribute.specialise
  | specialise -> specialise
