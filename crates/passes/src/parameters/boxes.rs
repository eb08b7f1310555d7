//! Where functions return parts: what they do at their returns, and how calls that need the whole make it.

use flambeau_ir::prim::{FloatCmp, FloatOp, IntCmp, Mutability};
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, Continuation, Dbg, Expr, IntKind, Item, Kind, Named, Prim, Simple, Subkind,
    Switch, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::build::{bind, branch, jump};
use super::returned::Case;
use super::shapes::{Allocations, Constructor, Part, Shape};

/// How a function of a class returns.
#[derive(Clone)]
pub(super) struct Convention<'k> {
    /// What those of the class return.
    pub shape: Shape,
    /// Of a variant, the constructors that this function returns.
    pub cases: SmallVec<[Case; 4]>,
    /// What is returned in the register.
    pub register: Kind,
    /// The slots for what is not.
    pub slots: Simple,
    pub allocations: &'k Allocations,
}

impl Convention<'_> {
    /// Makes the body of a function return parts.
    pub fn returns(&self, unit: &mut Unit, body: &mut Expr, ret: Continuation) {
        // Returns that were made here, by their last stores.
        let mut made: FxHashSet<Variable> = FxHashSet::default();
        body.walk_mut(&mut |expr| {
            let is_made = expr.items.last().and_then(bound).is_some_and(|var| made.contains(&var));
            if !is_made {
                self.end(unit, expr, ret, &mut made);
            }
        });
    }

    /// Makes a terminator return parts.
    fn end(&self, unit: &mut Unit, expr: &mut Expr, ret: Continuation, made: &mut FxHashSet<Variable>) {
        let mut handlers = Vec::new();
        let mut give = |unit: &mut Unit, jump: &mut ApplyCont| {
            if jump.cont != ret {
                return;
            }
            let (items, register) = self.give(unit, jump.args[0]);
            if items.is_empty() {
                jump.args[0] = register;
                return;
            }
            made.extend(items.last().and_then(bound));
            let cont = unit.new_continuation("give");
            let terminator =
                Terminator::ApplyCont(ApplyCont { cont: ret, args: [register].into_iter().collect() });
            handlers.push(Item::let_cont(cont, Expr { items, terminator }));
            *jump = ApplyCont::plain(cont);
        };
        match &mut expr.terminator {
            Terminator::ApplyCont(jump) if jump.cont == ret => {
                let (items, register) = self.give(unit, jump.args[0]);
                jump.args[0] = register;
                expr.items.extend(items);
            }
            Terminator::Switch(switch) => {
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
                arms.for_each(|jump| give(unit, jump));
            }
            Terminator::StringSwitch(switch) => {
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default);
                arms.for_each(|jump| give(unit, jump));
            }
            _ => {}
        }
        expr.items.extend(handlers);
    }

    /// Stores the parts of what is returned that come in slots; what comes in the register.
    fn give(&self, unit: &mut Unit, atom: Simple) -> (Vec<Item>, Simple) {
        let mut items = Vec::new();
        if let Some((_, number)) = self.allocations.number(atom) {
            return (items, Simple::Const(number));
        }
        if let Some((_, number)) = self.allocations.own_box(atom) {
            return (items, number);
        }
        let constructor = |number: Option<usize>| {
            // A constructor that is not in the shape is not returned.
            let poison = Const::Poison(Kind::NakedImmediate);
            Simple::Const(number.map_or(poison, |number| Const::NakedImmediate(number as i64)))
        };
        if let Simple::Const(Const::Tagged(immediate)) = atom {
            return (items, constructor(self.shape.number_of_immediate(immediate)));
        }
        let Some((tag, fields)) = self.allocations.block(atom) else {
            let register = self.hand_on(unit, &mut items, atom);
            return (items, register);
        };
        let number = self.shape.number_of_block(*tag);
        let Some(block) = number.and_then(|number| self.shape.blocks.get(number)) else {
            return (items, constructor(None));
        };
        let mut parts: SmallVec<[Simple; 8]> = SmallVec::new();
        fields.iter().zip(&block.parts).for_each(|(field, part)| self.add_parts(*field, part, &mut parts));
        self.store(unit, &mut items, block, &parts);
        (items, if self.shape.is_tuple() { parts[0] } else { constructor(number) })
    }

    /// Takes the result of a call apart that returned parts, which makes it whole for this alone: what the function
    /// returns is what it got.
    fn hand_on(&self, unit: &mut Unit, items: &mut Vec<Item>, whole: Simple) -> Simple {
        if let Some(kind) = self.shape.number {
            return bind(unit, items, kind.naked(), Prim::Unbox(kind), &[whole]);
        }
        if self.shape.is_tuple() {
            let mut parts = SmallVec::new();
            project(unit, items, whole, &self.shape.blocks[0].parts, &mut parts);
            self.store(unit, items, &self.shape.blocks[0], &parts);
            return parts[0];
        }
        let cont = unit.new_continuation("constructor");
        let number = |number: usize| Simple::Const(Const::NakedImmediate(number as i64));
        let mut body = Expr::unreachable();
        let (mut ints, mut tags) = (Vec::new(), Vec::new());
        for (at, block) in self.shape.blocks.iter().enumerate() {
            let mut run = Vec::new();
            let mut parts = SmallVec::new();
            project(unit, &mut run, whole, &block.parts, &mut parts);
            self.store(unit, &mut run, block, &parts);
            let handler = unit.new_continuation("block");
            let terminator = Terminator::ApplyCont(jump(cont, Some(number(at))));
            body.items.push(Item::let_cont(handler, Expr { items: run, terminator }));
            tags.push((i64::from(block.tag), jump(handler, None)));
        }
        for (at, immediate) in self.shape.immediates.iter().enumerate() {
            ints.push((*immediate, jump(cont, Some(number(self.shape.blocks.len() + at)))));
        }
        // The constructors are in the order in which they were found.
        let switch = |scrutinee, mut arms: Vec<(i64, ApplyCont)>| {
            arms.sort_unstable_by_key(|(value, _)| *value);
            Terminator::Switch(Box::new(Switch {
                scrutinee,
                arms,
                default: None,
                dbg: Dbg::NONE,
                cases: None,
            }))
        };
        let mut of_block = Expr::unreachable();
        let tag = bind(unit, &mut of_block.items, Kind::NakedImmediate, Prim::GetTag, &[whole]);
        of_block.terminator = switch(tag, tags);
        if ints.is_empty() {
            body.items.extend(of_block.items);
            body.terminator = of_block.terminator;
        } else {
            let mut of_int = Expr::unreachable();
            let int = bind(unit, &mut of_int.items, Kind::NakedImmediate, Prim::Untag, &[whole]);
            of_int.terminator = switch(int, ints);
            let (if_int, if_block) = (unit.new_continuation("immediate"), unit.new_continuation("block"));
            body.items.push(Item::let_cont(if_int, of_int));
            body.items.push(Item::let_cont(if_block, of_block));
            let is_int = bind(unit, &mut body.items, Kind::NakedImmediate, Prim::IsInt, &[whole]);
            body.terminator = branch(is_int, jump(if_int, None), jump(if_block, None));
        }
        let register = unit.new_variable("constructor", Kind::NakedImmediate, Subkind::Any);
        items.push(Item::Join { cont, params: SmallVec::from_slice(&[register]), body: Box::new(body) });
        register.into()
    }

    /// Stores the parts of a block that come in slots.
    fn store(&self, unit: &mut Unit, items: &mut Vec<Item>, block: &Constructor, parts: &[Simple]) {
        let kinds = block.kinds();
        for (part, value) in parts.iter().enumerate().skip(usize::from(self.shape.is_tuple())) {
            let store = Prim::StoreResult { part: part as u32, kind: kinds[part] };
            bind(unit, items, Kind::Value, store, &[self.slots, *value]);
        }
    }

    /// Adds a field as it is returned.
    fn add_parts(&self, field: Simple, part: &Part, parts: &mut SmallVec<[Simple; 8]>) {
        match (part, self.allocations.own_box(field), self.allocations.own_block(field)) {
            (Part::Number(_), Some((_, number)), _) => parts.push(number),
            (Part::Block(_, inner), _, Some((_, fields))) => {
                fields.iter().zip(inner).for_each(|(field, part)| self.add_parts(*field, part, parts));
            }
            _ => parts.push(field),
        }
    }

    /// Makes the whole result of the call that ends a run, for the continuation that it returns to; `wanted`: that
    /// wants parts. Returns the continuation that the call returns to.
    pub fn take(&self, unit: &mut Unit, expr: &mut Expr, wanted: bool) -> Continuation {
        let cont = unit.new_continuation("parts");
        let end = std::mem::replace(&mut expr.terminator, Terminator::Unreachable);
        let Terminator::Apply(mut apply) = end else {
            expr.terminator = end;
            return cont;
        };
        let register = unit.new_variable("part", self.register, Subkind::Any);
        let ret = std::mem::replace(&mut apply.ret, cont);
        let dbg = apply.dbg;
        let call = Expr { items: Vec::new(), terminator: Terminator::Apply(apply) };
        expr.items.push(Item::Join { cont, params: SmallVec::from_slice(&[register]), body: Box::new(call) });
        let maker = Maker { convention: self, ret, dbg, wanted };
        if let Some(kind) = self.shape.number {
            maker.number(unit, expr, kind, register);
        } else if self.shape.is_tuple() {
            let block = &self.shape.blocks[0];
            maker.block(unit, expr, block, Some(register.into()));
        } else {
            maker.variant(unit, expr, register);
        }
        cont
    }
}

