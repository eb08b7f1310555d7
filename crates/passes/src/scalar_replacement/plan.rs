//! Which blocks are replaced, and which continuations take which of their fields.
//!
//! A [`Slot`] is a variable of the resulting program: a field of a block; or an extra argument last recorded for a
//! handler, which has to be recorded again when a field is recorded for the handler (`Prim::ExnState`). A
//! slot is *defined* by stores, or by points that may raise. A continuation takes it as a parameter where it is
//! live and may have been defined since the continuation was bound (pruned SSA): else its value is what it was
//! at that point.

use std::sync::Arc;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_flow::{Block, Point};
use flambeau_ir::{CodeId, Const, Kind, Rewrite, Rewrites, Simple, Subkind, Unit};

use super::classes::Classes;
use super::facts::{Access, Allocation, BlockId, Facts, Operation};

/// What has a value at each point where it is live.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slot(u32);
entity_impl!(Slot, "slot");

impl Slot {
    /// One of the slots after this one: those of a block, or of a handler, are numbered in order.
    pub(super) fn plus(self, n: usize) -> Slot {
        Slot(self.0 + n as u32)
    }
}

/// The variables that hold a slot's value.
pub(super) struct SlotData {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    pub(super) subkind: Subkind,
}

/// The plan for a function.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) slots: PrimaryMap<Slot, SlotData>,
    /// The first slot of each block that is replaced.
    blocks: SecondaryMap<BlockId, PackedOption<Slot>>,
    /// The fields that each block takes, followed by the recorded extra arguments.
    params: SecondaryMap<Block, Vec<Slot>>,
    /// The first slot of the extra arguments recorded for each handler, if they have to be recorded again.
    recorded: SecondaryMap<Block, PackedOption<Slot>>,
    /// Whether values have to be recorded for the enclosing handler at the beginning of the block.
    records_at_start: SecondaryMap<Block, bool>,
}

impl Plan {
    /// The first slot of a block that is replaced.
    pub(super) fn block(&self, block: BlockId) -> Option<Slot> {
        self.blocks[block].expand()
    }

    /// The slots that a block takes, after its other parameters.
    pub(super) fn params(&self, block: Block) -> &[Slot] {
        &self.params[block]
    }

    /// The first slot of the extra arguments last recorded for a handler, if they are needed.
    pub(super) fn recorded(&self, handler: Block) -> Option<Slot> {
        self.recorded[handler].expand()
    }

    /// Whether values have to be recorded for the enclosing handler at the beginning of a block.
    pub(super) fn records_at_start(&self, block: Block) -> bool {
        self.records_at_start[block]
    }

    /// Whether a parameter is another name of a block that is replaced.
    pub(super) fn drops(&self, param: flambeau_ir::Variable, classes: &Classes) -> bool {
        classes.block(param).is_some_and(|block| self.blocks[block].is_some())
    }
}

/// How many edges a search for live slots may follow, for each position of the function: blocks which would make the
/// search long, being live nearly everywhere, are left as they are.
const EDGES_PER_POSITION: usize = 16;
const FREE_EDGES: usize = 10_000;

/// Makes the plan; none if no block is replaced. `code`: the function that it is, for the trace.
pub(super) fn plan(
    unit: &Unit,
    facts: &mut Facts,
    classes: &Classes,
    rewrites: &mut Rewrites,
    code: Option<CodeId>,
) -> Option<Plan> {
    let candidates: Vec<BlockId> =
        facts.uses.allocations.keys().filter(|block| !classes.escapes(*block)).collect();
    if candidates.is_empty() {
        return None;
    }
    let mut accesses: SecondaryMap<BlockId, Vec<u32>> = SecondaryMap::new();
    for (index, access) in (0..).zip(&facts.uses.accesses) {
        if let Some(block) = classes.block(access.var).filter(|block| !classes.escapes(*block)) {
            accesses[block].push(index);
        }
    }
    add_edges_of_stores(facts, classes);
    let mut renamed: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    let params = facts.flow.blocks().values().flat_map(|block| &block.params);
    params.filter_map(|param| classes.block(*param)).for_each(|block| renamed[block] = true);
    let mut planner = Planner {
        unit,
        facts,
        renamed,
        plan: Plan::default(),
        search: Search::default(),
        budget: FREE_EDGES + EDGES_PER_POSITION * facts.flow.positions() as usize,
    };
    for block in candidates {
        planner.block(block, &accesses[block], rewrites, code);
    }
    if planner.plan.slots.is_empty() {
        return None;
    }
    planner.find_starts();
    planner.find_recorded(classes);
    Some(planner.plan)
}

