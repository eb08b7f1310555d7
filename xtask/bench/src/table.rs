//! The tables in the terminal.

use std::fmt::Write as _;

use super::compilers::Maker;
use super::record::{Entry, Metric, Record};
use super::summary;

/// Width of a ratio.
const RATIO: usize = 7;

/// All tables of a record.
pub fn print(record: &Record) -> String {
    let mut text = String::new();
    for (title, entries) in [("program", &record.programs), ("large program", &record.large)] {
        if !entries.is_empty() {
            ratios(record, title, entries, &mut text);
        }
    }
    distance_to_c(record, &mut text);
    text
}

/// The figures that a table has columns for: those that were measured.
fn metrics(entries: &[Entry]) -> Vec<Metric> {
    Metric::ALL
        .into_iter()
        .filter(|metric| entries.iter().any(|entry| entry.value(0, *metric).is_some()))
        .collect()
}

/// A line for each program, each group, and all together; ratios to the stock compiler in each column.
fn ratios(record: &Record, title: &str, entries: &[Entry], text: &mut String) {
    let metrics = metrics(entries);
    let columns = record.compared();
    let width = metrics.len() * RATIO;
    let _ = write!(text, "{:<22}{:>9}", "", record.columns[0].name);
    for column in &columns {
        let _ = write!(text, "  |{:^width$}", clipped(&record.columns[*column].name, width));
    }
    let _ = write!(text, "\n{title:<22}{:>9}", "s");
    for _ in &columns {
        text.push_str("  |");
        for metric in &metrics {
            let _ = write!(text, "{:>RATIO$}", metric.short());
        }
    }
    text.push('\n');
    let mut line = |name: &str, seconds: Option<f64>, cell: &dyn Fn(usize, Metric) -> Option<f64>| {
        let seconds = seconds.map_or(String::new(), |seconds| format!("{seconds:.3}"));
        let _ = write!(text, "{name:<22}{seconds:>9}");
        for column in &columns {
            text.push_str("  |");
            for metric in &metrics {
                let _ = write!(text, "{:>RATIO$}", ratio(cell(*column, *metric)));
            }
        }
        text.push('\n');
    };
    for entry in entries {
        line(&entry.name, entry.value(0, Metric::Time), &|column, metric| entry.ratio(column, metric));
    }
    line("", None, &|_, _| None);
    let groups = summary::groups(entries);
    if groups.len() > 1 {
        for group in groups {
            line(group, None, &|column, metric| {
                summary::mean(summary::of_group(entries, group), column, metric)
            });
        }
    }
    line("ALL (geometric mean)", None, &|column, metric| summary::mean(entries, column, metric));
    for column in columns {
        let _ = write!(text, "worst of {}:", record.columns[column].name);
        for metric in &metrics {
            if let Some((entry, worst)) = summary::worst(entries, column, *metric) {
                let _ = write!(text, " {} {} {};", metric.short(), entry.name, ratio(Some(worst)));
            }
        }
        if let Some(share) = summary::middle_share(entries, column) {
            let _ = write!(text, " middle-end {:.1} % of compile time", share * 100.0);
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Run times in parts of those of the same algorithms in C.
fn distance_to_c(record: &Record, text: &mut String) {
    let Some(c) = record.columns.iter().position(|column| column.maker == Maker::C) else { return };
    let entries: Vec<&Entry> = summary::with_c(&record.programs, c).collect();
    if entries.is_empty() {
        return;
    }
    let columns: Vec<usize> = (0..record.columns.len()).filter(|column| *column != c).collect();
    let _ = write!(text, "{:<22}{:>9}", "distance to C", format!("{} s", record.columns[c].name));
    for column in &columns {
        let _ = write!(text, "  {:>12}", clipped(&record.columns[*column].name, 12));
    }
    text.push('\n');
    for entry in &entries {
        let seconds = entry.value(c, Metric::Time).unwrap_or_default();
        let _ = write!(text, "{:<22}{seconds:>9.3}", entry.name);
        for column in &columns {
            let _ = write!(text, "  {:>12}", ratio(entry.ratio_to(c, *column, Metric::Time)));
        }
        text.push('\n');
    }
    let _ = write!(text, "{:<31}", "geometric mean");
    for column in &columns {
        let mean = super::stats::geometric_mean(
            entries.iter().filter_map(|entry| entry.ratio_to(c, *column, Metric::Time)),
        );
        let _ = write!(text, "  {:>12}", ratio(mean));
    }
    text.push_str("\n\n");
}

/// A ratio in few letters.
pub fn ratio(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value < 0.01 => format!("{value:.0e}"),
        Some(value) if value < 100.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// The end of a name that is too long: there are the flags, which distinguish columns.
fn clipped(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    name.chars().take(1).chain(['…']).chain(name.chars().skip(length + 2 - width)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::*;

    #[test]
    fn a_table_has_a_line_for_each_program_and_group() {
        let record = sample(&[
            ("fast", "g", [Some(1.0), Some(1.0), Some(0.5), Some(0.25)]),
            ("slow", "h", [Some(1.0), Some(1.0), Some(2.0), None]),
        ]);
        let text = print(&record);
        for wanted in ["fast", "slow", "g  ", "h  ", "ALL", "distance to C", "middle-end 10.0 %"] {
            assert!(text.contains(wanted), "no {wanted:?} in\n{text}");
        }
        assert!(text.contains("time slow 2.00"));
    }

    #[test]
    fn ratios_are_short() {
        let all: Vec<String> = [None, Some(0.0001), Some(0.5), Some(12.345), Some(1234.5)].map(ratio).into();
        assert_eq!(all, ["", "1e-4", "0.50", "12.35", "1234"]);
        assert_eq!(clipped("flambeau -O3 -inline 200", 12), "f…inline 200");
    }
}
