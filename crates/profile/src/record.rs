//! The file of a profile: records, one after another. A program appends those of its units when it ends, each by one
//! write; so runs add up, one after another and at the same time, and putting files together is putting their bytes
//! together.
//!
//! A record is made of words of 8 bytes, the lowest byte first: the magic; its length in bytes; the length of its
//! table in bytes; the check sum of the table; the table; the counters. The table is text, filled up with line ends:
//! the name of the unit, then a line for each function: by a sign for each of its counters, which of them add up to its
//! calls ([`crate::flow::Flow::signs_of_entry`]); its position; its shape in hexadecimal digits; its path; with blanks
//! between. The counters are in the order of the functions.

use std::collections::hash_map::Entry;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::points::{Counted, Key, Shape};

const MAGIC: &[u8; 8] = b"FLBPROF2";

/// The bytes before the table.
const HEAD: usize = 32;

/// What a record should not exceed: a channel of OCaml writes so much at once.
const LARGE: usize = 60_000;

/// The bytes that a function adds to a record.
fn size(function: &Counted) -> usize {
    9 * function.counters() + function.key.path.len() + 48
}

/// Divides functions so that each part fits a record.
#[must_use]
pub fn parts(functions: &[Counted]) -> Vec<&[Counted]> {
    let mut parts = Vec::new();
    let (mut start, mut whole) = (0, 0);
    for (index, function) in functions.iter().enumerate() {
        if whole + size(function) > LARGE && index > start {
            parts.push(&functions[start..index]);
            (start, whole) = (index, 0);
        }
        whole += size(function);
    }
    parts.push(&functions[start..]);
    parts
}

/// A record in which all counters are 0, and the word at which they begin.
#[must_use]
pub fn empty(unit: &str, functions: &[Counted]) -> (Vec<u8>, u32) {
    let lines = functions.iter().map(|function| line(&function.key, &function.flow.signs_of_entry()));
    let table = table(unit, lines);
    let counters: usize = functions.iter().map(Counted::counters).sum();
    let first = (HEAD + table.len()) / 8;
    (record(&table, &vec![0; counters]), first as u32)
}

fn line(key: &Key, signs: &str) -> String {
    format!("{signs} {} {:x} {}\n", key.position, key.shape, key.path)
}

fn table(unit: &str, lines: impl Iterator<Item = String>) -> String {
    let mut table = format!("{unit}\n");
    table.extend(lines);
    while !table.len().is_multiple_of(8) {
        table.push('\n');
    }
    table
}

fn record(table: &str, counters: &[u64]) -> Vec<u8> {
    let length = HEAD + table.len() + 8 * counters.len();
    let mut bytes = MAGIC.to_vec();
    for word in [length as u64, table.len() as u64, sum(table)] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(table.bytes());
    counters.iter().for_each(|counter| bytes.extend(counter.to_le_bytes()));
    bytes
}

fn sum(table: &str) -> u64 {
    let mut sum = Shape::default();
    sum.bytes(table.as_bytes());
    sum.0
}

/// A file that is no profile, or is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptProfile {
    /// The byte at which the record begins that can't be read.
    pub at: usize,
    /// What is wrong with it.
    pub cause: &'static str,
}

impl fmt::Display for CorruptProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in the record at byte {}", self.cause, self.at)
    }
}

/// What was counted of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Which counters add up to its calls: `+`, `-`, or `.`.
    signs: String,
    /// Its counters.
    pub counters: Vec<u64>,
}

impl Counts {
    /// How often it was called.
    #[must_use]
    pub fn calls(&self) -> u64 {
        let signed = self.signs.bytes().zip(&self.counters).map(|(sign, count)| match sign {
            b'+' => i128::from(*count),
            b'-' => -i128::from(*count),
            _ => 0,
        });
        u64::try_from(signed.sum::<i128>().max(0)).unwrap_or(u64::MAX)
    }

    fn add(&mut self, more: &[u64]) {
        self.counters.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
    }
}

