//! What code mentions: static data, functions without a closure, fields of the module block.

use std::rc::Rc;

use flambeau_cmm::bytecode::Bodies;
use flambeau_cmm::tree::{Expr, ExprId, Name};
use flambeau_ir::{CodeId, Prim, Simple, StaticDef, Symbol, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes a variable of the unit's straight line before anything mentions it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Node {
    /// An item of static data, by its position.
    Static(u32),
    /// A function that has no use for its closure, and of which there is no static one.
    Code(CodeId),
    /// The function that allocates a set of closures which is allocated in several places, or in itself: so its code is
    /// there once.
    Maker(u32),
}

/// What there is to mention, and what mentions it.
#[derive(Debug)]
pub(crate) struct Mentions {
    symbols: Vec<Symbol>,
    statics: FxHashMap<Symbol, u32>,
    /// The symbol of the static closure of a function.
    closed: FxHashMap<CodeId, Symbol>,
    makers: FxHashMap<Vec<CodeId>, u32>,
    /// The set of each maker: an expression.
    pub sets: Vec<ExprId>,
    /// How often each symbol is mentioned by code, and by static data.
    counts: FxHashMap<Symbol, (u32, u32)>,
    /// How many mentions of the module block are about one of its fields.
    parts: u32,
    /// By field of the module block, how often it is stored to.
    stores: FxHashMap<u32, u32>,
}

impl Mentions {
    pub fn new(unit: &Unit, bodies: &Bodies) -> Mentions {
        let by_name: FxHashMap<&str, Symbol> =
            unit.symbols.iter().map(|(symbol, data)| (data.linkage_name.as_str(), symbol)).collect();
        let symbol = |name: &String| by_name.get(name.as_str()).copied().unwrap_or(unit.module_symbol);
        let mut mentions = Mentions {
            symbols: bodies.tree.names.iter().map(symbol).collect(),
            statics: FxHashMap::default(),
            closed: FxHashMap::default(),
            makers: FxHashMap::default(),
            sets: Vec::new(),
            counts: FxHashMap::default(),
            parts: 0,
            stores: FxHashMap::default(),
        };
        for (index, item) in unit.statics.iter().enumerate() {
            mentions.add_static(index as u32, &item.def);
        }
        mentions.look_through(unit, bodies);
        mentions
    }

    fn add_static(&mut self, index: u32, def: &StaticDef) {
        for symbol in def.symbols() {
            self.statics.insert(*symbol, index);
        }
        if let StaticDef::Closures { symbols, set } = def {
            for (symbol, (_, code)) in symbols.iter().zip(&set.functions) {
                self.closed.entry(*code).or_insert(*symbol);
            }
        }
        each_symbol(def, &mut |symbol| {
            self.counts.entry(symbol).or_default().1 += 1;
        });
    }

    /// Counts symbols and stores, and finds the sets that need makers.
    fn look_through(&mut self, unit: &Unit, bodies: &Bodies) {
        let mut sites: FxHashMap<Vec<CodeId>, (u32, ExprId)> = FxHashMap::default();
        let roots = bodies.functions.iter().map(|function| function.body).chain([bodies.entry]);
        for root in roots {
            walk(bodies, root, &mut |id, expr| match expr {
                Expr::Symbol(name) => self.counts.entry(self.symbol(*name)).or_default().0 += 1,
                Expr::Functions { functions, .. } => {
                    sites.entry(functions.clone()).or_insert((0, id)).0 += 1;
                }
                Expr::Prim { prim, args, .. } => self.look_at(unit, bodies, prim, args),
                _ => {}
            });
        }
        let mut sites: Vec<_> = sites.into_iter().collect();
        sites.sort_by_key(|(_, (_, set))| set.0);
        for (functions, (count, set)) in sites {
            let is_inside =
                |code: &CodeId| allocates(bodies, bodies.functions[code.as_u32() as usize].body, &functions);
            if count > 1 || functions.iter().any(is_inside) {
                self.makers.insert(functions, self.sets.len() as u32);
                self.sets.push(set);
            }
        }
    }

    /// Notes the stores to the module block, and that its fields are no mentions of it as a whole.
    fn look_at(&mut self, unit: &Unit, bodies: &Bodies, prim: &Prim, args: &[ExprId]) {
        let is_module = |id: ExprId| matches!(&bodies.tree.exprs[id.0 as usize], Expr::Symbol(name) if self.symbol(*name) == unit.module_symbol);
        match prim {
            Prim::BlockLoad { .. } if is_module(args[0]) => self.parts += 1,
            Prim::BlockStore { field, .. } if is_module(args[0]) => {
                self.parts += 1;
                *self.stores.entry(*field).or_default() += 1;
            }
            _ => {}
        }
    }

    /// How often a field of the module block is stored to.
    pub fn stores(&self, field: u32) -> u32 {
        self.stores.get(&field).copied().unwrap_or_default()
    }

    /// Whether the module block is mentioned as a whole.
    pub fn module_as_a_whole(&self, unit: &Unit) -> bool {
        let (by_code, by_data) = self.count(unit.module_symbol);
        by_code + by_data > self.parts
    }

