(** Lambda to bytes: the request of [docs/formats.md], which crates/lambda/src/decode.rs reads.

    One pass over the term. The recursion is as deep as the term: the driver runs on a large stack. *)

open Lambda
open Lambda_numbers

type options = {
  verify : bool;
  fuel : int option;
  dumps : string list;  (** The names of the stages to be dumped. *)
  profile : bool;
  exported_fields : int;  (** Of the module block: the first ones. *)
  settings : (string * string) list;  (** The settings of the optimiser. *)
  keeps_part : bool;  (** Whether the unit may become a part of a program. *)
  bytecode : bool;  (** Whether bytecode is made: of other units nothing is known. *)
}

type state = {
  nodes : Byte_writer.t;
  mutable node_count : int;
  ident_numbers : int Ident.Tbl.t;
  idents : Byte_writer.t;
  mutable ident_count : int;
  locations : Locations.table;
  imports : Imports.t;
  stock_stamps : int Misc.Stdlib.String.Map.t;  (** [Stock_unit.inner_stamps] of the unit. *)
  stamps : int Ident.Tbl.t;  (** Of identifiers that are to have another stamp than theirs. *)
  takes_tuples : bool;  (** A function of a tuple takes it as it is: in bytecode. *)
  uses : Typed_uses.t Lazy.t option;  (** The types that comparisons and polymorphic functions are used at. *)
  type_numbers : (Typed_uses.description, int) Hashtbl.t;
  types : Byte_writer.t;
  type_variables : (int, int) Hashtbl.t;  (** Their numbers in the request. *)
}

let create ?(takes_tuples = false) uses =
  {
    takes_tuples;
    nodes = Byte_writer.create ();
    node_count = 0;
    ident_numbers = Ident.Tbl.create 512;
    idents = Byte_writer.create ();
    ident_count = 0;
    locations = Locations.create ();
    imports = Imports.create ();
    stock_stamps = Stock_unit.inner_stamps !Imports.own_approximation;
    stamps = Ident.Tbl.create 4;
    uses;
    type_numbers = Hashtbl.create 16;
    types = Byte_writer.create ();
    type_variables = Hashtbl.create 16;
  }

(* {1 Parts of nodes} *)

let type_variable state id =
  match Hashtbl.find_opt state.type_variables id with
  | Some number -> number
  | None ->
      let number = Hashtbl.length state.type_variables in
      Hashtbl.add state.type_variables id number;
      number

(* The stamp of a local identifier: it is only known as part of the unique name. *)
let ident_stamp id =
  let name = Ident.name id and unique = Ident.unique_name id in
  let from = String.length name + 1 in
  if from >= String.length unique then 0
  else Option.value (int_of_string_opt (String.sub unique from (String.length unique - from))) ~default:0

(* The types of variables have no descriptions. *)
let variable_shape state id =
  let shape =
    match state.uses with
    | Some uses -> Typed_uses.variable_shape uses id
    | None -> Argument_shapes.Unknown
  in
  Argument_shapes.write state.idents ~number:(fun _ -> assert false) ~variable:(type_variable state) shape

let ident state id =
  let number =
    match Ident.Tbl.find state.ident_numbers id with
    | n -> n
    | exception Not_found ->
        let n = state.ident_count in
        state.ident_count <- n + 1;
        Ident.Tbl.add state.ident_numbers id n;
        Byte_writer.name state.idents (Ident.name id);
        Byte_writer.u state.idents (try Ident.Tbl.find state.stamps id with Not_found -> ident_stamp id);
        variable_shape state id;
        n
  in
  Byte_writer.u state.nodes number

let location state loc = Byte_writer.u state.nodes (Locations.number state.locations loc)

let value_kind state kind =
  Byte_writer.byte state.nodes
    (match kind with
    | Pgenval -> Value_kind.generic
    | Pfloatval -> Value_kind.float
    | Pintval -> Value_kind.int
    | Pboxedintval Pnativeint -> Value_kind.nativeint
    | Pboxedintval Pint32 -> Value_kind.int32
    | Pboxedintval Pint64 -> Value_kind.int64)

