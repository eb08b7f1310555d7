//! What costs most, first: the remarks of all units together, as text for people and in the form that editors read.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::model::Report;
use crate::names;
use crate::remarks::{Kind, Remark};
use crate::samples::Measured;
use crate::terminal::Palette;

/// Which remarks are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of files whose names contain one of these.
    pub files: Vec<String>,
    /// In functions whose names contain one of these.
    pub functions: Vec<String>,
    /// Of these kinds: what remains and what was missed if there is none.
    pub kinds: Vec<Kind>,
    /// With one of these names (`boxing`).
    pub names: Vec<String>,
}

impl Filter {
    /// Of these kinds.
    #[must_use]
    pub fn of_kinds(kinds: &[Kind]) -> Filter {
        Filter { kinds: kinds.to_vec(), ..Filter::default() }
    }

    fn accepts(&self, report: &Report, remark: &Remark) -> bool {
        let among = |wanted: &[String], text: &str| {
            wanted.is_empty() || wanted.iter().any(|part| text.contains(part))
        };
        let kind = match self.kinds.as_slice() {
            [] => remark.kind != Kind::Done,
            kinds => kinds.contains(&remark.kind),
        };
        let file = remark.place().map_or(report.build.source.as_str(), |place| &place.file);
        kind && among(&self.files, file)
            && among(&self.functions, &function(report, remark))
            && (self.names.is_empty() || self.names.contains(&remark.name))
    }
}

/// The remarks that are wanted, of all units, each with its report; the costliest first.
#[must_use]
pub fn select<'r>(reports: &'r [Report], filter: &Filter) -> Vec<(&'r Report, &'r Remark)> {
    let all = reports.iter().flat_map(|report| report.remarks.iter().map(move |remark| (report, remark)));
    let mut selected: Vec<_> = all.filter(|(report, remark)| filter.accepts(report, remark)).collect();
    selected.sort_by(|(_, a), (_, b)| b.cost.total_cmp(&a.cost));
    selected
}

/// The name of the function that a remark is about, as the source has it: where the code is written, not where it was
/// inlined.
fn function(report: &Report, remark: &Remark) -> String {
    match remark.place() {
        Some(place) if !place.scope.is_empty() => place.scope.clone(),
        _ => report.names().function(remark.function.as_deref()),
    }
}

/// The `top` costliest remarks, then the functions in which most is left. `measured`: the costs are samples of a
/// profiler, and shares of all that it took.
#[must_use]
pub fn render(
    reports: &[Report],
    filter: &Filter,
    measured: Option<&Measured>,
    top: usize,
    palette: Palette,
) -> String {
    let mut selected = select(reports, filter);
    selected.retain(|(_, remark)| measured.is_none() || remark.cost > 0.0);
    let estimated: f64 = selected.iter().map(|(_, remark)| remark.cost).sum();
    let total = measured.map_or(estimated, |measured| measured.total as f64);
    let mut out = String::new();
    if let Some(measured) = measured {
        let share = |count: u64| 100.0 * count as f64 / total.max(1.0);
        let _ = writeln!(
            out,
            "{} samples: {:.0} % in code with reports or called from there, {:.0} % on lines with remarks\n",
            measured.total,
            share(measured.in_reports),
            share(measured.explained)
        );
    }
    if selected.is_empty() {
        out.push_str("Nothing that costs much was found.\n");
        return out;
    }
    let shown = selected.len().min(top);
    let _ = writeln!(
        out,
        "{}",
        palette.bold(&format!("What costs most ({shown} of {} remarks)", selected.len()))
    );
    for (number, (report, remark)) in selected.iter().take(top).enumerate() {
        out.push('\n');
        entry(&mut out, number + 1, report, remark, total, palette);
    }
    match measured {
        Some(measured) => by_samples(&mut out, reports, measured, palette),
        None => by_function(&mut out, &selected, total, palette),
    }
    let done: u32 = reports
        .iter()
        .flat_map(|report| &report.remarks)
        .filter(|r| r.kind == Kind::Done)
        .map(|r| r.copies)
        .sum();
    if done > 0 {
        let hint = "flambeau report --kind done lists them; --format tree shows each call";
        let _ = writeln!(out, "\n{done} optimisations were done {}", palette.dim(&format!("({hint})")));
    }
    out
}

