(** A typed tree that another compilation left ([.cmt], made by [-bin-annot]) as a source: installed libraries have these
    where their sources are not. *)

open Typedtree

(** A file that has no implementation in it, and what it is. *)
exception No_implementation of string * string

let is_typed_source file = Filename.check_suffix file ".cmt"

(* {1 Back to the parse tree} *)

(* A name of a label or constructor that was found by the type that was expected may not be found again: [Untypeast]
   leaves some of the types out. Its path is that of the type, if that is global. ([Stdlib] may be hidden by a module of
   the same name, and its types need no path.) *)
let is_found_everywhere path = Ident.global (Path.head path) && Ident.name (Path.head path) <> "Stdlib"

let with_path result (name : Longident.t Location.loc) =
  match (name.txt, Type_view.view result) with
  | Lident label, Constructor (Pdot (path, _), _) when is_found_everywhere path ->
      { name with txt = Untypeast.lident_of_path (Pdot (path, label)) }
  | _ -> name

(* The type of an inline record is its constructor's: it has no path. *)
let label_with_path (label : Data_description.label) name =
  match label.lbl_repres with Record_inlined _ | Record_extension _ -> name | _ -> with_path label.lbl_res name

(* That of an extension of a type need not be where the type is. It may stand in a pattern [M.(…)], whose [M] is lost. *)
let constructor_with_path (constructor : Data_description.constructor) (name : Longident.t Location.loc) =
  match constructor.cstr_tag with
  | Cstr_extension (path, _) ->
      if is_found_everywhere path then { name with txt = Untypeast.lident_of_path path } else name
  | _ -> with_path constructor.cstr_res name

let pattern_with_paths (type k) (desc : k pattern_desc) : k pattern_desc =
  match desc with
  | Tpat_record (fields, closed) ->
      Tpat_record (List.map (fun (name, label, p) -> (label_with_path label name, label, p)) fields, closed)
  | Tpat_construct (name, constructor, args, types) ->
      Tpat_construct (constructor_with_path constructor name, constructor, args, types)
  | desc -> desc

let field_with_path (label, definition) =
  match definition with
  | Overridden (name, value) -> (label, Overridden (label_with_path label name, value))
  | Kept _ -> (label, definition)

(* The type checker makes one pattern ((p, q), r) of those of [let* p = … and* q = … and* r = …]: [Untypeast] looks for
   (p, (q, r)). *)
let rec patterns_of_letop n pattern later =
  match pattern.pat_desc with
  | Tpat_tuple parts when n > 0 -> (
      match Tuple_parts.unlabelled parts with
      | [ earlier; last ] -> patterns_of_letop (n - 1) earlier (last :: later)
      | _ -> pattern :: later)
  | _ -> pattern :: later

let rec nested_to_the_right first = function
  | [] -> first
  | next :: later ->
      { first with pat_desc = Tpat_tuple (Tuple_parts.labelled [ first; nested_to_the_right next later ]) }

let pattern_of_letop ~ands pattern =
  match patterns_of_letop (List.length ands) pattern [] with
  | first :: later -> nested_to_the_right first later
  | [] -> pattern

let expression_with_paths = function
  | Texp_field (record, name, label) -> Texp_field (record, label_with_path label name, label)
  | Texp_setfield (record, name, label, value) -> Texp_setfield (record, label_with_path label name, label, value)
  | Texp_construct (name, constructor, args) ->
      Texp_construct (constructor_with_path constructor name, constructor, args)
  | Texp_letop ({ ands; body; _ } as letop) ->
      Texp_letop { letop with body = { body with c_lhs = pattern_of_letop ~ands body.c_lhs } }
  | Texp_record record -> Texp_record { record with fields = Array.map field_with_path record.fields }
  | desc -> desc

let mapper =
  let default = Untypeast.default_mapper in
  {
    default with
    pat =
      (fun (type k) self (pattern : k general_pattern) ->
        default.pat self { pattern with pat_desc = pattern_with_paths pattern.pat_desc });
    expr =
      (fun self expression ->
        default.expr self { expression with exp_desc = expression_with_paths expression.exp_desc });
  }

(* {1 How it was compiled} *)

(* The flags that change what a source means, and what they set. *)
let flags_of_meaning =
  [
    "-app-funct"; "-labels"; "-no-alias-deps"; "-no-app-funct"; "-noassert"; "-nolabels"; "-nopervasives"; "-open";
    "-principal"; "-rectypes"; "-strict-formats"; "-strict-sequence"; "-unsafe";
  ]

let settings_of_meaning =
  Source_flags.no_alias_deps
  :: Clflags.
       [
         applicative_functors; classic; noassert; nopervasives; principal; recursive_types; strict_formats;
         strict_sequence; unsafe;
       ]

let rec apply_flags = function
  | flag :: args when List.mem flag flags_of_meaning -> (
      match (List.find_opt (fun (name, _, _) -> name = flag) !Clflags.arg_spec, args) with
      | Some (_, Arg.Unit set, _), args ->
          set ();
          apply_flags args
      | Some (_, Arg.String set, _), value :: args ->
          set value;
          apply_flags args
      | _ -> apply_flags args)
  | _ :: args -> apply_flags args
  | [] -> ()

(* Runs [f] with what a compilation of these arguments has set, and with the interface that is beside the typed tree in
   place of a source of one. Without warnings: they are its author's, who had them when it was compiled. *)
let as_it_was_compiled args f =
  let settings = List.map ( ! ) settings_of_meaning and opened = !Clflags.open_modules in
  let warnings = Warnings.backup () in
  let report_warning = !Location.warning_reporter and report_alert = !Location.alert_reporter in
  let suffix = !Config.interface_suffix in
  Clflags.open_modules := [];
  apply_flags args;
  ignore (Warnings.parse_options false "-a" : Warnings.alert option);
  (Location.warning_reporter := fun _ _ -> None);
  (Location.alert_reporter := fun _ _ -> None);
  Config.interface_suffix := ".cmi";
  Fun.protect f ~finally:(fun () ->
      List.iter2 ( := ) settings_of_meaning settings;
      Clflags.open_modules := opened;
      Config.interface_suffix := suffix;
      Location.warning_reporter := report_warning;
      Location.alert_reporter := report_alert;
      Warnings.restore warnings)

(* {1 Reading} *)

let read file =
  try Cmt_format.read_cmt file
  with End_of_file | Failure _ | Cmt_format.Error _ | Cmi_format.Error _ ->
    raise (No_implementation (file, "is damaged, or of another version of OCaml"))

(* A unit with a source of its interface imports that. *)
let digest_of_interface (cmt : Cmt_format.cmt_infos) =
  match cmt.cmt_interface_digest with
  | Some _ as digest -> digest
  | None -> Option.join (List.assoc_opt cmt.cmt_modname cmt.cmt_imports)

let structure file ~interface (cmt : Cmt_format.cmt_infos) =
  match cmt.cmt_annots with
  | Implementation _ when Option.is_some interface && digest_of_interface cmt <> interface ->
      raise (No_implementation (file, "is of another interface"))
  | Implementation structure -> structure
  | Interface _ -> raise (No_implementation (file, "is of an interface"))
  | Packed _ -> raise (No_implementation (file, "is of a pack of units"))
  | Partial_implementation _ | Partial_interface _ -> raise (No_implementation (file, "is of a unit that had an error"))

(** Calls [f] with what gives the parse tree of a source; for a typed tree, with the flags that it was compiled with in
    place of those of the command line. [interface]: the digest of the interface that a typed tree must be of.
    @raise No_implementation if it has none. *)
let with_parser ?interface source_file f =
  if is_typed_source source_file then begin
    let cmt = read source_file in
    let parsed = Untypeast.untype_structure ~mapper (structure source_file ~interface cmt) in
    as_it_was_compiled (Array.to_list cmt.cmt_args) (fun () -> f (fun _ -> parsed))
  end
  else f Compile_common.parse_impl

let () =
  Location.register_error_of_exn @@ function
  | No_implementation (file, what) ->
      let only = "only what was left of an implementation can be compiled" in
      Some (Location.errorf ~loc:(Location.in_file file) "This typed tree %s: %s" what only)
  | _ -> None
