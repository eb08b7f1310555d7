//! Lambda's primitives and their opcodes: the table at the end of this file is the reference for both sides. The OCaml
//! side has its opcodes by name, in `ocaml/front/lambda_numbers.ml`, which is made from the table (`tests/numbers.rs`).

use crate::numbers::*;
use flambeau_wire::{DecodeError, Reader};

/// `Lambda.integer_comparison`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntComparison {
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
}

/// `Lambda.float_comparison`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatComparison {
    Eq,
    Neq,
    Lt,
    Nlt,
    Gt,
    Ngt,
    Le,
    Nle,
    Ge,
    Nge,
}

/// `Lambda.array_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayKind {
    Gen,
    Addr,
    Int,
    Float,
}

/// `Lambda.boxed_integer`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoxedInteger {
    Nativeint,
    Int32,
    Int64,
}

/// `Types.record_representation`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordRepresentation {
    Regular,
    Float,
    Unboxed,
    Inlined,
    Extension,
}

/// `Lambda.initialization_or_assignment`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Initialization {
    Assignment,
    Heap,
    Root,
}

/// `Lambda.raise_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RaiseKind {
    Regular,
    Reraise,
    Notrace,
}

/// `Lambda.bigarray_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BigarrayKind {
    Unknown,
    Float32,
    Float64,
    Sint8,
    Uint8,
    Sint16,
    Uint16,
    Int32,
    Int64,
    CamlInt,
    NativeInt,
    Complex32,
    Complex64,
}

/// `Lambda.bigarray_layout`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BigarrayLayout {
    Unknown,
    C,
    Fortran,
}

/// `Lambda.compile_time_constant`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CtConst {
    BigEndian,
    WordSize,
    IntSize,
    MaxWosize,
    OstypeUnix,
    OstypeWin32,
    OstypeCygwin,
    BackendType,
}

/// `Primitive.native_repr`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NativeRepr {
    Value,
    Float,
    Nativeint,
    Int32,
    Int64,
    Untagged,
}

/// `Primitive.description`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct External {
    /// As in the source: the bytecode entry point.
    pub name: String,
    /// The native entry point: `name` unless another is declared.
    pub native_name: String,
    /// The number of arguments declared; 0 for the compiler's own (any number).
    pub arity: u32,
    /// May allocate or raise.
    pub alloc: bool,
    /// One for each argument; empty: all are values.
    pub args: Vec<NativeRepr>,
    /// The result.
    pub result: NativeRepr,
}

/// The width of `Pstring_load_16` and its like.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessWidth {
    W16,
    W32,
    W64,
}

/// What the front end knows of a field that is read; before OCaml 5 nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FieldMutability {
    Unknown,
    Immutable,
    Mutable,
}

/// `Lambda.primitive`. Booleans named `safe` are true where the front end wants a check.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    BytesToString,
    BytesOfString,
    Ignore,
    /// A unit or predefined exception: index into the request's imports.
    GetGlobal(u32),
    SetGlobal(u32),
    MakeBlock {
        tag: u32,
        mutable: bool,
    },
    Field {
        field: u32,
        mutability: FieldMutability,
    },
    FieldComputed,
    SetField {
        field: u32,
        pointer: bool,
        init: Initialization,
    },
    SetFieldComputed {
        pointer: bool,
        init: Initialization,
    },
    FloatField(u32),
    SetFloatField {
        field: u32,
        init: Initialization,
    },
    DupRecord {
        repr: RecordRepresentation,
        size: u32,
    },
    CCall(Box<External>),
    Raise(RaiseKind),
    SeqAnd,
    SeqOr,
    Not,
    NegInt,
    AddInt,
    SubInt,
    MulInt,
    DivInt {
        safe: bool,
    },
    ModInt {
        safe: bool,
    },
    AndInt,
    OrInt,
    XorInt,
    LslInt,
    LsrInt,
    AsrInt,
    IntComp(IntComparison),
    CompareInts,
    CompareFloats,
    CompareBints(BoxedInteger),
    OffsetInt(i64),
    OffsetRef(i64),
    IntOfFloat,
    FloatOfInt,
    NegFloat,
    AbsFloat,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    FloatComp(FloatComparison),
    StringLength,
    StringRef {
        safe: bool,
    },
    BytesLength,
    BytesRef {
        safe: bool,
    },
    BytesSet {
        safe: bool,
    },
    MakeArray {
        kind: ArrayKind,
        mutable: bool,
    },
    DupArray {
        kind: ArrayKind,
        mutable: bool,
    },
    ArrayLength(ArrayKind),
    ArrayRef {
        kind: ArrayKind,
        safe: bool,
    },
    ArraySet {
        kind: ArrayKind,
        safe: bool,
    },
    IsInt,
    IsOut,
    BintOfInt(BoxedInteger),
    IntOfBint(BoxedInteger),
    CvtBint {
        from: BoxedInteger,
        to: BoxedInteger,
    },
    NegBint(BoxedInteger),
    AddBint(BoxedInteger),
    SubBint(BoxedInteger),
    MulBint(BoxedInteger),
    DivBint {
        kind: BoxedInteger,
        safe: bool,
    },
    ModBint {
        kind: BoxedInteger,
        safe: bool,
    },
    AndBint(BoxedInteger),
    OrBint(BoxedInteger),
    XorBint(BoxedInteger),
    LslBint(BoxedInteger),
    LsrBint(BoxedInteger),
    AsrBint(BoxedInteger),
    BintComp {
        kind: BoxedInteger,
        op: IntComparison,
    },
    BigarrayRef {
        safe: bool,
        dims: u32,
        kind: BigarrayKind,
        layout: BigarrayLayout,
    },
    BigarraySet {
        safe: bool,
        dims: u32,
        kind: BigarrayKind,
        layout: BigarrayLayout,
    },
    BigarrayDim(u32),
    StringLoad {
        width: AccessWidth,
        safe: bool,
    },
    BytesLoad {
        width: AccessWidth,
        safe: bool,
    },
    BytesStore {
        width: AccessWidth,
        safe: bool,
    },
    BigstringLoad {
        width: AccessWidth,
        safe: bool,
    },
    BigstringStore {
        width: AccessWidth,
        safe: bool,
    },
    CtConst(CtConst),
    Bswap16,
    Bbswap(BoxedInteger),
    IntAsPointer,
    Opaque,
    /// The tag of a block.
    BlockTag,
}

