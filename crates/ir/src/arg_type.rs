//! What a call says of the static types of its arguments.

use serde::{Deserialize, Serialize};

use crate::Simple;
use crate::prim::{ArrayKind, BigarrayKind};

/// The static type of an argument, as far as the function that is called takes a value of any type there: of the
/// instance of its type at the call (`docs/design/types-of-the-source.md`). Says nothing of the value by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArgType {
    /// Nothing is known.
    #[default]
    Unknown,
    /// All its values are immediates.
    Immediate,
    /// There are functions that compare two of its values.
    Compared {
        /// Does what the runtime's `caml_compare` does.
        compare: Simple,
        /// Does what the runtime's `caml_equal` does.
        equal: Simple,
        /// Any two values are in the order that `compare` says.
        total: bool,
        /// What an array of its values is.
        elements: Elements,
        /// What the runtime's `caml_hash` finds in its values.
        hashed: Hashed,
    },
    /// Arrays of values of a type.
    Array(Box<ArgType>),
    /// Bigarrays of a kind and a layout, that of Fortran or that of C.
    Bigarray {
        /// What the elements are.
        kind: BigarrayKind,
        /// Whether the layout is that of Fortran.
        fortran: bool,
    },
    /// Immediates, and blocks whose fields have these types, whatever their tags.
    Block(Vec<ArgType>),
    /// What stands around: the `Block` that is so many others further out than the innermost one.
    Enclosing(u32),
    /// Functions that are called with so many arguments, of these types, and return values of the last.
    Function(Vec<ArgType>, Box<ArgType>),
    /// Whatever this type variable of a function of the source is: in the types of variables
    /// ([`crate::unit::VariableData`]).
    Variable(u32),
}

/// How arrays of values of a type represent these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Elements {
    /// Not known.
    Any,
    /// None is a float.
    Values,
    /// All are floats: the array is flat.
    Floats,
    /// All are floats, but the array may have been made of what is none, and hold boxes.
    MaybeBoxes,
}

/// What the runtime's `caml_hash` finds in the values of a type: alternatives, at most one of immediates, the others of
/// one leaf, or of blocks with different tags. None if it is not known, or too much to be hashed in place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Hashed(pub Vec<HashedShape>);

/// What `caml_hash` finds in values that are all alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HashedShape {
    /// One leaf.
    Leaf(Leaf),
    /// Blocks of a tag, their fields, which are never assigned.
    Block(u8, Vec<HashedShape>),
}

impl HashedShape {
    /// How many leaves are mixed into the hash, and how many values are looked at: what the parameters `count` and
    /// `limit` of `caml_hash` bound.
    #[must_use]
    pub fn leaves_and_values(&self) -> (usize, usize) {
        match self {
            HashedShape::Leaf(_) => (1, 1),
            HashedShape::Block(_, fields) => fields.iter().fold((0, 1), |(leaves, values), field| {
                let inner = field.leaves_and_values();
                (leaves + inner.0, values + inner.1)
            }),
        }
    }
}

/// What is mixed into a hash as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Leaf {
    /// An immediate.
    Immediate,
    /// A boxed float.
    Float,
    /// A string, or bytes.
    String,
    /// A boxed integer of 32 bits.
    Int32,
    /// A boxed integer of 64 bits.
    Int64,
    /// A boxed machine integer.
    Nativeint,
}

impl Leaf {
    /// All of them.
    pub const ALL: [Leaf; 6] =
        [Leaf::Immediate, Leaf::Float, Leaf::String, Leaf::Int32, Leaf::Int64, Leaf::Nativeint];

    /// The word for it in the textual form.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Leaf::Immediate => "int",
            Leaf::Float => "float",
            Leaf::String => "string",
            Leaf::Int32 => "int32",
            Leaf::Int64 => "int64",
            Leaf::Nativeint => "nativeint",
        }
    }
}

