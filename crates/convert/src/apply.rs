//! Applications: direct where the callee is known, and then exact, partial or over-application.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::stack::deep;
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::{
    Apply, ArgType, CallKind, Continuation, Dbg, Elements, Expr, Hashed, HashedShape, Item, Leaf, Prim,
    Rewrite, Simple, Terminator,
};
use flambeau_lambda::prim::FieldMutability;
use flambeau_lambda::term::{self as lambda, Ident, Inline, LocId, Node, NodeId, Specialise};
use flambeau_lambda::{EvaluationOrder, Primitive};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::bigarrays::bigarray_type;
use crate::builder::{Converter, Result, Target};
use crate::env::{Applied, Binding, ClosureInfo, CodeRef, Field, Info, Val};

/// The attributes of an application node, beside callee and arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallSite<'a> {
    /// Of the first arguments.
    pub types: &'a [lambda::ArgType],
    pub loc: LocId,
    pub inlined: Inline,
    pub specialised: Specialise,
}

/// A known function and all of its arguments.
type InTurn = (Val, Rc<ClosureInfo>, Vec<Val>);

/// What is known of the value of a term that is not evaluated yet.
#[derive(Clone)]
enum Outcome {
    Unknown,
    /// A curried function.
    Function {
        arity: usize,
    },
    /// A tupled function.
    Tupled {
        arity: usize,
    },
    Block(Rc<[Field]>),
}

impl Outcome {
    fn of(info: &Info) -> Outcome {
        match info {
            Info::Closure(closure) if closure.tupled => Outcome::Tupled { arity: closure.arity },
            Info::Closure(closure) => Outcome::Function { arity: closure.arity },
            Info::Block(fields) => Outcome::Block(fields.clone()),
            Info::Unknown | Info::Boxed(..) | Info::Applied(_) => Outcome::Unknown,
        }
    }
}

