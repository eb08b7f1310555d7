//! Functions that are mutually recursive and nevertheless inlined in each other.
//!
//! Of each cycle of direct calls one function stays a function, the *loop breaker*; without the breakers the calls of
//! the group are in no cycle any more, so that the other functions are inlined in those that call them like any that is
//! not recursive: `apply` in `eval`, a parser's `term` in its `expr`. Breakers are those that call themselves or are
//! never inlined, and else the largest of each cycle. Outside of the group a function of it stays a recursive one; and
//! a group stays as it is if an attribute unrolls one of its functions, since it counts the calls (manual 21.6).
//!
//! Each is simplified before those that inline it. That is why a breaker waits: it is not simplified where another
//! function of its group is found to call it.

use std::cmp::Reverse;

use cranelift_entity::SecondaryMap;
use flambeau_ir::inlining::LARGEST;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{CallGraph, CallKind, CodeId, Terminator, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sets::outwards;
use crate::{Simplifier, size};

/// Larger functions are not inlined in their group for being called once: each call of the group would have a frame
/// that holds what they need.
const LARGEST_IN_GROUP: u32 = 100;

/// Of a cycle with more functions than this several stay at once, so that few steps break all.
const MANY: usize = 16;

/// The mutually recursive functions of a unit that is not simplified yet.
#[derive(Default)]
pub(crate) struct Groups {
    /// The group of each function that is in a cycle of calls with others.
    group: FxHashMap<CodeId, usize>,
    breakers: FxHashSet<CodeId>,
    /// In which order the others are simplified: those that are called first.
    order: FxHashMap<CodeId, usize>,
}

impl Groups {
    /// Finds the groups and their breakers.
    pub(crate) fn of_unit(unit: &Unit) -> Groups {
        let mut groups = Groups::default();
        let Some((graph, unrolled)) = calls_in_sets(unit) else { return groups };
        let mut cycles = graph.cycles(unit.codes.len());
        cycles.retain(|cycle| cycle.len() > 1 && !cycle.iter().any(|code| unrolled.contains(code)));
        for (number, cycle) in cycles.into_iter().enumerate() {
            groups.group.extend(cycle.into_iter().map(|code| (code, number)));
        }
        if !groups.group.is_empty() {
            groups.break_cycles(unit, graph);
        }
        groups
    }

    fn break_cycles(&mut self, unit: &Unit, mut left: CallGraph) {
        let stays = |code: &CodeId| {
            let attributes = &unit.codes[*code].attributes;
            left.callees(*code).contains(code) || attributes.inline == InlineAttribute::Never
        };
        self.breakers = self.group.keys().copied().filter(stays).collect();
        loop {
            let is_left = |code| self.group.contains_key(&code) && !self.breakers.contains(&code);
            left.retain(|caller, callee| is_left(caller) && is_left(callee));
            let cycles = left.cycles(unit.codes.len());
            if cycles.is_empty() {
                break;
            }
            for mut cycle in cycles {
                let size = |code: &CodeId| size::of(&unit.codes[*code].body, LARGEST).unwrap_or(LARGEST);
                cycle.sort_by_cached_key(|code| (Reverse(size(code)), *code));
                self.breakers.extend(&cycle[..cycle.len().div_ceil(MANY)]);
            }
        }
        let called_first = left.components(unit.codes.len()).into_iter().flatten();
        let called_first = called_first.filter(|code| self.group.contains_key(code));
        self.order = called_first.enumerate().map(|(number, code)| (code, number)).collect();
    }

    /// In which place a function of a set is simplified.
    pub(crate) fn place(&self, code: CodeId) -> (bool, usize) {
        (self.breakers.contains(&code), self.order.get(&code).copied().unwrap_or(0))
    }
}

impl Simplifier<'_> {
    /// Whether a function is a recursive one where the run is: one that is no breaker is not, in a function of its
    /// group or in one whose closure such a function allocates.
    pub(crate) fn is_recursive_here(&self, code: CodeId) -> bool {
        let is_free = || !self.global.groups.breakers.contains(&code) && self.is_in_group_of(code);
        self.unit.codes[code].recursive && !is_free()
    }

    /// Whether a function is simplified after what the run is in, which it may inline.
    pub(crate) fn waits_for_group(&self, code: CodeId) -> bool {
        self.global.groups.breakers.contains(&code) && self.is_in_group_of(code)
    }

    /// Whether a function of a group is inlined where its only call is; one that is in no group is.
    pub(crate) fn may_join_group(&self, code: CodeId) -> bool {
        !self.global.groups.group.contains_key(&code) || self.whole_size(code, LARGEST_IN_GROUP).is_some()
    }

    fn is_in_group_of(&self, code: CodeId) -> bool {
        let groups = &self.global.groups.group;
        groups.get(&code).is_some_and(|group| {
            let mut around = outwards(self.function.current, |code| self.global.sets.within(code));
            around.any(|code| groups.get(&code) == Some(group))
        })
    }
}

/// Which functions of a set call which others, themselves or in functions whose closures they allocate, and those that
/// an attribute unrolls; `None` if each set has one function only.
fn calls_in_sets(unit: &Unit) -> Option<(CallGraph, FxHashSet<CodeId>)> {
    let mut set_of: SecondaryMap<CodeId, u32> = SecondaryMap::new();
    let mut within: SecondaryMap<CodeId, Option<CodeId>> = SecondaryMap::new();
    let (mut sets, mut are_several) = (0, false);
    unit.for_each_set(&mut |outer, set| {
        sets += 1;
        are_several |= set.functions.len() > 1;
        for &(_, code) in &set.functions {
            (set_of[code], within[code]) = (sets, outer);
        }
    });
    if !are_several {
        return None;
    }
    let mut graph = CallGraph::default();
    let unrolls = |wish| matches!(wish, InlineAttribute::Unroll(_));
    let by_itself = unit.codes.iter().filter(|(_, code)| unrolls(code.attributes.inline));
    let mut unrolled: FxHashSet<CodeId> = by_itself.map(|(code, _)| code).collect();
    let bodies = unit.codes.iter().map(|(id, code)| (Some(id), &code.body));
    for (caller, body) in bodies.chain([(None, &unit.entry.body)]) {
        body.walk(&mut |expr| {
            let Terminator::Apply(apply) = &expr.terminator else { return };
            let CallKind::Direct(callee) = apply.kind else { return };
            unrolled.extend(unrolls(apply.inlined).then_some(callee));
            let mut around = outwards(caller, |code| within[code]);
            let of_set = around.find(|code| set_of[*code] != 0 && set_of[*code] == set_of[callee]);
            of_set.into_iter().for_each(|caller| graph.add(caller, callee));
        });
    }
    Some((graph, unrolled))
}
