//! Reports as a tree for terminals.

use std::fmt::Write;

use flambeau_ir::decision::Place;

use crate::explain::{Change, Explanation, explain};
use crate::model::{Counts, Function, Names, Report};
use crate::sites::{Site, Verdict, sites};
use crate::tree::{self, Node};

/// How text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Whether escape sequences are wanted.
    pub colours: bool,
}

impl Palette {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn verdict(self, verdict: Verdict, text: &str) -> String {
        match verdict {
            Verdict::Inlined => self.paint("32", text),
            Verdict::Specialised => self.paint("36", text),
            Verdict::Kept => self.paint("33", text),
        }
    }
}

/// A line of the tree, with lines of its own below it.
struct Line {
    depth: usize,
    text: String,
    notes: Vec<String>,
}

/// Units, one below the other.
#[must_use]
pub fn render(reports: &[Report], palette: Palette) -> String {
    let mut out = String::new();
    for report in reports {
        if !out.is_empty() {
            out.push('\n');
        }
        draw(&mut out, &lines(report, palette), palette);
    }
    out
}

fn lines(report: &Report, palette: Palette) -> Vec<Line> {
    let mut lines = vec![head(report, palette)];
    let names = report.names();
    let sites = sites(&report.decisions);
    let nodes = tree::nest(sites.iter().map(|site| (site.function(), site.locations(), site)));
    let mut pending = nodes.iter().peekable();
    while let Some(definition) = pending.next() {
        lines.push(definition_line(&names, definition.function, palette));
        while let Some(node) = pending.next_if(|node| node.depth > 0) {
            calls(&mut lines, report, &names, node, palette);
        }
        lines.extend(names.get(definition.function).and_then(|function| remains(function, palette)));
    }
    // Functions that call nothing may allocate.
    let with_calls: rustc_hash::FxHashSet<_> = nodes.iter().map(|node| node.function).collect();
    for function in &report.functions {
        if !with_calls.contains(&function.name.as_deref())
            && let Some(line) = remains(function, palette)
        {
            lines.push(definition_line(&names, function.name.as_deref(), palette));
            lines.push(line);
        }
    }
    lines
}

fn head(report: &Report, palette: Palette) -> Line {
    let text = format!("{} {}", palette.bold(&report.unit), palette.dim(&build(report)));
    Line { depth: 0, text, notes: [summary(report)].into_iter().chain(opaque(report)).collect() }
}

/// `foo.ml, -O3, policy threshold, 3 rounds`
#[must_use]
pub fn build(report: &Report) -> String {
    let rounds = report.summary.rounds;
    let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    format!("{}, -O{}, policy {}, {rounds}", report.build.source, report.build.level, policy(report))
}

/// The name of the policy.
#[must_use]
pub fn policy(report: &Report) -> &'static str {
    use flambeau_ir::decision::Policy;
    match report.policy {
        Policy::Classic => "classic",
        Policy::Benefit => "benefit",
        Policy::Threshold => "threshold",
    }
}

/// The counts of calls and operations, in one sentence.
#[must_use]
pub fn summary(report: &Report) -> String {
    let summary = &report.summary;
    let mut text = format!(
        "{} calls: {} inlined, {} specialised, {} not",
        summary.calls, summary.inlined, summary.specialised, summary.kept
    );
    let mut lost = Vec::new();
    if summary.unknown_callee > 0 {
        lost.push(format!("{} of functions that are not known", summary.unknown_callee));
    }
    if summary.without_body > 0 {
        let units: Vec<String> =
            summary.without_body_by_unit.iter().map(|(unit, count)| format!("{unit} {count}")).collect();
        let units = if units.is_empty() { String::new() } else { format!(": {}", units.join(", ")) };
        lost.push(format!("{} of functions whose body is not available{units}", summary.without_body));
    }
    if !lost.is_empty() {
        let _ = write!(text, " ({})", lost.join("; "));
    }
    text
}

/// What opaque units cost.
fn opaque(report: &Report) -> Option<String> {
    let summary = &report.summary;
    let units = summary.opaque_calls_by_unit.iter();
    let units: Vec<String> = units.map(|(unit, count)| format!("{unit} {count}")).collect();
    (summary.opaque_calls > 0).then(|| {
        format!(
            "{} indirect calls of functions of units that are opaque or without a .cmx that describes them: {}",
            summary.opaque_calls,
            units.join(", ")
        )
    })
}

