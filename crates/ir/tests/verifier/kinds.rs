//! Kinds and arities of operands and arguments; data of primitives.

use expect_test::expect;

use super::{accepts, rejects};

#[test]
fn kind_of_a_let() {
    rejects(
        "code f (x) -> k { let a: float# = x k (x) }",
        expect![[r#"
        in code f: the variable `a` is of kind `float#` and is given one of `val`
          at: let a: float# = x
    "#]],
    );
    rejects(
        "code f (x) -> k { let a: int# = tag (#1) k (x) }",
        expect![[r#"
        in code f: the variable `a` is of kind `int#` and is given one of `val`
          at: let a: int# = tag (#1)
    "#]],
    );
}

#[test]
fn kind_of_operands() {
    rejects(
        "code f (x) -> k { let a = fadd (x, #1) k (0) }",
        expect![[r#"
        in code f: operand 1, `x`, is of kind `val` instead of `float#`
          at: let a = fadd (x, #1)
        in code f: operand 2, `#1`, is of kind `int#` instead of `float#`
          at: let a = fadd (x, #1)
    "#]],
    );
    rejects(
        "code f (x: float#) -> k { let a = make_block[0] (1, x) k (a) }",
        expect![[r#"
        in code f: operand 2, `x`, is of kind `float#` instead of `val`
          at: let a = make_block[0] (1, x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = make_array.float (#1.5, x) k (a) }",
        expect![[r#"
        in code f: operand 2, `x`, is of kind `val` instead of `float#`
          at: let a = make_array.float (#1.5, x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = c_call[\"c\" (float#) -> val] (x) k (a) }",
        expect![[r#"
        in code f: operand 1, `x`, is of kind `val` instead of `float#`
          at: let a = c_call["c" (float#) -> val] (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = lsl.int64# (#1L, #2L) k (x) }",
        expect![[r#"
        in code f: operand 2, `#2L`, is of kind `int64#` instead of `int#`
          at: let a = lsl.int64# (#1L, #2L)
    "#]],
    );
}

#[test]
fn number_of_operands() {
    rejects(
        "code f (x) -> k { let a = add.int (x) k (a) }",
        expect![[r#"
        in code f: the primitive takes 2 operands, and is given 1
          at: let a = add.int (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = tag (#1, x) k (a) }",
        expect![[r#"
            in code f: the primitive takes 1 operand, and is given 2
              at: let a = tag (#1, x)
        "#]],
    );
    rejects(
        "code f (x) -> k { let a = c_call[\"c\"/2] (x) k (a) }",
        expect![[r#"
        in code f: the primitive takes 2 operands, and is given 1
          at: let a = c_call["c"/2] (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = make_block[0] () k (a) }",
        expect![[r#"
            in code f: the primitive takes at least 1 operand, and is given 0
              at: let a = make_block[0] ()
        "#]],
    );
}

#[test]
fn operands_of_bigarrays() {
    rejects(
        "code f (x) -> k { let a = bigarray_load.int64 (x) k (x) }",
        expect![[r#"
            in code f: the primitive takes 2 operands, and is given 1
              at: let a = bigarray_load.int64 (x)
        "#]],
    );
    rejects(
        "code f (x) -> k { do bigarray_store.float64 (x, 0, x) k (x) }",
        expect![[r#"
        in code f: operand 3, `x`, is of kind `val` instead of `float#`
          at: do bigarray_store.float64 (x, 0, x)
    "#]],
    );
    rejects(
        "code f (x) -> k { do bigarray_store.float64 (x, #1.5) k (x) }",
        expect![[r#"
            in code f: the primitive takes 3 operands, and is given 2
              at: do bigarray_store.float64 (x, #1.5)
            in code f: operand 2, `#1.5`, is of kind `float#` instead of `val`
              at: do bigarray_store.float64 (x, #1.5)
        "#]],
    );
    rejects(
        "code f (x) -> k { do bigarray_store.float64 (x, #1.5, #1.5) k (x) }",
        expect![[r#"
        in code f: operand 2, `#1.5`, is of kind `float#` instead of `val`
          at: do bigarray_store.float64 (x, #1.5, #1.5)
    "#]],
    );
    accepts("code f (x) -> k { do bigarray_store.float64 (x, 0, #1.5) k (x) }");
}

#[test]
fn data_of_primitives() {
    rejects(
        "code f (x) -> k { let a = make_block[251] (x) k (a) }",
        expect![[r#"
        in code f: the GC does not scan blocks of tag 251
          at: let a = make_block[251] (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = bswap.int (x) k (a) }",
        expect![[r#"
        in code f: bytes are swapped in an int32, an int64 or a nativeint
          at: let a = bswap.int (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = convert.val.float# (x) k (x) }",
        expect![[r#"
        in code f: conversions are between naked numbers
          at: let a = convert.val.float# (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { do string_store.string.8 (x, 0, #1) k (x) }",
        expect![[r#"
        in code f: the contents of a string never change
          at: do string_store.string.8 (x, 0, #1)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a = c_call[\"c\" (val) -> float# void] (x) k (x) }",
        expect![[r#"
        in code f: a C function without result gives `()`, a value
          at: do c_call["c" (val) -> float# void] (x)
    "#]],
    );
}

#[test]
fn immediates_fit() {
    rejects(
        "code f (x) -> k { k (4611686018427387904) }",
        expect![[r#"
        in code f: the immediate 4611686018427387904 does not fit in 63 bits
          at: k (4611686018427387904)
    "#]],
    );
    rejects(
        "code f (x) -> k { let a: int# = #-4611686018427387905 k (x) }",
        expect![[r#"
        in code f: the immediate -4611686018427387905 does not fit in 63 bits
          at: let a: int# = #-4611686018427387905
    "#]],
    );
    rejects(
        "static $b = block[0] (4611686018427387904)",
        expect![[r#"
            in the unit: the immediate 4611686018427387904 does not fit in 63 bits
              at: static $b = block[0] (4611686018427387904)
        "#]],
    );
}

#[test]
fn arguments_of_jumps() {
    rejects(
        "code f (x) -> k { cont a (y, z) { k (y) } a (x) }",
        expect![[r#"
            in code f: 1 argument for 2 parameters of `a`
              at: a (x)
        "#]],
    );
    rejects(
        "code f (x) -> k { cont a (y: float#) { k (x) } a (x) }",
        expect![[r#"
        in code f: argument 1 of `a`, `x`, is of kind `val` instead of `float#`
          at: a (x)
    "#]],
    );
    rejects(
        "code f (x) -> k { k (x, x) }",
        expect![[r#"
            in code f: 2 arguments for 1 parameter of the return continuation `k`
              at: k (x, x)
        "#]],
    );
    rejects(
        "code f (x) -> k: float# { k (x) }",
        expect![[r#"
        in code f: argument 1 of the return continuation `k`, `x`, is of kind `val` instead of `float#`
          at: k (x)
    "#]],
    );
    rejects(
        "entry -> k { k (#1.5) }",
        expect![[r#"
        in the entry: argument 1 of the return continuation `k`, `#1.5`, is of kind `float#` instead of `val`
          at: k (#1.5)
    "#]],
    );
}

#[test]
fn scrutinees() {
    rejects(
        "code f (x) -> k { switch x { 0 -> k (x), _ -> k (x) } }",
        expect![[r#"
        in code f: the scrutinee, `x`, is of kind `val` instead of `int#`
          at: switch x { 0 -> k (x), _ -> k (x) }
    "#]],
    );
    rejects(
        "code f (x) -> k { switch_string #0 { \"a\" -> k (x), _ -> k (x) } }",
        expect![[r#"
        in code f: the scrutinee, `#0`, is of kind `int#` instead of `val`
          at: switch_string #0 { "a" -> k (x), _ -> k (x) }
    "#]],
    );
}

#[test]
fn exceptions_are_values() {
    rejects(
        "code f (x: float#) -> k { raise x }",
        expect![[r#"
        in code f: the exception, `x`, is of kind `float#` instead of `val`
          at: raise x
    "#]],
    );
    rejects(
        "code f (x) -> k { join exn h (e: float#) { try h { k (x) } } k (x) }",
        expect![[r#"
        in code f: the exception `e` is of kind `float#`
          at: join exn h (e: float#)
    "#]],
    );
}

#[test]
fn captured_values_are_values() {
    rejects(
        "code g (x) -> k { k (x) } code f (x: float#) -> k { let c = closures (g) { x } k (c) }",
        expect![[r#"
            in code f: the value of the slot `x`, `x`, is of kind `float#` instead of `val`
              at: let c = closures (g) { x }
        "#]],
    );
}
