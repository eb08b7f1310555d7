//! Replacing all identifiers that a term mentions or binds.

use crate::prim::Prim;
use crate::stack::deep;
use crate::{
    ApplyCont, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, FunctionSlot, Item, Named, Origin,
    SetOfClosures, Simple, StaticDef, StaticField, Symbol, Terminator, ValueSlot, Variable,
};

/// What becomes of each sort of identifier: by default nothing.
pub trait Remap {
    /// An operand: what it mentions.
    fn simple(&mut self, simple: &mut Simple) {
        match simple {
            Simple::Var(variable) => self.variable(variable),
            Simple::Symbol(symbol) => self.symbol(symbol),
            Simple::Const(_) => {}
        }
    }
    /// A variable, where it is bound and where it is used.
    fn variable(&mut self, _: &mut Variable) {}
    /// A continuation, where it is bound and where it is used.
    fn continuation(&mut self, _: &mut Continuation) {}
    /// A symbol.
    fn symbol(&mut self, _: &mut Symbol) {}
    /// A code, of a set of closures or called directly.
    fn code(&mut self, _: &mut CodeId) {}
    /// A function slot.
    fn function_slot(&mut self, _: &mut FunctionSlot) {}
    /// A value slot.
    fn value_slot(&mut self, _: &mut ValueSlot) {}
    /// A source location.
    fn dbg(&mut self, _: &mut Dbg) {}
    /// Where a call comes from.
    fn origin(&mut self, _: &mut Option<Origin>) {}
    /// What is known of a callee.
    fn call(&mut self, kind: &mut CallKind) {
        if let CallKind::Direct(code) = kind {
            self.code(code);
        }
    }
}

/// Replaces identifiers in a term and all that it nests; not in the codes of its sets of closures.
pub fn expr<R: Remap + ?Sized>(r: &mut R, expr: &mut Expr) {
    deep(|| {
        expr.items.iter_mut().for_each(|i| item(r, i));
        terminator(r, &mut expr.terminator);
    });
}

/// Replaces identifiers in a set of closures.
pub fn set<R: Remap + ?Sized>(r: &mut R, set: &mut SetOfClosures) {
    for (slot, code) in &mut set.functions {
        r.function_slot(slot);
        r.code(code);
    }
    for (slot, value) in &mut set.values {
        r.value_slot(slot);
        r.simple(value);
    }
}

/// Replaces identifiers in static data.
pub fn static_def<R: Remap + ?Sized>(r: &mut R, def: &mut StaticDef) {
    match def {
        StaticDef::Block { symbol, fields, .. } => {
            r.symbol(symbol);
            for field in fields {
                if let StaticField::Symbol(symbol) = field {
                    r.symbol(symbol);
                }
            }
        }
        StaticDef::Closures { symbols, set: s } => {
            symbols.iter_mut().for_each(|symbol| r.symbol(symbol));
            set(r, s);
        }
        StaticDef::Float { symbol, .. }
        | StaticDef::Int32 { symbol, .. }
        | StaticDef::Int64 { symbol, .. }
        | StaticDef::Nativeint { symbol, .. }
        | StaticDef::String { symbol, .. }
        | StaticDef::FloatArray { symbol, .. }
        | StaticDef::Preallocated { symbol, .. } => r.symbol(symbol),
    }
}

fn simples<R: Remap + ?Sized>(r: &mut R, all: &mut [Simple]) {
    all.iter_mut().for_each(|s| r.simple(s));
}

fn variables<R: Remap + ?Sized>(r: &mut R, all: &mut [Variable]) {
    all.iter_mut().for_each(|v| r.variable(v));
}

fn exn<R: Remap + ?Sized>(r: &mut R, exn: &mut ExnCont) {
    r.continuation(&mut exn.cont);
    simples(r, &mut exn.extra_args);
}

fn jump<R: Remap + ?Sized>(r: &mut R, jump: &mut ApplyCont) {
    r.continuation(&mut jump.cont);
    simples(r, &mut jump.args);
}

fn prim<R: Remap + ?Sized>(r: &mut R, prim: &mut Prim) {
    match prim {
        Prim::ProjectValueSlot { function, value } => {
            r.function_slot(function);
            r.value_slot(value);
        }
        Prim::ProjectFunctionSlot { from, to } => {
            r.function_slot(from);
            r.function_slot(to);
        }
        Prim::AllocDummyClosure { function } | Prim::IsClosureOf { function } => r.function_slot(function),
        _ => {}
    }
}

fn item<R: Remap + ?Sized>(r: &mut R, item: &mut Item) {
    match item {
        Item::Let { var, named, dbg } => {
            r.variable(var);
            r.dbg(dbg);
            match named {
                Named::Simple(s) => r.simple(s),
                Named::Prim { prim: p, args, exn: e } => {
                    prim(r, p);
                    simples(r, args);
                    e.iter_mut().for_each(|e| exn(r, e));
                }
            }
        }
        Item::LetClosures { vars, set: s, dbg } => {
            variables(r, vars);
            r.dbg(dbg);
            set(r, s);
        }
        Item::Join { cont, params, body } => {
            r.continuation(cont);
            variables(r, params);
            expr(r, body);
        }
        Item::LetCont { handlers, .. } => {
            for handler in handlers {
                r.continuation(&mut handler.cont);
                variables(r, &mut handler.params);
                expr(r, &mut handler.body);
            }
        }
    }
}

fn terminator<R: Remap + ?Sized>(r: &mut R, terminator: &mut Terminator) {
    match terminator {
        Terminator::Apply(apply) => {
            apply.callee.iter_mut().for_each(|callee| r.simple(callee));
            r.call(&mut apply.kind);
            simples(r, &mut apply.args);
            for ty in &mut apply.types {
                ty.functions_mut(&mut |function| r.simple(function));
            }
            r.continuation(&mut apply.ret);
            exn(r, &mut apply.exn);
            r.dbg(&mut apply.dbg);
            r.origin(&mut apply.origin);
        }
        Terminator::ApplyCont(j) => jump(r, j),
        Terminator::Switch(switch) => {
            r.simple(&mut switch.scrutinee);
            r.dbg(&mut switch.dbg);
            let arms = switch.arms.iter_mut().map(|(_, j)| j);
            arms.chain(&mut switch.default).for_each(|j| jump(r, j));
        }
        Terminator::StringSwitch(switch) => {
            r.simple(&mut switch.scrutinee);
            r.dbg(&mut switch.dbg);
            let arms = switch.arms.iter_mut().map(|(_, j)| j);
            arms.chain(&mut switch.default).for_each(|j| jump(r, j));
        }
        Terminator::Raise { exn: raised, handler, dbg, .. } => {
            r.simple(raised);
            exn(r, handler);
            r.dbg(dbg);
        }
        Terminator::Try { body, handler } => {
            exn(r, handler);
            expr(r, body);
        }
        Terminator::Unreachable => {}
    }
}
