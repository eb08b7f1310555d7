//! Ratios and their means: what the tables and the page show of a record.

use super::record::{Entry, Metric};
use super::stats;

/// The names of the groups, in the order of the entries.
pub fn groups(entries: &[Entry]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for entry in entries {
        if !names.contains(&entry.group.as_str()) {
            names.push(&entry.group);
        }
    }
    names
}

/// The entries of a group.
pub fn of_group<'a>(entries: &'a [Entry], group: &'a str) -> impl Iterator<Item = &'a Entry> {
    entries.iter().filter(move |entry| entry.group == group)
}

/// The geometric mean of a column's ratios to the stock compiler, over the entries that have both figures.
pub fn mean<'a>(entries: impl IntoIterator<Item = &'a Entry>, column: usize, metric: Metric) -> Option<f64> {
    stats::geometric_mean(entries.into_iter().filter_map(|entry| entry.ratio(column, metric)))
}

/// The entry with the largest ratio to the stock compiler, and that ratio.
pub fn worst(entries: &[Entry], column: usize, metric: Metric) -> Option<(&Entry, f64)> {
    entries
        .iter()
        .filter_map(|entry| Some((entry, entry.ratio(column, metric)?)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// The part of a column's compile times that is the middle-end's, over all entries.
pub fn middle_share(entries: &[Entry], column: usize) -> Option<f64> {
    let (mut middle, mut compile) = (0.0, 0.0);
    for figures in entries.iter().filter_map(|entry| entry.figures(column)) {
        if let (Some(part), Some(whole)) = (stats::minimum(&figures.middle), stats::minimum(&figures.compile))
        {
            middle += part;
            compile += whole;
        }
    }
    (compile > 0.0).then(|| middle / compile)
}

/// The entries that also exist in C, which is the column `c`.
pub fn with_c(entries: &[Entry], c: usize) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(move |entry| entry.value(c, Metric::Time).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::*;

    #[test]
    fn means_by_group_and_the_worst() {
        let record = sample(&[
            ("a", "g", [Some(1.0), Some(1.0), Some(0.5), Some(0.25)]),
            ("b", "g", [Some(1.0), Some(1.0), Some(2.0), None]),
            ("c", "h", [Some(2.0), Some(1.0), Some(6.0), None]),
        ]);
        let entries = &record.programs;
        assert_eq!(groups(entries), ["g", "h"]);
        let near = |found: Option<f64>, wanted: f64| found.is_some_and(|f| (f - wanted).abs() < 1e-9);
        assert!(near(mean(of_group(entries, "g"), 2, Metric::Time), 1.0));
        assert!(near(mean(entries, 2, Metric::Time), 3.0_f64.cbrt()));
        assert!(
            worst(entries, 2, Metric::Time)
                .is_some_and(|(entry, ratio)| { entry.name == "c" && (ratio - 3.0).abs() < 1e-9 })
        );
        assert_eq!(mean(entries, 2, Metric::Instructions), None);
        assert!(near(middle_share(entries, 2), 0.1));
        assert_eq!(with_c(entries, 3).count(), 1);
        assert!(near(entries[0].ratio_to(3, 2, Metric::Time), 2.0));
    }
}
