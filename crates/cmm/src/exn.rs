//! `try`, and the values that its handler needs.
//!
//! The extra arguments of an exception continuation become mutable variables of Cmm, declared around the
//! `try`, initialised with the values at its entry and assigned at each point that may raise (digest 7,
//! soundness row 35, pitfalls 40 and 42); the handler reads them first of all. Arguments that the handler
//! does not use have no variable.

use std::ops::Range;

use flambeau_ir::{Continuation, ExnCont, Expr as Term, Simple};
use rustc_hash::FxHashMap;

use crate::analysis::Argument;
use crate::control::{Run, Target};
use crate::frames::{Frame, close};
use crate::lowering::{Atom, Lowering, machtype};
use crate::tree::*;

/// A straight-line stretch of code: all of it is executed in order, from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Path(u32);

/// The stretches of code met so far, each with the one that it continues. What is known at some point of
/// a path is known from there on in the path and in those that continue it: once a path is continued, no more code
/// is generated on it.
#[derive(Debug, Default)]
pub struct Paths {
    nodes: Vec<Node>,
    current: Path,
    /// By continuation, the last path that all of its uses so far continue.
    reached: FxHashMap<Continuation, Path>,
}

/// A path, in the tree of those that continue others.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// How many it continues.
    depth: u32,
    parent: Path,
    /// A path further back, so that looking back takes logarithmic time.
    far: Path,
}

impl Paths {
    /// Where code is being generated.
    pub fn current(&self) -> Path {
        self.current
    }

    /// Returns to a path.
    pub fn set(&mut self, path: Path) {
        self.current = path;
    }

    /// Begins a new path, that of the beginning of a function.
    pub fn begin(&mut self) {
        let path = Path(self.nodes.len() as u32);
        self.nodes.push(Node { depth: 0, parent: path, far: path });
        self.current = path;
    }

    /// Begins a new path that continues the current one: an arm of a branch, or what follows where paths meet.
    pub fn branch(&mut self) {
        let parent = self.current;
        let back = self.node(parent);
        let further = self.node(back.far);
        // Steps back grow as in a skew-binary number.
        let even = back.depth - further.depth == further.depth - self.node(further.far).depth;
        let far = if even { further.far } else { parent };
        self.current = Path(self.nodes.len() as u32);
        self.nodes.push(Node { depth: back.depth + 1, parent, far });
    }

    /// Records a use of a continuation here.
    pub fn reach(&mut self, cont: Continuation) {
        let path = match self.reached.get(&cont) {
            Some(others) => self.meet(*others, self.current),
            None => self.current,
        };
        self.reached.insert(cont, path);
    }

    /// Begins a new path, that of the code of a continuation all of whose uses have been recorded.
    pub fn join(&mut self, cont: Continuation) {
        if let Some(path) = self.reached.remove(&cont) {
            self.current = path;
        }
        self.branch();
    }

    fn node(&self, path: Path) -> Node {
        self.nodes[path.0 as usize]
    }

    /// What a path continues at that depth, itself if it is no deeper.
    fn at_depth(&self, mut path: Path, depth: u32) -> Path {
        while self.node(path).depth > depth {
            let Node { far, parent, .. } = self.node(path);
            path = if self.node(far).depth >= depth { far } else { parent };
        }
        path
    }

    /// Whether the current path surely continues another.
    fn continues(&self, other: Path) -> bool {
        self.at_depth(self.current, self.node(other).depth) == other
    }

    /// The last path that two of one function continue.
    fn meet(&self, a: Path, b: Path) -> Path {
        let (mut a, mut b) = (self.at_depth(a, self.node(b).depth), self.at_depth(b, self.node(a).depth));
        while a != b {
            // Paths of one depth have those further back at one depth, too.
            let (back, other) = (self.node(a), self.node(b));
            (a, b) = if back.far == other.far { (back.parent, other.parent) } else { (back.far, other.far) };
        }
        a
    }
}

/// A `try` around the code that is being generated.
#[derive(Debug)]
pub struct TryState {
    /// One for each extra parameter of the handler; none for those which are not used.
    slots: Vec<Option<Slot>>,
}

/// An extra argument.
#[derive(Debug)]
struct Slot {
    var: Var,
    /// What was assigned last in the order of translation, and where. All later assignments on other paths
    /// overwrite this, so it holds wherever the current path continues that one; but for those that are
    /// translated later and executed earlier, before which it is forgotten.
    known: Option<(Atom, Path)>,
}

impl Slot {
    fn holds(&self, atom: Atom, paths: &Paths) -> bool {
        self.known.is_some_and(|(known, path)| known == atom && paths.continues(path))
    }
}

