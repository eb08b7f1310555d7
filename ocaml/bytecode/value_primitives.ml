(** The primitives of the IR as those of Lambda, where all that there is is values: crates/cmm/src/encode.rs writes
    them. *)

open Lambda
module Reader = Byte_reader

let int n = Lconst (Const_base (Const_int n))
let unit = Lconst const_unit

let c_call name args =
  let arity = List.length args in
  (Pccall (Primitive.simple ~name ~arity ~alloc:true), args)

let mutable_flag is_mutable : Asttypes.mutable_flag = if is_mutable then Mutable else Immutable
let pointer is_pointer = if is_pointer then Pointer else Immediate

let initialization r =
  match Cmm_codes.initialization r with
  | Assignment -> Assignment
  | Heap -> Heap_initialization
  | Root -> Root_initialization

let array_kind r =
  match Cmm_codes.array_kind r with
  | Generic -> Pgenarray
  | Addr -> Paddrarray
  | Int -> Pintarray
  | Float -> Pfloatarray

let boxed_integer : Cmm_codes.int_kind -> boxed_integer option = function
  | Tagged | Naked -> None
  | Int32 -> Some Pint32
  | Int64 -> Some Pint64
  | Nativeint -> Some Pnativeint

let int_kind r = boxed_integer (Cmm_codes.int_kind r)

let int_arith r =
  let op = Cmm_codes.int_op r in
  match (op, int_kind r) with
  | Add, None -> Paddint
  | Sub, None -> Psubint
  | Mul, None -> Pmulint
  | And, None -> Pandint
  | Or, None -> Porint
  | Xor, None -> Pxorint
  | Add, Some kind -> Paddbint kind
  | Sub, Some kind -> Psubbint kind
  | Mul, Some kind -> Pmulbint kind
  | And, Some kind -> Pandbint kind
  | Or, Some kind -> Porbint kind
  | Xor, Some kind -> Pxorbint kind

let int_shift r =
  let op = Cmm_codes.shift_op r in
  match (op, int_kind r) with
  | Lsl, None -> Plslint
  | Lsr, None -> Plsrint
  | Asr, None -> Pasrint
  | Lsl, Some kind -> Plslbint kind
  | Lsr, Some kind -> Plsrbint kind
  | Asr, Some kind -> Pasrbint kind

let comparison : Cmm_codes.int_comparison -> integer_comparison option = function
  | Eq -> Some Ceq
  | Ne -> Some Cne
  | Lt -> Some Clt
  | Le -> Some Cle
  | Gt -> Some Cgt
  | Ge -> Some Cge
  | Unsigned_lt -> None

let int_compare r =
  let op = comparison (Cmm_codes.int_comparison r) in
  match (op, int_kind r) with
  | Some op, None -> Pintcomp op
  | Some op, Some kind -> Pbintcomp (kind, op)
  | None, None -> Pisout
  | None, Some _ -> Reader.malformed r "boxed integers are not compared unsigned"

let float_arith r : primitive =
  match Cmm_codes.float_op r with Add -> Paddfloat | Sub -> Psubfloat | Mul -> Pmulfloat | Div -> Pdivfloat

type number = Int | Float | Boxed of boxed_integer

let number r =
  match Cmm_codes.kind r with
  | Value | Naked_immediate -> Int
  | Naked_float -> Float
  | Naked_int32 -> Boxed Pint32
  | Naked_int64 -> Boxed Pint64
  | Naked_nativeint -> Boxed Pnativeint

let name_of_boxed = function Pint32 -> "int32" | Pint64 -> "int64" | Pnativeint -> "nativeint"

let convert r args =
  let from = number r in
  let to_ = number r in
  match (from, to_) with
  | Int, Int | Float, Float -> (Popaque, args)
  | Int, Float -> (Pfloatofint, args)
  | Float, Int -> (Pintoffloat, args)
  | Int, Boxed kind -> (Pbintofint kind, args)
  | Boxed kind, Int -> (Pintofbint kind, args)
  | Boxed a, Boxed b when a = b -> (Popaque, args)
  | Boxed a, Boxed b -> (Pcvtbint (a, b), args)
  | Float, Boxed kind -> c_call (Printf.sprintf "caml_%s_of_float" (name_of_boxed kind)) args
  | Boxed kind, Float -> c_call (Printf.sprintf "caml_%s_to_float" (name_of_boxed kind)) args

let string_load r ~checked =
  let string = Cmm_codes.string_kind r in
  match (string, Cmm_codes.width r) with
  | String, W8 -> if checked then Pstringrefs else Pstringrefu
  | Bytes, W8 -> if checked then Pbytesrefs else Pbytesrefu
  | String, W16 -> Pstring_load_16 false
  | String, W32 -> Pstring_load_32 false
  | String, W64 -> Pstring_load_64 false
  | Bytes, W16 -> Pbytes_load_16 false
  | Bytes, W32 -> Pbytes_load_32 false
  | Bytes, W64 -> Pbytes_load_64 false
  | Bigstring, W16 -> Pbigstring_load_16 false
  | Bigstring, W32 -> Pbigstring_load_32 false
  | Bigstring, W64 -> Pbigstring_load_64 false
  | Bigstring, W8 -> Reader.malformed r "no byte of a bigarray is loaded"

