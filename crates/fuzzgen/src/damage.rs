//! Damaged bytes, for the readers of files.

use crate::rng::Rng;

/// Bytes that readers treat specially: limits of variable-length numbers, tags, brackets.
const SPECIAL: &[u8] = b"\x00\x01\x02\x7f\x80\x81\xfe\xff(){}[],:=->|/@#$`\" \n09aZ_*'.\\";

/// A damaged copy of `valid`: up to eight changes, each a changed, removed, doubled or inserted stretch, or one that
/// comes from `other`, or a cut.
pub fn damage(rng: &mut Rng, valid: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for _ in 0..=rng.below(3) * rng.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = rng.below(bytes.len());
        let end = (at + 1 + rng.below(12)).min(bytes.len());
        match rng.below(9) {
            0 => bytes[at] = *rng.pick(SPECIAL),
            1 => bytes[at] ^= 1 << rng.below(8),
            2 => bytes[at] = rng.bits() as u8,
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let times = [1, 1, 2, 50][rng.below(4)];
                bytes.splice(at..at, copy.repeat(times));
            }
            5 => {
                // A number far too large.
                let long = vec![0xff; rng.range(1, 10)];
                bytes.splice(at..at, long);
            }
            6 => bytes.insert(at, *rng.pick(SPECIAL)),
            7 if !other.is_empty() => {
                let from = rng.below(other.len());
                let to = (from + 1 + rng.below(60)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// The most address space that this process has had so far, in bytes; `None` where the system does not report it.
/// Memory that was reserved and never touched counts, too: a length that a reader does not check shows here, if nowhere
/// else.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What the system may reserve beside: 64 MB for the heap of each thread that a test harness starts meanwhile.
const HEAPS: u64 = 256 << 20;

/// The number of inputs between two checks of the memory.
const LOOK: usize = 32;

/// Reads `count` damaged copies of the valid inputs.
///
/// # Panics
/// When the reader does, or when the process takes more than `memory` bytes (and some heaps of threads) more than
/// before.
pub fn survive(seed: u64, valid: &[Vec<u8>], count: usize, memory: u64, mut read: impl FnMut(&[u8])) {
    let mut rng = Rng::new(seed);
    let mut latest = vec![vec![0; 1 << 16]; LOOK];
    let before = peak_memory();
    for round in 0..count {
        let (one, other) = (rng.pick(valid).clone(), rng.pick(valid).clone());
        let damaged = damage(&mut rng, &one, &other);
        read(&damaged);
        latest[round % LOOK] = damaged;
        if (round % LOOK == LOOK - 1 || round + 1 == count)
            && let (Some(before), Some(now)) = (before, peak_memory())
        {
            let longest = latest.iter().map(Vec::len).max().unwrap_or(0);
            assert!(
                now < before + memory + HEAPS,
                "rounds up to {round}: inputs of at most {longest} bytes took {} bytes, one of them:\n{latest:?}",
                now - before
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_small_and_varied() {
        let mut rng = Rng::new(1);
        let valid = b"a valid input of some length".to_vec();
        let all: std::collections::HashSet<Vec<u8>> =
            (0..200).map(|_| damage(&mut rng, &valid, b"another")).collect();
        assert!(all.len() > 150, "{}", all.len());
        assert!(all.iter().any(|bytes| bytes.len() < valid.len()));
    }

    /// Memory that is reserved and never touched is noticed too.
    #[test]
    #[cfg(target_os = "linux")]
    #[should_panic(expected = "took")]
    fn reservations_are_noticed() {
        survive(1, &[vec![1, 2, 3]], 100, 64 << 20, |_| {
            drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 30)));
        });
    }
}
