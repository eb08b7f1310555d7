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

(** What the object of the current unit is to keep true, if it stands for a stock one ([Promises]). *)
let own_approximation = ref Clambda.Value_unknown

(** Runs [f], which may read the [.cmx] of [id]. *)
let reading id f =
  let file = Ident.name id ^ ".cmx" in
  let path () = try Load_path.find_uncap file with Not_found -> file in
  Errors.naming (fun () -> "reading " ^ path ()) f

(* Of a unit of the stock standard library: from beside the rebuilt one. *)
let companion name =
  let folder = Rust.stdlib_folder () in
  match List.assoc_opt name (Compilenv.current_unit_infos ()).ui_imports_cmx with
  | Some (Some crc) when folder <> "" -> Cmx_payload.of_companion ~folder ~name ~crc
  | Some _ | None -> None

let payload name approx =
  match Cmx_payload.of_import ~name approx with Some payload -> Some payload | None -> companion name

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
    Approximation.write w approx;
    Byte_writer.option w (Byte_writer.string w) (payload name approx)
  end

(** Makes a unit an import of the current one, whether the term refers to it or not. *)
let require id = reading id (fun () -> Compilenv.require_global id)

(** The globals as part of a request. Looking them up makes them imports of the unit, as in the stock compiler. *)
let write w imports =
  let idents = List.rev imports.idents in
  Byte_writer.list w (write_import w) idents
