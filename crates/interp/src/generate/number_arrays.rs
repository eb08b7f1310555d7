//! Mutable arrays of int64s, boxed or as the bits of floats, that mostly do not escape.

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::{BoxedKind, Item, Prim, Simple};

use super::types::{LENGTH, Type};
use super::{Generator, Scope};

const KIND: BoxedKind = BoxedKind::Int64;

impl Generator {
    /// Makes one of that type.
    pub(super) fn make_number_array(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        naked: bool,
    ) -> Simple {
        let elements: Vec<Simple> = (0..LENGTH)
            .map(|_| {
                if naked {
                    self.force(scope, items, Type::Float)
                } else {
                    self.number_box(scope, items, KIND)
                }
            })
            .collect();
        let kind = if naked { ArrayKind::Float } else { ArrayKind::Addr };
        let prim = Prim::MakeArray { kind, mutability: Mutability::Mutable };
        self.let_(scope, items, prim, &elements, Type::NumberArray { naked })
    }

    /// Loads and stores.
    pub(super) fn number_arrays(&mut self, scope: &mut Scope, items: &mut Vec<Item>) {
        let naked = self.one_in(4);
        let array = self.force(scope, items, Type::NumberArray { naked });
        if matches!(array, Simple::Const(_)) {
            return;
        }
        for _ in 0..=self.random.below(4) {
            let index = Simple::tagged(self.random.below(LENGTH) as i64);
            if self.one_in(2) {
                self.load_element(scope, items, (array, naked), index);
                continue;
            }
            let (prim, value) = if naked {
                (Prim::ArrayStoreBits { kind: KIND }, self.force(scope, items, Type::naked(KIND)))
            } else {
                (Prim::ArrayStore { kind: ArrayKind::Addr }, self.number_box(scope, items, KIND))
            };
            self.let_(scope, items, prim, &[array, index, value], Type::Int);
        }
    }

    fn load_element(
        &mut self,
        scope: &mut Scope,
        items: &mut Vec<Item>,
        (array, naked): (Simple, bool),
        index: Simple,
    ) {
        let load = Prim::ArrayLoad { kind: ArrayKind::Addr };
        if naked {
            let load = Prim::ArrayLoadBits { kind: KIND };
            self.let_(scope, items, load, &[array, index], Type::naked(KIND));
        } else if self.one_in(60) {
            // Its box is wanted.
            self.let_(scope, items, load, &[array, index], Type::Boxed(KIND));
        } else {
            let held = self.hidden(items, load, &[array, index], KIND);
            self.let_(scope, items, Prim::Unbox(KIND), &[held], Type::naked(KIND));
        }
    }
}
