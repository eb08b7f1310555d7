//! Continuations: ordinary ones, handlers, switches.

use expect_test::expect;
use flambeau_ir::Item;

use super::{accepts, f, rejects, rejects_changed};

#[test]
fn exception_continuation_as_ordinary() {
    rejects(
        "code f (x) -> k | kx { kx (x) }",
        expect![[r#"
        in code f: the exception continuation `kx` is used as an ordinary one
          at: kx (x)
    "#]],
    );
    rejects(
        "code f (x) -> k | kx { call x (x) -> kx }",
        expect![[r#"
        in code f: the exception continuation `kx` is used as an ordinary one
          at: call x (x) -> kx
    "#]],
    );
    rejects(
        "code f (x) -> k | kx { switch #1 { _ -> kx (x) } }",
        expect![[r#"
        in code f: the exception continuation `kx` is used as an ordinary one
          at: switch #1 { _ -> kx (x) }
    "#]],
    );
}

#[test]
fn ordinary_continuation_for_exceptions() {
    rejects(
        "code f (x) -> k { cont a (e) { k (e) } raise x | a }",
        expect![[r#"
        in code f: the ordinary continuation `a` is used for exceptions
          at: raise x | a
    "#]],
    );
    rejects(
        "code f (x) -> k { cont a (e) { k (e) } try a { k (x) } }",
        expect![[r#"
        in code f: the handler `a` is an ordinary continuation
          at: try a
    "#]],
    );
}

#[test]
fn sorts_of_the_functions_own_continuations() {
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| {
            let code = &unit.codes[f()];
            unit.continuations[code.exn].is_exn = false;
        },
        expect![[r#"
            in code f: the function's exception continuation ``raise`` is an ordinary one
        "#]],
    );
    rejects_changed(
        "code f (x) -> k { unreachable }",
        |unit| {
            let code = &unit.codes[f()];
            unit.continuations[code.ret].is_exn = true;
        },
        expect![[r#"
            in code f: the return continuation `k` is an exception continuation
        "#]],
    );
}

#[test]
fn exception_continuation_of_a_primitive() {
    rejects(
        "code f (x) -> k | kx { let a = add.int (x, x) | kx k (a) }",
        expect![[r#"
        in code f: this primitive never raises, and has an exception continuation
          at: let a = add.int (x, x) | kx
    "#]],
    );
    rejects(
        "code f (x) -> k { do check_bound[1] (x, x) | none k (x) }",
        expect![[r#"
        in code f: this primitive may raise, and has no exception continuation
          at: do check_bound[1] (x, x) | none
    "#]],
    );
}

#[test]
fn exceptions_go_to_the_innermost_handler() {
    rejects(
        "code f (x) -> k | kx {
           join exn h (e) { try h { call x (x) -> k | kx } }
           k (e)
         }",
        expect![[r#"
            in code f: exceptions go to `kx`, but the innermost handler is `h`
              at: call x (x) -> k | kx
        "#]],
    );
    rejects(
        "code f (x) -> k {
           join exn h (e) { call x (x) -> k | h }
           k (e)
         }",
        expect![[r#"
            in code f: exceptions go to `h`, but the innermost handler is the function's own
              at: call x (x) -> k | h
        "#]],
    );
    rejects(
        "code f (x) -> k {
           join exn h1 (e1) {
             try h1 {
               join exn h2 (e2) { try h2 { raise x | h1 } }
               raise e2 | h2
             }
           }
           k (e1)
         }",
        expect![[r#"
            in code f: exceptions go to `h1`, but the innermost handler is `h2`
              at: raise x | h1
            in code f: the continuation `h2` is not in scope
              at: raise e2 | h2
            in code f: exceptions go to `h2`, but the innermost handler is `h1`
              at: raise e2 | h2
        "#]],
    );
}

#[test]
fn extra_arguments() {
    rejects(
        "code f (x) -> k { join exn h (e, y) { try h (x) { raise x | h } } k (e) }",
        expect![[r#"
            in code f: 0 arguments for 1 parameter beside the exception of `h`
              at: raise x
        "#]],
    );
    rejects(
        "code f (x) -> k { join exn h (e, y: float#) { try h (#1.5) { raise x | h (x) } } k (e) }",
        expect![[r#"
            in code f: argument 1 beside the exception of `h`, `x`, is of kind `val` instead of `float#`
              at: raise x | h (x)
        "#]],
    );
    rejects(
        "code f (x) -> k { join exn h (e, y) { try h { k (x) } } k (e) }",
        expect![[r#"
            in code f: 0 arguments for 1 parameter beside the exception of `h`
              at: try h
        "#]],
    );
    rejects(
        "code f (x) -> k | kx { raise x | kx (x) }",
        expect![[r#"
            in code f: 1 argument for 0 parameters beside the exception of `kx`
              at: raise x | kx (x)
        "#]],
    );
    accepts("code f (x) -> k { join exn h (e, y) { try h (1) { raise x | h (2) } } k (y) }");
}

#[test]
fn one_try_for_each_handler() {
    rejects(
        "code f (x) -> k {
           join exn h (e) {
             join j (y) { try h { j (x) } }
             try h { k (y) }
           }
           k (e)
         }",
        expect![[r#"
            in code f: the exception continuation `h` is the handler of a second `try`
              at: try h
        "#]],
    );
    rejects(
        "code f (x) -> k | kx { try kx { k (x) } }",
        expect![[r#"
        in code f: the handler `kx` is the function's own exception continuation
          at: try kx
    "#]],
    );
}

#[test]
fn handler_under_the_same_handler() {
    rejects(
        "code f (x) -> k {
           join exn h1 (e1) {
             join exn h2 (e2) {
               try h1 { try h2 { k (x) } }
             }
             k (e2)
           }
           k (e1)
         }",
        expect![[r#"
            in code f: the handler `h2` is bound outside of an enclosing `try`
              at: try h2
        "#]],
    );
}

#[test]
fn exception_continuations_have_a_parameter_and_no_recursion() {
    rejects(
        "code f (x) -> k { join exn h { try h { k (x) } } k (x) }",
        expect![[r#"
        in code f: the exception continuation `h` has no parameter
          at: join exn h
    "#]],
    );
    rejects(
        "code f (x) -> k { cont rec exn h (e) { k (e) } try h { k (x) } }",
        expect![[r#"
        in code f: the exception continuation `h` is recursive
          at: cont rec exn h (e)
    "#]],
    );
}

#[test]
fn groups_are_not_empty() {
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| unit.codes[f()].body.items.push(Item::LetCont { recursive: false, handlers: Vec::new() }),
        expect![[r#"
            in code f: a group of continuations is not empty
              at: cont
        "#]],
    );
}

#[test]
fn arms_increase() {
    rejects(
        "code f (x: int#) -> k { switch x { 1 -> k (1), 0 -> k (2) } }",
        expect![[r#"
        in code f: the arms are not strictly increasing: 1 comes before 0
          at: switch x { 1 -> k (1), 0 -> k (2) }
    "#]],
    );
    rejects(
        "code f (x: int#) -> k { switch x { 1 -> k (1), 1 -> k (2) } }",
        expect![[r#"
        in code f: the arms are not strictly increasing: 1 comes before 1
          at: switch x { 1 -> k (1), 1 -> k (2) }
    "#]],
    );
    rejects(
        "code f (x: int#) -> k { switch x { } }",
        expect![[r#"
        in code f: a switch has an arm or a default
          at: switch x { }
    "#]],
    );
    rejects(
        "code f (x) -> k { switch_string x { \"b\" -> k (1), \"a\\n\" -> k (2) } }",
        expect![[r#"
        in code f: the arms are not strictly increasing: "b" comes before "a\n"
          at: switch_string x { "b" -> k (1), "a\n" -> k (2) }
    "#]],
    );
    rejects(
        "code f (x) -> k { switch_string x { } }",
        expect![[r#"
        in code f: a switch has an arm or a default
          at: switch_string x { }
    "#]],
    );
}
