//! The state that lowering carries along: the Cmm built so far, what stands for each variable of the IR,
//! and the names of the linker.
//!
//! Lowering comes in two steps. The first, this module with [`control`](crate::control),
//! [`operations`](crate::operations) and [`exn`](crate::exn), builds for each function a tree in which every binding
//! stands where it is evaluated and every operand is an atom. The second, [`placement`](crate::placement),
//! moves bindings to their uses.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{Const, Continuation, Kind, Machine, Simple, Symbol, Unit, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Analysis;
use crate::control::Target;
use crate::exn::{Paths, TryState};
use crate::layout::Layout;
use crate::tree::*;

/// What stands for a variable of the IR: an operand without evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    Var(Var),
    Int(i64),
    Float(u64),
    Symbol(Name),
    /// For bytecode alone: a boxed integer.
    Boxed(flambeau_ir::BoxedKind, i64),
}

/// The definition of a variable that undoing it can make use of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Representation {
    /// The boxed number with these contents.
    Boxed(flambeau_ir::BoxedKind, Atom),
    /// The tagged form of this naked integer.
    Tagged(Atom),
    /// The naked form of this tagged integer.
    Untagged(Atom),
}

/// The state of the first step.
pub struct Lowering<'a> {
    pub unit: &'a Unit,
    pub machine: Machine,
    pub analysis: Analysis<'a>,
    pub layout: Layout,
    pub tree: Tree,
    /// What stands for each variable.
    pub env: SecondaryMap<Variable, Option<Atom>>,
    /// The mutable variables that parameters of loops are names of; see [`kept`](crate::kept).
    pub kept: SecondaryMap<Variable, Option<Var>>,
    /// Those of them that an iteration of the loop may change before it ends.
    pub renamed: FxHashSet<Var>,
    /// How each ordinary continuation in scope is reached.
    pub targets: SecondaryMap<Continuation, Option<Target<'a>>>,
    /// The `Try`s around, by their handlers.
    pub tries: FxHashMap<Continuation, TryState>,
    /// See [`Paths`].
    pub paths: Paths,
    /// Where the function that is lowered returns to.
    pub returns: Option<Continuation>,
    /// The definitions of boxed and tagged numbers.
    pub representations: FxHashMap<Var, Representation>,
    /// Variables that are the lengths of arrays and strings.
    pub lengths: FxHashMap<Var, Atom>,
    /// Variables that are the tags of blocks.
    pub tags: FxHashMap<Var, Atom>,
    /// Variables that are 0 or 1.
    pub booleans: FxHashSet<Var>,
    /// Where single-use continuations whose handlers stand in a result context are used; see
    /// [`control`](crate::control).
    pub inlined_uses: std::collections::BTreeSet<u32>,
    names: FxHashMap<&'a str, Name>,
}

impl<'a> Lowering<'a> {
    /// Nothing lowered yet.
    pub fn new(unit: &'a Unit, machine: Machine) -> Self {
        let analysis = Analysis::new(unit, machine);
        let mut layout = Layout::default();
        if machine == Machine::Native {
            analysis.sets.iter().for_each(|set| layout.add(unit, set));
        }
        Lowering {
            unit,
            machine,
            analysis,
            layout,
            tree: Tree::default(),
            env: SecondaryMap::new(),
            kept: SecondaryMap::new(),
            renamed: FxHashSet::default(),
            targets: SecondaryMap::new(),
            tries: FxHashMap::default(),
            paths: Paths::default(),
            returns: None,
            representations: FxHashMap::default(),
            lengths: FxHashMap::default(),
            tags: FxHashMap::default(),
            booleans: FxHashSet::default(),
            inlined_uses: std::collections::BTreeSet::new(),
            names: FxHashMap::default(),
        }
    }

    /// A linker's name.
    pub fn name(&mut self, name: &'a str) -> Name {
        let tree = &mut self.tree;
        *self.names.entry(name).or_insert_with(|| {
            tree.names.push(name.to_owned());
            Name(tree.names.len() as u32 - 1)
        })
    }

