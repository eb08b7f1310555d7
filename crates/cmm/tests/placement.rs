//! Pure bindings and calls: what moves past a call, by what has to be saved around it.

mod support;

use expect_test::expect;
use support::check_body;

#[test]
fn a_sum_is_computed_before_the_call_that_follows_it() {
    check_body(
        "f, x: int",
        "let a = call f (x)
         let b = call f (a)
         let s = add.int (a, b)
         let c = call f (b)
         let t = add.int (s, c)
         let d = call f (c)
         let u = add.int (t, d)
         k (u)",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val)
              (let a/2 (apply f/0 x/1))
              (let b/3 (apply f/0 a/2))
              (let s/4 (int_arith.add.tagged a/2 b/3))
              (let c/5 (apply f/0 b/3))
              (let t/6 (int_arith.add.tagged s/4 c/5))
              (let d/7 (apply f/0 c/5))
              (int_arith.add.tagged t/6 d/7))
        "#]],
    );
}

#[test]
fn what_one_value_gives_moves_past_a_call() {
    check_body(
        "f, x: int",
        "let s = add.int (x, 1)
         let a = call f (0)
         let t = add.int (s, a)
         k (t)",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val)
              (let a/3 (apply f/0 1))
              (int_arith.add.tagged (int_arith.add.tagged x/1 3) a/3))
        "#]],
    );
}

#[test]
fn operands_that_are_needed_later_cost_nothing() {
    check_body(
        "f, x: int, y: int",
        "let s = add.int (x, y)
         let a = call f (0)
         let t = add.int (s, a)
         let u = call f (x, y, t)
         k (u)",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val y/2:val)
              (let a/4 (apply f/0 1))
              (apply f/0 x/1 y/2 (int_arith.add.tagged (int_arith.add.tagged x/1 y/2) a/4)))
        "#]],
    );
}

#[test]
fn calls_on_other_paths_do_not_count() {
    check_body(
        "f, x: int, y: int, c: int",
        "let s = add.int (x, y)
         cont other { call f (0) -> k }
         and here { call f (s) -> k }
         let z = eq.int (c, 0)
         switch z { 0 -> here, 1 -> other }",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val y/2:val c/3:val)
              (if (int_compare.eq.tagged c/3 1)
                (then (apply f/0 1))
                (else (apply f/0 (int_arith.add.tagged x/1 y/2)))))
        "#]],
    );
}

#[test]
fn calls_of_a_definition_count() {
    check_body(
        "f, x: int, y: int, c: int",
        "let s = add.int (x, y)
         join after (r) {
           cont one { call f (1) -> after }
           let z = eq.int (c, 0)
           switch z { 0 -> one, 1 -> after (c) }
         }
         let t = add.int (s, r)
         k (t)",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val y/2:val c/3:val)
              (let s/4 (int_arith.add.tagged x/1 y/2))
              (let r/6
                (if (int_compare.eq.tagged c/3 1)
                  (then c/3)
                  (else (apply f/0 3))))
              (int_arith.add.tagged s/4 r/6))
        "#]],
    );
}

#[test]
fn what_a_loop_goes_on_with_is_alive_in_all_of_it() {
    check_body(
        "f, x: int, y: int",
        "cont rec loop (i: int) {
           let s = add.int (x, y)
           let r = call f (i)
           let t = add.int (s, r)
           loop (t)
         }
         loop (0)",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val y/2:val)
              (catch_rec
                (exit L0 1)
                (with L0 (i/3:val)
                  (let r/5 (apply f/0 i/3))
                  (exit L0 (int_arith.add.tagged (int_arith.add.tagged x/1 y/2) r/5)))))
        "#]],
    );
}

#[test]
fn a_comparison_of_strings_asks_for_equality_if_nothing_else_is_asked() {
    check_body(
        "x, y",
        "let a = c_call[\"caml_string_compare\"/2 noalloc] (x, y)
         let equal = phys_eq (a, 0)
         let b = c_call[\"caml_bytes_compare\"/2 noalloc] (y, x)
         let differ = ne.int (b, 0)
         let c = c_call[\"caml_string_compare\"/2 noalloc] (x, y)
         let same = phys_eq (c, 0)
         let less = lt.int (c, 0)
         let d = make_block[0] (0)
         let e = tag (equal)
         let f = tag (differ)
         let g = tag (same)
         let h = tag (less)
         let all = make_block[0] (e, f, g, h)
         k (all)",
        expect![[r#"
            (function camlT__f (x/0:val y/1:val)
              (let a/2 (c.caml_string_equal.noalloc x/0 y/1))
              (let b/4 (c.caml_bytes_equal.noalloc y/1 x/0))
              (let c/6 (c.caml_string_compare.noalloc x/0 y/1))
              (make_block.0.immutable (tag (phys_equal.negated a/2 1)) (tag (phys_equal b/4 1)) (tag (phys_equal c/6 1)) (tag (int_compare.lt.tagged c/6 1))))
        "#]],
    );
}
