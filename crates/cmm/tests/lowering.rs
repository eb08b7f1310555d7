//! What becomes of conditions, continuations, functions and closures of small units: the Cmm that is expected, as text.

mod support;

use expect_test::expect;
use support::{check_body, check_unit, lower};

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
fn a_default_is_all_other_cases() {
    check_body(
        "x",
        "let t = get_tag (x)
         switch t { 1 -> k (1), 2 -> k (2), _ of 5 -> k (3) }",
        expect![[r#"
            (function camlT__f (x/0:val)
              (switch (get_tag x/0)
                (case 1 3)
                (case 2 5)
                (case 0 3 4 7)))
        "#]],
    );
    check_body(
        "x",
        "let t = get_tag (x)
         switch t { 0 -> k (1), 1 -> k (1), _ of 3 -> k (3) }",
        expect![[r#"
            (function camlT__f (x/0:val)
              (if (int_compare.eq.naked (get_tag x/0) 2)
                (then 7)
                (else 3)))
        "#]],
    );
    check_body(
        "x",
        "let t = get_tag (x)
         switch t { 1 -> k (1), 2 -> k (2), _ of 1000 -> k (3) }",
        expect![[r#"
            (function camlT__f (x/0:val)
              (switch (get_tag x/0)
                (case 1 3)
                (case 2 5)
                (default 7)))
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
