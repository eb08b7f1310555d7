//! What other units may know of the module block.

use flambeau_ir::{Simple, StaticDef, Unit};
use flambeau_lambda::{Approximation, Options};
use rustc_hash::FxHashSet;

use crate::builder::ModuleField;
use crate::env::{CodeRef, Field, Info};

/// Nesting beyond which nothing is told: sub-modules of sub-modules of…
const MAX_DEPTH: u32 = 8;

/// The approximation of the module block: of the fields that other units may read, which come first.
pub(crate) fn exports(unit: &Unit, fields: &[ModuleField]) -> Approximation {
    let visible = fields.len().saturating_sub(unit.private_fields().len());
    Approximation::Block(fields[..visible].iter().map(|f| field(unit, &f.field, MAX_DEPTH)).collect())
}

/// Makes visible the static data that the approximation tells of; all of it where the stock compiler's description of the
/// same unit promises some.
pub(crate) fn export_statics(unit: &mut Unit, exports: &Approximation, promised: &Approximation) {
    let mut told = FxHashSet::default();
    told_of(exports, &mut told);
    let all = *promised != Approximation::Unknown;
    let symbols = &unit.symbols;
    for item in &mut unit.statics {
        let is_told = |symbol: &flambeau_ir::Symbol| told.contains(symbols[*symbol].linkage_name.as_str());
        item.exported |= all || item.def.symbols().iter().any(is_told);
    }
}

/// Tells which fields of the module block are the unit's own: none where code that the stock compiler has inlined
/// elsewhere may read them.
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

fn told_of<'a>(approximation: &'a Approximation, told: &mut FxHashSet<&'a str>) {
    match approximation {
        Approximation::Symbol(symbol) => {
            told.insert(symbol);
        }
        Approximation::Closure { symbol, result, .. } => {
            told.extend(symbol.as_deref());
            told_of(result, told);
        }
        Approximation::Block(fields) => fields.iter().for_each(|field| told_of(field, told)),
        Approximation::Made { args, .. } => args.iter().for_each(|arg| told_of(arg, told)),
        Approximation::Unknown | Approximation::Immediate(_) | Approximation::GlobalField { .. } => {}
    }
}

/// Gives exported functions the labels that the stock compiler's description of the same unit promises, where
/// theirs differ (functions that are bound to no variable), and what is promised of them is true.
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
            let same_arity = arity.unsigned_abs() as usize == closure.arity && (*arity < 0) == closure.tupled;
            if let CodeRef::Local(id) = closure.code
                && same_arity
                && *needs_closure == closure.needs_closure
                && taken.insert(code.clone())
            {
                unit.codes[id].linkage_name.clone_from(code);
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

fn field(unit: &Unit, field: &Field, depth: u32) -> Approximation {
    match (&field.info, field.simple) {
        (Info::Closure(_) | Info::Block(_) | Info::Made(_), simple) => info(unit, &field.info, simple, depth),
        (_, Some(simple)) => atom(unit, simple),
        _ => Approximation::Unknown,
    }
}

fn atom(unit: &Unit, simple: Simple) -> Approximation {
    match simple {
        Simple::Symbol(symbol) => Approximation::Symbol(unit.symbols[symbol].linkage_name.clone()),
        Simple::Const(flambeau_ir::Const::Tagged(n)) => Approximation::Immediate(n),
        _ => Approximation::Unknown,
    }
}

fn info(unit: &Unit, info: &Info, simple: Option<Simple>, depth: u32) -> Approximation {
    match info {
        _ if depth == 0 => Approximation::Unknown,
        Info::Closure(closure) => Approximation::Closure {
            code: code_name(unit, &closure.code),
            arity: if closure.tupled { -(closure.arity as i64) } else { closure.arity as i64 },
            needs_closure: closure.needs_closure,
            symbol: simple.and_then(|simple| match simple {
                Simple::Symbol(symbol) => Some(unit.symbols[symbol].linkage_name.clone()),
                _ => None,
            }),
            result: Box::new(self::info(unit, &closure.result, None, depth - 1)),
        },
        Info::Block(fields) => {
            Approximation::Block(fields.iter().map(|f| field(unit, f, depth - 1)).collect())
        }
        Info::Made(made) => Approximation::Made {
            code: code_name(unit, &made.code),
            args: made.args.iter().map(|arg| argument(unit, arg, depth - 1)).collect(),
            path: made.path.clone(),
        },
        Info::Unknown | Info::Boxed(..) => Approximation::Unknown,
    }
}

/// An argument of what made something. Of another unit the symbol is enough.
fn argument(unit: &Unit, arg: &Field, depth: u32) -> Approximation {
    match arg.simple {
        Some(Simple::Symbol(symbol)) if !unit.symbols[symbol].is_local => atom(unit, symbol.into()),
        _ => field(unit, arg, depth),
    }
}

fn code_name(unit: &Unit, code: &CodeRef) -> String {
    match code {
        CodeRef::Local(code) => unit.codes[*code].linkage_name.clone(),
        CodeRef::External(name) => name.clone(),
    }
}
