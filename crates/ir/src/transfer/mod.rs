//! Functions as bytes, for other units: each alone, with all that it refers to by names of the linker.
//!
//! [`mod@export`] takes a function out of a unit; [`mod@import`] puts it into another, with identifiers of that. In
//! between it is a [`Portable`]: the terms of the IR with tables of their own, as dense as can be, in the encoding of
//! `postcard`, and no other program's business: see [`FORMAT`].
//!
//! The bytes may come from a damaged file: [`mod@import`] takes time and memory in proportion to them, and returns an
//! error when they are no function or mention what is in no table. It does not look further: what a pass makes of a
//! function that breaks other rules, the verifier reports ([`check`]).

mod export;
mod import;

use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

use crate::naming::Naming;
use crate::remap::{self, Remap};
use crate::stack::deep;
use crate::{
    ArgType, CodeAttributes, CodeId, Continuation, Dbg, Expr, FunctionKind, FunctionSlot, Inlined, Kind, Loc,
    SetOfClosures, Static, StaticDef, Subkind, Symbol, SymbolData, Unit, Variable, verify,
};

pub use export::{Exported, PlaceOf, export};
pub use import::{Importer, import, own_name};

/// The form of the bytes, which follows from the types of the IR: builds of Flambeau whose forms differ can't read each
/// other's functions.
pub const FORMAT: &str = env!("FLAMBEAU_TRANSFER_FORMAT");

/// Nesting of terms beyond which a function stays in its unit, and which is not read.
const MAX_DEPTH: u32 = 150;

/// A function as it is written: identifiers are indices into these tables.
#[derive(Serialize, Deserialize)]
struct Portable {
    /// Names for people, source files, scopes.
    strings: Vec<String>,
    /// The linker's names of symbols.
    symbols: Vec<String>,
    /// The linker's names of codes that are called, and not among `functions`: code identifiers continue with these.
    called: Vec<String>,
    /// Symbols that are closures of functions among `called`, each with the number of arguments of that.
    closures: Vec<(Symbol, CodeId, u32)>,
    variables: Vec<(u32, Kind, Subkind)>,
    /// Of the variables that have one.
    shapes: Vec<(Variable, ArgType)>,
    continuations: Vec<(u32, bool)>,
    function_slots: Vec<u32>,
    value_slots: Vec<u32>,
    /// Source locations, from 1.
    places: Vec<Place>,
    /// Static data that is exported along: the importing unit has its own.
    statics: Vec<StaticDef>,
    /// The function, then those of the sets of closures that it allocates.
    functions: Vec<Function>,
}

#[derive(Serialize, Deserialize)]
enum Place {
    /// The file, the scope, and where in the file.
    Source(u32, u32, Extent),
    /// A location in an inlined function, by two earlier locations.
    Inlined(Inlined),
}

/// The numbers of a [`Loc`]. Its end is relative to its beginning: most locations begin and end on one line, and small
/// numbers are a byte.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Extent {
    line: u32,
    char_start: u32,
    start_bol: u32,
    chars: u32,
    lines: u32,
    bol: u32,
}

impl Extent {
    fn of(loc: &Loc) -> Extent {
        // Preprocessors write ends that come before their beginnings.
        Extent {
            line: loc.line,
            char_start: loc.char_start,
            start_bol: loc.start_bol,
            chars: loc.char_end.wrapping_sub(loc.char_start),
            lines: loc.end_line.wrapping_sub(loc.line),
            bol: loc.end_bol.wrapping_sub(loc.start_bol),
        }
    }

    fn location(self, file: String, scope: String) -> Loc {
        Loc {
            file,
            line: self.line,
            char_start: self.char_start,
            char_end: self.char_start.wrapping_add(self.chars),
            start_bol: self.start_bol,
            end_bol: self.start_bol.wrapping_add(self.bol),
            end_line: self.line.wrapping_add(self.lines),
            scope,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Function {
    linkage_name: u32,
    params: SmallVec<[Variable; 4]>,
    my_closure: Variable,
    function_slot: FunctionSlot,
    ret: Continuation,
    exn: Continuation,
    result: Kind,
    kind: FunctionKind,
    recursive: bool,
    attributes: CodeAttributes,
    dbg: Dbg,
    #[serde(with = "nested")]
    body: Expr,
}

/// Why bytes could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(String);

/// Terms nest: reading them is bounded, and has room on the stack.
pub(crate) mod nested {
    use super::*;
    use serde::de::Error;

    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }

    /// Serialises a term as it is.
    pub fn serialize<T: Serialize, S: Serializer>(term: &T, serializer: S) -> Result<S::Ok, S::Error> {
        deep(|| term.serialize(serializer))
    }

    /// Refuses what is nested too deeply.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            return Err(D::Error::custom("nested too deeply"));
        }
        DEPTH.set(depth + 1);
        let term = deep(|| T::deserialize(deserializer));
        DEPTH.set(depth);
        term
    }
}

impl Function {
    fn remap(&mut self, r: &mut impl Remap) {
        self.params.iter_mut().for_each(|param| r.variable(param));
        r.variable(&mut self.my_closure);
        r.function_slot(&mut self.function_slot);
        r.continuation(&mut self.ret);
        r.continuation(&mut self.exn);
        r.dbg(&mut self.dbg);
        remap::expr(r, &mut self.body);
    }
}

/// Reads a function and verifies it, in a unit of its own. `origins`: with how many arguments of the inliner it came.
///
/// # Errors
/// When it can't be read, or breaks a rule of the verifier.
pub fn check(bytes: &[u8], origins: usize) -> Result<(), ImportError> {
    let mut unit = Unit::new("Check", Naming::usual("camlCheck"), 0);
    let code = import(&mut unit, bytes, &mut Importer::default(), &vec![None; origins])?;
    let symbol = unit.symbols.push(SymbolData { linkage_name: "camlCheck__function".into(), is_local: true });
    let set = SetOfClosures {
        functions: [(unit.codes[code].function_slot, code)].into_iter().collect(),
        values: Vec::new(),
    };
    let def = StaticDef::Closures { symbols: vec![symbol], set };
    unit.statics.push(Static { exported: true, def });
    verify::verify(&unit)
        .map_err(|errors| ImportError(errors.first().map_or_else(String::new, ToString::to_string)))
}
