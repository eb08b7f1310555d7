(** The command line of [ocamlc]: options and files as the stock driver takes them, through the same modules of
    compiler-libs; only the compilation of a [.ml] is ours. *)

open Clflags

let program = "ocamlc"
let flag = "-flambeau-bytecode"

(** Whether a process with these arguments is to be [ocamlc]: it is called so, or a flag says so. *)
let is_wanted argv =
  Array.length argv > 0
  && (List.mem (Filename.basename argv.(0)) [ "ocamlc"; "ocamlc.opt" ] || Array.mem flag argv)

module Options = Main_args.Make_bytecomp_options (Main_args.Default.Main)

(* What the optimiser takes of the flags of [ocamlopt]. *)
let optimisation =
  let level n = Arg.Unit (fun () -> default_simplify_rounds := n) in
  [
    ("-O2", level 2, " Optimise more");
    ("-O3", level 3, " Optimise much more");
    ("-inline", Arg.String (Inlining_flags.note_rounds "inline"), "<n> Aggressiveness of inlining");
  ]

let parse_command_line argv ppf =
  Compenv.readenv ppf Before_args;
  add_arguments __LOC__ Options.list;
  add_arguments __LOC__
    [
      ( "-depend",
        Arg.Unit Makedepend.main_from_option,
        "<options> Compute dependencies (use 'ocamlc -depend -help' for details)" );
    ];
  add_arguments __LOC__ optimisation;
  add_arguments __LOC__ Flags.list;
  Flags.read_environment ();
  Compenv.parse_arguments (ref argv) Compenv.anonymous program;
  Compmisc.read_clflags_from_env ();
  if !plugin then Compenv.fatal "-plugin is only supported up to OCaml 4.08.0"

let compile_files ppf =
  try
    Compenv.process_deferred_actions
      (ppf, Bytecode_implementation.implementation, Bytecode_implementation.interface, ".cmo", ".cma")
  with Arg.Bad message ->
    Printf.eprintf "%s\nUsage: ocamlc <options> <files>\nTry 'ocamlc --help' for more information.\n" message;
    raise (Compenv.Exit_with_status 2)

(* {1 Putting together} *)

let check_one_goal () =
  let goals = [ make_package; make_archive; Compenv.stop_early; output_c_object ] in
  if List.length (List.filter ( ! ) goals) > 1 then
    match !stop_after with
    | None -> Compenv.fatal "Please specify at most one of -pack, -a, -c, -output-obj"
    | Some _ ->
        let passes = Compiler_pass.available_pass_names ~filter:(fun _ -> true) ~native:false in
        Printf.ksprintf Compenv.fatal
          "Options -i and -stop-after (%s) are  incompatible with -pack, -a, -output-obj"
          (String.concat "|" passes)

let named_output () = Compenv.extract_output !output_name

let make target f = Errors.naming (fun () -> "making " ^ target) f

let make_library () =
  let target = named_output () in
  make target (fun () -> Bytelibrarian.create_archive (Compenv.get_objfiles ~with_ocamlparam:false) target)

let make_pack () =
  let target = named_output () in
  let files = Compenv.get_objfiles ~with_ocamlparam:false in
  make target @@ fun () ->
  Compmisc.with_ppf_dump ~file_prefix:target @@ fun ppf_dump ->
  Bytepackager.package_files ~ppf_dump (Compmisc.initial_env ()) files target

let executable_name () =
  if (not !output_c_object) || !output_complete_executable then Compenv.default_output !output_name
  else
    let name = named_output () in
    if List.exists (Filename.check_suffix name) [ Config.ext_obj; Config.ext_dll; ".c" ] then name
    else
      Printf.ksprintf Compenv.fatal "The extension of the output file must be .c, %s or %s" Config.ext_obj
        Config.ext_dll

let link () =
  let target = executable_name () in
  make target (fun () -> Bytelink.link (Compenv.get_objfiles ~with_ocamlparam:true) target)

let put_together () =
  let goal =
    if !make_archive then Some make_library
    else if !make_package then Some make_pack
    else if (not !Compenv.stop_early) && !objfiles <> [] then Some link
    else None
  in
  Option.iter
    (fun make ->
      Compmisc.init_path ();
      make ();
      Warnings.check_fatal ())
    goal

(* {1 Entry point} *)

let run argv ppf =
  native_code := false;
  parse_command_line argv ppf;
  compile_files ppf;
  Compenv.readenv ppf Before_link;
  check_one_goal ();
  put_together ()

(** Does what the command line says and gives the exit status. *)
let main argv ppf =
  Errors.exit_status ppf
    (fun () -> run argv ppf)
    ~afterwards:(fun () ->
      Compmisc.with_ppf_dump ~file_prefix:"profile" (fun ppf -> Profile.print ppf !profile_columns))
