//! What programs cost, beside what they cost when the stock compiler compiles them: allocated words, which are exact;
//! sizes of code and data; instructions and unknown calls, which callgrind counts.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use flambeau_fuzzgen::{COST, KERNEL};

use super::builds::{Build, Difference, Flags, Kind};
use xtask_support::process;
use xtask_support::shell::clean;

/// Callgrind takes fifty times as long as the program; most programs take a few milliseconds.
const PROFILE_LIMIT: Duration = Duration::from_secs(120);
/// Reading sizes takes a few milliseconds.
const SIZE_LIMIT: Duration = Duration::from_secs(20);
/// The minor heap under callgrind, in words: no kernel fills it, so no collection is counted.
const MINOR_HEAP: &str = "s=4M";
/// Makes the runtime of generated programs leave out what takes as long as chance wants.
const ONLY_COSTS: &str = "FZ_ONLY_COSTS";

/// What callgrind writes: with numbers behind it, one file for each dump.
const PROFILE: &str = "profile";

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Words allocated by a kernel or program.
    Words,
    /// Bytes of code of a unit.
    Code,
    /// Bytes of data of a unit, frame tables among them.
    Data,
    /// Instructions of a kernel, with all that it calls.
    Instructions,
    /// Calls of `caml_applyN` by a kernel: those of functions that the compiler does not know.
    UnknownCalls,
}

/// When a figure is too large: so many hundredths of the stock compiler's, and so much beyond it.
struct Limit {
    hundredths: u64,
    beyond: u64,
}

impl Measure {
    /// Whether it takes callgrind to measure.
    pub fn needs_profile(self) -> bool {
        matches!(self, Measure::Instructions | Measure::UnknownCalls)
    }

    fn limit(self) -> Limit {
        match self {
            Measure::Words => Limit { hundredths: 102, beyond: 16 },
            // Copies of functions are what flags ask for; a program of the fuzzer has few that are large.
            Measure::Code | Measure::Data => Limit { hundredths: 300, beyond: 4096 },
            Measure::Instructions => Limit { hundredths: 110, beyond: 400 },
            Measure::UnknownCalls => Limit { hundredths: 110, beyond: 8 },
        }
    }

    fn is_too_much(self, ours: u64, stock: u64) -> bool {
        let limit = self.limit();
        ours * 100 > stock * limit.hundredths && ours > stock + limit.beyond
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Words => "words",
            Measure::Code => "bytes of code",
            Measure::Data => "bytes of data",
            Measure::Instructions => "instructions",
            Measure::UnknownCalls => "unknown calls",
        })
    }
}

/// Figures by the program's name, the kernel's or unit's (empty: the whole program), and what was measured.
pub type Costs = BTreeMap<(String, String, Measure), u64>;

/// A figure that is too large.
#[derive(Clone, Debug)]
pub struct Excess {
    /// The program's name, `pSEED`.
    pub program: String,
    /// The kernel's or unit's; empty for the whole program.
    pub kernel: String,
    /// What was measured.
    pub measure: Measure,
    ours: u64,
    stock: u64,
}

impl Excess {
    /// As a difference, to be investigated.
    pub fn difference(&self, build: &Build) -> Difference {
        let of = if self.kernel.is_empty() { "the whole program" } else { &self.kernel };
        let detail = format!("{of}: {} {}, stock {}\n", self.ours, self.measure, self.stock);
        Difference { build: build.clone(), kind: Kind::Cost(self.measure, self.kernel.clone()), detail }
    }

    /// What findings have in common that are probably one: the shape of the kernel, or for units the first shape of the
    /// program, and the measure.
    pub fn family(&self, first: Option<&str>) -> String {
        let shape = match self.kernel.strip_prefix(KERNEL).and_then(|rest| rest.split_once('_')) {
            Some((_, shape)) => shape.replace('_', " "),
            None if self.kernel.is_empty() => "whole program".to_owned(),
            None => first.unwrap_or("unit").to_owned(),
        };
        format!("{shape}, {}", self.measure)
    }

