//! What costs most: the beginning of the page. A picture of the costs by unit, function and remark; then the remarks,
//! each to be opened, to be searched and chosen from.

use maud::{Markup, html};
use rustc_hash::FxHashMap;

use crate::model::Report;
use crate::ranked::{Filter, position, select};
use crate::remarks::{Kind, Remark};

use super::source::line_id;

/// So many remarks are in the picture: narrower ones could not be seen.
const MOST_DRAWN: usize = 60;

/// So many remarks are laid out: the script shows others when they are searched for.
const MOST_AT_ONCE: usize = 300;

/// The section on the remarks of all units.
pub fn section(reports: &[Report]) -> Markup {
    let selected = select(reports, &Filter::default());
    let total: f64 = selected.iter().map(|(_, remark)| remark.cost).sum();
    let page = Page::new(reports);
    let (first, others) = selected.split_at(selected.len().min(MOST_AT_ONCE));
    html! {
        section #remarks aria-label="What costs most" {
            h2 { "What costs most" }
            @if selected.is_empty() {
                p.soft { "Nothing that costs much was found." }
            } @else {
                p.soft {
                    "Estimated from loops and calls: instructions, times 10 for each loop. Wider is costlier, darker is "
                    "deeper in loops. Press / to search, j and k to go on, Enter to open."
                }
                (picture(&page, &selected, total))
                (search(&selected))
                ol.remarks {
                    @for (report, remark) in first { (entry(&page, report, remark, total)) }
                }
                @if !others.is_empty() {
                    template #more-remarks {
                        @for (report, remark) in others { (entry(&page, report, remark, total)) }
                    }
                }
            }
        }
    }
}

type Selected<'r> = [(&'r Report, &'r Remark)];

/// The function that is named for a remark.
fn scope(remark: &Remark) -> &str {
    remark.place().map_or("", |place| &place.scope)
}

/// Functions side by side, in each its remarks.
fn picture(page: &Page, selected: &Selected, total: f64) -> Markup {
    let drawn = &selected[..selected.len().min(MOST_DRAWN)];
    let mut functions: Vec<(&str, Vec<(&Report, &Remark)>)> = Vec::new();
    for (report, remark) in drawn {
        let name = scope(remark);
        match functions.iter_mut().find(|(known, _)| *known == name) {
            Some((_, remarks)) => remarks.push((report, remark)),
            None => functions.push((name, vec![(report, remark)])),
        }
    }
    let grow = |cost: f64| format!("flex-grow:{:.2}", (100.0 * cost / total.max(1.0)).max(0.2));
    html! {
        div.flame role="img" aria-label="The costs of functions, and in each of its remarks" {
            @for (name, remarks) in &functions {
                @let cost: f64 = remarks.iter().map(|(_, remark)| remark.cost).sum();
                div.part style=(grow(cost)) title={ (name) ": " (share(cost, total)) } {
                    div.name { (if name.is_empty() { "toplevel" } else { name }) }
                    div.bars {
                        @for (report, remark) in remarks {
                            a style=(format!("flex-grow:{:.2}", (100.0 * remark.cost / cost).max(0.2))) data-depth=(remark.depth.min(3)) href={ "#" (page.id(remark)) }
                                title={ (position(report, remark)) ": " (remark.message) } {}
                        }
                    }
                }
            }
        }
    }
}

fn search(selected: &Selected) -> Markup {
    let mut names: Vec<&str> = selected.iter().map(|(_, remark)| remark.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    search_form(&names, selected.len())
}

/// What the script finds remarks by: words, and one of the names.
pub fn search_form(names: &[&str], count: usize) -> Markup {
    html! {
        form.search role="search" aria-label="Remarks" {
            label { "Search " input #search type="search" placeholder="file, function, words" autocomplete="off"; }
            label { "Kind " select #kind {
                option value="" { "all" }
                @for name in names { option value=(name) { (name.replace('_', " ")) } }
            } }
            output #shown { (count) " remarks" }
        }
    }
}

fn entry(page: &Page, report: &Report, remark: &Remark, total: f64) -> Markup {
    let link = page.line(remark);
    html! {
        li {
            details.remark #(page.id(remark)) data-name=(remark.name) {
                summary {
                    span.share { (share(remark.cost, total)) }
                    " " b { (remark.message) } " " span.soft { (scope(remark)) }
                    " " code.at { (position(report, remark)) }
                    @if remark.depth > 0 { " " span.loops { (loops(remark.depth)) } }
                    @if remark.kind == Kind::Missed { " " span.loops { "missed" } }
                }
                div.body {
                    @if !remark.cause.is_empty() { p { "Why: " (remark.cause) "." } }
                    @if let Some(remedy) = &remark.remedy { p.remedy { "Change: " (remedy) "." } }
                    @if let Some(text) = report.source_line(remark) { pre { (text) } }
                    p.soft {
                        @if let Some(link) = link { a href={ "#" (link) } { "In the source" } ". " }
                        @if remark.copies > 1 { (remark.copies) " copies of it are in the code. " }
                        @if remark.places.len() > 1 {
                            "From the call inwards: "
                            @for (index, place) in remark.places.iter().enumerate() {
                                @if index > 0 { " › " }
                                code { (place.file) ":" (place.line) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn loops(depth: u32) -> String {
    if depth == 1 { "in a loop".into() } else { format!("in {depth} loops") }
}

fn share(cost: f64, total: f64) -> String {
    format!("{:.0} %", 100.0 * cost / total.max(1.0))
}

/// Where remarks are on the page.
struct Page<'r> {
    reports: &'r [Report],
    /// The number of the unit, and that of the remark in it, by the remark's address.
    numbers: FxHashMap<*const Remark, (usize, usize)>,
}

impl<'r> Page<'r> {
    fn new(reports: &'r [Report]) -> Page<'r> {
        let of_unit = |(unit, report): (usize, &'r Report)| {
            let numbered = report.remarks.iter().enumerate();
            numbered.map(move |(number, remark)| (std::ptr::from_ref(remark), (unit, number)))
        };
        Page { reports, numbers: reports.iter().enumerate().flat_map(of_unit).collect() }
    }

    fn number(&self, remark: &Remark) -> (usize, usize) {
        self.numbers.get(&std::ptr::from_ref(remark)).copied().unwrap_or_default()
    }

    /// The identifier of a remark, for links.
    fn id(&self, remark: &Remark) -> String {
        let (unit, number) = self.number(remark);
        format!("u{unit}r{number}")
    }

    /// The identifier of its line in the source, if the report has that.
    fn line(&self, remark: &Remark) -> Option<String> {
        let place = remark.place()?;
        let unit = self.number(remark).0;
        let report = &self.reports[unit];
        let has_source = report.sources.iter().any(|source| source.file == place.file);
        has_source.then(|| line_id(unit, report, &place.file, place.line))
    }
}
