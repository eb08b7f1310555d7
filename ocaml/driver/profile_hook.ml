(** What a counted unit does when the program ends: it appends its counters to the file of the profile.

    The code is typed and translated apart from the unit, in the initial environment, so that nothing that the unit
    opens or defines is in its way. Where the counters are only the optimiser knows: it puts them in the place of
    [flambeau_profile_records] (crates/profile). *)

(* The name of its source: the optimiser does not count what comes from there. *)
let source = "*flambeau profile*"

(* A channel writes as much as it holds at once, and a record is no larger: runs at the same time do not disturb each
   other. *)
let text ~file =
  Printf.sprintf
    {|at_exit (fun () ->
        let module Profile = struct
          external getenv : string -> string = "caml_sys_getenv"
          external records : unit -> bytes array = "flambeau_profile_records"
          external length : 'a array -> int = "%%array_length"
          external get : 'a array -> int -> 'a = "%%array_unsafe_get"
        end in
        let file = try Profile.getenv "FLAMBEAU_PROFILE_FILE" with Not_found -> %S in
        try
          let channel = open_out_gen [ Open_wronly; Open_append; Open_creat; Open_binary ] 0o666 file in
          let records = Profile.records () in
          for index = 0 to Profile.length records - 1 do
            output_bytes channel (Profile.get records index);
            flush channel
          done;
          close_out channel
        with Sys_error reason -> prerr_endline ("flambeau: can't write the profile: " ^ reason))|}
    file

let parse ~file =
  let lexbuf = Lexing.from_string (text ~file) in
  Location.init lexbuf source;
  Parse.expression lexbuf

let type_ expression =
  let opened = !Clflags.open_modules and warnings = Warnings.backup () in
  Clflags.open_modules := [];
  ignore (Warnings.parse_options false "-a" : Warnings.alert option);
  Fun.protect
    ~finally:(fun () ->
      Clflags.open_modules := opened;
      Warnings.restore warnings)
    (fun () -> Typecore.type_expression (Compmisc.initial_env ()) expression)

(* A unit without the standard library may be part of it: nothing is counted there. *)
let is_possible () = not (!Clflags.nopervasives || !Clflags.no_std_include)

(* The function that stands for the records does not exist: the object must not mention it. *)
let forget_placeholder () =
  let is_there (primitive : Primitive.description) = primitive.prim_name <> "flambeau_profile_records" in
  Translmod.primitive_declarations := List.filter is_there !Translmod.primitive_declarations

(** The program with the registration before all else, so that the counters are written whatever happens in it. *)
let add ~file (program : Lambda.program) =
  let scopes = Debuginfo.Scoped_location.empty_scopes in
  let registration = Translcore.transl_exp ~scopes (type_ (parse ~file)) in
  forget_placeholder ();
  {
    program with
    code = Lsequence (registration, program.code);
    required_globals = Ident.Set.add (Ident.create_persistent "Stdlib") program.required_globals;
  }
