//! Large units: long runs need no stack, deep terms do not overflow it, and neither takes long.

use std::fmt::Write;

use flambeau_ir::parser::parse_unit;
use flambeau_ir::{
    ApplyCont, ContHandler, Dbg, Expr, Item, Kind, Named, Prim, Simple, Subkind, Switch, Terminator, Unit,
};

fn parse(items: &str) -> Unit {
    let header =
        "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 0\n";
    parse_unit(&format!("{header}{items}")).unwrap_or_else(|error| panic!("{error}"))
}

/// A sequence of that many calls and branches, with code in nested terms but no nesting.
#[test]
fn long_runs_need_no_stack() {
    let mut body = String::new();
    for i in 0..25_000 {
        let _ = writeln!(body, "join c{i} (y{i}) {{ call f (x) -> c{i} }}");
        let _ = writeln!(body, "let t{i} = lt.int (y{i}, 3)");
        let _ = writeln!(body, "cont fail{i} {{ raise y{i} }}");
        let _ = writeln!(body, "join s{i} {{ switch t{i} {{ 0 -> fail{i}, 1 -> s{i} }} }}");
    }
    let unit = parse(&format!(
        "code f (f, x) closure env -> k | kx {{ {body} k (x) }}\nentry -> done | failed {{ done (0) }}"
    ));
    let text = flambeau_cmm::print(&flambeau_cmm::lower(&unit));
    assert_eq!(text.matches("(apply").count(), 25_000);
}

#[test]
fn deep_terms_do_not_overflow() {
    const DEPTH: usize = 50_000;
    let mut unit = parse(
        "code f (f, x: int) closure env -> k | kx {
           let c = lt.int (x, 3)
           cont deeper { k (x) }
           cont exn h (e) { k (e) }
           switch c { 0 -> k (f), 1 -> deeper }
         }
         entry -> done | failed { done (0) }",
    );
    let (k, f) = {
        let code = unit.codes.values().next().expect("there is a function");
        (code.ret, code.params[0])
    };
    let id = unit.codes.keys().next().expect("there is a function");
    // switch c { 0 -> k (f), 1 -> deeper } in deeper in deeper…
    let mut body = unit.codes[id].body.clone();
    for _ in 0..DEPTH {
        let deeper = unit.new_continuation("deeper");
        let c = unit.new_variable("c", Kind::NakedImmediate, Subkind::Any);
        let test = Item::Let {
            var: c,
            named: Named::Prim { prim: Prim::IsInt, args: [Simple::Var(f)].into_iter().collect(), exn: None },
            dbg: Dbg::NONE,
        };
        let handler = ContHandler { cont: deeper, params: Default::default(), body };
        let arm = |cont, args: &[Simple]| ApplyCont { cont, args: args.into() };
        body = Expr {
            items: vec![test, Item::LetCont { recursive: false, handlers: vec![handler] }],
            terminator: Terminator::Switch(Box::new(Switch {
                scrutinee: Simple::Var(c),
                arms: vec![(0, arm(k, &[Simple::Var(f)])), (1, arm(deeper, &[]))],
                default: None,
                dbg: Dbg::NONE,
                cases: None,
            })),
        };
    }
    unit.codes[id].body = body;
    let text = flambeau_cmm::print(&flambeau_cmm::lower(&unit));
    assert_eq!(text.matches("(is_int").count(), DEPTH);
    let code = std::mem::replace(
        &mut unit.codes[id].body,
        Expr { items: Vec::new(), terminator: Terminator::Unreachable },
    );
    code.dismantle();
}
