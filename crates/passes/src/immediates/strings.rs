//! Comparisons of strings look at their first words first: two strings differ there, as a rule, if they differ at all.
//!
//! Each string has a word at least, and bytes beyond its end that say how far that is from the end of the last word. So
//! strings with different first words are different. Of two whose first seven bytes differ, taken as a number with the
//! first byte on top, the one with the less is the less: what is beyond the end of a shorter string counts as 0, which
//! no character is less than. The eighth byte may say a length, and is left to the runtime's function.

use flambeau_ir::prim::{Comparison, IntCmp, ShiftOp, StringKind, Width};
use flambeau_ir::{
    Continuation, Dbg, Expr, IntKind, Item, Kind, Prim, Simple, Subkind, Switch, Terminator, Unit,
};
use smallvec::SmallVec;

use super::{Call, Expansion, jump};

const KIND: IntKind = IntKind::Int64;

impl Expansion<'_> {
    /// ```text
    /// cont slow { let r = c_call (x, y)  after (r) }
    /// let a = string_load.64 (x, 0)   let b = string_load.64 (y, 0)     (* turned round for an order *)
    /// cont fast { let r = compare (a, b)  after (r) }
    /// let same = eq (a, b)  switch same { 0 -> fast, _ -> slow }
    /// ```
    pub(super) fn expand_strings(&mut self, call: Call, after: Continuation) -> Expr {
        let [slow, fast] = ["slow", "differ"].map(|name| self.unit.new_continuation(name));
        let (comparison, args, dbg) = (call.comparison, call.args.clone(), call.dbg);
        let slow_path = self.slow(after, call);
        let mut items = Vec::new();
        let words: SmallVec<[Simple; 2]> =
            args.iter().map(|arg| self.first_word(*arg, comparison, &mut items, dbg)).collect();
        let same = self.unit.new_variable("same", Kind::NakedImmediate, Subkind::Any);
        items.push(Item::let_prim(same, Prim::IntCompare { op: IntCmp::Eq, kind: KIND }, &words, dbg));
        let fast_path = match comparison {
            Comparison::Test(op @ (IntCmp::Eq | IntCmp::Ne)) => {
                let differ = Simple::tagged(i64::from(op == IntCmp::Ne));
                Expr { items: Vec::new(), terminator: Terminator::ApplyCont(jump(after, &[differ])) }
            }
            order => self.fast(after, order, KIND, &words, dbg),
        };
        items.insert(0, Item::let_cont(slow, slow_path));
        items.push(Item::let_cont(fast, fast_path));
        let (arms, default) = (vec![(0, jump(fast, &[]))], Some(jump(slow, &[])));
        let terminator =
            Terminator::Switch(Box::new(Switch { scrutinee: same.into(), arms, default, dbg, cases: None }));
        Expr { items, terminator }
    }
    /// The first word of a string; for an order, its first seven bytes as a number.
    fn first_word(
        &mut self,
        string: Simple,
        comparison: Comparison,
        items: &mut Vec<Item>,
        dbg: Dbg,
    ) -> Simple {
        let mut word = |unit: &mut Unit, prim: Prim, args: &[Simple]| {
            let var = unit.new_variable("word", Kind::NakedInt64, Subkind::Any);
            items.push(Item::let_prim(var, prim, args, dbg));
            Simple::from(var)
        };
        let load = Prim::StringLoad { string: StringKind::String, width: Width::W64 };
        let first = word(self.unit, load, &[string, Simple::tagged(0)]);
        if matches!(comparison, Comparison::Test(IntCmp::Eq | IntCmp::Ne)) {
            return first;
        }
        let turned = word(self.unit, Prim::ByteSwap { kind: KIND }, &[first]);
        word(self.unit, Prim::IntShift { op: ShiftOp::Lsr, kind: KIND }, &[turned, Simple::naked_imm(8)])
    }
}
