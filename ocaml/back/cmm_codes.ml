(** The numbers by which high-level Cmm is written. Made from the tables in crates/cmm/src/codes.rs by
    [UPDATE_EXPECT=1 cargo test -p flambeau-cmm --test codes]: not to be changed here. *)

let unknown r what = Byte_reader.malformed r ("no such " ^ what)

type primitive =
  | Make_block
  | Make_float_block
  | Block_load
  | Block_load_float
  | Block_store
  | Block_store_float
  | Make_naked_block
  | Naked_load
  | Naked_store
  | Block_load_computed
  | Block_store_computed
  | Store_result
  | Load_result
  | Duplicate
  | Offset_ref
  | Is_int
  | Get_tag
  | Phys_equal
  | Make_array
  | Array_length
  | Array_load
  | Array_store
  | Array_load_bits
  | Array_store_bits
  | Check_bound
  | Make_bytes
  | String_length
  | String_load
  | String_store
  | Bigarray_dim
  | Bigarray_load
  | Bigarray_store
  | Int_arith
  | Int_shift
  | Int_div
  | Int_mod
  | Check_zero
  | Int_compare
  | Int_compare3
  | Byte_swap
  | Byte_swap16
  | Pop_count
  | Float_arith
  | Float_neg
  | Float_abs
  | Float_compare
  | Float_compare3
  | Tag
  | Untag
  | Box
  | Rebox
  | Unbox
  | Num_conv
  | Profile_count
  | Opaque
  | Is_instance
  | Int_as_pointer
  | C_call
  | Project_value_slot
  | Project_function_slot
  | Is_closure_of
  | Alloc_dummy_closure
  | Exn_state

let primitive r : primitive =
  match Byte_reader.byte r with
  | 0 -> Make_block
  | 1 -> Make_float_block
  | 2 -> Block_load
  | 3 -> Block_load_float
  | 4 -> Block_store
  | 5 -> Block_store_float
  | 6 -> Make_naked_block
  | 7 -> Naked_load
  | 8 -> Naked_store
  | 9 -> Block_load_computed
  | 10 -> Block_store_computed
  | 11 -> Store_result
  | 12 -> Load_result
  | 13 -> Duplicate
  | 14 -> Offset_ref
  | 15 -> Is_int
  | 16 -> Get_tag
  | 17 -> Phys_equal
  | 18 -> Make_array
  | 19 -> Array_length
  | 20 -> Array_load
  | 21 -> Array_store
  | 22 -> Array_load_bits
  | 23 -> Array_store_bits
  | 24 -> Check_bound
  | 25 -> Make_bytes
  | 26 -> String_length
  | 27 -> String_load
  | 28 -> String_store
  | 29 -> Bigarray_dim
  | 30 -> Bigarray_load
  | 31 -> Bigarray_store
  | 32 -> Int_arith
  | 33 -> Int_shift
  | 34 -> Int_div
  | 35 -> Int_mod
  | 36 -> Check_zero
  | 37 -> Int_compare
  | 38 -> Int_compare3
  | 39 -> Byte_swap
  | 40 -> Byte_swap16
  | 41 -> Pop_count
  | 42 -> Float_arith
  | 43 -> Float_neg
  | 44 -> Float_abs
  | 45 -> Float_compare
  | 46 -> Float_compare3
  | 47 -> Tag
  | 48 -> Untag
  | 49 -> Box
  | 50 -> Rebox
  | 51 -> Unbox
  | 52 -> Num_conv
  | 53 -> Profile_count
  | 54 -> Opaque
  | 55 -> Is_instance
  | 56 -> Int_as_pointer
  | 57 -> C_call
  | 58 -> Project_value_slot
  | 59 -> Project_function_slot
  | 60 -> Is_closure_of
  | 61 -> Alloc_dummy_closure
  | 62 -> Exn_state
  | _ -> unknown r "primitive"

type mutability =
  | Immutable
  | Mutable

let mutability r : mutability =
  match Byte_reader.byte r with
  | 0 -> Immutable
  | 1 -> Mutable
  | _ -> unknown r "mutability"

