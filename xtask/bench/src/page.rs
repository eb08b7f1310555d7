//! The page with the figures and plots of a record: one file that needs no other.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use time::OffsetDateTime;

use super::compilers::Maker;
use super::plots::{self, Axes, Point, Row, Series};
use super::record::{Entry, Metric, Part, Record};
use super::scaling::{Cost, Growth};
use super::{stats, summary, table};

/// So many colours there are in the page's style.
const COLOURS: usize = 6;
/// What is plotted over time and program by program.
const PLOTTED: [Metric; 4] = [Metric::Time, Metric::Words, Metric::Text, Metric::Compile];

/// The page of a record, with the history of its machine, oldest first.
pub fn render(record: &Record, history: &[Record]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Flambeau: benchmarks" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                h1 { "Flambeau: benchmarks" }
                p {
                    (date(record.time)) " · commit " (record.commit) " · OCaml " (record.ocaml) " · "
                    (record.machine.processor) ", " (record.machine.cores) " cores · runs of each program: " (record.runs)
                }
                (failures(record))
                @if !record.programs.is_empty() { (programs(record)) }
                @if !record.large.is_empty() {
                    h2 { "Large programs" }
                    p { "Compiled by each compiler, then timed. Ratios to stock." (origin(record, Part::Large)) }
                    (ratios(record, &record.large))
                }
                (scaling(record))
                (over_time(record, history))
                @if !record.programs.is_empty() {
                    h2 { "All figures" }
                    details { summary { "Run time, allocation, size, compile time and memory of each program" }
                        (figures(record, &record.programs)) }
                }
            }
        }
    };
    page.into_string()
}

/// The class with a column's colour.
fn colour(column: usize) -> String {
    if column == 0 { "c0".into() } else { format!("c{}", (column - 1) % (COLOURS - 1) + 1) }
}

/// Where a part's figures are from, if not from this run.
fn origin(record: &Record, part: Part) -> Markup {
    html! {
        @for taken in record.taken.iter().filter(|taken| taken.part == part) {
            " Measured on " (date(taken.time)) ", commit " (taken.commit) "."
        }
    }
}

fn failures(record: &Record) -> Markup {
    let failures = record.failures();
    html! {
        @if !failures.is_empty() {
            h2 class="bad" { "Failures" }
            ul { @for failure in failures { li { (failure) } } }
        }
    }
}

/// What the page says of the small programs.
fn programs(record: &Record) -> Markup {
    let entries = &record.programs;
    let columns = record.compared();
    let classes: Vec<String> = columns.iter().map(|column| colour(*column)).collect();
    html! {
        (cards(record))
        h2 { "Groups" }
        p { "Geometric means of ratios to " (record.columns[0].name) "; less is better." (origin(record, Part::Programs)) }
        (groups(record))
        h2 { "Ratios by program" }
        (legend(record, &columns))
        @for (index, metric) in PLOTTED.into_iter().enumerate() {
            details open[index == 0] {
                summary { (capital(metric.title())) }
                (plots::bars(&rows(entries, &columns, metric), &classes, metric.title()))
            }
        }
        h2 { "Size against speed" }
        p { "Each point is a program: down is faster, left is smaller." }
        (legend(record, &columns))
        (plots::points(
            &columns.iter().map(|column| size_and_speed(record, *column)).collect::<Vec<_>>(),
            &Axes { x: "text size, ratio", y: "run time, ratio", logarithmic_x: true, lines: false, steps: &[] },
        ))
        (distance_to_c(record))
    }
}

/// The means of each column, large.
fn cards(record: &Record) -> Markup {
    html! {
        div class="cards" {
            @for column in record.compared() {
                div class="card" {
                    h3 { (swatch(column)) (record.columns[column].name) }
                    dl {
                        @for metric in Metric::ALL {
                            @if let Some(mean) = summary::mean(&record.programs, column, metric) {
                                dt { (metric.title()) }
                                dd class=(judged(mean)) { (format!("{mean:.3}")) }
                            }
                        }
                        @if let Some((entry, ratio)) = summary::worst(&record.programs, column, Metric::Time) {
                            dt { "slowest: " (entry.name) }
                            dd class=(judged(ratio)) { (table::ratio(Some(ratio))) }
                        }
                        @if let Some(share) = summary::middle_share(&record.programs, column) {
                            dt { "middle-end's share of compile time" }
                            dd { (format!("{:.1} %", share * 100.0)) }
                        }
                    }
                }
            }
        }
    }
}

fn swatch(column: usize) -> Markup {
    html! { svg class="swatch" viewBox="0 0 12 12" {
        rect class=(colour(column)) width="12" height="12" rx="2" {}
    } }
}

