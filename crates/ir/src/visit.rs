//! Looking through terms: what an item or a terminator uses, binds and nests.
//!
//! The methods on [`Item`] and [`Terminator`] look at that node alone: they do not enter nested terms.
//! [`Expr::walk`] enters them all, with a stack of its own, so that depth can't overflow ours.

use smallvec::SmallVec;

use crate::term::StringSwitch;
use crate::{
    Apply, ApplyCont, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, FunctionSlot, Item, Named, Prim,
    SetOfClosures, Simple, StaticDef, Switch, Symbol, Terminator, Variable,
};

/// How a continuation is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContUse {
    /// As the target of a jump, or as the return continuation of a call.
    Jump,
    /// As the exception continuation of a call, a raise or a primitive.
    Raise,
    /// As the handler of a [`Terminator::Try`].
    Handler,
}

/// How a place that knows of a closure which function that is names the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownFunction {
    /// By its slot in sets of closures.
    Slot(FunctionSlot),
    /// By its code.
    Code(CodeId),
}

impl ExnCont {
    /// Each extra argument.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        self.extra_args.iter().for_each(|&arg| f(arg));
    }
}

impl ApplyCont {
    /// Each argument.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        self.args.iter().for_each(|&arg| f(arg));
    }
}

impl SetOfClosures {
    /// Each captured value.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        self.values.iter().for_each(|&(_, value)| f(value));
    }
}

impl Named {
    /// Each operand, the extra arguments of the exception continuation included.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        match self {
            Named::Simple(simple) => f(*simple),
            Named::Prim { args, exn, .. } => {
                args.iter().for_each(|&arg| f(arg));
                if let Some(exn) = exn {
                    exn.for_each_simple(f);
                }
            }
        }
    }

    /// The exception continuation, if there is one.
    #[must_use]
    pub fn exn(&self) -> Option<&ExnCont> {
        match self {
            Named::Simple(_) => None,
            Named::Prim { exn, .. } => exn.as_deref(),
        }
    }
}

impl Apply {
    /// The functions that compare values of the types of arguments.
    pub fn for_each_comparator(&self, f: &mut impl FnMut(Simple)) {
        self.types.iter().for_each(|ty| ty.for_each_function(f));
    }

    /// The callee and the arguments, the extra arguments of the exception continuation included, and the functions that
    /// compare values of their types.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        self.callee.iter().for_each(|&callee| f(callee));
        self.args.iter().for_each(|&arg| f(arg));
        self.for_each_comparator(f);
        self.exn.for_each_simple(f);
    }
}

impl Switch {
    /// Each jump, the default last.
    pub fn for_each_jump<'e>(&'e self, f: &mut impl FnMut(&'e ApplyCont)) {
        self.arms.iter().for_each(|(_, jump)| f(jump));
        self.default.iter().for_each(f);
    }

    /// Each jump, the default last, to be changed.
    pub fn for_each_jump_mut(&mut self, f: &mut impl FnMut(&mut ApplyCont)) {
        self.arms.iter_mut().map(|(_, jump)| jump).chain(&mut self.default).for_each(f);
    }
}

impl StringSwitch {
    /// Each jump, the default last.
    pub fn for_each_jump<'e>(&'e self, f: &mut impl FnMut(&'e ApplyCont)) {
        self.arms.iter().for_each(|(_, jump)| f(jump));
        self.default.iter().for_each(f);
    }

    /// Each jump, the default last, to be changed.
    pub fn for_each_jump_mut(&mut self, f: &mut impl FnMut(&mut ApplyCont)) {
        self.arms.iter_mut().map(|(_, jump)| jump).chain(&mut self.default).for_each(f);
    }
}

impl Item {
    /// Each atom used by the item itself.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        match self {
            Item::Let { named, .. } => named.for_each_simple(f),
            Item::LetClosures { set, .. } => set.for_each_simple(f),
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Each variable that the item binds in the remainder of its run. The parameters of the handlers of
    /// a [`Item::LetCont`] are bound in the handlers alone, and not passed to `f`.
    pub fn for_each_bound(&self, f: &mut impl FnMut(Variable)) {
        match self {
            Item::Let { var, .. } => f(*var),
            Item::LetClosures { vars, .. } => vars.iter().for_each(|&var| f(var)),
            Item::Join { params, .. } => params.iter().for_each(|&var| f(var)),
            Item::LetCont { .. } => {}
        }
    }

    /// Each use of a continuation by the item itself.
    pub fn for_each_cont_use(&self, f: &mut impl FnMut(Continuation, ContUse)) {
        if let Item::Let { named, .. } = self
            && let Some(exn) = named.exn()
        {
            f(exn.cont, ContUse::Raise);
        }
    }

