//! Policy *benefit* on random programs: more of a parameter inlines no less (features B4).

mod folder;

use std::collections::BTreeMap;

use flambeau_fuzzgen::{Options, Program, RUNTIME, RUNTIME_FILE};
use flambeau_ir::decision::Reason;
use flambeau_report::json;
use folder::{Folder, check_status};

/// So many programs are tried without the variable [`PROGRAMS`] of the environment.
const FEW: u64 = 6;
const PROGRAMS: &str = "FLAMBEAU_MONOTONE_PROGRAMS";

/// Flags, with a value and one that inlines more.
const STEPS: &[(&str, &str, &str)] = &[
    ("-inline", "3", "6"),
    ("-inline", "6", "40"),
    ("-inline-toplevel", "5", "160"),
    ("-inline-call-cost", "0", "6"),
    ("-inline-alloc-cost", "0", "20"),
    ("-inline-prim-cost", "0", "3"),
    ("-inline-prim-cost", "3", "9"),
    ("-inline-branch-cost", "1", "12"),
    ("-inline-indirect-cost", "0", "20"),
    ("-inline-lifting-benefit", "0", "1300"),
    ("-inline-max-depth", "0", "1"),
    ("-inline-max-depth", "1", "4"),
    ("-inline-branch-factor", "2", "0.1"),
];

/// A call: the source locations that lead to it from the outermost caller, and what it calls.
type Site = (Vec<(String, u32, u32, u32)>, Option<String>);

/// What was decided of the calls of a program in the first round.
type Decisions = BTreeMap<Site, Vec<Reason>>;

fn decisions(folder: &Folder, program: &Program, flags: &[&str]) -> Decisions {
    let files: Vec<String> = program.files().into_iter().map(|(name, _)| name).collect();
    let mut arguments = vec!["-w", "-a", "-inlining-report", "-flambeau-policy", "benefit"];
    arguments.extend(flags);
    arguments.push("-c");
    arguments.extend(files.iter().map(String::as_str));
    check_status(&folder.flambeau(&arguments), 0);
    let mut decisions = Decisions::new();
    for file in files.iter().filter_map(|file| file.strip_suffix(".ml")) {
        let report = folder.path(&format!("{file}{}", json::SUFFIX));
        for report in json::load(&[report]).expect("a report") {
            for decision in report.decisions.into_iter().filter(|decision| decision.round == 0) {
                let places = decision.places.into_iter().map(|p| (p.file, p.line, p.start, p.end)).collect();
                decisions.entry((places, decision.callee)).or_default().push(decision.reason);
            }
        }
    }
    decisions
}

fn is_inlined(reasons: &[Reason]) -> bool {
    reasons.iter().any(|reason| reason.is_favourable() && !matches!(reason, Reason::Specialised { .. }))
}

/// Whether the reason is a budget: how much a unit may grow, and spend on evaluations, is bounded whatever the
/// parameters are, so that more inlining at one call can mean less at another.
fn is_budget(reason: &Reason) -> bool {
    use Reason::*;
    matches!(reason, FunctionBudget { .. } | UnitBudget { .. } | SpeculationBudget { .. })
}

/// A program in its folder; `None` if OCaml's front end does not take it, which has errors of its own.
fn set_up(program: &Program) -> Option<Folder> {
    let files = program.files();
    let mut sources: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    sources.push((RUNTIME_FILE, RUNTIME));
    let folder = Folder::new(&sources);
    check_status(&folder.flambeau(&["-w", "-a", "-c", RUNTIME_FILE]), 0);
    let names = files.iter().map(|(name, _)| name.as_str());
    let arguments: Vec<&str> = ["-w", "-a", "-flambeau-no-simplify", "-c"].into_iter().chain(names).collect();
    folder.flambeau(&arguments).status.success().then_some(folder)
}

#[test]
fn more_of_a_parameter_inlines_no_less() {
    let programs = std::env::var(PROGRAMS).ok().and_then(|text| text.parse().ok()).unwrap_or(FEW);
    let (mut kept, mut gained) = (0, 0);
    for seed in 0..programs {
        let program = Program::generate(seed, &Options::default());
        let Some(folder) = set_up(&program) else { continue };
        for (flag, less, more) in STEPS {
            let less = decisions(&folder, &program, &[flag, less]);
            let more = decisions(&folder, &program, &[flag, more]);
            for (site, reasons) in &less {
                // Where more was inlined around it, a call may not be there any more.
                let Some(after) = more.get(site) else { continue };
                if !is_inlined(reasons) {
                    gained += u32::from(is_inlined(after));
                    continue;
                }
                kept += 1;
                assert!(
                    is_inlined(after) || after.iter().any(is_budget),
                    "seed {seed}, {flag}: {site:?} is not inlined any more\n{reasons:?}\n{after:?}"
                );
            }
        }
    }
    // A test that compares nothing would hold, too.
    assert!(
        kept > 20 * FEW as u32 && gained > 0,
        "{kept} calls were inlined with less, {gained} more with more"
    );
}
