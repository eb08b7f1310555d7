//! Counting: a unit with counters.

use flambeau_ir::unit::FreshSymbols;
use flambeau_ir::{
    Continuation, Dbg, Expr, Item, Named, Prim, Simple, Static, StaticDef, StaticField, Symbol, Unit,
};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::points::{self, Counted};
use crate::record;

/// The C function for which the code that writes the profile asks: its result is the array of the unit's records.
const RECORDS: &str = "flambeau_profile_records";

/// Adds counters to a unit that no pass has changed yet. On entry and on exit it is well-formed. How many it has.
pub fn insert(unit: &mut Unit) -> usize {
    let functions = points::of_unit(unit);
    let mut symbols = FreshSymbols::of(unit);
    let mut records = Vec::new();
    let mut counters = 0;
    for part in record::parts(&functions) {
        let (contents, mut word) = record::empty(&unit.name, part);
        let symbol = symbols.make(unit, "profile");
        // Other units may inline what is counted here.
        let def = StaticDef::String { symbol, mutable: true, contents };
        unit.statics.push(Static { exported: true, def });
        records.push(StaticField::Symbol(symbol));
        for function in part {
            count(unit, function, symbol, word);
            word += function.counters() as u32;
            counters += function.counters();
        }
    }
    let array = symbols.make(unit, "profile_records");
    let def = StaticDef::Block { symbol: array, tag: 0, fields: records };
    unit.statics.push(Static { exported: false, def });
    name_records(unit, array);
    counters
}

/// Gives the array of the records to the code that writes them.
fn name_records(unit: &mut Unit, array: Symbol) {
    unit.rewrite_bodies(|_, _, body| {
        body.walk_mut(&mut |expr| {
            for item in &mut expr.items {
                if let Item::Let { named, .. } = item
                    && matches!(named, Named::Prim { prim: Prim::CCall(external), .. } if external.name == RECORDS)
                {
                    *named = Named::Simple(Simple::Symbol(array));
                }
            }
        });
        false
    });
}

/// Adds the counters of one function, the first of which is at `word`.
fn count(unit: &mut Unit, function: &Counted, record: Symbol, word: u32) {
    let mut body = unit.body_mut(function.code).take();
    let mut counters: FxHashMap<Continuation, Item> = FxHashMap::default();
    let mut of_entry = None;
    for (cont, word) in function.flow.counted().zip(word..) {
        let counter = increment(unit, record, word);
        match cont {
            Some(cont) => drop(counters.insert(cont, counter)),
            None => of_entry = Some(counter),
        }
    }
    body.walk_mut(&mut |expr| insert_in_run(expr, &mut counters));
    body.items.splice(0..0, of_entry);
    *unit.body_mut(function.code) = body;
}

/// Inserts the counters of the continuations that a run binds.
fn insert_in_run(expr: &mut Expr, counters: &mut FxHashMap<Continuation, Item>) {
    let mut index = 0;
    while index < expr.items.len() {
        match &mut expr.items[index] {
            // The rest of the run is the handler.
            Item::Join { cont, .. } => {
                if let Some(counter) = counters.remove(cont) {
                    expr.items.insert(index + 1, counter);
                }
            }
            Item::LetCont { handlers, .. } => {
                for handler in handlers {
                    if let Some(counter) = counters.remove(&handler.cont) {
                        handler.body.items.insert(0, counter);
                    }
                }
            }
            Item::Let { .. } | Item::LetClosures { .. } => {}
        }
        index += 1;
    }
}

fn increment(unit: &mut Unit, record: Symbol, word: u32) -> Item {
    let named =
        Named::Prim { prim: Prim::ProfileCount { word }, args: smallvec![Simple::Symbol(record)], exn: None };
    Item::Let { var: unit.new_value("counted"), named, dbg: Dbg::NONE }
}
