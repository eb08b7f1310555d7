//! What remains, function by function.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::model::{Counts, Function, Operation};

use super::operations;
use super::source::Unit;

/// The table of the functions in which something remains.
pub fn table(unit: &Unit) -> Markup {
    let rows: Vec<(&Function, Counts)> = unit
        .report
        .functions
        .iter()
        .map(|function| (function, function.counts()))
        .filter(|(_, counts)| !counts.is_empty())
        .collect();
    html! {
        details.functions {
            summary { "What remains, by function" }
            @if rows.is_empty() {
                p.soft { "Nothing: no allocation, no indirect call, no check." }
            } @else {
                div.scroll { table {
                    thead { tr {
                        th scope="col" { "function" }
                        @for operation in operations() { th scope="col" { (operation.noun(2)) } }
                    } }
                    tbody {
                        @for (function, counts) in &rows { (row(unit, function, counts)) }
                        tr.total { th scope="row" { "unit" } (cells(&unit.report.summary.remaining)) }
                    }
                } }
            }
        }
    }
}

fn cells(counts: &Counts) -> Markup {
    html! {
        @for operation in operations() {
            @let count = counts.get(&operation).copied().unwrap_or(0);
            td.zero[count == 0] { (count) }
        }
    }
}

fn row(unit: &Unit, function: &Function, counts: &Counts) -> Markup {
    let name = unit.names.function(function.name.as_deref());
    html! {
        tr {
            th scope="row" { details {
                summary { code { (name) } }
                @if let Some(location) = &function.place {
                    p { a href={ "#" (unit.line_id(&location.file, location.line)) } { (location.file) ":" (location.line) } }
                }
                ul { @for ((operation, detail, file, line), count) in grouped(function) {
                    li {
                        (count) " " (operation.noun(count)) ": " (detail)
                        @if line > 0 { ", " a href={ "#" (unit.line_id(file, line)) } { (file) ":" (line) } }
                    }
                } }
            } }
            (cells(counts))
        }
    }
}

type Like<'r> = (Operation, &'r str, &'r str, u32);

/// Equal operations of one line together.
fn grouped(function: &Function) -> BTreeMap<Like<'_>, u32> {
    let mut groups = BTreeMap::new();
    for remaining in &function.remaining {
        let (file, line) =
            remaining.places.first().map_or(("", 0), |location| (location.file.as_str(), location.line));
        *groups.entry((remaining.operation, remaining.detail.as_str(), file, line)).or_default() += 1;
    }
    groups
}
