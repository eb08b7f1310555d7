(** What a stock [.cmx] promises to other units.

    Code that the stock compiler made from a unit's [.cmx] refers to labels of the unit's object: those of functions
    that it calls directly, and those of constants that it uses or inlined. An object of ours can take the place of
    the stock one, under the same [.cmx] and so with the same digest, if it defines all of them. Functions bear the
    stock compiler's labels anyway (anonymous ones are matched by their place in the module block, in
    [crates/convert]); a function that is called with its closure can be reached through the closure whatever its
    code is; constants are defined a second time, under the promised label. *)

open Clambda
module Labels = Misc.Stdlib.String.Set
module Table = Misc.Stdlib.String.Map

type t = {
  mutable code : function_description option Table.t;
      (** Without description: called from code that may be inlined. *)
  mutable constants : ustructured_constant Table.t;
  mutable unknown : Labels.t;  (** Constants of which the [.cmx] does not tell the contents. *)
}

exception Broken of string

let is_own = Compilenv.symbol_in_current_unit

let add_code ?description promises label =
  if is_own label && not (Option.is_some description = false && Table.mem label promises.code) then
    promises.code <- Table.add label description promises.code

let add_unknown promises label =
  if is_own label then promises.unknown <- Labels.add label promises.unknown

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
      List.iter (fun f -> add_code promises f.label) functions;
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
  | Udirect_apply (label, args, _) -> add_code promises label; all args
  | Ugeneric_apply (f, args, _) -> one f; all args
  | Uclosure (functions, values) ->
      List.iter (fun f -> add_code promises f.label; one f.body) functions;
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

let rec approximation promises = function
  | Value_unknown | Value_global_field _ -> ()
  | Value_const c -> constant promises c
  | Value_tuple fields -> Array.iter (approximation promises) fields
  | Value_closure (description, result) ->
      add_code ~description promises description.fun_label;
      Option.iter (fun (_, inlined) -> body promises inlined) description.fun_inline;
      approximation promises result

(** The approximation in a stock [.cmx]. *)
let approximation_of file =
  match (fst (Compilenv.read_unit_info file)).ui_export_info with
  | Clambda approx -> approx
  | Flambda _ -> Value_unknown

(** What the stock description of the current unit promises. *)
let of_description (info : Cmx_format.unit_infos) =
  let promises = { code = Table.empty; constants = Table.empty; unknown = Labels.empty } in
  (match info.ui_export_info with Clambda approx -> approximation promises approx | Flambda _ -> ());
  promises

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

(* A function that is called with its closure: what the closure says is its code. *)
let through_closure label description : Cmm.phrase =
  match description with
  | Some { fun_arity; fun_closed = false; _ } when fun_arity > 0 ->
      let arguments = List.init fun_arity (fun _ -> Backend_var.create_local "arg") in
      let closure = Backend_var.create_local "closure" in
      let param var = (Backend_var.With_provenance.create var, Cmm.typ_val) in
      let var v = Cmm.Cvar v in
      let body = Cmm_helpers.generic_apply Mutable (var closure) (List.map var arguments) Debuginfo.none in
      let params = List.map param (arguments @ [ closure ]) in
      Compat.function_ ~name:label ~params ~body ~dbg:Debuginfo.none ~entry:false
  | _ -> raise (Broken label)

let defined_code phrases =
  List.fold_left
    (fun labels phrase ->
      match phrase with Cmm.Cfunction f -> Labels.add f.fun_name labels | Cdata _ -> labels)
    Labels.empty phrases

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
  let info, _ = Compilenv.read_unit_info file in
  let promises = of_description info in
  let code = defined_code phrases and data = defined_data phrases in
  Option.iter (fun label -> raise (Broken label)) (Labels.choose_opt (Labels.diff promises.unknown data));
  let stubs =
    Table.fold
      (fun label description stubs ->
        if Labels.mem label code then stubs else through_closure label description :: stubs)
      promises.code []
  in
  let add label contents phrases =
    if Labels.mem label data then
      (* The label would be ours with other contents. *)
      raise (Broken label)
    else data_item label contents :: phrases
  in
  Table.fold add promises.constants [] @ phrases @ stubs