impl<'a> Converter<'a> {
    /// Terms from right to left; the values in the order of the terms.
    pub fn values_right_to_left(&mut self, nodes: &[NodeId]) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes.iter().rev() {
            values.push(self.value(*node)?);
        }
        values.reverse();
        Ok(values)
    }

    /// `Lapply` in tail position, and what is known of its result.
    pub fn application(&mut self, node: NodeId, target: &Target) -> Result<(Terminator, Info)> {
        let Node::Apply { func, args, types, loc, inlined, specialised, .. } = self.node(node) else {
            return self.malformed("an application was expected");
        };
        let site = CallSite { types, loc: *loc, inlined: *inlined, specialised: *specialised };
        if args.is_empty() {
            // Other producers of Lambda make these (soundness row 50).
            let func = self.value(*func)?;
            return Ok((self.jump(target, func.simple), Info::Unknown));
        }
        if let Node::MutVar(_) = self.node(*func) {
            // `!f (f := g)` calls `g`, in bytecode and in stock native code (soundness row 4).
            let args = atoms(&self.values_right_to_left(args)?);
            let func = self.value(*func)?;
            return Ok((self.generic_call(func.simple, args, site, target)?, Info::Unknown));
        }
        if let Some((callee, closure, args)) = self.applied_in_turn(*func, args)? {
            let info = self.result(&closure, &args);
            let site = CallSite { types: &[], ..site };
            return Ok((self.direct_call(callee.simple, &closure, atoms(&args), site, target)?, info));
        }
        let evaluated =
            if self.comes_last(*func, args) { Some(self.values_right_to_left(args)?) } else { None };
        let func = self.value(*func)?;
        let closure = match &func.info {
            Info::Closure(closure) if self.rewrites.allow_in_unit(Rewrite::ConvertedCall) => {
                Some(closure.clone())
            }
            _ => None,
        };
        if let Some(closure) = &closure
            && closure.tupled
            && evaluated.is_none()
            && let Some(fields) = self.visible_tuple(args, closure.arity)
        {
            let site = CallSite { types: &[], ..site };
            let fields = atoms(&self.values_right_to_left(fields)?);
            return Ok((self.direct_call(func.simple, closure, fields, site, target)?, Info::Unknown));
        }
        let args = match evaluated {
            Some(values) => values,
            None => self.values_right_to_left(args)?,
        };
        let info = closure.as_ref().map_or(Info::Unknown, |closure| self.result(closure, &args));
        Ok((self.call(&func, closure.as_ref(), atoms(&args), site, target)?, info))
    }

    /// A known function of another unit that is applied to all of its arguments, but in several applications, as
    /// `F (A) (B)` is in Lambda: those before the last call nothing. The function and the arguments, evaluated. (In a
    /// partial application a functor of the unit itself is inlined for what is known of its arguments; of one of
    /// another unit it is better known what the call makes.)
    fn applied_in_turn(&mut self, func: NodeId, args: &[NodeId]) -> Result<Option<InTurn>> {
        let (mut applied, mut callee) = (vec![args], func);
        while let Node::Apply { func, args, inlined, specialised, .. } = self.node(callee)
            && !args.is_empty()
            && *inlined == Inline::Default
            && *specialised == Specialise::Default
        {
            applied.push(args);
            callee = *func;
        }
        if applied.len() == 1 || !self.is_fixed(callee) {
            return Ok(None);
        }
        let callee = self.value(callee)?;
        let arity = applied.iter().map(|args| args.len()).sum::<usize>();
        let closure = match &callee.info {
            Info::Closure(closure)
                if !closure.tupled
                    && closure.arity == arity
                    && matches!(closure.code, CodeRef::External(_))
                    && self.rewrites.allow_in_unit(Rewrite::ConvertedCall) =>
            {
                closure.clone()
            }
            _ => return Ok(None),
        };
        // The last application's arguments are evaluated first where those of all applications are.
        let comes_last = self.comes_last(func, args);
        if !comes_last {
            applied.reverse();
        }
        let mut values = Vec::with_capacity(applied.len());
        for args in applied {
            values.push(self.values_right_to_left(args)?);
        }
        if comes_last {
            values.reverse();
        }
        Ok(Some((callee, closure, values.concat())))
    }

    /// A call of what may be known, with arguments that are evaluated.
    fn call(
        &mut self,
        func: &Val,
        closure: Option<&Rc<ClosureInfo>>,
        args: Vec<Simple>,
        site: CallSite<'_>,
        target: &Target,
    ) -> Result<Terminator> {
        let Some(closure) = closure else {
            return self.generic_call(func.simple, args, site, target);
        };
        if closure.tupled {
            return self.tupled_call(func, closure, args, site, target);
        }
        match args.len().cmp(&closure.arity) {
            std::cmp::Ordering::Equal => self.direct_call(func.simple, closure, args, site, target),
            std::cmp::Ordering::Greater => {
                let (now, later) = args.split_at(closure.arity);
                let (now, later) = (now.to_vec(), later.to_vec());
                let partial = self
                    .call_value(|this, target| this.direct_call(func.simple, closure, now, site, target))?;
                let site = CallSite { types: &[], ..site };
                self.call_with(partial, &closure.result.clone(), later, site, target)
            }
            std::cmp::Ordering::Less => {
                let value = self.partial_application(func, closure, args, site)?;
                Ok(self.jump(target, value.simple))
            }
        }
    }

    /// What is known of the result of a call.
    fn result(&self, closure: &ClosureInfo, args: &[Val]) -> Info {
        if closure.tupled || closure.arity != args.len() {
            return Info::Unknown;
        }
        self.applied(closure, args).unwrap_or_else(|| closure.result.clone())
    }

    /// The result of a call at the toplevel, described as an application, if the function may be a functor: one of its
    /// arguments looks like a module, and something is known of all.
    fn applied(&self, closure: &ClosureInfo, args: &[Val]) -> Option<Info> {
        let is_module = |arg: &Val| matches!(arg.info, Info::Block(_) | Info::Applied(_));
        let is_known = |arg: &Val| arg.is_static() || !matches!(arg.info, Info::Unknown | Info::Boxed(..));
        if self.in_function
            || closure.needs_closure
            || !args.iter().any(is_module)
            || !args.iter().all(is_known)
        {
            return None;
        }
        Some(Info::Applied(Rc::new(Applied {
            code: closure.code.clone(),
            args: args.iter().map(Val::as_field).collect(),
            path: Vec::new(),
        })))
    }

    /// A call whose arguments are evaluated, of a callee that is the result of another call. It is not called directly
    /// if it needs its closure: the other call may be inlined, and its result is then a closure of another code.
    fn call_with(
        &mut self,
        callee: Simple,
        info: &Info,
        args: Vec<Simple>,
        site: CallSite<'_>,
        target: &Target,
    ) -> Result<Terminator> {
        match info {
            Info::Closure(closure)
                if !closure.tupled && !closure.needs_closure && closure.arity == args.len() =>
            {
                let closure = closure.clone();
                self.direct_call(callee, &closure, args, site, target)
            }
            _ => self.generic_call(callee, args, site, target),
        }
    }

    /// Whether the function of an application is evaluated after the arguments, as in the stock native code of the
    /// version ([`EvaluationOrder`]; soundness row 4; ocaml#7531). The order matters only for a function term that has
    /// effects, or reads what the arguments may change.
    fn comes_last(&self, node: NodeId, args: &[NodeId]) -> bool {
        let compound = matches!(
            self.node(node),
            Node::Event { .. }
                | Node::IfUsed { .. }
                | Node::Sequence { .. }
                | Node::Let { .. }
                | Node::MutLet { .. }
                | Node::LetRec { .. }
        );
        let outcome = || self.outcome(&mut FxHashMap::default(), node);
        match self.order {
            EvaluationOrder::Quirks413 => {
                compound && matches!(outcome(), Outcome::Function { arity } if arity != args.len())
            }
            EvaluationOrder::UnknownFunctionFirst => {
                compound
                    && match outcome() {
                        Outcome::Function { .. } => true,
                        Outcome::Tupled { arity } => self.visible_tuple(args, arity).is_some(),
                        Outcome::Unknown | Outcome::Block(_) => false,
                    }
            }
            EvaluationOrder::FunctionLast => !self.is_fixed(node),
        }
    }

    /// Whether a term may be evaluated at any time: it has no effects, and what it reads does not change.
    fn is_fixed(&self, mut node: NodeId) -> bool {
        loop {
            node = match self.node(node) {
                Node::Event { body, .. } | Node::IfUsed { body, .. } => *body,
                Node::Var(id) => return matches!(self.env[id.0 as usize], Binding::Immutable(_)),
                Node::Const(_) | Node::Function(_) => return true,
                Node::Prim { prim, args, .. } => match (&**prim, args.as_slice()) {
                    (Primitive::GetGlobal(_), []) => return true,
                    (Primitive::Field { mutability, .. }, [block])
                        if *mutability != FieldMutability::Mutable =>
                    {
                        *block
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// What is known of a term's value before it is evaluated. `local`: the values of variables that are bound in it.
    fn outcome(&self, local: &mut FxHashMap<Ident, Outcome>, mut node: NodeId) -> Outcome {
        loop {
            match self.node(node) {
                Node::Event { body, .. } | Node::IfUsed { body, .. } | Node::MutLet { body, .. } => {
                    node = *body;
                }
                Node::Sequence { second, .. } => node = *second,
                Node::Let { id, def, body, .. } => {
                    let outcome = deep(|| self.outcome(local, *def));
                    local.insert(*id, outcome);
                    node = *body;
                }
                Node::LetRec { defs, body } => {
                    for (id, def) in defs {
                        let outcome = deep(|| self.outcome(local, *def));
                        local.insert(*id, outcome);
                    }
                    node = *body;
                }
                Node::Function(function) => {
                    let arity = function.params.len();
                    return if function.tupled {
                        Outcome::Tupled { arity }
                    } else {
                        Outcome::Function { arity }
                    };
                }
                Node::Var(id) => {
                    return local.get(id).cloned().unwrap_or_else(|| match &self.env[id.0 as usize] {
                        Binding::Immutable(value) => Outcome::of(&value.info),
                        _ => Outcome::Unknown,
                    });
                }
                Node::Prim { prim, args, .. } => {
                    return match (&**prim, args.as_slice()) {
                        (Primitive::GetGlobal(global), []) => self
                            .globals
                            .get(*global as usize)
                            .map_or(Outcome::Unknown, |(_, info)| Outcome::of(info)),
                        (Primitive::Field { field, .. }, [block]) if self.is_own_module(*block) => self
                            .module_fields
                            .get(*field as usize)
                            .map_or(Outcome::Unknown, |known| Outcome::of(&known.field.info)),
                        (Primitive::Field { field, .. }, [block]) => {
                            match deep(|| self.outcome(local, *block)) {
                                Outcome::Block(fields) => fields
                                    .get(*field as usize)
                                    .map_or(Outcome::Unknown, |known| Outcome::of(&known.info)),
                                _ => Outcome::Unknown,
                            }
                        }
                        _ => Outcome::Unknown,
                    };
                }
                _ => return Outcome::Unknown,
            }
        }
    }

    /// The fields of the only argument, if that is a tuple literal of this many.
    fn visible_tuple(&self, args: &[NodeId], arity: usize) -> Option<&'a [NodeId]> {
        let [arg] = args else { return None };
        match self.node(*arg) {
            Node::Prim { prim, args: fields, .. }
                if matches!(**prim, Primitive::MakeBlock { .. }) && fields.len() == arity =>
            {
                Some(fields)
            }
            _ => None,
        }
    }

    /// A tupled function applied to a tuple that exists.
    fn tupled_call(
        &mut self,
        func: &Val,
        closure: &Rc<ClosureInfo>,
        args: Vec<Simple>,
        site: CallSite<'_>,
        target: &Target,
    ) -> Result<Terminator> {
        let [tuple] = args.as_slice() else {
            return self.generic_call(func.simple, args, site, target);
        };
        let mut fields = Vec::with_capacity(closure.arity);
        for field in 0..closure.arity as u32 {
            let prim = Prim::BlockLoad { field, mutability: Mutability::Immutable };
            fields.push(self.prim("field", prim, &[*tuple], site.loc));
        }
        let site = CallSite { types: &[], ..site };
        self.direct_call(func.simple, closure, fields, site, target)
    }

    fn direct_call(
        &mut self,
        callee: Simple,
        closure: &ClosureInfo,
        args: Vec<Simple>,
        site: CallSite<'_>,
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
        site: CallSite<'_>,
        target: &Target,
    ) -> Result<Terminator> {
        self.generic_calls += 1;
        self.apply(Some(callee), CallKind::Generic, args, site, target)
    }

    /// Ends the run with a call. A target that takes more than the result gets it through a continuation.
    pub fn apply(
        &mut self,
        callee: Option<Simple>,
        kind: CallKind,
        args: Vec<Simple>,
        site: CallSite<'_>,
        target: &Target,
    ) -> Result<Terminator> {
        if target.takes_value && target.mutables.is_empty() {
            return self.apply_to(callee, kind, args, site, target.cont);
        }
        let result = self.call_value(|this, inner| this.apply_to(callee, kind, args, site, inner.cont))?;
        Ok(self.jump(target, result))
    }

    fn apply_to(
        &mut self,
        callee: Option<Simple>,
        kind: CallKind,
        args: Vec<Simple>,
        site: CallSite<'_>,
        ret: Continuation,
    ) -> Result<Terminator> {
        let types = site.types.iter().map(|ty| self.arg_type(ty)).collect::<Result<_>>()?;
        Ok(Terminator::Apply(Box::new(Apply {
            callee,
            kind,
            args,
            types,
            ret,
            exn: self.exn_cont(),
            dbg: Dbg(site.loc.0),
            inlined: inline_attribute(site.inlined),
            specialised: specialise_attribute(site.specialised),
            depth: 0,
            origin: None,
            heat: flambeau_ir::Heat::Unknown,
        })))
    }

    fn arg_type(&mut self, ty: &lambda::ArgType) -> Result<ArgType> {
        use lambda::ArgType as L;
        Ok(match ty {
            L::Unknown => ArgType::Unknown,
            L::Immediate => ArgType::Immediate,
            L::Compared { compare, equal, total, elements, hashed } => {
                let (compare, equal) = (self.value(*compare)?.simple, self.value(*equal)?.simple);
                let elements = match elements {
                    lambda::Elements::Values => Elements::Values,
                    lambda::Elements::Floats => Elements::Floats,
                    lambda::Elements::MaybeBoxes => Elements::MaybeBoxes,
                };
                let hashed = Hashed(hashed.0.iter().map(hashed_shape).collect());
                ArgType::Compared { compare, equal, total: *total, elements, hashed }
            }
            L::Array(element) => ArgType::Array(Box::new(self.arg_type(element)?)),
            L::Block(fields) => {
                ArgType::Block(fields.iter().map(|field| self.arg_type(field)).collect::<Result<_>>()?)
            }
            L::Bigarray(kind, layout) => bigarray_type(*kind, *layout),
            L::Enclosing(depth) => ArgType::Enclosing(*depth),
            L::Variable(_) => ArgType::Unknown,
            L::Function(params, result) => {
                let params = params.iter().map(|param| self.arg_type(param)).collect::<Result<_>>()?;
                ArgType::Function(params, Box::new(self.arg_type(result)?))
            }
        })
    }

    /// The result of a call that is not in tail position: the rest of the run is its continuation.
    pub fn call_value(
        &mut self,
        build: impl FnOnce(&mut Self, &Target) -> Result<Terminator>,
    ) -> Result<Simple> {
        let cont = self.unit.new_continuation("after");
        let target = Target { cont, takes_value: true, mutables: Rc::from([]) };
        let body: Expr = self.isolated(|this| build(this, &target))?;
        let result = self.unit.new_value("result");
        self.items.push(Item::Join { cont, params: smallvec![result], body: Box::new(body) });
        Ok(result.into())
    }

    /// A call, in tail position, of the code with that name of the linker: a function of the runtime or of another
    /// unit. Its effects are unknown: it may run any code (a handler of effects), raise, or return after that.
    pub fn call_of_symbol(
        &mut self,
        symbol: &str,
        args: &[NodeId],
        loc: LocId,
        inlined: Inline,
        target: &Target,
    ) -> Result<Terminator> {
        let args = atoms(&self.values_right_to_left(args)?);
        let site = CallSite { types: &[], loc, inlined, specialised: Specialise::Never };
        self.apply(None, CallKind::DirectExternal(symbol.to_owned()), args, site, target)
    }
}

/// The atoms of values.
pub(crate) fn atoms(values: &[Val]) -> Vec<Simple> {
    values.iter().map(|v| v.simple).collect()
}

/// The inlining attribute of a function or call in the IR.
pub(crate) fn inline_attribute(inline: Inline) -> InlineAttribute {
    match inline {
        Inline::Default => InlineAttribute::Default,
        Inline::Always => InlineAttribute::Always,
        Inline::Never => InlineAttribute::Never,
        Inline::Hint => InlineAttribute::Hint,
        Inline::Unroll(n) => InlineAttribute::Unroll(n),
    }
}

/// The specialisation attribute of a call in the IR.
pub(crate) fn specialise_attribute(specialise: Specialise) -> SpecialiseAttribute {
    match specialise {
        Specialise::Default => SpecialiseAttribute::Default,
        Specialise::Always => SpecialiseAttribute::Always,
        Specialise::Never => SpecialiseAttribute::Never,
    }
}

/// A type over type variables: nothing else is known in it.
pub(crate) fn shape(ty: &lambda::ArgType) -> ArgType {
    use lambda::ArgType as L;
    let all = |types: &[L]| types.iter().map(shape).collect();
    match ty {
        L::Unknown | L::Immediate | L::Compared { .. } | L::Bigarray(..) => ArgType::Unknown,
        L::Variable(number) => ArgType::Variable(*number),
        L::Array(element) => ArgType::Array(Box::new(shape(element))),
        L::Block(fields) => ArgType::Block(all(fields)),
        L::Enclosing(depth) => ArgType::Enclosing(*depth),
        L::Function(params, result) => ArgType::Function(all(params), Box::new(shape(result))),
    }
}

fn hashed_shape(shape: &lambda::HashedShape) -> HashedShape {
    match shape {
        lambda::HashedShape::Leaf(leaf) => HashedShape::Leaf(hashed_leaf(*leaf)),
        lambda::HashedShape::Block(tag, fields) => {
            HashedShape::Block(*tag, fields.iter().map(hashed_shape).collect())
        }
    }
}

fn hashed_leaf(leaf: lambda::Leaf) -> Leaf {
    match leaf {
        lambda::Leaf::Immediate => Leaf::Immediate,
        lambda::Leaf::Float => Leaf::Float,
        lambda::Leaf::String => Leaf::String,
        lambda::Leaf::Int32 => Leaf::Int32,
        lambda::Leaf::Int64 => Leaf::Int64,
        lambda::Leaf::Nativeint => Leaf::Nativeint,
    }
}
