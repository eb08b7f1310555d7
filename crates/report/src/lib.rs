//! Reports: what the inliner decided at each call and why, what would have changed it, and what remains in each
//! function after the last pass (features B12).
//!
//! What remains and was missed is ranked by what it costs ([`remarks`]): [`ranked`] shows the costliest, as text and in
//! the form that editors read; [`sarif`] writes them for other tools.
//!
//! A compilation with `-inlining-report` makes a [`Report`]: data, from which all else is rendered. [`org`] renders it
//! as the files that the manual describes; [`terminal`] as a tree; [`html`] as one page beside the source; [`json`]
//! writes it and reads it back; [`diff`] compares two builds. The explanation of a reason, for all of them, is in
//! [`explain`].
//!
//! The crate knows the intermediate language, and none of the passes.

pub mod diff;
pub mod explain;
pub mod html;
pub mod json;
pub mod model;
pub mod names;
pub mod org;
pub mod ranked;
pub mod remaining;
pub mod remarks;
pub mod samples;
pub mod sarif;
pub mod sites;
pub mod sources;
pub mod terminal;
pub mod tree;

pub use model::{Build, Report};
