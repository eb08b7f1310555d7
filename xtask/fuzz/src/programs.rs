//! One run over random programs.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use flambeau_fuzzgen::{GENERAL_CODE, Options as Shape, Program};

use super::builds::{self, Behaviour, Build, Compilers, Difference, Look, Settings, Verdict};
use super::costs::{self, Excess};
use super::minimise;
use super::report::Report;
use xtask_support::env;

/// How often a long run prints its progress.
const PROGRESS: Duration = Duration::from_secs(60);

/// What to run.
pub struct Fuzzer {
    /// What is compared.
    pub compilers: Compilers,
    /// The seed of the first program.
    pub first: u64,
    /// The seed behind that of the last program.
    pub last: u64,
    /// No new batches after this time.
    pub deadline: Option<Instant>,
    /// Batches at once.
    pub jobs: usize,
    /// Programs that are compiled in one call.
    pub batch: u64,
    /// Stop after this many differences.
    pub most_differences: usize,
    /// No shrinking, no bisection.
    pub raw: bool,
    /// Only one level or random set of flags for each batch, and the stock native compiler only for what differs.
    pub quick: bool,
    /// Shrink what the stock compilers disagree on too.
    pub unsettled: bool,
    /// Compare what programs cost.
    pub costs: bool,
    /// Of 100 builds of shapes, how many are profiled.
    pub profiled: u64,
    /// Only programs made of shapes.
    pub shapes: bool,
    /// Of the programs made of shapes, only those with one whose name contains this.
    pub with_shape: String,
    /// What programs are like.
    pub shape: Shape,
}

impl Fuzzer {
    /// Runs until the end of the time, the seeds, or the differences.
    pub fn run(&self) -> Result<Report> {
        let next = AtomicU64::new(self.first);
        let report = Mutex::new(Report::new());
        let folder = env::target().join("fuzz");
        let start = Instant::now();
        thread::scope(|scope| -> Result<()> {
            let workers: Vec<_> = (0..self.jobs)
                .map(|_| {
                    scope.spawn(|| -> Result<()> {
                        while let Some(seeds) = self.take(&next, &report) {
                            self.batch(seeds, &folder, &report)?;
                            with(&report, |r| r.tell_progress(start.elapsed(), PROGRESS));
                        }
                        Ok(())
                    })
                })
                .collect();
            for worker in workers {
                worker.join().map_err(|_| anyhow::anyhow!("a worker of the fuzzer panicked"))??;
            }
            Ok(())
        })?;
        let mut report = report.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
        report.elapsed = start.elapsed();
        Ok(report)
    }

