(** Compiling a [.ml] to bytecode: the stock front end, our middle end, and the stock back end from Lambda on. *)

let dumped = Implementation.dumped

(* {1 Front} *)

(* In the store form fields of the unit's block are known one by one; and there are no events between what the optimiser
   knows, since locations are in terms, too. *)
let as_for_native_code f =
  Clflags.native_code := true;
  Fun.protect f ~finally:(fun () -> Clflags.native_code := false)

let to_lambda info (typed : Typedtree.implementation) =
  as_for_native_code @@ fun () ->
  let translate = Translmod.transl_store_implementation (Unit_files.module_name info) in
  let program =
    Profile.record "transl" translate (typed.structure, typed.coercion)
    |> dumped info.Compile_common.ppf_dump Clflags.dump_rawlambda Printlambda.program
  in
  { program with code = Simplif.simplify_lambda program.code }

(* {1 Middle} *)

let options ~exported_fields source_file : Encode.options =
  let options = Implementation.options ~exported_fields source_file in
  let settings = ("machine", "bytecode") :: ("export", "no") :: options.settings in
  { options with settings; bytecode = true; keeps_part = false }

let request info ~exported_fields program =
  Errors.guard "encoding the request" @@ fun () ->
  Profile.record "encode"
    (Encode.request ~uses:None (options ~exported_fields (Unit_files.source_file info)))
    program

let read_reply info (request : Encode.request) ~unit_ident bytes =
  Errors.guard "reading the reply" @@ fun () ->
  let Reply.{ dumps; outcome } = Reply.read bytes in
  let beside = Unit_files.output_prefix info in
  Implementation.print_dumps info ~beside dumps;
  match outcome with
  | Error failure -> raise failure
  | Ok { files; counters; warnings; cmm = reader; payload = _ } ->
      Implementation.print_counters (Unit_files.module_name info) counters;
      let globals = Imports.by_symbol () in
      let lambda = Lambda_terms.read reader ~debuginfos:request.debuginfos ~unit_ident ~globals in
      (lambda, files, warnings)

(* {1 Back} *)

let emit info (program : Lambda.program) lambda =
  Errors.guard "making the bytecode" @@ fun () ->
  Bytegen.compile_implementation (Unit_files.module_name info) lambda
  |> dumped info.Compile_common.ppf_dump Clflags.dump_instr Printinstr.instrlist
  |> fun code -> Compile.emit_bytecode info (code, program.required_globals)

let compile_with_flambeau info ~exported_fields program =
  Errors.holding_back_fatal_messages @@ fun () ->
  let request = request info ~exported_fields program in
  let bytes = Profile.record "flambeau" Rust.middle_end request.bytes in
  let lambda, files, warnings = read_reply info request ~unit_ident:program.module_ident bytes in
  let lambda = dumped info.Compile_common.ppf_dump Clflags.dump_lambda Printlambda.lambda lambda in
  emit info program lambda;
  List.iter (Implementation.write_beside ~beside:(Unit_files.output_prefix info)) files;
  Implementation.print_warnings ~debuginfos:request.debuginfos warnings

(* {1 The stock middle end} *)

let compile_with_stock info typed =
  Compile.emit_bytecode info (Compile.to_bytecode info typed)

let compile info typed =
  Compilenv.reset ?packname:None (Unit_files.module_name info);
  let exported_fields = Implementation.exported_fields typed in
  try
    let program = to_lambda info typed in
    if not (Unit_files.stops_after_lambda ()) then compile_with_flambeau info ~exported_fields program
  with exn when not !Flags.strict -> (
    match exn with
    | Errors.Internal error ->
        Implementation.without_warnings_of_inlining (fun () -> compile_with_stock info typed);
        Errors.report_fallback Format.err_formatter error
    | exn -> raise exn)

(* {1 Entry points} *)

let tool_name = "ocamlc"

let interface ~source_file ~output_prefix =
  Implementation.making output_prefix @@ fun () ->
  Unit_files.with_interface ~native:false ~tool_name ~source_file ~output_prefix Compile_common.interface

let implementation ~start_from ~source_file ~output_prefix =
  Implementation.making output_prefix @@ fun () ->
  Typed_source.with_parser source_file @@ fun parse ->
  Unit_files.with_implementation ~native:false ~tool_name ~source_file ~output_prefix @@ fun info ->
  match (start_from : Clflags.Compiler_pass.t) with
  | Parsing ->
      Implementation.compile_source info ~parse ~outputs:(Unit_files.bytecode_outputs info) ~backend:compile
  | pass -> Misc.fatal_errorf "Cannot start from %s" (Clflags.Compiler_pass.to_string pass)
