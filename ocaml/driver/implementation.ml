(** Compiling a [.ml]: the stock front end, our middle-end, the stock back end. *)

open Compile_common

let dumped ppf flag print program =
  if !flag then Format.fprintf ppf "%a@." print program;
  program

(* {1 Front} *)

(* Without [-g] the front end gives short methods as codes that the standard library makes closures of at run time, which
   nobody can inline; native code has no other use of the flag. *)
let with_methods_as_functions translate program =
  let debug = !Clflags.debug in
  Clflags.debug := true;
  Fun.protect ~finally:(fun () -> Clflags.debug := debug) (fun () -> translate program)

let to_lambda info typed =
  let Typedtree.{ structure; coercion; _ } = typed in
  let translate = Translmod.transl_store_implementation (Unit_files.module_name info) in
  (structure, coercion)
  |> Profile.record "transl" (with_methods_as_functions translate)
  |> dumped info.ppf_dump Clflags.dump_rawlambda Printlambda.program

(* How many fields of the module block other units may read: [Translmod] puts them first. *)
let exported_fields (typed : Typedtree.implementation) =
  match typed.coercion with
  | Tcoerce_structure (fields, _) -> List.length fields
  | Tcoerce_none -> List.length (Types.bound_value_identifiers typed.signature)
  | Tcoerce_functor _ | Tcoerce_primitive _ | Tcoerce_alias _ -> assert false

let simplify_lambda info (program : Lambda.program) =
  { program with code = Simplif.simplify_lambda program.code }
  |> dumped info.ppf_dump Clflags.dump_lambda Printlambda.program

(* {1 Middle} *)

(** Writes a file completely or not at all. *)
let write_file file contents =
  Errors.writing file @@ fun () ->
  Misc.output_to_file_via_temporary ~mode:[ Open_binary ] file (fun _ channel -> output_string channel contents)

(* What the passes were given is written to a file. Of the others one dump is printed as it is, so that it can be read
   back; several, under their names. *)
let print_dumps info ~beside dumps =
  let saved, dumps = List.partition (fun (name, _) -> name = "saved") dumps in
  List.iter (fun (_, text) -> write_file (beside ^ ".fl") text) saved;
  let ppf = info.ppf_dump in
  match dumps with
  | [ (_, text) ] -> Format.fprintf ppf "%s@?" text
  | dumps -> List.iter (fun (name, text) -> Format.fprintf ppf "@.%s:@.%s@?" name text) dumps

let print_counters unit_name counters =
  if !Flags.profile then begin
    Printf.printf "%s\n" unit_name;
    List.iter (fun (name, value) -> Printf.printf "  %-40s %12d\n" name value) counters
  end

let print_warnings ~debuginfos =
  List.iter (fun (number, warning) ->
      let location =
        if number < Array.length debuginfos then Debuginfo.to_location debuginfos.(number) else Location.none
      in
      Location.prerr_warning location warning)

(* A unit that was compiled as far as Cmm. *)
type compiled = {
  payload : string;
  files : (string * string) list;
  warnings : (int * Warnings.t) list;
  phrases : Cmm.phrase list;
  imported : Allocation_summary.t;  (** What the units that were read say of their allocations. *)
}

let imported_allocations () = Allocation_summary.read !Imports.summaries

let read_reply info ~beside bytes ~debuginfos =
  let Reply.{ dumps; outcome } = Reply.read bytes in
  print_dumps info ~beside dumps;
  match outcome with
  | Error failure -> raise failure
  | Ok { payload; files; counters; warnings; cmm } ->
      print_counters (Unit_files.module_name info) counters;
      let imported = imported_allocations () in
      let inlined = !Clflags.debug || Zero_alloc.needs_locations !Zero_alloc_attributes.current ~imported in
      let phrases = Profile.record "cmm" (Decode_cmm.phrases ~debuginfos ~inlined) cmm in
      { payload; files; warnings; phrases; imported }

(* Whether other units may know nothing of this one. *)
let is_opaque () = !Clflags.opaque || Env.is_imported_opaque (Compilenv.current_unit_name ())

