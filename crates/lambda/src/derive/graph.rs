//! The types of a unit as a graph: which contain themselves, and for which a function is worth to be derived.

use super::types::{Described, Field, TypeTerm};
use crate::term::{Hashed, HashedShape, Leaf};

/// A type: its place in the list.
pub(crate) type TypeId = u32;

/// Above so many fields, the function of the runtime is smaller.
const MOST_FIELDS: usize = 64;

/// Above so many fields in all alternatives together, hashing in place takes too much code.
const MOST_HASHED: usize = 10;

/// The types of a unit.
#[derive(Debug, Default)]
pub(crate) struct Types {
    terms: Vec<TypeTerm>,
    roots: Vec<TypeId>,
    /// The strongly connected component of each type. What a type mentions has the same number, or a smaller one.
    components: Vec<u32>,
    facts: Vec<Facts>,
}

/// What is known of a type and of all that it mentions.
#[derive(Clone, Copy, Default, Debug)]
struct Facts {
    /// It contains itself.
    recursive: bool,
    /// It contains itself other than as the last part of a block.
    takes_depth: bool,
    /// A part of it is compared by the runtime.
    has_unknown: bool,
    /// A part of it is a float, so that two values may have no order.
    has_float: bool,
}

impl Types {
    pub(super) fn new(described: Described) -> Types {
        let Described { terms, roots } = described;
        let components = components(&terms);
        let mut by_component: Vec<TypeId> = (0..terms.len() as TypeId).collect();
        by_component.sort_by_key(|of| components[*of as usize]);
        let facts = vec![Facts::default(); terms.len()];
        let mut types = Types { terms, roots, components, facts };
        let mut rest = &by_component[..];
        while let [first, ..] = rest {
            let component = types.component(*first);
            let (group, others) = rest.split_at(rest.partition_point(|of| types.component(*of) == component));
            types.examine(group, component);
            rest = others;
        }
        types
    }

    pub(crate) fn term(&self, of: TypeId) -> &TypeTerm {
        &self.terms[of as usize]
    }

    pub(crate) fn root(&self, description: u32) -> Option<TypeId> {
        self.roots.get(description as usize).copied()
    }

    pub(crate) fn component(&self, of: TypeId) -> u32 {
        self.components[of as usize]
    }

    /// Whether values of the type may contain values of the type.
    pub(crate) fn is_recursive(&self, of: TypeId) -> bool {
        self.facts[of as usize].recursive
    }

    /// Whether its functions call themselves.
    pub(crate) fn is_iterated(&self, of: TypeId) -> bool {
        self.is_recursive(of) || matches!(self.term(of), TypeTerm::Array(_))
    }

    /// Whether comparing it takes more stack, the deeper the value is.
    pub(crate) fn takes_depth(&self, of: TypeId) -> bool {
        self.facts[of as usize].takes_depth
    }

    /// Whether `compare` may find two of its values equal because they are one: with functions in them, or cyclic.
    pub(crate) fn heeds_identity(&self, of: TypeId) -> bool {
        let facts = &self.facts[of as usize];
        facts.has_unknown || facts.recursive
    }

    /// Whether of any two values one is smaller, or they are equal: so the order is that of `compare`.
    pub(crate) fn is_totally_ordered(&self, of: TypeId) -> bool {
        let facts = &self.facts[of as usize];
        !facts.has_unknown && !facts.has_float
    }

    /// Whether functions are derived for it.
    pub(crate) fn is_derivable(&self, of: TypeId) -> bool {
        if *self.term(of) == TypeTerm::Unknown {
            return false;
        }
        let mut seen = vec![false; self.terms.len()];
        let mut fields = 0;
        let mut stack = vec![of];
        while let Some(of) = stack.pop() {
            if !std::mem::replace(&mut seen[of as usize], true) {
                let parts = self.term(of).parts();
                let floats = if let TypeTerm::FloatRecord(size) = self.term(of) { *size as usize } else { 0 };
                fields += parts.len() + floats;
                stack.extend(parts);
            }
        }
        fields <= MOST_FIELDS
    }

    /// What the runtime finds in values of the type when it hashes them.
    pub(crate) fn hashed(&self, of: TypeId) -> Hashed {
        let mut left = MOST_HASHED;
        let alternatives = match self.term(of) {
            TypeTerm::Variant { constants, blocks } => {
                let immediates = (*constants > 0).then_some(Some(HashedShape::Leaf(Leaf::Immediate)));
                let blocks = blocks.iter().map(|block| self.hashed_block(block, &mut left));
                immediates.into_iter().chain(blocks).collect()
            }
            _ => self.leaf(of).map(|leaf| vec![HashedShape::Leaf(leaf)]),
        };
        alternatives.map_or_else(Hashed::default, Hashed)
    }

