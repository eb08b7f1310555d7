//! How primitives and the enumerations in them are written: one table, read in both directions.
//!
//! A primitive is a mnemonic, then its data. Data from small fixed sets are words joined by dots
//! (`block_load.mut`, `add.int#`), those that have a usual value leaving it out; numbers, slots and C
//! functions are in brackets (`block_load[2]`). [`write_prim`] and [`read_prim`] are both generated from
//! the table at the end of this file: a row says which variant and which of its fields in which order.

use crate::prim::{
    ArrayKind, BigarrayKind, External, FloatCmp, FloatOp, Init, IntCmp, IntOp, Mutability, NativeRepr,
    ShiftOp, StringKind, Width,
};
use crate::{BoxedKind, FunctionSlot, IntKind, Kind, Prim, Subkind, ValueSlot};

/// Where a primitive is written to.
pub(crate) trait Sink {
    /// The mnemonic comes first.
    fn mnemonic(&mut self, name: &'static str);
    /// One more dotted word.
    fn word(&mut self, word: &'static str);
    /// What follows, up to the next call of this method, is one more datum in brackets.
    fn datum(&mut self);
    /// Text as it stands, between blanks.
    fn text(&mut self, text: &'static str);
    fn integer(&mut self, value: i64);
    fn string(&mut self, value: &str);
    fn function_slot(&mut self, slot: FunctionSlot);
    fn value_slot(&mut self, slot: ValueSlot);
}

/// Where a primitive is read from: mirrors [`Sink`].
pub(crate) trait Source {
    type Error;
    /// The next dotted word, if it is one of the set; else the set's usual value, if it has one.
    fn word<W: Word>(&mut self) -> Result<W, Self::Error>;
    fn datum(&mut self) -> Result<(), Self::Error>;
    fn text(&mut self, text: &'static str) -> Result<(), Self::Error>;
    /// Whether that text comes next; if so, it is taken.
    fn text_if(&mut self, text: &'static str) -> bool;
    /// A word of the set that stands alone.
    fn lone_word<W: Word>(&mut self) -> Result<W, Self::Error>;
    fn integer<I: TryFrom<i64>>(&mut self) -> Result<I, Self::Error>;
    fn string(&mut self) -> Result<String, Self::Error>;
    fn function_slot(&mut self) -> Result<FunctionSlot, Self::Error>;
    fn value_slot(&mut self) -> Result<ValueSlot, Self::Error>;
}

/// A small fixed set, each of whose members is a word.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// What the set is called in messages.
    const WHAT: &'static str;
    /// The member which is left out in primitives.
    const USUAL: Option<Self>;
    /// All members.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of a member.
    fn to_word(self) -> &'static str;

    /// The member of that word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(candidate, _)| *candidate == word).map(|(_, member)| *member)
    }
}

macro_rules! words {
    ($($type:ident, $what:literal, $usual:expr, { $($word:literal => $member:ident),* $(,)? })*) => { $(
        impl Word for $type {
            const WHAT: &'static str = $what;
            const USUAL: Option<Self> = $usual;
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $type::$member)),*];
            fn to_word(self) -> &'static str {
                match self { $($type::$member => $word),* }
            }
        }
        impl Datum for $type {
            fn write(&self, sink: &mut impl Sink) {
                if Self::USUAL != Some(*self) {
                    sink.word(self.to_word());
                }
            }
            fn read<S: Source>(source: &mut S) -> Result<Self, S::Error> {
                source.word()
            }
        }
    )* };
}

words! {
    Mutability, "mutability", Some(Mutability::Immutable), {
        "immutable" => Immutable, "mut" => Mutable, "unique" => ImmutableUnique, "unknown" => Unknown, "declared" => Declared,
    }
    Init, "kind of store", Some(Init::Assignment), {
        "assign" => Assignment, "heap_init" => Heap, "root_init" => Root,
    }
    ArrayKind, "array kind", None, {
        "generic" => Generic, "addr" => Addr, "int" => Int, "rows" => Rows, "float" => Float,
    }
    StringKind, "kind of string", None, { "string" => String, "bytes" => Bytes, "bigstring" => Bigstring }
    Width, "width", None, { "8" => W8, "16" => W16, "32" => W32, "64" => W64 }
    BigarrayKind, "kind of bigarray", None, {
        "float32" => Float32, "float64" => Float64, "sint8" => Sint8, "uint8" => Uint8,
        "sint16" => Sint16, "uint16" => Uint16, "int32" => Int32, "int64" => Int64,
        "caml_int" => CamlInt, "nativeint" => NativeInt, "complex32" => Complex32, "complex64" => Complex64,
    }
    IntKind, "kind of integers", None, {
        "int" => Tagged, "int#" => Naked, "int32#" => Int32, "int64#" => Int64, "nativeint#" => Nativeint,
    }
    BoxedKind, "boxed type", None, {
        "float" => Float, "int32" => Int32, "int64" => Int64, "nativeint" => Nativeint,
    }
    Kind, "kind", None, {
        "val" => Value, "int#" => NakedImmediate, "float#" => NakedFloat, "int32#" => NakedInt32,
        "int64#" => NakedInt64, "nativeint#" => NakedNativeint,
    }
}

