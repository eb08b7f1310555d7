//! Compiling units after those that they use, several at once.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use anyhow::Result;

use super::library::Unit;

/// How far all units are.
struct Progress {
    /// Those that may begin, the first in the archive last.
    ready: Vec<usize>,
    /// How many that it uses each one waits for.
    waits_for: Vec<usize>,
    /// How many are being compiled.
    running: usize,
    failure: Option<anyhow::Error>,
}

/// Calls `compile` for each unit, when it is done for all that the unit uses.
///
/// # Errors
/// The first failure; nothing begins after it.
pub fn in_order_of_use(
    units: &[&Unit],
    jobs: usize,
    compile: impl Fn(&Unit) -> Result<()> + Sync,
) -> Result<()> {
    let users = users(units);
    let mut waits_for = vec![0; units.len()];
    for user in users.iter().flatten() {
        waits_for[*user] += 1;
    }
    let ready = (0..units.len()).rev().filter(|unit| waits_for[*unit] == 0).collect();
    let progress = Mutex::new(Progress { ready, waits_for, running: 0, failure: None });
    let changed = Condvar::new();
    let work = || {
        let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = lock();
        loop {
            if now.failure.is_some() {
                return;
            }
            let Some(unit) = now.ready.pop() else {
                if now.running == 0 {
                    return;
                }
                now = changed.wait(now).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            now.running += 1;
            drop(now);
            let result = compile(units[unit]);
            now = lock();
            now.running -= 1;
            match result {
                Ok(()) => now.finish(&users[unit]),
                Err(error) => now.failure = Some(error),
            }
            changed.notify_all();
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(work);
        }
    });
    let progress = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress.failure.map_or(Ok(()), Err)
}

impl Progress {
    /// A unit is done that `users` wait for.
    fn finish(&mut self, users: &[usize]) {
        for user in users.iter().rev() {
            self.waits_for[*user] -= 1;
            if self.waits_for[*user] == 0 {
                self.ready.push(*user);
            }
        }
    }
}

/// Who uses each unit. Libraries are in the order in which they are linked, so that uses go back.
fn users(units: &[&Unit]) -> Vec<Vec<usize>> {
    let numbers: BTreeMap<&str, usize> =
        units.iter().enumerate().map(|(number, unit)| (unit.name.as_str(), number)).collect();
    let mut users = vec![Vec::new(); units.len()];
    for (number, unit) in units.iter().enumerate() {
        for used in unit.uses.iter().filter_map(|name| numbers.get(name.as_str())) {
            if *used < number {
                users[*used].push(number);
            }
        }
    }
    users
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn unit(name: &str, uses: &[&str]) -> Unit {
        Unit { name: name.into(), uses: uses.iter().map(|&used| used.into()).collect(), ..Unit::default() }
    }

    #[test]
    fn users_come_after_what_they_use() {
        let units = [unit("A", &[]), unit("B", &["A"]), unit("C", &["A", "Z"]), unit("D", &["B", "C"])];
        let units: Vec<&Unit> = units.iter().collect();
        for jobs in [1, 3] {
            let done = Mutex::new(Vec::new());
            in_order_of_use(&units, jobs, |unit| {
                let mut done = done.lock().unwrap();
                assert!(unit.uses.iter().all(|used| used == "Z" || done.contains(used)), "{}", unit.name);
                done.push(unit.name.clone());
                Ok(())
            })
            .unwrap();
            assert_eq!(done.into_inner().unwrap().len(), 4);
        }
    }

    #[test]
    fn nothing_begins_after_a_failure() {
        let units = [unit("A", &[]), unit("B", &["A"]), unit("C", &["B"])];
        let units: Vec<&Unit> = units.iter().collect();
        let done = Mutex::new(Vec::new());
        let result = in_order_of_use(&units, 2, |unit| {
            done.lock().unwrap().push(unit.name.clone());
            if unit.name == "B" {
                bail!("B fails");
            }
            Ok(())
        });
        assert_eq!(result.unwrap_err().to_string(), "B fails");
        assert_eq!(done.into_inner().unwrap(), ["A", "B"]);
    }
}
