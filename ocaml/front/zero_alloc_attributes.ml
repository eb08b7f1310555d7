(** [[@zero_alloc]] in the parse tree: which functions must not allocate, and what is assumed not to.

    The stock front end does not know the attribute, and drops it without a word. So it is read before typing. What it
    is about is known by source locations from then on: those are kept in each instruction to the end, through inlining
    and copies ([Zero_alloc]). *)

open Parsetree

(** What a function promises. *)
type promise = {
  name : string;  (** As the source has it, or empty. *)
  loc : Location.t;  (** Of the function. *)
  strict : bool;  (** Paths that end in an exception count, too. *)
  interface : Location.t option;  (** Where the interface promises it, if it does. *)
}

(** A stretch of a source file. *)
type range = { file : string; first : int; last : int }

type t = {
  promises : promise list;
  assumed : (range * bool) list;  (** Functions that are assumed not to allocate, and whether strictly. *)
  assumed_calls : (range * bool) list;  (** Applications of which the called function is assumed not to allocate. *)
}

let none = { promises = []; assumed = []; assumed_calls = [] }
let attribute_name = "zero_alloc"

let range_of (loc : Location.t) =
  { file = loc.loc_start.pos_fname; first = loc.loc_start.pos_cnum; last = loc.loc_end.pos_cnum }

(* {1 Payloads} *)

(* The words of a payload such as [strict opt]. *)
let words = function
  | PStr [] -> Some []
  | PStr [ { pstr_desc = Pstr_eval (e, []); _ } ] ->
      let word e = match e.pexp_desc with Pexp_ident { txt = Lident word; _ } -> Some word | _ -> None in
      let all =
        match e.pexp_desc with
        | Pexp_apply (first, others) -> word first :: List.map (fun (_, e) -> word e) others
        | _ -> [ word e ]
      in
      if List.mem None all then None else Some (List.filter_map Fun.id all)
  | _ -> None

let allowed = "It must be empty, or some of 'strict', 'opt', 'assume', or 'ignore'"
let allowed_in_interface = "In an interface it must be empty, or 'strict', 'opt'"
let allowed_in_file = "It must be 'all', maybe with 'strict', 'opt'"

let warn (attribute : attribute) warning = Location.prerr_warning attribute.attr_loc warning

let warn_payload attribute explanation =
  warn attribute (Warnings.Attribute_payload (attribute.attr_name.txt, explanation))

(* The words of an attribute if all are [known]; else the user is warned. *)
let known_words attribute ~known ~explanation =
  match words attribute.attr_payload with
  | Some words when List.for_all (fun word -> List.mem word known) words -> Some words
  | _ ->
      warn_payload attribute explanation;
      None

(* {1 Attributes} *)

let is_zero_alloc attribute =
  let name = attribute.attr_name.txt in
  name = attribute_name || name = "ocaml." ^ attribute_name

(* Whether a name is that of the attribute, mistyped. *)
let is_similar name = name <> attribute_name && Option.is_some (Misc.edit_distance name attribute_name 2)

(* What was read so far. *)
type state = {
  mutable found : t;
  mutable read : Location.t list;  (** Attributes that were understood where they stand, or warned of. *)
  ignored : (range, unit) Hashtbl.t;  (** Functions that a promise of the whole file is not for. *)
  promised : (range, unit) Hashtbl.t;
  optimises : bool;  (** At -O2 or higher. *)
}

let promise state ~name ~strict ~only_optimised (f : expression) =
  Hashtbl.replace state.promised (range_of f.pexp_loc) ();
  if state.optimises || not only_optimised then
    state.found <- { state.found with promises = { name; loc = f.pexp_loc; strict; interface = None } :: state.found.promises }

(* An attribute of a function. *)
let read_of_function state ~name (f : expression) attribute =
  state.read <- attribute.attr_loc :: state.read;
  match known_words attribute ~known:[ "strict"; "opt"; "assume"; "ignore" ] ~explanation:allowed with
  | None -> ()
  | Some words ->
      let has word = List.mem word words in
      let strict = has "strict" in
      Hashtbl.replace state.ignored (range_of f.pexp_loc) ();
      if has "assume" then
        state.found <- { state.found with assumed = (range_of f.pexp_loc, strict) :: state.found.assumed }
      else if not (has "ignore") then promise state ~name ~strict ~only_optimised:(has "opt") f