/// What was counted, of all units and runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By the name of the unit.
    units: FxHashMap<String, FxHashMap<Key, Counts>>,
}

/// A function and what its counters came to.
pub type Figures<'a> = (&'a Key, &'a Counts);

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn read(bytes: &[u8]) -> Result<Profile, CorruptProfile> {
        let mut profile = Profile::default();
        let mut at = 0;
        while at < bytes.len() {
            at += profile.read_record(&bytes[at..]).map_err(|cause| CorruptProfile { at, cause })?;
        }
        Ok(profile)
    }

    /// Adds the record with which the bytes begin, and gives its length.
    fn read_record(&mut self, bytes: &[u8]) -> Result<usize, &'static str> {
        if !bytes.starts_with(MAGIC) {
            return Err("not a profile that flambeau wrote");
        }
        let word = |index: usize| -> Option<u64> {
            let bytes = bytes.get(8 * index..8 * index + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let (Some(length), Some(table), Some(check)) = (word(1), word(2), word(3)) else {
            return Err("cut off");
        };
        let (Ok(length), Ok(table)) = (usize::try_from(length), usize::try_from(table)) else {
            return Err("impossible lengths");
        };
        if bytes.len() < length {
            return Err("cut off");
        }
        let first = table.checked_add(HEAD).filter(|end| *end <= length && end.is_multiple_of(8));
        let Some(first) = first else { return Err("impossible lengths") };
        let text = std::str::from_utf8(&bytes[HEAD..first]).map_err(|_| "damaged table")?;
        if sum(text) != check {
            return Err("damaged table");
        }
        let counters = (first..length).step_by(8).map_while(|at| word(at / 8));
        self.add(text, &mut counters.into_iter())?;
        Ok(length)
    }

    fn add(&mut self, table: &str, counters: &mut dyn Iterator<Item = u64>) -> Result<(), &'static str> {
        let mut lines = table.lines().filter(|line| !line.is_empty());
        let unit = self.units.entry(lines.next().ok_or("a table without a unit")?.to_owned()).or_default();
        for line in lines {
            let (signs, key) = parse(line).ok_or("a line of its table means nothing")?;
            let own: Vec<u64> = counters.take(signs.len()).collect();
            if own.len() != signs.len() {
                return Err("counters are missing");
            }
            let zero = || Counts { signs: signs.to_owned(), counters: vec![0; signs.len()] };
            let known = unit.entry(key).or_insert_with(zero);
            if known.signs != signs {
                return Err("two functions with the same key have different counters");
            }
            known.add(&own);
        }
        if counters.next().is_some() { Err("counters of no function") } else { Ok(()) }
    }

    /// Adds what another profile counted. Where both have the same function with different numbers of counters, the
    /// first one is right.
    pub fn merge(&mut self, other: Profile) {
        for (unit, functions) in other.units {
            let known = self.units.entry(unit).or_default();
            for (key, counts) in functions {
                match known.entry(key) {
                    Entry::Occupied(entry) => entry.into_mut().add(&counts.counters),
                    Entry::Vacant(entry) => drop(entry.insert(counts)),
                }
            }
        }
    }

    /// The profile as a file: a record for each unit, in the order of their names.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (unit, functions) in self.units() {
            let lines = functions.iter().map(|(key, counts)| line(key, &counts.signs));
            let counters: Vec<u64> =
                functions.iter().flat_map(|(_, counts)| counts.counters.iter().copied()).collect();
            bytes.extend(record(&table(unit, lines), &counters));
        }
        bytes
    }

    /// The units and what was counted in their functions, in the order of names and paths.
    #[must_use]
    pub fn units(&self) -> Vec<(&str, Vec<Figures<'_>>)> {
        let mut units: Vec<_> =
            self.units.iter().map(|(unit, functions)| (unit.as_str(), sorted(functions))).collect();
        units.sort_by_key(|(unit, _)| *unit);
        units
    }

    /// What was counted in the functions of a unit, if it was counted.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<&FxHashMap<Key, Counts>> {
        self.units.get(name)
    }

    /// All counters.
    pub fn counters(&self) -> impl Iterator<Item = u64> {
        self.units
            .values()
            .flat_map(|functions| functions.values().flat_map(|counts| counts.counters.iter().copied()))
    }
}

