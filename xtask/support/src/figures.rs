//! What an OCaml program allocates, as its runtime counts it, and how figures are compared.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// Makes the runtime of an OCaml program print the memory manager's counters to standard error at exit.
pub fn count_words(command: &mut Command) -> &mut Command {
    command.env("OCAMLRUNPARAM", "v=0x400")
}

/// The allocated words, from the counters; what was promoted counts once.
///
/// # Errors
///
/// Fails if a counter is missing, or if the sum is negative.
pub fn words(counters: &str) -> Result<f64> {
    let value = |name: &str| -> Result<f64> {
        counters
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .and_then(|value| value.trim().parse().ok())
            .with_context(|| format!("no {name} in the runtime's counters: {counters}"))
    };
    let words = value("minor_words")? + value("major_words")? - value("promoted_words")?;
    if words < 0.0 {
        bail!("the runtime's counters make no sense: {counters}");
    }
    Ok(words)
}

/// Our figure in parts of the stock compiler's.
#[must_use]
pub fn ratio(ours: f64, theirs: f64) -> String {
    if theirs > 0.0 { format!("{:.2}", ours / theirs) } else { "-".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promoted_words_count_once() -> Result<()> {
        let found = words("minor_words: 100\npromoted_words: 30\nmajor_words: 50\n")?;
        assert!((found - 120.0).abs() < 0.5);
        assert!(words("nothing").is_err());
        Ok(())
    }
}
