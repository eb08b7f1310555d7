//! Lambda's primitives and their opcodes. This file is the reference for both sides: the opcode of a
//! primitive is its number in [`Primitive::decode`], its data follow in the order of its fields.

use crate::reader::{DecodeError, Reader};

/// `Lambda.integer_comparison`, in order: eq 0, ne 1, lt 2, gt 3, le 4, ge 5.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntComparison {
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
}

/// `Lambda.float_comparison`, in order: eq 0, neq 1, lt 2, nlt 3, gt 4, ngt 5, le 6, nle 7, ge 8, nge 9.
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

/// `Lambda.array_kind`: gen 0, addr 1, int 2, float 3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayKind {
    Gen,
    Addr,
    Int,
    Float,
}

/// `Lambda.boxed_integer`: nativeint 0, int32 1, int64 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoxedInteger {
    Nativeint,
    Int32,
    Int64,
}

/// `Types.record_representation`: regular 0, float 1, unboxed 2, inlined 3, extension 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordRepresentation {
    Regular,
    Float,
    Unboxed,
    Inlined,
    Extension,
}

/// `Lambda.initialization_or_assignment`: assignment 0, heap 1, root 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Initialization {
    Assignment,
    Heap,
    Root,
}

/// `Lambda.raise_kind`: regular 0, reraise 1, notrace 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RaiseKind {
    Regular,
    Reraise,
    Notrace,
}

/// `Lambda.bigarray_kind`, in order from unknown 0 to complex64 12.
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

/// `Lambda.bigarray_layout`: unknown 0, C 1, Fortran 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BigarrayLayout {
    Unknown,
    C,
    Fortran,
}

/// `Lambda.compile_time_constant`, in order: big-endian 0, word size 1, int size 2, max wosize 3, unix 4,
/// win32 5, cygwin 6, backend type 7.
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

/// `Primitive.native_repr`: same as OCaml 0, float 1, nativeint 2, int32 3, int64 4, untagged 5.
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
    /// The native entry point (the same as `name` unless another is declared).
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

/// The width of `Pstring_load_16` and its like: 16 bits 0, 32 bits 1, 64 bits 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessWidth {
    W16,
    W32,
    W64,
}

/// What the front end knows of a field that is read: unknown 0 (before OCaml 5), immutable 1, mutable 2.
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
}

macro_rules! byte_enum {
    ($read:ident, $ty:ident, $($variant:ident),+) => {
        fn $read(r: &mut Reader) -> Result<$ty, DecodeError> {
            const ALL: &[$ty] = &[$($ty::$variant),+];
            let at = r.byte()?;
            ALL.get(at as usize).copied().ok_or_else(|| r.error(concat!("no such ", stringify!($ty))))
        }
    };
}

byte_enum!(int_comparison, IntComparison, Eq, Ne, Lt, Gt, Le, Ge);
byte_enum!(float_comparison, FloatComparison, Eq, Neq, Lt, Nlt, Gt, Ngt, Le, Nle, Ge, Nge);
byte_enum!(array_kind, ArrayKind, Gen, Addr, Int, Float);
byte_enum!(boxed_integer, BoxedInteger, Nativeint, Int32, Int64);
byte_enum!(record_representation, RecordRepresentation, Regular, Float, Unboxed, Inlined, Extension);
byte_enum!(initialization, Initialization, Assignment, Heap, Root);
byte_enum!(raise_kind, RaiseKind, Regular, Reraise, Notrace);
byte_enum!(
    bigarray_kind,
    BigarrayKind,
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
    Complex64
);
byte_enum!(field_mutability, FieldMutability, Unknown, Immutable, Mutable);
byte_enum!(bigarray_layout, BigarrayLayout, Unknown, C, Fortran);
byte_enum!(
    ct_const,
    CtConst,
    BigEndian,
    WordSize,
    IntSize,
    MaxWosize,
    OstypeUnix,
    OstypeWin32,
    OstypeCygwin,
    BackendType
);
byte_enum!(native_repr, NativeRepr, Value, Float, Nativeint, Int32, Int64, Untagged);
byte_enum!(access_width, AccessWidth, W16, W32, W64);

fn external(r: &mut Reader) -> Result<External, DecodeError> {
    let name = r.string()?;
    let native_name = r.string()?;
    let arity = r.u32()?;
    let alloc = r.bool()?;
    let args = r.list(native_repr)?;
    let result = native_repr(r)?;
    Ok(External { name, native_name, arity, alloc, args, result })
}

