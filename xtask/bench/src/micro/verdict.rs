//! What is wrong, worse or behind: the columns of a program compared.

use super::corpus::Settings;
use super::outcome::{Outcome, Row};
use crate::compilers::{Column, Maker};

/// Times the stock compiler's instructions that a row may take at most, and how many more: what is done once in a row
/// of a thousand iterations is nothing that one waits for.
const MOST_INSTRUCTIONS: f64 = 1.1;
const MORE_INSTRUCTIONS: f64 = 1000.0;

/// What was found in comparing.
#[derive(Debug, Default)]
pub struct Findings {
    /// Other results than the stock compiler's, or none.
    pub wrong: Vec<String>,
    /// More words, instructions or code than the stock compiler's.
    pub worse: Vec<String>,
    /// More words than those of another optimiser.
    pub behind: Vec<String>,
}

impl Findings {
    /// Whether flambeau does nothing worse than the stock compiler.
    pub fn is_good(&self) -> bool {
        self.wrong.is_empty() && self.worse.is_empty()
    }

    /// Adds what comparing the outcomes of a program shows: one for each column, the stock compiler's first.
    pub fn compare(
        &mut self,
        program: &str,
        settings: &Settings,
        columns: &[Column],
        outcomes: &[Result<Outcome, String>],
    ) {
        let stock = match outcomes.first() {
            Some(Ok(stock)) => stock,
            Some(Err(error)) => return self.wrong.push(format!("{program} by stock: {error}")),
            None => return,
        };
        let others = columns.iter().zip(outcomes).skip(1);
        for (column, outcome) in others.filter(|(column, _)| column.maker == Maker::Flambeau) {
            match outcome {
                Ok(ours) => {
                    self.compare_rows(&format!("{program}, {}", column.name), stock, ours);
                    self.compare_code(&format!("{program}, {}", column.name), settings, stock, ours);
                }
                Err(error) => self.wrong.push(format!("{program} by {}: {error}", column.name)),
            }
        }
        let last = columns.iter().zip(outcomes).rfind(|(column, _)| column.maker == Maker::Flambeau);
        let Some((_, Ok(ours))) = last else { return };
        let flambda1 = columns.iter().position(|column| column.maker == Maker::Flambda1);
        let flambda1 = flambda1.and_then(|at| outcomes.get(at)).and_then(|outcome| outcome.as_ref().ok());
        self.find_behind(program, flambda1, ours);
    }

    fn compare_rows(&mut self, what: &str, stock: &Outcome, ours: &Outcome) {
        for theirs in &stock.rows {
            let name = &theirs.name;
            let Some(row) = named(ours, name) else {
                self.wrong.push(format!("{what}: no row {name:?}"));
                continue;
            };
            if row.digest != theirs.digest {
                self.wrong.push(format!("{what}: {name}: another result than the stock compiler's"));
            }
            if row.words > theirs.words {
                self.worse.push(format!("{what}: {name}: {:.0} words, stock {:.0}", row.words, theirs.words));
            }
            if let (Some(count), Some(most)) = (row.instructions, theirs.instructions)
                && count > MOST_INSTRUCTIONS * most + MORE_INSTRUCTIONS
            {
                self.worse.push(format!(
                    "{what}: {name}: {count:.0} instructions, stock {most:.0} ({:.2})",
                    count / most
                ));
            }
        }
    }

    fn compare_code(&mut self, what: &str, settings: &Settings, stock: &Outcome, ours: &Outcome) {
        let (theirs, code) = (stock.code, ours.code);
        let figures = [
            ("bytes of code", settings.most_text, theirs.text, code.text),
            ("functions", settings.most_functions, theirs.functions, code.functions),
            ("calls of unknown functions", settings.most_unknown, theirs.unknown, code.unknown),
        ];
        for (unit, bound, theirs, ours) in figures {
            if bound.is_some_and(|bound| ours > bound * theirs) {
                self.worse.push(format!("{what}: {ours:.0} {unit}, stock {theirs:.0}"));
            }
        }
    }

    /// `ours`: of the flags that optimise most.
    fn find_behind(&mut self, program: &str, flambda1: Option<&Outcome>, ours: &Outcome) {
        for row in &ours.rows {
            let words = flambda1.and_then(|outcome| named(outcome, &row.name)).map(|row| row.words);
            for (name, words) in [("Flambda 1", words), ("Flambda 2", row.flambda2)] {
                // Flambda 2's figures are of another version of OCaml: what a row allocates once may differ.
                let more = if name == "Flambda 2" { 0.02 * row.words } else { 0.0 };
                if let Some(words) = words.filter(|words| row.words > *words + more) {
                    self.behind
                        .push(format!("{program}: {}: {:.0} words, {name} {words:.0}", row.name, row.words));
                }
            }
        }
    }
}

/// The row of that name.
pub fn named<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a Row> {
    outcome.rows.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::outcome::Code;
    use super::*;

    fn outcome(words: f64, digest: &str, instructions: Option<f64>, text: f64) -> Outcome {
        let row = Row { name: "r".into(), words, digest: digest.into(), flambda2: Some(10.0), instructions };
        Outcome { rows: vec![row], code: Code { text, functions: 1.0, unknown: 0.0 } }
    }

    fn compared(outcomes: [Outcome; 3], settings: &Settings) -> Findings {
        let columns = [(Maker::Stock, ""), (Maker::Flambda1, "-O3"), (Maker::Flambeau, "-O3")]
            .map(|(maker, flags)| Column::new(maker, PathBuf::from("x"), flags));
        let mut findings = Findings::default();
        findings.compare("p", settings, &columns, &outcomes.map(Ok));
        findings
    }

    #[test]
    fn as_good_as_stock_and_behind() {
        let same = || outcome(100.0, "d", Some(1e6), 50.0);
        let findings = compared([same(), outcome(50.0, "d", None, 90.0), same()], &Settings::default());
        assert!(findings.is_good(), "{findings:?}");
        assert_eq!(findings.behind, ["p: r: 100 words, Flambda 1 50", "p: r: 100 words, Flambda 2 10"]);
    }

    #[test]
    fn each_figure_may_be_worse() {
        let stock = || outcome(100.0, "d", Some(1e6), 50.0);
        let cases = [
            (outcome(101.0, "d", Some(1e6), 50.0), "words"),
            (outcome(100.0, "d", Some(1.2e6), 50.0), "instructions"),
            (outcome(100.0, "d", Some(1e6), 101.0), "bytes"),
        ];
        let settings = Settings { most_text: Some(2.0), ..Settings::default() };
        for (ours, word) in cases {
            let findings = compared([stock(), stock(), ours], &settings);
            assert!(findings.wrong.is_empty() && findings.worse.len() == 1, "{findings:?}");
            assert!(findings.worse[0].contains(word), "{findings:?}");
        }
        let findings = compared([stock(), stock(), outcome(1.0, "e", None, 1.0)], &settings);
        assert!(findings.wrong.len() == 1 && findings.worse.is_empty(), "{findings:?}");
    }
}
