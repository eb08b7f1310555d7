//! Calls, each with what the rounds decided of it.

use flambeau_ir::decision::{Decision, Place, Reason};
use rustc_hash::FxHashMap;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The call is replaced by the body.
    Inlined,
    /// A copy of the function is called.
    Specialised,
    /// The call remains.
    Kept,
}

impl Verdict {
    /// What a reason leads to.
    #[must_use]
    pub fn of(reason: &Reason) -> Verdict {
        match reason {
            Reason::Specialised { .. } => Verdict::Specialised,
            reason if reason.is_favourable() => Verdict::Inlined,
            _ => Verdict::Kept,
        }
    }

    /// In words, at the beginning of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Inlined => "Inlined",
            Verdict::Specialised => "Specialised",
            Verdict::Kept => "Not inlined",
        }
    }
}

/// A call.
#[derive(Clone, Debug)]
pub struct Site<'r> {
    /// In the order in which they were taken.
    pub decisions: Vec<&'r Decision>,
    /// The last of them, which holds.
    pub last: &'r Decision,
}

impl<'r> Site<'r> {
    fn new(decision: &'r Decision) -> Site<'r> {
        Site { decisions: vec![decision], last: decision }
    }

    fn push(&mut self, decision: &'r Decision) {
        self.decisions.push(decision);
        self.last = decision;
    }

    /// What became of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.last.reason)
    }

    /// The function in which it stands.
    #[must_use]
    pub fn function(&self) -> Option<&'r str> {
        self.last.function.as_deref()
    }

    /// What is called, as far as became known.
    #[must_use]
    pub fn callee(&self) -> Option<&'r str> {
        self.last.callee.as_deref()
    }

    /// Its source locations: in the caller first, then in the functions inlined around it.
    #[must_use]
    pub fn locations(&self) -> &'r [Place] {
        &self.last.places
    }
}

/// The key that distinguishes the calls of a round.
type Key<'r> = (Option<&'r str>, &'r [Place], Option<&'r str>);

/// The calls that decisions are about, in the order of their first ones.
///
/// Decisions of different rounds are about one call if function, locations and callee are the same; several such calls
/// in one round are matched in order. A call of an unknown function may become one of a known function later; one that
/// is not inlined may then be specialised.
#[must_use]
pub fn sites(decisions: &[Decision]) -> Vec<Site<'_>> {
    let mut sites: Vec<Site> = Vec::new();
    let mut known: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    // How many calls of each key the current round has had.
    let mut seen: FxHashMap<Key, usize> = FxHashMap::default();
    let mut round = None;
    // The call of the decision before this one.
    let mut latest: Option<(usize, Key)> = None;
    for decision in decisions {
        if round != Some(decision.round) {
            round = Some(decision.round);
            seen.clear();
        }
        let callee = decision.callee.as_deref();
        let key: Key = (decision.function.as_deref(), &decision.places, callee);
        if Verdict::of(&decision.reason) == Verdict::Specialised
            && let Some((index, last)) = latest
            && last == key
            && sites[index].last.round == decision.round
            && sites[index].verdict() == Verdict::Kept
        {
            sites[index].push(decision);
            continue;
        }
        let ordinal = seen.entry(key).or_default();
        let same = known.get(&key).and_then(|same| same.get(*ordinal)).copied();
        *ordinal += 1;
        let index = same.or_else(|| {
            let unknown = (key.0, key.1, None);
            let earlier = known.get_mut(&unknown).filter(|_| callee.is_some())?;
            let position = earlier.iter().position(|&index| sites[index].last.round < decision.round)?;
            let index = earlier.remove(position);
            known.entry(key).or_default().push(index);
            Some(index)
        });
        let index = if let Some(index) = index {
            sites[index].push(decision);
            index
        } else {
            known.entry(key).or_default().push(sites.len());
            sites.push(Site::new(decision));
            sites.len() - 1
        };
        latest = Some((index, key));
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(round: u32, line: u32, callee: Option<&str>, reason: Reason) -> Decision {
        Decision {
            round,
            function: Some("camlT__f_1".into()),
            places: vec![Place { line, ..Place::default() }],
            callee: callee.map(Into::into),
            depth: 0,
            reason,
        }
    }

    #[test]
    fn rounds_are_about_the_same_calls() {
        let decisions = [
            decision(0, 1, Some("g"), Reason::TooLarge { size: None, limit: 10 }),
            decision(0, 1, Some("g"), Reason::SingleUse),
            decision(0, 2, None, Reason::UnknownFunction),
            decision(0, 3, None, Reason::UnknownFunction),
            decision(1, 1, Some("g"), Reason::Stub),
            decision(1, 2, Some("h"), Reason::SingleUse),
            decision(1, 3, None, Reason::UnknownFunction),
        ];
        let sites = sites(&decisions);
        let verdicts: Vec<_> =
            sites.iter().map(|s| (s.locations()[0].line, s.callee(), s.verdict())).collect();
        assert_eq!(
            verdicts,
            [
                (1, Some("g"), Verdict::Inlined),
                (1, Some("g"), Verdict::Inlined),
                (2, Some("h"), Verdict::Inlined),
                (3, None, Verdict::Kept),
            ]
        );
        let rounds: Vec<usize> = sites.iter().map(|site| site.decisions.len()).collect();
        assert_eq!(rounds, [2, 1, 2, 2]);
    }

    #[test]
    fn what_is_not_inlined_may_be_specialised() {
        let specialised = Reason::Specialised { parameters: vec!["f".into()], size: 3 };
        let decisions = [
            decision(0, 1, Some("g"), Reason::Recursive),
            decision(0, 1, Some("g"), specialised.clone()),
            decision(0, 1, Some("g"), specialised.clone()),
            decision(0, 2, Some("g"), specialised),
        ];
        let counts: Vec<usize> = sites(&decisions).iter().map(|site| site.decisions.len()).collect();
        assert_eq!(counts, [2, 1, 1]);
    }

    #[test]
    fn calls_of_one_round_are_different_ones() {
        let decisions = [
            decision(0, 1, None, Reason::UnknownFunction),
            decision(0, 1, Some("g"), Reason::SingleUse),
            decision(0, 1, None, Reason::UnknownFunction),
        ];
        assert_eq!(sites(&decisions).len(), 3);
    }
}
