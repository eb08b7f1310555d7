//! What the simplifier may add to a unit, each kind of copying from a budget of its own, so that none takes from
//! another.

use flambeau_ir::inlining::Arguments;
use flambeau_ir::{Heat, Unit};

use crate::size;
use crate::specialise::LARGEST_WITH_LOOPS;

/// What any unit of the source may grow by in a round, more if it is large itself ([`Arguments::growth`]).
const ANY_UNIT: u32 = 1_000;
/// What inlining may add to any unit beyond that: in a small one the functions that are called in loops may come last,
/// when others have used up what there was.
const INLINING: u32 = 2_000;
/// Where units may grow by more than this, in hundredths, speed is wanted more than small code.
const MUCH: u32 = 50;
/// What functions with loops may add to any unit even so: one that is short beside what it saves, as `Array.sort`.
const SHORT_SORT: u32 = 400;
/// What a unit of the source may grow by at most: the cost of later passes is to stay in proportion (features G6; the
/// assembler's time is not linear in the number of jumps, that of register allocation not in the size).
const MOST: u32 = 40_000;
/// What may be evaluated in speculation in a unit of the source, in sizes of the bodies: beyond, only functions that
/// are small without evaluation are inlined (features G6).
const SPECULATION: u32 = 400_000;

/// What is left of the budgets of a round, in sizes.
pub struct Budgets {
    /// What the unit may grow by: that is what the others come from, and is not taken from.
    pub unit: u32,
    /// What inlining may still add, but for the smallest functions and what is promised.
    pub inlining: u32,
    /// What specialisation may still add.
    pub specialisation: u32,
    /// What copies of functions for the types of their arguments may still add: each is worth its size where it is
    /// called, so that a unit with tables of several types gets them all.
    pub typed_copies: u32,
    /// What functions that are inlined for what they call in their loops may still add: in proportion to the unit,
    /// since in a small one a single `List.sort` would be most of its code; but one where code may grow much, and a
    /// short one anywhere.
    pub loops: u32,
    /// What functors that are inlined at the toplevel may add: in the first round, which sees all of them; and twice as
    /// much where they are inlined even if all that they make would be known without.
    pub functors: u32,
    /// What may still be evaluated in speculation.
    pub speculation: u32,
}

impl Budgets {
    /// Those of a unit for a round.
    pub fn of(unit: &Unit, arguments: &Arguments, round: u32) -> Budgets {
        let any = any_unit(unit);
        let growth = unit_growth(unit, arguments);
        let proportional = growth.saturating_sub(any);
        Budgets {
            unit: growth,
            inlining: growth.saturating_add(INLINING.saturating_mul(unit.parts)),
            specialisation: growth,
            typed_copies: growth.saturating_mul(2),
            loops: proportional.max(if arguments.growth > MUCH { LARGEST_WITH_LOOPS } else { SHORT_SORT }),
            functors: match round {
                0 if arguments.whole_functors => growth.saturating_mul(2),
                0 => growth,
                _ => 0,
            },
            speculation: SPECULATION.saturating_mul(unit.parts),
        }
    }
}

/// What a unit may grow by in a round, however small it is.
pub fn any_unit(unit: &Unit) -> u32 {
    ANY_UNIT.saturating_mul(unit.parts)
}

/// What a unit may grow by in a round.
fn unit_growth(unit: &Unit, arguments: &Arguments) -> u32 {
    let most = MOST.saturating_mul(unit.parts);
    let size = |body| size::of(body, most).unwrap_or(most);
    let bodies = unit.codes.values().map(|code| size(&code.body));
    let whole = bodies.fold(size(&unit.entry.body), u32::saturating_add);
    // What is hot may grow as at `-O3`; what is not hardly does.
    let is_hot = unit.codes.values().any(|code| code.attributes.heat == Heat::Hot);
    let growth = if is_hot { arguments.for_hot_call().growth } else { arguments.growth };
    let more = u64::from(whole) * u64::from(growth) / 100;
    (u64::from(any_unit(unit)) + more).min(u64::from(most)) as u32
}
