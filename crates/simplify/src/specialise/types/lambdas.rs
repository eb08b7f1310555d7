//! Functions that capture nothing, inside of polymorphic functions: `let sorted l = List.sort (fun a b -> compare b a)
//! l`. Their closures are static data, which all copies of the function around share; what is copied for types gets
//! copies of them, too.
//!
//! The type variables in the shapes of their parameters are those of the function that they were written in: that is
//! the one that is copied, or none of its type variables is among theirs, because what is of another unit has others
//! ([`flambeau_ir::unit::VariableData::shift_type_variables`]). In a recursive function, which may have been
//! inlined into itself, a type variable may be something else, so these are left alone. Within a function all mentions
//! of such a closure become those of the copy: it is as identical to itself as before.

use flambeau_ir::remap::{self, Remap};
use flambeau_ir::{Apply, ArgType, CodeId, Expr, Simple, Symbol, Unit};
use flambeau_types::{Env, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use super::infer::{Types, known_types, nested};
use crate::Simplifier;

/// The static closures that a function mentions whose parameters have types that follow from those of its own: the
/// functions, and these types.
pub(crate) fn lambdas_at(
    unit: &Unit,
    env: &Env,
    code: CodeId,
    types: &[ArgType],
) -> Vec<(Symbol, CodeId, Vec<ArgType>)> {
    let data = &unit.codes[code];
    if data.recursive || data.params.iter().all(|param| unit.variables[*param].shape.is_none()) {
        return Vec::new();
    }
    let mut symbols: FxHashSet<Symbol> = FxHashSet::default();
    let mut found = Vec::new();
    let mut look = |simple: Simple| {
        if let Simple::Symbol(symbol) = simple
            && symbols.insert(symbol)
            && let Ty::Closure(closure) = env.ty(simple)
            && let Some(code) = closure.code()
            && unit.codes[code].params.iter().any(|param| unit.variables[*param].shape.is_some())
        {
            found.push((symbol, code));
        }
    };
    data.body.for_each_simple_deep(&mut look);
    nested(unit, &data.body).iter().for_each(|code| unit.codes[*code].body.for_each_simple_deep(&mut look));
    if found.is_empty() {
        return Vec::new();
    }
    let types = Types::of_type_variables(unit, known_types(&data.params, types));
    let typed = found.into_iter().map(|(symbol, code)| (symbol, code, types.of_params(unit, code)));
    typed.filter(|(_, _, types)| types.iter().any(|ty| *ty != ArgType::Unknown)).collect()
}

impl Simplifier<'_> {
    /// Replaces closures in a copied body, and in the functions whose closures it allocates, by those of copies of
    /// their functions for types, where these gain.
    pub(crate) fn pass_typed_lambdas(
        &mut self,
        apply: &Apply,
        lambdas: Vec<(Symbol, CodeId, Vec<ArgType>)>,
        body: &mut Expr,
    ) {
        if self.is_measuring() || self.rewrites.stubs_only {
            return;
        }
        let mut copies = Copies(FxHashMap::default());
        for (symbol, _, types) in lambdas {
            if let Some(copy) = self.typed_closure(apply, symbol.into(), &types) {
                copies.0.insert(symbol, copy);
            }
        }
        if copies.0.is_empty() {
            return;
        }
        remap::expr(&mut copies, body);
        for code in nested(self.unit, body) {
            remap::expr(&mut copies, &mut self.unit.codes[code].body);
        }
    }
}

/// Closures, and those in their place.
struct Copies(FxHashMap<Symbol, Symbol>);

impl Remap for Copies {
    fn symbol(&mut self, symbol: &mut Symbol) {
        if let Some(copy) = self.0.get(symbol) {
            *symbol = *copy;
        }
    }
}
