//! What other units may know of the module block.

use std::rc::Rc;

use flambeau_ir::{FunctionKind, Simple, StaticDef, Unit};
use flambeau_lambda::{Approximation, Names, Options};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::ModuleField;
use crate::env::{CodeRef, Field, Info};

/// The largest size of an application's arguments that is exported, counted in values: applications are nested in the
/// arguments of others, and nothing bounds how deeply functors are applied to the results of functors.
const LARGEST_ARGUMENTS: usize = 64;
/// The suffix of the label of a function that captures values as the source has it, where the stock object's function
/// of that label does not take its closure.
pub const IN_CLOSURE: &str = "_in_closure";

/// The depth of nested modules beyond which nothing is exported.
const MAX_DEPTH: u32 = 8;

/// The approximation of the module block: of the fields that other units may read, which come first.
pub(crate) fn exports(unit: &Unit, fields: &[ModuleField]) -> Approximation {
    let visible = fields.len().saturating_sub(unit.private_fields().len());
    let mut exporter = Exporter { unit, args: FxHashMap::default() };
    Approximation::Block(fields[..visible].iter().map(|f| exporter.field(&f.field, MAX_DEPTH)).collect())
}

/// Marks as exported the static data to which the approximation refers. Where the stock compiler's description of the
/// same unit promises some, all of it, so that exported functions may bring copies along: but for functors that nothing
/// promised refers to. Since 5.0 the front end wraps those that an interface restricts, and what applies such a functor
/// once, the wrapper, is what others inline.
pub(crate) fn export_statics(unit: &mut Unit, exports: &Approximation, promised: &Approximation) {
    let mut mentioned = FxHashSet::default();
    for known in [exports, promised] {
        known.for_each_name(&mut |name, names_what| {
            if names_what == Names::Data {
                mentioned.insert(name);
            }
        });
    }
    let all = *promised != Approximation::Unknown;
    let (symbols, codes) = (&unit.symbols, &unit.codes);
    let is_functor = |def: &StaticDef| match def {
        StaticDef::Closures { set, .. } => {
            set.functions.iter().all(|(_, code)| codes[*code].attributes.is_functor)
        }
        _ => false,
    };
    for item in &mut unit.statics {
        let is_mentioned =
            |symbol: &flambeau_ir::Symbol| mentioned.contains(symbols[*symbol].linkage_name.as_str());
        item.exported |= all && !is_functor(&item.def) || item.def.symbols().iter().any(is_mentioned);
    }
}

/// Marks as exported the tupled functions that the approximation names; where the stock compiler's description of the
/// same unit promises some, all of them.
pub(crate) fn export_codes(unit: &mut Unit, exports: &Approximation, promised: &Approximation) {
    let mut named = FxHashSet::default();
    exports.for_each_name(&mut |name, names_what| {
        if names_what != Names::Data {
            named.insert(name);
        }
    });
    let all = *promised != Approximation::Unknown;
    for code in unit.codes.values_mut() {
        let is_known = all || named.contains(code.linkage_name.as_str());
        code.attributes.exported = code.kind == FunctionKind::Tupled && is_known;
    }
}

/// Marks the fields of the module block that only the unit itself reads as private: none where code that the stock
/// compiler has inlined elsewhere may read them.
pub(crate) fn hide_fields(unit: &mut Unit, options: &Options, promised: &Approximation) {
    if *promised != Approximation::Unknown {
        return;
    }
    for item in &mut unit.statics {
        if let StaticDef::Preallocated { symbol, size, private, .. } = &mut item.def
            && *symbol == unit.module_symbol
        {
            *private = size.saturating_sub(options.exported_fields);
        }
    }
}

/// Gives exported functions the labels that the stock compiler's description of the same unit has for them, where
/// theirs differ (functions that are bound to no variable), if arity and need of a closure agree. Where the stock
/// function of a label takes no closure, but ours captures values as the source has it, ours gets the suffix
/// [`IN_CLOSURE`].
pub(crate) fn keep_labels(unit: &mut Unit, fields: &[ModuleField], promised: &Approximation) {
    let Approximation::Block(promises) = promised else { return };
    let mut taken: FxHashSet<String> = unit.codes.values().map(|code| code.linkage_name.clone()).collect();
    for (field, promise) in fields.iter().zip(promises) {
        keep_label(unit, &field.field, promise, &mut taken);
    }
}

fn keep_label(unit: &mut Unit, field: &Field, promise: &Approximation, taken: &mut FxHashSet<String>) {
    match (&field.info, promise) {
        (Info::Closure(closure), Approximation::Closure { code, arity, needs_closure, .. }) => {
            let CodeRef::Local(id) = closure.code else { return };
            let same_arity = arity.unsigned_abs() as usize == closure.arity && (*arity < 0) == closure.tupled;
            let label = &mut unit.codes[id].linkage_name;
            if same_arity && *needs_closure == closure.needs_closure {
                if taken.insert(code.clone()) {
                    label.clone_from(code);
                }
            } else if *label == *code && closure.needs_closure && !needs_closure {
                let other = format!("{code}{IN_CLOSURE}");
                if taken.insert(other.clone()) {
                    *label = other;
                }
            }
        }
        (Info::Block(fields), Approximation::Block(promises)) => {
            for (field, promise) in fields.iter().zip(promises) {
                keep_label(unit, field, promise, taken);
            }
        }
        _ => {}
    }
}

struct Exporter<'u> {
    unit: &'u Unit,
    /// The exported arguments of each application, by their address; `None` for those that are not exported.
    args: FxHashMap<*const Field, Option<Rc<[Approximation]>>>,
}

