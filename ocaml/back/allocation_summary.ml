(** What a unit passes on to others of what its functions allocate, as part of its payload: text, a line for each function of
    which something is known, and for each function or call that is assumed not to allocate. *)

open Allocations

type range = Zero_alloc_attributes.range = { file : string; first : int; last : int }

(** What is known of other units. *)
type t = {
  functions : fact Table.t;
  mutable assumed : (range * bool) list;
  mutable assumed_calls : (range * bool) list;
}

(* {1 Writing} *)

let letters fact =
  (if fact.no_allocation then "a" else "") ^ (if fact.strictly then "s" else "") ^ if fact.never then "n" else ""

let range_line word (range, strict) =
  Printf.sprintf "%s%s %d %d %s\n" word (if strict then "s" else "") range.first range.last range.file

(** The text for other units. *)
let write functions (facts : fact Table.t) (attributes : Zero_alloc_attributes.t) =
  let line (f : func) =
    match letters (Table.find facts f.name) with "" -> "" | letters -> Printf.sprintf "%s %s\n" letters f.name
  in
  String.concat ""
    (List.map line functions
    @ List.map (range_line "F") attributes.assumed
    @ List.map (range_line "C") attributes.assumed_calls)

(* {1 Reading} *)

(* A line that makes no sense is of another version. *)
let add_line summary line =
  match String.split_on_char ' ' line with
  | word :: first :: last :: file when word <> "" && (word.[0] = 'F' || word.[0] = 'C') -> (
      match (int_of_string_opt first, int_of_string_opt last) with
      | Some first, Some last ->
          let range = ({ file = String.concat " " file; first; last }, String.length word > 1) in
          if word.[0] = 'F' then summary.assumed <- range :: summary.assumed
          else summary.assumed_calls <- range :: summary.assumed_calls
      | _ -> ())
  | [ letters; name ] ->
      let has letter = String.contains letters letter in
      Table.replace summary.functions name { no_allocation = has 'a'; strictly = has 's'; never = has 'n' }
  | _ -> ()

(** What the texts of other units say together. *)
let read texts =
  let summary = { functions = Table.create 64; assumed = []; assumed_calls = [] } in
  List.iter (fun text -> List.iter (add_line summary) (String.split_on_char '\n' text)) texts;
  summary

let fact summary name = Option.value (Table.find_opt summary.functions name) ~default:nothing_known
