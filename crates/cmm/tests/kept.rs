//! Parameters of loops that iterations leave unchanged.

mod support;

use expect_test::{Expect, expect};
use support::check_body;

/// A loop that counts `i` up to `n` and returns `best`, which the items of an iteration make `best2`.
#[track_caller]
fn check_iteration(items: &str, expected: Expect) {
    let body = format!(
        "cont rec turn (i: int, best: int) {{
           let c = lt.int (i, n)
           cont go {{
             {items}
             let next = add.int (i, 1)
             turn (next, best2)
           }}
           switch c {{ 0 -> k (best), 1 -> go }}
         }}
         turn (0, 5)"
    );
    check_body("n: int, x", &body, expected);
}

#[test]
fn what_some_turns_leave_as_it_is_is_assigned_by_the_others() {
    check_body(
        "n: int, x",
        "cont rec turn (i: int, best: int) {
           let c = lt.int (i, n)
           let d = lt.int (best, i)
           let next = add.int (i, 1)
           cont go { switch d { 0 -> turn (next, best), 1 -> turn (next, i) } }
           switch c { 0 -> k (best), 1 -> go }
         }
         turn (0, 5)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut best/2:val 1)
              (catch_rec
                (assign best/2 11)
                (exit L0 1)
                (with L0 (i/3:val)
                  (if (int_compare.lt.tagged i/3 n/0)
                    (then
                      (let next/6 (int_arith.add.tagged i/3 3))
                      (if (int_compare.lt.tagged best/2 i/3)
                        (then
                          (assign best/2 i/3)
                          (exit L0 next/6))
                        (else (exit L0 next/6))))
                    (else best/2)))))
        "#]],
    );
}

#[test]
fn where_ways_meet_it_has_another_name() {
    check_body(
        "n: int, x",
        "cont rec turn (i: int, best: int, sum: int) {
           let c = lt.int (i, n)
           cont go {
             join met (best2: int, sum2: int) {
               let d = lt.int (best, i)
               let more = add.int (sum, best)
               switch d { 0 -> met (best, more), 1 -> met (i, sum) }
             }
             let next = add.int (i, 1)
             turn (next, best2, sum2)
           }
           switch c { 0 -> k (best), 1 -> go }
         }
         turn (0, 5, 0)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut best/2:val 1)
              (letmut sum/3:val 1)
              (catch_rec
                (assign best/2 11)
                (assign sum/3 1)
                (exit L0 1)
                (with L0 (i/4:val)
                  (if (int_compare.lt.tagged i/4 n/0)
                    (then
                      (do
                        (if (int_compare.lt.tagged best/2 i/4)
                          (then
                            (assign best/2 i/4)
                            1)
                          (else
                            (assign sum/3 (int_arith.add.tagged sum/3 best/2))
                            1)))
                      (exit L0 (int_arith.add.tagged i/4 3)))
                    (else best/2)))))
        "#]],
    );
}

#[test]
fn results_of_calls_are_assigned() {
    check_body(
        "n: int, x",
        "cont rec turn (i: int, best) {
           let c = lt.int (i, n)
           cont go {
             join met (best2) {
               let d = phys_eq (best, i)
               cont asked { call x (best) -> met }
               switch d { 0 -> met (best), 1 -> asked }
             }
             let next = add.int (i, 1)
             turn (next, best2)
           }
           switch c { 0 -> k (best), 1 -> go }
         }
         turn (0, x)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut best/2:val 1)
              (catch_rec
                (assign best/2 x/1)
                (exit L0 1)
                (with L0 (i/3:val)
                  (if (int_compare.lt.tagged i/3 n/0)
                    (then
                      (let i/8 i/3)
                      (do
                        (if (phys_equal best/2 i/8)
                          (then
                            (let best2/6 (apply x/1 best/2))
                            (assign best/2 best2/6)
                            1)
                          (else 1)))
                      (exit L0 (int_arith.add.tagged i/8 3)))
                    (else best/2)))))
        "#]],
    );
}

#[test]
fn arguments_are_those_of_before_the_jump() {
    check_body(
        "n: int, x",
        "cont rec turn (i: int, a, b) {
           let c = lt.int (i, n)
           let d = phys_eq (a, x)
           let next = sub.int (i, 1)
           cont go { switch d { 0 -> turn (next, a, b), 1 -> turn (next, b, a) } }
           switch c { 0 -> k (a), 1 -> go }
         }
         turn (0, x, n)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut a/2:val 1)
              (letmut b/3:val 1)
              (catch_rec
                (assign a/2 x/1)
                (assign b/3 n/0)
                (exit L0 1)
                (with L0 (i/4:val)
                  (if (int_compare.lt.tagged i/4 n/0)
                    (then
                      (let next/7 (int_arith.sub.tagged i/4 3))
                      (if (phys_equal a/2 x/1)
                        (then
                          (let a/8 a/2)
                          (assign a/2 b/3)
                          (assign b/3 a/8)
                          (exit L0 next/7))
                        (else (exit L0 next/7))))
                    (else a/2)))))
        "#]],
    );
}

