//! Bigarrays: bounds checks, the offset of the element, and the access are separate, so that each can be shared.

use flambeau_ir::prim as ir;
use flambeau_ir::prim::bigarray::Indexing;
use flambeau_ir::{ArgType, Machine, Prim, Simple};
use flambeau_lambda::Primitive;
use flambeau_lambda::prim::{self as lambda, BigarrayLayout};
use flambeau_lambda::term::LocId;

use crate::apply::atoms;
use crate::builder::Converter;
use crate::env::Val;
use crate::letrec::external;

/// An access to an element.
struct Access {
    kind: ir::BigarrayKind,
    layout: BigarrayLayout,
    safe: bool,
}

impl Access {
    /// The access, or `None` if it is done by a C function, which looks what kind and layout the bigarray has.
    fn new(kind: lambda::BigarrayKind, layout: BigarrayLayout, safe: bool) -> Option<Access> {
        let kind = bigarray_kind(kind).filter(|_| layout != BigarrayLayout::Unknown)?;
        Some(Access { kind, layout, safe })
    }
}

/// The order in which the operands of an inline access are evaluated: the bigarray, the element if there is one, then
/// the indices, the fastest-moving first.
pub(crate) fn order_of_operands(layout: BigarrayLayout, count: usize, is_set: bool) -> Vec<usize> {
    let end = if is_set { count - 1 } else { count };
    let mut order = vec![0];
    order.extend(is_set.then_some(end));
    match layout {
        BigarrayLayout::Fortran => order.extend(1..end),
        _ => order.extend((1..end).rev()),
    }
    order
}

/// Whether an access is done inline, and not by a C function.
pub(crate) fn is_known(kind: lambda::BigarrayKind, layout: BigarrayLayout) -> bool {
    Access::new(kind, layout, true).is_some()
}

impl Converter<'_> {
    /// The access, or `None` if it is done by a C function: in bytecode it always is.
    fn access(&self, kind: lambda::BigarrayKind, layout: BigarrayLayout, safe: bool) -> Option<Access> {
        Access::new(kind, layout, safe).filter(|_| self.rewrites.machine == Machine::Native)
    }

    /// An operation on bigarrays; `None` for other primitives.
    pub(crate) fn bigarray_operation(&mut self, prim: &Primitive, values: &[Val], loc: LocId) -> Option<Val> {
        use Primitive as P;
        let simples = atoms(values);
        Some(Val::unknown(match (prim, simples.as_slice()) {
            (P::BigarrayDim(dim), [_]) => {
                // Lambda counts from 1.
                self.prim("length", Prim::BigarrayDim { dim: dim.saturating_sub(1) }, &simples, loc)
            }
            (P::BigarrayRef { safe, dims, kind, layout }, [array, indices @ ..])
                if !indices.is_empty() && indices.len() == *dims as usize =>
            {
                let Some(access) = self.access(*kind, *layout, *safe) else {
                    let get = external(&format!("caml_ba_get_{dims}"), simples.len(), true, false);
                    return Some(Val::unknown(self.raising_prim("result", get, &simples, loc)));
                };
                let kind = access.kind;
                let offset = self.element_offset(&access, *array, indices, loc);
                let element = self.prim("prim", Prim::BigarrayLoad { kind }, &[*array, offset], loc);
                return Some(self.boxed_contents(element, kind.kind(), loc));
            }
            (P::BigarraySet { safe, dims, kind, layout }, [array, indices @ .., _])
                if !indices.is_empty() && indices.len() == *dims as usize =>
            {
                let Some(access) = self.access(*kind, *layout, *safe) else {
                    let set = external(&format!("caml_ba_set_{dims}"), simples.len(), true, false);
                    return Some(Val::unknown(self.raising_prim("result", set, &simples, loc)));
                };
                let kind = access.kind;
                let element = self.naked_contents(&values[values.len() - 1], kind.kind(), loc);
                let offset = self.element_offset(&access, *array, indices, loc);
                self.prim("store", Prim::BigarrayStore { kind }, &[*array, offset, element], loc)
            }
            _ => return None,
        }))
    }

    /// The offset of the element with these indices, after their checks.
    fn element_offset(&mut self, access: &Access, array: Simple, indices: &[Simple], loc: LocId) -> Simple {
        let Access { layout, safe, .. } = *access;
        let indexing = Indexing { fortran: layout == BigarrayLayout::Fortran, safe };
        indexing.offset(array, indices, &mut |name, prim, args| {
            if prim.may_raise() {
                self.raising_prim(name, prim, args, loc)
            } else {
                self.prim(name, prim, args, loc)
            }
        })
    }
}

/// The type of bigarrays of a kind and a layout; unknown, if these are.
pub(crate) fn bigarray_type(kind: lambda::BigarrayKind, layout: BigarrayLayout) -> ArgType {
    match Access::new(kind, layout, true) {
        Some(Access { kind, .. }) => ArgType::Bigarray { kind, fortran: layout == BigarrayLayout::Fortran },
        None => ArgType::Unknown,
    }
}

fn bigarray_kind(kind: lambda::BigarrayKind) -> Option<ir::BigarrayKind> {
    use lambda::BigarrayKind as L;
    Some(match kind {
        L::Unknown => return None,
        L::Float32 => ir::BigarrayKind::Float32,
        L::Float64 => ir::BigarrayKind::Float64,
        L::Sint8 => ir::BigarrayKind::Sint8,
        L::Uint8 => ir::BigarrayKind::Uint8,
        L::Sint16 => ir::BigarrayKind::Sint16,
        L::Uint16 => ir::BigarrayKind::Uint16,
        L::Int32 => ir::BigarrayKind::Int32,
        L::Int64 => ir::BigarrayKind::Int64,
        L::CamlInt => ir::BigarrayKind::CamlInt,
        L::NativeInt => ir::BigarrayKind::NativeInt,
        L::Complex32 => ir::BigarrayKind::Complex32,
        L::Complex64 => ir::BigarrayKind::Complex64,
    })
}
