//! Making a unit smaller as long as it keeps a property.
//!
//! Every change leaves a unit that the verifier accepts; the others are not even tried.

use flambeau_ir::{
    ApplyCont, Const, Continuation, Expr, Item, Kind, Named, Simple, Terminator, Unit, parser, printer,
    verify,
};

/// The most candidates that are tried: shrinking must end in reasonable time.
const TRIES: usize = 4_000;

/// Shrinks until nothing helps. `keeps` says whether a unit still has the property.
pub fn shrink(unit: &Unit, keeps: &mut dyn FnMut(&Unit) -> bool) -> Unit {
    let mut best = unit.clone();
    let mut tries = 0;
    loop {
        let mut smaller = false;
        for change in CHANGES {
            // From the end: a definition can be removed after its uses.
            let mut point = points(&best);
            while point > 0 {
                point -= 1;
                tries += 1;
                if tries > TRIES {
                    return compact(best, keeps);
                }
                let mut candidate = best.clone();
                if at(&mut candidate, point, *change)
                    && verify::verify(&candidate).is_ok()
                    && keeps(&candidate)
                {
                    best = candidate;
                    smaller = true;
                    point = point.min(points(&best));
                }
            }
        }
        if !smaller {
            return compact(best, keeps);
        }
    }
}

/// Through text and back: the tables lose what nothing refers to any more.
fn compact(unit: Unit, keeps: &mut dyn FnMut(&Unit) -> bool) -> Unit {
    match parser::parse_unit(&printer::print_unit(&unit)) {
        Ok(small) if keeps(&small) => small,
        _ => unit,
    }
}

/// A change at a program point; it is passed where the function returns to, and the kinds of variables.
type Change = fn(&mut Expr, usize, &Around) -> bool;

/// The context of a term.
struct Around {
    ret: Continuation,
    result: Kind,
    /// The kind of each variable.
    kinds: Vec<Kind>,
}

const CHANGES: &[Change] =
    &[end_here, drop_item, use_constant, jump_to::<0>, jump_to::<1>, jump_to::<2>, constant_operands];

/// How many program points there are: one before each item and terminator of each term.
fn points(unit: &Unit) -> usize {
    let mut count = 0;
    for body in unit.bodies() {
        body.walk(&mut |expr| count += expr.items.len() + 1);
    }
    count
}

/// Makes a change at a program point; whether anything changed.
fn at(unit: &mut Unit, mut point: usize, change: Change) -> bool {
    let kinds: Vec<Kind> = unit.variables.values().map(|variable| variable.kind).collect();
    let mut around = Around { ret: unit.entry.ret, result: Kind::Value, kinds };
    for id in unit.codes.keys().collect::<Vec<_>>() {
        let code = &mut unit.codes[id];
        (around.ret, around.result) = (code.ret, code.result);
        if let Some(changed) = within(&mut code.body, &mut point, change, &around) {
            return changed;
        }
    }
    (around.ret, around.result) = (unit.entry.ret, Kind::Value);
    within(&mut unit.entry.body, &mut point, change, &around).unwrap_or(false)
}

fn within(expr: &mut Expr, point: &mut usize, change: Change, around: &Around) -> Option<bool> {
    if *point <= expr.items.len() {
        return Some(change(expr, *point, around));
    }
    *point -= expr.items.len() + 1;
    for item in &mut expr.items {
        let found = match item {
            Item::Let { .. } | Item::LetClosures { .. } => None,
            Item::Join { body, .. } => within(body, point, change, around),
            Item::LetCont { handlers, .. } => {
                handlers.iter_mut().find_map(|handler| within(&mut handler.body, point, change, around))
            }
        };
        if found.is_some() {
            return found;
        }
    }
    match &mut expr.terminator {
        Terminator::Try { body, .. } => within(body, point, change, around),
        _ => None,
    }
}

fn constant(kind: Kind) -> Simple {
    Simple::Const(match kind {
        Kind::Value => Const::UNIT,
        Kind::NakedImmediate => Const::NakedImmediate(0),
        Kind::NakedFloat => Const::NakedFloat(0),
        Kind::NakedInt32 => Const::NakedInt32(0),
        Kind::NakedInt64 => Const::NakedInt64(0),
        Kind::NakedNativeint => Const::NakedNativeint(0),
    })
}

/// Replaces the remainder by a return.
fn end_here(expr: &mut Expr, point: usize, around: &Around) -> bool {
    let jump = ApplyCont { cont: around.ret, args: [constant(around.result)].into_iter().collect() };
    let end = Terminator::ApplyCont(jump);
    if point == expr.items.len() && expr.terminator == end {
        return false;
    }
    expr.items.truncate(point);
    expr.terminator = end;
    true
}

fn drop_item(expr: &mut Expr, point: usize, _: &Around) -> bool {
    if point == expr.items.len() {
        return false;
    }
    expr.items.remove(point);
    true
}

/// Replaces the value of an operation by a constant.
fn use_constant(expr: &mut Expr, point: usize, around: &Around) -> bool {
    let Some(Item::Let { var, named, .. }) = expr.items.get_mut(point) else { return false };
    let simple = Named::Simple(constant(around.kinds[var.as_u32() as usize]));
    if *named == simple {
        return false;
    }
    *named = simple;
    true
}

/// Replaces a branch by the jump of one of its arms, counted from the last, which is the default if there is one.
fn jump_to<const ARM: usize>(expr: &mut Expr, point: usize, _: &Around) -> bool {
    if point != expr.items.len() || matches!(expr.terminator, Terminator::ApplyCont(_)) {
        return false;
    }
    let mut jumps = Vec::new();
    expr.terminator.for_each_jump(&mut |jump| jumps.push(jump.clone()));
    let Some(jump) = jumps.into_iter().rev().nth(ARM) else { return false };
    expr.terminator = Terminator::ApplyCont(jump);
    true
}

/// Replaces all variables that an operation or jump uses by constants.
fn constant_operands(expr: &mut Expr, point: usize, around: &Around) -> bool {
    let mut changed = false;
    let mut replace = |simple: &mut Simple| {
        if let Simple::Var(var) = simple {
            *simple = constant(around.kinds[var.as_u32() as usize]);
            changed = true;
        }
    };
    match expr.items.get_mut(point) {
        Some(Item::Let { named: Named::Prim { args, .. }, .. }) => args.iter_mut().for_each(&mut replace),
        Some(Item::Let { named: Named::Simple(simple), .. }) => replace(simple),
        Some(Item::LetClosures { set, .. }) => {
            set.values.iter_mut().for_each(|(_, value)| replace(value));
        }
        Some(Item::Join { .. } | Item::LetCont { .. }) => {}
        None => match &mut expr.terminator {
            Terminator::Apply(apply) => apply.args.iter_mut().for_each(&mut replace),
            jumps => jumps.for_each_jump_mut(&mut |jump| jump.args.iter_mut().for_each(&mut replace)),
        },
    }
    changed
}