    /// Ours as hundredths of the stock compiler's.
    pub fn hundredths(&self) -> u64 {
        self.ours * 100 / self.stock.max(1)
    }
}

/// Those flags that change what the code of either compiler costs.
pub fn flags_that_matter(flags: &Flags) -> Flags {
    let mut kept = Flags::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "-unsafe" | "-opaque" | "-linscan" | "-g" => kept.push(flag.clone()),
            "-inline" => kept.extend([flag.clone()].into_iter().chain(flags.next().cloned())),
            _ => {}
        }
    }
    kept
}

/// Whether costs of a build say something: not those of half an optimiser.
pub fn are_comparable(build: &Build) -> bool {
    let halved = ["-flambeau-fuel", "-flambeau-no-simplify", "-flambeau-no-inline", "-inline"];
    !build.flags.iter().any(|flag| halved.contains(&flag.as_str()))
}

/// What is too large of ours, the worst first.
pub fn excesses(ours: &Costs, stock: &Costs) -> Vec<Excess> {
    let mut found: Vec<Excess> = ours
        .iter()
        .filter_map(|((program, kernel, measure), &ours)| {
            let stock = *stock.get(&(program.clone(), kernel.clone(), *measure))?;
            measure.is_too_much(ours, stock).then(|| Excess {
                program: program.clone(),
                kernel: kernel.clone(),
                measure: *measure,
                ours,
                stock,
            })
        })
        .collect();
    found.sort_by_key(|excess| std::cmp::Reverse(excess.hundredths()));
    found
}

/// The costs of what was built in a folder and has run, with this on its standard error output.
pub fn measured(folder: &Path, executable: &Path, said: &str, profile: bool) -> Result<Costs> {
    let mut costs = words(said);
    costs.extend(sizes(folder)?);
    if profile {
        costs.extend(profiled(folder, executable));
    }
    Ok(costs)
}

/// Lines `cost PROGRAM KERNEL WORDS`, or without the kernel.
fn words(said: &str) -> Costs {
    let mut costs = Costs::new();
    for line in said.lines().filter_map(|line| line.strip_prefix(COST)) {
        let fields: Vec<&str> = line.split(' ').collect();
        let (program, kernel, number) = match fields[..] {
            [program, number] => (program, "", number),
            [program, kernel, number] => (program, kernel, number),
            _ => continue,
        };
        if let Ok(number) = number.parse() {
            costs.insert((program.to_owned(), kernel.to_owned(), Measure::Words), number);
        }
    }
    costs
}

/// Code and data of each object in a folder.
fn sizes(folder: &Path) -> Result<Costs> {
    let mut objects = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "o") {
            objects.extend(path.file_name().map(ToOwned::to_owned));
        }
    }
    let mut costs = Costs::new();
    if objects.is_empty() {
        return Ok(costs);
    }
    let printed = process::run(Command::new("size").current_dir(folder).args(objects), SIZE_LIMIT)?;
    for line in printed.out().lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [code, data, .., name] = fields[..] else { continue };
        let unit = name.trim_end_matches(".o");
        let program = unit.split('_').next().unwrap_or_default();
        for (measure, number) in [(Measure::Code, code), (Measure::Data, data)] {
            if let Ok(number) = number.parse() {
                costs.insert((program.to_owned(), unit.to_owned(), measure), number);
            }
        }
    }
    Ok(costs)
}

