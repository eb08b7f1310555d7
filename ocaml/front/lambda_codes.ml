(** Data of Lambda's primitives in bytes: crates/lambda/src/numbers.rs names the numbers. *)

open Lambda
open Lambda_numbers

let integer_comparison = function
  | Ceq -> Integer_comparison.eq
  | Cne -> Integer_comparison.ne
  | Clt -> Integer_comparison.lt
  | Cgt -> Integer_comparison.gt
  | Cle -> Integer_comparison.le
  | Cge -> Integer_comparison.ge

let float_comparison = function
  | CFeq -> Float_comparison.eq
  | CFneq -> Float_comparison.neq
  | CFlt -> Float_comparison.lt
  | CFnlt -> Float_comparison.nlt
  | CFgt -> Float_comparison.gt
  | CFngt -> Float_comparison.ngt
  | CFle -> Float_comparison.le
  | CFnle -> Float_comparison.nle
  | CFge -> Float_comparison.ge
  | CFnge -> Float_comparison.nge

let array_kind = function
  | Pgenarray -> Array_kind.gen
  | Paddrarray -> Array_kind.addr
  | Pintarray -> Array_kind.int
  | Pfloatarray -> Array_kind.float

let boxed_integer = function
  | Pnativeint -> Boxed_integer.nativeint
  | Pint32 -> Boxed_integer.int32
  | Pint64 -> Boxed_integer.int64

let record_representation = function
  | Types.Record_regular -> Record_representation.regular
  | Record_float -> Record_representation.float
  | Record_unboxed _ -> Record_representation.unboxed
  | Record_inlined _ -> Record_representation.inlined
  | Record_extension _ -> Record_representation.extension

let initialization = function
  | Assignment -> Initialization.assignment
  | Heap_initialization -> Initialization.heap
  | Root_initialization -> Initialization.root

let raise_kind = function
  | Raise_regular -> Raise_kind.regular
  | Raise_reraise -> Raise_kind.reraise
  | Raise_notrace -> Raise_kind.notrace

(* A kind that is not known here is one of those that are not known statically: its accesses are C calls. *)
let bigarray_kind = function
  | Pbigarray_float32 -> Bigarray_kind.float32
  | Pbigarray_float64 -> Bigarray_kind.float64
  | Pbigarray_sint8 -> Bigarray_kind.sint8
  | Pbigarray_uint8 -> Bigarray_kind.uint8
  | Pbigarray_sint16 -> Bigarray_kind.sint16
  | Pbigarray_uint16 -> Bigarray_kind.uint16
  | Pbigarray_int32 -> Bigarray_kind.int32
  | Pbigarray_int64 -> Bigarray_kind.int64
  | Pbigarray_caml_int -> Bigarray_kind.caml_int
  | Pbigarray_native_int -> Bigarray_kind.native_int
  | Pbigarray_complex32 -> Bigarray_kind.complex32
  | Pbigarray_complex64 -> Bigarray_kind.complex64
  | _ -> Bigarray_kind.unknown

let bigarray_layout = function
  | Pbigarray_unknown_layout -> Bigarray_layout.unknown
  | Pbigarray_c_layout -> Bigarray_layout.c
  | Pbigarray_fortran_layout -> Bigarray_layout.fortran

let compile_time_constant = function
  | Big_endian -> Compile_time_constant.big_endian
  | Word_size -> Compile_time_constant.word_size
  | Int_size -> Compile_time_constant.int_size
  | Max_wosize -> Compile_time_constant.max_wosize
  | Ostype_unix -> Compile_time_constant.ostype_unix
  | Ostype_win32 -> Compile_time_constant.ostype_win32
  | Ostype_cygwin -> Compile_time_constant.ostype_cygwin
  | Backend_type -> Compile_time_constant.backend_type

let native_repr = function
  | Primitive.Same_as_ocaml_repr -> Native_representation.value
  | Unboxed_float -> Native_representation.float
  | Unboxed_integer Pnativeint -> Native_representation.nativeint
  | Unboxed_integer Pint32 -> Native_representation.int32
  | Unboxed_integer Pint64 -> Native_representation.int64
  | repr when Native_repr.is_untagged repr -> Native_representation.untagged
  | _ -> Misc.fatal_error "flambeau does not know how an argument of an external is passed"

let is_mutable = function Asttypes.Mutable -> true | Immutable -> false

let is_pointer = function Pointer -> true | Immediate -> false

let is_safe = function Safe -> true | Unsafe -> false

(** Writes a call of a C function. *)
let c_call w (description : Primitive.description) =
  let open Byte_writer in
  byte w Opcode.c_call;
  name w description.prim_name;
  name w (Primitive.native_name description);
  u w description.prim_arity;
  bool w description.prim_alloc;
  list w (fun repr -> byte w (native_repr repr)) description.prim_native_repr_args;
  byte w (native_repr description.prim_native_repr_res)

(** Of a version that is newer than the table. *)
let unknown prim = Misc.fatal_errorf "flambeau does not know the primitive %a" Printlambda.primitive prim
