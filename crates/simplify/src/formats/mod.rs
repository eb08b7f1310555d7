//! Printing by formats that are known. `Printf.printf "x = %d\n" n` is interpreted when the program runs: closures that
//! take the arguments one by one build what is to be printed, and that is walked to print it. Where the format is a
//! constant and all of its arguments are given, the calls that the interpreter would make are left:
//!
//! 1. Functions that pass a format on to `CamlinternalFormat.make_printf`, those of `Printf` and wrappers of these, are
//!    inlined ([`Simplifier::prints_known_format`]).
//! 2. `make_printf` of a known format, applied to its arguments, becomes what it computes: the conversions, and the
//!    blocks of what is to be printed ([`accumulate`]).
//! 3. The function that these are passed to is inlined. In it, the functions that walk such blocks become a call for
//!    each ([`put`]), after which nothing needs the blocks.
//!
//! What is not known here stays with the interpreter, the whole call. So do calls on the way to an error, and those of
//! the toplevel outside of loops: they would only be larger.

mod accumulate;
mod put;
mod read;

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::naming::Naming;
use flambeau_ir::prim::{External, NativeRepr};
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, Dbg, ExnCont, Expr, Item, Named, Prim, Simple, Symbol, Terminator,
    Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::ContState;
use read::Piece;

/// The symbol of the unit with the interpreter.
const INTERPRETER: &str = "camlCamlinternalFormat";
/// Functions that pass a format on are inlined up to this size, with the closures that they make.
const LARGEST: u32 = 200;
/// What a piece of a format is in size: a call with two arguments.
const PIECE: u32 = 5;

/// Constructors of `acc`.
mod acc {
    pub const FORMATTING_LIT: u8 = 0;
    pub const STRING_LITERAL: u8 = 2;
    pub const CHAR_LITERAL: u8 = 3;
    pub const DATA_STRING: u8 = 4;
    pub const DATA_CHAR: u8 = 5;
    pub const DELAY: u8 = 6;
    pub const FLUSH: u8 = 7;
}

/// What was found out about printing.
#[derive(Debug, Default)]
pub struct Formats {
    /// The parameter that a function passes on as the format, if it does nothing else with it.
    passed_on: FxHashMap<CodeId, Option<usize>>,
    /// Formats of C, as static data.
    of_c: FxHashMap<String, Symbol>,
    /// The continuations that calls in loops of the toplevel return to.
    in_loops: FxHashSet<Continuation>,
}

