//! Where bindings are used, and where pure ones are moved.
//!
//! The *nodes* of a function are its expressions in code position, in preorder: a binding whose definition
//! is an operation is one node with it. Nodes are visited from the last to the first, so that all uses of a
//! variable are known when its binding is met. A use by a binding that will move counts where that
//! binding is moved to, not where it was.
//!
//! A pure binding does not move past a call if more values would have to be saved around that: in
//! `let s = a + b in call; s` that is `s`, but `a` and `b` if it moved.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::effects::{Class, class, equality, is_call, is_movable};
use crate::tree::*;

/// How deep pure definitions are substituted into one another. Deeper expressions gain nothing, and both the
/// placement and the OCaml side recurse on them.
const MAX_DEPTH: u32 = 64;

/// The number of a node.
pub type Node = u32;

/// What becomes of a binding whose definition is a pure operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fate {
    /// It is not pure, or no binding of an operation at all.
    #[default]
    Kept,
    /// It has no use (it may also be an unused allocation or read).
    Dropped,
    /// Its definition replaces its only use.
    Substituted,
    /// It is bound again before the node `lca`.
    Moved,
    /// It is bound where it stands, though it is pure.
    Stays,
}

/// What is known of a Cmm variable.
#[derive(Clone, Debug, Default)]
pub struct VarPlan {
    /// The definition, when it is an operation that may move.
    pub def: Option<ExprId>,
    /// The definition, when it is a three-way comparison of strings.
    pub three_way: Option<ExprId>,
    /// The class of the definition.
    pub class: Class,
    /// The number of uses.
    pub uses: u32,
    /// The last node that dominates all uses: if there is one use, that of its operation.
    pub lca: Node,
    /// The node of the last use; after all nodes if that is in a loop which the binding is not in.
    last: Node,
    /// Some use is in a loop which the binding is not in: the definition must not replace it.
    pub enters_loop: bool,
    /// See [`Fate`].
    pub fate: Fate,
    /// Bound by `LetMut`.
    pub mutable: bool,
    /// How deep the use is in expressions substituted into one another.
    depth: u32,
    /// The loop around the binding.
    around: Option<LoopId>,
}

impl VarPlan {
    /// Whether the definition may replace the use.
    pub fn is_linear(&self) -> bool {
        self.uses == 1 && !self.enters_loop
    }
}

type LoopId = u32;

/// A loop: what the handlers of a recursive catch hold.
#[derive(Debug)]
struct Loop {
    catch: Node,
    around: Option<LoopId>,
    /// A loop further out; with it, loops around are found in a logarithmic number of steps.
    jump: LoopId,
    depth: u32,
}

/// A node of the tree of expressions, with what is in it.
#[derive(Debug)]
struct NodeData {
    expr: ExprId,
    parent: Node,
    /// An ancestor further up; with it, ancestors are found in a logarithmic number of steps.
    jump: Node,
    depth: u32,
    /// The last node in it.
    end: Node,
    inside: Option<LoopId>,
    /// What the node's operations do, those inside it included.
    summary: Class,
    /// Whether there is a call in it.
    calls: bool,
    /// How often there may be calls on the path from the root to it, in what is evaluated before it.
    calls_before: u32,
}

/// The plan of a function.
#[derive(Debug, Default)]
pub struct Plan {
    /// All Cmm variables; those of other functions keep what they had.
    pub vars: Vec<VarPlan>,
    /// The variables to bind before a node, the last one first.
    pub moved: FxHashMap<Node, SmallVec<[Var; 2]>>,
    nodes: Vec<NodeData>,
    loops: Vec<Loop>,
}

impl Plan {
    /// Computes the plan of a function, forgetting that of the last one.
    pub fn make(&mut self, tree: &Tree, root: ExprId) {
        self.vars.resize_with(tree.vars.len(), VarPlan::default);
        self.moved.clear();
        self.nodes.clear();
        self.loops.clear();
        self.number(tree, root);
        self.count_calls(tree);
        for node in (0..self.nodes.len() as Node).rev() {
            self.visit(tree, node);
        }
    }

