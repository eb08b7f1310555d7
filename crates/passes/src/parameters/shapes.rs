//! What functions return: a boxed number, or blocks of which callers want the parts.

use cranelift_entity::SecondaryMap;
use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    BoxedKind, Const, Expr, Item, Kind, Named, Prim, Simple, StaticDef, StaticField, Symbol, Unit, Variable,
    tags,
};
use smallvec::SmallVec;

/// No block of more fields is returned by its parts, and so many slots there are.
pub(super) const MOST_PARTS: usize = 6;
/// Blocks in fields of blocks are returned by their parts so deep.
const DEPTH: u32 = 2;
/// No more constructors are distinguished.
const MOST_CONSTRUCTORS: usize = 8;
/// No more constants of one constructor, or of numbers, are found again by a call that needs the whole.
const MOST_CONSTANTS: usize = 4;

/// How a field of a block is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Value,
    /// All blocks have a box of such a number there, made for them alone.
    Number(BoxedKind),
    /// All blocks have a block of that tag there, made for them alone: `Some (x, rest)`.
    Block(u8, Vec<Part>),
}

impl Part {
    /// How what may be one or the other is returned.
    fn join(&mut self, other: Part) {
        match (&mut *self, other) {
            (Part::Number(a), Part::Number(b)) if *a == b => {}
            (Part::Block(a, parts), Part::Block(b, others)) if *a == b && parts.len() == others.len() => {
                parts.iter_mut().zip(others).for_each(|(part, other)| part.join(other));
            }
            _ => *self = Part::Value,
        }
    }

    /// Adds the kinds in which it is returned.
    fn add_kinds(&self, kinds: &mut SmallVec<[Kind; 8]>) {
        match self {
            Part::Value => kinds.push(Kind::Value),
            Part::Number(number) => kinds.push(number.naked()),
            Part::Block(_, parts) => parts.iter().for_each(|part| part.add_kinds(kinds)),
        }
    }
}

/// A block that is returned: a constructor of a variant, or a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constructor {
    pub tag: u8,
    /// Its fields.
    pub parts: SmallVec<[Part; 4]>,
    /// The static blocks that are returned, without repetition; as many as show that there are too many.
    pub constants: SmallVec<[Symbol; 2]>,
}

/// What functions return, as far as was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// A boxed number.
    pub number: Option<BoxedKind>,
    /// Static boxes of numbers that are returned, as for blocks.
    pub constants: SmallVec<[Symbol; 2]>,
    /// Blocks, by their tags.
    pub blocks: SmallVec<[Constructor; 2]>,
    /// Constants that are no blocks.
    pub immediates: SmallVec<[i64; 4]>,
    /// Some return allocates what it returns. Where all is there already, parts save nothing.
    pub allocates: bool,
    /// Something else.
    pub refused: bool,
}

fn add_constant(constants: &mut SmallVec<[Symbol; 2]>, constant: Symbol) {
    if constants.len() <= MOST_CONSTANTS && !constants.contains(&constant) {
        constants.push(constant);
    }
}

impl Constructor {
    /// The kinds of what is returned, blocks in fields by their own parts.
    pub fn kinds(&self) -> SmallVec<[Kind; 8]> {
        let mut kinds = SmallVec::new();
        self.parts.iter().for_each(|part| part.add_kinds(&mut kinds));
        kinds
    }

    /// Leaves blocks in fields whole that no call looks into (`looked_into`: the fields, as bits), and all of them if
    /// there would be too many parts.
    fn limit(&mut self, looked_into: u64) {
        for (field, part) in self.parts.iter_mut().enumerate() {
            if matches!(part, Part::Block(..)) && looked_into & (1 << field) == 0 {
                *part = Part::Value;
            }
        }
        if self.kinds().len() > MOST_PARTS {
            let blocks = self.parts.iter_mut().filter(|part| matches!(part, Part::Block(..)));
            blocks.for_each(|part| *part = Part::Value);
        }
    }
}

impl Shape {
    /// What is not returned by parts.
    pub fn unknown() -> Shape {
        Shape { refused: true, ..Shape::default() }
    }

