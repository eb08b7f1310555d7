//! Loops that wait: for a signal handler, a finaliser or another thread to change what a test of theirs reads.
//! `docs/memory-model.md` gives the rule that this decides and the reasons.
//!
//! A loop waits if one of its exits depends on a load whose address is the same in each iteration. What an exit depends
//! on is found backwards from the branches that decide whether the loop is left: through operands, through the
//! arguments of continuations and the branches that choose among those, and through what the loop itself stores.

use flambeau_ir::prim::Classes;
use flambeau_ir::{
    Const, ContHandler, Continuation, ExnCont, Expr, Item, Named, Prim, SetOfClosures, Simple, Terminator,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A loop of more runs than these is not analysed; it is assumed to wait.
const RUNS: usize = 4_000;

/// Whether the loop formed by these continuations waits.
#[must_use]
pub fn waits(handlers: &[ContHandler]) -> bool {
    evident(handlers).unwrap_or_else(|| Loop::of(handlers).waits())
}

/// Whether a loop waits, if that follows from the operations in it: one that may have any effect changes the memory,
/// and without a load that may be waited for no exit depends on it. Most loops are of these two kinds.
fn evident(handlers: &[ContHandler]) -> Option<bool> {
    let mut pending: SmallVec<[&Expr; 8]> = handlers.iter().map(|handler| &handler.body).collect();
    let (mut runs, mut loads) = (0, false);
    while let Some(expr) = pending.pop() {
        runs += 1;
        if runs > RUNS {
            return Some(true);
        }
        for item in &expr.items {
            match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } => {
                    if may_do_anything(prim) {
                        return Some(true);
                    }
                    loads |= prim.may_be_waited_for();
                }
                Item::Join { body, .. } => pending.push(body),
                Item::LetCont { handlers, .. } => {
                    pending.extend(handlers.iter().map(|handler| &handler.body));
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        match &expr.terminator {
            Terminator::Apply(_) => return Some(true),
            terminator => pending.extend(terminator.child()),
        }
    }
    if loads { None } else { Some(false) }
}

fn may_do_anything(prim: &Prim) -> bool {
    let writes = prim.effects().writes();
    writes | Classes::ALL == writes
}

/// The first continuations of the loops of a term that wait.
#[must_use]
pub fn waiting_loops(body: &Expr) -> FxHashSet<Continuation> {
    let mut waiting = FxHashSet::default();
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::LetCont { recursive: true, handlers } = item
                && let Some(first) = handlers.first()
                && waits(handlers)
            {
                waiting.insert(first.cont);
            }
        }
    });
    waiting
}

/// A part of a loop that control enters at its beginning: the bodies of the loop, or that of a `Join` in it.
struct Region {
    parent: Option<usize>,
    /// The continuation of the `Join`.
    own: Option<Continuation>,
    /// Some jump has another target than its own continuation: its branches decide what of the rest is executed.
    escapes: bool,
    /// What branches in it depend on.
    tests: Vec<Simple>,
}

/// How a variable is bound in the loop.
enum Def<'e> {
    Copy(Simple),
    Prim(&'e Prim, &'e [Simple]),
    Closures(&'e SetOfClosures),
    Param(Continuation, usize),
}

/// An operation that changes what is read in the loop.
struct Store<'e> {
    writes: Classes,
    operands: &'e [Simple],
    region: usize,
}

/// A jump to a continuation bound in the loop.
struct Jump {
    region: usize,
    args: SmallVec<[Simple; 4]>,
}

/// What the parts of a loop are, and what they jump to.
#[derive(Default)]
struct Loop<'e> {
    /// Outer ones first.
    regions: Vec<Region>,
    /// The regions in whose runs continuations are bound.
    homes: FxHashMap<Continuation, usize>,
    jumps: FxHashMap<Continuation, Vec<Jump>>,
    defs: FxHashMap<Variable, Def<'e>>,
    /// What is computed in the loop, in an order in which operands come first.
    computed: Vec<Variable>,
    /// What depends on a parameter, or on an effect: it may be another value in each iteration.
    varies: FxHashSet<Variable>,
    stores: Vec<Store<'e>>,
    /// Operands of what leaves the loop by raising, if it fails.
    checks: Vec<&'e [Simple]>,
    /// There is an exit besides those.
    has_exit: bool,
}