/// What an item binds, of those that a return ends with.
fn bound(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { var, .. } => Some(*var),
        Item::Join { params, .. } => params.first().copied(),
        _ => None,
    }
}

/// Adds what is in the fields of a block, as it is returned.
fn project(
    unit: &mut Unit,
    items: &mut Vec<Item>,
    block: Simple,
    parts: &[Part],
    found: &mut SmallVec<[Simple; 8]>,
) {
    for (field, part) in (0..).zip(parts) {
        let load = Prim::BlockLoad { field, mutability: Mutability::Immutable };
        let value = bind(unit, items, Kind::Value, load, &[block]);
        match part {
            Part::Value => found.push(value),
            Part::Number(kind) => found.push(bind(unit, items, kind.naked(), Prim::Unbox(*kind), &[value])),
            Part::Block(_, inner) => project(unit, items, value, inner, found),
        }
    }
}

/// What makes the result of a call whole.
struct Maker<'c> {
    convention: &'c Convention<'c>,
    ret: Continuation,
    dbg: Dbg,
    wanted: bool,
}

impl Maker<'_> {
    /// The constants that a call which needs the whole finds again by its parts.
    fn constants<'a>(&self, constants: &'a [Symbol]) -> &'a [Symbol] {
        if self.wanted { &[] } else { constants }
    }

    fn number(&self, unit: &mut Unit, expr: &mut Expr, kind: BoxedKind, number: Variable) {
        let mut items = Vec::new();
        let boxed = self.boxed(unit, &mut items, kind, number.into());
        let fresh = Expr { items, terminator: Terminator::ApplyCont(jump(self.ret, Some(boxed))) };
        let tests = self.constants(&self.convention.shape.constants);
        self.found_again(unit, expr, fresh, tests, &|unit, constant, same, other| {
            let value = self.convention.allocations.number(constant.into())?.1;
            Some(Test { kind, number, same, other }.run(unit, value))
        });
    }

    /// Ends a run with tests whether what was returned is one of the constants, which exist, and else with what makes
    /// it anew. `test` gives a run that jumps to one continuation if it is a constant, and to another if not.
    fn found_again(
        &self,
        unit: &mut Unit,
        expr: &mut Expr,
        fresh: Expr,
        constants: &[Symbol],
        test: &dyn Fn(&mut Unit, Symbol, ApplyCont, ApplyCont) -> Option<Expr>,
    ) {
        let mut last = fresh;
        for constant in constants.iter().rev() {
            let other = unit.new_continuation("fresh");
            let same = jump(self.ret, Some((*constant).into()));
            if let Some(mut run) = test(unit, *constant, same, jump(other, None)) {
                run.items.insert(0, Item::let_cont(other, last));
                last = run;
            }
        }
        expr.items.extend(last.items);
        expr.terminator = last.terminator;
    }

    fn boxed(&self, unit: &mut Unit, items: &mut Vec<Item>, kind: BoxedKind, number: Simple) -> Simple {
        let var = unit.new_variable("result", Kind::Value, Subkind::Boxed(kind));
        let named = Named::Prim { prim: Prim::Box(kind), args: SmallVec::from_slice(&[number]), exn: None };
        items.push(Item::Let { var, named, dbg: self.dbg });
        var.into()
    }

    /// A switch on the number of a constructor.
    fn variant(&self, unit: &mut Unit, expr: &mut Expr, constructor: Variable) {
        let Convention { shape, cases, .. } = self.convention;
        let mut arms = Vec::new();
        let numbered = (0..).zip(&shape.blocks);
        for (number, block) in numbered.filter(|(_, block)| cases.contains(&Case::Block(block.tag))) {
            let cont = unit.new_continuation("constructor");
            let mut body = Expr::unreachable();
            self.block(unit, &mut body, block, None);
            expr.items.push(Item::let_cont(cont, body));
            arms.push((number, jump(cont, None)));
        }
        for (number, immediate) in (shape.blocks.len() as i64..).zip(&shape.immediates) {
            if cases.contains(&Case::Immediate(*immediate)) {
                let result = Simple::Const(Const::Tagged(*immediate));
                arms.push((number, jump(self.ret, Some(result))));
            }
        }
        expr.terminator = match arms.len() {
            // It does not return at all.
            0 => Terminator::Unreachable,
            1 => Terminator::ApplyCont(arms.remove(0).1),
            _ => Terminator::Switch(Box::new(Switch {
                scrutinee: constructor.into(),
                arms,
                default: None,
                dbg: Dbg::NONE,
                cases: None,
            })),
        };
    }

    /// Makes a block of what was returned of it, blocks in it first.
    fn made(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        tag: u8,
        parts: &[Part],
        returned: &mut dyn Iterator<Item = Simple>,
    ) -> Simple {
        let mut fields: SmallVec<[Simple; 3]> = SmallVec::new();
        for part in parts {
            let field = match part {
                Part::Block(tag, parts) => Some(self.made(unit, items, *tag, parts, returned)),
                Part::Number(kind) => returned.next().map(|number| self.boxed(unit, items, *kind, number)),
                Part::Value => returned.next(),
            };
            fields.extend(field);
        }
        let var = unit.new_variable("result", Kind::Value, Subkind::Any);
        let prim = Prim::MakeBlock { tag, mutability: Mutability::Immutable };
        items.push(Item::Let { var, named: Named::Prim { prim, args: fields, exn: None }, dbg: self.dbg });
        var.into()
    }

    /// Takes the parts of a block, the first in the register perhaps, and makes it.
    fn block(&self, unit: &mut Unit, expr: &mut Expr, block: &Constructor, register: Option<Simple>) {
        let slots = self.convention.slots;
        let mut parts: SmallVec<[Simple; 8]> = register.into_iter().collect();
        for (part, kind) in block.kinds().into_iter().enumerate().skip(parts.len()) {
            let load = Prim::LoadResult { part: part as u32, kind };
            parts.push(bind(unit, &mut expr.items, kind, load, &[slots]));
        }
        let mut items = Vec::new();
        let whole = self.made(unit, &mut items, block.tag, &block.parts, &mut parts.iter().copied());
        let fresh = Expr { items, terminator: Terminator::ApplyCont(jump(self.ret, Some(whole))) };
        let are_values = block.parts.iter().all(|part| *part == Part::Value);
        let constants = if are_values { self.constants(&block.constants) } else { &[] };
        self.found_again(unit, expr, fresh, constants, &|unit, constant, same, other| {
            let (_, fields) = self.convention.allocations.block(constant.into())?;
            Some(are_same(unit, &parts, fields, same, other))
        });
    }
}

