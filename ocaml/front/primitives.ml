(** Lambda's primitives in bytes: the table in crates/lambda/src/prim.rs is the reference. *)

open Lambda
open Lambda_codes
open Lambda_numbers

(** Writes a primitive: its opcode and data. [global] numbers units and predefined exceptions. *)
let write w ~global prim =
  let open Byte_writer in
  let op n = byte w n in
  let op_bool n b = op n; bool w b in
  let op_byte n b = op n; byte w b in
  let access n width unsafe = op n; byte w width; bool w (not unsafe) in
  let bigarray n unsafe dims kind layout =
    op n;
    bool w (not unsafe);
    u w dims;
    byte w (bigarray_kind kind);
    byte w (bigarray_layout layout)
  in
  match prim with
  | Pbytes_to_string -> op Opcode.bytes_to_string
  | Pbytes_of_string -> op Opcode.bytes_of_string
  | Pignore -> op Opcode.ignore
  | Pgetglobal id -> op Opcode.get_global; u w (global id)
  | Psetglobal id -> op Opcode.set_global; u w (global id)
  | Pmakeblock (tag, mutability, _) -> op Opcode.make_block; u w tag; bool w (is_mutable mutability)
  | Pfield_computed -> op Opcode.field_computed
  | Psetfield (n, pointer, init) ->
      op Opcode.set_field; u w n; bool w (is_pointer pointer); byte w (initialization init)
  | Psetfield_computed (pointer, init) ->
      op Opcode.set_field_computed; bool w (is_pointer pointer); byte w (initialization init)
  | Pfloatfield n -> op Opcode.float_field; u w n
  | Psetfloatfield (n, init) -> op Opcode.set_float_field; u w n; byte w (initialization init)
  | Pduprecord (repr, size) -> op Opcode.dup_record; byte w (record_representation repr); u w size
  | Pccall description -> c_call w description
  | Praise kind -> op_byte Opcode.raise (raise_kind kind)
  | Psequand -> op Opcode.seq_and
  | Psequor -> op Opcode.seq_or
  | Pnot -> op Opcode.not
  | Pnegint -> op Opcode.neg_int
  | Paddint -> op Opcode.add_int
  | Psubint -> op Opcode.sub_int
  | Pmulint -> op Opcode.mul_int
  | Pdivint safe -> op_bool Opcode.div_int (is_safe safe)
  | Pmodint safe -> op_bool Opcode.mod_int (is_safe safe)
  | Pandint -> op Opcode.and_int
  | Porint -> op Opcode.or_int
  | Pxorint -> op Opcode.xor_int
  | Plslint -> op Opcode.lsl_int
  | Plsrint -> op Opcode.lsr_int
  | Pasrint -> op Opcode.asr_int
  | Pintcomp comparison -> op_byte Opcode.int_comp (integer_comparison comparison)
  | Pcompare_ints -> op Opcode.compare_ints
  | Pcompare_floats -> op Opcode.compare_floats
  | Pcompare_bints kind -> op_byte Opcode.compare_bints (boxed_integer kind)
  | Poffsetint n -> op Opcode.offset_int; i w n
  | Poffsetref n -> op Opcode.offset_ref; i w n
  | Pintoffloat -> op Opcode.int_of_float
  | Pfloatofint -> op Opcode.float_of_int
  | Pnegfloat -> op Opcode.neg_float
  | Pabsfloat -> op Opcode.abs_float
  | Paddfloat -> op Opcode.add_float
  | Psubfloat -> op Opcode.sub_float
  | Pmulfloat -> op Opcode.mul_float
  | Pdivfloat -> op Opcode.div_float
  | Pfloatcomp comparison -> op_byte Opcode.float_comp (float_comparison comparison)
  | Pstringlength -> op Opcode.string_length
  | Pstringrefu -> op_bool Opcode.string_ref false
  | Pstringrefs -> op_bool Opcode.string_ref true
  | Pbyteslength -> op Opcode.bytes_length
  | Pbytesrefu -> op_bool Opcode.bytes_ref false
  | Pbytesrefs -> op_bool Opcode.bytes_ref true
  | Pbytessetu -> op_bool Opcode.bytes_set false
  | Pbytessets -> op_bool Opcode.bytes_set true
  | Pmakearray (kind, mutability) -> op_byte Opcode.make_array (array_kind kind); bool w (is_mutable mutability)
  | Pduparray (kind, mutability) -> op_byte Opcode.dup_array (array_kind kind); bool w (is_mutable mutability)
  | Parraylength kind -> op_byte Opcode.array_length (array_kind kind)
  | Parrayrefu kind -> op_byte Opcode.array_ref (array_kind kind); bool w false
  | Parrayrefs kind -> op_byte Opcode.array_ref (array_kind kind); bool w true
  | Parraysetu kind -> op_byte Opcode.array_set (array_kind kind); bool w false
  | Parraysets kind -> op_byte Opcode.array_set (array_kind kind); bool w true
  | Pisint -> op Opcode.is_int
  | Pisout -> op Opcode.is_out
  | Pbintofint kind -> op_byte Opcode.bint_of_int (boxed_integer kind)
  | Pintofbint kind -> op_byte Opcode.int_of_bint (boxed_integer kind)
  | Pcvtbint (from, to_) -> op_byte Opcode.cvt_bint (boxed_integer from); byte w (boxed_integer to_)
  | Pnegbint kind -> op_byte Opcode.neg_bint (boxed_integer kind)
  | Paddbint kind -> op_byte Opcode.add_bint (boxed_integer kind)
  | Psubbint kind -> op_byte Opcode.sub_bint (boxed_integer kind)
  | Pmulbint kind -> op_byte Opcode.mul_bint (boxed_integer kind)
  | Pdivbint { size; is_safe = safe } -> op_byte Opcode.div_bint (boxed_integer size); bool w (is_safe safe)
  | Pmodbint { size; is_safe = safe } -> op_byte Opcode.mod_bint (boxed_integer size); bool w (is_safe safe)
  | Pandbint kind -> op_byte Opcode.and_bint (boxed_integer kind)
  | Porbint kind -> op_byte Opcode.or_bint (boxed_integer kind)
  | Pxorbint kind -> op_byte Opcode.xor_bint (boxed_integer kind)
  | Plslbint kind -> op_byte Opcode.lsl_bint (boxed_integer kind)
  | Plsrbint kind -> op_byte Opcode.lsr_bint (boxed_integer kind)
  | Pasrbint kind -> op_byte Opcode.asr_bint (boxed_integer kind)
  | Pbintcomp (kind, comparison) ->
      op_byte Opcode.bint_comp (boxed_integer kind); byte w (integer_comparison comparison)
  | Pbigarrayref (unsafe, dims, kind, layout) -> bigarray Opcode.bigarray_ref unsafe dims kind layout
  | Pbigarrayset (unsafe, dims, kind, layout) -> bigarray Opcode.bigarray_set unsafe dims kind layout
  | Pbigarraydim n -> op Opcode.bigarray_dim; u w n
  | Pstring_load_16 unsafe -> access Opcode.string_load Access_width.w16 unsafe
  | Pstring_load_32 unsafe -> access Opcode.string_load Access_width.w32 unsafe
  | Pstring_load_64 unsafe -> access Opcode.string_load Access_width.w64 unsafe
  | Pbytes_load_16 unsafe -> access Opcode.bytes_load Access_width.w16 unsafe
  | Pbytes_load_32 unsafe -> access Opcode.bytes_load Access_width.w32 unsafe
  | Pbytes_load_64 unsafe -> access Opcode.bytes_load Access_width.w64 unsafe
  | Pbytes_set_16 unsafe -> access Opcode.bytes_store Access_width.w16 unsafe
  | Pbytes_set_32 unsafe -> access Opcode.bytes_store Access_width.w32 unsafe
  | Pbytes_set_64 unsafe -> access Opcode.bytes_store Access_width.w64 unsafe
  | Pbigstring_load_16 unsafe -> access Opcode.bigstring_load Access_width.w16 unsafe
  | Pbigstring_load_32 unsafe -> access Opcode.bigstring_load Access_width.w32 unsafe
  | Pbigstring_load_64 unsafe -> access Opcode.bigstring_load Access_width.w64 unsafe
  | Pbigstring_set_16 unsafe -> access Opcode.bigstring_store Access_width.w16 unsafe
  | Pbigstring_set_32 unsafe -> access Opcode.bigstring_store Access_width.w32 unsafe
  | Pbigstring_set_64 unsafe -> access Opcode.bigstring_store Access_width.w64 unsafe
  | Pctconst constant -> op_byte Opcode.ct_const (compile_time_constant constant)
  | Pbswap16 -> op Opcode.bswap16
  | Pbbswap kind -> op_byte Opcode.bbswap (boxed_integer kind)
  | Pint_as_pointer -> op Opcode.int_as_pointer
  | Popaque -> op Opcode.opaque
  | prim -> Version_primitives.write w prim
