//! Sets of closures, slots, projections.

use expect_test::expect;
use flambeau_ir::{Simple, StaticDef};

use super::{f, rejects, rejects_changed};

#[test]
fn shapes_of_sets() {
    rejects(
        "code f (x) -> k { let c = closures () k (c) }",
        expect![[r#"
            in code f: a set of closures has at least one function
              at: let c = closures ()
            in code f: 0 closures bound to 1 name
              at: let c = closures ()
        "#]],
    );
    rejects(
        "code f (x) -> k { let c, d = closures (f) k (c) }",
        expect![[r#"
            in code f: 1 closure bound to 2 names
              at: let c, d = closures (f)
        "#]],
    );
    rejects(
        "code f (x) -> k { let c = closures (f/other) k (c) }",
        expect![[r#"
        in code f: the code `f` is not of the function slot `other`
          at: let c = closures (f/other)
    "#]],
    );
    rejects(
        "code f (x) -> k { let c: float# = closures (f) k (x) }",
        expect![[r#"
        in code f: the closure, `c`, is of kind `float#` instead of `val`
          at: let c: float# = closures (f)
    "#]],
    );
}

#[test]
fn slots_are_bound_once() {
    rejects(
        "code f (x) -> k { let c = closures (f) let d = closures (f) k (c) }",
        expect![[r#"
        in code f: the function slot `f` is bound a second time
          at: let d = closures (f)
    "#]],
    );
    rejects(
        "static $f_closure = closures (f) code f (x) -> k { let d = closures (f) k (d) }",
        expect![[r#"
            in code f: the function slot `f` is bound a second time
              at: let d = closures (f)
        "#]],
    );
    rejects(
        "code f (x) -> k { let c = closures (f) { v = x, v = x } k (c) }",
        expect![[r#"
        in code f: the value slot `v` is bound a second time
          at: let c = closures (f) { v = x, v = x }
    "#]],
    );
}

#[test]
fn projections_name_a_set() {
    rejects(
        "code f (x) closure c -> k { let y = project_value[f, v] (c) k (y) }",
        expect![[r#"
        in code f: no set of closures has the function slot `f`
          at: let y = project_value[f, v] (c)
    "#]],
    );
    rejects(
        "static $f_closure = closures (f) { v = 1 }
         static $g_closure = closures (g) { w = 1 }
         code f (x) closure c -> k { let y = project_value[f, w] (c) k (y) }
         code g (x) closure c -> k { let y = project_function[g, f] (c) k (y) }",
        expect![[r#"
            in code f: the set of closures of `f` has no value slot `w`
              at: let y = project_value[f, w] (c)
            in code g: the function slots `g` and `f` are in different sets
              at: let y = project_function[g, f] (c)
        "#]],
    );
    rejects(
        "code f (x) closure c -> k { let y = project_function[f, nowhere] (c) k (y) }",
        expect![[r#"
        in code f: no set of closures has the function slot `f`
          at: let y = project_function[f, nowhere] (c)
        in code f: no set of closures has the function slot `nowhere`
          at: let y = project_function[f, nowhere] (c)
    "#]],
    );
    rejects(
        "code f (x) -> k { let y = alloc_dummy_closure[nowhere] () k (y) }",
        expect![[r#"
        in code f: no set of closures has the function slot `nowhere`
          at: let y = alloc_dummy_closure[nowhere] ()
    "#]],
    );
}

#[test]
fn static_sets_capture_no_variables() {
    rejects_changed(
        "static $f_closure = closures (f) { v = 1 } code f (x) -> k { k (x) }",
        |unit| {
            let x = unit.codes[f()].params[0];
            for item in &mut unit.statics {
                if let StaticDef::Closures { set, .. } = &mut item.def {
                    set.values[0].1 = Simple::Var(x);
                }
            }
        },
        expect![[r#"
            in the unit: the static set of closures captures `x` in `v`
              at: static $f_closure = closures (f) { v = x }
        "#]],
    );
    rejects(
        "static $f_closure = closures (f) { v = #1 } code f (x) -> k { k (x) }",
        expect![[r#"
        in the unit: the value of the slot `v`, `#1`, is of kind `int#` instead of `val`
          at: static $f_closure = closures (f) { v = #1 }
    "#]],
    );
}
