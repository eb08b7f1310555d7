//! The table of primitives: one row each.

use smallvec::{SmallVec, smallvec};

use crate::prim::{ArrayKind, BigarrayKind, Classes, Effects, External, FloatOp, IntOp, Mutability};
use crate::runtime_functions::Written;
use crate::{IntKind, Kind, Prim, tags};

/// The kinds of arguments.
pub type Kinds = SmallVec<[Kind; 3]>;

/// Argument and result kinds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The kinds of the arguments, the last of which may repeat.
    pub args: Kinds,
    /// Whether the last of `args` stands for any number of arguments (zero included).
    pub variadic: bool,
    /// The kind of the result.
    pub result: Kind,
}

/// How long a primitive takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// One instruction, as fast as a move between registers.
    Move,
    /// One instruction that loads.
    Load,
    /// What the code generator fuses with the branch that it decides.
    Test,
    /// A few fast instructions.
    Few,
    /// Longer: multiplication, floats, several loads, stores, allocations, calls.
    Long,
    /// Longer than a load from the stack, and no call: division and square root of floats.
    Slow,
}

/// The arguments of a row.
struct Args(Kinds, bool);

fn takes<const N: usize>(kinds: [Kind; N]) -> Args {
    Args(kinds.into_iter().collect(), false)
}

/// Any number of arguments of a kind.
fn takes_any(kind: Kind) -> Args {
    Args(smallvec![kind], true)
}

/// The result of a row; none of what is executed for its effect, which returns the immediate 0.
type Gives = Option<Kind>;

const UNIT: Gives = None;

fn element(kind: ArrayKind) -> Kind {
    if kind == ArrayKind::Float { Kind::NakedFloat } else { Kind::Value }
}

/// The amount of a shift.
fn amount(kind: IntKind) -> Kind {
    if kind == IntKind::Tagged { Kind::Value } else { Kind::NakedImmediate }
}

/// Immutable blocks of constructors have no identity. Those to which the runtime attaches a meaning may change.
const fn allocating_block(tag: u8, mutability: Mutability) -> Effects {
    match mutability {
        Mutability::Immutable if tag < tags::FIRST_SPECIAL => Effects::NONE.allocating(),
        _ => Effects::NONE.allocating_fresh(),
    }
}

fn calling(external: &External) -> Effects {
    if external.is_pure() {
        return Effects::NONE;
    }
    if external.prints_number() {
        return Effects::NONE.allocating_fresh();
    }
    let writes = match external.writes() {
        Written::Nothing => Classes::NONE,
        Written::Bytes => Classes::BYTES,
        Written::Blocks => Classes::BLOCKS,
        Written::Anything if external.shortens() => Classes::ALL.or(Classes::LENGTHS),
        Written::Anything => Classes::ALL,
    };
    let effects = Effects::NONE.reading(Classes::ALL).writing(writes).acting();
    if external.alloc { effects.allocating_fresh().raising() } else { effects }
}

/// Rows: a variant, `:` what it takes `=>` what it returns; what it does; its size in code, in the units of
/// `simplify::size` (about an instruction each), `$operands` being how many operands it has; and how long it takes.
macro_rules! table {
    ($operands:ident => $(
        $variant:ident { $($field:tt)* } : $args:expr => $result:expr; $effects:expr; $size:expr, $cost:expr;
    )*) => {
        /// The names of all primitives, each at its [number](Prim::number).
        pub(super) const NAMES: &[&str] = &[$(stringify!($variant)),*];

        #[allow(unused_variables)]
        impl Prim {
            /// Its position in the table of primitives, whatever its parameters are.
            pub fn number(&self) -> usize {
                enum Number { $($variant),* }
                match self { $(Prim::$variant { .. } => Number::$variant as usize),* }
            }

            /// Argument and result kinds.
            pub fn signature(&self) -> Signature {
                let (Args(args, variadic), result): (Args, Gives) = match self {
                    $(Prim::$variant { $($field)* } => ($args, $result)),*
                };
                Signature { args, variadic, result: result.unwrap_or(Kind::Value) }
            }

            /// Whether it is executed for its effect alone: the result is `()`.
            pub fn is_for_effect(&self) -> bool {
                let result: Gives = match self { $(Prim::$variant { $($field)* } => $result),* };
                result.is_none()
            }

            /// What it reads, writes and does.
            pub fn effects(&self) -> Effects {
                match self { $(Prim::$variant { $($field)* } => $effects),* }
            }

            /// Its size in code with so many operands: about one for each instruction.
            pub fn size(&self, $operands: u32) -> u32 {
                match self { $(Prim::$variant { $($field)* } => $size),* }
            }

            /// How long it takes.
            pub fn cost(&self) -> Cost {
                match self { $(Prim::$variant { $($field)* } => $cost),* }
            }
        }
    };
}

use Cost::{Few, Load, Long, Move, Slow, Test};
use Kind::{NakedFloat, NakedImmediate, Value};