/// The word for the kind of a variable and what is known of it: `int` for an immediate, `float` for a
/// boxed float, else the word of the kind.
pub(crate) fn type_word(kind: Kind, subkind: Subkind) -> &'static str {
    match (kind, subkind) {
        (Kind::Value, Subkind::Immediate) => "int",
        (Kind::Value, Subkind::Boxed(boxed)) => boxed.to_word(),
        _ => kind.to_word(),
    }
}

/// The kind of a variable and what is known of it, from its word.
pub(crate) fn type_of_word(word: &str) -> Option<(Kind, Subkind)> {
    if word == "int" {
        return Some((Kind::Value, Subkind::Immediate));
    }
    let boxed = || BoxedKind::from_word(word).map(|boxed| (Kind::Value, Subkind::Boxed(boxed)));
    boxed().or_else(|| Kind::from_word(word).map(|kind| (kind, Subkind::Any)))
}

/// What primitives hold.
trait Datum: Sized {
    fn write(&self, sink: &mut impl Sink);
    fn read<S: Source>(source: &mut S) -> Result<Self, S::Error>;
}

macro_rules! integers {
    ($($type:ident)*) => { $(
        impl Datum for $type {
            fn write(&self, sink: &mut impl Sink) {
                sink.datum();
                sink.integer(i64::from(*self));
            }
            fn read<S: Source>(source: &mut S) -> Result<Self, S::Error> {
                source.datum()?;
                source.integer()
            }
        }
    )* };
}

integers! { u8 u32 i64 }

impl Datum for FunctionSlot {
    fn write(&self, sink: &mut impl Sink) {
        sink.datum();
        sink.function_slot(*self);
    }
    fn read<S: Source>(source: &mut S) -> Result<Self, S::Error> {
        source.datum()?;
        source.function_slot()
    }
}

impl Datum for ValueSlot {
    fn write(&self, sink: &mut impl Sink) {
        sink.datum();
        sink.value_slot(*self);
    }
    fn read<S: Source>(source: &mut S) -> Result<Self, S::Error> {
        source.datum()?;
        source.value_slot()
    }
}

fn native_repr(kind: Kind) -> NativeRepr {
    match (kind, BoxedKind::of_naked(kind)) {
        (_, Some(boxed)) => NativeRepr::Unboxed(boxed),
        (Kind::NakedImmediate, None) => NativeRepr::Untagged,
        (_, None) => NativeRepr::Value,
    }
}

/// `"name"/2` when it takes and returns values, else `"name" (float#, val) -> int#`; then `void` when it
/// returns nothing, `noalloc`, and `tested`.
impl Datum for Box<External> {
    fn write(&self, sink: &mut impl Sink) {
        sink.datum();
        sink.string(&self.name);
        let values = self.args.iter().chain([&self.result]).all(|&repr| repr == NativeRepr::Value);
        if values {
            sink.text("/");
            sink.integer(self.args.len() as i64);
        } else {
            sink.text(" (");
            for (i, repr) in self.args.iter().enumerate() {
                if i > 0 {
                    sink.text(", ");
                }
                sink.text(repr.kind().to_word());
            }
            sink.text(") -> ");
            sink.text(self.result.kind().to_word());
        }
        if self.no_result {
            sink.text(" void");
        }
        if !self.alloc {
            sink.text(" noalloc");
        }
        if self.tested {
            sink.text(" tested");
        }
    }

    fn read<S: Source>(source: &mut S) -> Result<Self, S::Error> {
        source.datum()?;
        let name = source.string()?;
        let (mut args, mut result) = (Vec::new(), NativeRepr::Value);
        if source.text_if("/") {
            let arity: u16 = source.integer()?;
            args.resize(usize::from(arity), NativeRepr::Value);
        } else {
            source.text("(")?;
            while !source.text_if(")") {
                if !args.is_empty() {
                    source.text(",")?;
                }
                args.push(native_repr(source.lone_word()?));
            }
            source.text("->")?;
            result = native_repr(source.lone_word()?);
        }
        let no_result = source.text_if("void");
        let alloc = !source.text_if("noalloc");
        let tested = source.text_if("tested");
        Ok(Box::new(External { name, args, result, no_result, alloc, tested }))
    }
}

