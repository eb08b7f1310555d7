//! Arrays of boxed numbers become arrays of floats, the bits of whose elements are the numbers: so the runtime makes
//! them, with its checks and exceptions, and copies parts of them from one to another, as it does for any.

use flambeau_ir::prim::{ArrayKind, External, Mutability, NativeRepr};
use flambeau_ir::{
    BoxedKind, Const, Dbg, FreshSymbols, Item, Kind, Named, Prim, Simple, Static, StaticDef, Subkind, Unit,
    Variable,
};

use super::{Plan, Run, Stored};
use crate::unread::classes::{ELEMENT, Node};
use crate::unread::flows::{FILL, MAKE};
use crate::unread::for_each_block;

/// The most elements of an array that is laid out with them.
const MOST_ELEMENTS: usize = 64;

/// Whether a primitive makes an array of its operands, or of one of them.
pub(super) fn makes(prim: &Prim) -> bool {
    match prim {
        Prim::MakeArray { kind, .. } => *kind != ArrayKind::Float,
        Prim::CCall(external) => MAKE.contains(&&*external.name),
        _ => false,
    }
}

impl Plan {
    /// The classes of arrays that nobody else sees, all made by the unit.
    pub(super) fn find_arrays(&mut self, unit: &Unit) {
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    if let Item::Let { var, named: Named::Prim { prim, .. }, .. } = item
                        && makes(prim)
                        && self.flows.classes.is_our_array(var.as_u32())
                    {
                        self.arrays.insert(self.flows.classes.find(var.as_u32()));
                    }
                }
            });
        }
        for_each_block(unit, &mut |atom, size| {
            if size > 0
                && let Some(root) = self.array(atom)
            {
                self.arrays.remove(&root);
            }
        });
    }

    /// The class of an atom, if it is one of arrays that may change.
    pub(super) fn array(&mut self, atom: Simple) -> Option<Node> {
        let root = self.flows.classes.find(self.flows.node(atom)?);
        self.arrays.contains(&root).then_some(root)
    }

    /// What is done to such arrays.
    pub(super) fn array_item(&mut self, var: Variable, prim: &Prim, args: &[Simple]) {
        let (array, values): (Simple, &[Simple]) = match (prim, args) {
            (Prim::ArrayLoad { .. }, [array, _]) => {
                if let Some(root) = self.array(*array) {
                    self.loads.insert(var, (root, ELEMENT));
                }
                return;
            }
            (Prim::ArrayStore { .. }, [array, _, value]) => (*array, std::slice::from_ref(value)),
            (Prim::MakeArray { .. }, values) => {
                if values.len() > MOST_ELEMENTS
                    && let Some(root) = self.array(var.into())
                {
                    self.arrays.remove(&root);
                }
                (var.into(), values)
            }
            (Prim::CCall(external), [.., value]) if MAKE.contains(&&*external.name) => {
                (var.into(), std::slice::from_ref(value))
            }
            (Prim::CCall(external), [array, .., value]) if external.name == FILL => {
                (*array, std::slice::from_ref(value))
            }
            _ => return,
        };
        if let Some(root) = self.array(array) {
            let pointer = !matches!(prim, Prim::ArrayStore { kind: ArrayKind::Int });
            let stored = |value: &Simple| Stored { field: (root, ELEMENT), value: *value, pointer };
            self.stored.extend(values.iter().map(stored));
        }
    }

    /// Whether a primitive only stores numbers as elements of such arrays.
    pub(super) fn stores_element(&mut self, var: Variable, prim: &Prim, args: &[Simple]) -> bool {
        match (prim, args) {
            (Prim::ArrayStore { .. }, [array, ..]) => self.array(*array).is_some(),
            (Prim::CCall(external), [array, ..]) if external.name == FILL => self.array(*array).is_some(),
            (prim, _) => makes(prim) && self.array(var.into()).is_some(),
        }
    }

    fn element_kind(&mut self, array: Simple) -> Option<BoxedKind> {
        let root = self.array(array)?;
        match self.contents.get(&(root, ELEMENT)) {
            Some(super::Content::Number(kind)) => Some(*kind),
            _ => None,
        }
    }

    /// Lays out an array, or accesses an element; returns whether the item did so.
    pub(super) fn rewrite_array(&mut self, item: &Item, run: &mut Run) -> bool {
        let Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } = item else { return false };
        let (var, dbg) = (*var, *dbg);
        match (prim, &args[..]) {
            (Prim::ArrayLoad { .. }, [array, index]) => {
                return self.load(var, |kind| Prim::ArrayLoadBits { kind }, &[*array, *index], (run, dbg));
            }
            (Prim::ArrayStore { .. }, [array, index, value]) => {
                let Some(kind) = self.element_kind(*array) else { return false };
                let number = self.naked_value(*value, kind);
                run.bind(var, Prim::ArrayStoreBits { kind }, &[*array, *index, number], dbg);
            }
            (Prim::MakeArray { .. }, values) => {
                let Some(kind) = self.element_kind(var.into()) else { return false };
                let numbers: Vec<Simple> =
                    values.iter().map(|value| self.naked_value(*value, kind)).collect();
                let constant =
                    |number: &Simple| Const::NakedFloat(constant_bits(*number).unwrap_or(0)).into();
                let floats: Vec<Simple> = numbers.iter().map(constant).collect();
                // Also of one that never changes the elements that are no constants are stored afterwards.
                let prim = Prim::MakeArray { kind: ArrayKind::Float, mutability: Mutability::Mutable };
                run.bind(var, prim, &floats, dbg);
                for (index, number) in (0..).zip(numbers) {
                    if constant_bits(number).is_none() {
                        let stored = run.unit.new_value("stored");
                        let args = [var.into(), Simple::tagged(index), number];
                        run.bind(stored, Prim::ArrayStoreBits { kind }, &args, dbg);
                    }
                }
            }
            (Prim::CCall(external), [first, .., value])
                if MAKE.contains(&&*external.name) || external.name == FILL =>
            {
                let array = if external.name == FILL { *first } else { var.into() };
                let Some(kind) = self.element_kind(array) else { return false };
                let number = self.naked_value(*value, kind);
                let element = self.boxed_bits(number, kind, run, dbg);
                let mut args = args.clone();
                if let Some(last) = args.last_mut() {
                    *last = element;
                }
                let named = Named::Prim { prim: prim.clone(), args, exn: exn.clone() };
                run.items.push(Item::Let { var, named, dbg });
            }
            _ => return false,
        }
        true
    }

    /// A box of the float whose bits a number is.
    fn boxed_bits(&mut self, number: Simple, kind: BoxedKind, run: &mut Run, dbg: Dbg) -> Simple {
        let Some(bits) = constant_bits(number) else {
            let float = float_of_bits(number, kind, run, dbg);
            let element = run.unit.new_variable("element", Kind::Value, Subkind::Boxed(BoxedKind::Float));
            run.bind(element, Prim::Box(BoxedKind::Float), &[float], dbg);
            return element.into();
        };
        let static_box = || {
            let symbol = FreshSymbols::of(run.unit).make(run.unit, "element");
            run.unit.statics.push(Static { exported: false, def: StaticDef::Float { symbol, bits } });
            symbol
        };
        (*self.floats.entry(bits).or_insert_with(static_box)).into()
    }
}

