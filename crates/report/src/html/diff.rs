//! The page on the difference of two builds: what costs more and what costs less first, then calls and functions by unit.
//! The search of the other page serves here too: its script looks for the same elements.

use maud::{Markup, html};

use crate::diff::{ChangedCall, ChangedFunction, ChangedRemark, Cost, Side, UnitDiff};
use crate::model::{Counts, Operation};
use crate::terminal::counted;

/// The page on the differences of two builds.
#[must_use]
pub fn render(diffs: &[UnitDiff]) -> String {
    let changed: Vec<&UnitDiff> = diffs.iter().filter(|diff| !diff.is_empty()).collect();
    let header = html! { p.soft { (summary(diffs, &changed)) } };
    let main = html! {
        (costs(&changed))
        @if !changed.is_empty() { (totals(&changed)) }
        @for diff in &changed { (unit(diff)) }
    };
    super::page("What is different between two builds", &header, &main)
}

fn summary(diffs: &[UnitDiff], changed: &[&UnitDiff]) -> String {
    match changed.len() {
        0 => format!(
            "No difference (units: {}): the same was decided of all calls, and the same remains.",
            diffs.len()
        ),
        count => format!("Units that differ: {count} of {}.", diffs.len()),
    }
}

/// What costs more or less, of all units, what changed most first.
fn costs(changed: &[&UnitDiff]) -> Markup {
    let mut remarks: Vec<(&str, &ChangedRemark)> = Vec::new();
    for diff in changed {
        remarks.extend(diff.remarks.iter().map(|remark| (diff.unit.as_str(), remark)));
    }
    remarks.sort_by(|(_, a), (_, b)| b.change().abs().total_cmp(&a.change().abs()));
    let largest = remarks.first().map_or(1.0, |(_, remark)| remark.change().abs());
    let mut names: Vec<&str> = remarks.iter().map(|(_, remark)| remark.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    html! {
        section #remarks aria-label="What costs more or less" {
            h2 { "What costs more or less" }
            @if remarks.is_empty() {
                p.soft { "No cost changed." }
            } @else {
                p.soft {
                    "Estimated from loops and calls. Wider is more; " span.kept.verdict { "+ costs more" } ", "
                    span.inlined.verdict { "− costs less" } " in the second build. Press / to search, j and k to go on, "
                    "Enter to open."
                }
                (super::remarks::search_form(&names, remarks.len()))
                ol.remarks { @for (unit, remark) in &remarks { (entry(unit, remark, largest)) } }
            }
        }
    }
}

fn entry(unit: &str, remark: &ChangedRemark, largest: f64) -> Markup {
    let change = remark.change();
    let (tone, sign) = if change > 0.0 { ("kept", "+") } else { ("inlined", "−") };
    let width = (100.0 * change.abs() / largest.max(1.0)).max(0.5);
    let place = remark.after.as_ref().or(remark.before.as_ref()).and_then(|side| side.place.as_ref());
    html! {
        li {
            details.remark data-name=(remark.name) {
                summary {
                    span.change.(tone) aria-hidden="true" { span style=(format!("width:{width:.1}%")) {} }
                    span.verdict.(tone) { (sign) (format!("{:.0}", change.abs())) }
                    " " b { (remark.message) } " " span.soft { (remark.scope()) }
                    " " code.at { @match place {
                        Some(place) => { (place.file) ":" (place.line) }
                        None => { (unit) }
                    } }
                    @if remark.before.is_none() { " " span.loops { "new" } }
                    @if remark.after.is_none() { " " span.loops { "gone" } }
                }
                div.body {
                    (side("Before", remark.before.as_ref()))
                    (side("Now", remark.after.as_ref()))
                }
            }
        }
    }
}

fn side(when: &str, cost: Option<&Cost>) -> Markup {
    html! {
        @match cost {
            Some(cost) => {
                p {
                    (when) ": cost " (format!("{:.0}", cost.cost))
                    @if cost.remarks > 1 { ", in " (cost.remarks) " places" }
                    @if !cost.cause.is_empty() { ". Why: " (cost.cause) }
                    "."
                }
                @if let Some(remedy) = &cost.remedy { p.remedy { "Change: " (remedy) "." } }
            }
            None => { p { (when) ": nothing of the kind." } }
        }
    }
}

/// The operations that remain in each unit, before and now.
fn totals(changed: &[&UnitDiff]) -> Markup {
    let count = |counts: &Counts, operation: Operation| counts.get(&operation).copied().unwrap_or(0);
    let has = |operation: &Operation| {
        changed.iter().any(|diff| count(&diff.before, *operation) != count(&diff.after, *operation))
    };
    let operations: Vec<Operation> = Operation::ALL.into_iter().filter(has).collect();
    html! {
        @if !operations.is_empty() {
            div.scroll { table {
                thead { tr {
                    th scope="col" { "unit" }
                    @for operation in &operations { th scope="col" { (operation.noun(2)) } }
                } }
                tbody { @for diff in changed { tr {
                    th scope="row" { (diff.unit) }
                    @for operation in &operations {
                        @let (before, after) = (count(&diff.before, *operation), count(&diff.after, *operation));
                        @if before == after { td.zero { (after) } } @else { td { (before) " → " b { (after) } } }
                    }
                } } }
            } }
        }
    }
}

fn unit(diff: &UnitDiff) -> Markup {
    let only = match (diff.in_first, diff.in_second) {
        (true, false) => " in the first build only",
        (false, true) => " in the second build only",
        _ => "",
    };
    html! {
        details.unit {
            summary {
                h2 { (diff.unit) } " "
                span.soft {
                    @if only.is_empty() {
                        "calls: " (diff.calls.len()) ", functions: " (diff.functions.len())
                    } @else { (only) }
                }
            }
            @if only.is_empty() {
                @for changed in &diff.calls { (call(changed)) }
                @for changed in &diff.functions { (function(changed)) }
            }
        }
    }
}

fn call(call: &ChangedCall) -> Markup {
    html! {
        div.remark {
            "call of " b { (call.callee) } " in " (call.within.join(" › "))
            (decided("−", call.before.as_ref()))
            (decided("+", call.after.as_ref()))
        }
    }
}

fn decided(sign: &str, side: Option<&Side>) -> Markup {
    html! {
        p.soft {
            (sign) " "
            @match side {
                Some(side) => {
                    @if let Some(place) = &side.place { code { (place.file) ":" (place.line) } " " }
                    (side.text)
                }
                None => { "no such call" }
            }
        }
    }
}

fn function(function: &ChangedFunction) -> Markup {
    let words = |counts: Option<&Counts>| match counts {
        Some(counts) if counts.is_empty() => "nothing".to_owned(),
        Some(counts) => counted(counts),
        None => "is not there".to_owned(),
    };
    html! {
        div.remark {
            b { (function.function) } " has"
            p.soft { "− " (words(function.before.as_ref())) }
            p.soft { "+ " (words(function.after.as_ref())) }
        }
    }
}
