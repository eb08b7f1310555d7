//! What is known of the C functions that OCaml's runtime system and standard library bring along, by their names.

use crate::Kind;
use crate::prim::{External, NativeRepr};

/// What a C function writes of what OCaml code reads. Memory that it allocates is not meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// Nothing.
    Nothing,
    /// Bytes of strings.
    Bytes,
    /// Fields and elements of blocks and arrays.
    Blocks,
    /// Anything, tags and lengths too.
    Anything,
}

/// Functions of unboxed numbers, of which the result depends alone. In alphabetical order.
const PURE: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "atan2",
    "caml_acosh",
    "caml_asinh",
    "caml_atanh",
    "caml_cbrt",
    "caml_copysign",
    "caml_erf",
    "caml_erfc",
    "caml_exp2",
    "caml_expm1",
    "caml_fma",
    "caml_hash_mix_double",
    "caml_hypot",
    "caml_int32_bits_of_float_unboxed",
    "caml_int32_float_of_bits_unboxed",
    "caml_int64_bits_of_float_unboxed",
    "caml_int64_float_of_bits_unboxed",
    "caml_ldexp_float_unboxed",
    "caml_log1p",
    "caml_log2",
    "caml_nextafter",
    "caml_round",
    "caml_trunc",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "floor",
    "fmod",
    "log",
    "log10",
    "pow",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
];

/// Functions that read, allocate or raise, but write nothing, under the names of all versions of OCaml. In alphabetical
/// order.
const READING: &[&str] = &[
    "caml_array_append",
    "caml_array_concat",
    "caml_array_create_float",
    "caml_array_make",
    "caml_array_sub",
    "caml_bytes_compare",
    "caml_bytes_equal",
    "caml_bytes_greaterequal",
    "caml_bytes_greaterthan",
    "caml_bytes_lessequal",
    "caml_bytes_lessthan",
    "caml_bytes_notequal",
    "caml_compare",
    "caml_create_bytes",
    "caml_equal",
    "caml_float_of_string",
    "caml_floatarray_append",
    "caml_floatarray_create",
    "caml_floatarray_make",
    "caml_floatarray_make_unboxed",
    "caml_floatarray_sub",
    "caml_format_float",
    "caml_format_int",
    "caml_greaterequal",
    "caml_greaterthan",
    "caml_hash",
    "caml_hash_mix_string",
    "caml_int_of_string",
    "caml_lessequal",
    "caml_lessthan",
    "caml_make_float_vect",
    "caml_make_vect",
    "caml_notequal",
    "caml_string_compare",
    "caml_string_equal",
    "caml_string_greaterequal",
    "caml_string_greaterthan",
    "caml_string_hash",
    "caml_string_lessequal",
    "caml_string_lessthan",
    "caml_string_notequal",
];

/// Functions that make a string of a number by a format of C, and fail if it is none. In alphabetical order.
const FORMATTING: &[&str] = &[
    "caml_format_float",
    "caml_format_int",
    "caml_int32_format",
    "caml_int64_format",
    "caml_nativeint_format",
];

impl External {
    /// Whether it says by its name that it makes blocks shorter: `caml_obj_truncate`, until OCaml 5, and the like.
    #[must_use]
    pub fn shortens(&self) -> bool {
        self.name.contains("truncate") || self.name.contains("shrink")
    }

    /// Whether it is a function of its arguments alone, without any effect.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        let is_unboxed = |repr: &NativeRepr| *repr != NativeRepr::Value && repr.kind() != Kind::Value;
        !self.alloc
            && is_unboxed(&self.result)
            && self.args.iter().all(is_unboxed)
            && PURE.binary_search(&self.name.as_str()).is_ok()
    }

    /// Whether it makes a string of a number, by a format that is known to be one for such numbers: all that it does is
    /// to allocate the string.
    #[must_use]
    pub fn prints_number(&self) -> bool {
        self.tested && FORMATTING.binary_search(&self.name.as_str()).is_ok()
    }

    /// Whether the stock code generator has an instruction for it, so that there is no call.
    #[must_use]
    pub fn is_instruction(&self) -> bool {
        self.is_pure() && self.name == "sqrt"
    }

    /// What it writes.
    #[must_use]
    pub fn writes(&self) -> Written {
        match self.name.as_str() {
            "caml_blit_bytes" | "caml_blit_string" | "caml_fill_bytes" => Written::Bytes,
            "caml_array_blit"
            | "caml_array_fill"
            | "caml_floatarray_blit"
            | "caml_floatarray_fill"
            | "caml_floatarray_fill_unboxed" => Written::Blocks,
            name if READING.binary_search(&name).is_ok() || self.is_pure() || self.prints_number() => {
                Written::Nothing
            }
            _ => Written::Anything,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_searched_for() {
        assert!(PURE.is_sorted() && READING.is_sorted() && FORMATTING.is_sorted());
    }
}
