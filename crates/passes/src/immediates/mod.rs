//! Comparisons look first at what decides most of them, and call the runtime system for the rest (features D12):
//! polymorphic ones at whether both values are immediates, those of strings at the first words ([`strings`]).
//! `docs/passes/immediates.md` shows it.
//!
//! The runtime's functions recognise immediates by the same bits, and compare them as the instruction does; one
//! immediate and one pointer they treat specially (blocks that forward, custom blocks), so both are tested.

mod strings;

use cranelift_entity::EntitySet;
use flambeau_ir::prim::{ArrayKind, Comparison, External, IntCmp};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, CodeId, Continuation, Dbg, ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Rewrite, Rewrites,
    Simple, StaticDef, Subkind, Switch, Symbol, Terminator, Unit, Variable, tags,
};
use flambeau_simplify::cold::{self, ColdConts};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Expands the comparisons of a unit, but not what runs once, as the code of the toplevel does outside of loops, nor
/// what each path from raises after. On entry and on exit the unit is well-formed.
pub fn immediates(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let cold: FxHashMap<Option<CodeId>, ColdConts> = unit
        .codes
        .keys()
        .map(Some)
        .chain([None])
        .filter_map(|code| Some((code, cold::of_body(unit, code)?)))
        .collect();
    let mut empty = EntitySet::new();
    for item in &unit.statics {
        if let StaticDef::Block { symbol, tag: 0, fields } = &item.def
            && fields.is_empty()
        {
            empty.insert(*symbol);
        }
    }
    unit.rewrite_bodies(|unit, code, body| {
        let Some(cold) = cold.get(&code) else { return false };
        let mut expansion = Expansion { unit, rewrites, code, cold, empty: &empty, changed: false };
        expansion.expr(body, code.is_some());
        expansion.changed
    })
}

/// What is compared.
#[derive(Clone, Copy)]
enum Compared {
    Any,
    Strings,
    /// Whether that one is `[||]`, or whether it is not.
    WithEmpty(Simple),
}

/// A call of the runtime's comparison.
struct Call {
    comparison: Comparison,
    compared: Compared,
    result: Variable,
    /// The operation, marked as expanded.
    prim: Prim,
    args: SmallVec<[Simple; 3]>,
    exn: Option<Box<ExnCont>>,
    dbg: Dbg,
}

struct Expansion<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    cold: &'a ColdConts,
    /// What is `[||]`.
    empty: &'a EntitySet<Symbol>,
    changed: bool,
}

