//! High-level Cmm, in an arena.

use flambeau_ir::term::RaiseKind;
use flambeau_ir::{BoxedKind, CodeId, Dbg, Prim, ValueSlot};

/// An expression: index into [`Tree::exprs`]. Each expression has one parent at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExprId(pub u32);

/// A Cmm variable: index into [`Tree::vars`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Var(pub u32);

/// A static-exception label, unique in the unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// A linker's name: index into [`Tree::names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Name(pub u32);

/// The type of a register. Encoded as its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Machtype {
    /// `typ_val`: scanned by the GC.
    Val = 0,
    /// `typ_int`: not scanned.
    Int = 1,
    /// `typ_float`.
    Float = 2,
}

/// An expression. Operands are evaluated right to left, as Cmm does.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A machine word (a tagged integer `n` is `2n + 1`).
    Int(i64),
    /// The bits of a double.
    Float(u64),
    /// The address of a symbol.
    Symbol(Name),
    /// A variable.
    Var(Var),
    /// Binds; the type is that of the definition.
    Let { var: Var, def: ExprId, body: ExprId },
    /// Binds a mutable variable.
    LetMut { var: Var, ty: Machtype, def: ExprId, body: ExprId },
    /// Assigns a variable bound by `LetMut`. Returns nothing: only on the left of a `Seq`.
    Assign { var: Var, value: ExprId },
    /// The first is for its effect.
    Seq(ExprId, ExprId),
    /// The condition is a naked 0 or 1 (or any non-zero). `swapped`: the arms are better laid out in the other order,
    /// if the condition can be negated for nothing.
    If { cond: ExprId, then_: ExprId, else_: ExprId, swapped: bool, dbg: Dbg },
    /// On a naked integer. Without default, other values don't happen. Keys are increasing; several keys may
    /// share an arm (an index into `arms`).
    Switch { scrutinee: ExprId, keys: Vec<(i64, u32)>, arms: Vec<ExprId>, default: Option<ExprId>, dbg: Dbg },
    /// On a string's contents; keys increasing.
    StringSwitch {
        scrutinee: ExprId,
        keys: Vec<Vec<u8>>,
        arms: Vec<ExprId>,
        default: Option<ExprId>,
        dbg: Dbg,
    },
    /// Static catch.
    Catch { recursive: bool, handlers: Vec<Handler>, body: ExprId },
    /// Static exit.
    Exit { label: Label, args: Vec<ExprId> },
    /// The handler's variable is a value.
    Try { body: ExprId, var: Var, handler: ExprId, dbg: Dbg },
    /// A primitive of the IR. One which is for its effect returns nothing, and stands only on the left of a
    /// `Seq`. `ProjectValueSlot`, `ProjectFunctionSlot`, `AllocDummyClosure`, `IsClosureOf` and `ExnState` don't
    /// occur in native code; `ExnState`, `Tag`, `Box` and the like don't in bytecode.
    Prim { prim: Prim, args: Vec<ExprId>, dbg: Dbg },
    /// A call of known code; the closure, if passed, is the last argument.
    DirectCall { code: Name, args: Vec<ExprId>, result: Machtype, dbg: Dbg },
    /// A call of an unknown function.
    GenericCall { closure: ExprId, args: Vec<ExprId>, dbg: Dbg },
    /// A method call.
    Send { kind: SendKind, method: ExprId, object: ExprId, args: Vec<ExprId>, dbg: Dbg },
    /// Raises an exception.
    Raise { kind: RaiseKind, exn: ExprId, dbg: Dbg },
    /// Allocates a set of closures and returns the address of the first.
    Closures { functions: Vec<ClosureEntry>, values: Vec<ExprId>, dbg: Dbg },
    /// A pointer moved by words: from one closure of a set to another.
    Offset { pointer: ExprId, words: i32 },
    /// A captured value, at that distance in words.
    SlotLoad { pointer: ExprId, words: i32 },
    /// Whether a block is a closure of that function: a naked 0 or 1.
    IsClosureOf { pointer: ExprId, function: ClosureEntry },
    /// Never reached.
    Unreachable,
    /// For bytecode alone ([`crate::bytecode`]): a boxed integer.
    Boxed { kind: BoxedKind, value: i64 },
    /// For bytecode alone: a function that has no use for its closure.
    Code(CodeId),
    /// For bytecode alone: allocates a set of closures; its functions are [`Expr::Member`]s of it.
    Functions { functions: Vec<CodeId>, slots: Vec<ValueSlot>, values: Vec<ExprId>, dbg: Dbg },
    /// For bytecode alone: a function of such a set.
    Member { set: ExprId, index: u32 },
    /// For bytecode alone: a primitive that checks its operands itself, and raises.
    Checked { prim: Prim, args: Vec<ExprId>, dbg: Dbg },
}

/// How a method is looked up. Encoded as its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SendKind {
    /// By its label.
    SelfMethod = 0,
    /// By its hash.
    Public = 1,
    /// By its hash, through a cache: the first two arguments.
    Cached = 2,
}

/// A handler of a static catch.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// Its label.
    pub label: Label,
    /// Its parameters.
    pub params: Vec<(Var, Machtype)>,
    /// Its code.
    pub body: ExprId,
}

/// A function in a set of closures.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosureEntry {
    /// The symbol of the code.
    pub code: Name,
    /// The number of parameters, negative for tupled functions.
    pub arity: i32,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The symbol of the code.
    pub name: Name,
    /// The closure, if passed, is the last.
    pub params: Vec<(Var, Machtype)>,
    /// The body.
    pub body: ExprId,
    /// Its source location.
    pub dbg: Dbg,
    /// `[@poll error]`
    pub no_poll: bool,
}

/// An item of static data.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A block of values.
    Block { symbol: Name, tag: u8, fields: Vec<DataField> },
    /// A boxed double.
    Float { symbol: Name, bits: u64 },
    /// A boxed int32.
    Int32 { symbol: Name, value: i32 },
    /// A boxed int64.
    Int64 { symbol: Name, value: i64 },
    /// A boxed nativeint.
    Nativeint { symbol: Name, value: i64 },
    /// A string.
    String { symbol: Name, contents: Vec<u8> },
    /// A flat array of doubles.
    FloatArray { symbol: Name, elements: Vec<u64> },
    /// A set of closures; one symbol for each function.
    Closures { symbols: Vec<Name>, functions: Vec<ClosureEntry>, values: Vec<DataField> },
    /// A block filled at run time, a root.
    Preallocated { symbol: Name, tag: u8, size: u32 },
}

/// A word of static data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataField {
    /// An address.
    Symbol(Name),
    /// A machine word (a tagged integer `n` is `2n + 1`).
    Word(i64),
}

/// All of a unit.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The arena.
    pub exprs: Vec<Expr>,
    /// The names of variables, for people.
    pub vars: Vec<String>,
    /// The linker's names.
    pub names: Vec<String>,
    /// The number of labels used: they are `0..labels`.
    pub labels: u32,
    /// Locations that are not in the unit's source; their numbers follow those of the locations of the source.
    pub places: Vec<Place>,
    /// Static data and whether each item is visible to other units.
    pub data: Vec<(Data, bool)>,
    /// Functions.
    pub functions: Vec<Function>,
    /// The unit's entry code: any value.
    pub entry: Option<ExprId>,
}

/// A location that is not in the unit's source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In an inlined function: that of a call, and that in the callee.
    Inlined(flambeau_ir::Inlined),
    /// In the source of another unit.
    Foreign(flambeau_ir::Loc),
}

impl Tree {
    /// Adds an expression.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }
}
