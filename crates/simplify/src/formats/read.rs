//! Formats that are known: what the type checker made of a literal, which is static data, read as the pieces that
//! printing it consists of. The constructors are those of `CamlinternalFormatBasics`, by their tags.

use flambeau_ir::{Const, Simple};
use flambeau_types::Ty;

use super::{Call, INTERPRETER};
use crate::Simplifier;

/// Longer formats are interpreted.
const PIECES: usize = 64;
/// Wider paddings and longer precisions are no business of C's.
const WIDEST: i64 = 1_000;

/// The functions of the interpreter that are called, which its interface has not.
pub const CONVERTING: [&str; 9] = [
    "convert_float",
    "convert_int",
    "convert_int32",
    "convert_int64",
    "convert_nativeint",
    "fix_int_precision",
    "fix_padding",
    "format_caml_char",
    "string_to_caml_string",
];

/// Constructors of `fmt`.
mod fmt {
    pub const CHAR: u8 = 0;
    pub const CAML_CHAR: u8 = 1;
    pub const STRING: u8 = 2;
    pub const CAML_STRING: u8 = 3;
    pub const INT: u8 = 4;
    pub const INT32: u8 = 5;
    pub const NATIVEINT: u8 = 6;
    pub const INT64: u8 = 7;
    pub const FLOAT: u8 = 8;
    pub const BOOL: u8 = 9;
    pub const FLUSH: u8 = 10;
    pub const STRING_LITERAL: u8 = 11;
    pub const CHAR_LITERAL: u8 = 12;
    pub const ALPHA: u8 = 15;
    pub const THETA: u8 = 16;
    pub const FORMATTING_LIT: u8 = 17;
}

/// What is printed of a format, in order.
#[derive(Clone)]
pub enum Piece {
    /// A string of the format.
    String(Simple),
    /// A character of the format.
    Char(Simple),
    /// `%c`
    CharArgument,
    /// Any other argument that is printed.
    Argument(Conversion),
    /// `%a`
    Printer,
    /// `%t`
    Action,
    /// `%!`
    Flush,
    /// A box, a break: `Format` acts on it, others print it.
    Formatting(Simple),
}

/// How an argument is made a string.
#[derive(Clone)]
pub struct Conversion {
    pub base: Base,
    /// The digits of an integer at least, and what sees to that.
    pub precision: Option<(Call, Amount)>,
    /// On which side what is missing is, how wide it is at least, and what sees to that.
    pub padding: Option<(Call, Simple, Amount)>,
}

/// How an argument is made a string, before anything is done about its length.
#[derive(Clone)]
pub enum Base {
    /// It is one.
    String,
    /// By a function of the runtime, by a format of C.
    Number { function: &'static str, format: String },
    /// By a function of the library, given this first.
    Function(Call, Option<Simple>),
    /// By `convert_float`, given this and a precision first.
    Float(Call, Simple, Amount),
}

/// A width, or a precision.
#[derive(Clone, Copy, PartialEq)]
pub enum Amount {
    Known(Simple),
    /// It is an argument itself, before what is printed (`%*d`).
    Argument,
}

/// Integers of a size.
struct Integers {
    /// The letter before that of the conversion.
    modifier: &'static str,
    function: &'static str,
    convert: &'static str,
}

const INT: Integers = Integers { modifier: "", function: "caml_format_int", convert: "convert_int" };
const INT32: Integers = Integers { modifier: "l", function: "caml_int32_format", convert: "convert_int32" };
const NATIVEINT: Integers =
    Integers { modifier: "n", function: "caml_nativeint_format", convert: "convert_nativeint" };
const INT64: Integers = Integers { modifier: "L", function: "caml_int64_format", convert: "convert_int64" };

/// What is not there: a padding, a precision, the rest of a format.
const NONE: Simple = Simple::Const(Const::Tagged(0));
const ARGUMENT: Simple = Simple::Const(Const::Tagged(1));

impl Piece {
    /// How many arguments it takes.
    pub fn arity(&self) -> usize {
        match self {
            Piece::CharArgument | Piece::Action => 1,
            Piece::Argument(conversion) => conversion.arity(),
            Piece::Printer => 2,
            Piece::String(_) | Piece::Char(_) | Piece::Flush | Piece::Formatting(_) => 0,
        }
    }

