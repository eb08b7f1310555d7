//! Units that cost much more than with stock: each is a defect of ours, or a decision that can be explained.

use super::measure::Measure;
use super::report::UnitPair;

/// How many are printed of each kind.
const PRINTED: usize = 10;

/// What of a unit is compared, and how many times stock's is remarkable.
struct Kind {
    name: &'static str,
    limit: f64,
    of: fn(&Measure) -> f64,
    /// Fewer than this above the limit come from rounding, from alignment, or from the start of a process.
    least: f64,
    unit: &'static str,
}

const KINDS: &[Kind] = &[
    Kind { name: "text", limit: 1.5, of: |measure| measure.text as f64, least: 512.0, unit: "bytes" },
    Kind { name: "data", limit: 1.3, of: |measure| measure.data as f64, least: 256.0, unit: "bytes" },
    Kind { name: "frames", limit: 1.5, of: |measure| measure.frames as f64, least: 512.0, unit: "bytes" },
    Kind { name: "time", limit: 3.0, of: |measure| measure.seconds, least: 0.2, unit: "seconds" },
];

impl Kind {
    /// How much a unit has above the limit.
    fn excess(&self, pair: &UnitPair) -> f64 {
        (self.of)(&pair.ours) - self.limit * (self.of)(&pair.stock)
    }

    /// The units above the limit, the worst first.
    fn outliers<'a>(&self, units: &'a [UnitPair]) -> Vec<&'a UnitPair> {
        let mut found: Vec<&UnitPair> = units.iter().filter(|pair| self.excess(pair) >= self.least).collect();
        found.sort_by(|a, b| self.excess(b).total_cmp(&self.excess(a)));
        found
    }
}

/// Prints, for each kind of cost, how many units are above its limit at any level, and those that are furthest above
/// it.
pub fn print(units: &[UnitPair]) {
    for kind in KINDS {
        let found = kind.outliers(units);
        println!(
            "{} above {} of stock's: {} of {} compilations",
            kind.name,
            kind.limit,
            found.len(),
            units.len()
        );
        for pair in found.iter().take(PRINTED) {
            let (ours, stock) = ((kind.of)(&pair.ours), (kind.of)(&pair.stock));
            println!(
                "  {:>6.2} {:>9} for {:>9} {}: {} {} at {}",
                ours / stock.max(f64::MIN_POSITIVE),
                number(ours),
                number(stock),
                kind.unit,
                pair.package,
                pair.unit,
                pair.level
            );
        }
    }
}

/// Bytes as whole numbers, seconds with two digits.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(unit: &str, ours: u64, stock: u64) -> UnitPair {
        let measure = |text| Measure { units: 1, text, ..Measure::default() };
        UnitPair {
            package: "p".to_owned(),
            unit: unit.to_owned(),
            level: "O3".to_owned(),
            ours: measure(ours),
            stock: measure(stock),
        }
    }

    #[test]
    fn what_is_above_its_limit_is_found_and_the_most_bytes_come_first() {
        let units = [pair("small", 900, 100), pair("even", 1500, 1000), pair("large", 20_000, 10_000)];
        let names: Vec<&str> = KINDS[0].outliers(&units).iter().map(|pair| pair.unit.as_str()).collect();
        assert_eq!(names, ["large", "small"]);
        assert!(KINDS[1].outliers(&units).is_empty());
    }
}
