(** Checks [[@zero_alloc]]: on the Cmm that the back end is given, after which nothing allocates ([Allocations]).

    A function that promises is found by its location: each of its codes (copies that were specialised, the wrapper and
    the worker of unboxed parameters) must hold what it promises. A function that is nowhere code of its own, because it
    was inlined everywhere or became a loop, is checked where its instructions are: they bear its location. *)

open Allocations

type range = Zero_alloc_attributes.range = { file : string; first : int; last : int }

(** A unit with what is known of it. *)
type t = {
  attributes : Zero_alloc_attributes.t;
  functions : func list;
  facts : fact Table.t;
  allocates : strict:bool -> site -> bool;
}

(* {1 Locations} *)

let range_of_item (item : Debuginfo.item) =
  {
    file = item.dinfo_file;
    first = item.dinfo_start_bol + item.dinfo_char_start;
    last = item.dinfo_start_bol + item.dinfo_char_end;
  }

let frames (dbg : Debuginfo.t) = List.map range_of_item dbg
let contains outer inner = outer.file = inner.file && outer.first <= inner.first && inner.last <= outer.last

(* The location of a function's definition, whatever it was inlined through. *)
let definition dbg = match List.rev (frames dbg) with range :: _ -> Some range | [] -> None

(* {1 Analysis} *)

(* Whether a site is in what is assumed: in a function, or in what a call became. *)
let is_excused ~assumed ~assumed_calls ~strict (site : site) =
  let counts (_, is_strict) = is_strict || not strict in
  let frames = frames site.dbg in
  let within (range, _) = List.exists (contains range) frames in
  let is_call (range, _) = List.mem range frames in
  List.exists (fun a -> counts a && within a) assumed
  || List.exists (fun a -> counts a && is_call a) assumed_calls

(** Whether the analysis, or an error of it, depends on where code comes from. *)
let needs_locations attributes ~(imported : Allocation_summary.t) =
  attributes <> Zero_alloc_attributes.none || imported.assumed <> [] || imported.assumed_calls <> []

(** Finds out what the functions of a unit allocate. [imported]: what other units say. *)
let analyse (attributes : Zero_alloc_attributes.t) ~imported phrases =
  let other = Allocation_summary.fact imported in
  let functions = of_phrases ~never_returns:(fun name -> (other name).never) phrases in
  let assumed = attributes.assumed @ imported.assumed in
  let assumed_calls = attributes.assumed_calls @ imported.assumed_calls in
  let excused ~strict site =
    (assumed <> [] || assumed_calls <> []) && is_excused ~assumed ~assumed_calls ~strict site
  in
  let given (f : func) =
    match if attributes.assumed = [] then None else definition f.dbg with
    | None -> nothing_known
    | Some range -> (
        match List.assoc_opt range attributes.assumed with
        | None -> nothing_known
        | Some strictly -> { nothing_known with no_allocation = true; strictly })
  in
  let facts, fact_of = facts ~given ~excused ~other functions in
  { attributes; functions; facts; allocates = (fun ~strict site -> allocates ~fact_of ~excused ~strict site) }

(** For other units. *)
let summary unit = Allocation_summary.write unit.functions unit.facts unit.attributes

(* {1 Errors} *)

(* Whether a symbol of the linker is of an OCaml unit; names of C functions may begin alike: [caml_equal]. *)
let is_of_unit symbol =
  String.starts_with ~prefix:"caml" symbol
  && String.length symbol > 4
  && match symbol.[4] with '_' | 'a' .. 'z' -> false | _ -> true

(* The name of a symbol of the linker for people. *)
let readable symbol =
  let separator = Linker_names.separator in
  let is_number text = text <> "" && String.for_all (fun c -> c >= '0' && c <= '9') text in
  let without_stamp name =
    match String.rindex_opt name '_' with
    | Some i when i > 0 && is_number (String.sub name (i + 1) (String.length name - i - 1)) -> String.sub name 0 i
    | _ -> name
  in
  let rec dotted name =
    let n = String.length separator in
    let rec find i =
      if i + n >= String.length name then None
      else if i > 0 && String.sub name i n = separator then Some i
      else find (i + 1)
    in
    match find 0 with
    | None -> name
    | Some i -> String.sub name 0 i ^ "." ^ dotted (String.sub name (i + n) (String.length name - i - n))
  in
  if is_of_unit symbol then dotted (without_stamp (String.sub symbol 4 (String.length symbol - 4))) else symbol

let why = function
  | Returned -> ": it is the result"
  | To_function name -> Printf.sprintf ": it is passed to %s, which is not inlined" (readable name)
  | To_unknown -> ": it is passed to a function that is not known"
  | To_c name -> Printf.sprintf ": it is passed to the C function %s" name
  | Stored -> ": it is stored in a block that may be changed"
  | Part -> ": it is part of another block that is allocated"
  | Raised -> ": it is raised"
  | Joined -> ": it is one of several values of a variable"
  | Read -> ""

(* Functions that the linker makes, and those of the runtime. *)
let call_of_made name =
  let is prefix = String.starts_with ~prefix name in
  if is "caml_apply" then Some "a function that is not known is called"
  else if is "caml_send" then Some "a method is called"
  else if is "caml_curry" || is "caml_tuplify" then Some "a function is applied to some of its arguments"
  else None

let describe (site : site) =
  match site.cause with
  | Block { tag; words; fate } ->
      let what =
        if tag = Obj.double_array_tag then "a record or array of floats"
        else if tag = Obj.string_tag then "a string"
        else if tag = 0 && words = 3 then "a block of two fields (a pair, a record, a constructor)"
        else Printf.sprintf "a block of %d field%s" (words - 1) (if words = 2 then "" else "s")
      in
      Printf.sprintf "%s is allocated here (%d words)%s" what words (why (Lazy.force fate))
  | Boxed (number, fate) -> Printf.sprintf "a number is boxed here (%s)%s" number (why (Lazy.force fate))
  | Closure { words; fate } ->
      Printf.sprintf "a closure is allocated here (%d words)%s" words (why (Lazy.force fate))
  | Computed_size -> "something is allocated here"
  | Unknown_call -> "a function that is not known is called here, and may allocate"
  | Call name -> (
      match call_of_made name with
      | Some what -> what ^ " here, and may allocate"
      | None -> Printf.sprintf "%s is called here, and may allocate" (readable name))
  | External name -> Printf.sprintf "the C function %s is called here, which is not [@@noalloc]" name

(* Where it is in the source, and through which inlined calls it came there. *)
let message (site : site) =
  match List.rev site.dbg with
  | [] -> Location.msg "%s" (describe site ^ " (its place in the source is not known)")
  | innermost :: calls ->
      let call (item : Debuginfo.item) =
        Printf.sprintf "\nwhich was inlined at %s, line %d, characters %d-%d" item.dinfo_file item.dinfo_line
          item.dinfo_char_start item.dinfo_char_end
      in
      let loc = Debuginfo.to_location [ innermost ] in
      Location.msg ~loc "%s" (describe site ^ String.concat "" (List.map call calls))

(** A promise that is not held. *)
exception Broken of Zero_alloc_attributes.promise * site list

(* So many are shown. *)
let most_shown = 20

let error (promise : Zero_alloc_attributes.promise) sites =
  let name = if promise.name = "" then "this function" else promise.name in
  let strictly = if promise.strict then " (strict: not on paths that end in an exception either)" else "" in
  let shown = List.filteri (fun i _ -> i < most_shown) sites in
  let left = List.length sites - List.length shown in
  let more = if left = 0 then [] else [ Location.msg "%s" (Printf.sprintf "and %d more" left) ] in
  let promised =
    let msg loc = Location.msg ~loc "the interface promises it here" in
    List.map msg (Option.to_list promise.interface)
  in
  Location.errorf ~loc:promise.loc
    ~sub:(promised @ List.map message shown @ more)
    "%s" (Printf.sprintf "[@zero_alloc]: %s may allocate%s" name strictly)

let () =
  Location.register_error_of_exn (function Broken (promise, sites) -> Some (error promise sites) | _ -> None)

(* {1 Checking} *)

(* The sites of the codes that are the function, or if there is none, those of its instructions elsewhere, and those of
   which it is not known whose they are. A function that is defined within it does not run when it does. *)
let sites_of unit (promise : Zero_alloc_attributes.promise) =
  let range = Zero_alloc_attributes.range_of promise.loc in
  match List.filter (fun (f : func) -> definition f.dbg = Some range) unit.functions with
  | [] ->
      let is_within dbg = List.exists (contains range) (frames dbg) in
      List.concat_map
        (fun (f : func) ->
          if is_within f.dbg || not (has_instruction is_within f) then []
          else List.filter (fun (site : site) -> site.dbg = [] || is_within site.dbg) f.sites)
        unit.functions
  | codes -> List.concat_map (fun (f : func) -> f.sites) codes

let compare_sites (a : site) (b : site) = compare (frames a.dbg) (frames b.dbg)

(* A promise with the sites that break it, each once; nothing if it holds. *)
let broken unit (promise : Zero_alloc_attributes.promise) =
  match List.filter (unit.allocates ~strict:promise.strict) (sites_of unit promise) with
  | [] -> None
  | sites ->
      let same (a : site) (b : site) = frames a.dbg = frames b.dbg && describe a = describe b in
      let distinct =
        List.fold_left
          (fun kept site -> if List.exists (same site) kept then kept else site :: kept)
          [] (List.stable_sort compare_sites sites)
      in
      Some (promise, List.rev distinct)

(* An exception is one error: those before the last are printed here. *)
let rec report = function
  | [] -> ()
  | [ (promise, sites) ] -> raise (Broken (promise, sites))
  | (promise, sites) :: others ->
      Location.print_report Format.err_formatter (error promise sites);
      report others

(** Checks what a unit promises, and prints an error for each function that may allocate and promised not to, except the
    last.
    @raise Broken for the last of them. *)
let check unit = report (List.filter_map (broken unit) (List.rev unit.attributes.promises))
