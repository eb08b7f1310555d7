//! Profiles by counting (features B16): how often each function, and each branch in it, ran.
//!
//! A unit is counted as it comes from its source, before any pass: [`count::insert`] adds counters to it, as many as
//! its control flow needs ([`flow`]), which lie in static data that is the record of the unit in the file ([`record`]),
//! so that a program writes its data as they are. [`heat::apply`] finds the same places in the same unit, compiled
//! again, and says how often they ran. What these places are, and by what they are found again, is in [`points`].
//! `docs/design/profiles.md`.

pub mod count;
mod estimate;
pub mod flow;
pub mod heat;
pub mod points;
pub mod record;

pub use heat::Matched;
pub use record::{CorruptProfile, Profile};
