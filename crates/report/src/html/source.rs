//! The source, with the decisions beside it.

use std::collections::BTreeMap;

use flambeau_ir::decision::Place;
use maud::{Markup, PreEscaped, html};
use rustc_hash::FxHashMap;

use crate::model::{Names, Operation, Report, Source};
use crate::sites::{Site, sites};
use crate::tree::{self, Node};

use super::note;

/// The calls at one source location, and those in what was inlined there.
pub struct Group<'r> {
    /// The identifier for links.
    pub id: String,
    /// The node of the location; those that are nested in it follow.
    pub nodes: &'r [Node<'r, &'r Site<'r>>],
}

impl Group<'_> {
    fn location(&self) -> Option<&Place> {
        self.nodes.first().and_then(|node| node.location)
    }

    fn class(&self) -> &'static str {
        let site = self.nodes.first().and_then(|node| node.entries.last());
        site.map_or("inlined", |site| note::class(site.verdict()))
    }
}

/// A unit that is being rendered.
pub struct Unit<'r> {
    /// The position on the page.
    pub index: usize,
    /// What is known.
    pub report: &'r Report,
    /// Its functions.
    pub names: Names<'r>,
}

impl<'r> Unit<'r> {
    /// A unit at that position on the page.
    pub fn new(index: usize, report: &'r Report) -> Unit<'r> {
        Unit { index, report, names: report.names() }
    }

    /// What a line is called in links.
    pub fn line_id(&self, file: &str, line: u32) -> String {
        line_id(self.index, self.report, file, line)
    }
}

/// What a line is called in links, of the unit at that position on the page.
pub fn line_id(index: usize, report: &Report, file: &str, line: u32) -> String {
    let number = report.sources.iter().position(|source| source.file == file);
    format!("u{index}f{}L{line}", number.unwrap_or(0))
}

/// Equal operations of a line.
type Operations<'r> = BTreeMap<(Operation, &'r str), u32>;

/// What is shown beside the lines, by file and line.
#[derive(Default)]
struct Notes<'r> {
    groups: FxHashMap<(&'r str, u32), Vec<&'r Group<'r>>>,
    operations: FxHashMap<(&'r str, u32), Operations<'r>>,
}

/// The sources of a unit, and at the end the calls whose location is in none of them.
pub fn files(unit: &Unit) -> Markup {
    let sites = sites(&unit.report.decisions);
    let nodes = tree::nest(sites.iter().map(|site| (site.function(), site.locations(), site)));
    let groups = groups(unit, &nodes);
    let is_shown = |file: &str| unit.report.sources.iter().any(|source| source.file == file);
    let mut notes = Notes::default();
    let mut elsewhere = Vec::new();
    for group in &groups {
        match group.location().filter(|location| is_shown(&location.file)) {
            Some(location) => notes.groups.entry((&location.file, location.line)).or_default().push(group),
            None => elsewhere.push(group),
        }
    }
    for group in notes.groups.values_mut() {
        group.sort_by_key(|group| group.location().map(|location| (location.start, location.end)));
    }
    for remaining in unit.report.functions.iter().flat_map(|function| &function.remaining) {
        if let Some(location) = remaining.places.first() {
            let line = notes.operations.entry((&location.file, location.line)).or_default();
            *line.entry((remaining.operation, &remaining.detail)).or_default() += 1;
        }
    }
    html! {
        @for source in &unit.report.sources { (file(unit, source, &notes)) }
        @if !elsewhere.is_empty() {
            h3 { @if unit.report.sources.is_empty() { "Calls" } @else { "Calls of which the source is not above" } }
            div.elsewhere { @for group in elsewhere {
                @let at = group.location().map(|location| format!("{}:{}", location.file, location.line)).unwrap_or_default();
                (note::group(unit, group, &at))
            } }
        }
    }
}

/// The nodes without those of definitions, which are named in locations.
fn groups<'r>(unit: &Unit, nodes: &'r [Node<'r, &'r Site<'r>>]) -> Vec<Group<'r>> {
    let mut groups = Vec::new();
    let mut start = 0;
    while start < nodes.len() {
        let inner = nodes[start + 1..].iter().take_while(|node| node.depth > 1).count();
        if nodes[start].depth == 1 {
            let id = format!("u{}c{}", unit.index, groups.len());
            groups.push(Group { id, nodes: &nodes[start..=start + inner] });
            start += inner;
        }
        start += 1;
    }
    groups
}

fn file(unit: &Unit, source: &Source, notes: &Notes) -> Markup {
    html! {
        h3 { (source.file) }
        div.source role="table" aria-label={ "Source of " (source.file) } {
            @for (index, text) in source.text.lines().enumerate() {
                @let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
                @let key = (source.file.as_str(), line);
                @let groups = notes.groups.get(&key).map(Vec::as_slice).unwrap_or_default();
                (row(unit, &unit.line_id(&source.file, line), line, text, groups, notes.operations.get(&key)))
            }
        }
    }
}

fn row(
    unit: &Unit,
    id: &str,
    line: u32,
    text: &str,
    groups: &[&Group],
    operations: Option<&Operations>,
) -> Markup {
    let has_notes = !groups.is_empty() || operations.is_some();
    html! {
        div.row.noted[has_notes] role="row" id=(id) {
            span.number role="rowheader" { (line) }
            code.text role="cell" { (marked(text, groups)) }
            div.notes role="cell" {
                @for (index, group) in groups.iter().enumerate() {
                    (note::group(unit, group, &(index + 1).to_string()))
                }
                @if let Some(operations) = operations {
                    div.costs { @for ((operation, detail), count) in operations {
                        span.cost {
                            @if *count > 1 { (count) " × " }
                            (operation.noun(1)) ": " (detail)
                        } " "
                    } }
                }
            }
        }
    }
}

/// A line in which each call has its number before it.
fn marked(text: &str, groups: &[&Group]) -> Markup {
    let mut out = String::new();
    let mut written = 0;
    for (index, group) in groups.iter().enumerate() {
        let start = group.location().map_or(0, |location| location.start as usize);
        let start = boundary(text, start).max(written);
        push_escaped(&mut out, &text[written..start]);
        written = start;
        let number = index + 1;
        out.push_str(
            &html! { a.mark.(group.class()) href={ "#" (group.id) } aria-label={ "call " (number) } { (number) } }
                .into_string(),
        );
    }
    push_escaped(&mut out, &text[written..]);
    PreEscaped(out)
}

fn push_escaped(out: &mut String, text: &str) {
    out.push_str(&html! { (text) }.into_string());
}

/// The nearest beginning of a character that is not after a position; the end, if it is beyond.
fn boundary(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}