impl<'e> Loop<'e> {
    /// The parts of a loop of which it is not [`evident`] whether it waits.
    fn of(handlers: &'e [ContHandler]) -> Loop<'e> {
        let mut found = Loop::default();
        found.regions.push(Region { parent: None, own: None, escapes: true, tests: Vec::new() });
        let mut pending: Vec<(&Expr, usize)> = Vec::new();
        found.bind(handlers, 0, &mut pending);
        while let Some((expr, region)) = pending.pop() {
            for item in &expr.items {
                found.item(item, region, &mut pending);
            }
            found.end(&expr.terminator, region, &mut pending);
        }
        found.find_fixed_params();
        found
    }

    /// Removes from what varies the parameters that are only passed on, or receive values from outside or computed from
    /// those alone, and what is computed from such parameters: a function that has become a loop passes all its
    /// parameters.
    fn find_fixed_params(&mut self) {
        let is_param = |var: &Variable| matches!(self.defs.get(var), Some(Def::Param(..)));
        let mut passed_to: FxHashMap<Variable, Vec<Variable>> = FxHashMap::default();
        let mut pending = Vec::new();
        for (param, def) in &self.defs {
            let Def::Param(cont, index) = def else { continue };
            for jump in self.jumps.get(cont).into_iter().flatten() {
                let Some(Simple::Var(from)) = jump.args.get(*index).map(|arg| self.original(*arg)) else {
                    continue;
                };
                if is_param(&from) {
                    passed_to.entry(from).or_default().push(*param);
                } else if self.varies.contains(&from) {
                    pending.push(*param);
                }
            }
        }
        let mut varies = FxHashSet::default();
        while let Some(param) = pending.pop() {
            if varies.insert(param) {
                pending.extend(passed_to.get(&param).into_iter().flatten());
            }
        }
        self.varies = varies;
        for var in std::mem::take(&mut self.computed) {
            let is_fixed = match self.defs.get(&var) {
                Some(Def::Copy(simple)) => self.is_invariant(&[*simple]),
                Some(Def::Prim(prim, args)) => prim.can_duplicate() && self.is_invariant(args),
                Some(Def::Closures(_)) => false,
                Some(Def::Param(..)) | None => continue,
            };
            if !is_fixed {
                self.varies.insert(var);
            }
        }
    }

    /// What a copy is a copy of.
    fn original(&self, mut simple: Simple) -> Simple {
        while let Simple::Var(var) = simple
            && let Some(Def::Copy(from)) = self.defs.get(&var)
        {
            simple = *from;
        }
        simple
    }

    fn bind(&mut self, handlers: &'e [ContHandler], region: usize, pending: &mut Vec<(&'e Expr, usize)>) {
        for handler in handlers {
            self.params(handler.cont, &handler.params, region);
            pending.push((&handler.body, region));
        }
    }

    fn params(&mut self, cont: Continuation, params: &[Variable], region: usize) {
        self.homes.insert(cont, region);
        self.varies.extend(params);
        let defs = params.iter().enumerate().map(|(index, param)| (*param, Def::Param(cont, index)));
        self.defs.extend(defs);
    }

