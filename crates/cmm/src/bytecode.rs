//! Lowering for bytecode: the same control and the same placement of bindings, where all that there is is values.
//!
//! A naked number is the number's value, so that boxing and tagging are the identity. Closures stay what they are in
//! the IR, sets of functions with slots: who makes Lambda of this nests the functions into one another.

use flambeau_ir::prim::{Mutability, StringKind};
use flambeau_ir::{
    BoxedKind, CodeId, Const, Dbg, FunctionKind, Kind, Machine, Prim, SetOfClosures, Simple, Unit, Variable,
};

use rustc_hash::FxHashMap;

use crate::frames::Frame;
use crate::lowering::{Atom, Lowering};
use crate::placement::Placement;
use crate::tree::*;

/// A function of the IR, lowered.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its parameters, the closure not among them.
    pub params: Vec<Var>,
    /// What stands for the closure that it was called through.
    pub closure: Var,
    /// The body.
    pub body: ExprId,
    /// Its source location.
    pub dbg: Dbg,
}

/// All of a unit but its static data, which stay as they are in the IR.
#[derive(Clone, Debug)]
pub struct Bodies {
    /// The expressions, and all that they name.
    pub tree: Tree,
    /// By the numbers of their codes.
    pub functions: Vec<Body>,
    /// The unit's entry code: any value.
    pub entry: ExprId,
}

/// Lowers a unit, which the verifier accepts.
///
/// # Panics
/// When the unit breaks a rule that the verifier checks.
#[must_use]
pub fn lower(unit: &Unit) -> Bodies {
    let mut lowering = Lowering::new(unit, Machine::Bytecode);
    let mut placement = Placement::new(Machine::Bytecode);
    lowering.places();
    let mut functions = Vec::new();
    for code in unit.codes.values() {
        let params = lowering.bind_params(&code.params).into_iter().map(|(var, _)| var).collect();
        let closure = lowering.bind(code.my_closure);
        let body = lowering.body(&code.body, code.ret, &mut placement);
        functions.push(Body { params, closure, body, dbg: code.dbg });
    }
    let entry = lowering.body(&unit.entry.body, unit.entry.ret, &mut placement);
    Bodies { tree: lowering.tree, functions, entry }
}

/// Whether the primitive gives its first operand, where all is values.
#[must_use]
pub fn is_same_value(prim: &Prim) -> bool {
    matches!(prim, Prim::Tag | Prim::Untag | Prim::Box(_) | Prim::Unbox(_) | Prim::Rebox(_))
}

/// A constant as a value.
#[must_use]
pub fn constant(constant: Const) -> Atom {
    match constant {
        Const::Tagged(n) | Const::NakedImmediate(n) => Atom::Int(n),
        Const::NakedFloat(bits) => Atom::Float(bits),
        Const::NakedInt32(n) => Atom::Boxed(BoxedKind::Int32, i64::from(n)),
        Const::NakedInt64(n) => Atom::Boxed(BoxedKind::Int64, n),
        Const::NakedNativeint(n) => Atom::Boxed(BoxedKind::Nativeint, n),
        // Operations that are executed too early look into it.
        Const::Poison(kind) => match kind {
            Kind::Value | Kind::NakedImmediate => Atom::Int(0),
            Kind::NakedFloat => Atom::Float(0),
            Kind::NakedInt32 => Atom::Boxed(BoxedKind::Int32, 0),
            Kind::NakedInt64 => Atom::Boxed(BoxedKind::Int64, 0),
            Kind::NakedNativeint => Atom::Boxed(BoxedKind::Nativeint, 0),
        },
    }
}

