//! Sets of integers.

use smallvec::SmallVec;

/// More elements than this are an interval.
const FEW: usize = 8;

/// A set of integers, or a set that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntSet {
    /// These, increasing; none is the empty set.
    Few(SmallVec<[i64; 2]>),
    /// All between the two, both included; more than [`FEW`].
    Range(i64, i64),
}

impl IntSet {
    /// All 64-bit integers.
    pub const ALL: IntSet = IntSet::Range(i64::MIN, i64::MAX);
    /// What a tagged or untagged OCaml integer may be.
    pub const OCAML: IntSet = IntSet::Range(-(1 << 62), (1 << 62) - 1);

    /// No integer.
    #[must_use]
    pub fn empty() -> IntSet {
        IntSet::Few(SmallVec::new())
    }

    /// One integer.
    #[must_use]
    pub fn one(n: i64) -> IntSet {
        IntSet::Few(SmallVec::from_slice(&[n]))
    }

    /// 0 and 1.
    #[must_use]
    pub fn bool() -> IntSet {
        IntSet::range(0, 1)
    }

    /// All between the two, both included.
    #[must_use]
    pub fn range(low: i64, high: i64) -> IntSet {
        if low > high {
            return IntSet::empty();
        }
        match high.checked_sub(low) {
            Some(width) if (width as usize) < FEW => IntSet::Few((low..=high).collect()),
            _ => IntSet::Range(low, high),
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, IntSet::Few(few) if few.is_empty())
    }

    /// The element, if there is just one.
    #[must_use]
    pub fn as_one(&self) -> Option<i64> {
        match self {
            IntSet::Few(few) if few.len() == 1 => Some(few[0]),
            _ => None,
        }
    }

    /// The elements, if they are few.
    #[must_use]
    pub fn as_few(&self) -> Option<&[i64]> {
        match self {
            IntSet::Few(few) => Some(few),
            IntSet::Range(..) => None,
        }
    }

    /// Least and greatest element.
    #[must_use]
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            IntSet::Few(few) => Some((*few.first()?, *few.last()?)),
            IntSet::Range(low, high) => Some((*low, *high)),
        }
    }

    /// Whether the integer may be in it.
    #[must_use]
    pub fn contains(&self, n: i64) -> bool {
        match self {
            IntSet::Few(few) => few.contains(&n),
            IntSet::Range(low, high) => (*low..=*high).contains(&n),
        }
    }

    /// Whether all of the other's elements are in it.
    #[must_use]
    pub fn includes(&self, other: &IntSet) -> bool {
        match (self, other) {
            (_, IntSet::Few(few)) => few.iter().all(|n| self.contains(*n)),
            (IntSet::Range(a, b), IntSet::Range(c, d)) => a <= c && d <= b,
            (IntSet::Few(_), IntSet::Range(..)) => false,
        }
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &IntSet) -> IntSet {
        if let (IntSet::Few(a), IntSet::Few(b)) = (self, other) {
            let mut all: SmallVec<[i64; 2]> = a.iter().chain(b).copied().collect();
            all.sort_unstable();
            all.dedup();
            if all.len() <= FEW {
                return IntSet::Few(all);
            }
            return IntSet::Range(all[0], all[all.len() - 1]);
        }
        match (self.bounds(), other.bounds()) {
            (Some((a, b)), Some((c, d))) => IntSet::range(a.min(c), b.max(d)),
            (Some(_), None) => self.clone(),
            (None, _) => other.clone(),
        }
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &IntSet) -> IntSet {
        match (self, other) {
            (IntSet::Few(few), set) | (set, IntSet::Few(few)) => {
                IntSet::Few(few.iter().copied().filter(|n| set.contains(*n)).collect())
            }
            (IntSet::Range(a, b), IntSet::Range(c, d)) => IntSet::range(*a.max(c), *b.min(d)),
        }
    }

    /// Without one element, if that can be said.
    #[must_use]
    pub fn without(&self, n: i64) -> IntSet {
        match self {
            IntSet::Few(few) => IntSet::Few(few.iter().copied().filter(|m| *m != n).collect()),
            IntSet::Range(low, high) if *low == n => IntSet::range(low + 1, *high),
            IntSet::Range(low, high) if *high == n => IntSet::range(*low, high - 1),
            IntSet::Range(..) => self.clone(),
        }
    }

    /// The images of all pairs, if both are few and the function is defined on all pairs.
    pub fn map2(&self, other: &IntSet, f: impl Fn(i64, i64) -> Option<i64>) -> Option<IntSet> {
        let (a, b) = (self.as_few()?, other.as_few()?);
        let mut all = SmallVec::<[i64; 2]>::new();
        for &x in a {
            for &y in b {
                all.push(f(x, y)?);
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.len() {
            0..=FEW => Some(IntSet::Few(all)),
            n => Some(IntSet::range(all[0], all[n - 1])),
        }
    }
}