/// Adds an edge wherever values may have to be recorded for a handler: after each store, and where a `try` inside its
/// own has been left. There the handler needs all fields that it takes, as at a point that may raise.
fn add_edges_of_stores(facts: &mut Facts, classes: &Classes) {
    for access in &facts.uses.accesses {
        if let (Some(handler), false) = (access.handler, matches!(access.operation, Operation::Load { .. }))
            && classes.block(access.var).is_some_and(|block| !classes.escapes(block))
        {
            facts.updates[handler].push(access.at);
        }
    }
    for (block, here) in facts.flow.blocks() {
        if let Some(handler) = here.in_try.expand()
            && (here.is_exn || facts.leaves_try[block])
        {
            facts.updates[handler].push(here.beginning(block));
        }
    }
}

struct Planner<'p> {
    unit: &'p Unit,
    facts: &'p Facts,
    /// Blocks that are parameters, too.
    renamed: SecondaryMap<BlockId, bool>,
    plan: Plan,
    search: Search,
    /// Edges that may still be followed.
    budget: usize,
}

impl Planner<'_> {
    /// Plans for one block, if that may and can be done.
    fn block(&mut self, block: BlockId, accesses: &[u32], rewrites: &mut Rewrites, code: Option<CodeId>) {
        let facts = self.facts;
        let allocation = &facts.uses.allocations[block];
        let name = &self.unit.variables[allocation.var].name;
        let mut fields: Vec<Field> =
            allocation.fields.iter().map(|init| self.field(allocation, *init)).collect();
        for index in accesses {
            self.access(&facts.uses.accesses[*index as usize], &mut fields);
        }
        let mut params: Vec<(Block, usize)> = Vec::new();
        // A field that is never assigned is what it was at first, wherever the block's variable is in scope.
        let may_change = |(_, field): &(usize, &Field)| self.renamed[block] || !field.stores.is_empty();
        for (index, field) in fields.iter().enumerate().filter(may_change) {
            let Some(live) = self.search.live_in(facts, &field.defs, &field.uses, &mut self.budget) else {
                return;
            };
            let changes = |block: &Block| {
                !facts.binds_in_scope(*block, allocation) || facts.is_any_in_use_of(*block, &field.stores)
            };
            params.extend(live.iter().copied().filter(changes).map(|block| (block, index)));
        }
        if !rewrites.allow(Rewrite::ScalarReplacement(allocation.var), self.unit, code) {
            return;
        }
        let first = self.plan.slots.next_key();
        let many = fields.len() > 1;
        for (index, field) in fields.into_iter().enumerate() {
            let name = if many { format!("{name}.{index}").into() } else { name.clone() };
            let kind = if allocation.is_float { Kind::NakedFloat } else { Kind::Value };
            let subkind = field.subkind.unwrap_or_default();
            self.plan.slots.push(SlotData { name, kind, subkind });
        }
        self.plan.blocks[block] = first.into();
        for (block, index) in params {
            self.plan.params[block].push(first.plus(index));
        }
    }

    fn field(&self, allocation: &Allocation, init: Simple) -> Field {
        let mut field = Field { defs: vec![allocation.at], ..Field::default() };
        field.holds(self.unit, init);
        field
    }

    fn access(&self, access: &Access, fields: &mut [Field]) {
        match access.operation {
            Operation::Load { field, .. } => fields[field as usize].uses.push(access.at),
            Operation::Store { field, value, is_immediate, .. } => {
                let field = &mut fields[field as usize];
                field.stores.push(access.at);
                field.defs.push(access.at);
                if is_immediate {
                    field.holds(self.unit, Simple::UNIT);
                } else {
                    field.holds(self.unit, value);
                }
            }
            Operation::Offset => {
                let field = &mut fields[0];
                field.uses.push(access.at);
                field.stores.push(access.at);
                field.defs.push(access.at);
                field.holds(self.unit, Simple::UNIT);
            }
        }
    }

    /// Where a `try` has been left, and the handler around takes fields that may have changed in it.
    fn find_starts(&mut self) {
        for (block, here) in self.facts.flow.blocks() {
            let Some(handler) = here.in_try.expand() else { continue };
            let fields = self.plan.params(block);
            if (here.is_exn || self.facts.leaves_try[block])
                && !fields.is_empty()
                && fields.iter().any(|field| self.plan.params(handler).contains(field))
            {
                self.plan.records_at_start[block] = true;
            }
        }
    }

    /// Finds the extra arguments recorded for handlers, wherever they have to be recorded again with the value of a
    /// field.
    fn find_recorded(&mut self, classes: &Classes) {
        let mut uses: SecondaryMap<Block, Vec<Point>> = SecondaryMap::new();
        for access in &self.facts.uses.accesses {
            let field = match access.operation {
                Operation::Load { .. } => continue,
                Operation::Store { field, .. } => field,
                Operation::Offset => 0,
            };
            if let Some(handler) = access.handler
                && let Some(first) = classes.block(access.var).and_then(|block| self.plan.block(block))
                && self.plan.params(handler).contains(&first.plus(field as usize))
            {
                uses[handler].push(access.at);
            }
        }
        for (block, here) in self.facts.flow.blocks() {
            if let (true, Some(handler)) = (self.plan.records_at_start(block), here.in_try.expand()) {
                uses[handler].push(here.beginning(block));
            }
        }
        for (handler, here) in self.facts.flow.blocks() {
            let extra = here.params.iter().skip(1).filter(|param| !self.plan.drops(**param, classes));
            let extra: Vec<_> = extra.map(|param| &self.unit.variables[*param]).collect();
            if !uses[handler].is_empty() && !extra.is_empty() {
                let edges = self.facts.flow.predecessors(handler);
                let defs: Vec<Point> = edges.map(|edge| edge.from).collect();
                self.recorded(handler, &extra, &defs, &uses[handler]);
            }
        }
    }

    /// Adds slots for all extra arguments recorded for a handler; they have the same definitions and uses.
    fn recorded(
        &mut self,
        handler: Block,
        extra: &[&flambeau_ir::VariableData],
        defs: &[Point],
        uses: &[Point],
    ) {
        let first = self.plan.slots.next_key();
        for data in extra {
            let (kind, subkind) = (data.kind, data.subkind);
            self.plan.slots.push(SlotData { name: data.name.clone(), kind, subkind });
        }
        self.plan.recorded[handler] = first.into();
        // These must be known, whatever it takes.
        let mut budget = usize::MAX;
        let Some(live) = self.search.live_in(self.facts, defs, uses, &mut budget) else { return };
        for block in live.iter().filter(|block| self.facts.is_any_in_use_of(**block, defs)) {
            self.plan.params[*block].extend((0..extra.len()).map(|n| first.plus(n)));
        }
    }
}