impl ArgType {
    /// The type with other atoms.
    #[must_use]
    pub fn map(&self, f: &mut impl FnMut(Simple) -> Simple) -> ArgType {
        let mut ty = self.clone();
        ty.functions_mut(&mut |function| *function = f(*function));
        ty
    }

    /// The functions that compare its values, and those of its parts.
    pub fn functions_mut(&mut self, f: &mut impl FnMut(&mut Simple)) {
        self.walk_mut(&mut |ty| {
            if let ArgType::Compared { compare, equal, .. } = ty {
                f(compare);
                f(equal);
            }
        });
    }

    /// The numbers of the type variables that it mentions.
    pub fn variables_mut(&mut self, f: &mut impl FnMut(&mut u32)) {
        self.walk_mut(&mut |ty| {
            if let ArgType::Variable(number) = ty {
                f(number);
            }
        });
    }

    /// The type and those of its parts, each before its own parts.
    fn walk_mut(&mut self, f: &mut dyn FnMut(&mut ArgType)) {
        f(self);
        match self {
            ArgType::Array(part) => part.walk_mut(f),
            ArgType::Function(params, result) => {
                params.iter_mut().for_each(|param| param.walk_mut(f));
                result.walk_mut(f);
            }
            ArgType::Block(fields) => fields.iter_mut().for_each(|field| field.walk_mut(f)),
            ArgType::Unknown
            | ArgType::Immediate
            | ArgType::Compared { .. }
            | ArgType::Bigarray { .. }
            | ArgType::Enclosing(_)
            | ArgType::Variable(_) => {}
        }
    }

    /// The functions that compare its values, and those of its parts.
    pub fn for_each_function(&self, f: &mut impl FnMut(Simple)) {
        match self {
            ArgType::Compared { compare, equal, .. } => {
                f(*compare);
                f(*equal);
            }
            ArgType::Array(part) => part.for_each_function(f),
            ArgType::Function(params, result) => {
                params.iter().for_each(|param| param.for_each_function(f));
                result.for_each_function(f);
            }
            ArgType::Block(fields) => fields.iter().for_each(|field| field.for_each_function(f)),
            ArgType::Unknown
            | ArgType::Immediate
            | ArgType::Bigarray { .. }
            | ArgType::Enclosing(_)
            | ArgType::Variable(_) => {}
        }
    }

    /// The type of a field of the blocks.
    #[must_use]
    pub fn field(&self, index: usize) -> ArgType {
        match self {
            ArgType::Block(fields) => {
                fields.get(index).map_or(ArgType::Unknown, |field| field.unrolled(self, 0))
            }
            _ => ArgType::Unknown,
        }
    }

    /// The type with what stands around it in place of its name, at a depth of blocks.
    fn unrolled(&self, around: &ArgType, depth: u32) -> ArgType {
        match self {
            ArgType::Enclosing(n) if *n == depth => around.clone(),
            ArgType::Array(part) => ArgType::Array(Box::new(part.unrolled(around, depth))),
            ArgType::Function(params, result) => ArgType::Function(
                params.iter().map(|param| param.unrolled(around, depth)).collect(),
                Box::new(result.unrolled(around, depth)),
            ),
            ArgType::Block(fields) => {
                ArgType::Block(fields.iter().map(|field| field.unrolled(around, depth + 1)).collect())
            }
            other => other.clone(),
        }
    }

    /// What arrays of its values are.
    #[must_use]
    pub fn array_kind(&self) -> ArrayKind {
        match self {
            ArgType::Unknown
            | ArgType::Enclosing(_)
            | ArgType::Variable(_)
            | ArgType::Compared { elements: Elements::Any | Elements::MaybeBoxes, .. } => ArrayKind::Generic,
            ArgType::Immediate => ArrayKind::Int,
            ArgType::Compared { elements: Elements::Floats, .. } => ArrayKind::Float,
            ArgType::Compared { elements: Elements::Values, .. }
            | ArgType::Array(_)
            | ArgType::Bigarray { .. }
            | ArgType::Block(_)
            | ArgType::Function(..) => ArrayKind::Addr,
        }
    }
}
