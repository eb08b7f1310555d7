(** Functions that the stock compiler would inline from its own units, out of their [.cmx] files: whoever puts Flambeau
    where the stock compiler was has libraries that this has compiled, and small functions of theirs (accessors, those
    with optional arguments) are to cost no more than before.

    A body is sent as the payload of an import that has the label as its name: a magic, whether the
    function is recursive, and a request whose term it is. It is translated from Clambda, where closures have been converted: only what captures nothing is, which is all that other
    units call by a label alone. *)

open Clambda
open Lambda_numbers
module Var = Backend_var.With_provenance

(** What such a payload begins with. *)
let magic = "FLBS"

exception Not_translated

type state = {
  request : Encode.state;
  mutables : unit Ident.Tbl.t;  (** Variables that are assigned. *)
  mutable last_label : int;  (** Of exits that the translation adds: negative ones. *)
  mutable called : string list;  (** The labels of the functions that the body calls. *)
}

let nodes state = state.request.nodes

(* What a symbol of the linker denotes: a global of that name. *)
let symbol state name =
  Encode.node state.request Node.prim;
  Primitives.write (nodes state) ~global:(Imports.number state.request.imports)
    (Pgetglobal (Ident.create_persistent name));
  Encode.location state.request Loc_unknown;
  Byte_writer.u (nodes state) 0

(* Where something comes from that was not inlined there already. *)
let location state (dbg : Debuginfo.t) =
  Encode.location state.request
    (match dbg with
    | [ item ] -> Loc_known { loc = Debuginfo.to_location dbg; scopes = item.dinfo_scopes }
    | _ -> Loc_unknown)

let params state = Encode.params state.request

let rec term state lambda =
  let node = Encode.node state.request
  and ident id = Encode.ident state.request id
  and u = Byte_writer.u (nodes state)
  and i = Byte_writer.i (nodes state)
  and bool = Byte_writer.bool (nodes state) in
  match lambda with
  | Uvar id -> node (if Ident.Tbl.mem state.mutables id then Node.mut_var else Node.var); ident id
  | Uconst (Uconst_int n) -> node Node.const; Encode.constant state.request (Const_base (Const_int n))
  | Uconst (Uconst_ref (name, _)) | Uprim (Pread_symbol name, [], _) -> symbol state name
  | Udirect_apply (label, args, dbg) ->
      state.called <- label :: state.called;
      terms state args;
      node Node.symbol_call;
      Byte_writer.name (nodes state) label;
      location state dbg;
      Encode.inline state.request Default_inline;
      u (List.length args)
  | Ugeneric_apply (f, args, dbg) ->
      term state f;
      terms state args;
      node Node.apply;
      u (List.length args);
      location state dbg;
      Encode.tailcall state.request Default_tailcall;
      Encode.inline state.request Default_inline;
      Encode.specialise state.request Default_specialise
  | Ulet (mutability, kind, var, def, body) ->
      let id = Var.var var in
      if mutability = Mutable then Ident.Tbl.replace state.mutables id ();
      term state def;
      term state body;
      (match mutability with
      | Mutable -> node Node.mut_let
      | Immutable ->
          node Node.let_;
          Byte_writer.byte (nodes state) Let_kind.strict);
      Encode.value_kind state.request kind;
      ident id
  | Uphantom_let (_, _, body) -> term state body
  | Uprim (prim, args, dbg) -> (
      match Stock_primitives.of_clambda prim with
      | None -> raise Not_translated
      | Some prim ->
          terms state args;
          node Node.prim;
          Primitives.write (nodes state) ~global:(Imports.number state.request.imports) prim;
          location state dbg;
          u (List.length args))
  | Uswitch (scrutinee, sw, dbg) -> switch state scrutinee sw dbg
  | Ustringswitch (scrutinee, arms, default) ->
      term state scrutinee;
      terms state (List.map snd arms);
      Option.iter (term state) default;
      node Node.string_switch;
      location state [];
      Byte_writer.list (nodes state) (fun (key, _) -> Byte_writer.string (nodes state) key) arms;
      bool (Option.is_some default)
  | Ustaticfail (label, args) ->
      terms state args;
      static_raise state label ~args:(List.length args)
  | Ucatch (label, vars, body, handler) ->
      term state body;
      term state handler;
      node Node.static_catch;
      i label;
      params state (List.map (fun (var, kind) -> (Var.var var, kind)) vars)
  | Utrywith (body, var, handler) ->
      term state body;
      term state handler;
      node Node.try_with;
      ident (Var.var var)
  | Uifthenelse (cond, ifso, ifnot) ->
      terms state [ cond; ifso; ifnot ];
      node Node.if_then_else
  | Usequence (first, second) ->
      terms state [ first; second ];
      node Node.sequence
  | Uwhile (cond, body) ->
      terms state [ cond; body ];
      node Node.while_
  | Ufor (var, from, to_, direction, body) ->
      terms state [ from; to_; body ];
      node Node.for_;
      ident (Var.var var);
      bool (match direction with Upto -> false | Downto -> true)
  | Uassign (id, value) ->
      term state value;
      node Node.assign;
      ident id
  | Usend (kind, meth, obj, args, dbg) ->
      terms state (meth :: obj :: args);
      node Node.send;
      Encode.method_kind state.request kind;
      location state dbg;
      u (List.length args)
  (* The stock compiler inlines no function with these but where it is forced to. *)
  | _ -> raise Not_translated

