(** The library: descriptions of installed units that the stock compiler compiled. Each is the payload that the unit
    would have if Flambeau had compiled it, for one stock [.cmx].

    A description is the digest of that [.cmx] and the payload. *)

(** Where descriptions are. *)
type source =
  | Executable  (** In the executable itself ([crates/flambeau/src/library]). *)
  | Folder of string  (** Each in a file of its own: while a library is made. *)
  | Nothing

let source = ref Executable

(* A description in a folder, of the unit with the name before it. *)
let extension = ".flambeau"

let read_file file =
  match open_in_bin file with
  | exception Sys_error _ -> None
  | ic ->
      let read () = really_input_string ic (in_channel_length ic) in
      Some (Fun.protect ~finally:(fun () -> close_in_noerr ic) read)

let corrupt ~where reason = raise (Errors.Corrupt_library_description (where, reason))

(* The description of a unit, and where it is. *)
let find name =
  let key = String.uncapitalize_ascii name in
  match !source with
  | Nothing -> None
  | Folder folder ->
      let file = Filename.concat folder (key ^ extension) in
      Option.map (fun description -> (file, description)) (read_file file)
  | Executable -> (
      let answer = Rust.library_description key in
      let rest () = String.sub answer 1 (String.length answer - 1) in
      match answer.[0] with
      | 'd' -> Some (Sys.executable_name, rest ())
      | 'e' -> corrupt ~where:Sys.executable_name (rest ())
      | _ -> None)

(** The payload of the unit [name] whose stock [.cmx] has the digest [crc], if the library has it.
    @raise Errors.Corrupt_library_description when it does, and the description is damaged. *)
let payload ~name ~crc =
  match find name with
  | None -> None
  | Some (where, description) ->
      if String.length description < 16 then corrupt ~where (name ^ ": the description ends too early");
      if String.sub description 0 16 = crc then
        Some (String.sub description 16 (String.length description - 16))
      else None

(** Writes the description of the unit whose stock [.cmx] has the digest [crc]. *)
let save ~output_prefix ~crc payload =
  let file = output_prefix ^ extension in
  Errors.writing file @@ fun () ->
  let oc = open_out_bin file in
  Misc.try_finally
    ~always:(fun () -> close_out_noerr oc)
    (fun () ->
      output_string oc crc;
      output_string oc payload)

(* Whether what the library has of a unit of the standard library is for the one that is installed. *)
let is_of_installation unit =
  match find unit with
  | Some (_, description) when String.length description >= 16 ->
      let file = Filename.concat Config.standard_library (unit ^ ".cmx") in
      Cmx_payload.digest_of_description file = Some (String.sub description 0 16)
  | Some _ | None -> false

(** For [-config]: where descriptions are, how many, and how many of these are for the library that is installed. *)
let summary () =
  match !source with
  | Nothing -> "none (-flambeau-no-library)"
  | Folder folder -> folder
  | Executable -> (
      match List.filter (( <> ) "") (String.split_on_char ' ' (Rust.library_units ())) with
      | [] -> "none (flambeau stdlib adds it)"
      | units ->
          let matching = List.length (List.filter is_of_installation units) in
          Printf.sprintf "%d units, %d as installed in %s" (List.length units) matching Config.standard_library)
