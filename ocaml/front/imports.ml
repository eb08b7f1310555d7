(** The units and predefined exceptions that a term refers to. *)

type t = {
  numbers : (string, int) Hashtbl.t;
  mutable idents : Ident.t list;  (** In reverse. *)
}

let create () = { numbers = Hashtbl.create 32; idents = [] }

let key id = if Ident.is_predef id then "exception " ^ Ident.name id else Ident.name id

(** The number of a global. *)
let number imports id =
  let key = key id in
  match Hashtbl.find imports.numbers key with
  | n -> n
  | exception Not_found ->
      let n = Hashtbl.length imports.numbers in
      Hashtbl.add imports.numbers key n;
      imports.idents <- id :: imports.idents;
      n

(** What the stock compiler says of the current unit, if that is compiled for the library ([Stock_unit]). *)
let own_approximation = ref Clambda.Value_unknown

(** Runs [f], which may read the [.cmx] of [id]. *)
let reading id f =
  let file = Ident.name id ^ ".cmx" in
  let path () = try Unit_files.find_in_load_path file with Not_found -> file in
  Errors.naming (fun () -> "reading " ^ path ()) f

(* The payload of a unit that the stock compiler compiled. *)
let of_library name =
  match List.assoc_opt name (Compilenv.current_unit_infos ()).ui_imports_cmx with
  | Some (Some crc) -> Library.payload ~name ~crc
  | Some None | None -> None

(** What the imported units say of what their functions allocate ([Allocation_summary]). *)
let summaries : string list ref = ref []

let payload name approx =
  let whole = match Cmx_payload.of_import ~name approx with Some payload -> Some payload | None -> of_library name in
  Option.map
    (fun whole ->
      let Cmx_payload.{ payload; summary; _ } = Cmx_payload.split whole in
      if summary <> "" then summaries := summary :: !summaries;
      payload)
    whole

(** The functions that the stock compiler would inline, by their labels: those that stock units export or export again,
    their parameters and bodies. *)
let stock_bodies : (string, Backend_var.With_provenance.t list * Clambda.ulambda) Hashtbl.t = Hashtbl.create 64

let rec add_stock_bodies : Clambda.value_approximation -> unit = function
  | Value_closure (description, result) ->
      (match description.fun_inline with
      | Some (params, body) when description.fun_closed ->
          Hashtbl.replace stock_bodies description.fun_label (params, body)
      | Some _ | None -> ());
      add_stock_bodies result
  | Value_tuple fields -> Array.iter add_stock_bodies fields
  | Value_unknown | Value_const _ | Value_global_field _ -> ()

(** An import of which nothing is known, as part of a request. *)
let write_name w ~name ~symbol ~is_predef =
  Byte_writer.name w name;
  Byte_writer.name w symbol;
  Byte_writer.bool w is_predef;
  Approximation.write w Value_unknown;
  Byte_writer.option w (Byte_writer.string w) None

(* As part of a request. *)
let write_import w id =
  reading id @@ fun () ->
  let name = Ident.name id in
  let is_predef = Ident.is_predef id in
  Byte_writer.name w name;
  Byte_writer.name w (Compilenv.symbol_for_global id);
  Byte_writer.bool w is_predef;
  if is_predef || name = Compilenv.current_unit_name () then begin
    Approximation.write w (if is_predef then Value_unknown else !own_approximation);
    Byte_writer.option w (Byte_writer.string w) None
  end
  else begin
    let approx = Compilenv.global_approx id in
    add_stock_bodies approx;
    Approximation.write w approx;
    Byte_writer.option w (Byte_writer.string w) (payload name approx)
  end

(** Makes a unit an import of the current one, whether the term refers to it or not. *)
let require id = reading id (fun () -> Compilenv.require_global id)

