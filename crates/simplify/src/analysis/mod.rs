//! What a function body is analysed for before it is simplified: how its continuations are used, and what their
//! parameters have in common over all uses, loops included (the inductive pre-pass).

mod boxes;
mod first_loads;
mod iterations;
mod knowledge;

use std::collections::VecDeque;

use flambeau_ir::prim::{Classes, Crossing};
use flambeau_ir::term::RaiseKind;
use flambeau_ir::{
    ApplyCont, CallKind, Const, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Terminator, Variable,
};
use flambeau_types::{Env, Ty, join};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::Functions;
use crate::run::Params;
use crate::waiting::waits;
use boxes::Candidate;
pub use boxes::LoopBox;
use iterations::{BoxUse, Iterations, LoopParam};
use knowledge::{Alias, Knowledge};

/// How a continuation is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// How often: jumps, arms of switches, returns of calls; for an exception continuation, raises and its `try`.
    pub count: u32,
    /// Some use is in another region than the definition: code must not be moved over the boundary of a `try`, nor
    /// into a loop (soundness rows 6 and 20).
    pub crosses_region: bool,
    /// A call returns to it.
    pub is_returned_to: bool,
    /// It is bound in the term.
    bound: bool,
    region: u32,
}

/// The result.
#[derive(Clone, Default)]
pub struct Analysis {
    // A map, not a table: a body is a small part of the unit.
    uses: FxHashMap<Continuation, Uses>,
    known: FxHashMap<Variable, Knowledge>,
    /// What is unboxed or projected from, directly or after it was passed through parameters.
    opened: FxHashSet<Variable>,
    /// What is needed as it is, not only projected from, directly or after it was passed through parameters.
    needed_boxed: FxHashSet<Variable>,
    /// How often variables are used as they are, or passed to continuations.
    whole_uses: FxHashMap<Variable, u32>,
    /// What becomes a parameter of a loop that may be passed unboxed, directly or through other parameters.
    parted_in_loops: FxHashSet<Variable>,
    /// What is called though it is not known what it is, directly or after it was passed through parameters.
    called: FxHashSet<Variable>,
    /// What loops do, by the first continuation of their group.
    loops: FxHashMap<Continuation, Classes>,
    /// Exception continuations that are the target of a raise of this function.
    raised_to: FxHashSet<Continuation>,
    /// What loops do with their parameters.
    loop_params: FxHashMap<Variable, LoopParam>,
    /// What is passed without a box, beside its parts, to parameters of loops that take a box if there is one.
    travelling: FxHashSet<Variable>,
    /// Blocks, boxes and closures allocated in the term.
    allocated: FxHashSet<Variable>,
    /// What a handler loads from its parameters before anything else happens.
    first_loads: FxHashMap<Variable, SmallVec<[Prim; 2]>>,
}

impl Analysis {
    /// Analyses a body. `env` says what is known of symbols; with `debug`, raises that make a backtrace stay raises.
    pub fn of(body: &Expr, env: &Env, debug: bool) -> Analysis {
        Analysis::found(body, env, debug, Asked::Everything)
    }

    /// Analyses a body that is only measured: nothing is asked about unboxing parameters.
    pub fn of_measured(body: &Expr, env: &Env, debug: bool) -> Analysis {
        let mut loops = false;
        body.walk(&mut |expr| {
            loops |= expr.items.iter().any(|item| matches!(item, Item::LetCont { recursive: true, .. }));
        });
        Analysis::found(body, env, debug, if loops { Asked::Knowledge } else { Asked::Uses })
    }

    fn found(body: &Expr, env: &Env, debug: bool, asked: Asked) -> Analysis {
        let mut walk = Walk {
            analysis: Analysis::default(),
            flows: Vec::new(),
            params: FxHashMap::default(),
            iterations: Iterations::new(asked == Asked::Everything),
            env,
            debug,
            asked,
        };
        walk.run(body);
        walk.solve()
    }

    /// Whether nothing in the body loops: then what was found does not depend on what is known of its parameters.
    pub fn is_straight(&self) -> bool {
        self.loops.is_empty()
    }

