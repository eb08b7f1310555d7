(** The Rust side (crates/flambeau/src/boundary.rs). None of these raises; only [middle_end] calls back. *)

(** The middle-end: a request in, a reply out, as [docs/formats.md] says. It calls back what {!register_find_unit} was
    told. *)
external middle_end : string -> string = "flambeau_middle_end"

(** Tells how to find the unit that defines a name of the linker ([docs/formats.md]). It must not raise. *)
let register_find_unit (find : string -> string) = Callback.register "flambeau_find_unit" find

(** The version of Flambeau. *)
external version : unit -> string = "flambeau_version"

(** The number of this process. *)
external process_id : unit -> int = "flambeau_process_id" [@@noalloc]

(** The folder of the standard library as rebuilt by [flambeau stdlib], which may not exist; empty: none. *)
external stdlib_folder : unit -> string = "flambeau_stdlib_folder"