/// A run that compares values one by one, and goes on to one continuation if all are the same, else to another.
fn are_same(
    unit: &mut Unit,
    values: &[Simple],
    others: &[Simple],
    same: ApplyCont,
    different: ApplyCont,
) -> Expr {
    let mut run = Expr { items: Vec::new(), terminator: Terminator::ApplyCont(same) };
    for (value, other) in values.iter().zip(others).rev() {
        let rest = std::mem::replace(&mut run, Expr::unreachable());
        let same = match rest.terminator {
            Terminator::ApplyCont(jump) if rest.items.is_empty() => jump,
            terminator => {
                let next = unit.new_continuation("same");
                run.items.push(Item::let_cont(next, Expr { items: rest.items, terminator }));
                jump(next, None)
            }
        };
        let equal = Prim::PhysEqual { negated: false };
        let is_equal = bind(unit, &mut run.items, Kind::NakedImmediate, equal, &[*value, *other]);
        run.terminator = branch(is_equal, same, different.clone());
    }
    run
}

/// A run that goes on to `same` if a number is a constant, else as `other` does.
pub(super) fn constant_found_again(
    unit: &mut Unit,
    kind: BoxedKind,
    number: Variable,
    constant: Const,
    same: ApplyCont,
    other: Expr,
) -> Expr {
    let fresh = unit.new_continuation("fresh");
    let mut run = Test { kind, number, same, other: jump(fresh, None) }.run(unit, constant);
    run.items.insert(0, Item::let_cont(fresh, other));
    run
}

