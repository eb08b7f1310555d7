//! Remarks of two builds on the same subject: what remains or was missed in a function, whatever its line.

use flambeau_ir::decision::Place;
use serde::Serialize;

use super::paired;
use crate::model::Report;
use crate::remarks::{Kind, Remark};

/// Estimates that differ by less are the same: a loop more or less is a factor of 10.
const TOLERANCE: f64 = 0.05;

/// What remarks on one subject cost in one of the builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The place in the source of the costliest.
    pub place: Option<Place>,
    /// What they cost together, estimated: in instructions, times the frequency.
    pub cost: f64,
    /// How many remarks there are.
    pub remarks: u32,
    /// The cause of the costliest.
    pub cause: String,
    /// What to change, if anything can be.
    pub remedy: Option<String>,
}

/// Something that costs more or less. At least one of the sides is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedRemark {
    /// The name of the function in the source; empty for the toplevel.
    pub function: String,
    /// What kind of remark.
    pub kind: Kind,
    /// What operation or call, in one word.
    pub name: String,
    /// What is done there.
    pub message: String,
    /// In the first build; `None` if nothing of the kind was there.
    pub before: Option<Cost>,
    /// In the second build.
    pub after: Option<Cost>,
}

impl ChangedRemark {
    /// How much more it costs in the second build: less, if negative.
    #[must_use]
    pub fn change(&self) -> f64 {
        let cost = |side: &Option<Cost>| side.as_ref().map_or(0.0, |side| side.cost);
        cost(&self.after) - cost(&self.before)
    }

    /// The function, in words.
    #[must_use]
    pub fn scope(&self) -> &str {
        if self.function.is_empty() { "the toplevel" } else { &self.function }
    }

    fn is_difference(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => self.change().abs() > TOLERANCE * before.cost.max(after.cost),
            _ => true,
        }
    }
}

/// The subjects whose costs differ, what changed most first.
pub(super) fn changed(before: Option<&Report>, after: Option<&Report>) -> Vec<ChangedRemark> {
    let costs = |report: Option<&Report>| report.map(costs).unwrap_or_default();
    let mut all: Vec<ChangedRemark> = paired(costs(before), costs(after))
        .into_iter()
        .map(|((function, kind, name, message), (before, after))| ChangedRemark {
            function,
            kind,
            name,
            message,
            before,
            after,
        })
        .filter(ChangedRemark::is_difference)
        .collect();
    all.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
    all
}

/// By what remarks of two builds are matched: function, kind, name, message.
type Subject = (String, Kind, String, String);

/// What each subject costs. What was done costs nothing.
fn costs(report: &Report) -> Vec<(Subject, Cost)> {
    let mut costs: std::collections::BTreeMap<Subject, Cost> = std::collections::BTreeMap::new();
    // The costliest are first.
    for remark in report.remarks.iter().filter(|remark| remark.kind != Kind::Done) {
        costs
            .entry(subject(remark))
            .and_modify(|cost| {
                cost.cost += remark.cost;
                cost.remarks += 1;
            })
            .or_insert_with(|| Cost {
                place: remark.place().cloned(),
                cost: remark.cost,
                remarks: 1,
                cause: remark.cause.clone(),
                remedy: remark.remedy.clone(),
            });
    }
    costs.into_iter().collect()
}

fn subject(remark: &Remark) -> Subject {
    let function = remark.place().map_or_else(String::new, |place| place.scope.clone());
    (function, remark.kind, remark.name.clone(), remark.message.clone())
}
