//! Random primitives with operands.

use flambeau_ir::prim::{
    ArrayKind, BigarrayKind, External, FloatCmp, FloatOp, Init, IntCmp, IntOp, Mutability, NativeRepr,
    ShiftOp, StringKind, Width,
};
use flambeau_ir::{BoxedKind, IntKind, Item, Kind, Named, Prim};

use super::{Generator, KINDS, Random, Scope};

const INTS: [IntKind; 5] =
    [IntKind::Tagged, IntKind::Naked, IntKind::Int32, IntKind::Int64, IntKind::Nativeint];
const BOXED: [BoxedKind; 4] = [BoxedKind::Float, BoxedKind::Int32, BoxedKind::Int64, BoxedKind::Nativeint];

impl Generator {
    /// A binding of a primitive's result.
    pub(super) fn prim_item(&mut self, scope: &mut Scope) -> Item {
        let prim = match self.slots() {
            Some((function, _, Some(value))) if self.random.one_in(8) => {
                Prim::ProjectValueSlot { function, value }
            }
            Some((from, to, _)) if self.random.one_in(8) => Prim::ProjectFunctionSlot { from, to },
            Some((function, ..)) if self.random.one_in(16) => Prim::AllocDummyClosure { function },
            _ => prim(&mut self.random),
        };
        let signature = prim.signature();
        let mut kinds = signature.args;
        if signature.variadic {
            let last = *kinds.last().expect("a variadic primitive has a last operand");
            kinds.extend(vec![last; self.random.below(3)]);
        }
        let args = kinds.into_iter().map(|kind| self.simple(scope, kind)).collect();
        let exn = if prim.may_raise() { Some(Box::new(self.exn(scope))) } else { None };
        let (var, dbg) = (self.variable(signature.result), self.dbg());
        scope.variables.push(var);
        Item::Let { var, named: Named::Prim { prim, args, exn }, dbg }
    }
}

fn prim(r: &mut Random) -> Prim {
    let mutability = [
        Mutability::Mutable,
        Mutability::Immutable,
        Mutability::ImmutableUnique,
        Mutability::Unknown,
        Mutability::Declared,
    ];
    let (mutability, field) = (r.pick(&mutability), r.below(9) as u32);
    let init = r.pick(&[Init::Assignment, Init::Heap, Init::Root]);
    let array = r.pick(&[ArrayKind::Generic, ArrayKind::Addr, ArrayKind::Int, ArrayKind::Float]);
    let width = r.pick(&[Width::W8, Width::W16, Width::W32, Width::W64]);
    let bigarray = r.pick(&[
        BigarrayKind::Float32,
        BigarrayKind::Sint8,
        BigarrayKind::Int32,
        BigarrayKind::Int64,
        BigarrayKind::NativeInt,
        BigarrayKind::Complex64,
    ]);
    let (kind, boxed, flag) = (r.pick(&INTS), r.pick(&BOXED), r.one_in(2));
    match r.below(46) {
        0 => Prim::MakeBlock { tag: r.below(246) as u8, mutability },
        1 => Prim::MakeFloatBlock { mutability },
        2 => Prim::BlockLoad { field, mutability },
        3 => Prim::BlockLoadFloat { field, mutability },
        4 => Prim::BlockStore { field, pointer: flag, init },
        5 => Prim::BlockStoreFloat { field, init },
        6 => Prim::BlockLoadComputed,
        7 => Prim::BlockStoreComputed { pointer: flag, init },
        8 => Prim::Duplicate { mutability },
        9 => Prim::OffsetRef { amount: r.bits() as i64 },
        10 => Prim::IsInt,
        11 => Prim::GetTag,
        12 => Prim::PhysEqual { negated: flag },
        13 => Prim::MakeArray { kind: array, mutability },
        14 => Prim::ArrayLength { kind: array },
        15 => Prim::ArrayLoad { kind: array },
        16 => Prim::ArrayStore { kind: array },
        17 => Prim::CheckBound { width: 1 << r.below(4) },
        18 => Prim::StringLength,
        42 => Prim::PopCount { kind },
        44 => Prim::MakeBytes { words: 1 + r.below(4) as u32 },
        41 => Prim::ProfileCount { word: r.below(1 << 20) as u32 },
        19 => {
            let string = r.pick(&[StringKind::String, StringKind::Bytes, StringKind::Bigstring]);
            Prim::StringLoad { string, width }
        }
        20 => Prim::StringStore { string: r.pick(&[StringKind::Bytes, StringKind::Bigstring]), width },
        21 => Prim::BigarrayDim { dim: r.below(4) as u32 },
        22 => Prim::BigarrayLoad { kind: bigarray },
        23 => Prim::BigarrayStore { kind: bigarray },
        24 => {
            let op = r.pick(&[IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::And, IntOp::Or, IntOp::Xor]);
            Prim::IntArith { op, kind }
        }
        25 => Prim::IntShift { op: r.pick(&[ShiftOp::Lsl, ShiftOp::Lsr, ShiftOp::Asr]), kind },
        26 => Prim::IntDiv { kind },
        27 => Prim::IntMod { kind },
        28 => Prim::CheckZero { kind, if_known: r.below(4) == 0 },
        29 => {
            let op = r.pick(&[IntCmp::Eq, IntCmp::Ne, IntCmp::Lt, IntCmp::Ge, IntCmp::UnsignedLt]);
            Prim::IntCompare { op, kind }
        }
        30 => Prim::IntCompare3 { kind },
        31 => Prim::ByteSwap { kind: r.pick(&INTS[2..]) },
        32 => Prim::FloatArith { op: r.pick(&[FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div]) },
        33 => Prim::FloatCompare { op: r.pick(&[FloatCmp::Eq, FloatCmp::NotLt, FloatCmp::Ge]) },
        34 => Prim::Tag,
        35 => Prim::Untag,
        36 => Prim::Box(boxed),
        37 => Prim::Unbox(boxed),
        38 if r.one_in(2) => Prim::Rebox(boxed),
        38 => Prim::NumConv { from: r.pick(&KINDS[1..]), to: r.pick(&KINDS[1..]) },
        39 => Prim::StoreResult { part: field, kind: r.pick(&KINDS) },
        40 => Prim::LoadResult { part: field, kind: r.pick(&KINDS) },
        43 => match r.below(5) {
            3 => Prim::ArrayLoadBits { kind: boxed },
            4 => Prim::ArrayStoreBits { kind: boxed },
            0 => Prim::MakeNakedBlock { fields: 1 + r.below(4) as u32 },
            1 => Prim::NakedLoad { field, kind: boxed },
            _ => Prim::NakedStore { field, kind: boxed },
        },
        _ => external(r),
    }
}

fn external(r: &mut Random) -> Prim {
    let repr = |r: &mut Random| match r.below(6) {
        0 => NativeRepr::Untagged,
        1 => NativeRepr::Unboxed(r.pick(&BOXED)),
        _ => NativeRepr::Value,
    };
    let args = (0..r.below(4)).map(|_| repr(r)).collect();
    let no_result = r.one_in(3);
    let result = if no_result { NativeRepr::Value } else { repr(r) };
    let name = r.pick(&["caml_c_function", "odd \"name\""]).to_owned();
    debug_assert!(!no_result || result.kind() == Kind::Value);
    Prim::CCall(Box::new(External { name, args, result, no_result, alloc: r.one_in(2), tested: r.one_in(9) }))
}
