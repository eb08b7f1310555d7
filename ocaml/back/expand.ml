(** The primitives of the IR in Cmm: what each means is told in crates/ir/src/prim.rs, its number and data in
    crates/cmm/src/encode.rs.

    A primitive that is for its effect alone gives Cmm of no result. *)

open Cmm
open Cmm_helpers
module Reader = Byte_reader

let unknown r what = Reader.malformed r ("no such " ^ what)

(* {1 Data of primitives} *)

let mutability r =
  match Reader.byte r with
  | 0 -> Asttypes.Immutable
  | 1 -> Asttypes.Mutable
  | _ -> unknown r "mutability"

let initialization r =
  match Reader.byte r with
  | 0 -> Lambda.Assignment
  | 1 -> Lambda.Heap_initialization
  | 2 -> Lambda.Root_initialization
  | _ -> unknown r "initialization"

let pointer r = if Reader.bool r then Lambda.Pointer else Lambda.Immediate

let array_kind r =
  match Reader.byte r with
  | 0 -> Lambda.Pgenarray
  | 1 -> Lambda.Paddrarray
  | 2 -> Lambda.Pintarray
  | 3 -> Lambda.Pfloatarray
  | _ -> unknown r "kind of array"

type string_kind = String | Bytes | Bigstring

let string_kind r =
  match Reader.byte r with
  | 0 -> String
  | 1 -> Bytes
  | 2 -> Bigstring
  | _ -> unknown r "kind of string"

type width = Eight | Wider of Clambda_primitives.memory_access_size

let width r =
  match Reader.byte r with
  | 0 -> Eight
  | 1 -> Wider Sixteen
  | 2 -> Wider Thirty_two
  | 3 -> Wider Sixty_four
  | _ -> unknown r "width"

let bigarray_kind r =
  match Reader.byte r with
  | 1 -> Lambda.Pbigarray_float32
  | 2 -> Pbigarray_float64
  | 3 -> Pbigarray_sint8
  | 4 -> Pbigarray_uint8
  | 5 -> Pbigarray_sint16
  | 6 -> Pbigarray_uint16
  | 7 -> Pbigarray_int32
  | 8 -> Pbigarray_int64
  | 9 -> Pbigarray_caml_int
  | 10 -> Pbigarray_native_int
  | 11 -> Pbigarray_complex32
  | 12 -> Pbigarray_complex64
  | _ -> unknown r "kind of bigarray"

let int_kind r =
  match Reader.byte r with
  | 0 -> Numbers_cmm.Tagged
  | 1 -> Naked
  | 2 -> Int32
  | 3 -> Int64
  | 4 -> Nativeint
  | _ -> unknown r "kind of integer"

let int_op r =
  match Reader.byte r with
  | 0 -> Numbers_cmm.Add
  | 1 -> Sub
  | 2 -> Mul
  | 3 -> And
  | 4 -> Or
  | 5 -> Xor
  | _ -> unknown r "operation on integers"

let shift_op r =
  match Reader.byte r with
  | 0 -> Numbers_cmm.Lsl
  | 1 -> Lsr
  | 2 -> Asr
  | _ -> unknown r "shift"

let int_comparison r =
  match Reader.byte r with
  | 0 -> Ccmpi Ceq
  | 1 -> Ccmpi Cne
  | 2 -> Ccmpi Clt
  | 3 -> Ccmpi Cgt
  | 4 -> Ccmpi Cle
  | 5 -> Ccmpi Cge
  | 6 -> Ccmpa Clt
  | _ -> unknown r "comparison of integers"

let float_op r =
  match Reader.byte r with
  | 0 -> Caddf
  | 1 -> Csubf
  | 2 -> Cmulf
  | 3 -> Cdivf
  | _ -> unknown r "operation on floats"

let float_comparison r =
  match Reader.byte r with
  | 0 -> CFeq
  | 1 -> CFneq
  | 2 -> CFlt
  | 3 -> CFnlt
  | 4 -> CFgt
  | 5 -> CFngt
  | 6 -> CFle
  | 7 -> CFnle
  | 8 -> CFge
  | 9 -> CFnge
  | _ -> unknown r "comparison of floats"

type boxed_kind = Boxed_float | Boxed_integer of Primitive.boxed_integer

let boxed_kind r =
  match Reader.byte r with
  | 0 -> Boxed_float
  | 1 -> Boxed_integer Pint32
  | 2 -> Boxed_integer Pint64
  | 3 -> Boxed_integer Pnativeint
  | _ -> unknown r "kind of boxed number"

