//! Bounds on the version of OCaml, as tests give them: `< 5.0`, or `>= 4.14 < 5.4`.

use std::cmp::Ordering;

use anyhow::{Context, Result, bail};

/// All of these hold for a version that is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds(Vec<(Comparison, Vec<u32>)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    AtLeast,
}

impl Bounds {
    /// Reads words that are alternately an operator and a version.
    ///
    /// # Errors
    ///
    /// Fails if a word is not what it must be, or if there is none.
    pub fn parse(text: &str) -> Result<Bounds> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (pairs, rest) = words.as_chunks::<2>();
        if pairs.is_empty() || !rest.is_empty() {
            bail!("not a bound on OCaml's version: {text:?}");
        }
        let bounds = pairs.iter().map(|[operator, version]| {
            let comparison = match *operator {
                "<" => Comparison::Less,
                ">=" => Comparison::AtLeast,
                other => bail!("neither < nor >=: {other}"),
            };
            Ok((comparison, numbers(version)?))
        });
        Ok(Bounds(bounds.collect::<Result<_>>()?))
    }

    /// Whether a version, as `ocamlopt -version` prints it, is within the bounds. Without bounds every version is.
    ///
    /// # Errors
    ///
    /// Fails if `version` is not a version of OCaml.
    pub fn hold(&self, version: &str) -> Result<bool> {
        // Versions under development have a suffix, which does not matter here.
        let number = version.split(['+', '~', '-']).next().unwrap_or(version);
        let number = numbers(number)?;
        Ok(self.0.iter().all(|(comparison, bound)| {
            // Only as many numbers as the bound has: 5.3.0 is not above 5.3.
            let order = number[..number.len().min(bound.len())].cmp(bound);
            match comparison {
                Comparison::Less => order == Ordering::Less,
                Comparison::AtLeast => order != Ordering::Less,
            }
        }))
    }

    /// Adds those of another file of the same program.
    pub fn extend(&mut self, other: Bounds) {
        self.0.extend(other.0);
    }
}

fn numbers(version: &str) -> Result<Vec<u32>> {
    version
        .split('.')
        .map(|number| number.parse().with_context(|| format!("not a version of OCaml: {version:?}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(bounds: &str, version: &str) -> bool {
        Bounds::parse(bounds).and_then(|bounds| bounds.hold(version)).expect("bounds and a version")
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(hold("< 5.0", "4.14.1") && hold("< 5.10", "5.9.0") && !hold("< 5.0", "5.0.0"));
        assert!(hold(">= 4.14", "4.14.0") && hold(">= 4.14", "5.3.0") && !hold(">= 4.14", "4.13.1"));
        assert!(hold(">= 5.3", "5.3.0~beta1") && hold(">= 5", "5.3.0+flambda") && !hold("< 5.3", "5.3.0"));
        assert!(hold(">= 4.14 < 5.4", "5.3.0") && !hold(">= 4.14 < 5.4", "5.4.1"));
        assert!(Bounds::default().hold("5.3.0").expect("a version"));
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["", "5.0", "<", "< x", "<= 5.0", "< 5.0 >="] {
            assert!(Bounds::parse(text).is_err(), "{text}");
        }
    }
}
