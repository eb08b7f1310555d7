(** Errors of Flambeau itself, and how they are reported. *)

(** A bug of Flambeau. *)
type internal = {
  unit_name : string;
  function_name : string;  (** May be empty. *)
  pass : string;
  message : string;
}

exception Internal of internal

(** A [.cmx] whose payload can't be used: the file, and why. *)
exception Corrupt_payload of string * string

(** A description of the library that can't be used: the file that it is in, and why. *)
exception Corrupt_library_description of string * string

(** An output file that could not be written: the file, and the system's reason. *)
exception Cannot_write of string * string

(** A failure of the system, of which only the reason is known, while [doing]. *)
exception System_failure of { doing : string; reason : string }

(** A value of an option that means nothing. *)
exception Bad_option of string

(** A library whose description can't be read. *)
exception Corrupt_library of string

(* [unit_name] is empty if the unit was not known yet when this failed. *)
let internal ~unit_name ?(function_name = "") ~pass message =
  let unit_name = if unit_name = "" then Compilenv.current_unit_name () else unit_name in
  Internal { unit_name; function_name; pass; message }

(** Runs [f]; a failure of the system is reported with the name of the file that was being written. *)
let writing file f =
  try f () with Sys_error reason ->
    (* The system's message may begin with the name already. *)
    let prefix = file ^ ": " in
    let length = String.length prefix in
    let reason =
      if String.length reason > length && String.sub reason 0 length = prefix then
        String.sub reason length (String.length reason - length)
      else reason
    in
    raise (Cannot_write (file, reason))

(* Whether the system's message says of which file it speaks. *)
let names_file reason = String.contains reason ':'

(** Runs [f], which does what [doing] says. A failure of the system that names no file is reported with it. *)
let naming doing f =
  try f () with Sys_error reason when not (names_file reason) -> raise (System_failure { doing = doing (); reason })

(* {1 Bugs of Flambeau} *)

(* Whether an exception is a bug: an error of the input, of the command line or of the system has a message of its
   own. *)
let is_bug = function
  | Internal _ | Compenv.Exit_with_status _ -> false
  | exn -> Option.is_none (Location.error_of_exn exn)

(* The beginning of the messages of [Misc.fatal_error], which prints them before it raises. *)
let fatal_prefix = ">> Fatal error: "

(* The last message of a fatal error that was held back. *)
let fatal_message = ref ""

let on_one_line text =
  String.concat " " (List.filter (( <> ) "") (List.map String.trim (String.split_on_char '\n' text)))

(** Runs [f], in which messages of fatal errors are held back: they become those of {!guard}. *)
let holding_back_fatal_messages f =
  let ppf = Format.err_formatter in
  Format.pp_print_flush ppf ();
  let out = Format.pp_get_formatter_out_functions ppf () in
  let pending = Buffer.create 80 in
  let out_flush () =
    let text = Buffer.contents pending in
    Buffer.clear pending;
    let prefix = String.length fatal_prefix in
    if String.starts_with ~prefix:fatal_prefix text then
      fatal_message := on_one_line (String.sub text prefix (String.length text - prefix))
    else out.out_string text 0 (String.length text);
    out.out_flush ()
  in
  Format.pp_set_formatter_out_functions ppf { out with out_string = Buffer.add_substring pending; out_flush };
  Fun.protect f ~finally:(fun () ->
      Format.pp_print_flush ppf ();
      Format.pp_set_formatter_out_functions ppf out)

let message_of = function Misc.Fatal_error -> !fatal_message | exn -> Printexc.to_string exn

(* For tests of internal errors: the pass that is to fail, or [pass of function], with the exception that the back end
   raises. The Rust side reads the variable for its own passes. *)
let pass_to_fail = lazy (Sys.getenv_opt "FLAMBEAU_FAIL_IN")

let fail_if_asked ~function_name pass =
  match Lazy.force pass_to_fail with
  | Some name when name = pass || name = pass ^ " of " ^ function_name ->
      Misc.fatal_error "FLAMBEAU_FAIL_IN asks for it"
  | Some _ | None -> ()

(** Runs [f], which is [pass], maybe of a function. What it raises that is no error of the input is a bug.
    @raise Internal then. *)
let guard ?(function_name = "") pass f =
  try
    fail_if_asked ~function_name pass;
    f ()
  with exn when is_bug exn ->
    raise (internal ~unit_name:(Compilenv.current_unit_name ()) ~function_name ~pass (message_of exn))

(* {1 Reports of bugs} *)

let in_function error = if error.function_name = "" then "" else "function " ^ error.function_name ^ ", "

(* The command that this process is, with the variables that change what it does. *)
let command () =
  let variable name =
    match Sys.getenv_opt name with None | Some "" -> [] | Some value -> [ name ^ "=" ^ Filename.quote value ]
  in
  let variables = List.concat_map variable [ "OCAMLPARAM"; "FLAMBEAU_FLAGS" ] in
  String.concat " " (variables @ List.map Filename.quote (Array.to_list Sys.argv))

(** Prints [error], and how to reproduce it. *)
let report_internal ppf error =
  Format.fprintf ppf "Fatal error: flambeau: internal compiler error in unit %s, %spass %s: %s@." error.unit_name
    (in_function error) error.pass error.message;
  Format.fprintf ppf "To reproduce, in %s:@.  %s -flambeau-verify -dflambeau-raw -dflambeau-rewrites@." (Sys.getcwd ())
    (command ())

(** Prints that a unit was compiled without us because of [error], and what to send. *)
let report_fallback ppf error =
  Format.fprintf ppf
    "Warning: flambeau: unit %s is compiled by the stock middle end, because of an internal compiler error: \
     %spass %s: %s@."
    error.unit_name (in_function error) error.pass error.message;
  Format.fprintf ppf
    "Please report it, with what this prints, in %s:@.  %s -flambeau-strict -flambeau-verify -dflambeau-raw \
     -dflambeau-rewrites@."
    (Sys.getcwd ()) (command ())

(** Prints that the units of a program do not become one because of [error]. *)
let report_unmerged ppf error =
  Format.fprintf ppf
    "Warning: flambeau: the program is linked unit by unit, because of an internal compiler error: %spass %s: %s@."
    (in_function error) error.pass error.message;
  Format.fprintf ppf "Please report it, with what this prints, in %s:@.  %s -flambeau-strict@." (Sys.getcwd ()) (command ())

(** As the stock driver does; exceptions that it lets escape to the runtime are reported here as the runtime does. *)
let report ppf exn =
  try Location.report_exception ppf exn
  with exn ->
    Format.fprintf ppf "Fatal error: exception %s@." (Printexc.to_string exn);
    if Printexc.backtrace_status () then Printexc.print_backtrace stderr

let () =
  let file_error file text = Some (Location.errorf ~loc:(Location.in_file file) "%s" text) in
  Location.register_error_of_exn (function
    | Corrupt_payload (file, reason) ->
        file_error file
          (Printf.sprintf "%s: corrupt Flambeau payload (%s): recompile this unit" file reason)
    | Corrupt_library_description (file, reason) ->
        file_error file
          (Printf.sprintf "%s: corrupt library (%s): make it again with `flambeau stdlib --force`" file reason)
    | Cannot_write (file, reason) -> file_error file (Printf.sprintf "cannot write %s: %s" file reason)
    | System_failure { doing; reason } ->
        Some (Location.errorf ~loc:(Location.in_file !Location.input_name) "I/O error while %s: %s" doing reason)
    | Bad_option what -> Some (Location.errorf ~loc:(Location.in_file !Location.input_name) "%s" what)
    | Corrupt_library file ->
        file_error file (Printf.sprintf "%s: corrupt library description: rebuild this library" file)
    | _ -> None)

(** The exit status of what a command line asks for, with its errors reported. [afterwards]: what follows if there was
    none. *)
let exit_status ppf run ~afterwards =
  match run () with
  | () ->
      afterwards ();
      0
  | exception Compenv.Exit_with_status status -> status
  | exception Internal error ->
      report_internal ppf error;
      2
  | exception exn ->
      report ppf exn;
      2
