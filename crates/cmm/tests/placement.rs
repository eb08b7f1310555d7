//! Where bindings end up in Cmm: with their use, in the branch that uses them, past a call or not, by what has to be
//! saved around it.

mod support;

use expect_test::expect;
use support::{check_body, check_unit};

// ---- what is moved to its use, and what stays

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

// ---- past calls, by what has to be saved around them

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
