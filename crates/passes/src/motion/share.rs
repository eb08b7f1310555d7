//! Jumps that pass the same allocation to the same continuation get a continuation between, so that the allocation,
//! which several paths need and others do not, has one place to move to: made in each it would be more code.

use flambeau_flow::{EdgeKind, Flow, Location, Rewriter, Run, RunKind, arms_mut, rewrite_runs};
use flambeau_ir::prim::Crossing;
use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Expr, Item, Rewrite, Rewrites, Simple, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Function;
use super::floating::{Floating, FloatingKind};
use super::paths;

/// No more jumps than these share an allocation.
const JUMPS: usize = 16;

/// Jumps that are to share an allocation.
pub(super) struct Shared {
    var: Variable,
    /// Where the jumps lead, and which argument it is.
    target: ApplyCont,
    index: usize,
    /// Of each other argument, if it is not the same constant everywhere, a parameter like it.
    params: SmallVec<[Option<Variable>; 2]>,
    jumps: SmallVec<[Run; 4]>,
    /// The innermost run around all of them.
    around: Run,
}

/// Finds the allocations that jumps are to share.
pub(super) fn plan(function: &Function, floating: &[Floating], rewrites: &mut Rewrites) -> Vec<Shared> {
    let mut paths = None;
    let mut found: Vec<Shared> = Vec::new();
    let mut taken: FxHashSet<Run> = FxHashSet::default();
    for floating in floating {
        if !matches!(floating.kind, FloatingKind::Allocation { is_number: false, .. }) {
            continue;
        }
        let Some(shared) = candidate(function, floating) else { continue };
        if shared.jumps.iter().any(|jump| taken.contains(jump)) {
            continue;
        }
        let paths = paths.get_or_insert_with(|| paths::paths(function));
        let moves = shared.jumps.iter().all(|jump| comes_to(function, paths, floating, *jump));
        let rewrite = Rewrite::AllocationIntoBranch(shared.var);
        if moves && rewrites.allow(rewrite, function.unit, function.code) {
            taken.extend(&shared.jumps);
            found.push(shared);
        }
    }
    found
}

/// What uses of an allocation have in common, if all are jumps to one continuation, and some path needs none.
fn candidate(function: &Function, floating: &Floating) -> Option<Shared> {
    let [var] = floating.vars[..] else { return None };
    let Function { flow, values, .. } = function;
    let uses: SmallVec<[Location; 4]> = values.uses(var).take(JUMPS + 1).collect();
    if !(2..=JUMPS).contains(&uses.len()) {
        return None;
    }
    let jumps: SmallVec<[&ApplyCont; 4]> =
        uses.iter().map(|at| jump_at(function, *at)).collect::<Option<_>>()?;
    let (first, others) = jumps.split_first()?;
    let index = first.args.iter().position(|arg| *arg == Simple::Var(var))?;
    let is_alike =
        |jump: &&ApplyCont| jump.cont == first.cont && jump.args.get(index) == Some(&Simple::Var(var));
    let around = uses.iter().copied().reduce(|one, other| flow.common(one, other))?.run;
    let runs: SmallVec<[Run; 4]> = uses.iter().map(|at| at.run).collect();
    let mut distinct = runs.clone();
    distinct.sort_unstable_by_key(|run| run.as_u32());
    distinct.dedup();
    let is_bound_there = flow.block_of(first.cont).is_none_or(|block| {
        let bound = flow.blocks()[block].bound_in;
        bound == around || !flow.is_inside(bound, around)
    });
    if distinct.len() < uses.len() || !others.iter().all(is_alike) || !is_bound_there {
        return None;
    }
    is_avoided(flow, around, &runs, first.cont).then_some(())?;
    let is_same = |at: usize| {
        let arg = first.args[at];
        !matches!(arg, Simple::Var(_)) && others.iter().all(|jump| jump.args[at] == arg)
    };
    let param = |at: usize| match first.args[at] {
        _ if at == index || is_same(at) => Some(None),
        // What is like it is known of a variable alone.
        _ => jumps.iter().find_map(|jump| jump.args[at].as_var()).map(Some),
    };
    let params = (0..first.args.len()).map(param).collect::<Option<_>>()?;
    Some(Shared { var, target: (*first).clone(), index, params, jumps: runs, around })
}

/// The jump that is at a location, if there is one.
fn jump_at<'e>(function: &Function<'_, 'e>, at: Location) -> Option<&'e ApplyCont> {
    let data = &function.flow.runs()[at.run];
    if data.kind != RunKind::Arm {
        return match &function.terms[at.run]?.terminator {
            Terminator::ApplyCont(jump) if at.position == data.terminator => Some(jump),
            _ => None,
        };
    }
    let parent = data.parent.expand()?;
    let nth = function.flow.arms(parent).iter().position(|arm| *arm == at.run)?;
    let (mut found, mut count) = (None, 0);
    let mut see = |jump: &'e ApplyCont| {
        if count == nth {
            found = Some(jump);
        }
        count += 1;
    };
    match &function.terms[parent]?.terminator {
        Terminator::Switch(switch) => switch.for_each_jump(&mut see),
        Terminator::StringSwitch(switch) => switch.for_each_jump(&mut see),
        _ => {}
    }
    found
}