    /// A variable.
    pub fn var(&self, var: Var) -> &VarPlan {
        &self.vars[var.0 as usize]
    }

    /// A variable.
    pub fn var_mut(&mut self, var: Var) -> &mut VarPlan {
        &mut self.vars[var.0 as usize]
    }

    /// The last node in a node.
    pub fn end(&self, node: Node) -> Node {
        self.nodes[node as usize].end
    }

    /// What a node does.
    pub fn summary(&self, node: Node) -> Class {
        self.nodes[node as usize].summary
    }

    /// Numbers the nodes, with an explicit stack: functions are as long and as deep as their authors like.
    fn number(&mut self, tree: &Tree, root: ExprId) {
        let mut stack = vec![(root, 0, None)];
        while let Some((id, parent, inside)) = stack.pop() {
            let node = self.add_node(id, parent, inside);
            match &tree.exprs[id.0 as usize] {
                Expr::Let { var, def, body } => {
                    stack.push((*body, node, inside));
                    let definition = &tree.exprs[def.0 as usize];
                    if !definition.is_operation() {
                        stack.push((*def, node, inside));
                    }
                    let plan = self.var_mut(*var);
                    plan.around = inside;
                    if is_movable(definition) {
                        plan.def = Some(*def);
                    } else if equality(definition).is_some() {
                        plan.three_way = Some(*def);
                    }
                }
                Expr::LetMut { var, body, .. } => {
                    self.var_mut(*var).mutable = true;
                    stack.push((*body, node, inside));
                }
                Expr::Seq(first, rest) => {
                    stack.push((*rest, node, inside));
                    if !tree.exprs[first.0 as usize].is_operation() {
                        stack.push((*first, node, inside));
                    }
                }
                Expr::If { then_, else_, .. } => {
                    stack.push((*else_, node, inside));
                    stack.push((*then_, node, inside));
                }
                Expr::Switch { arms, default, .. } | Expr::StringSwitch { arms, default, .. } => {
                    stack.extend(arms.iter().chain(default).rev().map(|arm| (*arm, node, inside)));
                }
                Expr::Catch { recursive, handlers, body } => {
                    let mut handlers_inside = inside;
                    if *recursive {
                        handlers_inside = Some(self.add_loop(node, inside));
                        // Its back edges poll, where whoever it waits for may write: no read moves past it.
                        self.nodes[node as usize].summary |= Class::ALLOC;
                    }
                    for (param, _) in handlers.iter().flat_map(|handler| &handler.params) {
                        self.var_mut(*param).around = handlers_inside;
                    }
                    stack.extend(handlers.iter().rev().map(|h| (h.body, node, handlers_inside)));
                    stack.push((*body, node, inside));
                }
                Expr::Try { body, handler, .. } => {
                    stack.push((*handler, node, inside));
                    stack.push((*body, node, inside));
                }
                _ => {}
            }
        }
    }

    fn add_node(&mut self, expr: ExprId, parent: Node, inside: Option<LoopId>) -> Node {
        let node = self.nodes.len() as Node;
        let (depth, jump) = match self.nodes.get(parent as usize) {
            None => (0, node),
            Some(above) => {
                let far = &self.nodes[above.jump as usize];
                let farther = &self.nodes[far.jump as usize];
                let even = above.depth - far.depth == far.depth - farther.depth;
                (above.depth + 1, if even { far.jump } else { parent })
            }
        };
        self.nodes.push(NodeData {
            expr,
            parent,
            jump,
            depth,
            end: node,
            inside,
            summary: Class::PURE,
            calls: false,
            calls_before: 0,
        });
        node
    }

    fn add_loop(&mut self, catch: Node, around: Option<LoopId>) -> LoopId {
        let id = self.loops.len() as LoopId;
        let (depth, jump) = match around {
            None => (0, id),
            Some(outer) => {
                let at = |id: LoopId| &self.loops[id as usize];
                let above = at(outer);
                let far = at(above.jump);
                let even = above.depth - far.depth == far.depth - at(far.jump).depth;
                (above.depth + 1, if even { far.jump } else { outer })
            }
        };
        self.loops.push(Loop { catch, around, jump, depth });
        id
    }

