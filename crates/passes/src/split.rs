//! Function splitting: where a recursive function mostly ends at once, who calls it decides whether it does.
//! `docs/passes/split.md` shows it.
//!
//! A function that calls itself twice on a path, of which one call may have become a loop, ends without another call as
//! often as it goes on. What it decides first, and what it does where it ends, takes the place of its calls of itself;
//! where it goes on becomes a function of its own, which is entered behind the decision.

use flambeau_ir::copy::Copier;
use flambeau_ir::prim::Crossing;
use flambeau_ir::stack::deep;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, CodeId, ContHandler, Continuation, ExnCont, Expr, Heat, Item,
    Named, Prim, Rewrite, Rewrites, Simple, Terminator, Unit, Variable,
};
use flambeau_simplify::{export, size};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::outline::Region;
use crate::recursion;

/// A larger beginning stays in the function.
const BEGINNING: u32 = 16;
/// What all copies of a beginning may take.
const COPIES: u32 = 64;

/// So many other calls of a function are worth not having the function.
const FEW: usize = 2;

/// Splits the recursive functions of a unit that call themselves more than once on a path, and returns in which
/// functions calls were decided, the entry without a code. What is left of a function may be dead. On entry and on exit
/// the unit is well-formed.
pub fn split_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let (mut split, mut decided) = (Vec::new(), Vec::new());
    for code in recursion::alone(unit) {
        if may_be_split(unit, code)
            && let Some(parts) = Parts::of(unit, code)
            && rewrites.allow(Rewrite::Splitting, unit, Some(code))
        {
            decided.push(Some(parts.split(unit, code)));
            split.push(code);
        }
    }
    if !split.is_empty() {
        enter_behind(unit, &split, &mut decided);
    }
    decided
}

/// Whether its calls of itself may be inlined. What other units copy for their arguments stays one function.
fn may_be_split(unit: &Unit, code: CodeId) -> bool {
    let data = &unit.codes[code];
    let CodeAttributes { inline, is_functor, stub, no_poll, no_return, heat, .. } = data.attributes;
    data.recursive
        && !(stub || is_functor || no_poll || no_return)
        && inline != InlineAttribute::Never
        && heat != Heat::Never
        && !export::is_copied(unit, code)
}

/// Inlines what is left of functions that were split where few calls are all that mentions them.
fn enter_behind(unit: &mut Unit, split: &[CodeId], decided: &mut Vec<Option<CodeId>>) {
    let mut mentions: FxHashMap<CodeId, usize> = split.iter().map(|code| (*code, 0)).collect();
    unit.for_each_set(&mut |_, set| {
        for (_, code) in &set.functions {
            mentions.remove(code);
        }
    });
    for body in unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]) {
        body.walk(&mut |expr| {
            if let Terminator::Apply(call) = &expr.terminator
                && let CallKind::Direct(callee) = call.kind
                && let Some(calls) = mentions.get_mut(&callee)
            {
                *calls += 1;
            }
        });
    }
    mentions.retain(|_, calls| *calls <= FEW);
    let beginnings: FxHashMap<CodeId, Beginning> =
        mentions.into_keys().map(|code| (code, Beginning::of(&unit.codes[code]))).collect();
    if beginnings.is_empty() {
        return;
    }
    unit.rewrite_bodies(|unit, code, body| {
        let mut changed = false;
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(call) = &expr.terminator
                && let CallKind::Direct(callee) = call.kind
                && let Some(beginning) = beginnings.get(&callee)
            {
                beginning.decide(unit, expr);
                changed = true;
            }
        });
        if changed && !decided.contains(&code) {
            decided.push(code);
        }
        changed
    });
}

/// What a function decides first: where it goes on, it calls another one.
struct Beginning {
    params: SmallVec<[Variable; 4]>,
    ret: Continuation,
    exn: Continuation,
    body: Expr,
}

impl Beginning {
    fn of(code: &Code) -> Beginning {
        let Code { params, ret, exn, body, .. } = code;
        Beginning { params: params.clone(), ret: *ret, exn: *exn, body: body.clone() }
    }

    /// Puts a copy in the place of the call that a run ends with.
    fn decide(&self, unit: &mut Unit, expr: &mut Expr) {
        let Terminator::Apply(call) = &expr.terminator else { return };
        let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
        copier.substitute_variables(&self.params, &call.args);
        copier.substitute_continuation(self.ret, call.ret);
        copier.substitute_exn(self.exn, call.exn.clone());
        copier.inline_locations(&mut unit.locs, call.dbg);
        let mut copy = copier.expr(&self.body);
        copy.walk_mut(&mut |inner| {
            if let Terminator::Apply(inner) = &mut inner.terminator {
                let Apply { dbg, inlined, depth, origin, heat, .. } = &**call;
                (inner.dbg, inner.inlined, inner.depth) = (*dbg, *inlined, *depth);
                (inner.origin, inner.heat) = (*origin, *heat);
            }
        });
        expr.items.extend(copy.items);
        expr.terminator = copy.terminator;
    }
}

