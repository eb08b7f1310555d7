//! Primitives of Lambda. Operands are evaluated from right to left; checks come after all operands
//! (soundness row 2).

use flambeau_ir::prim::{self as ir, External, FloatCmp, FloatOp, Init, IntCmp, IntOp, Mutability, ShiftOp};
use flambeau_ir::{BoxedKind, Const, IntKind, Kind, Prim, Simple};
use flambeau_lambda::prim::{
    self as lambda, AccessWidth, BoxedInteger, CtConst, Initialization, IntComparison, NativeRepr,
    RecordRepresentation,
};
use flambeau_lambda::term::{LocId, Node, NodeId};
use flambeau_lambda::{EvaluationOrder, Primitive};

use crate::apply::atoms;
use crate::bigarrays::{self, is_known};
use crate::builder::{Converter, Result};
use crate::env::Val;

impl Converter<'_> {
    /// The value of a primitive that is no control flow.
    pub fn primitive(&mut self, prim: &Primitive, args: &[NodeId], loc: LocId) -> Result<Val> {
        match (prim, args) {
            (Primitive::GetGlobal(global), []) => return self.global(*global),
            (Primitive::Field { field, mutability }, [block]) => {
                return self.load_field(*block, *field, *mutability, loc);
            }
            (Primitive::SetField { field, pointer, .. }, [block, value]) if self.is_own_module(*block) => {
                self.store_module_field(*field, *pointer, *value, loc)?;
                return Ok(Val::unknown(Simple::UNIT));
            }
            (Primitive::DupArray { .. }, [array]) => {
                // A literal need not be made twice.
                if let Node::Prim { prim, args, .. } = self.node(*array)
                    && let Primitive::MakeArray { kind, .. } = **prim
                {
                    return self.primitive(&Primitive::MakeArray { kind, mutable: true }, args, loc);
                }
            }
            _ => {}
        }
        if let Some(naked) = self.comparison(prim, args, loc)? {
            return Ok(Val::unknown(match naked {
                Simple::Const(Const::NakedImmediate(n)) => Simple::tagged(n),
                naked => self.prim("tagged", Prim::Tag, &[naked], loc),
            }));
        }
        if let (Primitive::BytesSet { safe: true }, [bytes, index, byte]) = (prim, args)
            && self.order == EvaluationOrder::Quirks413
        {
            return self.checked_byte_set(*bytes, *index, *byte, loc);
        }
        let values = self.operands(prim, args)?;
        self.operation(prim, &values, loc)
    }

    /// Evaluates the operands of a primitive, in the order of the stock native compiler: from right to left, but, in OCaml
    /// 4.13, for the primitives whose code there names the operands first (`tests/programs/native_order_quirks`).
    fn operands(&mut self, prim: &Primitive, args: &[NodeId]) -> Result<Vec<Val>> {
        let count = args.len();
        let has_quirks = self.order == EvaluationOrder::Quirks413;
        let order: Vec<usize> = match prim {
            Primitive::CompareInts
            | Primitive::CompareFloats
            | Primitive::CompareBints(_)
            | Primitive::DivBint { .. }
            | Primitive::ModBint { .. }
            | Primitive::StringRef { safe: true }
            | Primitive::BytesRef { safe: true }
            | Primitive::StringLoad { .. }
            | Primitive::BytesLoad { .. }
            | Primitive::BytesStore { .. }
            | Primitive::BigstringLoad { .. }
            | Primitive::BigstringStore { .. }
                if has_quirks =>
            {
                (0..count).collect()
            }
            Primitive::BigarrayRef { kind, layout, .. } | Primitive::BigarraySet { kind, layout, .. }
                if is_known(*kind, *layout) && count >= 2 =>
            {
                let is_set = matches!(prim, Primitive::BigarraySet { .. });
                bigarrays::order_of_operands(*layout, count, is_set)
            }
            _ => (0..count).rev().collect(),
        };
        let mut values: Vec<Option<Val>> = vec![None; count];
        for index in order {
            values[index] = Some(self.value(args[index])?);
        }
        Ok(values.into_iter().flatten().collect())
    }

    /// `Bytes.set` in OCaml 4.13: the check precedes the evaluation of the byte, as in the stock compiler.
    fn checked_byte_set(&mut self, bytes: NodeId, index: NodeId, byte: NodeId, loc: LocId) -> Result<Val> {
        let target = [self.value(bytes)?, self.value(index)?];
        self.check_string_bound(ir::StringKind::Bytes, ir::Width::W8, true, &target, loc);
        let byte = self.value(byte)?;
        let [bytes, index] = target;
        Ok(self.string_store(ir::StringKind::Bytes, ir::Width::W8, false, &[bytes, index, byte], loc))
    }

    fn global(&mut self, global: u32) -> Result<Val> {
        match self.globals.get(global as usize) {
            Some((symbol, info)) => Ok(Val { simple: Simple::Symbol(*symbol), info: info.clone() }),
            None => self.malformed("no such global"),
        }
    }

    /// A comparison or other boolean primitive, as a naked immediate; nothing for the others.
    pub fn comparison(&mut self, prim: &Primitive, args: &[NodeId], loc: LocId) -> Result<Option<Simple>> {
        let is_comparison = matches!(
            prim,
            Primitive::IntComp(_)
                | Primitive::BintComp { .. }
                | Primitive::FloatComp(_)
                | Primitive::IsInt
                | Primitive::IsOut
        );
        if !is_comparison {
            return Ok(None);
        }
        let values = self.values_right_to_left(args)?;
        let simples = atoms(&values);
        Ok(Some(match (prim, values.as_slice()) {
            (Primitive::IsInt, [_]) => self.prim("prim", Prim::IsInt, &simples, loc),
            // Words are compared: the operands may be pointers (pitfall: Ceq on blocks).
            (Primitive::IntComp(IntComparison::Eq), [_, _]) => {
                self.prim("prim", Prim::PhysEqual { negated: false }, &simples, loc)
            }
            (Primitive::IntComp(IntComparison::Ne), [_, _]) => {
                self.prim("prim", Prim::PhysEqual { negated: true }, &simples, loc)
            }
            (Primitive::IntComp(op), [_, _]) => {
                let prim = Prim::IntCompare { op: int_cmp(*op), kind: IntKind::Tagged };
                self.prim("prim", prim, &simples, loc)
            }
            // Outside [0, bound], unsigned.
            (Primitive::IsOut, [_, _]) => {
                let prim = Prim::IntCompare { op: IntCmp::UnsignedLt, kind: IntKind::Tagged };
                self.prim("prim", prim, &simples, loc)
            }
            (Primitive::BintComp { kind, op }, [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                let prim = Prim::IntCompare { op: int_cmp(*op), kind: int_kind(*kind) };
                self.prim("prim", prim, &naked, loc)
            }
            (Primitive::FloatComp(op), [a, b]) => {
                let naked = self.unbox_both(a, b, BoxedKind::Float);
                self.prim("prim", Prim::FloatCompare { op: float_cmp(*op) }, &naked, loc)
            }
            _ => return self.wrong_arity(prim),
        }))
    }

    fn wrong_arity<T>(&self, prim: &Primitive) -> Result<T> {
        self.malformed(format!("wrong number of operands for {prim:?}"))
    }

    fn unbox_both(&mut self, a: &Val, b: &Val, kind: BoxedKind) -> [Simple; 2] {
        // From right to left, though the order can't be observed.
        let b = self.unbox(b, kind);
        let a = self.unbox(a, kind);
        [a, b]
    }

    /// A primitive on evaluated operands.
    fn operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Result<Val> {
        use Primitive as P;
        let simples = atoms(values);
        let val = Val::unknown;
        Ok(match (prim, values) {
            (P::BytesToString | P::BytesOfString, [value]) => value.clone(),
            (P::Ignore, [_]) => val(Simple::UNIT),
            (P::SetGlobal(_), [_]) => return self.malformed("the module block is not set but stored to"),
            (P::MakeBlock { tag, mutable }, fields) => self.make_block(*tag, *mutable, fields, loc)?,
            (P::FieldComputed, [_, _]) => val(self.prim("field", Prim::BlockLoadComputed, &simples, loc)),
            (P::SetField { field, pointer, init }, [_, _]) => {
                let prim = Prim::BlockStore { field: *field, pointer: *pointer, init: init_kind(*init) };
                val(self.prim("store", prim, &simples, loc))
            }
            (P::SetFieldComputed { pointer, init }, [_, _, _]) => {
                let prim = Prim::BlockStoreComputed { pointer: *pointer, init: init_kind(*init) };
                val(self.prim("store", prim, &simples, loc))
            }
            (P::FloatField(field), [_]) => {
                let prim = Prim::BlockLoadFloat { field: *field, mutability: Mutability::Unknown };
                let naked = self.prim("unboxed", prim, &simples, loc);
                self.boxed(naked, BoxedKind::Float, loc)
            }
            (P::SetFloatField { field, init }, [block, value]) => {
                let naked = self.unbox(value, BoxedKind::Float);
                let prim = Prim::BlockStoreFloat { field: *field, init: init_kind(*init) };
                val(self.prim("store", prim, &[block.simple, naked], loc))
            }
            (P::DupRecord { repr: RecordRepresentation::Unboxed, .. }, [record]) => record.clone(),
            (P::DupRecord { .. } | P::DupArray { .. }, [_]) => {
                let prim = Prim::Duplicate { mutability: Mutability::Mutable };
                val(self.prim("block", prim, &simples, loc))
            }
            (P::CCall(description), _) => self.c_call(description, values, loc),
            (P::Opaque, [_]) => val(self.prim("opaque", Prim::Opaque, &simples, loc)),
            (P::IntAsPointer, [_]) => val(self.prim("pointer", Prim::IntAsPointer, &simples, loc)),
            (P::CtConst(constant), [_]) => val(ct_const(*constant)),
            (P::OffsetRef(amount), [_]) => {
                val(self.prim("store", Prim::OffsetRef { amount: *amount }, &simples, loc))
            }
            _ => {
                if let Some(value) = self.integer_operation(prim, values, loc)? {
                    return Ok(value);
                }
                if let Some(value) = self.float_operation(prim, values, loc)? {
                    return Ok(value);
                }
                if let Some(value) = self.array_operation(prim, values, loc)? {
                    return Ok(value);
                }
                if let Some(value) = self.bigarray_operation(prim, values, loc) {
                    return Ok(value);
                }
                match self.string_operation(prim, values, loc)? {
                    Some(value) => value,
                    None => return self.wrong_arity(prim),
                }
            }
        })
    }

    /// Allocates a block, or makes it static if all of it is known at link time.
    fn make_block(&mut self, tag: u32, mutable: bool, fields: &[Val], loc: LocId) -> Result<Val> {
        let Ok(tag) = u8::try_from(tag) else { return self.malformed("a block's tag is above 255") };
        let simples = atoms(fields);
        let info = if mutable { crate::env::Info::Unknown } else { Self::block_info(fields) };
        if (!mutable || fields.is_empty())
            && let Some(simple) = self.static_block(tag, &simples)
        {
            return Ok(Val { simple, info });
        }
        let mutability = if mutable { Mutability::Mutable } else { Mutability::Immutable };
        let simple = self.prim("block", Prim::MakeBlock { tag, mutability }, &simples, loc);
        Ok(Val { simple, info })
    }

    /// A call of a C function.
    fn c_call(&mut self, description: &lambda::External, values: &[Val], loc: LocId) -> Val {
        let mut args = Vec::with_capacity(values.len());
        let mut reprs = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            let repr = native_repr(description.args.get(index).copied().unwrap_or(NativeRepr::Value));
            args.push(match repr {
                ir::NativeRepr::Value => value.simple,
                ir::NativeRepr::Unboxed(kind) => self.unbox(value, kind),
                ir::NativeRepr::Untagged => self.prim("untagged", Prim::Untag, &[value.simple], loc),
            });
            reprs.push(repr);
        }
        let result = native_repr(description.result);
        let prim = Prim::CCall(Box::new(External {
            name: description.native_name.clone(),
            args: reprs,
            result,
            no_result: false,
            alloc: description.alloc,
            tested: false,
        }));
        let simple = self.raising_prim("result", prim, &args, loc);
        match result {
            ir::NativeRepr::Value => Val::unknown(simple),
            ir::NativeRepr::Unboxed(kind) => self.boxed(simple, kind, loc),
            ir::NativeRepr::Untagged => Val::unknown(self.prim("tagged", Prim::Tag, &[simple], loc)),
        }
    }

    // ---- integers

    fn integer_operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Result<Option<Val>> {
        use Primitive as P;
        let simples = atoms(values);
        let tagged = IntKind::Tagged;
        let arith = |this: &mut Self, op, args: &[Simple]| {
            Val::unknown(this.prim("prim", Prim::IntArith { op, kind: tagged }, args, loc))
        };
        let shift = |this: &mut Self, op, args: &[Simple]| {
            Val::unknown(this.prim("prim", Prim::IntShift { op, kind: tagged }, args, loc))
        };
        Ok(Some(match (prim, values) {
            (P::Not, [_]) => arith(self, IntOp::Sub, &[Simple::tagged(1), simples[0]]),
            (P::NegInt, [_]) => arith(self, IntOp::Sub, &[Simple::tagged(0), simples[0]]),
            (P::OffsetInt(n), [_]) => arith(self, IntOp::Add, &[simples[0], Simple::tagged(*n)]),
            (P::AddInt, [_, _]) => arith(self, IntOp::Add, &simples),
            (P::SubInt, [_, _]) => arith(self, IntOp::Sub, &simples),
            (P::MulInt, [_, _]) => arith(self, IntOp::Mul, &simples),
            (P::AndInt, [_, _]) => arith(self, IntOp::And, &simples),
            (P::OrInt, [_, _]) => arith(self, IntOp::Or, &simples),
            (P::XorInt, [_, _]) => arith(self, IntOp::Xor, &simples),
            (P::LslInt, [_, _]) => shift(self, ShiftOp::Lsl, &simples),
            (P::LsrInt, [_, _]) => shift(self, ShiftOp::Lsr, &simples),
            (P::AsrInt, [_, _]) => shift(self, ShiftOp::Asr, &simples),
            (P::DivInt { safe }, [_, _]) => Val::unknown(self.division(true, tagged, &simples, *safe, loc)),
            (P::ModInt { safe }, [_, _]) => Val::unknown(self.division(false, tagged, &simples, *safe, loc)),
            (P::CompareInts, [_, _]) => {
                Val::unknown(self.prim("prim", Prim::IntCompare3 { kind: tagged }, &simples, loc))
            }
            (P::CompareBints(kind), [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                Val::unknown(self.prim("prim", Prim::IntCompare3 { kind: int_kind(*kind) }, &naked, loc))
            }
            (P::Bswap16, [_]) => {
                let naked = self.prim("untagged", Prim::Untag, &simples, loc);
                let swapped = self.prim("swapped", Prim::ByteSwap16, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[swapped], loc))
            }
            (P::Bbswap(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let swapped = self.prim("swapped", Prim::ByteSwap { kind: int_kind(*kind) }, &[naked], loc);
                self.boxed(swapped, boxed_kind(*kind), loc)
            }
            (P::BintOfInt(kind), [_]) => {
                let naked = self.prim("untagged", Prim::Untag, &simples, loc);
                let to = boxed_kind(*kind).naked();
                let converted =
                    self.prim("converted", Prim::NumConv { from: Kind::NakedImmediate, to }, &[naked], loc);
                self.boxed(converted, boxed_kind(*kind), loc)
            }
            (P::IntOfBint(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let from = boxed_kind(*kind).naked();
                let converted =
                    self.prim("converted", Prim::NumConv { from, to: Kind::NakedImmediate }, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[converted], loc))
            }
            (P::CvtBint { from, to }, [a]) => {
                let naked = self.unbox(a, boxed_kind(*from));
                let (from, to_kind) = (boxed_kind(*from).naked(), boxed_kind(*to).naked());
                let converted = if from == to_kind {
                    naked
                } else {
                    self.prim("converted", Prim::NumConv { from, to: to_kind }, &[naked], loc)
                };
                self.boxed(converted, boxed_kind(*to), loc)
            }
            (P::NegBint(kind), [a]) => {
                let naked = self.unbox(a, boxed_kind(*kind));
                let prim = Prim::IntArith { op: IntOp::Sub, kind: int_kind(*kind) };
                let negated = self.prim("negated", prim, &[zero(*kind), naked], loc);
                self.boxed(negated, boxed_kind(*kind), loc)
            }
            (P::AddBint(kind), [a, b]) => self.boxed_arith(IntOp::Add, *kind, a, b, loc),
            (P::SubBint(kind), [a, b]) => self.boxed_arith(IntOp::Sub, *kind, a, b, loc),
            (P::MulBint(kind), [a, b]) => self.boxed_arith(IntOp::Mul, *kind, a, b, loc),
            (P::AndBint(kind), [a, b]) => self.boxed_arith(IntOp::And, *kind, a, b, loc),
            (P::OrBint(kind), [a, b]) => self.boxed_arith(IntOp::Or, *kind, a, b, loc),
            (P::XorBint(kind), [a, b]) => self.boxed_arith(IntOp::Xor, *kind, a, b, loc),
            (P::DivBint { kind, safe }, [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                let quotient = self.division(true, int_kind(*kind), &naked, *safe, loc);
                self.boxed(quotient, boxed_kind(*kind), loc)
            }
            (P::ModBint { kind, safe }, [a, b]) => {
                let naked = self.unbox_both(a, b, boxed_kind(*kind));
                let remainder = self.division(false, int_kind(*kind), &naked, *safe, loc);
                self.boxed(remainder, boxed_kind(*kind), loc)
            }
            (P::LslBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Lsl, *kind, a, b, loc),
            (P::LsrBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Lsr, *kind, a, b, loc),
            (P::AsrBint(kind), [a, b]) => self.boxed_shift(ShiftOp::Asr, *kind, a, b, loc),
            _ => return Ok(None),
        }))
    }

    /// Division, after the check of the divisor. A divisor known to be zero never divides: it raises under `-unsafe` too,
    /// as in the stock compilers, also where it is known only later.
    fn division(&mut self, quotient: bool, kind: IntKind, args: &[Simple], safe: bool, loc: LocId) -> Simple {
        let divisor = constant_integer(args[1]);
        if divisor.is_none_or(|d| d == 0) {
            let if_known = divisor.is_none() && (!safe || self.options.unsafe_);
            self.raising_prim("check", Prim::CheckZero { kind, if_known }, &args[1..], loc);
            if divisor == Some(0) {
                return Const::Poison(kind.kind()).into();
            }
        }
        let prim = if quotient { Prim::IntDiv { kind } } else { Prim::IntMod { kind } };
        self.prim("prim", prim, args, loc)
    }

    fn boxed_arith(&mut self, op: IntOp, kind: BoxedInteger, a: &Val, b: &Val, loc: LocId) -> Val {
        let naked = self.unbox_both(a, b, boxed_kind(kind));
        let result = self.prim("naked", Prim::IntArith { op, kind: int_kind(kind) }, &naked, loc);
        self.boxed(result, boxed_kind(kind), loc)
    }

    fn boxed_shift(&mut self, op: ShiftOp, kind: BoxedInteger, a: &Val, b: &Val, loc: LocId) -> Val {
        let amount = self.prim("untagged", Prim::Untag, &[b.simple], loc);
        let naked = self.unbox(a, boxed_kind(kind));
        let prim = Prim::IntShift { op, kind: int_kind(kind) };
        let result = self.prim("naked", prim, &[naked, amount], loc);
        self.boxed(result, boxed_kind(kind), loc)
    }

    // ---- floats

    fn float_operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Result<Option<Val>> {
        use Primitive as P;
        let float = BoxedKind::Float;
        let binary = |this: &mut Self, op, a: &Val, b: &Val| {
            let naked = this.unbox_both(a, b, float);
            let result = this.prim("naked", Prim::FloatArith { op }, &naked, loc);
            this.boxed(result, float, loc)
        };
        let unary = |this: &mut Self, prim, a: &Val| {
            let naked = this.unbox(a, float);
            let result = this.prim("naked", prim, &[naked], loc);
            this.boxed(result, float, loc)
        };
        Ok(Some(match (prim, values) {
            (P::AddFloat, [a, b]) => binary(self, FloatOp::Add, a, b),
            (P::SubFloat, [a, b]) => binary(self, FloatOp::Sub, a, b),
            (P::MulFloat, [a, b]) => binary(self, FloatOp::Mul, a, b),
            (P::DivFloat, [a, b]) => binary(self, FloatOp::Div, a, b),
            (P::NegFloat, [a]) => unary(self, Prim::FloatNeg, a),
            (P::AbsFloat, [a]) => unary(self, Prim::FloatAbs, a),
            (P::FloatOfInt, [a]) => {
                let naked = self.prim("untagged", Prim::Untag, &[a.simple], loc);
                let prim = Prim::NumConv { from: Kind::NakedImmediate, to: Kind::NakedFloat };
                let converted = self.prim("converted", prim, &[naked], loc);
                self.boxed(converted, float, loc)
            }
            (P::IntOfFloat, [a]) => {
                let naked = self.unbox(a, float);
                let prim = Prim::NumConv { from: Kind::NakedFloat, to: Kind::NakedImmediate };
                let converted = self.prim("converted", prim, &[naked], loc);
                Val::unknown(self.prim("tagged", Prim::Tag, &[converted], loc))
            }
            (P::CompareFloats, [a, b]) => {
                let naked = self.unbox_both(a, b, float);
                Val::unknown(self.prim("prim", Prim::FloatCompare3, &naked, loc))
            }
            _ => return Ok(None),
        }))
    }

    // ---- arrays

    fn array_operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Result<Option<Val>> {
        use Primitive as P;
        let simples = atoms(values);
        Ok(Some(match (prim, values) {
            (P::MakeArray { .. }, []) => Val::unknown(self.static_block(0, &[]).unwrap_or(Simple::UNIT)),
            (P::MakeArray { kind, mutable }, elements) => {
                let kind = array_kind(*kind);
                let mutability = if *mutable { Mutability::Mutable } else { Mutability::Immutable };
                let args: Vec<Simple> = if kind == ir::ArrayKind::Float {
                    let mut naked: Vec<Simple> =
                        elements.iter().rev().map(|e| self.unbox(e, BoxedKind::Float)).collect();
                    naked.reverse();
                    naked
                } else {
                    simples
                };
                Val::unknown(self.prim("block", Prim::MakeArray { kind, mutability }, &args, loc))
            }
            (P::ArrayLength(kind), [_]) => {
                let prim = Prim::ArrayLength { kind: array_kind(*kind) };
                Val::unknown(self.prim("length", prim, &simples, loc))
            }
            (P::ArrayRef { kind, safe }, [array, index]) => {
                let kind = array_kind(*kind);
                self.check_array_bound(*safe, kind, array, index, loc);
                let element = self.prim("prim", Prim::ArrayLoad { kind }, &simples, loc);
                if kind == ir::ArrayKind::Float {
                    self.boxed(element, BoxedKind::Float, loc)
                } else {
                    Val::unknown(element)
                }
            }
            (P::ArraySet { kind, safe }, [array, index, element]) => {
                let kind = array_kind(*kind);
                let element = if kind == ir::ArrayKind::Float {
                    self.unbox(element, BoxedKind::Float)
                } else {
                    element.simple
                };
                self.check_array_bound(*safe, kind, array, index, loc);
                let args = [array.simple, index.simple, element];
                Val::unknown(self.prim("store", Prim::ArrayStore { kind }, &args, loc))
            }
            _ => return Ok(None),
        }))
    }

    fn check_array_bound(&mut self, safe: bool, kind: ir::ArrayKind, array: &Val, index: &Val, loc: LocId) {
        if safe {
            let length = self.prim("length", Prim::ArrayLength { kind }, &[array.simple], loc);
            self.raising_prim("check", Prim::CheckBound { width: 1 }, &[length, index.simple], loc);
        }
    }

    // ---- strings

    fn string_operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Result<Option<Val>> {
        use Primitive as P;
        use ir::{StringKind as S, Width};
        let simples = atoms(values);
        Ok(Some(match (prim, values) {
            (P::StringLength | P::BytesLength, [_]) => {
                Val::unknown(self.prim("length", Prim::StringLength, &simples, loc))
            }
            (P::StringRef { safe }, [_, _]) => self.string_load(S::String, Width::W8, *safe, values, loc),
            (P::BytesRef { safe }, [_, _]) => self.string_load(S::Bytes, Width::W8, *safe, values, loc),
            (P::StringLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::String, width(*w), *safe, values, loc)
            }
            (P::BytesLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::Bytes, width(*w), *safe, values, loc)
            }
            (P::BigstringLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::Bigstring, width(*w), *safe, values, loc)
            }
            (P::BytesSet { safe }, [_, _, _]) => self.string_store(S::Bytes, Width::W8, *safe, values, loc),
            (P::BytesStore { width: w, safe }, [_, _, _]) => {
                self.string_store(S::Bytes, width(*w), *safe, values, loc)
            }
            (P::BigstringStore { width: w, safe }, [_, _, _]) => {
                self.string_store(S::Bigstring, width(*w), *safe, values, loc)
            }
            _ => return Ok(None),
        }))
    }

    fn string_load(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) -> Val {
        self.check_string_bound(string, width, safe, values, loc);
        let naked = self.prim("prim", Prim::StringLoad { string, width }, &atoms(&values[..2]), loc);
        self.boxed_contents(naked, width.kind(), loc)
    }

    fn string_store(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) -> Val {
        let naked = self.naked_contents(&values[2], width.kind(), loc);
        self.check_string_bound(string, width, safe, values, loc);
        let args = [values[0].simple, values[1].simple, naked];
        Val::unknown(self.prim("store", Prim::StringStore { string, width }, &args, loc))
    }

    fn check_string_bound(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) {
        if safe {
            let length = match string {
                ir::StringKind::Bigstring => Prim::BigarrayDim { dim: 0 },
                ir::StringKind::String | ir::StringKind::Bytes => Prim::StringLength,
            };
            let length = self.prim("length", length, &[values[0].simple], loc);
            let check = Prim::CheckBound { width: width.bytes() };
            self.raising_prim("check", check, &[length, values[1].simple], loc);
        }
    }

    /// A value made of a register's contents.
    pub(crate) fn boxed_contents(&mut self, simple: Simple, kind: Kind, loc: LocId) -> Val {
        match kind {
            Kind::Value => Val::unknown(simple),
            Kind::NakedImmediate => Val::unknown(self.prim("tagged", Prim::Tag, &[simple], loc)),
            Kind::NakedFloat => self.boxed(simple, BoxedKind::Float, loc),
            Kind::NakedInt32 => self.boxed(simple, BoxedKind::Int32, loc),
            Kind::NakedInt64 => self.boxed(simple, BoxedKind::Int64, loc),
            Kind::NakedNativeint => self.boxed(simple, BoxedKind::Nativeint, loc),
        }
    }

    /// The contents of a value, in a register of that kind.
    pub(crate) fn naked_contents(&mut self, value: &Val, kind: Kind, loc: LocId) -> Simple {
        match kind {
            Kind::Value => value.simple,
            Kind::NakedImmediate => self.prim("untagged", Prim::Untag, &[value.simple], loc),
            Kind::NakedFloat => self.unbox(value, BoxedKind::Float),
            Kind::NakedInt32 => self.unbox(value, BoxedKind::Int32),
            Kind::NakedInt64 => self.unbox(value, BoxedKind::Int64),
            Kind::NakedNativeint => self.unbox(value, BoxedKind::Nativeint),
        }
    }
}