/// The bits of a constant number, as those of an `int64`.
fn constant_bits(number: Simple) -> Option<u64> {
    let bits = match number {
        Simple::Const(Const::NakedInt64(bits) | Const::NakedNativeint(bits)) => bits,
        Simple::Const(Const::NakedInt32(bits)) => bits.into(),
        // Any will do.
        Simple::Const(_) => 0,
        _ => return None,
    };
    Some(bits.cast_unsigned())
}

/// The float whose bits a number is that is no constant.
fn float_of_bits(number: Simple, kind: BoxedKind, run: &mut Run, dbg: Dbg) -> Simple {
    let mut bind = |name, prim, arg, kind| {
        let var = run.unit.new_variable(name, kind, Subkind::Any);
        run.bind(var, prim, &[arg], dbg);
        Simple::from(var)
    };
    let bits = if kind == BoxedKind::Int64 {
        number
    } else {
        bind("bits", Prim::NumConv { from: kind.naked(), to: Kind::NakedInt64 }, number, Kind::NakedInt64)
    };
    let cast = External {
        name: "caml_int64_float_of_bits_unboxed".to_owned(),
        args: vec![NativeRepr::Unboxed(BoxedKind::Int64)],
        result: NativeRepr::Unboxed(BoxedKind::Float),
        no_result: false,
        alloc: false,
        tested: false,
    };
    bind("float", Prim::CCall(Box::new(cast)), bits, Kind::NakedFloat)
}
