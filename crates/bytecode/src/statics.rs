//! Static data, and functions that capture nothing: variables of the unit's straight line, bound before the first
//! mention.

use flambeau_ir::prim::Mutability;
use flambeau_ir::tags;
use flambeau_ir::{BoxedKind, CodeId, Const, Prim, Simple, StaticDef, StaticField, Symbol};
use rustc_hash::FxHashMap;

use crate::body::Frame;
use crate::mentions::Node;
use crate::term::{Ident, Term, TermId};
use crate::unit::{Leaf, Translation};

/// The search for nodes that need one another, after Tarjan.
#[derive(Default)]
struct Components {
    numbers: FxHashMap<Node, u32>,
    /// The lowest number that a node reaches among those on the stack.
    low: FxHashMap<Node, u32>,
    stack: Vec<Node>,
    on_stack: FxHashMap<Node, bool>,
    /// In an order in which each comes after what it needs.
    found: Vec<Vec<Node>>,
}

impl Translation<'_> {
    /// Binds nodes, and what they need, that have not been bound yet.
    pub fn need(&mut self, nodes: &[Node], frames: &mut Vec<Frame>) {
        let mut components = Components::default();
        nodes.iter().for_each(|node| self.visit(*node, &mut components));
        for component in components.found {
            self.bind_component(&component, frames);
        }
    }

    fn visit(&self, node: Node, components: &mut Components) {
        if self.done.contains(&node) || components.numbers.contains_key(&node) {
            return;
        }
        let number = components.numbers.len() as u32;
        components.numbers.insert(node, number);
        components.low.insert(node, number);
        components.stack.push(node);
        components.on_stack.insert(node, true);
        let needs = self.mentions.of_node(self.unit, self.bodies, node);
        for other in needs.iter().filter(|other| !self.done.contains(other)) {
            let reached = if components.numbers.contains_key(other) {
                components.on_stack[other].then(|| components.numbers[other])
            } else {
                flambeau_ir::stack::deep(|| self.visit(*other, components));
                Some(components.low[other])
            };
            let low = components.low[&node].min(reached.unwrap_or(u32::MAX));
            components.low.insert(node, low);
        }
        if components.low[&node] == number {
            let start = components.stack.iter().rposition(|other| *other == node).unwrap_or(0);
            let mut component = components.stack.split_off(start);
            components.on_stack.extend(component.iter().map(|node| (*node, false)));
            component.sort_unstable();
            components.found.push(component);
        }
    }

    /// Binds nodes that need one another: functions first, then data, which functions find in the table.
    fn bind_component(&mut self, component: &[Node], frames: &mut Vec<Frame>) {
        self.done.extend(component);
        let mut functions = Vec::new();
        for node in component {
            self.declare(*node, &mut functions);
        }
        self.define_all(functions, frames);
        let mut data: Vec<u32> = component
            .iter()
            .filter_map(|node| match node {
                Node::Static(index) => Some(*index),
                _ => None,
            })
            .collect();
        // Blocks come after those that they hold.
        while !data.is_empty() {
            let ready = data.iter().position(|index| self.is_ready(*index)).unwrap_or(0);
            let index = data.remove(ready);
            self.bind_data(index, frames);
        }
    }

    /// Gives variables to functions.
    fn declare(&mut self, node: Node, functions: &mut Vec<(Ident, Node, Option<CodeId>)>) {
        match node {
            Node::Static(index) => {
                let unit = self.unit;
                let StaticDef::Closures { symbols, set } = &unit.statics[index as usize].def else { return };
                let codes: Vec<_> = set.functions.iter().map(|(_, code)| *code).collect();
                let idents: Vec<_> = codes.iter().map(|code| self.function_ident(*code)).collect();
                for ((symbol, ident), code) in symbols.iter().zip(&idents).zip(&codes) {
                    self.symbols.insert(*symbol, Leaf::Ident(*ident));
                    functions.push((*ident, node, Some(*code)));
                }
                let leaf = |value: Simple| match value {
                    Simple::Symbol(symbol) => self.symbol_leaf(symbol),
                    Simple::Const(constant) => Some(constant_leaf(constant)),
                    Simple::Var(_) => None,
                };
                let slots =
                    set.values.iter().filter_map(|(slot, value)| Some((*slot, leaf(*value)?))).collect();
                self.know(&codes, &idents, slots);
            }
            Node::Code(code) => {
                let ident = self.function_ident(code);
                self.codes.insert(code, Leaf::Ident(ident));
                functions.push((ident, node, Some(code)));
            }
            Node::Maker(maker) => {
                let ident = self.ident("maker");
                self.makers.insert(maker, Leaf::Ident(ident));
                functions.push((ident, node, None));
            }
        }
    }

    fn define_all(&mut self, functions: Vec<(Ident, Node, Option<CodeId>)>, frames: &mut Vec<Frame>) {
        if functions.is_empty() {
            return;
        }
        let used = |this: &Self| functions.iter().map(|(ident, ..)| this.uses[ident.0 as usize]).sum::<u32>();
        let before = used(self);
        let mut defined = Vec::new();
        for (ident, node, code) in &functions {
            let function = match (node, code) {
                (Node::Maker(maker), _) => self.maker(*maker),
                (_, Some(code)) => self.function(*code, Some(*ident)),
                _ => continue,
            };
            defined.push((*ident, function));
        }
        frames.push(match defined[..] {
            [(ident, function)] if used(self) == before => Frame::Let(ident, function),
            _ => Frame::LetRec(defined),
        });
    }

    fn is_ready(&self, index: u32) -> bool {
        match &self.unit.statics[index as usize].def {
            StaticDef::Block { fields, .. } => fields.iter().all(|field| match field {
                StaticField::Symbol(symbol) => self.symbol_leaf(*symbol).is_some() || self.is_here(*symbol),
                StaticField::Immediate(_) => true,
            }),
            _ => true,
        }
    }

    /// Binds an item of data that is no set of closures.
    fn bind_data(&mut self, index: u32, frames: &mut Vec<Frame>) {
        let unit = self.unit;
        let def = &unit.statics[index as usize].def;
        let [symbol] = def.symbols() else { return };
        if *symbol == unit.module_symbol || matches!(def, StaticDef::Closures { .. }) {
            return;
        }
        if !self.is_here(*symbol) || self.demands.symbols.contains_key(symbol) {
            let term = self.data(def);
            let ident = self.ident(&unit.symbols[*symbol].linkage_name);
            frames.push(Frame::Let(ident, term));
            self.symbols.insert(*symbol, Leaf::Ident(ident));
            if let Some(at) = self.demands.symbols.get(symbol).copied()
                && self.table.is_some()
            {
                let value = self.leaf(Leaf::Ident(ident));
                frames.push(Frame::Seq(self.write(self.table(), at, value)));
            }
        }
    }

    /// An item of data.
    fn data(&mut self, def: &StaticDef) -> TermId {
        match def {
            StaticDef::Block { tag, fields, .. } => {
                let mut terms = Vec::new();
                let mut is_constant = true;
                for field in fields {
                    let term = self.field(*field);
                    is_constant &= is_constant_term(self.program.term(term));
                    terms.push(term);
                }
                if is_constant {
                    self.push(Term::ConstBlock { tag: *tag, fields: terms })
                } else {
                    self.prim(Prim::MakeBlock { tag: *tag, mutability: Mutability::Immutable }, terms)
                }
            }
            StaticDef::Float { bits, .. } => self.push(Term::Float(*bits)),
            StaticDef::Int32 { value, .. } => {
                self.push(Term::Boxed { kind: BoxedKind::Int32, value: i64::from(*value) })
            }
            StaticDef::Int64 { value, .. } => {
                self.push(Term::Boxed { kind: BoxedKind::Int64, value: *value })
            }
            StaticDef::Nativeint { value, .. } => {
                self.push(Term::Boxed { kind: BoxedKind::Nativeint, value: *value })
            }
            StaticDef::String { contents, mutable: _, .. } => self.push(Term::String(contents.clone())),
            StaticDef::FloatArray { elements, mutable: false, .. }
                if !elements.iter().copied().any(is_nan) =>
            {
                self.push(Term::FloatArray(elements.clone()))
            }
            StaticDef::FloatArray { elements, .. } => {
                let elements = elements.iter().map(|bits| self.program.push(Term::Float(*bits))).collect();
                self.prim(Prim::MakeFloatBlock { mutability: Mutability::Mutable }, elements)
            }
            StaticDef::Preallocated { tag, size, .. } => self.zeros(*tag, *size),
            StaticDef::Closures { .. } => panic!("a set of closures is no data"),
        }
    }

    fn field(&mut self, field: StaticField) -> TermId {
        match field {
            StaticField::Immediate(n) => self.push(Term::Int(n)),
            StaticField::Symbol(symbol) => match self.symbol_leaf(symbol) {
                Some(leaf) => self.leaf(leaf),
                None => self.constant_here(symbol).unwrap_or_else(|| {
                    panic!("static data need {} before it is there", self.unit.symbols[symbol].linkage_name)
                }),
            },
        }
    }

    /// The leaf that a symbol is, if it is one by now.
    pub fn symbol_leaf(&self, symbol: Symbol) -> Option<Leaf> {
        if symbol == self.unit.module_symbol {
            return self.table.map(Leaf::Ident);
        }
        match self.mentions.static_of(symbol) {
            None => Some(Leaf::Global(symbol)),
            Some(_) => self.symbols.get(&symbol).copied(),
        }
    }

    /// The function that a code is, which has no use for its closure.
    ///
    /// # Panics
    /// When it is mentioned before it is needed.
    pub fn code_leaf(&self, code: CodeId) -> Leaf {
        let leaf = match self.mentions.closed(code) {
            Some(symbol) => self.symbols.get(&symbol),
            None => self.codes.get(&code),
        };
        *leaf.unwrap_or_else(|| panic!("{} is not there yet", self.unit.codes[code].linkage_name))
    }

    /// A constant that stands where it is mentioned: numbers, what is mentioned once, and what is only a part of larger
    /// constants. All others have an identity.
    pub fn constant_here(&mut self, symbol: Symbol) -> Option<TermId> {
        let unit = self.unit;
        let index = self.mentions.static_of(symbol).filter(|_| self.is_here(symbol))?;
        Some(self.data(&unit.statics[index as usize].def))
    }

    fn is_here(&self, symbol: Symbol) -> bool {
        self.size_here(symbol, LARGEST_CONSTANT).is_some()
    }

    /// The number of words of a constant that stands where it is mentioned, up to a limit.
    fn size_here(&self, symbol: Symbol, limit: usize) -> Option<usize> {
        let index = self.mentions.static_of(symbol)?;
        let is_part = matches!(self.mentions.count(symbol), (1, 0) | (0, _));
        match &self.unit.statics[index as usize].def {
            StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. } => Some(1),
            StaticDef::String { mutable: false, .. } if is_part => Some(1),
            StaticDef::FloatArray { mutable: false, elements, .. }
                if is_part && !elements.iter().copied().any(is_nan) =>
            {
                Some(1)
            }
            StaticDef::Block { tag, fields, .. } if is_part && *tag < tags::FIRST_SPECIAL => {
                let mut size = 1 + fields.len();
                for field in fields {
                    if let StaticField::Symbol(symbol) = field {
                        let rest = limit.checked_sub(size)?;
                        size += flambeau_ir::stack::deep(|| self.size_here(*symbol, rest))?;
                    }
                }
                (size <= limit).then_some(size)
            }
            _ => None,
        }
    }
}

/// The most words of a constant of which there may be several.
const LARGEST_CONSTANT: usize = 512;

/// No literal of OCaml has the bits of any NaN.
fn is_nan(bits: u64) -> bool {
    f64::from_bits(bits).is_nan()
}

fn is_constant_term(term: &Term) -> bool {
    if let Term::Float(bits) = term {
        return !is_nan(*bits);
    }
    matches!(
        term,
        Term::Int(_) | Term::Boxed { .. } | Term::String(_) | Term::FloatArray(_) | Term::ConstBlock { .. }
    )
}

fn constant_leaf(constant: Const) -> Leaf {
    match constant {
        Const::Tagged(n) | Const::NakedImmediate(n) => Leaf::Int(n),
        Const::NakedFloat(bits) => Leaf::Float(bits),
        Const::NakedInt32(n) => Leaf::Boxed(BoxedKind::Int32, i64::from(n)),
        Const::NakedInt64(n) => Leaf::Boxed(BoxedKind::Int64, n),
        Const::NakedNativeint(n) => Leaf::Boxed(BoxedKind::Nativeint, n),
        Const::Poison(_) => Leaf::Int(0),
    }
}
