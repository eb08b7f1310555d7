//! Primitives: what they are. What they take, return and do is one row each in `table.rs`; what passes may ask of them,
//! with the reasons, is in `questions.rs` (`docs/design/primitives.md`).

pub mod bigarray;
mod effects;
mod memory;
mod questions;
mod table;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use effects::Effects;
pub use memory::Classes;
pub use questions::{Crossing, Unknown};
pub use table::{Cost, Kinds, Signature};

use crate::{BoxedKind, IntKind, Kind};

/// Whether contents may change after initialisation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Mutability {
    /// May be assigned.
    Mutable,
    /// Never changes once initialised.
    Immutable,
    /// Contents never change, but physical identity matters (exception identifiers, objects): never
    /// shared, never duplicated.
    ImmutableUnique,
    /// The front end does not say (`Pfield` before OCaml 5): to be read as mutable.
    Unknown,
    /// The front end says that it never changes (`Pfield` since OCaml 5), but programs change such fields through
    /// `Obj`, and rely on it (features G8): only stores to arrays whose elements have a known representation leave it
    /// alone.
    Declared,
}

impl Mutability {
    /// Whether contents may be assigned.
    #[must_use]
    pub const fn may_change(self) -> bool {
        match self {
            Mutability::Mutable | Mutability::Unknown | Mutability::Declared => true,
            Mutability::Immutable | Mutability::ImmutableUnique => false,
        }
    }
}

/// Which store a field takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Init {
    /// A store to a block that may be anywhere in the heap: `caml_modify` for pointers.
    Assignment,
    /// First store in a field of a heap block (`caml_initialize`).
    Heap,
    /// First store in a field of a static, rooted block: a plain store in 4.x.
    Root,
}

/// The representation of arrays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ArrayKind {
    /// Not known: tested at run time (flat if it holds floats).
    Generic,
    /// An array of values which are no floats, maybe pointers.
    Addr,
    /// An array of immediates.
    Int,
    /// An array of blocks, for loads: as `Addr`, and no element is an immediate, since the one loaded is used as an
    /// array there.
    Rows,
    /// Flat, of unboxed floats.
    Float,
}

/// What is read through a string-like access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum StringKind {
    /// `string`: contents never change.
    String,
    /// `bytes`.
    Bytes,
    /// A one-dimensional C-layout bigarray of bytes.
    Bigstring,
}

/// The bytes that a load at an index of a string or bytes may read: the contents; and for a load of a word of it what
/// is in memory up to the end of the last word, zeros behind the contents, and a byte that says how many.
#[must_use]
pub fn loaded_from(contents: &[u8], width: Width, index: i64) -> Cow<'_, [u8]> {
    if width != Width::W64 || index % 8 != 0 {
        return Cow::Borrowed(contents);
    }
    let zeros = 7 - contents.len() % 8;
    let mut words = contents.to_vec();
    words.resize(contents.len() + zeros, 0);
    words.push(zeros as u8);
    Cow::Owned(words)
}

/// The width of a string-like access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Width {
    /// One byte, as a naked immediate.
    W8,
    /// Two bytes in host order, as a naked immediate.
    W16,
    /// Four bytes, as a naked int32.
    W32,
    /// Eight bytes, as a naked int64.
    W64,
}

impl Width {
    /// The number of bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Width::W8 => 1,
            Width::W16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    /// The kind in which the contents are held.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Width::W8 | Width::W16 => Kind::NakedImmediate,
            Width::W32 => Kind::NakedInt32,
            Width::W64 => Kind::NakedInt64,
        }
    }
}

/// Elements of bigarrays. The kind that is not statically known is a C call, never this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BigarrayKind {
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

impl BigarrayKind {
    /// The kind of an element in a register; complex numbers are boxed records.
    #[must_use]
    pub fn kind(self) -> Kind {
        use BigarrayKind::*;
        match self {
            Float32 | Float64 => Kind::NakedFloat,
            Sint8 | Uint8 | Sint16 | Uint16 | CamlInt => Kind::NakedImmediate,
            Int32 => Kind::NakedInt32,
            Int64 => Kind::NakedInt64,
            NativeInt => Kind::NakedNativeint,
            Complex32 | Complex64 => Kind::Value,
        }
    }
}

/// Integer arithmetic that can't fail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

/// Shifts. Amounts outside the width have an unspecified result, but a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ShiftOp {
    Lsl,
    Lsr,
    Asr,
}

