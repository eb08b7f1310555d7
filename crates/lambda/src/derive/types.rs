//! Types as terms, and which of them are one.

use std::collections::HashMap;

use crate::numbers::type_term as number;
use flambeau_wire::{DecodeError, Reader};

/// What the values of a type are. Others are meant by their places in the same list.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TypeTerm {
    /// Anything.
    Unknown,
    /// Immediates.
    Immediate,
    /// Boxed floats.
    Float,
    /// Strings.
    String,
    /// Byte sequences.
    Bytes,
    /// Boxed 32-bit integers.
    Int32,
    /// Boxed 64-bit integers.
    Int64,
    /// Boxed machine integers.
    Nativeint,
    /// Arrays of elements of a type, flat if they are floats.
    Array(u32),
    /// Records of floats, flat.
    FloatRecord(u32),
    /// Constant constructors, and blocks. Tuples and records are blocks of tag 0.
    Variant {
        /// How many constant constructors there are.
        constants: u32,
        /// The blocks, by their tags.
        blocks: Vec<(u8, Vec<Field>)>,
    },
    /// A polymorphic variant: the tags whose argument is known.
    PolymorphicVariant(Vec<(i64, u32)>),
}

/// A field of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Field {
    /// The type.
    pub content: u32,
    /// Whether it may be assigned.
    pub mutable: bool,
}

impl TypeTerm {
    /// The types that it mentions, in order.
    pub(crate) fn parts_mut(&mut self) -> Box<dyn Iterator<Item = &mut u32> + '_> {
        match self {
            TypeTerm::Array(element) => Box::new(std::iter::once(element)),
            TypeTerm::Variant { blocks, .. } => Box::new(
                blocks.iter_mut().flat_map(|block| block.1.iter_mut().map(|field| &mut field.content)),
            ),
            TypeTerm::PolymorphicVariant(arguments) => {
                Box::new(arguments.iter_mut().map(|argument| &mut argument.1))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The types that it mentions, in order.
    pub(crate) fn parts(&self) -> Vec<u32> {
        self.clone().parts_mut().map(|part| *part).collect()
    }
}

/// The types of a request, as they come: terms, and the root of each description.
#[derive(Clone, Default, Debug)]
pub(crate) struct Described {
    pub terms: Vec<TypeTerm>,
    pub roots: Vec<u32>,
}

use super::graph::Types;

/// Reads the descriptions of types.
pub(crate) fn decode_types(r: &mut Reader) -> Result<Types, DecodeError> {
    let mut described = Described::default();
    for _ in 0..r.count()? {
        let base = described.terms.len() as u32;
        let mut terms = r.list(type_term)?;
        let root = r.u32()?;
        let count = terms.len() as u32;
        if root >= count || terms.iter_mut().any(|term| term.parts_mut().any(|part| *part >= count)) {
            return Err(r.error("no such type"));
        }
        for term in &mut terms {
            term.parts_mut().for_each(|part| *part += base);
        }
        described.terms.extend(terms);
        described.roots.push(base + root);
    }
    Ok(Types::new(described.merged()))
}

fn type_term(r: &mut Reader) -> Result<TypeTerm, DecodeError> {
    Ok(match r.byte()? {
        number::Unknown => TypeTerm::Unknown,
        number::Immediate => TypeTerm::Immediate,
        number::Float => TypeTerm::Float,
        number::String => TypeTerm::String,
        number::Bytes => TypeTerm::Bytes,
        number::Int32 => TypeTerm::Int32,
        number::Int64 => TypeTerm::Int64,
        number::Nativeint => TypeTerm::Nativeint,
        number::Array => TypeTerm::Array(r.u32()?),
        number::FloatRecord => TypeTerm::FloatRecord(r.u32()?),
        number::Variant => TypeTerm::Variant { constants: r.u32()?, blocks: r.list(block)? },
        number::PolymorphicVariant => TypeTerm::PolymorphicVariant(r.list(|r| Ok((r.i64()?, r.u32()?)))?),
        _ => return Err(r.error("no such type")),
    })
}

fn block(r: &mut Reader) -> Result<(u8, Vec<Field>), DecodeError> {
    let tag = u8::try_from(r.u32()?).map_err(|_| r.error("no tag"))?;
    Ok((tag, r.list(|r| Ok(Field { content: r.u32()?, mutable: r.bool()? }))?))
}

impl Described {
    /// With types that can't be distinguished as one: uses of one type are described one by one.
    fn merged(mut self) -> Described {
        // Each round distinguishes types whose parts were distinguished in the round before.
        let mut classes = vec![0u32; self.terms.len()];
        let mut count = 1;
        loop {
            let mut numbers: HashMap<TypeTerm, u32> = HashMap::new();
            let next: Vec<u32> = self
                .terms
                .iter()
                .map(|term| {
                    let mut term = term.clone();
                    term.parts_mut().for_each(|part| *part = classes[*part as usize]);
                    let fresh = numbers.len() as u32;
                    *numbers.entry(term).or_insert(fresh)
                })
                .collect();
            classes = next;
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        let mut terms: Vec<TypeTerm> = vec![TypeTerm::Unknown; count];
        for (term, class) in self.terms.iter_mut().zip(&classes) {
            term.parts_mut().for_each(|part| *part = classes[*part as usize]);
            terms[*class as usize] = term.clone();
        }
        self.roots.iter_mut().for_each(|root| *root = classes[*root as usize]);
        Described { terms, roots: self.roots }
    }
}
