//! Primitives of Lambda. Operands are evaluated from right to left; checks come after all operands
//! (soundness row 2).

mod arrays;
mod numbers;
mod translations;

use translations::{boxed_kind, ct_const, ct_function, float_cmp, init_kind, int_cmp, int_kind, native_repr};

use flambeau_ir::prim::{self as ir, External, IntCmp, Mutability};
use flambeau_ir::{BoxedKind, Const, IntKind, Machine, Prim, Simple};
use flambeau_lambda::prim::{self as lambda, IntComparison, NativeRepr, RecordRepresentation};
use flambeau_lambda::term::{LocId, Node, NodeId};
use flambeau_lambda::{EvaluationOrder, Primitive};

use crate::apply::atoms;
use crate::bigarrays::{self, is_known};
use crate::builder::{Converter, Result};
use crate::env::Val;
use crate::letrec::external;

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
                // A copy of a literal is the literal itself: it need not be allocated twice.
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

    /// Evaluates the operands of a primitive, in the order of the stock native compiler: from right to left, but, in
    /// OCaml 4.13, for the primitives whose code there names the operands first (`tests/programs/native_order_quirks`).
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
                if self.rewrites.machine == Machine::Native && is_known(*kind, *layout) && count >= 2 =>
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

    /// A comparison or other boolean primitive, as a naked immediate; `None` for other primitives.
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
            // `PhysEqual` compares machine words: the operands may be pointers (pitfall: Ceq on blocks).
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
            (P::BlockTag, [_]) => {
                let tag = self.prim("tag", Prim::GetTag, &simples, loc);
                val(self.prim("tagged", Prim::Tag, &[tag], loc))
            }
            (P::Opaque, [_]) => val(self.prim("opaque", Prim::Opaque, &simples, loc)),
            (P::IntAsPointer, [_]) => val(self.prim("pointer", Prim::IntAsPointer, &simples, loc)),
            (P::CtConst(constant), [_]) if self.rewrites.machine == Machine::Bytecode => {
                let ask = external(ct_function(*constant), 1, false, false);
                val(self.raising_prim("constant", ask, &simples, loc))
            }
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
        if description.name != description.native_name {
            self.bytecode_names.insert(description.native_name.clone(), description.name.clone());
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
}
