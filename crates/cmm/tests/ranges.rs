//! Which branches bind a variable once more, so that others do not save it.

mod support;

use expect_test::expect;
use support::check_unit;

// ---- where some branches of a switch, a loop or a handler need a variable after a call, and some do not

#[test]
fn an_arm_of_a_switch_that_calls_binds_what_it_needs_after() {
    check_unit(
        "code eval (env, e) -> return [rec] {
           let tag = get_tag (e)
           cont constant {
             let n = block_load[0] (e)
             return (n)
           }
           and sum {
             let l = block_load[0] (e)
             let x = call code eval (env, l)
             let r = block_load[1] (e)
             let y = call code eval (env, r)
             let s = add.int (x, y)
             return (s)
           }
           and last {
             let of = block_load[0] (e)
             call code eval (env, of) -> return
           }
           switch tag { 0 -> constant, 1 -> sum, 2 -> last }
         }
         entry -> return { return (0) }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (function camlT__eval (env/0:val e/1:val)
              (switch (get_tag e/1)
                (case 0 (block_load.0.immutable e/1))
                (case 1
                  (let e/11 e/1)
                  (let env/10 env/0)
                  (let x/5 (call camlT__eval env/10 (block_load.0.immutable e/11)))
                  (let y/7 (call camlT__eval env/10 (block_load.1.immutable e/11)))
                  (int_arith.add.tagged x/5 y/7))
                (case 2 (call camlT__eval env/0 (block_load.0.immutable e/1)))))
            (entry
              1)
        "#]],
    );
}

#[test]
fn of_a_loop_the_branch_that_calls_binds_it() {
    check_unit(
        "code walk (limit: int, x: int) -> return [rec] {
           cont rec loop (n: int) {
             let more = lt.int (n, limit)
             cont goes_on {
               let is_even = phys_eq (n, 10)
               cont skips { let by_two = add.int (n, 2)  loop (by_two) }
               and calls { let m = call code walk (n, x)  let next = add.int (m, n)  loop (next) }
               switch is_even { 0 -> skips, 1 -> calls }
             }
             switch more { 0 -> return (n), 1 -> goes_on }
           }
           loop (x)
         }
         entry -> return { return (0) }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (function camlT__walk (limit/0:val x/1:val)
              (catch_rec
                (exit L0 x/1)
                (with L0 (n/2:val)
                  (if (int_compare.lt.tagged n/2 limit/0)
                    (then
                      (if (phys_equal n/2 21)
                        (then
                          (let n/8 n/2)
                          (let m/5 (call camlT__walk n/8 x/1))
                          (exit L0 (int_arith.add.tagged m/5 n/8)))
                        (else (exit L0 (int_arith.add.tagged n/2 5)))))
                    (else n/2)))))
            (entry
              1)
        "#]],
    );
}

// ---- what stays one

#[test]
fn what_each_branch_or_the_rest_needs_after_a_call_stays_one() {
    check_unit(
        "code all (x, e) -> return [rec] {
           let tag = get_tag (e)
           cont a { let l = call code all (x, x)  let s = add.int (l, x)  return (s) }
           and b { let l = call code all (e, x)  let s = sub.int (l, x)  return (s) }
           and c { raise x }
           switch tag { 0 -> a, 1 -> b, 2 -> c }
         }
         code after (x, e) -> return [rec] {
           join rest (l) {
             let tag = get_tag (e)
             cont a { let l = call code after (x, x)  rest (l) }
             and b { rest (e) }
             and c { rest (0) }
             switch tag { 0 -> a, 1 -> b, 2 -> c }
           }
           let s = add.int (l, x)
           return (s)
         }
         entry -> return { return (0) }",
        expect![[r#"
            (data.exported camlT (preallocated.0 1))
            (function camlT__all (x/0:val e/1:val)
              (switch (get_tag e/1)
                (case 0
                  (let l/3 (call camlT__all x/0 x/0))
                  (int_arith.add.tagged l/3 x/0))
                (case 1
                  (let l/5 (call camlT__all e/1 x/0))
                  (int_arith.sub.tagged l/5 x/0))
                (case 2 (raise.regular x/0))))
            (function camlT__after (x/7:val e/8:val)
              (let l/11
                (switch (get_tag e/8)
                  (case 0 (call camlT__after x/7 x/7))
                  (case 1 e/8)
                  (case 2 1)))
              (int_arith.add.tagged l/11 x/7))
            (entry
              1)
        "#]],
    );
}
