(** Lambda's primitives in bytes: crates/lambda/src/prim.rs is the reference. *)

open Lambda
open Lambda_codes

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
  | Pbytes_to_string -> op 0
  | Pbytes_of_string -> op 1
  | Pignore -> op 2
  | Pgetglobal id -> op 3; u w (global id)
  | Psetglobal id -> op 4; u w (global id)
  | Pmakeblock (tag, mutability, _) -> op 5; u w tag; bool w (is_mutable mutability)
  | Pfield_computed -> op 7
  | Psetfield (n, pointer, init) ->
      op 8; u w n; bool w (is_pointer pointer); byte w (initialization init)
  | Psetfield_computed (pointer, init) ->
      op 9; bool w (is_pointer pointer); byte w (initialization init)
  | Pfloatfield n -> op 10; u w n
  | Psetfloatfield (n, init) -> op 11; u w n; byte w (initialization init)
  | Pduprecord (repr, size) -> op 12; byte w (record_representation repr); u w size
  | Pccall description -> c_call w description
  | Praise kind -> op_byte 14 (raise_kind kind)
  | Psequand -> op 15
  | Psequor -> op 16
  | Pnot -> op 17
  | Pnegint -> op 18
  | Paddint -> op 19
  | Psubint -> op 20
  | Pmulint -> op 21
  | Pdivint safe -> op_bool 22 (is_safe safe)
  | Pmodint safe -> op_bool 23 (is_safe safe)
  | Pandint -> op 24
  | Porint -> op 25
  | Pxorint -> op 26
  | Plslint -> op 27
  | Plsrint -> op 28
  | Pasrint -> op 29
  | Pintcomp comparison -> op_byte 30 (integer_comparison comparison)
  | Pcompare_ints -> op 31
  | Pcompare_floats -> op 32
  | Pcompare_bints kind -> op_byte 33 (boxed_integer kind)
  | Poffsetint n -> op 34; i w n
  | Poffsetref n -> op 35; i w n
  | Pintoffloat -> op 36
  | Pfloatofint -> op 37
  | Pnegfloat -> op 38
  | Pabsfloat -> op 39
  | Paddfloat -> op 40
  | Psubfloat -> op 41
  | Pmulfloat -> op 42
  | Pdivfloat -> op 43
  | Pfloatcomp comparison -> op_byte 44 (float_comparison comparison)
  | Pstringlength -> op 45
  | Pstringrefu -> op_bool 46 false
  | Pstringrefs -> op_bool 46 true
  | Pbyteslength -> op 47
  | Pbytesrefu -> op_bool 48 false
  | Pbytesrefs -> op_bool 48 true
  | Pbytessetu -> op_bool 49 false
  | Pbytessets -> op_bool 49 true
  | Pmakearray (kind, mutability) -> op_byte 50 (array_kind kind); bool w (is_mutable mutability)
  | Pduparray (kind, mutability) -> op_byte 51 (array_kind kind); bool w (is_mutable mutability)
  | Parraylength kind -> op_byte 52 (array_kind kind)
  | Parrayrefu kind -> op_byte 53 (array_kind kind); bool w false
  | Parrayrefs kind -> op_byte 53 (array_kind kind); bool w true
  | Parraysetu kind -> op_byte 54 (array_kind kind); bool w false
  | Parraysets kind -> op_byte 54 (array_kind kind); bool w true
  | Pisint -> op 55
  | Pisout -> op 56
  | Pbintofint kind -> op_byte 57 (boxed_integer kind)
  | Pintofbint kind -> op_byte 58 (boxed_integer kind)
  | Pcvtbint (from, to_) -> op_byte 59 (boxed_integer from); byte w (boxed_integer to_)
  | Pnegbint kind -> op_byte 60 (boxed_integer kind)
  | Paddbint kind -> op_byte 61 (boxed_integer kind)
  | Psubbint kind -> op_byte 62 (boxed_integer kind)
  | Pmulbint kind -> op_byte 63 (boxed_integer kind)
  | Pdivbint { size; is_safe = safe } -> op_byte 64 (boxed_integer size); bool w (is_safe safe)
  | Pmodbint { size; is_safe = safe } -> op_byte 65 (boxed_integer size); bool w (is_safe safe)
  | Pandbint kind -> op_byte 66 (boxed_integer kind)
  | Porbint kind -> op_byte 67 (boxed_integer kind)
  | Pxorbint kind -> op_byte 68 (boxed_integer kind)
  | Plslbint kind -> op_byte 69 (boxed_integer kind)
  | Plsrbint kind -> op_byte 70 (boxed_integer kind)
  | Pasrbint kind -> op_byte 71 (boxed_integer kind)
  | Pbintcomp (kind, comparison) ->
      op_byte 72 (boxed_integer kind); byte w (integer_comparison comparison)
  | Pbigarrayref (unsafe, dims, kind, layout) -> bigarray 73 unsafe dims kind layout
  | Pbigarrayset (unsafe, dims, kind, layout) -> bigarray 74 unsafe dims kind layout
  | Pbigarraydim n -> op 75; u w n
  | Pstring_load_16 unsafe -> access 76 0 unsafe
  | Pstring_load_32 unsafe -> access 76 1 unsafe
  | Pstring_load_64 unsafe -> access 76 2 unsafe
  | Pbytes_load_16 unsafe -> access 77 0 unsafe
  | Pbytes_load_32 unsafe -> access 77 1 unsafe
  | Pbytes_load_64 unsafe -> access 77 2 unsafe
  | Pbytes_set_16 unsafe -> access 78 0 unsafe
  | Pbytes_set_32 unsafe -> access 78 1 unsafe
  | Pbytes_set_64 unsafe -> access 78 2 unsafe
  | Pbigstring_load_16 unsafe -> access 79 0 unsafe
  | Pbigstring_load_32 unsafe -> access 79 1 unsafe
  | Pbigstring_load_64 unsafe -> access 79 2 unsafe
  | Pbigstring_set_16 unsafe -> access 80 0 unsafe
  | Pbigstring_set_32 unsafe -> access 80 1 unsafe
  | Pbigstring_set_64 unsafe -> access 80 2 unsafe
  | Pctconst constant -> op_byte 81 (compile_time_constant constant)
  | Pbswap16 -> op 82
  | Pbbswap kind -> op_byte 83 (boxed_integer kind)
  | Pint_as_pointer -> op 84
  | Popaque -> op opaque
  | prim -> Version_primitives.write w prim
