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

/// How far apart runs of the same thing are, relative to the fastest: how far the median is above it.
///
/// Other processes only ever add to a time, so the minimum is the best estimate of what a program costs; and the
/// more they add to the run in the middle, the likelier is it that even the fastest has some of it.
pub fn noise(values: &[f64]) -> f64 {
    match (minimum(values), median(values)) {
        (Some(least), Some(middle)) if least > 0.0 => (middle - least) / least,
        _ => 0.0,
    }
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
        assert!(near(Some(noise(&[2.0])), 0.0));
        assert!(near(Some(noise(&[])), 0.0));
    }
}
