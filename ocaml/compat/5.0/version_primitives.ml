(** Primitives of Lambda that differ between versions, as [Primitives] writes the others: from 5.0 on, with effects and
    atomics. *)

open Lambda
open Lambda_numbers

let runtime_function = Effects.runtime_function

(** The operands of a primitive as it is written. *)
let operands prim args = match prim with Pperform -> args @ [ Effects.continuation ] | _ -> args

let evaluates_first = Effects.evaluates_first

(** Writes a primitive. *)
let write w prim =
  let open Byte_writer in
  let runtime_operation name ~arity = Lambda_codes.c_call w (Primitive.simple ~name ~arity ~alloc:false) in
  match prim with
  | Pfield (n, _, mutability) ->
      byte w Opcode.field;
      u w n;
      byte w (match mutability with Immutable -> Field_mutability.immutable | Mutable -> Field_mutability.mutable_)
  | Patomic_load { immediate_or_pointer = Pointer } -> runtime_operation Atomic_load.of_value ~arity:1
  | Patomic_load { immediate_or_pointer = Immediate } -> runtime_operation Atomic_load.of_immediate ~arity:1
  | Patomic_exchange -> runtime_operation "caml_atomic_exchange" ~arity:2
  | Patomic_cas -> runtime_operation "caml_atomic_cas" ~arity:3
  | Patomic_fetch_add -> runtime_operation "caml_atomic_fetch_add" ~arity:2
  | Pdls_get -> runtime_operation Intrinsics.dls_get ~arity:1
  | Ppoll -> Lambda_codes.c_call w (Primitive.simple ~name:Intrinsics.poll ~arity:1 ~alloc:true)
  | prim -> Lambda_codes.unknown prim