/// Instructions and unknown calls of each kernel. Nothing where there is no callgrind, or it
/// takes too long.
fn profiled(folder: &Path, executable: &Path) -> Costs {
    let mut command = Command::new("valgrind");
    clean(&mut command)
        .current_dir(folder)
        .env("OCAMLRUNPARAM", MINOR_HEAP)
        .env(ONLY_COSTS, "1")
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={PROFILE}"))
        .arg(format!("--dump-before=camlP*__{KERNEL}*"))
        // What calls each kernel, and does nothing else. (A function can't have a dump before and one after it.)
        .arg("--dump-after=camlFz__tried*")
        .arg(executable);
    let mut costs = Costs::new();
    let Ok(run) = process::run(&mut command, PROFILE_LIMIT) else { return costs };
    if !run.exit.is_success() {
        return costs;
    }
    let mut started: Option<(String, String)> = None;
    for number in 1.. {
        let Ok(dump) = fs::read(folder.join(format!("{PROFILE}.{number}"))) else { break };
        let dump = String::from_utf8_lossy(&dump);
        if let Some((program, kernel)) = started.take() {
            let (instructions, calls) = of_dump(&dump);
            for (measure, count) in [(Measure::Instructions, instructions), (Measure::UnknownCalls, calls)] {
                costs.insert((program.clone(), kernel.clone(), measure), count);
            }
        }
        let trigger = dump.lines().find_map(|line| line.strip_prefix("desc: Trigger: --dump-before="));
        started = trigger.and_then(|symbol| kernel_of(symbol.trim()));
    }
    costs
}

/// The instructions and the calls of functions that the compiler does not know in one dump of callgrind.
fn of_dump(text: &str) -> (u64, u64) {
    let (mut instructions, mut calls) = (0, 0);
    let (mut callee_is_unknown, mut is_inclusive) = (false, false);
    for line in text.lines() {
        if let Some(callee) = line.strip_prefix("cfn=") {
            callee_is_unknown = callee.starts_with("caml_apply");
        } else if let Some(rest) = line.strip_prefix("calls=") {
            is_inclusive = true;
            let count = rest.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            calls += if callee_is_unknown { count } else { 0 };
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let cost = line.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            instructions += if is_inclusive { 0 } else { cost };
            is_inclusive = false;
        }
    }
    (instructions, calls)
}

/// The program and the kernel of a symbol, `camlP12_a__kernel3_shape_271`.
fn kernel_of(symbol: &str) -> Option<(String, String)> {
    let (unit, function) = symbol.strip_prefix("caml")?.split_once("__")?;
    let program = unit.split('_').next()?.to_lowercase();
    // The compilers number functions, each differently.
    let (kernel, _) = function.rsplit_once('_')?;
    Some((program, kernel.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_the_error_output() {
        let costs = words("noise\ncost p3 kernel7_stores 120\ncost p3 900\n");
        assert_eq!(costs[&("p3".into(), "kernel7_stores".into(), Measure::Words)], 120);
        assert_eq!(costs[&("p3".into(), String::new(), Measure::Words)], 900);
    }

    #[test]
    fn a_little_more_is_no_finding_and_a_little_of_much_is_none() {
        assert!(!Measure::Words.is_too_much(16, 0));
        assert!(Measure::Words.is_too_much(17, 0));
        assert!(!Measure::Words.is_too_much(1020, 1000));
        assert!(Measure::Words.is_too_much(1021, 1000));
    }

    #[test]
    fn a_dump_of_callgrind_is_summed_without_what_callees_cost() {
        let text = "fn=camlP3_a__f_1\n10 5\ncfn=caml_apply2\ncalls=3 0\n10 70\n12 6\nfn=caml_apply2\n0 60\n";
        assert_eq!(of_dump(text), (71, 3));
    }

    #[test]
    fn kernels_are_known_by_their_symbols() {
        let kernel = kernel_of("camlP3_a__kernel7_conditional_cons_271");
        assert_eq!(kernel, Some(("p3".into(), "kernel7_conditional_cons".into())));
    }

    #[test]
    fn flags_of_the_baseline() {
        let flags = |text: &str| text.split(' ').map(str::to_owned).collect::<Flags>();
        assert_eq!(
            flags_that_matter(&flags("-O3 -unsafe -inline 200 -flambeau-verify")),
            flags("-unsafe -inline 200")
        );
    }
}
