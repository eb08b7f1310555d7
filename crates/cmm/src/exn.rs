//! `try`, and the values that its handler needs.
//!
//! The extra arguments of an exception continuation become mutable variables of Cmm, declared around the
//! `try`, initialised with the values at its entry and assigned at each point that may raise (digest 7,
//! soundness row 35, pitfalls 40 and 42); the handler reads them first of all. Arguments that the handler
//! does not use have no variable.

use flambeau_ir::{Continuation, ExnCont, Expr as Term};

use crate::control::{Run, Target};
use crate::frames::{Frame, close};
use crate::lowering::{Atom, Lowering, machtype};
use crate::tree::*;

/// A straight-line stretch of code: all of it is executed in order, from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Path(u32);

/// The stretches of code met so far, each with the one that it continues. What is known at some point of
/// a path is known from there on in the path and in those that continue it.
#[derive(Debug, Default)]
pub struct Paths {
    parents: Vec<Option<Path>>,
    current: Path,
}

impl Paths {
    /// Where code is being made.
    pub fn current(&self) -> Path {
        self.current
    }

    /// Goes back to a path.
    pub fn set(&mut self, path: Path) {
        self.current = path;
    }

    /// Goes to a new path that continues the current one: an arm of a branch.
    pub fn branch(&mut self) {
        self.enter(Some(self.current));
    }

    /// Goes to a new path of which no continuation is known: a join or the head of a loop.
    pub fn join(&mut self) {
        self.enter(None);
    }

    fn enter(&mut self, parent: Option<Path>) {
        self.parents.push(parent);
        self.current = Path(self.parents.len() as u32);
    }

    /// Whether the current path surely continues another. Looks back a few branches only: not to know costs an
    /// assignment, looking far makes lowering quadratic.
    fn continues(&self, other: Path) -> bool {
        let mut path = Some(self.current);
        for _ in 0..8 {
            match path {
                Some(p) if p == other => return true,
                Some(Path(number)) if number > 0 => path = self.parents[number as usize - 1],
                _ => return false,
            }
        }
        false
    }
}

/// A `try` around the code that is being made.
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
    /// overwrite this, so it holds wherever the current path continues that one.
    known: (Atom, Path),
}

impl<'a> Lowering<'a> {
    /// Before a point that may raise: brings the extra arguments of its handler up to date.
    pub fn raise_point(&mut self, exn: &ExnCont, frames: &mut Vec<Frame>) {
        // Removed and put back: the function's own continuation, the most frequent, is not there at all.
        let Some(mut state) = self.tries.remove(&exn.cont) else { return };
        for (slot, arg) in state.slots.iter_mut().zip(&exn.extra_args) {
            let Some(slot) = slot else { continue };
            let atom = self.atom(*arg);
            if slot.known.0 != atom || !self.paths.continues(slot.known.1) {
                let value = self.expr(atom);
                let assign = self.tree.push(Expr::Assign { var: slot.var, value });
                frames.push(Frame::Seq { first: assign });
            }
            slot.known = (atom, self.paths.current());
        }
        self.tries.insert(exn.cont, state);
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
        let target = self.targets[handler.cont]
            .take()
            .unwrap_or_else(|| panic!("the handler {} of a try is not in scope", handler.cont));
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
                Slot { var, known: (atom, self.paths.current()) }
            }));
        }
        self.tries.insert(handler.cont, TryState { slots });
        let body = self.block(Run::of(body), result);
        let state = self.tries.remove(&handler.cont).expect("the state of a try outlives its body");
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
