(** Locations that are not those of the unit's source; their numbers follow those of the request's locations. Each is
    either inlined, that is a location in a callee together with that of the inlined call, or foreign, that is a
    location in the source of another unit, written in full. *)

module Reader = Byte_reader
open Debuginfo.Scoped_location

let scopes = function
  | "" | "<unknown>" -> empty_scopes
  | text -> enter_module_definition ~scopes:empty_scopes (Ident.create_local text)

(* The inverse of [Debuginfo.from_location]. *)
let foreign r =
  let pos_fname = Reader.string r in
  let scopes = scopes (Reader.string r) in
  let line = Reader.u r in
  let char_start = Reader.u r in
  let char_end = Reader.u r in
  let start_bol = Reader.u r in
  let end_bol = Reader.u r in
  let end_line = Reader.u r in
  let loc_start = { Lexing.pos_fname; pos_lnum = line; pos_bol = start_bol; pos_cnum = start_bol + char_start } in
  let loc_end = { Lexing.pos_fname; pos_lnum = end_line; pos_bol = end_bol; pos_cnum = start_bol + char_end } in
  Debuginfo.from_location (of_location ~scopes { Location.loc_start; loc_end; loc_ghost = false })

type location = Inlined of int * int | Foreign of Debuginfo.t

let location r =
  match Cmm_codes.place r with
  | Inlined -> let call = Reader.u r in Inlined (call, Reader.u r)
  | Foreign -> Foreign (foreign r)

(** The locations by their numbers: [debuginfos], then those that are read. [inlined]: whether inlined code, and code
    copied from other units, keeps its own locations. Otherwise inlined code has the location of the call in the unit,
    and copied code none, since each location takes space in the frame tables. *)
let read r debuginfos ~inlined =
  let added = Reader.array r location in
  let first = Array.length debuginfos in
  let all = Array.append debuginfos (Array.make (Array.length added) Debuginfo.none) in
  Array.iteri
    (fun i location ->
      all.(first + i) <-
        (match location with
        | Foreign debuginfo -> if inlined then debuginfo else Debuginfo.none
        | Inlined (call, inner) ->
            if call >= first + i || inner >= first + i then Reader.malformed r "an inlined location made of later ones";
            if inlined then Debuginfo.inline all.(call) all.(inner) else all.(call)))
    added;
  all
