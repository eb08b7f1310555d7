//! Variables that are used once, where they are evaluated anyway: their definitions stand there. Each variable costs
//! bytecode a push, an access and a pop.
//!
//! A definition may go to where its variable is used if what is evaluated before that, from right to left, commutes
//! with it. Placement has moved what may move anywhere; what is left are effects, which go no further than to the next
//! thing that is evaluated.

use flambeau_ir::prim::{Effects, IntCmp, IntOp};
use flambeau_ir::{IntKind, Prim};

use crate::term::{Ident, Program, Term, TermId};

/// What is found in a term before its first effect that does not commute.
enum Search {
    Found(TermId),
    /// It is evaluated, and the search goes on.
    Passed,
    Blocked,
}

impl Program {
    /// Substitutes what can be substituted, and gives operations the forms that bytecode has one instruction for.
    pub fn substitute(&mut self) {
        let Some(root) = self.root else { return };
        let order = crate::encode::postfix(self, root);
        let mut uses = vec![0_u32; self.idents.len()];
        for id in &order {
            if let Term::Var(ident) = self.term(*id) {
                uses[ident.0 as usize] += 1;
            }
        }
        for id in order {
            match *self.term(id) {
                Term::Let { ident, def, body } if uses[ident.0 as usize] == 1 => {
                    self.substitute_at(id, ident, def, body);
                }
                Term::Prim { .. } => self.turn_constants(id),
                Term::Function { .. } => self.assign_params(id, &uses),
                _ => {}
            }
        }
    }

    fn substitute_at(&mut self, id: TermId, ident: Ident, def: TermId, body: TermId) {
        let effects = self.effects_of(def);
        if let Search::Found(place) = self.search(body, ident, effects) {
            self.terms[place.0 as usize] = self.term(def).clone();
            self.terms[id.0 as usize] = self.term(body).clone();
        }
    }

    /// A parameter that is only copied into a variable which is assigned is that variable.
    fn assign_params(&mut self, function: TermId, uses: &[u32]) {
        let Term::Function { params, body, .. } = self.term(function) else { return };
        let (mut params, mut id) = (params.clone(), *body);
        loop {
            id = match *self.term(id) {
                Term::Catch { body, .. } | Term::Let { body, .. } => body,
                Term::LetMut { ident, def, body } => {
                    let param = match self.term(def) {
                        Term::Var(param) if uses[param.0 as usize] == 1 => {
                            params.iter_mut().find(|p| *p == param)
                        }
                        _ => None,
                    };
                    let Some(param) = param else {
                        id = body;
                        continue;
                    };
                    *param = ident;
                    self.terms[id.0 as usize] = self.term(body).clone();
                    id
                }
                _ => break,
            };
        }
        if let Term::Function { params: own, .. } = &mut self.terms[function.0 as usize] {
            *own = params;
        }
    }

    /// What the evaluation of a term does: anything, where that is not known.
    fn effects_of(&self, root: TermId) -> Effects {
        let (mut effects, mut stack) = (Effects::NONE, vec![root]);
        while let Some(id) = stack.pop() {
            let term = self.term(id);
            match term {
                Term::Prim { prim, checked, .. } => {
                    let own = prim.effects();
                    effects = effects.or(if *checked { own.raising() } else { own });
                }
                // Its body is not evaluated.
                Term::Function { .. } => {
                    effects = effects.or(Effects::ALLOCATION);
                    continue;
                }
                Term::Var(_) | Term::MutVar(_) | Term::Let { .. } | Term::LetMut { .. } | Term::If { .. } => {
                }
                Term::Seq(..) | Term::Switch { .. } | Term::StringSwitch { .. } => {}
                term if is_constant(term) => {}
                _ => return Effects::ANY,
            }
            term.each_part(|part| stack.push(part));
        }
        effects
    }

    fn search(&self, id: TermId, ident: Ident, effects: Effects) -> Search {
        flambeau_ir::stack::deep(|| self.search_here(id, ident, effects))
    }

