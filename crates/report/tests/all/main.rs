//! Tests over whole reports.

mod browser;
mod diffs;
mod fixture;
mod remaining;
mod renderings;
