//! Live ranges, split at branches: what only some branches need after a call gets a name of its own there.
//!
//! The back end saves a variable that is live across a call. It puts that off until the branch that needs it, but not
//! past a switch, nor in an arm of one, a loop or a handler: there each variable that any path saves is saved where it
//! is bound, on all paths (`asmcomp/spill.ml`: `inside_loop`, `inside_arm`, `inside_catch`). Of an evaluator each leaf
//! pays for the inner nodes. So in such a branch the variable is bound once more, under a new name, and the uses there
//! name that: the move costs nothing, as both get one register, and the new name is saved where it is bound.
//!
//! A variable is split only if all its uses that a path can reach through the branch are in the branch: else the old
//! name lives across the call, too. Nor if each path that does not raise needs it after a call: then saving it once,
//! where it is bound, is right.

use flambeau_ir::stack::deep;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::placement::is_call;
use crate::tree::*;

/// How many expressions are looked at in a function, for each that it has.
const EFFORT: usize = 64;

/// Splits the live ranges of a function's variables.
pub fn split(tree: &mut Tree, function: &Function) {
    let mut ranges = Ranges::default();
    for &(param, _) in &function.params {
        ranges.bind(param, 0);
    }
    ranges.number(tree, function.body);
    ranges.enclose(tree);
    if ranges.calls(0, ranges.nodes[0].end) == 0 {
        return;
    }
    let mut effort = EFFORT * ranges.nodes.len();
    for var in std::mem::take(&mut ranges.order) {
        let scope = ranges.vars[&var].scope;
        let mut search = Search { tree, ranges: &ranges, uses: &ranges.vars[&var].uses, effort: &mut effort };
        if let Need::InBranches { branches, elsewhere: true } = search.region(scope) {
            for branch in branches {
                ranges.rename(tree, var, branch);
            }
        }
    }
}

/// The number of an expression in code position, in preorder; an operation that defines a variable or stands left in a
/// sequence has that of the binding.
type Node = u32;

#[derive(Debug)]
struct NodeData {
    /// Where the expression is.
    slot: ExprId,
    parent: Node,
    /// The last node in it.
    end: Node,
    /// How many calls there are in nodes up to this one. Those that end the function are none: nothing is needed after.
    calls: u32,
    /// In an arm of a switch, a loop or a handler.
    is_held: bool,
    /// All paths through it raise.
    raises: bool,
}

/// A variable that may be split.
#[derive(Debug, Default)]
struct VarData {
    /// The node from which on it is bound.
    scope: Node,
    /// Its uses, in increasing order of nodes: each an expression of its own.
    uses: Vec<(Node, ExprId)>,
}

/// A function, numbered.
#[derive(Debug, Default)]
struct Ranges {
    nodes: Vec<NodeData>,
    vars: FxHashMap<Var, VarData>,
    /// The variables, in the order in which they are bound.
    order: Vec<Var>,
}

impl Ranges {
    fn bind(&mut self, var: Var, scope: Node) {
        self.vars.insert(var, VarData { scope, uses: Vec::new() });
        self.order.push(var);
    }

    /// How many calls there are from a node to another.
    fn calls(&self, from: Node, to: Node) -> u32 {
        let before = from.checked_sub(1).map_or(0, |before| self.nodes[before as usize].calls);
        self.nodes[to as usize].calls - before
    }

    fn end(&self, node: Node) -> Node {
        self.nodes[node as usize].end
    }

