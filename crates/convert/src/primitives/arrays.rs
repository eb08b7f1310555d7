//! Accesses of arrays, strings, byte sequences and bigstrings, with their checks.

use flambeau_ir::prim::{self as ir, Mutability};
use flambeau_ir::{BoxedKind, Kind, Prim, Simple};
use flambeau_lambda::Primitive;
use flambeau_lambda::term::LocId;

use super::translations::{array_kind, width};
use crate::apply::atoms;
use crate::builder::{Converter, Result};
use crate::env::Val;

impl Converter<'_> {
    /// An operation on arrays; `None` for other primitives.
    pub(super) fn array_operation(
        &mut self,
        prim: &Primitive,
        values: &[Val],
        loc: LocId,
    ) -> Result<Option<Val>> {
        use Primitive as P;
        let simples = atoms(values);
        Ok(Some(match (prim, values) {
            (P::MakeArray { .. }, []) => Val::unknown(self.static_block(0, &[]).unwrap_or(Simple::UNIT)),
            (P::MakeArray { kind, mutable }, elements) => {
                let kind = array_kind(*kind);
                let mutability = if *mutable { Mutability::Mutable } else { Mutability::Immutable };
                let args: Vec<Simple> = if kind == ir::ArrayKind::Float {
                    let mut naked: Vec<Simple> =
                        elements.iter().rev().map(|e| self.unbox(e, BoxedKind::Float)).collect();
                    naked.reverse();
                    naked
                } else {
                    simples
                };
                Val::unknown(self.prim("block", Prim::MakeArray { kind, mutability }, &args, loc))
            }
            (P::ArrayLength(kind), [_]) => {
                let prim = Prim::ArrayLength { kind: array_kind(*kind) };
                Val::unknown(self.prim("length", prim, &simples, loc))
            }
            (P::ArrayRef { kind, safe }, [array, index]) => {
                let kind = array_kind(*kind);
                self.check_array_bound(*safe, kind, array, index, loc);
                let element = self.prim("prim", Prim::ArrayLoad { kind }, &simples, loc);
                if kind == ir::ArrayKind::Float {
                    self.boxed(element, BoxedKind::Float, loc)
                } else {
                    Val::unknown(element)
                }
            }
            (P::ArraySet { kind, safe }, [array, index, element]) => {
                let kind = array_kind(*kind);
                let element = if kind == ir::ArrayKind::Float {
                    self.unbox(element, BoxedKind::Float)
                } else {
                    element.simple
                };
                self.check_array_bound(*safe, kind, array, index, loc);
                let args = [array.simple, index.simple, element];
                Val::unknown(self.prim("store", Prim::ArrayStore { kind }, &args, loc))
            }
            _ => return Ok(None),
        }))
    }

    fn check_array_bound(&mut self, safe: bool, kind: ir::ArrayKind, array: &Val, index: &Val, loc: LocId) {
        if safe {
            let length = self.prim("length", Prim::ArrayLength { kind }, &[array.simple], loc);
            self.raising_prim("check", Prim::CheckBound { width: 1 }, &[length, index.simple], loc);
        }
    }

    /// An operation on strings, byte sequences or bigstrings; `None` for other primitives.
    pub(super) fn string_operation(
        &mut self,
        prim: &Primitive,
        values: &[Val],
        loc: LocId,
    ) -> Result<Option<Val>> {
        use Primitive as P;
        use ir::{StringKind as S, Width};
        let simples = atoms(values);
        Ok(Some(match (prim, values) {
            (P::StringLength | P::BytesLength, [_]) => {
                Val::unknown(self.prim("length", Prim::StringLength, &simples, loc))
            }
            (P::StringRef { safe }, [_, _]) => self.string_load(S::String, Width::W8, *safe, values, loc),
            (P::BytesRef { safe }, [_, _]) => self.string_load(S::Bytes, Width::W8, *safe, values, loc),
            (P::StringLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::String, width(*w), *safe, values, loc)
            }
            (P::BytesLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::Bytes, width(*w), *safe, values, loc)
            }
            (P::BigstringLoad { width: w, safe }, [_, _]) => {
                self.string_load(S::Bigstring, width(*w), *safe, values, loc)
            }
            (P::BytesSet { safe }, [_, _, _]) => self.string_store(S::Bytes, Width::W8, *safe, values, loc),
            (P::BytesStore { width: w, safe }, [_, _, _]) => {
                self.string_store(S::Bytes, width(*w), *safe, values, loc)
            }
            (P::BigstringStore { width: w, safe }, [_, _, _]) => {
                self.string_store(S::Bigstring, width(*w), *safe, values, loc)
            }
            _ => return Ok(None),
        }))
    }

    fn string_load(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) -> Val {
        self.check_string_bound(string, width, safe, values, loc);
        let naked = self.prim("prim", Prim::StringLoad { string, width }, &atoms(&values[..2]), loc);
        self.boxed_contents(naked, width.kind(), loc)
    }

    pub(super) fn string_store(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) -> Val {
        let naked = self.naked_contents(&values[2], width.kind(), loc);
        self.check_string_bound(string, width, safe, values, loc);
        let args = [values[0].simple, values[1].simple, naked];
        Val::unknown(self.prim("store", Prim::StringStore { string, width }, &args, loc))
    }

    pub(super) fn check_string_bound(
        &mut self,
        string: ir::StringKind,
        width: ir::Width,
        safe: bool,
        values: &[Val],
        loc: LocId,
    ) {
        if safe {
            let length = match string {
                ir::StringKind::Bigstring => Prim::BigarrayDim { dim: 0 },
                ir::StringKind::String | ir::StringKind::Bytes => Prim::StringLength,
            };
            let length = self.prim("length", length, &[values[0].simple], loc);
            let check = Prim::CheckBound { width: width.bytes() };
            self.raising_prim("check", check, &[length, values[1].simple], loc);
        }
    }

    /// The value that represents a number: tagged or boxed, as its kind asks.
    pub(crate) fn boxed_contents(&mut self, simple: Simple, kind: Kind, loc: LocId) -> Val {
        match (kind, BoxedKind::of_naked(kind)) {
            (_, Some(boxed)) => self.boxed(simple, boxed, loc),
            (Kind::NakedImmediate, None) => Val::unknown(self.prim("tagged", Prim::Tag, &[simple], loc)),
            (_, None) => Val::unknown(simple),
        }
    }

    /// The untagged or unboxed contents of a value, of the given kind.
    pub(crate) fn naked_contents(&mut self, value: &Val, kind: Kind, loc: LocId) -> Simple {
        match (kind, BoxedKind::of_naked(kind)) {
            (_, Some(boxed)) => self.unbox(value, boxed),
            (Kind::NakedImmediate, None) => self.prim("untagged", Prim::Untag, &[value.simple], loc),
            (_, None) => value.simple,
        }
    }
}