let string_store r ~checked =
  let string = Cmm_codes.string_kind r in
  match (string, Cmm_codes.width r) with
  | Bytes, W8 -> if checked then Pbytessets else Pbytessetu
  | Bytes, W16 -> Pbytes_set_16 false
  | Bytes, W32 -> Pbytes_set_32 false
  | Bytes, W64 -> Pbytes_set_64 false
  | Bigstring, W16 -> Pbigstring_set_16 false
  | Bigstring, W32 -> Pbigstring_set_32 false
  | Bigstring, W64 -> Pbigstring_set_64 false
  | Bigstring, W8 | String, _ -> Reader.malformed r "no such store"

(* The operations that native code does itself, by the names of {!Intrinsics}. *)
let name_of_c_function ~arity name =
  match name with
  | "%atomic_load" | "%atomic_load_immediate" -> if arity = 2 then "caml_atomic_load_field" else "caml_atomic_load"
  | "%dls_get" -> "caml_domain_dls_get"
  | "%poll" -> "caml_process_pending_actions_with_root"
  | name -> name

let c_function r args =
  let name = Reader.name r in
  ignore (Reader.list r Cmm_codes.native_repr : Cmm_codes.native_repr list);
  ignore (Cmm_codes.native_repr r : Cmm_codes.native_repr);
  ignore (Reader.bool r : bool);
  ignore (Reader.bool r : bool);
  c_call (name_of_c_function ~arity:(List.length args) name) args

(* {1 Checks} *)

let raise_predefined ~event name args =
  let id = List.find (fun id -> Ident.name id = name) Predef.all_predef_exns in
  let exn =
    match args with
    | [] -> Lprim (Pgetglobal id, [], Loc_unknown)
    | args -> Lprim (Pmakeblock (0, Immutable, None), Lprim (Pgetglobal id, [], Loc_unknown) :: args, Loc_unknown)
  in
  Lprim (Praise Raise_regular, [ event exn ], Loc_unknown)

let out_of_bounds ~event =
  raise_predefined ~event "Invalid_argument"
    [ Lconst (Const_base (Const_string ("index out of bounds", Location.none, None))) ]

(* [index] and the [width - 1] after it are below [length]. *)
let check_bound ~event ~width length index =
  let prim p args = Lprim (p, args, Loc_unknown) in
  let inside =
    if width = 1 then prim Pisout [ index; length ]
    else prim Pisout [ index; prim (Poffsetint (1 - width)) [ length ] ]
  in
  (* A length that is less than the width has no index. *)
  let inside =
    if width = 1 then inside else prim Psequand [ prim (Pintcomp Cge) [ length; int width ]; inside ]
  in
  Lifthenelse (inside, unit, out_of_bounds ~event)

let check_zero ~event kind divisor =
  let is_zero =
    match kind with
    | None -> Lprim (Pintcomp Ceq, [ divisor; int 0 ], Loc_unknown)
    | Some kind ->
        let zero =
          match kind with
          | Pint32 -> Asttypes.Const_int32 0l
          | Pint64 -> Const_int64 0L
          | Pnativeint -> Const_nativeint 0n
        in
        Lprim (Pbintcomp (kind, Ceq), [ divisor; Lconst (Const_base zero) ], Loc_unknown)
  in
  Lifthenelse (is_zero, raise_predefined ~event "Division_by_zero" [], unit)

(* {1 All} *)

(* With [args] as variables, so that they can be used twice. *)
let with_variables args f =
  let name arg =
    match arg with
    | Lvar _ | Lmutvar _ | Lconst _ -> (None, arg)
    | arg ->
        let id = Ident.create_local "operand" in
        (Some (id, arg), Lvar id)
  in
  let named = List.map name args in
  let body = f (List.map snd named) in
  List.fold_left
    (fun body (binding, _) ->
      match binding with None -> body | Some (id, def) -> Llet (Strict, Pgenval, id, def, body))
    body named

(** Whether a primitive of Lambda may raise, so that backtraces are to show where it is. *)
let may_raise = function
  | Pccall _ | Pdivint _ | Pmodint _ | Pdivbint _ | Pmodbint _ -> true
  | Pstringrefs | Pbytesrefs | Pbytessets | Parrayrefs _ | Parraysets _ -> true
  | _ -> false