impl<'a> Lowering<'a> {
    /// Before a point that may raise: brings the extra arguments of its handler up to date.
    pub fn raise_point(&mut self, exn: &ExnCont, frames: &mut Vec<Frame>) {
        // Removed and put back: the function's own continuation, the most frequent, is not there at all.
        let Some(mut state) = self.tries.remove(&exn.cont) else { return };
        for (slot, arg) in state.slots.iter_mut().zip(&exn.extra_args) {
            let Some(slot) = slot else { continue };
            let atom = self.atom(*arg);
            self.bring_up_to_date(slot, atom, frames);
        }
        self.tries.insert(exn.cont, state);
    }

    fn bring_up_to_date(&mut self, slot: &mut Slot, atom: Atom, frames: &mut Vec<Frame>) {
        if !slot.holds(atom, &self.paths) {
            let value = self.expr(atom);
            let assign = self.tree.push(Expr::Assign { var: slot.var, value });
            frames.push(Frame::Seq { first: assign });
            slot.known = Some((atom, self.paths.current()));
        }
    }

    /// Before a loop in that range, or handlers that are translated now but executed after the code in it: of the extra
    /// arguments that are not what all of it leaves them, nothing is known. Nor are those of a loop assigned before it:
    /// what interrupts the loop before an iteration assigns them sees what they were (pitfall 40).
    pub fn forget_raised_in(&mut self, range: &Range<u32>) {
        let mut tries = std::mem::take(&mut self.tries);
        for (cont, state) in &mut tries {
            for (index, slot) in state.slots.iter_mut().enumerate() {
                let (Some(slot), Some(points)) = (slot, self.analysis.raises.get(cont)) else { continue };
                let always = match points.argument_in(index, range) {
                    Argument::Never => continue,
                    Argument::Always(simple) => self.is_bound(simple).then(|| self.atom(simple)),
                    Argument::Changes => None,
                };
                if !always.is_some_and(|atom| slot.holds(atom, &self.paths)) {
                    slot.known = None;
                }
            }
        }
        self.tries = tries;
    }

    fn is_bound(&self, simple: Simple) -> bool {
        simple.as_var().is_none_or(|var| self.env[var].is_some())
    }

    /// A `try` in a result context. Its handler stands in it when nothing forbids, else in a static catch where
    /// it was bound, as [`control`](crate::control) decided there.
    pub fn try_(
        &mut self,
        body: &'a Term,
        handler: &ExnCont,
        result: Continuation,
        frames: &mut Vec<Frame>,
    ) -> ExprId {
        let cont = handler.cont;
        let target = self.targets[cont]
            .take()
            .unwrap_or_else(|| panic!("the handler {cont} of a try is not in scope"));
        let params = target.params();
        let unit = self.unit;
        let path = self.paths.current();
        self.paths.branch();
        let mut slots = Vec::new();
        for (param, init) in params.iter().skip(1).zip(&handler.extra_args) {
            slots.push(self.analysis.occurs(*param).then(|| {
                let data = &unit.variables[*param];
                let var = self.fresh(&data.name);
                let atom = self.atom(*init);
                let def = self.expr(atom);
                frames.push(Frame::LetMut { var, ty: machtype(data.kind), def });
                Slot { var, known: Some((atom, self.paths.current())) }
            }));
        }
        self.tries.insert(cont, TryState { slots });
        let body = self.block(Run::of(body), result);
        let state = self.tries.remove(&cont).expect("the state of a try outlives its body");
        self.paths.set(path);

        self.paths.branch();
        let exn_param = *params.first().expect("an exception continuation takes an exception");
        let exn = self.fresh(&unit.variables[exn_param].name);
        let handler = match target {
            Target::Inline { params, run } => {
                self.env[exn_param] = Some(Atom::Var(exn));
                let mut frames = Vec::new();
                for (param, slot) in params[1..].iter().zip(&state.slots) {
                    if let Some(slot) = slot {
                        let def = self.expr(Atom::Var(slot.var));
                        let var = self.bind(*param);
                        frames.push(Frame::Let { var, def });
                    }
                }
                let code = self.block(run, result);
                close(&mut self.tree, frames, code)
            }
            Target::Label { label, .. } => {
                self.paths.reach(cont);
                let atoms = std::iter::once(exn).chain(state.slots.iter().flatten().map(|slot| slot.var));
                let args = atoms.map(Atom::Var).collect::<Vec<_>>();
                let args = args.into_iter().map(|atom| self.expr(atom)).collect();
                self.tree.push(Expr::Exit { label, args })
            }
        };
        self.paths.set(path);
        self.tree.push(Expr::Try { body, var: exn, handler, dbg: flambeau_ir::Dbg::NONE })
    }
}
