//! Partial applications that are known late: a known function with fewer arguments than it takes becomes a closure that
//! waits for the others, as where conversion knows the function. So a full application later is direct (features D3).

use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeAttributes, ExnCont, Expr, FunctionKind, FunctionSlot, Item, Kind,
    Named, Prim, Rewrite, SetOfClosures, Simple, Terminator, ValueSlot, Variable,
};
use flambeau_types::Ty;
use smallvec::{SmallVec, smallvec};

use crate::Simplifier;
use crate::run::Rest;

/// A known function that waits for more arguments than it is applied to.
struct Waiting {
    kind: CallKind,
    /// The linker's name of its code.
    name: String,
    needs_closure: bool,
    result: Kind,
    /// The parameters for which it waits.
    params: SmallVec<[Variable; 4]>,
}

/// What a closure that waits captures, and how its code comes to that.
struct Captured {
    slot: FunctionSlot,
    closure: Variable,
    values: Vec<(ValueSlot, Simple)>,
    projections: Vec<Item>,
}

impl Simplifier<'_> {
    /// Replaces a call with too few arguments by a closure: returns what the run continues with.
    pub(crate) fn partially_applied(&mut self, apply: &Apply) -> Option<Rest> {
        if apply.kind != CallKind::Generic || self.is_measuring() || self.function.in_instance {
            return None;
        }
        let waiting = self.waiting(apply)?;
        if !self.allow(Rewrite::PartialCall) {
            return None;
        }
        let Waiting { kind, name, needs_closure, result, params } = waiting;
        let all = apply.args.iter().copied().chain(params.iter().map(|param| Simple::Var(*param)));
        let call = Apply {
            callee: apply.callee.filter(|_| needs_closure),
            kind,
            args: all.collect(),
            ..apply.clone()
        };
        let set = self.called_later(["partial", &name], &call, params, result);
        let closure = self.unit.new_value("partial");
        let jump = ApplyCont { cont: apply.ret, args: smallvec![closure.into()] };
        let term = Expr {
            items: vec![Item::LetClosures { vars: smallvec![closure], set, dbg: apply.dbg }],
            terminator: Terminator::ApplyCont(jump),
        };
        self.note_sets(&term);
        Some(Rest::from(term))
    }

    /// The function that a generic call applies to too few arguments, of this unit or another.
    fn waiting(&mut self, apply: &Apply) -> Option<Waiting> {
        match self.env.ty(apply.callee?) {
            Ty::Closure(known) => {
                let code = known.code()?;
                let data = &self.unit.codes[code];
                let waits = apply.args.len() < data.params.len()
                    && data.takes_values(&self.unit.variables, data.params.len());
                if !waits {
                    return None;
                }
                let (result, name) = (data.result, data.linkage_name.clone());
                let others: SmallVec<[Variable; 4]> = data.params[apply.args.len()..].into();
                let params = others.into_iter().map(|param| self.unit.new_variable_like(param)).collect();
                let needs_closure = self.uses_closure(code);
                Some(Waiting { kind: CallKind::Direct(code), name, needs_closure, result, params })
            }
            Ty::Elsewhere(callee) if apply.args.len() < callee.arity => Some(Waiting {
                kind: CallKind::DirectExternal(callee.code.to_string()),
                name: callee.code.to_string(),
                needs_closure: callee.needs_closure,
                result: Kind::Value,
                params: (apply.args.len()..callee.arity).map(|_| self.unit.new_value("param")).collect(),
            }),
            _ => None,
        }
    }

    /// A closure that waits for some arguments of a call, its parameters, and has captured the others. What its slot
    /// and its code are called; the kind of the result.
    pub(crate) fn called_later(
        &mut self,
        [slot, name]: [&str; 2],
        call: &Apply,
        params: SmallVec<[Variable; 4]>,
        result: Kind,
    ) -> SetOfClosures {
        let mut captured = Captured {
            slot: self.unit.function_slots.push(slot.into()),
            closure: self.unit.new_value("my_closure"),
            values: Vec::new(),
            projections: Vec::new(),
        };
        let mut inside = |this: &mut Self, atom: Simple| match atom {
            Simple::Var(var) if params.contains(&var) => atom,
            _ => this.captured_atom(atom, &mut captured),
        };
        let callee = call.callee.map(|callee| inside(self, callee));
        let args = call.args.iter().map(|arg| inside(self, *arg)).collect();
        let (ret, exn) = (self.unit.new_continuation("return"), self.unit.new_exn_continuation("raise"));
        let inner = Apply {
            callee,
            args,
            ret,
            exn: ExnCont::plain(exn),
            inlined: InlineAttribute::Default,
            specialised: SpecialiseAttribute::Default,
            ..call.clone()
        };
        let Captured { slot, closure, values, projections } = captured;
        let code = self.unit.codes.push(Code {
            linkage_name: own_name(&self.unit.naming, name, slot),
            params,
            my_closure: closure,
            function_slot: slot,
            ret,
            exn,
            result,
            kind: FunctionKind::Curried,
            recursive: false,
            // There may be one for each call: what is not applied in sight only passes on what it has.
            attributes: CodeAttributes { stub: true, ..CodeAttributes::default() },
            dbg: call.dbg,
            body: Expr { items: projections, terminator: Terminator::Apply(Box::new(inner)) },
        });
        SetOfClosures { functions: smallvec![(slot, code)], values }
    }

    /// What an atom is in the code of the closure.
    fn captured_atom(&mut self, outer: Simple, captured: &mut Captured) -> Simple {
        let Simple::Var(outside) = outer else { return outer };
        let value = self.unit.value_slots.push("arg".into());
        captured.values.push((value, outer));
        let var = self.unit.new_variable_like(outside);
        let prim = Prim::ProjectValueSlot { function: captured.slot, value };
        let named = Named::Prim { prim, args: smallvec![captured.closure.into()], exn: None };
        captured.projections.push(Item::Let { var, named, dbg: flambeau_ir::Dbg::NONE });
        var.into()
    }
}