/// A test whether a number is a constant, bit by bit: a zero has its sign, and what is not a number never is.
struct Test {
    kind: BoxedKind,
    number: Variable,
    same: ApplyCont,
    other: ApplyCont,
}

impl Test {
    /// A run that ends with the test.
    fn run(self, unit: &mut Unit, constant: Const) -> Expr {
        let mut run = Expr::unreachable();
        let equal = match self.kind {
            BoxedKind::Float => Prim::FloatCompare { op: FloatCmp::Eq },
            BoxedKind::Int32 => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Int32 },
            BoxedKind::Int64 => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Int64 },
            BoxedKind::Nativeint => Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Nativeint },
        };
        let same = match constant {
            Const::NakedFloat(bits) if f64::from_bits(bits) == 0. => {
                let sign = unit.new_continuation("zero");
                let handler = self.sign(unit, f64::from_bits(bits).is_sign_negative());
                run.items.push(Item::let_cont(sign, handler));
                jump(sign, None)
            }
            _ => self.same.clone(),
        };
        let args = [self.number.into(), Simple::Const(constant)];
        let is_equal = bind(unit, &mut run.items, Kind::NakedImmediate, equal, &args);
        run.terminator = branch(is_equal, same, self.other);
        run
    }

    /// Tests the sign of a zero: that of its inverse.
    fn sign(&self, unit: &mut Unit, is_negative: bool) -> Expr {
        let float = |float: f64| Simple::Const(Const::NakedFloat(float.to_bits()));
        let mut items = Vec::new();
        let divide = Prim::FloatArith { op: FloatOp::Div };
        let inverse = bind(unit, &mut items, Kind::NakedFloat, divide, &[float(1.), self.number.into()]);
        let op = if is_negative { FloatCmp::Lt } else { FloatCmp::Gt };
        let has_sign =
            bind(unit, &mut items, Kind::NakedImmediate, Prim::FloatCompare { op }, &[inverse, float(0.)]);
        Expr { items, terminator: branch(has_sign, self.same.clone(), self.other.clone()) }
    }
}
