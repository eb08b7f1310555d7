//! How blocks of memory may be used, found while the control flow of a function is numbered.

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_flow::{Block, BlockData, Edge, EdgeKind, Flow, Point, Visitor};
use flambeau_ir::tags;
use flambeau_ir::{ApplyCont, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Terminator, Variable};
use smallvec::SmallVec;

/// The allocation site of a block that may be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockId(u32);
entity_impl!(BlockId, "block");

/// An allocation that may be replaced.
pub(super) struct Allocation {
    pub(super) var: Variable,
    pub(super) at: Point,
    pub(super) fields: SmallVec<[Simple; 3]>,
    /// Its fields are naked floats.
    pub(super) is_float: bool,
    pub(super) tag: u8,
}

/// An operation on a block through a variable.
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
    pub(super) handler: Option<Block>,
    pub(super) operation: Operation,
}

/// What is known of a function.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) flow: Flow,
    pub(super) uses: Uses,
    /// The points where a field's new value may have to be recorded for a handler, beside those that the term names.
    pub(super) updates: SecondaryMap<Block, Vec<Point>>,
    /// Whether some jump to the block leaves a `try`.
    pub(super) leaves_try: SecondaryMap<Block, bool>,
}

/// The operations on blocks of memory and variables.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) allocations: PrimaryMap<BlockId, Allocation>,
    /// In order of position.
    pub(super) accesses: Vec<Access>,
    /// Copies: the variable is another name of the atom, maybe among others.
    pub(super) copies: Vec<(Simple, Variable)>,
    /// Parameters that receive results of calls.
    pub(super) results: Vec<Variable>,
    /// Variables compared with each other.
    pub(super) compared: Vec<(Variable, Variable)>,
    /// Variables with a use that lets a block escape.
    pub(super) escaping: Vec<Variable>,
}

impl Facts {
    /// Collects the facts of a function, replacing those of the previous one.
    pub(super) fn collect(&mut self, body: &Expr) {
        self.uses = Uses::default();
        self.updates.clear();
        self.leaves_try.clear();
        self.flow.analyse(body, &mut self.uses);
        for edge in self.flow.edges() {
            if let (EdgeKind::Jump | EdgeKind::Return, Some(to)) = (edge.kind, edge.to.expand())
                && self.flow.runs()[edge.from.run].in_try != self.flow.blocks()[to].in_try
            {
                self.leaves_try[to] = true;
            }
        }
    }

    /// Whether a block's continuation is bound in the scope of an allocation's variable.
    pub(super) fn binds_in_scope(&self, block: Block, allocation: &Allocation) -> bool {
        let bound_at = self.flow.blocks()[block].bound_at;
        let scope = &self.flow.runs()[allocation.at.run];
        (allocation.at.position + 1..scope.end).contains(&bound_at)
    }

    /// Whether one of the positions, which increase, is where the block's continuation may be used.
    pub(super) fn is_any_in_use_of(&self, block: Block, positions: &[Point]) -> bool {
        let BlockData { used_from, used_to, .. } = self.flow.blocks()[block];
        let first = positions.partition_point(|point| point.position < used_from);
        positions.get(first).is_some_and(|point| point.position < used_to)
    }

    /// Each point after which control may reach a block, those included where values may have to be recorded for a
    /// handler.
    pub(super) fn predecessors(&self, block: Block) -> impl Iterator<Item = Point> {
        let edges = self.flow.predecessors(block).map(|edge: &Edge| edge.from);
        edges.chain(self.updates[block].iter().copied())
    }
}

/// The allocation of a primitive, if it may be replaced: its tag, and whether its fields are floats.
pub(super) fn candidate(prim: &Prim) -> Option<(u8, bool)> {
    match prim {
        Prim::MakeBlock { tag, .. } if *tag < tags::FIRST_SPECIAL => Some((*tag, false)),
        Prim::MakeFloatBlock { .. } => Some((tags::DOUBLE_ARRAY, true)),
        _ => None,
    }
}

impl Uses {
    fn escapes(&mut self, simple: Simple) {
        self.escaping.extend(simple.as_var());
    }

    fn prim(&mut self, var: Variable, prim: &Prim, args: &[Simple], at: Point, handler: Option<Block>) {
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
                return self.compared.push((*a, *b));
            }
            _ => None,
        };
        if let (Some(operation), [Simple::Var(block), rest @ ..]) = (operation, args) {
            self.accesses.push(Access { var: *block, at, handler, operation });
            return rest.iter().for_each(|arg| self.escapes(*arg));
        }
        args.iter().for_each(|arg| self.escapes(*arg));
        if let Some((tag, is_float)) = candidate(prim) {
            let fields = args.into();
            self.allocations.push(Allocation { var, at, fields, is_float, tag });
        }
    }

    /// A point that may raise. The function's own exception continuation has no extra arguments.
    fn raise(&mut self, flow: &Flow, exn: &ExnCont) {
        if let Some(handler) = flow.block_of(exn.cont) {
            let params = flow.blocks()[handler].params.iter().skip(1);
            self.copies.extend(exn.extra_args.iter().copied().zip(params.copied()));
        }
    }

    fn jump(&mut self, flow: &Flow, jump: &ApplyCont) {
        match flow.block_of(jump.cont) {
            Some(block) => {
                let params = flow.blocks()[block].params.iter().copied();
                self.copies.extend(jump.args.iter().copied().zip(params));
            }
            // It leaves the function.
            None => jump.for_each_simple(&mut |arg| self.escapes(arg)),
        }
    }

    fn returned(&mut self, flow: &Flow, cont: Continuation) {
        if let Some(block) = flow.block_of(cont) {
            self.results.extend(&flow.blocks()[block].params);
        }
    }
}

impl Visitor<'_> for Uses {
    fn item(&mut self, flow: &Flow, at: Point, _: usize, item: &Item) {
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => self.copies.push((*simple, *var)),
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                self.prim(*var, prim, args, at, flow.runs()[at.run].in_try.expand());
                if let Some(exn) = exn {
                    self.raise(flow, exn);
                }
            }
            Item::LetClosures { set, .. } => set.for_each_simple(&mut |simple| self.escapes(simple)),
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn terminator(&mut self, flow: &Flow, _: Point, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => {
                apply.callee.iter().chain(&apply.args).for_each(|arg| self.escapes(*arg));
                apply.for_each_comparator(&mut |function| self.escapes(function));
                self.raise(flow, &apply.exn);
                self.returned(flow, apply.ret);
            }
            Terminator::ApplyCont(jump) => self.jump(flow, jump),
            Terminator::Switch(switch) => self.escapes(switch.scrutinee),
            Terminator::StringSwitch(switch) => self.escapes(switch.scrutinee),
            Terminator::Raise { exn, handler, .. } => {
                self.escapes(*exn);
                self.raise(flow, handler);
            }
            Terminator::Try { handler, .. } => {
                self.raise(flow, handler);
                let exception = flow.block_of(handler.cont).and_then(|to| flow.blocks()[to].params.first());
                self.results.extend(exception);
            }
            Terminator::Unreachable => {}
        }
    }

    fn arm(&mut self, flow: &Flow, _: Point, jump: &ApplyCont) {
        self.jump(flow, jump);
    }
}
