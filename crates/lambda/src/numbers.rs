//! The numbers by which a request is written, but for primitives (`prim.rs`): each table names what has a number, from
//! 0 on. The OCaml side has them by the same names, in `ocaml/front/lambda_numbers.ml`, which is made from these tables
//! (`tests/numbers.rs`).

use crate::prim::*;
use crate::term::*;
use flambeau_wire::{DecodeError, Reader};

/// A row: the function that reads it, which names it on the OCaml side too, the type, and its cases.
macro_rules! enumerations {
    ($( $read:ident: $type:ident { $($case:ident)* } )*) => {
        $( pub(crate) fn $read(r: &mut Reader) -> Result<$type, DecodeError> {
            const ALL: &[$type] = &[$($type::$case),*];
            let at = r.byte()?;
            ALL.get(usize::from(at)).copied().ok_or_else(|| r.error(concat!("no such ", stringify!($type))))
        } )*

        const ENUMERATIONS: &[(&str, &[&str])] = &[$((stringify!($read), &[$(stringify!($case)),*])),*];
    };
}

/// A row: a module of constants, and their names.
macro_rules! numbers {
    ($( $module:ident { $($name:ident)* } )*) => {
        $( #[allow(non_upper_case_globals)]
        pub(crate) mod $module {
            enum Number { $($name),* }
            $( pub(crate) const $name: u8 = Number::$name as u8; )*
        } )*

        const NUMBERS: &[(&str, &[&str])] = &[$((stringify!($module), &[$(stringify!($name)),*])),*];
    };
}

enumerations! {
    integer_comparison: IntComparison { Eq Ne Lt Gt Le Ge }
    float_comparison: FloatComparison { Eq Neq Lt Nlt Gt Ngt Le Nle Ge Nge }
    array_kind: ArrayKind { Gen Addr Int Float }
    boxed_integer: BoxedInteger { Nativeint Int32 Int64 }
    record_representation: RecordRepresentation { Regular Float Unboxed Inlined Extension }
    initialization: Initialization { Assignment Heap Root }
    raise_kind: RaiseKind { Regular Reraise Notrace }
    bigarray_kind: BigarrayKind {
        Unknown Float32 Float64 Sint8 Uint8 Sint16 Uint16 Int32 Int64 CamlInt NativeInt Complex32 Complex64
    }
    bigarray_layout: BigarrayLayout { Unknown C Fortran }
    compile_time_constant: CtConst {
        BigEndian WordSize IntSize MaxWosize OstypeUnix OstypeWin32 OstypeCygwin BackendType
    }
    native_representation: NativeRepr { Value Float Nativeint Int32 Int64 Untagged }
    access_width: AccessWidth { W16 W32 W64 }
    field_mutability: FieldMutability { Unknown Immutable Mutable }
    value_kind: ValueKind { Generic Float Int Nativeint Int32 Int64 }
    specialise: Specialise { Default Always Never }
    local: Local { Default Always Never }
    tailcall: Tailcall { Default Expected NotExpected }
    let_kind: LetKind { Strict Alias StrictOpt }
    method_kind: MethodKind { SelfMethod Public Cached }
}

numbers! {
    node {
        Var MutVar Const Apply Function Let MutLet LetRec Prim Switch StringSwitch StaticRaise StaticCatch TryWith
        IfThenElse Sequence While For Assign Send Event IfUsed SymbolCall
        TypedPrim TypedApply
    }
    constant { Int Float Int32 Int64 Nativeint SharedString Block FloatArray OwnString }
    inline { Default Always Never Hint Unroll }
    type_term {
        Unknown Immediate Float String Bytes Int32 Int64 Nativeint Array FloatRecord Variant PolymorphicVariant
    }
    arg_type { Unknown Value Array Block Enclosing Function Variable Bigarray }
}

/// What each table is called, with the names of its cases.
pub fn tables() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    [("opcode", NAMES)].into_iter().chain(ENUMERATIONS.iter().copied()).chain(NUMBERS.iter().copied())
}
