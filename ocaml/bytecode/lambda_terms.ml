(** The Lambda part of a reply: crates/bytecode/src/encode.rs is the reference. Terms are in postfix; an explicit stack
    holds what has been read. *)

open Lambda
module Reader = Byte_reader

type state = {
  reader : Reader.t;
  debuginfos : Debuginfo.t array;
  idents : Ident.t array;
  labels : int array;
  unit_ident : Ident.t;
  globals : (string, Ident.t) Hashtbl.t;  (** By the linker's names. *)
  stack : lambda Operand_stack.t;
}

(* {1 Reading} *)

let push state term = Operand_stack.push state.stack term
let pop state = Operand_stack.pop state.stack
let pop_list state n = Operand_stack.pop_list state.stack n
let entry state table what = Reader.entry state.reader table what
let ident state = entry state state.idents "variable"
let label state = entry state state.labels "label"
let idents state = Reader.list state.reader (fun _ -> ident state)

(* {1 Locations} *)

(* Of inlined code, the innermost. *)
let location state : scoped_location =
  let debuginfo = entry state state.debuginfos "location" in
  match List.rev (debuginfo : Debuginfo.t) with
  | [] -> Loc_unknown
  | item :: _ -> Loc_known { loc = Debuginfo.to_location [ item ]; scopes = item.dinfo_scopes }

(* What backtraces show. *)
let event loc term =
  match (loc : scoped_location) with
  | Loc_known _ when !Clflags.debug ->
      Levent (term, { lev_loc = loc; lev_kind = Lev_after Predef.type_unit; lev_repr = None; lev_env = Env.empty })
  | Loc_known _ | Loc_unknown -> term

(* {1 Constants} *)

let float_of_bits bits =
  let value = Int64.float_of_bits bits in
  if Float.is_nan value then
    (* No literal has the bits of any NaN. *)
    Lprim
      ( Pccall (Primitive.simple ~name:"caml_int64_float_of_bits" ~arity:1 ~alloc:true),
        [ Lconst (Const_base (Const_int64 bits)) ],
        Loc_unknown )
  else Lconst (Const_base (Const_float (Printf.sprintf "%h" value)))

let boxed r =
  let kind = Cmm_codes.boxed_kind r in
  let value = Reader.i64 r in
  match kind with
  | Int32 -> Asttypes.Const_int32 (Int64.to_int32 value)
  | Int64 -> Const_int64 value
  | Nativeint -> Const_nativeint (Int64.to_nativeint value)
  | Float -> Reader.malformed r "a float is no integer"

let constant state = function
  | Lconst constant -> constant
  | _ -> Reader.malformed state.reader "a constant block holds what is no constant"

let string text = Lconst (Const_base (Const_string (text, Location.none, None)))

(* {1 Terms} *)

let switch state loc =
  let cases () =
    let cases = Reader.u state.reader in
    (cases, Reader.list state.reader Reader.u)
  in
  let consts, const_keys = cases () in
  let blocks, block_keys = cases () in
  let block_arms = pop_list state (List.length block_keys) in
  let const_arms = pop_list state (List.length const_keys) in
  let scrutinee = pop state in
  Lswitch
    ( scrutinee,
      {
        sw_numconsts = consts;
        sw_consts = List.combine const_keys const_arms;
        sw_numblocks = blocks;
        sw_blocks = List.combine block_keys block_arms;
        sw_failaction = None;
      },
      loc )

let string_switch state loc =
  let keys = Reader.list state.reader Reader.string in
  let default = if Reader.bool state.reader then Some (pop state) else None in
  let arms = pop_list state (List.length keys) in
  Lstringswitch (pop state, List.combine keys arms, default, loc)

let apply state loc args =
  event loc
    (Lapply
       {
         ap_func = pop state;
         ap_args = args;
         ap_loc = loc;
         ap_tailcall = Default_tailcall;
         ap_inlined = Default_inline;
         ap_specialised = Default_specialise;
       })

let raise_kind r =
  match Cmm_codes.raise_kind r with
  | Regular -> Raise_regular
  | Reraise -> Raise_reraise
  | No_trace -> Raise_notrace

let method_kind r =
  match Cmm_codes.send_kind r with Self_method -> Self | Public -> Public | Cached -> Cached

let global state name =
  match Hashtbl.find_opt state.globals name with
  | Some id -> Lprim (Pgetglobal id, [], Loc_unknown)
  | None -> Reader.malformed state.reader ("no unit is called " ^ name)

let with_params params = List.map (fun id -> (id, Pgenval)) params

let term state =
  let r = state.reader in
  match Reader.byte r with
  | 0 -> Lvar (ident state)
  | 1 -> Lmutvar (ident state)
  | 2 -> Value_primitives.int (Reader.i r)
  | 3 -> float_of_bits (Reader.float_bits r)
  | 4 -> Lconst (Const_base (boxed r))
  | 5 -> string (Reader.string r)
  | 6 -> Lconst (Const_float_array (Reader.list r (fun r -> Printf.sprintf "%h" (Reader.float r))))
  | 7 ->
      let tag = Reader.byte r in
      let fields = pop_list state (Reader.u r) in
      Lconst (Const_block (tag, List.map (constant state) fields))
  | 8 -> global state (Reader.name r)
  | 9 -> Lprim (Psetglobal state.unit_ident, [ pop state ], Loc_unknown)
  | 10 ->
      let id = ident state in
      let body = pop state in
      Llet (Strict, Pgenval, id, pop state, body)
  | 11 ->
      let id = ident state in
      let body = pop state in
      Lmutlet (Pgenval, id, pop state, body)
  | 12 ->
      let id = ident state in
      Lassign (id, pop state)
  | 13 ->
      let second = pop state in
      Lsequence (pop state, second)
  | 14 ->
      let ifnot = pop state in
      let ifso = pop state in
      Lifthenelse (pop state, ifso, ifnot)
  | 15 ->
      let loc = location state in
      switch state loc
  | 16 ->
      let loc = location state in
      string_switch state loc
  | 17 ->
      let label = label state in
      let params = with_params (idents state) in
      let handler = pop state in
      Lstaticcatch (pop state, (label, params), handler)
  | 18 ->
      let label = label state in
      Lstaticraise (label, pop_list state (Reader.u r))
  | 19 ->
      let id = ident state in
      let handler = pop state in
      Ltrywith (pop state, id, handler)
  | 20 ->
      let body = pop state in
      Lwhile (pop state, body)
  | 21 ->
      let loc = location state in
      let params = idents state in
      Lambda_build.function_ ~params ~body:(pop state) ~loc
  | 22 ->
      let ids = idents state in
      let body = pop state in
      Lambda_build.letrec (List.combine ids (pop_list state (List.length ids))) body
  | 23 ->
      let loc = location state in
      let args = pop_list state (Reader.u r) in
      apply state loc args
  | 24 ->
      let loc = location state in
      let name = Reader.name r in
      let prim, args = Lambda_build.runtime_function name (pop_list state (Reader.u r)) in
      event loc (Lprim (prim, args, loc))
  | 25 ->
      let loc = location state in
      let kind = method_kind r in
      let args = pop_list state (Reader.u r) in
      let obj = pop state in
      event loc (Lsend (kind, pop state, obj, args, loc))
  | 26 ->
      let loc = location state in
      let kind = raise_kind r in
      Lprim (Praise kind, [ event loc (pop state) ], loc)
  | 27 ->
      let loc = location state in
      let args = pop_list state (Reader.u r) in
      let checked = Reader.bool r in
      Value_primitives.apply r ~checked ~loc ~event:(event loc) args
  | 28 ->
      let id = ident state in
      let direction : Asttypes.direction_flag = if Reader.bool r then Upto else Downto in
      let body = pop state in
      let last = pop state in
      Lfor (id, pop state, last, direction, body)
  | _ -> Reader.malformed r "no such term"

(** The unit's term. [debuginfos]: the locations of the unit's source, by their numbers. [globals]: what other units and
    predefined exceptions are called by the linker.
    @raise Byte_reader.Malformed if the bytes are not what Rust should have written. *)
let read reader ~debuginfos ~unit_ident ~globals =
  let idents = Reader.array reader (fun r -> Ident.create_local (Reader.name r)) in
  let labels = Array.init (Reader.u reader) (fun _ -> next_raise_count ()) in
  let debuginfos = Added_locations.read reader debuginfos ~inlined:true in
  let stack = Operand_stack.create reader ~placeholder:Value_primitives.unit in
  let state = { reader; debuginfos; idents; labels; unit_ident; globals; stack } in
  for _ = 1 to Reader.count reader do
    push state (term state)
  done;
  let root = pop state in
  if not (Operand_stack.is_empty stack && Reader.at_end reader) then Reader.malformed reader "bytes left over";
  root