impl Simplifier<'_> {
    /// Whether a function is inlined because it prints by a format that is known, with all arguments of that.
    pub(crate) fn prints_known_format(&mut self, apply: &Apply, code: CodeId) -> Option<Reason> {
        if !self.may_lay_out(apply) {
            return None;
        }
        let param = self.format_passed_on(code)?;
        let (0, format) = self.constructor(*apply.args.get(param)?)? else { return None };
        let pieces = self.pieces(*format.first()?)?;
        self.application(apply, &pieces)?;
        let size = self.whole_size(code, LARGEST)?;
        (cost(&pieces) <= self.global.formats_budget).then_some(Reason::KnownFormat { size })
    }

    /// Whether a call runs more often than once, as far as is known.
    fn may_lay_out(&self, apply: &Apply) -> bool {
        let stays = self.is_measuring()
            || self.rewrites.stubs_only
            || self.function.in_instance
            || self.arguments().policy == Policy::Classic
            || self.is_in_cold(apply)
            || self.function.current.is_none() && !self.global.formats.in_loops.contains(&apply.ret);
        !stays
    }

    /// Notes what of the toplevel runs more than once.
    pub(crate) fn note_toplevel_loops(&mut self, body: &Expr) {
        let in_loops = &mut self.global.formats.in_loops;
        body.walk(&mut |expr| {
            for item in &expr.items {
                let Item::LetCont { recursive: true, handlers } = item else { continue };
                for handler in handlers {
                    handler.body.walk(&mut |expr| {
                        if let Terminator::Apply(apply) = &expr.terminator {
                            in_loops.insert(apply.ret);
                        }
                    });
                }
            }
        });
    }

    /// The parameter that a function passes on as a format, to the interpreter or to a function that does, at its end.
    fn format_passed_on(&mut self, code: CodeId) -> Option<usize> {
        if let Some(known) = self.global.formats.passed_on.get(&code) {
            return *known;
        }
        // If it comes back to itself it does not.
        self.global.formats.passed_on.insert(code, None);
        let found = self.find_format_passed_on(code);
        self.global.formats.passed_on.insert(code, found);
        found
    }

    fn find_format_passed_on(&mut self, code: CodeId) -> Option<usize> {
        let body = self.body(code)?;
        let Terminator::Apply(apply) = &body.terminator else { return None };
        let apply = Apply::clone(apply);
        let mut format = apply
            .args
            .get(2)
            .copied()
            .filter(|_| interprets(&apply, &self.unit.naming))
            .map(|fmt| (fmt, true));
        if format.is_none() {
            let callee = match &apply.kind {
                CallKind::Direct(callee) => *callee,
                CallKind::DirectExternal(name) => self.imported(name, &apply)?,
                _ => return None,
            };
            let param = self.format_passed_on(callee)?;
            format = apply.args.get(param).map(|format| (*format, false));
        }
        let (mut format, is_field) = format?;
        let data = &self.unit.codes[code];
        if is_field {
            format = data.body.items.iter().find_map(|item| match item {
                Item::Let {
                    var,
                    named: Named::Prim { prim: Prim::BlockLoad { field: 0, .. }, args, .. },
                    ..
                } if format == Simple::Var(*var) => args.first().copied(),
                _ => None,
            })?;
        }
        data.params.iter().position(|param| format == Simple::Var(*param))
    }

    /// The call that applies what the interpreter returns to all arguments of a format: if there are none, the call of
    /// the interpreter itself.
    fn application(&self, apply: &Apply, pieces: &[Piece]) -> Option<Apply> {
        let arity: usize = pieces.iter().map(Piece::arity).sum();
        if arity == 0 {
            return Some(Apply { args: Vec::new(), ..apply.clone() });
        }
        let Some(ContState::Pending(handler)) = self.function.conts.get(&apply.ret) else { return None };
        let (Terminator::Apply(second), [result]) = (&handler.rest.terminator, &handler.params[..]) else {
            return None;
        };
        let fits = handler.rest.items.as_slice().is_empty()
            && second.kind == CallKind::Generic
            && second.callee == Some((*result).into())
            && second.args.len() == arity
            && !second.args.contains(&(*result).into());
        fits.then(|| Apply::clone(second))
    }
}

/// Whether a call is one of `make_printf`.
fn interprets(apply: &Apply, naming: &Naming) -> bool {
    apply.args.len() == 3 && is_of_interpreter(apply, "make_printf", naming)
}

/// Whether a call is one of the function of the interpreter with that name in the source.
fn is_of_interpreter(apply: &Apply, function: &str, naming: &Naming) -> bool {
    let CallKind::DirectExternal(name) = &apply.kind else { return false };
    name.strip_prefix(INTERPRETER)
        .and_then(|name| name.strip_prefix(naming.separator()))
        .and_then(|name| name.strip_prefix(function))
        .and_then(|name| name.strip_prefix('_'))
        .is_some_and(|stamp| stamp.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether a function ends by interpreting a format, whichever it is passed: what it has that prints is inlined with
/// it, and goes with it to other units.
pub fn ends_in_interpreter(unit: &Unit, code: CodeId) -> bool {
    matches!(&unit.codes[code].body.terminator, Terminator::Apply(apply) if interprets(apply, &unit.naming))
}

/// What the calls that a format comes to are in size.
fn cost(pieces: &[Piece]) -> u32 {
    PIECE * pieces.len() as u32
}

/// A call of a function of the runtime that takes and returns values.
fn call_of_runtime(var: Variable, name: &str, args: SmallVec<[Simple; 3]>, exn: &ExnCont, dbg: Dbg) -> Item {
    let external = External {
        name: name.to_owned(),
        args: vec![NativeRepr::Value; args.len()],
        result: NativeRepr::Value,
        no_result: false,
        alloc: true,
        tested: false,
    };
    let prim = Prim::CCall(Box::new(external));
    Item::Let { var, named: Named::Prim { prim, args, exn: Some(Box::new(exn.clone())) }, dbg }
}
