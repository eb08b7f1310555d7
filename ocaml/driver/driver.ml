(** The command line of [ocamlopt]: options and files as the stock driver takes them, through the same
    modules of compiler-libs; only the compilation of a [.ml] is ours. *)

open Clflags

let program = "ocamlopt"

(* {1 Information} *)

(* The settings of a compilation with the command line up to here: what [OCAMLPARAM] says after the [_] holds, too. *)
let settings () =
  Compenv.readenv Format.err_formatter (Before_compile "");
  Inlining_flags.note_after_command_line ();
  String.concat " " (List.map (fun (name, value) -> name ^ "=" ^ value) (Flags.settings ()))

let configuration =
  [
    ("flambeau", fun () -> "true");
    ("flambeau_version", Rust.version);
    ("flambeau_settings", settings);
    ("flambeau_library", Library.summary);
  ]

let print_configuration () =
  Config.print_config stdout;
  List.iter (fun (name, value) -> Printf.printf "%s: %s\n" name (value ())) configuration;
  raise (Compenv.Exit_with_status 0)

let print_configuration_variable name =
  match List.assoc_opt name configuration with
  | Some value ->
      print_string (value ());
      raise (Compenv.Exit_with_status 0)
  | None -> Misc.show_config_variable_and_exit name

module Options = Main_args.Make_optcomp_options (struct
  include Main_args.Default.Optmain
  include Inlining_flags.Noting (Main_args.Default.Optmain)

  let _config = print_configuration
  let _config_var = print_configuration_variable
end)

let info_option =
  let print files =
    List.iter Unit_description.print files;
    raise (Compenv.Exit_with_status 0)
  in
  ("-flambeau-info", Arg.Rest_all print, " (undocumented)")

let depend_option =
  ( "-depend",
    Arg.Unit Makedepend.main_from_option,
    "<options> Compute dependencies (use 'ocamlopt -depend -help' for details)" )

(* The stock parser has said what it does not accept: if that is a flag that does not exist, one may be meant. *)
let suggest_flag argv =
  let known = List.map (fun (name, _, _) -> name) !arg_spec in
  let is_unknown word = String.length word > 1 && word.[0] = '-' && not (List.mem word known) in
  let similar = Option.map (Misc.spellcheck known) (List.find_opt is_unknown (Array.to_list argv)) in
  match similar with
  | None | Some [] -> ()
  | Some names -> Printf.eprintf "Hint: Did you mean %s?\n" (String.concat " or " names)

let parse_command_line argv ppf =
  Compenv.readenv ppf Before_args;
  Inlining_flags.note_before_command_line ();
  add_arguments __LOC__ (Arch.command_line_options @ Options.list);
  add_arguments __LOC__ [ depend_option ];
  add_arguments __LOC__ (Flags.list @ Inlining_flags.list);
  add_arguments __LOC__ [ info_option ];
  add_arguments __LOC__ (Flags.unknown_remarks_flags (Array.to_list argv @ Flags.environment ()));
  Flags.read_environment ();
  (try Compenv.parse_arguments (ref argv) Compenv.anonymous program
   with Compenv.Exit_with_status 2 as exn ->
     suggest_flag argv;
     raise exn);
  Inlining_flags.note_after_command_line ();
  Compmisc.read_clflags_from_env ();
  Flags.warn_of_rounds ppf;
  if !plugin then Compenv.fatal "-plugin is only supported up to OCaml 4.08.0"

(* {1 Compiling} *)

let compile_files ppf =
  try
    Compenv.process_deferred_actions
      (ppf, Implementation.implementation, Implementation.interface, ".cmx", ".cmxa")
  with Arg.Bad message ->
    Printf.eprintf
      "%s\nUsage: ocamlopt <options> <files>\nTry 'ocamlopt --help' or 'flambeau help' for more information.\n"
      message;
    raise (Compenv.Exit_with_status 2)

(* {1 Putting together} *)

