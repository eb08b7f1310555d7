//! Functions that compare values of types that the source shows, in place of the functions of the runtime that compare
//! any values (`docs/design/types-of-the-source.md`).
//!
//! A request says of a comparison at which type it is. The comparison becomes a call of a function that is made from
//! the type: one in the unit for each type and operation. All of them are bound around the unit's own term.

mod comparison;
mod graph;
mod tree;
mod types;

pub(crate) use graph::Types;
pub(crate) use tree::call;
pub(crate) use types::decode_types;

use std::collections::BTreeMap;

use crate::prim::{IntComparison, Primitive};
use crate::term::{
    Function, Hashed, Ident, Inline, LetKind, LocId, Local, Node, NodeId, Specialise, Term, ValueKind,
};
use graph::TypeId;
use tree::Tree;
use types::TypeTerm;

/// What a derived function does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Operation {
    /// Whether two values are equal, as `caml_equal`.
    Equal,
    /// In which order they are, as `caml_compare`.
    Compare,
}

/// The function of the runtime that a primitive calls, and how its result follows from an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// The result of the operation.
    Plain(Operation),
    /// The negation of the truth value.
    Negated(Operation),
    /// The test of the order against 0.
    Test(IntComparison),
}

impl Wanted {
    /// What a function of the runtime does.
    pub(crate) fn of(prim: &Primitive) -> Option<Wanted> {
        let Primitive::CCall(external) = prim else { return None };
        Some(match external.name.as_str() {
            "caml_compare" => Wanted::Plain(Operation::Compare),
            "caml_equal" => Wanted::Plain(Operation::Equal),
            "caml_notequal" => Wanted::Negated(Operation::Equal),
            "caml_lessthan" => Wanted::Test(IntComparison::Lt),
            "caml_lessequal" => Wanted::Test(IntComparison::Le),
            "caml_greaterthan" => Wanted::Test(IntComparison::Gt),
            "caml_greaterequal" => Wanted::Test(IntComparison::Ge),
            _ => return None,
        })
    }

    /// The operation.
    pub(crate) fn operation(self) -> Operation {
        match self {
            Wanted::Plain(operation) | Wanted::Negated(operation) => operation,
            Wanted::Test(_) => Operation::Compare,
        }
    }
}

/// A derived function. An array has two: the second compares from an index on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Derived {
    operation: Operation,
    of: TypeId,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Role {
    /// Compares two values. The function of a type that contains itself, but last, takes a depth besides.
    Whole,
    /// Compares two arrays from an index on.
    Elements,
    /// Compares immediates, and lets `Whole` compare what contains itself: no call in itself, it can be inlined.
    Entry,
}

/// The derived functions of a unit.
#[derive(Debug)]
pub(crate) struct Derivations {
    types: Types,
    /// The identifiers of the functions that are called.
    functions: BTreeMap<Derived, Ident>,
    /// Those whose definitions are to be made still.
    waiting: Vec<Derived>,
    next_stamp: u32,
}

impl Derivations {
    pub(crate) fn new(types: Types, idents: &[(String, u32)]) -> Derivations {
        let next_stamp = idents.iter().map(|ident| ident.1).max().map_or(0, |stamp| stamp.saturating_add(1));
        Derivations { types, functions: BTreeMap::new(), waiting: Vec::new(), next_stamp }
    }

    /// The function that does what is wanted at the type of a description, if it is worth to be derived.
    pub(crate) fn function(
        &mut self,
        wanted: Wanted,
        description: u32,
        idents: &mut Vec<(String, u32)>,
    ) -> Option<Ident> {
        let of = self.types.root(description)?;
        if matches!(wanted, Wanted::Test(_)) && !self.types.is_totally_ordered(of) {
            return None;
        }
        self.types.is_derivable(of).then(|| self.entry(wanted.operation(), of, idents))
    }

    /// Whether a description is of a type that has immediates only.
    pub(crate) fn is_immediate(&self, description: u32) -> bool {
        self.types.root(description).is_some_and(|of| *self.types.term(of) == TypeTerm::Immediate)
    }