let kind r =
  match Reader.byte r with
  | 0 -> Numbers_cmm.Value
  | 1 -> Naked_immediate
  | 2 -> Naked_float
  | 3 -> Naked_int32
  | 4 -> Naked_int64
  | 5 -> Naked_nativeint
  | _ -> unknown r "kind"

type native_repr = As_value | As_float | As_int32 | As_int64 | As_nativeint | As_untagged

let native_repr r =
  match Reader.byte r with
  | 0 -> As_value
  | 1 -> As_float
  | 2 -> As_int32
  | 3 -> As_int64
  | 4 -> As_nativeint
  | 5 -> As_untagged
  | _ -> unknown r "native representation"

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
  | _ -> unknown r "width of access"

(* The address at which a string's or bigstring's bytes begin. *)
let with_bytes dbg string_kind str access =
  bind "str" str (fun str ->
      match string_kind with
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
  bind "contents" contents (fun contents ->
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
  with_offset offset (fun offset -> bigarray_set true kind Pbigarray_c_layout arr [ offset ] element dbg)

(* The dimensions stand after operations, data, number of dimensions, flags and proxy. *)
let bigarray_dim dbg dim arr =
  tag_int (Cmm_build.load Word_int (field_address arr (5 + dim) dbg) dbg) dbg

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
  match (kind, e) with
  | Boxed_float, Cconst_float (x, _) -> static Statics.float x
  | Boxed_float, _ -> box_float dbg e
  | Boxed_integer kind, Cconst_int (n, _) -> integer kind (Nativeint.of_int n)
  | Boxed_integer kind, Cconst_natint (n, _) -> integer kind n
  | Boxed_integer kind, _ -> box_int_gen dbg kind e

let unbox dbg kind e =
  match kind with
  | Boxed_float -> unbox_float dbg e
  | Boxed_integer kind -> unbox_int dbg kind e

let exttype = function
  | As_float -> XFloat
  | As_int32 -> XInt32
  | As_int64 -> XInt64
  | As_value | As_nativeint | As_untagged -> XInt

let result_type = function
  | As_value -> typ_val
  | As_float -> typ_float
  | As_int32 | As_int64 | As_nativeint | As_untagged -> typ_int

(* What C leaves in the high bits of a narrow result is arbitrary. *)
let clean_result dbg repr e =
  match repr with
  | As_int32 -> Numbers_cmm.wrap_int32 dbg e
  | As_untagged -> Numbers_cmm.wrap_immediate dbg e
  | As_value | As_float | As_int64 | As_nativeint -> e

let c_call r dbg args =
  let name = Reader.name r in
  let reprs = Reader.list r native_repr in
  let result = native_repr r in
  let no_result = Reader.bool r in
  let alloc = Reader.bool r in
  let all_values = List.for_all (fun repr -> repr = As_value) reprs in
  let args_types = if all_values then [] else List.map exttype reprs in
  let call result = Cmm_build.extcall ~name ~result ~args_types ~alloc args dbg in
  match Intrinsics.apply ~name args dbg with
  | Some operation -> operation
  | None when no_result -> call typ_void
  | None -> clean_result dbg result (call (result_type result))

(* {1 The table} *)

(** Reads a primitive and applies it to its operands. *)
let primitive statics r dbg args =
  let wrong_operands opcode =
    Reader.malformed r
      (Printf.sprintf "primitive %d does not take %d operands" opcode (List.length args))
  in
  let opcode = Reader.byte r in
  let nullary_or_more f = f args in
  let unary f = match args with [ a ] -> f a | _ -> wrong_operands opcode in
  let binary f = match args with [ a; b ] -> f a b | _ -> wrong_operands opcode in
  let ternary f = match args with [ a; b; c ] -> f a b c | _ -> wrong_operands opcode in
  match opcode with
  (* Blocks *)
  | 0 ->
      let tag = Reader.byte r in
      nullary_or_more (make_block dbg tag)
  | 1 -> nullary_or_more (make_float_block dbg)
  | 2 ->
      let field = Reader.u r in
      let mutability = mutability r in
      unary (fun block -> get_field_gen mutability block field dbg)
  | 3 ->
      let field = Reader.u r in
      unary (fun block -> floatfield field block dbg)
  | 4 ->
      let field = Reader.u r in
      let pointer = pointer r in
      let init = initialization r in
      binary (fun block value -> for_effect (setfield field pointer init block value dbg))
  | 5 ->
      let field = Reader.u r in
      let init = initialization r in
      binary (fun block value -> for_effect (setfloatfield field init block value dbg))
  | 6 -> binary (fun block index -> addr_array_ref block index dbg)
  | 7 ->
      let pointer = pointer r in
      let init = initialization r in
      ternary (fun block index value -> for_effect (setfield_computed pointer init block index value dbg))
  | 8 ->
      unary (fun block ->
          Cmm_build.extcall ~name:"caml_obj_dup" ~result:typ_val ~args_types:[] ~alloc:true [ block ] dbg)
  | 9 ->
      let amount = Reader.i r in
      unary (fun block -> for_effect (offsetref amount block dbg))
  | 10 -> unary (fun value -> Cop (Cand, [ value; Cconst_int (1, dbg) ], dbg))
  | 11 -> unary (fun block -> get_tag block dbg)
  | 12 ->
      let comparison = if Reader.bool r then Cne else Ceq in
      binary (fun a b -> Cop (Ccmpi comparison, [ a; b ], dbg))
  (* Arrays *)
  | 13 ->
      let kind = array_kind r in
      nullary_or_more (make_array dbg kind)
  | 14 ->
      let kind = array_kind r in
      unary (fun arr -> arraylength kind arr dbg)
  | 15 ->
      let kind = array_kind r in
      binary (array_load dbg kind)
  | 16 ->
      let kind = array_kind r in
      ternary (fun arr index value -> for_effect (arrayset_unsafe kind arr index value dbg))
  | 17 ->
      let width = Reader.u r in
      binary (check_bound r dbg width)
  (* Strings, bytes, bigstrings, bigarrays *)
  | 18 -> unary (fun str -> tag_int (string_length str dbg) dbg)
  | 19 ->
      let string_kind = string_kind r in
      let width = width r in
      binary (string_load dbg string_kind width)
  | 20 ->
      let string_kind = string_kind r in
      let width = width r in
      ternary (string_store dbg string_kind width)
  | 21 ->
      let dim = Reader.u r in
      unary (bigarray_dim dbg dim)
  | 22 ->
      let kind = bigarray_kind r in
      binary (bigarray_load dbg kind)
  | 23 ->
      let kind = bigarray_kind r in
      ternary (bigarray_store dbg kind)
  (* Integers *)
  | 24 ->
      let op = int_op r in
      let kind = int_kind r in
      binary (fun a b -> Numbers_cmm.arith op kind a b dbg)
  | 25 ->
      let op = shift_op r in
      let kind = int_kind r in
      binary (fun a b -> Numbers_cmm.shift op kind a b dbg)
  | 26 ->
      let kind = int_kind r in
      binary (fun a b -> Numbers_cmm.div kind a b dbg)
  | 27 ->
      let kind = int_kind r in
      binary (fun a b -> Numbers_cmm.modulo kind a b dbg)
  | 28 ->
      let kind = int_kind r in
      unary (fun e -> Numbers_cmm.check_zero kind e dbg)
  | 29 ->
      let comparison = int_comparison r in
      let _kind = int_kind r in
      binary (fun a b -> Cop (comparison, [ a; b ], dbg))
  | 30 ->
      let _kind = int_kind r in
      binary (mk_compare_ints dbg)
  | 31 ->
      let kind = int_kind r in
      unary (fun e -> Numbers_cmm.byte_swap kind e dbg)
  | 32 -> unary (fun e -> bswap16 e dbg)
  (* Floats *)
  | 33 ->
      let op = float_op r in
      binary (fun a b -> Cop (op, [ a; b ], dbg))
  | 34 -> unary (fun e -> Cop (Cnegf, [ e ], dbg))
  | 35 -> unary (fun e -> Cop (Cabsf, [ e ], dbg))
  | 36 ->
      let comparison = float_comparison r in
      binary (fun a b -> Cop (Ccmpf comparison, [ a; b ], dbg))
  | 37 -> binary (mk_compare_floats dbg)
  (* Representation *)
  | 38 -> unary (fun e -> tag_int e dbg)
  | 39 -> unary (fun e -> untag_int e dbg)
  | 40 ->
      let kind = boxed_kind r in
      unary (box statics dbg kind)
  | 41 ->
      let kind = boxed_kind r in
      unary (unbox dbg kind)
  | 42 ->
      let from = kind r in
      let to_ = kind r in
      unary (fun e -> Numbers_cmm.convert ~from ~to_ e dbg)
  (* The rest *)
  | 43 -> unary (fun e -> opaque e dbg)
  | 44 -> unary (fun e -> int_as_pointer e dbg)
  | 45 -> c_call r dbg args
  | _ -> unknown r "primitive"