(* The exception of a look-up of a unit for the middle end: it can't be raised through Rust. *)
let failed_to_find = ref None

let find_unit symbol =
  if Option.is_some !failed_to_find || not !Clflags.native_code then ""
  else
    try match Stock_bodies.defining symbol with "" -> Imports.defining symbol | body -> body
    with exn ->
      failed_to_find := Some exn;
      ""

let () = Rust.register_find_unit find_unit

let options ~exported_fields source_file : Encode.options =
  let opaque = if is_opaque () then [ ("export", "no") ] else [] in
  (* A promise is checked by location. *)
  let locations =
    if !Zero_alloc_attributes.current <> Zero_alloc_attributes.none then [ ("locations", "yes") ] else []
  in
  let report = if !Clflags.inlining_report then [ ("report", "yes") ] else [] in
  let remarks = if !Flags.remarks <> "" then [ ("remarks", !Flags.remarks) ] else [] in
  let inner (label, args) = ("stock-function", Printf.sprintf "%s %d" label args) in
  let described = List.map inner (Stock_unit.inner_labels !Imports.own_approximation) in
  let described = Option.fold !Flags.describes ~none:described ~some:(fun cmx -> ("stock-cmx", cmx) :: described) in
  {
    verify = !Flags.verify;
    fuel = !Flags.fuel;
    dumps = Flags.dumps ();
    profile = !Flags.profile;
    exported_fields;
    settings = (Flags.settings () @ opaque @ locations @ report @ remarks) @ ("source", source_file) :: described;
    bytecode = false;
    keeps_part = !Flags.whole_program && !Flags.describes = None && !Clflags.for_package = None;
  }

let request info ~exported_fields ~uses (program : Lambda.program) =
  Errors.guard "encoding the request" @@ fun () ->
  Ident.Set.iter Imports.require program.required_globals;
  Imports.own_approximation :=
    Option.fold !Flags.describes ~none:Clambda.Value_unknown ~some:Stock_unit.approximation_of;
  Profile.record "encode" (Encode.request ~uses (options ~exported_fields (Unit_files.source_file info))) program

(** What the middle end makes of a request. [beside]: what the names of files begin with that are written beside the
    output. *)
let middle_end info ~beside (request : Encode.request) =
  Memory.unit_is_known ~bytes:request.own_bytes;
  failed_to_find := None;
  let reply = Profile.record "flambeau" Rust.middle_end request.bytes in
  Option.iter raise !failed_to_find;
  Errors.guard "reading the reply" @@ fun () -> read_reply info ~beside reply ~debuginfos:request.debuginfos

(* {1 Back} *)

(* What is allocated, by what the source says of it ([@zero_alloc]) and what other units say. *)
let allocations ~imported phrases =
  Profile.record "allocations" (Zero_alloc.analyse !Zero_alloc_attributes.current ~imported) phrases

let save_description info (program : Lambda.program) (payload : Cmx_payload.t) =
  let description = Compilenv.current_unit_infos () in
  description.ui_imports_cmi <- Env.imports ();
  let exports, payload =
    if not (is_opaque ()) then
      let payload = Cmx_payload.join payload in
      (Cmx_payload.export_info ~size:program.main_module_block_size payload, Some payload)
    else if payload.program_part = "" then (Value_unknown, None)
    else (Value_unknown, Some (Cmx_payload.join { payload with payload = ""; summary = "" }))
  in
  description.ui_export_info <- Clambda exports;
  Cmx_payload.save (Unit_files.cmx info) description payload

let rec make_folder folder =
  if not (Sys.file_exists folder) then begin
    make_folder (Filename.dirname folder);
    (* Another compilation may make it now. *)
    try Sys.mkdir folder 0o777 with Sys_error _ when Sys.file_exists folder -> ()
  end

(* The file for a report that is not written beside the output: it has the output's path below a folder. *)
let below folder prefix =
  let parts = String.split_on_char '/' prefix in
  let path = String.concat "/" (List.filter (fun part -> not (List.mem part [ ""; "."; ".." ])) parts) in
  let file = Filename.concat folder path in
  Errors.writing file (fun () -> make_folder (Filename.dirname file));
  file

(* Writes a file beside the output, or where reports are to be, completely or not at all. *)
let write_beside ~beside (suffix, contents) =
  let file = (if !Flags.report_folder = "" then beside else below !Flags.report_folder beside) ^ suffix in
  write_file file contents

(** Makes the object file, and writes the reports. *)
let emit info ~beside compiled =
  Emit_unit.compile ~ppf_dump:info.ppf_dump ~output_prefix:(Unit_files.output_prefix info) compiled.phrases;
  List.iter (write_beside ~beside) compiled.files

let save_object info program compiled ~part =
  let allocations = allocations ~imported:compiled.imported compiled.phrases in
  if !Flags.zero_alloc then Zero_alloc.check allocations;
  emit info ~beside:(Unit_files.output_prefix info) compiled;
  save_description info program
    {
      payload = compiled.payload;
      summary = Zero_alloc.summary allocations;
      program_part = Option.value part ~default:"";
    }

(* {1 The stock middle-end} *)

module Stock_backend = struct
  let symbol_for_global' = Compilenv.symbol_for_global'
  let closure_symbol = Compilenv.closure_symbol
  let really_import_approx = Import_approx.really_import_approx
  let import_symbol = Import_approx.import_symbol
  let size_int = Arch.size_int
  let big_endian = Arch.big_endian

  (* One register is kept for the closure. *)
  let max_sensible_number_of_arguments = Proc.max_arguments_for_tailcalls - 1
end

let stock_backend = (module Stock_backend : Backend_intf.S)

(* As if nothing of the unit had been compiled. *)
let forget_attempt info =
  Cmmgen_state.set_structured_constants [];
  ignore (Cmmgen_state.get_and_clear_constants ());
  ignore (Cmmgen_state.get_and_clear_data_items ());
  Native_passes.forget_unit ();
  Compilenv.reset ?packname:!Clflags.for_package (Unit_files.module_name info)

(* What the stock middle end makes of the unit, from which nothing is emitted. *)
let stock_phrases info (program : Lambda.program) =
  forget_attempt info;
  Ident.Set.iter Compilenv.require_global program.required_globals;
  let phrases =
    Closure_middle_end.lambda_to_clambda ~backend:stock_backend ~prefixname:(Unit_files.output_prefix info)
      ~ppf_dump:info.ppf_dump program
    |> Cmmgen.compunit
  in
  forget_attempt info;
  phrases

let compile_with_stock info program =
  if !Flags.zero_alloc && !Zero_alloc_attributes.current.promises <> [] then
    Zero_alloc.check (allocations ~imported:(imported_allocations ()) (stock_phrases info program));
  Asmgen.compile_implementation ~backend:stock_backend ~prefixname:(Unit_files.output_prefix info)
    ~middle_end:Closure_middle_end.lambda_to_clambda ~ppf_dump:info.ppf_dump program;
  Compilenv.save_unit_info (Unit_files.cmx info)

(* {1 The library} *)

(* The unit has a stock object: that is the code whose allocations others want to know. *)
let save_library_description info program compiled ~stock =
  let crc = snd (Compilenv.read_unit_info stock) in
  let summary = Zero_alloc.summary (allocations ~imported:compiled.imported (stock_phrases info program)) in
  Library.save ~output_prefix:(Unit_files.output_prefix info) ~crc
    (Cmx_payload.join { payload = compiled.payload; summary; program_part = "" })

(* {1 Our middle end} *)

(* The user is warned last: if anything fails before, the unit has another middle end, and warnings of that. *)
let compile_with_flambeau info ~exported_fields ~uses (program : Lambda.program) =
  Errors.holding_back_fatal_messages @@ fun () ->
  let request = request info ~exported_fields ~uses program in
  let compiled = middle_end info ~beside:(Unit_files.output_prefix info) request in
  Errors.guard "making the object" @@ fun () ->
  (match !Flags.describes with
  | Some stock -> save_library_description info program compiled ~stock
  | None -> save_object info program compiled ~part:request.part);
  print_warnings ~debuginfos:request.debuginfos compiled.warnings

(* {1 Never refused} *)

(* The source is not to blame for what only we would have inlined. *)
let without_warnings_of_inlining f =
  let before = Warnings.backup () in
  ignore (Warnings.parse_options false "-55" : Warnings.alert option);
  Fun.protect f ~finally:(fun () -> Warnings.restore before)

(* What went wrong, if the stock middle end may do better. What the back end and the assembler refuse may be our code or
   any: if theirs is refused, too, that is what the user reads. *)
let failure_of_ours = function
  | Errors.Internal error -> Some error
  | Asmgen.Error (Assembler_error _ | Asm_generation _) as exn ->
      let message = Format.asprintf "%a" Location.report_exception exn in
      Some
        {
          unit_name = Compilenv.current_unit_name ();
          function_name = "";
          pass = "native code generation";
          message = Errors.on_one_line message;
        }
  | _ -> None

(* A unit that is compiled for its description in the library must not fall back to the stock middle end. *)
let must_be_ours () = !Flags.strict || Option.is_some !Flags.describes

let compile info ~exported_fields ~uses program =
  try compile_with_flambeau info ~exported_fields ~uses program
  with exn when not (must_be_ours ()) -> (
    match failure_of_ours exn with
    | None -> raise exn
    | Some error ->
        forget_attempt info;
        without_warnings_of_inlining (fun () -> compile_with_stock info program);
        Errors.report_fallback Format.err_formatter error)

(* {1 Entry points} *)

let stops_after = Clflags.should_stop_after

(* As [Compile_common.implementation], but that our attributes are taken out of the parse tree. *)
let compile_source info ~parse ~outputs ~backend =
  Profile.record_call (Unit_files.source_file info) @@ fun () ->
  let remove_outputs () = List.iter Misc.remove_file outputs in
  Misc.try_finally ~exceptionally:remove_outputs (fun () ->
      let parsed = Attributes.collect (parse info) in
      Zero_alloc_attributes.read ~optimises:(Flags.optimises ()) parsed;
      if not (stops_after Parsing) then begin
        let typed = typecheck_impl info parsed in
        Zero_alloc_attributes.read_interface ~optimises:(Flags.optimises ()) parsed typed.signature;
        if not (stops_after Typing) then backend info typed
      end;
      Unit_files.warn_of_unused ();
      Warnings.check_fatal ())

(* A unit of the library has an object of its own already, without functions that are derived. *)
let typed_uses typed =
  if !Flags.no_types || Option.is_some !Flags.describes then None else Some (lazy (Typed_uses.collect typed))

let counted program =
  if !Flags.profile_gen && Profile_hook.is_possible () then Profile_hook.add ~file:!Flags.profile_file program
  else program

let from_typedtree info typed =
  Compilenv.reset ?packname:!Clflags.for_package (Unit_files.module_name info);
  (* [Closure] is used by -pack and by the fallback. *)
  Clflags.use_inlining_arguments_set Clflags.classic_arguments;
  to_lambda info typed
  |> Profile.record "generate" (fun program ->
         Memory.check ();
         let program = counted (simplify_lambda info program) in
         if Unit_files.stops_after_lambda () then Compilenv.save_unit_info (Unit_files.cmx info)
         else compile info ~exported_fields:(exported_fields typed) ~uses:(typed_uses typed) program)

let tool_name = "ocamlopt"

(** The part of a program that a unit is, from the typed tree that its compilation left, which must be of that interface.
    The name of the unit is that of [output_prefix]; nothing is written. *)
let part_of_typed_tree file ~interface ~output_prefix =
  Typed_source.with_parser ?interface file @@ fun parse ->
  Unit_files.with_implementation ~tool_name ~source_file:file ~output_prefix @@ fun info ->
  let typed = typecheck_impl info (Attributes.collect (parse info)) in
  Compilenv.reset (Unit_files.module_name info);
  let program = simplify_lambda info (to_lambda info typed) in
  Encode.part (options ~exported_fields:(exported_fields typed) file) ~uses:(typed_uses typed) program

let from_linear info =
  Compilenv.reset ?packname:!Clflags.for_package (Unit_files.module_name info);
  Unit_files.compile_linear info

let making output_prefix f = Errors.naming (fun () -> "making " ^ output_prefix ^ ".*") f

let interface ~source_file ~output_prefix =
  making output_prefix @@ fun () ->
  Unit_files.with_interface ~tool_name ~source_file ~output_prefix Compile_common.interface

let implementation ~start_from ~source_file ~output_prefix =
  making output_prefix @@ fun () ->
  Typed_source.with_parser source_file @@ fun parse ->
  Unit_files.with_implementation ~tool_name ~source_file ~output_prefix @@ fun info ->
  match (start_from : Clflags.Compiler_pass.t) with
  | Parsing -> compile_source info ~parse ~outputs:(Unit_files.outputs info) ~backend:from_typedtree
  | Emit -> from_linear info
  | pass -> Misc.fatal_errorf "Cannot start from %s" (Clflags.Compiler_pass.to_string pass)
