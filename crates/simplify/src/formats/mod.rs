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
//! What prints to a string has a shorter way ([`strings`]). What is not known here stays with the interpreter, the
//! whole call. So do calls on the way to an error, and those of the toplevel outside of loops: they would only be
//! larger.

mod accumulate;
mod put;
mod read;
mod strings;
mod text;

use flambeau_ir::decision::{Policy, Reason};
use flambeau_ir::naming::Naming;
use flambeau_ir::prim::{External, NativeRepr};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, CodeId, Expr, Item, Named, Prim, Rewrite, Simple, Symbol, Terminator};
use flambeau_types::Ty;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::Simplifier;
use crate::continuations::ContState;
use read::{Amount, Base, Conversion, Piece};
use strings::prints_to_string;
use text::Text;

/// The symbols of the unit with the interpreter, and of that with the functions that print.
const INTERPRETER: &str = "camlCamlinternalFormat";
const PRINTF: &str = "camlStdlib__Printf";
/// The format of C by which a later pass makes strings of integers without the runtime (`docs/passes/decimal.md`): what
/// is printed often so stays a call by it, with nothing else in the format.
pub const DECIMAL: &str = "%d";
/// Functions that pass a format on are inlined up to this size, with the closures that they make.
const LARGEST: u32 = 80;
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
    /// Strings that were made, as static data.
    strings: FxHashMap<Vec<u8>, Symbol>,
    budgets: Budgets,
}

/// What laid out formats may still add to the unit.
#[derive(Clone, Copy, Debug, Default)]
struct Budgets {
    in_loops: u32,
    /// Elsewhere a part of it, half of what is for small units and a quarter of what is beyond: nobody knows how often
    /// that runs.
    elsewhere: u32,
}

impl Formats {
    /// `any`: what any unit may grow by; `budget`: what this one may.
    #[must_use]
    pub fn new(any: u32, budget: u32) -> Formats {
        let elsewhere = any / 2 + budget.saturating_sub(any) / 4;
        let budgets = Budgets { in_loops: budget, elsewhere };
        Formats { budgets, ..Formats::default() }
    }
}

/// A call that prints by a known format.
struct Printed {
    pieces: Vec<Piece>,
    /// The call that gives it the arguments of the format.
    application: Apply,
    /// The budgets without it.
    left: Budgets,
}

/// What is called.
#[derive(Clone)]
enum Call {
    /// A function of another unit, by the name of its code.
    Function(String),
    /// A function of the runtime, which takes values and returns one.
    Runtime(&'static str),
    Closure(Simple),
}

impl Simplifier<'_> {
    /// Whether a function is inlined because it prints by a format that is known, with all arguments of that.
    pub(crate) fn prints_known_format(&mut self, apply: &Apply, code: CodeId) -> Option<Reason> {
        // Few calls pass one: only for these it is asked what the function does with it.
        let passed = apply.args.iter().position(|arg| self.is_format(*arg))?;
        if !self.may_lay_out(apply) || self.format_passed_on(code)? != passed {
            return None;
        }
        self.printed(apply, self.format_of(apply.args[passed])?)?;
        Some(Reason::KnownFormat { size: self.whole_size(code, LARGEST)? })
    }

    /// The `fmt` of a format.
    fn format_of(&self, format: Simple) -> Option<Simple> {
        match self.constructor(format)? {
            (0, fields) => fields.first().copied(),
            _ => None,
        }
    }

    /// What a call prints by a `fmt`, if that is known, all its arguments are given, and the budgets are enough.
    fn printed(&mut self, apply: &Apply, fmt: Simple) -> Option<Printed> {
        let pieces = self.pieces(fmt)?;
        let application = self.application(apply, &pieces)?;
        let left = self.paid(apply, &pieces)?;
        Some(Printed { pieces, application, left })
    }

    /// Asks whether a call may be replaced by what it prints, and takes note that it is.
    fn lays_out(&mut self, apply: &Apply, printed: &Printed) -> bool {
        let allowed = self.allow(Rewrite::KnownFormat);
        if allowed {
            self.global.formats.budgets = printed.left;
            // The application is replaced with the call.
            if !printed.application.args.is_empty() {
                self.function.conts.remove(&apply.ret);
            }
        }
        allowed
    }

    /// Whether a value is a literal that the type checker has made a format of.
    fn is_format(&self, value: Simple) -> bool {
        let Simple::Symbol(_) = value else { return false };
        matches!(self.constructor(value), Some((0, fields))
            if matches!(fields[..], [_, text] if matches!(self.env.ty(text), Ty::String(_))))
    }

