//! Which int32 are sign-extended: those of which something needs more than the low bits (features D17).
//! `docs/passes/extensions.md` shows it.
//!
//! A naked int32 is sign-extended to the word, so arithmetic that may leave more bits ends with an instruction that
//! restores that. Where all uses look at the low 32 bits alone (sums, products, shifts to the left, and what is passed
//! around loops to such), the word may as well be computed as an int64. This is found as the greatest set of variables
//! of which nothing needs the high bits.

use flambeau_ir::prim::{BigarrayKind, IntOp, ShiftOp, Width};
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, Continuation, Dbg, Expr, IntKind, Item, Kind, Named, Prim, Rewrite,
    Rewrites, Simple, Subkind, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Leaves out sign extensions that nothing needs. On entry and on exit the unit is well-formed. The result says whether
/// anything was changed.
pub fn extensions(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    unit.rewrite_bodies(|unit, code, body| {
        let Some(loose) = loose_variables(unit, body) else { return false };
        if !rewrites.allow(Rewrite::Extension, unit, code) {
            return false;
        }
        for variable in &loose {
            unit.variables[*variable].kind = Kind::NakedInt64;
        }
        Words { unit, loose }.rewrite(body);
        true
    })
}

/// What an operation does to the bits above the low 32, computed on words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    /// Leaves arbitrary ones: it is extended.
    Arbitrary,
    /// Has those of its operands.
    OfOperands,
}

/// An operation on int32 that gives the same low bits on words.
fn on_words(prim: &Prim) -> Option<(Above, Prim)> {
    let wide = IntKind::Int64;
    match *prim {
        Prim::IntArith { op, kind: IntKind::Int32 } => {
            let above = match op {
                IntOp::Add | IntOp::Sub | IntOp::Mul => Above::Arbitrary,
                IntOp::And | IntOp::Or | IntOp::Xor => Above::OfOperands,
            };
            Some((above, Prim::IntArith { op, kind: wide }))
        }
        Prim::IntShift { op: ShiftOp::Lsl, kind: IntKind::Int32 } => {
            Some((Above::Arbitrary, Prim::IntShift { op: ShiftOp::Lsl, kind: wide }))
        }
        Prim::NumConv {
            from: from @ (Kind::NakedImmediate | Kind::NakedNativeint),
            to: Kind::NakedInt32,
        } => Some((Above::Arbitrary, Prim::NumConv { from, to: Kind::NakedInt64 })),
        _ => None,
    }
}

/// What the use of an operand needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// The low bits.
    Low,
    /// What the result's uses need.
    OfResult,
    /// The sign-extended word.
    Whole,
}

/// What an operation needs of the operand at that position.
fn need(prim: &Prim, args: &[Simple], position: usize) -> Need {
    match prim {
        Prim::IntArith { op: IntOp::And, kind: IntKind::Int32 } if args.iter().any(is_mask) => Need::Low,
        Prim::IntArith { kind: IntKind::Int32, .. } => match on_words(prim) {
            Some((Above::Arbitrary, _)) => Need::Low,
            _ => Need::OfResult,
        },
        Prim::IntShift { op: ShiftOp::Lsl | ShiftOp::Lsr, kind: IntKind::Int32 } if position == 0 => {
            Need::Low
        }
        Prim::Box(BoxedKind::Int32) => Need::Low,
        Prim::StringStore { width: Width::W32, .. } if position == 2 => Need::Low,
        Prim::BigarrayStore { kind: BigarrayKind::Int32 } if position == 2 => Need::Low,
        _ => Need::Whole,
    }
}

/// Whether a constant has no bits above the low 31.
fn is_mask(simple: &Simple) -> bool {
    matches!(simple, Simple::Const(Const::NakedInt32(mask)) if *mask >= 0)
}

/// The variables of a body of which nothing needs the high bits, if one of them would be extended.
fn loose_variables(unit: &Unit, body: &Expr) -> Option<FxHashSet<Variable>> {
    let mut extended: SmallVec<[Variable; 8]> = SmallVec::new();
    let mut uses = Uses::default();
    body.walk(&mut |run| {
        for item in &run.items {
            if let Item::Let { var, named: Named::Prim { prim, .. }, .. } = item
                && let Some((above, _)) = on_words(prim)
            {
                uses.candidates.insert(*var);
                if above == Above::Arbitrary {
                    extended.push(*var);
                }
            }
        }
    });
    if extended.is_empty() {
        return None;
    }
    body.walk(&mut |run| run.items.iter().for_each(|item| uses.bind_parameters(unit, item)));
    body.walk(&mut |run| uses.of_run(run));
    let loose = uses.loose();
    extended.iter().any(|var| loose.contains(var)).then_some(loose)
}

/// How the int32 of a body are used.
#[derive(Default)]
struct Uses {
    /// What may be computed on words.
    candidates: FxHashSet<Variable>,
    /// The parameters of continuations that jumps alone give values.
    params: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
    /// Operands, by the results of which the uses say what is needed of them.
    operands: FxHashMap<Variable, SmallVec<[Variable; 2]>>,
    /// What something needs whole.
    whole: Vec<Variable>,
}

impl Uses {
    fn bind_parameters(&mut self, unit: &Unit, item: &Item) {
        let mut bind = |cont: Continuation, params: &SmallVec<[Variable; 2]>| {
            if unit.continuations[cont].is_exn {
                return;
            }
            let numbers = params.iter().filter(|param| unit.variables[**param].kind == Kind::NakedInt32);
            let before = self.candidates.len();
            self.candidates.extend(numbers);
            if self.candidates.len() > before {
                self.params.insert(cont, params.clone());
            }
        };
        match item {
            Item::Join { cont, params, .. } => bind(*cont, params),
            Item::LetCont { handlers, .. } => {
                handlers.iter().for_each(|handler| bind(handler.cont, &handler.params));
            }
            Item::Let { .. } | Item::LetClosures { .. } => {}
        }
    }