/// The program points that matter for a field, in order of position, and what it holds.
#[derive(Default)]
struct Field {
    /// Stores, and the allocation.
    defs: Vec<Point>,
    stores: Vec<Point>,
    uses: Vec<Point>,
    /// What is known of all that it holds.
    subkind: Option<Subkind>,
}

impl Field {
    fn holds(&mut self, unit: &Unit, value: Simple) {
        let subkind = match value {
            Simple::Var(var) => unit.variables[var].subkind,
            // A poison is an immediate where the GC may see it: no pointer to a boxed number.
            Simple::Const(Const::Tagged(_) | Const::Poison(Kind::Value)) => Subkind::Immediate,
            Simple::Const(_) | Simple::Symbol(_) => Subkind::Any,
        };
        self.subkind =
            Some(if self.subkind.is_none_or(|old| old == subkind) { subkind } else { Subkind::Any });
    }
}

/// The search for the blocks at whose beginning a slot is live. Its tables are reused for each slot.
#[derive(Default)]
struct Search {
    round: u32,
    /// The round in which a block was found, and that of its first definition with its position.
    found: SecondaryMap<Block, u32>,
    first_defs: SecondaryMap<Block, (u32, u32)>,
    live: Vec<Block>,
}

impl Search {
    /// The blocks at whose beginning something is live. Nothing if that takes more edges than there may be.
    fn live_in(
        &mut self,
        facts: &Facts,
        defs: &[Point],
        uses: &[Point],
        budget: &mut usize,
    ) -> Option<&[Block]> {
        self.round += 1;
        self.live.clear();
        for def in defs {
            let first = &mut self.first_defs[def.block];
            if first.0 != self.round || def.position < first.1 {
                *first = (self.round, def.position);
            }
        }
        for at in uses {
            self.live_before(*at, true);
        }
        let mut done = 0;
        while let Some(block) = self.live.get(done) {
            done += 1;
            for from in facts.predecessors(*block) {
                *budget = budget.checked_sub(1)?;
                self.live_before(from, false);
            }
        }
        Some(&self.live)
    }

    /// Something is live at a point, hence at the beginning of its block if it is not defined between. A use may be
    /// a definition too, after it; an edge comes after a definition at the same point.
    fn live_before(&mut self, at: Point, is_use: bool) {
        let (round, first) = self.first_defs[at.block];
        let is_defined = round == self.round && (first < at.position || first == at.position && !is_use);
        if !is_defined && self.found[at.block] != self.round {
            self.found[at.block] = self.round;
            self.live.push(at.block);
        }
    }
}
