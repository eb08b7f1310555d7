//! A unit: its static data, its functions, its entry.

use flambeau_ir::{
    Added, Code, CodeId, Expr as Term, Heat, Machine, Simple, Static, StaticDef, StaticField, Unit,
};

use crate::control::Run;
use crate::lowering::{Atom, Lowering, const_atom, tagged};
use crate::placement::Placement;
use crate::ranges;
use crate::tree::*;

/// Lowers a unit, which the verifier accepts.
///
/// # Panics
/// When the unit breaks a rule that the verifier checks.
pub fn lower(unit: &Unit) -> Tree {
    let mut lowering = Lowering::new(unit, Machine::Native);
    let mut placement = Placement::new(Machine::Native);
    lowering.places();
    for item in &unit.statics {
        let data = lowering.data(item);
        lowering.tree.data.push((data, item.exported));
    }
    for id in in_order(unit) {
        let function = lowering.function(id, &unit.codes[id], &mut placement);
        ranges::split(&mut lowering.tree, &function);
        lowering.tree.functions.push(function);
    }
    let entry = lowering.body(&unit.entry.body, unit.entry.ret, &mut placement);
    lowering.tree.entry = Some(entry);
    lowering.tree
}

/// The functions, those first in which a profile says that the program spends its time, and those last that never ran:
/// what runs together is loaded together.
fn in_order(unit: &Unit) -> Vec<CodeId> {
    let mut ids: Vec<CodeId> = unit.codes.keys().collect();
    ids.sort_by_key(|id| match unit.codes[*id].attributes.heat {
        Heat::Hot => 0,
        Heat::Warm | Heat::Unknown => 1,
        Heat::Never => 2,
    });
    ids
}

impl<'a> Lowering<'a> {
    fn function(&mut self, id: CodeId, code: &'a Code, placement: &mut Placement) -> Function {
        let mut params = self.bind_params(&code.params);
        if self.takes_closure(id) {
            params.push((self.bind(code.my_closure), Machtype::Val));
        }
        let body = self.body(&code.body, code.ret, placement);
        Function { name: self.code_name(id), params, body, dbg: code.dbg, no_poll: code.attributes.no_poll }
    }

    /// Notes the locations that are not in the unit's source.
    pub fn places(&mut self) {
        let place = |added: Added| match added {
            Added::Inlined(place) => Place::Inlined(place),
            Added::Foreign(loc) => Place::Foreign(loc.clone()),
        };
        self.tree.places = self.unit.locs.added().map(place).collect();
    }

    /// The body of a function, or of the entry.
    pub fn body(
        &mut self,
        body: &'a Term,
        ret: flambeau_ir::Continuation,
        placement: &mut Placement,
    ) -> ExprId {
        self.paths.begin();
        self.returns = Some(ret);
        let root = self.block(Run::of(body), ret);
        placement.run(&mut self.tree, root)
    }

    fn data(&mut self, item: &'a Static) -> Data {
        match &item.def {
            StaticDef::Block { symbol, tag, fields } => Data::Block {
                symbol: self.symbol(*symbol),
                tag: *tag,
                fields: fields
                    .iter()
                    .map(|field| match field {
                        StaticField::Symbol(symbol) => DataField::Symbol(self.symbol(*symbol)),
                        StaticField::Immediate(n) => DataField::Word(tagged(*n)),
                    })
                    .collect(),
            },
            StaticDef::Float { symbol, bits } => Data::Float { symbol: self.symbol(*symbol), bits: *bits },
            StaticDef::Int32 { symbol, value } => Data::Int32 { symbol: self.symbol(*symbol), value: *value },
            StaticDef::Int64 { symbol, value } => Data::Int64 { symbol: self.symbol(*symbol), value: *value },
            StaticDef::Nativeint { symbol, value } => {
                Data::Nativeint { symbol: self.symbol(*symbol), value: *value }
            }
            StaticDef::String { symbol, contents, .. } => {
                Data::String { symbol: self.symbol(*symbol), contents: contents.clone() }
            }
            StaticDef::FloatArray { symbol, elements, .. } => {
                Data::FloatArray { symbol: self.symbol(*symbol), elements: elements.clone() }
            }
            StaticDef::Closures { symbols, set } => Data::Closures {
                symbols: symbols.iter().map(|symbol| self.symbol(*symbol)).collect(),
                functions: self.closure_entries(set),
                values: set.values.iter().map(|(_, value)| self.static_value(*value)).collect(),
            },
            StaticDef::Preallocated { symbol, tag, size, .. } => {
                Data::Preallocated { symbol: self.symbol(*symbol), tag: *tag, size: *size }
            }
        }
    }

    fn static_value(&mut self, value: Simple) -> DataField {
        match value {
            Simple::Symbol(symbol) => DataField::Symbol(self.symbol(symbol)),
            Simple::Const(constant) => match const_atom(constant) {
                Atom::Int(word) => DataField::Word(word),
                atom => panic!("a static closure captures {atom:?}, which is no value"),
            },
            Simple::Var(var) => panic!("a static closure captures the variable {var}"),
        }
    }
}
