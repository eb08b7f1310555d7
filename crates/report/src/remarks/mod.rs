//! The log of facts, as remarks: what remains that costs time or memory, what was missed, and what was done; each with
//! its place in the user's source, its cause, how often it may run, what that costs, and what to change.
//!
//! Facts are gathered in one walk of each function after the last pass ([`body`]); how often functions run is estimated
//! from their calls ([`frequency`]); [`advice`] has the words. What is written in one place of the source is one
//! remark, however many copies of it were made and whether or not anybody calls the function itself.

mod advice;
mod body;
mod frequency;
mod library;

use flambeau_ir::decision::{self, Place};
use flambeau_ir::rewrite::Done;
use flambeau_ir::{CodeId, Dbg, Unit};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::model::{Report, clean_location};
use crate::names;
use body::{Body, Fact, Operation};
use frequency::Frequencies;

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An operation that costs something is still there.
    Remains,
    /// A call that was not inlined.
    Missed,
    /// Something was optimised.
    Done,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Remains, Kind::Missed, Kind::Done];

    /// As users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Remains => "remains",
            Kind::Missed => "missed",
            Kind::Done => "done",
        }
    }
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// What it is about.
    pub kind: Kind,
    /// What operation, call or optimisation, in one word: `boxing`, `polymorphic_compare`.
    pub name: String,
    /// The linker's name of the function whose code it is in; null for the code that initialises the unit.
    pub function: Option<String>,
    /// The source locations: from that in this unit on, into the functions that were inlined there.
    pub places: Vec<Place>,
    /// What is done there.
    pub message: String,
    /// Why.
    pub cause: String,
    /// What to change.
    pub remedy: Option<String>,
    /// The loops around it: those of its function, and of those that call it.
    pub depth: u32,
    /// How often it runs, estimated: 10 times for each loop.
    pub frequency: f64,
    /// What it costs, estimated: in instructions, times the frequency.
    pub cost: f64,
    /// In how many places of the code it is.
    pub copies: u32,
}

impl Remark {
    /// The place that the user can change: the innermost one in the source of this unit.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        let own = &self.places.first()?.file;
        self.places.iter().rev().find(|place| place.file == *own)
    }
}

/// The cost of what is of so little interest that it is not ranked.
const LEAST: f64 = 1.0;

/// How often what is rare runs, of the times that the code around it does.
const RARELY: f64 = 0.01;

/// The most that something can cost which is in no loop.
const MOST_ONCE: f64 = 5.0;

/// The remarks on a unit after its last pass, the costliest first. `trace`: what the passes did.
#[must_use]
pub fn of_unit(unit: &Unit, report: &Report, trace: &[Done]) -> Vec<Remark> {
    let bodies = body::of_unit(unit);
    let frequencies = Frequencies::of(&bodies);
    let context = advice::Context::new(unit, report);
    let mut remarks = Merged::default();
    for body in &bodies {
        for fact in &body.facts {
            let Some(advice) = context.advice(body, fact) else { continue };
            remarks.add(remark(unit, body, fact, &frequencies, advice));
        }
    }
    let mut remarks = remarks.finish();
    remarks.retain(|remark| remark.cost >= LEAST);
    remarks.sort_by(|a, b| b.cost.total_cmp(&a.cost).then_with(|| a.places.cmp(&b.places)));
    remarks.extend(done(report, trace));
    remarks
}

fn remark(
    unit: &Unit,
    body: &Body,
    fact: &Fact,
    frequencies: &Frequencies,
    advice: advice::Advice,
) -> Remark {
    let depth = fact.depth + frequencies.depth(body.code);
    // What is raised is rare, unless a loop catches it.
    let is_caught = fact.operation == Operation::Raise && frequencies.is_caught_in_loop(body.code);
    let places = places(unit, fact.dbg);
    let is_rare = fact.never_ran || places.iter().any(|place| library::grows(&place.scope));
    let frequency = if fact.is_cold && !is_caught {
        RARELY
    } else {
        10f64.powi(depth.min(frequency::DEEPEST) as i32) * if is_rare { RARELY } else { 1.0 }
    };
    // What is done once does not matter, whatever it costs.
    let cost = if depth == 0 { advice.cost.min(MOST_ONCE) } else { advice.cost };
    Remark {
        kind: advice.kind,
        name: advice.name.into(),
        function: body.code.map(|code| linkage_name(unit, code)),
        places,
        message: advice.message,
        cause: advice.cause,
        remedy: advice.remedy,
        depth,
        frequency,
        cost: cost * frequency,
        copies: 1,
    }
}

fn linkage_name(unit: &Unit, code: CodeId) -> String {
    names::decoded(&unit.codes[code].linkage_name)
}

fn places(unit: &Unit, dbg: Dbg) -> Vec<Place> {
    let mut places = decision::places(&unit.locs, dbg);
    places.iter_mut().for_each(clean_location);
    places
}

/// Remarks, one for each place in the source: copies of the same code count once.
#[derive(Default)]
struct Merged {
    remarks: Vec<Remark>,
    by_place: FxHashMap<(String, Option<Place>, Option<Place>, String), usize>,
}

impl Merged {
    fn add(&mut self, remark: Remark) {
        let innermost = remark.places.last().cloned();
        let key = (remark.name.clone(), remark.place().cloned(), innermost, remark.message.clone());
        match self.by_place.get(&key) {
            // Without a place, nothing says that two are the same.
            Some(&index) if key.1.is_some() => {
                let known = &mut self.remarks[index];
                let copies = known.copies + 1;
                if remark.cost > known.cost {
                    *known = remark;
                }
                known.copies = copies;
            }
            _ => {
                self.by_place.insert(key, self.remarks.len());
                self.remarks.push(remark);
            }
        }
    }

    fn finish(self) -> Vec<Remark> {
        self.remarks
    }
}

/// What the passes did, by function and kind.
fn done(report: &Report, trace: &[Done]) -> Vec<Remark> {
    let mut counts: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    let mut order = Vec::new();
    for step in trace {
        let Some(what) = advice::done(&step.rewrite) else { continue };
        let key = (step.function().unwrap_or_default(), what);
        let count = counts.entry(key).or_insert(0);
        if *count == 0 {
            order.push(key);
        }
        *count += 1;
    }
    let names = report.names();
    let remark = |(function, what): (&str, &str)| {
        let count = counts[&(function, what)];
        let function = (!function.is_empty() && function != "entry").then(|| names::decoded(function));
        let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
        Remark {
            kind: Kind::Done,
            name: what.replace(' ', "_"),
            places: names.location(function.as_deref()).cloned().into_iter().collect(),
            message: format!("{what}{times}"),
            function,
            cause: String::new(),
            remedy: None,
            depth: 0,
            frequency: 0.0,
            cost: 0.0,
            copies: count,
        }
    };
    order.into_iter().map(remark).collect()
}
