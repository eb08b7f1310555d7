//! Accesses to bigarrays of a kind and layout that the types say (C5, D12): the source's function takes any, and stock
//! asks the bigarray at each access what it is, in C.

use flambeau_ir::prim::BigarrayKind;
use flambeau_ir::prim::bigarray::Indexing;
use flambeau_ir::{ArgType, Dbg, ExnCont, Item, Named, Prim, Simple, Subkind, Unit, Variable};
use smallvec::SmallVec;

use super::infer::Types;

/// An access to a bigarray of a known type.
pub(super) struct BigarrayAccess {
    kind: BigarrayKind,
    fortran: bool,
    is_store: bool,
}

/// Whether an item is an access to a bigarray of any kind and layout, and a store.
fn access(item: &Item) -> Option<(bool, &[Simple])> {
    let Item::Let { named: Named::Prim { prim: Prim::CCall(external), args, exn: Some(_) }, .. } = item
    else {
        return None;
    };
    let load = external.name.strip_prefix("caml_ba_get_");
    let (is_store, dims) = match load {
        Some(dims) => (false, dims),
        None => (true, external.name.strip_prefix("caml_ba_set_")?),
    };
    let indices: usize = dims.parse().ok()?;
    (indices > 0 && args.len() == 1 + indices + usize::from(is_store)).then_some((is_store, &args[..]))
}

pub(super) fn is_bigarray_access(item: &Item) -> bool {
    access(item).is_some()
}

/// The access that an item is, if the types say of what kind and layout the bigarray is.
pub(super) fn bigarray_access(item: &Item, types: &Types) -> Option<BigarrayAccess> {
    let (is_store, args) = access(item)?;
    match types.get(*args.first()?)? {
        ArgType::Bigarray { kind, fortran } => {
            Some(BigarrayAccess { kind: *kind, fortran: *fortran, is_store })
        }
        _ => None,
    }
}

/// The access, by instructions.
pub(super) fn access_at(unit: &mut Unit, item: Item, access: BigarrayAccess, items: &mut Vec<Item>) {
    let Item::Let { var, named: Named::Prim { args, exn: Some(exn), .. }, dbg } = item else { return };
    let BigarrayAccess { kind, fortran, is_store } = access;
    let mut emitted = Emitted { unit, items, exn: *exn, dbg };
    let array = args[0];
    let (indices, stored) = match &args[1..] {
        [indices @ .., stored] if is_store => (indices, Some(*stored)),
        indices => (indices, None),
    };
    let naked = kind.kind();
    let indexing = Indexing { fortran, safe: true };
    let offset = indexing.offset(array, indices, &mut |name, prim, args| emitted.bind(name, prim, args));
    if let Some(value) = stored {
        let contents = match Prim::unboxing(naked) {
            Some(unboxing) => emitted.bind("element", unboxing, &[value]),
            None => value,
        };
        emitted.push(var, Prim::BigarrayStore { kind }, &[array, offset, contents]);
        return;
    }
    let load = Prim::BigarrayLoad { kind };
    match Prim::boxing(naked) {
        Some(boxing) => {
            let contents = emitted.bind("element", load, &[array, offset]);
            emitted.push(var, boxing, &[contents]);
        }
        None => emitted.push(var, load, &[array, offset]),
    }
}

/// The items in front of the rest of a run.
struct Emitted<'a> {
    unit: &'a mut Unit,
    items: &'a mut Vec<Item>,
    exn: ExnCont,
    dbg: Dbg,
}

impl Emitted<'_> {
    fn push(&mut self, var: Variable, prim: Prim, args: &[Simple]) {
        let exn = prim.may_raise().then(|| Box::new(self.exn.clone()));
        let named = Named::Prim { prim, args: SmallVec::from_slice(args), exn };
        self.items.push(Item::Let { var, named, dbg: self.dbg });
    }

    fn bind(&mut self, name: &str, prim: Prim, args: &[Simple]) -> Simple {
        let var = self.unit.new_variable(name, prim.signature().result, Subkind::Any);
        self.push(var, prim, args);
        var.into()
    }
}