    /// Numbers the nodes, with an explicit stack: functions are as long and as deep as their authors like.
    fn number(&mut self, tree: &Tree, root: ExprId) {
        let mut calls = 0;
        let mut stack = vec![Waiting { slot: root, parent: 0, is_held: false, is_last: true, binds: &[] }];
        while let Some(Waiting { slot, parent, is_held, is_last, binds }) = stack.pop() {
            let node = self.nodes.len() as Node;
            binds.iter().for_each(|(param, _)| self.bind(*param, node));
            let expr = &tree.exprs[slot.0 as usize];
            let below = |slot: ExprId| Waiting { slot, parent: node, is_held, is_last, binds: &[] };
            let held = |slot: ExprId| Waiting { is_held: true, ..below(slot) };
            let inner = |slot: ExprId| Waiting { is_last: false, ..below(slot) };
            match expr {
                Expr::Let { def, body, .. } | Expr::Seq(def, body) | Expr::LetMut { def, body, .. } => {
                    stack.push(below(*body));
                    if tree.exprs[def.0 as usize].is_operation() {
                        calls += self.operation(tree, *def, node);
                    } else {
                        stack.push(inner(*def));
                    }
                }
                Expr::If { cond, then_, else_, .. } => {
                    calls += self.operation(tree, *cond, node);
                    stack.push(below(*else_));
                    stack.push(below(*then_));
                }
                Expr::Switch { scrutinee, arms, default, .. }
                | Expr::StringSwitch { scrutinee, arms, default, .. } => {
                    calls += self.operation(tree, *scrutinee, node);
                    stack.extend(arms.iter().chain(default).rev().map(|arm| held(*arm)));
                }
                Expr::Catch { handlers, body, .. } => {
                    for handler in handlers.iter().rev() {
                        stack.push(Waiting { binds: &handler.params, ..held(handler.body) });
                    }
                    stack.push(below(*body));
                }
                Expr::Try { body, handler, .. } => {
                    stack.push(held(*handler));
                    stack.push(inner(*body));
                }
                _ => {
                    let made = self.operation(tree, slot, node);
                    calls += if is_last { 0 } else { made };
                }
            }
            self.nodes.push(NodeData { slot, parent, end: node, calls, is_held, raises: false });
            if let Expr::Let { var, .. } = expr {
                self.bind(*var, node);
            }
        }
    }

    /// Notes the variables that an operation names, and returns how many calls it makes.
    fn operation(&mut self, tree: &Tree, id: ExprId, node: Node) -> u32 {
        let expr = &tree.exprs[id.0 as usize];
        if let Expr::Var(var) = expr {
            if let Some(var) = self.vars.get_mut(var) {
                var.uses.push((node, id));
            }
            return 0;
        }
        let mut calls = u32::from(is_call(expr));
        expr.each_operand(|operand| calls += self.operation(tree, operand, node));
        calls
    }

    /// What is known of nodes when all in them are.
    fn enclose(&mut self, tree: &Tree) {
        for node in (0..self.nodes.len() as Node).rev() {
            let raises = match &tree.exprs[self.nodes[node as usize].slot.0 as usize] {
                Expr::Let { .. } | Expr::Seq(..) | Expr::LetMut { .. } => {
                    self.nodes[self.after(tree, node) as usize].raises
                }
                Expr::If { .. } | Expr::Switch { .. } | Expr::StringSwitch { .. } => {
                    self.children(node).all(|child| self.nodes[child as usize].raises)
                }
                Expr::Raise { .. } | Expr::Unreachable => true,
                _ => false,
            };
            if let Expr::Let { var, .. } = &tree.exprs[self.nodes[node as usize].slot.0 as usize] {
                let scope = self.after(tree, node);
                self.vars.entry(*var).and_modify(|var| var.scope = scope);
            }
            let data = &mut self.nodes[node as usize];
            data.raises = raises;
            let (parent, end) = (data.parent, data.end);
            let above = &mut self.nodes[parent as usize];
            above.end = above.end.max(end);
        }
    }

    /// The node behind a definition or a step.
    fn after(&self, tree: &Tree, node: Node) -> Node {
        match &tree.exprs[self.nodes[node as usize].slot.0 as usize] {
            Expr::Let { def, .. } | Expr::Seq(def, _) | Expr::LetMut { def, .. }
                if !tree.exprs[def.0 as usize].is_operation() =>
            {
                self.end(node + 1) + 1
            }
            _ => node + 1,
        }
    }

    /// The nodes directly in a node.
    fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let last = self.end(node);
        let first = (node < last).then_some(node + 1);
        std::iter::successors(first, move |child| Some(self.end(*child) + 1).filter(|next| *next <= last))
    }

    /// Binds a variable once more at the beginning of a branch, where its uses name the new one from now on.
    fn rename(&self, tree: &mut Tree, var: Var, branch: Node) {
        let name = tree.vars[var.0 as usize].clone();
        let new = Var(tree.vars.len() as u32);
        tree.vars.push(name);
        let NodeData { slot, end, .. } = self.nodes[branch as usize];
        for (_, id) in within(&self.vars[&var].uses, branch, end) {
            tree.exprs[id.0 as usize] = Expr::Var(new);
        }
        let old = tree.push(Expr::Var(var));
        let branch = std::mem::replace(&mut tree.exprs[slot.0 as usize], Expr::Unreachable);
        let body = tree.push(branch);
        tree.exprs[slot.0 as usize] = Expr::Let { var: new, def: old, body };
    }
}

