//! An oracle for lowering: random units, an interpreter of IR and one of Cmm, and what their runs must have
//! in common. It shares no code with the lowering.

pub mod cmm;
pub mod generate;
pub mod ir;
pub mod scope;
pub mod world;

use std::collections::{HashMap, HashSet};

use flambeau_ir::Unit;

use world::{Event, EventKind, Run};

/// How a comparison of runs ended.
pub enum Verdict {
    /// The runs agree.
    Same,
    /// The IR did not stop in time: nothing to compare.
    Timeout,
}

/// Runs a unit's only function before and after lowering.
pub fn compare(unit: &Unit, arguments: [i64; 2], interrupted: Option<u32>) -> Result<Verdict, String> {
    let tree = flambeau_cmm::lower(unit);
    scope::check(&tree)?;
    flambeau_cmm::encode::encode(&tree, &mut Default::default());
    let Some(before) = ir::run(unit, arguments, interrupted) else { return Ok(Verdict::Timeout) };
    let after = cmm::run(&tree, arguments, interrupted)?;
    if before.interrupted && !after.interrupted {
        // The allocation was unused, or on another branch.
        return Ok(Verdict::Timeout);
    }
    judge(&before, &after).map(|()| Verdict::Same)
}

/// What has to agree: the outcome; the effects, in order, with their operands; the relative order of reads and
/// allocations; and nothing may be executed that was not, or more often.
fn judge(before: &Run, after: &Run) -> Result<(), String> {
    if before.outcome != after.outcome {
        return Err(format!("outcome {:?} became {:?}", before.outcome, after.outcome));
    }
    let effects = |run: &Run| -> Vec<Event> {
        run.events.iter().filter(|event| event.kind == EventKind::Effect).cloned().collect()
    };
    let (effects_before, effects_after) = (effects(before), effects(after));
    for (old, new) in effects_before.iter().zip(&effects_after) {
        if (old.id, &old.operands) != (new.id, &new.operands) {
            return Err(format!("effect {old:?} became {new:?}"));
        }
        if old.tail && !new.tail {
            return Err(format!("call {} is no tail call any more", old.id));
        }
    }
    if effects_before.len() != effects_after.len() {
        return Err(format!("{} effects became {}", effects_before.len(), effects_after.len()));
    }

    let places: HashMap<(u32, usize), usize> =
        before.events.iter().enumerate().map(|(place, event)| ((event.id, event.stamp), place)).collect();
    let mut last = HashMap::new();
    for event in &after.events {
        let Some(place) = places.get(&(event.id, event.stamp)) else {
            // Allocations commute, so what comes before one that is interrupted may vary.
            if before.interrupted {
                continue;
            }
            return Err(format!("{event:?} was not executed there"));
        };
        for (kind, latest) in &last {
            if event.kind.conflicts(*kind) && place < latest {
                return Err(format!("{event:?} was executed before another event of kind {kind:?}"));
            }
        }
        let latest = last.entry(event.kind).or_insert(*place);
        *latest = (*latest).max(*place);
    }
    for (id, count) in &after.counts {
        // Operation 0 is a comparison that lowering made. What an interruption prevents depends on where the
        // interrupted allocation stands among what is pure.
        let comparable = *id != 0 && !before.interrupted;
        if comparable && *count > before.counts.get(id).copied().unwrap_or(0) {
            return Err(format!("operation {id} is executed more often"));
        }
    }
    let distinct: HashSet<_> = after.events.iter().map(|event| (event.id, event.stamp)).collect();
    if distinct.len() != after.events.len() {
        return Err("an operation is executed twice".to_owned());
    }
    Ok(())
}
