//! What other units may know of the module block.

use std::rc::Rc;

use flambeau_ir::{Simple, StaticDef, Unit};
use flambeau_lambda::{Approximation, Options};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::ModuleField;
use crate::env::{CodeRef, Field, Info};

/// How large the arguments are at most of what something was made by, counted in values: they stand in arguments of
/// others, and a tower of functors has as many floors as its author likes.
const LARGEST_ARGUMENTS: usize = 64;
/// What ends the label of a function that captures values as the source has it, where the stock object's function of that label
/// does not take its closure.
pub const IN_CLOSURE: &str = "_in_closure";

/// Nesting beyond which nothing is told: sub-modules of sub-modules of…
const MAX_DEPTH: u32 = 8;

/// The approximation of the module block: of the fields that other units may read, which come first.
pub(crate) fn exports(unit: &Unit, fields: &[ModuleField]) -> Approximation {
    let visible = fields.len().saturating_sub(unit.private_fields().len());
    let mut telling = Telling { unit, args: FxHashMap::default() };
    Approximation::Block(fields[..visible].iter().map(|f| telling.field(&f.field, MAX_DEPTH)).collect())
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
        Approximation::Symbol(symbol) | Approximation::Number { symbol, .. } => {
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

/// Gives exported functions the labels that the stock compiler's description of the same unit has for them, where theirs
/// differ (functions that are bound to no variable), if arity and need of a closure agree. A label whose stock function takes
/// no closure, where ours captures values as the source has it, is set aside with [`IN_CLOSURE`].
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

struct Telling<'u> {
    unit: &'u Unit,
    /// Arguments of what things were made by, by their addresses; nothing for those that are not told.
    args: FxHashMap<*const Field, Option<Rc<[Approximation]>>>,
}

impl Telling<'_> {
    fn field(&mut self, field: &Field, depth: u32) -> Approximation {
        match (&field.info, field.simple) {
            (Info::Closure(_) | Info::Block(_) | Info::Made(_), simple) => {
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
            Info::Made(made) => match self.args(&made.args, depth - 1) {
                Some(args) => {
                    Approximation::Made { code: self.code_name(&made.code), args, path: made.path.clone() }
                }
                None => Approximation::Unknown,
            },
            Info::Unknown | Info::Boxed(..) => Approximation::Unknown,
        }
    }

    /// The arguments of what made something, if they are known and not too large. Told once for all parts of it.
    fn args(&mut self, args: &Rc<[Field]>, depth: u32) -> Option<Rc<[Approximation]>> {
        if let Some(told) = self.args.get(&args.as_ptr()) {
            return told.clone();
        }
        let told: Rc<[Approximation]> = args.iter().map(|arg| self.argument(arg, depth)).collect();
        let told = (weight(&told) <= LARGEST_ARGUMENTS).then_some(told);
        self.args.insert(args.as_ptr(), told.clone());
        told
    }

    /// An argument of what made something. Of another unit the symbol is enough.
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

/// How many values approximations tell of; too many if there is one of which nothing is known, since then nobody can
/// evaluate what was applied to them.
fn weight(approximations: &[Approximation]) -> usize {
    let one = |approximation: &Approximation| match approximation {
        Approximation::Unknown | Approximation::GlobalField { .. } => LARGEST_ARGUMENTS + 1,
        Approximation::Block(fields) => 1 + weight(fields),
        Approximation::Made { args, .. } => 1 + weight(args),
        Approximation::Closure { .. }
        | Approximation::Immediate(_)
        | Approximation::Symbol(_)
        | Approximation::Number { .. } => 1,
    };
    approximations.iter().map(one).sum()
}
