//! Encoding Lambda for the OCaml side. This file is the reference of the format, with the numbers of [`code`] and those
//! of
//! `crates/cmm/src/codes.rs`; the notation is that of `docs/formats.md`.
//!
//! The Lambda part of a reply is: `s*` names of variables, `u` number of labels, locations that are not in the source
//! as in the Cmm part, `u` number of terms, then the terms in postfix, of which the last is the unit's. What is in a
//! term was written before it, in order.

use flambeau_cmm::encode::{Writer, place, primitive};

use crate::term::{Arms, Ident, Program, Term, TermId};

/// Appends the Lambda part of a reply.
///
/// # Panics
/// When the program has no term.
pub fn encode(program: &Program, w: &mut Writer) {
    w.u(program.idents.len() as u64);
    program.idents.iter().for_each(|name| w.s(name.as_bytes()));
    w.u(u64::from(program.labels));
    w.u(program.places.len() as u64);
    program.places.iter().for_each(|at| place(w, at));
    let order = postfix(program, program.root.expect("a unit has a term"));
    w.u(order.len() as u64);
    order.iter().for_each(|id| term(w, program.term(*id)));
}

/// The terms in a term, each after what is in it.
pub(crate) fn postfix(program: &Program, root: TermId) -> Vec<TermId> {
    let (mut order, mut stack) = (Vec::new(), vec![root]);
    while let Some(id) = stack.pop() {
        order.push(id);
        program.term(id).each_part(|part| stack.push(part));
    }
    order.reverse();
    order
}

/// The number of a term's sort; `ocaml/bytecode/lambda_terms.ml` has the same.
fn code(term: &Term) -> u8 {
    match term {
        Term::Var(_) => 0,
        Term::MutVar(_) => 1,
        Term::Int(_) => 2,
        Term::Float(_) => 3,
        Term::Boxed { .. } => 4,
        Term::String(_) => 5,
        Term::FloatArray(_) => 6,
        Term::ConstBlock { .. } => 7,
        Term::Global(_) => 8,
        Term::SetGlobal(_) => 9,
        Term::Let { .. } => 10,
        Term::LetMut { .. } => 11,
        Term::Assign { .. } => 12,
        Term::Seq(..) => 13,
        Term::If { .. } => 14,
        Term::Switch { .. } => 15,
        Term::StringSwitch { .. } => 16,
        Term::Catch { .. } => 17,
        Term::Exit { .. } => 18,
        Term::Try { .. } => 19,
        Term::While { .. } => 20,
        Term::Function { .. } => 21,
        Term::LetRec { .. } => 22,
        Term::Apply { .. } => 23,
        Term::Runtime { .. } => 24,
        Term::Send { .. } => 25,
        Term::Raise { .. } => 26,
        Term::Prim { .. } => 27,
        Term::For { .. } => 28,
    }
}

fn idents(w: &mut Writer, idents: &[Ident]) {
    w.u(idents.len() as u64);
    idents.iter().for_each(|ident| w.u(u64::from(ident.0)));
}

/// `u` cases, `(u case)*`
fn arms(w: &mut Writer, arms: &Arms) {
    w.u(u64::from(arms.cases));
    w.u(arms.arms.len() as u64);
    arms.arms.iter().for_each(|(case, _)| w.u(u64::from(*case)));
}

fn term(w: &mut Writer, term: &Term) {
    w.byte(code(term));
    let count = |w: &mut Writer, n: usize| w.u(n as u64);
    match term {
        Term::Var(ident) | Term::MutVar(ident) => w.u(u64::from(ident.0)),
        Term::Int(n) => w.i(*n),
        Term::Float(bits) => w.f(*bits),
        Term::Boxed { kind, value } => {
            w.code(kind);
            w.i(*value);
        }
        Term::String(contents) => w.s(contents),
        Term::FloatArray(elements) => {
            count(w, elements.len());
            elements.iter().for_each(|bits| w.f(*bits));
        }
        Term::ConstBlock { tag, fields } => {
            w.byte(*tag);
            count(w, fields.len());
        }
        Term::Global(name) => w.s(name.as_bytes()),
        Term::SetGlobal(_) | Term::Seq(..) | Term::If { .. } | Term::While { .. } => {}
        Term::For { ident, up, .. } => {
            w.u(u64::from(ident.0));
            w.bool(*up);
        }
        Term::Let { ident, .. }
        | Term::LetMut { ident, .. }
        | Term::Assign { ident, .. }
        | Term::Try { ident, .. } => w.u(u64::from(ident.0)),
        Term::Switch { consts, blocks, dbg, .. } => {
            w.u(u64::from(dbg.0));
            arms(w, consts);
            arms(w, blocks);
        }
        Term::StringSwitch { arms, default, dbg, .. } => {
            w.u(u64::from(dbg.0));
            count(w, arms.len());
            arms.iter().for_each(|(key, _)| w.s(key));
            w.bool(default.is_some());
        }
        Term::Catch { label, params, .. } => {
            w.u(u64::from(label.0));
            idents(w, params);
        }
        Term::Exit { label, args } => {
            w.u(u64::from(label.0));
            count(w, args.len());
        }
        Term::Function { params, dbg, .. } => {
            w.u(u64::from(dbg.0));
            idents(w, params);
        }
        Term::LetRec { functions, .. } => {
            count(w, functions.len());
            functions.iter().for_each(|(ident, _)| w.u(u64::from(ident.0)));
        }
        Term::Apply { args, dbg, .. } => {
            w.u(u64::from(dbg.0));
            count(w, args.len());
        }
        Term::Runtime { name, args, dbg } => {
            w.u(u64::from(dbg.0));
            w.s(name.as_bytes());
            count(w, args.len());
        }
        Term::Send { kind, args, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.code(kind);
            count(w, args.len());
        }
        Term::Raise { kind, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.code(kind);
        }
        Term::Prim { prim, args, checked, dbg } => {
            w.u(u64::from(dbg.0));
            count(w, args.len());
            w.bool(*checked);
            primitive(w, prim);
        }
    }
}
