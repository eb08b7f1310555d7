(** The numbers by which a request is written. Made from the tables in crates/lambda/src/numbers.rs and prim.rs by
    [UPDATE_EXPECT=1 cargo test -p flambeau-lambda --test numbers]: not to be changed here. *)

module Opcode = struct
  let bytes_to_string = 0
  let bytes_of_string = 1
  let ignore = 2
  let get_global = 3
  let set_global = 4
  let make_block = 5
  let field = 6
  let field_computed = 7
  let set_field = 8
  let set_field_computed = 9
  let float_field = 10
  let set_float_field = 11
  let dup_record = 12
  let c_call = 13
  let raise = 14
  let seq_and = 15
  let seq_or = 16
  let not = 17
  let neg_int = 18
  let add_int = 19
  let sub_int = 20
  let mul_int = 21
  let div_int = 22
  let mod_int = 23
  let and_int = 24
  let or_int = 25
  let xor_int = 26
  let lsl_int = 27
  let lsr_int = 28
  let asr_int = 29
  let int_comp = 30
  let compare_ints = 31
  let compare_floats = 32
  let compare_bints = 33
  let offset_int = 34
  let offset_ref = 35
  let int_of_float = 36
  let float_of_int = 37
  let neg_float = 38
  let abs_float = 39
  let add_float = 40
  let sub_float = 41
  let mul_float = 42
  let div_float = 43
  let float_comp = 44
  let string_length = 45
  let string_ref = 46
  let bytes_length = 47
  let bytes_ref = 48
  let bytes_set = 49
  let make_array = 50
  let dup_array = 51
  let array_length = 52
  let array_ref = 53
  let array_set = 54
  let is_int = 55
  let is_out = 56
  let bint_of_int = 57
  let int_of_bint = 58
  let cvt_bint = 59
  let neg_bint = 60
  let add_bint = 61
  let sub_bint = 62
  let mul_bint = 63
  let div_bint = 64
  let mod_bint = 65
  let and_bint = 66
  let or_bint = 67
  let xor_bint = 68
  let lsl_bint = 69
  let lsr_bint = 70
  let asr_bint = 71
  let bint_comp = 72
  let bigarray_ref = 73
  let bigarray_set = 74
  let bigarray_dim = 75
  let string_load = 76
  let bytes_load = 77
  let bytes_store = 78
  let bigstring_load = 79
  let bigstring_store = 80
  let ct_const = 81
  let bswap16 = 82
  let bbswap = 83
  let int_as_pointer = 84
  let opaque = 85
  let block_tag = 86
end

module Integer_comparison = struct
  let eq = 0
  let ne = 1
  let lt = 2
  let gt = 3
  let le = 4
  let ge = 5
end

module Float_comparison = struct
  let eq = 0
  let neq = 1
  let lt = 2
  let nlt = 3
  let gt = 4
  let ngt = 5
  let le = 6
  let nle = 7
  let ge = 8
  let nge = 9
end

module Array_kind = struct
  let gen = 0
  let addr = 1
  let int = 2
  let float = 3
end

module Boxed_integer = struct
  let nativeint = 0
  let int32 = 1
  let int64 = 2
end

module Record_representation = struct
  let regular = 0
  let float = 1
  let unboxed = 2
  let inlined = 3
  let extension = 4
end

module Initialization = struct
  let assignment = 0
  let heap = 1
  let root = 2
end

module Raise_kind = struct
  let regular = 0
  let reraise = 1
  let notrace = 2
end

module Bigarray_kind = struct
  let unknown = 0
  let float32 = 1
  let float64 = 2
  let sint8 = 3
  let uint8 = 4
  let sint16 = 5
  let uint16 = 6
  let int32 = 7
  let int64 = 8
  let caml_int = 9
  let native_int = 10
  let complex32 = 11
  let complex64 = 12
end

module Bigarray_layout = struct
  let unknown = 0
  let c = 1
  let fortran = 2
end

module Compile_time_constant = struct
  let big_endian = 0
  let word_size = 1
  let int_size = 2
  let max_wosize = 3
  let ostype_unix = 4
  let ostype_win32 = 5
  let ostype_cygwin = 6
  let backend_type = 7
end

module Native_representation = struct
  let value = 0
  let float = 1
  let nativeint = 2
  let int32 = 3
  let int64 = 4
  let untagged = 5
end

module Access_width = struct
  let w16 = 0
  let w32 = 1
  let w64 = 2
end

module Field_mutability = struct
  let unknown = 0
  let immutable = 1
  let mutable_ = 2
end

module Value_kind = struct
  let generic = 0
  let float = 1
  let int = 2
  let nativeint = 3
  let int32 = 4
  let int64 = 5
end

module Specialise = struct
  let default = 0
  let always = 1
  let never = 2
end

module Local = struct
  let default = 0
  let always = 1
  let never = 2
end

module Tailcall = struct
  let default = 0
  let expected = 1
  let not_expected = 2
end

module Let_kind = struct
  let strict = 0
  let alias = 1
  let strict_opt = 2
end

module Method_kind = struct
  let self_method = 0
  let public = 1
  let cached = 2
end

module Node = struct
  let var = 0
  let mut_var = 1
  let const = 2
  let apply = 3
  let function_ = 4
  let let_ = 5
  let mut_let = 6
  let let_rec = 7
  let prim = 8
  let switch = 9
  let string_switch = 10
  let static_raise = 11
  let static_catch = 12
  let try_with = 13
  let if_then_else = 14
  let sequence = 15
  let while_ = 16
  let for_ = 17
  let assign = 18
  let send = 19
  let event = 20
  let if_used = 21
  let symbol_call = 22
  let typed_prim = 23
  let typed_apply = 24
end

module Constant = struct
  let int = 0
  let float = 1
  let int32 = 2
  let int64 = 3
  let nativeint = 4
  let shared_string = 5
  let block = 6
  let float_array = 7
  let own_string = 8
end

module Inline = struct
  let default = 0
  let always = 1
  let never = 2
  let hint = 3
  let unroll = 4
end

module Type_term = struct
  let unknown = 0
  let immediate = 1
  let float = 2
  let string = 3
  let bytes = 4
  let int32 = 5
  let int64 = 6
  let nativeint = 7
  let array = 8
  let float_record = 9
  let variant = 10
  let polymorphic_variant = 11
end

module Arg_type = struct
  let unknown = 0
  let value = 1
  let array = 2
  let block = 3
  let enclosing = 4
  let function_ = 5
  let variable = 6
  let bigarray = 7
end
