(** What units were compiled from, where they were compiled to become parts of programs: in their [.cmx] files, and, after
    the stock contents, in the libraries that they are put into. *)

type linked = {
  info : Cmx_format.unit_infos;
  crc : Digest.t;
  part : string option;  (** [Encode.request]'s, if this executable can read it. *)
}

let readable part = if String.starts_with ~prefix:Encode.part_prefix part then Some part else None

(** The unit that a [.cmx] file describes. *)
let of_cmx file =
  let info, crc = Compilenv.read_unit_info file in
  let part = Option.bind (Cmx_payload.of_file file info) (fun payload -> readable payload.Cmx_payload.program_part) in
  { info; crc; part }

(* {1 In libraries} *)

(* The end of a library with parts. Before it: a list of names and parts, its digest, and how long both are. *)
let end_of_library = "FLBXLIBR"

let trailer_length = 8 + String.length end_of_library

(** Adds what the units of a library were compiled from to the [.cmxa] file. [members]: their [.cmx] files. *)
let add_to_library file members =
  let w = Byte_writer.create () in
  let parts =
    List.filter_map
      (fun member ->
        let { info; part; _ } = of_cmx member in
        Option.map (fun part -> (info.ui_name, part)) part)
      (List.filter Cmx_payload.seems_to_have_part members)
  in
  if parts <> [] then begin
    Byte_writer.list w
      (fun (name, part) ->
        Byte_writer.string w name;
        Byte_writer.string w part)
      parts;
    let contents = Byte_writer.contents w in
    let length = Bytes.create 8 in
    Bytes.set_int64_le length 0 (Int64.of_int (String.length contents + 16));
    Errors.writing file @@ fun () ->
    let oc = open_out_gen [ Open_wronly; Open_append; Open_binary ] 0o666 file in
    Fun.protect
      ~finally:(fun () -> close_out_noerr oc)
      (fun () ->
        List.iter (output_string oc)
          [ contents; Digest.string contents; Bytes.to_string length; end_of_library ];
        close_out oc)
  end

(* What was added to a library; empty if nothing was, or it is damaged. *)
let added_to_library file =
  let ic = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in_noerr ic) @@ fun () ->
  let size = in_channel_length ic in
  let read_at position length =
    seek_in ic position;
    really_input_string ic length
  in
  if size < trailer_length then ""
  else
    let trailer = read_at (size - trailer_length) trailer_length in
    let length = Int64.to_int (String.get_int64_le trailer 0) in
    let start = size - trailer_length - length in
    if String.sub trailer 8 (String.length end_of_library) <> end_of_library || length < 16 || start < 0 then ""
    else
      let contents = read_at start (length - 16) in
      if read_at (start + length - 16) 16 = Digest.string contents then contents else ""

let parts_of_library file =
  match added_to_library file with
  | "" -> []
  | contents ->
      let r = Byte_reader.create contents in
      Byte_reader.list r (fun r ->
          let name = Byte_reader.string r in
          (name, Byte_reader.string r))

(** A library: its description, and its units in the order in which they are initialised. *)
let of_cmxa file =
  let library = Compilenv.read_library_info file in
  let parts = parts_of_library file in
  let unit ((info : Cmx_format.unit_infos), crc) =
    { info; crc; part = Option.bind (List.assoc_opt info.ui_name parts) readable }
  in
  (library, List.map unit library.lib_units)
