//! What a function body is looked through for before it is simplified: how its continuations are used, and what their
//! parameters have in common over all uses, loops included (the inductive pre-pass).

use std::collections::VecDeque;

use flambeau_ir::prim::Mutability;
use flambeau_ir::term::RaiseKind;
use flambeau_ir::{
    ApplyCont, BoxedKind, Const, Continuation, ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Simple,
    Symbol, Terminator, Variable,
};
use flambeau_types::{Block, Blocks, Env, IntSet, Ty, Variant};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

use crate::memory::Writes;

/// Tags from this on are those of lazy values, closures, objects, forward blocks and the like: blocks that change.
pub const FIRST_SPECIAL_TAG: u8 = 244;

/// More blocks than these are not told apart.
const BLOCKS: usize = 6;

/// How a continuation is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// How often: jumps, arms of switches, returns of calls; for an exception continuation, raises and its `try`.
    pub count: u32,
    /// Some use is in another region than the definition: code must not be moved over the boundary of a `try`, nor
    /// into a loop (soundness rows 6 and 20).
    pub crosses_region: bool,
    region: u32,
}

/// What values have in common, as far as that is seen without looking at branches.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// Nothing has come yet.
    Bottom,
    Boxed(BoxedKind),
    /// Immediates, blocks of these tags and sizes.
    Variant {
        ints: bool,
        blocks: SmallVec<[(u8, u32); 2]>,
    },
    /// Anything.
    Top,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alias {
    Bottom,
    Is(Simple),
    Top,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Knowledge {
    shape: Shape,
    alias: Alias,
    /// It may be poison: what its type claims is no leave to read memory where the source does not.
    flimsy: bool,
}

impl Knowledge {
    const BOTTOM: Knowledge = Knowledge { shape: Shape::Bottom, alias: Alias::Bottom, flimsy: false };
    const TOP: Knowledge = Knowledge { shape: Shape::Top, alias: Alias::Top, flimsy: false };
}

/// The result.
#[derive(Default)]
pub struct Analysis {
    // A map, not a table: a body is a small part of the unit.
    uses: FxHashMap<Continuation, Uses>,
    known: FxHashMap<Variable, Knowledge>,
    /// What is unboxed or projected from, directly or after it went through parameters.
    opened: FxHashSet<Variable>,
    /// What loops do, by the first continuation of their group.
    loops: FxHashMap<Continuation, Writes>,
    /// Exception continuations that a raise of this function goes to.
    raised_to: FxHashSet<Continuation>,
    /// The continuations bound in the term.
    bound: FxHashSet<Continuation>,
}

impl Analysis {
    /// Looks through a body. `env` tells of symbols; with `debug`, raises that make a backtrace stay raises.
    pub fn of(body: &Expr, env: &Env, debug: bool) -> Analysis {
        let mut walk = Walk {
            analysis: Analysis::default(),
            flows: Vec::new(),
            params: FxHashMap::default(),
            env,
            debug,
        };
        walk.run(body);
        walk.solve()
    }

    /// Of a continuation bound in the body.
    pub fn uses(&self, cont: Continuation) -> Uses {
        self.uses.get(&cont).copied().unwrap_or_default()
    }

    /// Whether a raise of this function goes to an exception continuation.
    pub fn is_raised_to(&self, cont: Continuation) -> bool {
        self.raised_to.contains(&cont)
    }

    /// Adds what is known of a term that was inlined. Of continuations bound outside it nothing new is learnt.
    pub fn absorb(&mut self, inlined: Analysis) {
        let Analysis { uses, known, opened, loops, raised_to, bound } = inlined;
        self.uses.extend(uses.into_iter().filter(|(cont, _)| bound.contains(cont)));
        self.bound.extend(bound);
        self.known.extend(known);
        self.opened.extend(opened);
        self.loops.extend(loops);
        self.raised_to.extend(raised_to);
    }

    /// Notes a continuation made on the way down: of any uses.
    pub fn note_open(&mut self, cont: Continuation) {
        self.uses.insert(cont, Uses { count: u32::MAX, crosses_region: true, region: 0 });
    }

    /// What a loop does to the memory, by the first continuation of its group.
    pub fn writes(&self, cont: Continuation) -> Writes {
        self.loops.get(&cont).copied().unwrap_or(Writes::ANY)
    }

    /// The only value that a parameter ever has.
    pub fn only_value(&self, param: Variable) -> Option<Simple> {
        match self.known.get(&param)?.alias {
            Alias::Is(simple) => Some(simple),
            Alias::Bottom | Alias::Top => None,
        }
    }

    /// Whether a parameter may be poison.
    pub fn is_flimsy(&self, param: Variable) -> bool {
        self.known.get(&param).is_some_and(|known| known.flimsy)
    }

    /// Whether the contents of what a parameter holds are read somewhere.
    pub fn is_opened(&self, param: Variable) -> bool {
        self.opened.contains(&param)
    }

    /// What all values of a parameter have in common.
    pub fn ty(&self, param: Variable) -> Ty {
        self.known.get(&param).map_or(Ty::Unknown, |known| known.shape.ty())
    }
}

impl Shape {
    fn int() -> Shape {
        Shape::Variant { ints: true, blocks: SmallVec::new() }
    }

    fn join(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Bottom, x) | (x, Shape::Bottom) => x.clone(),
            (Shape::Boxed(a), Shape::Boxed(b)) if a == b => Shape::Boxed(*a),
            (Shape::Variant { ints: i, blocks: a }, Shape::Variant { ints: j, blocks: b }) => {
                let mut all = a.clone();
                for &(tag, size) in b {
                    match all.iter().find(|(t, _)| *t == tag) {
                        Some((_, s)) if *s != size => return Shape::Top,
                        Some(_) => {}
                        None => all.push((tag, size)),
                    }
                }
                all.sort_unstable();
                if all.len() > BLOCKS { Shape::Top } else { Shape::Variant { ints: *i || *j, blocks: all } }
            }
            _ => Shape::Top,
        }
    }

    fn ty(&self) -> Ty {
        match self {
            Shape::Bottom | Shape::Top => Ty::Unknown,
            Shape::Boxed(kind) => Ty::boxed(*kind, Ty::Unknown),
            Shape::Variant { ints, blocks } => {
                let known = blocks
                    .iter()
                    .map(|&(tag, size)| Block {
                        tag,
                        exact: true,
                        fields: std::iter::repeat_n(Ty::Unknown, size as usize).collect(),
                    })
                    .collect();
                let ints = if *ints { IntSet::OCAML } else { IntSet::empty() };
                Ty::Variant(Rc::new(Variant { ints, blocks: Blocks::Known(known) }))
            }
        }
    }

    /// Of a value of that type.
    fn of_ty(ty: &Ty) -> Shape {
        match ty {
            Ty::Boxed(kind, _) => Shape::Boxed(*kind),
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(known) if known.iter().all(|b| b.exact) => Shape::Variant {
                    ints: !variant.ints.is_empty(),
                    blocks: known.iter().map(|b| (b.tag, b.fields.len() as u32)).collect(),
                },
                _ => Shape::Top,
            },
            _ => Shape::Top,
        }
    }

    /// Of the result of a primitive.
    fn of_prim(prim: &Prim, args: usize) -> Shape {
        match prim {
            Prim::Box(kind) => Shape::Boxed(*kind),
            Prim::MakeBlock { tag, mutability: Mutability::Immutable } if *tag < FIRST_SPECIAL_TAG => {
                Shape::Variant { ints: false, blocks: SmallVec::from_slice(&[(*tag, args as u32)]) }
            }
            Prim::Tag
            | Prim::StringLength
            | Prim::ArrayLength { .. }
            | Prim::BigarrayDim { .. }
            | Prim::IntCompare3 { .. }
            | Prim::FloatCompare3
            | Prim::IntArith { kind: IntKind::Tagged, .. }
            | Prim::IntShift { kind: IntKind::Tagged, .. }
            | Prim::IntDiv { kind: IntKind::Tagged }
            | Prim::IntMod { kind: IntKind::Tagged } => Shape::int(),
            _ => Shape::Top,
        }
    }
}