impl Exporter<'_> {
    fn field(&mut self, field: &Field, depth: u32) -> Approximation {
        match (&field.info, field.simple) {
            (Info::Closure(_) | Info::Block(_) | Info::Applied(_), simple) => {
                self.info(&field.info, simple, depth)
            }
            (_, Some(simple)) => self.atom(simple),
            _ => Approximation::Unknown,
        }
    }

    fn atom(&self, simple: Simple) -> Approximation {
        match simple {
            Simple::Symbol(symbol) => Approximation::Symbol(self.unit.symbols[symbol].linkage_name.clone()),
            Simple::Const(flambeau_ir::Const::Tagged(n)) => Approximation::Immediate(n),
            _ => Approximation::Unknown,
        }
    }

    fn info(&mut self, info: &Info, simple: Option<Simple>, depth: u32) -> Approximation {
        match info {
            _ if depth == 0 => Approximation::Unknown,
            Info::Closure(closure) => Approximation::Closure {
                code: self.code_name(&closure.code),
                arity: if closure.tupled { -(closure.arity as i64) } else { closure.arity as i64 },
                needs_closure: closure.needs_closure,
                symbol: simple.and_then(|simple| match simple {
                    Simple::Symbol(symbol) => Some(self.unit.symbols[symbol].linkage_name.clone()),
                    _ => None,
                }),
                result: Box::new(self.info(&closure.result, None, depth - 1)),
            },
            Info::Block(fields) => {
                Approximation::Block(fields.iter().map(|f| self.field(f, depth - 1)).collect())
            }
            Info::Applied(part) => match self.args(&part.args, depth - 1) {
                Some(args) => {
                    Approximation::Applied { code: self.code_name(&part.code), args, path: part.path.clone() }
                }
                None => Approximation::Unknown,
            },
            Info::Unknown | Info::Boxed(..) => Approximation::Unknown,
        }
    }

    /// The arguments of an application, if they are known and not too large. All parts of its result share them.
    fn args(&mut self, args: &Rc<[Field]>, depth: u32) -> Option<Rc<[Approximation]>> {
        if let Some(exported) = self.args.get(&args.as_ptr()) {
            return exported.clone();
        }
        let exported: Rc<[Approximation]> = args.iter().map(|arg| self.argument(arg, depth)).collect();
        let exported = (weight(&exported) <= LARGEST_ARGUMENTS).then_some(exported);
        self.args.insert(args.as_ptr(), exported.clone());
        exported
    }

    /// An argument of an application. For a value of another unit the symbol is enough.
    fn argument(&mut self, arg: &Field, depth: u32) -> Approximation {
        match arg.simple {
            Some(Simple::Symbol(symbol)) if !self.unit.symbols[symbol].is_local => self.atom(symbol.into()),
            _ => self.field(arg, depth),
        }
    }

    fn code_name(&self, code: &CodeRef) -> String {
        match code {
            CodeRef::Local(code) => self.unit.codes[*code].linkage_name.clone(),
            CodeRef::External(name) => name.clone(),
        }
    }
}

/// How many values approximations describe; more than [`LARGEST_ARGUMENTS`] if one is unknown, since then no importing
/// unit can evaluate the application to them.
fn weight(approximations: &[Approximation]) -> usize {
    let one = |approximation: &Approximation| match approximation {
        Approximation::Unknown | Approximation::GlobalField { .. } => LARGEST_ARGUMENTS + 1,
        Approximation::Block(fields) => 1 + weight(fields),
        Approximation::Applied { args, .. } => 1 + weight(args),
        Approximation::Closure { .. }
        | Approximation::Immediate(_)
        | Approximation::Symbol(_)
        | Approximation::Number { .. } => 1,
    };
    approximations.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = r#"
unit "T" prefix "camlT" module $camlT

static exported $camlT = preallocated[0] size 1
static $helper_closure = closures (helper)
static $Hidden_closure = closures (Hidden)
static $Make_closure = closures (Make)

code helper (x) -> return {
  return (x)
}

code Hidden (K) -> return [functor] {
  let block = make_block[0] (K)
  return (block)
}

code Make (K) -> return [functor] {
  call code Hidden (K) -> return
}

entry -> return {
  do block_store.root_init[0] ($camlT, $Make_closure)
  return (0)
}
"#;

    fn exported(promised: &Approximation) -> Vec<String> {
        let mut unit = flambeau_ir::parser::parse_unit(UNIT).expect("a unit");
        let exports = Approximation::Block(vec![Approximation::Symbol("camlT__Make_closure".into())]);
        export_statics(&mut unit, &exports, promised);
        let statics = unit.statics.iter().filter(|item| item.exported);
        let symbols = statics.flat_map(|item| item.def.symbols().to_vec());
        symbols.map(|symbol| unit.symbols[symbol].linkage_name.clone()).collect()
    }

    #[test]
    fn what_is_hidden_is_exported_where_stock_promises_something_but_no_functor() {
        assert_eq!(exported(&Approximation::Unknown), ["camlT", "camlT__Make_closure"]);
        let promised = Approximation::Block(vec![Approximation::Symbol("camlT__Make_closure".into())]);
        assert_eq!(exported(&promised), ["camlT", "camlT__helper_closure", "camlT__Make_closure"]);
        let promised = Approximation::Symbol("camlT__Hidden_closure".into());
        assert_eq!(
            exported(&promised),
            ["camlT", "camlT__helper_closure", "camlT__Hidden_closure", "camlT__Make_closure"]
        );
    }
}