    /// The uses of a continuation that is bound in the body. One of which nothing was recorded is an error: a handler
    /// without uses is dropped.
    pub fn uses(&self, cont: Continuation) -> Uses {
        let uses = self.outward_uses(cont);
        assert!(uses.bound, "the uses of {cont:?} were not counted");
        uses
    }

    /// The uses in the body of a continuation that is bound outside.
    pub fn outward_uses(&self, cont: Continuation) -> Uses {
        self.uses.get(&cont).copied().unwrap_or_default()
    }

    /// Whether an exception continuation is the target of a raise of this function.
    pub fn is_raised_to(&self, cont: Continuation) -> bool {
        self.raised_to.contains(&cont)
    }

    /// Adds what is known of a term that replaces a call with these arguments. Nothing new is learnt of continuations
    /// bound outside it.
    pub fn absorb(&mut self, inlined: Analysis, args: &[Simple]) {
        for var in args.iter().filter_map(|arg| arg.as_var()) {
            if let Some(uses) = self.whole_uses.get_mut(&var) {
                *uses = uses.saturating_sub(1);
            }
        }
        let Analysis {
            uses,
            known,
            opened,
            needed_boxed,
            whole_uses,
            parted_in_loops,
            called,
            loops,
            raised_to,
            loop_params,
            travelling,
            allocated,
            first_loads,
        } = inlined;
        self.uses.extend(uses.into_iter().filter(|(_, uses)| uses.bound));
        self.known.extend(known);
        self.opened.extend(opened);
        self.needed_boxed.extend(needed_boxed);
        for (var, uses) in whole_uses {
            *self.whole_uses.entry(var).or_default() += uses;
        }
        self.parted_in_loops.extend(parted_in_loops);
        self.called.extend(called);
        self.loops.extend(loops);
        self.raised_to.extend(raised_to);
        self.loop_params.extend(loop_params);
        self.travelling.extend(travelling);
        self.allocated.extend(allocated);
        self.first_loads.extend(first_loads);
    }

    /// Records a continuation created in the downward pass: its uses may be any.
    pub fn note_open(&mut self, cont: Continuation) {
        let any =
            Uses { count: u32::MAX, crosses_region: true, is_returned_to: true, bound: true, region: 0 };
        self.uses.insert(cont, any);
    }

    /// What a loop does to the memory, by the first continuation of its group.
    pub fn writes(&self, cont: Continuation) -> Classes {
        self.loops.get(&cont).copied().unwrap_or(Classes::ALL)
    }

    /// The only value that a parameter ever has.
    pub fn only_value(&self, param: Variable) -> Option<Simple> {
        match self.known.get(&param)?.alias {
            Alias::Is(simple) => Some(simple),
            Alias::Bottom | Alias::Top => None,
        }
    }

    /// Whether a parameter is possibly poison.
    pub fn may_be_poison(&self, param: Variable) -> bool {
        self.known.get(&param).is_some_and(|known| known.may_be_poison)
    }

    /// Whether the contents of what a parameter holds are projected somewhere.
    pub fn is_opened(&self, param: Variable) -> bool {
        self.opened.contains(&param)
    }

    /// Whether projections, and nothing else, are done with what a parameter of a loop holds.
    pub fn is_only_opened(&self, param: Variable) -> bool {
        self.opened.contains(&param) && !self.needed_boxed.contains(&param)
    }

    /// Whether a parameter stays boxed whatever becomes of its parts: the box is needed, and no loop passes the parts.
    pub fn stays_boxed(&self, param: Variable) -> bool {
        self.needed_boxed.contains(&param) && !self.parted_in_loops.contains(&param)
    }

    /// Whether what a parameter holds is called somewhere as an unknown function.
    pub fn is_called(&self, param: Variable) -> bool {
        self.called.contains(&param)
    }

    /// What a loop does with its parameter.
    pub fn loop_param(&self, param: Variable) -> LoopParam {
        self.loop_params.get(&param).copied().unwrap_or_default()
    }