fn definition_line(names: &Names, function: Option<&str>, palette: Palette) -> Line {
    let at = names
        .location(function)
        .map(|location| format!(" {}:{}", location.file, location.line))
        .unwrap_or_default();
    let text = format!("{}{}", palette.bold(&names.function(function)), palette.dim(&at));
    Line { depth: 1, text, notes: Vec::new() }
}

fn calls(lines: &mut Vec<Line>, report: &Report, names: &Names, node: &Node<&Site>, palette: Palette) {
    let at = node.location.map_or_else(|| "?".into(), short_position);
    let depth = node.depth + 1;
    if node.entries.is_empty() {
        lines.push(Line {
            depth,
            text: format!("{at} {}", palette.dim("in inlined code")),
            notes: Vec::new(),
        });
    }
    for site in &node.entries {
        let explanation = explain(&site.last.reason, report.policy, report.build.level);
        let verdict = palette.verdict(explanation.verdict, &explanation.verdict.words().to_lowercase());
        let text =
            format!("{at} {} {verdict}: {}", palette.bold(&names.callee(site.last)), why(&explanation));
        lines.push(Line { depth, text, notes: notes(&explanation, palette) });
    }
}

fn why(explanation: &Explanation) -> String {
    match &explanation.formula {
        Some(formula) => format!("{}, {formula}", explanation.brief),
        None => explanation.brief.clone(),
    }
}

/// The operations that inlining removes, and what would make the call inlined. What would undo inlining is shown by the
/// other renderings.
fn notes(explanation: &Explanation, palette: Palette) -> Vec<String> {
    let mut notes = Vec::new();
    if !explanation.removed.is_empty() {
        notes.push(palette.dim(&format!("removes {}", explanation.removed.join(", "))));
    }
    // What can't be typed is too long for a line: the other renderings show it.
    let typed = explanation.changes.iter().filter(|change| !change.parts().1.is_empty());
    let typed: Vec<String> = typed.map(Change::text).collect();
    if explanation.verdict == Verdict::Kept && !typed.is_empty() {
        notes.push(palette.dim(&format!("could change with: {}", typed.join(" | "))));
    }
    notes
}

fn remains(function: &Function, palette: Palette) -> Option<Line> {
    let counts = function.counts();
    let text = format!("{} {}", palette.dim("remains:"), counted(&counts));
    (!counts.is_empty()).then_some(Line { depth: 2, text, notes: Vec::new() })
}

/// `2 allocations, 1 boxing`
#[must_use]
pub fn counted(counts: &Counts) -> String {
    let counts: Vec<String> =
        counts.iter().map(|(operation, count)| format!("{count} {}", operation.noun(*count))).collect();
    counts.join(", ")
}

/// `12:5`
fn short_position(location: &Place) -> String {
    format!("{}:{}:{}", location.file, location.line, location.start)
}

/// Writes lines with the branches of the tree before them.
fn draw(out: &mut String, lines: &[Line], palette: Palette) {
    let last = last_ones(lines);
    // For each depth, whether the branch continues below.
    let mut open: Vec<bool> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        open.truncate(line.depth);
        let mut before: String = open.iter().skip(1).map(|open| if *open { "│  " } else { "   " }).collect();
        let branch = match line.depth {
            0 => "",
            _ if last[index] => "└─ ",
            _ => "├─ ",
        };
        let _ = writeln!(out, "{}{}", palette.dim(&format!("{before}{branch}")), line.text);
        open.resize(line.depth, false);
        open.push(!last[index]);
        if line.depth > 0 {
            before.push_str(if last[index] { "   " } else { "│  " });
        }
        let has_children = lines.get(index + 1).is_some_and(|next| next.depth > line.depth);
        let below = if has_children { "│  " } else { "   " };
        for note in &line.notes {
            let _ = writeln!(out, "{}{note}", palette.dim(&format!("{before}{below}")));
        }
    }
}

/// Whether each line is the last one at its depth in what it belongs to.
fn last_ones(lines: &[Line]) -> Vec<bool> {
    let mut later: Vec<bool> = Vec::new();
    let mut last = vec![true; lines.len()];
    for (index, line) in lines.iter().enumerate().rev() {
        later.resize(line.depth + 1, false);
        last[index] = !later[line.depth];
        later[line.depth] = true;
    }
    last
}
