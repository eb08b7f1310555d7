//! `Printf.sprintf` and `Printf.ksprintf` of a known format and all its arguments: the strings that it consists of, put
//! together by `^` or `String.concat`, where the library has a buffer for them.

use flambeau_ir::naming::Naming;
use flambeau_ir::prim::Mutability;
use flambeau_ir::{Apply, ApplyCont, CallKind, Continuation, Expr, Item, Named, Prim, Simple, Terminator};
use smallvec::smallvec;

use super::read::Piece;
use super::text::Text;
use super::{Call, INTERPRETER, PRINTF, Printed, is_of};
use crate::Simplifier;
use crate::run::Rest;

/// So many strings are put before another one by one: less code than a list, and as fast.
const APPENDED: usize = 2;

impl Simplifier<'_> {
    /// Replaces a call that prints to a string by what it comes to: returns what the run continues with.
    pub(crate) fn printed_to_string(&mut self, apply: &Apply) -> Option<Rest> {
        let passed = prints_to_string(apply, &self.unit.naming)?;
        let receiver = (passed == 1).then_some(apply.args[0]);
        if !self.may_lay_out(apply) || !self.has_stock_printf() {
            return None;
        }
        let printed = self.printed(apply, self.format_of(apply.args[passed])?)?;
        let makes = self.makes_strings()?;
        if printed.pieces.is_empty()
            || printed.pieces.iter().any(|piece| matches!(piece, Piece::Formatting(_)))
            || !self.lays_out(apply, &printed)
        {
            return None;
        }
        let Printed { pieces, application, .. } = printed;
        let mut items = Vec::new();
        let texts = self.texts(&application, &pieces, &mut items);
        let string = self.concatenated(texts, &makes, &application, &mut items);
        let terminator = match receiver {
            Some(receiver) => Terminator::Apply(Box::new(Apply {
                callee: Some(receiver),
                kind: CallKind::Generic,
                args: vec![string],
                types: Vec::new(),
                ..application.clone()
            })),
            None => returned(string, application.ret, &mut items),
        };
        self.body_in_place(&application, Expr { items, terminator })
    }

    /// Whether a call is one that prints to a string. Where the format is not known the inside of it gains nothing; and
    /// a function that passes its format on is known as that by the call.
    pub(crate) fn interprets_to_string(&self, apply: &Apply) -> bool {
        prints_to_string(apply, &self.unit.naming).is_some()
    }

    /// What is printed. Printers, which return strings, are called in order.
    fn texts(&mut self, call: &Apply, pieces: &[Piece], items: &mut Vec<Item>) -> Vec<Text> {
        let mut texts = Vec::new();
        let mut args = call.args.iter().copied();
        let mut next = || args.next().unwrap_or(Simple::UNIT);
        for piece in pieces {
            let text = match piece {
                Piece::String(string) => self.text_of_string(*string),
                Piece::Char(char) => self.text_of_char(*char),
                Piece::CharArgument => self.text_of_char(next()),
                Piece::Argument(conversion) => self.converted(conversion, &mut next, call, items),
                Piece::Printer => {
                    let (printer, value) = (next(), next());
                    let args = vec![Simple::UNIT, value];
                    Text::String(self.called_for(Call::Closure(printer), args, call, items))
                }
                Piece::Action => {
                    Text::String(self.called_for(Call::Closure(next()), vec![Simple::UNIT], call, items))
                }
                Piece::Flush | Piece::Formatting(_) => continue,
            };
            self.add_text(&mut texts, text);
        }
        texts
    }

    /// The functions that put strings together.
    fn makes_strings(&mut self) -> Option<Makes> {
        // `Printf` was not compiled with `String`, but the interpreter was.
        self.unit.imports.find_unit_of(INTERPRETER, &mut self.unit.origins);
        Some(Makes {
            concat: self.in_unit("camlStdlib__String", "concat", 2)?,
            make: self.in_unit("camlStdlib__String", "make", 2)?,
            append: self.in_unit("camlStdlib", "^", 2),
        })
    }

    /// A new string.
    fn concatenated(
        &mut self,
        texts: Vec<Text>,
        makes: &Makes,
        call: &Apply,
        items: &mut Vec<Item>,
    ) -> Simple {
        let is_new = matches!(&texts[..], [Text::Number { .. } | Text::Char(_)]);
        let strings: Vec<Simple> = texts
            .into_iter()
            .map(|text| match text {
                Text::Char(char) => {
                    self.called_for(makes.make.clone(), vec![Simple::tagged(1), char], call, items)
                }
                text => self.as_string(text, call, items),
            })
            .collect();
        match (&strings[..], &makes.append) {
            ([string], _) if is_new => *string,
            // `String.concat` of one string is that string since OCaml 5.4, and no new one.
            ([string], Some(append)) => {
                let empty = self.known_string(Vec::new());
                self.called_for(append.clone(), vec![empty, *string], call, items)
            }
            ([before @ .., last], Some(append)) if (1..=APPENDED).contains(&before.len()) => {
                before.iter().rev().fold(*last, |after, string| {
                    self.called_for(append.clone(), vec![*string, after], call, items)
                })
            }
            _ => {
                let mut list = Simple::tagged(0);
                for string in strings.into_iter().rev() {
                    let cell = self.unit.new_value("cell");
                    let prim = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
                    let named = Named::Prim { prim, args: smallvec![string, list], exn: None };
                    items.push(Item::Let { var: cell, named, dbg: call.dbg });
                    list = cell.into();
                }
                let empty = self.known_string(Vec::new());
                self.called_for(makes.concat.clone(), vec![empty, list], call, items)
            }
        }
    }
}

/// The end of a run that returns a string: the call that makes it, if it is one.
fn returned(string: Simple, ret: Continuation, items: &mut Vec<Item>) -> Terminator {
    let is_call = matches!(items.last(), Some(Item::Join { params, .. }) if params.first().is_some_and(|result| string == (*result).into()));
    match if is_call { items.pop() } else { None } {
        Some(Item::Join { body, .. }) => match body.terminator {
            Terminator::Apply(call) => Terminator::Apply(Box::new(Apply { ret, ..*call })),
            other => other,
        },
        _ => Terminator::ApplyCont(ApplyCont { cont: ret, args: smallvec![string] }),
    }
}

/// Functions of the library.
struct Makes {
    concat: Call,
    make: Call,
    /// `^`
    append: Option<Call>,
}

/// Which argument is the format, if a call is one of `sprintf` or `ksprintf`.
pub(super) fn prints_to_string(apply: &Apply, naming: &Naming) -> Option<usize> {
    match apply.args.len() {
        1 if is_of(PRINTF, "sprintf", apply, naming) => Some(0),
        2 if is_of(PRINTF, "ksprintf", apply, naming) => Some(1),
        _ => None,
    }
}
