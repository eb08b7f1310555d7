//! Formats that are known: what the type checker made of a literal, which is static data, read as the pieces that
//! printing it consists of. The constructors are those of `CamlinternalFormatBasics`, by their tags.

use flambeau_ir::{Const, Simple};
use flambeau_types::Ty;

use crate::Simplifier;

/// Longer formats are interpreted.
const PIECES: usize = 64;
/// Paddings and precisions beyond are left to the interpreter.
const WIDEST: i64 = 1_000;

/// Constructors of `fmt`.
mod fmt {
    pub const CHAR: u8 = 0;
    pub const STRING: u8 = 2;
    pub const INT: u8 = 4;
    pub const INT32: u8 = 5;
    pub const NATIVEINT: u8 = 6;
    pub const INT64: u8 = 7;
    pub const FLOAT: u8 = 8;
    pub const FLUSH: u8 = 10;
    pub const STRING_LITERAL: u8 = 11;
    pub const CHAR_LITERAL: u8 = 12;
    pub const ALPHA: u8 = 15;
    pub const THETA: u8 = 16;
    pub const FORMATTING_LIT: u8 = 17;
}

/// What is printed of a format, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A string of the format.
    String(Simple),
    /// A character of the format.
    Char(Simple),
    /// `%s`
    StringArgument,
    /// `%c`
    CharArgument,
    /// A number, which a function of the runtime makes a string of by a format of C.
    Number { function: &'static str, format: String },
    /// `%a`
    Printer,
    /// `%t`
    Action,
    /// `%!`
    Flush,
    /// A box, a break: `Format` acts on it, others print it.
    Formatting(Simple),
}

impl Piece {
    /// How many arguments it takes.
    pub fn arity(&self) -> usize {
        match self {
            Piece::StringArgument | Piece::CharArgument | Piece::Number { .. } | Piece::Action => 1,
            Piece::Printer => 2,
            Piece::String(_) | Piece::Char(_) | Piece::Flush | Piece::Formatting(_) => 0,
        }
    }
}

impl Simplifier<'_> {
    /// The pieces of a `fmt`, if it is static data and all conversions in it are ones that are known here.
    pub(super) fn pieces(&self, fmt: Simple) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut rest = fmt;
        while rest != Simple::tagged(0) {
            let Simple::Symbol(_) = rest else { return None };
            let (tag, fields) = self.constructor(rest)?;
            let (piece, next) = match (tag, &fields[..]) {
                (fmt::CHAR, [next]) => (Piece::CharArgument, next),
                (fmt::STRING, [Simple::Const(Const::Tagged(0)), next]) => (Piece::StringArgument, next),
                (fmt::INT, [conversion, padding, precision, next]) => {
                    (self.integer_piece("", "caml_format_int", *conversion, *padding, *precision)?, next)
                }
                (fmt::INT32, [conversion, padding, precision, next]) => {
                    (self.integer_piece("l", "caml_int32_format", *conversion, *padding, *precision)?, next)
                }
                (fmt::NATIVEINT, [conversion, padding, precision, next]) => {
                    let function = "caml_nativeint_format";
                    (self.integer_piece("n", function, *conversion, *padding, *precision)?, next)
                }
                (fmt::INT64, [conversion, padding, precision, next]) => {
                    (self.integer_piece("L", "caml_int64_format", *conversion, *padding, *precision)?, next)
                }
                (fmt::FLOAT, [conversion, padding, precision, next]) => {
                    (self.float_piece(*conversion, *padding, *precision)?, next)
                }
                (fmt::FLUSH, [next]) => (Piece::Flush, next),
                (fmt::STRING_LITERAL, [literal, next]) => (Piece::String(*literal), next),
                (fmt::CHAR_LITERAL, [literal, next]) => (Piece::Char(*literal), next),
                (fmt::ALPHA, [next]) => (Piece::Printer, next),
                (fmt::THETA, [next]) => (Piece::Action, next),
                (fmt::FORMATTING_LIT, [formatting, next]) => (Piece::Formatting(*formatting), next),
                _ => return None,
            };
            pieces.push(piece);
            if pieces.len() > PIECES {
                return None;
            }
            rest = *next;
        }
        Some(pieces)
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

    /// `%d` and the like. What pads in OCaml as C does is left to C; precisions, and the sign between groups of digits
    /// (`%#d`), are not the same there.
    fn integer_piece(
        &self,
        modifier: &str,
        function: &'static str,
        conversion: Simple,
        padding: Simple,
        precision: Simple,
    ) -> Option<Piece> {
        const CONVERSIONS: [(&str, &str); 13] = [
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
        let (flag, letter) = CONVERSIONS.get(usize::try_from(immediate(conversion)?).ok()?)?;
        if precision != Simple::tagged(0) {
            return None;
        }
        let padding = self.padding(padding)?;
        Some(Piece::Number { function, format: format!("%{flag}{padding}{modifier}{letter}") })
    }

    /// `%f` and the like. Zeros before what is no number are OCaml's own.
    fn float_piece(&self, conversion: Simple, padding: Simple, precision: Simple) -> Option<Piece> {
        const FLAGS: [&str; 3] = ["", "+", " "];
        const LETTERS: [&str; 5] = ["f", "e", "E", "g", "G"];
        let (0, conversion) = self.constructor(conversion)? else { return None };
        let [flag, letter] = conversion[..] else { return None };
        let flag = FLAGS.get(usize::try_from(immediate(flag)?).ok()?)?;
        let letter = LETTERS.get(usize::try_from(immediate(letter)?).ok()?)?;
        let precision = if precision == Simple::tagged(0) {
            6
        } else {
            let (0, literal) = self.constructor(precision)? else { return None };
            let [literal] = literal[..] else { return None };
            immediate(literal).filter(|digits| (0..=WIDEST).contains(digits))?
        };
        let padding = self.padding(padding).filter(|padding| !padding.starts_with('0'))?;
        Some(Piece::Number {
            function: "caml_format_float",
            format: format!("%{flag}{padding}.{precision}{letter}"),
        })
    }

    /// A padding of the format itself, as C has it.
    fn padding(&self, padding: Simple) -> Option<String> {
        if padding == Simple::tagged(0) {
            return Some(String::new());
        }
        let (0, literal) = self.constructor(padding)? else { return None };
        let [side, width] = literal[..] else { return None };
        let width = immediate(width).filter(|width| (1..=WIDEST).contains(width))?;
        let side = *["-", "", "0"].get(usize::try_from(immediate(side)?).ok()?)?;
        Some(format!("{side}{width}"))
    }
}

fn immediate(simple: Simple) -> Option<i64> {
    match simple {
        Simple::Const(Const::Tagged(n)) => Some(n),
        _ => None,
    }
}