impl Primitive {
    /// Reads a primitive: an opcode byte, then its data.
    pub fn decode(r: &mut Reader) -> Result<Primitive, DecodeError> {
        use Primitive::*;
        Ok(match r.byte()? {
            0 => BytesToString,
            1 => BytesOfString,
            2 => Ignore,
            3 => GetGlobal(r.u32()?),
            4 => SetGlobal(r.u32()?),
            5 => MakeBlock { tag: r.u32()?, mutable: r.bool()? },
            6 => Field { field: r.u32()?, mutability: field_mutability(r)? },
            7 => FieldComputed,
            8 => SetField { field: r.u32()?, pointer: r.bool()?, init: initialization(r)? },
            9 => SetFieldComputed { pointer: r.bool()?, init: initialization(r)? },
            10 => FloatField(r.u32()?),
            11 => SetFloatField { field: r.u32()?, init: initialization(r)? },
            12 => DupRecord { repr: record_representation(r)?, size: r.u32()? },
            13 => CCall(Box::new(external(r)?)),
            14 => Raise(raise_kind(r)?),
            15 => SeqAnd,
            16 => SeqOr,
            17 => Not,
            18 => NegInt,
            19 => AddInt,
            20 => SubInt,
            21 => MulInt,
            22 => DivInt { safe: r.bool()? },
            23 => ModInt { safe: r.bool()? },
            24 => AndInt,
            25 => OrInt,
            26 => XorInt,
            27 => LslInt,
            28 => LsrInt,
            29 => AsrInt,
            30 => IntComp(int_comparison(r)?),
            31 => CompareInts,
            32 => CompareFloats,
            33 => CompareBints(boxed_integer(r)?),
            34 => OffsetInt(r.i64()?),
            35 => OffsetRef(r.i64()?),
            36 => IntOfFloat,
            37 => FloatOfInt,
            38 => NegFloat,
            39 => AbsFloat,
            40 => AddFloat,
            41 => SubFloat,
            42 => MulFloat,
            43 => DivFloat,
            44 => FloatComp(float_comparison(r)?),
            45 => StringLength,
            46 => StringRef { safe: r.bool()? },
            47 => BytesLength,
            48 => BytesRef { safe: r.bool()? },
            49 => BytesSet { safe: r.bool()? },
            50 => MakeArray { kind: array_kind(r)?, mutable: r.bool()? },
            51 => DupArray { kind: array_kind(r)?, mutable: r.bool()? },
            52 => ArrayLength(array_kind(r)?),
            53 => ArrayRef { kind: array_kind(r)?, safe: r.bool()? },
            54 => ArraySet { kind: array_kind(r)?, safe: r.bool()? },
            55 => IsInt,
            56 => IsOut,
            57 => BintOfInt(boxed_integer(r)?),
            58 => IntOfBint(boxed_integer(r)?),
            59 => CvtBint { from: boxed_integer(r)?, to: boxed_integer(r)? },
            60 => NegBint(boxed_integer(r)?),
            61 => AddBint(boxed_integer(r)?),
            62 => SubBint(boxed_integer(r)?),
            63 => MulBint(boxed_integer(r)?),
            64 => DivBint { kind: boxed_integer(r)?, safe: r.bool()? },
            65 => ModBint { kind: boxed_integer(r)?, safe: r.bool()? },
            66 => AndBint(boxed_integer(r)?),
            67 => OrBint(boxed_integer(r)?),
            68 => XorBint(boxed_integer(r)?),
            69 => LslBint(boxed_integer(r)?),
            70 => LsrBint(boxed_integer(r)?),
            71 => AsrBint(boxed_integer(r)?),
            72 => BintComp { kind: boxed_integer(r)?, op: int_comparison(r)? },
            73 => BigarrayRef {
                safe: r.bool()?,
                dims: r.u32()?,
                kind: bigarray_kind(r)?,
                layout: bigarray_layout(r)?,
            },
            74 => BigarraySet {
                safe: r.bool()?,
                dims: r.u32()?,
                kind: bigarray_kind(r)?,
                layout: bigarray_layout(r)?,
            },
            75 => BigarrayDim(r.u32()?),
            76 => StringLoad { width: access_width(r)?, safe: r.bool()? },
            77 => BytesLoad { width: access_width(r)?, safe: r.bool()? },
            78 => BytesStore { width: access_width(r)?, safe: r.bool()? },
            79 => BigstringLoad { width: access_width(r)?, safe: r.bool()? },
            80 => BigstringStore { width: access_width(r)?, safe: r.bool()? },
            81 => CtConst(ct_const(r)?),
            82 => Bswap16,
            83 => Bbswap(boxed_integer(r)?),
            84 => IntAsPointer,
            85 => Opaque,
            code => return Err(r.error(format!("no primitive has the opcode {code}"))),
        })
    }
}