/// Rows: mnemonic, variant, its data in the order in which they are written, and the data that the
/// mnemonic stands for.
macro_rules! primitives {
    ($( $name:literal $variant:ident
        $({ $($field:ident),* })? $(($arg:ident))? $(where $($fixed:ident = $($value:ident)::+),+)?; )*) => {
        /// Writes a primitive without its operands.
        pub(crate) fn write_prim(prim: &Prim, sink: &mut impl Sink) {
            match prim {
                $( Prim::$variant { $($($field,)*)? $(0: $arg)? $($($fixed: $($value)::+,)+)? } => {
                    sink.mnemonic($name);
                    $($($field.write(sink);)*)?
                    $($arg.write(sink);)?
                } )*
            }
        }

        /// Reads what follows a mnemonic; nothing if there is no such primitive.
        pub(crate) fn read_prim<S: Source>(mnemonic: &str, source: &mut S) -> Result<Option<Prim>, S::Error> {
            let prim = match mnemonic {
                $( $name => {
                    $($(let $field = Datum::read(source)?;)*)?
                    $(let $arg = Datum::read(source)?;)?
                    Prim::$variant { $($($field,)*)? $(0: $arg)? $($($fixed: $($value)::+,)+)? }
                } )*
                _ => return Ok(None),
            };
            Ok(Some(prim))
        }

        /// The mnemonics of all primitives.
        pub const MNEMONICS: &[&str] = &[$($name),*];
    };
}

primitives! {
    "make_block"       MakeBlock { mutability, tag };
    "make_float_block" MakeFloatBlock { mutability };
    "block_load"       BlockLoad { mutability, field };
    "block_load_float" BlockLoadFloat { mutability, field };
    "block_store"      BlockStore { init, field } where pointer = true;
    "block_store_int"  BlockStore { init, field } where pointer = false;
    "block_store_float" BlockStoreFloat { init, field };
    "make_naked_block" MakeNakedBlock { fields };
    "naked_load"       NakedLoad { kind, field };
    "naked_store"      NakedStore { kind, field };
    "block_load_computed" BlockLoadComputed;
    "block_store_computed" BlockStoreComputed { init } where pointer = true;
    "block_store_int_computed" BlockStoreComputed { init } where pointer = false;
    "store_result"     StoreResult { kind, part };
    "load_result"      LoadResult { kind, part };
    "duplicate"        Duplicate { mutability };
    "offset_ref"       OffsetRef { amount };
    "is_int"           IsInt;
    "get_tag"          GetTag;
    "phys_eq"          PhysEqual where negated = false;
    "phys_ne"          PhysEqual where negated = true;

    "make_array"       MakeArray { kind, mutability };
    "array_length"     ArrayLength { kind };
    "array_load"       ArrayLoad { kind };
    "array_store"      ArrayStore { kind };
    "array_load_bits"  ArrayLoadBits { kind };
    "array_store_bits" ArrayStoreBits { kind };
    "check_bound"      CheckBound { width };

    "make_bytes"       MakeBytes { words };
    "string_length"    StringLength;
    "string_load"      StringLoad { string, width };
    "string_store"     StringStore { string, width };
    "bigarray_dim"     BigarrayDim { dim };
    "bigarray_load"    BigarrayLoad { kind };
    "bigarray_store"   BigarrayStore { kind };

    "add"              IntArith { kind } where op = IntOp::Add;
    "sub"              IntArith { kind } where op = IntOp::Sub;
    "mul"              IntArith { kind } where op = IntOp::Mul;
    "and"              IntArith { kind } where op = IntOp::And;
    "or"               IntArith { kind } where op = IntOp::Or;
    "xor"              IntArith { kind } where op = IntOp::Xor;
    "lsl"              IntShift { kind } where op = ShiftOp::Lsl;
    "lsr"              IntShift { kind } where op = ShiftOp::Lsr;
    "asr"              IntShift { kind } where op = ShiftOp::Asr;
    "div"              IntDiv { kind };
    "mod"              IntMod { kind };
    "check_zero"       CheckZero { kind } where if_known = false;
    "check_known_zero" CheckZero { kind } where if_known = true;
    "eq"               IntCompare { kind } where op = IntCmp::Eq;
    "ne"               IntCompare { kind } where op = IntCmp::Ne;
    "lt"               IntCompare { kind } where op = IntCmp::Lt;
    "le"               IntCompare { kind } where op = IntCmp::Le;
    "gt"               IntCompare { kind } where op = IntCmp::Gt;
    "ge"               IntCompare { kind } where op = IntCmp::Ge;
    "ult"              IntCompare { kind } where op = IntCmp::UnsignedLt;
    "compare"          IntCompare3 { kind };
    "bswap"            ByteSwap { kind };
    "bswap16"          ByteSwap16;
    "popcount"         PopCount { kind };

    "fadd"             FloatArith where op = FloatOp::Add;
    "fsub"             FloatArith where op = FloatOp::Sub;
    "fmul"             FloatArith where op = FloatOp::Mul;
    "fdiv"             FloatArith where op = FloatOp::Div;
    "fneg"             FloatNeg;
    "fabs"             FloatAbs;
    "feq"              FloatCompare where op = FloatCmp::Eq;
    "fne"              FloatCompare where op = FloatCmp::Ne;
    "flt"              FloatCompare where op = FloatCmp::Lt;
    "fnot_lt"          FloatCompare where op = FloatCmp::NotLt;
    "fgt"              FloatCompare where op = FloatCmp::Gt;
    "fnot_gt"          FloatCompare where op = FloatCmp::NotGt;
    "fle"              FloatCompare where op = FloatCmp::Le;
    "fnot_le"          FloatCompare where op = FloatCmp::NotLe;
    "fge"              FloatCompare where op = FloatCmp::Ge;
    "fnot_ge"          FloatCompare where op = FloatCmp::NotGe;
    "fcompare"         FloatCompare3;

    "tag"              Tag;
    "untag"            Untag;
    "box"              Box(kind);
    "rebox"            Rebox(kind);
    "unbox"            Unbox(kind);
    "convert"          NumConv { from, to };

    "project_value"    ProjectValueSlot { function, value };
    "project_function" ProjectFunctionSlot { from, to };
    "alloc_dummy_closure" AllocDummyClosure { function };
    "is_closure_of"    IsClosureOf { function };
    "is_instance"      IsInstance;

    "profile_count"    ProfileCount { word };
    "opaque"           Opaque;
    "int_as_pointer"   IntAsPointer;
    "c_call"           CCall(external);
    "exn_state"        ExnState;
}

