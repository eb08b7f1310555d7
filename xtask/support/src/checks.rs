//! What the checks found, and how it is reported.

use similar::TextDiff;

/// A diff longer than this hides the other failures.
const DIFF_LINES: usize = 40;

/// One check that did not hold.
#[derive(Debug)]
pub struct Failure {
    /// Which check.
    pub name: String,
    /// What was seen and what was expected, and how to see it again.
    pub detail: String,
}

/// A count of checks, and those that failed.
#[derive(Debug, Default)]
pub struct Tally {
    /// Checks that held.
    pub passed: usize,
    /// Checks that did not.
    pub failures: Vec<Failure>,
    /// Checks that could not be made here, with the reason.
    pub skipped: Vec<String>,
}

impl Tally {
    /// Counts one more check that held.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    /// Notes one more check that did not hold.
    pub fn fail(&mut self, name: impl Into<String>, detail: impl Into<String>) {
        self.failures.push(Failure { name: name.into(), detail: detail.into() });
    }

    /// One check with its outcome: the error text is the detail.
    pub fn record(&mut self, name: impl Into<String>, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.pass(),
            Err(detail) => self.fail(name, detail),
        }
    }

    /// Takes in the checks of another tally.
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self.skipped.extend(other.skipped);
    }

    /// Whether all checks held.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    /// Prints the failures in detail, what was left out, and at last the totals, alone on their line.
    pub fn print(&self) {
        for failure in &self.failures {
            println!("\nFAILED {}", failure.name);
            for line in failure.detail.lines() {
                println!("    {line}");
            }
        }
        if !self.failures.is_empty() {
            println!();
        }
        for skipped in &self.skipped {
            println!("skipped: {skipped}");
        }
        println!("{} passed, {} failed", self.passed, self.failures.len());
    }
}

/// How `actual` differs from `expected`, as a unified diff.
#[must_use]
pub fn diff(what: &str, expected: &str, actual: &str) -> String {
    let whole = TextDiff::from_lines(expected, actual)
        .unified_diff()
        .context_radius(2)
        .header(&format!("{what}, expected"), &format!("{what}, actual"))
        .to_string();
    let lines: Vec<&str> = whole.lines().collect();
    if lines.len() <= DIFF_LINES {
        return whole;
    }
    format!("{}\n[… {} more lines of diff]\n", lines[..DIFF_LINES].join("\n"), lines.len() - DIFF_LINES)
}
