//! Modules that another unit created with a functor: what is known of `A.String_map.find` where `A` says `module
//! String_map = Map.Make (String)` (features B7, B13).
//!
//! The other unit exports which functor it applied to what, and the functor is evaluated here ([`crate::instances`]),
//! when a part of what it created is read for the first time.

use flambeau_ir::imports::{Known, Made, Shape};
use flambeau_ir::{Apply, CallKind, ExnCont, Prim, Simple, Symbol};
use flambeau_types::Ty;
use smallvec::SmallVec;

use crate::Simplifier;
use crate::instances::DEPTH;

/// A part of a module: a field, a field of that, and so on.
pub type Path = SmallVec<[u32; 4]>;

impl Simplifier<'_> {
    /// What is known of a field of a block that is another unit's module, or a part of it, if a functor created what it
    /// holds.
    pub(crate) fn made_elsewhere(&mut self, field: u32, block: Simple) -> Option<Ty> {
        let key = self.path(field, block)?;
        if let Some(known) = self.global.made.get(&key) {
            return Some(known.clone());
        }
        let (module, path) = &key;
        let name = &self.unit.symbols[*module].linkage_name;
        let evaluates = !self.rewrites.stubs_only && self.arguments().toplevel_functors;
        let made = if evaluates { self.unit.imports.made(name, path).cloned() } else { None };
        let object = self.unit.imports.object(name, path);
        if made.is_none() && object == Shape::Unknown {
            return None;
        }
        let ty = made.and_then(|made| self.make(&made)).unwrap_or(Ty::Unknown);
        let ty = ty.with_object(&self.type_of_object(&object));
        self.global.made.insert(key, ty.clone());
        Some(ty)
    }

    /// What behaves as a structure that is a part of another unit's module, if something static does.
    pub(crate) fn structure_elsewhere(&mut self, structure: Simple) -> Option<Simple> {
        let definition = self.env.definition(structure)?;
        let (Prim::BlockLoad { field, .. }, [block]) = (&definition.prim, &definition.args[..]) else {
            return None;
        };
        let key = self.path(*field, *block)?;
        if let Some(known) = self.global.structures.get(&key) {
            return *known;
        }
        let name = &self.unit.symbols[key.0].linkage_name;
        let structure = self.unit.imports.structure(name, &key.1).cloned();
        let structure = structure.and_then(|known| self.known_elsewhere(&known));
        self.global.structures.insert(key, structure);
        structure
    }

    /// The module and the path in it of a field.
    fn path(&self, field: u32, block: Simple) -> Option<(Symbol, Path)> {
        let mut path = Path::from_slice(&[field]);
        let mut block = self.env.canonical(block);
        loop {
            if let Simple::Symbol(module) = block {
                path.reverse();
                return Some((module, path));
            }
            let definition = self.env.definition(block)?;
            let (Prim::BlockLoad { field, .. }, [outer]) = (&definition.prim, &definition.args[..]) else {
                return None;
            };
            path.push(*field);
            block = self.env.canonical(*outer);
        }
    }

    fn make(&mut self, made: &Made) -> Option<Ty> {
        let args = made.args.iter().map(|arg| self.known_elsewhere(arg)).collect::<Option<Vec<_>>>()?;
        let (ret, exn) = (self.unit.entry.ret, ExnCont::plain(self.unit.entry.exn));
        let apply = Apply::plain(None, CallKind::DirectExternal(made.code.to_string()), args, ret, exn);
        let code = self.imported(&made.code, &apply)?;
        let whole = self.evaluated(&apply, code, apply.args.clone())?;
        made.path.iter().try_fold(whole, |part, field| self.field_of(&part, *field))
    }

    /// An atom that behaves as a static value of another unit does.
    fn known_elsewhere(&mut self, known: &Known) -> Option<Simple> {
        match known {
            Known::Immediate(n) => Some(Simple::tagged(*n)),
            Known::Symbol(name) => Some(self.global.imported.symbol(self.unit, name).into()),
            Known::Closure(function, symbol) => {
                let copy = self.copy_of_function(function).map(Simple::Symbol);
                copy.or_else(|| Some(self.global.imported.symbol(self.unit, symbol.as_deref()?).into()))
            }
            Known::Structure(fields) => {
                let fields =
                    fields.iter().map(|field| self.known_elsewhere(field)).collect::<Option<Vec<_>>>()?;
                self.instance_block(0, &fields)
            }
            Known::Made(made) => {
                let ty = self.make(made)?;
                self.static_instance_of(&ty, DEPTH)
            }
        }
    }
}