fn external(r: &mut Reader) -> Result<External, DecodeError> {
    let name = r.string()?;
    let native_name = r.string()?;
    let arity = r.u32()?;
    let alloc = r.bool()?;
    let args = r.list(native_representation)?;
    let result = native_representation(r)?;
    Ok(External { name, native_name, arity, alloc, args, result })
}

/// A row: a primitive, and how its data are read, in the order in which they are written. Its opcode is its place.
macro_rules! primitives {
    ($r:ident => $( $name:ident $({ $($field:ident: $datum:expr),* })? $(($value:expr))?; )*) => {
        /// The names of all primitives, without their data, in the order of their opcodes.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        #[allow(non_upper_case_globals)]
        mod opcode {
            enum Number { $($name),* }
            $( pub const $name: u8 = Number::$name as u8; )*
        }

        impl Primitive {
            /// Reads a primitive: an opcode byte, then its data.
            ///
            /// # Errors
            /// When no primitive has the opcode, or its data are not there.
            pub fn decode($r: &mut Reader) -> Result<Primitive, DecodeError> {
                Ok(match $r.byte()? {
                    $( opcode::$name => Primitive::$name $({ $($field: $datum?),* })? $(($value?))?, )*
                    code => return Err($r.error(format!("no primitive has the opcode {code}"))),
                })
            }
        }
    };
}

primitives! { r =>
    BytesToString;
    BytesOfString;
    Ignore;
    GetGlobal(r.u32());
    SetGlobal(r.u32());
    MakeBlock { tag: r.u32(), mutable: r.bool() };
    Field { field: r.u32(), mutability: field_mutability(r) };
    FieldComputed;
    SetField { field: r.u32(), pointer: r.bool(), init: initialization(r) };
    SetFieldComputed { pointer: r.bool(), init: initialization(r) };
    FloatField(r.u32());
    SetFloatField { field: r.u32(), init: initialization(r) };
    DupRecord { repr: record_representation(r), size: r.u32() };
    CCall(external(r).map(Box::new));
    Raise(raise_kind(r));
    SeqAnd;
    SeqOr;
    Not;
    NegInt;
    AddInt;
    SubInt;
    MulInt;
    DivInt { safe: r.bool() };
    ModInt { safe: r.bool() };
    AndInt;
    OrInt;
    XorInt;
    LslInt;
    LsrInt;
    AsrInt;
    IntComp(integer_comparison(r));
    CompareInts;
    CompareFloats;
    CompareBints(boxed_integer(r));
    OffsetInt(r.i64());
    OffsetRef(r.i64());
    IntOfFloat;
    FloatOfInt;
    NegFloat;
    AbsFloat;
    AddFloat;
    SubFloat;
    MulFloat;
    DivFloat;
    FloatComp(float_comparison(r));
    StringLength;
    StringRef { safe: r.bool() };
    BytesLength;
    BytesRef { safe: r.bool() };
    BytesSet { safe: r.bool() };
    MakeArray { kind: array_kind(r), mutable: r.bool() };
    DupArray { kind: array_kind(r), mutable: r.bool() };
    ArrayLength(array_kind(r));
    ArrayRef { kind: array_kind(r), safe: r.bool() };
    ArraySet { kind: array_kind(r), safe: r.bool() };
    IsInt;
    IsOut;
    BintOfInt(boxed_integer(r));
    IntOfBint(boxed_integer(r));
    CvtBint { from: boxed_integer(r), to: boxed_integer(r) };
    NegBint(boxed_integer(r));
    AddBint(boxed_integer(r));
    SubBint(boxed_integer(r));
    MulBint(boxed_integer(r));
    DivBint { kind: boxed_integer(r), safe: r.bool() };
    ModBint { kind: boxed_integer(r), safe: r.bool() };
    AndBint(boxed_integer(r));
    OrBint(boxed_integer(r));
    XorBint(boxed_integer(r));
    LslBint(boxed_integer(r));
    LsrBint(boxed_integer(r));
    AsrBint(boxed_integer(r));
    BintComp { kind: boxed_integer(r), op: integer_comparison(r) };
    BigarrayRef { safe: r.bool(), dims: r.u32(), kind: bigarray_kind(r), layout: bigarray_layout(r) };
    BigarraySet { safe: r.bool(), dims: r.u32(), kind: bigarray_kind(r), layout: bigarray_layout(r) };
    BigarrayDim(r.u32());
    StringLoad { width: access_width(r), safe: r.bool() };
    BytesLoad { width: access_width(r), safe: r.bool() };
    BytesStore { width: access_width(r), safe: r.bool() };
    BigstringLoad { width: access_width(r), safe: r.bool() };
    BigstringStore { width: access_width(r), safe: r.bool() };
    CtConst(compile_time_constant(r));
    Bswap16;
    Bbswap(boxed_integer(r));
    IntAsPointer;
    Opaque;
    BlockTag;
}
