//! What the parser says of texts that are no units. `UPDATE_EXPECT=1` blesses.

use expect_test::{Expect, expect};
use flambeau_ir::parser::parse_unit;

/// The error of a whole text.
#[track_caller]
fn error_of(text: &str, expected: Expect) {
    let error = parse_unit(text).expect_err("this is no unit");
    expected.assert_eq(&format!("{error}\n"));
}

/// The error of a unit with these parts, which begin on its third line.
#[track_caller]
fn error(parts: &str, expected: Expect) {
    let head = "unit \"M\" prefix \"camlM\" module $camlM\nstatic exported $camlM = preallocated[0] size 0\n";
    error_of(&format!("{head}{parts}"), expected);
}

#[test]
fn units() {
    error_of(
        "",
        expect![[r#"
        1:1: expected `unit`, found the end of the text
        1 | 
          | ^
    "#]],
    );
    error_of(
        "unit \"M\" prefix \"camlM\" module $camlM",
        expect![[r#"
        1:32: the symbol `$camlM` is neither defined nor declared `extern`
        1 | unit "M" prefix "camlM" module $camlM
          |                                ^
    "#]],
    );
    error_of(
        "unit M",
        expect![[r#"
        1:6: expected a string, found `M`
        1 | unit M
          |      ^
    "#]],
    );
    error(
        "",
        expect![[r#"
        2:48: the unit has no `entry`
        2 | static exported $camlM = preallocated[0] size 0
          |                                                ^
    "#]],
    );
    error(
        "entry -> k { k (0) } entry -> k { k (0) }",
        expect![[r#"
        3:22: a unit has one `entry`
        3 | entry -> k { k (0) } entry -> k { k (0) }
          |                      ^
    "#]],
    );
    error(
        "hello",
        expect![[r#"
            3:1: expected `extern`, `local`, `static`, `code`, `entry`, `loc` or `origin`, found `hello`
            3 | hello
              | ^
        "#]],
    );
}

#[test]
fn tokens() {
    error(
        "entry -> k { k (0) } ;",
        expect![[r#"
        3:22: no token begins with `;`
        3 | entry -> k { k (0) } ;
          |                      ^
    "#]],
    );
    error(
        "static $s = string \"\\y\"",
        expect![[r#"
        3:21: unknown escape: it can be `\n`, `\t`, `\\`, `\"`, `\`` or `\xNN`
        3 | static $s = string "\y"
          |                     ^
    "#]],
    );
    error(
        "static $s = string \"open\n",
        expect![[r#"
            3:20: this " has no partner on its line
            3 | static $s = string "open
              |                    ^
        "#]],
    );
    error(
        "code `\\xff` (x) -> k { k (x) }",
        expect![[r#"
        3:6: this text is not UTF-8
        3 | code `\xff` (x) -> k { k (x) }
          |      ^
    "#]],
    );
}

#[test]
fn numbers() {
    error(
        "entry -> k { k (9223372036854775808) }",
        expect![[r#"
        3:17: this integer is out of range here
        3 | entry -> k { k (9223372036854775808) }
          |                 ^
    "#]],
    );
    error(
        "entry -> k { k (#2147483648l) }",
        expect![[r#"
        3:17: this is no number, or it is out of range
        3 | entry -> k { k (#2147483648l) }
          |                 ^
    "#]],
    );
    error(
        "entry -> k { k (#nan:1) }",
        expect![[r#"
        3:17: this is no number, or it is out of range
        3 | entry -> k { k (#nan:1) }
          |                 ^
    "#]],
    );
    error(
        "static $s = preallocated[256] size 0",
        expect![[r#"
        3:26: this integer is out of range here
        3 | static $s = preallocated[256] size 0
          |                          ^
    "#]],
    );
    error(
        "static $s = boxed 1",
        expect![[r#"
        3:19: expected a number that is boxed, such as `#1.5` or `#1L`
        3 | static $s = boxed 1
          |                   ^
    "#]],
    );
    error(
        "static $s = float_array (#1)",
        expect![[r#"
        3:26: expected an unboxed float, such as `#1.5`
        3 | static $s = float_array (#1)
          |                          ^
    "#]],
    );
}

#[test]
fn names() {
    error(
        "entry -> k { k (x) }",
        expect![[r#"
        3:17: nothing binds the variable `x`
        3 | entry -> k { k (x) }
          |                 ^
    "#]],
    );
    error(
        "entry -> k { j (0) }",
        expect![[r#"
        3:14: nothing binds the continuation `j`
        3 | entry -> k { j (0) }
          |              ^
    "#]],
    );
    error(
        "entry -> k { k ($s) }",
        expect![[r#"
        3:17: the symbol `$s` is neither defined nor declared `extern`
        3 | entry -> k { k ($s) }
          |                 ^
    "#]],
    );
    error(
        "entry -> k { call code f (0) -> k }",
        expect![[r#"
        3:24: there is no code `f`
        3 | entry -> k { call code f (0) -> k }
          |                        ^
    "#]],
    );
    error(
        "entry -> k { let switch = 1 k (0) }",
        expect![[r#"
        3:18: expected a variable; `switch` is a keyword (a name in backquotes never is)
        3 | entry -> k { let switch = 1 k (0) }
          |                  ^
    "#]],
    );
    error(
        "extern $s extern $s",
        expect![[r#"
        3:18: the symbol `$s` is declared twice
        3 | extern $s extern $s
          |                  ^
    "#]],
    );
    error(
        "code f (x) -> k { k (x) } code f (x) -> k { k (x) }",
        expect![[r#"
        3:32: there is another code of this name
        3 | code f (x) -> k { k (x) } code f (x) -> k { k (x) }
          |                                ^
    "#]],
    );
}

#[test]
fn terms() {
    error(
        "entry -> k { let x = 1 }",
        expect![[r#"
            3:24: expected an item or a terminator, found `}`
            3 | entry -> k { let x = 1 }
              |                        ^
        "#]],
    );
    error(
        "entry -> k { k (0) let x = 1 }",
        expect![[r#"
        3:20: expected `}`, found `let`
        3 | entry -> k { k (0) let x = 1 }
          |                    ^
    "#]],
    );
    error(
        "entry -> k { k (0 1) }",
        expect![[r#"
        3:19: expected `,` or `)`, found `1`
        3 | entry -> k { k (0 1) }
          |                   ^
    "#]],
    );
    error(
        "entry -> k { let x: floats = 1 k (0) }",
        expect![[r#"
        3:21: expected a type (`val`, `int`, `float`, `float#`, `int#`…), found `floats`
        3 | entry -> k { let x: floats = 1 k (0) }
          |                     ^
    "#]],
    );
    error(
        "entry -> k { let x, y = 1 k (0) }",
        expect![[r#"
        3:18: only `closures` binds several variables
        3 | entry -> k { let x, y = 1 k (0) }
          |                  ^
    "#]],
    );
    error(
        "entry -> k { do 1 k (0) }",
        expect![[r#"
        3:17: expected `call` or a primitive, found `1`
        3 | entry -> k { do 1 k (0) }
          |                 ^
    "#]],
    );
    error(
        "entry -> k { switch #0 { _ -> k (0), 1 -> k (0) } }",
        expect![[r#"
        3:38: expected `}` after the default arm, found `1`
        3 | entry -> k { switch #0 { _ -> k (0), 1 -> k (0) } }
          |                                      ^
    "#]],
    );
    error(
        "entry -> k { call 1 (2) [inline always] -> k }",
        expect![[r#"
        3:26: expected an attribute (inlined, specialised), found `inline`
        3 | entry -> k { call 1 (2) [inline always] -> k }
          |                          ^
    "#]],
    );
    error(
        "entry -> k { call 1 (2) [inlined maybe] -> k }",
        expect![[r#"
            3:34: expected `always`, `never`, `hint`, `entered`, `awaited`, `cold` or `unroll`, found `maybe`
            3 | entry -> k { call 1 (2) [inlined maybe] -> k }
              |                                  ^
        "#]],
    );
    error(
        "entry -> k { let x = call 1 (2) -> k k (x) }",
        expect![[r#"
            3:33: expected an item or a terminator, found `->`
            3 | entry -> k { let x = call 1 (2) -> k k (x) }
              |                                 ^
        "#]],
    );
}

#[test]
fn primitives() {
    error(
        "entry -> k { let x = plus (1, 2) k (x) }",
        expect![[r#"
        3:22: there is no primitive `plus`
        3 | entry -> k { let x = plus (1, 2) k (x) }
          |                      ^
    "#]],
    );
    error(
        "entry -> k { let x = add (1, 2) k (x) }",
        expect![[r#"
        3:22: expected, after a dot, a kind of integers (`int`, `int#`, `int32#`, `int64#`, `nativeint#`)
        3 | entry -> k { let x = add (1, 2) k (x) }
          |                      ^
    "#]],
    );
    error(
        "entry -> k { let x = add.float (1, 2) k (x) }",
        expect![[r#"
            3:22: expected, after a dot, a kind of integers (`int`, `int#`, `int32#`, `int64#`, `nativeint#`), found `.float`
            3 | entry -> k { let x = add.float (1, 2) k (x) }
              |                      ^
        "#]],
    );
    error(
        "entry -> k { let x = add.int.mut (1, 2) k (x) }",
        expect![[r#"
        3:22: `add` does not take `.mut`
        3 | entry -> k { let x = add.int.mut (1, 2) k (x) }
          |                      ^
    "#]],
    );
    error(
        "entry -> k { let x = block_load (1) k (x) }",
        expect![[r#"
        3:33: expected `[`, found `(`
        3 | entry -> k { let x = block_load (1) k (x) }
          |                                 ^
    "#]],
    );
    error(
        "entry -> k { let x = block_load[-1] (1) k (x) }",
        expect![[r#"
        3:33: this integer is out of range here
        3 | entry -> k { let x = block_load[-1] (1) k (x) }
          |                                 ^
    "#]],
    );
    error(
        "entry -> k { let x = block_load[1, 2] (1) k (x) }",
        expect![[r#"
        3:34: expected `]`, found `,`
        3 | entry -> k { let x = block_load[1, 2] (1) k (x) }
          |                                  ^
    "#]],
    );
    error(
        "entry -> k { let x = c_call[\"f\"] (1) k (x) }",
        expect![[r#"
        3:32: expected `(`, found `]`
        3 | entry -> k { let x = c_call["f"] (1) k (x) }
          |                                ^
    "#]],
    );
}

#[test]
fn locations() {
    error(
        "entry -> k { k (0) } loc @2 \"f.ml\" line 1 chars 1 bol 0",
        expect![[r#"
        3:26: locations are numbered in order from `@1`
        3 | entry -> k { k (0) } loc @2 "f.ml" line 1 chars 1 bol 0
          |                          ^
    "#]],
    );
    error(
        "entry -> k { k (0) } loc @1 \"f.ml\" lines 1 chars 1 bol 0",
        expect![[r#"
        3:36: expected `line`, found `lines`
        3 | entry -> k { k (0) } loc @1 "f.ml" lines 1 chars 1 bol 0
          |                                    ^
    "#]],
    );
}