/// Whether a run may be left otherwise than by some jumps to a continuation, or from there.
fn is_avoided(flow: &Flow, around: Run, jumps: &[Run], target: Continuation) -> bool {
    let target = flow.block_of(target).map(|block| flow.blocks()[block].code);
    let target = target.filter(|code| *code != around && flow.is_inside(*code, around));
    flow.edges_from(around).iter().any(|edge| {
        let leaves = edge.to.expand().is_none_or(|to| !flow.is_inside(flow.blocks()[to].code, around));
        let is_other = !jumps.contains(&edge.from.run)
            && target.is_none_or(|target| !flow.is_inside(edge.from.run, target));
        leaves && is_other && matches!(edge.kind, EdgeKind::Jump | EdgeKind::Return)
    })
}

/// Whether an allocation can move to right before a jump: into no loop and no `try`, past nothing that matters.
fn comes_to(function: &Function, paths: &paths::Paths, floating: &Floating, jump: Run) -> bool {
    let flow = function.flow;
    let mut way: SmallVec<[Run; 8]> = SmallVec::new();
    let mut run = jump;
    while run != floating.home {
        way.push(run);
        let Some(parent) = flow.runs()[run].parent.expand() else { return false };
        run = parent;
    }
    let (mut around, mut start) = (floating.home, floating.index + 1);
    let mut past = Crossing::Nothing;
    for run in way.into_iter().rev() {
        let kind = flow.runs()[run].kind;
        if !matches!(kind, RunKind::Handler | RunKind::Join | RunKind::Arm) {
            return false;
        }
        past = past.max(paths[around].until(start, kind, &paths[run])).max(paths[run].entered);
        (around, start) = (run, 0);
    }
    let rest = if around == floating.home { Crossing::Effects } else { paths[around].whole() };
    past.max(rest) < Crossing::Reads
}

/// Puts a continuation between the jumps and where they lead.
pub(super) fn rebuild(unit: &mut Unit, body: &mut Expr, flow: &Flow, shared: Vec<Shared>) {
    let mut all = Vec::with_capacity(shared.len());
    for mut shared in shared {
        for param in shared.params.iter_mut().flatten() {
            *param = unit.new_variable_like(*param);
        }
        all.push((unit.new_continuation("shared"), shared));
    }
    let jumps =
        all.iter().enumerate().flat_map(|(n, (_, shared))| shared.jumps.iter().map(move |run| (*run, n)));
    let jumps = jumps.collect();
    rewrite_runs(body, &mut Rebuild { flow, jumps, shared: &all });
}

struct Rebuild<'r> {
    flow: &'r Flow,
    jumps: FxHashMap<Run, usize>,
    shared: &'r [(Continuation, Shared)],
}

impl Rebuild<'_> {
    fn redirect(&self, run: Run, jump: &mut ApplyCont) {
        let Some((cont, shared)) = self.jumps.get(&run).map(|n| &self.shared[*n]) else { return };
        let passed = jump.args.iter().zip(&shared.params).filter(|(_, param)| param.is_some());
        *jump = ApplyCont { cont: *cont, args: passed.map(|(arg, _)| *arg).collect() };
    }
}

impl Rewriter for Rebuild<'_> {
    fn item(&mut self, _: &mut Item) {}

    fn run(&mut self, run: Run, expr: &mut Expr) {
        for (arm, jump) in self.flow.arms(run).iter().zip(arms_mut(&mut expr.terminator)) {
            self.redirect(*arm, jump);
        }
        if let Terminator::ApplyCont(jump) = &mut expr.terminator {
            self.redirect(run, jump);
        }
        for (cont, shared) in self.shared.iter().filter(|(_, shared)| shared.around == run) {
            // Behind the allocation and the continuation that the jumps lead to, if these are bound here.
            let binds = |item: &Item| match item {
                Item::LetCont { handlers, .. } => handlers.iter().any(|h| h.cont == shared.target.cont),
                item => {
                    let mut found = false;
                    item.for_each_bound(&mut |var| found |= var == shared.var);
                    found
                }
            };
            let after = expr.items.iter().rposition(binds).map_or(0, |index| index + 1);
            let args = shared.target.args.iter().zip(&shared.params).enumerate();
            let arg = |(at, (arg, param)): (usize, (&Simple, &Option<Variable>))| match param {
                Some(param) => Simple::Var(*param),
                None if at == shared.index => shared.var.into(),
                None => *arg,
            };
            let target = ApplyCont { cont: shared.target.cont, args: args.map(arg).collect() };
            let body = Expr { items: Vec::new(), terminator: Terminator::ApplyCont(target) };
            let params = shared.params.iter().flatten().copied().collect();
            let handlers = vec![ContHandler { cont: *cont, params, body }];
            expr.items.insert(after, Item::LetCont { recursive: false, handlers });
        }
    }
}