    /// How many calls it comes to, about.
    pub fn calls(&self) -> u32 {
        match self {
            Piece::Argument(conversion) => {
                1 + u32::from(!matches!(conversion.base, Base::String))
                    + u32::from(conversion.precision.is_some())
                    + u32::from(conversion.padding.is_some())
            }
            Piece::Printer => 2,
            _ => 1,
        }
    }
}

impl Conversion {
    /// One that does nothing about the length.
    fn plain(base: Base) -> Conversion {
        Conversion { base, precision: None, padding: None }
    }

    fn arity(&self) -> usize {
        let amounts = [
            self.padding.as_ref().map(|(_, _, amount)| *amount),
            self.precision.as_ref().map(|(_, amount)| *amount),
            match self.base {
                Base::Float(_, _, amount) => Some(amount),
                _ => None,
            },
        ];
        1 + amounts.iter().filter(|amount| **amount == Some(Amount::Argument)).count()
    }
}

impl Simplifier<'_> {
    /// The pieces of a `fmt`, if it is static data and all conversions in it are ones that are known here.
    pub(super) fn pieces(&mut self, fmt: Simple) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut rest = fmt;
        while rest != NONE {
            let Simple::Symbol(_) = rest else { return None };
            let (tag, fields) = self.constructor(rest)?;
            let (next, fields) = fields.split_last()?;
            pieces.push(self.piece(tag, fields)?);
            if pieces.len() > PIECES {
                return None;
            }
            rest = *next;
        }
        Some(pieces)
    }

    fn piece(&mut self, tag: u8, fields: &[Simple]) -> Option<Piece> {
        Some(match (tag, fields) {
            (fmt::CHAR, []) => Piece::CharArgument,
            (fmt::FLUSH, []) => Piece::Flush,
            (fmt::STRING_LITERAL, [literal]) => Piece::String(*literal),
            (fmt::CHAR_LITERAL, [literal]) => Piece::Char(*literal),
            (fmt::ALPHA, []) => Piece::Printer,
            (fmt::THETA, []) => Piece::Action,
            (fmt::FORMATTING_LIT, [formatting]) => Piece::Formatting(*formatting),
            _ => Piece::Argument(self.conversion(tag, fields)?),
        })
    }

    fn conversion(&mut self, tag: u8, fields: &[Simple]) -> Option<Conversion> {
        match (tag, fields) {
            (fmt::STRING, [padding]) => self.padded(Conversion::plain(Base::String), *padding),
            (fmt::CAML_STRING, [padding]) => {
                let base = Base::Function(self.converting("string_to_caml_string", 1)?, None);
                self.padded(Conversion::plain(base), *padding)
            }
            (fmt::BOOL, [padding]) => {
                let base = Base::Function(self.in_unit("camlStdlib", "string_of_bool", 1)?, None);
                self.padded(Conversion::plain(base), *padding)
            }
            (fmt::CAML_CHAR, []) => {
                Some(Conversion::plain(Base::Function(self.converting("format_caml_char", 1)?, None)))
            }
            (fmt::INT, [conversion, padding, precision]) => {
                self.integer_conversion(&INT, *conversion, *padding, *precision)
            }
            (fmt::INT32, [conversion, padding, precision]) => {
                self.integer_conversion(&INT32, *conversion, *padding, *precision)
            }
            (fmt::NATIVEINT, [conversion, padding, precision]) => {
                self.integer_conversion(&NATIVEINT, *conversion, *padding, *precision)
            }
            (fmt::INT64, [conversion, padding, precision]) => {
                self.integer_conversion(&INT64, *conversion, *padding, *precision)
            }
            (fmt::FLOAT, [conversion, padding, precision]) => {
                self.float_conversion(*conversion, *padding, *precision)
            }
            _ => None,
        }
    }

    /// The tag and the fields of a block all of whose fields have names here.
    pub(super) fn constructor(&self, block: Simple) -> Option<(u8, Vec<Simple>)> {
        let ty = self.env.ty(block);
        let block = ty.as_block().filter(|block| block.exact)?;
        let field = |ty: &Ty| match ty {
            Ty::Is(simple) => Some(self.env.canonical(*simple)),
            _ => None,
        };
        Some((block.tag, block.fields.iter().map(field).collect::<Option<_>>()?))
    }

    /// A function of the interpreter that its interface has not.
    fn converting(&mut self, function: &str, arity: usize) -> Option<Call> {
        self.in_unit(INTERPRETER, function, arity)
    }

    /// `%d` and the like. What pads in OCaml as C does is left to C; precisions, and the signs between groups of digits
    /// (`%#d`), are not the same there.
    fn integer_conversion(
        &mut self,
        integers: &Integers,
        conversion: Simple,
        padding: Simple,
        precision: Simple,
    ) -> Option<Conversion> {
        const OF_C: [(&str, &str); 13] = [
            ("", "d"),
            ("+", "d"),
            (" ", "d"),
            ("", "i"),
            ("+", "i"),
            (" ", "i"),
            ("", "x"),
            ("#", "x"),
            ("", "X"),
            ("#", "X"),
            ("", "o"),
            ("#", "o"),
            ("", "u"),
        ];
        let Integers { modifier, function, convert } = *integers;
        let of_c = OF_C.get(usize::try_from(immediate(conversion)?).ok()?);
        let number = |flags: &str, padding: String, letter: &str| Base::Number {
            function,
            format: format!("%{flags}{padding}{modifier}{letter}"),
        };
        if let (Some((flag, letter)), Some(padding)) = (of_c, self.padding_of_c(padding))
            && precision == NONE
        {
            return Some(Conversion::plain(number(flag, padding, letter)));
        }
        let base = match of_c {
            Some((flag, letter)) => number(flag, String::new(), letter),
            None => Base::Function(self.converting(convert, 2)?, Some(conversion)),
        };
        let precision = match precision {
            NONE => None,
            _ => Some((self.converting("fix_int_precision", 2)?, self.amount(precision)?)),
        };
        self.padded(Conversion { base, precision, padding: None }, padding)
    }

    /// `%f` and the like. Zeros before what is no number are OCaml's own.
    fn float_conversion(
        &mut self,
        conversion: Simple,
        padding: Simple,
        precision: Simple,
    ) -> Option<Conversion> {
        const FLAGS: [&str; 3] = ["", "+", " "];
        const OF_C: [&str; 5] = ["f", "e", "E", "g", "G"];
        /// `%F`, which prints more digits than the others if it is not said how many.
        const OF_OCAML: i64 = 5;
        let (0, fields) = self.constructor(conversion)? else { return None };
        let [flag, letter] = fields[..] else { return None };
        let letter = immediate(letter)?;
        let flag = FLAGS.get(usize::try_from(immediate(flag)?).ok()?)?;
        let usual = Simple::tagged(if letter == OF_OCAML { 12 } else { -6 });
        let amount = match precision {
            NONE => Amount::Known(usual),
            _ => self.amount(precision)?,
        };
        let digits = match amount {
            Amount::Known(digits) => immediate(digits).map(i64::abs).filter(|digits| *digits <= WIDEST),
            Amount::Argument => None,
        };
        let (Some(letter), Some(digits)) = (OF_C.get(usize::try_from(letter).ok()?), digits) else {
            let base = Base::Float(self.converting("convert_float", 3)?, conversion, amount);
            return self.padded(Conversion::plain(base), padding);
        };
        let number = |padding: &str| Base::Number {
            function: "caml_format_float",
            format: format!("%{flag}{padding}.{digits}{letter}"),
        };
        match self.padding_of_c(padding).filter(|padding| !padding.starts_with('0')) {
            Some(padding) => Some(Conversion::plain(number(&padding))),
            None => self.padded(Conversion::plain(number("")), padding),
        }
    }

    /// A padding of the format itself, as C has it.
    fn padding_of_c(&self, padding: Simple) -> Option<String> {
        if padding == NONE {
            return Some(String::new());
        }
        let (0, fields) = self.constructor(padding)? else { return None };
        let [side, width] = fields[..] else { return None };
        let width = immediate(width).filter(|width| (1..=WIDEST).contains(width))?;
        let side = *["-", "", "0"].get(usize::try_from(immediate(side)?).ok()?)?;
        Some(format!("{side}{width}"))
    }

    /// A conversion with a padding.
    fn padded(&mut self, conversion: Conversion, padding: Simple) -> Option<Conversion> {
        if padding == NONE {
            return Some(conversion);
        }
        let (side, amount) = match self.constructor(padding)? {
            (0, fields) => (*fields.first()?, Amount::Known(*fields.get(1)?)),
            (1, fields) => (*fields.first()?, Amount::Argument),
            _ => return None,
        };
        let padding = Some((self.converting("fix_padding", 3)?, side, amount));
        Some(Conversion { padding, ..conversion })
    }

    /// A precision that there is.
    fn amount(&self, precision: Simple) -> Option<Amount> {
        if precision == ARGUMENT {
            return Some(Amount::Argument);
        }
        let (0, fields) = self.constructor(precision)? else { return None };
        fields.first().copied().map(Amount::Known)
    }
}

fn immediate(simple: Simple) -> Option<i64> {
    match simple {
        Simple::Const(Const::Tagged(n)) => Some(n),
        _ => None,
    }
}