    fn of_run(&mut self, run: &Expr) {
        for item in &run.items {
            match item {
                Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                    for (position, arg) in args.iter().enumerate() {
                        match need(prim, args, position) {
                            Need::Low => {}
                            Need::OfResult => self.needed_by(*arg, *var),
                            Need::Whole => self.needed(*arg),
                        }
                    }
                    exn.iter().for_each(|exn| exn.for_each_simple(&mut |arg| self.needed(arg)));
                }
                _ => item.for_each_simple(&mut |simple| self.needed(simple)),
            }
        }
        match &run.terminator {
            Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                run.terminator.for_each_jump(&mut |jump| self.jump(jump));
            }
            terminator => {
                terminator.for_each_simple(&mut |simple| self.needed(simple));
                // What a call gives is extended.
                if let Terminator::Apply(apply) = terminator
                    && let Some(params) = self.params.get(&apply.ret)
                {
                    self.whole.extend(params);
                }
            }
        }
    }

    fn jump(&mut self, jump: &ApplyCont) {
        let params = self.params.get(&jump.cont).cloned().unwrap_or_default();
        for (index, arg) in jump.args.iter().enumerate() {
            match params.get(index) {
                Some(param) => self.needed_by(*arg, *param),
                None => self.needed(*arg),
            }
        }
    }

    fn needed(&mut self, simple: Simple) {
        self.whole.extend(simple.as_var());
    }

    fn needed_by(&mut self, simple: Simple, result: Variable) {
        if let Some(operand) = simple.as_var() {
            self.operands.entry(result).or_default().push(operand);
        }
    }

    /// The candidates of which nothing needs the high bits.
    fn loose(mut self) -> FxHashSet<Variable> {
        // What is no candidate is extended, and so is what it is computed from.
        self.whole.extend(self.operands.keys().filter(|result| !self.candidates.contains(result)));
        let mut seen = FxHashSet::default();
        while let Some(var) = self.whole.pop() {
            if seen.insert(var) {
                self.candidates.remove(&var);
                self.whole.extend(self.operands.get(&var).into_iter().flatten());
            }
        }
        self.candidates
    }
}

/// The rewriting of one body, which is not in the unit meanwhile.
struct Words<'a> {
    unit: &'a mut Unit,
    /// What is computed on words, and of the kind of int64 already.
    loose: FxHashSet<Variable>,
}

impl Words<'_> {
    fn rewrite(&mut self, body: &mut Expr) {
        let mut params: FxHashMap<Continuation, SmallVec<[Variable; 2]>> = FxHashMap::default();
        body.walk(&mut |run| {
            let mut bind = |cont: Continuation, vars: &SmallVec<[Variable; 2]>| {
                if vars.iter().any(|var| self.loose.contains(var)) {
                    params.insert(cont, vars.clone());
                }
            };
            for item in &run.items {
                match item {
                    Item::Join { cont, params, .. } => bind(*cont, params),
                    Item::LetCont { handlers, .. } => {
                        handlers.iter().for_each(|handler| bind(handler.cont, &handler.params));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
        });
        body.walk_mut(&mut |run| {
            let mut items = Vec::with_capacity(run.items.len());
            for mut item in run.items.drain(..) {
                self.item(&mut item, &mut items);
                items.push(item);
            }
            let Expr { items: of_run, terminator } = run;
            terminator.for_each_jump_mut(&mut |jump| {
                let Some(params) = params.get(&jump.cont) else { return };
                for (arg, param) in jump.args.iter_mut().zip(params) {
                    if self.loose.contains(param) {
                        *arg = self.widened(*arg, Dbg::NONE, &mut items);
                    }
                }
            });
            *of_run = items;
        });
    }

    fn item(&mut self, item: &mut Item, before: &mut Vec<Item>) {
        let Item::Let { var, named: Named::Prim { prim, args, .. }, dbg } = item else { return };
        if self.loose.contains(var) {
            if let Some((_, wide)) = on_words(prim) {
                *prim = wide;
                for arg in args {
                    *arg = self.widened(*arg, *dbg, before);
                }
            }
            return;
        }
        for arg in args {
            // Lowering sees through the conversion where the low bits are enough.
            if arg.as_var().is_some_and(|arg| self.loose.contains(&arg)) {
                *arg = self.converted(*arg, Kind::NakedInt64, Kind::NakedInt32, *dbg, before);
            }
        }
    }

    /// An int32 as a word; operands of other kinds, such as the amount of a shift, as they are.
    fn widened(&mut self, simple: Simple, dbg: Dbg, before: &mut Vec<Item>) -> Simple {
        match simple {
            Simple::Const(Const::NakedInt32(n)) => Simple::Const(Const::NakedInt64(n.into())),
            Simple::Const(Const::Poison(Kind::NakedInt32)) => Simple::Const(Const::Poison(Kind::NakedInt64)),
            Simple::Var(var) if self.unit.variables[var].kind == Kind::NakedInt32 => {
                self.converted(simple, Kind::NakedInt32, Kind::NakedInt64, dbg, before)
            }
            _ => simple,
        }
    }

    fn converted(
        &mut self,
        simple: Simple,
        from: Kind,
        to: Kind,
        dbg: Dbg,
        before: &mut Vec<Item>,
    ) -> Simple {
        let var = self.unit.new_variable("word", to, Subkind::Any);
        before.push(Item::let_prim(var, Prim::NumConv { from, to }, &[simple], dbg));
        var.into()
    }
}