    /// Whether what a variable holds is passed without a box, beside its parts, to a parameter of a loop that takes a
    /// box if there is one.
    pub fn travels(&self, var: Variable) -> bool {
        self.travelling.contains(&var)
    }

    /// Whether a variable is allocated in the function, and nothing is done with it but looking at its parts: what is
    /// allocated for another use with the same contents is not to keep it alive.
    pub fn is_only_for_parts(&self, var: Variable) -> bool {
        self.allocated.contains(&var) && self.whole_uses.get(&var).is_none_or(|uses| *uses == 0)
    }

    /// Whether a variable is allocated in the function.
    pub fn is_allocated(&self, var: Variable) -> bool {
        self.allocated.contains(&var)
    }

    /// What all values of a parameter have in common.
    pub fn ty(&self, param: Variable) -> Ty {
        self.known.get(&param).map_or(Ty::Unknown, |known| known.ty.clone())
    }
}

struct Walk<'a> {
    analysis: Analysis,
    /// What flows into what: parameters and plain copies.
    flows: Vec<Flow>,
    params: FxHashMap<Continuation, &'a Params>,
    iterations: Iterations,
    env: &'a Env,
    debug: bool,
    asked: Asked,
}

/// What a body is analysed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// How continuations are used: nothing more is of use where nothing loops and nothing is unboxed.
    Uses,
    /// What the parameters of loops have in common, too.
    Knowledge,
    /// What loops do with their parameters, and what is loaded from parameters, too.
    Everything,
}

#[derive(Clone, Copy)]
enum Source {
    Atom(Simple),
    Unknown,
}

/// What flows into a variable, and where.
struct Flow {
    to: Variable,
    from: Source,
    place: u32,
}

/// A run, and what is around it.
#[derive(Clone, Copy)]
struct Here {
    region: u32,
    place: u32,
    /// The innermost loop.
    around: Option<usize>,
}

