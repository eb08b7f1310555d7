(** Linking with [-flambeau-whole-program]: the units at the end of the program that were compiled with it, or have typed
    trees, become one unit, of which nothing is exported, and which is optimised as one.

    Those before, the last of which has neither, keep their objects: what is linked after them may not come before,
    because units are initialised in the order of linking. If none is before, the standard library can be part of it
    ([-flambeau-whole-stdlib]). *)

open Program_parts

(* {1 What is linked} *)

(* A file of the command line, with those of its units that the program needs. *)
type file =
  | Unit of { file : string; unit : linked }
  | Library of { file : string; library : Cmx_format.library_infos; units : linked list }

let find file = try Load_path.find file with Not_found -> raise (Asmlink.Error (File_not_found file))

let read name =
  let file = find name in
  if Filename.check_suffix file ".cmx" then Some (Unit { file; unit = of_cmx file })
  else if Filename.check_suffix file ".cmxa" then
    let library, units = of_cmxa file in
    Some (Library { file; library; units })
  else None

let units = function Unit { unit; _ } -> [ unit ] | Library { units; _ } -> units

(* Of libraries, the units that are required by what comes after them, as [Asmlink] chooses them. *)
let only_required files =
  let required = Hashtbl.create 64 in
  let is_needed { info; _ } = info.ui_force_link || !Clflags.link_everything || Hashtbl.mem required info.ui_name in
  (* What is defined is no longer looked for: a library before it may have a unit of the same name. *)
  let require { info; _ } =
    Hashtbl.remove required info.ui_name;
    List.iter (fun (name, _) -> Hashtbl.replace required name ()) info.ui_imports_cmx
  in
  let choose unit chosen =
    if is_needed unit then begin
      require unit;
      unit :: chosen
    end
    else chosen
  in
  let choose_of_file file rest =
    (match file with
    | Unit { unit; _ } ->
        require unit;
        file
    | Library library -> Library { library with units = List.fold_right choose library.units [] })
    :: rest
  in
  List.fold_right choose_of_file files []

(* {1 What becomes one} *)

(* Why the units of a program, or some of them, do not become one. What is not found before the units that need it is an
   error that [Asmlink] reports. *)
type obstacle = Not_a_part of string | Loads_code | Not_found

let first_without_part file = List.find_opt (fun unit -> unit.part = None) (units file)

(* With the parts of all its units, if that is possible. *)
let complete ~work = function
  | Unit { file; unit } ->
      let unit = Typed_parts.complete ~folder:(Filename.dirname file) ~work unit in
      Option.map (fun unit -> Unit { file; unit }) unit
  | Library ({ file; units; _ } as library) ->
      let units = Typed_parts.complete_all ~folder:(Filename.dirname file) ~work units in
      Option.map (fun units -> Library { library with units }) units

(* The files before the first one that becomes part of the whole, and the others; what is in the way of more.
    [Asmlink] links the standard library whatever it is given. *)
let divide ~work ~standard_library files =
  let rec from_the_end whole = function
    | before when List.length before <= standard_library -> (List.rev before, whole, None)
    | [] -> ([], whole, None)
    | file :: before as all -> (
        match (complete ~work file, first_without_part file) with
        | Some file, _ -> from_the_end (file :: whole) before
        | None, unit ->
            (List.rev all, whole, Option.map (fun unit -> Not_a_part unit.info.Cmx_format.ui_name) unit))
  in
  from_the_end [] (List.rev files)

(* With the standard library and the unit that [Asmlink] links last, if that is asked for and they can be parts of a whole
   before which only they are. *)
let with_standard_library ~work ~last before whole =
  let wanted = if !Flags.whole_stdlib then before else [] in
  match (List.map (complete ~work) wanted, Option.map (complete ~work) last) with
  | [ Some library ], None -> ([], library :: whole)
  | [ Some library ], Some (Some last) -> ([], (library :: whole) @ [ last ])
  | _ -> (before, whole)

let names = List.concat_map (fun file -> List.map (fun unit -> unit.info.Cmx_format.ui_name) (units file))

(* What units import, each name once. *)
let imports units =
  let seen = Hashtbl.create 64 in
  let is_new (name, _) =
    let is_new = not (Hashtbl.mem seen name) in
    Hashtbl.replace seen name ();
    is_new
  in
  fun (of_unit : Cmx_format.unit_infos -> (string * Digest.t option) list) ->
    List.filter is_new (List.concat_map (fun unit -> of_unit unit.info) units)

(* What becomes one: the files before it, its own, what it imports of the others, and why it is not more. *)
type plan = {
  before : file list;
  whole : file list;
  imported : (string * Digest.t option) list;
  obstacle : obstacle option;
}

let plan ~work ~standard_library ~last files =
  (* A plugin may be compiled against any unit of the program. *)
  if List.mem "Dynlink" (names files) then Error Loads_code
  else
    let before, whole, obstacle = divide ~work ~standard_library files in
    if whole = [] then Error (Option.value obstacle ~default:Not_found)
    else
      let before, whole = with_standard_library ~work ~last before whole in
      let earlier = names before and whole_names = names whole in
      let imported =
        List.filter
          (fun (name, _) -> not (List.mem name whole_names))
          (imports (List.concat_map units whole) (fun info -> info.ui_imports_cmx))
      in
      if List.for_all (fun (name, _) -> List.mem name earlier) imported then Ok { before; whole; imported; obstacle }
      else Error Not_found

