//! Stores that are overwritten before anyone can see what they wrote (features D16). Which may go, and why, says
//! `docs/memory-model.md`: assignments of integers and floats.

use flambeau_ir::prim::Init;
use flambeau_ir::{Expr, Item, Named, Prim, Rewrite, Simple};
use smallvec::SmallVec;

use crate::Simplifier;

/// A field of a block.
type Place = (Simple, u32);

impl Simplifier<'_> {
    /// Leaves out of each run of a term what it overwrites itself.
    pub(crate) fn drop_overwritten(&mut self, body: &mut Expr) {
        body.walk_mut(&mut |expr| self.drop_overwritten_in(&mut expr.items));
    }

    fn drop_overwritten_in(&mut self, items: &mut Vec<Item>) {
        if items.iter().filter(|item| assigned(item).is_some()).count() < 2 {
            return;
        }
        let mut overwritten: SmallVec<[Place; 4]> = SmallVec::new();
        for index in (0..items.len()).rev() {
            match assigned(&items[index]) {
                Some(place) if overwritten.contains(&place) => {
                    if self.allow(Rewrite::OverwrittenStore) {
                        items.remove(index);
                    }
                }
                Some(place) => overwritten.push(place),
                None => keep_unseen(&items[index], &mut overwritten),
            }
        }
    }
}

/// The field that an item assigns an integer or a float to.
fn assigned(item: &Item) -> Option<Place> {
    let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { return None };
    match prim {
        Prim::BlockStore { field, pointer: false, init: Init::Assignment }
        | Prim::BlockStoreFloat { field, init: Init::Assignment } => Some((args[0], *field)),
        _ => None,
    }
}

/// Keeps the fields whose contents an item neither sees nor shows. A field of a block is not another field of any
/// block.
fn keep_unseen(item: &Item, fields: &mut SmallVec<[Place; 4]>) {
    match item {
        Item::Let { named: Named::Prim { prim, .. }, .. } => match prim {
            Prim::BlockLoad { field, .. } | Prim::BlockLoadFloat { field, .. } => {
                fields.retain(|(_, written)| written != field);
            }
            prim if prim.can_duplicate() && !prim.reads_contents() => {}
            _ => fields.clear(),
        },
        // What handlers do is done after the run.
        Item::Let { named: Named::Simple(_), .. } | Item::LetCont { .. } => {}
        Item::LetClosures { .. } | Item::Join { .. } => fields.clear(),
    }
}