impl Expansion<'_> {
    /// Expands in a run, as far as it is `worth_it`.
    fn expr(&mut self, expr: &mut Expr, mut worth_it: bool) {
        deep(|| {
            let last = expr.items.len().saturating_sub(1);
            let mut items = Vec::with_capacity(expr.items.len());
            for (number, mut item) in std::mem::take(&mut expr.items).into_iter().enumerate() {
                match &mut item {
                    Item::Join { cont, body, .. } => {
                        self.expr(body, worth_it);
                        worth_it &= !self.cold.contains(cont);
                    }
                    Item::LetCont { recursive, handlers } => {
                        for handler in handlers {
                            let is_hot = worth_it || *recursive;
                            self.expr(&mut handler.body, is_hot && !self.cold.contains(&handler.cont));
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
                let Some(expansion) = worth_it.then(|| self.expansion(&item)).flatten() else {
                    items.push(item);
                    continue;
                };
                // What is only passed on is passed on by each branch.
                match &expr.terminator {
                    Terminator::ApplyCont(next)
                        if number == last && next.args[..] == [expansion.result.into()] =>
                    {
                        let body = self.expand(expansion, next.cont);
                        items.extend(body.items);
                        expr.terminator = body.terminator;
                    }
                    _ => {
                        let (result, cont) = (expansion.result, self.unit.new_continuation("compared"));
                        let body = Box::new(self.expand(expansion, cont));
                        items.push(Item::Join { cont, params: SmallVec::from_slice(&[result]), body });
                    }
                }
            }
            expr.items = items;
            if let Terminator::Try { body, .. } = &mut expr.terminator {
                self.expr(body, worth_it);
            }
        });
    }

    /// The comparison that an item is, if it is to be expanded.
    fn expansion(&mut self, item: &Item) -> Option<Call> {
        let Item::Let { var, named: Named::Prim { prim: Prim::CCall(external), args, exn }, dbg } = item
        else {
            return None;
        };
        if external.tested {
            return None;
        }
        let polymorphic = external.comparison().map(|comparison| (comparison, Compared::Any));
        let of_strings = || {
            let comparison = external.comparison_of_strings().filter(|_| self.has_words())?;
            Some((comparison, Compared::Strings))
        };
        let (comparison, mut compared) = polymorphic.or_else(of_strings)?;
        if let (Comparison::Test(IntCmp::Eq | IntCmp::Ne), Compared::Any) = (comparison, compared)
            && let Some(other) = self.compared_with_empty(args)
        {
            compared = Compared::WithEmpty(other);
        }
        let rewrite = match compared {
            Compared::Any | Compared::WithEmpty(_) => Rewrite::ImmediateComparison,
            Compared::Strings => Rewrite::StringComparison,
        };
        let prim = Prim::CCall(Box::new(External { tested: true, ..External::clone(external) }));
        let call = Call {
            comparison,
            compared,
            result: *var,
            prim,
            args: args.clone(),
            exn: exn.clone(),
            dbg: *dbg,
        };
        self.allow(rewrite).then_some(call)
    }

    /// The term that compares, and passes the result on.
    fn expand(&mut self, call: Call, after: Continuation) -> Expr {
        match call.compared {
            Compared::Any => self.expand_any(call, after),
            Compared::Strings => self.expand_strings(call, after),
            Compared::WithEmpty(other) => self.expand_with_empty(call, other, after),
        }
    }

    /// What is compared with `[||]`.
    fn compared_with_empty(&self, args: &[Simple]) -> Option<Simple> {
        let [x, y] = *args else { return None };
        let is_empty = |atom: Simple| matches!(atom, Simple::Symbol(symbol) if self.empty.contains(symbol));
        match (is_empty(x), is_empty(y)) {
            (true, false) => Some(y),
            (false, true) => Some(x),
            _ => None,
        }
    }

    /// Whether words are computed with as fast as integers.
    fn has_words(&self) -> bool {
        !self.rewrites.machine.has_values_alone()
    }

    fn allow(&mut self, rewrite: Rewrite) -> bool {
        let allowed = self.rewrites.allow(rewrite, self.unit, self.code);
        self.changed |= allowed;
        allowed
    }

    /// ```text
    /// cont slow { let r = c_call (x, y)  after (r) }
    /// cont second { let b = is_int (y)  switch b { 0 -> slow, _ -> fast } }   (* for each argument *)
    /// let a = is_int (x)  switch a { 0 -> slow, _ -> second }
    /// ```
    fn expand_any(&mut self, call: Call, after: Continuation) -> Expr {
        let slow = self.unit.new_continuation("slow");
        let tests: SmallVec<[Simple; 2]> =
            call.args.iter().copied().filter(|arg| !matches!(arg, Simple::Const(_))).collect();
        let (comparison, args, dbg) = (call.comparison, call.args.clone(), call.dbg);
        let handler = self.slow(after, call);
        let mut body = self.fast(after, comparison, IntKind::Tagged, &args, dbg);
        for arg in tests.iter().rev() {
            body = self.test(*arg, slow, body, dbg);
        }
        body.items.insert(0, Item::let_cont(slow, handler));
        body
    }

    /// Of the blocks, only one that forwards can be equal to `[||]` though it is not empty. Empty ones that have the
    /// tag of arrays of floats, which 5.3's `Array.sub` and its like make, are not.
    ///
    /// ```text
    /// cont slow { let r = c_call (x, $empty)  after (r) }
    /// cont forwards { let t = get_tag (x)  switch t { 250 -> slow, _ -> after (0) } }
    /// cont empty { let t = get_tag (x)  switch t { 0 -> after (1), _ -> slow } }
    /// cont block { let n = array_length (x)  switch n { 0 -> empty, _ -> forwards } }
    /// let a = is_int (x)  switch a { 0 -> block, _ -> after (0) }
    /// ```
    fn expand_with_empty(&mut self, call: Call, other: Simple, after: Continuation) -> Expr {
        let dbg = call.dbg;
        let answer = |is_equal: bool| {
            let is_true = (call.comparison == Comparison::Test(IntCmp::Eq)) == is_equal;
            jump(after, &[Simple::tagged(i64::from(is_true))])
        };
        let (equal, differ) = (answer(true), answer(false));
        let [slow, forwards, empty, block] =
            ["slow", "forwards", "empty", "block"].map(|name| self.unit.new_continuation(name));
        let length = self.unit.new_variable("length", Kind::Value, Subkind::Immediate);
        let mut asked = |prim: Prim, args: &[Simple], arm: (i64, ApplyCont), otherwise: ApplyCont| {
            let var = self.unit.new_variable("is", Kind::NakedImmediate, Subkind::Any);
            let switch =
                Switch { scrutinee: var.into(), arms: vec![arm], default: Some(otherwise), dbg, cases: None };
            Expr {
                items: vec![bound(var, prim, args, dbg)],
                terminator: Terminator::Switch(Box::new(switch)),
            }
        };
        let forwarding =
            asked(Prim::GetTag, &[other], (i64::from(tags::FORWARD), jump(slow, &[])), differ.clone());
        let of_tag = asked(Prim::GetTag, &[other], (0, equal), jump(slow, &[]));
        let is_empty = Prim::PhysEqual { negated: false };
        let length_and_zero = [length.into(), Simple::tagged(0)];
        let mut of_length = asked(is_empty, &length_and_zero, (0, jump(forwards, &[])), jump(empty, &[]));
        of_length
            .items
            .insert(0, bound(length, Prim::ArrayLength { kind: ArrayKind::Generic }, &[other], dbg));
        let mut body = asked(Prim::IsInt, &[other], (0, jump(block, &[])), differ);
        let slow_handler = self.slow(after, call);
        let handlers = [(slow, slow_handler), (forwards, forwarding), (empty, of_tag), (block, of_length)];
        body.items.splice(0..0, handlers.into_iter().map(|(cont, handler)| Item::let_cont(cont, handler)));
        body
    }

    fn slow(&mut self, after: Continuation, call: Call) -> Expr {
        let var = self.unit.new_value("compared");
        let named = Named::Prim { prim: call.prim, args: call.args, exn: call.exn };
        let terminator = Terminator::ApplyCont(jump(after, &[var.into()]));
        Expr { items: vec![Item::Let { var, named, dbg: call.dbg }], terminator }
    }

    /// Both are integers of that kind.
    fn fast(
        &mut self,
        after: Continuation,
        comparison: Comparison,
        kind: IntKind,
        args: &[Simple],
        dbg: Dbg,
    ) -> Expr {
        let mut items = Vec::new();
        let mut bind = |var: Variable, prim: Prim, args: &[Simple]| items.push(bound(var, prim, args, dbg));
        let result = self.unit.new_value("compared");
        match comparison {
            Comparison::ThreeWay => bind(result, Prim::IntCompare3 { kind }, args),
            Comparison::Test(op) => {
                let test = self.unit.new_variable("test", Kind::NakedImmediate, Subkind::Any);
                bind(test, Prim::IntCompare { op, kind }, args);
                bind(result, Prim::Tag, &[test.into()]);
            }
        }
        Expr { items, terminator: Terminator::ApplyCont(jump(after, &[result.into()])) }
    }

    /// A body for immediates alone.
    fn test(&mut self, arg: Simple, slow: Continuation, immediate: Expr, dbg: Dbg) -> Expr {
        let is_int = self.unit.new_variable("is_int", Kind::NakedImmediate, Subkind::Any);
        let cont = self.unit.new_continuation("immediate");
        let named = Named::Prim { prim: Prim::IsInt, args: SmallVec::from_slice(&[arg]), exn: None };
        let switch = Switch {
            scrutinee: is_int.into(),
            arms: vec![(0, jump(slow, &[]))],
            default: Some(jump(cont, &[])),
            dbg,
            cases: None,
        };
        Expr {
            items: vec![Item::Let { var: is_int, named, dbg }, Item::let_cont(cont, immediate)],
            terminator: Terminator::Switch(Box::new(switch)),
        }
    }
}

fn bound(var: Variable, prim: Prim, args: &[Simple], dbg: Dbg) -> Item {
    Item::Let { var, named: Named::Prim { prim, args: SmallVec::from_slice(args), exn: None }, dbg }
}

fn jump(cont: Continuation, args: &[Simple]) -> ApplyCont {
    ApplyCont { cont, args: SmallVec::from_slice(args) }
}