    /// The seeds of the next batch; nothing when the run is over.
    fn take(&self, next: &AtomicU64, report: &Mutex<Report>) -> Option<Range<u64>> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let enough = report.lock().map_or(true, |r| r.findings() >= self.most_differences);
        if late || enough {
            return None;
        }
        let from = next.fetch_add(self.batch, Ordering::SeqCst);
        (from < self.last).then(|| from..self.last.min(from + self.batch))
    }

    fn batch(&self, seeds: Range<u64>, folder: &Path, report: &Mutex<Report>) -> Result<()> {
        let first = seeds.start;
        let all: Vec<Program> = seeds.map(|seed| Program::generate(seed, &self.shape)).collect();
        // A program that ends by an exception ends those after it too: it runs by itself.
        let (abrupt, calm): (Vec<&Program>, Vec<&Program>) = all.iter().partition(|p| p.uncaught);
        let (shapes, general): (Vec<&Program>, Vec<&Program>) =
            calm.into_iter().partition(|p| p.shape.is_some());
        let is_wanted = |p: &&Program| p.coverage.keys().any(|name| name.contains(&self.with_shape));
        let shapes: Vec<&Program> = shapes.into_iter().filter(is_wanted).collect();
        // What the general generator made steps out of bounds.
        let (wild, tame): (Vec<&Program>, Vec<&Program>) =
            shapes.into_iter().partition(|p| p.coverage.contains_key(GENERAL_CODE));
        self.group(&tame, &Settings::new(first, self.quick, true), folder, report)?;
        self.group(&wild, &Settings::new(first, self.quick, false), folder, report)?;
        if !self.shapes {
            let settings = Settings::new(first, self.quick, false);
            self.group(&general, &settings, folder, report)?;
            for program in abrupt {
                self.group(&[program], &settings, folder, report)?;
            }
        }
        Ok(())
    }

    /// What a build of programs that are made of shapes is looked at for.
    fn look(&self, first: u64, number: usize) -> Look {
        match self.costs {
            false => Look::Run,
            true if (first.wrapping_mul(37) + number as u64 * 41) % 100 < self.profiled => Look::Profile,
            true => Look::Costs,
        }
    }

    /// Programs that can run one after the other. Those that the stock compilers don't agree on are left out, so
    /// that they don't hide the others from flambeau.
    fn group(
        &self,
        group: &[&Program],
        settings: &Settings,
        folder: &Path,
        report: &Mutex<Report>,
    ) -> Result<()> {
        if group.is_empty() {
            return Ok(());
        }
        // In haste the stock native compiler is asked only about programs that show something.
        let reference = if self.quick && group.len() > 1 {
            builds::oracle(&self.compilers, group)?
        } else {
            builds::reference(&self.compilers, group, &settings.stock)?
        };
        let mut expected = match reference {
            Ok(expected) => expected,
            Err(verdict) => {
                if let [program] = group {
                    with(report, |r| r.add(program, &verdict));
                    return self.left_out(program, &verdict, settings, folder);
                }
                for part in parts(group, &verdict) {
                    self.group(&part, settings, folder, report)?;
                }
                return Ok(());
            }
        };
        let mut settled = group.to_vec();
        let mut different = vec![];
        let mut excesses = vec![];
        for (number, build) in settings.flambeau.iter().enumerate() {
            let look =
                if costs::are_comparable(build) { self.look(group[0].seed, number) } else { Look::Run };
            let ours = if number == 0 {
                let (ours, seen) = builds::built_with_coverage(&self.compilers, &settled, build, look)?;
                with(report, |r| r.saw(&seen));
                ours
            } else {
                builds::built(&self.compilers, &settled, build, look)?
            };
            if builds::differs(&expected, &ours, build).is_none() {
                excesses.extend(self.excesses(&settled, build, &ours, look)?);
                continue;
            }
            let culprits = self.culprits(&settled, settings, build)?;
            settled.retain(|p| !culprits.iter().any(|(q, _)| q.seed == p.seed));
            different.extend(culprits);
            if settled.is_empty() {
                break;
            }
            match builds::oracle(&self.compilers, &settled)? {
                Ok(again) => expected = again,
                Err(_) => break,
            }
        }
        for (program, build, excess) in excesses {
            self.dear(program, &build, &excess, folder, report)?;
        }
        with(report, |r| settled.iter().for_each(|p| r.add(p, &Verdict::Agree)));
        for (program, outcome) in different {
            let difference = match outcome {
                Ok(difference) => difference,
                Err(verdict) => {
                    with(report, |r| r.add(program, &verdict));
                    self.left_out(program, &verdict, settings, folder)?;
                    continue;
                }
            };
            let kept_in = folder.join(program.seed.to_string());
            let text = minimise::investigate(&self.compilers, program, &difference, &kept_in, self.raw)?;
            println!("{text}");
            with(report, |r| {
                r.add(program, &Verdict::Differs);
                r.differences.push((program.seed, text));
            });
        }
        Ok(())
    }

    /// What costs more than the stock compiler's code, with the program.
    fn excesses<'p>(
        &self,
        programs: &[&'p Program],
        build: &Build,
        ours: &Behaviour,
        look: Look,
    ) -> Result<Vec<(&'p Program, Build, Excess)>> {
        if look == Look::Run {
            return Ok(vec![]);
        }
        let all = builds::excesses(&self.compilers, programs, build, ours, look)?;
        let with_program = all.into_iter().filter_map(|excess| {
            let program = programs.iter().find(|p| excess.program == format!("p{}", p.seed))?;
            // Of programs made of shapes the kernels are measured; the rest may depend on chance.
            let counts = !(program.shape.is_some() && excess.kernel.is_empty());
            counts.then(|| (*program, build.clone(), excess))
        });
        Ok(with_program.collect())
    }

    /// Counts an excess; the first of its family is kept as a difference is.
    fn dear(
        &self,
        program: &Program,
        build: &Build,
        excess: &Excess,
        folder: &Path,
        report: &Mutex<Report>,
    ) -> Result<()> {
        let mut is_new = false;
        with(report, |r| is_new = r.costs_more(program, build, excess));
        if !is_new {
            return Ok(());
        }
        let kept_in = folder.join(format!("{}-{}", program.seed, excess.kernel));
        let difference = excess.difference(build);
        let text = minimise::investigate(&self.compilers, program, &difference, &kept_in, self.raw)?;
        println!("{text}");
        Ok(())
    }

    /// Those of the programs that show something with these flags, by halving: what, or why it can't be found out.
    fn culprits<'p>(
        &self,
        programs: &[&'p Program],
        settings: &Settings,
        build: &Build,
    ) -> Result<Vec<Culprit<'p>>> {
        if let [program] = programs {
            return Ok(match builds::reference(&self.compilers, programs, &settings.stock)? {
                Err(verdict) => vec![(program, Err(verdict))],
                Ok(expected) => match builds::agrees(&self.compilers, programs, &expected, build)? {
                    None => vec![],
                    Some(difference)
                        if builds::stock_fails_too(&self.compilers, programs, &expected, &difference)? =>
                    {
                        vec![(program, Err(Verdict::Unsettled(difference.detail)))]
                    }
                    Some(difference) => vec![(*program, Ok(difference))],
                },
            });
        }
        let (first, second) = programs.split_at(programs.len() / 2);
        let mut found = vec![];
        for half in [first, second] {
            let shows = half.len() == 1
                || match builds::oracle(&self.compilers, half)? {
                    Ok(expected) => builds::agrees(&self.compilers, half, &expected, build)?.is_some(),
                    Err(_) => true,
                };
            if shows {
                found.extend(self.culprits(half, settings, build)?);
            }
        }
        Ok(found)
    }

    /// Keeps a program that could not be compared; it may be a mistake of ours, or of the stock compilers.
    fn left_out(
        &self,
        program: &Program,
        verdict: &Verdict,
        settings: &Settings,
        folder: &Path,
    ) -> Result<()> {
        let kept_in = folder.join("left-out").join(program.seed.to_string());
        match verdict {
            Verdict::Unsettled(_) if self.unsettled => {
                let text =
                    minimise::investigate_unsettled(&self.compilers, program, &settings.stock, &kept_in)?;
                println!("{text}");
                Ok(())
            }
            Verdict::Unsettled(_) | Verdict::Invalid(_) => minimise::save(program, &kept_in),
            _ => Ok(()),
        }
    }
}

fn with(report: &Mutex<Report>, f: impl FnOnce(&mut Report)) {
    if let Ok(mut report) = report.lock() {
        f(&mut report);
    }
}

/// A program that shows something: a difference, or why it can't be compared.
type Culprit<'p> = (&'p Program, Result<Difference, Verdict>);

/// The parts of a group that could not be compared: a program that the message names and the others, or two halves.
fn parts<'p>(group: &[&'p Program], verdict: &Verdict) -> [Vec<&'p Program>; 2] {
    if let Verdict::Invalid(message) | Verdict::Unsettled(message) = verdict {
        let (named, others): (Vec<_>, Vec<_>) =
            group.iter().partition(|p| message.contains(&format!("p{}_", p.seed)));
        if !named.is_empty() && !others.is_empty() {
            return [named, others];
        }
    }
    let (first, second) = group.split_at(group.len() / 2);
    [first.to_vec(), second.to_vec()]
}
