//! What one walk over a function finds: its control flow, and how blocks may be used.
//!
//! A [`Region`] is a straight line: the body of a `Join` and that of a `try` continue the region they are in,
//! and each continuation begins one. So the regions are the basic blocks of the function, with edges to
//! handlers at each point that may raise. *Positions* number items and terminators in the order of the text;
//! they increase along each region, and what is nested in a term is an interval.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    Apply, ApplyCont, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Terminator, Variable,
};
use smallvec::SmallVec;

/// A straight line of a function: its beginning, or a continuation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Region(u32);
entity_impl!(Region, "region");

/// A place where a block is allocated that may be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockId(u32);
entity_impl!(BlockId, "block");

/// The extent of a term: of what its items bind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Extent(u32);
entity_impl!(Extent, "extent");

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    pub(super) region: Region,
    pub(super) position: u32,
}

/// How control comes to a region.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: Point,
    /// It is in the term, and names extra arguments if the region is a handler. The others are the places where a
    /// handler may have to be told a field's new value.
    pub(super) is_real: bool,
}

/// What is known of a region.
pub(super) struct RegionFacts {
    /// Its continuation; none for the beginning of the function.
    pub(super) cont: Option<Continuation>,
    pub(super) params: SmallVec<[Variable; 2]>,
    pub(super) is_exn: bool,
    /// The innermost handler where it is bound, if that is not the function's.
    pub(super) under: Option<Region>,
    /// Where it is bound.
    pub(super) bound_at: u32,
    /// The continuation is used only after this position and within the extent.
    pub(super) used_from: u32,
    pub(super) used_within: Extent,
    /// Its first position.
    pub(super) start: u32,
    pub(super) predecessors: Vec<Edge>,
    /// Some jump here leaves a `try`.
    pub(super) leaves_try: bool,
}

/// An allocation that may be replaced.
pub(super) struct Allocation {
    pub(super) var: Variable,
    pub(super) at: Point,
    /// Where its variable is in scope.
    pub(super) extent: Extent,
    pub(super) fields: SmallVec<[Simple; 3]>,
    /// Its fields are naked floats.
    pub(super) is_float: bool,
    pub(super) tag: u8,
}

/// What is done with a block through a variable.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Load {
        field: u32,
        is_float: bool,
    },
    /// `is_immediate`: the value is no pointer.
    Store {
        field: u32,
        is_float: bool,
        value: Simple,
        is_immediate: bool,
    },
    /// Reads and writes field 0.
    Offset,
}

/// A use of a variable that does not let the block that it may be escape.
pub(super) struct Access {
    pub(super) var: Variable,
    pub(super) at: Point,
    /// The innermost handler, if that is not the function's.
    pub(super) handler: Option<Region>,
    pub(super) operation: Operation,
}

/// What is known of a function.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) regions: PrimaryMap<Region, RegionFacts>,
    pub(super) allocations: PrimaryMap<BlockId, Allocation>,
    /// In order of position.
    pub(super) accesses: Vec<Access>,
    /// A variable is another name of this, maybe among others.
    pub(super) copies: Vec<(Simple, Variable)>,
    /// Parameters that are given results of calls.
    pub(super) results: Vec<Variable>,
    /// Compared with each other.
    pub(super) compared: Vec<(Variable, Variable)>,
    /// Used in a way that lets a block escape.
    pub(super) escaping: Vec<Variable>,
    /// The last position in each term.
    pub(super) ends: PrimaryMap<Extent, u32>,
    /// The number of positions.
    pub(super) size: u32,
}

impl Facts {
    /// Whether a region's continuation is bound in the scope of an allocation's variable.
    pub(super) fn binds_in_scope(&self, region: Region, allocation: &Allocation) -> bool {
        let bound_at = self.regions[region].bound_at;
        allocation.at.position < bound_at && bound_at <= self.ends[allocation.extent]
    }

    /// Whether one of the positions, which increase, is where the region's continuation may be used.
    pub(super) fn is_any_in_use_of(&self, region: Region, positions: &[Point]) -> bool {
        let facts = &self.regions[region];
        let first = positions.partition_point(|point| point.position < facts.used_from);
        positions.get(first).is_some_and(|point| point.position <= self.ends[facts.used_within])
    }
}

