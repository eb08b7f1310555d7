//! How often the functions of static sets of closures, and those that no set has any more, are used in their unit: one
//! that is used once is inlined there (features B8), and one that is inlined wherever it is applied, as functors are,
//! may cost so much altogether (features B7).

use flambeau_ir::inlining::LARGEST;
use flambeau_ir::{
    CallKind, CodeId, Expr, FunctionSlot, Item, Named, Prim, Simple, StaticDef, Symbol, Terminator, Unit,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Simplifier;

/// What is used of a unit that is not simplified yet.
#[derive(Debug, Default)]
pub struct Uses {
    functions: FxHashMap<CodeId, Used>,
    /// The functions of which somebody asks whether a closure is theirs.
    asked: FxHashSet<FunctionSlot>,
}

/// The uses of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    calls: u32,
    /// Mentions of its closure: whoever has that may call it more than once.
    mentions: u32,
    /// Other units may use it, too.
    exported: bool,
}

impl Uses {
    /// Counts direct calls, and mentions of the closures.
    pub fn of_unit(unit: &Unit) -> Uses {
        let mut count = Count::new(unit);
        for item in &unit.statics {
            item.def.for_each_simple(&mut |simple| count.mention(simple));
        }
        count.body(&unit.entry.body);
        for code in unit.codes.values() {
            count.body(&code.body);
            // A stub is copied as it is, with the calls in it.
            if code.attributes.stub {
                count.body(&code.body);
            }
        }
        count.finish()
    }

    /// Records that the only use of a function has been inlined: what is copied of that later is one more.
    pub fn take(&mut self, code: CodeId) {
        self.functions.entry(code).or_default().calls += 1;
    }

    /// How often a function is used.
    pub fn of(&self, code: CodeId) -> u32 {
        self.functions.get(&code).map_or(0, |used| used.calls + used.mentions)
    }

    /// How often a function is used, other units being one use; once if it is of no static set.
    pub fn of_anyone(&self, code: CodeId) -> u32 {
        self.functions.get(&code).map_or(1, |used| used.calls + used.mentions + u32::from(used.exported))
    }

    /// Whether somebody asks for a function that need not be in scope there: a method.
    pub fn is_asked_for(&self, function: FunctionSlot) -> bool {
        self.asked.contains(&function)
    }

    /// Whether one call is all.
    fn is_single_call(&self, code: CodeId) -> bool {
        self.functions.get(&code).is_some_and(|used| used.calls == 1 && used.mentions == 0 && !used.exported)
    }
}

struct Count<'u> {
    unit: &'u Unit,
    uses: FxHashMap<CodeId, Used>,
    asked: FxHashSet<FunctionSlot>,
    closures: FxHashMap<Symbol, CodeId>,
    /// The fields of the module that other units do not read.
    private: std::ops::Range<u32>,
    /// Which of them hold closures, and which are read.
    held: Vec<(u32, Symbol)>,
    read: FxHashSet<u32>,
}

impl<'u> Count<'u> {
    fn new(unit: &'u Unit) -> Count<'u> {
        let private = unit.private_fields();
        let mut count = Count {
            unit,
            uses: FxHashMap::default(),
            asked: FxHashSet::default(),
            closures: FxHashMap::default(),
            private,
            held: Vec::new(),
            read: FxHashSet::default(),
        };
        // What no set has is only called: its closure is gone, or what it had captured came to be parameters.
        let mut has_closure = FxHashSet::default();
        unit.for_each_set(&mut |_, set| has_closure.extend(set.functions.iter().map(|(_, code)| *code)));
        let called_only = unit.codes.keys().filter(|code| !has_closure.contains(code));
        count.uses.extend(called_only.map(|code| (code, Used::default())));
        for item in &unit.statics {
            let StaticDef::Closures { symbols, set } = &item.def else { continue };
            for ((_, code), symbol) in set.functions.iter().zip(symbols) {
                count.uses.insert(*code, Used { exported: item.exported, ..Used::default() });
                count.closures.insert(*symbol, *code);
            }
        }
        count
    }

    fn mention(&mut self, simple: Simple) {
        if let Simple::Symbol(symbol) = simple
            && let Some(used) = self.closures.get(&symbol).and_then(|code| self.uses.get_mut(code))
        {
            used.mentions += 1;
        }
    }

    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            match &expr.terminator {
                Terminator::Apply(apply) => {
                    match &apply.kind {
                        CallKind::Direct(code) => {
                            if let Some(used) = self.uses.get_mut(code) {
                                used.calls += 1;
                            }
                        }
                        _ => apply.callee.into_iter().for_each(|callee| self.mention(callee)),
                    }
                    apply.args.iter().for_each(|arg| self.mention(*arg));
                    apply.for_each_comparator(&mut |function| self.mention(function));
                    apply.exn.for_each_simple(&mut |arg| self.mention(arg));
                }
                terminator => terminator.for_each_simple(&mut |simple| self.mention(simple)),
            }
        });
    }

    fn item(&mut self, item: &Item) {
        if let Item::Let { named: Named::Prim { prim: Prim::IsClosureOf { function }, .. }, .. } = item {
            self.asked.insert(*function);
        }
        let module = Simple::Symbol(self.unit.module_symbol);
        if let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item
            && args.first() == Some(&module)
        {
            match (prim, &args[..]) {
                // Nobody reads it from a private field but the unit itself, which knows it.
                (Prim::BlockStore { field, .. }, [_, Simple::Symbol(symbol)])
                    if self.private.contains(field) =>
                {
                    self.held.push((*field, *symbol));
                    return;
                }
                (Prim::BlockLoad { field, .. }, _) => {
                    self.read.insert(*field);
                }
                _ => {}
            }
        }
        item.for_each_simple(&mut |simple| self.mention(simple));
    }

    fn finish(mut self) -> Uses {
        for (field, symbol) in std::mem::take(&mut self.held) {
            if self.read.contains(&field) {
                self.mention(symbol.into());
            }
        }
        Uses { functions: self.uses, asked: self.asked }
    }
}

impl Simplifier<'_> {
    /// Whether a call in the unit is the only use of the function that it calls. In what is evaluated beside the unit
    /// the functions are others.
    pub(crate) fn is_single_use(&self, code: CodeId) -> bool {
        !self.function.in_instance && self.global.uses.is_single_call(code)
    }

    /// Whether a function of the unit can be inlined in all its uses: what that costs does not depend on which is seen
    /// first.
    pub(crate) fn may_multiply(&mut self, code: CodeId) -> bool {
        let uses = self.global.uses.of(code).max(1);
        let size = self.whole_size(code, LARGEST / uses);
        let is_functor = self.unit.codes[code].attributes.is_functor;
        size.is_some_and(|size| !is_functor || self.global.functors.is_inlined(code, size, uses))
    }
}
