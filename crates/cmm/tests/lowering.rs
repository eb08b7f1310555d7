//! What becomes of small units: the Cmm that is expected, as text.

mod support;

use expect_test::expect;
use support::{check_body, check_unit, lower};

// ---- placement

#[test]
fn pure_bindings_go_to_their_use() {
    check_body(
        "x: int, y: int",
        "let a = mul.int (x, y)
         let b = add.int (a, 1)
         let unused = sub.int (a, b)
         let c = add.int (b, y)
         k (c)",
        expect![[r#"
            (function camlT__f (x/0:val y/1:val)
              (int_arith.add.tagged (int_arith.add.tagged (int_arith.mul.tagged x/0 y/1) 3) y/1))
        "#]],
    );
}

#[test]
fn bindings_with_several_uses_stay() {
    check_body(
        "x: int",
        "let a = add.int (x, 1)\nlet b = mul.int (a, a)\nk (b)",
        expect![[r#"
        (function camlT__f (x/0:val)
          (let a/1 (int_arith.add.tagged x/0 3))
          (int_arith.mul.tagged a/1 a/1))
    "#]],
    );
}

#[test]
fn a_load_never_moves_after_a_store() {
    // Not even after one to other memory, where only one branch wants what was loaded: load buffering
    // (docs/memory-model.md).
    check_body(
        "r, a, n: int",
        "let x = block_load.mut[0] (r)
         do array_store.int (a, 0, n)
         let c = lt.int (n, 10)
         cont yes { k (x) }
         and no { k (0) }
         switch c { 0 -> no, 1 -> yes }",
        expect![[r#"
            (function camlT__f (r/0:val a/1:val n/2:val)
              (let x/3 (block_load.0.mutable r/0))
              (array_store.int a/1 1 n/2)
              (if (int_compare.lt.tagged n/2 21)
                (then x/3)
                (else 1)))
        "#]],
    );
}

#[test]
fn bindings_sink_into_the_branch_that_uses_them() {
    check_body(
        "x, n: int",
        "let rare = mul.int (n, n)
         let pair = make_block[0] (x, x)
         let field = block_load.mut[0] (x)
         let c = lt.int (n, 10)
         cont a { call rare (rare, pair) -> k }
         and b { call x (field) -> k }
         switch c { 0 -> a, 1 -> b }",
        expect![[r#"
            (function camlT__f (x/0:val n/1:val)
              (let pair/3 (make_block.0.immutable x/0 x/0))
              (if (int_compare.lt.tagged n/1 21)
                (then (apply x/0 (block_load.0.mutable x/0)))
                (else
                  (let rare/2 (int_arith.mul.tagged n/1 n/1))
                  (apply rare/2 rare/2 pair/3))))
        "#]],
    );
}

#[test]
fn projections_are_loaded_where_they_are_used() {
    check_unit(
        "code f (n: int) closure env -> k | kx {
           let g = project_value[f, g] (env)
           let h = project_value[f, h] (env)
           let c = eq.int (n, 0)
           cont yes { k (n) }
           and no {
             let m = sub.int (n, 1)
             join k1 (x) { call h (m) -> k1 }
             join k2 (y) { call h (x) -> k2 }
             call g (y) -> k
           }
           switch c { 0 -> no, 1 -> yes }
         }
         entry -> done | failed { let f = closures (f) { g = 0, h = 0 } done (f) }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (function camlT__f (n/0:val env/1:val)
              (if (int_compare.eq.tagged n/0 1)
                (then n/0)
                (else
                  (let h/3 (slot.3 env/1))
                  (let x/6 (apply h/3 (int_arith.sub.tagged n/0 3)))
                  (let y/7 (apply h/3 x/6))
                  (apply (slot.2 env/1) y/7))))
            (entry
              (closures (camlT__f:1) 1 1))
        "#]],
    );
}

#[test]
fn reads_stay_before_effects() {
    check_body(
        "r, x",
        "let old = block_load.mut[0] (r)
         let kept = block_load[1] (r)
         do block_store[0] (r, x)
         let new = block_load.mut[0] (r)
         let pair = make_block[0] (old, new, kept)
         k (pair)",
        expect![[r#"
            (function camlT__f (r/0:val x/1:val)
              (let old/2 (block_load.0.mutable r/0))
              (block_store.0.pointer.assignment r/0 x/1)
              (make_block.0.immutable old/2 (block_load.0.mutable r/0) (block_load.1.immutable r/0)))
        "#]],
    );
}

/// Soundness row 12: what reads and writes shared state, without allocation in between, keeps doing so.
#[test]
fn allocations_stay_out_of_windows_of_reads_and_writes() {
    check_body(
        "r, seen: int, v",
        "let some = make_block[0] (v)
         let current = block_load.mut[0] (r)
         let same = eq.int (current, seen)
         cont yes { do block_store[0] (r, some) k (1) }
         and no { k (0) }
         switch same { 0 -> no, 1 -> yes }",
        expect![[r#"
            (function camlT__f (r/0:val seen/1:val v/2:val)
              (let some/3 (make_block.0.immutable v/2))
              (if (int_compare.eq.tagged (block_load.0.mutable r/0) seen/1)
                (then
                  (block_store.0.pointer.assignment r/0 some/3)
                  3)
                (else 1)))
        "#]],
    );
    check_body(
        "r, v",
        "let current = block_load.mut[0] (r)
         let pair = make_block[0] (v, v)
         let triple = make_block[0] (current, pair)
         k (triple)",
        expect![[r#"
            (function camlT__f (r/0:val v/1:val)
              (let current/2 (block_load.0.mutable r/0))
              (make_block.0.immutable current/2 (make_block.0.immutable v/1 v/1)))
        "#]],
    );
}

/// A read is moved with the allocation that uses it, and still does not cross another.
#[test]
fn reads_inside_delayed_allocations_stay_before_other_allocations() {
    check_body(
        "f, r, n: int",
        "let current = block_load.mut[0] (r)
         let pair = make_block[0] (current, n)
         let c = lt.int (n, 10)
         cont a { let other = make_block.mut[0] (n, n) call f (other, other, pair) -> k }
         and b { k (0) }
         switch c { 0 -> a, 1 -> b }",
        expect![[r#"
            (function camlT__f (f/0:val r/1:val n/2:val)
              (if (int_compare.lt.tagged n/2 21)
                (then 1)
                (else
                  (let current/3 (block_load.0.mutable r/1))
                  (let other/6 (make_block.0.mutable n/2 n/2))
                  (apply f/0 other/6 other/6 (make_block.0.immutable current/3 n/2)))))
        "#]],
    );
}

/// What an allocation raises is not caught by a `try` that comes after it.
#[test]
fn allocations_stay_out_of_a_try() {
    check_body(
        "f, r",
        "let pair = make_block[0] (r, r)
         let current = block_load[0] (r)
         cont exn h (e) { k (e) }
         try h { call f (pair, current) -> k | h }",
        expect![[r#"
            (function camlT__f (f/0:val r/1:val)
              (let pair/2 (make_block.0.immutable r/1 r/1))
              (try
                (apply f/0 pair/2 (block_load.0.immutable r/1))
                (with e/4 e/4)))
        "#]],
    );
}

/// Soundness rows 1 and 2.
#[test]
fn divisions_stay_after_their_checks() {
    check_body(
        "x, y: int",
        "do check_zero.int (y)
         let q = div.int (x, y)
         let r = block_load.mut[0] (x)
         let c = lt.int (q, 10)
         cont yes { k (q) }
         and no { k (r) }
         switch c { 0 -> no, 1 -> yes }",
        expect![[r#"
            (function camlT__f (x/0:val y/1:val)
              (check_zero.tagged y/1)
              (let q/2 (int_div.tagged x/0 y/1))
              (if (int_compare.lt.tagged q/2 21)
                (then q/2)
                (else (block_load.0.mutable x/0))))
        "#]],
    );
}

#[test]
fn nothing_moves_into_a_loop() {
    check_body(
        "n: int, b: float",
        "let limit = untag (n)
         let x = unbox.float (b)
         let start = add.int# (limit, #1)
         cont rec loop (i: int#, acc: float#) {
           let acc' = fadd (acc, x)
           let i' = add.int# (i, #1)
           let c = lt.int# (i', limit)
           cont out { let r = box.float (acc') k (r) }
           switch c { 0 -> out, 1 -> loop (i', acc') }
         }
         loop (start, #0.0)",
        expect![[r#"
            (function camlT__f (n/0:val b/1:val)
              (let limit/2 (untag n/0))
              (let x/3 (unbox.float b/1))
              (catch_rec
                (exit L0 (int_arith.add.naked limit/2 1) 0.0)
                (with L0 (i/5:int acc/6:float)
                  (let acc'/7 (float_arith.add acc/6 x/3))
                  (let i'/8 (int_arith.add.naked i/5 1))
                  (if (int_compare.lt.naked i'/8 limit/2)
                    (then (exit L0 i'/8 acc'/7))
                    (else (box.float acc'/7))))))
        "#]],
    );
}

#[test]
fn numbers_that_are_consumed_at_once_are_not_boxed() {
    check_body(
        "x: float, y: float",
        "let x# = unbox.float (x)
         let y# = unbox.float (y)
         let p = fmul (x#, y#)
         let b = box.float (p)
         let b# = unbox.float (b)
         let s = fadd (b#, x#)
         let r = box.float (s)
         k (r)",
        expect![[r#"
            (function camlT__f (x/0:val y/1:val)
              (let x#/2 (unbox.float x/0))
              (box.float (float_arith.add (float_arith.mul x#/2 (unbox.float y/1)) x#/2)))
        "#]],
    );
}

// ---- conditions

#[test]
fn comparisons_end_up_in_conditions() {
    check_body(
        "x: int, y: int",
        "let x# = untag (x)
         let c = lt.int# (x#, #5)
         cont a { k (1) }
         and b { let y# = untag (y) switch y# { 0 -> k (2), _ -> k (3) } }
         switch c { 0 -> b, 1 -> a }",
        expect![[r#"
            (function camlT__f (x/0:val y/1:val)
              (if (int_compare.lt.tagged x/0 11)
                (then 3)
                (else
                  (if (int_compare.ne.tagged y/1 1)
                    (then 7)
                    (else 5)))))
        "#]],
    );
}

#[test]
fn switches_to_two_targets_are_conditionals() {
    check_body(
        "x: int",
        "let x# = untag (x)
         cont one { k (1) }
         and other { k (2) }
         switch x# { 3 -> one, 4 -> other, _ -> other }",
        expect![[r#"
            (function camlT__f (x/0:val)
              (if (int_compare.eq.tagged x/0 7)
                (then 3)
                (else 5)))
        "#]],
    );
    check_body(
        "x: int",
        "let x# = untag (x)
         switch x# { 0 -> k (1), 1 -> k (2), 2 -> k (1), 7 -> k (3), _ -> k (2) }",
        expect![[r#"
            (function camlT__f (x/0:val)
              (switch (untag x/0)
                (case 0 2 3)
                (case 7 7)
                (default 5)))
        "#]],
    );
}

#[test]
fn string_switches_share_arms() {
    check_body(
        "s, x",
        "cont same { call x (s) -> k }
         and other { k (0) }
         switch_string s { \"a\" -> same, \"b\" -> same, \"c\" -> other, \"d\" -> k (1), _ -> other }",
        expect![[r#"
            (function camlT__f (s/0:val x/1:val)
              (catch
                (string_switch s/0
                  (case "a" (exit L0))
                  (case "b" (exit L0))
                  (case "d" 3)
                  (default 1))
                (with L0 () (apply x/1 s/0))))
        "#]],
    );
}

// ---- continuations

#[test]
fn tail_calls_stay_tail_calls() {
    check_body(
        "f, x, n: int",
        "join k1 (y) { call f (x) -> k1 }
         cont last (z) { call f (z, y) -> k }
         let c = lt.int (n, 0)
         switch c { 0 -> last (x), 1 -> last (y) }",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val n/2:val)
              (let y/3 (apply f/0 x/1))
              (let z/4
                (if (int_compare.lt.tagged n/2 1)
                  (then y/3)
                  (else x/1)))
              (apply f/0 z/4 y/3))
        "#]],
    );
    check_body(
        "f, x",
        "join k1 (y) { call f (x) -> k1 }\nk (y)",
        expect![[r#"
        (function camlT__f (f/0:val x/1:val)
          (apply f/0 x/1))
    "#]],
    );
}

#[test]
fn a_join_whose_body_returns_is_a_catch() {
    check_body(
        "f, x, n: int",
        "join k1 (y, z) {
           let c = lt.int (n, 0)
           let d = lt.int (n, 10)
           cont a { k (x) }
           and b { switch d { 0 -> k1 (x, n), 1 -> k1 (n, x) } }
           switch c { 0 -> a, 1 -> b }
         }
         call f (y, z) -> k",
        expect![[r#"
            (function camlT__f (f/0:val x/1:val n/2:val)
              (catch
                (if (int_compare.lt.tagged n/2 1)
                  (then
                    (if (int_compare.lt.tagged n/2 21)
                      (then (exit L0 n/2 x/1))
                      (else (exit L0 x/1 n/2))))
                  (else x/1))
                (with L0 (y/5:val z/6:val) (apply f/0 y/5 z/6))))
        "#]],
    );
}

/// `for i = 0 to n do f i done; x`
#[test]
fn loops_give_values() {
    check_body(
        "f, n: int, x",
        "join finished {
           cont rec loop (i: int) {
             join next (ignored) { call f (i) -> next }
             let c = eq.int (i, n)
             let i' = add.int (i, 1)
             switch c { 0 -> loop (i'), 1 -> finished }
           }
           loop (0)
         }
         k (x)",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val x/2:val)
              (do
                (catch_rec
                  (exit L0 1)
                  (with L0 (i/3:val)
                    (apply f/0 i/3)
                    (if (int_compare.eq.tagged i/3 n/1)
                      (then 1)
                      (else (exit L0 (int_arith.add.tagged i/3 3)))))))
              x/2)
        "#]],
    );
}

/// What leaves a loop stays out of it, even if it is used once (soundness row 20).
#[test]
fn handlers_stay_out_of_loops() {
    check_body(
        "f, n: int",
        "cont out (r) { call f (r) -> k }
         cont rec loop (i: int) {
           let c = eq.int (i, n)
           let i' = add.int (i, 1)
           cont other { k (i) }
           and leave { out (i) }
           let d = eq.int (i', n)
           cont test { switch d { 0 -> loop (i'), 1 -> other } }
           switch c { 0 -> test, 1 -> leave }
         }
         loop (0)",
        expect![[r#"
            (function camlT__f (f/0:val n/1:val)
              (catch
                (catch_rec
                  (exit L1 1)
                  (with L1 (i/3:val)
                    (if (int_compare.eq.tagged i/3 n/1)
                      (then (exit L0 i/3))
                      (else
                        (let i'/5 (int_arith.add.tagged i/3 3))
                        (if (int_compare.eq.tagged i'/5 n/1)
                          (then i/3)
                          (else (exit L1 i'/5)))))))
                (with L0 (r/2:val) (apply f/0 r/2))))
        "#]],
    );
}

// ---- exceptions

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

// ---- functions and closures

#[test]
fn layout_of_closures() {
    check_unit(
        "code one (x: int) closure env -> k | kx {
           let a = project_value[one, a] (env)
           let two = project_function[one, two] (env)
           call code two via two (x, a) -> k
         }
         code two (x, y) closure env -> k | kx {
           let b = project_value[two, b] (env)
           let three = project_function[two, three] (env)
           call code three via three (y, b) -> k
         }
         code three (x, y) closure env -> k | kx [tupled] {
           let one = project_function[three, one] (env)
           let a = project_value[three, a] (env)
           call one (x, y, a) -> k
         }
         code free (x) closure env -> k | kx { call code free (x) -> k }
         entry -> done | failed {
           let x = make_block[0] (1, 2)
           let one, two, three = closures (one, two, three) { a = x, b = 7 }
           let dummy = alloc_dummy_closure[three] ()
           let first = alloc_dummy_closure[one] ()
           let block = make_block[0] (one, two, three, dummy, first)
           done (block)
         }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (function camlT__one (x/0:val env/1:val)
              (call camlT__two x/0 (slot.10 env/1) (offset.3 env/1)))
            (function camlT__two (x/4:val y/5:val env/6:val)
              (call camlT__three y/5 (slot.8 env/6) (offset.4 env/6)))
            (function camlT__three (x/9:val y/10:val env/11:val)
              (apply (offset.-7 env/11) x/9 y/10 (slot.3 env/11)))
            (function camlT__free (x/14:val)
              (call camlT__free x/14))
            (entry
              (let x/15 (make_block.0.immutable 3 5))
              (let one/16 (closures (camlT__one:1 camlT__two:2 camlT__three:-2) x/15 15))
              (let dummy/19 (c.caml_alloc_dummy_infix 25 15))
              (let first/20 (c.caml_alloc_dummy 25))
              (make_block.0.immutable one/16 (offset.3 one/16) (offset.7 one/16) dummy/19 first/20))
        "#]],
    );
}

#[test]
fn static_data() {
    check_unit(
        "static $closure = closures (f) { a = 3, b = $camlT }
         code f (x) closure env -> k | kx {
           let a = project_value[f, a] (env)
           let b = project_value[f, b] (env)
           let r = make_block[0] (a, b, x)
           k (r)
         }
         entry -> done | failed {
           do block_store.root_init[0] ($camlT, $closure)
           done (0)
         }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (data camlT__closure (closures (camlT__f:1) (7 camlT)))
            (function camlT__f (x/0:val env/1:val)
              (make_block.0.immutable (slot.2 env/1) (slot.3 env/1) x/0))
            (entry
              (block_store.0.pointer.root camlT camlT__closure)
              1)
        "#]],
    );
}

#[test]
#[should_panic(expected = "camlT__f needs its closure")]
fn a_direct_call_without_the_closure_is_refused() {
    lower(
        "code f (x) closure env -> k | kx { let a = project_value[f, a] (env) k (a) }
         entry -> done | failed { let f = closures (f) { a = 1 } call code f (f) -> done }",
    );
}