    /// Each nested term.
    pub fn for_each_child<'e>(&'e self, f: &mut impl FnMut(&'e Expr)) {
        match self {
            Item::Let { .. } | Item::LetClosures { .. } => {}
            Item::Join { body, .. } => f(body),
            Item::LetCont { handlers, .. } => handlers.iter().for_each(|handler| f(&handler.body)),
        }
    }
}

impl Terminator {
    /// Each jump with arguments: the return continuation of a call is not among them.
    pub fn for_each_jump(&self, f: &mut impl FnMut(&ApplyCont)) {
        match self {
            Terminator::ApplyCont(jump) => f(jump),
            Terminator::Switch(switch) => switch.for_each_jump(f),
            Terminator::StringSwitch(switch) => switch.for_each_jump(f),
            Terminator::Apply(_)
            | Terminator::Raise { .. }
            | Terminator::Try { .. }
            | Terminator::Unreachable => {}
        }
    }

    /// Each jump with arguments, to be changed.
    pub fn for_each_jump_mut(&mut self, f: &mut impl FnMut(&mut ApplyCont)) {
        match self {
            Terminator::ApplyCont(jump) => f(jump),
            Terminator::Switch(switch) => switch.for_each_jump_mut(f),
            Terminator::StringSwitch(switch) => switch.for_each_jump_mut(f),
            Terminator::Apply(_)
            | Terminator::Raise { .. }
            | Terminator::Try { .. }
            | Terminator::Unreachable => {}
        }
    }

    /// Each atom used by the terminator itself.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        match self {
            Terminator::Apply(apply) => apply.for_each_simple(f),
            Terminator::ApplyCont(jump) => jump.for_each_simple(f),
            Terminator::Switch(switch) => {
                f(switch.scrutinee);
                switch.for_each_jump(&mut |jump| jump.for_each_simple(f));
            }
            Terminator::StringSwitch(switch) => {
                f(switch.scrutinee);
                switch.for_each_jump(&mut |jump| jump.for_each_simple(f));
            }
            Terminator::Raise { exn, handler, .. } => {
                f(*exn);
                handler.for_each_simple(f);
            }
            Terminator::Try { handler, .. } => handler.for_each_simple(f),
            Terminator::Unreachable => {}
        }
    }

    /// Each use of a continuation by the terminator itself.
    pub fn for_each_cont_use(&self, f: &mut impl FnMut(Continuation, ContUse)) {
        match self {
            Terminator::Apply(apply) => {
                f(apply.ret, ContUse::Jump);
                f(apply.exn.cont, ContUse::Raise);
            }
            Terminator::ApplyCont(jump) => f(jump.cont, ContUse::Jump),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| f(jump.cont, ContUse::Jump)),
            Terminator::StringSwitch(switch) => switch.for_each_jump(&mut |jump| f(jump.cont, ContUse::Jump)),
            Terminator::Raise { handler, .. } => f(handler.cont, ContUse::Raise),
            Terminator::Try { handler, .. } => f(handler.cont, ContUse::Handler),
            Terminator::Unreachable => {}
        }
    }

    /// The nested term, if there is one.
    #[must_use]
    pub fn child(&self) -> Option<&Expr> {
        match self {
            Terminator::Try { body, .. } => Some(body),
            _ => None,
        }
    }
}

impl Expr {
    /// Passes this term and all terms nested in it to `f`, outer before inner, in the order of the text.
    pub fn walk<'e>(&'e self, f: &mut impl FnMut(&'e Expr)) {
        let mut pending: SmallVec<[&Expr; 16]> = SmallVec::new();
        pending.push(self);
        while let Some(expr) = pending.pop() {
            f(expr);
            let first = pending.len();
            for item in &expr.items {
                item.for_each_child(&mut |child| pending.push(child));
            }
            if let Some(child) = expr.terminator.child() {
                pending.push(child);
            }
            pending[first..].reverse();
        }
    }