fn legend(record: &Record, columns: &[usize]) -> Markup {
    html! {
        div class="legend" { @for column in columns { span { (swatch(*column)) (record.columns[*column].name) } } }
    }
}

/// A table with a line for each group.
fn groups(record: &Record) -> Markup {
    let entries = &record.programs;
    let all: Vec<&Entry> = entries.iter().collect();
    let mut lines: Vec<(&str, Vec<&Entry>)> = summary::groups(entries)
        .into_iter()
        .map(|group| (group, summary::of_group(entries, group).collect()))
        .collect();
    lines.push(("all", all));
    grid(record, "group", &lines, |members, column, metric| {
        summary::mean(members.iter().copied(), column, metric)
    })
}

/// A table with a line for each entry.
fn ratios(record: &Record, entries: &[Entry]) -> Markup {
    let lines: Vec<(&str, &Entry)> = entries.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    grid(record, "program", &lines, |entry, column, metric| entry.ratio(column, metric))
}

/// A table of ratios.
fn grid<T>(
    record: &Record,
    title: &str,
    lines: &[(&str, T)],
    cell: impl Fn(&T, usize, Metric) -> Option<f64>,
) -> Markup {
    let columns = record.compared();
    let has = |metric: &Metric| {
        lines.iter().any(|(_, line)| columns.iter().any(|column| cell(line, *column, *metric).is_some()))
    };
    let metrics: Vec<Metric> = Metric::ALL.into_iter().filter(has).collect();
    html! {
        div class="scroll" { table {
            thead {
                tr { th {} @for column in &columns {
                    th class="first" colspan=(metrics.len()) { (record.columns[*column].name) }
                } }
                tr { th { (title) } @for _ in &columns { @for (index, metric) in metrics.iter().enumerate() {
                    th class=[(index == 0).then_some("first")] { (metric.title()) }
                } } }
            }
            tbody { @for (name, line) in lines { tr {
                td { (name) }
                @for column in &columns { @for (index, metric) in metrics.iter().enumerate() {
                    @let ratio = cell(line, *column, *metric);
                    td class=(format!("{}{}", if index == 0 { "first " } else { "" }, ratio.map_or("", judged))) {
                        (table::ratio(ratio))
                    }
                } }
            } } }
        } }
    }
}

/// The class of a ratio that is clearly better or worse than 1.
fn judged(ratio: f64) -> &'static str {
    match ratio {
        ratio if ratio < 0.975 => "good",
        ratio if ratio > 1.025 => "bad",
        _ => "",
    }
}

fn rows(entries: &[Entry], columns: &[usize], metric: Metric) -> Vec<Row> {
    entries
        .iter()
        .map(|entry| Row {
            name: entry.name.clone(),
            group: entry.group.clone(),
            ratios: columns.iter().map(|column| entry.ratio(*column, metric)).collect(),
        })
        .collect()
}

fn size_and_speed(record: &Record, column: usize) -> Series {
    let point = |entry: &Entry| {
        let (x, y) = (entry.ratio(column, Metric::Text)?, entry.ratio(column, Metric::Time)?);
        Some(Point { x, y, title: format!("{}: size {x:.2}, time {y:.2}", entry.name) })
    };
    Series {
        name: record.columns[column].name.clone(),
        class: colour(column),
        points: record.programs.iter().filter_map(point).collect(),
    }
}

/// Bars of run times in parts of those of C.
fn distance_to_c(record: &Record) -> Markup {
    let Some(c) = record.columns.iter().position(|column| column.maker == Maker::C) else { return html! {} };
    let entries: Vec<&Entry> = summary::with_c(&record.programs, c).collect();
    if entries.is_empty() {
        return html! {};
    }
    let columns: Vec<usize> = (0..record.columns.len()).filter(|column| *column != c).collect();
    let mut rows: Vec<Row> = entries
        .iter()
        .map(|entry| Row {
            name: entry.name.clone(),
            group: String::new(),
            ratios: columns.iter().map(|column| entry.ratio_to(c, *column, Metric::Time)).collect(),
        })
        .collect();
    let mean = |column: &usize| {
        let ratios = entries.iter().filter_map(|entry| entry.ratio_to(c, *column, Metric::Time));
        stats::geometric_mean(ratios)
    };
    rows.push(Row {
        name: "geometric mean".into(),
        group: " ".into(),
        ratios: columns.iter().map(mean).collect(),
    });
    let classes: Vec<String> = columns.iter().map(|column| colour(*column)).collect();
    html! {
        h2 { "Distance to C" }
        p { "Run times in parts of those of the same algorithm in C, by " (record.columns[c].name) "." }
        (legend(record, &columns))
        (plots::bars(&rows, &classes, "run time in parts of C's"))
    }
}