let check_one_goal () =
  let goals = [ make_package; make_archive; shared; Compenv.stop_early; output_c_object ] in
  if List.length (List.filter ( ! ) goals) > 1 then
    match !stop_after with
    | None -> Compenv.fatal "Please specify at most one of -pack, -a, -shared, -c, -output-obj"
    | Some _ ->
        let passes = Compiler_pass.available_pass_names ~filter:(fun _ -> true) ~native:true in
        Printf.ksprintf Compenv.fatal
          "Options -i and -stop-after (%s) are  incompatible with -pack, -a, -shared, -output-obj"
          (String.concat "|" passes)

(* What [Asmlink] lets escape when a library's description is damaged does not name the library. *)
let find_corrupt_library exn files =
  let is_corrupt file =
    Filename.check_suffix file ".cmxa"
    &&
    match Compilenv.read_library_info (Load_path.find file) with
    | (_ : Cmx_format.library_infos) -> false
    | exception (End_of_file | Failure _) -> true
    | exception _ -> false
  in
  match List.find_opt is_corrupt ("stdlib.cmxa" :: files) with
  | Some file -> raise (Errors.Corrupt_library file)
  | None -> raise exn

(* Makes [target] from [files]. *)
let make target files f =
  Errors.naming (fun () -> "making " ^ target) @@ fun () ->
  Compmisc.with_ppf_dump ~file_prefix:target @@ fun ppf_dump ->
  try f ~ppf_dump files with (End_of_file | Failure _) as exn -> find_corrupt_library exn files

let named_output () = Compenv.extract_output !output_name

let make_library () =
  Compmisc.init_path ();
  let target = named_output () in
  let files = Compenv.get_objfiles ~with_ocamlparam:false in
  make target files (fun ~ppf_dump:_ files ->
      Asmlibrarian.create_archive files target;
      Program_parts.add_to_library target (List.map Load_path.find files))

let make_pack () =
  Compmisc.init_path ();
  let target = named_output () in
  let files = Compenv.get_objfiles ~with_ocamlparam:false in
  make target files (fun ~ppf_dump files ->
      Asmpackager.package_files ~ppf_dump (Compmisc.initial_env ()) files target
        ~backend:Implementation.stock_backend)

let make_plugin () =
  Compmisc.init_path ();
  let target = named_output () in
  let files = Compenv.get_objfiles ~with_ocamlparam:false in
  make target files (fun ~ppf_dump files -> Asmlink.link_shared ~ppf_dump files target)

let executable_name () =
  if not !output_c_object then Compenv.default_output !output_name
  else
    let name = named_output () in
    let has suffix = Filename.check_suffix name suffix in
    if has Config.ext_obj || has Config.ext_dll then name
    else
      Printf.ksprintf Compenv.fatal "The extension of the output file must be %s or %s" Config.ext_obj
        Config.ext_dll

let link () =
  let target = executable_name () in
  Compmisc.init_path ();
  let files = Compenv.get_objfiles ~with_ocamlparam:true in
  make target files (fun ~ppf_dump files ->
      let link files = Asmlink.link ~ppf_dump files target in
      if !Flags.whole_program then Whole_program.replace ~target files link else link files)

let put_together () =
  let links = (not !Compenv.stop_early) && (!objfiles <> [] || !Compenv.has_linker_inputs) in
  let goal =
    if !make_archive then Some make_library
    else if !make_package then Some make_pack
    else if !shared then Some make_plugin
    else if links then Some link
    else None
  in
  Option.iter
    (fun make ->
      make ();
      Warnings.check_fatal ())
    goal

(* {1 Entry point} *)

let run argv ppf =
  native_code := true;
  parse_command_line argv ppf;
  Assembler.register ();
  compile_files ppf;
  Compenv.readenv ppf Before_link;
  check_one_goal ();
  put_together ()

(** Does what the command line says and gives the exit status. *)
let main argv ppf =
  Errors.exit_status ppf
    (fun () -> run argv ppf)
    ~afterwards:(fun () -> Profile.print Format.std_formatter !profile_columns)

let () =
  Callback.register "flambeau_main" (fun () ->
      Memory.start ();
      let main = if Bytecode_driver.is_wanted Sys.argv then Bytecode_driver.main else main in
      exit (main Sys.argv Format.err_formatter))