    /// The name of a symbol.
    pub fn symbol(&mut self, symbol: Symbol) -> Name {
        let unit = self.unit;
        self.name(&unit.symbols[symbol].linkage_name)
    }

    /// A fresh Cmm variable.
    pub fn fresh(&mut self, name: &str) -> Var {
        self.tree.vars.push(name.to_owned());
        Var(self.tree.vars.len() as u32 - 1)
    }

    /// A fresh Cmm variable that stands for a variable of the IR from now on.
    pub fn bind(&mut self, var: Variable) -> Var {
        let unit = self.unit;
        let fresh = self.fresh(&unit.variables[var].name);
        self.env[var] = Some(Atom::Var(fresh));
        fresh
    }

    /// Fresh Cmm variables for parameters, with their types.
    pub fn bind_params(&mut self, params: &[Variable]) -> Vec<(Var, Machtype)> {
        params.iter().map(|param| (self.bind(*param), machtype(self.unit.variables[*param].kind))).collect()
    }

    /// A fresh label.
    pub fn label(&mut self) -> Label {
        self.tree.labels += 1;
        Label(self.tree.labels - 1)
    }

    /// An operand.
    pub fn atom(&mut self, simple: Simple) -> Atom {
        match simple {
            Simple::Var(var) => self.env[var].unwrap_or_else(|| {
                panic!("{var} ({}) is used out of its scope", self.unit.variables[var].name)
            }),
            Simple::Symbol(symbol) => Atom::Symbol(self.symbol(symbol)),
            Simple::Const(constant) => match self.machine {
                Machine::Native => const_atom(constant),
                Machine::Bytecode => crate::bytecode::constant(constant),
            },
        }
    }

    /// An operand as an expression of its own: expressions have one parent.
    pub fn expr(&mut self, atom: Atom) -> ExprId {
        self.tree.push(match atom {
            Atom::Var(var) => Expr::Var(var),
            Atom::Int(n) => Expr::Int(n),
            Atom::Float(bits) => Expr::Float(bits),
            Atom::Symbol(name) => Expr::Symbol(name),
            Atom::Boxed(kind, value) => Expr::Boxed { kind, value },
        })
    }

    /// `()`
    pub fn unit_value(&self) -> Atom {
        Atom::Int(match self.machine {
            Machine::Native => tagged(0),
            Machine::Bytecode => 0,
        })
    }

    /// Operands as expressions.
    pub fn operands(&mut self, simples: &[Simple]) -> Vec<ExprId> {
        simples
            .iter()
            .map(|simple| {
                let atom = self.atom(*simple);
                self.expr(atom)
            })
            .collect()
    }
}

/// The register that holds a variable of that kind. All of kind `Value` are scanned: subkinds are only
/// hints, and a pointer in a register that the GC does not scan dangles (pitfall 25).
pub fn machtype(kind: Kind) -> Machtype {
    match kind {
        Kind::Value => Machtype::Val,
        Kind::NakedFloat => Machtype::Float,
        Kind::NakedImmediate | Kind::NakedInt32 | Kind::NakedInt64 | Kind::NakedNativeint => Machtype::Int,
    }
}

/// A constant as a machine word or double. A poisoned value is an immediate (pitfall 29).
pub fn const_atom(constant: Const) -> Atom {
    match constant {
        Const::Tagged(n) => Atom::Int(tagged(n)),
        Const::NakedImmediate(n) | Const::NakedInt64(n) | Const::NakedNativeint(n) => Atom::Int(n),
        Const::NakedInt32(n) => Atom::Int(i64::from(n)),
        Const::NakedFloat(bits) => Atom::Float(bits),
        Const::Poison(Kind::Value) => Atom::Int(tagged(0)),
        Const::Poison(Kind::NakedFloat) => Atom::Float(0),
        Const::Poison(_) => Atom::Int(0),
    }
}

/// The word that represents an OCaml integer (modulo 2^63: soundness row 22).
pub fn tagged(n: i64) -> i64 {
    n.wrapping_shl(1) | 1
}
