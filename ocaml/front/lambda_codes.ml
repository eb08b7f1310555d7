(** Data of Lambda's primitives in bytes: crates/lambda/src/prim.rs is the reference. *)

open Lambda

let integer_comparison = function Ceq -> 0 | Cne -> 1 | Clt -> 2 | Cgt -> 3 | Cle -> 4 | Cge -> 5

let float_comparison = function
  | CFeq -> 0
  | CFneq -> 1
  | CFlt -> 2
  | CFnlt -> 3
  | CFgt -> 4
  | CFngt -> 5
  | CFle -> 6
  | CFnle -> 7
  | CFge -> 8
  | CFnge -> 9

let array_kind = function Pgenarray -> 0 | Paddrarray -> 1 | Pintarray -> 2 | Pfloatarray -> 3

let boxed_integer = function Pnativeint -> 0 | Pint32 -> 1 | Pint64 -> 2

let record_representation = function
  | Types.Record_regular -> 0
  | Record_float -> 1
  | Record_unboxed _ -> 2
  | Record_inlined _ -> 3
  | Record_extension _ -> 4

let initialization = function Assignment -> 0 | Heap_initialization -> 1 | Root_initialization -> 2

let raise_kind = function Raise_regular -> 0 | Raise_reraise -> 1 | Raise_notrace -> 2

(* A kind that is not known here is one of those that are not known statically: its accesses are C calls. *)
let bigarray_kind = function
  | Pbigarray_float32 -> 1
  | Pbigarray_float64 -> 2
  | Pbigarray_sint8 -> 3
  | Pbigarray_uint8 -> 4
  | Pbigarray_sint16 -> 5
  | Pbigarray_uint16 -> 6
  | Pbigarray_int32 -> 7
  | Pbigarray_int64 -> 8
  | Pbigarray_caml_int -> 9
  | Pbigarray_native_int -> 10
  | Pbigarray_complex32 -> 11
  | Pbigarray_complex64 -> 12
  | _ -> 0

let bigarray_layout = function
  | Pbigarray_unknown_layout -> 0
  | Pbigarray_c_layout -> 1
  | Pbigarray_fortran_layout -> 2

let compile_time_constant = function
  | Big_endian -> 0
  | Word_size -> 1
  | Int_size -> 2
  | Max_wosize -> 3
  | Ostype_unix -> 4
  | Ostype_win32 -> 5
  | Ostype_cygwin -> 6
  | Backend_type -> 7

let native_repr = function
  | Primitive.Same_as_ocaml_repr -> 0
  | Unboxed_float -> 1
  | Unboxed_integer Pnativeint -> 2
  | Unboxed_integer Pint32 -> 3
  | Unboxed_integer Pint64 -> 4
  | repr when Native_repr.is_untagged repr -> 5
  | _ -> Misc.fatal_error "flambeau does not know how an argument of an external is passed"

let is_mutable = function Asttypes.Mutable -> true | Immutable -> false

let is_pointer = function Pointer -> true | Immediate -> false

let is_safe = function Safe -> true | Unsafe -> false

(** Writes a call of a C function. *)
let c_call w (description : Primitive.description) =
  let open Byte_writer in
  byte w 13;
  name w description.prim_name;
  name w (Primitive.native_name description);
  u w description.prim_arity;
  bool w description.prim_alloc;
  list w (fun repr -> byte w (native_repr repr)) description.prim_native_repr_args;
  byte w (native_repr description.prim_native_repr_res)

(** The code of [Popaque]. *)
let opaque = 85

(** Of a version that is newer than the table. *)
let unknown prim = Misc.fatal_errorf "flambeau does not know the primitive %a" Printlambda.primitive prim
