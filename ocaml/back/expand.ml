(** The primitives of the IR in Cmm: what each means is said in crates/ir/src/prim, its data in
    crates/cmm/src/encode.rs.

    A primitive that is for its effect alone gives Cmm of no result. *)

open Cmm
open Cmm_helpers
module Reader = Byte_reader

(* {1 Data of primitives} *)

let mutability r : Asttypes.mutable_flag =
  match Cmm_codes.mutability r with Immutable -> Immutable | Mutable -> Mutable

let initialization r =
  match Cmm_codes.initialization r with
  | Assignment -> Lambda.Assignment
  | Heap -> Lambda.Heap_initialization
  | Root -> Lambda.Root_initialization

let pointer r = if Reader.bool r then Lambda.Pointer else Lambda.Immediate

let array_kind r =
  match Cmm_codes.array_kind r with
  | Generic -> Lambda.Pgenarray
  | Addr -> Lambda.Paddrarray
  | Int -> Lambda.Pintarray
  | Float -> Lambda.Pfloatarray

type width = Eight | Wider of Clambda_primitives.memory_access_size

let width r =
  match Cmm_codes.width r with
  | W8 -> Eight
  | W16 -> Wider Sixteen
  | W32 -> Wider Thirty_two
  | W64 -> Wider Sixty_four

let bigarray_kind r =
  match Cmm_codes.bigarray_kind r with
  | Float32 -> Lambda.Pbigarray_float32
  | Float64 -> Pbigarray_float64
  | Sint8 -> Pbigarray_sint8
  | Uint8 -> Pbigarray_uint8
  | Sint16 -> Pbigarray_sint16
  | Uint16 -> Pbigarray_uint16
  | Int32 -> Pbigarray_int32
  | Int64 -> Pbigarray_int64
  | Caml_int -> Pbigarray_caml_int
  | Native_int -> Pbigarray_native_int
  | Complex32 -> Pbigarray_complex32
  | Complex64 -> Pbigarray_complex64

let int_comparison r =
  match Cmm_codes.int_comparison r with
  | Eq -> Ccmpi Ceq
  | Ne -> Ccmpi Cne
  | Lt -> Ccmpi Clt
  | Le -> Ccmpi Cle
  | Gt -> Ccmpi Cgt
  | Ge -> Ccmpi Cge
  | Unsigned_lt -> Ccmpa Clt

let float_op r =
  match Cmm_codes.float_op r with Add -> Caddf | Sub -> Csubf | Mul -> Cmulf | Div -> Cdivf

let float_comparison r =
  match Cmm_codes.float_comparison r with
  | Eq -> CFeq
  | Ne -> CFneq
  | Lt -> CFlt
  | Not_lt -> CFnlt
  | Gt -> CFgt
  | Not_gt -> CFngt
  | Le -> CFle
  | Not_le -> CFnle
  | Ge -> CFge
  | Not_ge -> CFnge

(* {1 Helpers} *)

(* The stock helpers give [()] after an effect: only the effect is wanted. *)
let for_effect = function
  | Csequence (e, Cconst_int (1, _)) -> e
  | e -> remove_unit e

let is_trivial = function
  | Cvar _ | Cconst_int _ | Cconst_natint _ | Cconst_float _ | Cconst_symbol _ -> true
  | _ -> false

(* Blocks too large for the minor heap are filled field by field, from the left, after their allocation:
   operands are evaluated before, from the right, as for all others. *)
let in_order_of_small_blocks ~words args allocate =
  if words <= Config.max_young_wosize then allocate args
  else
    let rec bind_all bound = function
      | [] -> allocate bound
      | arg :: rest when is_trivial arg -> bind_all (arg :: bound) rest
      | arg :: rest -> bind "field" arg (fun arg -> bind_all (arg :: bound) rest)
    in
    bind_all [] (List.rev args)

