//! How often operations run, estimated, and what is advised, over small units.

use expect_test::{Expect, expect};
use flambeau_ir::decision::{DecisionLog, Policy};
use flambeau_ir::parser::parse_unit;
use flambeau_report::remarks::Remark;
use flambeau_report::{Build, Report};

fn remarks(items: &str) -> Vec<Remark> {
    let header =
        "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 1\n";
    let unit = parse_unit(&format!("{header}{items}")).unwrap_or_else(|error| panic!("{error}"));
    let log = DecisionLog { policy: Policy::Threshold, decisions: Vec::new() };
    Report::new(&unit, Build::default(), log, 1, &[]).remarks
}

/// The line, name and estimates of each remark on a unit.
#[track_caller]
fn check(items: &str, expected: Expect) {
    let line = |remark: &Remark| {
        let line = remark.place().map_or(0, |place| place.line);
        format!("{line}: {}, frequency {}, cost {}\n", remark.name, remark.frequency, remark.cost)
    };
    expected.assert_eq(&remarks(items).iter().map(line).collect::<String>());
}

#[test]
fn what_makes_a_buffer_larger_is_rare() {
    check(
        r#"
code f (n: int) -> k | kx {
  cont rec loop (i: int) {
    let a = c_call["caml_create_bytes"/1] (i) @1
    let b = c_call["caml_create_bytes"/1] (i) @4
    let c = phys_ne (i, n)
    let j = add.int (i, 1)
    switch c { 0 -> k (n), _ -> loop (j) }
  }
  loop (0)
}
entry -> done | failed { done (0) }
loc @1 "t.ml" line 3 chars 4 9 bol 0 in "T.f"
loc @2 "buffer.ml" line 80 chars 4 9 bol 0 in "Stdlib__Buffer.resize"
loc @3 "t.ml" line 4 chars 4 9 bol 0 in "T.f"
loc @4 inlined @2 at @3
"#,
        expect![[r#"
            3: c_call, frequency 10, cost 150
            4: c_call, frequency 0.1, cost 1.5
        "#]],
    );
}

#[test]
fn what_never_ran_is_rare() {
    check(
        r#"
code f (n: int) -> k | kx {
  cont rec loop (i: int) {
    cont again () {
      let j = add.int (i, 1)
      loop (j)
    }
    cont never () heat never {
      let a = c_call["caml_create_bytes"/1] (i) @1
      again ()
    }
    let b = c_call["caml_create_bytes"/1] (i) @2
    switch i { 0 -> never (), 1 -> again (), _ -> k (n) }
  }
  loop (0)
}
code g (n: int) -> k | kx [heat never] {
  let a = c_call["caml_create_bytes"/1] (n) @3
  k (a)
}
entry -> done | failed { done (0) }
loc @1 "t.ml" line 3 chars 4 9 bol 0 in "T.f"
loc @2 "t.ml" line 4 chars 4 9 bol 0 in "T.f"
loc @3 "t.ml" line 5 chars 4 9 bol 0 in "T.g"
"#,
        expect![[r#"
            4: c_call, frequency 10, cost 150
            3: c_call, frequency 0.1, cost 1.5
        "#]],
    );
}

#[test]
fn nothing_is_advised_in_a_copy_of_another_units_function() {
    let remarks = remarks(
        r#"
code f (x) closure env -> k | kx {
  let b = make_block[0] (x, x) @1
  k (b)
}
code g (x) closure env -> k | kx {
  let b = make_block[0] (x, x) @2
  k (b)
}
entry -> done | failed { done (0) }
loc @1 "t.ml" line 3 chars 4 9 bol 0 in "T.f"
loc @2 "list.ml" line 5 chars 4 9 bol 0 in "Stdlib__List.g"
"#,
    );
    let advised: Vec<(u32, bool)> = remarks
        .iter()
        .map(|remark| (remark.place().map_or(0, |place| place.line), remark.remedy.is_some()))
        .collect();
    assert_eq!(advised, [(5, false), (3, true)]);
}
