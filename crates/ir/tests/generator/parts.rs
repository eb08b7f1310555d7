//! The parts of a random unit: symbols, static data, codes and sets of closures.

use cranelift_entity::EntityRef;
use flambeau_ir::decision::Policy;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::{
    Code, CodeAttributes, CodeId, Expr, FunctionKind, Item, Kind, Loc, SetOfClosures, Static, StaticDef,
    StaticField, Symbol, SymbolData, Terminator,
};

use super::{FLOATS, Generator, PlannedSet, Scope, Target, inline_attribute, specialise_attribute};

impl Generator {
    pub(super) fn symbols(&mut self) {
        for _ in 0..self.random.below(4) {
            let bits = self.random.bits() as u32;
            let linkage_name =
                format!("{}{bits:x}", self.random.pick(&["caml_exn_", "camlRandom__", "odd name"]));
            self.unit.symbols.push(SymbolData { linkage_name, is_local: false });
        }
        for n in 0..self.random.below(6) {
            let prefix =
                self.random.pick(&["camlRandom__data_", "camlRandom__raise", "other$", "camlRandom"]);
            let symbol = self.local_symbol(format!("{prefix}{n}"));
            let exported = self.random.one_in(2);
            let def = self.static_def(symbol);
            self.unit.statics.push(Static { exported, def });
        }
        for _ in 0..self.random.below(4) {
            let (file, scope) = (self.name(), self.name());
            let mut number = || self.random.below(3) as u32;
            let loc = Loc {
                file,
                line: number(),
                char_start: number(),
                char_end: number(),
                start_bol: number(),
                end_bol: number(),
                end_line: number(),
                scope,
            };
            self.unit.locs.push(loc);
        }
    }

    pub(super) fn origins(&mut self) {
        let choices = [Choice::Measured, Choice::Documented(Policy::Benefit)];
        for choice in choices {
            self.unit.origins.push(Rounds::new(choice, 1 + self.random.below(3) as u32));
        }
    }

    fn local_symbol(&mut self, linkage_name: String) -> Symbol {
        self.unit.symbols.push(SymbolData { linkage_name, is_local: true })
    }

    fn static_def(&mut self, symbol: Symbol) -> StaticDef {
        let random = &mut self.random;
        let bits = random.bits();
        match random.below(8) {
            0 => StaticDef::Float { symbol, bits: random.pick(&FLOATS) },
            1 => StaticDef::Int32 { symbol, value: bits as i32 },
            2 => StaticDef::Int64 { symbol, value: bits as i64 },
            3 => StaticDef::Nativeint { symbol, value: bits as i64 },
            4 => StaticDef::String { symbol, mutable: random.below(2) == 0, contents: random.bytes() },
            5 => {
                let elements = (0..random.below(4)).map(|_| random.pick(&FLOATS)).collect();
                StaticDef::FloatArray { symbol, mutable: random.below(2) == 0, elements }
            }
            6 => {
                let size = random.below(5) as u32;
                let private = random.below(size as usize + 1) as u32;
                StaticDef::Preallocated { symbol, tag: (bits % 246) as u8, size, private }
            }
            _ => {
                let symbols: Vec<_> = self.unit.symbols.keys().collect();
                let fields = (0..random.below(4)).map(|_| match random.below(2) {
                    0 => StaticField::Symbol(random.pick(&symbols)),
                    _ => StaticField::Immediate((random.bits() as i64) >> 2),
                });
                StaticDef::Block { symbol, tag: (bits % 246) as u8, fields: fields.collect() }
            }
        }
    }

    pub(super) fn code_heads(&mut self) {
        for n in 0..=self.random.below(6) {
            let prefix = self.random.pick(&["camlRandom__f_", "camlRandom__", "other_"]);
            let kinds: Vec<_> = (0..=self.random.below(3)).map(|_| self.kind()).collect();
            let params = kinds.into_iter().map(|kind| self.variable(kind)).collect();
            let (slot, ret, exn) = (self.name(), self.name(), self.name());
            let function_slot = self.unit.function_slots.push(slot);
            let my_closure = self.unit.new_value("my_closure");
            let (ret, exn) = (self.unit.new_continuation(ret), self.unit.new_exn_continuation(exn));
            let (result, dbg, heat) = (self.kind(), self.dbg(), self.heat());
            let random = &mut self.random;
            let code = Code {
                linkage_name: format!("{prefix}{n}"),
                params,
                my_closure,
                function_slot,
                ret,
                exn,
                result,
                kind: if random.one_in(4) { FunctionKind::Tupled } else { FunctionKind::Curried },
                recursive: true,
                attributes: CodeAttributes {
                    inline: inline_attribute(random),
                    specialise: specialise_attribute(random),
                    is_functor: random.one_in(4),
                    stub: random.one_in(4),
                    no_poll: random.one_in(4),
                    sole: random.one_in(16),
                    no_return: random.one_in(16),
                    exported: random.one_in(4),
                    heat,
                },
                dbg,
                body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
            };
            self.unit.codes.push(code);
            self.uses_closure.push(self.random.one_in(2));
        }
    }

    /// Shares codes out to sets; each set is static or has a home.
    pub(super) fn plan_sets(&mut self) {
        let codes: Vec<_> = self.unit.codes.keys().collect();
        let mut rest = &codes[..];
        while !rest.is_empty() {
            let (these, others) = rest.split_at(1 + self.random.below(rest.len()));
            rest = others;
            if self.random.one_in(4) {
                continue;
            }
            let names: Vec<_> = (0..self.random.below(3)).map(|_| self.name()).collect();
            let values = names.into_iter().map(|name| self.unit.value_slots.push(name)).collect();
            let home = if self.random.one_in(2) { Some(self.random.pick(&codes)) } else { None };
            let set = PlannedSet { codes: these.to_vec(), values, home };
            if home.is_none() {
                let symbols = these.iter().map(|code| {
                    let linkage_name = format!("camlRandom__closure_{}", code.index());
                    self.unit.symbols.push(SymbolData { linkage_name, is_local: true })
                });
                let symbols = symbols.collect();
                let set = self.set_of_closures(&set, &Scope::default());
                self.unit.statics.push(Static { exported: true, def: StaticDef::Closures { symbols, set } });
            }
            self.sets.push(set);
        }
    }

    fn set_of_closures(&mut self, set: &PlannedSet, scope: &Scope) -> SetOfClosures {
        let functions = set.codes.iter().map(|&code| (self.unit.codes[code].function_slot, code)).collect();
        let values = set.values.iter().map(|&slot| (slot, self.simple(scope, Kind::Value))).collect();
        SetOfClosures { functions, values }
    }

    pub(super) fn code_body(&mut self, id: CodeId) {
        let code = &self.unit.codes[id];
        let mut scope = Scope {
            variables: code.params.to_vec(),
            targets: vec![Target { cont: code.ret, kinds: vec![code.result] }],
        };
        if self.uses_closure[id.index()] {
            scope.variables.push(code.my_closure);
        }
        self.handler = (code.exn, Vec::new());
        self.budget = 40;
        let mut items = Vec::new();
        let sets = std::mem::take(&mut self.sets);
        for set in sets.iter().filter(|set| set.home == Some(id)) {
            let made = self.set_of_closures(set, &scope);
            let vars: Vec<_> = set.codes.iter().map(|_| self.variable(Kind::Value)).collect();
            scope.variables.extend(&vars);
            let dbg = self.dbg();
            items.push(Item::LetClosures { vars: vars.into(), set: made, dbg });
        }
        self.sets = sets;
        self.unit.codes[id].body = self.expr(scope, items, 4);
    }
}
