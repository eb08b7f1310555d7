//! The numbers by which high-level Cmm is written: each table names what has a number, from 0 on. The OCaml side reads
//! them by the same names: `ocaml/back/cmm_codes.ml` is generated from these tables (`tests/codes.rs`), and OCaml's
//! compiler names every `match` there that does not know one.

use flambeau_ir::kind::{BoxedKind, IntKind, Kind};
use flambeau_ir::prim::*;
use flambeau_ir::term::RaiseKind;

use crate::tree::{Data, DataField, Expr, Machtype, Place, SendKind};

/// What is written as a number.
pub trait Code {
    /// Its number.
    fn code(&self) -> u8;
}

impl Code for Prim {
    fn code(&self) -> u8 {
        self.number() as u8
    }
}

/// A row: a Rust type, what it is called in OCaml, and its cases with their names. Cases that mean the same have one
/// name.
macro_rules! codes {
    ($( $type:ty, $ocaml:literal { $($name:ident = $case:pat,)* } )*) => {
        $( impl Code for $type {
            fn code(&self) -> u8 {
                enum Number { $($name),* }
                match self { $($case => Number::$name as u8),* }
            }
        } )*

        /// What each table is called in OCaml, with the names of its cases.
        pub const TABLES: &[(&str, &[&str])] =
            &[("primitive", Prim::NAMES), $(($ocaml, &[$(stringify!($name)),*])),*];
    };
}

