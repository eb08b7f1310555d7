(** The Cmm part of a reply, to the stock compiler's Cmm: crates/cmm/src/encode.rs is the reference.

    Bodies are in postfix; an explicit stack holds what has been read. *)

open Cmm
module Reader = Byte_reader
module V = Backend_var
module VP = Backend_var.With_provenance

type variable = { name : V.t; is_mutable : bool  (** It may be assigned. *) }

type state = {
  reader : Reader.t;
  debuginfos : Debuginfo.t array;
  vars : variable array;
  names : string array;
  labels : int array;
  statics : Statics.t;
  stack : expression Operand_stack.t;
  mutable own_closure : V.t option;
      (** The last parameter of the function being read: its closure, if it is passed. *)
}

let push state e = Operand_stack.push state.stack e
let pop state = Operand_stack.pop state.stack
let pop_list state n = Operand_stack.pop_list state.stack n
let pop_array state n = Array.of_list (pop_list state n)

(* {1 References to tables} *)

let entry state table what = Reader.entry state.reader table what
let dbg state = entry state state.debuginfos "location"
let variable state = entry state state.vars "variable"
let var state = (variable state).name
let name state = entry state state.names "name"
let label state = entry state state.labels "label"

let machtype state =
  match Cmm_codes.machtype state.reader with Val -> typ_val | Int -> typ_int | Float -> typ_float

let params state =
  Reader.list state.reader (fun _ ->
      let var = var state in
      let ty = machtype state in
      (VP.create var, ty))

let closure_entries state =
  Reader.list state.reader (fun r ->
      let code = name state in
      let arity = Reader.i r in
      { Closures.code; arity })

(* {1 Expressions} *)

(* Without result, whatever its context wants; never executed. *)
let unreachable dbg =
  let trap = Cmm_build.load Word_int (Cconst_int (0, dbg)) dbg in
  Cop (Craise Raise_notrace, [ trap ], dbg)

let integer r dbg =
  let n = Reader.i64 r in
  Cmm_helpers.natint_const_untagged dbg (Int64.to_nativeint n)

let switch state =
  let r = state.reader in
  let dbg = dbg state in
  let keys =
    Reader.array r (fun r ->
        let key = Reader.i r in
        let arm = Reader.u r in
        (key, arm))
  in
  let n = Reader.u r in
  let has_default = Reader.bool r in
  if Array.exists (fun (_, arm) -> arm >= n) keys then Reader.malformed r "no such arm";
  let default = if has_default then Some (pop state) else None in
  let arms = pop_array state n in
  let scrutinee = pop state in
  Switches.on_integer dbg scrutinee keys arms default

let string_switch state =
  let r = state.reader in
  let dbg = dbg state in
  let keys = Reader.array r Reader.string in
  let has_default = Reader.bool r in
  let default = if has_default then Some (pop state) else None in
  let arms = pop_array state (Array.length keys) in
  let scrutinee = pop state in
  Switches.on_string dbg scrutinee keys arms default

let catch state =
  let r = state.reader in
  let recursive = Reader.bool r in
  let heads =
    Reader.list r (fun _ ->
        let label = label state in
        let params = params state in
        (label, params))
  in
  let bodies = pop_list state (List.length heads) in
  let body = pop state in
  let handlers =
    List.map2 (fun (label, params) handler -> (label, params, handler, Debuginfo.none)) heads bodies
  in
  Cmm_build.static_catch ~recursive handlers body

let send_kind r =
  match Cmm_codes.send_kind r with Self_method -> Lambda.Self | Public -> Public | Cached -> Cached

let raise_kind r =
  match Cmm_codes.raise_kind r with
  | Regular -> Lambda.Raise_regular
  | Reraise -> Lambda.Raise_reraise
  | No_trace -> Lambda.Raise_notrace

(* While a function runs, the slots of its own closure do not change. Those of another may: it may be the dummy
   of a [let rec]. *)
let slot_mutability state pointer =
  match (pointer, state.own_closure) with
  | Cvar v, Some own when V.same v own -> Asttypes.Immutable
  | _ -> Asttypes.Mutable