let params state params =
  Byte_writer.list state.nodes
    (fun (id, kind) ->
      ident state id;
      value_kind state kind)
    params

let inline state attribute =
  let byte = Byte_writer.byte state.nodes in
  match attribute with
  | Default_inline -> byte Inline.default
  | Always_inline -> byte Inline.always
  | Never_inline -> byte Inline.never
  | Hint_inline -> byte Inline.hint
  | Unroll n ->
      byte Inline.unroll;
      Byte_writer.u state.nodes (max n 0)

let specialise state attribute =
  Byte_writer.byte state.nodes
    (match attribute with
    | Default_specialise -> Specialise.default
    | Always_specialise -> Specialise.always
    | Never_specialise -> Specialise.never)

let local state attribute =
  Byte_writer.byte state.nodes
    (match attribute with
    | Default_local -> Local.default
    | Always_local -> Local.always
    | Never_local -> Local.never)

let tailcall state attribute =
  Byte_writer.byte state.nodes
    (match attribute with
    | Default_tailcall -> Tailcall.default
    | Tailcall_expectation true -> Tailcall.expected
    | Tailcall_expectation false -> Tailcall.not_expected)

let method_kind state kind =
  Byte_writer.byte state.nodes (match kind with
    | Self -> Method_kind.self_method
    | Public -> Method_kind.public
    | Cached -> Method_kind.cached)

(* {1 Constants} *)

let rec count_constant = function
  | Const_block (_, fields) -> List.fold_left (fun sum field -> sum + count_constant field) 1 fields
  | Const_base _ | Const_immstring _ | Const_float_array _ -> 1

(* The steps of a constant, in postfix, into [w]. *)
let rec constant_steps w constant =
  let open Byte_writer in
  match constant with
  | Const_base (Const_int n) -> byte w Constant.int; i w n
  | Const_base (Const_char c) -> byte w Constant.int; i w (Char.code c)
  | Const_base (Const_float literal) -> byte w Constant.float; float w (float_of_string literal)
  | Const_base (Const_int32 n) -> byte w Constant.int32; i64 w (Int64.of_int32 n)
  | Const_base (Const_int64 n) -> byte w Constant.int64; i64 w n
  | Const_base (Const_nativeint n) -> byte w Constant.nativeint; i64 w (Int64.of_nativeint n)
  | Const_base (Const_string (s, _, _)) ->
    (* Where strings may be mutable (-unsafe-string), literals are never shared. *)
    byte w (if Lambda_view.strings_are_immutable then Constant.shared_string else Constant.own_string);
    string w s
  | Const_immstring s -> byte w Constant.shared_string; string w s
  | Const_block (tag, fields) ->
      List.iter (constant_steps w) fields;
      byte w Constant.block;
      u w tag;
      u w (List.length fields)
  | Const_float_array literals ->
      byte w Constant.float_array;
      list w (fun literal -> float w (float_of_string literal)) literals

let constant state constant =
  Byte_writer.u state.nodes (count_constant constant);
  constant_steps state.nodes constant

(* {1 Types} *)

let type_number state (description : Typed_uses.description) =
  match Hashtbl.find_opt state.type_numbers description with
  | Some number -> number
  | None ->
      let number = Hashtbl.length state.type_numbers in
      Hashtbl.add state.type_numbers description number;
      Byte_writer.list state.types (Type_terms.write state.types) description.terms;
      Byte_writer.u state.types description.root;
      number

(* The number of the type at which a primitive is used, if that is known. *)
let used_type state prim loc =
  match (state.uses, prim) with
  | Some uses, Pccall { prim_name; _ } -> Option.map (type_number state) (Typed_uses.find uses loc prim_name)
  | _ -> None

(* Of each argument, what is known of its type. *)
let argument_shapes state apply =
  match state.uses with
  | Some uses -> Typed_uses.argument_shapes uses apply.ap_loc apply.ap_args
  | None -> []

let argument_shape state =
  Argument_shapes.write state.nodes ~number:(type_number state) ~variable:(type_variable state)

