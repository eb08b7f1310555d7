(** The command-line options that the stock compiler does not have. *)

let verify = ref false
let fuel : int option ref = ref None
let strict = ref false
let external_assembler = ref false
let no_simplify = ref false
let no_inline = ref false
let keep_sharing = ref false
let no_types = ref false
let dump_raw_ir = ref false
let dump_ir = ref false
let dump_lambda = ref false
let dump_cmm = ref false
let dump_coverage = ref false
let dump_rewrites = ref false

(* The passes after which the intermediate code is to be dumped, and those that are to be left out. *)
let dump_after : string list ref = ref []
let skipped : string list ref = ref []

(* Whether what passes are given is written to a file. *)
let save_ir = ref false
let profile = ref false

(* Whether units keep what they are compiled from, and programs are optimised as a whole when they are linked. *)
let whole_program = ref false

(* Whether the standard library becomes part of such programs. *)
let whole_stdlib = ref false

(* The stock [.cmx] of the unit, which is compiled for its description in the library alone. *)
let describes : string option ref = ref None

let zero_alloc = ref true

(* Whether the program is to count how often its functions and branches run. *)
let profile_gen = ref false

(* The file that a counted program writes to, if the environment names no other when it ends. *)
let profile_file = ref "flambeau.profile"

(* The profile that decisions are made by; empty for none. *)
let profile_use = ref ""

(* The kinds of remarks that are printed while compiling, separated by commas; empty for none. *)
let remarks = ref ""

(* The folder that reports are written to; empty: beside the output. *)
let report_folder = ref ""

let set_report_folder folder =
  report_folder := folder;
  Clflags.inlining_report := true

(* [Arg] knows no optional values: each list of kinds is a flag of its own. *)
let with_kinds = "-flambeau-remarks="
let kinds_of_remarks = [ "remains"; "missed"; "done" ]

let remarks_flags =
  let longer list =
    List.filter_map (fun k -> if List.mem k list then None else Some (list @ [ k ])) kinds_of_remarks
  in
  let lists = List.map (fun k -> [ k ]) kinds_of_remarks in
  let pairs = List.concat_map longer lists in
  List.map
    (fun list ->
      let value = String.concat "," list in
      (with_kinds ^ value, Arg.Unit (fun () -> remarks := value), " (undocumented)"))
    (lists @ pairs @ List.concat_map longer pairs)

let reject_kinds word () =
  let message =
    Printf.sprintf "option '%s': the kinds of remarks are %s; several are separated by commas" word
      (String.concat ", " kinds_of_remarks)
  in
  raise (Arg.Bad message)

(** Flags for those of some words that ask for remarks of kinds that do not exist: errors that name the kinds. [Arg] would
    say that the option takes none. *)
let unknown_remarks_flags words =
  let is_unknown word =
    String.starts_with ~prefix:with_kinds word && not (List.exists (fun (flag, _, _) -> flag = word) remarks_flags)
  in
  List.sort_uniq compare (List.filter is_unknown words)
  |> List.map (fun word -> (word, Arg.Unit (reject_kinds word), " (undocumented)"))

let set_fuel n =
  if n < 0 then raise (Arg.Bad "-flambeau-fuel: the number of rewrites can't be negative");
  fuel := Some n

let list =
  [
    ( "-flambeau-bytecode",
      Arg.Unit ignore,
      " Be ocamlc: compile to bytecode (.cmo, .cma), from the optimised code" );
    ("-flambeau-verify", Arg.Set verify, " Check the intermediate code after every pass");
    ("-flambeau-fuel", Arg.Int set_fuel, "<n> Do at most <n> optional rewrites (to bisect a miscompilation)");
    ( "-flambeau-strict",
      Arg.Set strict,
      " If Flambeau fails on a unit, stop; do not compile it with the stock middle end" );
    ( "-flambeau-fallback",
      Arg.Clear strict,
      " If Flambeau fails on a unit, warn and compile it with the stock middle end (default)" );
    ( "-flambeau-external-assembler",
      Arg.Set external_assembler,
      " Make object files by the system's assembler, not by Flambeau's" );
    ("-flambeau-no-zero-alloc", Arg.Clear zero_alloc, " Do not check what [@zero_alloc] promises");
    ("-flambeau-no-simplify", Arg.Set no_simplify, " Do not simplify the intermediate code");
    ("-flambeau-no-inline", Arg.Set no_inline, " Inline no functions but stubs");
    ( "-flambeau-keep-sharing",
      Arg.Set keep_sharing,
      " Allocate each time what the source allocates twice: marshalled values are as large as with ocamlopt" );
    ("-flambeau-no-types", Arg.Set no_types, " Compare values of any type by the runtime's functions");
    ("-flambeau-profile", Arg.Set profile, " Print the time and the counters of every pass");
    ( "-flambeau-profile-gen",
      Arg.Set profile_gen,
      " Count how often functions and branches run; the program appends that to flambeau.profile when it ends" );
    ( "-flambeau-profile-file",
      Arg.Set_string profile_file,
      "<file> With -flambeau-profile-gen: the file that the program writes, if FLAMBEAU_PROFILE_FILE names no other" );
    ( "-flambeau-profile-use",
      Arg.Set_string profile_use,
      "<file> Optimise for the runs that were counted in <file>" );
    ( "-flambeau-whole-program",
      Arg.Set whole_program,
      " When compiling: let the unit be optimised again with the program that it is linked into; when linking: do so" );
    ( "-flambeau-whole-stdlib",
      Arg.Set whole_stdlib,
      " With -flambeau-whole-program when linking: the standard library becomes part of the program, too" );
    ( "-flambeau-remarks",
      Arg.Unit (fun () -> remarks := "remains,missed"),
      "[=<kinds>] Print what costs most, why, and what to change; kinds: remains, missed, done" );
    ( "-inlining-report-dir",
      Arg.String set_report_folder,
      "<dir> As -inlining-report, with the files below <dir>, under the path of the output" );
    ( "-flambeau-library",
      Arg.String (fun folder -> Library.source := Folder folder),
      "<dir> Read what is known of installed units from <dir>, not from the executable" );
    ( "-flambeau-no-library",
      Arg.Unit (fun () -> Library.source := Nothing),
      " Know of installed units what their .cmx files say" );
    ( "-flambeau-skip",
      Arg.String (fun pass -> skipped := pass :: !skipped),
      "<pass> Leave a pass over the intermediate code out; may be repeated" );
    ( "-flambeau-save-ir",
      Arg.Set save_ir,
      " Write what the passes are given beside the output (.fl): flambeau opt does the same with it" );
    ("-flambeau-describe", Arg.String (fun file -> describes := Some file), " (undocumented)");
    ("-dflambeau", Arg.Set dump_ir, " (undocumented)");
    ("-dflambeau-after", Arg.String (fun pass -> dump_after := pass :: !dump_after), " (undocumented)");
    ("-dflambeau-raw", Arg.Set dump_raw_ir, " (undocumented)");
    ("-dflambeau-rewrites", Arg.Set dump_rewrites, " (undocumented)");
    ("-dflambeau-lambda", Arg.Set dump_lambda, " (undocumented)");
    ("-dflambeau-cmm", Arg.Set dump_cmm, " (undocumented)");
    ("-dflambeau-coverage", Arg.Set dump_coverage, " (undocumented)");
  ]
  @ remarks_flags

