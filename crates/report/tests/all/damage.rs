//! Damaged reports are refused or shown, and nothing worse.

use flambeau_report::terminal::{self, Palette};
use flambeau_report::{diff, html, json};

use crate::fixture;

/// A sequence of numbers that is the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

#[test]
fn damaged_reports() {
    let report = fixture::report();
    let text = json::write(&report).unwrap_or_else(|error| panic!("{error}")).into_bytes();
    let mut numbers = Numbers(5);
    let (mut refused, mut shown) = (0, 0);
    for round in 0..600 {
        let mut damaged = text.clone();
        let position = numbers.below(damaged.len());
        match round % 3 {
            0 => damaged.truncate(position),
            1 => damaged[position] = b"09-{}\"xe.\xff"[numbers.below(10)],
            // A number becomes the largest one.
            _ => {
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let start = position + damaged[position..].iter().position(is_digit).unwrap_or(0);
                let length = damaged[start..].iter().take_while(|byte| is_digit(byte)).count();
                damaged.splice(start..start + length, *b"4294967295");
            }
        }
        match json::read(&damaged) {
            Err(cause) => {
                refused += 1;
                assert!(!cause.to_string().is_empty());
            }
            Ok(damaged) => {
                shown += 1;
                let both = [damaged, report.clone()];
                assert!(html::render(&both).ends_with("</html>"));
                assert!(!terminal::render(&both, Palette { colours: true }).is_empty());
                assert!(!diff::render(&diff::diff(&both[..1], &both[1..])).is_empty());
            }
        }
    }
    assert!(refused > 100 && shown > 100, "{refused} refused, {shown} shown");
}
