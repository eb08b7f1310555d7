//! `make_printf k acc format` of a known format and all its arguments: the conversions, in order, and `k` of the blocks
//! that say what is to be printed. These are `acc` of `CamlinternalFormat`, the last piece outermost.

use flambeau_ir::prim::Mutability;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, Expr, Item, Kind, Named, Prim, Simple, Terminator};
use smallvec::smallvec;

use super::read::Piece;
use super::{acc, interprets};
use crate::Simplifier;
use crate::run::Rest;

impl Simplifier<'_> {
    /// Replaces the interpretation of a known format by what it comes to: returns what the run continues with.
    pub(crate) fn accumulated(&mut self, apply: &Apply) -> Option<Rest> {
        if !interprets(apply, &self.unit.naming) || !self.may_lay_out(apply) {
            return None;
        }
        let [print, accumulated, format] = apply.args[..] else { return None };
        let printed = self.printed(apply, format)?;
        if !self.lays_out(apply, &printed) {
            return None;
        }
        let body = self.accumulation(&printed.application, print, accumulated, &printed.pieces);
        self.note_sets(&body);
        self.body_in_place(&printed.application, body)
    }

    fn accumulation(&mut self, call: &Apply, print: Simple, mut all: Simple, pieces: &[Piece]) -> Expr {
        let mut items = Vec::new();
        let mut args = call.args.iter().copied();
        let mut next = || args.next().unwrap_or(Simple::UNIT);
        for piece in pieces {
            let (tag, field) = match piece {
                Piece::String(literal) => (acc::STRING_LITERAL, Some(*literal)),
                Piece::Char(literal) => (acc::CHAR_LITERAL, Some(*literal)),
                Piece::CharArgument => (acc::DATA_CHAR, Some(next())),
                Piece::Argument(conversion) => {
                    let text = self.converted(conversion, &mut next, call, &mut items);
                    (acc::DATA_STRING, Some(self.as_string(text, call, &mut items)))
                }
                Piece::Printer => {
                    let (printer, value) = (next(), next());
                    (acc::DELAY, Some(self.delayed(printer, value, call, &mut items)))
                }
                Piece::Action => (acc::DELAY, Some(next())),
                Piece::Flush => (acc::FLUSH, None),
                Piece::Formatting(formatting) => (acc::FORMATTING_LIT, Some(*formatting)),
            };
            let block = self.unit.new_value("acc");
            let args = std::iter::once(all).chain(field).collect();
            let prim = Prim::MakeBlock { tag, mutability: Mutability::Immutable };
            items.push(Item::Let { var: block, named: Named::Prim { prim, args, exn: None }, dbg: call.dbg });
            all = block.into();
        }
        let call = Apply {
            callee: Some(print),
            kind: CallKind::Generic,
            args: vec![all],
            types: Vec::new(),
            inlined: InlineAttribute::Hint,
            ..call.clone()
        };
        Expr { items, terminator: Terminator::Apply(Box::new(call)) }
    }

    /// `fun out -> printer out value`.
    fn delayed(&mut self, printer: Simple, value: Simple, place: &Apply, items: &mut Vec<Item>) -> Simple {
        let out = self.unit.new_value("out");
        let call = Apply {
            callee: Some(printer),
            kind: CallKind::Generic,
            args: vec![out.into(), value],
            types: Vec::new(),
            ..place.clone()
        };
        let set = self.called_later(["delayed"; 2], &call, smallvec![out], Kind::Value);
        let var = self.unit.new_value("delayed");
        items.push(Item::LetClosures { vars: smallvec![var], set, dbg: place.dbg });
        var.into()
    }
}
