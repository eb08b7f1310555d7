//! Let placement: moves bindings to their uses, so that the back end sees whole arithmetic expressions,
//! comparisons inside conditions and address arithmetic (design 5).
//!
//! Pure bindings are moved to their use or, when they have several, to the last point that dominates all of them;
//! [`plan`] has decided on those. Bindings that read or allocate are *pending* from the point where they stood until
//! their use, or until something with which they don't commute ([`Class::conflicts`](effects::Class::conflicts)) is to
//! be evaluated: then they are bound just before it. Bindings with effects stay.
//!
//! At any time all that is pending commutes, but for operands and the operations that need them. So the order in
//! which Cmm evaluates operands, right to left (soundness row 4), never matters for what is substituted
//! into one expression. As code only ever moves down, checks of bounds and divisors stay before what they
//! protect.
//!
//! Nothing moves into a loop (row 20), and no allocation into a `try`, which would catch what it raises.

mod effects;
mod plan;

use flambeau_ir::IntKind;
use flambeau_ir::prim::IntCmp;
use flambeau_ir::{Dbg, Machine, Prim};

pub use self::effects::is_call;

use self::effects::Class;
use self::plan::{Fate, Node, Plan};
use crate::frames::{Frame, close};
use crate::tree::*;

/// How many bindings may be pending at a time: bounds the work at each branch. The largest block that the minor heap
/// takes has as many fields: all of a record that is copied are read as operands of its allocation.
const MAX_PENDING: usize = 256;

/// The second step of lowering; see the module's header. Kept from function to function for its tables.
#[derive(Debug, Default)]
pub struct Placement {
    machine: Machine,
    plan: Plan,
    /// For each variable, whether it is pending.
    pending: Vec<bool>,
}

impl Placement {
    /// No function placed yet.
    pub fn new(machine: Machine) -> Placement {
        Placement { machine, ..Placement::default() }
    }

    /// Places the bindings of a function.
    pub fn run(&mut self, tree: &mut Tree, root: ExprId) -> ExprId {
        self.plan.make(tree, root);
        self.pending.resize(tree.vars.len(), false);
        let (machine, plan, pending) = (self.machine, &mut self.plan, &mut self.pending);
        Placer { tree, machine, plan, pending }.block(root, 0, Vec::new())
    }
}

struct Placer<'a> {
    tree: &'a mut Tree,
    machine: Machine,
    plan: &'a mut Plan,
    pending: &'a mut Vec<bool>,
}

/// Variables bound by reads and allocations that have not been placed yet, oldest first. Those placed since
/// are recognised by [`Placer::pending`].
type Pending = Vec<Var>;

