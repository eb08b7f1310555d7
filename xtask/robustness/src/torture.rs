//! The units of `cargo xtask bench --torture`, smaller: compiling them takes no more than some times what the stock
//! compiler takes (features G6), what comes out does the same, and where its size is bounded it keeps that.

use anyhow::{Context, Result, bail};

use super::lab::{By, Lab};
use super::{Check, Verdict};
use xtask_bench::torture::{self, SHAPES};

macro_rules! checks {
    ($($name:literal: $shape:literal,)*) => {
        &[$(Check { name: concat!("torture-", $name), run: |lab| torture(lab, $shape) }),*]
    };
}

pub const CHECKS: &[Check] = checks! {
    "parser-with-tables": "parser with tables",
    "parser-of-functions": "parser of functions",
    "extracted-code": "extracted code",
    "recursive-group": "recursive group",
    "group-that-passes-functions": "group that passes functions",
    "chain-of-lets": "chain of lets",
    "tower-of-functors": "tower of functors",
    "wide-functors": "wide functors",
    "optional-arguments": "optional arguments",
    "huge-constants": "huge constants",
    "class-of-many-methods": "class of many methods",
    "nested-closures": "nested closures",
    "doubling": "doubling",
    "doubling-by-attribute": "doubling, [@inline]",
    "closures-doubling-by-attribute": "closures doubling, [@inline]",
    "groups-of-another-unit": "groups of another unit",
    "functions-of-functions": "functions of functions",
    "monads": "monads",
    "loops-and-references": "loops and references",
    "joins-of-variants": "joins of variants",
};

/// More than what is promised, because other checks run at the same time.
const MOST: f64 = 4.0;
/// What the start of a compiler may take more, in seconds: it is a large part of the small times here.
const START: f64 = 0.1;

fn torture(lab: &Lab, name: &str) -> Result<Verdict> {
    let shape = SHAPES.iter().find(|shape| shape.name == name).context("no unit of that name")?;
    let compilers = [lab.compiler(By::Stock), lab.compiler(By::Flambeau)];
    let mut text = String::new();
    // What seems slow is measured once more, with more runs.
    for runs in [1, 3] {
        let [stock, ours] = torture::pair(shape, shape.quick, compilers, runs)?;
        if shape.all_bounded && ours.text > torture::MOST_TEXT * stock.text {
            bail!(
                "code of {} bytes, more than {} times stock's {}",
                ours.text,
                torture::MOST_TEXT,
                stock.text
            );
        }
        text = format!("{:.2} s, stock {:.2} s", ours.seconds, stock.seconds);
        if ours.seconds <= MOST * stock.seconds + START {
            return Ok(Verdict::Measured(text));
        }
    }
    bail!("{text}: more than {MOST} times as long")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_checked() {
        assert_eq!(CHECKS.len(), SHAPES.len());
    }
}
