(** The files of the unit that is being compiled, and those of others: from 5.3 on. *)

open Compile_common

let module_name info = Unit_info.modname info.target
let source_file info = Unit_info.source_file info.target
let output_prefix info = Unit_info.prefix info.target
let cmx info = Unit_info.Artifact.filename (Unit_info.cmx info.target)

(** What a compilation makes. *)
let outputs info = [ cmx info; Unit_info.Artifact.filename (Unit_info.obj info.target) ]

(** What a compilation to bytecode makes. *)
let bytecode_outputs info = [ Unit_info.Artifact.filename (Unit_info.cmo info.target) ]

(** Runs [f] on an interface. *)
let with_interface ?(native = true) ~tool_name ~source_file ~output_prefix f =
  with_info ~native ~tool_name ~dump_ext:"cmi" (Unit_info.make ~source_file Intf output_prefix) f

(** Runs [f] on an implementation. *)
let with_implementation ?(native = true) ~tool_name ~source_file ~output_prefix f =
  let dump_ext = if native then "cmx" else "cmo" in
  with_info ~native ~tool_name ~dump_ext (Unit_info.make ~source_file Impl output_prefix) f

(** From the linear form to the object. *)
let compile_linear info = Asmgen.compile_implementation_linear info.target

(** What the front end says at the end of an implementation. *)
let warn_of_unused () = Builtin_attributes.warn_unused ()

(** Whether to stop before the middle end ([-stop-after lambda]). *)
let stops_after_lambda () = Clflags.(should_stop_after Compiler_pass.Lambda)

(** The file of a unit in the load path, maybe with a small initial letter.
    @raise Not_found if there is none. *)
let find_in_load_path file = Load_path.find_normalized file