type initialization =
  | Assignment
  | Heap
  | Root

let initialization r : initialization =
  match Byte_reader.byte r with
  | 0 -> Assignment
  | 1 -> Heap
  | 2 -> Root
  | _ -> unknown r "initialization"

type array_kind =
  | Generic
  | Addr
  | Int
  | Float

let array_kind r : array_kind =
  match Byte_reader.byte r with
  | 0 -> Generic
  | 1 -> Addr
  | 2 -> Int
  | 3 -> Float
  | _ -> unknown r "array kind"

type string_kind =
  | String
  | Bytes
  | Bigstring

let string_kind r : string_kind =
  match Byte_reader.byte r with
  | 0 -> String
  | 1 -> Bytes
  | 2 -> Bigstring
  | _ -> unknown r "string kind"

type width =
  | W8
  | W16
  | W32
  | W64

let width r : width =
  match Byte_reader.byte r with
  | 0 -> W8
  | 1 -> W16
  | 2 -> W32
  | 3 -> W64
  | _ -> unknown r "width"

type bigarray_kind =
  | Float32
  | Float64
  | Sint8
  | Uint8
  | Sint16
  | Uint16
  | Int32
  | Int64
  | Caml_int
  | Native_int
  | Complex32
  | Complex64

let bigarray_kind r : bigarray_kind =
  match Byte_reader.byte r with
  | 0 -> Float32
  | 1 -> Float64
  | 2 -> Sint8
  | 3 -> Uint8
  | 4 -> Sint16
  | 5 -> Uint16
  | 6 -> Int32
  | 7 -> Int64
  | 8 -> Caml_int
  | 9 -> Native_int
  | 10 -> Complex32
  | 11 -> Complex64
  | _ -> unknown r "bigarray kind"

type int_kind =
  | Tagged
  | Naked
  | Int32
  | Int64
  | Nativeint

let int_kind r : int_kind =
  match Byte_reader.byte r with
  | 0 -> Tagged
  | 1 -> Naked
  | 2 -> Int32
  | 3 -> Int64
  | 4 -> Nativeint
  | _ -> unknown r "int kind"

type int_op =
  | Add
  | Sub
  | Mul
  | And
  | Or
  | Xor

let int_op r : int_op =
  match Byte_reader.byte r with
  | 0 -> Add
  | 1 -> Sub
  | 2 -> Mul
  | 3 -> And
  | 4 -> Or
  | 5 -> Xor
  | _ -> unknown r "int op"

type shift_op =
  | Lsl
  | Lsr
  | Asr

let shift_op r : shift_op =
  match Byte_reader.byte r with
  | 0 -> Lsl
  | 1 -> Lsr
  | 2 -> Asr
  | _ -> unknown r "shift op"

type int_comparison =
  | Eq
  | Ne
  | Lt
  | Le
  | Gt
  | Ge
  | Unsigned_lt

let int_comparison r : int_comparison =
  match Byte_reader.byte r with
  | 0 -> Eq
  | 1 -> Ne
  | 2 -> Lt
  | 3 -> Le
  | 4 -> Gt
  | 5 -> Ge
  | 6 -> Unsigned_lt
  | _ -> unknown r "int comparison"

type float_op =
  | Add
  | Sub
  | Mul
  | Div

let float_op r : float_op =
  match Byte_reader.byte r with
  | 0 -> Add
  | 1 -> Sub
  | 2 -> Mul
  | 3 -> Div
  | _ -> unknown r "float op"

type float_comparison =
  | Eq
  | Ne
  | Lt
  | Not_lt
  | Gt
  | Not_gt
  | Le
  | Not_le
  | Ge
  | Not_ge

let float_comparison r : float_comparison =
  match Byte_reader.byte r with
  | 0 -> Eq
  | 1 -> Ne
  | 2 -> Lt
  | 3 -> Not_lt
  | 4 -> Gt
  | 5 -> Not_gt
  | 6 -> Le
  | 7 -> Not_le
  | 8 -> Ge
  | 9 -> Not_ge
  | _ -> unknown r "float comparison"

type boxed_kind =
  | Float
  | Int32
  | Int64
  | Nativeint