    /// Passes this term and all terms nested in it to `f`, outer before inner, to be changed.
    pub fn walk_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        let mut pending = vec![self];
        while let Some(expr) = pending.pop() {
            f(expr);
            for item in &mut expr.items {
                match item {
                    Item::Join { body, .. } => pending.push(body),
                    Item::LetCont { handlers, .. } => {
                        pending.extend(handlers.iter_mut().map(|handler| &mut handler.body));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            if let Terminator::Try { body, .. } = &mut expr.terminator {
                pending.push(body);
            }
        }
    }

    /// Changes each source location in this term and in all terms nested in it.
    pub fn map_places(&mut self, f: &mut impl FnMut(Dbg) -> Dbg) {
        self.walk_mut(&mut |expr| {
            for item in &mut expr.items {
                if let Item::Let { dbg, .. } | Item::LetClosures { dbg, .. } = item {
                    *dbg = f(*dbg);
                }
            }
            match &mut expr.terminator {
                Terminator::Apply(apply) => apply.dbg = f(apply.dbg),
                Terminator::Switch(switch) => switch.dbg = f(switch.dbg),
                Terminator::StringSwitch(switch) => switch.dbg = f(switch.dbg),
                Terminator::Raise { dbg, .. } => *dbg = f(*dbg),
                Terminator::ApplyCont(_) | Terminator::Try { .. } | Terminator::Unreachable => {}
            }
        });
    }

    /// Each set of closures that this term binds, those in the codes of these sets apart.
    pub fn for_each_set(&self, f: &mut impl FnMut(&SetOfClosures)) {
        self.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::LetClosures { set, .. } = item {
                    f(set);
                }
            }
        });
    }

    /// Each function of the sets of closures that this term, and the terms nested in it, allocate.
    pub fn for_each_code_made(&self, f: &mut impl FnMut(CodeId)) {
        self.for_each_set(&mut |set| set.functions.iter().for_each(|(_, code)| f(*code)));
    }

    /// Whether this term, or a term nested in it, allocates a set of closures.
    #[must_use]
    pub fn makes_closures(&self) -> bool {
        let mut makes = false;
        self.for_each_set(&mut |_| makes = true);
        makes
    }

    /// Each place in this term, and in terms nested in it, that knows of a closure of which function that is: it reads
    /// what the closure has captured, or finds another one of its set, by its slot; or calls it directly. With how the
    /// function is named there, and the closure.
    pub fn for_each_known_closure(&self, f: &mut impl FnMut(KnownFunction, Simple)) {
        self.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item
                    && let Prim::ProjectValueSlot { function: slot, .. }
                    | Prim::ProjectFunctionSlot { from: slot, .. } = prim
                {
                    f(KnownFunction::Slot(*slot), args[0]);
                }
            }
            if let Terminator::Apply(apply) = &expr.terminator
                && let (CallKind::Direct(code), Some(callee)) = (&apply.kind, apply.callee)
            {
                f(KnownFunction::Code(*code), callee);
            }
        });
    }

    /// Each atom used in this term and in all terms nested in it.
    pub fn for_each_simple_deep(&self, f: &mut impl FnMut(Simple)) {
        self.walk(&mut |expr| {
            expr.items.iter().for_each(|item| item.for_each_simple(f));
            expr.terminator.for_each_simple(f);
        });
    }

    /// Each use of a continuation in this term and in all terms nested in it.
    pub fn for_each_cont_use_deep(&self, f: &mut impl FnMut(Continuation, ContUse)) {
        self.walk(&mut |expr| {
            expr.items.iter().for_each(|item| item.for_each_cont_use(f));
            expr.terminator.for_each_cont_use(f);
        });
    }

    /// Drops the term without recursion. Rust's own drop recurses with the nesting, and overflows the
    /// stack of a thread at some ten thousands of levels.
    pub fn dismantle(self) {
        let mut pending = vec![self];
        while let Some(Expr { items, terminator }) = pending.pop() {
            for item in items {
                match item {
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                    Item::Join { body, .. } => pending.push(*body),
                    Item::LetCont { handlers, .. } => {
                        pending.extend(handlers.into_iter().map(|handler| handler.body));
                    }
                }
            }
            if let Terminator::Try { body, .. } = terminator {
                pending.push(*body);
            }
        }
    }
}

impl StaticDef {
    /// The symbols defined: one, or one for each function of a set of closures.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        match self {
            StaticDef::Block { symbol, .. }
            | StaticDef::Float { symbol, .. }
            | StaticDef::Int32 { symbol, .. }
            | StaticDef::Int64 { symbol, .. }
            | StaticDef::Nativeint { symbol, .. }
            | StaticDef::String { symbol, .. }
            | StaticDef::FloatArray { symbol, .. }
            | StaticDef::Preallocated { symbol, .. } => std::slice::from_ref(symbol),
            StaticDef::Closures { symbols, .. } => symbols,
        }
    }

    /// Each atom that it mentions: the fields of a block, what a set of closures has captured.
    pub fn for_each_simple(&self, f: &mut impl FnMut(Simple)) {
        match self {
            StaticDef::Block { fields, .. } => fields.iter().for_each(|field| f(field.simple())),
            StaticDef::Closures { set, .. } => set.for_each_simple(f),
            StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. }
            | StaticDef::String { .. }
            | StaticDef::FloatArray { .. }
            | StaticDef::Preallocated { .. } => {}
        }
    }
}
