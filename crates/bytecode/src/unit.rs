//! The state of a translation, and what it starts again for.

use std::rc::Rc;

use flambeau_cmm::bytecode::{Bodies, lower};
use flambeau_cmm::tree::{Expr, ExprId, Label as TreeLabel, Name, Var};
use flambeau_ir::prim::Mutability;
use flambeau_ir::{BoxedKind, CodeId, Dbg, FunctionSlot, Prim, Symbol, Unit, ValueSlot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::loops::{Leaving, Target};
use crate::mentions::{Mentions, Node};
use crate::term::{Ident, Program, Term, TermId};

/// What is a term without evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    /// A variable that is never assigned.
    Ident(Ident),
    /// A variable that may be assigned before the next use.
    Mutable(Ident),
    /// A parameter of a loop: assigned when the next iteration begins, where nobody needs the old value.
    Looping(Ident),
    Int(i64),
    Float(u64),
    Boxed(BoxedKind, i64),
    /// Of another unit.
    Global(Symbol),
    /// A field of another unit's block, which never changes: it is read as fast as a variable.
    GlobalField(Symbol, u32),
}

impl Leaf {
    /// Whether functions may capture it, and other names stand for it for ever.
    pub fn is_lasting(self) -> bool {
        !matches!(self, Leaf::Mutable(_) | Leaf::Looping(_))
    }
}

/// What is found out to be needed while all is translated, which is translated again then.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub(crate) struct Demands {
    /// Fields of the module block that are kept in the table, by their positions there: they are read by functions that
    /// exist before they are stored, or stored in a branch.
    pub fields: FxHashMap<u32, u32>,
    /// Static data that are kept there, because functions that exist before them mention them.
    pub symbols: FxHashMap<Symbol, u32>,
    /// Functions whose captured values others read.
    pub asked: FxHashSet<FunctionSlot>,
    /// How many fields the table has.
    pub size: u32,
}

impl Demands {
    fn next(size: &mut u32) -> u32 {
        *size += 1;
        *size - 1
    }

    pub fn field(&mut self, field: u32) {
        let size = &mut self.size;
        self.fields.entry(field).or_insert_with(|| Demands::next(size));
    }

    pub fn symbol(&mut self, symbol: Symbol) {
        let size = &mut self.size;
        self.symbols.entry(symbol).or_insert_with(|| Demands::next(size));
    }
}

/// What a function that is in scope was allocated with.
#[derive(Debug)]
pub(crate) struct Known {
    pub slots: Vec<(ValueSlot, Leaf)>,
    pub members: Vec<(FunctionSlot, Leaf)>,
}

/// The state of the translation of a unit.
pub(crate) struct Translation<'a> {
    pub unit: &'a Unit,
    pub bodies: &'a Bodies,
    pub mentions: &'a Mentions,
    pub program: Program,
    pub demands: Demands,
    /// What stands for each variable of the tree.
    pub vars: Vec<Option<Leaf>>,
    /// The functions of each set that is bound to a variable.
    pub sets: FxHashMap<Var, Rc<[Leaf]>>,
    pub known: FxHashMap<Ident, Rc<Known>>,
    /// The cells of functions that a `let rec` will define.
    pub dummies: FxHashMap<Ident, Ident>,
    /// Static data that are variables.
    pub symbols: FxHashMap<Symbol, Leaf>,
    /// Functions without a closure that are variables.
    pub codes: FxHashMap<CodeId, Leaf>,
    pub makers: FxHashMap<u32, Leaf>,
    /// What has been translated.
    pub done: FxHashSet<Node>,
    /// What the fields of the module block hold, as far as that is known in the straight line.
    pub fields: FxHashMap<u32, Leaf>,
    pub table: Option<Ident>,
    pub question: Option<Ident>,
    pub targets: FxHashMap<TreeLabel, Target>,
    pub leaving: Vec<Leaving>,
    /// How often each variable is used.
    pub uses: Vec<u32>,
    /// The functions around.
    pub inside: FxHashSet<CodeId>,
}

/// Translates a unit, which the verifier accepts.
///
/// # Panics
/// When the unit breaks a rule that the verifier checks, or has what there is no Lambda for.
#[must_use]
pub fn translate(unit: &Unit) -> Program {
    let bodies = lower(unit);
    let mentions = Mentions::new(unit, &bodies);
    let mut demands = Demands::default();
    if mentions.module_as_a_whole(unit) {
        // The table is the module block.
        (0..unit.module_size()).for_each(|field| demands.field(field));
    }
    mentions.stored_in_branches().for_each(|field| demands.field(field));
    loop {
        let mut translation = Translation::new(unit, &bodies, &mentions, demands.clone());
        let root = translation.entry();
        if translation.demands == demands {
            let mut program = translation.program;
            program.places.clone_from(&bodies.tree.places);
            program.root = Some(root);
            program.substitute();
            return program;
        }
        demands = translation.demands;
    }
}