let expression state =
  let r = state.reader in
  match Cmm_codes.expression r with
  | Int -> integer r Debuginfo.none
  | Float -> Cconst_float (Reader.float r, Debuginfo.none)
  | Symbol -> Cconst_symbol (name state, Debuginfo.none)
  | Var ->
      let { name; is_mutable } = variable state in
      Cmm_variable.read ~is_mutable name
  | Let ->
      let var = var state in
      let body = pop state in
      let def = pop state in
      Clet (VP.create var, def, body)
  | Let_mut ->
      let var = var state in
      let ty = machtype state in
      let body = pop state in
      let def = pop state in
      Clet_mut (VP.create var, ty, def, body)
  | Assign ->
      let var = var state in
      Cassign (var, pop state)
  | Seq ->
      let second = pop state in
      let first = pop state in
      Csequence (first, second)
  | If ->
      let dbg = dbg state in
      let swapped = Reader.bool r in
      let ifnot = pop state in
      let ifso = pop state in
      let cond = pop state in
      Cmm_build.if_then_else ~swapped ~dbg cond ifso ifnot
  | Switch -> switch state
  | String_switch -> string_switch state
  | Catch -> catch state
  | Exit ->
      let label = label state in
      let n = Reader.u r in
      Cexit (label, pop_list state n)
  | Try ->
      let dbg = dbg state in
      let var = var state in
      let handler = pop state in
      let body = pop state in
      Cmm_build.try_with body (VP.create var) handler dbg
  | Prim ->
      let dbg = dbg state in
      let n = Reader.u r in
      Expand.primitive state.statics r dbg (pop_list state n)
  | Direct_call ->
      let dbg = dbg state in
      let code = name state in
      let result = machtype state in
      let n = Reader.u r in
      Cop (Capply result, Cconst_symbol (code, dbg) :: pop_list state n, dbg)
  | Generic_call ->
      let dbg = dbg state in
      let n = Reader.u r in
      let args = pop_list state n in
      let closure = pop state in
      Cmm_helpers.generic_apply Asttypes.Mutable closure args dbg
  | Send ->
      let dbg = dbg state in
      let kind = send_kind r in
      let n = Reader.u r in
      let args = pop_list state n in
      let obj = pop state in
      let meth = pop state in
      Cmm_helpers.send kind meth obj args dbg
  | Raise ->
      let dbg = dbg state in
      let kind = raise_kind r in
      Cmm_helpers.raise_prim kind (pop state) dbg
  | Closures ->
      let dbg = dbg state in
      let entries = closure_entries state in
      let n = Reader.u r in
      let fields = Closures.fields dbg entries (pop_list state n) in
      Expand.make_block dbg Obj.closure_tag fields
  | Offset ->
      let words = Reader.i r in
      Cmm_helpers.ptr_offset (pop state) words Debuginfo.none
  | Slot_load ->
      let words = Reader.i r in
      let pointer = pop state in
      Cmm_helpers.get_field_gen (slot_mutability state pointer) pointer words Debuginfo.none
  | Is_closure_of -> (
      let entries = closure_entries state in
      let block = pop state in
      match entries with
      | [ entry ] -> Closures.is_closure_of entry block
      | _ -> Reader.malformed state.reader "one function was expected")
  | Unreachable -> unreachable Debuginfo.none
  | Bytecode_alone -> Reader.malformed r "an expression for bytecode"

let body state =
  let n = Reader.count state.reader in
  for _ = 1 to n do
    push state (expression state)
  done;
  let root = pop state in
  if not (Operand_stack.is_empty state.stack) then Reader.malformed state.reader "a body must have one root";
  root

(* {1 Static data} *)

let data_fields state =
  Reader.list state.reader (fun r ->
      match Cmm_codes.data_field r with
      | Address -> Csymbol_address (name state)
      | Word -> Cint (Int64.to_nativeint (Reader.i64 r)))

