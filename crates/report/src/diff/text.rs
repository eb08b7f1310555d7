//! Differences as text.

use std::fmt::Write;

use super::{Cost, Side, UnitDiff};
use crate::model::{Counts, Operation};
use crate::terminal::counted;

/// The differences as text.
#[must_use]
pub fn render(diffs: &[UnitDiff]) -> String {
    let mut out = String::new();
    for diff in diffs.iter().filter(|diff| !diff.is_empty()) {
        unit(&mut out, diff);
    }
    if out.is_empty() {
        out.push_str("No difference: the same was decided of all calls, and the same remains.\n");
    }
    out
}

fn unit(out: &mut String, diff: &UnitDiff) {
    let only = match (diff.in_first, diff.in_second) {
        (true, false) => " (in the first build only)",
        (false, true) => " (in the second build only)",
        _ => "",
    };
    let _ = writeln!(out, "{}{only}", diff.unit);
    if !only.is_empty() {
        return;
    }
    for remark in &diff.remarks {
        let _ = writeln!(out, "  {} in {}", remark.message, remark.scope());
        cost_line(out, "-", remark.before.as_ref());
        cost_line(out, "+", remark.after.as_ref());
    }
    for call in &diff.calls {
        let _ = writeln!(out, "  call of {} in {}", call.callee, call.within.join(" > "));
        side_line(out, "-", call.before.as_ref());
        side_line(out, "+", call.after.as_ref());
    }
    for function in &diff.functions {
        let _ = writeln!(out, "  {} has", function.function);
        counts_line(out, "-", function.before.as_ref());
        counts_line(out, "+", function.after.as_ref());
    }
    let totals: Vec<String> = Operation::ALL
        .into_iter()
        .filter_map(|operation| {
            let count = |counts: &Counts| counts.get(&operation).copied().unwrap_or(0);
            let (before, after) = (count(&diff.before), count(&diff.after));
            let change = i64::from(after) - i64::from(before);
            (change != 0).then(|| format!("{} {before} -> {after} ({change:+})", operation.noun(2)))
        })
        .collect();
    if !totals.is_empty() {
        let _ = writeln!(out, "  in all: {}", totals.join(", "));
    }
}

fn side_line(out: &mut String, sign: &str, side: Option<&Side>) {
    let _ = match side {
        Some(side) => {
            let at = side.place.as_ref().map(|location| format!("{}:{}: ", location.file, location.line));
            writeln!(out, "    {sign} {}{}", at.unwrap_or_default(), side.text)
        }
        None => writeln!(out, "    {sign} no such call"),
    };
}

fn counts_line(out: &mut String, sign: &str, counts: Option<&Counts>) {
    let _ = match counts {
        Some(counts) if counts.is_empty() => writeln!(out, "    {sign} nothing"),
        Some(counts) => writeln!(out, "    {sign} {}", counted(counts)),
        None => writeln!(out, "    {sign} (is not there)"),
    };
}

fn cost_line(out: &mut String, sign: &str, cost: Option<&Cost>) {
    let _ = match cost {
        Some(cost) => {
            let at = cost.place.as_ref().map(|location| format!("{}:{}: ", location.file, location.line));
            writeln!(out, "    {sign} {}cost {:.0}", at.unwrap_or_default(), cost.cost)
        }
        None => writeln!(out, "    {sign} nothing of the kind"),
    };
}
