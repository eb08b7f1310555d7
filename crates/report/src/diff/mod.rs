//! The differences between two builds: what costs more or less, calls with other decisions, and functions in which
//! other operations remain.
//!
//! Calls are matched by the function that they stand in, the functions inlined around them, what they call, and their
//! order; not by lines, nor by linker's names, which have numbers: code that only moved is the same.

mod remarks;
mod text;

use std::collections::BTreeMap;

use flambeau_ir::decision::{Place, Policy, Reason};
use serde::Serialize;

use crate::explain::explain;
use crate::model::{Counts, Function, Report};
use crate::sites::{Site, sites};

pub use remarks::{ChangedRemark, Cost};
pub use text::render;

/// A call in one of the builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its source location.
    pub place: Option<Place>,
    /// What was decided of it last, and why.
    pub reason: Reason,
    /// The decision and its reason as text.
    pub text: String,
}

/// A call of which the decision changed. At least one of the sides is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedCall {
    /// The function that it stands in, then those inlined around it.
    pub within: Vec<String>,
    /// What is called.
    pub callee: String,
    /// In the first build; `None` if the call was not considered there.
    pub before: Option<Side>,
    /// In the second build.
    pub after: Option<Side>,
}

/// A function in which something else remains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedFunction {
    /// Its name.
    pub function: String,
    /// In the first build; `None` if it was not there.
    pub before: Option<Counts>,
    /// In the second build.
    pub after: Option<Counts>,
}

/// What is different in a unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UnitDiff {
    /// The unit.
    pub unit: String,
    /// Whether it is in the first build.
    pub in_first: bool,
    /// Whether it is in the second build.
    pub in_second: bool,
    /// What costs more or less, what changed most first.
    pub remarks: Vec<ChangedRemark>,
    /// The calls, in order.
    pub calls: Vec<ChangedCall>,
    /// The functions, by name.
    pub functions: Vec<ChangedFunction>,
    /// The operations that remain in the unit, in the first build.
    pub before: Counts,
    /// The operations that remain in the unit, in the second build.
    pub after: Counts,
}

impl UnitDiff {
    /// Whether there is no difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.in_first
            && self.in_second
            && self.remarks.is_empty()
            && self.calls.is_empty()
            && self.functions.is_empty()
    }
}

/// The differences between two builds, those of each unit, by name.
#[must_use]
pub fn diff(first: &[Report], second: &[Report]) -> Vec<UnitDiff> {
    let units = paired(numbered(first), numbered(second));
    units.into_iter().map(|((unit, _), (before, after))| unit_diff(unit, before, after)).collect()
}

/// The item of the first build, and that of the second.
type Pair<T> = (Option<T>, Option<T>);

/// Items of both builds that have the same key, paired.
fn paired<K: Ord, T>(
    first: impl IntoIterator<Item = (K, T)>,
    second: impl IntoIterator<Item = (K, T)>,
) -> BTreeMap<K, Pair<T>> {
    let mut pairs: BTreeMap<K, Pair<T>> = BTreeMap::new();
    for (key, value) in first {
        pairs.entry(key).or_insert((None, None)).0 = Some(value);
    }
    for (key, value) in second {
        pairs.entry(key).or_insert((None, None)).1 = Some(value);
    }
    pairs
}

/// Executables may have units of the same name.
fn numbered(reports: &[Report]) -> Vec<((&str, usize), &Report)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    reports
        .iter()
        .map(|report| {
            let count = counts.entry(&report.unit).or_default();
            *count += 1;
            ((report.unit.as_str(), *count), report)
        })
        .collect()
}

fn unit_diff(unit: &str, before: Option<&Report>, after: Option<&Report>) -> UnitDiff {
    let remaining = |report: Option<&Report>| report.map(|r| r.summary.remaining.clone()).unwrap_or_default();
    UnitDiff {
        unit: unit.into(),
        in_first: before.is_some(),
        in_second: after.is_some(),
        remarks: remarks::changed(before, after),
        calls: changed_calls(before, after),
        functions: changed_functions(before, after),
        before: remaining(before),
        after: remaining(after),
    }
}

/// The key by which calls are matched: the functions around, and the callee.
type CallKey = (Vec<String>, String);