/// Which allocation a primitive makes, if it may be replaced: its tag, and whether its fields are floats.
pub(super) fn candidate(prim: &Prim) -> Option<(u8, bool)> {
    match prim {
        Prim::MakeBlock { tag, .. } if *tag < super::FIRST_SPECIAL_TAG => Some((*tag, false)),
        Prim::MakeFloatBlock { .. } => Some((super::DOUBLE_ARRAY_TAG, true)),
        _ => None,
    }
}

/// Walks over a function. `regions` is a table to be reused: the region of each continuation.
pub(super) fn collect(body: &Expr, regions: &mut SecondaryMap<Continuation, PackedOption<Region>>) -> Facts {
    let mut facts = Facts::default();
    let whole = facts.ends.push(u32::MAX);
    let region = facts.regions.push(RegionFacts {
        cont: None,
        params: SmallVec::new(),
        is_exn: false,
        under: None,
        bound_at: 0,
        used_from: 0,
        used_within: whole,
        start: 0,
        predecessors: Vec::new(),
        leaves_try: false,
    });
    let mut walk = Walk { facts, regions, region, handler: None, position: 0 };
    walk.expr(body);
    walk.facts.size = walk.position;
    walk.facts
}

struct Walk<'w> {
    facts: Facts,
    regions: &'w mut SecondaryMap<Continuation, PackedOption<Region>>,
    region: Region,
    handler: Option<Region>,
    position: u32,
}