    /// What is found in blocks, if that is at most what is left to be found.
    fn hashed_block(&self, (tag, fields): &(u8, Vec<Field>), left: &mut usize) -> Option<HashedShape> {
        let mut shape = |field: &Field| {
            if field.mutable {
                return None;
            }
            *left = left.checked_sub(1)?;
            match self.term(field.content) {
                // A field with alternatives would have to be looked at before those that follow.
                TypeTerm::Variant { constants: 0, blocks } => match &blocks[..] {
                    [block] => self.hashed_block(block, left),
                    _ => None,
                },
                _ => self.leaf(field.content).map(HashedShape::Leaf),
            }
        };
        fields.iter().map(&mut shape).collect::<Option<_>>().map(|fields| HashedShape::Block(*tag, fields))
    }

    fn leaf(&self, of: TypeId) -> Option<Leaf> {
        match self.term(of) {
            TypeTerm::Immediate => Some(Leaf::Immediate),
            TypeTerm::Float => Some(Leaf::Float),
            TypeTerm::String | TypeTerm::Bytes => Some(Leaf::String),
            TypeTerm::Int32 => Some(Leaf::Int32),
            TypeTerm::Int64 => Some(Leaf::Int64),
            TypeTerm::Nativeint => Some(Leaf::Nativeint),
            _ => None,
        }
    }

    /// Examines the types of a component, what they mention having been examined.
    fn examine(&mut self, group: &[TypeId], component: u32) {
        if self.is_mostly_unknown(group, component) {
            for of in group {
                self.terms[*of as usize] = TypeTerm::Unknown;
                self.facts[*of as usize] = Facts { has_unknown: true, ..Facts::default() };
            }
            return;
        }
        let mut facts = Facts::default();
        for of in group {
            match self.term(*of) {
                TypeTerm::Float | TypeTerm::FloatRecord(_) => facts.has_float = true,
                // Tags that are not known may have any argument.
                TypeTerm::Unknown | TypeTerm::PolymorphicVariant(_) => facts.has_unknown = true,
                _ => {}
            }
            for part in self.term(*of).parts() {
                let inner = self.component(part) == component;
                facts.recursive |= inner;
                facts.has_unknown |= self.facts[part as usize].has_unknown;
                facts.has_float |= self.facts[part as usize].has_float;
            }
            facts.takes_depth |= self.has_inner_call(*of, component);
        }
        for of in group {
            self.facts[*of as usize] = facts;
        }
    }

    /// Whether a part of the component is compared other than last.
    fn has_inner_call(&self, of: TypeId, component: u32) -> bool {
        let inner = |part: TypeId| self.component(part) == component;
        match self.term(of) {
            TypeTerm::Array(element) => inner(*element),
            TypeTerm::Variant { blocks, .. } => blocks.iter().any(|(_, fields)| {
                let but_last = fields.split_last().map_or(&[][..], |(_, rest)| rest);
                but_last.iter().any(|field| inner(field.content))
            }),
            _ => false,
        }
    }

    /// Whether the runtime would be called for most parts: then it is better called once for the whole.
    fn is_mostly_unknown(&self, group: &[TypeId], component: u32) -> bool {
        let (mut known, mut unknown) = (0, 0);
        for of in group {
            match self.term(*of) {
                TypeTerm::Unknown => return true,
                TypeTerm::Array(_) => {}
                TypeTerm::PolymorphicVariant(_) => unknown += 1,
                TypeTerm::Variant { constants, .. } => {
                    known += usize::from(*constants > 0 && !self.mentions(*of, component));
                }
                _ => known += 1,
            }
            for part in self.term(*of).parts() {
                if self.component(part) != component {
                    let is_unknown = *self.term(part) == TypeTerm::Unknown;
                    *(if is_unknown { &mut unknown } else { &mut known }) += 1;
                }
            }
        }
        unknown > known
    }

    fn mentions(&self, of: TypeId, component: u32) -> bool {
        self.term(of).parts().iter().any(|part| self.component(*part) == component)
    }
}

/// The strongly connected components, numbered so that what a type mentions comes first (Tarjan's algorithm, with a
/// stack of its own).
fn components(terms: &[TypeTerm]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let parts: Vec<Vec<u32>> = terms.iter().map(TypeTerm::parts).collect();
    let mut components = vec![NONE; terms.len()];
    let mut index = vec![NONE; terms.len()];
    let mut low = vec![0; terms.len()];
    let (mut next_index, mut next_component) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    for root in 0..terms.len() as u32 {
        let mut path = vec![(root, 0)];
        while let Some((of, at)) = path.last_mut() {
            let me = *of as usize;
            if *at == 0 {
                if index[me] != NONE {
                    path.pop();
                    continue;
                }
                (index[me], low[me]) = (next_index, next_index);
                next_index += 1;
                open.push(*of);
            }
            match parts[me].get(*at).copied() {
                Some(part) => {
                    *at += 1;
                    if index[part as usize] == NONE {
                        path.push((part, 0));
                    } else if components[part as usize] == NONE {
                        low[me] = low[me].min(index[part as usize]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent as usize] = low[*parent as usize].min(low[me]);
                    }
                    if low[me] == index[me] {
                        while let Some(member) = open.pop() {
                            components[member as usize] = next_component;
                            if member as usize == me {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                }
            }
        }
    }
    components
}
