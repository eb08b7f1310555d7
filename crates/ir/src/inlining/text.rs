//! The arguments of the inliner as text: in the payload of a `.cmx`, and in the textual form of a unit.
//!
//! One part for each round, with `; ` between; a part is the policy, then each argument as `name=value`, all of them
//! and in one order. Rounds at the end that are equal to the one before are left out.

use std::fmt;
use std::str::FromStr;

use super::{Arguments, Choice, Rounds};
use crate::decision::Policy;

/// The separator between rounds.
const NEXT: &str = "; ";

impl Policy {
    /// The name of the policy in flags and texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Policy::Classic => "classic",
            Policy::Benefit => "benefit",
            Policy::Threshold => "threshold",
        }
    }

    /// The policy of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Policy> {
        [Policy::Classic, Policy::Benefit, Policy::Threshold].into_iter().find(|policy| policy.name() == name)
    }
}

impl Arguments {
    /// The names of [`Arguments::set`] with their values.
    fn fields(&self) -> [(&'static str, String); 27] {
        [
            ("inline", self.inline.to_string()),
            ("inline-toplevel", self.inline_toplevel.to_string()),
            ("inline-branch-factor", self.branch_factor.to_string()),
            ("inline-lifting-benefit", self.lifting_benefit.to_string()),
            ("inline-call-cost", self.costs.call.to_string()),
            ("inline-alloc-cost", self.costs.alloc.to_string()),
            ("inline-prim-cost", self.costs.prim.to_string()),
            ("inline-branch-cost", self.costs.branch.to_string()),
            ("inline-indirect-cost", self.costs.indirect.to_string()),
            ("inline-poly-compare-cost", self.costs.poly_compare.to_string()),
            ("inline-max-depth", self.max_depth.to_string()),
            ("inline-max-unroll", self.max_unroll.to_string()),
            // After `inline`, which sets it too.
            ("inline-small-function-size", self.small.to_string()),
            ("inline-large-function-size", self.large.to_string()),
            ("inline-threshold", self.threshold.to_string()),
            ("inline-nonleaf-threshold", self.nonleaf_threshold.to_string()),
            ("inline-loop-threshold", self.loop_threshold.to_string()),
            ("inline-guard-size", self.guard.to_string()),
            ("representations", self.representations.to_string()),
            ("unrolled", self.unrolled.to_string()),
            ("inline-only-if-arguments-useful", self.if_useful.to_string()),
            ("inline-recursive", self.unroll.to_string()),
            ("inline-functions-with-closures", self.with_closures.to_string()),
            ("inline-toplevel-functors", self.toplevel_functors.to_string()),
            ("inline-whole-functors", self.whole_functors.to_string()),
            ("functions-of-functors", self.instance.to_string()),
            ("unit-growth", self.growth.to_string()),
        ]
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.name())?;
        self.fields().iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl FromStr for Arguments {
    type Err = String;

    fn from_str(text: &str) -> Result<Arguments, String> {
        let mut words = text.split(' ');
        let name = words.next().unwrap_or("");
        let policy = Policy::named(name).ok_or_else(|| format!("no policy {name:?}"))?;
        let mut arguments = Arguments::new(Choice::Documented(policy), 1, 0);
        for (name, _) in arguments.fields() {
            let word = words.next().unwrap_or("");
            let value = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
            arguments.set(name, value.ok_or_else(|| format!("{name} is missing at {word:?}"))?)?;
        }
        match words.next() {
            None => Ok(arguments),
            Some(word) => Err(format!("{word:?} left over")),
        }
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.0.last();
        let same = self.0.iter().rev().take_while(|arguments| Some(*arguments) == last).count();
        for (round, arguments) in self.0[..=self.0.len() - same].iter().enumerate() {
            write!(f, "{}{arguments}", if round > 0 { NEXT } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Rounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Rounds, String> {
        let mut rounds: Vec<Arguments> = text.split(NEXT).map(str::parse).collect::<Result<_, String>>()?;
        let number = Rounds::NUMBER as usize;
        match rounds.last() {
            Some(last) if rounds.len() <= number => rounds.resize(number, *last),
            _ => return Err(format!("more than {number} rounds")),
        }
        Ok(Rounds(rounds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Rounds> {
        let documented = [Policy::Classic, Policy::Benefit, Policy::Threshold].map(Choice::Documented);
        let choices = documented.into_iter().chain([Choice::Measured]);
        choices.flat_map(|choice| (1..=3).map(move |level| Rounds::new(choice, level)))
    }

    #[test]
    fn reading_undoes_writing() {
        for mut rounds in all() {
            assert_eq!(rounds.to_string().parse(), Ok(rounds.clone()));
            rounds.set("inline-call-cost", Some(5), "0.1").unwrap();
            rounds.set("inline", Some(1), "7").unwrap();
            rounds.set("inline-small-function-size", None, "3").unwrap();
            assert_eq!(rounds.to_string().parse(), Ok(rounds));
        }
    }

    #[test]
    fn rounds_that_are_the_same_are_written_once() {
        assert_eq!(Rounds::default().to_string().matches(NEXT).count(), 0);
        let benefit = Rounds::new(Choice::Documented(Policy::Benefit), 3);
        assert_eq!(benefit.to_string().matches(NEXT).count(), 2);
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let refused = |text: &str| text.parse::<Rounds>().unwrap_err();
        let good = Rounds::default().to_string();
        assert_eq!(refused(""), "no policy \"\"");
        assert_eq!(refused(&good.replace("threshold inline=", "best inline=")), "no policy \"best\"");
        assert_eq!(refused(&format!("{good} more=1")), "\"more=1\" left over");
        let (half, _) = good.split_once(" inline-threshold").expect("a threshold");
        assert_eq!(refused(half), "inline-threshold is missing at \"\"");
        assert!(
            refused(&good.replace("alloc-cost=12", "alloc-cost=NaN")).contains("no number of at least 0")
        );
        assert_eq!(refused(&vec![good; 9].join(NEXT)), "more than 8 rounds");
    }
}