(** Flags that hold for every compilation of a build, where the command lines can't be changed. *)
let environment_variable = "FLAMBEAU_FLAGS"

(** The flags of the environment. *)
let environment () =
  let text = Option.value ~default:"" (Sys.getenv_opt environment_variable) in
  List.filter (fun word -> word <> "") (String.split_on_char ' ' text)

(* [Arg] appends all options to the message. *)
let first_line text = List.hd (String.split_on_char '\n' text)

(** Reads the flags of the environment: any that the command line may have. To be called when all are registered. *)
let read_environment () =
  let argv = Array.of_list (environment_variable :: environment ()) in
  let reject word = raise (Arg.Bad (Printf.sprintf "unexpected argument '%s'" word)) in
  try Arg.parse_argv ~current:(ref 0) argv !Clflags.arg_spec reject environment_variable with
  | Arg.Bad message -> Compenv.fatal (first_line message)
  | Arg.Help message -> Compenv.fatal message

(* How often the simplifier may run; crates/passes/src/schedule.rs takes the nearest of these. *)
let least_rounds = 2
let most_rounds = 8

(** Warns if [-rounds] is not what is done: Flambda takes any number, so it is no error. What no number of rounds is, the
    optimiser refuses. *)
let warn_of_rounds ppf =
  match !Clflags.simplify_rounds with
  | Some n when n >= 0 && (n < least_rounds || n > most_rounds) ->
      Format.fprintf ppf "Warning: flambeau: option '-rounds' takes %d to %d, not %d: the simplifier runs %d times@."
        least_rounds most_rounds n
        (max least_rounds (min most_rounds n))
  | Some _ | None -> ()

let level () = if !Clflags.classic_inlining then 1 else !Clflags.default_simplify_rounds

(** Whether a level above the usual one was asked for. *)
let optimises () = level () > 1 && not !no_simplify

(** The settings that are passed to the optimiser, by the names that crates/flambeau/src/settings.rs reads. *)
let settings () =
  let counted = if !profile_gen then [ ("profile-gen", "yes") ] else [] in
  let profile = if !profile_use = "" then [] else [ ("profile-use", !profile_use) ] in
  let rounds = match !Clflags.simplify_rounds with Some n -> [ ("rounds", string_of_int n) ] | None -> [] in
  counted @ profile
  @ (if !no_simplify then [ ("simplify", "no") ] else [])
  @ List.rev_map (fun pass -> ("skip", pass)) !skipped
  (* It relies on it that the runtime makes arrays of floats flat. *)
  @ (if Config.flat_float_array then [] else [ ("skip", "naked_fields") ])
  @ (if !no_inline then [ ("inline", "no") ] else [])
  @ (if !keep_sharing then [ ("sharing", "kept") ] else [])
  @ (if !Clflags.unbox_free_vars_of_closures then [] else [ ("unbox-free-vars-of-closures", "no") ])
  @ (if !Clflags.unbox_closures then [ ("unbox-closures", "yes") ] else [])
  @ (if !Clflags.unbox_specialised_args then [] else [ ("unbox-specialised-args", "no") ])
  @ (if !dump_rewrites then [ ("trace", "yes") ] else [])
  @ (("level", string_of_int (level ())) :: rounds)
  @ Inlining_flags.settings ()

(** The stages of which a dump is wanted, by their names in a request. *)
let dumps () =
  List.rev_map (fun pass -> "after " ^ pass) !dump_after
  @ List.filter_map
    (fun (wanted, stage) -> if !wanted then Some stage else None)
    [
      (dump_lambda, "lambda");
      (save_ir, "saved");
      (dump_raw_ir, "raw");
      (dump_ir, "ir");
      (dump_rewrites, "rewrites");
      (dump_cmm, "cmm");
      (dump_coverage, "coverage");
    ]