(* An attribute of what is called in an application. *)
let read_of_call state (apply : expression) attribute =
  state.read <- attribute.attr_loc :: state.read;
  match words attribute.attr_payload with
  | Some words when List.mem "assume" words && List.for_all (fun w -> w = "assume" || w = "strict") words ->
      let call = (range_of apply.pexp_loc, List.mem "strict" words) in
      state.found <- { state.found with assumed_calls = call :: state.found.assumed_calls }
  | _ -> warn_payload attribute "For a call it must be 'assume', maybe with 'strict'"

let read_definition state ~name definition attributes =
  Option.iter
    (fun f -> List.iter (read_of_function state ~name f) (List.filter is_zero_alloc attributes))
    (Attributes.function_of definition)

let name_of_binding binding =
  let rec name p =
    match p.ppat_desc with Ppat_var { txt; _ } -> txt | Ppat_constraint (p, _) -> name p | _ -> ""
  in
  name binding.pvb_pat

let iterator state =
  let super = Ast_iterator.default_iterator in
  let expr self e =
    (match e.pexp_desc with
    | Pexp_apply (callee, _) ->
        List.iter (read_of_call state e) (List.filter is_zero_alloc callee.pexp_attributes)
    | _ -> ());
    (* Those of a call are read by now. *)
    let unread = List.filter (fun a -> not (List.mem a.attr_loc state.read)) e.pexp_attributes in
    read_definition state ~name:"" e unread;
    super.expr self e
  in
  let value_binding self binding =
    read_definition state ~name:(name_of_binding binding) binding.pvb_expr binding.pvb_attributes;
    super.value_binding self binding
  in
  { super with expr; value_binding }

(* {1 Whole files} *)

(* The functions that structures define, those of nested structures too. *)
let rec functions_of_structure structure = List.concat_map functions_of_item structure

and functions_of_item item =
  match item.pstr_desc with
  | Pstr_value (_, bindings) ->
      List.filter_map
        (fun binding -> Option.map (fun f -> (name_of_binding binding, f)) (Attributes.function_of binding.pvb_expr))
        bindings
  | Pstr_module binding -> functions_of_module binding.pmb_expr
  | Pstr_recmodule bindings -> List.concat_map (fun binding -> functions_of_module binding.pmb_expr) bindings
  | Pstr_include { pincl_mod; _ } -> functions_of_module pincl_mod
  | _ -> []

and functions_of_module m =
  match m.pmod_desc with
  | Pmod_structure structure -> functions_of_structure structure
  | Pmod_constraint (m, _) -> functions_of_module m
  | _ -> []

let read_of_file state structure attribute =
  state.read <- attribute.attr_loc :: state.read;
  match known_words attribute ~known:[ "all"; "strict"; "opt" ] ~explanation:allowed_in_file with
  | Some words when List.mem "all" words ->
      let add (name, (f : expression)) =
        let range = range_of f.pexp_loc in
        if not (Hashtbl.mem state.ignored range || Hashtbl.mem state.promised range) then
          promise state ~name ~strict:(List.mem "strict" words) ~only_optimised:(List.mem "opt" words) f
      in
      List.iter add (functions_of_structure structure)
  | Some _ -> warn_payload attribute allowed_in_file
  | None -> ()

let read_of_files state structure =
  List.iter
    (fun item ->
      match item.pstr_desc with
      | Pstr_attribute attribute when is_zero_alloc attribute -> read_of_file state structure attribute
      | _ -> ())
    structure

(* {1 All of a file} *)