    /// The fields of the module block that are stored to several times.
    pub fn stored_in_branches(&self) -> impl Iterator<Item = u32> {
        let mut fields: Vec<_> =
            self.stores.iter().filter(|(_, count)| **count > 1).map(|(f, _)| *f).collect();
        fields.sort_unstable();
        fields.into_iter()
    }

    pub fn symbol(&self, name: Name) -> Symbol {
        self.symbols[name.0 as usize]
    }

    /// The position of the static data that define a symbol, if this unit does.
    pub fn static_of(&self, symbol: Symbol) -> Option<u32> {
        self.statics.get(&symbol).copied()
    }

    /// The symbol of the static closure of a function.
    pub fn closed(&self, code: CodeId) -> Option<Symbol> {
        self.closed.get(&code).copied()
    }

    /// How often a symbol is mentioned by code, and by static data.
    pub fn count(&self, symbol: Symbol) -> (u32, u32) {
        self.counts.get(&symbol).copied().unwrap_or_default()
    }

    /// The maker of a set with these functions.
    pub fn maker(&self, functions: &[CodeId]) -> Option<u32> {
        self.makers.get(functions).copied()
    }

    fn node_of_code(&self, code: CodeId) -> Node {
        match self.closed.get(&code).and_then(|symbol| self.statics.get(symbol)) {
            Some(index) => Node::Static(*index),
            None => Node::Code(code),
        }
    }

    /// What an expression mentions, the functions that it allocates included.
    pub fn of_expr(&self, bodies: &Bodies, root: ExprId) -> Vec<Node> {
        let mut found = Found::default();
        self.collect(bodies, root, &mut found);
        found.nodes
    }

    /// What must be there before a node, or with it.
    pub fn of_node(&self, unit: &Unit, bodies: &Bodies, node: Node) -> Rc<[Node]> {
        let mut found = Found::default();
        match node {
            Node::Static(index) => {
                let def = &unit.statics[index as usize].def;
                each_symbol(def, &mut |symbol| {
                    found.nodes.extend(self.statics.get(&symbol).map(|index| Node::Static(*index)));
                });
                if let StaticDef::Closures { set, .. } = def {
                    set.functions.iter().for_each(|(_, code)| self.collect_code(bodies, *code, &mut found));
                }
            }
            Node::Code(code) => self.collect_code(bodies, code, &mut found),
            Node::Maker(index) => {
                let Expr::Functions { functions, .. } =
                    &bodies.tree.exprs[self.sets[index as usize].0 as usize]
                else {
                    return found.nodes.into();
                };
                functions.iter().for_each(|code| self.collect_code(bodies, *code, &mut found));
            }
        }
        found.nodes.into()
    }

    fn collect_code(&self, bodies: &Bodies, code: CodeId, found: &mut Found) {
        if found.codes.insert(code) {
            self.collect(bodies, bodies.functions[code.as_u32() as usize].body, found);
        }
    }

    fn collect(&self, bodies: &Bodies, root: ExprId, found: &mut Found) {
        let mut inner = Vec::new();
        walk(bodies, root, &mut |_, expr| match expr {
            Expr::Symbol(name) => {
                found.add(self.static_of(self.symbols[name.0 as usize]).map(Node::Static));
            }
            Expr::Code(code) => found.add(Some(self.node_of_code(*code))),
            Expr::Functions { functions, .. } => match self.maker(functions) {
                Some(maker) => found.add(Some(Node::Maker(maker))),
                None => inner.extend(functions.iter().copied()),
            },
            _ => {}
        });
        inner.into_iter().for_each(|code| self.collect_code(bodies, code, found));
    }
}

#[derive(Default)]
struct Found {
    nodes: Vec<Node>,
    seen: FxHashSet<Node>,
    codes: FxHashSet<CodeId>,
}

impl Found {
    fn add(&mut self, node: Option<Node>) {
        self.nodes.extend(node.filter(|node| self.seen.insert(*node)));
    }
}

/// Whether the set is allocated in an expression, or in functions that are allocated there.
fn allocates(bodies: &Bodies, root: ExprId, set: &[CodeId]) -> bool {
    let (mut seen, mut work, mut found) = (FxHashSet::default(), vec![root], false);
    while let Some(root) = work.pop() {
        walk(bodies, root, &mut |_, expr| {
            if let Expr::Functions { functions, .. } = expr {
                found |= functions.iter().any(|code| set.contains(code));
                let new = functions.iter().filter(|code| seen.insert(**code));
                work.extend(new.map(|code| bodies.functions[code.as_u32() as usize].body));
            }
        });
    }
    found
}

/// Each expression in an expression, itself first.
fn walk(bodies: &Bodies, root: ExprId, f: &mut impl FnMut(ExprId, &Expr)) {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let expr = &bodies.tree.exprs[id.0 as usize];
        f(id, expr);
        flambeau_cmm::encode::operands(expr, &mut stack);
    }
}

/// Each symbol that an item of static data holds.
fn each_symbol(def: &StaticDef, f: &mut impl FnMut(Symbol)) {
    def.for_each_simple(&mut |simple| {
        if let Simple::Symbol(symbol) = simple {
            f(symbol);
        }
    });
}