/// The two parts of a function.
struct Parts {
    /// Where in the body the handler is that goes on: the item, and which of its handlers.
    place: (usize, usize),
    /// What becomes a function: that handler, and those by which it ends, too.
    rest: Expr,
    /// What that takes, and how large it is.
    region: Region,
}

impl Parts {
    fn of(unit: &Unit, code: CodeId) -> Option<Parts> {
        let data = &unit.codes[code];
        let Terminator::Switch(_) = &data.body.terminator else { return None };
        let mut place = None;
        let mut beginning = size::terminator(&data.body.terminator);
        for (index, item) in data.body.items.iter().enumerate() {
            match item {
                Item::Let { named: Named::Simple(_), .. } => {}
                // What is read before the call would be read before the signal handlers that run at its entry.
                Item::Let { named: Named::Prim { prim, exn: None, .. }, .. }
                    if prim.can_duplicate() && prim.crossing() == Crossing::Nothing =>
                {
                    beginning += size::item(item);
                }
                Item::LetCont { recursive: false, handlers } => {
                    for (which, handler) in handlers.iter().enumerate() {
                        if calls(&handler.body, code) {
                            if !handler.params.is_empty() || place.replace((index, which)).is_some() {
                                return None;
                            }
                        } else if ends_at_once(&handler.body) {
                            beginning += size::of(&handler.body, BEGINNING)?;
                        } else {
                            return None;
                        }
                    }
                }
                _ => return None,
            }
        }
        let place = place?;
        let goes_on = &handler_at(&data.body, place)?.body;
        let copies = calls_in(goes_on, code) as u32 * beginning;
        if beginning > BEGINNING
            || copies > COPIES
            || calls_on_a_path(goes_on, code, &mut FxHashMap::default()) < 2
            || decides_again(data, goes_on, code)
            || stores_results(data)
        {
            return None;
        }
        let rest = with_exits(&data.body, place, goes_on);
        let mut region = Region::of(&rest, data)?;
        // Where the parameters are, they stay.
        region
            .free
            .sort_by_key(|var| data.params.iter().position(|param| param == var).unwrap_or(usize::MAX));
        Some(Parts { place, rest, region })
    }

    /// Makes a function of the rest, which it returns.
    fn split(self, unit: &mut Unit, code: CodeId) -> CodeId {
        let Parts { place, rest, region } = self;
        let mut goes_on = region.function(&rest, unit, code, "rest".into());
        rest.dismantle();
        let rest_code = unit.codes.next_key();
        let data = &mut unit.codes[code];
        let args = region.free.iter().map(|var| (*var).into()).collect();
        let (kind, raise) = (CallKind::Direct(rest_code), ExnCont::plain(data.exn));
        let call = Apply::plain(None, kind, args, data.ret, raise);
        if let Some(handler) = handler_at_mut(&mut data.body, place) {
            handler.body.take().dismantle();
            handler.body.terminator = Terminator::Apply(Box::new(call));
        }
        let beginning = Beginning::of(data);
        goes_on.body.walk_mut(&mut |expr| {
            if is_call_of(&expr.terminator, code) {
                beginning.decide(unit, expr);
            }
        });
        unit.codes.push(goes_on)
    }
}

fn handler_at(body: &Expr, (item, which): (usize, usize)) -> Option<&ContHandler> {
    match &body.items[item] {
        Item::LetCont { handlers, .. } => handlers.get(which),
        _ => None,
    }
}

fn handler_at_mut(body: &mut Expr, (item, which): (usize, usize)) -> Option<&mut ContHandler> {
    match &mut body.items[item] {
        Item::LetCont { handlers, .. } => handlers.get_mut(which),
        _ => None,
    }
}

/// Where a function goes on, with the handlers before it that it jumps to in order to end.
fn with_exits(body: &Expr, (index, which): (usize, usize), goes_on: &Expr) -> Expr {
    let mut rest = goes_on.clone();
    let own = body.items[..=index].iter().enumerate().flat_map(|(at, item)| {
        let Item::LetCont { handlers, .. } = item else { return &[][..] };
        if at == index { &handlers[..which] } else { &handlers[..] }
    });
    for exit in own.rev() {
        let mut used = false;
        rest.for_each_cont_use_deep(&mut |cont, _| used |= cont == exit.cont);
        if used {
            rest.items.insert(0, Item::LetCont { recursive: false, handlers: vec![exit.clone()] });
        }
    }
    rest
}