impl<'a> Walk<'a> {
    fn run(&mut self, body: &'a Expr) {
        let mut regions = 0;
        let first = Here { region: 0, place: self.iterations.place(None), around: None };
        // Each run, with the parameters of the handler that begins with it.
        let mut pending: Vec<(&Expr, Here, &[Variable])> = vec![(body, first, &[])];
        // Each loop with the one around it: outer before inner.
        let mut loops: Vec<(Continuation, Option<usize>, Classes)> = Vec::new();
        while let Some((expr, mut here, mut params)) = pending.pop() {
            let mut writes = Classes::NONE;
            for item in &expr.items {
                self.item(item, here);
                params = self.first_load(params, item);
                match item {
                    Item::Join { cont, params: results, body } => {
                        self.define(*cont, results, here);
                        self.iterations.disturbs(here.place);
                        let place = self.iterations.entered(here.place, here.around);
                        pending.push((body, Here { place, ..here }, &[]));
                        here.place = self.iterations.place(here.around);
                        self.iterations.handler(*cont, results, here.place, None);
                        params = results;
                    }
                    Item::LetCont { recursive, handlers } => {
                        let mut inner = here;
                        if *recursive && let Some(first) = handlers.first() {
                            regions += 1;
                            inner.region = regions;
                            inner.around = Some(loops.len());
                            let waited = if waits(handlers) { Classes::CONTENTS } else { Classes::NONE };
                            loops.push((first.cont, here.around, waited));
                            self.iterations.begin_loop(here.around);
                        }
                        for handler in handlers {
                            let place = self.iterations.place(inner.around);
                            let head_of = inner.around.filter(|_| *recursive);
                            self.define(handler.cont, &handler.params, here);
                            self.iterations.handler(handler.cont, &handler.params, place, head_of);
                            pending.push((&handler.body, Here { place, ..inner }, &handler.params));
                        }
                    }
                    Item::Let { named: Named::Prim { prim, .. }, .. } => {
                        writes |= prim.effects().writes();
                        if prim.crossing() != Crossing::Nothing {
                            self.iterations.disturbs(here.place);
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            self.terminator(&expr.terminator, here);
            match &expr.terminator {
                Terminator::Try { body, .. } => {
                    regions += 1;
                    self.iterations.disturbs(here.place);
                    let place = self.iterations.entered(here.place, here.around);
                    pending.push((body, Here { region: regions, place, around: here.around }, &[]));
                }
                Terminator::Apply(_) => {
                    writes = Classes::ALL;
                    self.iterations.disturbs(here.place);
                }
                _ => {}
            }
            if let Some(index) = here.around {
                loops[index].2 |= writes;
            }
        }
        for index in (0..loops.len()).rev() {
            let (cont, enclosing, writes) = loops[index];
            self.analysis.loops.insert(cont, writes);
            if let Some(outer) = enclosing {
                loops[outer].2 |= writes;
            }
        }
    }

    fn define(&mut self, cont: Continuation, params: &'a Params, here: Here) {
        let uses = Uses { bound: true, region: here.region, ..Uses::default() };
        self.analysis.uses.insert(cont, uses);
        self.params.insert(cont, params);
    }

    fn use_cont(&mut self, cont: Continuation, here: Here) {
        let uses = self.analysis.uses.entry(cont).or_default();
        uses.count += 1;
        uses.crosses_region |= uses.region != here.region;
        self.iterations.jump(here.place, cont);
    }

    fn flow(&mut self, to: Variable, from: Source, here: Here) {
        if self.asked == Asked::Uses {
            return;
        }
        if let Source::Atom(simple) = from {
            self.whole_use(simple);
        }
        self.flows.push(Flow { to, from, place: here.place });
    }

    fn whole_use(&mut self, simple: Simple) {
        if let Simple::Var(var) = simple
            && self.asked == Asked::Everything
        {
            *self.analysis.whole_uses.entry(var).or_default() += 1;
        }
    }

    /// Records a use that is not a projection.
    fn escapes(&mut self, simple: Simple, here: Here) {
        self.whole_use(simple);
        self.iterations.boxed_use(simple, BoxUse::Escapes, here.place);
    }

    fn item(&mut self, item: &'a Item, here: Here) {
        match item {
            Item::Let { named: Named::Prim { exn, .. }, .. } if self.asked == Asked::Uses => {
                exn.iter().for_each(|exn| self.raise(exn, here));
            }
            Item::LetClosures { .. } if self.asked == Asked::Uses => {}
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.flow(*var, Source::Atom(*simple), here);
                self.iterations.copy(*var, here.place);
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                let ty = knowledge::result(prim, args.len());
                if ty != Ty::Unknown {
                    self.analysis.known.insert(*var, Knowledge::of_ty(ty));
                }
                if prim.makes_immutable() {
                    self.iterations.allocated(*var, here.place);
                }
                self.operands(prim, args, here);
                if let Some(exn) = exn {
                    self.raise(exn, here);
                }
            }
            Item::LetClosures { vars, set, .. } => {
                let functions = Functions::from(&set.functions[..]);
                for (var, (slot, _)) in vars.iter().zip(&set.functions) {
                    self.iterations.allocated(*var, here.place);
                    let ty = knowledge::closure(*slot, set, &functions);
                    self.analysis.known.insert(*var, Knowledge::of_ty(ty));
                }
                for (_, value) in &set.values {
                    self.escapes(*value, here);
                    vars.iter().for_each(|var| self.iterations.capture(*var, *value));
                }
            }
            // Their continuations are recorded with the blocks of their handlers.
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Records what a primitive does with its operands: whether it projects from them or uses them otherwise.
    fn operands(&mut self, prim: &Prim, args: &[Simple], here: Here) {
        match (prim, args) {
            (
                Prim::Unbox(_)
                | Prim::BlockLoad { .. }
                | Prim::BlockLoadFloat { .. }
                | Prim::IsInt
                | Prim::GetTag
                | Prim::ProjectValueSlot { .. },
                [Simple::Var(whole)],
            ) => {
                self.analysis.opened.insert(*whole);
            }
            (Prim::Untag, _) => {}
            (
                Prim::PhysEqual { .. },
                [whole @ Simple::Var(_), Simple::Const(Const::Tagged(n))]
                | [Simple::Const(Const::Tagged(n)), whole @ Simple::Var(_)],
            ) => self.iterations.boxed_use(*whole, BoxUse::Compared(*n), here.place),
            _ => args.iter().for_each(|arg| self.escapes(*arg, here)),
        }
    }

    fn raise(&mut self, exn: &ExnCont, here: Here) {
        self.use_cont(exn.cont, here);
        let Some(params) = self.params.get(&exn.cont).copied() else { return };
        if let Some((bucket, extras)) = params.split_first() {
            self.flow(*bucket, Source::Unknown, here);
            for (param, arg) in extras.iter().zip(&exn.extra_args) {
                self.flow(*param, Source::Atom(*arg), here);
                self.iterations.of_handler(*param);
            }
        }
    }

    fn jump(&mut self, jump: &ApplyCont, here: Here) {
        self.use_cont(jump.cont, here);
        match self.params.get(&jump.cont).copied() {
            Some(params) => {
                for (param, arg) in params.iter().zip(&jump.args) {
                    self.flow(*param, Source::Atom(*arg), here);
                }
            }
            None => jump.args.iter().for_each(|arg| self.escapes(*arg, here)),
        }
    }

    /// Records a jump that is one of several in the same run: what it passes is passed on its path alone.
    fn arm(&mut self, jump: &ApplyCont, here: Here) {
        let is_plain = jump.args.iter().all(|arg| arg.as_var().is_none());
        let place = if is_plain { here.place } else { self.iterations.entered(here.place, here.around) };
        self.jump(jump, Here { place, ..here });
    }

    fn terminator(&mut self, terminator: &Terminator, here: Here) {
        match terminator {
            Terminator::Apply(apply) => {
                self.use_cont(apply.ret, here);
                self.analysis.uses.entry(apply.ret).or_default().is_returned_to = true;
                apply.callee.iter().chain(&apply.args).for_each(|arg| self.escapes(*arg, here));
                apply.for_each_comparator(&mut |function| self.escapes(function, here));
                if let (CallKind::Generic, Some(Simple::Var(callee))) = (&apply.kind, apply.callee) {
                    self.analysis.called.insert(callee);
                    self.iterations.call(callee, here.place);
                }
                for param in self.params.get(&apply.ret).copied().into_iter().flatten() {
                    self.flow(*param, Source::Unknown, here);
                }
                self.raise(&apply.exn, here);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, here),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| self.arm(jump, here)),
            Terminator::StringSwitch(switch) => {
                self.escapes(switch.scrutinee, here);
                switch.for_each_jump(&mut |jump| self.arm(jump, here));
            }
            Terminator::Raise { handler, kind, exn, .. } => {
                self.escapes(*exn, here);
                if *kind == RaiseKind::NoTrace || !self.debug {
                    self.analysis.raised_to.insert(handler.cont);
                }
                self.raise(handler, here);
            }
            Terminator::Try { handler, .. } => self.raise(handler, here),
            Terminator::Unreachable => {}
        }
    }

    /// The least fixpoint: parameters start from nothing.
    fn solve(mut self) -> Analysis {
        let (count, hasher) = (self.flows.len(), rustc_hash::FxBuildHasher);
        let mut inflow: FxHashMap<Variable, SmallVec<[Source; 2]>> =
            FxHashMap::with_capacity_and_hasher(count, hasher);
        let mut outflow: FxHashMap<Variable, SmallVec<[Variable; 2]>> =
            FxHashMap::with_capacity_and_hasher(count, hasher);
        for Flow { to, from, .. } in &self.flows {
            inflow.entry(*to).or_default().push(*from);
            if let Source::Atom(Simple::Var(from)) = from {
                outflow.entry(*from).or_default().push(*to);
            }
        }
        let mut queue: VecDeque<Variable> = VecDeque::new();
        let mut seen = FxHashSet::default();
        for Flow { to, .. } in &self.flows {
            if seen.insert(*to) {
                self.analysis.known.insert(*to, Knowledge::BOTTOM);
                queue.push_back(*to);
            }
        }
        if self.asked == Asked::Everything {
            spread(&mut self.analysis.opened, &inflow);
            spread(&mut self.analysis.called, &inflow);
            self.analysis.needed_boxed = self.iterations.used_boxed().collect();
            spread(&mut self.analysis.needed_boxed, &inflow);
        }
        while let Some(var) = queue.pop_front() {
            seen.remove(&var);
            let Knowledge { mut ty, mut alias, mut may_be_poison } = Knowledge::BOTTOM;
            for source in &inflow[&var] {
                let known = match source {
                    Source::Unknown => Knowledge::TOP,
                    Source::Atom(simple) => self.atom(*simple, var),
                };
                ty = join(&ty, &known.ty, &|_| Ty::Unknown).widen();
                may_be_poison |= known.may_be_poison;
                alias = match (alias, known.alias) {
                    (Alias::Bottom, x) | (x, Alias::Bottom) => x,
                    (Alias::Is(a), Alias::Is(b)) if a == b => Alias::Is(a),
                    _ => Alias::Top,
                };
            }
            let known = self.analysis.known.get_mut(&var).expect("entered above");
            if known.alias == Alias::Top {
                alias = Alias::Top;
            }
            let new = Knowledge { ty, alias, may_be_poison };
            if *known != new {
                *known = new;
                for next in outflow.get(&var).into_iter().flatten() {
                    if seen.insert(*next) {
                        queue.push_back(*next);
                    }
                }
            }
        }
        if self.asked == Asked::Everything {
            self.solve_turns();
            let parted = self.analysis.loop_params.iter().filter(|(_, param)| param.boxed.is_some());
            self.analysis.parted_in_loops = parted.map(|(param, _)| *param).collect();
            spread(&mut self.analysis.parted_in_loops, &inflow);
        }
        self.analysis
    }

    /// Finds what loops do with their parameters, from what all values of these have in common.
    fn solve_turns(&mut self) {
        let known = &self.analysis.known;
        let ints = |var| match &known.get(&var)?.ty {
            Ty::Variant(variant) => Some(variant.ints.clone()),
            _ => None,
        };
        let opened = &self.analysis.opened;
        let candidate = |param: Variable, loop_param: &LoopParam| {
            let known = known.get(&param).filter(|known| !known.may_be_poison || loop_param.has_names)?;
            let is_asked = opened.contains(&param) || loop_param.is_always_allocated;
            is_asked.then(|| Candidate::of(&known.ty, loop_param))?
        };
        (self.analysis.loop_params, self.analysis.travelling) =
            self.iterations.solve(&self.params, &self.flows, &ints, &candidate);
        self.analysis.allocated = std::mem::take(&mut self.iterations.allocated);
    }

    /// What flows from an atom into the variable `to`.
    fn atom(&self, simple: Simple, to: Variable) -> Knowledge {
        let alias = Alias::Is(simple);
        match simple {
            Simple::Const(Const::Poison(_)) => Knowledge { may_be_poison: true, ..Knowledge::BOTTOM },
            Simple::Var(var) if var == to => Knowledge::BOTTOM,
            Simple::Var(var) if self.analysis.known.contains_key(&var) => {
                let known = self.analysis.known[&var].clone();
                if known.alias == Alias::Top { Knowledge { alias, ..known } } else { known }
            }
            _ => Knowledge { ty: self.env.ty(simple).widen(), alias, may_be_poison: false },
        }
    }
}

/// Adds to a set of variables what flows into them.
fn spread(set: &mut FxHashSet<Variable>, inflow: &FxHashMap<Variable, SmallVec<[Source; 2]>>) {
    let mut queue: Vec<Variable> = set.iter().copied().collect();
    while let Some(var) = queue.pop() {
        for source in inflow.get(&var).into_iter().flatten() {
            if let Source::Atom(Simple::Var(from)) = source
                && set.insert(*from)
            {
                queue.push(*from);
            }
        }
    }
}
