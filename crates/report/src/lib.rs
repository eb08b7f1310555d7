//! Reports: what the inliner decided at each call and why, what would have changed it, and what remains in each
//! function after the last pass (features B12).
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
pub mod remaining;
pub mod sites;
pub mod sources;
pub mod terminal;
pub mod tree;

pub use model::{Build, Report};