let make_block dbg tag args =
  in_order_of_small_blocks ~words:(List.length args) args (make_alloc dbg tag)

let make_float_block dbg args =
  let words = List.length args * Arch.size_float / Arch.size_addr in
  in_order_of_small_blocks ~words args (make_float_alloc dbg Obj.double_array_tag)

(* The tag of flat arrays: the collector does not look into them. *)
let make_naked_block dbg fields =
  make_alloc dbg Obj.double_array_tag (List.init fields (fun _ -> Cconst_int (0, dbg)))

(* The last byte of a string is how many bytes its last word has beyond it. *)
let make_bytes dbg ~words length =
  let last_byte = (words * Arch.size_addr) - 1 in
  let beyond = sub_int (Cconst_int (last_byte, dbg)) (untag_int length dbg) dbg in
  let last_word = if Arch.big_endian then beyond else lsl_int beyond (Cconst_int ((Arch.size_addr - 1) * 8, dbg)) dbg in
  let before = List.init (words - 1) (fun _ -> Cconst_int (0, dbg)) in
  make_alloc dbg Obj.string_tag (before @ [ last_word ])

let make_array dbg (kind : Lambda.array_kind) args =
  match kind with
  | Pgenarray ->
      Cmm_build.extcall ~name:Runtime_names.make_array ~result:typ_val ~args_types:[] ~alloc:true
        [ make_block dbg 0 args ] dbg
  | Paddrarray | Pintarray -> make_block dbg 0 args
  | Pfloatarray -> make_float_block dbg args

let array_load dbg (kind : Lambda.array_kind) arr index =
  match kind with
  | Pfloatarray -> unboxed_float_array_ref arr index dbg
  | Pgenarray | Paddrarray | Pintarray -> arrayref_unsafe kind arr index dbg

(* Of an element of an array of floats. [index] is tagged. *)
let float_address arr index dbg = array_indexing (Misc.log2 Arch.size_float) arr index dbg

(* [length] and [index] are tagged. *)
let check_bound_one dbg length index =
  match length with
  | Cop (Cor, [ length; Cconst_int (1, _) ], _) ->
      (* The index being odd, the lowest bit of the length makes no difference. *)
      make_checkbound dbg [ length; index ]
  | Cop (Caddi, [ Cop (Clsl, [ untagged; Cconst_int (1, _) ], _); Cconst_int (1, _) ], _) -> (
      match (untagged, index) with
      (* To tag a dimension that was loaded is one instruction. The index is used after the check and would be
         copied to be untagged. *)
      | Cop (Cload _, _, _), Cvar _ -> make_checkbound dbg [ length; index ]
      | _ -> make_checkbound dbg [ untagged; untag_int index dbg ])
  | _ -> make_checkbound dbg [ length; index ]

let check_bound r dbg width length index =
  let wide size =
    check_bound Lambda.Safe size dbg (untag_int length dbg) (untag_int index dbg) (Ctuple [])
  in
  match width with
  | 1 -> check_bound_one dbg length index
  | 2 -> wide Sixteen
  | 4 -> wide Thirty_two
  | 8 -> wide Sixty_four
  | _ -> Cmm_codes.unknown r "width of access"

(* The address at which a string's or bigstring's bytes begin. *)
let with_bytes dbg string_kind str access =
  bind "str" str (fun str ->
      match (string_kind : Cmm_codes.string_kind) with
      | String | Bytes -> access str
      | Bigstring -> bind "data" (Cmm_build.load Word_int (field_address str 1 dbg) dbg) access)

let string_load dbg string_kind width str index =
  with_bytes dbg string_kind str (fun str ->
      match width with
      | Eight ->
          Cmm_build.load Byte_unsigned (add_int str (untag_int index dbg) dbg) dbg
      | Wider size -> (
          bind "index" (untag_int index dbg) (fun index ->
              let contents = unaligned_load size str index dbg in
              match size with
              | Thirty_two -> Numbers_cmm.wrap_int32 dbg contents
              | Sixteen | Sixty_four -> contents)))