    /// Whether a description is of the type of floats.
    pub(crate) fn is_float(&self, description: u32) -> bool {
        self.types.root(description).is_some_and(|of| *self.types.term(of) == TypeTerm::Float)
    }

    /// Whether any two values of the type of a description are in the order of `compare`.
    pub(crate) fn is_totally_ordered(&self, description: u32) -> bool {
        self.types.root(description).is_some_and(|of| self.types.is_totally_ordered(of))
    }

    /// What `caml_hash` finds in the values of the type of a description.
    pub(crate) fn hashed(&self, description: u32) -> Hashed {
        self.types.root(description).map_or_else(Hashed::default, |of| self.types.hashed(of))
    }

    /// The function that compares two values, without more arguments.
    fn entry(&mut self, operation: Operation, of: TypeId, idents: &mut Vec<(String, u32)>) -> Ident {
        let role = if self.types.is_recursive(of) { Role::Entry } else { Role::Whole };
        self.ident(Derived { operation, of, role }, idents)
    }

    fn ident(&mut self, derived: Derived, idents: &mut Vec<(String, u32)>) -> Ident {
        if let Some(ident) = self.functions.get(&derived) {
            return *ident;
        }
        let name = match derived.operation {
            Operation::Equal => "equal_derived",
            Operation::Compare => "compare_derived",
        };
        let ident = fresh(name, &mut self.next_stamp, idents);
        self.functions.insert(derived, ident);
        self.waiting.push(derived);
        ident
    }

    /// Binds the functions around the term.
    pub(crate) fn bind(mut self, term: &mut Term) {
        let mut definitions = Vec::new();
        while let Some(derived) = self.waiting.pop() {
            let ident = self.functions[&derived];
            let (params, body) = comparison::definition(&mut self, derived, &mut term.idents);
            let set = (self.types.component(derived.of), derived.role == Role::Entry);
            definitions.push((set, derived, ident, params, body));
        }
        // What a function calls has a component of a smaller number, or the same one; it is bound further outside.
        definitions.sort_by_key(|definition| std::cmp::Reverse((definition.0, definition.1)));
        let mut at = 0;
        while at < definitions.len() {
            let set = definitions[at].0;
            let end = definitions[at..].iter().take_while(|d| d.0 == set).count() + at;
            let body = term.root();
            let functions: Vec<(Ident, NodeId)> = definitions[at..end]
                .iter()
                .map(|(_, _, ident, params, tree)| (*ident, function(term, params, tree)))
                .collect();
            let node = match functions[..] {
                [(id, def)] if set.1 || !self.types.is_iterated(definitions[at].1.of) => {
                    Node::Let { strict: LetKind::Alias, kind: ValueKind::Generic, id, def, body }
                }
                _ => Node::LetRec { defs: functions, body },
            };
            term.nodes.push(node);
            term.first.push(term.first[body.0 as usize]);
            at = end;
        }
    }
}

fn fresh(name: &str, next_stamp: &mut u32, idents: &mut Vec<(String, u32)>) -> Ident {
    let ident = Ident(idents.len() as u32);
    idents.push((name.to_owned(), *next_stamp));
    *next_stamp = next_stamp.saturating_add(1);
    ident
}

fn function(term: &mut Term, params: &[Ident], tree: &Tree) -> NodeId {
    let first = term.nodes.len() as u32;
    let body = tree.write(term);
    term.nodes.push(Node::Function(Box::new(Function {
        tupled: false,
        params: params.iter().map(|param| (*param, ValueKind::Generic)).collect(),
        result: ValueKind::Int,
        inline: Inline::Default,
        // What it leaves to the runtime is to be compared by the runtime.
        specialise: Specialise::Never,
        local: Local::Default,
        is_functor: false,
        stub: false,
        no_poll: false,
        loc: LocId(0),
        body,
    })));
    term.first.push(first);
    NodeId(term.nodes.len() as u32 - 1)
}