#[test]
fn an_old_name_that_is_read_later_stays_apart() {
    check_iteration(
        "join met (best2: int) {
           let d = lt.int (best, i)
           switch d { 0 -> met (best), 1 -> met (i) }
         }
         do block_store.assign[0] (x, best)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (catch_rec
                (exit L0 1 11)
                (with L0 (i/2:val best/3:val)
                  (if (int_compare.lt.tagged i/2 n/0)
                    (then
                      (let best2/6
                        (if (int_compare.lt.tagged best/3 i/2)
                          (then i/2)
                          (else best/3)))
                      (block_store.0.pointer.assignment x/1 best/3)
                      (exit L0 (int_arith.add.tagged i/2 3) best2/6))
                    (else best/3)))))
        "#]],
    );
}

#[test]
fn what_the_old_name_gave_is_computed_before_the_assignment() {
    check_iteration(
        "let twice = mul.int (best, 2)
         join met (best2: int) {
           let d = lt.int (best, i)
           switch d { 0 -> met (best), 1 -> met (i) }
         }
         do block_store.assign[0] (x, twice)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut best/2:val 1)
              (catch_rec
                (assign best/2 11)
                (exit L0 1)
                (with L0 (i/3:val)
                  (if (int_compare.lt.tagged i/3 n/0)
                    (then
                      (let twice/5 (int_arith.mul.tagged best/2 5))
                      (do
                        (if (int_compare.lt.tagged best/2 i/3)
                          (then
                            (assign best/2 i/3)
                            1)
                          (else 1)))
                      (block_store.0.pointer.assignment x/1 twice/5)
                      (exit L0 (int_arith.add.tagged i/3 3)))
                    (else best/2)))))
        "#]],
    );
}

#[test]
fn handlers_of_exceptions_keep_the_old_name_apart() {
    check_body(
        "n: int, x",
        "join exn h (e, kept: int) {
           try h (0) {
             cont rec turn (i: int, best: int) {
               let c = lt.int (i, n)
               cont go {
                 join met (best2: int) {
                   let d = lt.int (best, i)
                   let r = c_call[\"c\"/1] (x) | h (best)
                   switch d { 0 -> met (best), 1 -> met (i) }
                 }
                 let next = add.int (i, 1)
                 turn (next, best2)
               }
               switch c { 0 -> k (best), 1 -> go }
             }
             turn (0, 5)
           }
         }
         k (kept)",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut kept/2:val 1)
              (try
                (catch_rec
                  (exit L0 1 11)
                  (with L0 (i/3:val best/4:val)
                    (if (int_compare.lt.tagged i/3 n/0)
                      (then
                        (let best/13 best/4)
                        (let i/12 i/3)
                        (let best2/8
                          (assign kept/2 best/13)
                          (c.c x/1)
                          (if (int_compare.lt.tagged best/13 i/12)
                            (then i/12)
                            (else best/13)))
                        (exit L0 (int_arith.add.tagged i/12 3) best2/8))
                      (else best/4))))
                (with e/10 kept/2)))
        "#]],
    );
}

#[test]
fn of_two_parameters_that_exist_at_once_one_is_a_name() {
    check_iteration(
        "join met (low: int, high: int) {
           let d = lt.int (best, i)
           switch d { 0 -> met (i, best), 1 -> met (best, i) }
         }
         join chosen (best2: int) {
           let odd = and.int (i, 1)
           switch odd { 0 -> chosen (low), 1 -> chosen (high) }
         }",
        expect![[r#"
            (function camlT__f (n/0:val x/1:val)
              (letmut best/2:val 1)
              (catch_rec
                (assign best/2 11)
                (exit L0 1)
                (with L0 (i/3:val)
                  (if (int_compare.lt.tagged i/3 n/0)
                    (then
                      (let low/7
                        (if (int_compare.lt.tagged best/2 i/3)
                          (then
                            (let best/6 best/2)
                            (assign best/2 i/3)
                            best/6)
                          (else i/3)))
                      (do
                        (if (int_arith.and.tagged i/3 3)
                          (then 1)
                          (else
                            (assign best/2 low/7)
                            1)))
                      (exit L0 (int_arith.add.tagged i/3 3)))
                    (else best/2)))))
        "#]],
    );
}