let string_store dbg string_kind width str index contents =
  let stored = match width with Wider Thirty_two -> low_32 dbg contents | Eight | Wider _ -> contents in
  bind "contents" stored (fun contents ->
      with_bytes dbg string_kind str (fun str ->
          match width with
          | Eight -> Cmm_build.store Byte_unsigned (add_int str (untag_int index dbg) dbg) contents dbg
          | Wider size ->
              bind "index" (untag_int index dbg) (fun index -> unaligned_set size str index contents dbg)))

(* An address may have a register that it scales, but not a sum. *)
let with_offset offset access =
  match offset with
  | Cop (Caddi, [ (Cop (Caddi, _, _) as sum); (Cconst_int _ as n) ], dbg) ->
      bind "offset" sum (fun sum -> access (Cop (Caddi, [ sum; n ], dbg)))
  | Cop (Caddi, [ _; Cconst_int _ ], _) -> access offset
  | Cop (Caddi, _, _) -> bind "offset" offset access
  | _ -> access offset

(* Whatever the dimensions and the layout, the data are a row of elements.
   OCaml integers lie untagged in bigarrays, and C may have put more than 63 bits there. *)
let bigarray_load dbg kind arr offset =
  let element =
    with_offset offset (fun offset -> bigarray_get true kind Pbigarray_c_layout arr [ offset ] dbg)
  in
  match (kind : Lambda.bigarray_kind) with
  | Pbigarray_caml_int -> Numbers_cmm.wrap_immediate dbg element
  | _ -> element

let bigarray_store dbg kind arr offset element =
  let element = match (kind : Lambda.bigarray_kind) with Pbigarray_int32 -> low_32 dbg element | _ -> element in
  with_offset offset (fun offset -> bigarray_set true kind Pbigarray_c_layout arr [ offset ] element dbg)

(* The dimensions stand after operations, data, number of dimensions, flags and proxy. *)
let bigarray_dim dbg dim arr =
  tag_int (Cmm_build.load Word_int (field_address arr (5 + dim) dbg) dbg) dbg

(* What integer is in the box, if it is one. *)
let boxed_integer (kind : Cmm_codes.boxed_kind) =
  match kind with
  | Float -> None
  | Int32 -> Some Primitive.Pint32
  | Int64 -> Some Primitive.Pint64
  | Nativeint -> Some Primitive.Pnativeint

(* A naked int32 is sign-extended already, which [box_int_gen] does not know. *)
let box_integer dbg kind e =
  match box_int_gen dbg kind e with
  | Cop (allocation, [ header; operations; Cop (Casr, _, _) ], alloc_dbg) when kind = Primitive.Pint32 ->
      Cop (allocation, [ header; operations; e ], alloc_dbg)
  | boxed -> boxed

(* A number known now is static data. *)
let box statics dbg kind e =
  let static add contents =
    let symbol = Compilenv.new_const_symbol () in
    add statics (symbol, Cmmgen_state.Local) contents;
    Cconst_symbol (symbol, dbg)
  in
  let integer (kind : Primitive.boxed_integer) n =
    match kind with
    | Pint32 -> static Statics.int32 (Nativeint.to_int32 n)
    | Pint64 -> static Statics.int64 (Int64.of_nativeint n)
    | Pnativeint -> static Statics.nativeint n
  in
  match (boxed_integer kind, e) with
  | None, Cconst_float (x, _) -> static Statics.float x
  | None, _ -> box_float dbg e
  | Some kind, Cconst_int (n, _) -> integer kind (Nativeint.of_int n)
  | Some kind, Cconst_natint (n, _) -> integer kind n
  | Some kind, _ -> box_integer dbg kind e