impl Prim {
    /// What it is called in the textual form.
    #[must_use]
    pub fn mnemonic(&self) -> &'static str {
        let mut sink = Mnemonic("");
        write_prim(self, &mut sink);
        sink.0
    }
}

/// Takes the mnemonic alone.
struct Mnemonic(&'static str);

impl Sink for Mnemonic {
    fn mnemonic(&mut self, name: &'static str) {
        self.0 = name;
    }
    fn word(&mut self, _: &'static str) {}
    fn datum(&mut self) {}
    fn text(&mut self, _: &'static str) {}
    fn integer(&mut self, _: i64) {}
    fn string(&mut self, _: &str) {}
    fn function_slot(&mut self, _: FunctionSlot) {}
    fn value_slot(&mut self, _: ValueSlot) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mnemonic_is_one_primitive() {
        let mut names = MNEMONICS.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), MNEMONICS.len());
    }

    /// `tests/fl/ir/primitives.fl`, which the runner of that folder prints and parses, shows them all.
    #[test]
    fn every_primitive_is_in_the_examples() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fl/ir/primitives.fl");
        let text = std::fs::read_to_string(path).expect("the file exists");
        let shown: std::collections::HashSet<&str> =
            text.split([' ', '.', '[', '\n']).filter(|word| !word.is_empty()).collect();
        for name in MNEMONICS {
            assert!(shown.contains(name), "no example of `{name}` in {path}");
        }
    }

    #[test]
    fn types_have_one_word_each() {
        let known = [
            (Kind::Value, Subkind::Any),
            (Kind::Value, Subkind::Immediate),
            (Kind::Value, Subkind::Boxed(BoxedKind::Float)),
            (Kind::Value, Subkind::Boxed(BoxedKind::Nativeint)),
            (Kind::NakedFloat, Subkind::Any),
            (Kind::NakedImmediate, Subkind::Any),
        ];
        for (kind, subkind) in known {
            assert_eq!(type_of_word(type_word(kind, subkind)), Some((kind, subkind)));
        }
    }
}
