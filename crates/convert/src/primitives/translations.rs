//! The IR's counterparts of Lambda's constants, comparisons and representations.

use flambeau_ir::prim::{self as ir, FloatCmp, Init, IntCmp};
use flambeau_ir::{BoxedKind, Const, IntKind, Simple};
use flambeau_lambda::prim::{
    self as lambda, AccessWidth, BoxedInteger, CtConst, Initialization, IntComparison, NativeRepr,
};

pub(super) fn zero(kind: BoxedInteger) -> Simple {
    Simple::Const(match kind {
        BoxedInteger::Int32 => Const::NakedInt32(0),
        BoxedInteger::Int64 => Const::NakedInt64(0),
        BoxedInteger::Nativeint => Const::NakedNativeint(0),
    })
}

/// Constants of the target: amd64, Unix, native.
pub(super) fn ct_const(constant: CtConst) -> Simple {
    Simple::tagged(match constant {
        CtConst::BigEndian => 0,
        CtConst::WordSize => 64,
        CtConst::IntSize => 63,
        CtConst::MaxWosize => (1 << 54) - 1,
        CtConst::OstypeUnix => 1,
        CtConst::OstypeWin32 | CtConst::OstypeCygwin => 0,
        CtConst::BackendType => 0,
    })
}

/// The function of the runtime that says it, where code runs on any target.
pub(super) fn ct_function(constant: CtConst) -> &'static str {
    match constant {
        CtConst::BigEndian => "caml_sys_const_big_endian",
        CtConst::WordSize => "caml_sys_const_word_size",
        CtConst::IntSize => "caml_sys_const_int_size",
        CtConst::MaxWosize => "caml_sys_const_max_wosize",
        CtConst::OstypeUnix => "caml_sys_const_ostype_unix",
        CtConst::OstypeWin32 => "caml_sys_const_ostype_win32",
        CtConst::OstypeCygwin => "caml_sys_const_ostype_cygwin",
        CtConst::BackendType => "caml_sys_const_backend_type",
    }
}

pub(super) fn boxed_kind(kind: BoxedInteger) -> BoxedKind {
    match kind {
        BoxedInteger::Nativeint => BoxedKind::Nativeint,
        BoxedInteger::Int32 => BoxedKind::Int32,
        BoxedInteger::Int64 => BoxedKind::Int64,
    }
}

pub(super) fn int_kind(kind: BoxedInteger) -> IntKind {
    match kind {
        BoxedInteger::Nativeint => IntKind::Nativeint,
        BoxedInteger::Int32 => IntKind::Int32,
        BoxedInteger::Int64 => IntKind::Int64,
    }
}

pub(super) fn int_cmp(op: IntComparison) -> IntCmp {
    match op {
        IntComparison::Eq => IntCmp::Eq,
        IntComparison::Ne => IntCmp::Ne,
        IntComparison::Lt => IntCmp::Lt,
        IntComparison::Gt => IntCmp::Gt,
        IntComparison::Le => IntCmp::Le,
        IntComparison::Ge => IntCmp::Ge,
    }
}

pub(super) fn float_cmp(op: lambda::FloatComparison) -> FloatCmp {
    use lambda::FloatComparison as L;
    match op {
        L::Eq => FloatCmp::Eq,
        L::Neq => FloatCmp::Ne,
        L::Lt => FloatCmp::Lt,
        L::Nlt => FloatCmp::NotLt,
        L::Gt => FloatCmp::Gt,
        L::Ngt => FloatCmp::NotGt,
        L::Le => FloatCmp::Le,
        L::Nle => FloatCmp::NotLe,
        L::Ge => FloatCmp::Ge,
        L::Nge => FloatCmp::NotGe,
    }
}

pub(super) fn init_kind(init: Initialization) -> Init {
    match init {
        Initialization::Assignment => Init::Assignment,
        Initialization::Heap => Init::Heap,
        Initialization::Root => Init::Root,
    }
}

pub(super) fn array_kind(kind: lambda::ArrayKind) -> ir::ArrayKind {
    match kind {
        lambda::ArrayKind::Gen => ir::ArrayKind::Generic,
        lambda::ArrayKind::Addr => ir::ArrayKind::Addr,
        lambda::ArrayKind::Int => ir::ArrayKind::Int,
        lambda::ArrayKind::Float => ir::ArrayKind::Float,
    }
}

pub(super) fn width(width: AccessWidth) -> ir::Width {
    match width {
        AccessWidth::W16 => ir::Width::W16,
        AccessWidth::W32 => ir::Width::W32,
        AccessWidth::W64 => ir::Width::W64,
    }
}

pub(super) fn native_repr(repr: NativeRepr) -> ir::NativeRepr {
    match repr {
        NativeRepr::Value => ir::NativeRepr::Value,
        NativeRepr::Float => ir::NativeRepr::Unboxed(BoxedKind::Float),
        NativeRepr::Nativeint => ir::NativeRepr::Unboxed(BoxedKind::Nativeint),
        NativeRepr::Int32 => ir::NativeRepr::Unboxed(BoxedKind::Int32),
        NativeRepr::Int64 => ir::NativeRepr::Unboxed(BoxedKind::Int64),
        NativeRepr::Untagged => ir::NativeRepr::Untagged,
    }
}
