//! Running other programs: with a time limit, with their output, with what they cost.

use std::fmt;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

/// A program that prints without end must not fill our memory: the rest of its output is read and dropped.
const OUTPUT_LIMIT: usize = 64 << 20;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// It exited by itself.
    Code(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// We ended it, because it used up its time.
    Timeout,
}

impl Exit {
    /// Whether it is the exit code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::Timeout => f.write_str("timeout"),
        }
    }
}

/// What came out of a process.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Processor time, of it and of the processes that it waited for: steadier than the clock on a busy machine.
    pub cpu: Duration,
    /// Largest resident memory in bytes of it or of one process that it waited for.
    pub memory: u64,
}

impl Outcome {
    /// Standard output as text.
    #[must_use]
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    #[must_use]
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Both streams in one text, for the report of a failure.
    #[must_use]
    pub fn all_output(&self) -> String {
        format!("{}{}", self.out(), self.err())
    }

    /// An error with the process's output unless it exited with code 0.
    ///
    /// # Errors
    ///
    /// Fails, with the end of the output, if the process did not exit with code 0.
    pub fn expect_success(self, what: &str) -> Result<Outcome> {
        if self.exit.is_success() {
            return Ok(self);
        }
        bail!("{what}: {}\n{}", self.exit, tail(&self.all_output(), 40).trim_end())
    }
}

/// Runs a command to its end or to its time limit, and collects its output. Its standard input is empty.
///
/// The command gets a process group of its own, so that what it started ends with it.
///
/// # Errors
///
/// Fails if the command cannot be started or waited for; how it ended is in the outcome.
pub fn run(command: &mut Command, limit: Duration) -> Result<Outcome> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let kill = move || {
        if let Some(group) = group {
            // The error says that nobody is left in the group, which is what we want.
            let _ = kill_process_group(group, Signal::KILL);
        }
    };
    let out = child.stdout.take().map(collect);
    let err = child.stderr.take().map(collect);
    let timed_out = AtomicBool::new(false);
    let (finished, waiting) = mpsc::channel::<()>();
    let ended = thread::scope(|scope| {
        let timed_out = &timed_out;
        scope.spawn(move || {
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                timed_out.store(true, Ordering::SeqCst);
                kill();
            }
        });
        let ended = child.wait4();
        drop(finished);
        ended
    })
    .with_context(|| format!("cannot wait for {command:?}"))?;
    // A stray grandchild would hold our pipes open.
    kill();
    let join = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    Ok(Outcome {
        exit: if timed_out.load(Ordering::SeqCst) { Exit::Timeout } else { exit_of(ended.status) },
        stdout: join(out),
        stderr: join(err),
        cpu: ended.rusage.utime + ended.rusage.stime,
        memory: ended.rusage.maxrss,
    })
}

/// Runs a command whose output the user sees; an error unless it exits with code 0.
///
/// # Errors
///
/// Fails if the command cannot be started, or if its exit code is not 0.
pub fn run_visible(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {}", exit_of(status));
    }
    Ok(())
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut chunk = vec![0; 1 << 16];
        while let Ok(count) = stream.read(&mut chunk) {
            if count == 0 {
                break;
            }
            let room = OUTPUT_LIMIT.saturating_sub(kept.len());
            kept.extend_from_slice(&chunk[..count.min(room)]);
        }
        kept
    })
}

/// The last lines of a text.
#[must_use]
pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    let skipped = all.len().saturating_sub(lines);
    let mut result = String::new();
    if skipped > 0 {
        result = format!("[… {skipped} lines before]\n");
    }
    for line in &all[skipped..] {
        result.push_str(line);
        result.push('\n');
    }
    result
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, limit: u64) -> Outcome {
        run(Command::new("sh").arg("-c").arg(script), Duration::from_millis(limit)).expect("sh runs")
    }

    #[test]
    fn output_and_exit_code_arrive() {
        let outcome = shell("echo out; echo err >&2; exit 3", 10_000);
        assert_eq!(outcome.exit, Exit::Code(3));
        assert_eq!((outcome.out(), outcome.err()), ("out\n".into(), "err\n".into()));
    }

    #[test]
    fn a_signal_is_not_an_exit_code() {
        assert_eq!(shell("kill -SEGV $$", 10_000).exit, Exit::Signal(11));
    }

    #[test]
    fn the_time_limit_ends_grandchildren_too() {
        let start = Instant::now();
        let outcome = shell("(sleep 60; echo late) & sleep 60", 200);
        assert_eq!(outcome.exit, Exit::Timeout);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_stray_grandchild_does_not_hold_us() {
        let start = Instant::now();
        assert_eq!(shell("sleep 60 & exit 0", 30_000).exit, Exit::Code(0));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
