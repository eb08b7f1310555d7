//! Primitives, in the downward pass.

use flambeau_ir::prim::{ArrayKind, Init, IntCmp, Mutability, Unknown};
use flambeau_ir::runtime_functions::Written;
use flambeau_ir::tags;
use flambeau_ir::{
    BoxedKind, Const, Dbg, ExnCont, IntKind, Item, Kind, Named, Prim, Rewrite, Simple, Variable,
};
use flambeau_types::{Blocks, Definition, IntSet, Operands, Ty, length_of_made};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::fold;
use crate::memory::Memory;
use crate::slots::Stored;

/// Larger blocks are not analysed: types of their fields would be copied around.
pub(crate) const FIELDS: usize = 64;

/// What a primitive is simplified to.
pub enum Outcome {
    /// It is this atom; for one that is there for its effect: it has none here.
    Atom(Simple),
    /// Another primitive does the same.
    Prim(Prim, Operands),
    /// It stays; its result is of this type.
    Keep(Ty),
    /// It raises whenever it is executed: nothing after it is reached.
    Raise,
    /// Another primitive does the same after some others.
    Several(Vec<(Variable, Prim, Operands)>, Prim, Operands),
    /// This point is never reached.
    Dead,
}

/// Whether what follows a primitive is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    Yes,
    /// The primitive stays, and raises whenever it is executed.
    NoAfterRaise,
    /// The primitive itself is not reached.
    No,
}

