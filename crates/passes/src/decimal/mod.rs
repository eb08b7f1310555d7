//! Decimals: `caml_format_int "%d" n`, which `string_of_int` and `"%d"` of formats are, takes the C library some 350
//! instructions. Where it is executed again and again a function of the unit makes the string, in 25 a digit.
//! `docs/passes/decimal.md` shows it.

mod hot;

use std::sync::OnceLock;

use flambeau_ir::stack::deep;
use flambeau_ir::transfer::{self, Importer};
use flambeau_ir::{
    Apply, CallKind, CodeId, ExnCont, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, StaticDef, Symbol,
    Terminator, Unit, Variable, parser,
};
use flambeau_simplify::formats::DECIMAL;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function, as text.
const TEXT: &str = include_str!("decimal.fl");

/// Replaces the calls that are executed often. On entry and on exit the unit is well-formed. The result says whether
/// anything was changed.
pub fn decimal(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let formats: FxHashSet<Symbol> = unit
        .statics
        .iter()
        .filter_map(|item| match &item.def {
            StaticDef::String { symbol, mutable: false, contents } if contents == DECIMAL.as_bytes() => {
                Some(*symbol)
            }
            _ => None,
        })
        .collect();
    if formats.is_empty() {
        return false;
    }
    let calls = hot::often(unit, &|named| is_decimal(named, &formats));
    if calls.is_empty() || !rewrites.allow(Rewrite::Decimal, unit, None) {
        return false;
    }
    let Some(function) = function_of(unit) else { return false };
    unit.rewrite_bodies(|unit, code, body| {
        let exn = ExnCont::plain(code.map_or(unit.entry.exn, |code| unit.codes[code].exn));
        code != Some(function) && Replacing { unit, function, calls: &calls }.run(body, &exn)
    })
}

/// Whether an integer is formatted by the format; a constant is not, of which a program has few.
fn is_decimal(named: &Named, formats: &FxHashSet<Symbol>) -> bool {
    matches!(named, Named::Prim { prim: Prim::CCall(external), args, .. }
        if external.name == "caml_format_int"
            && matches!(args[..], [Simple::Symbol(format), Simple::Var(_)] if formats.contains(&format)))
}

/// The function, put into the unit.
fn function_of(unit: &mut Unit) -> Option<CodeId> {
    static EXPORTED: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let bytes = EXPORTED
        .get_or_init(|| {
            let unit = parser::parse_unit(TEXT).ok()?;
            let (code, _) = unit.codes.iter().next()?;
            let (along, closures) = (FxHashMap::default(), FxHashMap::default());
            Some(transfer::export(&unit, code, &along, &closures, &|_, _| None)?.bytes)
        })
        .as_ref()?;
    let code = transfer::import(unit, bytes, &mut Importer::default(), &[None]).ok()?;
    let data = &mut unit.codes[code];
    data.linkage_name = transfer::own_name(&unit.naming, &data.linkage_name, data.function_slot);
    Some(code)
}

struct Replacing<'a> {
    unit: &'a mut Unit,
    function: CodeId,
    calls: &'a FxHashSet<Variable>,
}

impl Replacing<'_> {
    /// Replaces calls in a run; whether there were any. Exceptions go to `exn` there.
    fn run(&mut self, expr: &mut Expr, exn: &ExnCont) -> bool {
        deep(|| {
            let mut changed = false;
            for item in &mut expr.items {
                match item {
                    Item::LetCont { handlers, .. } => {
                        for handler in handlers {
                            changed |= self.run(&mut handler.body, exn);
                        }
                    }
                    Item::Join { body, .. } => changed |= self.run(body, exn),
                    Item::Let { .. } => changed |= self.replace(item, exn),
                    Item::LetClosures { .. } => {}
                }
            }
            if let Terminator::Try { body, handler } = &mut expr.terminator {
                changed |= self.run(body, handler);
            }
            changed
        })
    }

    /// Replaces a call: what returns is what follows it. The function raises nothing, so if the call has no exception
    /// continuation, with whatever values, that of the place is as good as any.
    fn replace(&mut self, item: &mut Item, here: &ExnCont) -> bool {
        let Item::Let { var, named: Named::Prim { args, exn, .. }, dbg } = item else {
            return false;
        };
        if !self.calls.contains(var) {
            return false;
        }
        let exn = exn.as_deref().unwrap_or(here).clone();
        let cont = self.unit.new_continuation("decimal");
        let call = Apply {
            dbg: *dbg,
            ..Apply::plain(None, CallKind::Direct(self.function), args.to_vec(), cont, exn)
        };
        let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
        *item = Item::Join { cont, params: [*var].into_iter().collect(), body: Box::new(body) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_can_be_used() {
        let unit = parser::parse_unit(TEXT).expect("a unit");
        assert!(flambeau_ir::verify::verify(&unit).is_ok());
        let mut other = Unit::clone(&unit);
        let code = function_of(&mut other).expect("a function");
        assert_ne!(
            other.codes[code].linkage_name,
            unit.codes.values().next().expect("a function").linkage_name
        );
    }
}
