//! The arguments of the inliner: what its policies decide by, for each round (features B4–B6).
//!
//! Defaults are those of the reference documents for the policies *classic*, *benefit* (manual 21.5) and *threshold*
//! (flambda2-inlining, and the table of its defaults); [`Choice::Measured`] is *threshold* with numbers of our own, for
//! our own sizes (docs/inlining.md has the measurements).

mod text;

use serde::{Deserialize, Serialize};

use crate::decision::{Policy, Removed};

/// Sizes count as so many of the unit of `-inline` (`Inlining_cost` of Flambda 1; Closure).
pub const PER_INLINE: f64 = 8.0;

/// Functions up to this size are inlined or copied by whoever wants it: with an attribute, stubs, functors at the
/// toplevel.
pub const LARGEST: u32 = 5_000;

/// Up to this size the measured policy inlines functions at `-O3` without a look, whichever unit calls them.
pub const SMALL: u32 = 45;

/// Larger functions it does not inline at any level without an attribute.
pub const LARGE: u32 = 250;

/// The policy that was chosen, with the defaults that belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// *threshold*, with defaults found by measurement.
    #[default]
    Measured,
    /// A policy with the defaults of its document.
    Documented(Policy),
}

/// What operations are worth that are not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// A direct call.
    pub call: f64,
    /// An allocation.
    pub alloc: f64,
    /// A primitive.
    pub prim: f64,
    /// A branch.
    pub branch: f64,
    /// An indirect call that becomes direct.
    pub indirect: f64,
    /// A polymorphic comparison that becomes monomorphic.
    pub poly_compare: f64,
}

impl Costs {
    fn scaled(self, by: f64) -> Costs {
        Costs {
            call: self.call * by,
            alloc: self.alloc * by,
            prim: self.prim * by,
            branch: self.branch * by,
            indirect: self.indirect * by,
            poly_compare: self.poly_compare * by,
        }
    }

    /// What all that is worth.
    #[must_use]
    pub fn worth(&self, removed: &Removed) -> f64 {
        f64::from(removed.calls) * self.call
            + f64::from(removed.allocations) * self.alloc
            + f64::from(removed.primitives) * self.prim
            + f64::from(removed.branches) * self.branch
            + f64::from(removed.indirect_calls) * self.indirect
            + f64::from(removed.polymorphic_compares) * self.poly_compare
    }
}

/// The arguments of one round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arguments {
    /// Who decides.
    pub policy: Policy,
    /// What is worth what.
    pub costs: Costs,
    /// How deep in inlined code calls are still inlined.
    pub max_depth: u32,
    /// How many times recursive functions are unrolled without an attribute that asks for it.
    pub max_unroll: u32,
    /// Whether they may be unrolled so at all.
    pub unroll: bool,
    /// Whether functions that allocate closures are inlined.
    pub with_closures: bool,
    /// By how many hundredths of its size a unit may grow in a round.
    pub growth: u32,
    /// Functors, and other functions at the toplevel whose arguments are known, are inlined there.
    pub toplevel_functors: bool,
    /// Those of the unit itself always are, too, where evaluating them beside the call would show all of what they
    /// return.
    pub whole_functors: bool,
    /// Up to this size functions of a module that a functor of another unit built are copied where they are called.
    pub instance: u32,

    /// *threshold*: up to this size functions are inlined without a look.
    pub small: u32,
    /// *threshold*: larger ones never are.
    pub large: u32,
    /// *threshold*: what the size less the benefit may be.
    pub threshold: f64,
    /// *threshold*: what `threshold` is, for functions up to `small` that on each path call others, loop or allocate
    /// closures, beside which a call is little; up to this size they, too, are inlined without a look.
    pub nonleaf_threshold: f64,
    /// *threshold*: what `threshold` is at least, for functions without calls and loops in loops of the caller, which
    /// keep what they need in registers if nothing else is called in them.
    pub loop_threshold: f64,
    /// *threshold*: up to this size the beginning of a function that is not inlined itself is, where it decides whether
    /// there is much to do.
    pub guard: u32,
    /// Up to this size code is copied for the representations that an array may have.
    pub representations: u32,
    /// Up to this size all iterations of a loop together are laid out one after the other.
    pub unrolled: u32,
    /// *threshold*: only if something is known of an argument.
    pub if_useful: bool,

    /// *benefit*: how much may be inlined in one search, in units of `-inline`. *classic*: how much, of one function.
    pub inline: f64,
    /// *benefit*: how much may be inlined in a search that begins at the toplevel.
    pub inline_toplevel: f64,
    /// *benefit*: by how much each branch makes code colder.
    pub branch_factor: f64,
    /// *benefit*: what a functor at the toplevel is worth.
    pub lifting_benefit: f64,
}

