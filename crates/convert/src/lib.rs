//! Lambda → IR: CPS and closure conversion in one walk.
//!
//! The Lambda is in the *store form* of `Translmod.transl_store_implementation`: toplevel values are
//! stored one by one into the module block, and later uses read them back. The walk undoes this for all
//! that is known at link time: once the straight line of the toplevel has stored a symbol or a constant
//! in a field, reads of the field, in functions too, are that symbol or constant.
//!
//! Order of evaluation is that of the stock native compiler: operands from right to left, in an application the
//! function first (but last where it is known and gets more or fewer arguments than it takes), in a method call the
//! object, then the method, then the arguments.
//!
//! # Mutable variables
//!
//! Mutable variables are converted to SSA: the environment holds the current value. A continuation takes a parameter
//! for each variable that is assigned in the term whose ends it joins, and an exception handler one for each variable
//! assigned in its `try` ([`flambeau_ir`] says how their values are passed).

mod analysis;
mod apply;
mod bigarrays;
mod builder;
mod constants;
mod control;
mod defaults;
mod env;
mod exports;
mod functions;
mod letrec;
mod methods;
mod primitives;
mod rows;
mod term;

pub use exports::IN_CLOSURE;

use std::collections::BTreeMap;

use flambeau_ir::decision::Warning;
use flambeau_ir::{Dbg, Rewrites, Unit};
use flambeau_lambda::{Approximation, Request};

/// A converted unit.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The IR.
    pub unit: Unit,
    /// What the fields of the module block hold, for units that import this one.
    pub exports: Approximation,
    /// Figures for `-flambeau-profile`.
    pub counters: Vec<(String, u64)>,
    /// What the user is warned of.
    pub warnings: Vec<(Dbg, Warning)>,
    /// Of functions of C that have another name in bytecode, that name.
    pub bytecode_names: BTreeMap<String, String>,
}

/// Why a request could not be converted: the OCaml side sent what is no Lambda.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConvertError(pub String);

/// Converts a unit.
///
/// # Errors
/// When the term is malformed: an unbound identifier or static exception, a wrong number of operands.
pub fn convert(request: &Request, rewrites: &mut Rewrites) -> Result<Converted, ConvertError> {
    builder::Converter::new(request, rewrites).run()
}