fn sorted(functions: &FxHashMap<Key, Counts>) -> Vec<Figures<'_>> {
    let mut functions: Vec<_> = functions.iter().collect();
    functions.sort_by(|(a, _), (b, _)| (&a.path, a.position, a.shape).cmp(&(&b.path, b.position, b.shape)));
    functions
}

fn parse(line: &str) -> Option<(&str, Key)> {
    let mut words = line.splitn(4, ' ');
    let signs = words.next().filter(|signs| signs.bytes().all(|sign| b"+-.".contains(&sign)))?;
    let position = words.next()?.parse().ok()?;
    let shape = u64::from_str_radix(words.next()?, 16).ok()?;
    Some((signs, Key { path: words.next()?.to_owned(), position, shape }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Block, Flow};

    /// A record of `M.f.(fun)` and `M.g x`.
    fn run(first: u64) -> Vec<u8> {
        let keys = ["M.f.(fun)", "M.g x"].map(|path| Key { path: path.into(), position: 0, shape: 0xabc });
        let table = table("M", [line(&keys[0], "-.+"), line(&keys[1], "+")].into_iter());
        record(&table, &[first, first + 1, first + 2, first + 3])
    }

    #[test]
    fn runs_add_up_and_are_written_as_one() {
        let profile = Profile::read(&[run(1), run(10)].concat()).expect("it is a profile");
        let functions = profile.unit("M").expect("it was counted");
        let of = |path: &str| {
            functions.iter().find(|(key, _)| key.path == path).map(|(_, counts)| counts.counters.clone())
        };
        assert_eq!((of("M.f.(fun)"), of("M.g x")), (Some(vec![11, 13, 15]), Some(vec![17])));
        let calls =
            |path: &str| functions.iter().find(|(key, _)| key.path == path).map(|(_, counts)| counts.calls());
        assert_eq!((calls("M.f.(fun)"), calls("M.g x")), (Some(15 - 11), Some(17)));
        assert_eq!(Profile::read(&profile.write()), Ok(profile.clone()));
        let mut twice = profile.clone();
        twice.merge(profile.clone());
        assert_eq!(twice.counters().sum::<u64>(), 2 * profile.counters().sum::<u64>());
    }

    #[test]
    fn damage_is_found_and_said() {
        let whole = run(1);
        let cause = |bytes: &[u8]| Profile::read(bytes).expect_err("it is damaged").to_string();
        assert_eq!(cause(b"hello"), "not a profile that flambeau wrote, in the record at byte 0");
        let after = cause(&[&whole[..], &whole[..40]].concat());
        assert_eq!(after, format!("cut off, in the record at byte {}", whole.len()));
        let mut other = whole.clone();
        other[HEAD + 3] ^= 1;
        assert_eq!(cause(&other), "damaged table, in the record at byte 0");
        let mut longer = whole.clone();
        longer.extend([0; 8]);
        longer[8..16].copy_from_slice(&(whole.len() as u64 + 8).to_le_bytes());
        assert_eq!(cause(&longer), "counters of no function, in the record at byte 0");
        for end in 1..whole.len() {
            assert!(Profile::read(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn records_are_small_enough_to_be_written_at_once() {
        let counted = |path: String| {
            let key = Key { path, position: 0, shape: 0xabc };
            Counted { code: None, key, flow: Flow::of_blocks(Block::fork(300), 1000) }
        };
        let functions: Vec<Counted> = (0..100).map(|n| counted(format!("M.f{n}"))).collect();
        let parts = parts(&functions);
        assert!(parts.len() > 2);
        assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), 100);
        assert!(parts.iter().all(|part| empty("M", part).0.len() <= 1 << 16));
    }
}
