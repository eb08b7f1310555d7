(** What a stock [.cmx] promises to other units.

    Code that the stock compiler made from a unit's [.cmx] refers to labels of the unit's object: those of functions
    that it calls directly, and those of constants that it uses or inlined. An object of ours can take the place of
    the stock one, under the same [.cmx] and so with the same digest, if it defines all of them. Functions bear the
    stock compiler's labels anyway (anonymous ones are matched by their place in the module block, in
    [crates/convert]; those that take default arguments as they are, by what calls them: [inner_stamps]). A
    function that is called with its closure can be reached through the closure whatever its code is, and one that
    is not, through the field of the module block that holds it. Constants are defined a second time, under the
    promised label. *)

open Clambda
module Labels = Misc.Stdlib.String.Set
module Table = Misc.Stdlib.String.Map

(** How a promised function can be reached if its label is not ours. *)
type way =
  | Closure  (** Through the closure that it is called with. *)
  | Field of int list  (** Through the module block: the field there, and those of blocks in it. *)
  | Nowhere

(** A promised function: how many arguments its code gets, with the closure if it gets that, and the way to it. *)
type code = { args : int; way : way }

type t = {
  mutable code : code Table.t;
  mutable constants : ustructured_constant Table.t;
  mutable unknown : Labels.t;  (** Constants of which the [.cmx] does not tell the contents. *)
}

exception Broken of string

let is_own = Compilenv.symbol_in_current_unit

let add_code promises label code =
  let is_better = match Table.find_opt label promises.code with None -> true | Some known -> known.way = Nowhere in
  if is_own label && is_better then promises.code <- Table.add label code promises.code

let add_called promises label ~args = add_code promises label { args; way = Nowhere }

(* [place] is where in the module block the closure stands, if it stands there. *)
let add_described promises place { fun_label; fun_arity; fun_closed; _ } =
  let args = abs fun_arity in
  let is_tupled = fun_arity < 0 in
  add_code promises fun_label
    (match place with
    | _ when is_tupled -> { args = (if fun_closed then args else args + 1); way = Nowhere }
    | _ when not fun_closed -> { args = args + 1; way = Closure }
    | Some fields -> { args; way = Field (List.rev fields) }
    | None -> { args; way = Nowhere })

let add_unknown promises label =
  if is_own label then promises.unknown <- Labels.add label promises.unknown

let add_function promises f = add_called promises f.label ~args:(List.length f.params)

let rec constant promises = function
  | Uconst_int _ -> ()
  | Uconst_ref (label, _) when not (is_own label) -> ()
  | Uconst_ref (label, None) -> add_unknown promises label
  | Uconst_ref (label, Some contents) ->
      if not (Table.mem label promises.constants) then begin
        promises.constants <- Table.add label contents promises.constants;
        structured promises contents
      end

and structured promises = function
  | Uconst_block (_, fields) -> List.iter (constant promises) fields
  | Uconst_closure (functions, _, values) ->
      List.iter (add_function promises) functions;
      List.iter (constant promises) values
  | Uconst_float _ | Uconst_int32 _ | Uconst_int64 _ | Uconst_nativeint _ | Uconst_float_array _
  | Uconst_string _ ->
      ()

(* The body of a function that stock code may inline. *)
let rec body promises lambda =
  let one = body promises and all = List.iter (body promises) in
  match lambda with
  | Uvar _ | Uunreachable -> ()
  | Uconst c -> constant promises c
  | Udirect_apply (label, args, _) -> add_called promises label ~args:(List.length args); all args
  | Ugeneric_apply (f, args, _) -> one f; all args
  | Uclosure (functions, values) ->
      List.iter (fun f -> add_function promises f; one f.body) functions;
      all values
  | Uoffset (e, _) | Uassign (_, e) | Uphantom_let (_, _, e) -> one e
  | Ulet (_, _, _, a, b)
  | Ucatch (_, _, a, b)
  | Utrywith (a, _, b)
  | Usequence (a, b)
  | Uwhile (a, b) ->
      one a; one b
  | Uletrec (bindings, e) -> List.iter (fun (_, e) -> one e) bindings; one e
  | Uprim (prim, args, _) ->
      (match prim with Pread_symbol label -> add_unknown promises label | _ -> ());
      all args
  | Uswitch (e, switch, _) ->
      one e;
      Array.iter one switch.us_actions_consts;
      Array.iter one switch.us_actions_blocks
  | Ustringswitch (e, arms, default) ->
      one e;
      List.iter (fun (_, arm) -> one arm) arms;
      Option.iter one default
  | Ustaticfail (_, args) -> all args
  | Uifthenelse (a, b, c) | Ufor (_, a, b, _, c) -> one a; one b; one c
  | Usend (_, a, b, args, _) -> one a; one b; all args

(* [place]: as in [add_described]; nothing below the result of a function has one. *)
let rec approximation promises place = function
  | Value_unknown | Value_global_field _ -> ()
  | Value_const c -> constant promises c
  | Value_tuple fields ->
      Array.iteri (fun field -> approximation promises (Option.map (List.cons field) place)) fields
  | Value_closure (description, result) ->
      add_described promises place description;
      Option.iter (fun (_, inlined) -> body promises inlined) description.fun_inline;
      approximation promises None result

