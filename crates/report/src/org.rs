//! The files of `-inlining-report`: one for each round, in org mode, as the manual (21.3.4) says.

use std::fmt::Write;

use flambeau_ir::decision::{Decision, Place};

use crate::explain::explain;
use crate::model::{Names, Report};
use crate::sites::Verdict;
use crate::tree::{self, Node};

/// Lines are not longer than this, names apart.
const WIDTH: usize = 100;

/// The suffix of the name of a round's file.
#[must_use]
pub fn suffix(round: u32) -> String {
    format!(".{round}.inlining.org")
}

/// The files, from round 0 on.
pub fn files(report: &Report) -> impl Iterator<Item = (String, String)> + '_ {
    (0..report.summary.rounds).map(|round| (suffix(round), file(report, round)))
}

/// What was decided in a round.
#[must_use]
pub fn file(report: &Report, round: u32) -> String {
    let names = report.names();
    let decisions = report.decisions.iter().filter(|decision| decision.round == round);
    let nodes = tree::nest(decisions.map(|d| (d.function.as_deref(), d.places.as_slice(), d)));
    let mut out = format!("#+TITLE: Inlining decisions in {}, round {round}\n", report.unit);
    if nodes.is_empty() {
        out.push_str("\nNo call was considered in this round.\n");
    }
    for node in &nodes {
        match node.depth {
            0 => definition(&mut out, &names, node),
            _ => calls(&mut out, report, &names, node),
        }
    }
    out
}

fn definition(out: &mut String, names: &Names, node: &Node<&Decision>) {
    let Some(function) = node.function else {
        out.push_str("* Toplevel of the unit\n");
        return;
    };
    let at = names
        .location(node.function)
        .map(|location| format!(" at {}", position(location)))
        .unwrap_or_default();
    let _ = writeln!(out, "* Definition of {}{at}", names.function(Some(function)));
}

fn calls(out: &mut String, report: &Report, names: &Names, node: &Node<&Decision>) {
    let stars = "*".repeat(node.depth + 1);
    let at = node.location.map(|location| format!(" at {}", position(location))).unwrap_or_default();
    if node.entries.is_empty() {
        let _ = writeln!(out, "{stars} Application{at}");
        paragraph(out, node.depth, "Inlined in an earlier round, or with the function in which it stands.");
    }
    for decision in &node.entries {
        let _ = writeln!(out, "{stars} Application of {}{at}", names.callee(decision));
        explanation(out, report, decision, node.depth);
    }
}

fn explanation(out: &mut String, report: &Report, decision: &Decision, depth: usize) {
    let explanation = explain(&decision.reason, report.policy, report.build.level);
    let this_call = match explanation.verdict {
        Verdict::Inlined => "This call was inlined",
        Verdict::Specialised => "This call is of a specialised function",
        Verdict::Kept => "This call was not inlined",
    };
    let formula = explanation.formula.map(|formula| format!(" ({formula})")).unwrap_or_default();
    let removed = match explanation.removed.as_slice() {
        [] => String::new(),
        removed => format!(" Inlining removes {}.", removed.join(", ")),
    };
    paragraph(out, depth, &format!("{this_call}, because {}{formula}.{removed}", explanation.because));
    if !explanation.changes.is_empty() {
        paragraph(out, depth, "Each of these could have changed it:");
        for change in &explanation.changes {
            list_item(out, depth, &change.text());
        }
    }
}

/// `foo.ml, line 3, characters 5-12`
#[must_use]
pub fn position(location: &Place) -> String {
    format!("{}, line {}, characters {}-{}", location.file, location.line, location.start, location.end)
}

fn paragraph(out: &mut String, depth: usize, text: &str) {
    let indent = " ".repeat(depth + 2);
    fill(out, &indent, &indent, text);
}

fn list_item(out: &mut String, depth: usize, text: &str) {
    let indent = " ".repeat(depth + 2);
    fill(out, &format!("{indent}- "), &format!("{indent}  "), text);
}

/// Breaks text into lines.
fn fill(out: &mut String, first: &str, others: &str, text: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            others.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    out.push_str(&line);
    out.push('\n');
}