/// An expression that is to be numbered.
struct Waiting<'t> {
    slot: ExprId,
    parent: Node,
    is_held: bool,
    /// What it gives is the function's result.
    is_last: bool,
    binds: &'t [(Var, Machtype)],
}

/// The uses from a node to another.
fn within(uses: &[(Node, ExprId)], from: Node, to: Node) -> &[(Node, ExprId)] {
    let first = uses.partition_point(|(node, _)| *node < from);
    let last = uses.partition_point(|(node, _)| *node <= to);
    &uses[first..last.max(first)]
}

/// Where a variable is needed after a call.
enum Need {
    Nowhere,
    /// On all paths, or where no branch can tell.
    Here,
    /// In some branches. `elsewhere`: there are paths that do not need it so, nor raise.
    InBranches {
        branches: SmallVec<[Node; 4]>,
        elsewhere: bool,
    },
}

/// Looks for where a variable is needed after calls.
struct Search<'a> {
    tree: &'a Tree,
    ranges: &'a Ranges,
    uses: &'a [(Node, ExprId)],
    effort: &'a mut usize,
}

impl Search<'_> {
    fn is_used(&self, from: Node, to: Node) -> bool {
        !within(self.uses, from, to).is_empty()
    }

    /// In a node and what is executed after it in the same branch, where all that is left of the variable's life is.
    fn region(&mut self, mut node: Node) -> Need {
        let (tree, ranges) = (self.tree, self.ranges);
        let end = ranges.end(node);
        loop {
            if !self.is_used(node, end) {
                return Need::Nowhere;
            }
            if *self.effort == 0 {
                return Need::Here;
            }
            *self.effort -= 1;
            match &tree.exprs[ranges.nodes[node as usize].slot.0 as usize] {
                Expr::Let { .. } | Expr::Seq(..) | Expr::LetMut { .. } => {
                    let after = ranges.after(tree, node);
                    let calls = ranges.calls(node, after - 1) > 0;
                    if !self.is_used(after, end) {
                        return if after > node + 1 { self.inside(node + 1) } else { Need::Nowhere };
                    }
                    if calls {
                        return Need::Here;
                    }
                    node = after;
                }
                Expr::If { .. } => {
                    return self.branches(ranges.children(node), ranges.nodes[node as usize].is_held);
                }
                Expr::Switch { .. } | Expr::StringSwitch { .. } => {
                    return self.branches(ranges.children(node), true);
                }
                Expr::Catch { recursive, .. } => {
                    let body = node + 1;
                    let handlers = ranges.end(body) + 1;
                    if !self.is_used(handlers, end) {
                        return self.inside(body);
                    }
                    let calls = ranges.calls(body, if *recursive { end } else { handlers - 1 }) > 0;
                    return match (calls, recursive) {
                        (true, _) => Need::Here,
                        (false, true) => Need::Nowhere,
                        (false, false) => self.branches(ranges.children(node).skip(1), true),
                    };
                }
                Expr::Try { .. } => {
                    return if ranges.calls(node, end) > 0 { Need::Here } else { Need::Nowhere };
                }
                _ => return Need::Nowhere,
            }
        }
    }

    fn inside(&mut self, node: Node) -> Need {
        deep(|| self.region(node))
    }

    /// In some branches. `held`: what one of them saves is saved before.
    fn branches(&mut self, children: impl Iterator<Item = Node>, held: bool) -> Need {
        let mut branches: SmallVec<[Node; 4]> = smallvec![];
        let (mut elsewhere, mut somewhere) = (false, false);
        for child in children {
            match self.inside(child) {
                Need::Nowhere => elsewhere |= !self.ranges.nodes[child as usize].raises,
                Need::Here => {
                    somewhere = true;
                    branches.extend(held.then_some(child));
                }
                Need::InBranches { branches: more, elsewhere: other } => {
                    somewhere = true;
                    elsewhere |= other;
                    branches.extend(more);
                }
            }
        }
        match (somewhere, elsewhere) {
            (false, _) => Need::Nowhere,
            (true, false) => Need::Here,
            (true, true) => Need::InBranches { branches, elsewhere },
        }
    }
}
