//! What calls pass that is known by its parts: what the unit allocates, and static data.

use cranelift_entity::SecondaryMap;
use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    BoxedKind, Prim, SetOfClosures, Simple, StaticDef, StaticField, Symbol, Unit, Variable, tags,
};
use smallvec::SmallVec;

use super::parts::{Part, variants};

/// A value that is known by its parts.
#[derive(Debug)]
pub(super) struct Made {
    /// Its tag, if it is a tuple, a record or a constructor.
    pub tag: Option<u8>,
    parts: SmallVec<[(Part, Simple); 3]>,
}

impl Made {
    fn of_block(tag: u8, fields: impl Iterator<Item = Simple>) -> Made {
        Made { tag: Some(tag), parts: (0..).map(Part::Field).zip(fields).collect() }
    }

    fn of_floats(numbers: impl Iterator<Item = Simple>) -> Made {
        Made { tag: None, parts: (0..).map(Part::Float).zip(numbers).collect() }
    }

    fn of_number(kind: BoxedKind, number: Simple) -> Made {
        Made { tag: None, parts: SmallVec::from_slice(&[(Part::Number(kind), number)]) }
    }

    /// What an immutable block or a boxed number is initialised with.
    fn of_primitive(prim: &Prim, args: &[Simple]) -> Option<Made> {
        match prim {
            Prim::MakeBlock { tag, mutability: Mutability::Immutable } if *tag < tags::FIRST_SPECIAL => {
                Some(Made::of_block(*tag, args.iter().copied()))
            }
            Prim::MakeFloatBlock { mutability: Mutability::Immutable } => {
                Some(Made::of_floats(args.iter().copied()))
            }
            Prim::Box(kind) => Some(Made::of_number(*kind, args[0])),
            _ => None,
        }
    }

    fn of_static(def: &StaticDef) -> Option<(Symbol, Made)> {
        if let Some((kind, number)) = def.number() {
            return Some((*def.symbols().first()?, Made::of_number(kind, Simple::Const(number))));
        }
        Some(match def {
            StaticDef::Block { symbol, tag, fields } if *tag < tags::FIRST_SPECIAL => {
                let fields = fields.iter().map(|field: &StaticField| field.simple());
                (*symbol, Made::of_block(*tag, fields))
            }
            _ => return None,
        })
    }

    /// Whether it has those parts.
    pub fn has_all(&self, parts: &[Part]) -> bool {
        parts.iter().all(|part| self.part(*part).is_some())
    }

    /// The atom that is a part, if the part is known.
    pub fn part(&self, part: Part) -> Option<Simple> {
        if part == Part::Which {
            return self.tag.map(variants::number_of_block);
        }
        self.parts.iter().find(|(known, _)| *known == part).map(|(_, value)| *value)
    }
}

/// What is known by its parts.
pub(super) struct AllMade {
    all: Vec<Made>,
    /// Whether each is needed as a whole, otherwise than by known calls.
    needed: Vec<bool>,
    /// One more than the number of what a variable or symbol is.
    variables: SecondaryMap<Variable, u32>,
    symbols: SecondaryMap<Symbol, u32>,
}

impl AllMade {
    /// The static blocks and closures of a unit.
    pub fn of_statics(unit: &Unit) -> AllMade {
        let mut made = AllMade {
            all: Vec::new(),
            needed: Vec::new(),
            variables: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
        };
        for (symbol, known) in unit.statics.iter().filter_map(|item| Made::of_static(&item.def)) {
            made.symbols[symbol] = made.push(known);
        }
        made
    }

    fn push(&mut self, made: Made) -> u32 {
        self.all.push(made);
        self.needed.push(false);
        self.all.len() as u32
    }

    /// Records what a primitive allocates.
    pub fn note_primitive(&mut self, var: Variable, prim: &Prim, args: &[Simple]) {
        if let Some(made) = Made::of_primitive(prim, args) {
            self.variables[var] = self.push(made);
        }
    }

    /// Records closures, all of which know what their set captured.
    pub fn note_closures(&mut self, vars: &[Variable], set: &SetOfClosures) {
        let parts = set.values.iter().map(|(slot, value)| (Part::Captured(*slot), *value)).collect();
        let number = self.push(Made { tag: None, parts });
        vars.iter().for_each(|var| self.variables[*var] = number);
    }

    /// Records another name.
    pub fn note_name(&mut self, var: Variable, of: Variable) {
        self.variables[var] = self.variables[of];
    }

    /// Records that the whole is needed.
    pub fn note_needed(&mut self, atom: Simple) {
        if let Some(number) = self.number(atom) {
            self.needed[number] = true;
        }
    }

    /// The number of what an atom is known to be.
    pub fn number(&self, atom: Simple) -> Option<usize> {
        let number = match atom {
            Simple::Var(var) => self.variables[var],
            Simple::Symbol(symbol) => self.symbols[symbol],
            Simple::Const(_) => 0,
        };
        (number as usize).checked_sub(1)
    }

    /// What is known of an atom by its parts.
    pub fn get(&self, atom: Simple) -> Option<&Made> {
        self.all.get(self.number(atom)?)
    }

    /// How many words it takes but its header.
    pub fn words(&self, number: usize) -> usize {
        self.all[number].parts.len()
    }

    /// Whether nothing is done with an allocation but reading its parts and passing it to known functions.
    pub fn is_only_passed(&self, atom: Simple) -> bool {
        matches!(atom, Simple::Var(_)) && self.number(atom).is_some_and(|number| !self.needed[number])
    }
}
