//! Hashes of values of any type as those of the types that are known (features D15): what the runtime would find in the
//! value is mixed in place, in the runtime's order.

use std::collections::VecDeque;

use flambeau_ir::prim::{External, Mutability};
use flambeau_ir::{
    ApplyCont, ArgType, BoxedKind, Const, ContHandler, Continuation, Dbg, Expr, Hashed, HashedShape, Item,
    Kind, Leaf, Named, Prim, Simple, Subkind, Switch, Terminator, Unit, Variable,
};
use flambeau_types::Operands;
use smallvec::smallvec;

use super::infer::Types;
use crate::hashing::{Part, hash_of_parts, last_of_mixed, mixed_parts};

/// What is hashed of a value of a known type, if an item computes the hash of one, and the runtime would look at all
/// that is found in the value.
pub(super) fn hashed_shapes(item: &Item, types: &Types) -> Option<Hashed> {
    let Item::Let { named: Named::Prim { prim: Prim::CCall(external), args, exn: None }, .. } = item else {
        return None;
    };
    let [Simple::Const(Const::Tagged(count)), Simple::Const(Const::Tagged(limit)), _, value] = args[..]
    else {
        return None;
    };
    let hashed = match types.get(value)? {
        ArgType::Immediate => Hashed(vec![HashedShape::Leaf(Leaf::Immediate)]),
        ArgType::Compared { hashed, .. } => hashed.clone(),
        _ => return None,
    };
    let is_seen = |shape: &HashedShape| {
        let (leaves, values) = shape.leaves_and_values();
        leaves as i64 <= count && values as i64 <= limit
    };
    let is_known = !hashed.0.is_empty() && hashed.0.iter().all(is_seen);
    (external.is_hash() && !external.tested && is_known).then_some(hashed)
}

/// A hash of a value in which one of the alternatives is found. What is an immediate and should be none, or has another
/// tag, is hashed by the runtime.
pub(super) fn hashed_at(unit: &mut Unit, item: Item, hashed: &Hashed, items: &mut Vec<Item>) {
    let Item::Let { var, named: Named::Prim { prim: Prim::CCall(external), args, .. }, dbg } = item else {
        return;
    };
    let [.., seed, value] = args[..] else { return };
    if let [HashedShape::Leaf(Leaf::Immediate)] = hashed.0[..] {
        let (lets, hash) = hash_of_parts(unit, seed, [Part::Immediate(value)]);
        items.extend(tagged(lets, hash, var, dbg));
        return;
    }
    let [done, mixed, by_runtime] = ["hashed", "mixed", "slow"].map(|name| unit.new_continuation(name));
    let mut hasher = Hasher { unit, seed, mixed, by_runtime, dbg };
    let mut body = hasher.alternatives(value, &hashed.0);
    body.items.insert(0, finish(unit, mixed, done, dbg));
    let result = unit.new_value("hash");
    let external = External { tested: true, ..*external };
    let named = Named::Prim { prim: Prim::CCall(Box::new(external)), args, exn: None };
    let slow_path =
        Expr { items: vec![Item::Let { var: result, named, dbg }], terminator: jump_with(done, result) };
    body.items.insert(0, Item::let_cont(by_runtime, slow_path));
    items.push(Item::Join { cont: done, params: smallvec![var], body: Box::new(body) });
}

/// Writes the terms that hash a value.
struct Hasher<'u> {
    unit: &'u mut Unit,
    seed: Simple,
    /// Gets the hash before its last step, a machine integer.
    mixed: Continuation,
    /// Lets the runtime hash the whole value.
    by_runtime: Continuation,
    dbg: Dbg,
}

