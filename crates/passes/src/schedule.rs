//! What a compilation runs, in order, and why: data (`flambeau opt --schedule -O3` prints it).

use std::fmt::Write;

use flambeau_ir::Machine;

use crate::{
    ACCUMULATE, CONTIFY, DECIMAL, DIVISIONS, EXTENSIONS, IMMEDIATES, INVERT, LATE_BOUNDS, LATE_LOOPS,
    LATE_ROTATE, LATE_SCALAR_REPLACEMENT, LATE_THREAD, LOOPIFY, MOTION, NAKED_FIELDS, OUTLINE, PARAMETERS,
    PEEL, POPCOUNT, Pass, REMAINDERS, REPRESENTATIONS, ROTATE, SCALAR_REPLACEMENT, SIMPLIFY, SPLIT,
    STATIC_ARRAYS, THREAD, UNREAD, UNROLL, UNTUPLE,
};

/// How many times the simplifier runs at most.
const MAX_ROUNDS: u32 = 8;

/// The settings that a schedule depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The level of `-O`: 1 without one.
    pub level: u32,
    /// What `-rounds` says: how many times the simplifier runs, which is twice at least; without it as often as the
    /// level says (manual 21.5).
    pub rounds: Option<u32>,
    /// What code is generated for.
    pub machine: Machine,
    /// The code is not for this unit, whose object exists already, but for others, which call the functions of that
    /// object.
    pub described: bool,
}

impl Conditions {
    /// Of a level, for an object of our own.
    #[must_use]
    pub fn level(level: u32) -> Conditions {
        Conditions { level, rounds: None, described: false, machine: Machine::Native }
    }

    fn number_of_rounds(self) -> u32 {
        self.rounds.unwrap_or(self.level).clamp(2, MAX_ROUNDS)
    }
}

/// In which rounds of the simplifier a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In the first round.
    First,
    /// In the second round.
    Second,
    /// In all rounds from the second on.
    FromSecond,
    /// In the last round.
    Last,
    /// In each round.
    Each,
    /// After the last round.
    Afterwards,
}

/// What else a pass needs to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum If {
    Always,
    /// For the processor: in bytecode it would cost more than it gives.
    Native,
    /// From this level on.
    Level(u32),
    /// The object is ours: functions of the stock object take what they take there.
    OwnObject,
}

/// An entry of the schedule.
#[derive(Clone, Copy)]
pub struct Step {
    pub pass: Pass,
    pub when: When,
    pub only: If,
    /// Why it runs there.
    pub why: &'static str,
}

const fn step(pass: Pass, when: When, only: If, why: &'static str) -> Step {
    Step { pass, when, only, why }
}