(* The parameters of a function that only applies a primitive to them are its operands. *)
let note_operands state params body =
  match (state.uses, body) with
  | Some uses, Lprim (Pccall { prim_name; _ }, args, loc) ->
      let is_param arg (id, _) = match arg with Lvar other -> Ident.same id other | _ -> false in
      if List.compare_lengths args params = 0 && List.for_all2 is_param args params then
        Typed_uses.note_operands uses loc prim_name (List.map fst params)
  | _ -> ()

(* {1 Nodes} *)

(* Begins a node; its data follow. *)
let node state op =
  state.node_count <- state.node_count + 1;
  Byte_writer.byte state.nodes op

(* The function that a stub calls has the label that it has in the stock object, if the unit describes one. *)
let keep_stamp state ~stub inner =
  let label = Compilenv.make_symbol (Some (Ident.unique_name stub)) in
  Option.iter (Ident.Tbl.replace state.stamps inner) (Misc.Stdlib.String.Map.find_opt label state.stock_stamps)

(* What is bound together, functions with default arguments split; the inner functions follow their stubs. *)
let split_defaults state bindings =
  let is_bound id = List.exists (fun (bound, _) -> Ident.same bound id) bindings in
  let all = Lambda_view.split_defaults bindings in
  let keep stub (id, _) =
    if is_bound id then id
    else begin
      keep_stamp state ~stub id;
      stub
    end
  in
  (match all with [] -> () | (first, _) :: _ -> ignore (List.fold_left keep first all : Ident.t));
  all

(* Whether a function is tupled, its parameters and its body, where none is. *)
let taking_tuple (f : lfunction) =
  match f.kind with
  | Curried -> (false, f.params, f.body)
  | Tupled ->
      let tuple = Ident.create_local "tuple" in
      let part i (id, kind) = (id, kind, Lprim (Lambda_build.field i ~mutable_:false, [ Lvar tuple ], Loc_unknown)) in
      let bind (id, kind, def) body = Llet (Strict, kind, id, def, body) in
      (false, [ (tuple, Pgenval) ], List.fold_right bind (List.mapi part f.params) f.body)

let is_atom = function Lvar _ | Lconst _ -> true | _ -> false