and terms state lambdas = List.iter (term state) lambdas

and static_raise state label ~args =
  Encode.node state.request Node.static_raise;
  Byte_writer.i (nodes state) label;
  Byte_writer.u (nodes state) args

(* Of an action for several cases only exits are copied. *)
and switch state scrutinee sw dbg =
  let shared = ref [] in
  let arms index actions =
    let cases action = Array.fold_left (fun n a -> if a = action then n + 1 else n) 0 index in
    let exits =
      Array.mapi
        (fun number action ->
          if cases number <= 1 then None
          else begin
            state.last_label <- state.last_label - 1;
            shared := (state.last_label, action) :: !shared;
            Some state.last_label
          end)
        actions
    in
    let arm number =
      match exits.(number) with
      | None -> term state actions.(number)
      | Some label -> static_raise state label ~args:0
    in
    Array.iter arm index
  in
  term state scrutinee;
  arms sw.us_index_consts sw.us_actions_consts;
  arms sw.us_index_blocks sw.us_actions_blocks;
  Encode.node state.request Node.switch;
  location state dbg;
  let keys index key =
    Byte_writer.u (nodes state) (Array.length index);
    Byte_writer.list (nodes state) key (List.init (Array.length index) Fun.id)
  in
  keys sw.us_index_consts (Byte_writer.i (nodes state));
  keys sw.us_index_blocks (Byte_writer.u (nodes state));
  Byte_writer.bool (nodes state) false;
  List.iter
    (fun (label, action) ->
      term state action;
      Encode.node state.request Node.static_catch;
      Byte_writer.i (nodes state) label;
      params state [])
    (List.rev !shared)

(* The name of the parameter that stands for an optional argument with a default: a function with one only fills in
   defaults, and calls another. *)
let is_default var = Ident.name (Var.var var) = "*opt*"

(* Bodies of more nodes the stock compiler does not inline but by an attribute or a flag of the unit that defines them
   ([Closure.lambda_smaller] allows 80 operations). *)
let most_nodes = 250

let function_ state vars body =
  let byte = Byte_writer.byte (nodes state) and bool = Byte_writer.bool (nodes state) in
  term state body;
  Encode.node state.request Node.function_;
  bool false;
  params state (List.map (fun var -> (Var.var var, Lambda.Pgenval)) vars);
  Encode.value_kind state.request Pgenval;
  Encode.inline state.request (if state.request.node_count > most_nodes then Always_inline else Default_inline);
  Encode.specialise state.request Default_specialise;
  byte Local.default;
  bool false;
  bool (List.exists is_default vars);
  bool false;
  location state []

(* Symbols, of which nothing is known here: the importing unit knows what they are. *)
let write_symbols w (symbols : Imports.t) =
  let write id = Imports.write_name w ~name:(Ident.name id) ~symbol:(Ident.name id) ~is_predef:false in
  Byte_writer.list w write (List.rev symbols.idents)

let options : Encode.options =
  {
    verify = false;
    fuel = None;
    dumps = [];
    profile = false;
    exported_fields = 0;
    settings = [];
    keeps_part = false;
    bytecode = false;
  }

type translated = {
  request : string;
  calls : string list;  (** The labels of the functions that it calls. *)
}

let translate vars body =
  let state = { request = Encode.create None; mutables = Ident.Tbl.create 4; last_label = 0; called = [] } in
  match function_ state vars body with
  | exception Not_translated -> None
  | () ->
      let request, _ = Encode.assemble state.request options ~module_size:0 ~write_imports:write_symbols in
      Some { request; calls = state.called }

let translations = Hashtbl.create 16

(* Each once: a function is looked at for itself, and for each that may come to call it. What is not at hand yet may be
   later, when another [.cmx] file has been read. *)
let translated label =
  match Hashtbl.find Imports.stock_bodies label with
  | exception Not_found -> None
  | vars, body -> (
      match Hashtbl.find_opt translations label with
      | Some translation -> translation
      | None ->
          let translation = translate vars body in
          Hashtbl.add translations label translation;
          translation)

(* Whether a function that calls these comes to call itself, as far as bodies are at hand. The stock compiler inlines no
   call in what it inlines; we do. *)
let is_recursive label calls =
  let seen = Hashtbl.create 4 in
  let rec reaches = function
    | [] -> false
    | called :: _ when String.equal called label -> true
    | called :: rest when Hashtbl.mem seen called -> reaches rest
    | called :: rest -> (
        Hashtbl.add seen called ();
        match translated called with None -> reaches rest | Some { calls; _ } -> reaches (calls @ rest))
  in
  reaches calls

(** The function with that label, as an imported unit that exports nothing else; empty if no imported unit says what
    it does. *)
let defining symbol =
  let label = Byte_reader.name_of_text symbol in
  match translated label with
  | None -> ""
  | Some { request; calls } ->
      let payload = Byte_writer.create () in
      Byte_writer.raw payload magic;
      Byte_writer.bool payload (is_recursive label calls);
      Byte_writer.raw payload request;
      let w = Byte_writer.create () in
      Byte_writer.name w label;
      Byte_writer.name w label;
      Byte_writer.bool w false;
      Approximation.write w Value_unknown;
      Byte_writer.option w (Byte_writer.string w) (Some (Byte_writer.contents payload));
      Byte_writer.contents w
