(** From the Cmm of a unit to its object file. *)

open Clflags

(* {1 Saving the linear form (-save-ir-after scheduling)} *)

let saves_linear () = should_save_ir_after Compiler_pass.Scheduling

type linear = { mutable items : Linear_format.linear_item_info list  (** In reverse. *) }

let keep linear item = if saves_linear () then linear.items <- item :: linear.items

let save_linear linear ~output_prefix =
  if saves_linear () then
    let file = Compiler_pass.(to_output_filename Scheduling ~prefix:output_prefix) in
    Errors.writing file (fun () ->
        Linear_format.save file
          {
            unit_name = Compilenv.current_unit_name ();
            items = List.rev linear.items;
            for_pack = !for_package;
          })

(* {1 Phrases} *)

let emits () = not (should_stop_after Compiler_pass.Scheduling)

let emit_data linear items =
  keep linear (Data items);
  if emits () then Emit.data items

let emit_function ~ppf_dump ~future_functions linear decl =
  let code = Native_passes.linearize ~ppf_dump ~future_functions decl in
  keep linear (Func code);
  if emits () then Native_passes.emit code

module Names = Misc.Stdlib.String.Set

let function_names phrases =
  List.fold_left
    (fun names phrase ->
      match phrase with Cmm.Cfunction f -> Names.add f.fun_name names | Cdata _ -> names)
    Names.empty phrases

let compile_phrases ~ppf_dump linear phrases =
  let compile future_functions phrase =
    if !dump_cmm then Format.fprintf ppf_dump "%a@." Printcmm.phrase phrase;
    match phrase with
    | Cmm.Cdata items ->
        emit_data linear items;
        future_functions
    | Cfunction decl ->
        let function_name = decl.fun_name in
        (* What the back end raises when it is given Cmm that it does not expect is a bug of ours. *)
        Errors.guard ~function_name "native code generation" (fun () ->
            emit_function ~ppf_dump ~future_functions linear decl);
        Memory.check ();
        Names.remove function_name future_functions
  in
  ignore (List.fold_left compile (function_names phrases) phrases : Names.t)

(* The objects of C libraries that define these must not be left out by the linker: a unit that is loaded later
   may want them. *)
let external_references () =
  let symbol description =
    if Primitive.native_name_is_external description then Some (Primitive.native_name description) else None
  in
  Cmm_helpers.reference_symbols (List.filter_map symbol !Translmod.primitive_declarations)

let generate ~ppf_dump linear phrases =
  if !dump_cmm then Format.fprintf ppf_dump "@.cmm:@.";
  if emits () then Emit.begin_assembly ();
  Profile.record "compile_phrases" (compile_phrases ~ppf_dump linear) phrases;
  compile_phrases ~ppf_dump linear [ external_references () ];
  if emits () then Emit.end_assembly ()

(* {1 Files} *)

let assembly_file ~output_prefix =
  if !keep_asm_file || !Emitaux.binary_backend_available then output_prefix ^ Config.ext_asm
  else Filename.temp_file "camlasm" Config.ext_asm

(* Runs [f] with the assembly file open for [Emit]. The file is complete afterwards, or it is gone. *)
let with_assembly_output file f =
  Misc.try_finally
    ~exceptionally:(fun () -> Misc.remove_file file)
    (fun () ->
      Errors.writing file @@ fun () ->
      let oc = open_out file in
      Emitaux.output_channel := oc;
      Misc.try_finally
        ~exceptionally:(fun () -> close_out_noerr oc)
        (fun () ->
          f ();
          close_out oc))

let assemble file ~object_file =
  let status = Profile.record "assemble" (Proc.assemble_file file) object_file in
  if status <> 0 then raise (Asmgen.Error (Assembler_error file))

let with_assembly ~output_prefix ~object_file f =
  let writes_text = !keep_asm_file || not !Emitaux.binary_backend_available in
  Emitaux.create_asm_file := writes_text;
  let file = assembly_file ~output_prefix in
  if writes_text then with_assembly_output file f else f ();
  assemble file ~object_file;
  if writes_text && not !keep_asm_file then Misc.remove_file file

(** Makes the object file of the current unit, or, if an option says so, stops after the linear form. *)
let compile ~ppf_dump ~output_prefix phrases =
  let object_file = output_prefix ^ Config.ext_obj in
  let linear = { items = [] } in
  let generate () = generate ~ppf_dump linear phrases in
  Misc.try_finally
    ~exceptionally:(fun () -> Misc.remove_file object_file)
    (fun () ->
      try
        if emits () then with_assembly ~output_prefix ~object_file generate
        else begin
          Emitaux.create_asm_file := false;
          generate ()
        end;
        save_linear linear ~output_prefix
      with Native_passes.Cannot_emit (name, error) ->
        raise (Asmgen.Error (Asm_generation (name, error))))
