//! Partial applications that are known late: a known function with fewer arguments than it takes becomes a closure that
//! waits for the others, as where conversion knows the function. So a full application later is direct (features D3).

use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, Code, CodeAttributes, CodeId, ExnCont, Expr, FunctionKind, FunctionSlot,
    Item, Named, Prim, Rewrite, SetOfClosures, Simple, Terminator, ValueSlot, Variable,
};
use flambeau_types::Ty;
use smallvec::{SmallVec, smallvec};

use crate::Simplifier;
use crate::run::Rest;

/// What a partial application captures, and how its code comes to that.
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
        let Ty::Closure(known) = self.env.ty(apply.callee?) else { return None };
        let code = known.code()?;
        let data = &self.unit.codes[code];
        let arity = data.params.len();
        let waits = apply.args.len() < arity && data.takes_values(&self.unit.variables, arity);
        if !waits || !self.allow(Rewrite::PartialCall) {
            return None;
        }
        let (partial, set) = self.partial_code(apply, code, arity);
        let mut functions = SmallVec::new();
        functions.push((self.unit.codes[partial].function_slot, partial));
        let set = SetOfClosures { functions, values: set };
        let closure = self.unit.new_value("partial");
        let jump = ApplyCont { cont: apply.ret, args: smallvec![closure.into()] };
        let term = Expr {
            items: vec![Item::LetClosures { vars: smallvec![closure], set, dbg: apply.dbg }],
            terminator: Terminator::ApplyCont(jump),
        };
        self.note_sets(&term);
        Some(Rest::from(term))
    }

    /// The function that waits for the other arguments, and what it captures.
    fn partial_code(
        &mut self,
        apply: &Apply,
        code: CodeId,
        arity: usize,
    ) -> (CodeId, Vec<(ValueSlot, Simple)>) {
        let needs_closure = self.uses_closure(code);
        let mut captured = Captured {
            slot: self.unit.function_slots.push("partial".into()),
            closure: self.unit.new_value("my_closure"),
            values: Vec::new(),
            projections: Vec::new(),
        };
        let callee =
            apply.callee.filter(|_| needs_closure).map(|callee| self.captured_atom(callee, &mut captured));
        let mut args: Vec<Simple> =
            apply.args.iter().map(|arg| self.captured_atom(*arg, &mut captured)).collect();
        let data = &self.unit.codes[code];
        let (result, name) = (data.result, own_name(&self.unit.naming, &data.linkage_name, captured.slot));
        let others: Vec<Variable> = data.params[apply.args.len()..arity].to_vec();
        let params: SmallVec<[Variable; 4]> =
            others.into_iter().map(|param| self.fresh_like(param)).collect();
        args.extend(params.iter().map(|param| Simple::Var(*param)));
        let (ret, exn) = (self.unit.new_continuation("return"), self.unit.new_exn_continuation("raise"));
        let call = Apply {
            callee,
            kind: CallKind::Direct(code),
            args,
            ret,
            exn: ExnCont { cont: exn, extra_args: SmallVec::new() },
            inlined: InlineAttribute::Default,
            specialised: SpecialiseAttribute::Default,
            ..apply.clone()
        };
        let partial = self.unit.codes.push(Code {
            linkage_name: name,
            params,
            my_closure: captured.closure,
            function_slot: captured.slot,
            ret,
            exn,
            result,
            kind: FunctionKind::Curried,
            recursive: false,
            // There may be one for each call: what is not applied in sight only passes on what it has.
            attributes: CodeAttributes { stub: true, ..CodeAttributes::default() },
            dbg: apply.dbg,
            body: Expr { items: captured.projections, terminator: Terminator::Apply(Box::new(call)) },
        });
        (partial, captured.values)
    }

    /// What an atom is in the code of the closure.
    fn captured_atom(&mut self, outer: Simple, captured: &mut Captured) -> Simple {
        let Simple::Var(outside) = outer else { return outer };
        let value = self.unit.value_slots.push("arg".into());
        captured.values.push((value, outer));
        let var = self.fresh_like(outside);
        let prim = Prim::ProjectValueSlot { function: captured.slot, value };
        let named = Named::Prim { prim, args: smallvec![captured.closure.into()], exn: None };
        captured.projections.push(Item::Let { var, named, dbg: flambeau_ir::Dbg::NONE });
        var.into()
    }
}
