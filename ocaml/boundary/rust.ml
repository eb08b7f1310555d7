(** The Rust side (crates/flambeau/src/boundary.rs). None of these raises or calls back. *)

(** The middle-end: a request in, a reply out, as [docs/formats.md] says. *)
external middle_end : string -> string = "flambeau_middle_end"

(** The version of Flambeau. *)
external version : unit -> string = "flambeau_version"

(** The number of this process. *)
external process_id : unit -> int = "flambeau_process_id" [@@noalloc]

(** The folder of the standard library as rebuilt by [flambeau stdlib], which may not exist; empty: none. *)
external stdlib_folder : unit -> string = "flambeau_stdlib_folder"
