//! What is known of the fields of the module, which functions read from its block.

use flambeau_ir::prim::{ArrayKind, Init};
use flambeau_ir::{Const, Item, Kind, Named, Prim, Simple, Symbol, Unit, Variable, tags};
use flambeau_types::{Operands, Ty};
use rustc_hash::FxHashSet;

use crate::Simplifier;

/// What is known of the fields that are initialised at one program point. Code that is run before that does not use
/// them: a program that reads a field too early is not well typed.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<Field>,
    /// Nothing in the unit makes blocks shorter.
    keeps_lengths: bool,
}

#[derive(Clone, Debug)]
struct Field {
    /// The number of stores to it in the unit.
    stores: u32,
    /// The identity of an exception that the toplevel allocates.
    identity: bool,
    ty: Ty,
    /// How long what it holds is, by what reads that, if it is an array or a string.
    length: Option<(Prim, i64)>,
}

impl Field {
    const UNKNOWN: Field = Field { stores: 0, identity: false, ty: Ty::Unknown, length: None };
}

impl Fields {
    /// The fields of a unit that is not simplified yet.
    pub fn of(unit: &Unit) -> Fields {
        let mut fields = Vec::new();
        let mut computed = false;
        let mut shortens = false;
        let mut identities: FxHashSet<Variable> = FxHashSet::default();
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                    match prim {
                        Prim::MakeBlock { tag: tags::OBJECT, .. } => {
                            identities.insert(*var);
                        }
                        Prim::CCall(external) => shortens |= external.shortens(),
                        _ => {}
                    }
                    let [Simple::Symbol(symbol), ..] = args[..] else { continue };
                    if symbol != unit.module_symbol {
                        continue;
                    }
                    match prim {
                        Prim::BlockStore { field, .. } => {
                            let index = *field as usize;
                            if fields.len() <= index {
                                fields.resize(index + 1, Field::UNKNOWN);
                            }
                            fields[index].stores += 1;
                            // No identity is stored twice.
                            let value = args.last().and_then(|value| value.as_var());
                            fields[index].identity = value.is_some_and(|var| identities.remove(&var));
                        }
                        Prim::BlockLoad { .. } => {}
                        _ => computed = true,
                    }
                }
            });
        }
        if computed { Fields::default() } else { Fields { fields, keeps_lengths: !shortens } }
    }
}

/// An object that is known to be no other one.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Of an exception of the language.
    Predefined(Symbol),
    /// In a field of the module.
    Field(u32),
    /// Allocated in the function.
    Made(Simple),
}

impl Simplifier<'_> {
    /// Records what is known of a field of the module when it is initialised.
    pub(crate) fn note_toplevel(&mut self, init: Init, field: u32, block: Simple, value: Simple) {
        if self.is_measuring() || init != Init::Root || block != Simple::Symbol(self.unit.module_symbol) {
            return;
        }
        // Expressed in names that are in scope everywhere in the unit.
        let ty = self.env.export(value, 0);
        let length = if self.global.toplevel.keeps_lengths { self.constant_length(value) } else { None };
        if let Some(known) = self.global.toplevel.fields.get_mut(field as usize)
            && known.stores == 1
        {
            known.ty = ty;
            known.length = length;
        }
    }

    /// How long an array or a string is, if that is a constant, and what reads it.
    fn constant_length(&self, value: Simple) -> Option<(Prim, i64)> {
        let readers = [Prim::ArrayLength { kind: ArrayKind::Generic }, Prim::StringLength];
        readers.into_iter().find_map(|reader| {
            let key = self.cse_key(&reader, &Operands::from_slice(&[value]))?;
            match self.env.constant(self.env.cse(&key)?, Kind::Value)? {
                Const::Tagged(length) => Some((reader, length)),
                _ => None,
            }
        })
    }

    /// Records how long what was loaded from a field of the module is.
    pub(crate) fn note_loaded_length(&mut self, loaded: Variable, field: u32, block: Simple) {
        if block != Simple::Symbol(self.unit.module_symbol) {
            return;
        }
        let known = self.global.toplevel.fields.get(field as usize);
        if let Some((reader, length)) = known.and_then(|known| known.length.clone()) {
            let memory = self.memory().read_by(&reader);
            self.env.add_cse(reader, Operands::from_slice(&[loaded.into()]), memory, Simple::tagged(length));
        }
    }

    /// Whether two atoms are two objects: identities of exceptions that are predefined, that the toplevel allocates, or
    /// that are allocated here; or such an identity and a block of another tag.
    pub(crate) fn are_two_objects(&self, x: Simple, y: Simple) -> bool {
        let is_of_constructor = |simple| {
            let tags = self.env.ty(simple).blocks().tags();
            tags.is_some_and(|tags| !tags.contains(i64::from(tags::OBJECT)))
        };
        match (self.identity(x), self.identity(y)) {
            // What is allocated here may be what a field holds: the toplevel stores it there.
            (Some(Identity::Made(_)), Some(Identity::Field(_)))
            | (Some(Identity::Field(_)), Some(Identity::Made(_))) => false,
            (Some(x), Some(y)) => x != y,
            (Some(_), None) => is_of_constructor(y),
            (None, Some(_)) => is_of_constructor(x),
            (None, None) => false,
        }
    }

    fn identity(&self, simple: Simple) -> Option<Identity> {
        if let Simple::Symbol(symbol) = simple {
            let is_predefined = self.unit.symbols[symbol].linkage_name.starts_with("caml_exn_");
            return is_predefined.then_some(Identity::Predefined(symbol));
        }
        let definition = self.env.definition(simple)?;
        match (&definition.prim, &definition.args[..]) {
            (Prim::MakeBlock { tag: tags::OBJECT, .. }, _) => Some(Identity::Made(simple)),
            (Prim::BlockLoad { field, .. }, [Simple::Symbol(symbol)])
                if *symbol == self.unit.module_symbol =>
            {
                let known = self.global.toplevel.fields.get(*field as usize)?;
                (known.identity && known.stores == 1).then_some(Identity::Field(*field))
            }
            _ => None,
        }
    }

    /// What is known of a field of a block, if that is the module's.
    pub(crate) fn toplevel_field(&self, block: Simple, field: u32) -> Option<&Ty> {
        if block != Simple::Symbol(self.unit.module_symbol) {
            return None;
        }
        self.global.toplevel.fields.get(field as usize).map(|known| &known.ty)
    }
}