(* The box of a number, if there is one already; otherwise [boxed] is an immediate. *)
let rebox dbg kind number boxed =
  bind "number" number (fun number ->
      bind "boxed" boxed (fun boxed ->
          let is_immediate = Cop (Cand, [ boxed; Cconst_int (1, dbg) ], dbg) in
          let fresh =
            match boxed_integer kind with
            | None -> box_float dbg number
            | Some kind -> box_integer dbg kind number
          in
          Cmm_build.if_then_else ~dbg is_immediate fresh boxed))

let unbox dbg kind e =
  match boxed_integer kind with
  | None -> unbox_float dbg e
  | Some kind -> unbox_int dbg kind e

let exttype : Cmm_codes.native_repr -> exttype = function
  | As_float -> XFloat
  | As_int32 -> XInt32
  | As_int64 -> XInt64
  | As_value | As_nativeint | As_untagged -> XInt

let result_type : Cmm_codes.native_repr -> machtype = function
  | As_value -> typ_val
  | As_float -> typ_float
  | As_int32 | As_int64 | As_nativeint | As_untagged -> typ_int

(* What C leaves in the high bits of a narrow result is arbitrary. *)
let clean_result dbg (repr : Cmm_codes.native_repr) e =
  match repr with
  | As_int32 -> Numbers_cmm.wrap_int32 dbg e
  | As_untagged -> Numbers_cmm.wrap_immediate dbg e
  | As_value | As_float | As_int64 | As_nativeint -> e

let c_call r dbg args =
  let name = Reader.name r in
  let reprs = Reader.list r Cmm_codes.native_repr in
  let result = Cmm_codes.native_repr r in
  let no_result = Reader.bool r in
  let alloc = Reader.bool r in
  let all_values = List.for_all (fun repr -> repr = Cmm_codes.As_value) reprs in
  let args_types = if all_values then [] else List.map exttype reprs in
  let call result = Cmm_build.extcall ~name ~result ~args_types ~alloc args dbg in
  match Intrinsics.apply ~name args dbg with
  | Some operation -> operation
  | None when no_result -> call typ_void
  | None -> clean_result dbg result (call (result_type result))

(** How a part of a result lies in its slot: as in a register. *)
let result_chunk (kind : Cmm_codes.kind) =
  match kind with
  | Value -> Word_val
  | Naked_float -> Double
  | Naked_immediate | Naked_int32 | Naked_int64 | Naked_nativeint -> Word_int

(** How a number lies in a block of naked numbers: a word each, as in a register. *)
let naked_chunk (kind : Cmm_codes.boxed_kind) =
  match kind with Float -> Double | Int32 | Int64 | Nativeint -> Word_int

(* {1 The table} *)