let rec term state lambda =
  let u = Byte_writer.u state.nodes
  and i = Byte_writer.i state.nodes
  and bool = Byte_writer.bool state.nodes
  and byte = Byte_writer.byte state.nodes
  and list item items = Byte_writer.list state.nodes item items in
  match lambda with
  | Lvar id -> node state Node.var; ident state id
  | Lmutvar id -> node state Node.mut_var; ident state id
  | Lconst c -> node state Node.const; constant state c
  | Lapply apply ->
      term state apply.ap_func;
      terms state apply.ap_args;
      (match argument_shapes state apply with
      | [] -> node state Node.apply
      | shapes -> node state Node.typed_apply; list (argument_shape state) shapes);
      u (List.length apply.ap_args);
      location state apply.ap_loc;
      tailcall state apply.ap_tailcall;
      inline state (Attributes.inlined apply.ap_loc apply.ap_inlined);
      specialise state (Attributes.specialised apply.ap_loc apply.ap_specialised)
  | Lfunction f ->
      let is_tupled, parts, body = if state.takes_tuples then taking_tuple f else (f.kind = Tupled, f.params, f.body) in
      note_operands state parts body;
      term state body;
      node state Node.function_;
      bool is_tupled;
      params state parts;
      value_kind state f.return;
      inline state f.attr.inline;
      specialise state (Attributes.specialise f.loc f.attr);
      local state f.attr.local;
      bool f.attr.is_a_functor;
      bool f.attr.stub;
      bool (not (Poll_attribute.may_poll f.attr));
      location state f.loc
  | Llet (strictness, kind, id, def, body) -> (
      match split_defaults state [ (id, def) ] with
      | _ :: _ :: _ as bindings -> letrec state bindings body
      | _ ->
          term state def;
          term state body;
          node state Node.let_;
          byte (match strictness with Strict -> Let_kind.strict | Alias -> Let_kind.alias | StrictOpt -> Let_kind.strict_opt);
          value_kind state kind;
          ident state id)
  | Lmutlet (kind, id, def, body) ->
      term state def;
      term state body;
      node state Node.mut_let;
      value_kind state kind;
      ident state id
  | Lletrec (bindings, body) -> letrec state (split_defaults state (Lambda_view.bindings bindings)) body
  | Lprim (prim, [ arg ], loc) when Version_primitives.evaluates_first prim && not (is_atom arg) ->
      let id = Ident.create_local "operand" in
      term state (Llet (Strict, Pgenval, id, arg, Lprim (prim, [ Lvar id ], loc)))
  | Lprim (prim, args, loc) -> (
      let args = Version_primitives.operands prim args in
      terms state args;
      match Version_primitives.runtime_function prim with
      | Some symbol ->
          node state Node.symbol_call;
          Byte_writer.name state.nodes symbol;
          location state loc;
          inline state Never_inline;
          u (List.length args)
      | None ->
          (match used_type state prim loc with
          | Some number -> node state Node.typed_prim; u number
          | None -> node state Node.prim);
          Primitives.write state.nodes ~global:(Imports.number state.imports) prim;
          location state loc;
          u (List.length args))
  | Lswitch (scrutinee, sw, loc) ->
      term state scrutinee;
      terms state (List.map snd sw.sw_consts);
      terms state (List.map snd sw.sw_blocks);
      Option.iter (term state) sw.sw_failaction;
      node state Node.switch;
      location state loc;
      u sw.sw_numconsts;
      list (fun (key, _) -> i key) sw.sw_consts;
      u sw.sw_numblocks;
      list (fun (key, _) -> u key) sw.sw_blocks;
      bool (Option.is_some sw.sw_failaction)
  | Lstringswitch (scrutinee, arms, default, loc) ->
      term state scrutinee;
      terms state (List.map snd arms);
      Option.iter (term state) default;
      node state Node.string_switch;
      location state loc;
      list (fun (key, _) -> Byte_writer.string state.nodes key) arms;
      bool (Option.is_some default)
  | Lstaticraise (label, args) ->
      terms state args;
      node state Node.static_raise;
      i label;
      u (List.length args)
  | Lstaticcatch (body, (label, ids), handler) ->
      term state body;
      term state handler;
      node state Node.static_catch;
      i label;
      params state ids
  | Ltrywith (body, id, handler) ->
      term state body;
      term state handler;
      node state Node.try_with;
      ident state id
  | Lifthenelse (cond, ifso, ifnot) ->
      term state cond;
      term state ifso;
      term state ifnot;
      node state Node.if_then_else
  | Lsequence (first, second) ->
      term state first;
      term state second;
      node state Node.sequence
  | Lwhile (cond, body) ->
      term state cond;
      term state body;
      node state Node.while_
  | Lfor (id, from, to_, direction, body) ->
      term state from;
      term state to_;
      term state body;
      node state Node.for_;
      ident state id;
      bool (match direction with Upto -> false | Downto -> true)
  | Lassign (id, value) ->
      term state value;
      node state Node.assign;
      ident state id
  | Lsend (kind, meth, obj, args, loc) ->
      term state meth;
      term state obj;
      terms state args;
      node state Node.send;
      method_kind state kind;
      location state loc;
      u (List.length args)
  | Levent (body, event) ->
      term state body;
      node state Node.event;
      location state event.lev_loc
  | Lifused (id, body) ->
      term state body;
      node state Node.if_used;
      ident state id

and terms state lambdas = List.iter (term state) lambdas

and letrec state bindings body =
  terms state (List.map snd bindings);
  term state body;
  node state Node.let_rec;
  Byte_writer.list state.nodes (fun (id, _) -> ident state id) bindings

(* {1 The request} *)

let magic = "FLBQ"
let version = 9

