(** The command-line options that the stock compiler does not have. *)

let verify = ref false
let fuel : int option ref = ref None
let strict = ref false
let no_simplify = ref false
let no_inline = ref false
let no_types = ref false
let dump_raw_ir = ref false
let dump_ir = ref false
let dump_lambda = ref false
let dump_cmm = ref false
let dump_coverage = ref false
let dump_rewrites = ref false
let profile = ref false

(* The stock [.cmx] of the unit, which is compiled for its description in the library alone. *)
let describes : string option ref = ref None

let zero_alloc = ref true

(* The kinds of remarks that are printed while compiling, separated by commas; empty for none. *)
let remarks = ref ""

(* The folder that reports are written to; empty: beside the output. *)
let report_folder = ref ""

let set_report_folder folder =
  report_folder := folder;
  Clflags.inlining_report := true

(* [Arg] knows no optional values: each list of kinds is a flag of its own. *)
let remarks_flags =
  let kinds = [ "remains"; "missed"; "done" ] in
  let longer list = List.filter_map (fun k -> if List.mem k list then None else Some (list @ [ k ])) kinds in
  let lists = List.map (fun k -> [ k ]) kinds in
  let pairs = List.concat_map longer lists in
  List.map
    (fun list ->
      let value = String.concat "," list in
      ("-flambeau-remarks=" ^ value, Arg.Unit (fun () -> remarks := value), " (undocumented)"))
    (lists @ pairs @ List.concat_map longer pairs)

let set_fuel n =
  if n < 0 then raise (Arg.Bad "-flambeau-fuel: the number of rewrites can't be negative");
  fuel := Some n

let list =
  [
    ("-flambeau-verify", Arg.Set verify, " Check the intermediate code after every pass");
    ("-flambeau-fuel", Arg.Int set_fuel, "<n> Do at most <n> optional rewrites (to bisect a miscompilation)");
    ( "-flambeau-strict",
      Arg.Set strict,
      " If Flambeau fails on a unit, stop; do not compile it with the stock middle end" );
    ( "-flambeau-fallback",
      Arg.Clear strict,
      " If Flambeau fails on a unit, warn and compile it with the stock middle end (default)" );
    ("-flambeau-no-zero-alloc", Arg.Clear zero_alloc, " Do not check what [@zero_alloc] promises");
    ("-flambeau-no-simplify", Arg.Set no_simplify, " Do not simplify the intermediate code");
    ("-flambeau-no-inline", Arg.Set no_inline, " Inline no functions but stubs");
    ("-flambeau-no-types", Arg.Set no_types, " Compare values of any type by the runtime's functions");
    ("-flambeau-profile", Arg.Set profile, " Print the time and the counters of every pass");
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
    ("-flambeau-describe", Arg.String (fun file -> describes := Some file), " (undocumented)");
    ("-dflambeau", Arg.Set dump_ir, " (undocumented)");
    ("-dflambeau-raw", Arg.Set dump_raw_ir, " (undocumented)");
    ("-dflambeau-rewrites", Arg.Set dump_rewrites, " (undocumented)");
    ("-dflambeau-lambda", Arg.Set dump_lambda, " (undocumented)");
    ("-dflambeau-cmm", Arg.Set dump_cmm, " (undocumented)");
    ("-dflambeau-coverage", Arg.Set dump_coverage, " (undocumented)");
  ]
  @ remarks_flags

(** Flags that hold for every compilation of a build, where the command lines can't be changed. *)
let environment_variable = "FLAMBEAU_FLAGS"

(* [Arg] appends all options to the message. *)
let first_line text = List.hd (String.split_on_char '\n' text)

(** Reads the flags of the environment: any that the command line may have. To be called when all are registered. *)
let read_environment () =
  match Sys.getenv_opt environment_variable with
  | None -> ()
  | Some words -> (
      let words = List.filter (fun word -> word <> "") (String.split_on_char ' ' words) in
      let argv = Array.of_list (environment_variable :: words) in
      let reject word = raise (Arg.Bad (Printf.sprintf "unexpected argument '%s'." word)) in
      try Arg.parse_argv ~current:(ref 0) argv !Clflags.arg_spec reject environment_variable with
      | Arg.Bad message -> Compenv.fatal (first_line message)
      | Arg.Help message -> Compenv.fatal message)

let level () = if !Clflags.classic_inlining then 1 else !Clflags.default_simplify_rounds

(** Whether a level above the usual one was asked for. *)
let optimises () = level () > 1 && not !no_simplify

(** The settings that are passed to the optimiser, by the names that crates/flambeau/src/settings.rs reads. *)
let settings () =
  let rounds = match !Clflags.simplify_rounds with Some n -> [ ("rounds", string_of_int n) ] | None -> [] in
  (if !no_simplify then [ ("simplify", "no") ] else [])
  @ (if !no_inline then [ ("inline", "no") ] else [])
  @ (if !Clflags.unbox_free_vars_of_closures then [] else [ ("unbox-free-vars-of-closures", "no") ])
  @ (if !Clflags.unbox_closures then [ ("unbox-closures", "yes") ] else [])
  @ (if !Clflags.unbox_specialised_args then [] else [ ("unbox-specialised-args", "no") ])
  @ (if !dump_rewrites then [ ("trace", "yes") ] else [])
  @ (("level", string_of_int (level ())) :: rounds)
  @ Inlining_flags.settings ()

(** The stages of which a dump is wanted, by their names in a request. *)
let dumps () =
  List.filter_map
    (fun (wanted, stage) -> if !wanted then Some stage else None)
    [
      (dump_lambda, "lambda");
      (dump_raw_ir, "raw");
      (dump_ir, "ir");
      (dump_rewrites, "rewrites");
      (dump_cmm, "cmm");
      (dump_coverage, "coverage");
    ]