impl Lowering<'_> {
    /// What stands for the result of a primitive that changes the representation alone, or does nothing.
    pub(crate) fn same_value(&mut self, prim: &Prim, args: &[Simple]) -> Option<Atom> {
        match prim {
            Prim::ExnState => Some(self.unit_value()),
            _ if is_same_value(prim) => args.first().map(|arg| self.atom(*arg)),
            _ => None,
        }
    }

    /// A primitive as an operation. The check before an operation of bytecode that checks the same is left to that.
    pub(crate) fn value_prim(
        &mut self,
        prim: &Prim,
        args: &[Simple],
        dbg: Dbg,
        frames: &mut Vec<Frame>,
    ) -> ExprId {
        let atoms: Vec<_> = args.iter().map(|arg| self.atom(*arg)).collect();
        let args = atoms.iter().map(|atom| self.expr(*atom)).collect();
        if self.is_checked_by(prim, &atoms, frames) {
            frames.pop();
            return self.tree.push(Expr::Checked { prim: prim.clone(), args, dbg });
        }
        self.tree.push(Expr::Prim { prim: prim.clone(), args, dbg })
    }

    /// Whether the last step is a check that the primitive makes, too.
    fn is_checked_by(&self, prim: &Prim, operands: &[Atom], frames: &[Frame]) -> bool {
        let Some(Frame::Seq { first }) = frames.last() else { return false };
        let Expr::Prim { prim: check, args: checked, .. } = &self.tree.exprs[first.0 as usize] else {
            return false;
        };
        match (check, prim) {
            (Prim::CheckZero { kind, .. }, Prim::IntDiv { kind: by } | Prim::IntMod { kind: by }) => {
                kind == by && self.is_atom(checked[0], operands[1])
            }
            (Prim::CheckBound { width: 1 }, Prim::ArrayLoad { .. } | Prim::ArrayStore { .. }) => {
                self.is_bound_of(checked, operands)
            }
            (
                Prim::CheckBound { width: by },
                Prim::StringLoad { width, string } | Prim::StringStore { width, string },
            ) => {
                *by == width.bytes()
                    && *string != StringKind::Bigstring
                    && self.is_bound_of(checked, operands)
            }
            _ => false,
        }
    }

    /// Whether a length and an index are those of an array or string and an index.
    fn is_bound_of(&self, checked: &[ExprId], operands: &[Atom]) -> bool {
        let length = match self.tree.exprs[checked[0].0 as usize] {
            Expr::Var(var) => self.lengths.get(&var),
            _ => None,
        };
        length == Some(&operands[0]) && self.is_atom(checked[1], operands[1])
    }

    fn is_atom(&self, expr: ExprId, atom: Atom) -> bool {
        match (&self.tree.exprs[expr.0 as usize], atom) {
            (Expr::Var(a), Atom::Var(b)) => *a == b,
            (Expr::Int(a), Atom::Int(b)) => *a == b,
            _ => false,
        }
    }

    /// Notes of what a variable is the tag or the length.
    pub(crate) fn note_operand(
        &mut self,
        var: Var,
        args: &[Simple],
        table: impl FnOnce(&mut Self) -> &mut FxHashMap<Var, Atom>,
    ) {
        let operand = self.atom(args[0]);
        if self.machine == Machine::Bytecode
            && !matches!(operand, Atom::Var(var) if self.renamed.contains(&var))
        {
            table(self).insert(var, operand);
        }
    }

    /// What a switch branches on: a tag is read there, since the one instruction that reads tags branches.
    pub(crate) fn tag_anew(&mut self, scrutinee: Atom, frames: &mut Vec<Frame>) -> Atom {
        let block = match scrutinee {
            Atom::Var(var) if self.machine == Machine::Bytecode => self.tags.get(&var).copied(),
            _ => None,
        };
        let Some(block) = block else { return scrutinee };
        let args = vec![self.expr(block)];
        let def = self.tree.push(Expr::Prim { prim: Prim::GetTag, args, dbg: Dbg::NONE });
        let var = self.fresh("tag");
        frames.push(Frame::Let { var, def });
        Atom::Var(var)
    }

    /// The arguments of a call of known code as its closure takes them.
    pub(crate) fn as_passed(
        &mut self,
        code: CodeId,
        args: Vec<ExprId>,
        dbg: Dbg,
        frames: &mut Vec<Frame>,
    ) -> Vec<ExprId> {
        if self.unit.codes[code].kind == FunctionKind::Curried {
            return args;
        }
        let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
        let def = self.tree.push(Expr::Prim { prim, args, dbg });
        let tuple = self.fresh("tuple");
        frames.push(Frame::Let { var: tuple, def });
        vec![self.expr(Atom::Var(tuple))]
    }

    /// `Item::LetClosures`.
    pub(crate) fn let_functions(
        &mut self,
        vars: &[Variable],
        set: &SetOfClosures,
        dbg: Dbg,
        frames: &mut Vec<Frame>,
    ) {
        let values: Vec<_> = set.values.iter().map(|(_, value)| *value).collect();
        let values = self.operands(&values);
        let functions = set.functions.iter().map(|(_, code)| *code).collect();
        let slots = set.values.iter().map(|(slot, _)| *slot).collect();
        let def = self.tree.push(Expr::Functions { functions, slots, values, dbg });
        let all = self.fresh("set");
        frames.push(Frame::Let { var: all, def });
        for (index, var) in vars.iter().enumerate() {
            let set = self.expr(Atom::Var(all));
            let def = self.tree.push(Expr::Member { set, index: index as u32 });
            frames.push(Frame::Let { var: self.bind(*var), def });
        }
    }
}