let boxed_kind r : boxed_kind =
  match Byte_reader.byte r with
  | 0 -> Float
  | 1 -> Int32
  | 2 -> Int64
  | 3 -> Nativeint
  | _ -> unknown r "boxed kind"

type kind =
  | Value
  | Naked_immediate
  | Naked_float
  | Naked_int32
  | Naked_int64
  | Naked_nativeint

let kind r : kind =
  match Byte_reader.byte r with
  | 0 -> Value
  | 1 -> Naked_immediate
  | 2 -> Naked_float
  | 3 -> Naked_int32
  | 4 -> Naked_int64
  | 5 -> Naked_nativeint
  | _ -> unknown r "kind"

type native_repr =
  | As_value
  | As_float
  | As_int32
  | As_int64
  | As_nativeint
  | As_untagged

let native_repr r : native_repr =
  match Byte_reader.byte r with
  | 0 -> As_value
  | 1 -> As_float
  | 2 -> As_int32
  | 3 -> As_int64
  | 4 -> As_nativeint
  | 5 -> As_untagged
  | _ -> unknown r "native repr"

type machtype =
  | Val
  | Int
  | Float

let machtype r : machtype =
  match Byte_reader.byte r with
  | 0 -> Val
  | 1 -> Int
  | 2 -> Float
  | _ -> unknown r "machtype"

type send_kind =
  | Self_method
  | Public
  | Cached

let send_kind r : send_kind =
  match Byte_reader.byte r with
  | 0 -> Self_method
  | 1 -> Public
  | 2 -> Cached
  | _ -> unknown r "send kind"

type raise_kind =
  | Regular
  | Reraise
  | No_trace

let raise_kind r : raise_kind =
  match Byte_reader.byte r with
  | 0 -> Regular
  | 1 -> Reraise
  | 2 -> No_trace
  | _ -> unknown r "raise kind"

type expression =
  | Int
  | Float
  | Symbol
  | Var
  | Let
  | Let_mut
  | Assign
  | Seq
  | If
  | Switch
  | String_switch
  | Catch
  | Exit
  | Try
  | Prim
  | Direct_call
  | Generic_call
  | Send
  | Raise
  | Closures
  | Offset
  | Slot_load
  | Is_closure_of
  | Unreachable
  | Bytecode_alone

let expression r : expression =
  match Byte_reader.byte r with
  | 0 -> Int
  | 1 -> Float
  | 2 -> Symbol
  | 3 -> Var
  | 4 -> Let
  | 5 -> Let_mut
  | 6 -> Assign
  | 7 -> Seq
  | 8 -> If
  | 9 -> Switch
  | 10 -> String_switch
  | 11 -> Catch
  | 12 -> Exit
  | 13 -> Try
  | 14 -> Prim
  | 15 -> Direct_call
  | 16 -> Generic_call
  | 17 -> Send
  | 18 -> Raise
  | 19 -> Closures
  | 20 -> Offset
  | 21 -> Slot_load
  | 22 -> Is_closure_of
  | 23 -> Unreachable
  | 24 -> Bytecode_alone
  | _ -> unknown r "expression"

type data =
  | Block
  | Boxed_float
  | Boxed_int32
  | Boxed_int64
  | Boxed_nativeint
  | String_data
  | Float_array
  | Set_of_closures
  | Preallocated

let data r : data =
  match Byte_reader.byte r with
  | 0 -> Block
  | 1 -> Boxed_float
  | 2 -> Boxed_int32
  | 3 -> Boxed_int64
  | 4 -> Boxed_nativeint
  | 5 -> String_data
  | 6 -> Float_array
  | 7 -> Set_of_closures
  | 8 -> Preallocated
  | _ -> unknown r "data"

type data_field =
  | Address
  | Word

let data_field r : data_field =
  match Byte_reader.byte r with
  | 0 -> Address
  | 1 -> Word
  | _ -> unknown r "data field"

type place =
  | Inlined
  | Foreign

let place r : place =
  match Byte_reader.byte r with
  | 0 -> Inlined
  | 1 -> Foreign
  | _ -> unknown r "place"