impl Walk<'_> {
    fn next(&mut self) -> Point {
        self.position += 1;
        Point { region: self.region, position: self.position }
    }

    /// The extent of the term, in which it is.
    fn expr(&mut self, expr: &Expr) -> Extent {
        deep(|| {
            let extent = self.facts.ends.push(0);
            for item in &expr.items {
                self.item(item, extent);
            }
            self.terminator(&expr.terminator);
            self.facts.ends[extent] = self.position;
            extent
        })
    }

    fn item(&mut self, item: &Item, extent: Extent) {
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.next();
                self.facts.copies.push((*simple, *var));
            }
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                let at = self.next();
                self.prim(*var, prim, args, at, extent);
                if let Some(exn) = exn {
                    self.raise(exn, at);
                }
            }
            Item::LetClosures { set, .. } => {
                self.next();
                set.for_each_simple(&mut |simple| self.escapes(simple));
            }
            Item::Join { cont, params, body } => {
                let bound_at = self.next().position;
                let region = self.bind(*cont, params, bound_at, extent);
                self.facts.regions[region].used_from = bound_at;
                let within = self.expr(body);
                self.facts.regions[region].used_within = within;
                self.enter(region);
            }
            Item::LetCont { recursive, handlers } => {
                let bound_at = self.next().position;
                let bind = |handler| -> Region { self.bind_handler(handler, bound_at, extent) };
                let regions: SmallVec<[Region; 4]> = handlers.iter().map(bind).collect();
                let outer = self.region;
                for (handler, region) in handlers.iter().zip(&regions) {
                    self.enter(*region);
                    self.expr(&handler.body);
                }
                self.region = outer;
                let used_from = if *recursive { bound_at } else { self.next().position };
                for region in regions {
                    self.facts.regions[region].used_from = used_from;
                }
            }
        }
    }

    fn bind_handler(&mut self, handler: &flambeau_ir::ContHandler, bound_at: u32, extent: Extent) -> Region {
        self.bind(handler.cont, &handler.params, bound_at, extent)
    }

    fn bind(&mut self, cont: Continuation, params: &[Variable], bound_at: u32, extent: Extent) -> Region {
        let region = self.facts.regions.push(RegionFacts {
            cont: Some(cont),
            params: params.into(),
            is_exn: false,
            under: self.handler,
            bound_at,
            used_from: bound_at,
            used_within: extent,
            start: 0,
            predecessors: Vec::new(),
            leaves_try: false,
        });
        self.regions[cont] = region.into();
        region
    }

    fn enter(&mut self, region: Region) {
        self.region = region;
        self.facts.regions[region].start = self.next().position;
    }

    fn escapes(&mut self, simple: Simple) {
        self.facts.escaping.extend(simple.as_var());
    }

    fn prim(&mut self, var: Variable, prim: &Prim, args: &[Simple], at: Point, extent: Extent) {
        let operation = match (prim, args) {
            (Prim::BlockLoad { field, .. }, [_]) => Some(Operation::Load { field: *field, is_float: false }),
            (Prim::BlockLoadFloat { field, .. }, [_]) => {
                Some(Operation::Load { field: *field, is_float: true })
            }
            (Prim::BlockStore { field, pointer, .. }, [_, value]) => Some(Operation::Store {
                field: *field,
                is_float: false,
                value: *value,
                is_immediate: !pointer,
            }),
            (Prim::BlockStoreFloat { field, .. }, [_, value]) => {
                Some(Operation::Store { field: *field, is_float: true, value: *value, is_immediate: false })
            }
            (Prim::OffsetRef { .. }, [_]) => Some(Operation::Offset),
            (Prim::IsInt | Prim::GetTag, [_]) => return,
            (Prim::PhysEqual { .. }, [Simple::Var(a), Simple::Var(b)]) => {
                return self.facts.compared.push((*a, *b));
            }
            _ => None,
        };
        if let (Some(operation), [Simple::Var(block), rest @ ..]) = (operation, args) {
            self.facts.accesses.push(Access { var: *block, at, handler: self.handler, operation });
            return rest.iter().for_each(|arg| self.escapes(*arg));
        }
        args.iter().for_each(|arg| self.escapes(*arg));
        if let Some((tag, is_float)) = candidate(prim) {
            let fields = args.into();
            self.facts.allocations.push(Allocation { var, at, extent, fields, is_float, tag });
        }
    }

    fn edge(&mut self, region: Region, from: Point) {
        self.facts.regions[region].predecessors.push(Edge { from, is_real: true });
    }

    /// A point that may raise. The function's own exception continuation has no extra arguments.
    fn raise(&mut self, exn: &ExnCont, at: Point) {
        if let Some(handler) = self.regions[exn.cont].expand() {
            self.edge(handler, at);
            let params = self.facts.regions[handler].params.iter().skip(1);
            self.facts.copies.extend(exn.extra_args.iter().copied().zip(params.copied()));
        }
    }

    /// Where control goes on, unless it leaves the function.
    fn target(&mut self, cont: Continuation, at: Point) -> Option<Region> {
        let region = self.regions[cont].expand()?;
        self.edge(region, at);
        let facts = &mut self.facts.regions[region];
        facts.leaves_try |= facts.under != self.handler;
        Some(region)
    }

    fn jump(&mut self, jump: &ApplyCont, at: Point) {
        match self.target(jump.cont, at) {
            Some(region) => {
                let params = self.facts.regions[region].params.iter().copied();
                self.facts.copies.extend(jump.args.iter().copied().zip(params));
            }
            None => jump.for_each_simple(&mut |arg| self.escapes(arg)),
        }
    }

    fn apply(&mut self, apply: &Apply, at: Point) {
        apply.callee.iter().chain(&apply.args).for_each(|arg| self.escapes(*arg));
        self.raise(&apply.exn, at);
        if let Some(region) = self.target(apply.ret, at) {
            let params = self.facts.regions[region].params.iter().copied();
            self.facts.results.extend(params);
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        let at = self.next();
        match terminator {
            Terminator::Apply(apply) => self.apply(apply, at),
            Terminator::ApplyCont(jump) => self.jump(jump, at),
            Terminator::Switch(switch) => {
                self.escapes(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump, at));
            }
            Terminator::StringSwitch(switch) => {
                self.escapes(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump, at));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.escapes(*exn);
                self.raise(handler, at);
            }
            Terminator::Try { body, handler } => {
                self.raise(handler, at);
                let inner = self.regions[handler.cont].expand();
                if let Some(inner) = inner {
                    let facts = &mut self.facts.regions[inner];
                    facts.is_exn = true;
                    self.facts.results.extend(facts.params.first());
                }
                let outer = std::mem::replace(&mut self.handler, inner);
                self.expr(body);
                self.handler = outer;
            }
            Terminator::Unreachable => {}
        }
    }
}