codes! {
    Mutability, "mutability" {
        Immutable = Mutability::Immutable | Mutability::ImmutableUnique,
        Mutable = Mutability::Mutable | Mutability::Unknown | Mutability::Declared,
    }
    Init, "initialization" { Assignment = Init::Assignment, Heap = Init::Heap, Root = Init::Root, }
    ArrayKind, "array_kind" {
        Generic = ArrayKind::Generic, Addr = ArrayKind::Addr | ArrayKind::Rows, Int = ArrayKind::Int,
        Float = ArrayKind::Float,
    }
    StringKind, "string_kind" {
        String = StringKind::String, Bytes = StringKind::Bytes, Bigstring = StringKind::Bigstring,
    }
    Width, "width" { W8 = Width::W8, W16 = Width::W16, W32 = Width::W32, W64 = Width::W64, }
    BigarrayKind, "bigarray_kind" {
        Float32 = BigarrayKind::Float32, Float64 = BigarrayKind::Float64, Sint8 = BigarrayKind::Sint8,
        Uint8 = BigarrayKind::Uint8, Sint16 = BigarrayKind::Sint16, Uint16 = BigarrayKind::Uint16,
        Int32 = BigarrayKind::Int32, Int64 = BigarrayKind::Int64, CamlInt = BigarrayKind::CamlInt,
        NativeInt = BigarrayKind::NativeInt, Complex32 = BigarrayKind::Complex32,
        Complex64 = BigarrayKind::Complex64,
    }
    IntKind, "int_kind" {
        Tagged = IntKind::Tagged, Naked = IntKind::Naked, Int32 = IntKind::Int32, Int64 = IntKind::Int64,
        Nativeint = IntKind::Nativeint,
    }
    IntOp, "int_op" {
        Add = IntOp::Add, Sub = IntOp::Sub, Mul = IntOp::Mul, And = IntOp::And, Or = IntOp::Or,
        Xor = IntOp::Xor,
    }
    ShiftOp, "shift_op" { Lsl = ShiftOp::Lsl, Lsr = ShiftOp::Lsr, Asr = ShiftOp::Asr, }
    IntCmp, "int_comparison" {
        Eq = IntCmp::Eq, Ne = IntCmp::Ne, Lt = IntCmp::Lt, Le = IntCmp::Le, Gt = IntCmp::Gt, Ge = IntCmp::Ge,
        UnsignedLt = IntCmp::UnsignedLt,
    }
    FloatOp, "float_op" { Add = FloatOp::Add, Sub = FloatOp::Sub, Mul = FloatOp::Mul, Div = FloatOp::Div, }
    FloatCmp, "float_comparison" {
        Eq = FloatCmp::Eq, Ne = FloatCmp::Ne, Lt = FloatCmp::Lt, NotLt = FloatCmp::NotLt, Gt = FloatCmp::Gt,
        NotGt = FloatCmp::NotGt, Le = FloatCmp::Le, NotLe = FloatCmp::NotLe, Ge = FloatCmp::Ge,
        NotGe = FloatCmp::NotGe,
    }
    BoxedKind, "boxed_kind" {
        Float = BoxedKind::Float, Int32 = BoxedKind::Int32, Int64 = BoxedKind::Int64,
        Nativeint = BoxedKind::Nativeint,
    }
    Kind, "kind" {
        Value = Kind::Value, NakedImmediate = Kind::NakedImmediate, NakedFloat = Kind::NakedFloat,
        NakedInt32 = Kind::NakedInt32, NakedInt64 = Kind::NakedInt64, NakedNativeint = Kind::NakedNativeint,
    }
    NativeRepr, "native_repr" {
        AsValue = NativeRepr::Value, AsFloat = NativeRepr::Unboxed(BoxedKind::Float),
        AsInt32 = NativeRepr::Unboxed(BoxedKind::Int32), AsInt64 = NativeRepr::Unboxed(BoxedKind::Int64),
        AsNativeint = NativeRepr::Unboxed(BoxedKind::Nativeint), AsUntagged = NativeRepr::Untagged,
    }
    Machtype, "machtype" { Val = Machtype::Val, Int = Machtype::Int, Float = Machtype::Float, }
    SendKind, "send_kind" {
        SelfMethod = SendKind::SelfMethod, Public = SendKind::Public, Cached = SendKind::Cached,
    }
    RaiseKind, "raise_kind" {
        Regular = RaiseKind::Regular, Reraise = RaiseKind::Reraise, NoTrace = RaiseKind::NoTrace,
    }
    Expr, "expression" {
        Int = Expr::Int(_), Float = Expr::Float(_), Symbol = Expr::Symbol(_), Var = Expr::Var(_),
        Let = Expr::Let { .. }, LetMut = Expr::LetMut { .. }, Assign = Expr::Assign { .. },
        Seq = Expr::Seq(..), If = Expr::If { .. }, Switch = Expr::Switch { .. },
        StringSwitch = Expr::StringSwitch { .. }, Catch = Expr::Catch { .. }, Exit = Expr::Exit { .. },
        Try = Expr::Try { .. }, Prim = Expr::Prim { .. }, DirectCall = Expr::DirectCall { .. },
        GenericCall = Expr::GenericCall { .. }, Send = Expr::Send { .. }, Raise = Expr::Raise { .. },
        Closures = Expr::Closures { .. }, Offset = Expr::Offset { .. }, SlotLoad = Expr::SlotLoad { .. },
        IsClosureOf = Expr::IsClosureOf { .. }, Unreachable = Expr::Unreachable,
        BytecodeAlone = Expr::Boxed { .. } | Expr::Code(_) | Expr::Functions { .. } | Expr::Member { .. }
            | Expr::Checked { .. },
    }
    Data, "data" {
        Block = Data::Block { .. }, BoxedFloat = Data::Float { .. }, BoxedInt32 = Data::Int32 { .. },
        BoxedInt64 = Data::Int64 { .. }, BoxedNativeint = Data::Nativeint { .. },
        StringData = Data::String { .. }, FloatArray = Data::FloatArray { .. },
        SetOfClosures = Data::Closures { .. }, Preallocated = Data::Preallocated { .. },
    }
    DataField, "data_field" { Address = DataField::Symbol(_), Word = DataField::Word(_), }
    Place, "place" { Inlined = Place::Inlined(_), Foreign = Place::Foreign(_), }
}
