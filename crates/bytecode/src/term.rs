//! Lambda, in an arena.

use flambeau_cmm::tree::{Place, SendKind};
use flambeau_ir::term::RaiseKind;
use flambeau_ir::{BoxedKind, Dbg, Prim};

/// A term: index into [`Program::terms`]. Each term has one parent at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TermId(pub u32);

/// A variable of Lambda: index into [`Program::idents`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ident(pub u32);

/// A static exception.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// A term of Lambda, with the primitives of the IR. Operands are evaluated right to left.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A variable.
    Var(Ident),
    /// A variable that may be assigned.
    MutVar(Ident),
    /// An integer, or what is one in memory.
    Int(i64),
    /// The bits of a double.
    Float(u64),
    /// Another boxed number.
    Boxed { kind: BoxedKind, value: i64 },
    /// A string.
    String(Vec<u8>),
    /// A flat array of doubles, by their bits.
    FloatArray(Vec<u64>),
    /// A block of constants.
    ConstBlock { tag: u8, fields: Vec<TermId> },
    /// A unit or a predefined exception, by the linker's name.
    Global(String),
    /// Sets the unit's own block.
    SetGlobal(TermId),
    /// Binds.
    Let { ident: Ident, def: TermId, body: TermId },
    /// Binds a variable that may be assigned.
    LetMut { ident: Ident, def: TermId, body: TermId },
    /// Assigns such a variable.
    Assign { ident: Ident, value: TermId },
    /// The first is for its effect.
    Seq(TermId, TermId),
    /// A conditional.
    If { cond: TermId, then_: TermId, else_: TermId },
    /// On an immediate or on a block's tag, which are below the two numbers.
    Switch { scrutinee: TermId, consts: Arms, blocks: Arms, dbg: Dbg },
    /// On a string's contents, in increasing order.
    StringSwitch { scrutinee: TermId, arms: Vec<(Vec<u8>, TermId)>, default: Option<TermId>, dbg: Dbg },
    /// A static catch.
    Catch { label: Label, params: Vec<Ident>, body: TermId, handler: TermId },
    /// A static exit.
    Exit { label: Label, args: Vec<TermId> },
    /// `try`
    Try { body: TermId, ident: Ident, handler: TermId },
    /// `while`
    While { cond: TermId, body: TermId },
    /// `for`, up or down.
    For { ident: Ident, from: TermId, to: TermId, up: bool, body: TermId },
    /// A function.
    Function { params: Vec<Ident>, body: TermId, dbg: Dbg },
    /// Functions that know one another.
    LetRec { functions: Vec<(Ident, TermId)>, body: TermId },
    /// A call.
    Apply { function: TermId, args: Vec<TermId>, dbg: Dbg },
    /// A call of a function of the runtime which is no function of C: effects.
    Runtime { name: String, args: Vec<TermId>, dbg: Dbg },
    /// A method call.
    Send { kind: SendKind, method: TermId, object: TermId, args: Vec<TermId>, dbg: Dbg },
    /// Raises an exception.
    Raise { kind: RaiseKind, exn: TermId, dbg: Dbg },
    /// A primitive of the IR. `checked`: it is to check its operands.
    Prim { prim: Prim, args: Vec<TermId>, checked: bool, dbg: Dbg },
}

/// The arms of a switch: `0..cases` are possible. Without default each of them has an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arms {
    /// How many cases there are.
    pub cases: u32,
    /// By increasing case.
    pub arms: Vec<(u32, TermId)>,
}

/// A unit.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The arena.
    pub terms: Vec<Term>,
    /// The names of variables, for people.
    pub idents: Vec<String>,
    /// How many labels there are: they are `0..labels`.
    pub labels: u32,
    /// Locations that are not in the unit's source; their numbers follow those of the request's locations.
    pub places: Vec<Place>,
    /// What runs when the unit is initialised.
    pub root: Option<TermId>,
}

impl Program {
    /// Adds a term.
    pub fn push(&mut self, term: Term) -> TermId {
        self.terms.push(term);
        TermId(self.terms.len() as u32 - 1)
    }

    /// A term.
    #[must_use]
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    /// Gives functions of C the names that `rename` says.
    pub fn rename_functions_of_c(&mut self, rename: impl Fn(&str) -> Option<String>) {
        for term in &mut self.terms {
            if let Term::Prim { prim: Prim::CCall(external), .. } = term
                && let Some(name) = rename(&external.name)
            {
                external.name = name;
            }
        }
    }

    /// A fresh variable.
    pub fn ident(&mut self, name: &str) -> Ident {
        self.idents.push(name.to_owned());
        Ident(self.idents.len() as u32 - 1)
    }

    /// A fresh label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }
}

impl Term {
    /// Each term inside, in the order in which they are encoded.
    pub fn each_part(&self, mut f: impl FnMut(TermId)) {
        match self {
            Term::Var(_)
            | Term::MutVar(_)
            | Term::Int(_)
            | Term::Float(_)
            | Term::Boxed { .. }
            | Term::String(_)
            | Term::FloatArray(_)
            | Term::Global(_) => {}
            Term::SetGlobal(part) | Term::Assign { value: part, .. } => f(*part),
            Term::Function { body: part, .. } | Term::Raise { exn: part, .. } => f(*part),
            Term::ConstBlock { fields: parts, .. }
            | Term::Exit { args: parts, .. }
            | Term::Runtime { args: parts, .. }
            | Term::Prim { args: parts, .. } => parts.iter().copied().for_each(f),
            Term::Let { def, body, .. } | Term::LetMut { def, body, .. } => {
                [*def, *body].into_iter().for_each(f);
            }
            Term::Seq(first, second) | Term::While { cond: first, body: second } => {
                [*first, *second].into_iter().for_each(f);
            }
            Term::For { from, to, body, .. } => [*from, *to, *body].into_iter().for_each(f),
            Term::If { cond, then_, else_ } => [*cond, *then_, *else_].into_iter().for_each(f),
            Term::Switch { scrutinee, consts, blocks, .. } => {
                f(*scrutinee);
                consts.arms.iter().chain(&blocks.arms).for_each(|(_, arm)| f(*arm));
            }
            Term::StringSwitch { scrutinee, arms, default, .. } => {
                f(*scrutinee);
                arms.iter().for_each(|(_, arm)| f(*arm));
                default.iter().copied().for_each(f);
            }
            Term::Catch { body, handler, .. } | Term::Try { body, handler, .. } => {
                [*body, *handler].into_iter().for_each(f);
            }
            Term::LetRec { functions, body } => {
                functions.iter().for_each(|(_, function)| f(*function));
                f(*body);
            }
            Term::Apply { function, args, .. } => {
                f(*function);
                args.iter().copied().for_each(f);
            }
            Term::Send { method, object, args, .. } => {
                f(*method);
                f(*object);
                args.iter().copied().for_each(f);
            }
        }
    }

    /// The operands of a call, its function among them; `None` of other terms.
    pub fn operands_of_call(&mut self) -> Option<Vec<&mut TermId>> {
        match self {
            Term::Apply { function, args, .. } => Some([function].into_iter().chain(args).collect()),
            Term::Runtime { args, .. } => Some(args.iter_mut().collect()),
            Term::Send { method, object, args, .. } => {
                Some([method, object].into_iter().chain(args).collect())
            }
            _ => None,
        }
    }
}
