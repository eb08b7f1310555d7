//! Applications: direct where the callee is known, and then exact, partial or over-application.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{Apply, CallKind, Continuation, Dbg, Expr, Item, Prim, Simple, Terminator};
use flambeau_lambda::Primitive;
use flambeau_lambda::term::{Inline, LocId, MethodKind, Node, NodeId, Specialise};
use smallvec::smallvec;

use crate::builder::{Converter, Result, Target};
use crate::env::{ClosureInfo, CodeRef, Info, Val};

/// What an application node says beside callee and arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallSite {
    pub loc: LocId,
    pub inlined: Inline,
    pub specialised: Specialise,
}

impl Converter<'_> {
    /// Terms from right to left; the values in the order of the terms.
    pub fn values_right_to_left(&mut self, nodes: &[NodeId]) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes.iter().rev() {
            values.push(self.value(*node)?);
        }
        values.reverse();
        Ok(values)
    }

    /// `Lapply` in tail position.
    pub fn tail_apply(&mut self, node: NodeId, target: &Target) -> Result<Terminator> {
        let Node::Apply { func, args, loc, inlined, specialised, .. } = self.node(node) else {
            return self.malformed("an application was expected");
        };
        let site = CallSite { loc: *loc, inlined: *inlined, specialised: *specialised };
        if args.is_empty() {
            // Other producers of Lambda make these (soundness row 50).
            let func = self.value(*func)?;
            return Ok(self.jump(target, func.simple));
        }
        if let Node::MutVar(_) = self.node(*func) {
            // `!f (f := g)` calls `g`, in bytecode and in stock native code (soundness row 4).
            let args = atoms(&self.values_right_to_left(args)?);
            let func = self.value(*func)?;
            return self.generic_call(func.simple, args, site, target);
        }
        let func = self.value(*func)?;
        let Info::Closure(closure) = func.info.clone() else {
            let args = self.values_right_to_left(args)?;
            return self.generic_call(func.simple, atoms(&args), site, target);
        };
        if !self.fuel.burn() {
            let args = self.values_right_to_left(args)?;
            return self.generic_call(func.simple, atoms(&args), site, target);
        }
        if closure.tupled {
            return self.tupled_call(&func, &closure, args, site, target);
        }
        let args = atoms(&self.values_right_to_left(args)?);
        match args.len().cmp(&closure.arity) {
            std::cmp::Ordering::Equal => self.direct_call(func.simple, &closure, args, site, target),
            std::cmp::Ordering::Greater => {
                let (now, later) = args.split_at(closure.arity);
                let (now, later) = (now.to_vec(), later.to_vec());
                let partial = self
                    .call_value(|this, target| this.direct_call(func.simple, &closure, now, site, target))?;
                self.call_with(partial, &closure.result.clone(), later, site, target)
            }
            std::cmp::Ordering::Less => {
                let value = self.partial_application(&func, &closure, args, site)?;
                Ok(self.jump(target, value.simple))
            }
        }
    }

    /// A call whose arguments are evaluated.
    fn call_with(
        &mut self,
        callee: Simple,
        info: &Info,
        args: Vec<Simple>,
        site: CallSite,
        target: &Target,
    ) -> Result<Terminator> {
        match info {
            Info::Closure(closure) if !closure.tupled && closure.arity == args.len() => {
                let closure = closure.clone();
                self.direct_call(callee, &closure, args, site, target)
            }
            _ => self.generic_call(callee, args, site, target),
        }
    }

    /// A tupled function applied to one argument: the fields are passed, without the tuple where it is
    /// visible.
    fn tupled_call(
        &mut self,
        func: &Val,
        closure: &Rc<ClosureInfo>,
        args: &[NodeId],
        site: CallSite,
        target: &Target,
    ) -> Result<Terminator> {
        if let [arg] = args
            && let Node::Prim { prim, args: fields, .. } = self.node(*arg)
            && matches!(**prim, Primitive::MakeBlock { .. })
            && fields.len() == closure.arity
        {
            let fields = atoms(&self.values_right_to_left(fields)?);
            return self.direct_call(func.simple, closure, fields, site, target);
        }
        let values = self.values_right_to_left(args)?;
        let [tuple] = values.as_slice() else {
            return self.generic_call(func.simple, atoms(&values), site, target);
        };
        let mut fields = Vec::with_capacity(closure.arity);
        for field in 0..closure.arity as u32 {
            let prim = Prim::BlockLoad { field, mutability: Mutability::Immutable };
            fields.push(self.prim("field", prim, &[tuple.simple], site.loc));
        }
        self.direct_call(func.simple, closure, fields, site, target)
    }

    fn direct_call(
        &mut self,
        callee: Simple,
        closure: &ClosureInfo,
        args: Vec<Simple>,
        site: CallSite,
        target: &Target,
    ) -> Result<Terminator> {
        self.direct_calls += 1;
        let kind = match &closure.code {
            CodeRef::Local(code) => CallKind::Direct(*code),
            CodeRef::External(name) => CallKind::DirectExternal(name.clone()),
        };
        let callee = closure.needs_closure.then_some(callee);
        self.apply(callee, kind, args, site, target)
    }

    fn generic_call(
        &mut self,
        callee: Simple,
        args: Vec<Simple>,
        site: CallSite,
        target: &Target,
    ) -> Result<Terminator> {
        self.generic_calls += 1;
        self.apply(Some(callee), CallKind::Generic, args, site, target)
    }

    /// Ends the run with a call. A target that takes more than the result gets it through a continuation.
    fn apply(
        &mut self,
        callee: Option<Simple>,
        kind: CallKind,
        args: Vec<Simple>,
        site: CallSite,
        target: &Target,
    ) -> Result<Terminator> {
        if target.takes_value && target.mutables.is_empty() {
            return Ok(self.apply_to(callee, kind, args, site, target.cont));
        }
        let result =
            self.call_value(|this, inner| Ok(this.apply_to(callee, kind, args, site, inner.cont)))?;
        Ok(self.jump(target, result))
    }

    fn apply_to(
        &self,
        callee: Option<Simple>,
        kind: CallKind,
        args: Vec<Simple>,
        site: CallSite,
        ret: Continuation,
    ) -> Terminator {
        Terminator::Apply(Box::new(Apply {
            callee,
            kind,
            args,
            ret,
            exn: self.exn_cont(),
            dbg: Dbg(site.loc.0),
            inlined: inline_attribute(site.inlined),
            specialised: specialise_attribute(site.specialised),
        }))
    }

    /// The result of a call that goes on here.
    fn call_value(&mut self, build: impl FnOnce(&mut Self, &Target) -> Result<Terminator>) -> Result<Simple> {
        let cont = self.unit.new_continuation("after");
        let target = Target { cont, takes_value: true, mutables: Rc::from([]) };
        let body: Expr = self.isolated(|this| build(this, &target))?;
        let result = self.unit.new_value("result");
        self.items.push(Item::Join { cont, params: smallvec![result], body: Box::new(body) });
        Ok(result.into())
    }

    /// `Lsend` in tail position: the object, then the method, then the arguments from right to left.
    pub fn tail_send(&mut self, node: NodeId, target: &Target) -> Result<Terminator> {
        let Node::Send { kind, method, object, args, loc } = self.node(node) else {
            return self.malformed("a method call was expected");
        };
        let object = self.value(*object)?.simple;
        let method = self.value(*method)?.simple;
        let args = self.values_right_to_left(args)?;
        let kind = match kind {
            MethodKind::SelfMethod => CallKind::MethodSelf,
            MethodKind::Public => CallKind::MethodPublic,
            MethodKind::Cached => CallKind::MethodCached,
        };
        if kind == CallKind::MethodCached && args.len() < 2 {
            return self.malformed("a cached method call without cache");
        }
        let mut all = vec![object];
        all.extend(atoms(&args));
        let site = CallSite { loc: *loc, inlined: Inline::Default, specialised: Specialise::Default };
        self.apply(Some(method), kind, all, site, target)
    }
}

/// The atoms of values.
pub(crate) fn atoms(values: &[Val]) -> Vec<Simple> {
    values.iter().map(|v| v.simple).collect()
}

/// The attribute in the IR.
pub(crate) fn inline_attribute(inline: Inline) -> InlineAttribute {
    match inline {
        Inline::Default => InlineAttribute::Default,
        Inline::Always => InlineAttribute::Always,
        Inline::Never => InlineAttribute::Never,
        Inline::Hint => InlineAttribute::Hint,
        Inline::Unroll(n) => InlineAttribute::Unroll(n),
    }
}

/// The attribute in the IR.
pub(crate) fn specialise_attribute(specialise: Specialise) -> SpecialiseAttribute {
    match specialise {
        Specialise::Default => SpecialiseAttribute::Default,
        Specialise::Always => SpecialiseAttribute::Always,
        Specialise::Never => SpecialiseAttribute::Never,
    }
}
