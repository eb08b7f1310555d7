//! Calls and functions.

use expect_test::expect;

use super::{accepts, rejects};

#[test]
fn arguments_of_calls() {
    rejects(
        "code f (x, y) -> k { k (x) } code g (x) -> k { call code f (x) -> k }",
        expect![[r#"
            in code g: 1 argument for 2 parameters of the code `f`
              at: call code f (x) -> k
        "#]],
    );
    rejects(
        "code f (x: float#) -> k { k (1) } code g (x) -> k { call code f (x) -> k }",
        expect![[r#"
        in code g: argument 1 of the code `f`, `x`, is of kind `val` instead of `float#`
          at: call code f (x) -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { call x (1) -> k origin 0 }",
        expect![[r#"
            in code f: the origin 0 is not in the unit's table
              at: call x (1) -> k origin 0
        "#]],
    );
    rejects(
        "code f (x: float#) -> k { call x (1) -> k }",
        expect![[r#"
        in code f: the callee, `x`, is of kind `float#` instead of `val`
          at: call x (1) -> k
    "#]],
    );
    rejects(
        "code f (x: float#) -> k { call 1 (x) -> k }",
        expect![[r#"
        in code f: argument 1 of the call, `x`, is of kind `float#` instead of `val`
          at: call 1 (x) -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { call x () -> k }",
        expect![[r#"
        in code f: 0 arguments in a sort of call which has at least 1
          at: call x () -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { call external \"g\" () -> k }",
        expect![[r#"
        in code f: 0 arguments in a sort of call which has at least 1
          at: call external "g" () -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { call method.cached x (x, x) -> k }",
        expect![[r#"
        in code f: 2 arguments in a sort of call which has at least 3
          at: call method.cached x (x, x) -> k
    "#]],
    );
}

#[test]
fn results_of_calls() {
    rejects(
        "code f (x) -> k: float# { k (#1.5) } code g (x) -> k { call code f (x) -> k }",
        expect![[r#"
        in code g: the result is of kind `float#`, and `k` takes one of kind `val`
          at: call code f (x) -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { let a: float# = call x (x) k (x) }",
        expect![[r#"
            in code f: the result is of kind `val`, and `a` takes one of kind `float#`
              at: let a: float# = call x (x)
        "#]],
    );
    rejects(
        "code f (x) -> k { cont a { k (x) } call x (x) -> a }",
        expect![[r#"
        in code f: a call gives one result, and `a` takes 0
          at: call x (x) -> a
    "#]],
    );
    rejects(
        "code f (x) -> k { cont a (y, z) { k (x) } call x (x) -> a }",
        expect![[r#"
        in code f: a call gives one result, and `a` takes 2
          at: call x (x) -> a
    "#]],
    );
    accepts("code f (x) -> k { let a: float# = call external \"g\" (x) k (x) }");
}

#[test]
fn callees() {
    rejects(
        "code f (x) -> k { call _ (x) -> k }",
        expect![[r#"
        in code f: this sort of call needs a callee
          at: call _ (x) -> k
    "#]],
    );
    rejects(
        "code f (x) -> k { call method.self _ (x) -> k }",
        expect![[r#"
        in code f: this sort of call needs a callee
          at: call method.self _ (x) -> k
    "#]],
    );
    rejects(
        "code f (x) closure c -> k { k (c) } code g (x) -> k { call code f (x) -> k }",
        expect![[r#"
        in code g: the code `f` uses its closure, and is called without one
          at: call code f (x) -> k
    "#]],
    );
    accepts("code f (x) closure c -> k { k (c) } code g (x) -> k { call code f via x (x) -> k }");
}

#[test]
fn functions_have_a_parameter() {
    rejects(
        "code f () -> k { k (1) }",
        expect![[r#"
        in code f: a function has at least one parameter
    "#]],
    );
    rejects(
        "code f (x) closure c: float# -> k { k (1) }",
        expect![[r#"
        in code f: the closure, `c`, is of kind `float#` instead of `val`
    "#]],
    );
}

#[test]
fn recursion_is_marked() {
    rejects(
        "code f (x) -> k { call code f (x) -> k }",
        expect![[r#"
        in code f: the code `f` is recursive and is not marked so
    "#]],
    );
    rejects(
        "static $f_closure, $g_closure, $h_closure = closures (f, g, h)
         code f (x) -> k { call code g (x) -> k }
         code g (x) -> k { call code f (x) -> k }
         code h (x) -> k { call code g (x) -> k }",
        expect![[r#"
            in code f: the code `f` is recursive and is not marked so
            in code g: the code `g` is recursive and is not marked so
        "#]],
    );
    // A local function that calls the function around it.
    accepts(
        "code f (x) -> k [rec] { let g = closures (g) call code g (x) -> k }
         code g (x) -> k { call code f (x) -> k }",
    );
}

#[test]
fn functions_are_called_with_their_own_closures() {
    accepts(
        "static $f_closure = closures (f) code f (x) closure me -> k { k (me) } \
         code g (x) -> k { call code f via $f_closure (x) -> k }",
    );
    rejects(
        "static $f_closure = closures (f) code f (x) closure me -> k { k (me) } \
         static $h_closure = closures (h) code h (x) closure me -> k { k (me) } \
         code g (x) -> k { call code f via $h_closure (x) -> k }",
        expect![[r#"
            in code g: the code `f` is called with the closure of `h`
              at: call code f via $h_closure (x) -> k
        "#]],
    );
    rejects(
        "static $f_closure = closures (f) code f (x) closure me -> k { k (me) } \
         code g (x) -> k { call external \"camlOther__f_1\" via $f_closure (x) -> k }",
        expect![[r#"
            in code g: a function of another unit is called with the closure of `f`
              at: call external "camlOther__f_1" via $f_closure (x) -> k
        "#]],
    );
}
