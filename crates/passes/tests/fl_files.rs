//! Each `tests/fl/PASS/*.fl` is a unit, a line `===>`, and the unit after the pass. Both are verified and must do the
//! same; `UPDATE_EXPECT=1` writes what came into the files.
//!
//! A line `// -unbox-closures` stands for the flag, a line `// several domains` for OCaml 5, a line `// last round` for
//! the last round of the schedule. A unit whose run says nothing (it traps, or does not end) has a line that begins
//! with `// not comparable:` and says why.

mod examples;

use std::path::Path;

use flambeau_interp::{Options, Verdict, check};
use flambeau_ir::{Item, Named, Rewrites, Unit, alpha, parser, printer, verify};
use flambeau_passes::{PASSES, Pass};

const NOT_COMPARABLE: &str = "// not comparable:";
/// A line that says that the pass runs as with that flag.
const UNBOX_CLOSURES: &str = "// -unbox-closures\n";
/// A line that says that the pass runs as for OCaml 5.
const SEVERAL_DOMAINS: &str = "// several domains\n";
/// A line that says that no round comes after that of the pass.
const LAST_ROUND: &str = "// last round\n";

/// Folders with runners of their own.
const OTHERS: &[&str] = &["ir", "convert", "imported"];

#[test]
fn passes_do_as_expected() {
    let of_pass = |pass: &Pass| examples::differences(pass.name, |input| outcome(pass, input));
    examples::accept(&PASSES.iter().flat_map(of_pass).collect::<Vec<_>>());
}

/// Repeated unboxing, above all, neither loses what it knew nor adds parameters (features E9).
#[test]
fn a_second_round_of_the_simplifier_adds_nothing() {
    let simplify = PASSES.iter().find(|pass| pass.name == "simplify").expect("a pass of that name");
    for entry in std::fs::read_dir(examples::folder("simplify")).expect("tests of the simplifier") {
        let file = entry.expect("a readable entry").path();
        let text = std::fs::read_to_string(&file).expect("a readable file");
        // That there is one is the other test's business.
        let Some((_, expected)) = text.split_once(examples::MARK) else { continue };
        let first = parser::parse_unit(expected).expect("a text that was printed");
        let mut second = first.clone();
        (simplify.run)(&mut second, &mut Rewrites::default());
        let (before, after) = (weight(&first), weight(&second));
        let grown = before.iter().zip(&after).any(|(before, after)| after > before);
        assert!(!grown, "{}: {before:?}, {after:?}\n{}", file.display(), printer::print_unit(&second));
    }
}

/// Allocations, bindings, and parameters of continuations.
fn weight(unit: &Unit) -> [usize; 3] {
    let mut weight = [0; 3];
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Let { named: Named::Prim { prim, .. }, .. } => {
                        weight[0] += usize::from(prim.is_allocation());
                        weight[1] += 1;
                    }
                    Item::Let { .. } => weight[1] += 1,
                    Item::LetClosures { .. } => weight[0] += 1,
                    Item::Join { params, .. } => weight[2] += params.len(),
                    Item::LetCont { handlers, .. } => {
                        weight[2] += handlers.iter().map(|handler| handler.params.len()).sum::<usize>();
                    }
                }
            }
        });
    }
    weight
}

#[test]
fn every_folder_has_a_runner() {
    for entry in std::fs::read_dir(examples::folder("")).expect("tests/fl exists") {
        let name = entry.expect("a readable entry").file_name();
        let known = OTHERS.iter().chain(PASSES.iter().map(|pass| &pass.name)).any(|known| name == *known);
        assert!(known, "nobody reads tests/fl/{}", name.display());
    }
}

/// A pass that runs again afterwards, as `late_…`, has the page of the pass.
#[test]
fn every_pass_has_a_page() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/passes");
    for pass in PASSES {
        let page = pages.join(format!("{}.md", pass.name.trim_start_matches("late_")));
        assert!(page.exists(), "there is no {}", page.display());
    }
}

/// The text of the unit after the pass, or what is wrong.
fn outcome(pass: &Pass, input: &str) -> Result<String, String> {
    let before = parser::parse_unit(input).map_err(|error| error.to_string())?;
    verified(&before).map_err(|error| format!("before the pass, {error}"))?;
    let mut after = before.clone();
    let mut rewrites = Rewrites {
        unboxed_closures: input.contains(UNBOX_CLOSURES),
        several_domains: input.contains(SEVERAL_DOMAINS),
        lifting_rounds: input.contains(LAST_ROUND).then_some(1),
        round: u32::from(input.contains(LAST_ROUND)),
        ..Rewrites::default()
    };
    let changed = (pass.run)(&mut after, &mut rewrites);
    let printed = printer::print_unit(&after);
    if changed != alpha::compare(&before, &after).is_err() {
        return Err(format!("the pass says wrongly that it changed {}:\n{printed}", something(changed)));
    }
    match check::compare(&before, &after, &Options::default()) {
        Err(difference) => Err(format!("{difference}\n{printed}")),
        Ok(Verdict::Same(_)) if !input.contains(NOT_COMPARABLE) => Ok(printed),
        Ok(Verdict::Trap(_) | Verdict::OutOfFuel) if input.contains(NOT_COMPARABLE) => Ok(printed),
        Ok(Verdict::Same(_)) => Err(format!("it is comparable; remove `{NOT_COMPARABLE}`")),
        Ok(verdict) => Err(format!("the run says nothing: {verdict:?}; say why with `{NOT_COMPARABLE}`")),
    }
}

fn something(changed: bool) -> &'static str {
    if changed { "something" } else { "nothing" }
}

fn verified(unit: &Unit) -> Result<(), String> {
    verify::verify(unit).map_err(|errors| errors[0].to_string())
}