    /// What may be one or the other.
    pub fn join(&mut self, other: Shape) {
        self.refused |= other.refused;
        self.allocates |= other.allocates;
        match (self.number, other.number) {
            (Some(a), Some(b)) => self.refused |= a != b,
            (a, b) => self.number = a.or(b),
        }
        other.constants.into_iter().for_each(|constant| add_constant(&mut self.constants, constant));
        for block in other.blocks {
            self.add_block(block);
        }
        for immediate in other.immediates {
            if !self.immediates.contains(&immediate) {
                self.immediates.push(immediate);
            }
        }
        self.refused |= self.blocks.len() + self.immediates.len() > MOST_CONSTRUCTORS;
        let is_number = self.number.is_some();
        self.refused |= is_number && !(self.blocks.is_empty() && self.immediates.is_empty());
    }

    fn add_block(&mut self, block: Constructor) {
        let Some(known) = self.blocks.iter_mut().find(|known| known.tag == block.tag) else {
            let at = self.blocks.partition_point(|known| known.tag < block.tag);
            return self.blocks.insert(at, block);
        };
        self.refused |= known.parts.len() != block.parts.len();
        known.parts.iter_mut().zip(block.parts).for_each(|(known, part)| known.join(part));
        block.constants.into_iter().for_each(|constant| add_constant(&mut known.constants, constant));
    }

    /// Leaves blocks in fields whole where their parts are not wanted: no call looks into such a field.
    pub fn limit(mut self, looked_into: u64) -> Shape {
        self.blocks.iter_mut().for_each(|block| block.limit(looked_into));
        self
    }

    /// Whether it is one block, whatever it holds: its first part is in the register, the others in slots. Else the
    /// number of the constructor is, and all parts are in slots.
    pub fn is_tuple(&self) -> bool {
        self.blocks.len() == 1 && self.immediates.is_empty()
    }

    /// Whether calls that need a box or block would have to tell too many constants apart.
    pub fn has_many_constants(&self) -> bool {
        let are_many = |constants: &[Symbol]| constants.len() > MOST_CONSTANTS;
        are_many(&self.constants) || self.blocks.iter().any(|block| are_many(&block.constants))
    }

    /// The kind of what is returned in the register, if it can be returned by parts.
    pub fn register(&self) -> Option<Kind> {
        if self.refused || !self.allocates {
            return None;
        }
        if let Some(number) = self.number {
            return Some(number.naked());
        }
        let tuple = self.blocks.first()?;
        Some(if self.is_tuple() { tuple.kinds()[0] } else { Kind::NakedImmediate })
    }

    /// The number of a constructor.
    pub fn number_of_block(&self, tag: u8) -> Option<usize> {
        self.blocks.iter().position(|block| block.tag == tag)
    }

    /// The number of a constructor without arguments.
    pub fn number_of_immediate(&self, immediate: i64) -> Option<usize> {
        let index = self.immediates.iter().position(|known| *known == immediate)?;
        Some(self.blocks.len() + index)
    }
}

/// The tag and the fields of a block.
type Block = (u8, SmallVec<[Simple; 4]>);

/// What is known of static data and of what bodies allocate.
pub(super) struct Allocations {
    /// Allocations, with what they are initialised with.
    boxes: SecondaryMap<Variable, Option<(BoxedKind, Simple)>>,
    blocks: SecondaryMap<Variable, Option<Block>>,
    /// How often variables are used.
    uses: SecondaryMap<Variable, u32>,
    numbers: SecondaryMap<Symbol, Option<(BoxedKind, Const)>>,
    static_blocks: SecondaryMap<Symbol, Option<Block>>,
}

impl Allocations {
    pub fn of(unit: &Unit) -> Allocations {
        let mut allocations = Allocations {
            boxes: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            uses: SecondaryMap::new(),
            numbers: SecondaryMap::new(),
            static_blocks: SecondaryMap::new(),
        };
        unit.statics.iter().for_each(|item| allocations.static_def(&item.def));
        unit.codes.values().for_each(|code| allocations.body(&code.body));
        allocations.body(&unit.entry.body);
        allocations
    }

