(** What a [.cmx] of ours carries beside the stock contents.

    The file is a stock [.cmx] (magic number, marshalled description, digest of both) followed by a payload and
    the payload's MD5, where stock readers have stopped. So that link-time digests cover the payload, its MD5
    is in the marshalled description too: the approximation of the module block has one field more than the
    block, a {e marker}, and no program reads a field past the end. The other fields are what the payload exports
    ([Stock_exports]). *)

open Clambda

(* Of the shapes that an approximation can have, this is the one that the stock compiler passes through
   untouched wherever approximations go (Closure's search for exported constants, packing). *)
let marker_prefix = "flambeau:"

let marker payload = Value_global_field (marker_prefix ^ Digest.to_hex (Digest.string payload), 0)

let digest_of_marker = function
  | Value_global_field (name, 0) when String.length name = String.length marker_prefix + 32 -> (
      let n = String.length marker_prefix in
      if String.sub name 0 n <> marker_prefix then None
      else
        match Digest.from_hex (String.sub name n 32) with
        | digest -> Some digest
        | exception Invalid_argument _ -> None)
  | _ -> None

let digest_of_fields fields =
  let n = Array.length fields in
  if n = 0 then None else digest_of_marker fields.(n - 1)

(** The fields of a module block without the marker, if there is one. *)
let without_marker fields =
  match digest_of_fields fields with
  | None -> fields
  | Some _ -> Array.sub fields 0 (Array.length fields - 1)

(** The export information of a unit whose module block has [size] fields. *)
let export_info ~size payload =
  let fields = Array.make (size + 1) Value_unknown in
  (match Stock_exports.of_payload payload with
  | Value_tuple known -> Array.blit known 0 fields 0 (min size (Array.length known))
  | _ -> ());
  fields.(size) <- marker payload;
  Value_tuple fields

(* {1 What a payload consists of} *)

type t = {
  payload : string;  (** What Rust wrote. *)
  summary : string;  (** What the OCaml side found out about allocations ([Allocation_summary]); empty if nothing. *)
  program_part : string;  (** What the unit was compiled from ([Encode.request]), if that was asked for; or empty. *)
}

(* After the three: the lengths of the second and the third, and this. *)
let end_of_parts = "FLBX"

let trailer_length = 8 + String.length end_of_parts

(** A payload of all its parts. *)
let join { payload; summary; program_part } =
  let lengths = Bytes.create 8 in
  Bytes.set_int32_le lengths 0 (Int32.of_int (String.length summary));
  Bytes.set_int32_le lengths 4 (Int32.of_int (String.length program_part));
  String.concat "" [ payload; summary; program_part; Bytes.to_string lengths; end_of_parts ]

(* The lengths that a trailer says, if it is one. *)
let lengths trailer =
  if not (String.ends_with ~suffix:end_of_parts trailer) then None
  else
    let length at = Int32.to_int (String.get_int32_le trailer at) in
    Some (length 0, length 4)

(** The parts of a payload. *)
let split whole =
  let last = String.length whole - trailer_length in
  match if last < 0 then None else lengths (String.sub whole last trailer_length) with
  | Some (summary, part) when summary >= 0 && part >= 0 && summary + part <= last ->
      {
        payload = String.sub whole 0 (last - part - summary);
        summary = String.sub whole (last - part - summary) summary;
        program_part = String.sub whole (last - part) part;
      }
  | Some _ | None -> { payload = whole; summary = ""; program_part = "" }

(* {1 Reading} *)

let corrupt file reason = raise (Errors.Corrupt_payload (file, reason))

let read_to_end ic =
  let length = in_channel_length ic - pos_in ic in
  really_input_string ic length

(* Reads what follows the stock description: its digest first. *)
let after_description file read =
  let ic = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in_noerr ic) @@ fun () ->
  let start = String.length Config.cmx_magic_number in
  seek_in ic start;
  let header = Bytes.of_string (really_input_string ic Marshal.header_size) in
  seek_in ic (start + Marshal.total_size header 0);
  read ic

(** The digest of the stock description in a [.cmx], by which other units know it; none if the file is damaged. *)
let digest_of_description file =
  match after_description file Digest.input with
  | digest -> Some digest
  | exception (End_of_file | Failure _ | Sys_error _ | Invalid_argument _) -> None

(* What follows the stock contents. *)
let contents_of_trailer file =
  after_description file (fun ic ->
      ignore (Digest.input ic : Digest.t);
      read_to_end ic)

let read_trailer file =
  try contents_of_trailer file
  with End_of_file | Failure _ | Sys_error _ | Invalid_argument _ -> corrupt file "the file ends too early"

(* The payload in a trailer. [expected]: its digest, if the stock description has it. *)
let of_trailer file trailer ~expected =
  let length = String.length trailer - 16 in
  if length < 0 then corrupt file "it is missing";
  let payload = String.sub trailer 0 length in
  let digest = Digest.string payload in
  if digest <> String.sub trailer length 16 then corrupt file "its digest is wrong";
  if Option.is_some expected && expected <> Some digest then corrupt file "it belongs to another .cmx";
  payload

let read file ~expected = of_trailer file (read_trailer file) ~expected:(Some expected)

(** The payload of the unit [name], for which the stock part of the [.cmx] has [approx]: [None] if it was not
    compiled by us.
    @raise Errors.Corrupt_payload when it was, and the payload is damaged. *)
let of_import ~name approx =
  match approx with
  | Value_tuple fields -> (
      match digest_of_fields fields with
      | None -> None
      | Some expected -> (
          match Unit_files.find_in_load_path (name ^ ".cmx") with
          | file -> Some (read file ~expected)
          | exception Not_found -> None))
  | _ -> None

(** The parts of the payload of the [.cmx] file, whose stock part is [info]; [None] if it has no payload. That of an
    opaque unit says nothing to other units.
    @raise Errors.Corrupt_payload when it is damaged. *)
let of_file file (info : Cmx_format.unit_infos) =
  let expected =
    match info.ui_export_info with
    | Clambda (Value_tuple fields) -> digest_of_fields fields
    | Clambda _ | Flambda _ -> None
  in
  let trailer = read_trailer file in
  if expected = None && trailer = "" then None else Some (split (of_trailer file trailer ~expected))

(** Whether a [.cmx] file has a program part, by its last bytes alone: they are not checked. *)
let seems_to_have_part file =
  let ic = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in_noerr ic) @@ fun () ->
  let start = in_channel_length ic - 16 - trailer_length in
  start >= 0
  &&
  (seek_in ic start;
   match lengths (really_input_string ic trailer_length) with Some (_, part) -> part > 0 | None -> false)

(* {1 Writing} *)

let write_channel oc (info : Cmx_format.unit_infos) payload =
  let stock = Config.cmx_magic_number ^ Marshal.to_string info [] in
  output_string oc stock;
  Digest.output oc (Digest.string stock);
  Option.iter
    (fun payload ->
      output_string oc payload;
      Digest.output oc (Digest.string payload))
    payload

(** Writes the description of a unit, complete or not at all: under another name first, then renamed. *)
let save file info payload =
  let temporary = Printf.sprintf "%s.%d.tmp" file (Rust.process_id ()) in
  Errors.writing file @@ fun () ->
  Misc.try_finally
    ~exceptionally:(fun () -> Misc.remove_file temporary)
    (fun () ->
      let oc = open_out_bin temporary in
      Misc.try_finally
        ~exceptionally:(fun () -> close_out_noerr oc)
        (fun () ->
          write_channel oc info payload;
          close_out oc);
      Sys.rename temporary file)