impl Placer<'_> {
    fn expr(&self, id: ExprId) -> &Expr {
        &self.tree.exprs[id.0 as usize]
    }

    fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.tree.exprs[id.0 as usize]
    }

    /// Places what is in a node; what is pending is used in there.
    fn block(&mut self, id: ExprId, node: Node, pending: Pending) -> ExprId {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.run(id, node, pending))
    }

    fn run(&mut self, mut id: ExprId, mut node: Node, mut pending: Pending) -> ExprId {
        let mut frames = Vec::new();
        loop {
            self.arrive(node, &mut pending, &mut frames);
            match *self.expr(id) {
                Expr::Let { var, def, body } => {
                    let next = if self.expr(def).is_operation() {
                        self.operation(Some(var), def, node, &mut pending, &mut frames);
                        node + 1
                    } else {
                        self.nested(Some(var), def, node, &mut pending, &mut frames)
                    };
                    (id, node) = (body, next);
                }
                Expr::Seq(first, rest) => {
                    let next = if self.expr(first).is_operation() {
                        self.operation(None, first, node, &mut pending, &mut frames);
                        node + 1
                    } else {
                        self.nested(None, first, node, &mut pending, &mut frames)
                    };
                    (id, node) = (rest, next);
                }
                Expr::LetMut { var, ty, def, body } => {
                    let def = self.resolve_atom(def);
                    frames.push(Frame::LetMut { var, ty, def });
                    (id, node) = (body, node + 1);
                }
                _ => break,
            }
        }
        let last = self.last(id, node, pending, &mut frames);
        close(self.tree, frames, last)
    }

    /// Binds what has to be bound before a node.
    fn arrive(&mut self, node: Node, pending: &mut Pending, frames: &mut Vec<Frame>) {
        pending.retain(|var| self.pending[var.0 as usize]);
        let mut index = 0;
        while index < pending.len() {
            let var = pending[index];
            let plan = self.plan.var(var);
            if plan.lca == node && !plan.is_linear() {
                pending.remove(index);
                self.bind(var, frames);
            } else {
                index += 1;
            }
        }
        for var in self.plan.moved.remove(&node).unwrap_or_default().into_iter().rev() {
            self.bind(var, frames);
        }
        pending.retain(|var| self.pending[var.0 as usize]);
    }

    /// Binds a variable here.
    fn bind(&mut self, var: Var, frames: &mut Vec<Frame>) {
        self.pending[var.0 as usize] = false;
        let def = self.plan.var(var).def.expect("only operations are moved");
        let def = self.resolve(def);
        frames.push(Frame::Let { var, def });
    }

    /// Binds those pending variables which must not be evaluated after something of that class. `later` says
    /// which ones would be.
    fn settle(
        &mut self,
        class: Class,
        later: impl Fn(Node) -> bool,
        pending: &mut Pending,
        frames: &mut Vec<Frame>,
    ) {
        for var in pending.iter().copied() {
            let plan = self.plan.var(var);
            if self.pending[var.0 as usize] && later(plan.lca) && plan.class.conflicts(class) {
                self.bind(var, frames);
            }
        }
        pending.retain(|var| self.pending[var.0 as usize]);
    }

    /// An operation at its node.
    fn operation(
        &mut self,
        var: Option<Var>,
        def: ExprId,
        node: Node,
        pending: &mut Pending,
        frames: &mut Vec<Frame>,
    ) {
        let plan = var.map(|var| (var, self.plan.var(var).clone()));
        match plan {
            // Dropped, or emitted at its planned point when that is reached.
            Some((_, plan)) if !matches!(plan.fate, Fate::Kept | Fate::Stays) => {}
            Some((var, plan)) if plan.def.is_some() && plan.fate != Fate::Stays => {
                self.settle(plan.class, |lca| lca != node, pending, frames);
                // What only this one uses is moved where it is moved.
                for operand in pending.iter() {
                    let operand = self.plan.var_mut(*operand);
                    if operand.lca == node {
                        operand.lca = plan.lca;
                    }
                }
                self.pending[var.0 as usize] = true;
                pending.push(var);
                if pending.len() > MAX_PENDING {
                    let oldest = pending.remove(0);
                    self.bind(oldest, frames);
                    pending.retain(|var| self.pending[var.0 as usize]);
                }
            }
            _ => {
                self.settle(effects::class(self.expr(def)), |lca| lca != node, pending, frames);
                let def = self.resolve(def);
                frames.push(match plan {
                    Some((var, plan)) if plan.uses > 0 => Frame::Let { var, def },
                    _ => Frame::Seq { first: def },
                });
            }
        }
    }

    /// A definition or a step with code inside; returns the node of what follows.
    fn nested(
        &mut self,
        var: Option<Var>,
        def: ExprId,
        node: Node,
        pending: &mut Pending,
        frames: &mut Vec<Frame>,
    ) -> Node {
        let def_node = node + 1;
        let end = self.plan.end(def_node);
        self.settle(self.plan.summary(def_node), |lca| lca > end, pending, frames);
        let inside = self.split(def_node, pending);
        let def = self.block(def, def_node, inside);
        frames.push(match var {
            Some(var) if self.plan.var(var).uses > 0 => Frame::Let { var, def },
            _ => Frame::Seq { first: def },
        });
        end + 1
    }

    /// Takes out what is used in a node.
    fn split(&self, node: Node, pending: &mut Pending) -> Pending {
        let end = self.plan.end(node);
        let inside = |var: &Var| (node..=end).contains(&self.plan.var(*var).lca);
        let taken =
            pending.iter().copied().filter(|var| self.pending[var.0 as usize] && inside(var)).collect();
        pending.retain(|var| !inside(var));
        taken
    }

    /// The end of a run.
    fn last(&mut self, id: ExprId, node: Node, mut pending: Pending, frames: &mut Vec<Frame>) -> ExprId {
        match self.expr(id).clone() {
            Expr::If { cond, then_, else_, swapped, dbg } => {
                let cond = self.condition(cond, dbg);
                let [then_, else_] = self.parts([then_, else_], node + 1, &mut pending);
                *self.expr_mut(id) = Expr::If { cond, then_, else_, swapped, dbg };
            }
            Expr::Switch { scrutinee, keys, mut arms, mut default, dbg } => {
                let scrutinee = self.resolve_atom(scrutinee);
                self.arms(&mut arms, &mut default, node, &mut pending);
                *self.expr_mut(id) = Expr::Switch { scrutinee, keys, arms, default, dbg };
            }
            Expr::StringSwitch { scrutinee, keys, mut arms, mut default, dbg } => {
                let scrutinee = self.resolve_atom(scrutinee);
                self.arms(&mut arms, &mut default, node, &mut pending);
                *self.expr_mut(id) = Expr::StringSwitch { scrutinee, keys, arms, default, dbg };
            }
            Expr::Catch { recursive, mut handlers, body } => {
                let end = self.plan.end(node + 1);
                self.settle(self.plan.summary(node + 1), |lca| lca > end, &mut pending, frames);
                let [body] = self.parts([body], node + 1, &mut pending);
                let mut next = end + 1;
                for handler in &mut handlers {
                    let after = self.plan.end(next) + 1;
                    [handler.body] = self.parts([handler.body], next, &mut pending);
                    next = after;
                }
                *self.expr_mut(id) = Expr::Catch { recursive, handlers, body };
            }
            Expr::Try { body, var, handler, dbg } => {
                let end = self.plan.end(node + 1);
                self.settle(self.plan.summary(node + 1), |lca| lca > end, &mut pending, frames);
                // No allocation is moved under the trap, which would catch what it raises. Reads may.
                self.settle(Class::READ, |lca| lca <= end, &mut pending, frames);
                let [body, handler] = self.parts([body, handler], node + 1, &mut pending);
                *self.expr_mut(id) = Expr::Try { body, var, handler, dbg };
            }
            _ => return self.resolve(id),
        }
        id
    }

    fn arms(&mut self, arms: &mut [ExprId], default: &mut Option<ExprId>, node: Node, pending: &mut Pending) {
        let mut next = node + 1;
        for arm in arms.iter_mut().chain(default) {
            let after = self.plan.end(next) + 1;
            [*arm] = self.parts([*arm], next, pending);
            next = after;
        }
    }

    /// Adjacent parts, each with what is pending and used in it.
    fn parts<const N: usize>(
        &mut self,
        parts: [ExprId; N],
        mut node: Node,
        pending: &mut Pending,
    ) -> [ExprId; N] {
        parts.map(|part| {
            let inside = self.split(node, pending);
            let after = self.plan.end(node) + 1;
            let part = self.block(part, node, inside);
            node = after;
            part
        })
    }

    /// An operation, with the definitions that stand for its operands.
    fn resolve(&mut self, id: ExprId) -> ExprId {
        if matches!(self.expr(id), Expr::Var(_)) {
            return self.resolve_atom(id);
        }
        let mut operation = std::mem::replace(self.expr_mut(id), Expr::Unreachable);
        operation.each_operand_mut(|operand| *operand = self.resolve_atom(*operand));
        if self.machine == Machine::Native {
            self.compare_tagged(&mut operation);
            self.test_equality(&mut operation);
        }
        *self.expr_mut(id) = operation;
        id
    }

    fn resolve_atom(&mut self, id: ExprId) -> ExprId {
        let Expr::Var(var) = *self.expr(id) else { return id };
        let plan = self.plan.var(var);
        let substituted =
            plan.fate == Fate::Substituted || (self.pending[var.0 as usize] && plan.is_linear());
        match plan.def {
            Some(def) if substituted => {
                self.pending[var.0 as usize] = false;
                self.resolve(def)
            }
            _ => id,
        }
    }

    /// A condition: the result of untagging is tested as it is.
    fn condition(&mut self, cond: ExprId, dbg: Dbg) -> ExprId {
        let cond = self.resolve_atom(cond);
        match self.untagged(cond) {
            Some(value) => {
                let zero = self.tree.push(Expr::Int(1));
                let prim = Prim::IntCompare { op: IntCmp::Ne, kind: IntKind::Tagged };
                self.tree.push(Expr::Prim { prim, args: vec![value, zero], dbg })
            }
            None => cond,
        }
    }

    /// Comparing untagged integers is comparing tagged ones: tagging is monotonic, for the unsigned order too.
    fn compare_tagged(&mut self, operation: &mut Expr) {
        let Expr::Prim { prim: Prim::IntCompare { kind: kind @ IntKind::Naked, .. }, args, .. } = operation
        else {
            return;
        };
        let tag = |id: ExprId| match *self.expr(id) {
            Expr::Int(n) => ((n << 1) >> 1 == n).then_some(id),
            _ => self.untagged(id),
        };
        let (Some(left), Some(right)) = (tag(args[0]), tag(args[1])) else { return };
        for (arg, tagged) in args.iter_mut().zip([left, right]) {
            if let Expr::Int(n) = self.expr_mut(tagged)
                && *arg == tagged
            {
                *n = crate::lowering::tagged(*n);
            }
            *arg = tagged;
        }
        *kind = IntKind::Tagged;
    }

    /// A three-way comparison of strings that is only asked whether they are equal becomes that question.
    fn test_equality(&mut self, operation: &mut Expr) {
        let Expr::Prim { prim: test, args, .. } = operation else { return };
        let is_equal = match test {
            Prim::PhysEqual { negated } => !*negated,
            Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Tagged } => true,
            Prim::IntCompare { op: IntCmp::Ne, kind: IntKind::Tagged } => false,
            _ => return,
        };
        let [compared, zero] = args[..] else { return };
        let (Expr::Var(var), Expr::Int(1)) = (self.expr(compared), self.expr(zero)) else { return };
        let plan = self.plan.var(*var);
        let Some(def) = plan.three_way.filter(|_| plan.uses == 1) else { return };
        let Some(name) = effects::equality(self.expr(def)) else { return };
        if let Expr::Prim { prim: Prim::CCall(external), .. } = self.expr_mut(def) {
            name.clone_into(&mut external.name);
        }
        // It returns 0 if they are not equal.
        *test = Prim::PhysEqual { negated: is_equal };
    }

    /// The operand, when the expression is an untagging.
    fn untagged(&self, id: ExprId) -> Option<ExprId> {
        match self.expr(id) {
            Expr::Prim { prim: Prim::Untag, args, .. } => Some(args[0]),
            _ => None,
        }
    }
}
