(** What a stock [.cmx] says of the current unit, which is compiled for its description in the library.

    A description gives bodies of functions under the labels that they have in the stock object. Names and stamps come
    from the same front end, so that most functions bear their label anyway; anonymous ones are matched by their
    position in the module block (crates/convert); the inner functions of default arguments, which the stock compiler
    makes in its middle end, are matched by what their stubs call, here. *)

open Clambda
module Table = Misc.Stdlib.String.Map

(** The approximation in a stock [.cmx]. *)
let approximation_of file =
  match (fst (Compilenv.read_unit_info file)).ui_export_info with
  | Clambda approx -> approx
  | Flambda _ -> Value_unknown

(* The functions that the body of a stub of default arguments calls: each label with the number of arguments. *)
let rec called calls = function
  | Udirect_apply (label, args, _) -> (label, List.length args) :: List.fold_left called calls args
  | Ulet (_, _, _, a, b) | Usequence (a, b) -> called (called calls a) b
  | Uifthenelse (a, b, c) -> called (called (called calls a) b) c
  | Uprim (_, args, _) -> List.fold_left called calls args
  | _ -> calls

(* The stub's label, and those of the functions that it calls, of each function that the stock compiler would inline. *)
let rec add_stubs stubs = function
  | Value_unknown | Value_global_field _ | Value_const _ -> stubs
  | Value_tuple fields -> Array.fold_left add_stubs stubs fields
  | Value_closure (description, result) ->
      let calls = match description.fun_inline with None -> [] | Some (_, body) -> called [] body in
      add_stubs (Table.add description.fun_label calls stubs) result

let is_inner ~stub label = String.starts_with ~prefix:(String.sub stub 0 (String.rindex stub '_') ^ "_inner_") label

(* The inner function of each stub of default arguments: its label and the number of its arguments. *)
let inner_functions approximation =
  Table.filter_map
    (fun stub calls -> List.find_opt (fun (label, _) -> is_inner ~stub label) calls)
    (add_stubs Table.empty approximation)

(** The stamps of inner functions of default arguments, by the labels of their stubs. *)
let inner_stamps approximation =
  let stamp (label, _) =
    let start = String.rindex label '_' + 1 in
    int_of_string_opt (String.sub label start (String.length label - start))
  in
  Table.filter_map (fun _ inner -> stamp inner) (inner_functions approximation)

(** The labels of inner functions of default arguments, each with the number of its arguments: nothing else of the
    [.cmx] that is part of a request names them. *)
let inner_labels approximation = List.map snd (Table.bindings (inner_functions approximation))
