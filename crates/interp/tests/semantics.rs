//! What terms mean, on small texts.

use expect_test::{Expect, expect};
use flambeau_interp::{Options, Run, Stop, Trap, run};
use flambeau_ir::{parser, verify};

fn run_with(text: &str, options: &Options) -> Run {
    let text = format!(
        "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 2\n{text}"
    );
    let unit = parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify::verify(&unit).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    run(&unit, options)
}

/// A run in which the outside never raises: its events and its end.
fn check(text: &str, expect: Expect) {
    let run = run_with(text, &Options { fuel: 50_000_000, raise_one_in: 0, ..Options::default() });
    let mut shown = String::new();
    for event in &run.events {
        shown += &format!("{}({})\n", event.name, event.args.join(", "));
    }
    shown += &format!("{:?}\n", run.stop);
    expect.assert_eq(&shown);
}

#[test]
fn exceptions_carry_extra_arguments() {
    check(
        "entry -> k | kx {
          join done (v) {
            cont exn h (e, n: int) {
              do c_call[\"observe\"/2] (e, n)
              done (n)
            }
            try h (0) {
              do exn_state () | h (1)
              let z = untag (1)
              do check_zero.int (1) | h (2)
              do check_bound[1] (3, 3) | h (3)
              done (4)
            }
          }
          do block_store.root_init[0] ($camlT, v)
          raise v
        }",
        expect![[r#"
            observe([0: &caml_exn_Invalid_argument "index out of bounds"], 3)
            Uncaught("3")
        "#]],
    );
}

#[test]
fn exceptions_pass_through_callers() {
    check(
        "extern $f
        code g (x) -> k | kx { let y = call code h (x)
          k (y) }
        code h (x) -> k | kx { raise x }
        entry -> k | kx {
          join exn outer (e) {
            try outer {
              join exn inner (i, s) {
                try inner (7) { let x = call code g (5) | inner (8)
                  k (x) }
              }
              do c_call[\"observe\"/2 noalloc] (i, s)
              do call code g (6)
              k (0)
            }
          }
          do c_call[\"observe\"/1] (e)
          k (0)
        }",
        expect![[r#"
            observe(5, 8)
            observe(6)
            Return("@0[0: 0 0]")
        "#]],
    );
}

#[test]
fn a_signal_finds_the_extra_arguments_passed_last() {
    let text = "entry -> k | kx {
      join exn h (e, n: int) {
        try h (0) {
          do exn_state () | h (1)
          let b = make_block[0] (1) @1
          do exn_state () | h (2)
          let c = make_block[0] (b) @2
          k (c)
        }
      }
      do c_call[\"observe\"/2] (e, n)
      k (0)
    }
    loc @1 \"a.ml\" line 1 chars 0 1 bol 0
    loc @2 \"a.ml\" line 2 chars 0 1 bol 0";
    let state = |interrupt| {
        let run = run_with(text, &Options { interrupt: Some(interrupt), ..Options::default() });
        run.events.first().map(|event| event.args.clone())
    };
    assert_eq!(state(1), Some(vec!["999".to_owned(), "1".to_owned()]));
    assert_eq!(state(2), Some(vec!["999".to_owned(), "2".to_owned()]));
    assert_eq!(state(3), None);
}

#[test]
fn loops_and_tail_calls_need_no_stack() {
    check(
        "static $even_closure, $odd_closure = closures (even, odd)
        code even (n: int) -> k | kx [rec] {
          cont yes { k (1) }
          and no { let m = sub.int (n, 1)
            call code odd (m) -> k }
          let c = le.int (n, 0)
          switch c { 0 -> no, 1 -> yes }
        }
        code odd (n: int) -> k | kx [rec] {
          cont yes { k (0) }
          and no { let m = sub.int (n, 1)
            call $even_closure (m) -> k }
          let c = le.int (n, 0)
          switch c { 0 -> no, 1 -> yes }
        }
        code count (n: int) -> k | kx [rec] {
          cont yes { k (n) }
          and no { let m = sub.int (n, 1)
            call code count (m) -> k }
          let c = untag (n)
          switch c { 0 -> yes, _ -> no }
        }
        entry -> k | kx {
          let count = call code count (1000000)
          do c_call[\"observe\"/1] (count)
          let even = call code even (100000)
          do c_call[\"observe\"/1] (even)
          join out (x) {
            cont rec loop (i: int, sum: int) {
              let j = add.int (i, 1)
              let sum' = add.int (sum, j)
              let c = lt.int (j, 100000)
              switch c { 0 -> out (sum'), 1 -> loop (j, sum') }
            }
            loop (0, 0)
          }
          do c_call[\"observe\"/1] (x)
          k (0)
        }",
        expect![[r#"
            observe(0)
            observe(1)
            observe(5000050000)
            Return("@0[0: 0 0]")
        "#]],
    );
    let run = run_with(
        "static $f_closure = closures (f)
        code f (n: int) -> k | kx [rec] { let m = add.int (n, 1)
          call $f_closure (m) -> k }
        entry -> k | kx { call code f (0) -> k }",
        &Options::default(),
    );
    assert_eq!((run.stop, run.stats.depth), (Stop::OutOfFuel, 0));
}

#[test]
fn applications_of_unknown_functions() {
    check(
        "extern $print
        extern $callback
        static $add_closure = closures (add)
        static $maker_closure = closures (maker)
        static $pair_closure = closures (pair)
        code add (x: int, y: int, z: int) -> k | kx { let a = mul.int (x, 100)
          let b = mul.int (y, 10)
          let c = add.int (a, b)
          let d = add.int (c, z)
          k (d) }
        code maker (x: int) -> k | kx {
          let f = closures (inner) { x }
          k (f)
        }
        code inner (y: int) closure env -> k | kx {
          let x = project_value[inner, x] (env)
          let z = sub.int (x, y)
          k (z)
        }
        code pair (x: int, y: int) -> k | kx [tupled] { let z = sub.int (x, y)
          k (z) }
        entry -> k | kx {
          let f = call $add_closure (1)
          let g = call f (2)
          let a = call g (3)
          let b = call f (4, 5)
          let c = call $maker_closure (10, 3)
          let tuple = make_block[0] (7, 2)
          let d = call $pair_closure (tuple)
          let e = call $callback (g, 9)
          do call $print (a, b, c, d, e, f)
          k (0)
        }",
        expect![[r#"
            callback(<fun>, 9)
            print(123, 145, 7, 5, 129, <fun>)
            Return("@0[0: 0 0]")
        "#]],
    );
}

#[test]
fn static_data() {
    check(
        "extern $caml_exn_Not_found
        static $b = block[3] ($s, -1, $pi, $b, $caml_exn_Not_found)
        static $s = string \"a\\x00b\"
        static $pi = boxed #3.25
        static $n = boxed #5n
        static $fl = float_array (#1.0, #-0.0)
        static $f_closure, $g_closure = closures (f, g) { n = 4, b = $b }
        code f (x) closure env -> k | kx { let n = project_value[f, n] (env)
          k (n) }
        code g (x) closure env -> k | kx {
          let f = project_function[g, f] (env)
          let b = project_value[g, b] (env)
          let same = phys_eq (f, $f_closure)
          let tag = get_tag (b)
          let t = tag (tag)
          let n = call f (x)
          let sum = mul.int (t, n)
          k (sum)
        }
        entry -> k | kx {
          let x = call $g_closure (0)
          do c_call[\"observe\"/4] ($b, x, $n, $fl)
          k (0)
        }",
        expect![[r#"
            observe([3: "a\x00b" -1 box 3.25f [3: "a\x00b" -1 box 3.25f [3: "a\x00b" -1 box 3.25f [3: "a\x00b" -1 box 3.25f [3: "a\x00b" -1 box 3.25f [3: … -1 … … …] &caml_exn_Not_found] &caml_exn_Not_found] &caml_exn_Not_found] &caml_exn_Not_found] &caml_exn_Not_found], 12, box 5n, [| 1.0f -0.0f |])
            Return("@0[0: 0 0]")
        "#]],
    );
}

#[test]
fn identity_shows_where_it_matters() {
    check(
        "entry -> k | kx {
          let a = make_block.mut[0] (1)
          let b = duplicate.mut (a)
          let t = make_block[0] (1)
          let u = duplicate (t)
          do c_call[\"observe\"/4] (a, b, t, u)
          do block_store_int[0] (a, 2)
          do c_call[\"observe\"/3] (b, a, a)
          let same = phys_eq (a, a)
          let other = phys_eq (a, b)
          let mixed = phys_ne (a, t)
          let maybe = phys_eq (t, u)
          do c_call[\"observe\" (int#, int#, int#) -> val] (same, other, mixed)
          cont yes { k (1) }
          switch maybe { _ -> yes }
        }",
        expect![[r#"
            observe(@0[0: 1], @1[0: 1], [0: 1], [0: 1])
            observe(@1[0: 1], @0[0: 2], @0[0: 2])
            observe(1, 0, 1)
            Trap(Poison)
        "#]],
    );
}

#[test]
fn let_rec_through_dummies() {
    check(
        "code f (x: int) closure env -> k | kx {
          let me = project_value[f, me] (env)
          let b = phys_eq (me, me)
          let self = block_load[0] (me)
          k (self)
        }
        entry -> k | kx {
          let dummy = alloc_dummy_closure[f] ()
          let block = c_call[\"caml_alloc_dummy\"/1] (1)
          let contents = make_block[0] (5)
          do c_call[\"caml_update_dummy\"/2] (block, contents)
          let f = closures (f) { me = block }
          do c_call[\"caml_update_dummy\"/2] (dummy, f)
          let r = call dummy (1)
          do c_call[\"observe\"/1] (r)
          k (0)
        }",
        expect![[r#"
            caml_alloc_dummy(1)
            caml_update_dummy(@0[0: 0], [0: 5])
            caml_update_dummy(@1[0:], <fun>)
            observe(5)
            Return("@2[0: 0 0]")
        "#]],
    );
}

#[test]
fn numbers_wrap_as_in_ocaml() {
    check(
        "entry -> k | kx {
          let a = add.int (4611686018427387903, 1)
          let b = lsr.int (-1, 1)
          let c = mul.int32# (#65536l, #65536l)
          let d = add.int64# (#9223372036854775807L, #1L)
          let e = div.int (-4611686018427387904, -1)
          let f = mod.int (-7, 2)
          let g = fcompare (#nan:7ff8000000000001, #-inf)
          let h = bswap16 (#4660)
          let i = convert.float#.int64# (#-1.75)
          let j = convert.int64#.int32# (#4294967297L)
          do c_call[\"observe\" (val, val, int32#, int64#, val, val, val) -> val] (a, b, c, d, e, f, g)
          do c_call[\"observe\" (int#, int64#, int32#) -> val] (h, i, j)
          k (0)
        }",
        expect![[r#"
            observe(-4611686018427387904, 4611686018427387903, 0l, -9223372036854775808L, -4611686018427387904, -1, -1)
            observe(13330, -1L, 1l)
            Return("@0[0: 0 0]")
        "#]],
    );
}

/// What the entry code does to that end.
fn trap(body: &str) -> Stop {
    let text = format!("static $s = string \"abc\"\nentry -> k | kx {{ cont use {{ k (0) }}\n {body} }}");
    run_with(&text, &Options { raise_one_in: 0, ..Options::default() }).stop
}

#[test]
fn undefined_behaviour_traps() {
    let cases = [
        ("unreachable", Trap::Unreachable),
        ("switch #3 { 0 -> use, 1 -> use }", Trap::Unreachable),
        ("let b = make_block[0] (1)\n let x = block_load[1] (b)\n k (x)", Trap::OutOfBounds),
        ("let x = string_load.string.8 ($s, 3)\n use", Trap::OutOfBounds),
        ("let x = string_load.string.32 ($s, 0)\n use", Trap::OutOfBounds),
        ("let x = string_load.string.64 ($s, 8)\n use", Trap::OutOfBounds),
        ("let x = block_load[0] (3)\n k (x)", Trap::WrongShape),
        ("let x = unbox.float ($s)\n use", Trap::WrongShape),
        ("let b = box.int64 (#1L)\n let x = unbox.nativeint (b)\n use", Trap::WrongShape),
        ("let x = div.int (1, 0)\n use", Trap::DivisionByZero),
        ("let x = call 3 (4)\n use", Trap::WrongShape),
        ("let x = block_load[0] (poison)\n use", Trap::Poison),
        ("switch poison: int# { _ -> use }", Trap::Poison),
        ("do c_call[\"observe\"/1] (poison)\n use", Trap::Poison),
        ("let b = make_block[0] (poison)\n do c_call[\"observe\"/1] (b)\n use", Trap::Poison),
    ];
    for (body, expected) in cases {
        assert_eq!(trap(body), Stop::Trap(expected), "{body}");
    }
}

#[test]
fn poison_may_be_held_and_computed_with() {
    let body = "let a = add.int (poison, 1)
      let b = lt.int (a, 3)
      let c = make_block[0] (a)
      let d = block_load[0] (c)
      let e = fadd (poison: float#, #1.0)
      let f = lsl.int (1, 64)
      use";
    assert!(matches!(trap(body), Stop::Return(_)));
}

#[test]
fn the_outside_answers_by_what_it_saw() {
    let text = |n: i64| {
        format!(
            "entry -> k | kx {{
              let a = c_call[\"any_f\"/1] ({n})
              let b = c_call[\"any_f\"/1] (a)
              let c = c_call[\"block_new\"/1] (b)
              let d = block_load.mut[0] (c)
              do block_store.root_init[0] ($camlT, d)
              k (0)
            }}"
        )
    };
    let shown = |n| format!("{:?}", run_with(&text(n), &Options::default()).behaviour());
    assert_eq!(shown(1), shown(1));
    assert!((2..20).any(|n| shown(n) != shown(1)));
}
