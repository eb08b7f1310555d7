(** The files of the unit that is being compiled, and those of others: 4.13. *)

open Compile_common

let module_name info = info.module_name
let source_file info = info.source_file
let output_prefix info = info.output_prefix
let cmx info = Compile_common.cmx info

(** What a compilation makes. *)
let outputs info = [ Compile_common.cmx info; Compile_common.obj info ]

(** What a compilation to bytecode makes. *)
let bytecode_outputs info = [ cmo info ]

(** Runs [f] on an interface. *)
let with_interface ?(native = true) ~tool_name ~source_file ~output_prefix f =
  with_info ~native ~tool_name ~source_file ~output_prefix ~dump_ext:"cmi" f

(** Runs [f] on an implementation. *)
let with_implementation ?(native = true) ~tool_name ~source_file ~output_prefix f =
  with_info ~native ~tool_name ~source_file ~output_prefix ~dump_ext:(if native then "cmx" else "cmo") f

(** From the linear form to the object. *)
let compile_linear info = Asmgen.compile_implementation_linear info.output_prefix ~progname:info.source_file

(** What the front end says at the end of an implementation. *)
let warn_of_unused () = ()

(** Whether to stop before the middle end ([-stop-after lambda] of later versions). *)
let stops_after_lambda () = false

(** The file of a unit in the load path, maybe with a small initial letter.
    @raise Not_found if there is none. *)
let find_in_load_path file = Load_path.find_uncap file