    /// Whether a call may be replaced at all: not what runs once, or on the way to an error.
    fn may_lay_out(&self, apply: &Apply) -> bool {
        let stays = self.is_measuring()
            || self.rewrites.stubs_only
            || self.function.in_instance
            || self.arguments().policy == Policy::Classic
            || self.is_in_cold(apply)
            || self.function.current.is_none() && !self.is_in_loop(apply);
        !stays
    }

    /// What is left of the budgets if these pieces are laid out; nothing if that is not enough.
    fn paid(&self, apply: &Apply, pieces: &[Piece]) -> Option<Budgets> {
        let cost = PIECE * pieces.iter().map(Piece::calls).sum::<u32>();
        let Budgets { in_loops, elsewhere } = self.global.formats.budgets;
        Some(if self.is_in_loop(apply) {
            Budgets { in_loops: in_loops.checked_sub(cost)?, elsewhere }
        } else {
            Budgets { in_loops, elsewhere: elsewhere.checked_sub(cost)? }
        })
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
        let Terminator::Apply(apply) = &self.body(code)?.terminator else { return None };
        let apply = Apply::clone(apply);
        let naming = &self.unit.naming;
        let format = if interprets(&apply, naming) {
            self.block_of_field(code, apply.args[2])?
        } else if let Some(passed) = prints_to_string(&apply, naming) {
            apply.args[passed]
        } else {
            let callee = match &apply.kind {
                CallKind::Direct(callee) => *callee,
                CallKind::DirectExternal(name) => self.imported(name, &apply)?,
                _ => return None,
            };
            *apply.args.get(self.format_passed_on(callee)?)?
        };
        self.unit.codes[code].params.iter().position(|param| format == Simple::Var(*param))
    }

