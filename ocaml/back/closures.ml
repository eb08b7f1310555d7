(** The layout of sets of closures in memory: header, then for each function its code pointers and closure
    information (after an infix header, but for the first), then the captured values. *)

open Cmm

(** A function of a set: the symbol of its code, and its number of parameters, negative when tupled. *)
type entry = { code : string; arity : int }

(* Functions of one parameter need no separate pointer for full applications. *)
let words_of_entry entry = if entry.arity = 1 then 2 else 3

(** The number of words before the captured values. *)
let words_before_values entries =
  List.fold_left (fun words entry -> words + 1 + words_of_entry entry) (-1) entries

(* Runs through the words of the entries: [infix] gives what stands for the header at a position, [code] and
   [info] what stands for a code pointer and the closure information. *)
let words ~infix ~code ~info entries =
  let startenv = words_before_values entries in
  let entry position entry =
    let header = if position = 0 then [] else infix position in
    let information = info ~arity:entry.arity ~startenv:(startenv - position) in
    let pointers =
      if entry.arity = 1 then [ code entry.code; information ]
      else [ code (Cmm_helpers.curry_function_sym entry.arity); information; code entry.code ]
    in
    (position + words_of_entry entry + 1, header @ pointers)
  in
  let _, words =
    List.fold_left
      (fun (position, words) e ->
        let position, more = entry position e in
        (position, List.rev_append more words))
      (0, []) entries
  in
  List.rev words

(** The fields of the block of a set, in an expression; [values] are what it captures. *)
let fields dbg entries values =
  let fields =
    words entries
      ~infix:(fun position -> [ Cmm_helpers.alloc_infix_header position dbg ])
      ~code:(fun symbol -> Cconst_symbol (symbol, dbg))
      ~info:(fun ~arity ~startenv -> Cmm_helpers.alloc_closure_info ~arity ~startenv dbg)
  in
  fields @ values

(** Whether a block is a closure of a function of a set: 0 or 1. A block of another shape has another first word, and the
    third word is looked at in closures of that many parameters alone. *)
let is_closure_of entry block =
  let dbg = Debuginfo.none in
  Cmm_helpers.bind "block" block (fun block ->
      let is field symbol =
        let word = Cmm_build.load Word_int (Cmm_helpers.field_address block field dbg) dbg in
        Cop (Ccmpi Ceq, [ word; Cconst_symbol (symbol, dbg) ], dbg)
      in
      if entry.arity = 1 then is 0 entry.code
      else
        let curried = Cmm_helpers.curry_function_sym entry.arity in
        Cmm_build.if_then_else ~dbg (is 0 curried) (is 2 entry.code) (Cconst_int (0, dbg)))

(** Static data for a set: one symbol for each function. *)
let static_data ~global symbols entries values =
  let define symbol = Cmm_helpers.cdefine_symbol (symbol, global) in
  let remaining = ref symbols in
  let next_symbol () =
    match !remaining with
    | [] -> Misc.fatal_error "flambeau: a set of closures with fewer symbols than functions"
    | symbol :: rest ->
        remaining := rest;
        define symbol
  in
  let size = words_before_values entries + List.length values in
  let header = Cint (Cmm_helpers.black_closure_header size) in
  let first = next_symbol () in
  let body =
    words entries
      ~infix:(fun position -> Cint (Cmm_helpers.infix_header position) :: next_symbol ())
      ~code:(fun symbol -> Csymbol_address symbol)
      ~info:(fun ~arity ~startenv -> Cint (Cmm_helpers.closure_info ~arity ~startenv))
  in
  (header :: first) @ body @ values
