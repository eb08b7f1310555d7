//! What a compilation runs at each level.

use flambeau_ir::Machine;
use flambeau_passes::{Conditions, schedule};

fn names(level: u32, rounds: Option<u32>, described: bool) -> Vec<&'static str> {
    schedule(Conditions { level, rounds, described, machine: Machine::Native })
        .iter()
        .map(|step| step.pass.name)
        .collect()
}

#[test]
fn levels_rounds_and_descriptions() {
    let second =
        ["static_arrays", "contify", "scalar_replacement", "contify", "popcount", "outline", "parameters"];
    let end = [
        "accumulate",
        "late_thread",
        "late_loops",
        "late_rotate",
        "representations",
        "late_scalar_replacement",
        "late_bounds",
        "divisions",
        "remainders",
        "decimal",
        "unread",
        "naked_fields",
        "extensions",
        "invert",
        "split",
        "untuple",
        "motion",
    ];
    let first = ["contify", "loopify", "simplify"];
    let o1 = [&first[..], &second, &["immediates", "thread", "unroll", "rotate", "peel", "simplify"], &end]
        .concat();
    assert_eq!(names(1, None, false), o1);
    let o3 = [
        &first[..],
        &second,
        &["thread", "unroll", "rotate", "peel", "simplify", "parameters", "immediates"],
    ]
    .concat();
    assert_eq!(names(3, None, false), [&o3[..], &["thread", "rotate", "simplify"], &end].concat());
    assert!(!names(3, None, true).contains(&"parameters"));
    assert_eq!(names(1, Some(20), false).iter().filter(|name| **name == "simplify").count(), 8);
}
