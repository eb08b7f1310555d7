//! An oracle for lowering: the interpreter of the IR, one of Cmm, and what their runs must have in common.
//! They share the primitives and the heap; control is written twice, and shares nothing with the lowering.

pub mod cmm;
pub mod scope;

use std::collections::{HashMap, VecDeque};

use flambeau_interp::history::{History, Operation, OperationKind};
use flambeau_interp::{Options, Stop, Value, run_code};
use flambeau_ir::{CodeId, Unit};

/// How a comparison of runs ended.
pub enum Verdict {
    /// The runs agree.
    Same,
    /// The run of the IR had no defined end, or not in time: nothing to compare.
    Incomparable,
}

/// Items and terminators of the IR.
const FUEL: u64 = 3000;

/// Runs a unit's only function before and after lowering.
///
/// # Errors
/// When the tree is malformed, or the runs differ.
pub fn compare(unit: &Unit, arguments: [i64; 2], interrupt: Option<u32>) -> Result<Verdict, String> {
    let tree = flambeau_cmm::lower(unit);
    scope::check(&tree)?;
    flambeau_cmm::encode::encode(&tree, &mut flambeau_cmm::encode::Writer::default());
    let options =
        Options { fuel: FUEL, history: true, interrupt, meddle: true, raise_one_in: 5, ..Options::default() };
    let code = CodeId::from_u32(0);
    let before = run_code(unit, code, &arguments.map(Value::Int), &options);
    if matches!(before.stop, Stop::Trap(_) | Stop::OutOfFuel) {
        return Ok(Verdict::Incomparable);
    }
    let before = before.history.ok_or("no history")?;
    let after = match cmm::run(&tree, unit, arguments, &options) {
        // The interrupted allocation is gone or later, and what comes after it is undefined in the IR, too.
        Err(_) if before.interrupted && is_undefined_without_interruption(unit, arguments, options) => {
            return Ok(Verdict::Incomparable);
        }
        after => after?,
    };
    let Some(after) = after else {
        // Without the interruption the run may have no end.
        return if before.interrupted {
            Ok(Verdict::Incomparable)
        } else {
            Err("the code does not end".into())
        };
    };
    if before.interrupted && !after.interrupted {
        // The allocation was unused, or on another branch.
        return Ok(Verdict::Incomparable);
    }
    judge(&before, &after).map(|()| Verdict::Same)
}

fn is_undefined_without_interruption(unit: &Unit, arguments: [i64; 2], options: Options) -> bool {
    let options = Options { interrupt: None, ..options };
    let run = run_code(unit, CodeId::from_u32(0), &arguments.map(Value::Int), &options);
    matches!(run.stop, Stop::Trap(_))
}

/// What has to agree: the outcome; the effects, in order, with their operands; the relative order of reads and
/// allocations; and nothing may be executed that was not, or more often.
fn judge(before: &History, after: &History) -> Result<(), String> {
    if before.outcome != after.outcome {
        return Err(format!("outcome {:?} became {:?}", before.outcome, after.outcome));
    }
    let effects = |run: &History| -> Vec<Operation> {
        run.operations.iter().filter(|event| event.kind == OperationKind::Effect).cloned().collect()
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

    // The iterations of a loop without effects have the same stamps: the n-th occurrence of an operation is compared
    // with the n-th.
    let mut positions: HashMap<(u32, usize), VecDeque<usize>> = HashMap::new();
    for (position, event) in before.operations.iter().enumerate() {
        positions.entry((event.id, event.stamp)).or_default().push_back(position);
    }
    let mut last = HashMap::new();
    for event in &after.operations {
        let occurrences = positions.get_mut(&(event.id, event.stamp));
        let Some(position) = occurrences.and_then(VecDeque::pop_front) else {
            // Allocations commute, so what comes before one that is interrupted may vary.
            if before.interrupted {
                continue;
            }
            return Err(format!("{event:?} was not executed there, or not so often"));
        };
        for (kind, latest) in &last {
            if event.kind.conflicts(*kind) && position < *latest {
                return Err(format!("{event:?} was executed before another event of kind {kind:?}"));
            }
        }
        let latest = last.entry(event.kind).or_insert(position);
        *latest = (*latest).max(position);
    }
    for (id, count) in &after.counts {
        // Operation 0 is a comparison that lowering emitted. Which operations an interruption prevents depends on the
        // position of the interrupted allocation among pure operations.
        let comparable = *id != 0 && !before.interrupted;
        if comparable && *count > before.counts.get(id).copied().unwrap_or(0) {
            return Err(format!("operation {id} is executed more often"));
        }
    }
    Ok(())
}
