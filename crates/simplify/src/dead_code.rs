//! Removes the codes and static data that nothing reaches any more.

use cranelift_entity::{EntitySet, SecondaryMap};
use flambeau_ir::renumber::Removal;
use flambeau_ir::{
    CallKind, CodeId, Expr, Item, SetOfClosures, Simple, StaticDef, StaticField, Symbol, Terminator, Unit,
};

/// Removes what neither the entry nor other units can reach.
pub fn remove(unit: &mut Unit) {
    let mut reach = Reach {
        unit,
        codes: EntitySet::new(),
        statics: vec![false; unit.statics.len()],
        homes: SecondaryMap::new(),
        pending: Vec::new(),
    };
    reach.run();
    let Reach { codes, statics, .. } = reach;
    let mut removal = Removal::new(unit);
    let mut any = false;
    for code in unit.codes.keys().filter(|code| !codes.contains(*code)) {
        removal.code(code);
        any = true;
    }
    for index in (0..statics.len()).filter(|index| !statics[*index]) {
        removal.static_data(index);
        any = true;
    }
    if any {
        removal.apply(unit);
    }
}

struct Reach<'a> {
    unit: &'a Unit,
    codes: EntitySet<CodeId>,
    statics: Vec<bool>,
    /// The static data that defines each symbol.
    homes: SecondaryMap<Symbol, Option<u32>>,
    pending: Vec<Pending>,
}

enum Pending {
    Code(CodeId),
    Static(usize),
}

impl<'a> Reach<'a> {
    fn run(&mut self) {
        for (index, item) in self.unit.statics.iter().enumerate() {
            for symbol in item.def.symbols() {
                self.homes[*symbol] = Some(index as u32);
            }
            if item.exported {
                self.reach_static(index);
            }
        }
        self.body(&self.unit.entry.body);
        while let Some(next) = self.pending.pop() {
            match next {
                Pending::Code(code) => self.body(&self.unit.codes[code].body),
                Pending::Static(index) => self.contents(index),
            }
        }
    }

    fn reach_static(&mut self, index: usize) {
        if !std::mem::replace(&mut self.statics[index], true) {
            self.pending.push(Pending::Static(index));
        }
    }

    fn reach_symbol(&mut self, symbol: Symbol) {
        if let Some(index) = self.homes[symbol] {
            self.reach_static(index as usize);
        }
    }

    fn reach_code(&mut self, code: CodeId) {
        if self.codes.insert(code) {
            self.pending.push(Pending::Code(code));
        }
    }

    fn set(&mut self, set: &SetOfClosures) {
        for (_, code) in &set.functions {
            self.reach_code(*code);
        }
    }

    fn contents(&mut self, index: usize) {
        match &self.unit.statics[index].def {
            StaticDef::Block { fields, .. } => {
                for field in fields {
                    if let StaticField::Symbol(symbol) = field {
                        self.reach_symbol(*symbol);
                    }
                }
            }
            StaticDef::Closures { set, .. } => {
                self.set(set);
                set.for_each_simple(&mut |simple| self.simple(simple));
            }
            StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. }
            | StaticDef::String { .. }
            | StaticDef::FloatArray { .. }
            | StaticDef::Preallocated { .. } => {}
        }
    }

    fn simple(&mut self, simple: Simple) {
        if let Simple::Symbol(symbol) = simple {
            self.reach_symbol(symbol);
        }
    }

    fn body(&mut self, body: &'a Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                item.for_each_simple(&mut |simple| self.simple(simple));
                if let Item::LetClosures { set, .. } = item {
                    self.set(set);
                }
            }
            expr.terminator.for_each_simple(&mut |simple| self.simple(simple));
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(code) = apply.kind
            {
                self.reach_code(code);
            }
        });
    }
}