impl Simplifier<'_> {
    /// Simplifies `let var = prim (args)`; returns whether what follows is reached.
    pub(crate) fn primitive(
        &mut self,
        var: Variable,
        mut prim: Prim,
        mut args: SmallVec<[Simple; 3]>,
        exn: Option<Box<ExnCont>>,
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) -> Reached {
        for arg in &mut args {
            *arg = self.env.canonical(*arg);
        }
        // Bounded: each step makes the primitive simpler.
        for _ in 0..8 {
            match self.outcome(&prim, &args) {
                Outcome::Atom(simple) => {
                    if !self.allow(Rewrite::KnownResult) {
                        break;
                    }
                    self.env.bind_alias(var, simple);
                    self.count(|removed| removed.primitives += 1);
                    return Reached::Yes;
                }
                Outcome::Prim(simpler, operands) => {
                    if !self.allow(Rewrite::SimplerPrimitive) {
                        break;
                    }
                    (prim, args) = (simpler, operands);
                }
                Outcome::Several(lets, simpler, operands) => {
                    if !self.allow(Rewrite::SimplerPrimitives) {
                        break;
                    }
                    if matches!(&prim, Prim::CCall(external) if external.writes() != Written::Bytes) {
                        self.count(|removed| removed.polymorphic_compares += 1);
                    }
                    for (var, prim, args) in lets {
                        if self.primitive(var, prim, args, None, dbg, out) == Reached::No {
                            return Reached::No;
                        }
                    }
                    (prim, args) = (simpler, operands);
                    for arg in &mut args {
                        *arg = self.env.canonical(*arg);
                    }
                }
                Outcome::Keep(ty) => {
                    self.env.bind(var, ty);
                    self.emit(var, prim, args, exn, dbg, out);
                    return Reached::Yes;
                }
                Outcome::Raise => {
                    self.env.bind(var, Ty::Unknown);
                    self.emit(var, prim, args, exn, dbg, out);
                    return Reached::NoAfterRaise;
                }
                Outcome::Dead => {
                    if !self.allow(Rewrite::Contradiction) {
                        break;
                    }
                    return Reached::No;
                }
            }
        }
        self.env.bind(var, Ty::Unknown);
        self.emit(var, prim, args, exn, dbg, out);
        Reached::Yes
    }

    /// Puts a primitive into the new run, and learns from its having been executed.
    fn emit(
        &mut self,
        var: Variable,
        prim: Prim,
        args: Operands,
        exn: Option<Box<ExnCont>>,
        dbg: Dbg,
        out: &mut Vec<Item>,
    ) {
        let stored = if matches!(prim, Prim::StoreResult { .. }) { self.stored() } else { Stored::new() };
        self.write(prim.effects().writes());
        self.note_assignment(&prim, &args, dbg);
        let exn = if prim.may_raise() { exn.map(|exn| Box::new(self.raise_point(*exn))) } else { None };
        let key = self.cse_key(&prim, &args);
        if let Some((key, args, memory)) = key {
            let result = if prim.is_for_effect() { Simple::UNIT } else { var.into() };
            self.env.add_cse(key, args, memory, result);
        }
        let of_module = matches!((&prim, &args[..]), (Prim::BlockLoad { .. }, [Simple::Symbol(_)]));
        // An array that a function of the runtime makes is what its arguments are.
        let makes = prim.can_drop() || length_of_made(&prim, &args).is_some();
        if (of_module || makes) && !args.is_empty() {
            self.env.define(var, Definition { prim: prim.clone(), args: args.clone() });
        }
        match (&prim, &args[..]) {
            (Prim::StoreResult { part, kind }, [slots, value]) => {
                self.note_stored((*part, *kind), *slots, *value, stored);
            }
            _ => self.learn_from(var, &prim, &args),
        }
        out.push(Item::Let { var, named: Named::Prim { prim, args, exn }, dbg });
    }

    /// The result of an operation that was executed before the run began, and has not been undone.
    pub(crate) fn note_result(&mut self, prim: &Prim, args: &[Simple], result: Variable) {
        let args = Operands::from_slice(args);
        if let Some((key, operands, memory)) = self.cse_key(prim, &args) {
            self.env.add_cse(key, operands, memory, result.into());
        }
        self.learn_from(result, prim, &args);
    }

    /// Under which key the result of an operation is found again, if it may be.
    pub(crate) fn cse_key(&self, prim: &Prim, args: &Operands) -> Option<(Prim, Operands, u32)> {
        let memory = self.memory().read_by(prim);
        let (prim, memory) = match prim {
            // One key for all that read the field, whatever each knows of its mutability.
            Prim::BlockLoad { field, .. } => {
                let state = match (memory, args[0]) {
                    // Functions that are nested in this one have the block, but not what was loaded from it.
                    (Memory::FIXED, Simple::Symbol(_)) => self.function_state(),
                    (state, _) => state,
                };
                let load = Prim::BlockLoad { field: *field, mutability: Mutability::Unknown };
                return (!matches!(args[0], Simple::Const(_))).then(|| (load, args.clone(), state));
            }
            Prim::BlockLoadFloat { field, .. } => {
                (Prim::BlockLoadFloat { field: *field, mutability: Mutability::Unknown }, memory)
            }
            Prim::GetTag => {
                let plain = matches!(self.env.ty(args[0]).blocks(), Blocks::Known(_));
                (Prim::GetTag, if plain { Memory::FIXED } else { memory })
            }
            // A double takes a word: the length is that of the block whatever the elements are.
            Prim::ArrayLength { .. } => (Prim::ArrayLength { kind: ArrayKind::Generic }, memory),
            // One key for what reads pointers, whatever each knows of them.
            Prim::ArrayLoad { kind: ArrayKind::Rows } => (Prim::ArrayLoad { kind: ArrayKind::Addr }, memory),
            // Found again where a function that stored it is inlined.
            Prim::LoadResult { .. } => return Some((prim.clone(), args.clone(), memory)),
            _ if self.rewrites.keep_sharing && prim.effects().allocates() => return None,
            _ if prim.can_merge() => (prim.clone(), memory),
            _ => return None,
        };
        args.iter().any(|arg| matches!(arg, Simple::Var(_))).then(|| (prim, args.clone(), memory))
    }

    /// The name of a memory state that belongs to the whole function, and to no other.
    fn function_state(&self) -> u32 {
        self.function.current.map_or(u32::MAX, |code| u32::MAX - 1 - code.as_u32())
    }

    /// Warning 59: what is taken to be immutable is assigned (`Obj.set_field`).
    fn note_assignment(&mut self, prim: &Prim, args: &Operands, dbg: Dbg) {
        let assigns = matches!(
            prim,
            Prim::BlockStore { init: Init::Assignment, .. }
                | Prim::BlockStoreFloat { init: Init::Assignment, .. }
                | Prim::BlockStoreComputed { init: Init::Assignment, .. }
                | Prim::ArrayStore { .. }
        );
        if assigns
            && !self.is_measuring()
            && self.is_immutable(args[0])
            && let Some(place) = self.unit.locs.own(self.unit.locs.outermost(dbg))
        {
            self.rewrites.assignments.insert(place);
        }
    }

    /// Whether a value is no block, or one that was allocated as immutable.
    fn is_immutable(&self, value: Simple) -> bool {
        let value = self.env.canonical(value);
        match self.env.ty(value) {
            Ty::Closure(_) | Ty::Boxed(..) => true,
            Ty::Variant(variant) if variant.is_immediate() => true,
            // Nothing is stored in what has no fields (`[||]`): code that would is never reached.
            ty if matches!(value, Simple::Symbol(_)) => {
                ty.as_block().is_some_and(|block| !(block.exact && block.fields.is_empty()))
            }
            _ => self.env.definition(value).is_some_and(|definition| {
                matches!(
                    definition.prim,
                    Prim::MakeBlock { mutability: Mutability::Immutable, .. }
                        | Prim::MakeFloatBlock { mutability: Mutability::Immutable }
                )
            }),
        }
    }

    /// What a primitive is simplified to, whose operands are canonical.
    pub(crate) fn outcome(&mut self, prim: &Prim, args: &Operands) -> Outcome {
        if let Some(outcome) = self.folded(prim, args) {
            return outcome;
        }
        if let Some(key) = self.cse_key(prim, args)
            && let Some(known) = self.env.cse(&key)
            && !(prim.makes_immutable() && self.is_only_for_parts(known))
        {
            return Outcome::Atom(known);
        }
        match self.special(prim, args) {
            Outcome::Keep(ty) if prim.can_duplicate() => match only_value(prim, &ty) {
                Some(constant) => Outcome::Atom(constant.into()),
                None => Outcome::Keep(ty),
            },
            outcome => outcome,
        }
    }

    /// Whether what was allocated is only looked into: it goes, or to where it is needed, if nothing else needs it.
    fn is_only_for_parts(&self, block: Simple) -> bool {
        block.as_var().is_some_and(|var| self.function.analysis.is_only_for_parts(var))
    }

    fn folded(&mut self, prim: &Prim, args: &Operands) -> Option<Outcome> {
        if args.is_empty() || !prim.can_duplicate() {
            return None;
        }
        let kinds = prim.signature();
        let mut constants = SmallVec::<[Const; 3]>::new();
        for (index, arg) in args.iter().enumerate() {
            let kind = kinds.args.get(index).copied().unwrap_or(Kind::Value);
            constants.push(self.env.constant(*arg, kind)?);
        }
        fold::fold(prim, &constants).map(|c| Outcome::Atom(c.into()))
    }

    fn special(&mut self, prim: &Prim, args: &Operands) -> Outcome {
        match (prim, &args[..]) {
            (Prim::IsInt, [x]) => self.is_int(*x),
            (Prim::GetTag, [x]) => self.get_tag(*x),
            (Prim::Tag, [n]) => self.tag(*n),
            (Prim::Untag, [x]) => self.untag(*x),
            (Prim::Box(kind), [n]) => match self.env.constant(*n, kind.naked()) {
                Some(c) if !matches!(c, Const::Poison(_)) && !self.rewrites.keep_sharing => {
                    match self.static_number(*kind, c) {
                        Some(symbol) => Outcome::Atom(symbol.into()),
                        None => Outcome::Keep(Ty::boxed(*kind, Ty::Is(*n))),
                    }
                }
                _ => Outcome::Keep(Ty::boxed(*kind, Ty::Is(*n))),
            },
            (Prim::Rebox(kind), [n, boxed]) => self.rebox(*kind, *n, *boxed),
            (Prim::Unbox(kind), [x]) => match self.env.ty(*x) {
                Ty::Boxed(k, contents) if k == *kind => match &*contents {
                    Ty::Is(n) => Outcome::Atom(*n),
                    other => Outcome::Keep(other.clone()),
                },
                _ => Outcome::Keep(Ty::Unknown),
            },
            (Prim::NumConv { from, to }, [x]) => self.convert(*from, *to, *x),
            (Prim::IntMod { kind }, [x, divisor]) if self.env.is_own_remainder(*kind, *x, *divisor) => {
                Outcome::Atom(*x)
            }
            (
                Prim::IntArith { .. } | Prim::IntShift { .. } | Prim::IntDiv { .. } | Prim::IntMod { .. },
                args,
            ) => self.by_algebra(prim, args).unwrap_or_else(|| self.integer(prim, args)),
            (Prim::IntCompare { op, kind }, [x, y]) => self.compare(*op, *kind, *x, *y),
            (Prim::IntCompare3 { kind }, [x, y]) => match self.env.three_way(*kind, *x, *y) {
                Some(order) => Outcome::Atom(Simple::tagged(order)),
                None => self.integer(prim, args),
            },
            (Prim::PhysEqual { negated }, [x, y]) => self.phys_equal(*negated, *x, *y),
            (Prim::CheckZero { kind, .. }, [x]) if self.env.is_not_zero(*x, *kind) => {
                Outcome::Atom(Simple::UNIT)
            }
            (Prim::CheckBound { width }, [length, index])
                if self.env.is_in_bounds(*length, *index, *width) =>
            {
                Outcome::Atom(Simple::UNIT)
            }
            (Prim::CheckZero { kind, .. }, [x]) if self.env.is_zero(*x, *kind) => Outcome::Raise,
            (Prim::CheckBound { width }, [length, index])
                if self.env.is_out_of_bounds(*length, *index, *width) =>
            {
                Outcome::Raise
            }
            (Prim::MakeBlock { tag, mutability }, fields) => self.make_block(*tag, *mutability, fields),
            (prim, fields) if prim.makes_immutable_floats() && fields.len() <= FIELDS => {
                Outcome::Keep(Ty::floats(fields.iter().map(|field| Ty::Is(*field))))
            }
            (Prim::MakeArray { kind: ArrayKind::Generic, mutability }, elements) => {
                self.make_array(*mutability, elements)
            }
            (Prim::MakeFloatBlock { .. } | Prim::MakeArray { .. } | Prim::Duplicate { .. }, _) => {
                Outcome::Keep(self.env.elements_of_made(prim, args).map_or_else(Ty::pointer, Ty::Array))
            }
            (Prim::BlockLoad { field, .. }, [block]) => self.load(*field, *block),
            (Prim::LoadResult { part, kind: Kind::Value }, _) => Outcome::Keep(self.type_of_part(*part)),
            (Prim::BlockLoadFloat { field, .. }, [block]) => match self.env.ty(*block) {
                Ty::Floats(fields) => match fields.get(*field as usize) {
                    Some(Ty::Is(simple)) => Outcome::Atom(*simple),
                    _ => Outcome::Keep(Ty::Unknown),
                },
                _ => Outcome::Keep(Ty::Unknown),
            },
            (Prim::StringLength, [string]) => self.string_length(*string),
            (Prim::ArrayLength { .. }, [array]) if self.is_empty_block(*array) => {
                Outcome::Atom(Simple::tagged(0))
            }
            (Prim::StringLoad { string: kind, width }, [string, index]) => {
                self.string_load(*kind, *width, *string, *index)
            }
            (Prim::ProjectValueSlot { function, value }, [closure]) => match self.env.ty(*closure) {
                Ty::Closure(known) if known.slot == *function => {
                    match known.values.iter().find(|(slot, _)| slot == value) {
                        Some((_, Ty::Is(simple))) => Outcome::Atom(*simple),
                        Some((_, ty)) => Outcome::Keep(ty.clone()),
                        None => Outcome::Keep(Ty::Unknown),
                    }
                }
                _ => Outcome::Keep(Ty::Unknown),
            },
            (Prim::ProjectFunctionSlot { from, to }, [closure]) => {
                if from == to {
                    return Outcome::Atom(*closure);
                }
                match self.env.ty(*closure) {
                    Ty::Closure(known) if known.slot == *from => {
                        let sibling = flambeau_types::Closure { slot: *to, ..(*known).clone() };
                        Outcome::Keep(Ty::Closure(std::rc::Rc::new(sibling)))
                    }
                    _ => Outcome::Keep(Ty::Unknown),
                }
            }
            (Prim::CCall(external), operands) => match self.env.elements_of_made(prim, args) {
                Some(elements) => Outcome::Keep(Ty::Array(elements)),
                None => self.c_call(external, operands),
            },
            (prim, args) if prim.needs_representation() == Some(Unknown::IsFlat) => {
                self.generic_access(prim, args)
            }
            _ => self.integer(prim, args),
        }
    }

    /// Whether a value is `[||]`.
    fn is_empty_block(&self, value: Simple) -> bool {
        self.env
            .ty(value)
            .as_block()
            .is_some_and(|block| block.exact && block.tag == 0 && block.fields.is_empty())
    }

    /// A box that may exist already: it does if `boxed` is a block, and does not if that is an immediate.
    fn rebox(&self, kind: BoxedKind, number: Simple, boxed: Simple) -> Outcome {
        let ty = self.env.ty(boxed);
        match ty.immediates() {
            Some(ints) if ints.is_empty() => Outcome::Atom(boxed),
            Some(_) if ty.blocks().is_none() => {
                Outcome::Prim(Prim::Box(kind), Operands::from_slice(&[number]))
            }
            _ => Outcome::Keep(Ty::boxed(kind, Ty::Is(number))),
        }
    }

    fn is_int(&self, x: Simple) -> Outcome {
        let ty = self.env.ty(x);
        let (Some(ints), blocks) = (ty.immediates(), ty.blocks()) else { return Outcome::Keep(Ty::bool()) };
        match (ints.is_empty(), blocks.is_none()) {
            (true, true) => Outcome::Dead,
            (true, false) => Outcome::Atom(Simple::naked_imm(0)),
            (false, true) => Outcome::Atom(Simple::naked_imm(1)),
            (false, false) => Outcome::Keep(Ty::bool()),
        }
    }

    fn get_tag(&self, x: Simple) -> Outcome {
        match self.env.ty(x).blocks().tags() {
            Some(tags) => match tags.as_one() {
                Some(tag) => Outcome::Atom(Simple::naked_imm(tag)),
                None => Outcome::Keep(Ty::Int(tags)),
            },
            None => Outcome::Keep(Ty::Int(IntSet::range(0, 255))),
        }
    }

    fn tag(&self, n: Simple) -> Outcome {
        // Only of an immediate is it the inverse: the low bit of a pointer is lost (soundness row 22).
        if let Some(definition) = self.env.definition(n)
            && definition.prim == Prim::Untag
            && matches!(self.env.ty(definition.args[0]), Ty::Variant(v) if v.is_immediate())
        {
            return Outcome::Atom(definition.args[0]);
        }
        self.integer(&Prim::Tag, &[n])
    }

    fn untag(&self, x: Simple) -> Outcome {
        if let Some(definition) = self.env.definition(x)
            && definition.prim == Prim::Tag
        {
            return Outcome::Atom(definition.args[0]);
        }
        self.integer(&Prim::Untag, &[x])
    }

    fn convert(&self, from: Kind, to: Kind, x: Simple) -> Outcome {
        if from == to {
            return Outcome::Atom(x);
        }
        // A conversion there and back, where the first one loses nothing.
        if let Some(definition) = self.env.definition(x)
            && let Prim::NumConv { from: origin, .. } = definition.prim
            && origin == to
            && width(from).zip(width(to)).is_some_and(|(wide, narrow)| wide >= narrow)
        {
            return Outcome::Atom(definition.args[0]);
        }
        self.integer(&Prim::NumConv { from, to }, &[x])
    }

    /// An operation on integers that stays.
    pub(crate) fn integer(&self, prim: &Prim, args: &[Simple]) -> Outcome {
        Outcome::Keep(self.env.integer_result(prim, args).unwrap_or(Ty::Unknown))
    }

    fn compare(&self, op: IntCmp, kind: IntKind, x: Simple, y: Simple) -> Outcome {
        if let Some(outcome) = self.compare_to_constant(op, kind, x, y) {
            return outcome;
        }
        match self.env.decide(op, kind, x, y) {
            Some(holds) => Outcome::Atom(Simple::naked_imm(i64::from(holds))),
            None => Outcome::Keep(Ty::bool()),
        }
    }

    fn phys_equal(&self, negated: bool, x: Simple, y: Simple) -> Outcome {
        let known = |equal: bool| Outcome::Atom(Simple::naked_imm(i64::from(equal != negated)));
        if x == y {
            return known(true);
        }
        let op = if negated { IntCmp::Ne } else { IntCmp::Eq };
        let compared = self.compare_to_constant(op, IntKind::Tagged, x, y);
        if let Some(outcome) = compared.or_else(|| self.is_immediate_of(op, x, y)) {
            return outcome;
        }
        if self.are_two_objects(x, y) {
            return known(false);
        }
        // An immediate is no pointer, and differs from other immediates.
        let (a, b) = (self.env.ty(x), self.env.ty(y));
        if let (Some(i), Some(j)) = (a.immediates(), b.immediates()) {
            let pointers_may_be_equal = !a.blocks().is_none() && !b.blocks().is_none();
            if !pointers_may_be_equal && i.intersection(&j).is_empty() {
                return known(false);
            }
        }
        Outcome::Keep(Ty::bool())
    }

    fn make_block(&mut self, tag: u8, mutability: Mutability, fields: &[Simple]) -> Outcome {
        if tag >= tags::FIRST_SPECIAL {
            // The GC replaces a forward block by what it holds (soundness row 15): it may become an immediate.
            return Outcome::Keep(Ty::Unknown);
        }
        if mutability != Mutability::Immutable {
            return Outcome::Keep(Ty::pointer());
        }
        if !self.rewrites.keep_sharing
            && let Some(symbol) = self.static_block(tag, fields)
        {
            return Outcome::Atom(symbol.into());
        }
        if fields.len() > FIELDS {
            return Outcome::Keep(Ty::pointer());
        }
        Outcome::Keep(Ty::block(tag, fields.iter().map(|field| Ty::Is(*field))))
    }

    fn load(&mut self, field: u32, block: Simple) -> Outcome {
        let known = match self.toplevel_field(block, field) {
            Some(known) => Some(known.clone()),
            None => self.field_of(&self.env.ty(block), field),
        };
        let ty = match known {
            Some(Ty::Is(_) | Ty::Instance(..) | Ty::Closure(_)) => known,
            // An object of another unit may have a specialised instance, too.
            known => self.made_elsewhere(field, block).or(known),
        };
        match ty {
            Some(Ty::Is(simple)) => Outcome::Atom(simple),
            Some(Ty::Instance(symbol, _)) if self.function.in_instance => Outcome::Atom(symbol.into()),
            Some(ty) if ty != Ty::Unknown => Outcome::Keep(ty),
            _ => Outcome::Keep(self.function_in_field(field, block)),
        }
    }
}

/// The significant bits of a naked integer.
fn width(kind: Kind) -> Option<u32> {
    match kind {
        Kind::NakedImmediate => Some(63),
        Kind::NakedInt32 => Some(32),
        Kind::NakedInt64 | Kind::NakedNativeint => Some(64),
        Kind::NakedFloat | Kind::Value => None,
    }
}

/// The one value that the result of an operation can have.
fn only_value(prim: &Prim, ty: &Ty) -> Option<Const> {
    ty.as_const(prim.signature().result)
}
