(** The Rust side (crates/flambeau/src/boundary.rs). None of these raises; only [middle_end] calls back. *)

(** The middle-end: a request in, a reply out, as [docs/formats.md] says. It calls back the function
    that was passed to {!register_find_unit}. *)
external middle_end : string -> string = "flambeau_middle_end"

(** Registers the function that finds the unit which defines a symbol of the linker ([docs/formats.md]). It must not
    raise. *)
let register_find_unit (find : string -> string) = Callback.register "flambeau_find_unit" find

(** The version of Flambeau. *)
external version : unit -> string = "flambeau_version"

(** The number of this process. *)
external process_id : unit -> int = "flambeau_process_id" [@@noalloc]

(** The units that the library in the executable describes: the base names of their files, separated by blanks. *)
external library_units : unit -> string = "flambeau_library_units"

(** What a payload says of the unit that has it: lines [name: value]. *)
external describe_payload : string -> string = "flambeau_describe_payload"

(** The description of a unit in the library of the executable, behind a byte that says what it is: [d], a description;
    [n], there is none; [e], why it can't be read. *)
external library_description : string -> string = "flambeau_library_description"

(** The object file of an assembly program ([docs/formats.md]), behind a byte that says what it is: [o], the object; [e],
    why there is none. *)
external assemble : string -> string = "flambeau_assemble"

(** Asks the system for huge pages for the heap that the runtime began with, of which this block was just allocated. *)
external use_huge_pages : bytes -> unit = "flambeau_use_huge_pages" [@@noalloc]

(** Says that the unit is large: memory that the middle end frees goes back to the system. *)
external unit_is_large : unit -> unit = "flambeau_unit_is_large" [@@noalloc]
