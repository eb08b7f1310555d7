//! What a function body is analysed for before it is simplified: how its continuations are used, and what their
//! parameters have in common over all uses, loops included (the inductive pre-pass).

mod boxes;
mod first_loads;
mod iterations;
mod joins;
mod knowledge;
mod solve;
mod walk;

use flambeau_ir::prim::Classes;
use flambeau_ir::{Continuation, Expr, Item, Prim, Simple, Terminator, Variable};
use flambeau_types::{Env, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::run::Params;
pub use boxes::LoopBox;
use iterations::{Iterations, LoopParam};
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
    projected: FxHashSet<Variable>,
    /// What is needed as it is, not only projected from, directly or after it was passed through parameters.
    needed_boxed: FxHashSet<Variable>,
    /// How often variables are used as they are, or passed to continuations.
    whole_uses: FxHashMap<Variable, u32>,
    /// What becomes a parameter of a loop that may be passed unboxed, directly or through other parameters.
    unboxed_in_loops: FxHashSet<Variable>,
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
    /// The parameters of joins that are allocated behind the join ([`joins`]).
    behind_joins: FxHashSet<Variable>,
    /// Blocks, boxes and closures allocated in the term.
    allocated: FxHashSet<Variable>,
    /// What a handler loads from its parameters before anything else happens.
    first_loads: FxHashMap<Variable, SmallVec<[Prim; 2]>>,
    /// The continuations to which calls return that the body repeats.
    repeated: FxHashSet<Continuation>,
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
        if asked == Asked::Everything && !walk.analysis.loops.is_empty() {
            let repeated = &mut walk.analysis.repeated;
            body.walk_repeated(&mut |expr, is_repeated| {
                if let Terminator::Apply(apply) = &expr.terminator
                    && is_repeated
                {
                    repeated.insert(apply.ret);
                }
            });
        }
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
            projected,
            needed_boxed,
            whole_uses,
            unboxed_in_loops,
            called,
            loops,
            raised_to,
            loop_params,
            travelling,
            behind_joins,
            allocated,
            first_loads,
            repeated,
        } = inlined;
        self.uses.extend(uses.into_iter().filter(|(_, uses)| uses.bound));
        self.known.extend(known);
        self.projected.extend(projected);
        self.needed_boxed.extend(needed_boxed);
        for (var, uses) in whole_uses {
            *self.whole_uses.entry(var).or_default() += uses;
        }
        self.unboxed_in_loops.extend(unboxed_in_loops);
        self.called.extend(called);
        self.loops.extend(loops);
        self.raised_to.extend(raised_to);
        self.loop_params.extend(loop_params);
        self.travelling.extend(travelling);
        self.behind_joins.extend(behind_joins);
        self.allocated.extend(allocated);
        self.first_loads.extend(first_loads);
        self.repeated.extend(repeated);
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
    pub fn is_projected_from(&self, param: Variable) -> bool {
        self.projected.contains(&param)
    }

    /// Whether projections, and nothing else, are done with what a parameter of a loop holds.
    pub fn is_only_projected_from(&self, param: Variable) -> bool {
        self.projected.contains(&param) && !self.needed_boxed.contains(&param)
    }

    /// Whether a parameter stays boxed whatever becomes of its parts: the box is needed, and no loop passes the parts.
    pub fn stays_boxed(&self, param: Variable) -> bool {
        self.needed_boxed.contains(&param) && !self.unboxed_in_loops.contains(&param)
    }

    /// Whether what a parameter holds is called somewhere as an unknown function.
    pub fn is_called(&self, param: Variable) -> bool {
        self.called.contains(&param)
    }

    /// Whether a call that returns to a continuation is repeated by a loop of the body.
    pub fn is_repeated(&self, ret: Continuation) -> bool {
        self.repeated.contains(&ret)
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

    /// Whether what a parameter of a join holds is allocated behind the join instead of before it.
    pub fn is_made_behind_join(&self, param: Variable) -> bool {
        self.behind_joins.contains(&param)
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

/// What is recorded of a body before the fixpoint is looked for.
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