(* {1 Compiling it} *)

(* The name of the unit, which no other has. *)
let unit_name = "Flambeau__program"

let output_prefix folder = Filename.concat folder "flambeau__program"

(* The [.cmx] files of the units of libraries are usually beside these, and interfaces beside units. *)
let with_folders_of_files files f =
  let before = !Clflags.include_dirs in
  let folders = List.map (function Library { file; _ } | Unit { file; _ } -> Filename.dirname file) files in
  Clflags.include_dirs := before @ folders;
  Fun.protect f ~finally:(fun () -> Clflags.include_dirs := before)

(* The digest of a unit of the program. *)
let digest_of_linked linked name =
  Option.map (fun unit -> unit.crc) (List.find_opt (fun unit -> unit.info.Cmx_format.ui_name = name) linked)

let save_description info whole imported =
  let description = Compilenv.current_unit_infos () in
  let units = List.concat_map units whole in
  (* [Asmlink] wants a digest of each unit's interface. *)
  description.ui_imports_cmi <-
    (unit_name, Some (Digest.string unit_name)) :: imports units (fun info -> info.ui_imports_cmi);
  let known = description.ui_imports_cmx in
  let others = List.filter (fun (name, _) -> not (List.mem_assoc name known)) imported in
  description.ui_imports_cmx <- known @ List.map (fun (name, _) -> (name, None)) others;
  description.ui_force_link <- true;
  description.ui_export_info <- Clambda Value_unknown;
  Cmx_payload.save (Unit_files.cmx info) description None

(* The unit has no source, so that no interface is needed. It is as good for debuggers as its parts are, whatever the
   flags of linking. *)
let with_flags_of parts f =
  let opened = !Clflags.open_modules and bare = !Clflags.nopervasives and debug = !Clflags.debug in
  Clflags.open_modules := [];
  Clflags.nopervasives := true;
  Clflags.debug := debug || List.exists Encode.part_has_debug parts;
  Fun.protect f ~finally:(fun () ->
      Clflags.open_modules := opened;
      Clflags.nopervasives := bare;
      Clflags.debug := debug)

let compile ~beside ~folder ~linked whole imported =
  let parts = List.filter_map (fun unit -> unit.part) (List.concat_map units whole) in
  with_flags_of parts @@ fun () ->
  let source_file = output_prefix folder ^ ".ml" in
  Unit_files.with_implementation ~tool_name:Implementation.tool_name ~source_file ~output_prefix:(output_prefix folder)
  @@ fun info ->
  Compilenv.reset (Unit_files.module_name info);
  let at_hand = List.filter (Imports.has_description ~digest:(digest_of_linked linked)) (List.map fst imported) in
  List.iter (fun name -> Imports.require (Ident.create_persistent name)) at_hand;
  let options = Implementation.options ~exported_fields:0 beside in
  let options = { options with settings = ("export", "no") :: options.settings; keeps_part = false } in
  let request =
    Errors.guard "encoding the request" (fun () -> Encode.program options ~parts ~imports:at_hand)
  in
  let compiled = Implementation.middle_end info ~beside request in
  Errors.guard "making the object" (fun () -> Implementation.emit info ~beside compiled);
  save_description info whole imported;
  Unit_files.cmx info

(* {1 The files to be linked} *)

(* What [Asmlink] adds to the files of every program, by their names in the load path. *)
let standard_library_file = "stdlib.cmxa"
let last_file = "std_exit.cmx"
let standard_library () = if !Clflags.nopervasives then [] else [ standard_library_file ]

let last () =
  if !Flags.whole_stdlib && not (!Clflags.nopervasives || !Clflags.output_c_object) then read last_file else None

(* What a library asks of the C linker holds without its units. *)
let without_units ~copy file (library : Cmx_format.library_infos) =
  let origin = Filename.dirname file in
  let here = Misc.replace_substring ~before:"$CAMLORIGIN" ~after:origin in
  let library = { library with lib_units = []; lib_ccopts = List.map here library.lib_ccopts } in
  Implementation.write_file copy (Config.cmxa_magic_number ^ Marshal.to_string library []);
  copy

(* A library of the user may have the same name. *)
let is_standard_library file = file = find standard_library_file

(* The libraries without their units; that of the standard library is found by its name. *)
let libraries ~folder whole =
  let copy number = function
    | Unit _ -> []
    | Library { file; library; _ } when is_standard_library file ->
        ignore (without_units ~copy:(Filename.concat folder standard_library_file) file library : string);
        []
    | Library { file; library; _ } ->
        [ without_units ~copy:(Filename.concat folder (Printf.sprintf "library%d.cmxa" number)) file library ]
  in
  List.concat (List.mapi copy whole)

(* Puts the whole in place of the last unit, which is part of it. *)
let as_last ~folder cmx =
  let last = Filename.remove_extension (Filename.concat folder last_file) in
  Sys.rename cmx (last ^ ".cmx");
  Sys.rename (Filename.remove_extension cmx ^ Config.ext_obj) (last ^ Config.ext_obj)

(* Runs [f] with the files of [folder] found before others. *)
let with_folder_first folder f =
  let before = !Clflags.include_dirs in
  Clflags.include_dirs := folder :: before;
  Compmisc.init_path ();
  Fun.protect f ~finally:(fun () ->
      Clflags.include_dirs := before;
      Compmisc.init_path ())

(* {1 What the user reads} *)

let reason = function
  | Not_a_part name -> Some (Printf.sprintf "unit %s was compiled without -flambeau-whole-program" name)
  | Loads_code -> Some "the program may load code, which may need any of its units"
  | Not_found -> None

let warn obstacle =
  Option.iter
    (Format.eprintf "Warning: flambeau: no units of the program become one: %s@.")
    (reason obstacle)

(* Units that could be parts, but come before one that is none. *)
let left_out before =
  List.filter_map
    (fun unit -> Option.map (fun _ -> unit.info.Cmx_format.ui_name) unit.part)
    (List.concat_map units before)

let explain ~before ~whole obstacle =
  if !Clflags.verbose || !Flags.remarks <> "" then
    Printf.eprintf "flambeau: these units become one: %s\n%!" (String.concat ", " (names whole));
  match (left_out before, obstacle) with
  | (_ :: _ as units), Some (Not_a_part name) ->
      Format.eprintf
        "Warning: flambeau: these units do not become one with the rest of the program: %s. Unit %s, which was compiled \
         without -flambeau-whole-program, is linked after them: link it before them (with dune: name its library first \
         in the field libraries).@."
        (String.concat ", " units) name
  | _ -> ()

(* {1 Entry point} *)

let with_temporary_folder f =
  let folder = Filename.temp_file "flambeau" "" in
  Sys.remove folder;
  Sys.mkdir folder 0o700;
  let remove () =
    Array.iter (fun file -> Misc.remove_file (Filename.concat folder file)) (Sys.readdir folder);
    Sys.rmdir folder
  in
  Fun.protect ~finally:remove (fun () -> f folder)

(* What [Asmlink] finds wrong with the units must not be hidden by making them one. *)
let check_consistency linked =
  let check unit = Asmlink.check_consistency (unit.info.Cmx_format.ui_name ^ ".cmx") unit.info unit.crc in
  Fun.protect ~finally:Asmlink.reset (fun () -> List.iter check linked)

(* The files, in the order of linking, of which the first is the standard library, as they are and as they are named. *)
let all_files names =
  let files = List.map (fun name -> Option.map (fun file -> (name, file)) (read name)) (standard_library () @ names) in
  if List.for_all Option.is_some files then Some (List.filter_map Fun.id files) else None

(* The files but for the last unit, and that. *)
let without_last files =
  match List.rev files with
  | (Unit { file; _ } as last) :: others when file = find last_file -> (List.rev others, Some last)
  | _ -> (files, None)

let has_last = List.exists (function Unit { file; _ } -> file = find last_file | Library _ -> false)
let has_standard_library = List.exists (function Library { file; _ } -> is_standard_library file | Unit _ -> false)

(* Links the whole, which was compiled, with the files before it. *)
let link_whole ~folder ~named { before; whole; _ } cmx link =
  let kept = List.filteri (fun index _ -> index < List.length before) (List.map fst named) in
  let kept = List.filter (fun name -> not (List.mem name (standard_library ()))) kept in
  let libraries = libraries ~folder whole in
  let rest = if has_standard_library whole && has_last whole then (as_last ~folder cmx; []) else [ cmx ] in
  let link () = link (kept @ libraries @ rest) in
  if has_standard_library whole then with_folder_first folder link else link ()

(** Runs [link] on the files to be linked instead of [files]: the same, if nothing can be done. *)
let replace ~target files link =
  match all_files files with
  | None -> link files
  | Some named -> (
      with_temporary_folder @@ fun folder ->
      let linked_files = only_required (List.map snd named @ Option.to_list (last ())) in
      let linked_files, last = without_last linked_files in
      let plan =
        with_folders_of_files linked_files @@ fun () ->
        plan ~work:folder ~standard_library:(List.length (standard_library ())) ~last linked_files
      in
      match plan with
      | Error obstacle ->
          warn obstacle;
          link files
      | Ok ({ before; whole; imported; obstacle } as plan) -> (
          let linked = List.concat_map units linked_files in
          check_consistency linked;
          let compile () =
            Errors.holding_back_fatal_messages @@ fun () ->
            with_folders_of_files linked_files @@ fun () ->
            compile ~beside:(target ^ ".program") ~folder ~linked whole imported
          in
          match compile () with
          | cmx ->
              explain ~before ~whole obstacle;
              link_whole ~folder ~named plan cmx link
          | exception exn when not !Flags.strict -> (
              match Implementation.failure_of_ours exn with
              | None -> raise exn
              | Some error ->
                  Errors.report_unmerged Format.err_formatter error;
                  link files)))