fn entry(out: &mut String, number: usize, report: &Report, remark: &Remark, total: f64, palette: Palette) {
    let share = if total > 0.0 { format!("{:>3.0} %", 100.0 * remark.cost / total) } else { "     ".into() };
    let _ = writeln!(
        out,
        "{number:>3}. {share}  {}  {}",
        palette.bold(&position(report, remark)),
        remark.message
    );
    let loops = match remark.depth {
        0 => String::new(),
        1 => ", in a loop".into(),
        n => format!(", in {n} loops"),
    };
    let copies = if remark.copies > 1 { format!(", {} copies", remark.copies) } else { String::new() };
    let place = format!("in {}{loops}{copies}", function(report, remark));
    let _ = writeln!(out, "            {}", palette.dim(&place));
    if let Some(inlined) = inlined(remark) {
        let _ = writeln!(out, "            {}", palette.dim(&inlined));
    }
    if let Some(line) = report.source_line(remark).map(str::trim) {
        let _ = writeln!(out, "            | {line}");
    }
    if !remark.cause.is_empty() {
        let _ = writeln!(out, "            why: {}", remark.cause);
    }
    if let Some(remedy) = &remark.remedy {
        let _ = writeln!(out, "            change: {remedy}");
    }
}

/// Where code was inlined that a remark is about.
fn inlined(remark: &Remark) -> Option<String> {
    let own = remark.place()?;
    let index = remark.places.iter().position(|place| place == own)?;
    let within = remark
        .places
        .get(index + 1)
        .map(|place| format!("in code of {} that was inlined there", place.scope));
    let calls: Vec<String> = remark.places[..index]
        .iter()
        .map(|place| format!("{}:{}:{}", place.file, place.line, place.start))
        .collect();
    let through = (!calls.is_empty()).then(|| format!("inlined through the calls at {}", calls.join(", ")));
    match (within, through) {
        (Some(within), Some(through)) => Some(format!("{within}; {through}")),
        (within, through) => within.or(through),
    }
}

fn by_function(out: &mut String, selected: &[(&Report, &Remark)], total: f64, palette: Palette) {
    let mut costs: FxHashMap<(String, String), (f64, usize)> = FxHashMap::default();
    for (report, remark) in selected {
        let (cost, count) = costs.entry((report.unit.clone(), function(report, remark))).or_default();
        *cost += remark.cost;
        *count += 1;
    }
    let mut functions: Vec<_> = costs.into_iter().collect();
    functions.sort_by(|(a, (x, _)), (b, (y, _))| y.total_cmp(x).then_with(|| a.cmp(b)));
    let _ = writeln!(out, "\n{}", palette.bold("By function"));
    for ((unit, name), (cost, count)) in functions.iter().take(10) {
        let name = if name == "toplevel" { unit } else { name };
        let remarks = if *count == 1 { "remark" } else { "remarks" };
        let _ = writeln!(out, "     {:>3.0} %  {name}: {count} {remarks}", 100.0 * cost / total.max(1.0));
    }
}

fn by_samples(out: &mut String, reports: &[Report], measured: &Measured, palette: Palette) {
    let separator = reports.first().map_or("__", |report| report.separator.as_str());
    let _ = writeln!(out, "\n{}", palette.bold("By function, without those that it calls"));
    for (name, count) in measured.functions.iter().take(10) {
        let share = 100.0 * *count as f64 / (measured.total as f64).max(1.0);
        let _ = writeln!(out, "     {share:>3.0} %  {}", names::readable(name, separator));
    }
}

/// `file:line:column`, counted as editors count.
#[must_use]
pub fn position(report: &Report, remark: &Remark) -> String {
    match remark.place() {
        Some(place) => format!("{}:{}:{}", place.file, place.line, u64::from(place.start) + 1),
        None => format!("{}:1:1", report.build.source),
    }
}

/// A line for each remark, as compilers write them: `file:line:column: remark: …`.
#[must_use]
pub fn lines(reports: &[Report], filter: &Filter) -> String {
    let mut out = String::new();
    for (report, remark) in select(reports, filter) {
        let why = if remark.cause.is_empty() { String::new() } else { format!(": {}", remark.cause) };
        let change = remark.remedy.as_ref().map(|remedy| format!("; change: {remedy}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "{}: remark: {}{why}{change} [{}/{}, loops {}]",
            position(report, remark),
            remark.message,
            remark.kind.name(),
            remark.name,
            remark.depth
        );
    }
    out
}