(* The [.cmx] that a unit was compiled with, each with its digest, by the unit's name. *)
let compiled_with_table : (string, (string * Digest.t option) list) Hashtbl.t = Hashtbl.create 16

(* The globals of the request that is being answered. *)
let current = ref (create ())

(* The globals of a request, of which a new one is about. *)
let begin_request imports =
  current := imports;
  Hashtbl.reset compiled_with_table;
  Hashtbl.reset stock_bodies;
  summaries := []

(** The globals as part of a request. Looking them up makes them imports of the unit, as in the stock compiler. *)
let write w imports =
  begin_request imports;
  let idents = List.rev imports.idents in
  Byte_writer.list w (write_import w) idents

(** The globals without what is known of them. *)
let write_names w imports =
  let write id =
    write_name w ~name:(Ident.name id) ~symbol:(Compilenv.symbol_for_global id) ~is_predef:(Ident.is_predef id)
  in
  Byte_writer.list w write (List.rev imports.idents)

(* What a global would be called by the linker, without looking for its [.cmx]. *)
let symbol_by_name id =
  if Ident.is_predef id then "caml_exn_" ^ Ident.name id
  else Compilenv.make_symbol ~unitname:(Ident.name id) None

(** The globals of a request that is answered without what is known of other units. *)
let write_unknown w imports =
  begin_request imports;
  let write id =
    write_name w ~name:(Ident.name id) ~symbol:(symbol_by_name id) ~is_predef:(Ident.is_predef id)
  in
  Byte_writer.list w write (List.rev imports.idents)

(** The globals of the request that is being answered, by these names. *)
let by_symbol () =
  let table = Hashtbl.create 32 in
  List.iter (fun id -> Hashtbl.replace table (symbol_by_name id) id) !current.idents;
  table

(* {1 Units that the term does not mention} *)

let compiled_with name =
  try Hashtbl.find compiled_with_table name
  with Not_found ->
    let units =
      match Unit_files.find_in_load_path (name ^ ".cmx") with
      | exception Not_found -> []
      | file -> (fst (Compilenv.read_unit_info file)).ui_imports_cmx
    in
    Hashtbl.add compiled_with_table name units;
    units

(* The digest that the [.cmx] of a unit has according to those that are imported: none of them says so of a unit that is
   not linked with them. *)
let digest_of_unit name =
  let digest_by (importer, digest) =
    if digest = None then None else Option.join (List.assoc_opt name (compiled_with importer))
  in
  List.find_map digest_by (Compilenv.current_unit_infos ()).ui_imports_cmx

(** Whether the load path has the [.cmx] of a unit with the digest that [digest] gives, if it gives one. Most names are of
    no unit: the file is looked for first. *)
let has_description name ~digest =
  match Unit_files.find_in_load_path (name ^ ".cmx") with
  | exception Not_found -> false
  | file -> (
      match digest name with
      | None -> false
      | Some digest -> Cmx_payload.digest_of_description file = Some digest)

(* A unit that imported ones were compiled with, if its [.cmx] is still that one. *)
let is_at_hand name = has_description name ~digest:digest_of_unit

(* The units that may define a symbol of the linker, longest name first: [Compilenv.make_symbol]. *)
let units_of_symbol symbol =
  let prefix = "caml" and separator = Linker_names.separator in
  let start = String.length prefix and length = String.length separator in
  let is_separator i = i + length <= String.length symbol && String.sub symbol i length = separator in
  let rec names_from units i =
    if i >= String.length symbol then String.sub symbol start (String.length symbol - start) :: units
    else if i > start && is_separator i then names_from (String.sub symbol start (i - start) :: units) (i + 1)
    else names_from units (i + 1)
  in
  if String.starts_with ~prefix symbol then names_from [] start else []

(** The unit that defines a symbol of the linker, as part of a request: empty if there is none at hand that imported
    ones were compiled with, or if it was sent before. What is sent may become part of the current unit, which imports
    that unit therefore. *)
let defining symbol =
  let symbol = Byte_reader.name_of_text symbol in
  let key_of name = key (Ident.create_persistent name) in
  let is_sent name = Hashtbl.mem !current.numbers (key_of name) || name = Compilenv.current_unit_name () in
  match List.find_opt (fun name -> is_sent name || is_at_hand name) (units_of_symbol symbol) with
  | Some name when not (is_sent name) ->
      let id = Ident.create_persistent name in
      ignore (number !current id : int);
      let w = Byte_writer.create () in
      write_import w id;
      Byte_writer.contents w
  | Some _ | None -> ""