/// How compile times grow: a table, and a plot for each shape.
fn scaling(record: &Record) -> Markup {
    let colour_of =
        |name: &str| record.columns.iter().position(|column| column.name == name).map_or("c0".into(), colour);
    let mut shapes: Vec<&str> = record.scaling.iter().map(|growth| growth.shape.as_str()).collect();
    shapes.dedup();
    let series = |shape: &str| -> Vec<Series> {
        let points = |growth: &Growth| {
            let point = |(lines, cost): (f64, Cost)| Point {
                x: lines,
                y: cost.seconds,
                title: format!("{lines} lines: {:.2} s, {:.0} MB", cost.seconds, cost.memory / 1e6),
            };
            growth.costs().into_iter().map(point).collect()
        };
        let of_shape = record.scaling.iter().filter(|growth| growth.shape == shape);
        of_shape
            .map(|growth| Series {
                name: growth.column.clone(),
                class: colour_of(&growth.column),
                points: points(growth),
            })
            .collect()
    };
    let exponent = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
    html! {
        @if !record.scaling.is_empty() {
            h2 { "Growth of compile time" }
            p { "Cost of compiling generated units. It grows as the number of lines to the power of the exponent; what an empty unit costs is taken off." (origin(record, Part::Scaling)) }
            div class="scroll" { table {
                thead { tr {
                    th { "unit" } th { "compiler" } th { "exponent, time" } th { "memory" } th class="wide" { "lines: time, memory" }
                } }
                tbody { @for growth in &record.scaling { tr {
                    td { (growth.shape) } td { (growth.column) }
                    td { (exponent(growth.exponent_of_time())) } td { (exponent(growth.exponent_of_memory())) }
                    td class="wide" { @for (index, point) in growth.points.iter().enumerate() {
                        @if index > 0 { " · " }
                        (point.lines) ": "
                        @match &point.outcome {
                            Ok(cost) => { (format!("{:.2} s, {:.0} MB", cost.seconds, cost.memory / 1e6)) }
                            Err(why) => { span class="bad" { (why) } }
                        }
                    } }
                } } }
            } }
            @for shape in shapes {
                details { summary { (capital(shape)) }
                    (plots::points(&series(shape), &Axes {
                        x: "lines", y: "compile time, s", logarithmic_x: true, lines: true, steps: &[],
                    }))
                }
            }
        }
    }
}

/// The means of earlier records and this one.
fn over_time(record: &Record, history: &[Record]) -> Markup {
    let columns = record.compared();
    // A few programs chosen by hand have another mean than all of them; and other flags are other compilers.
    let names =
        |record: &Record| -> Vec<String> { record.programs.iter().map(|entry| entry.name.clone()).collect() };
    let comparable = |old: &&Record| {
        old.columns.first().map(|column| &column.name) == record.columns.first().map(|column| &column.name)
            && old
                .columns
                .iter()
                .any(|found| columns.iter().any(|column| record.columns[*column].name == found.name))
            && names(old) == names(record)
    };
    let mut records: Vec<&Record> = history.iter().filter(comparable).collect();
    // A run that found regressions is not in the history; and figures that were taken from there are there.
    let taken = record.taken.iter().any(|taken| taken.part == Part::Programs);
    if !taken && records.last().is_none_or(|last| last.time != record.time) {
        records.push(record);
    }
    let series = |metric: Metric| -> Vec<Series> {
        let of = |column: &usize| {
            let name = record.columns[*column].name.clone();
            let point = |(index, old): (usize, &&Record)| {
                let column = old.columns.iter().position(|found| found.name == name)?;
                let mean = summary::mean(&old.programs, column, metric)?;
                let title = format!("{} ({}): {mean:.3}", date(old.time), old.commit);
                Some(Point { x: index as f64, y: mean, title })
            };
            let points = records.iter().enumerate().filter_map(point).collect();
            Series { name: name.clone(), class: colour(*column), points }
        };
        columns.iter().map(of).collect()
    };
    let steps: Vec<String> = records.iter().map(|old| old.commit.clone()).collect();
    html! {
        @if !record.programs.is_empty() {
            h2 { "History" }
            p { "Geometric means over all programs on this machine, by commit." }
            (legend(record, &columns))
            @for (index, metric) in PLOTTED.into_iter().enumerate() {
                details open[index == 0] {
                    summary { (capital(metric.title())) }
                    (plots::points(&series(metric), &Axes {
                        x: "commit", y: metric.title(), logarithmic_x: false, lines: true, steps: &steps,
                    }))
                }
            }
        }
    }
}