let write_options w options ~module_size =
  let open Byte_writer in
  name w (Compilenv.current_unit_name ());
  name w (Compilenv.make_symbol None);
  string w Linker_names.separator;
  bool w Domains.several;
  byte w (if options.bytecode then Evaluation_order.of_bytecode else Evaluation_order.code);
  bool w !Clflags.debug;
  bool w !Clflags.unsafe;
  bool w options.verify;
  option w (u w) options.fuel;
  list w (string w) options.dumps;
  bool w options.profile;
  u w module_size;
  u w options.exported_fields;
  list w
    (fun (key, value) ->
      string w key;
      string w value)
    options.settings

(** A request to the middle end. *)
type request = {
  bytes : string;
  own_bytes : int;  (** How many of the bytes are of the unit itself, not of those that it imports. *)
  debuginfos : Debuginfo.t array;  (** What location numbers stand for. *)
  part : string option;  (** The same, without what imported units say, for the request of a program. *)
}

(** What was encoded, as the bytes of a request; and how many of them are not of imported units. [parts]: the units of a
    program. *)
let assemble ?(parts = []) state options ~module_size ~write_imports =
  let w = Byte_writer.create () in
  Byte_writer.raw w magic;
  Byte_writer.u w version;
  write_options w options ~module_size;
  Locations.write w state.locations;
  Byte_writer.u w state.ident_count;
  Byte_writer.append w state.idents;
  let own_bytes = Byte_writer.length w + Byte_writer.length state.nodes in
  write_imports w state.imports;
  Byte_writer.u w (Hashtbl.length state.type_numbers);
  Byte_writer.append w state.types;
  Byte_writer.u w state.node_count;
  Byte_writer.append w state.nodes;
  Byte_writer.list w (Byte_writer.string w) parts;
  (Byte_writer.contents w, own_bytes)

let encoded options ~uses (program : Lambda.program) =
  let state = create ~takes_tuples:options.bytecode uses in
  (* The unit itself is always among the globals. *)
  ignore (Imports.number state.imports program.module_ident : int);
  term state program.code;
  state

(** A request to compile [program]. [uses] are those of the typed tree that it is made from. *)
let request options ~uses (program : Lambda.program) =
  let state = encoded options ~uses program in
  let assemble write_imports =
    assemble state options ~module_size:program.main_module_block_size ~write_imports
  in
  let part = if options.keeps_part then Some (fst (assemble Imports.write_names)) else None in
  let bytes, own_bytes = assemble (if options.bytecode then Imports.write_unknown else Imports.write) in
  { bytes; own_bytes; debuginfos = Locations.debuginfos state.locations; part }

(** The part of a program that [program] is. *)
let part options ~uses (program : Lambda.program) =
  let state = encoded options ~uses program in
  fst (assemble state options ~module_size:program.main_module_block_size ~write_imports:Imports.write_names)

(** A request to compile a program: the units that become one, in the order in which they are initialised, and the names
    of those that they import. *)
let program options ~parts ~imports =
  let state = create None in
  List.iter (fun name -> ignore (Imports.number state.imports (Ident.create_persistent name) : int)) imports;
  term state lambda_unit;
  let bytes, _ = assemble ~parts state options ~module_size:0 ~write_imports:Imports.write in
  let own_bytes = List.fold_left (fun sum part -> sum + String.length part) 0 parts in
  { bytes; own_bytes; debuginfos = Locations.debuginfos state.locations; part = None }

(** Whether the part of a program was compiled with [-g]: what {!write_options} writes. *)
let part_has_debug part =
  let r = Byte_reader.create part in
  ignore (Byte_reader.raw r (String.length magic) : string);
  ignore (Byte_reader.u r : int);
  for _ = 1 to 3 do
    ignore (Byte_reader.string r : string)
  done;
  ignore (Byte_reader.byte r : int);
  ignore (Byte_reader.byte r : int);
  Byte_reader.byte r = 1

(** What the part of a program begins with, if this executable can read it. *)
let part_prefix =
  let w = Byte_writer.create () in
  Byte_writer.raw w magic;
  Byte_writer.u w version;
  Byte_writer.contents w
