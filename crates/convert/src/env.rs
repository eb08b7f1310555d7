//! What conversion knows of values: the environment from Lambda's identifiers to atoms, and, beside
//! each atom, a description by which calls become direct and boxed numbers are not unboxed again.

use std::rc::Rc;

use flambeau_ir::{BoxedKind, CodeId, Const, Kind, Simple, Subkind};
use flambeau_lambda::{Approximation, Number, ValueKind};

/// An atom and what is known of it.
#[derive(Clone, Debug)]
pub struct Val {
    /// The atom, of kind `Value`.
    pub simple: Simple,
    /// What is known of its value.
    pub info: Info,
}

/// What is known of a value.
#[derive(Clone, Debug, Default)]
pub enum Info {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It is this function.
    Closure(Rc<ClosureInfo>),
    /// It is a block whose fields never change.
    Block(Rc<[Field]>),
    /// It is a box around this naked number.
    Boxed(BoxedKind, Simple),
    /// It is a part of the result of an application to arguments that are known, perhaps of a functor.
    Applied(Rc<Applied>),
}

/// A part of the result of an application at the toplevel.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The code of the function, which does not use its closure.
    pub code: CodeRef,
    /// What is known of its arguments.
    pub args: Rc<[Field]>,
    /// The part: a field of the result, a field of that, and so on.
    pub path: Vec<u32>,
}

/// What is known of a field of an immutable block.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// A constant or symbol that it holds.
    pub simple: Option<Simple>,
    /// What is known of what it holds.
    pub info: Info,
}

/// A known function.
#[derive(Clone, Debug)]
pub struct ClosureInfo {
    /// Its code.
    pub code: CodeRef,
    /// The number of parameters of the code.
    pub arity: usize,
    /// Whether it takes them as one tuple.
    pub tupled: bool,
    /// Whether direct calls pass the closure.
    pub needs_closure: bool,
    /// What is known of its result, as [`Info::of_result`] leaves it.
    pub result: Info,
}

/// The code of a known function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeRef {
    /// The code is of this unit.
    Local(CodeId),
    /// The code is of another unit, and has this symbol.
    External(String),
}

impl Info {
    /// What remains known of a function's result at a call: the call may be inlined, and then allocates closures of
    /// other codes. Closures that have no environment are the same everywhere.
    pub fn of_result(&self) -> Info {
        match self {
            Info::Closure(closure) if !closure.needs_closure => self.clone(),
            Info::Block(fields) => {
                let fields: Rc<[Field]> = fields.iter().map(Field::of_result).collect();
                if fields.iter().any(Field::is_known) { Info::Block(fields) } else { Info::Unknown }
            }
            Info::Unknown | Info::Closure(_) | Info::Boxed(..) | Info::Applied(_) => Info::Unknown,
        }
    }

    /// What is known of a field.
    pub fn field(&self, field: u32) -> Option<Field> {
        match self {
            Info::Block(fields) => fields.get(field as usize).cloned(),
            Info::Applied(of) => {
                let mut part = Applied::clone(of);
                part.path.push(field);
                Some(Field { simple: None, info: Info::Applied(Rc::new(part)) })
            }
            Info::Unknown | Info::Closure(_) | Info::Boxed(..) => None,
        }
    }
}

impl Field {
    fn of_result(&self) -> Field {
        Field { simple: self.simple, info: self.info.of_result() }
    }

    fn is_known(&self) -> bool {
        self.simple.is_some() || !matches!(self.info, Info::Unknown)
    }
}

impl Val {
    /// An atom of which nothing is known.
    pub fn unknown(simple: impl Into<Simple>) -> Val {
        Val { simple: simple.into(), info: Info::Unknown }
    }

    /// Whether the atom means the same everywhere in the program.
    pub fn is_static(&self) -> bool {
        !matches!(self.simple, Simple::Var(_))
    }

    /// What is known of a field that holds it, wherever that is read.
    pub fn as_field(&self) -> Field {
        Field { simple: self.is_static().then_some(self.simple), info: self.portable_info() }
    }

    /// What remains known where the variables of the current function are out of scope.
    pub fn portable_info(&self) -> Info {
        match &self.info {
            Info::Boxed(_, Simple::Var(_)) => Info::Unknown,
            info => info.clone(),
        }
    }
}

/// How a variable of the source is held.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Not in scope.
    Unbound,
    /// An immutable variable.
    Immutable(Val),
    /// A mutable variable, by its current value.
    Mutable(Simple, MutableRepr),
}

