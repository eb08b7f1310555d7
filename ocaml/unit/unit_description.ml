(** What the description of a unit or library says, for [flambeau info]: lines [name: value] for each unit, blocks of
    lines after [file: …] for each file. [flambeau doctor] reads them, too. *)

let line name value = Printf.printf "%s: %s\n" name value

let imports units =
  let name (unit, digest) = match digest with None -> unit ^ " (its description is not known)" | Some _ -> unit in
  match units with [] -> "none" | _ -> String.concat ", " (List.sort compare (List.map name units))

let words = function [] -> "none" | words -> String.concat " " words

let print_payload payload =
  let Cmx_payload.{ payload; summary; program_part } = Cmx_payload.split payload in
  print_string (Rust.describe_payload payload);
  let is_free line = String.length line > 1 && line.[0] = 'a' in
  let free = List.filter is_free (String.split_on_char '\n' summary) in
  line "functions that do not allocate" (string_of_int (List.length free));
  line "may be a part of a program" (if program_part = "" then "no" else "yes")

let print_stock ~crc (unit : Cmx_format.unit_infos) =
  (match unit.ui_export_info with
  | Clambda Value_unknown ->
      (* Any compiler leaves the same. *)
      line "compiler" "not known";
      line "opaque" "yes"
  | Clambda _ -> line "compiler" "stock ocamlopt"
  | Flambda _ -> line "compiler" "ocamlopt with Flambda");
  match Library.payload ~name:unit.ui_name ~crc with
  | None -> line "described" "no"
  | Some payload ->
      line "described" "in the library of this executable";
      print_payload payload

let print_compiler file ((unit : Cmx_format.unit_infos), crc) =
  match unit.ui_export_info with
  | Clambda (Value_tuple fields) when Option.is_some (Cmx_payload.digest_of_fields fields) ->
      let expected = Option.get (Cmx_payload.digest_of_fields fields) in
      print_payload (Cmx_payload.read file ~expected)
  | _ -> print_stock ~crc unit

let print_links (unit : Cmx_format.unit_infos) =
  if unit.ui_defines <> [ unit.ui_name ] then line "packs" (String.concat ", " unit.ui_defines);
  line "interfaces" (imports unit.ui_imports_cmi);
  line "implementations" (imports unit.ui_imports_cmx);
  line "linked always" (string_of_bool unit.ui_force_link)

(* An archive does not have what compilers let each other know of units: their own .cmx files do. *)
let print_library (library : Cmx_format.library_infos) =
  line "units" (string_of_int (List.length library.lib_units));
  line "C libraries" (words library.lib_ccobjs);
  line "C options" (words library.lib_ccopts);
  List.iter
    (fun ((unit : Cmx_format.unit_infos), _) ->
      line "unit" unit.ui_name;
      print_links unit)
    library.lib_units

let read_library file =
  try Compilenv.read_library_info file with End_of_file | Failure _ -> raise (Errors.Corrupt_library file)

(** Prints what a [.cmx] or [.cmxa] says. *)
let print file =
  line "file" file;
  if Filename.check_suffix file ".cmxa" then print_library (read_library file)
  else begin
    let ((unit, _) as description) = Compilenv.read_unit_info file in
    line "unit" unit.ui_name;
    print_compiler file description;
    print_links unit
  end