let data_item state =
  let r = state.reader and statics = state.statics in
  let exported = Reader.bool r in
  let global : Statics.is_global = if exported then Global else Local in
  let definition () = (name state, global) in
  match Cmm_codes.data r with
  | Block ->
      let definition = definition () in
      let tag = Reader.byte r in
      Statics.block statics definition ~tag (data_fields state)
  | Boxed_float ->
      let definition = definition () in
      Statics.float statics definition (Reader.float r)
  | Boxed_int32 ->
      let definition = definition () in
      Statics.int32 statics definition (Int64.to_int32 (Reader.i64 r))
  | Boxed_int64 ->
      let definition = definition () in
      Statics.int64 statics definition (Reader.i64 r)
  | Boxed_nativeint ->
      let definition = definition () in
      Statics.nativeint statics definition (Int64.to_nativeint (Reader.i64 r))
  | String_data ->
      let definition = definition () in
      Statics.string statics definition (Reader.string r)
  | Float_array ->
      let definition = definition () in
      Statics.float_array statics definition (Reader.list r Reader.float)
  | Set_of_closures ->
      let symbols = Reader.list r (fun _ -> name state) in
      let entries = closure_entries state in
      Statics.closures statics ~global symbols entries (data_fields state)
  | Preallocated ->
      let symbol = name state in
      let tag = Reader.byte r in
      let size = Reader.u r in
      Statics.preallocated statics ~symbol ~exported ~tag ~size

(* {1 The unit} *)

let instrumented instrument body = if !Clflags.afl_instrument then instrument body else body

let function_ state =
  let name = name state in
  let params = params state in
  let dbg = dbg state in
  let may_poll = Reader.bool state.reader in
  state.own_closure <-
    (match List.rev params with (last, _) :: _ -> Some (VP.var last) | [] -> None);
  let body = body state in
  let body = instrumented (fun body -> Afl_instrument.instrument_function body dbg) body in
  let fun_codegen_options = Cmm_build.codegen_options ~entry:false in
  (dbg, Cmm_function.make ~name ~params ~body ~dbg ~fun_codegen_options ~may_poll)

(* In the order of the source, so that what is near there is near in the code too. Files count in the order in which
   they occur: what they are called must not matter. *)
let in_source_order functions =
  let files = Hashtbl.create 4 in
  let number file =
    match Hashtbl.find files file with
    | number -> number
    | exception Not_found ->
        let number = Hashtbl.length files in
        Hashtbl.add files file number;
        number
  in
  let position (item : Debuginfo.item) =
    (number item.dinfo_file, item.dinfo_line, item.dinfo_char_start, item.dinfo_char_end)
  in
  let with_positions (dbg, f) = (List.rev_map position dbg, f) in
  List.map snd (List.stable_sort (fun (a, _) (b, _) -> compare a b) (List.map with_positions functions))

let entry state =
  state.own_closure <- None;
  let body = body state in
  let body =
    instrumented (fun body -> Afl_instrument.instrument_initialiser body (fun () -> Debuginfo.none)) body
  in
  Cmm_function.make
    ~name:(Compilenv.make_symbol (Some "entry"))
    ~params:[] ~body ~dbg:Debuginfo.none
    ~fun_codegen_options:(Cmm_build.codegen_options ~entry:true)
    ~may_poll:true

let create reader ~debuginfos ~inlined =
  let vars =
    Reader.array reader (fun r ->
        let name = V.create_local (Reader.name r) in
        { name; is_mutable = Reader.bool r })
  in
  let names = Reader.array reader Reader.name in
  let labels = Array.init (Reader.u reader) (fun _ -> Lambda.next_raise_count ()) in
  let debuginfos = Added_locations.read reader debuginfos ~inlined in
  {
    reader;
    debuginfos;
    vars;
    names;
    labels;
    statics = Statics.create ();
    stack = Operand_stack.create reader ~placeholder:(Ctuple []);
    own_closure = None;
  }

(** The phrases of a unit. [debuginfos]: the locations of the unit's source, by their numbers. [inlined]: as
    {!Added_locations.read} has it.
    @raise Byte_reader.Malformed if the bytes are not what Rust should have written. *)
let phrases reader ~debuginfos ~inlined =
  let state = create reader ~debuginfos ~inlined in
  for _ = 1 to Reader.count reader do
    data_item state
  done;
  let functions = Reader.list reader (fun _ -> function_ state) in
  let entry = entry state in
  if not (Reader.at_end reader) then Reader.malformed reader "bytes left over";
  let data = Statics.finish state.statics in
  data @ in_source_order functions @ [ entry ]