impl Hasher<'_> {
    fn alternatives(&mut self, value: Simple, shapes: &[HashedShape]) -> Expr {
        let is_immediate = |shape: &&HashedShape| **shape == HashedShape::Leaf(Leaf::Immediate);
        let (immediates, blocks): (Vec<_>, Vec<_>) = shapes.iter().partition(is_immediate);
        let on_block = match blocks[..] {
            [block] => self.found(value, block, VecDeque::new(), Vec::new()),
            _ => self.by_tag(value, &blocks),
        };
        if immediates.is_empty() {
            return self.unless_immediate(value, on_block);
        }
        let on_immediate = self.hash(vec![Part::Immediate(value)]);
        let immediate = self.unit.new_continuation("immediate");
        let mut body = self.test_of_immediate(value, on_block, immediate);
        body.items.insert(0, Item::let_cont(immediate, on_immediate));
        body
    }

    fn by_tag(&mut self, value: Simple, blocks: &[&HashedShape]) -> Expr {
        let (mut items, mut arms) = (Vec::new(), Vec::new());
        for block in blocks {
            if let HashedShape::Block(tag, _) = block {
                let cont = self.unit.new_continuation("tag");
                items.push(Item::let_cont(cont, self.found(value, block, VecDeque::new(), Vec::new())));
                arms.push((i64::from(*tag), ApplyCont::plain(cont)));
            }
        }
        let tag = self.unit.new_variable("tag", Kind::NakedImmediate, Subkind::Any);
        items.push(self.primitive(tag, Prim::GetTag, value));
        let default = Some(ApplyCont::plain(self.by_runtime));
        let switch = Switch { scrutinee: tag.into(), arms, default, dbg: self.dbg, cases: None };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }

    /// A value of a shape, no immediate if it should be none; then what waits to be looked at. The fields of a block
    /// are looked at after all that stands beside it.
    fn found<'h>(
        &mut self,
        value: Simple,
        shape: &'h HashedShape,
        mut waiting: VecDeque<(Simple, &'h HashedShape)>,
        mut parts: Vec<Part>,
    ) -> Expr {
        let mut items = Vec::new();
        match shape {
            HashedShape::Leaf(leaf) => parts.push(part(*leaf, value)),
            HashedShape::Block(tag, fields) => {
                parts.push(Part::header(fields.len(), *tag));
                for (field, shape) in (0..).zip(fields) {
                    let var = self.unit.new_value("part");
                    let load = Prim::BlockLoad { field, mutability: Mutability::Declared };
                    items.push(self.primitive(var, load, value));
                    waiting.push_back((var.into(), shape));
                }
            }
        }
        while let Some((value, HashedShape::Leaf(Leaf::Immediate))) = waiting.front() {
            parts.push(Part::Immediate(*value));
            waiting.pop_front();
        }
        let mut rest = match waiting.pop_front() {
            None => self.hash(parts),
            Some((value, shape)) => {
                let rest = self.found(value, shape, waiting, parts);
                self.unless_immediate(value, rest)
            }
        };
        items.append(&mut rest.items);
        Expr { items, ..rest }
    }

    /// A term for a value that should be no immediate.
    fn unless_immediate(&mut self, value: Simple, then: Expr) -> Expr {
        self.test_of_immediate(value, then, self.by_runtime)
    }

    fn test_of_immediate(&mut self, value: Simple, on_block: Expr, on_immediate: Continuation) -> Expr {
        let block = self.unit.new_continuation("block");
        let is_int = self.unit.new_variable("is_int", Kind::NakedImmediate, Subkind::Any);
        let items = vec![Item::let_cont(block, on_block), self.primitive(is_int, Prim::IsInt, value)];
        let (arms, default) = (vec![(0, ApplyCont::plain(block))], Some(ApplyCont::plain(on_immediate)));
        let switch = Switch { scrutinee: is_int.into(), arms, default, dbg: self.dbg, cases: None };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }

    fn hash(&mut self, parts: Vec<Part>) -> Expr {
        let (lets, mixed) = mixed_parts(self.unit, self.seed, parts);
        let bound =
            |(var, prim, args): (Variable, Prim, Operands)| Item::let_prim(var, prim, &args, self.dbg);
        let items = lets.into_iter().map(bound).collect();
        let terminator = Terminator::ApplyCont(ApplyCont { cont: self.mixed, args: smallvec![mixed] });
        Expr { items, terminator }
    }

    fn primitive(&self, var: Variable, prim: Prim, arg: Simple) -> Item {
        Item::let_prim(var, prim, &[arg], self.dbg)
    }
}

fn part(leaf: Leaf, value: Simple) -> Part {
    match leaf {
        Leaf::Immediate => Part::Immediate(value),
        Leaf::Float => Part::Boxed(BoxedKind::Float, value),
        Leaf::String => Part::String(value),
        Leaf::Int32 => Part::Boxed(BoxedKind::Int32, value),
        Leaf::Int64 => Part::Boxed(BoxedKind::Int64, value),
        Leaf::Nativeint => Part::Boxed(BoxedKind::Nativeint, value),
    }
}

/// The last step of all alternatives, whose hash goes to `done`.
fn finish(unit: &mut Unit, mixed: Continuation, done: Continuation, dbg: Dbg) -> Item {
    let hash = unit.new_variable("hash", Kind::NakedNativeint, Subkind::Any);
    let result = unit.new_value("hash");
    let (lets, last) = last_of_mixed(unit, hash.into());
    let body = Expr { items: tagged(lets, last, result, dbg).collect(), terminator: jump_with(done, result) };
    let handler = ContHandler { cont: mixed, params: smallvec![hash], body };
    Item::LetCont { recursive: false, handlers: vec![handler] }
}

/// Binds a variable to the integer that is computed.
fn tagged(
    lets: Vec<(Variable, Prim, Operands)>,
    hash: Simple,
    var: Variable,
    dbg: Dbg,
) -> impl Iterator<Item = Item> {
    let all = lets.into_iter().chain([(var, Prim::Tag, Operands::from_slice(&[hash]))]);
    all.map(move |(var, prim, args)| Item::let_prim(var, prim, &args, dbg))
}

fn jump_with(cont: Continuation, value: Variable) -> Terminator {
    Terminator::ApplyCont(ApplyCont { cont, args: smallvec![value.into()] })
}
