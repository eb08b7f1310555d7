//! What the optimiser has found out about the fields of the module block: immediates, and numbers in static boxes, are
//! exported to other units (features B13, D4).

use flambeau_ir::{Const, Item, Named, Prim, Simple, StaticDef, Symbol, Unit};
use flambeau_lambda::{Approximation, Number};
use rustc_hash::FxHashMap;

/// Adds the fields that the optimiser has evaluated to the approximation that was found in the source.
pub fn export(exports: Approximation, unit: &mut Unit) -> Approximation {
    let numbers = numbers(unit);
    let fields = fields(unit);
    let mut exported = Vec::new();
    let mut approximation_of = |simple: Simple| match simple {
        Simple::Const(Const::Tagged(n)) => Some(Approximation::Immediate(n)),
        Simple::Symbol(symbol) => numbers.get(&symbol).map(|number| {
            exported.push(symbol);
            Approximation::Number { symbol: unit.symbols[symbol].linkage_name.clone(), number: *number }
        }),
        _ => None,
    };
    let Approximation::Block(mut approximations) = exports else { return exports };
    for (index, approximation) in (0..).zip(&mut approximations) {
        if matches!(approximation, Approximation::Unknown | Approximation::Symbol(_))
            && let Some(known) = fields.get(&index).copied().flatten().and_then(&mut approximation_of)
        {
            *approximation = known;
        }
    }
    for item in &mut unit.statics {
        item.exported |= item.def.symbols().iter().any(|symbol| exported.contains(symbol));
    }
    Approximation::Block(approximations)
}

/// The numbers in static boxes.
fn numbers(unit: &Unit) -> FxHashMap<Symbol, Number> {
    let number = |def: &StaticDef| {
        Some(match *def {
            StaticDef::Float { symbol, bits } => (symbol, Number::Float(bits)),
            StaticDef::Int32 { symbol, value } => (symbol, Number::Int32(value)),
            StaticDef::Int64 { symbol, value } => (symbol, Number::Int64(value)),
            StaticDef::Nativeint { symbol, value } => (symbol, Number::Nativeint(value)),
            _ => return None,
        })
    };
    unit.statics.iter().filter_map(|item| number(&item.def)).collect()
}

/// What the entry code stores to fields of the module block; `None` for a field that is stored to more than once.
fn fields(unit: &Unit) -> FxHashMap<u32, Option<Simple>> {
    let mut fields = FxHashMap::default();
    unit.entry.body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let { named: Named::Prim { prim: Prim::BlockStore { field, .. }, args, .. }, .. } =
                item
                && args[0] == Simple::Symbol(unit.module_symbol)
            {
                fields.entry(*field).and_modify(|stored| *stored = None).or_insert(Some(args[1]));
            }
        }
    });
    fields
}