struct Walk<'a> {
    analysis: Analysis,
    /// What flows into what: parameters and plain copies.
    flows: Vec<(Variable, Source)>,
    params: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
    env: &'a Env,
    debug: bool,
}

#[derive(Clone, Copy)]
enum Source {
    Atom(Simple),
    Unknown,
}

impl<'a> Walk<'a> {
    fn run(&mut self, body: &'a Expr) {
        let mut regions = 0;
        // Each term with its region and the innermost loop around it.
        let mut pending = vec![(body, 0, None)];
        // Each loop with the one around it: outer before inner.
        let mut loops: Vec<(Continuation, Option<usize>, Writes)> = Vec::new();
        while let Some((expr, region, enclosing)) = pending.pop() {
            let mut writes = Writes::default();
            for item in &expr.items {
                self.item(item, region);
                match item {
                    Item::Join { body, .. } => pending.push((body, region, enclosing)),
                    Item::LetCont { recursive, handlers } => {
                        let (mut inner, mut around) = (region, enclosing);
                        if *recursive && let Some(first) = handlers.first() {
                            regions += 1;
                            inner = regions;
                            around = Some(loops.len());
                            loops.push((first.cont, enclosing, Writes::default()));
                        }
                        pending.extend(handlers.iter().map(|handler| (&handler.body, inner, around)));
                    }
                    Item::Let { named: Named::Prim { prim, .. }, .. } => writes.add(Writes::of(prim)),
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            self.terminator(&expr.terminator, region);
            match &expr.terminator {
                Terminator::Try { body, .. } => {
                    regions += 1;
                    pending.push((body, regions, enclosing));
                }
                Terminator::Apply(_) => writes = Writes::ANY,
                _ => {}
            }
            if let Some(index) = enclosing {
                loops[index].2.add(writes);
            }
        }
        for index in (0..loops.len()).rev() {
            let (cont, enclosing, writes) = loops[index];
            self.analysis.loops.insert(cont, writes);
            if let Some(outer) = enclosing {
                loops[outer].2.add(writes);
            }
        }
    }

    fn define(&mut self, cont: Continuation, params: &SmallVec<[Variable; 2]>, region: u32) {
        self.analysis.uses.insert(cont, Uses { count: 0, crosses_region: false, region });
        self.analysis.bound.insert(cont);
        self.params.insert(cont, params.clone());
    }

    fn use_cont(&mut self, cont: Continuation, region: u32) {
        let uses = self.analysis.uses.entry(cont).or_default();
        uses.count += 1;
        uses.crosses_region |= uses.region != region;
    }

    fn item(&mut self, item: &'a Item, region: u32) {
        match item {
            Item::Let { var, named, .. } => match named {
                Named::Simple(simple) => self.flows.push((*var, Source::Atom(*simple))),
                Named::Prim { prim, args, exn } => {
                    let shape = Shape::of_prim(prim, args.len());
                    if shape != Shape::Top {
                        self.analysis.known.insert(*var, Knowledge { shape, ..Knowledge::TOP });
                    }
                    if let (Prim::Unbox(_) | Prim::BlockLoad { .. }, Some(Simple::Var(var))) =
                        (prim, args.first())
                    {
                        self.analysis.opened.insert(*var);
                    }
                    if let Some(exn) = exn {
                        self.raise(exn, region);
                    }
                }
            },
            Item::LetClosures { .. } => {}
            Item::Join { cont, params, .. } => self.define(*cont, params, region),
            Item::LetCont { handlers, .. } => {
                for handler in handlers {
                    self.define(handler.cont, &handler.params, region);
                }
            }
        }
    }

    fn raise(&mut self, exn: &ExnCont, region: u32) {
        self.use_cont(exn.cont, region);
        let Some(params) = self.params.get(&exn.cont) else { return };
        if let Some((bucket, extras)) = params.split_first() {
            self.flows.push((*bucket, Source::Unknown));
            self.flows.extend(extras.iter().zip(&exn.extra_args).map(|(p, a)| (*p, Source::Atom(*a))));
        }
    }

    fn jump(&mut self, jump: &ApplyCont, region: u32) {
        self.use_cont(jump.cont, region);
        if let Some(params) = self.params.get(&jump.cont) {
            self.flows.extend(params.iter().zip(&jump.args).map(|(p, a)| (*p, Source::Atom(*a))));
        }
    }

    fn terminator(&mut self, terminator: &Terminator, region: u32) {
        match terminator {
            Terminator::Apply(apply) => {
                self.use_cont(apply.ret, region);
                if let Some(params) = self.params.get(&apply.ret) {
                    self.flows.extend(params.iter().map(|p| (*p, Source::Unknown)));
                }
                self.raise(&apply.exn, region);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, region),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| self.jump(jump, region)),
            Terminator::StringSwitch(switch) => switch.for_each_jump(&mut |jump| self.jump(jump, region)),
            Terminator::Raise { handler, kind, .. } => {
                if *kind == RaiseKind::NoTrace || !self.debug {
                    self.analysis.raised_to.insert(handler.cont);
                }
                self.raise(handler, region);
            }
            Terminator::Try { handler, .. } => self.raise(handler, region),
            Terminator::Unreachable => {}
        }
    }

    /// The least fixpoint: parameters start from nothing.
    fn solve(mut self) -> Analysis {
        let mut inflow: FxHashMap<Variable, SmallVec<[Source; 2]>> = FxHashMap::default();
        let mut outflow: FxHashMap<Variable, SmallVec<[Variable; 2]>> = FxHashMap::default();
        for (to, from) in &self.flows {
            inflow.entry(*to).or_default().push(*from);
            if let Source::Atom(Simple::Var(from)) = from {
                outflow.entry(*from).or_default().push(*to);
            }
        }
        let mut queue: VecDeque<Variable> = VecDeque::new();
        let mut seen = FxHashSet::default();
        for (to, _) in &self.flows {
            if seen.insert(*to) {
                self.analysis.known.insert(*to, Knowledge::BOTTOM);
                queue.push_back(*to);
            }
        }
        self.spread_opened(&inflow);
        while let Some(var) = queue.pop_front() {
            seen.remove(&var);
            let Knowledge { mut shape, mut alias, mut flimsy } = Knowledge::BOTTOM;
            for source in &inflow[&var] {
                let known = match source {
                    Source::Unknown => Knowledge::TOP,
                    Source::Atom(simple) => self.atom(*simple, var),
                };
                shape = shape.join(&known.shape);
                flimsy |= known.flimsy;
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
            let new = Knowledge { shape, alias, flimsy };
            if *known != new {
                *known = new;
                for next in outflow.get(&var).into_iter().flatten() {
                    if seen.insert(*next) {
                        queue.push_back(*next);
                    }
                }
            }
        }
        self.analysis
    }

    /// What flows into something opened is opened, too.
    fn spread_opened(&mut self, inflow: &FxHashMap<Variable, SmallVec<[Source; 2]>>) {
        let mut queue: Vec<Variable> = self.analysis.opened.iter().copied().collect();
        while let Some(var) = queue.pop() {
            for source in inflow.get(&var).into_iter().flatten() {
                if let Source::Atom(Simple::Var(from)) = source
                    && self.analysis.opened.insert(*from)
                {
                    queue.push(*from);
                }
            }
        }
    }

    /// What flows from an atom into the variable `to`.
    fn atom(&self, simple: Simple, to: Variable) -> Knowledge {
        match simple {
            Simple::Const(Const::Poison(_)) => Knowledge { flimsy: true, ..Knowledge::BOTTOM },
            Simple::Const(c) => {
                let shape = if c.kind() == Kind::Value { Shape::int() } else { Shape::Top };
                Knowledge { shape, alias: Alias::Is(simple), flimsy: false }
            }
            Simple::Symbol(symbol) => {
                Knowledge { shape: self.symbol(symbol), alias: Alias::Is(simple), flimsy: false }
            }
            Simple::Var(var) if var == to => Knowledge::BOTTOM,
            Simple::Var(var) => match self.analysis.known.get(&var) {
                None => Knowledge {
                    shape: Shape::of_ty(&self.env.ty(simple)),
                    alias: Alias::Is(simple),
                    flimsy: false,
                },
                Some(known) => Knowledge {
                    alias: if known.alias == Alias::Top { Alias::Is(simple) } else { known.alias },
                    ..known.clone()
                },
            },
        }
    }

    fn symbol(&self, symbol: Symbol) -> Shape {
        Shape::of_ty(&self.env.ty(Simple::Symbol(symbol)))
    }
}