    /// What a function reads a value from at its beginning, as the first field.
    fn block_of_field(&self, code: CodeId, value: Simple) -> Option<Simple> {
        self.body(code)?.items.iter().find_map(|item| match item {
            Item::Let {
                var,
                named: Named::Prim { prim: Prim::BlockLoad { field: 0, .. }, args, .. },
                ..
            } if value == Simple::Var(*var) => args.first().copied(),
            _ => None,
        })
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

    /// Whether the library describes `Printf`, so that its functions do what is known of them.
    fn has_stock_printf(&mut self) -> bool {
        match self.in_unit(PRINTF, "kfprintf", 3) {
            Some(Call::Function(code)) => self.unit.imports.offers(&code),
            _ => false,
        }
    }

    /// The function that a unit of the library exports under a name, as the linker has it.
    fn in_unit(&mut self, unit: &str, function: &str, arity: usize) -> Option<Call> {
        self.unit.imports.find_unit_of(unit, &mut self.unit.origins);
        let prefix = format!("{unit}{}{function}_", self.unit.naming.separator());
        let found = self.unit.imports.named(unit, &prefix)?;
        (found.arity == arity).then(|| Call::Function(found.code.to_string()))
    }

    /// An argument, with the width and the precision that come before it.
    fn converted(
        &mut self,
        conversion: &Conversion,
        next: &mut impl FnMut() -> Simple,
        call: &Apply,
        items: &mut Vec<Item>,
    ) -> Text {
        let mut amount = |amount: Amount| match amount {
            Amount::Known(amount) => amount,
            Amount::Argument => next(),
        };
        let padding = conversion.padding.as_ref().map(|(fixes, side, width)| (fixes, *side, amount(*width)));
        let precision = conversion.precision.as_ref().map(|(fixes, digits)| (fixes, amount(*digits)));
        let mut text = match &conversion.base {
            Base::String => self.text_of_string(next()),
            Base::Number { function, format } if format == DECIMAL && self.is_in_loop(call) => {
                let args = vec![self.known_string(DECIMAL.into()), next()];
                Text::String(self.called_for(Call::Runtime(function), args, call, items))
            }
            Base::Number { function, format } => Text::Number {
                function: (*function).to_owned(),
                format: format.as_bytes().to_vec(),
                value: next(),
            },
            Base::Function(function, first) => {
                let args = first.iter().copied().chain([next()]).collect();
                Text::String(self.called_for(function.clone(), args, call, items))
            }
            Base::Float(function, conversion, digits) => {
                let args = vec![*conversion, amount(*digits), next()];
                Text::String(self.called_for(function.clone(), args, call, items))
            }
        };
        if let Some((fixes, digits)) = precision {
            let string = self.as_string(text, call, items);
            text = Text::String(self.called_for(fixes.clone(), vec![digits, string], call, items));
        }
        if let Some((fixes, side, width)) = padding {
            let string = self.as_string(text, call, items);
            text = Text::String(self.called_for(fixes.clone(), vec![side, width, string], call, items));
        }
        text
    }

    /// A part of what is printed as a string; not a character.
    fn as_string(&mut self, text: Text, call: &Apply, items: &mut Vec<Item>) -> Simple {
        match text {
            Text::Known(_, Some(string)) | Text::String(string) | Text::Char(string) => string,
            Text::Known(bytes, None) => self.known_string(bytes),
            Text::Number { function, format, value } => self.number(function, format, value, call, items),
        }
    }

    /// The string that a function of the runtime makes of a number by a format of C.
    fn number(
        &mut self,
        function: String,
        format: Vec<u8>,
        value: Simple,
        call: &Apply,
        items: &mut Vec<Item>,
    ) -> Simple {
        let format = self.known_string(format);
        let var = self.unit.new_value("string");
        let prim = Prim::CCall(Box::new(External { tested: true, ..external(&function, 2) }));
        items.push(Item::Let {
            var,
            named: Named::Prim { prim, args: smallvec![format, value], exn: None },
            dbg: call.dbg,
        });
        var.into()
    }

    /// A string as static data, of which there is one each.
    fn known_string(&mut self, bytes: Vec<u8>) -> Simple {
        if let Some(known) = self.global.formats.strings.get(&bytes) {
            return (*known).into();
        }
        let symbol = self.static_string(bytes.clone());
        self.global.formats.strings.insert(bytes, symbol);
        symbol.into()
    }

    /// A call in the middle of a run, in the place of another: what it returns.
    fn called_for(&mut self, call: Call, args: Vec<Simple>, place: &Apply, items: &mut Vec<Item>) -> Simple {
        let (callee, kind, inlined) = match call {
            Call::Runtime(name) => {
                let var = self.unit.new_value("unit");
                let prim = Prim::CCall(Box::new(external(name, args.len())));
                let (args, exn) = (SmallVec::from_vec(args), Some(Box::new(place.exn.clone())));
                items.push(Item::Let { var, named: Named::Prim { prim, args, exn }, dbg: place.dbg });
                return var.into();
            }
            // Where there are many pieces, calls are smaller.
            Call::Function(code) => (None, CallKind::DirectExternal(code), InlineAttribute::Never),
            Call::Closure(closure) => (Some(closure), CallKind::Generic, InlineAttribute::Default),
        };
        self.then(Apply { callee, kind, args, types: Vec::new(), inlined, ..place.clone() }, items)
    }

    /// A call in the middle of a run: what it returns.
    fn then(&mut self, call: Apply, items: &mut Vec<Item>) -> Simple {
        let (cont, result) = (self.unit.new_continuation("printed"), self.unit.new_value("result"));
        let call = Apply { ret: cont, ..call };
        let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
        items.push(Item::Join { cont, params: smallvec![result], body: Box::new(body) });
        result.into()
    }
}

/// A function of the runtime that takes and returns values.
fn external(name: &str, args: usize) -> External {
    External {
        name: name.to_owned(),
        args: vec![NativeRepr::Value; args],
        result: NativeRepr::Value,
        no_result: false,
        alloc: true,
        tested: false,
    }
}

/// Whether a call is one of `make_printf`.
fn interprets(apply: &Apply, naming: &Naming) -> bool {
    apply.args.len() == 3 && is_of(INTERPRETER, "make_printf", apply, naming)
}

/// Whether a call is one of the function of another unit with that name in the source.
fn is_of(unit: &str, function: &str, apply: &Apply, naming: &Naming) -> bool {
    matches!(&apply.kind, CallKind::DirectExternal(name) if is_named(name, unit, function, naming))
}

/// Whether a linker's name is that of a function with that name in the source of a unit.
fn is_named(name: &str, unit: &str, function: &str, naming: &Naming) -> bool {
    name.strip_prefix(unit)
        .and_then(|name| name.strip_prefix(naming.separator()))
        .and_then(|name| name.strip_prefix(function))
        .and_then(|name| name.strip_prefix('_'))
        .is_some_and(|stamp| stamp.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether the function with that linker's name is one of those of the interpreter, beside what its interface has, that
/// known formats are printed with.
#[must_use]
pub fn is_called(name: &str, naming: &Naming) -> bool {
    read::CONVERTING.iter().any(|function| is_named(name, INTERPRETER, function, naming))
}