    fn static_def(&mut self, def: &StaticDef) {
        if let (Some(number), [symbol]) = (def.number(), def.symbols()) {
            self.numbers[*symbol] = Some(number);
        }
        match def {
            StaticDef::Block { symbol, tag, fields } if *tag < tags::FIRST_SPECIAL => {
                let fields = fields.iter().map(|field: &StaticField| field.simple()).collect();
                self.static_blocks[*symbol] = Some((*tag, fields));
            }
            _ => {}
        }
    }

    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                item.for_each_simple(&mut |atom| self.note(atom));
                let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                match prim {
                    Prim::Box(kind) => self.boxes[*var] = Some((*kind, args[0])),
                    Prim::MakeBlock { tag, mutability: Mutability::Immutable }
                        if *tag < tags::FIRST_SPECIAL =>
                    {
                        self.blocks[*var] = Some((*tag, args.iter().copied().collect()));
                    }
                    _ => {}
                }
            }
            expr.terminator.for_each_simple(&mut |atom| self.note(atom));
        });
    }

    fn note(&mut self, atom: Simple) {
        atom.as_var().iter().for_each(|var| self.uses[*var] += 1);
    }

    /// How often a variable is used.
    pub fn uses(&self, var: Variable) -> u32 {
        self.uses[var]
    }

    /// What an atom boxes, if that is done for this use alone.
    pub fn own_box(&self, atom: Simple) -> Option<(BoxedKind, Simple)> {
        let var = atom.as_var()?;
        self.boxes[var].filter(|_| self.uses[var] == 1)
    }

    /// The number in a static box.
    pub fn number(&self, atom: Simple) -> Option<(BoxedKind, Const)> {
        match atom {
            Simple::Symbol(symbol) => self.numbers[symbol],
            _ => None,
        }
    }

    /// The block that an atom is, if it is allocated for this use alone, or static.
    pub fn block(&self, atom: Simple) -> Option<&Block> {
        match atom {
            Simple::Var(var) => self.blocks[var].as_ref().filter(|_| self.uses[var] == 1),
            Simple::Symbol(symbol) => self.static_blocks[symbol].as_ref(),
            Simple::Const(_) => None,
        }
        .filter(|(_, fields)| !fields.is_empty() && fields.len() <= MOST_PARTS)
    }

    /// The block that a field holds, if it is allocated for that alone.
    pub fn own_block(&self, field: Simple) -> Option<&Block> {
        self.block(field).filter(|_| field.as_var().is_some())
    }

    /// How a field of a block that is allocated here can be returned.
    fn part(&self, field: Simple, depth: u32) -> Part {
        if let Some((kind, _)) = self.own_box(field) {
            return Part::Number(kind);
        }
        match self.own_block(field).filter(|_| depth > 0) {
            Some((tag, fields)) => {
                Part::Block(*tag, fields.iter().map(|field| self.part(*field, depth - 1)).collect())
            }
            None => Part::Value,
        }
    }

    /// What is returned.
    pub fn shape(&self, atom: Simple) -> Shape {
        if let (Some((kind, _)), Simple::Symbol(symbol)) = (self.number(atom), atom) {
            return Shape {
                number: Some(kind),
                constants: [symbol].into_iter().collect(),
                ..Shape::default()
            };
        }
        if let Some((kind, _)) = self.own_box(atom) {
            return Shape { number: Some(kind), allocates: true, ..Shape::default() };
        }
        if let Simple::Const(Const::Tagged(immediate)) = atom {
            return Shape { immediates: [immediate].into_iter().collect(), ..Shape::default() };
        }
        let Some((tag, fields)) = self.block(atom) else { return Shape::unknown() };
        let (parts, constants) = match atom {
            Simple::Symbol(symbol) => {
                (fields.iter().map(|_| Part::Value).collect(), [symbol].into_iter().collect())
            }
            _ => (fields.iter().map(|field| self.part(*field, DEPTH)).collect(), SmallVec::new()),
        };
        let block = Constructor { tag: *tag, parts, constants };
        let allocates = matches!(atom, Simple::Var(_));
        Shape { blocks: [block].into_iter().collect(), allocates, ..Shape::default() }
    }
}
