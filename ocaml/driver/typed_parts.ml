(** Parts of units that were compiled without [-flambeau-whole-program], by any compiler: from the typed trees that lie
    beside their descriptions. *)

open Program_parts

let typed_tree ~folder name =
  let file base = Filename.concat folder (base ^ ".cmt") in
  List.find_opt Sys.file_exists [ file (String.uncapitalize_ascii name); file name ]

let digest_of_interface (info : Cmx_format.unit_infos) = Option.join (List.assoc_opt info.ui_name info.ui_imports_cmi)

let explain name exn =
  if !Clflags.verbose then
    Format.eprintf "flambeau: unit %s keeps its object, since its typed tree can't be compiled:@.%a@." name
      Location.report_exception exn

(** The unit with its part, if it has one or a typed tree of its interface can be compiled. [folder]: that of its
    description; [work]: one that nothing else is in. *)
let complete ~folder ~work unit =
  let from_tree file =
    let output_prefix = Filename.concat work (Filename.remove_extension (Filename.basename file)) in
    let interface = digest_of_interface unit.info in
    match
      Errors.holding_back_fatal_messages (fun () ->
          Implementation.part_of_typed_tree file ~interface ~output_prefix)
    with
    | part -> Some { unit with part = Some part }
    | exception ((Out_of_memory | Stack_overflow) as exn) -> raise exn
    | exception exn ->
        explain unit.info.ui_name exn;
        None
  in
  if Option.is_some unit.part then Some unit
  else Option.bind (typed_tree ~folder unit.info.ui_name) from_tree

(** All of them, or none. *)
let complete_all ~folder ~work units =
  let add unit found = Option.bind found (fun units -> Option.map (fun u -> u :: units) (complete ~folder ~work unit)) in
  List.fold_right add units (Some [])
