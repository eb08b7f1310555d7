//! `make_printf k acc format` of a known format and all its arguments: the conversions, in order, and `k` of the blocks
//! that say what is to be printed. These are `acc` of `CamlinternalFormat`, the last piece outermost.

use flambeau_ir::prim::Mutability;
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute};
use flambeau_ir::transfer::own_name;
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, Dbg, ExnCont, Expr, FunctionKind, Item, Kind, Named, Prim,
    Rewrite, SetOfClosures, Simple, Terminator, ValueSlot,
};
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
        let pieces = self.pieces(format)?;
        let application = self.application(apply, &pieces)?;
        let left = self.paid(apply, &pieces)?;
        if !self.allow(Rewrite::KnownFormat) {
            return None;
        }
        self.global.formats.budgets = left;
        if !application.args.is_empty() {
            self.function.conts.remove(&apply.ret);
        }
        let body = self.accumulation(&application, print, accumulated, &pieces);
        self.note_sets(&body);
        self.body_in_place(&application, body)
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
    fn delayed(&mut self, printer: Simple, value: Simple, call: &Apply, items: &mut Vec<Item>) -> Simple {
        let slot = self.unit.function_slots.push("delayed".into());
        let closure = self.unit.new_value("my_closure");
        let out = self.unit.new_value("out");
        let mut values: Vec<(ValueSlot, Simple)> = Vec::new();
        let mut projections = Vec::new();
        let mut inside = |this: &mut Self, outer: Simple| {
            let Simple::Var(_) = outer else { return outer };
            let slot_of_value = this.unit.value_slots.push("arg".into());
            values.push((slot_of_value, outer));
            let var = this.unit.new_value("arg");
            let prim = Prim::ProjectValueSlot { function: slot, value: slot_of_value };
            let named = Named::Prim { prim, args: smallvec![closure.into()], exn: None };
            projections.push(Item::Let { var, named, dbg: Dbg::NONE });
            var.into()
        };
        let printer = inside(self, printer);
        let value = inside(self, value);
        let (ret, exn) = (self.unit.new_continuation("return"), self.unit.new_exn_continuation("raise"));
        let inner = Apply {
            callee: Some(printer),
            kind: CallKind::Generic,
            args: vec![out.into(), value],
            types: Vec::new(),
            ret,
            exn: ExnCont::plain(exn),
            inlined: InlineAttribute::Default,
            specialised: SpecialiseAttribute::Default,
            ..call.clone()
        };
        let code = self.unit.codes.push(Code {
            linkage_name: own_name(&self.unit.naming, "delayed", slot),
            params: smallvec![out],
            my_closure: closure,
            function_slot: slot,
            ret,
            exn,
            result: Kind::Value,
            kind: FunctionKind::Curried,
            recursive: false,
            attributes: CodeAttributes { stub: true, ..CodeAttributes::default() },
            dbg: call.dbg,
            body: Expr { items: projections, terminator: Terminator::Apply(Box::new(inner)) },
        });
        let var = self.unit.new_value("delayed");
        let set = SetOfClosures { functions: smallvec![(slot, code)], values };
        items.push(Item::LetClosures { vars: smallvec![var], set, dbg: call.dbg });
        var.into()
    }
}
