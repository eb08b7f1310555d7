//! Counting instructions, by `perf`, on machines that let us: virtual ones often don't.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use xtask_support::process;
use xtask_support::shell;

const EVENT: &str = "instructions:u";

/// Whether `perf` is there and the machine counts.
#[must_use]
pub fn can_be_counted() -> bool {
    count(Path::new("/bin/true"), Duration::from_secs(10)).is_ok()
}

/// The instructions in user mode of one run.
///
/// # Errors
///
/// Fails if `perf stat` or the program fails, or if the machine does not count instructions.
pub fn count(executable: &Path, limit: Duration) -> Result<f64> {
    let report = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("perf");
    command.args(["stat", "--field-separator=,", "--event", EVENT, "--output"]).arg(report.path());
    shell::clean(command.arg("--").arg(executable));
    process::run(&mut command, limit)?.expect_success("perf stat")?;
    counted(&std::fs::read_to_string(report.path())?).context("perf counted no instructions")
}

/// The count in the report: the first field of the event's line, or a remark instead.
fn counted(report: &str) -> Option<f64> {
    let line = report.lines().find(|line| line.contains(EVENT))?;
    line.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_or_a_remark() {
        let report = "# started on Sat\n\n123456,,instructions:u,2000,100.00,,\n";
        assert_eq!(counted(report), Some(123_456.0));
        assert_eq!(counted("<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(counted(""), None);
    }
}