impl<'a> Translation<'a> {
    fn new(unit: &'a Unit, bodies: &'a Bodies, mentions: &'a Mentions, demands: Demands) -> Self {
        Translation {
            unit,
            bodies,
            mentions,
            program: Program::default(),
            demands,
            vars: vec![None; bodies.tree.vars.len()],
            sets: FxHashMap::default(),
            known: FxHashMap::default(),
            dummies: FxHashMap::default(),
            symbols: FxHashMap::default(),
            codes: FxHashMap::default(),
            makers: FxHashMap::default(),
            done: FxHashSet::default(),
            fields: FxHashMap::default(),
            table: None,
            question: None,
            targets: FxHashMap::default(),
            leaving: Vec::new(),
            uses: Vec::new(),
            inside: FxHashSet::default(),
        }
    }

    pub fn tree(&self, id: ExprId) -> &'a Expr {
        &self.bodies.tree.exprs[id.0 as usize]
    }

    pub fn push(&mut self, term: Term) -> TermId {
        self.program.push(term)
    }

    /// A fresh variable.
    pub fn ident(&mut self, name: &str) -> Ident {
        self.uses.push(0);
        self.program.ident(name)
    }

    /// A fresh variable of the name of one of the tree.
    pub fn ident_like(&mut self, var: Var) -> Ident {
        let bodies = self.bodies;
        self.ident(&bodies.tree.vars[var.0 as usize])
    }

    /// A leaf as a term of its own: terms have one parent.
    pub fn leaf(&mut self, leaf: Leaf) -> TermId {
        if let Leaf::Ident(ident) | Leaf::Mutable(ident) | Leaf::Looping(ident) = leaf {
            self.uses[ident.0 as usize] += 1;
        }
        if let Leaf::GlobalField(symbol, field) = leaf {
            let block = self.leaf(Leaf::Global(symbol));
            return self.prim(Prim::BlockLoad { field, mutability: Mutability::Immutable }, vec![block]);
        }
        let term = match leaf {
            Leaf::Ident(ident) => Term::Var(ident),
            Leaf::Mutable(ident) | Leaf::Looping(ident) => Term::MutVar(ident),
            Leaf::Int(n) => Term::Int(n),
            Leaf::Float(bits) => Term::Float(bits),
            Leaf::Boxed(kind, value) => Term::Boxed { kind, value },
            Leaf::Global(symbol) | Leaf::GlobalField(symbol, _) => {
                Term::Global(self.unit.symbols[symbol].linkage_name.clone())
            }
        };
        self.push(term)
    }

    /// The symbol of a name of the tree.
    pub fn symbol_named(&self, name: Name) -> Symbol {
        self.mentions.symbol(name)
    }

    pub fn is_module(&self, id: ExprId) -> bool {
        matches!(self.tree(id), Expr::Symbol(name) if self.symbol_named(*name) == self.unit.module_symbol)
    }

    pub fn prim(&mut self, prim: Prim, args: Vec<TermId>) -> TermId {
        self.push(Term::Prim { prim, args, checked: false, dbg: Dbg::NONE })
    }

    /// Reads a field of a block that may be assigned.
    pub fn read(&mut self, block: Ident, field: u32) -> TermId {
        let block = self.leaf(Leaf::Ident(block));
        self.prim(Prim::BlockLoad { field, mutability: Mutability::Mutable }, vec![block])
    }

    /// Assigns a field of a block.
    pub fn write(&mut self, block: Ident, field: u32, value: TermId) -> TermId {
        let block = self.leaf(Leaf::Ident(block));
        let init = flambeau_ir::prim::Init::Assignment;
        self.prim(Prim::BlockStore { field, pointer: true, init }, vec![block, value])
    }

    /// Allocates a block of that many zeros, which will be assigned.
    pub fn zeros(&mut self, tag: u8, size: u32) -> TermId {
        let fields = (0..size).map(|_| self.push(Term::Int(0))).collect();
        self.prim(Prim::MakeBlock { tag, mutability: Mutability::Mutable }, fields)
    }

    /// The table of what is late, in this translation.
    ///
    /// # Panics
    /// When nothing was known to be late when it began.
    pub fn table(&self) -> Ident {
        self.table.expect("there is a table if anything is late")
    }
}