(** The approximation in a stock [.cmx]. *)
let approximation_of file =
  match (fst (Compilenv.read_unit_info file)).ui_export_info with
  | Clambda approx -> approx
  | Flambda _ -> Value_unknown

let none () = { code = Table.empty; constants = Table.empty; unknown = Labels.empty }

(** What the stock description in [file] of the current unit promises. *)
let of_file file =
  let promises = none () in
  approximation promises (Some []) (approximation_of file);
  promises

(* Adds the functions that inlined bodies of [approximation] call, each under the caller's label. *)
let rec add_callees callees = function
  | Value_unknown | Value_global_field _ | Value_const _ -> callees
  | Value_tuple fields -> Array.fold_left add_callees callees fields
  | Value_closure (description, result) ->
      let promises = none () in
      Option.iter (fun (_, inlined) -> body promises inlined) description.fun_inline;
      let called = List.map fst (Table.bindings promises.code) in
      add_callees (Table.add description.fun_label called callees) result

(** Stamps of what stubs of default arguments call, by the stub's label: the stock compiler makes those functions in
    its middle-end, so that nothing else tells. *)
let inner_stamps approximation =
  let stamp_of stub label =
    let base = String.sub stub 0 (String.rindex stub '_') ^ "_inner_" in
    let length = String.length base in
    if String.starts_with ~prefix:base label then
      int_of_string_opt (String.sub label length (String.length label - length))
    else None
  in
  Table.filter_map (fun stub -> List.find_map (stamp_of stub)) (add_callees Table.empty approximation)

let data_item label contents : Cmm.phrase =
  let symbol = (label, Cmmgen_state.Global) in
  let field c rest =
    match c with Uconst_int n -> Cmm_helpers.cint_const n :: rest | Uconst_ref (l, _) -> Csymbol_address l :: rest
  in
  Cdata
    (match contents with
    | Uconst_float x -> Cmm_helpers.emit_float_constant symbol x []
    | Uconst_int32 n -> Cmm_helpers.emit_int32_constant symbol n []
    | Uconst_int64 n -> Cmm_helpers.emit_int64_constant symbol n []
    | Uconst_nativeint n -> Cmm_helpers.emit_nativeint_constant symbol n []
    | Uconst_string s -> Cmm_helpers.emit_string_constant symbol s []
    | Uconst_float_array elements -> Cmm_helpers.emit_float_array_constant symbol elements []
    | Uconst_block (tag, fields) ->
        let header = Cmm_helpers.block_header tag (List.length fields) in
        Cmm_helpers.emit_block symbol header (List.fold_right field fields [])
    | Uconst_closure _ -> raise (Broken label))

(* A function under a promised label that calls what another place says is the function. *)
let detour label { args; way } : Cmm.phrase =
  let params = List.init args (fun _ -> Backend_var.create_local "arg") in
  let var v = Cmm.Cvar v in
  let func, actual =
    match (way, List.rev_map var params) with
    | Closure, closure :: (_ :: _ as actual) -> (closure, List.rev actual)
    | Field fields, (_ :: _ as actual) ->
        let load block field = Cmm_helpers.get_field_gen Mutable block field Debuginfo.none in
        let block = Cmm.Cconst_symbol (Compilenv.make_symbol None, Debuginfo.none) in
        (List.fold_left load block fields, List.rev actual)
    | (Closure | Field _ | Nowhere), _ -> raise (Broken label)
  in
  let body = Cmm_helpers.generic_apply Mutable func actual Debuginfo.none in
  let params = List.map (fun v -> (Backend_var.With_provenance.create v, Cmm.typ_val)) params in
  Compat.function_ ~name:label ~params ~body ~dbg:Debuginfo.none ~entry:false

(* How many arguments each function gets. *)
let defined_code phrases =
  List.fold_left
    (fun args phrase ->
      match phrase with Cmm.Cfunction f -> Table.add f.fun_name (List.length f.fun_args) args | Cdata _ -> args)
    Table.empty phrases

let defined_data phrases =
  List.fold_left
    (fun labels phrase ->
      match phrase with
      | Cmm.Cfunction _ -> labels
      | Cdata items ->
          List.fold_left
            (fun labels item -> match item with Cmm.Cdefine_symbol s -> Labels.add s labels | _ -> labels)
            labels items)
    Labels.empty phrases

(** The phrases of the current unit with what is missing to keep the promises of the stock [.cmx] [file].
    @raise Broken with a label that can't be defined. *)
let keep ~file phrases =
  let promises = of_file file in
  let code = defined_code phrases and data = defined_data phrases in
  Option.iter (fun label -> raise (Broken label)) (Labels.choose_opt (Labels.diff promises.unknown data));
  let stubs =
    Table.fold
      (fun label promise stubs ->
        match Table.find_opt label code with
        | None -> detour label promise :: stubs
        (* Or one less: a function that has no use for its closure does not take it. *)
        | Some args when args <= promise.args -> stubs
        | Some _ -> raise (Broken label))
      promises.code []
  in
  let add label contents phrases =
    if Labels.mem label data then
      (* The label would be ours with other contents. *)
      raise (Broken label)
    else data_item label contents :: phrases
  in
  Table.fold add promises.constants [] @ phrases @ stubs