    fn item(&mut self, item: &'e Item, region: usize, pending: &mut Vec<(&'e Expr, usize)>) {
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.defs.insert(*var, Def::Copy(*simple));
                self.computed.push(*var);
                if !self.is_invariant(&[*simple]) {
                    self.varies.insert(*var);
                }
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                self.prim(*var, prim, args, exn.as_deref(), region);
            }
            Item::LetClosures { vars, set, .. } => {
                self.varies.extend(vars);
                self.computed.extend(vars);
                self.defs.extend(vars.iter().map(|var| (*var, Def::Closures(set))));
            }
            Item::Join { cont, params, body } => {
                self.params(*cont, params, region);
                pending.push((body, self.regions.len()));
                let inner =
                    Region { parent: Some(region), own: Some(*cont), escapes: false, tests: Vec::new() };
                self.regions.push(inner);
            }
            Item::LetCont { handlers, .. } => self.bind(handlers, region, pending),
        }
    }

    fn prim(
        &mut self,
        var: Variable,
        prim: &'e Prim,
        args: &'e [Simple],
        exn: Option<&ExnCont>,
        region: usize,
    ) {
        let writes = prim.effects().writes();
        if !prim.can_duplicate() || !self.is_invariant(args) {
            self.varies.insert(var);
        }
        self.defs.insert(var, Def::Prim(prim, args));
        self.computed.push(var);
        if !writes.is_empty() {
            self.stores.push(Store { writes, operands: args, region });
        }
        match exn {
            Some(exn) if self.homes.contains_key(&exn.cont) => {
                self.regions[region].tests.extend(args);
                self.raise(Const::Tagged(0).into(), exn, region);
            }
            Some(_) => self.checks.push(args),
            None => {}
        }
    }

    fn end(&mut self, end: &'e Terminator, region: usize, pending: &mut Vec<(&'e Expr, usize)>) {
        match end {
            Terminator::Switch(switch) => self.regions[region].tests.push(switch.scrutinee),
            Terminator::StringSwitch(switch) => self.regions[region].tests.push(switch.scrutinee),
            Terminator::Raise { exn, handler, .. } => self.raise(*exn, handler, region),
            Terminator::Try { body, handler } => {
                self.raise(Const::Tagged(0).into(), handler, region);
                pending.push((body, region));
            }
            Terminator::ApplyCont(_) | Terminator::Apply(_) | Terminator::Unreachable => {}
        }
        end.for_each_jump(&mut |jump| self.jump(jump.cont, SmallVec::from_slice(&jump.args), region));
    }

    fn raise(&mut self, value: Simple, exn: &ExnCont, region: usize) {
        let args = std::iter::once(value).chain(exn.extra_args.iter().copied()).collect();
        self.jump(exn.cont, args, region);
    }

    fn jump(&mut self, cont: Continuation, args: SmallVec<[Simple; 4]>, region: usize) {
        let home = self.homes.get(&cont).copied();
        let mut at = Some(region);
        while let Some(index) = at.filter(|index| Some(*index) != home) {
            let this = &mut self.regions[index];
            if this.own == Some(cont) {
                break;
            }
            this.escapes = true;
            at = this.parent;
        }
        match home {
            Some(_) => self.jumps.entry(cont).or_default().push(Jump { region, args }),
            None => self.has_exit = true,
        }
    }

    fn is_invariant(&self, operands: &[Simple]) -> bool {
        operands.iter().all(|operand| operand.as_var().is_none_or(|var| !self.varies.contains(&var)))
    }

    fn waits(&self) -> bool {
        let mut slice = Slice { of: self, pending: Vec::new(), seen: FxHashSet::default() };
        for region in self.regions.iter().filter(|region| region.escapes) {
            slice.pending.extend(&region.tests);
        }
        // Where nothing else ends the loop, a check does.
        if !self.has_exit {
            slice.pending.extend(self.checks.iter().copied().flatten());
        }
        slice.has_fixed_load()
    }
}

/// What exits of a loop depend on.
struct Slice<'l, 'e> {
    of: &'l Loop<'e>,
    pending: Vec<Simple>,
    seen: FxHashSet<Variable>,
}

impl Slice<'_, '_> {
    /// Whether exits depend on a load of something mutable whose address is the same in each iteration.
    fn has_fixed_load(&mut self) -> bool {
        while let Some(simple) = self.pending.pop() {
            let Simple::Var(var) = simple else { continue };
            if !self.seen.insert(var) {
                continue;
            }
            match self.of.defs.get(&var) {
                // Bound outside the loop.
                None => {}
                Some(Def::Copy(from)) => self.pending.push(*from),
                Some(Def::Closures(set)) => set.for_each_simple(&mut |value| self.pending.push(value)),
                Some(Def::Param(cont, index)) => self.passed(*cont, *index),
                Some(Def::Prim(prim, args)) => {
                    if prim.may_be_waited_for() {
                        if self.of.is_invariant(args) {
                            return true;
                        }
                        self.stored(prim);
                    }
                    self.pending.extend(*args);
                }
            }
        }
        false
    }

    /// What a parameter of a continuation depends on.
    fn passed(&mut self, cont: Continuation, index: usize) {
        for jump in self.of.jumps.get(&cont).into_iter().flatten() {
            self.pending.extend(jump.args.get(index));
            self.decided(jump.region, Some(cont));
        }
    }

    /// Adds the branches that decide whether control reaches a jump or store in a region, up to where the continuation
    /// is bound.
    fn decided(&mut self, region: usize, cont: Option<Continuation>) {
        let home = cont.and_then(|cont| self.of.homes.get(&cont).copied());
        let mut at = Some(region);
        while let Some(index) = at {
            let this = &self.of.regions[index];
            self.pending.extend(&this.tests);
            at = this.parent.filter(|_| Some(index) != home && (cont.is_none() || this.own != cont));
        }
    }

    /// Adds the operands of the loop's stores that may write what this load reads.
    fn stored(&mut self, load: &Prim) {
        for store in &self.of.stores {
            if store.writes.intersects(load.effects().reads()) {
                self.pending.extend(store.operands);
                self.decided(store.region, None);
            }
        }
    }
}
