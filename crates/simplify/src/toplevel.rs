//! What is known of the fields of the module, which functions read from its block.

use flambeau_ir::prim::Init;
use flambeau_ir::{Item, Named, Prim, Simple, Unit};
use flambeau_types::Ty;

use crate::Simplifier;

/// What is known of the fields that are initialised at one program point. Code that is run before that does not use
/// them: a program that reads a field too early is not well typed.
#[derive(Debug, Default)]
pub struct Fields(Vec<Field>);

#[derive(Clone, Debug)]
struct Field {
    /// The number of stores to it in the unit.
    stores: u32,
    ty: Ty,
}

impl Fields {
    /// The fields of a unit that is not simplified yet.
    pub fn of(unit: &Unit) -> Fields {
        let mut fields = Vec::new();
        let mut computed = false;
        let bodies = unit.codes.values().map(|code| &code.body).chain([&unit.entry.body]);
        for body in bodies {
            body.walk(&mut |expr| {
                for item in &expr.items {
                    let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                    let [Simple::Symbol(symbol), ..] = args[..] else { continue };
                    if symbol != unit.module_symbol {
                        continue;
                    }
                    match prim {
                        Prim::BlockStore { field, .. } => {
                            let index = *field as usize;
                            if fields.len() <= index {
                                fields.resize(index + 1, Field { stores: 0, ty: Ty::Unknown });
                            }
                            fields[index].stores += 1;
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

    /// What is known of a field of a block, if that is the module's.
    pub(crate) fn toplevel_field(&self, block: Simple, field: u32) -> Option<&Ty> {
        if block != Simple::Symbol(self.unit.module_symbol) {
            return None;
        }
        self.global.toplevel.0.get(field as usize).map(|known| &known.ty)
    }
}
