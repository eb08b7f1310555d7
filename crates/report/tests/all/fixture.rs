//! A report with everything in it: the code of a real unit (`data/shapes.fl`, which flambeau compiled from
//! `data/shapes.ml`) and an invented log that has every reason.

use std::path::Path;

use flambeau_ir::decision::{Decision, DecisionLog, Evaluation, Place, Policy, Reason, Removed};
use flambeau_ir::{Unit, parser};
use flambeau_report::{Build, Report, sources};

const SOURCE: &str = include_str!("../data/shapes.ml");

/// The unit.
pub fn unit() -> Unit {
    parser::parse_unit(include_str!("../data/shapes.fl")).unwrap_or_else(|error| panic!("shapes.fl: {error}"))
}

/// The report.
pub fn report() -> Report {
    let build = Build {
        compiler: "flambeau 0.0".into(),
        source: "shapes.ml".into(),
        level: 2,
        arguments: ["-O2", "-g", "-inlining-report", "-c", "shapes.ml"].map(Into::into).into(),
    };
    let log = DecisionLog { policy: Policy::Threshold, decisions: decisions() };
    let mut report = Report::new(&unit(), build, log, 2, &[]);
    sources::read(&mut report, Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")));
    assert_eq!(report.sources.len(), 1, "the source is read");
    report
}

/// The location of that text in the source.
fn place(text: &str, scope: &str) -> Place {
    let offset = SOURCE.find(text).unwrap_or_else(|| panic!("{text} is not in the source"));
    let before = &SOURCE[..offset];
    let column = offset - before.rfind('\n').map_or(0, |newline| newline + 1);
    Place {
        file: "shapes.ml".into(),
        line: before.matches('\n').count() as u32 + 1,
        start: column as u32,
        end: (column + text.len()) as u32,
        scope: scope.into(),
    }
}

/// A call at locations in the order from the caller inwards.
fn call(
    round: u32,
    function: &str,
    places: &[(&str, &str)],
    callee: Option<&str>,
    reason: Reason,
) -> Decision {
    Decision {
        round,
        function: (!function.is_empty()).then(|| function.into()),
        places: places.iter().map(|(text, scope)| place(text, scope)).collect(),
        callee: callee.map(Into::into),
        depth: places.len().saturating_sub(1) as u32,
        reason,
    }
}

/// Numbers for an evaluation.
pub fn evaluation(size: u32, benefit: f64, allowance: f64) -> Evaluation {
    let removed = Removed {
        calls: 1,
        allocations: 2,
        primitives: 3,
        branches: 1,
        indirect_calls: 1,
        polymorphic_compares: 0,
    };
    Evaluation { size, removed, benefit, allowance, inside: 0, cut: false }
}

/// Each reason there is.
pub fn reasons() -> Vec<Reason> {
    use Reason::*;
    vec![
        AttributeOfCall,
        AttributeOfFunction,
        Unrolled { left: 2 },
        Stub,
        Small { size: 7, limit: 10 },
        Functor,
        SingleUse,
        Beneficial(evaluation(40, 34.5, 10.0)),
        Awaited,
        Entered { size: 24, limit: 30 },
        Specialised { parameters: vec!["f".into()], size: 21 },
        Disabled,
        ForbiddenByCall,
        ForbiddenByFunction,
        InStub,
        InNoPoll,
        UnknownFunction,
        NoBody,
        Recursive,
        TooLarge { size: Some(312), limit: 250 },
        TooLarge { size: None, limit: 250 },
        NothingKnown { size: 64 },
        NotBeneficial(evaluation(60, 12.25, 10.0)),
        OutweighsCall(evaluation(26, 4.0, 16.0)),
        TooDeep { limit: 3 },
        FunctionBudget { left: 12, size: 40 },
        UnitBudget { left: 5, size: 40 },
        SpeculationBudget { left: 3, size: 40 },
        KeepsBacktraces,
        MakesClosures,
        TiesFunctor,
        Cold,
        Arguments,
    ]
}

/// Two rounds. Each reason is there.
fn decisions() -> Vec<Decision> {
    use Reason::*;
    let (area, total, same, tick) =
        ("camlShapes__area_101", "camlShapes__total_106", "camlShapes__same_111", "camlShapes__tick_518");
    let (square, fold, scale) = ("camlShapes__square_86", "camlShapes__fold_95", "camlShapes__scale_89");
    let hash = "camlStdlib__Hashtbl__hash_953";
    let in_total = ("fold (fun sum s", "Shapes.total");
    let sum = ("sum +. area s", "Shapes.total.(fun)");
    let mut decisions = vec![
        call(0, fold, &[("f acc x", "Shapes.fold")], None, UnknownFunction),
        call(0, fold, &[("fold f (f", "Shapes.fold")], Some(fold), Recursive),
        call(0, area, &[("square r", "Shapes.area")], Some(square), Small { size: 7, limit: 10 }),
        call(0, total, &[in_total], Some(fold), Specialised { parameters: vec!["f".into()], size: 21 }),
        call(0, total, &[in_total, sum], Some(area), NotBeneficial(evaluation(60, 12.25, 10.0))),
        call(0, same, &[("Hashtbl.hash a", "Shapes.same")], Some(hash), NoBody),
        call(0, same, &[("Hashtbl.hash b", "Shapes.same")], Some(hash), NoBody),
        call(1, total, &[in_total, sum], Some(area), Beneficial(evaluation(40, 34.5, 10.0))),
        call(
            1,
            total,
            &[in_total, sum, ("square r", "Shapes.area")],
            Some(square),
            Small { size: 7, limit: 10 },
        ),
        call(1, "", &[("Make (struct", "Shapes")], Some("camlShapes__Make_526"), Functor),
        call(
            1,
            "",
            &[("Make (struct", "Shapes"), ("scale X.unit s", "Shapes.Make.unit")],
            Some(scale),
            TooLarge { size: Some(312), limit: 250 },
        ),
    ];
    // What is left, beside the calls of methods.
    let there: Vec<_> = decisions.iter().map(|decision| std::mem::discriminant(&decision.reason)).collect();
    let others = reasons().into_iter().filter(|reason| !there.contains(&std::mem::discriminant(reason)));
    decisions.extend(others.map(|reason| {
        call(1, tick, &[("c#step 2", "Shapes.tick")], Some("camlOther__Deep__step_12_d3"), reason)
    }));
    let list = &[("List.map (fun", "Shapes.apply_all")];
    let map = Some("camlStdlib__List__map_261");
    decisions.push(call(
        1,
        "camlShapes__apply_all_431",
        list,
        map,
        NotBeneficial(evaluation(60, 12.25, 10.0)),
    ));
    decisions.push(call(1, "camlShapes__apply_all_431", &[], None, UnknownFunction));
    decisions.push(call(1, "camlShapes__apply_all_431", &[], None, NoBody));
    decisions
}
