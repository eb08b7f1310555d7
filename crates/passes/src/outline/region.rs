//! A part of a function that can become a function of its own.

use flambeau_ir::copy::Copier;
use flambeau_ir::unit::MOST_PARAMETERS;
use flambeau_ir::{
    CallKind, Code, CodeAttributes, CodeId, Continuation, ExnCont, Expr, FunctionKind, Item, Named, Prim,
    Simple, Terminator, Unit, Variable,
};
use flambeau_simplify::size;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What a call is larger than what the size of a body says of one in cold code.
const CALL: u32 = 3;

/// A term that leaves the function, by a raise or a tail call, if it ends.
pub struct Region {
    /// The variables that it takes from around it, in the order of their first uses: one at least.
    pub free: SmallVec<[Variable; 4]>,
    /// Its size, all calls counted in full.
    pub size: u32,
    /// By how much a body is smaller without it, as policies measure that.
    pub removed: u32,
}

impl Region {
    /// The region that a term of a function is, if it can be cut out: it jumps to nothing in the rest of the function,
    /// and takes no more from there than registers hold. Closures are left alone: a copy of the function has slots of
    /// its own, of which what is cut out would know nothing.
    pub fn of(expr: &Expr, code: &Code) -> Option<Region> {
        let mut bound: FxHashSet<Variable> = FxHashSet::default();
        let mut conts: FxHashSet<Continuation> = [code.ret, code.exn].into_iter().collect();
        let (mut movable, mut calls) = (true, 0);
        expr.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { var, named, .. } => {
                        movable &= !is_projection(named);
                        bound.insert(*var);
                    }
                    Item::LetClosures { .. } => movable = false,
                    Item::Join { cont, params, .. } => {
                        conts.insert(*cont);
                        bound.extend(params);
                    }
                    Item::LetCont { handlers, .. } => {
                        for handler in handlers {
                            conts.insert(handler.cont);
                            bound.extend(&handler.params);
                        }
                    }
                }
            }
            if let Terminator::Apply(apply) = &expr.terminator {
                calls += 1;
                movable &= apply.callee.is_none() || apply.kind == CallKind::Generic;
            }
        });
        expr.for_each_cont_use_deep(&mut |cont, _| movable &= conts.contains(&cont));
        let mut free: SmallVec<[Variable; 4]> = SmallVec::new();
        expr.for_each_simple_deep(&mut |simple| {
            if let Simple::Var(var) = simple
                && bound.insert(var)
            {
                movable &= var != code.my_closure;
                free.push(var);
            }
        });
        let fits = (1..=MOST_PARAMETERS).contains(&free.len());
        let removed = size::of(expr, u32::MAX)?;
        let size = removed + CALL * calls;
        (movable && fits).then_some(Region { free, size, removed })
    }

    /// A function that does what a term of another function does, whose region this is: it takes the free variables,
    /// in their order here, and has the other's results and heat. It is not in the unit; its name becomes a part of the
    /// other's.
    pub fn function(&self, term: &Expr, unit: &mut Unit, code: CodeId, name: String) -> Code {
        let my_closure = unit.new_value("my_closure");
        let (ret, exn) = (unit.new_continuation("return"), unit.new_exn_continuation("raise"));
        let data = &unit.codes[code];
        let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
        copier.substitute_continuation(data.ret, ret);
        copier.substitute_exn(data.exn, ExnCont::plain(exn));
        let params = self.free.iter().map(|var| copier.bind_variable(*var)).collect();
        let body = copier.expr(term);
        Code {
            linkage_name: format!("{}_{name}", data.linkage_name),
            params,
            my_closure,
            function_slot: unit.function_slots.push(name),
            ret,
            exn,
            result: data.result,
            kind: FunctionKind::Curried,
            recursive: data.recursive,
            // That it never returns is found by those who make use of it.
            attributes: CodeAttributes { heat: data.attributes.heat, ..CodeAttributes::default() },
            dbg: data.dbg,
            body,
        }
    }
}

fn is_projection(named: &Named) -> bool {
    matches!(
        named,
        Named::Prim {
            prim: Prim::ProjectValueSlot { .. }
                | Prim::ProjectFunctionSlot { .. }
                | Prim::AllocDummyClosure { .. },
            ..
        }
    )
}
