//! The difference of two builds.

use expect_test::{Expect, expect};
use flambeau_ir::decision::{Decision, Place, Reason};
use flambeau_report::Report;
use flambeau_report::diff::{diff, json, render};
use flambeau_report::model::{Function, Operation, Remaining};

use crate::fixture;

#[track_caller]
fn check(first: &[Report], second: &[Report], expected: Expect) {
    expected.assert_eq(&render(&diff(first, second)));
}

/// The report with everything ten lines further down, and other numbers in the linker's names.
fn moved(mut report: Report) -> Report {
    let renamed = |name: &mut String| {
        if let Some((before, number)) = name.rsplit_once('_')
            && let Ok(number) = number.parse::<u32>()
        {
            *name = format!("{before}_{}", number + 1000);
        }
    };
    let move_place = |place: &mut Place| place.line += 10;
    for decision in &mut report.decisions {
        decision.places.iter_mut().for_each(move_place);
        decision.function.iter_mut().for_each(renamed);
        decision.callee.iter_mut().for_each(renamed);
    }
    for function in &mut report.functions {
        function.name.iter_mut().for_each(renamed);
        function.place.iter_mut().for_each(move_place);
    }
    report
}

/// The decision on a call of `area` in `total`.
fn of_area(report: &mut Report) -> &mut Decision {
    let is_it = |decision: &&mut Decision| {
        decision.round == 1
            && decision.function.as_deref() == Some("camlShapes__total_106")
            && decision.callee.as_deref() == Some("camlShapes__area_101")
    };
    report.decisions.iter_mut().find(is_it).expect("it is in the fixture")
}

fn function<'r>(report: &'r mut Report, name: &str) -> &'r mut Function {
    let is_it = |function: &&mut Function| function.name.as_deref() == Some(name);
    report.functions.iter_mut().find(is_it).expect("it is in the fixture")
}

