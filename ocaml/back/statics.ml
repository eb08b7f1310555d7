(** Static data. *)

open Cmm

type is_global = Cmmgen_state.is_global

(** The static data of a unit, in the making. *)
type t = {
  mutable phrases : phrase list;  (** In reverse. *)
  mutable preallocated : Clambda.preallocated_block list;  (** In reverse. *)
}

let create () = { phrases = []; preallocated = [] }

let add statics items = statics.phrases <- Cdata items :: statics.phrases

(* Remembers the contents of boxed numbers, so that unboxing a symbol gives the number. *)
let remember symbol contents = Cmmgen_state.add_structured_constant symbol contents

let float statics ((symbol, _) as definition) x =
  remember symbol (Clambda.Uconst_float x);
  add statics (Cmm_helpers.emit_float_constant definition x [])

let int32 statics ((symbol, _) as definition) n =
  remember symbol (Clambda.Uconst_int32 n);
  add statics (Cmm_helpers.emit_int32_constant definition n [])

let int64 statics ((symbol, _) as definition) n =
  remember symbol (Clambda.Uconst_int64 n);
  add statics (Cmm_helpers.emit_int64_constant definition n [])

let nativeint statics ((symbol, _) as definition) n =
  remember symbol (Clambda.Uconst_nativeint n);
  add statics (Cmm_helpers.emit_nativeint_constant definition n [])

let block statics definition ~tag fields =
  let header = Cmm_helpers.block_header tag (List.length fields) in
  add statics (Cmm_helpers.emit_block definition header fields)

let string statics definition contents =
  add statics (Cmm_helpers.emit_string_constant definition contents [])

let float_array statics definition elements =
  add statics (Cmm_helpers.emit_float_array_constant definition elements [])

let closures statics ~global symbols entries values =
  add statics (Closures.static_data ~global symbols entries values)

let preallocated statics ~symbol ~exported ~tag ~size =
  let block : Clambda.preallocated_block =
    { symbol; exported; tag; fields = List.init size (fun _ -> None); provenance = None }
  in
  statics.preallocated <- block :: statics.preallocated

(* Tables that switches are compiled to are kept by [Cmm_helpers] in this state. *)
let switch_tables () =
  let table symbol constant phrases =
    match (constant : Cmmgen_state.constant) with
    | Const_table (global, words) -> Cdata (Cmm_helpers.cdefine_symbol (symbol, global) @ words) :: phrases
    | Const_closure _ -> Misc.fatal_error "flambeau: a closure left in Cmmgen_state"
  in
  let tables = Cmmgen_state.get_and_clear_constants () in
  let phrases = Misc.Stdlib.String.Map.fold table tables [] in
  match Cmmgen_state.get_and_clear_data_items () with [] -> phrases | items -> Cdata items :: phrases

(** All static data; forgets what was remembered. To be called after the code was expanded. *)
let finish statics =
  let data = List.rev_append statics.phrases (switch_tables ()) in
  Cmmgen_state.set_structured_constants [];
  Cmm_helpers.emit_preallocated_blocks (List.rev statics.preallocated) data
