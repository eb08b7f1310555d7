//! The few statistics that the benchmarks need.

/// The smallest value.
pub fn minimum(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The geometric mean of positive values: the one mean of ratios that does not depend on which side is the divisor.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        if !(value > 0.0 && value.is_finite()) {
            return None;
        }
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The noise of what was measured too seldom to know.
const UNKNOWN_NOISE: f64 = 0.05;

/// How far apart runs of the same thing are, relative to the fastest: how far the median is above it.
///
/// Other processes only ever add to a time, so the minimum is the best estimate of what a program costs; and the
/// more they add to the run in the middle, the likelier is it that even the fastest has some of it. One or two
/// runs say little of that: they count as [`UNKNOWN_NOISE`] at the least.
pub fn noise(values: &[f64]) -> f64 {
    let least = if values.len() < 3 { UNKNOWN_NOISE } else { 0.0 };
    let found = match (minimum(values), median(values)) {
        (Some(least), Some(middle)) if least > 0.0 => (middle - least) / least,
        _ => 0.0,
    };
    found.max(least)
}

/// The slope of the line through the points' logarithms, by least squares: `k` when y grows as x^k.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 2 || points.iter().any(|(x, y)| !(*x > 0.0 && *y > 0.0)) {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|found| (found - wanted).abs() < 1e-9)
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert!(near(median(&[3.0, 1.0, 2.0]), 2.0));
        assert!(near(median(&[4.0, 1.0, 2.0, 3.0]), 2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_half_and_a_double_cancel() {
        assert!(near(geometric_mean([0.5, 2.0]), 1.0));
        assert!(near(geometric_mean([1.0, 10.0, 100.0]), 10.0));
        assert_eq!(geometric_mean([]), None);
        assert_eq!(geometric_mean([1.0, 0.0]), None);
    }

    #[test]
    fn noise_is_relative_to_the_minimum() {
        assert!(near(Some(noise(&[1.0, 1.1, 9.0])), 0.1));
        assert!(near(Some(noise(&[2.0, 2.0, 2.0])), 0.0));
        assert!(near(Some(noise(&[2.0])), UNKNOWN_NOISE));
        assert!(near(Some(noise(&[2.0, 3.0])), 0.25));
    }

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let power = |k: f64| [1e3, 1e4, 1e5].map(|x: f64| (x, 7.0 * x.powf(k)));
        assert!(near(exponent(&power(1.0)), 1.0));
        assert!(near(exponent(&power(2.5)), 2.5));
        assert_eq!(exponent(&[(1.0, 1.0)]), None);
        assert_eq!(exponent(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(exponent(&[(1.0, 0.0), (2.0, 2.0)]), None);
    }
}
