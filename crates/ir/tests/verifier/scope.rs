//! Scope: binding once, use where bound, identifiers in range.

use cranelift_entity::EntityRef;
use expect_test::expect;
use flambeau_ir::{
    ApplyCont, CodeId, FunctionSlot, Item, Named, Simple, Symbol, Terminator, ValueSlot, Variable,
};

use super::{accepts, f, g, rejects, rejects_changed};

#[test]
fn variable_before_its_binding() {
    rejects(
        "code f (x) -> k { let a = b let b = x k (a) }",
        expect![[r#"
        in code f: the variable `b` is not in scope
          at: let a = b
    "#]],
    );
}

#[test]
fn variable_after_its_scope() {
    rejects(
        "code f (x) -> k { join j { let a = x j } k (a) }",
        expect![[r#"
        in code f: the variable `a` is not in scope
          at: k (a)
    "#]],
    );
    rejects(
        "code f (x) -> k { cont j (p) { k (p) } k (p) }",
        expect![[r#"
        in code f: the variable `p` is not in scope
          at: k (p)
    "#]],
    );
    rejects(
        "code f (x) -> k { join j (p) { j (p) } k (x) }",
        expect![[r#"
        in code f: the variable `p` is not in scope
          at: j (p)
    "#]],
    );
}

#[test]
fn variable_of_its_own_binding() {
    rejects(
        "code f (x) -> k { let a = tag (a) k (a) }",
        expect![[r#"
        in code f: the variable `a` is not in scope
          at: let a = tag (a)
        in code f: operand 1, `a`, is of kind `val` instead of `int#`
          at: let a = tag (a)
    "#]],
    );
    rejects(
        "code f (x) closure c -> k { let a = closures (f) { x = a } k (a) }",
        expect![[r#"
        in code f: the variable `a` is not in scope
          at: let a = closures (f) { x = a }
    "#]],
    );
}

#[test]
fn variable_bound_twice() {
    rejects(
        "code f (x) -> k { let x = 1 k (x) }",
        expect![[r#"
        in code f: the variable `x` is bound a second time
          at: let x = 1
    "#]],
    );
    rejects(
        "code f (x, x) -> k { k (x) }",
        expect![[r#"
        in code f: the variable `x` is bound a second time
    "#]],
    );
    rejects(
        "code f (x) -> k { cont a (y) { k (y) } and b (y) { k (y) } a (x) }",
        expect![[r#"
        in code f: the variable `y` is bound a second time
          at: cont a (y)
    "#]],
    );
}

#[test]
fn variable_of_another_function() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { k (y) }",
        |unit| {
            let x = unit.codes[f()].params[0];
            unit.codes[g()].body.terminator = Terminator::ApplyCont(ApplyCont {
                cont: unit.codes[g()].ret,
                args: [Simple::Var(x)].into_iter().collect(),
            });
        },
        expect![[r#"
            in code g: the variable `x` is not in scope
              at: k (x)
        "#]],
    );
}

#[test]
fn variable_bound_in_two_functions() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { unreachable }",
        |unit| {
            let x = unit.codes[f()].params[0];
            unit.codes[g()].params[0] = x;
        },
        expect![[r#"
            in code g: the variable `x` is bound a second time
        "#]],
    );
}

#[test]
fn continuation_out_of_scope() {
    rejects(
        "code f (x) -> k { join j (y) { k (x) } j (y) }",
        expect![[r#"
        in code f: the continuation `j` is not in scope
          at: j (y)
    "#]],
    );
    rejects(
        "code f (x) -> k { cont a { a } a }",
        expect![[r#"
        in code f: the continuation `a` is not in scope
          at: a
    "#]],
    );
    rejects(
        "code f (x) -> k { join j { cont a { k (x) } a } a }",
        expect![[r#"
        in code f: the continuation `a` is not in scope
          at: a
    "#]],
    );
    accepts("code f (x) -> k { cont rec a { a } a }");
}

#[test]
fn continuation_bound_twice() {
    rejects(
        "code f (x) -> k { cont a { k (x) } cont a { k (x) } a }",
        expect![[r#"
        in code f: the continuation `a` is bound a second time
          at: cont a
    "#]],
    );
    rejects(
        "code f (x) -> k { cont k { unreachable } unreachable }",
        expect![[r#"
        in code f: the continuation `k` is bound a second time
          at: cont k
    "#]],
    );
}

#[test]
fn continuation_of_another_function() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { k (y) }",
        |unit| unit.codes[g()].ret = unit.codes[f()].ret,
        expect![[r#"
            in code g: the continuation `k` is bound a second time
            in code g: the continuation `k_1` is not in scope
              at: k_1 (y)
        "#]],
    );
}

#[test]
fn identifiers_out_of_range() {
    rejects_changed(
        "code f (x) -> k { let a = x k (a) }",
        |unit| {
            let Item::Let { named, .. } = &mut unit.codes[f()].body.items[0] else { unreachable!() };
            *named = Named::Simple(Simple::Var(Variable::new(1000)));
        },
        expect![[r#"
            in code f: the variable `v1000` is not in the unit's table
              at: let a = v1000
        "#]],
    );
    rejects_changed(
        "code f (x) -> k { let a = x k (a) }",
        |unit| {
            let Item::Let { named, .. } = &mut unit.codes[f()].body.items[0] else { unreachable!() };
            *named = Named::Simple(Simple::Symbol(Symbol::new(1000)));
        },
        expect![[r#"
            in code f: the symbol `$$1000` is not in the unit's table
              at: let a = $$1000
        "#]],
    );
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| unit.codes[f()].function_slot = FunctionSlot::new(1000),
        expect![[r#"
            in code f: the function slot is not in the unit's table
        "#]],
    );
    rejects_changed(
        "code f (x) -> k { k (x) } code g (x) -> k { let c = closures (f) { v = x } k (c) }",
        |unit| {
            let Item::LetClosures { set, .. } = &mut unit.codes[g()].body.items[0] else { unreachable!() };
            set.functions[0] = (FunctionSlot::new(1000), CodeId::new(1000));
            set.values[0].0 = ValueSlot::new(1000);
        },
        expect![[r#"
            in code g: the code `code1000` is not in the unit's table
              at: let c = closures (code1000/fs1000) { vs1000 = x }
            in code g: the function slot `fs1000` is not in the unit's table
              at: let c = closures (code1000/fs1000) { vs1000 = x }
            in code g: the value slot `vs1000` is not in the unit's table
              at: let c = closures (code1000/fs1000) { vs1000 = x }
        "#]],
    );
}