(** Reads a primitive and applies it. [event] says where in the source a term is. *)
let apply r ~checked ~loc ~event args =
  let prim (p, args) =
    let term = Lprim (p, args, loc) in
    if may_raise p then event term else term
  in
  let simple p = prim (p, args) in
  match Cmm_codes.primitive r with
  | Make_block ->
      let tag = Reader.byte r in
      simple (Pmakeblock (tag, Mutable, None))
  | Make_float_block -> simple (Pmakearray (Pfloatarray, Mutable))
  | Block_load ->
      let field = Reader.u r in
      let mutable_ = match Cmm_codes.mutability r with Immutable -> false | Mutable -> true in
      simple (Lambda_build.field field ~mutable_)
  | Block_load_float -> simple (Pfloatfield (Reader.u r))
  | Block_store ->
      let field = Reader.u r in
      let pointer = pointer (Reader.bool r) in
      simple (Psetfield (field, pointer, initialization r))
  | Block_store_float ->
      let field = Reader.u r in
      simple (Psetfloatfield (field, initialization r))
  | Block_load_computed -> simple Pfield_computed
  | Block_store_computed ->
      let pointer = pointer (Reader.bool r) in
      simple (Psetfield_computed (pointer, initialization r))
  | Duplicate -> prim (c_call "caml_obj_dup" args)
  | Offset_ref -> simple (Poffsetref (Reader.i r))
  | Is_int -> simple Pisint
  | Get_tag -> prim (c_call "caml_obj_tag" args)
  | Phys_equal -> simple (Pintcomp (if Reader.bool r then Cne else Ceq))
  | Make_array -> simple (Pmakearray (array_kind r, Mutable))
  | Array_length -> simple (Parraylength (array_kind r))
  | Array_load ->
      let kind = array_kind r in
      simple (if checked then Parrayrefs kind else Parrayrefu kind)
  | Array_store ->
      let kind = array_kind r in
      simple (if checked then Parraysets kind else Parraysetu kind)
  | Check_bound -> (
      let width = Reader.u r in
      with_variables args
      @@ function
      | [ length; index ] -> check_bound ~event ~width length index
      | _ -> Reader.malformed r "a check of bounds has two operands")
  | Make_bytes ->
      let _words = Reader.u r in
      simple (Pccall (Primitive.simple ~name:"caml_create_bytes" ~arity:1 ~alloc:true))
  | String_length -> simple Pstringlength
  | String_load -> simple (string_load r ~checked)
  | String_store -> simple (string_store r ~checked)
  | Bigarray_dim -> simple (Pbigarraydim (Reader.u r + 1))
  | Int_arith -> simple (int_arith r)
  | Int_shift -> simple (int_shift r)
  | Int_div -> (
      match int_kind r with
      | None -> simple (Pdivint (if checked then Safe else Unsafe))
      | Some size -> simple (Pdivbint { size; is_safe = Safe }))
  | Int_mod -> (
      match int_kind r with
      | None -> simple (Pmodint (if checked then Safe else Unsafe))
      | Some size -> simple (Pmodbint { size; is_safe = Safe }))
  | Check_zero -> (
      let kind = int_kind r in
      match args with
      | [ divisor ] -> check_zero ~event kind divisor
      | _ -> Reader.malformed r "a check of a divisor has one operand")
  | Int_compare -> simple (int_compare r)
  | Int_compare3 -> (
      match int_kind r with None -> simple Pcompare_ints | Some kind -> simple (Pcompare_bints kind))
  | Byte_swap -> (
      match int_kind r with
      | Some kind -> simple (Pbbswap kind)
      | None -> Reader.malformed r "the bytes of an immediate are not swapped")
  | Byte_swap16 -> simple Pbswap16
  | Float_arith -> simple (float_arith r)
  | Float_neg -> simple Pnegfloat
  | Float_abs -> simple Pabsfloat
  | Float_compare -> simple (Pfloatcomp (Expand.float_comparison r))
  | Float_compare3 -> simple Pcompare_floats
  | Num_conv -> prim (convert r args)
  | Opaque -> simple Popaque
  | Int_as_pointer -> simple Pint_as_pointer
  | C_call -> prim (c_function r args)
  | Is_instance -> (
      let field block = Lprim (Lambda_build.field 0 ~mutable_:false, [ block ], loc) in
      match args with
      | [ obj; block ] -> Lprim (Pintcomp Ceq, [ field obj; field block ], loc)
      | _ -> Reader.malformed r "two operands are compared")
  | Make_naked_block | Naked_load | Naked_store | Array_load_bits | Array_store_bits | Store_result | Load_result
  | Bigarray_load | Bigarray_store | Pop_count | Profile_count ->
      Reader.malformed r "a primitive of native code"
  | Tag | Untag | Box | Rebox | Unbox -> Reader.malformed r "a primitive that changes the representation"
  | Project_value_slot | Project_function_slot | Is_closure_of | Alloc_dummy_closure | Exn_state ->
      Reader.malformed r "a primitive that is no operation"