/// Each round runs its entries in this order.
#[rustfmt::skip]
pub const SCHEDULE: &[Step] = &[
    step(CONTIFY, When::First, If::Always, "the simplifier knows continuations, but nothing of calls"),
    step(LOOPIFY, When::First, If::Always, "the simplifier knows loops, but nothing of calls"),
    step(STATIC_ARRAYS, When::Second, If::Always, "the second round is to know that they are static"),
    step(CONTIFY, When::Second, If::Always, "functions with one caller left; a closure that became a continuation keeps no block"),
    step(SCALAR_REPLACEMENT, When::Second, If::Always, "blocks that only forwarded loads kept"),
    step(CONTIFY, When::Second, If::Always, "closures that only blocks kept are called by name after scalar replacement"),
    step(POPCOUNT, When::Second, If::Native, "counts of ones have their usual forms; a function that is one is small, and is inlined"),
    step(OUTLINE, When::Second, If::OwnObject, "what is small but for its errors is small, and nothing is copied with errors"),
    step(PARAMETERS, When::FromSecond, If::OwnObject, "what is still a function; the round knows the parts, which may have parts themselves"),
    step(IMMEDIATES, When::Last, If::OwnObject, "what is not known of the arguments of comparisons by now never will be"),
    step(THREAD, When::FromSecond, If::Native, "switches on what inlined functions give"),
    step(UNROLL, When::Second, If::Always, "loops whose number of iterations the first round found out"),
    step(ROTATE, When::FromSecond, If::Native, "loops that begin with loads take what is loaded, in the round that follows"),
    step(PEEL, When::Second, If::Native, "what is the same in each iteration, and may fail"),
    step(SIMPLIFY, When::Each, If::Always, "what is known and what is needed"),
    step(ACCUMULATE, When::Afterwards, If::OwnObject, "no decision on inlining depends on it; what is added behind a call of itself keeps a function from being a loop"),
    step(LATE_THREAD, When::Afterwards, If::Native, "switches on what functions give that were inlined last"),
    step(LATE_LOOPS, When::Afterwards, If::Always, "what was inlined last goes down lists, or allocates what the next iteration takes apart"),
    step(LATE_ROTATE, When::Afterwards, If::Native, "what was inlined last allocates what the next iteration takes apart behind a test"),
    step(REPRESENTATIONS, When::Afterwards, If::OwnObject, "what is not known of arrays by now never will be; what was inlined was small"),
    step(LATE_SCALAR_REPLACEMENT, When::Afterwards, If::Always, "blocks that escaped only through functions which the last rounds inlined"),
    step(LATE_BOUNDS, When::Afterwards, If::Native, "what the simplifier found to be the same is the same here"),
    step(DIVISIONS, When::Afterwards, If::Native, "what a remainder is less than is used by now, and loops have their bounds"),
    step(REMAINDERS, When::Afterwards, If::Native, "what is known of a remainder by its bounds is used by now"),
    step(DECIMAL, When::Afterwards, If::OwnObject, "all that is executed often is where it is by now; nothing is known of what it makes"),
    step(UNREAD, When::Afterwards, If::OwnObject, "what still escapes by now does; blocks without their fields would look different to the simplifier"),
    step(NAKED_FIELDS, When::Afterwards, If::OwnObject, "what is never read is in no block; no pass knows what is in naked blocks"),
    step(EXTENSIONS, When::Afterwards, If::Native, "what is known of an int32 is used by now; words that leave loops are as they stay"),
    step(INVERT, When::Afterwards, If::Native, "only the code generator saves too much; the passes before know less of two tests than of one"),
    step(SPLIT, When::Afterwards, If::OwnObject, "what a function begins with and the loops in it have their last form"),
    step(UNTUPLE, When::Afterwards, If::OwnObject, "what calls a function by its name does by now; loads of what is dead are gone"),
    step(MOTION, When::Afterwards, If::Native, "where a check is gone, a load may leave a loop; in a branch nobody else sees an allocation"),
];

/// What a compilation runs, in order.
#[must_use]
pub fn schedule(conditions: Conditions) -> Vec<&'static Step> {
    let rounds = conditions.number_of_rounds();
    let runs = |step: &Step| match step.only {
        If::Always => true,
        If::Native => conditions.machine == Machine::Native,
        If::Level(level) => conditions.level >= level && conditions.machine == Machine::Native,
        If::OwnObject => !conditions.described && conditions.machine == Machine::Native,
    };
    let in_round = |step: &Step, round: u32| match step.when {
        When::First => round == 1,
        When::Second => round == 2,
        When::FromSecond => round >= 2 && round <= rounds,
        When::Last => round == rounds,
        When::Each => round <= rounds,
        When::Afterwards => round == rounds + 1,
    };
    let of_round = |round| SCHEDULE.iter().filter(move |step| runs(step) && in_round(step, round));
    (1..=rounds + 1).flat_map(of_round).collect()
}

/// After how many rounds `parameters` follows (`Rewrites::lifting_rounds`).
#[must_use]
pub fn lifting_rounds(schedule: &[&Step]) -> u32 {
    schedule.iter().filter(|step| step.pass.name == PARAMETERS.name).count() as u32
}

/// The schedule as text for readers.
#[must_use]
pub fn print(conditions: Conditions) -> String {
    let mut text = String::new();
    for step in schedule(conditions) {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{:<24} {}", step.pass.name, step.why);
    }
    text
}