table! { operands =>
    // ---- blocks
    MakeBlock { tag, mutability }: takes_any(Value) => Some(Value);
        allocating_block(*tag, *mutability); 5 + operands, Long;
    MakeFloatBlock { .. }: takes_any(NakedFloat) => Some(Value);
        Effects::NONE.allocating_fresh(); 5 + operands, Long;
    BlockLoad { field, mutability }: takes([Value]) => Some(Value);
        Effects::NONE.reading_if(*mutability, Classes::loaded_field(*field, *mutability)); 1, Load;
    BlockLoadFloat { mutability, .. }: takes([Value]) => Some(NakedFloat);
        Effects::NONE.reading_if(*mutability, Classes::FLOATS); 1, Load;
    BlockStore { field, pointer, .. }: takes([Value, Value]) => UNIT;
        Effects::NONE.writing(Classes::stored_field(*field)); 4, Long;
    BlockStoreFloat { .. }: takes([Value, NakedFloat]) => UNIT;
        Effects::NONE.writing(Classes::FLOATS); 4, Long;
    MakeNakedBlock { fields }: takes([]) => Some(Value); Effects::NONE.allocating_fresh(); 5 + fields, Long;
    NakedLoad { kind, .. }: takes([Value]) => Some(kind.naked()); Effects::NONE.reading(Classes::NAKED); 1, Load;
    NakedStore { kind, .. }: takes([Value, kind.naked()]) => UNIT; Effects::NONE.writing(Classes::NAKED); 1, Long;
    BlockLoadComputed { }: takes([Value, Value]) => Some(Value);
        Effects::NONE.reading(Classes::BLOCKS); 1, Load;
    BlockStoreComputed { .. }: takes([Value, Value, Value]) => UNIT;
        Effects::NONE.writing(Classes::BLOCKS); 4, Long;
    StoreResult { kind, .. }: takes([Value, *kind]) => UNIT; Effects::NONE.writing(Classes::RESULTS); 1, Long;
    LoadResult { kind, .. }: takes([Value]) => Some(*kind); Effects::NONE.reading(Classes::RESULTS); 1, Long;
    Duplicate { .. }: takes([Value]) => Some(Value);
        Effects::NONE.reading(Classes::BLOCKS.or(Classes::HEADERS)).allocating_fresh(); 11, Long;
    OffsetRef { .. }: takes([Value]) => UNIT;
        Effects::NONE.writing(Classes::stored_field(0)); 4, Long;
    IsInt { }: takes([Value]) => Some(NakedImmediate); Effects::NONE; 1, Test;
    GetTag { }: takes([Value]) => Some(NakedImmediate);
        Effects::NONE.reading(Classes::HEADERS); 2, Long;
    PhysEqual { .. }: takes([Value, Value]) => Some(NakedImmediate); Effects::NONE; 2, Test;

    // ---- arrays
    // A generic array's first element is looked at when it is allocated: floats are stored flat. Tags of floats don't
    // change.
    MakeArray { kind, .. }: takes_any(element(*kind)) => Some(Value);
        Effects::NONE.allocating_fresh(); 5 + operands, Long;
    ArrayLength { .. }: takes([Value]) => Some(Value);
        Effects::NONE.reading(Classes::LENGTHS); 1, Long;
    ArrayLoad { kind }: takes([Value, Value]) => Some(element(*kind));
        Effects::NONE.reading(Classes::elements(*kind)); 1, Long;
    ArrayStore { kind }: takes([Value, Value, element(*kind)]) => UNIT;
        Effects::NONE.writing(Classes::stored_elements(*kind)); 4, Long;
    ArrayLoadBits { kind }: takes([Value, Value]) => Some(kind.naked());
        Effects::NONE.reading(Classes::FLOATS); 1, Long;
    ArrayStoreBits { kind }: takes([Value, Value, kind.naked()]) => UNIT;
        Effects::NONE.writing(Classes::FLOATS); 1, Long;
    CheckBound { .. }: takes([Value, Value]) => UNIT; Effects::NONE.raising(); 2, Long;

    // ---- strings, bytes, bigstrings, bigarrays
    MakeBytes { words }: takes([Value]) => Some(Value); Effects::NONE.allocating_fresh(); 6 + words, Long;
    StringLength { }: takes([Value]) => Some(Value);
        Effects::NONE.reading(Classes::LENGTHS); 5, Long;
    StringLoad { string, width }: takes([Value, Value]) => Some(width.kind());
        Effects::NONE.reading(Classes::characters(*string)); 3, Long;
    StringStore { string, width }: takes([Value, Value, width.kind()]) => UNIT;
        Effects::NONE.writing(Classes::characters(*string)); 4, Long;
    BigarrayDim { .. }: takes([Value]) => Some(Value);
        Effects::NONE.reading(Classes::HEADERS); 1, Long;
    // Complex numbers are boxed records.
    BigarrayLoad { kind }: takes([Value, Value]) => Some(kind.kind());
        match kind {
            BigarrayKind::Complex32 | BigarrayKind::Complex64 => {
                Effects::NONE.reading(Classes::BIGARRAYS).allocating()
            }
            _ => Effects::NONE.reading(Classes::BIGARRAYS),
        };
        2, Long;
    BigarrayStore { kind }: takes([Value, Value, kind.kind()]) => UNIT;
        Effects::NONE.writing(Classes::BIGARRAYS); 2, Long;

    // ---- integers
    IntArith { op, kind }: takes([kind.kind(), kind.kind()]) => Some(kind.kind()); Effects::NONE;
        match (op, kind) {
            (IntOp::Mul, IntKind::Tagged) => 4,
            (IntOp::Add | IntOp::Sub, IntKind::Tagged) => 2,
            _ => 1,
        },
        if *op == IntOp::Mul { Long } else { Move };
    IntShift { kind, .. }: takes([kind.kind(), amount(*kind)]) => Some(kind.kind()); Effects::NONE; 4, Few;
    IntDiv { kind }: takes([kind.kind(), kind.kind()]) => Some(kind.kind());
        Effects::NONE.trapping(); 4, Long;
    IntMod { kind }: takes([kind.kind(), kind.kind()]) => Some(kind.kind());
        Effects::NONE.trapping(); 4, Long;
    CheckZero { kind, if_known }: takes([kind.kind()]) => UNIT;
        Effects::NONE.raising(); if *if_known { 0 } else { 2 }, Long;
    IntCompare { kind, .. }: takes([kind.kind(), kind.kind()]) => Some(NakedImmediate); Effects::NONE; 2, Test;
    IntCompare3 { kind }: takes([kind.kind(), kind.kind()]) => Some(Value); Effects::NONE; 4, Few;
    ByteSwap { kind }: takes([kind.kind()]) => Some(kind.kind()); Effects::NONE; 1, Long;
    ByteSwap16 { }: takes([NakedImmediate]) => Some(NakedImmediate); Effects::NONE; 1, Long;
    PopCount { kind }: takes([kind.kind()]) => Some(NakedImmediate); Effects::NONE; 16, Long;

    // ---- floats
    FloatArith { op }: takes([NakedFloat, NakedFloat]) => Some(NakedFloat); Effects::NONE; 2,
        if *op == FloatOp::Div { Slow } else { Long };
    FloatNeg { }: takes([NakedFloat]) => Some(NakedFloat); Effects::NONE; 1, Few;
    FloatAbs { }: takes([NakedFloat]) => Some(NakedFloat); Effects::NONE; 1, Few;
    FloatCompare { .. }: takes([NakedFloat, NakedFloat]) => Some(NakedImmediate); Effects::NONE; 2, Test;
    FloatCompare3 { }: takes([NakedFloat, NakedFloat]) => Some(Value); Effects::NONE; 8, Few;

    // ---- representation
    Tag { }: takes([NakedImmediate]) => Some(Value); Effects::NONE; 2, Move;
    Untag { }: takes([Value]) => Some(NakedImmediate); Effects::NONE; 1, Move;
    Box { 0: kind }: takes([kind.naked()]) => Some(Value); Effects::NONE.allocating(); 5, Long;
    Rebox { 0: kind }: takes([kind.naked(), Value]) => Some(Value); Effects::NONE.allocating(); 7, Long;
    Unbox { 0: kind }: takes([Value]) => Some(kind.naked()); Effects::NONE.looking(); 1, Load;
    NumConv { from, to }: takes([*from]) => Some(*to); Effects::NONE; 1, Long;
    // Of no size, so that what is decided about the counted program is what is decided about the program.
    ProfileCount { .. }: takes([Value]) => UNIT; Effects::NONE.writing(Classes::COUNTERS); 0, Long;
    // Whatever is passed to it may be read and written, as far as anybody knows.
    Opaque { }: takes([Value]) => Some(Value);
        Effects::NONE.reading(Classes::ALL).writing(Classes::ALL); 0, Long;
    IsInstance { }: takes([Value, Value]) => Some(NakedImmediate); Effects::NONE.looking(); 4, Few;
    IntAsPointer { }: takes([Value]) => Some(Value); Effects::NONE.untraced(); 1, Move;
    CCall { 0: external }:
        Args(external.args.iter().map(|repr| repr.kind()).collect(), false)
        => if external.no_result { UNIT } else { Some(external.result.kind()) };
        calling(external); 4 + operands + if external.alloc { 6 } else { 0 },
        if external.is_instruction() { Slow } else { Long };

    // ---- what becomes something else before Cmm
    // While a `let rec` is being built, slots hold dummies; what was projected then is never used as what it will be.
    ProjectValueSlot { .. }: takes([Value]) => Some(Value); Effects::NONE.looking(); 1, Load;
    // The other closure is at a known distance: nothing is looked at.
    ProjectFunctionSlot { .. }: takes([Value]) => Some(Value); Effects::NONE; 1, Move;
    IsClosureOf { .. }: takes([Value]) => Some(NakedImmediate); Effects::NONE.looking(); 3, Few;
    AllocDummyClosure { .. }: takes([]) => Some(Value); Effects::NONE.allocating_fresh(); 1, Long;
    ExnState { }: takes([]) => UNIT; Effects::NONE.raising().acting(); 0, Long;
}