fn changed_calls(before: Option<&Report>, after: Option<&Report>) -> Vec<ChangedCall> {
    let calls = paired(before.into_iter().flat_map(calls_of), after.into_iter().flat_map(calls_of));
    let mut changed = Vec::new();
    for ((within, callee), (before, after)) in calls {
        for (before, after) in align(before.unwrap_or_default(), after.unwrap_or_default()) {
            if !is_same(before.as_ref(), after.as_ref()) {
                changed.push(ChangedCall { within: within.clone(), callee: callee.clone(), before, after });
            }
        }
    }
    changed
}

/// Calls that are alike, matched from both ends as far as the same was decided of them, then in order: one more in the
/// middle does not make all that follow it different.
fn align(before: Vec<Side>, after: Vec<Side>) -> Vec<Pair<Side>> {
    let same = |(a, b): &(&Side, &Side)| is_same(Some(a), Some(b));
    let prefix = before.iter().zip(&after).take_while(same).count();
    let rest = before.len().min(after.len()) - prefix;
    let suffix = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(same).count();
    let (first, second) = (before.len() - suffix, after.len() - suffix);
    let mut before = before.into_iter();
    let mut after = after.into_iter();
    let mut pairs = Vec::new();
    for _ in 0..first.max(second) {
        let has_before = before.len() > suffix;
        let has_after = after.len() > suffix;
        pairs.push((has_before.then(|| before.next()).flatten(), has_after.then(|| after.next()).flatten()));
    }
    pairs.extend(before.map(Some).zip(after.map(Some)));
    pairs
}

/// Whether the same was decided, for the same reason; perhaps with other numbers.
fn is_same(before: Option<&Side>, after: Option<&Side>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            std::mem::discriminant(&before.reason) == std::mem::discriminant(&after.reason)
        }
        _ => false,
    }
}

fn calls_of(report: &Report) -> BTreeMap<CallKey, Vec<Side>> {
    let names = report.names();
    let mut sites = sites(&report.decisions);
    // The order of the source, which does not depend on that of the passes.
    sites.sort_by(|a, b| a.locations().iter().map(position).cmp(b.locations().iter().map(position)));
    let mut calls: BTreeMap<CallKey, Vec<Side>> = BTreeMap::new();
    for site in &sites {
        let mut within = vec![names.function(site.function())];
        within.extend(site.locations().iter().skip(1).map(|location| location.scope.clone()));
        let key = (within, names.callee(site.last));
        calls.entry(key).or_default().push(side(site, report.policy, report.build.level));
    }
    calls
}

fn position(location: &Place) -> (u32, u32, u32) {
    (location.line, location.start, location.end)
}

fn side(site: &Site, policy: Policy, level: u32) -> Side {
    let explanation = explain(&site.last.reason, policy, level);
    let formula = explanation.formula.map(|formula| format!(" ({formula})")).unwrap_or_default();
    let text = format!("{}: {}{formula}", explanation.verdict.words().to_lowercase(), explanation.because);
    Side { place: site.locations().first().cloned(), reason: site.last.reason.clone(), text }
}

fn changed_functions(before: Option<&Report>, after: Option<&Report>) -> Vec<ChangedFunction> {
    paired(before.into_iter().flat_map(counts_of), after.into_iter().flat_map(counts_of))
        .into_iter()
        .filter(|(_, (before, after))| {
            before.clone().unwrap_or_default() != after.clone().unwrap_or_default()
        })
        .map(|((function, _), (before, after))| ChangedFunction { function, before, after })
        .collect()
}

fn counts_of(report: &Report) -> Vec<((String, usize), Counts)> {
    let names = report.names();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    report
        .functions
        .iter()
        .map(|function: &Function| {
            let name = names.function(function.name.as_deref());
            let number = numbers.entry(name.clone()).or_default();
            *number += 1;
            ((name, *number), function.counts())
        })
        .collect()
}

/// The differences as JSON.
///
/// # Errors
/// Never for differences from [`diff`].
pub fn json(diffs: &[UnitDiff]) -> Result<String, impl std::fmt::Display + use<>> {
    #[derive(Serialize)]
    struct Differences<'d> {
        format: &'static str,
        version: u32,
        units: &'d [UnitDiff],
    }
    let differences = Differences { format: "flambeau-report-diff", version: 1, units: diffs };
    serde_json::to_string_pretty(&differences).map(|text| text + "\n")
}