/// Everything that was measured.
fn figures(record: &Record, entries: &[Entry]) -> Markup {
    let shown = |value: Option<f64>, scale: f64, digits: usize| {
        value.map_or(String::new(), |value| format!("{:.digits$}", value / scale))
    };
    html! {
        div class="scroll" { table {
            thead { tr {
                th { "program" } th { "compiler" } th { "time, s" } th { "median, s" } th { "allocated, Mwords" }
                th { "instructions, M" } th { "text, bytes" } th { "compile, s" } th { "middle-end, ms" } th { "memory, MB" }
            } }
            tbody { @for entry in entries { @for (column, found) in record.columns.iter().zip(&entry.figures) {
                @if let Some(found) = found { tr {
                    td { (entry.name) } td { (column.name) }
                    td { (shown(Metric::Time.of(found), 1.0, 3)) } td { (shown(stats::median(&found.seconds), 1.0, 3)) }
                    td { (shown(found.words, 1e6, 2)) } td { (shown(found.instructions, 1e6, 1)) }
                    td { (shown(found.text, 1.0, 0)) } td { (shown(Metric::Compile.of(found), 1.0, 3)) }
                    td { (shown(stats::minimum(&found.middle), 1e-3, 2)) } td { (shown(found.memory, 1e6, 1)) }
                } }
            } } }
        } }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The day of a time in seconds since 1970, as `2024-02-29`.
fn date(time: u64) -> String {
    let moment = i64::try_from(time).ok().and_then(|time| OffsetDateTime::from_unix_timestamp(time).ok());
    moment.map_or_else(String::new, |moment| moment.date().to_string())
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::super::record::tests::sample;
    use super::super::scaling;
    use super::*;

    /// An error unless every tag that opens is closed in its order, and all figures are numbers.
    fn well_formed(page: &str) -> Result<usize, String> {
        let tag = Regex::new(r#"<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z0-9:-]+(?:="[^"<>]*")?)*)\s*>"#)
            .map_err(|error| error.to_string())?;
        let body = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
        let mut open: Vec<&str> = Vec::new();
        let mut count = 0;
        for found in tag.captures_iter(body) {
            count += 1;
            let name = found.get(2).map_or("", |name| name.as_str());
            if &found[1] == "/" {
                match open.pop() {
                    Some(last) if last == name => {}
                    last => return Err(format!("</{name}> closes {last:?}")),
                }
            } else if name != "meta" {
                open.push(name);
            }
        }
        if !open.is_empty() {
            return Err(format!("open at the end: {open:?}"));
        }
        // What is left when all tags are out has none of their signs.
        let rest = tag.replace_all(body, "");
        if rest.contains(['<']) {
            return Err("a tag that can't be understood".into());
        }
        let number = Regex::new(r#"="[^"]*\b(NaN|inf)\b"#).map_err(|error| error.to_string())?;
        number.find(body).map_or(Ok(count), |found| Err(found.as_str().to_owned()))
    }

    #[test]
    fn the_page_has_no_broken_tags() {
        let mut record = sample(&[
            ("a<b>&\"", "g", [Some(1.0), Some(1.0), Some(0.5), Some(0.25)]),
            ("b", "g", [Some(1.0), None, Some(200.0), None]),
            ("c", "h", [Some(1.0), Some(1.1), Some(1.0), None]),
        ]);
        if let Some(figures) = &mut record.programs[2].figures[1] {
            figures.failure = Some("<printed> & nothing".into());
        }
        record.large = record.programs.clone();
        record.scaling = vec![scaling::tests::sample()];
        let mut old = record.clone();
        old.time -= 86400;
        let page = render(&record, &[old, record.clone()]);
        let tags = well_formed(&page);
        assert!(tags.clone().is_ok_and(|tags| tags > 300), "{tags:?}");
        for wanted in ["Distance to C", "History", "Failures", "&lt;printed&gt;", "200.00"] {
            assert!(page.contains(wanted), "no {wanted}");
        }
    }

    #[test]
    fn an_empty_record_has_a_page() {
        let record = sample(&[]);
        assert!(well_formed(&render(&record, &[])).is_ok());
    }

    #[test]
    fn broken_tags_are_found() {
        assert!(well_formed("<!DOCTYPE html><p><b></p></b>").is_err());
        assert!(well_formed("<!DOCTYPE html><p>").is_err());
        assert!(well_formed("<!DOCTYPE html><p x=\"NaN\"></p>").is_err());
        assert!(well_formed("<!DOCTYPE html><p a < b></p>").is_err());
    }

    #[test]
    fn days_are_named() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_735_689_599), "2024-12-31");
    }
}
