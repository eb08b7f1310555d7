//! What becomes of `try` and of the extra arguments of handlers, which are mutable variables in Cmm.

mod support;

use expect_test::expect;
use support::check_body;

#[test]
fn extra_arguments_are_mutable_variables() {
    check_body(
        "f, x",
        "join k1 (r) {
           join exn h (e, count: int, unused: int) {
             try h (0, 0) {
               do exn_state () | h (0, 1)
               join k2 (y) { call f (x) -> k2 | h (1, 2) }
               join k3 (z) { call f (y) -> k3 | h (1, 3) }
               do exn_state () | h (2, 4)
               k1 (z)
             }
           }
           let pair = make_block[0] (e, count)
           k1 (pair)
         }
         call f (r) -> k",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val)
              (let r/8
                (letmut count/2:val 1)
                (try
                  (assign count/2 3)
                  (let y/3 (apply f/0 x/1))
                  (let z/4 (apply f/0 y/3))
                  (assign count/2 5)
                  z/4
                  (with e/5 (make_block.0.immutable e/5 count/2))))
              (apply f/0 r/8))
        "#]],
    );
}

/// Soundness row 6: the code after a `try` is not under it.
#[test]
fn what_follows_a_try_stays_outside() {
    check_body(
        "f, x",
        "join k1 (r) {
           join exn h (e) { try h { call f (x) -> k1 | h } }
           raise e
         }
         raise r",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val)
              (let r/3
                (try
                  (apply f/0 x/1)
                  (with e/2 (raise.regular e/2))))
              (raise.regular r/3))
        "#]],
    );
}

#[test]
fn a_handler_of_two_tries_deep_is_a_catch() {
    check_body(
        "f, x",
        "cont exn outer (e, n: int) { call f (e, n) -> k }
         cont exn inner (e) { k (e) }
         try inner {
           try outer (0) {
             do exn_state () | outer (1)
             call f (x) -> k | outer (1)
           }
         }",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val)
              (catch
                (try
                  (letmut n/4:val 1)
                  (try
                    (assign n/4 3)
                    (apply f/0 x/1)
                    (with e/5 (exit L0 e/5 n/4)))
                  (with e/6 e/6))
                (with L0 (e/2:val n/3:val) (apply f/0 e/2 n/3))))
        "#]],
    );
}

/// After a join, what was assigned on one path to it counts for nothing.
#[test]
fn extra_arguments_are_assigned_again_after_joins() {
    check_body(
        "f, n: int",
        "cont exn h (e, count: int) { k (count) }
         try h (0) {
           join both (a, b) {
             let c = eq.int (n, 0)
             join late (x) { switch c { 0 -> both (n, n), 1 -> late (n) } }
             join called (y) { call f (x) -> called | h (1) }
             both (y, n)
           }
           call f (a, b) -> k | h (1)
         }",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (letmut count/2:val 1)
              (try
                (catch
                  (let x/4
                    (if (int_compare.eq.tagged n/1 1)
                      (then n/1)
                      (else (exit L0 n/1 n/1))))
                  (assign count/2 3)
                  (let y/5 (apply f/0 x/4))
                  (exit L0 y/5 n/1)
                  (with L0 (a/6:val b/7:val)
                    (assign count/2 3)
                    (apply f/0 a/6 b/7)))
                (with e/8 count/2)))
        "#]],
    );
}

/// What was assigned before the paths diverge counts after they meet.
#[test]
fn extra_arguments_assigned_before_a_branch_are_known_after_its_join() {
    check_body(
        "f, n: int",
        "cont exn h (e, count: int) { k (count) }
         try h (0) {
           join first (y) { call f (n) -> first | h (1) }
           join both (a, b) {
             let c = eq.int (y, 0)
             join other () { switch c { 0 -> both (n, n), 1 -> other } }
             both (y, n)
           }
           call f (a, b) -> k | h (1)
         }",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (letmut count/2:val 1)
              (try
                (assign count/2 3)
                (let y/3 (apply f/0 n/1))
                (catch
                  (do
                    (if (int_compare.eq.tagged y/3 1)
                      (then 1)
                      (else (exit L0 n/1 n/1))))
                  (exit L0 y/3 n/1)
                  (with L0 (a/5:val b/6:val) (apply f/0 a/5 b/6)))
                (with e/7 count/2)))
        "#]],
    );
}

/// What a loop leaves as it is, is assigned before it; what it changes, in it.
#[test]
fn extra_arguments_of_a_loop_are_not_assigned_before_it() {
    check_body(
        "f, n: int",
        "cont exn h (e, count: int, other: int) { let sum = add.int (count, other) k (sum) }
         try h (0, 0) {
           join after (r) {
             cont rec loop (v: int) {
               join called (y: int) { call f (v) -> called | h (1, v) }
               join again (z: int) { call f (y) -> again | h (1, v) }
               let c = eq.int (z, 0)
               switch c { 0 -> loop (z), 1 -> after (n) }
             }
             loop (n)
           }
           call f (r) -> k | h (1, n)
         }",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (letmut count/2:val 1)
              (letmut other/3:val 1)
              (try
                (let r/8
                  (catch_rec
                    (exit L0 n/1)
                    (with L0 (v/4:val)
                      (assign count/2 3)
                      (assign other/3 v/4)
                      (let y/5 (apply f/0 v/4))
                      (let z/6 (apply f/0 y/5))
                      (if (int_compare.eq.tagged z/6 1)
                        (then n/1)
                        (else (exit L0 z/6))))))
                (assign other/3 n/1)
                (apply f/0 r/8)
                (with e/9 (int_arith.add.tagged count/2 other/3))))
        "#]],
    );
}

/// Handlers are translated before the code that jumps to them, and executed after it.
#[test]
fn extra_arguments_are_assigned_again_after_handlers() {
    check_body(
        "f, n: int",
        "cont exn h (e, count: int) { k (count) }
         try h (0) {
           join after (r) {
             cont before (v) { call f (v) -> after | h (1) }
             join called (y) { call f (n) -> called | h (2) }
             let c = eq.int (y, 0)
             switch c { 0 -> before (y), 1 -> before (n) }
           }
           call f (r) -> k | h (2)
         }",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (letmut count/2:val 1)
              (try
                (let r/6
                  (let v/3
                    (assign count/2 5)
                    (let y/4 (apply f/0 n/1))
                    (if (int_compare.eq.tagged y/4 1)
                      (then n/1)
                      (else y/4)))
                  (assign count/2 3)
                  (apply f/0 v/3))
                (assign count/2 5)
                (apply f/0 r/6)
                (with e/7 count/2)))
        "#]],
    );
    check_body(
        "f, n: int",
        "cont exn h (e, count: int) { k (count) }
         try h (0) {
           join after (r) {
             cont rec loop (v) {
               join called (y) { call f (v) -> called | h (1) }
               let c = eq.int (y, 0)
               switch c { 0 -> loop (y), 1 -> after (n) }
             }
             do exn_state () | h (2)
             loop (n)
           }
           call f (r) -> k | h (2)
         }",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (letmut count/2:val 1)
              (try
                (let r/6
                  (catch_rec
                    (assign count/2 5)
                    (exit L0 n/1)
                    (with L0 (v/3:val)
                      (assign count/2 3)
                      (let y/4 (apply f/0 v/3))
                      (if (int_compare.eq.tagged y/4 1)
                        (then n/1)
                        (else (exit L0 y/4))))))
                (assign count/2 5)
                (apply f/0 r/6)
                (with e/7 count/2)))
        "#]],
    );
}