/// The costs of manual 21.5.
const BENEFIT_COSTS: Costs =
    Costs { call: 5.0, alloc: 7.0, prim: 3.0, branch: 5.0, indirect: 4.0, poly_compare: 10.0 };

/// The costs that belong to our sizes: what makes code faster is worth more than what it takes to be there.
const MEASURED_COSTS: Costs =
    Costs { call: 4.0, alloc: 12.0, prim: 1.5, branch: 3.0, indirect: 30.0, poly_compare: 15.0 };

/// What [`Arguments::unrolled`] is at most levels.
const UNROLLED: u32 = 40;

impl Arguments {
    /// The defaults of a choice at a level of `-O` (1 if there is none), in a round.
    #[must_use]
    pub fn new(choice: Choice, level: u32, round: u32) -> Arguments {
        let by_choice = match choice {
            Choice::Measured => Arguments::measured(level),
            Choice::Documented(Policy::Threshold) => Arguments::threshold(level),
            Choice::Documented(Policy::Benefit) => Arguments::benefit(level, round),
            Choice::Documented(Policy::Classic) => Arguments {
                policy: Policy::Classic,
                max_depth: u32::from(u8::MAX),
                inline: 10.0 / 8.0,
                ..Arguments::benefit(1, 0)
            },
        };
        Arguments { unrolled: if level >= 3 { 200 } else { UNROLLED }, ..by_choice }
    }

    fn measured(level: u32) -> Arguments {
        let high = level >= 3;
        Arguments {
            policy: Policy::Threshold,
            costs: MEASURED_COSTS,
            max_depth: 6,
            small: if high { SMALL } else { 33 },
            large: LARGE,
            threshold: if high { 50.0 } else { 30.0 },
            nonleaf_threshold: 12.0,
            loop_threshold: if high { 200.0 } else { 100.0 },
            guard: 28,
            representations: 100,
            growth: if high { 60 } else { 30 },
            whole_functors: high,
            instance: if high { 80 } else { 66 },
            ..Arguments::threshold(2)
        }
    }

    /// The table of Flambda 2, which has no `-O1`: without a level its base.
    fn threshold(level: u32) -> Arguments {
        let base = Costs {
            call: 0.625,
            alloc: 0.875,
            prim: 0.375,
            branch: 0.625,
            indirect: 0.5,
            poly_compare: 1.25,
        };
        let common = Arguments { policy: Policy::Threshold, unroll: false, ..Arguments::benefit(1, 0) };
        match level {
            0 | 1 => Arguments { costs: base, max_depth: 1, small: 10, large: 10, threshold: 10.0, ..common },
            level => Arguments {
                costs: base.scaled(3.0),
                max_depth: if level == 2 { 3 } else { 6 },
                small: 100,
                large: 500,
                threshold: 100.0,
                ..common
            },
        }
    }

    /// The tables of manual 21.5: of a round, and of the last one in those that follow.
    fn benefit(level: u32, round: u32) -> Arguments {
        let (scale, inline, inline_toplevel, max_depth, max_unroll) = match (level, round) {
            (0 | 1, _) | (_, 0) => (1.0, 10.0, 160.0, 1, 0),
            (2, _) | (_, 1) => (2.0, 25.0, 400.0, 2, 0),
            _ => (3.0, 50.0, 800.0, 3, 1),
        };
        Arguments {
            policy: Policy::Benefit,
            costs: BENEFIT_COSTS.scaled(scale),
            max_depth,
            max_unroll,
            unroll: true,
            with_closures: true,
            growth: 100,
            toplevel_functors: true,
            whole_functors: true,
            instance: 60,
            small: 0,
            large: u32::MAX,
            threshold: 0.0,
            nonleaf_threshold: f64::from(u32::MAX),
            loop_threshold: 0.0,
            guard: 0,
            representations: 0,
            unrolled: UNROLLED,
            if_useful: true,
            inline,
            inline_toplevel,
            branch_factor: 0.1,
            lifting_benefit: 1300.0,
        }
    }

    /// Whether recursive functions are unrolled without an attribute that asks for it.
    #[must_use]
    pub fn unrolls(&self) -> bool {
        self.unroll && self.max_unroll > 0
    }

