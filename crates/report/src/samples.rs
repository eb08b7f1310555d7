//! What a profiler saw: stacks, each so many times, in place of the costs that remarks are estimated to have
//! (features B16, G12).
//!
//! A remark is about a line of the source; the code for it may be in any function, inlined. So a stack is taken to be
//! at the line, as the debugger's tables have it, of its innermost frame in a unit with a report: what a library or the
//! runtime does counts for the line that called it.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Report;
use crate::remarks::Kind;

/// Where a function is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The linker's name of the function.
    pub function: String,
    /// The source file and the line, where there are debugger's tables.
    pub place: Option<(String, u32)>,
}

/// The stacks that a profiler saw, and how often; the innermost frame first.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The stacks.
    pub stacks: FxHashMap<Vec<Frame>, u64>,
}

/// What remarks cost by samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// All samples.
    pub total: u64,
    /// Those in code that was called from a unit with a report, or is in one.
    pub in_reports: u64,
    /// Those that belong to a remark.
    pub explained: u64,
    /// The functions, and how often they were on top of the stack; those that ran most first.
    pub functions: Vec<(String, u64)>,
}

impl Samples {
    /// Gives remarks what was measured for their costs, in samples: none to those that were not seen.
    pub fn weigh(&self, reports: &mut [Report]) -> Measured {
        let remarks = Lines::of(reports);
        let mut measured = Measured::default();
        let mut costs: FxHashMap<(usize, usize), f64> = FxHashMap::default();
        let mut functions: FxHashMap<&str, u64> = FxHashMap::default();
        for (stack, count) in &self.stacks {
            measured.total += count;
            if let Some(top) = stack.first() {
                *functions.entry(&top.function).or_default() += count;
            }
            let Some(own) = stack.iter().find(|frame| remarks.is_reported(&frame.function)) else { continue };
            measured.in_reports += count;
            let Some(on_line) = remarks.on_line(own) else { continue };
            measured.explained += count;
            let estimated: f64 = on_line.iter().map(|at| cost(reports, *at)).sum();
            for at in on_line {
                let share =
                    if estimated > 0.0 { cost(reports, *at) / estimated } else { 1.0 / on_line.len() as f64 };
                *costs.entry(*at).or_default() += *count as f64 * share;
            }
        }
        for (index, report) in reports.iter_mut().enumerate() {
            for (number, remark) in report.remarks.iter_mut().enumerate() {
                remark.cost = costs.get(&(index, number)).copied().unwrap_or(0.0);
            }
        }
        measured.functions = functions.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        measured.functions.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        measured
    }
}

fn cost(reports: &[Report], (report, remark): (usize, usize)) -> f64 {
    reports[report].remarks[remark].cost
}

/// The remarks on what remains and what was missed, by their innermost lines: the report and the number in it.
struct Lines {
    at: FxHashMap<(String, u32), Vec<(usize, usize)>>,
    /// What the linker's names of the functions of the reports' units begin with.
    prefixes: FxHashSet<String>,
    separators: Vec<String>,
}

impl Lines {
    fn of(reports: &[Report]) -> Lines {
        let mut at: FxHashMap<(String, u32), Vec<(usize, usize)>> = FxHashMap::default();
        for (index, report) in reports.iter().enumerate() {
            for (number, remark) in report.remarks.iter().enumerate() {
                if let Some(place) = remark.places.last()
                    && remark.kind != Kind::Done
                {
                    at.entry((file_name(&place.file), place.line)).or_default().push((index, number));
                }
            }
        }
        let mut separators: Vec<String> = reports.iter().map(|report| report.separator.clone()).collect();
        separators.sort();
        separators.dedup();
        Lines {
            at,
            prefixes: reports.iter().map(|report| format!("caml{}", report.unit)).collect(),
            separators,
        }
    }

    fn is_reported(&self, function: &str) -> bool {
        let ends = self.separators.iter().flat_map(|separator| function.match_indices(separator.as_str()));
        ends.map(|(end, _)| end).chain([function.len()]).any(|end| self.prefixes.contains(&function[..end]))
    }

    fn on_line(&self, frame: &Frame) -> Option<&Vec<(usize, usize)>> {
        let (file, line) = frame.place.as_ref()?;
        self.at.get(&(file_name(file), *line))
    }
}

/// Compilers are started in different folders.
fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
