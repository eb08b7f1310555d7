(** Source locations: numbered for the request, and kept here, so that a number in the reply gives back the
    very [Debuginfo.t] that the stock compiler would have used. *)

open Debuginfo.Scoped_location

module Table = Hashtbl.Make (struct
  type nonrec t = t

  (* Positions near each other are the rule: their bits are spread before a table looks at the lowest. *)
  let hash = function
    | Loc_unknown -> 0
    | Loc_known { loc; _ } ->
        let h = (loc.loc_start.pos_cnum * 0x2545F491) + (loc.loc_end.pos_cnum * 0x9E3779B1) in
        h lxor (h lsr 17)

  let equal_position (a : Lexing.position) (b : Lexing.position) =
    a == b
    || a.pos_cnum = b.pos_cnum && a.pos_lnum = b.pos_lnum && a.pos_bol = b.pos_bol
       && String.equal a.pos_fname b.pos_fname

  let equal_location (a : Location.t) (b : Location.t) =
    a == b || (equal_position a.loc_start b.loc_start && equal_position a.loc_end b.loc_end)

  let equal a b =
    match (a, b) with
    | Loc_known a, Loc_known b ->
        equal_location a.loc b.loc && (a.scopes == b.scopes || compare a.scopes b.scopes = 0)
    | Loc_unknown, Loc_unknown -> true
    | (Loc_known _ | Loc_unknown), _ -> false
end)

type table = {
  numbers : int Table.t;
  mutable known : Debuginfo.t list;  (** In reverse. *)
  mutable count : int;
}

let create () = { numbers = Table.create 512; known = []; count = 0 }

(** The number of a location: from 1, or 0 for none. *)
let number table loc =
  match loc with
  | Loc_unknown -> 0
  | Loc_known _ -> (
      match Table.find table.numbers loc with
      | n -> n
      | exception Not_found ->
          let n = table.count + 1 in
          table.count <- n;
          table.known <- Debuginfo.from_location loc :: table.known;
          Table.add table.numbers loc n;
          n)

(** What each number stands for. *)
let debuginfos table : Debuginfo.t array = Array.of_list ([] :: List.rev table.known)

let write_item w (item : Debuginfo.item) =
  let open Byte_writer in
  (* Ends before their beginning, and negative columns, come out of preprocessors. *)
  let u n = u w (max n 0 land 0xffff_ffff) in
  string w item.dinfo_file;
  u item.dinfo_line;
  u item.dinfo_char_start;
  u item.dinfo_char_end;
  u item.dinfo_start_bol;
  u item.dinfo_end_bol;
  u item.dinfo_end_line;
  string w (string_of_scopes item.dinfo_scopes)

(** The locations as part of a request. *)
let write w table =
  Byte_writer.u w table.count;
  List.iter
    (function
      | [] -> assert false
      | item :: _ -> write_item w item)
    (List.rev table.known)
