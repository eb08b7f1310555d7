//! Removing codes and static data: what comes after them in their tables is renumbered. Slots, variables and
//! continuations need no removing, because what is in a table without being mentioned does not count.

use crate::stack::deep;
use crate::{
    CallKind, CodeId, Expr, Item, Named, SetOfClosures, Simple, StaticDef, StaticField, Symbol, Terminator,
    Unit,
};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// What is to be removed.
pub struct Removal {
    codes: SecondaryMap<CodeId, bool>,
    statics: Vec<bool>,
}

impl Removal {
    /// Nothing yet.
    pub fn new(unit: &Unit) -> Removal {
        Removal { codes: SecondaryMap::new(), statics: vec![false; unit.statics.len()] }
    }

    /// Removes a code, which nothing that stays mentions.
    pub fn code(&mut self, code: CodeId) {
        self.codes[code] = true;
    }

    /// Removes the static data of that number with its symbols, which nothing that stays mentions.
    pub fn static_data(&mut self, index: usize) {
        self.statics[index] = true;
    }

    /// Does so.
    pub fn apply(self, unit: &mut Unit) {
        let mut renumbering = Renumbering { codes: SecondaryMap::new(), symbols: SecondaryMap::new() };
        let mut codes: PrimaryMap<CodeId, _> = PrimaryMap::new();
        for (id, code) in std::mem::take(&mut unit.codes) {
            if self.codes[id] {
                code.body.dismantle();
            } else {
                renumbering.codes[id] = codes.push(code).into();
            }
        }
        unit.codes = codes;
        let mut removed: SecondaryMap<Symbol, bool> = SecondaryMap::new();
        let mut doomed = self.statics.iter();
        unit.statics.retain(|item| {
            let stays = !doomed.next().copied().unwrap_or(false);
            item.def.symbols().iter().for_each(|&symbol| removed[symbol] = !stays);
            stays
        });
        let mut symbols: PrimaryMap<Symbol, _> = PrimaryMap::new();
        for (id, data) in std::mem::take(&mut unit.symbols) {
            if !removed[id] {
                renumbering.symbols[id] = symbols.push(data).into();
            }
        }
        unit.symbols = symbols;
        renumbering.unit(unit);
    }
}

/// The new numbers of what stays.
struct Renumbering {
    codes: SecondaryMap<CodeId, PackedOption<CodeId>>,
    symbols: SecondaryMap<Symbol, PackedOption<Symbol>>,
}

impl Renumbering {
    fn unit(&self, unit: &mut Unit) {
        self.symbol(&mut unit.module_symbol);
        for item in &mut unit.statics {
            self.static_def(&mut item.def);
        }
        for code in unit.codes.values_mut() {
            self.expr(&mut code.body);
        }
        self.expr(&mut unit.entry.body);
    }

    fn code(&self, code: &mut CodeId) {
        *code = self.codes[*code].expect("a code that was removed has no mention");
    }

    fn symbol(&self, symbol: &mut Symbol) {
        *symbol = self.symbols[*symbol].expect("a symbol that was removed has no mention");
    }

    fn simple(&self, simple: &mut Simple) {
        if let Simple::Symbol(symbol) = simple {
            self.symbol(symbol);
        }
    }

    fn simples(&self, simples: &mut [Simple]) {
        simples.iter_mut().for_each(|simple| self.simple(simple));
    }

    fn set(&self, set: &mut SetOfClosures) {
        set.functions.iter_mut().for_each(|(_, code)| self.code(code));
        set.values.iter_mut().for_each(|(_, value)| self.simple(value));
    }

    fn static_def(&self, def: &mut StaticDef) {
        match def {
            StaticDef::Block { symbol, fields, .. } => {
                self.symbol(symbol);
                for field in fields {
                    if let StaticField::Symbol(symbol) = field {
                        self.symbol(symbol);
                    }
                }
            }
            StaticDef::Closures { symbols, set } => {
                symbols.iter_mut().for_each(|symbol| self.symbol(symbol));
                self.set(set);
            }
            StaticDef::Float { symbol, .. }
            | StaticDef::Int32 { symbol, .. }
            | StaticDef::Int64 { symbol, .. }
            | StaticDef::Nativeint { symbol, .. }
            | StaticDef::String { symbol, .. }
            | StaticDef::FloatArray { symbol, .. }
            | StaticDef::Preallocated { symbol, .. } => self.symbol(symbol),
        }
    }

    fn expr(&self, expr: &mut Expr) {
        deep(|| {
            expr.items.iter_mut().for_each(|item| self.item(item));
            self.terminator(&mut expr.terminator);
        });
    }

    fn item(&self, item: &mut Item) {
        match item {
            Item::Let { named: Named::Simple(simple), .. } => self.simple(simple),
            Item::Let { named: Named::Prim { args, exn, .. }, .. } => {
                self.simples(args);
                exn.iter_mut().for_each(|exn| self.simples(&mut exn.extra_args));
            }
            Item::LetClosures { set, .. } => self.set(set),
            Item::Join { body, .. } => self.expr(body),
            Item::LetCont { handlers, .. } => {
                handlers.iter_mut().for_each(|handler| self.expr(&mut handler.body));
            }
        }
    }

    fn terminator(&self, terminator: &mut Terminator) {
        match terminator {
            Terminator::Apply(apply) => {
                apply.callee.iter_mut().for_each(|callee| self.simple(callee));
                self.simples(&mut apply.args);
                self.simples(&mut apply.exn.extra_args);
                if let CallKind::Direct(code) = &mut apply.kind {
                    self.code(code);
                }
            }
            Terminator::ApplyCont(jump) => self.simples(&mut jump.args),
            Terminator::Switch(switch) => {
                self.simple(&mut switch.scrutinee);
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump);
                arms.chain(&mut switch.default).for_each(|jump| self.simples(&mut jump.args));
            }
            Terminator::StringSwitch(switch) => {
                self.simple(&mut switch.scrutinee);
                let arms = switch.arms.iter_mut().map(|(_, jump)| jump);
                arms.chain(&mut switch.default).for_each(|jump| self.simples(&mut jump.args));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.simple(exn);
                self.simples(&mut handler.extra_args);
            }
            Terminator::Try { body, handler } => {
                self.simples(&mut handler.extra_args);
                self.expr(body);
            }
            Terminator::Unreachable => {}
        }
    }
}