    /// What a search may inline in all, in our sizes.
    #[must_use]
    pub fn quota(&self, toplevel: bool) -> f64 {
        PER_INLINE * if toplevel { self.inline_toplevel } else { self.inline }
    }

    /// Up to which size *classic* inlines a function of so many parameters: less than the call and what `-inline` says.
    #[must_use]
    pub fn classic_limit(&self, params: u32) -> u32 {
        const CALL: u32 = 4;
        // The default of `-inline` is 10 of Flambda's units, but 10/8 in classic mode (manual 21.3.1).
        (self.inline * PER_INLINE) as u32 + CALL + params
    }

    /// For a call in which a profile says that the program spends its time: the sizes of `-O3` at every level. Larger
    /// ones do not pay (docs/design/profiles.md). The documented policies that measure a benefit have no such sizes.
    #[must_use]
    pub fn for_hot_call(&self) -> Arguments {
        if self.policy != Policy::Threshold {
            return *self;
        }
        let most = Arguments::measured(3);
        Arguments {
            small: self.small.max(most.small),
            large: self.large.max(most.large),
            threshold: self.threshold.max(most.threshold),
            instance: self.instance.max(most.instance),
            growth: self.growth.max(most.growth),
            ..*self
        }
    }

    /// For a call that runs, but seldom, as a profile says: the sizes of no level, since a larger one costs text and
    /// gains nothing.
    #[must_use]
    pub fn for_warm_call(&self) -> Arguments {
        if self.policy != Policy::Threshold {
            return *self;
        }
        let least = Arguments::measured(1);
        Arguments {
            small: self.small.min(least.small),
            threshold: self.threshold.min(least.threshold),
            instance: self.instance.min(least.instance),
            ..*self
        }
    }

    /// Inlines at most what both would (flambda2-inlining, "Inlining predictably").
    #[must_use]
    pub fn meet(&self, other: &Arguments) -> Arguments {
        let (a, b) = (&self.costs, &other.costs);
        Arguments {
            policy: self.policy,
            costs: Costs {
                call: a.call.min(b.call),
                alloc: a.alloc.min(b.alloc),
                prim: a.prim.min(b.prim),
                branch: a.branch.min(b.branch),
                indirect: a.indirect.min(b.indirect),
                poly_compare: a.poly_compare.min(b.poly_compare),
            },
            max_depth: self.max_depth.min(other.max_depth),
            max_unroll: self.max_unroll.min(other.max_unroll),
            unroll: self.unroll && other.unroll,
            with_closures: self.with_closures && other.with_closures,
            growth: self.growth.min(other.growth),
            toplevel_functors: self.toplevel_functors && other.toplevel_functors,
            whole_functors: self.whole_functors && other.whole_functors,
            instance: self.instance.min(other.instance),
            small: self.small.min(other.small),
            large: self.large.min(other.large),
            threshold: self.threshold.min(other.threshold),
            nonleaf_threshold: self.nonleaf_threshold.min(other.nonleaf_threshold),
            loop_threshold: self.loop_threshold.min(other.loop_threshold),
            guard: self.guard.min(other.guard),
            representations: self.representations.min(other.representations),
            unrolled: self.unrolled.min(other.unrolled),
            if_useful: self.if_useful || other.if_useful,
            inline: self.inline.min(other.inline),
            inline_toplevel: self.inline_toplevel.min(other.inline_toplevel),
            branch_factor: self.branch_factor.max(other.branch_factor),
            lifting_benefit: self.lifting_benefit.min(other.lifting_benefit),
        }
    }

