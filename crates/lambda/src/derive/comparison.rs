//! The comparison of two values of a known type. The results are those of `compare_val` in the runtime: parts are
//! compared from the first to the last, until two differ; constant constructors come before others, these in the order
//! of their tags; arrays are compared by their lengths first.
//!
//! A value that is no value of its type (`Obj.magic`) is not misread where stock would not misread it: an immediate is
//! compared as such wherever a block is expected, and blocks of unexpected tags by the runtime.

use super::tree::Tree;
use super::types::{Field, TypeTerm};
use super::{Derivations, Derived, Operation, Role, fresh};
use crate::prim::{ArrayKind, BoxedInteger, IntComparison, Primitive};
use crate::term::{Ident, ValueKind};

/// So deep a comparison may recur before the runtime, which has a stack of its own for this, compares what is left.
const DEPTH: i64 = 1000;

/// What is being defined.
struct Definition<'a> {
    derivations: &'a mut Derivations,
    idents: &'a mut Vec<(String, u32)>,
    derived: Derived,
    /// How much deeper it may go, if it counts.
    depth: Option<Ident>,
}

/// The parameters and the body of a derived function.
pub(super) fn definition(
    derivations: &mut Derivations,
    derived: Derived,
    idents: &mut Vec<(String, u32)>,
) -> (Vec<Ident>, Tree) {
    let mut definition = Definition { derivations, idents, derived, depth: None };
    let [x, y] = ["x", "y"].map(|name| definition.fresh(name));
    let mut params = vec![x, y];
    let [x, y] = [Tree::Var(x), Tree::Var(y)];
    if derived.role == Role::Entry {
        let mut args = vec![x.clone(), y.clone()];
        args.extend(definition.derivations.types.takes_depth(derived.of).then_some(Tree::Int(DEPTH)));
        let whole = Tree::Call(definition.callee(Role::Whole), args);
        return (params, definition.immediate_or([x, y], whole));
    }
    let bounds = (derived.role == Role::Elements).then(|| ["i", "length"].map(|name| definition.fresh(name)));
    params.extend(bounds.into_iter().flatten());
    if definition.derivations.types.takes_depth(derived.of) {
        let depth = definition.fresh("depth");
        definition.depth = Some(depth);
        params.push(depth);
    }
    let body = match bounds {
        Some([at, length]) => definition.elements([x, y], Tree::Var(at), Tree::Var(length)),
        None => definition.whole([x, y]),
    };
    (params, body)
}

