//! Reports as one page that needs nothing else: no network, no other file, no script but one that opens what a link
//! leads to, and searches among the remarks.

mod diff;
mod functions;
mod note;
mod remarks;
mod source;

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::{Operation, Report};
use crate::terminal;

pub use diff::render as render_diff;

/// The page on units.
#[must_use]
pub fn render(reports: &[Report]) -> String {
    let title = match reports {
        [report] => format!("{}: what costs, and what was decided", report.unit),
        _ => format!("What costs, and what was decided, in {} units", reports.len()),
    };
    let header = html! { (filters()) };
    let main = html! {
        (remarks::section(reports))
        @if reports.len() > 1 { (overview(reports)) }
        @for (index, report) in reports.iter().enumerate() {
            (unit(index, report, reports.len() == 1))
        }
    };
    page(&title, &header, &main)
}

/// A page with all that it needs.
fn page(title: &str, header: &Markup, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                a.skip href="#units" { "Skip to the decisions" }
                header {
                    h1 { (title) }
                    (header)
                }
                main #units { (main) }
                footer { "Made by flambeau report. What the reasons mean: docs/reports.md." }
                script { (PreEscaped(include_str!("script.js"))) }
            }
        }
    };
    page.into_string()
}

/// What is to be seen. The style sheet looks at these.
fn filters() -> Markup {
    let filter = |id: &str, label: &str, checked: bool| {
        html! { label { input type="checkbox" #(id) checked[checked]; " " (label) } }
    };
    html! {
        form.filters aria-label="What is shown" {
            span.inlined { (filter("show-inlined", "inlined", true)) }
            span.specialised { (filter("show-specialised", "specialised", true)) }
            span.kept { (filter("show-kept", "not inlined", true)) }
            span.cost { (filter("show-cost", "what remains", true)) }
            span { (filter("only-notes", "only lines with notes", false)) }
        }
    }
}

/// The columns that all tables share, after the name.
fn operations() -> impl Iterator<Item = Operation> {
    Operation::ALL.into_iter()
}

fn overview(reports: &[Report]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "unit" }
                th scope="col" { "calls" }
                th scope="col" { "inlined" }
                th scope="col" { "specialised" }
                th scope="col" { "not inlined" }
                th scope="col" { "no body" }
                @for operation in operations() { th scope="col" { (operation.noun(2)) } }
            } }
            tbody { @for (index, report) in reports.iter().enumerate() {
                @let summary = &report.summary;
                tr {
                    th scope="row" { a href={ "#u" (index) } { (report.unit) } }
                    @for count in [summary.calls, summary.inlined, summary.specialised, summary.kept, summary.without_body] {
                        td { (count) }
                    }
                    @for operation in operations() {
                        td { (summary.remaining.get(&operation).copied().unwrap_or(0)) }
                    }
                }
            } }
        } }
    }
}

/// The part on a unit. Where it is the only one it is open.
fn unit(index: usize, report: &Report, open: bool) -> Markup {
    let unit = source::Unit::new(index, report);
    html! {
        details.unit #{ "u" (index) } open[open] {
            summary { h2 { (report.unit) } " " span.soft { (terminal::build(report)) } }
            (cards(report))
            @if !report.build.arguments.is_empty() {
                details.command { summary { "Command line" } code { (report.build.arguments.join(" ")) } }
            }
            (functions::table(&unit))
            (source::files(&unit))
        }
    }
}

/// The sums.
fn cards(report: &Report) -> Markup {
    let summary = &report.summary;
    let by_unit = |counts: &BTreeMap<String, u32>| {
        html! { @for (position, (unit, count)) in counts.iter().enumerate() {
            @if position > 0 { ", " }
            code { (unit) } " " (count)
        } }
    };
    let card = |class: &str, number: u32, label: &str| {
        html! { div.card.(class) { b { (number) } " " span { (label) } } }
    };
    html! {
        div.cards {
            (card("inlined", summary.inlined, "inlined"))
            (card("specialised", summary.specialised, "specialised"))
            (card("kept", summary.kept, "not inlined"))
            (card("lost", summary.unknown_callee, "of unknown functions"))
            (card("lost", summary.without_body, "whose body is not available"))
            (card("lost", summary.opaque_calls, "into opaque units"))
        }
        @if !summary.without_body_by_unit.is_empty() {
            p.soft {
                "Calls lost because a body is not available: "
                (by_unit(&summary.without_body_by_unit)) ". Such a unit is opaque, without .cmx, compiled by another compiler, or the function is too large."
            }
        }
        @if !summary.opaque_calls_by_unit.is_empty() {
            p.soft {
                "Indirect calls because nothing is known of functions of a unit: "
                (by_unit(&summary.opaque_calls_by_unit))
                ". It is opaque (as in dune's dev profile), its .cmx was not found, or it computes them."
            }
        }
    }
}
