//! Which primitives and constructs a unit has: what a generator never generates is not tested.

use std::collections::BTreeMap;

use flambeau_ir::{CallKind, FunctionKind, Item, Named, StaticDef, Terminator, Unit};

/// How often each primitive and construct occurs, by name.
pub type Coverage = BTreeMap<&'static str, u64>;

/// The names of all primitives.
pub const PRIMITIVES: &[&str] = flambeau_ir::Prim::NAMES;

/// The names of all constructs.
pub const CONSTRUCTS: &[&str] = &[
    "alias",
    "call direct",
    "call direct via closure",
    "call external",
    "call generic",
    "call method",
    "closures",
    "closures with several functions",
    "closures, static",
    "code curried",
    "code recursive",
    "code tupled",
    "constant poison",
    "let_cont",
    "let_cont rec",
    "join",
    "join exn",
    "let_cont exn",
    "raise",
    "static block",
    "static boxed",
    "static float array",
    "static string",
    "switch",
    "switch_string",
    "try",
    "unreachable",
];

/// Adds the primitives and constructs of a unit.
pub fn count(unit: &Unit, coverage: &mut Coverage) {
    let mut add = |name: &'static str| *coverage.entry(name).or_default() += 1;
    for item in &unit.statics {
        match &item.def {
            StaticDef::Block { .. } => add("static block"),
            StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. } => add("static boxed"),
            StaticDef::String { .. } => add("static string"),
            StaticDef::FloatArray { .. } => add("static float array"),
            StaticDef::Closures { .. } => add("closures, static"),
            StaticDef::Preallocated { .. } => {}
        }
    }
    for code in unit.codes.values() {
        add(if code.kind == FunctionKind::Tupled { "code tupled" } else { "code curried" });
        if code.recursive {
            add("code recursive");
        }
    }
    for body in unit.bodies() {
        body.for_each_simple_deep(&mut |simple| {
            if matches!(simple, flambeau_ir::Simple::Const(flambeau_ir::Const::Poison(_))) {
                add("constant poison");
            }
        });
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| count_item(unit, item, &mut add));
            count_terminator(&expr.terminator, &mut add);
        });
    }
}

fn count_item(unit: &Unit, item: &Item, add: &mut impl FnMut(&'static str)) {
    match item {
        Item::Let { named: Named::Simple(_), .. } => add("alias"),
        Item::Let { named: Named::Prim { prim, .. }, .. } => add(prim.name()),
        Item::LetClosures { set, .. } => {
            add("closures");
            if set.functions.len() > 1 {
                add("closures with several functions");
            }
        }
        Item::Join { cont, .. } if unit.continuations[*cont].is_exn => add("join exn"),
        Item::Join { .. } => add("join"),
        Item::LetCont { recursive: true, .. } => add("let_cont rec"),
        Item::LetCont { handlers, .. } => {
            let is_exn = handlers.iter().any(|handler| unit.continuations[handler.cont].is_exn);
            add(if is_exn { "let_cont exn" } else { "let_cont" });
        }
    }
}

fn count_terminator(terminator: &Terminator, add: &mut impl FnMut(&'static str)) {
    match terminator {
        Terminator::Apply(apply) => add(match &apply.kind {
            CallKind::Direct(_) if apply.callee.is_some() => "call direct via closure",
            CallKind::Direct(_) => "call direct",
            CallKind::DirectExternal(_) => "call external",
            CallKind::Generic => "call generic",
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => "call method",
        }),
        Terminator::ApplyCont(_) => {}
        Terminator::Switch(_) => add("switch"),
        Terminator::StringSwitch(_) => add("switch_string"),
        Terminator::Raise { .. } => add("raise"),
        Terminator::Try { .. } => add("try"),
        Terminator::Unreachable => add("unreachable"),
    }
}
