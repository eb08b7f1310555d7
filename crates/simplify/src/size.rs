//! Sizes of code, in the units of flambda2-inlining: about one for each machine instruction.

use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, CodeId, Const, Expr, Item, Named, Simple, Terminator, Unit};

/// The size of an arm of a switch.
pub const ARM: u32 = 3;

/// The size of a raise, and of a call on the way to one: what is small but for its errors is small.
const RAISE: u32 = 2;

/// The size of a body; `None` if it is more than `limit`.
#[must_use]
pub fn of(body: &Expr, limit: u32) -> Option<u32> {
    let mut size = 0u32;
    let mut pending = vec![body];
    while let Some(expr) = pending.pop() {
        for item in &expr.items {
            size = size.saturating_add(self::item(item));
            item.for_each_child(&mut |child| pending.push(child));
        }
        size = size.saturating_add(terminator(&expr.terminator));
        pending.extend(expr.terminator.child());
        if size > limit {
            return None;
        }
    }
    Some(size)
}

/// The size of a body with the functions whose closures it allocates; `None` if it is more than `limit`.
pub fn whole(unit: &Unit, code: CodeId, limit: u32) -> Option<u32> {
    whole_of(|code| Some(&unit.codes[code].body), code, limit)
}

/// The size of a body with the functions that it makes, where `body_of` says what the bodies of functions are. `None`
/// if one is not at hand, or if it is more than `limit`.
pub fn whole_of<'b>(body_of: impl Fn(CodeId) -> Option<&'b Expr>, code: CodeId, limit: u32) -> Option<u32> {
    let mut codes = vec![code];
    let mut size = 0;
    while let Some(code) = codes.pop() {
        let body = body_of(code)?;
        size += of(body, limit - size)?;
        body.for_each_code_made(&mut |code| codes.push(code));
    }
    Some(size)
}

/// What calls and allocations of a function take in frame tables besides, with those of the functions that it makes.
pub fn frames(unit: &Unit, code: CodeId) -> u32 {
    const FRAME: u32 = 4;
    let mut codes = vec![code];
    let mut frames = 0u32;
    while let Some(code) = codes.pop() {
        let body = &unit.codes[code].body;
        body.walk(&mut |expr| {
            let allocates = |item: &&Item| match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } => prim.is_allocation(),
                Item::LetClosures { .. } => true,
                _ => false,
            };
            frames += expr.items.iter().filter(allocates).count() as u32;
            frames += u32::from(matches!(expr.terminator, Terminator::Apply(_)));
        });
        body.for_each_code_made(&mut |code| codes.push(code));
    }
    frames * FRAME
}

fn args(args: &[Simple]) -> u32 {
    args.iter().filter(|arg| !matches!(arg, Simple::Var(_) | Simple::Const(Const::Poison(_)))).count() as u32
}

/// The size of an item, without what is in it.
#[must_use]
pub fn item(item: &Item) -> u32 {
    match item {
        Item::Let { named: Named::Simple(_), .. } | Item::Join { .. } | Item::LetCont { .. } => 0,
        Item::Let { named: Named::Prim { prim, args, .. }, .. } => prim.size(args.len() as u32),
        Item::LetClosures { set, .. } => 5 + set.values.len() as u32 + 3 * set.functions.len() as u32,
    }
}

/// The size of a call.
#[must_use]
pub fn call(apply: &Apply) -> u32 {
    if apply.inlined == InlineAttribute::Cold {
        return RAISE;
    }
    let kind = match apply.kind {
        CallKind::Direct(_) | CallKind::DirectExternal(_) => 4,
        CallKind::Generic => 6,
        CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => 8,
    };
    kind + args(&apply.args)
}

/// The size of a terminator, without what is in it.
#[must_use]
pub fn terminator(terminator: &Terminator) -> u32 {
    match terminator {
        Terminator::Apply(apply) => call(apply),
        Terminator::ApplyCont(jump) => 1 + args(&jump.args),
        Terminator::Switch(switch) => ARM * (switch.arms.len() as u32 + u32::from(switch.default.is_some())),
        Terminator::StringSwitch(switch) => 8 * (switch.arms.len() as u32 + 1),
        Terminator::Raise { .. } => RAISE,
        Terminator::Try { .. } => 6,
        Terminator::Unreachable => 0,
    }
}