    fn search_here(&self, id: TermId, ident: Ident, effects: Effects) -> Search {
        let first = |id: TermId| match self.search(id, ident, effects) {
            Search::Passed => Search::Blocked,
            found => found,
        };
        let one_after_other = |ids: &[TermId], last: Search| {
            for id in ids {
                match self.search(*id, ident, effects) {
                    Search::Passed => {}
                    found => return found,
                }
            }
            last
        };
        match self.term(id) {
            Term::Var(other) if *other == ident => Search::Found(id),
            Term::Var(_) => Search::Passed,
            // What is moved may assign it.
            Term::MutVar(_) if effects == Effects::ANY => Search::Blocked,
            Term::MutVar(_) => Search::Passed,
            term if is_constant(term) => Search::Passed,
            term @ Term::Prim { prim, checked, .. } => {
                let own = if *checked { prim.effects().raising() } else { prim.effects() };
                let last = if own.commutes_with(effects) { Search::Passed } else { Search::Blocked };
                one_after_other(&right_to_left(term), last)
            }
            term @ (Term::Apply { .. } | Term::Runtime { .. } | Term::Send { .. }) => {
                one_after_other(&right_to_left(term), Search::Blocked)
            }
            Term::Exit { args, .. } if args.len() == 1 => first(args[0]),
            Term::Let { def, body, .. } | Term::LetMut { def, body, .. } => {
                one_after_other(&[*def, *body], Search::Blocked)
            }
            Term::Seq(def, body) => one_after_other(&[*def, *body], Search::Blocked),
            Term::If { cond: id, .. }
            | Term::Switch { scrutinee: id, .. }
            | Term::StringSwitch { scrutinee: id, .. }
            | Term::Assign { value: id, .. }
            | Term::Raise { exn: id, .. }
            | Term::SetGlobal(id)
            | Term::Catch { body: id, .. } => first(*id),
            _ => Search::Blocked,
        }
    }

    /// Constants stand where instructions have them: second in sums, first in comparisons.
    fn turn_constants(&mut self, id: TermId) {
        let Term::Prim { prim, args, .. } = self.term(id) else { return };
        let [first, second] = args[..] else { return };
        let is_int = |id: TermId| matches!(self.term(id), Term::Int(_));
        let turned = match prim {
            Prim::IntArith { op: IntOp::Add | IntOp::Mul, kind: IntKind::Tagged | IntKind::Naked }
                if is_int(first) =>
            {
                prim.clone()
            }
            Prim::PhysEqual { .. } if is_int(second) && !is_int(first) => prim.clone(),
            Prim::IntCompare { op, kind: kind @ (IntKind::Tagged | IntKind::Naked) }
                if is_int(second) && !is_int(first) =>
            {
                let Some(op) = converse(*op) else { return };
                Prim::IntCompare { op, kind: *kind }
            }
            _ => return,
        };
        if let Term::Prim { prim, args, .. } = &mut self.terms[id.0 as usize] {
            *prim = turned;
            args.swap(0, 1);
        }
    }
}

/// The parts of a term in the order in which they are evaluated.
fn right_to_left(term: &Term) -> Vec<TermId> {
    let mut parts = Vec::new();
    term.each_part(|part| parts.push(part));
    parts.reverse();
    parts
}

fn is_constant(term: &Term) -> bool {
    matches!(
        term,
        Term::Int(_)
            | Term::Float(_)
            | Term::Boxed { .. }
            | Term::String(_)
            | Term::FloatArray(_)
            | Term::ConstBlock { .. }
            | Term::Global(_)
    )
}

/// The comparison of the operands the other way round.
fn converse(op: IntCmp) -> Option<IntCmp> {
    Some(match op {
        IntCmp::Eq => IntCmp::Eq,
        IntCmp::Ne => IntCmp::Ne,
        IntCmp::Lt => IntCmp::Gt,
        IntCmp::Le => IntCmp::Ge,
        IntCmp::Gt => IntCmp::Lt,
        IntCmp::Ge => IntCmp::Le,
        IntCmp::UnsignedLt => return None,
    })
}