#[test]
fn code_that_moved_is_the_same() {
    let report = fixture::report();
    let moved = moved(report.clone());
    assert_ne!(report, moved);
    check(
        &[report],
        &[moved],
        expect![[r#"
        No difference: the same was decided of all calls, and the same remains.
    "#]],
    );
}

#[test]
fn other_numbers_are_no_difference() {
    let (first, mut second) = (fixture::report(), fixture::report());
    of_area(&mut second).reason = Reason::Beneficial(fixture::evaluation(41, 35.5, 11.0));
    check(
        &[first],
        &[second],
        expect![[r#"
        No difference: the same was decided of all calls, and the same remains.
    "#]],
    );
}

#[test]
fn another_decision() {
    let (first, mut second) = (fixture::report(), moved(fixture::report()));
    let is_it = |d: &&mut Decision| {
        d.round == 1 && d.places.len() == 2 && d.callee.as_deref() == Some("camlShapes__area_1101")
    };
    let decision = second.decisions.iter_mut().find(is_it).expect("it is in the fixture");
    decision.reason = Reason::UnitBudget { left: 3, size: 40 };
    check(
        &[first],
        &[second],
        expect![[r#"
            Shapes
              call of Shapes.area in Shapes.total > Shapes.total.(fun)
                - shapes.ml:17: inlined: the benefit is large enough (size 40 - benefit 34.5 = 5.5 <= allowance 10)
                + shapes.ml:27: not inlined: the unit has used up what it may grow by (size 40 > 3 left)
        "#]],
    );
}

#[test]
fn calls_that_come_and_go() {
    let (mut first, mut second) = (fixture::report(), fixture::report());
    first.decisions.retain(|decision| decision.callee.as_deref() != Some("camlShapes__Make_526"));
    second.decisions.retain(|decision| decision.callee.as_deref() != Some("camlStdlib__List__map_261"));
    check(
        &[first],
        &[second],
        expect![[r#"
        Shapes
          call of Stdlib.List.map in Shapes.apply_all
            - shapes.ml:22: not inlined: the benefit is too small (size 60 - benefit 12.25 = 47.75 > allowance 10)
            + no such call
          call of Shapes.Make in toplevel
            - no such call
            + shapes.ml:35: inlined: it is a functor applied at the toplevel
    "#]],
    );
}

/// One more call of the same function, before the others.
#[test]
fn a_call_in_the_middle() {
    let (mut first, mut second) = (fixture::report(), fixture::report());
    let is_it = |decision: &&Decision| decision.callee.as_deref() == Some("camlStdlib__Hashtbl__hash_953");
    let like = second.decisions.iter().find(is_it).expect("it is in the fixture").clone();
    let at = |start: u32, reason: Reason| {
        let mut decision = like.clone();
        decision.places[0].start = start;
        decision.reason = reason;
        decision
    };
    let (one, other) = (at(90, Reason::Stub), at(91, Reason::Recursive));
    first.decisions.extend([one.clone(), other.clone()]);
    second.decisions.extend([at(80, Reason::SingleUse), one, other]);
    check(
        &[first],
        &[second],
        expect![[r#"
        Shapes
          call of Stdlib.Hashtbl.hash in Shapes.same
            - no such call
            + shapes.ml:18: inlined: this is the only use of the function
    "#]],
    );
}

#[test]
fn what_remains() {
    let (first, mut second) = (fixture::report(), fixture::report());
    function(&mut second, "camlShapes__square_86").remaining.clear();
    let more = Remaining {
        operation: Operation::Allocation,
        detail: "block of 2".into(),
        places: Vec::new(),
        unit: None,
    };
    function(&mut second, "camlShapes__nth_372").remaining.push(more);
    second.functions.retain(|function| function.name.as_deref() != Some("camlShapes__tick_518"));
    for (operation, change) in
        [(Operation::Boxing, -1), (Operation::Allocation, 1), (Operation::MethodCall, -2)]
    {
        let count = second.summary.remaining.get_mut(&operation).expect("the fixture has some");
        *count = count.checked_add_signed(change).expect("a count");
    }
    check(
        &[first],
        &[second],
        expect![[r#"
        Shapes
          Shapes.nth has
            - 1 bounds check
            + 1 allocation, 1 bounds check
          Shapes.square has
            - 1 boxing
            + nothing
          Shapes.tick has
            - 2 method calls
            + (is not there)
          in all: allocations 8 -> 9 (+1), boxings 8 -> 7 (-1), method calls 2 -> 0 (-2)
    "#]],
    );
}

#[test]
fn units_that_come_and_go() {
    let (first, mut second) = (fixture::report(), fixture::report());
    second.unit = "Forms".into();
    check(
        std::slice::from_ref(&first),
        &[second],
        expect![[r#"
        Forms (in the second build only)
        Shapes (in the first build only)
    "#]],
    );
    // Two of the same name are matched in order.
    check(
        &[first.clone(), first.clone()],
        &[first.clone(), first],
        expect![[r#"
        No difference: the same was decided of all calls, and the same remains.
    "#]],
    );
}

#[test]
fn as_data() {
    let (first, mut second) = (fixture::report(), fixture::report());
    second.decisions.retain(|decision| decision.callee.as_deref() != Some("camlShapes__Make_526"));
    let text = json(&diff(&[first], &[second])).unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<&str> = text.lines().take(30).collect();
    expect![[r#"
        {
          "format": "flambeau-report-diff",
          "version": 1,
          "units": [
            {
              "unit": "Shapes",
              "in_first": true,
              "in_second": true,
              "remarks": [],
              "calls": [
                {
                  "within": [
                    "toplevel"
                  ],
                  "callee": "Shapes.Make",
                  "before": {
                    "place": {
                      "file": "shapes.ml",
                      "line": 35,
                      "start": 14,
                      "end": 26,
                      "scope": "Shapes"
                    },
                    "reason": {
                      "kind": "functor"
                    },
                    "text": "inlined: it is a functor applied at the toplevel"
                  },
                  "after": null
                }"#]]
    .assert_eq(&lines.join("\n"));
}

/// What is in a loop now, what is no longer there, and a new function.
#[test]
fn costs_that_changed_come_first() {
    let (first, mut second) = (fixture::report(), fixture::report());
    second.remarks[0].cost *= 10.0;
    let gone = second.remarks.remove(1);
    second.remarks[2].cost *= 1.01;
    let differences = diff(&[first], &[second]);
    let changes: Vec<(&str, bool)> =
        differences[0].remarks.iter().map(|remark| (remark.name.as_str(), remark.change() > 0.0)).collect();
    assert_eq!(changes.len(), 2, "one per cent is no difference: {changes:?}");
    assert!(changes.contains(&(gone.name.as_str(), false)), "{changes:?}");
    expect![[r#"
        Shapes
          a function that is not known is called (2 arguments) in Shapes.fold
            - shapes.ml:11: cost 70
            + shapes.ml:11: cost 700
          a function that is not known is called (1 argument) in Shapes.apply_all.(fun)
            - shapes.ml:22: cost 70
            + nothing of the kind
    "#]]
    .assert_eq(&render(&differences));
}
