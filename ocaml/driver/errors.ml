(** What can go wrong that is ours, and how it is told. *)

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

(** A failure of the system, of which only the reason is known, while this was being made or read. *)
exception System_failure of { doing : string; reason : string }

(** A library whose description can't be read. *)
exception Corrupt_library of string

let internal ~unit_name ?(function_name = "") ~pass message =
  Internal { unit_name; function_name; pass; message }

(** Runs [f]; a failure of the system is told with the name of the file that was being written. *)
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

(** Runs [f], which does what [doing] says. A failure of the system that names no file is told with it. *)
let naming doing f =
  try f () with Sys_error reason when not (names_file reason) -> raise (System_failure { doing = doing (); reason })

(** Prints [error], on one line. *)
let print_internal ppf { unit_name; function_name; pass; message } =
  let in_function = if function_name = "" then "" else ", function " ^ function_name in
  Format.fprintf ppf "Fatal error: flambeau: internal compiler error in unit %s%s, pass %s: %s@." unit_name
    in_function pass message

(** Prints [error], how to reproduce it, and how to go on without us. *)
let report_internal ppf error =
  print_internal ppf error;
  let command = String.concat " " (List.map Filename.quote (Array.to_list Sys.argv)) in
  Format.fprintf ppf "To reproduce, in %s:@.  %s -flambeau-verify -dflambeau@." (Sys.getcwd ()) command;
  Format.fprintf ppf "With -flambeau-fallback the unit is compiled by the stock middle end instead.@."

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
    | Corrupt_library file ->
        file_error file (Printf.sprintf "%s: corrupt library description: rebuild this library" file)
    | _ -> None)