    /// Finds where there are calls, first inside of each node, then before it.
    fn count_calls(&mut self, tree: &Tree) {
        for node in (0..self.nodes.len()).rev() {
            self.nodes[node].calls |= operation_of(tree, self.nodes[node].expr).is_some_and(is_call);
            let NodeData { parent, calls, .. } = self.nodes[node];
            self.nodes[parent as usize].calls |= calls;
        }
        for node in 1..self.nodes.len() {
            let parent = self.nodes[node].parent as usize;
            let is_first = node == parent + 1;
            let crosses = match &tree.exprs[self.nodes[parent].expr.0 as usize] {
                Expr::If { .. } | Expr::Switch { .. } | Expr::StringSwitch { .. } => false,
                _ if is_first => operation_of(tree, self.nodes[parent].expr).is_some_and(is_call),
                // What is numbered first is evaluated first: a definition, or the body that handlers belong to.
                _ => self.nodes[parent + 1].calls,
            };
            self.nodes[node].calls_before = self.nodes[parent].calls_before + u32::from(crosses);
        }
    }

    /// Visits a node, all later ones having been visited.
    fn visit(&mut self, tree: &Tree, node: Node) {
        let id = self.nodes[node as usize].expr;
        match &tree.exprs[id.0 as usize] {
            Expr::Let { var, def, .. } if tree.exprs[def.0 as usize].is_operation() => {
                self.visit_binding(tree, node, *var, *def);
            }
            Expr::LetMut { def, .. } => self.visit_operation(tree, node, *def),
            Expr::Seq(first, _) if tree.exprs[first.0 as usize].is_operation() => {
                self.visit_operation(tree, node, *first);
            }
            Expr::If { cond: atom, .. }
            | Expr::Switch { scrutinee: atom, .. }
            | Expr::StringSwitch { scrutinee: atom, .. } => self.use_atom(tree, *atom, node, 0),
            expr if expr.is_operation() => self.visit_operation(tree, node, id),
            _ => {}
        }
        let NodeData { parent, end, summary, .. } = self.nodes[node as usize];
        if parent != node {
            let above = &mut self.nodes[parent as usize];
            above.end = above.end.max(end);
            above.summary |= summary;
        }
    }

    /// An operation that stays at its node.
    fn visit_operation(&mut self, tree: &Tree, node: Node, operation: ExprId) {
        let class = self.class_of(tree, operation);
        self.nodes[node as usize].summary |= class;
        self.use_operands(tree, operation, node, 0);
    }

    fn visit_binding(&mut self, tree: &Tree, node: Node, var: Var, def: ExprId) {
        let class = self.class_of(tree, def);
        let plan = self.var_mut(var);
        plan.class = class;
        if plan.def.is_none() {
            return self.visit_operation(tree, node, def);
        }
        if plan.uses == 0 {
            plan.fate = Fate::Dropped;
            return;
        }
        if !class.is_pure() {
            return self.visit_operation(tree, node, def);
        }
        let to = plan.lca;
        if self.saves_more(tree, def, node, to) {
            self.var_mut(var).fate = Fate::Stays;
            return self.visit_operation(tree, node, def);
        }
        let plan = self.var_mut(var);
        let (to, depth) = if plan.is_linear() && plan.depth < MAX_DEPTH {
            plan.fate = Fate::Substituted;
            (plan.lca, plan.depth + 1)
        } else {
            plan.fate = Fate::Moved;
            (plan.lca, 0)
        };
        if self.var(var).fate == Fate::Moved {
            self.moved.entry(to).or_default().push(var);
        }
        self.use_operands(tree, def, to, depth);
    }