(* Those that stand where they mean nothing, and mistyped ones. *)
let warn_of_others state structure =
  let super = Ast_iterator.default_iterator in
  let attribute _ a =
    let is_misplaced = is_zero_alloc a && not (List.mem a.attr_loc state.read) in
    if is_misplaced || is_similar a.attr_name.txt then begin
      state.read <- a.attr_loc :: state.read;
      warn a (Warnings.Misplaced_attribute a.attr_name.txt)
    end
  in
  let iterator = { super with attribute } in
  iterator.structure iterator structure

exception Found

(* In most programs there is none. *)
let occur structure =
  let super = Ast_iterator.default_iterator in
  let attribute _ a = if is_zero_alloc a || is_similar a.attr_name.txt then raise_notrace Found in
  let iterator = { super with attribute } in
  match iterator.structure iterator structure with () -> false | exception Found -> true

let read_all ~optimises structure =
  if not (occur structure) then (none, [])
  else begin
    let state =
      { found = none; read = []; ignored = Hashtbl.create 8; promised = Hashtbl.create 8; optimises }
    in
    let iterator = iterator state in
    iterator.structure iterator structure;
    read_of_files state structure;
    warn_of_others state structure;
    (state.found, state.read)
  end

(** What the file that is being compiled promises and assumes. *)
let current = ref none

(* The attributes of the file itself: where it has no interface, its signature has them too. *)
let own = ref []

(** Reads what a file promises and assumes. Warns of attributes that mean nothing. [optimises]: at -O2 or higher. *)
let read ~optimises structure =
  let found, read = read_all ~optimises structure in
  current := found;
  own := read

(* {1 Interfaces} *)

(* The module of a name that a structure defines last, if it is a structure. *)
let module_of structure name =
  let of_binding binding = if binding.pmb_name.txt = Some name then Some binding.pmb_expr else None in
  let rec structure_of m =
    match m.pmod_desc with
    | Pmod_structure structure -> Some structure
    | Pmod_constraint (m, _) -> structure_of m
    | _ -> None
  in
  let found item =
    match item.pstr_desc with
    | Pstr_module binding -> Option.to_list (of_binding binding)
    | Pstr_recmodule bindings -> List.filter_map of_binding bindings
    | _ -> []
  in
  match List.rev (List.concat_map found structure) with [] -> None | m :: _ -> structure_of m

let function_of_name structure name =
  let here item = match item.pstr_desc with Pstr_value _ -> functions_of_item item | _ -> [] in
  List.assoc_opt name (List.rev (List.concat_map here structure))

(* What the interface says of a value holds for its definition. *)
let read_of_value ~optimises structure id (value : Types.value_description) attribute =
  let name = Ident.name id in
  match known_words attribute ~known:[ "strict"; "opt" ] ~explanation:allowed_in_interface with
  | None -> ()
  | Some words -> (
      let has word = List.mem word words in
      match function_of_name structure name with
      | None ->
          let explanation = Printf.sprintf "Nothing is checked: '%s' is not defined by a function here" name in
          Location.prerr_warning value.val_loc (Warnings.Attribute_payload (attribute.attr_name.txt, explanation))
      | Some f ->
          let is_same (promise : promise) = range_of promise.loc = range_of f.pexp_loc in
          let known, others = List.partition is_same !current.promises in
          let strict = has "strict" || List.exists (fun (promise : promise) -> promise.strict) known in
          if optimises || not (has "opt") then
            let interface = Some value.val_loc in
            current := { !current with promises = { name; loc = f.pexp_loc; strict; interface } :: others })

(** Reads what the interface of the file promises ([val f : t [@@zero_alloc]]), from the signature that the front end
    has typed the [structure] with. *)
let rec read_interface ~optimises structure (signature : Types.signature) =
  let item : Types.signature_item -> unit = function
    | Sig_value (id, value, _) ->
        let is_promise a = is_zero_alloc a && not (List.mem a.attr_loc !own) in
        List.iter (read_of_value ~optimises structure id value) (List.filter is_promise value.val_attributes)
    | Sig_module (id, _, { md_type = Mty_signature inner; _ }, _, _) ->
        Option.iter
          (fun structure -> read_interface ~optimises structure inner)
          (module_of structure (Ident.name id))
    | _ -> ()
  in
  List.iter item signature