impl Definition<'_> {
    fn fresh(&mut self, name: &str) -> Ident {
        fresh(name, &mut self.derivations.next_stamp, self.idents)
    }

    /// The name of another function that compares values of this type.
    fn callee(&mut self, role: Role) -> Ident {
        self.derivations.ident(Derived { role, ..self.derived }, self.idents)
    }

    /// The result for two values that are equal.
    fn equal(&self) -> Tree {
        Tree::Int(i64::from(self.derived.operation == Operation::Equal))
    }

    /// The result for two values that differ.
    fn differ(&self, order: i64) -> Tree {
        Tree::Int(if self.derived.operation == Operation::Equal { 0 } else { order })
    }

    /// Immediates; or anything, of which the words may be the same.
    fn immediates(&self, [x, y]: [Tree; 2]) -> Tree {
        match self.derived.operation {
            Operation::Equal => Tree::same(x, y),
            Operation::Compare => Tree::prim(Primitive::CompareInts, [x, y]),
        }
    }

    fn runtime(&self, pair: [Tree; 2]) -> Tree {
        match self.derived.operation {
            Operation::Equal => Tree::runtime("caml_equal", true, pair),
            Operation::Compare => Tree::runtime("caml_compare", true, pair),
        }
    }

    fn strings(&self, of: &str, pair: [Tree; 2]) -> Tree {
        match self.derived.operation {
            Operation::Equal => Tree::runtime(&format!("caml_{of}_equal"), false, pair),
            Operation::Compare => Tree::runtime(&format!("caml_{of}_compare"), false, pair),
        }
    }

    fn floats(&self, [x, y]: [Tree; 2]) -> Tree {
        match self.derived.operation {
            Operation::Equal => Tree::same_float(x, y),
            Operation::Compare => Tree::prim(Primitive::CompareFloats, [x, y]),
        }
    }

    fn boxed(&self, kind: BoxedInteger, pair: [Tree; 2]) -> Tree {
        Tree::prim(
            match self.derived.operation {
                Operation::Equal => Primitive::BintComp { kind, op: IntComparison::Eq },
                Operation::Compare => Primitive::CompareBints(kind),
            },
            pair,
        )
    }

    /// Parts of a type, the last of which may be compared by a tail call.
    fn part(&mut self, of: u32, pair: [Tree; 2], is_last: bool) -> Tree {
        match self.derivations.types.term(of) {
            TypeTerm::Unknown => self.runtime(pair),
            TypeTerm::Immediate => self.immediates(pair),
            TypeTerm::Float => self.floats(pair),
            TypeTerm::String => self.strings("string", pair),
            TypeTerm::Bytes => self.strings("bytes", pair),
            TypeTerm::Int32 => self.boxed(BoxedInteger::Int32, pair),
            TypeTerm::Int64 => self.boxed(BoxedInteger::Int64, pair),
            TypeTerm::Nativeint => self.boxed(BoxedInteger::Nativeint, pair),
            _ => self.call(of, pair, is_last),
        }
    }

    fn call(&mut self, of: u32, pair: [Tree; 2], is_last: bool) -> Tree {
        let operation = self.derived.operation;
        let types = &self.derivations.types;
        let is_inner = types.component(of) == types.component(self.derived.of);
        let mut args = Vec::from(pair);
        if !is_inner {
            return Tree::Call(self.derivations.entry(operation, of, self.idents), args);
        }
        args.extend(self.depth.map(|depth| match Tree::Var(depth) {
            depth if is_last => depth,
            depth => Tree::prim(Primitive::OffsetInt(-1), [depth]),
        }));
        Tree::Call(self.derivations.ident(Derived { operation, of, role: Role::Whole }, self.idents), args)
    }

    /// Goes on if two parts are equal; `on` is the comparison of those behind them.
    fn then(&mut self, first: Tree, on: Tree) -> Tree {
        match self.derived.operation {
            Operation::Equal => Tree::if_(first, on, Tree::Int(0)),
            Operation::Compare => {
                let order = self.fresh("order");
                let is_equal = Tree::same(Tree::Var(order), Tree::Int(0));
                Tree::let_(order, ValueKind::Int, first, Tree::if_(is_equal, on, Tree::Var(order)))
            }
        }
    }

    /// Comparisons one after the other, up to the first that decides.
    fn sequence(&mut self, comparisons: Vec<Tree>) -> Tree {
        let mut comparisons = comparisons.into_iter().rev();
        let Some(last) = comparisons.next() else { return self.equal() };
        comparisons.fold(last, |on, first| self.then(first, on))
    }

    /// Two values of the type.
    fn whole(&mut self, pair: [Tree; 2]) -> Tree {
        let of = self.derived.of;
        let term = self.derivations.types.term(of).clone();
        let [x, y] = pair.clone();
        let blocks = match term {
            TypeTerm::Variant { blocks, .. } => self.blocks(&blocks, pair.clone()),
            TypeTerm::FloatRecord(size) => self.float_fields(size, pair.clone()),
            TypeTerm::PolymorphicVariant(arguments) => self.arguments(&arguments, pair.clone()),
            TypeTerm::Array(element) => self.arrays(element, pair.clone()),
            TypeTerm::Unknown | TypeTerm::Immediate => return self.part(of, pair, true),
            // What stands for a value of the type in a polymorphic function, like `Obj.magic 0`, is one for the
            // runtime.
            _ => self.part(of, pair.clone(), true),
        };
        let mut body = self.immediate_or(pair.clone(), blocks);
        if self.derived.operation == Operation::Compare && self.derivations.types.heeds_identity(of) {
            body = Tree::if_(Tree::same(x, y), Tree::Int(0), body);
        }
        match self.depth {
            Some(depth) => {
                let is_deep = Tree::same(Tree::Var(depth), Tree::Int(0));
                Tree::if_(is_deep, self.runtime(pair), body)
            }
            None => body,
        }
    }

    /// Two values; `blocks`, if none is an immediate. The runtime orders immediates before blocks.
    fn immediate_or(&self, pair: [Tree; 2], blocks: Tree) -> Tree {
        let [x, y] = pair.clone();
        let with_block = Tree::if_(y.is_int(), self.differ(1), blocks);
        let with_immediate = match self.derived.operation {
            Operation::Equal => Tree::same(x.clone(), y),
            Operation::Compare => Tree::if_(y.is_int(), self.immediates(pair), Tree::Int(-1)),
        };
        Tree::if_(x.is_int(), with_immediate, with_block)
    }

    /// Two blocks.
    fn blocks(&mut self, blocks: &[(u8, Vec<Field>)], pair: [Tree; 2]) -> Tree {
        if let [(_, fields)] = blocks {
            return self.fields(fields, pair);
        }
        let [x, y] = pair.clone();
        let arms = blocks.iter().map(|(tag, fields)| (*tag, self.fields(fields, pair.clone()))).collect();
        let by_tag = Tree::Tags(Box::new(x.clone()), arms, Box::new(self.runtime(pair)));
        let otherwise = match self.derived.operation {
            Operation::Equal => Tree::Int(0),
            Operation::Compare => Tree::prim(Primitive::CompareInts, [x.tag(), y.tag()]),
        };
        Tree::if_(Tree::same(x.tag(), y.tag()), by_tag, otherwise)
    }

    fn fields(&mut self, fields: &[Field], [x, y]: [Tree; 2]) -> Tree {
        let comparisons = fields
            .iter()
            .zip(0..)
            .map(|(field, at)| {
                let pair = [&x, &y].map(|block| block.field(at, field.mutable));
                self.part(field.content, pair, at as usize + 1 == fields.len())
            })
            .collect();
        self.sequence(comparisons)
    }

    fn float_fields(&mut self, size: u32, pair: [Tree; 2]) -> Tree {
        let field = |at| pair.clone().map(|block| Tree::prim(Primitive::FloatField(at), [block]));
        let comparisons = (0..size).map(|at| self.floats(field(at))).collect();
        self.sequence(comparisons)
    }

    /// Two polymorphic variants with arguments: blocks of the tag's number and the argument.
    fn arguments(&mut self, arguments: &[(i64, u32)], [x, y]: [Tree; 2]) -> Tree {
        let tags = [x.field(0, false), y.field(0, false)];
        let contents = [x.field(1, false), y.field(1, false)];
        let unknown = self.runtime(contents.clone());
        let by_tag = arguments.iter().fold(unknown, |otherwise, (tag, of)| {
            let is_it = Tree::same(tags[0].clone(), Tree::Int(*tag));
            Tree::if_(is_it, self.part(*of, contents.clone(), false), otherwise)
        });
        let order = self.immediates(tags);
        self.then(order, by_tag)
    }

    fn array_kind(&self, element: u32) -> ArrayKind {
        match self.derivations.types.term(element) {
            TypeTerm::Immediate => ArrayKind::Int,
            TypeTerm::Float => ArrayKind::Float,
            TypeTerm::Unknown => ArrayKind::Gen,
            _ => ArrayKind::Addr,
        }
    }

    fn arrays(&mut self, element: u32, [x, y]: [Tree; 2]) -> Tree {
        let kind = self.array_kind(element);
        let lengths = [&x, &y].map(|array| Tree::prim(Primitive::ArrayLength(kind), [array.clone()]));
        let length = lengths[0].clone();
        // 5.3's `Array.sub` makes empty arrays with the tag of floats, which are not equal to `[||]` there.
        let empty = match kind {
            ArrayKind::Float | ArrayKind::Gen => self.runtime([x.clone(), y.clone()]),
            ArrayKind::Int | ArrayKind::Addr => self.equal(),
        };
        let elements = self.from(vec![x, y, Tree::Int(0), length.clone()]);
        let elements = Tree::if_(Tree::same(length, Tree::Int(0)), empty, elements);
        let order = self.immediates(lengths);
        self.then(order, elements)
    }

    /// Compares elements: from where, the arguments say.
    fn from(&mut self, mut args: Vec<Tree>) -> Tree {
        args.extend(self.depth.map(Tree::Var));
        Tree::Call(self.callee(Role::Elements), args)
    }

    /// Compares elements from an index on, at which there is one.
    fn elements(&mut self, pair: [Tree; 2], at: Tree, length: Tree) -> Tree {
        let TypeTerm::Array(element) = *self.derivations.types.term(self.derived.of) else {
            return self.equal();
        };
        let prim = Primitive::ArrayRef { kind: self.array_kind(element), safe: false };
        let elements = pair.clone().map(|array| Tree::prim(prim.clone(), [array, at.clone()]));
        let first = self.part(element, elements, false);
        let [x, y] = pair;
        let next = Tree::prim(Primitive::OffsetInt(1), [at.clone()]);
        let rest = self.from(vec![x, y, next.clone(), length.clone()]);
        let rest = Tree::if_(Tree::same(next, length), self.equal(), rest);
        self.then(first, rest)
    }
}
