//! Tests over whole reports.

mod browser;
mod damage;
mod diffs;
mod fixture;
mod remaining;
mod remarks;
mod renderings;