(** Reads a primitive and applies it to its operands. *)
let primitive statics r dbg args =
  let wrong_operands () =
    Reader.malformed r (Printf.sprintf "the primitive does not take %d operands" (List.length args))
  in
  let nullary_or_more f = f args in
  let unary f = match args with [ a ] -> f a | _ -> wrong_operands () in
  let binary f = match args with [ a; b ] -> f a b | _ -> wrong_operands () in
  let ternary f = match args with [ a; b; c ] -> f a b c | _ -> wrong_operands () in
  match Cmm_codes.primitive r with
  (* Blocks *)
  | Make_block ->
      let tag = Reader.byte r in
      nullary_or_more (make_block dbg tag)
  | Make_float_block -> nullary_or_more (make_float_block dbg)
  | Block_load ->
      let field = Reader.u r in
      let mutability = mutability r in
      unary (fun block -> get_field_gen mutability block field dbg)
  | Block_load_float ->
      let field = Reader.u r in
      unary (fun block -> floatfield field block dbg)
  | Block_store ->
      let field = Reader.u r in
      let pointer = pointer r in
      let init = initialization r in
      binary (fun block value -> for_effect (setfield field pointer init block value dbg))
  | Block_store_float ->
      let field = Reader.u r in
      let init = initialization r in
      binary (fun block value -> for_effect (setfloatfield field init block value dbg))
  | Make_naked_block ->
      let fields = Reader.u r in
      (match args with [] -> make_naked_block dbg fields | _ -> wrong_operands ())
  | Naked_load ->
      let field = Reader.u r in
      let chunk = naked_chunk (Cmm_codes.boxed_kind r) in
      unary (fun block -> Cmm_build.load chunk (field_address block field dbg) dbg)
  | Naked_store ->
      let field = Reader.u r in
      let chunk = naked_chunk (Cmm_codes.boxed_kind r) in
      binary (fun block value ->
          for_effect (Cop (Cstore (chunk, Lambda.Assignment), [ field_address block field dbg; value ], dbg)))
  | Block_load_computed -> binary (fun block index -> addr_array_ref block index dbg)
  | Block_store_computed ->
      let pointer = pointer r in
      let init = initialization r in
      ternary (fun block index value -> for_effect (setfield_computed pointer init block index value dbg))
  | Store_result ->
      let part = Reader.u r in
      let chunk = result_chunk (Cmm_codes.kind r) in
      binary (fun slots value -> for_effect (Result_parts.store ~slots ~part chunk value dbg))
  | Load_result ->
      let part = Reader.u r in
      let chunk = result_chunk (Cmm_codes.kind r) in
      unary (fun slots -> Result_parts.load ~slots ~part chunk dbg)
  | Duplicate ->
      unary (fun block ->
          Cmm_build.extcall ~name:"caml_obj_dup" ~result:typ_val ~args_types:[] ~alloc:true [ block ] dbg)
  | Offset_ref ->
      let amount = Reader.i r in
      unary (fun block -> for_effect (offsetref amount block dbg))
  | Is_int -> unary (fun value -> Cop (Cand, [ value; Cconst_int (1, dbg) ], dbg))
  | Get_tag -> unary (fun block -> get_tag block dbg)
  | Phys_equal ->
      let comparison = if Reader.bool r then Cne else Ceq in
      binary (fun a b -> Cop (Ccmpi comparison, [ a; b ], dbg))
  (* Arrays *)
  | Make_array ->
      let kind = array_kind r in
      nullary_or_more (make_array dbg kind)
  | Array_length ->
      let kind = array_kind r in
      unary (fun arr -> arraylength kind arr dbg)
  | Array_load ->
      let kind = array_kind r in
      binary (array_load dbg kind)
  | Array_store ->
      let kind = array_kind r in
      ternary (fun arr index value -> for_effect (arrayset_unsafe kind arr index value dbg))
  | Array_load_bits ->
      let chunk = naked_chunk (Cmm_codes.boxed_kind r) in
      binary (fun arr index -> Cmm_build.load chunk (float_address arr index dbg) dbg)
  | Array_store_bits ->
      let chunk = naked_chunk (Cmm_codes.boxed_kind r) in
      ternary (fun arr index value ->
          for_effect (Cop (Cstore (chunk, Lambda.Assignment), [ float_address arr index dbg; value ], dbg)))
  | Check_bound ->
      let width = Reader.u r in
      binary (check_bound r dbg width)
  (* Strings, bytes, bigstrings, bigarrays *)
  | Make_bytes ->
      let words = Reader.u r in
      unary (make_bytes dbg ~words)
  | String_length -> unary (fun str -> tag_int (string_length str dbg) dbg)
  | String_load ->
      let string_kind = Cmm_codes.string_kind r in
      let width = width r in
      binary (string_load dbg string_kind width)
  | String_store ->
      let string_kind = Cmm_codes.string_kind r in
      let width = width r in
      ternary (string_store dbg string_kind width)
  | Bigarray_dim ->
      let dim = Reader.u r in
      unary (bigarray_dim dbg dim)
  | Bigarray_load ->
      let kind = bigarray_kind r in
      binary (bigarray_load dbg kind)
  | Bigarray_store ->
      let kind = bigarray_kind r in
      ternary (bigarray_store dbg kind)
  (* Integers *)
  | Int_arith ->
      let op = Cmm_codes.int_op r in
      let kind = Cmm_codes.int_kind r in
      binary (fun a b -> Numbers_cmm.arith op kind a b dbg)
  | Int_shift ->
      let op = Cmm_codes.shift_op r in
      let kind = Cmm_codes.int_kind r in
      binary (fun a b -> Numbers_cmm.shift op kind a b dbg)
  | Int_div ->
      let kind = Cmm_codes.int_kind r in
      binary (fun a b -> Numbers_cmm.div kind a b dbg)
  | Int_mod ->
      let kind = Cmm_codes.int_kind r in
      binary (fun a b -> Numbers_cmm.modulo kind a b dbg)
  | Check_zero ->
      let kind = Cmm_codes.int_kind r in
      unary (fun e -> Numbers_cmm.check_zero kind e dbg)
  | Int_compare ->
      let comparison = int_comparison r in
      let _kind = Cmm_codes.int_kind r in
      binary (fun a b -> Cop (comparison, [ a; b ], dbg))
  | Int_compare3 ->
      let _kind = Cmm_codes.int_kind r in
      binary (mk_compare_ints dbg)
  | Byte_swap ->
      let kind = Cmm_codes.int_kind r in
      unary (fun e -> Numbers_cmm.byte_swap kind e dbg)
  | Byte_swap16 -> unary (fun e -> bswap16 e dbg)
  | Pop_count ->
      let kind = Cmm_codes.int_kind r in
      unary (fun e -> Numbers_cmm.population_count kind e dbg)
  (* Floats *)
  | Float_arith ->
      let op = float_op r in
      binary (fun a b -> Cop (op, [ a; b ], dbg))
  | Float_neg -> unary (fun e -> Cop (Cnegf, [ e ], dbg))
  | Float_abs -> unary (fun e -> Cop (Cabsf, [ e ], dbg))
  | Float_compare ->
      let comparison = float_comparison r in
      binary (fun a b -> Cop (Ccmpf comparison, [ a; b ], dbg))
  | Float_compare3 -> binary (mk_compare_floats dbg)
  (* Representation *)
  | Tag -> unary (fun e -> tag_int e dbg)
  | Untag -> unary (fun e -> untag_int e dbg)
  | Box ->
      let kind = Cmm_codes.boxed_kind r in
      unary (box statics dbg kind)
  | Rebox ->
      let kind = Cmm_codes.boxed_kind r in
      binary (rebox dbg kind)
  | Unbox ->
      let kind = Cmm_codes.boxed_kind r in
      unary (unbox dbg kind)
  | Num_conv ->
      let from = Cmm_codes.kind r in
      let to_ = Cmm_codes.kind r in
      unary (fun e -> Numbers_cmm.convert ~from ~to_ e dbg)
  (* The rest *)
  | Is_instance ->
      let first block = get_field_gen Asttypes.Immutable block 0 dbg in
      binary (fun obj block -> Cop (Ccmpi Ceq, [ first obj; first block ], dbg))
  | Profile_count ->
      let word = Reader.u r in
      unary (fun record ->
          let counter = field_address record word dbg in
          let more = Cop (Caddi, [ Cmm_build.load Word_int counter dbg; Cconst_int (1, dbg) ], dbg) in
          for_effect (Cop (Cstore (Word_int, Lambda.Root_initialization), [ counter; more ], dbg)))
  | Opaque -> unary (fun e -> opaque e dbg)
  | Int_as_pointer -> unary (fun e -> int_as_pointer e dbg)
  | C_call -> c_call r dbg args
  | Project_value_slot | Project_function_slot | Alloc_dummy_closure | Is_closure_of | Exn_state ->
      Reader.malformed r "a primitive that is lowered before Cmm"