/// Comparisons of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum IntCmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    UnsignedLt,
}

impl IntCmp {
    /// The comparison that holds where this one does not, if there is one.
    #[must_use]
    pub fn negated(self) -> Option<IntCmp> {
        Some(match self {
            IntCmp::Eq => IntCmp::Ne,
            IntCmp::Ne => IntCmp::Eq,
            IntCmp::Lt => IntCmp::Ge,
            IntCmp::Le => IntCmp::Gt,
            IntCmp::Gt => IntCmp::Le,
            IntCmp::Ge => IntCmp::Lt,
            IntCmp::UnsignedLt => return None,
        })
    }
}

/// Float arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// Comparisons of floats. The negated ones are not the converse ones: NaN (pitfall 64).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatCmp {
    Eq,
    Ne,
    Lt,
    NotLt,
    Gt,
    NotGt,
    Le,
    NotLe,
    Ge,
    NotGe,
}

impl FloatCmp {
    /// The comparison that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> FloatCmp {
        match self {
            FloatCmp::Eq => FloatCmp::Ne,
            FloatCmp::Ne => FloatCmp::Eq,
            FloatCmp::Lt => FloatCmp::NotLt,
            FloatCmp::NotLt => FloatCmp::Lt,
            FloatCmp::Gt => FloatCmp::NotGt,
            FloatCmp::NotGt => FloatCmp::Gt,
            FloatCmp::Le => FloatCmp::NotLe,
            FloatCmp::NotLe => FloatCmp::Le,
            FloatCmp::Ge => FloatCmp::NotGe,
            FloatCmp::NotGe => FloatCmp::Ge,
        }
    }
}

/// How an argument or the result of a C function is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum NativeRepr {
    /// Passed as an OCaml value.
    Value,
    /// Passed as an unboxed number (`[@unboxed]`).
    Unboxed(BoxedKind),
    /// Passed as an untagged integer (`[@untagged]`).
    Untagged,
}

impl NativeRepr {
    /// The kind in which it is passed.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            NativeRepr::Value => Kind::Value,
            NativeRepr::Unboxed(b) => b.naked(),
            NativeRepr::Untagged => Kind::NakedImmediate,
        }
    }
}

/// A C function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct External {
    /// The symbol of the native entry point.
    pub name: String,
    /// One for each argument.
    pub args: Vec<NativeRepr>,
    /// The result; `caml_update_dummy` and the like return nothing and have `Value` with `no_result`.
    pub result: NativeRepr,
    /// The C function returns `void`: the result is `()`.
    pub no_result: bool,
    /// It may allocate, run the GC or raise (not `[@@noalloc]`).
    pub alloc: bool,
    /// A polymorphic comparison where it has been tested whether both arguments are immediates: they are not. A hash
    /// of a value that is not what its type says: left to the runtime. A number printed by a format that is known.
    pub tested: bool,
}

/// What a polymorphic comparison of the runtime system returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// -1, 0 or 1.
    ThreeWay,
    /// A truth value.
    Test(IntCmp),
}

impl Comparison {
    /// The comparison that the runtime system's function of that name computes.
    #[must_use]
    pub fn named(name: &str) -> Option<Comparison> {
        Some(match name {
            "caml_compare" => Comparison::ThreeWay,
            "caml_equal" => Comparison::Test(IntCmp::Eq),
            "caml_notequal" => Comparison::Test(IntCmp::Ne),
            "caml_lessthan" => Comparison::Test(IntCmp::Lt),
            "caml_lessequal" => Comparison::Test(IntCmp::Le),
            "caml_greaterthan" => Comparison::Test(IntCmp::Gt),
            "caml_greaterequal" => Comparison::Test(IntCmp::Ge),
            _ => return None,
        })
    }

    /// The comparison of strings that a function of the runtime is.
    #[must_use]
    pub fn of_strings(name: &str) -> Option<Comparison> {
        Comparison::named(&format!("caml_{}", name.strip_prefix("caml_string_")?))
    }
}

impl External {
    /// Which polymorphic comparison it is, if it is one.
    #[must_use]
    pub fn comparison(&self) -> Option<Comparison> {
        if self.is_of_two_values() { Comparison::named(&self.name) } else { None }
    }

    /// Which comparison of strings it is, if it is one.
    #[must_use]
    pub fn comparison_of_strings(&self) -> Option<Comparison> {
        if self.is_of_two_values() { Comparison::of_strings(&self.name) } else { None }
    }