/// How the current value of a mutable variable is held: numbers naked, as in the stock compiler, lest each
/// assignment allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutableRepr {
    /// As a value.
    Value(Subkind),
    /// As a naked number.
    Naked(BoxedKind),
}

impl MutableRepr {
    /// The representation of a mutable variable of that kind.
    pub fn of(kind: ValueKind) -> MutableRepr {
        match subkind(kind) {
            Subkind::Boxed(boxed) => MutableRepr::Naked(boxed),
            subkind => MutableRepr::Value(subkind),
        }
    }

    /// Kind and subkind of the variables that hold it.
    pub fn kind(self) -> (Kind, Subkind) {
        match self {
            MutableRepr::Value(subkind) => (Kind::Value, subkind),
            MutableRepr::Naked(boxed) => (boxed.naked(), Subkind::Any),
        }
    }
}

/// The subkind that the front end's `value_kind` stands for.
pub fn subkind(kind: ValueKind) -> Subkind {
    match kind {
        ValueKind::Generic => Subkind::Any,
        ValueKind::Int => Subkind::Immediate,
        ValueKind::Float => Subkind::Boxed(BoxedKind::Float),
        ValueKind::Nativeint => Subkind::Boxed(BoxedKind::Nativeint),
        ValueKind::Int32 => Subkind::Boxed(BoxedKind::Int32),
        ValueKind::Int64 => Subkind::Boxed(BoxedKind::Int64),
    }
}

/// The arguments of an application in another unit: their approximations there, and what is known of them here.
type Arguments = (Rc<[Approximation]>, Rc<[Field]>);

/// Converts the approximations of an imported unit to what is known of its values.
pub struct Importing<'s> {
    symbol: &'s mut dyn FnMut(&str) -> Simple,
    /// The arguments of the last application: its result has many parts, which follow each other.
    last: Option<Arguments>,
}

impl<'s> Importing<'s> {
    /// `symbol` turns a linkage name into an atom.
    pub fn new(symbol: &'s mut dyn FnMut(&str) -> Simple) -> Importing<'s> {
        Importing { symbol, last: None }
    }

    /// What is known of the value that an approximation describes.
    pub fn field(&mut self, approximation: &Approximation) -> Field {
        match approximation {
            Approximation::Unknown | Approximation::GlobalField { .. } => Field::default(),
            Approximation::Closure { code, arity, needs_closure, symbol, result } => Field {
                simple: symbol.as_deref().map(&mut self.symbol),
                info: Info::Closure(Rc::new(ClosureInfo {
                    code: CodeRef::External(code.clone()),
                    arity: arity.unsigned_abs() as usize,
                    tupled: *arity < 0,
                    needs_closure: *needs_closure,
                    result: self.field(result).info.of_result(),
                })),
            },
            Approximation::Block(fields) => Field {
                simple: None,
                info: Info::Block(fields.iter().map(|field| self.field(field)).collect()),
            },
            Approximation::Applied { code, args, path } => {
                let part = Applied {
                    code: CodeRef::External(code.clone()),
                    args: self.args(args),
                    path: path.clone(),
                };
                Field { simple: None, info: Info::Applied(Rc::new(part)) }
            }
            Approximation::Immediate(n) => Field { simple: Some(Simple::tagged(*n)), info: Info::Unknown },
            Approximation::Symbol(name) => Field { simple: Some((self.symbol)(name)), info: Info::Unknown },
            Approximation::Number { symbol, number } => {
                Field { simple: Some((self.symbol)(symbol)), info: boxed(*number) }
            }
        }
    }

    fn args(&mut self, args: &Rc<[Approximation]>) -> Rc<[Field]> {
        match &self.last {
            Some((last, known)) if Rc::ptr_eq(last, args) => known.clone(),
            _ => {
                let known: Rc<[Field]> = args.iter().map(|arg| self.field(arg)).collect();
                self.last = Some((args.clone(), known.clone()));
                known
            }
        }
    }
}

/// What is known of a box around a number.
fn boxed(number: Number) -> Info {
    let (kind, contents) = match number {
        Number::Float(bits) => (BoxedKind::Float, Const::NakedFloat(bits)),
        Number::Int32(n) => (BoxedKind::Int32, Const::NakedInt32(n)),
        Number::Int64(n) => (BoxedKind::Int64, Const::NakedInt64(n)),
        Number::Nativeint(n) => (BoxedKind::Nativeint, Const::NakedNativeint(n)),
    };
    Info::Boxed(kind, contents.into())
}