    /// Whether a pure operation that moves from a node to a later one leaves more values to be saved around calls
    /// between them than its result, which is one.
    fn saves_more(&self, tree: &Tree, operation: ExprId, from: Node, to: Node) -> bool {
        let calls_between = |from: Node, to: Node| {
            self.nodes[to as usize].calls_before > self.nodes[from as usize].calls_before
        };
        if !calls_between(from, to) {
            return false;
        }
        let mut saved = SmallVec::<[Var; 4]>::new();
        tree.exprs[operation.0 as usize].each_operand(|operand| {
            let Expr::Var(var) = tree.exprs[operand.0 as usize] else { return };
            let plan = self.var(var);
            let is_used_after = || plan.last >= to || !calls_between(self.common_ancestor(plan.last, to), to);
            // The next iteration needs what comes from outside of the loop.
            let is_live = plan.uses > 0 && is_used_after() || self.loop_entered(from, plan.around).is_some();
            if !is_live && !saved.contains(&var) {
                saved.push(var);
            }
        });
        saved.len() > 1
    }

    /// What an operation does, its operands counted as far as they are mutable variables.
    fn class_of(&self, tree: &Tree, operation: ExprId) -> Class {
        let expr = &tree.exprs[operation.0 as usize];
        let mut class = class(expr);
        let mut name = |atom: &Expr| {
            if let Expr::Var(var) = atom
                && self.var(*var).mutable
            {
                class |= Class::VARIABLE;
            }
        };
        name(expr);
        expr.each_operand(|operand| name(&tree.exprs[operand.0 as usize]));
        class
    }

    fn use_operands(&mut self, tree: &Tree, operation: ExprId, node: Node, depth: u32) {
        match &tree.exprs[operation.0 as usize] {
            Expr::Var(_) => self.use_atom(tree, operation, node, depth),
            expr => {
                let mut operands = SmallVec::<[ExprId; 8]>::new();
                expr.each_operand(|operand| operands.push(operand));
                operands.into_iter().for_each(|operand| self.use_atom(tree, operand, node, depth));
            }
        }
    }

    fn use_atom(&mut self, tree: &Tree, atom: ExprId, node: Node, depth: u32) {
        let Expr::Var(var) = tree.exprs[atom.0 as usize] else { return };
        let outermost = self.loop_entered(node, self.var(var).around);
        let last = if outermost.is_some() { Node::MAX } else { node };
        let node = outermost.unwrap_or(node);
        let plan = self.var(var);
        let lca = if plan.uses == 0 { node } else { self.common_ancestor(plan.lca, node) };
        let plan = self.var_mut(var);
        plan.uses += 1;
        plan.lca = lca;
        plan.last = plan.last.max(last);
        plan.depth = depth;
        plan.enters_loop |= outermost.is_some();
    }

    /// The outermost loop around a node that does not lie around a binding, if any.
    fn loop_entered(&self, node: Node, around: Option<LoopId>) -> Option<Node> {
        let at = |id: LoopId| &self.loops[id as usize];
        let depth = around.map_or(0, |id| at(id).depth + 1);
        let mut current = self.nodes[node as usize].inside?;
        if at(current).depth < depth {
            return None;
        }
        while at(current).depth > depth {
            let data = at(current);
            current = if at(data.jump).depth >= depth { data.jump } else { data.around? };
        }
        Some(at(current).catch)
    }

    fn common_ancestor(&self, a: Node, b: Node) -> Node {
        let at = |node: Node| &self.nodes[node as usize];
        let (mut a, mut b) = if at(a).depth >= at(b).depth { (a, b) } else { (b, a) };
        while at(a).depth > at(b).depth {
            a = if at(at(a).jump).depth >= at(b).depth { at(a).jump } else { at(a).parent };
        }
        while a != b {
            // Nodes of equal depth jump equally far.
            (a, b) = if at(a).jump == at(b).jump {
                (at(a).parent, at(b).parent)
            } else {
                (at(a).jump, at(b).jump)
            };
        }
        a
    }
}

/// The operation that a node evaluates itself.
fn operation_of(tree: &Tree, expr: ExprId) -> Option<&Expr> {
    let of = |id: &ExprId| Some(&tree.exprs[id.0 as usize]).filter(|expr| expr.is_operation());
    match &tree.exprs[expr.0 as usize] {
        Expr::Let { def, .. } | Expr::LetMut { def, .. } => of(def),
        Expr::Seq(first, _) => of(first),
        _ => of(&expr),
    }
}
