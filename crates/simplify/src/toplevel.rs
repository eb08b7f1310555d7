//! What is known of the fields of the module, which functions read from its block.

use flambeau_ir::prim::Init;
use flambeau_ir::{Item, Named, Prim, Simple, Symbol, Unit, Variable, tags};
use flambeau_types::Ty;
use rustc_hash::FxHashSet;

use crate::Simplifier;

/// What is known of the fields that are initialised at one program point. Code that is run before that does not use
/// them: a program that reads a field too early is not well typed.
#[derive(Debug, Default)]
pub struct Fields(Vec<Field>);

#[derive(Clone, Debug)]
struct Field {
    /// The number of stores to it in the unit.
    stores: u32,
    /// The identity of an exception that the toplevel allocates.
    identity: bool,
    ty: Ty,
}

impl Fields {
    /// The fields of a unit that is not simplified yet.
    pub fn of(unit: &Unit) -> Fields {
        let mut fields = Vec::new();
        let mut computed = false;
        let mut identities: FxHashSet<Variable> = FxHashSet::default();
        for body in unit.bodies() {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                    if matches!(prim, Prim::MakeBlock { tag: tags::OBJECT, .. }) {
                        identities.insert(*var);
                    }
                    let [Simple::Symbol(symbol), ..] = args[..] else { continue };
                    if symbol != unit.module_symbol {
                        continue;
                    }
                    match prim {
                        Prim::BlockStore { field, .. } => {
                            let index = *field as usize;
                            if fields.len() <= index {
                                fields
                                    .resize(index + 1, Field { stores: 0, identity: false, ty: Ty::Unknown });
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
        if computed { Fields::default() } else { Fields(fields) }
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
        if let Some(known) = self.global.toplevel.0.get_mut(field as usize)
            && known.stores == 1
        {
            known.ty = ty;
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
                let known = self.global.toplevel.0.get(*field as usize)?;
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
        self.global.toplevel.0.get(field as usize).map(|known| &known.ty)
    }
}