/// The integer, if the atom is one.
fn constant_integer(simple: Simple) -> Option<i64> {
    match simple {
        Simple::Const(Const::Tagged(n) | Const::NakedImmediate(n)) => Some(n),
        Simple::Const(Const::NakedInt32(n)) => Some(i64::from(n)),
        Simple::Const(Const::NakedInt64(n) | Const::NakedNativeint(n)) => Some(n),
        _ => None,
    }
}

fn zero(kind: BoxedInteger) -> Simple {
    Simple::Const(match kind {
        BoxedInteger::Int32 => Const::NakedInt32(0),
        BoxedInteger::Int64 => Const::NakedInt64(0),
        BoxedInteger::Nativeint => Const::NakedNativeint(0),
    })
}

/// Constants of the target: amd64, Unix, native.
fn ct_const(constant: CtConst) -> Simple {
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

fn boxed_kind(kind: BoxedInteger) -> BoxedKind {
    match kind {
        BoxedInteger::Nativeint => BoxedKind::Nativeint,
        BoxedInteger::Int32 => BoxedKind::Int32,
        BoxedInteger::Int64 => BoxedKind::Int64,
    }
}

fn int_kind(kind: BoxedInteger) -> IntKind {
    match kind {
        BoxedInteger::Nativeint => IntKind::Nativeint,
        BoxedInteger::Int32 => IntKind::Int32,
        BoxedInteger::Int64 => IntKind::Int64,
    }
}

fn int_cmp(op: IntComparison) -> IntCmp {
    match op {
        IntComparison::Eq => IntCmp::Eq,
        IntComparison::Ne => IntCmp::Ne,
        IntComparison::Lt => IntCmp::Lt,
        IntComparison::Gt => IntCmp::Gt,
        IntComparison::Le => IntCmp::Le,
        IntComparison::Ge => IntCmp::Ge,
    }
}

fn float_cmp(op: lambda::FloatComparison) -> FloatCmp {
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

fn init_kind(init: Initialization) -> Init {
    match init {
        Initialization::Assignment => Init::Assignment,
        Initialization::Heap => Init::Heap,
        Initialization::Root => Init::Root,
    }
}

fn array_kind(kind: lambda::ArrayKind) -> ir::ArrayKind {
    match kind {
        lambda::ArrayKind::Gen => ir::ArrayKind::Generic,
        lambda::ArrayKind::Addr => ir::ArrayKind::Addr,
        lambda::ArrayKind::Int => ir::ArrayKind::Int,
        lambda::ArrayKind::Float => ir::ArrayKind::Float,
    }
}

fn width(width: AccessWidth) -> ir::Width {
    match width {
        AccessWidth::W16 => ir::Width::W16,
        AccessWidth::W32 => ir::Width::W32,
        AccessWidth::W64 => ir::Width::W64,
    }
}

fn native_repr(repr: NativeRepr) -> ir::NativeRepr {
    match repr {
        NativeRepr::Value => ir::NativeRepr::Value,
        NativeRepr::Float => ir::NativeRepr::Unboxed(BoxedKind::Float),
        NativeRepr::Nativeint => ir::NativeRepr::Unboxed(BoxedKind::Nativeint),
        NativeRepr::Int32 => ir::NativeRepr::Unboxed(BoxedKind::Int32),
        NativeRepr::Int64 => ir::NativeRepr::Unboxed(BoxedKind::Int64),
        NativeRepr::Untagged => ir::NativeRepr::Untagged,
    }
}