    /// Whether it hashes any value, given how much of it, a seed and the value.
    #[must_use]
    pub fn is_hash(&self) -> bool {
        self.name == "caml_hash" && self.args == [NativeRepr::Value; 4] && !self.alloc
    }

    fn is_of_two_values(&self) -> bool {
        self.args.len() == 2
            && self.args.iter().all(|r| *r == NativeRepr::Value)
            && self.result == NativeRepr::Value
    }
}

/// A primitive operation. "index", "length" are tagged integers of kind `Value` unless said otherwise;
/// primitives "for their effect" return the immediate 0 (`()`).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Prim {
    // ---- blocks
    /// Allocates a block of values: (field…) → block.
    MakeBlock { tag: u8, mutability: Mutability },
    /// Allocates a flat block of doubles (float record): (naked float…) → block.
    MakeFloatBlock { mutability: Mutability },
    /// (block) → field.
    BlockLoad { field: u32, mutability: Mutability },
    /// Field of a flat float record: (block) → naked float.
    BlockLoadFloat { field: u32, mutability: Mutability },
    /// (block, value), for its effect. `pointer`: the value may be a pointer.
    BlockStore { field: u32, pointer: bool, init: Init },
    /// (block, naked float), for its effect.
    BlockStoreFloat { field: u32, init: Init },
    /// Allocates a block of naked numbers and immediates, which the collector does not look into, and whose contents
    /// are unspecified: () → block. Its immediates are accessed by [`Prim::BlockLoad`] and [`Prim::BlockStore`].
    MakeNakedBlock { fields: u32 },
    /// A number in such a block: (block) → naked number.
    NakedLoad { field: u32, kind: BoxedKind },
    /// (block, naked number), for its effect.
    NakedStore { field: u32, kind: BoxedKind },
    /// (block, index) → field, nothing known of the block.
    BlockLoadComputed,
    /// (block, index, value), for its effect.
    BlockStoreComputed { pointer: bool, init: Init },
    /// A part of a function's result that no register is left for: (slots, value), for its effect, before it returns.
    /// The slots are static data of the unit, or a constant that stands for those of the domain. The collector never
    /// looks at them: nothing may come between this, the return, and [`Prim::LoadResult`], that might run it.
    StoreResult { part: u32, kind: Kind },
    /// Takes such a part, right after the call: (the slots) → value.
    LoadResult { part: u32, kind: Kind },
    /// A shallow copy of a block or array of any representation: (block) → block.
    Duplicate { mutability: Mutability },
    /// Adds to an `int ref`: (block), for its effect.
    OffsetRef { amount: i64 },
    /// (value) → naked immediate 0 or 1.
    IsInt,
    /// (block) → naked immediate.
    GetTag,
    /// Are the two words the same: (value, value) → naked immediate.
    PhysEqual { negated: bool },

    // ---- arrays
    /// Allocates a non-empty array: (element…) → array; elements are naked floats for `Float`.
    MakeArray { kind: ArrayKind, mutability: Mutability },
    /// (array) → length.
    ArrayLength { kind: ArrayKind },
    /// Without check: (array, index) → element; a naked float for `Float`.
    ArrayLoad { kind: ArrayKind },
    /// Without check: (array, index, element), for its effect; a naked float for `Float`.
    ArrayStore { kind: ArrayKind },
    /// An element of an array of floats, taken as the number that its bits are as those of an `int64`:
    /// (array, index) → naked number. Unspecified if there is no such number of the kind.
    ArrayLoadBits { kind: BoxedKind },
    /// Stores such bits: (array, index, naked number), for its effect.
    ArrayStoreBits { kind: BoxedKind },
    /// (length, index): raises `Invalid_argument "index out of bounds"` unless
    /// 0 ≤ index and index + `width` ≤ length (the width in units of the length). For its effect.
    CheckBound { width: u32 },

    // ---- strings, bytes, bigstrings, bigarrays
    /// Allocates bytes, whose contents are unspecified: (length) → bytes. The length, and the byte that it takes
    /// besides, fit in so many words, and in no fewer.
    MakeBytes { words: u32 },
    /// The length of a string or bytes: (string) → length.
    StringLength,
    /// Without check: (string, index) → contents, of the width's kind. Of a string or bytes each word may be read, the
    /// last too ([`loaded_from`]).
    StringLoad { string: StringKind, width: Width },
    /// Without check: (bytes, index, contents), for its effect.
    StringStore { string: StringKind, width: Width },
    /// (bigarray) → tagged length of that dimension.
    BigarrayDim { dim: u32 },
    /// Without check: (bigarray, offset) → element of the kind's kind. The offset is tagged, and counts
    /// elements from the beginning of the data, whatever the dimensions and the layout.
    BigarrayLoad { kind: BigarrayKind },
    /// Without check: (bigarray, offset, element), for its effect.
    BigarrayStore { kind: BigarrayKind },

    // ---- integers
    /// (int, int) → int.
    IntArith { op: IntOp, kind: IntKind },
    /// (int, amount) → int; the amount is tagged for `Tagged`, else a naked immediate.
    IntShift { op: ShiftOp, kind: IntKind },
    /// Truncating division, the divisor not being zero: (int, int) → int.
    IntDiv { kind: IntKind },
    /// The remainder of truncating division, the divisor not being zero: (int, int) → int.
    IntMod { kind: IntKind },
    /// (int): raises `Division_by_zero` if it is 0. For its effect. With `if_known` (`-unsafe`), only if it is the
    /// constant 0 when code is generated; a 0 that is not known is undefined.
    CheckZero { kind: IntKind, if_known: bool },
    /// (int, int) → naked immediate 0 or 1. For `Tagged`, operands may be pointers that pattern
    /// matching compares (soundness row 28): the comparison is of words.
    IntCompare { op: IntCmp, kind: IntKind },
    /// Three-way: (int, int) → tagged -1, 0 or 1.
    IntCompare3 { kind: IntKind },
    /// Swaps the bytes of an int32, int64 or nativeint.
    ByteSwap { kind: IntKind },
    /// Swaps the two low bytes and clears the others: (naked immediate) → naked immediate.
    ByteSwap16,
    /// The number of ones among the bits of an integer, which are 63 of `Tagged` and `Naked`: (int) → naked immediate.
    PopCount { kind: IntKind },

    // ---- floats
    /// (naked float, naked float) → naked float.
    FloatArith { op: FloatOp },
    /// (naked float) → naked float.
    FloatNeg,
    /// (naked float) → naked float.
    FloatAbs,
    /// (naked float, naked float) → naked immediate 0 or 1.
    FloatCompare { op: FloatCmp },
    /// Three-way, NaN below all and equal to itself: → tagged -1, 0 or 1.
    FloatCompare3,

    // ---- representation
    /// (naked immediate) → value.
    Tag,
    /// (value) → naked immediate.
    Untag,
    /// Allocates a boxed number.
    Box(BoxedKind),
    /// (naked number, value) → the value if it is a block, which is the number's box; otherwise it is an immediate, and
    /// a box is allocated. So a box that may exist already is passed beside its number.
    Rebox(BoxedKind),
    /// Reads a boxed number.
    Unbox(BoxedKind),
    /// Converts between naked numbers: wraps integers, truncates floats towards zero.
    NumConv { from: Kind, to: Kind },

    // ---- closures
    /// (closure of `function`) → captured value.
    ProjectValueSlot { function: crate::FunctionSlot, value: crate::ValueSlot },
    /// (closure of `from`) → closure of `to` in the same set.
    ProjectFunctionSlot { from: crate::FunctionSlot, to: crate::FunctionSlot },
    /// Allocates a dummy which `caml_update_dummy` will overwrite with the closure of `function`: `let
    /// rec` whose right-hand side only computes a closure. () → value.
    AllocDummyClosure { function: crate::FunctionSlot },

    /// Whether a closure is one of `function`, whichever set it is of: (closure) → naked immediate 0 or 1.
    IsClosureOf { function: crate::FunctionSlot },

    // ---- objects
    /// Whether an object's table of methods is that in the first field of a block: (object, block) → naked immediate 0
    /// or
    /// 1. Neither changes: a class is initialised before there are objects of it.
    IsInstance,

    // ---- the rest
    /// `Sys.opaque_identity`: (value) → value.
    Opaque,
    /// Adds one to a counter of a profile, a machine word which the collector does not scan: (string), the word at that
    /// position in it, for its effect. Two that are executed at the same time may count as one.
    ProfileCount { word: u32 },
    /// `%int_as_pointer`: (value) → value which is no OCaml value.
    IntAsPointer,
    /// A call of a C function.
    CCall(Box<External>),
    /// Passes to the handler of the enclosing `try` the current values of its extra arguments (see the
    /// crate's header). () → for its effect.
    ExnState,
}