    /// Sets what a flag names, without its dash.
    ///
    /// # Errors
    /// No such argument, or no such value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let float = || number().ok_or_else(|| format!("-{name}: {value} is no number of at least 0"));
        let whole =
            || value.parse::<u32>().map_err(|_| format!("-{name}: {value} is no whole number of at least 0"));
        let switch =
            || value.parse::<bool>().map_err(|_| format!("-{name}: {value} is neither true nor false"));
        match name {
            "inline" => {
                self.inline = float()?;
                if self.policy == Policy::Threshold {
                    self.small = (self.inline * PER_INLINE) as u32;
                }
            }
            "inline-toplevel" => self.inline_toplevel = float()?,
            "inline-branch-factor" => self.branch_factor = float()?,
            "inline-lifting-benefit" => self.lifting_benefit = float()?,
            "inline-call-cost" => self.costs.call = float()?,
            "inline-alloc-cost" => self.costs.alloc = float()?,
            "inline-prim-cost" => self.costs.prim = float()?,
            "inline-branch-cost" => self.costs.branch = float()?,
            "inline-indirect-cost" => self.costs.indirect = float()?,
            "inline-poly-compare-cost" => self.costs.poly_compare = float()?,
            "inline-max-depth" => self.max_depth = whole()?,
            "inline-max-unroll" => self.max_unroll = whole()?,
            "inline-small-function-size" => self.small = whole()?,
            "inline-large-function-size" => self.large = whole()?,
            "inline-threshold" => self.threshold = float()?,
            "inline-nonleaf-threshold" => self.nonleaf_threshold = float()?,
            "inline-loop-threshold" => self.loop_threshold = float()?,
            "inline-guard-size" => self.guard = whole()?,
            "representations" => self.representations = whole()?,
            "unrolled" => self.unrolled = whole()?,
            "inline-only-if-arguments-useful" => self.if_useful = switch()?,
            "inline-recursive" => self.unroll = switch()?,
            "inline-functions-with-closures" => self.with_closures = switch()?,
            "inline-toplevel-functors" => self.toplevel_functors = switch()?,
            "inline-whole-functors" => self.whole_functors = switch()?,
            "functions-of-functors" => self.instance = whole()?,
            "unit-growth" => self.growth = whole()?,
            _ => return Err(format!("unknown argument of the inliner {name}")),
        }
        Ok(())
    }
}

/// The arguments of all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds(Vec<Arguments>);

impl Default for Rounds {
    fn default() -> Self {
        Rounds::new(Choice::default(), 1)
    }
}

impl Rounds {
    /// How many rounds have arguments of their own.
    const NUMBER: u32 = 8;

    /// The defaults of a choice at a level.
    #[must_use]
    pub fn new(choice: Choice, level: u32) -> Rounds {
        Rounds((0..Self::NUMBER).map(|round| Arguments::new(choice, level, round)).collect())
    }

    /// The arguments of a round, counted from 0; those of the last one for all later.
    #[must_use]
    pub fn of(&self, round: u32) -> &Arguments {
        &self.0[(round as usize).min(self.0.len() - 1)]
    }

    /// Inlines at most what both would.
    #[must_use]
    pub fn meet(&self, other: &Rounds) -> Rounds {
        Rounds(self.0.iter().zip(&other.0).map(|(a, b)| a.meet(b)).collect())
    }

    /// Sets what a flag names, in one round or in all.
    ///
    /// # Errors
    /// No such argument, or no such value.
    pub fn set(&mut self, name: &str, round: Option<u32>, value: &str) -> Result<(), String> {
        match round {
            // Rounds that there never are.
            Some(round) if round >= Self::NUMBER => Ok(()),
            Some(round) => self.0[round as usize].set(name, value),
            None => self.0.iter_mut().try_for_each(|arguments| arguments.set(name, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_manual() {
        let o3 = Rounds::new(Choice::Documented(Policy::Benefit), 3);
        let inline: Vec<f64> = (0..4).map(|round| o3.of(round).inline).collect();
        assert_eq!(inline, [10.0, 25.0, 50.0, 50.0]);
        assert_eq!(o3.of(1).costs.alloc, 14.0);
        assert_eq!(o3.of(2).costs.branch, 15.0);
        assert_eq!((o3.of(0).max_unroll, o3.of(2).max_unroll), (0, 1));
        let plain = Rounds::new(Choice::Documented(Policy::Benefit), 1);
        assert_eq!((plain.of(0).inline_toplevel, plain.of(2).inline_toplevel), (160.0, 160.0));
    }

    #[test]
    fn arguments_of_one_round() {
        let mut rounds = Rounds::default();
        rounds.set("inline-call-cost", Some(1), "5").unwrap();
        assert_eq!(rounds.of(1).costs.call, 5.0);
        assert_ne!(rounds.of(0).costs.call, 5.0);
        assert_eq!(
            rounds.set("inline-max-depth", None, "-1").unwrap_err(),
            "-inline-max-depth: -1 is no whole number of at least 0"
        );
        assert!(rounds.set("inline-call-cost", Some(0), "nan").is_err());
    }

    #[test]
    fn a_meet_inlines_no_more_than_either() {
        let (a, b) = (Arguments::new(Choice::Measured, 3, 0), Arguments::new(Choice::Measured, 1, 0));
        let meet = a.meet(&b);
        assert_eq!(meet, b.meet(&a));
        assert_eq!(meet.small, b.small);
        assert_eq!(a.meet(&a), a);
    }
}