/// Whether a term only computes, allocates or stores, and leaves: it calls, raises and repeats nothing.
fn ends_at_once(expr: &Expr) -> bool {
    let mut ends = true;
    expr.walk(&mut |expr| {
        ends &= expr.items.iter().all(|item| match item {
            Item::Let { named: Named::Simple(_) | Named::Prim { exn: None, .. }, .. }
            | Item::Join { .. }
            | Item::LetCont { recursive: false, .. } => true,
            Item::Let { .. } | Item::LetClosures { .. } | Item::LetCont { .. } => false,
        });
        ends &= matches!(expr.terminator, Terminator::ApplyCont(_) | Terminator::Switch(_));
    });
    ends
}

/// Whether some call passes all that the beginning decides by as the function was given it, perhaps in each iteration
/// of a loop (Ackermann's function): the function knows that it goes on, and what is left of it would not.
fn decides_again(data: &Code, goes_on: &Expr, code: CodeId) -> bool {
    let mut tested: FxHashSet<Variable> = FxHashSet::default();
    let mut note = |simple: Simple| tested.extend(simple.as_var());
    data.body.items.iter().for_each(|item| item.for_each_simple(&mut note));
    if let Terminator::Switch(switch) = &data.body.terminator {
        note(switch.scrutinee);
    }
    // The variables that loops begin with as a parameter.
    let mut same: FxHashMap<Variable, Variable> = data.params.iter().map(|param| (*param, *param)).collect();
    goes_on.walk(&mut |expr| {
        let Terminator::ApplyCont(entry) = &expr.terminator else { return };
        let handlers = expr.items.iter().filter_map(|item| match item {
            Item::LetCont { recursive: true, handlers } => Some(handlers),
            _ => None,
        });
        for handler in handlers.flatten().filter(|handler| handler.cont == entry.cont) {
            for (param, arg) in handler.params.iter().zip(&entry.args) {
                let given = arg.as_var().and_then(|arg| same.get(&arg).copied());
                same.extend(given.map(|given| (*param, given)));
            }
        }
    });
    let mut again = false;
    goes_on.walk(&mut |expr| {
        let Terminator::Apply(apply) = &expr.terminator else { return };
        let passes = |(param, arg): (&Variable, &Simple)| {
            !tested.contains(param) || arg.as_var().and_then(|arg| same.get(&arg)) == Some(param)
        };
        again |= apply.kind == CallKind::Direct(code) && data.params.iter().zip(&apply.args).all(passes);
    });
    again
}

/// Whether a function gives parts of its result in slots: nothing may come between a store there and the load.
fn stores_results(data: &Code) -> bool {
    let mut stores = false;
    data.body.walk(&mut |expr| {
        stores |= expr.items.iter().any(|item| {
            matches!(item, Item::Let { named: Named::Prim { prim: Prim::StoreResult { .. }, .. }, .. })
        });
    });
    stores
}

fn is_call_of(terminator: &Terminator, code: CodeId) -> bool {
    matches!(terminator, Terminator::Apply(apply) if apply.kind == CallKind::Direct(code))
}

fn calls(expr: &Expr, code: CodeId) -> bool {
    calls_in(expr, code) > 0
}

/// How many calls of a function are in a term.
fn calls_in(expr: &Expr, code: CodeId) -> usize {
    let mut calls = 0;
    expr.walk(&mut |expr| calls += usize::from(is_call_of(&expr.terminator, code)));
    calls
}

/// How many calls of a function a path through a term makes, at the most. To go on with a loop that makes some counts
/// as one. `behind`: how many a path makes from a continuation on.
fn calls_on_a_path(expr: &Expr, code: CodeId, behind: &mut FxHashMap<Continuation, usize>) -> usize {
    for item in &expr.items {
        let Item::LetCont { recursive, handlers } = item else { continue };
        if *recursive && handlers.iter().any(|handler| calls(&handler.body, code)) {
            behind.extend(handlers.iter().map(|handler| (handler.cont, 1)));
        }
        for handler in handlers {
            let made = deep(|| calls_on_a_path(&handler.body, code, behind));
            behind.insert(handler.cont, made);
        }
    }
    let mut made = 0;
    if let Terminator::Try { body, .. } = &expr.terminator {
        made = deep(|| calls_on_a_path(body, code, behind));
    }
    expr.terminator.for_each_cont_use(&mut |cont, _| {
        made = made.max(behind.get(&cont).copied().unwrap_or(0));
    });
    made += usize::from(is_call_of(&expr.terminator, code));
    for item in expr.items.iter().rev() {
        if let Item::Join { cont, body, .. } = item {
            behind.insert(*cont, made);
            made = deep(|| calls_on_a_path(body, code, behind));
        }
    }
    made
}
