//! Terms. The crate's header says what they mean.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::prim::Prim;
use crate::{ArgType, CodeId, Continuation, Dbg, FunctionSlot, Heat, Origin, Simple, ValueSlot, Variable};

/// A run of items, then one terminator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// In order of evaluation.
    pub items: Vec<Item>,
    /// Where control is transferred then.
    pub terminator: Terminator,
}

impl Expr {
    /// A term that is never reached.
    #[must_use]
    pub fn unreachable() -> Expr {
        Expr { items: Vec::new(), terminator: Terminator::Unreachable }
    }

    /// Takes the term away and leaves one that is never reached.
    #[must_use]
    pub fn take(&mut self) -> Expr {
        std::mem::replace(self, Expr::unreachable())
    }
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Item {
    /// Binds a variable.
    Let {
        /// The variable bound.
        var: Variable,
        /// What is computed.
        named: Named,
        /// Its source location.
        dbg: Dbg,
    },
    /// Allocates a set of closures; one variable for each of its functions, in order.
    LetClosures {
        /// The closures.
        vars: SmallVec<[Variable; 1]>,
        /// Their functions and captured values.
        set: SetOfClosures,
        /// Their source location.
        dbg: Dbg,
    },
    /// `let_cont`, the remainder of the run being the handler.
    Join {
        /// The continuation, used in `body` only.
        cont: Continuation,
        /// Bound in the remainder of the run.
        params: SmallVec<[Variable; 2]>,
        /// Evaluated now.
        #[serde(with = "crate::transfer::nested")]
        body: Box<Expr>,
    },
    /// `let_cont`, the remainder of the run being the body.
    LetCont {
        /// Whether the handlers may use the continuations of the group (loops). An exception
        /// continuation is never recursive.
        recursive: bool,
        /// At least one.
        handlers: Vec<ContHandler>,
    },
}

impl Item {
    /// Binds a variable to the result of a primitive that raises nothing.
    #[must_use]
    pub fn let_prim(var: Variable, prim: Prim, args: &[Simple], dbg: Dbg) -> Item {
        Item::Let { var, named: Named::Prim { prim, args: SmallVec::from_slice(args), exn: None }, dbg }
    }

    /// Binds one continuation, which takes nothing and is no loop.
    #[must_use]
    pub fn let_cont(cont: Continuation, body: Expr) -> Item {
        Item::LetCont { recursive: false, handlers: vec![ContHandler::plain(cont, body)] }
    }
}

/// A continuation and its handler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContHandler {
    /// The continuation defined.
    pub cont: Continuation,
    /// Its parameters.
    pub params: SmallVec<[Variable; 2]>,
    /// Its code.
    #[serde(with = "crate::transfer::nested")]
    pub body: Expr,
}

impl ContHandler {
    /// A handler that takes nothing.
    #[must_use]
    pub fn plain(cont: Continuation, body: Expr) -> ContHandler {
        ContHandler { cont, params: SmallVec::new(), body }
    }
}

/// What a `let` binds to a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Named {
    /// Another name of an atom.
    Simple(Simple),
    /// The result of a primitive.
    Prim {
        /// The operation.
        prim: Prim,
        /// Its operands.
        args: SmallVec<[Simple; 3]>,
        /// Present if and only if [`Prim::may_raise`].
        exn: Option<Box<ExnCont>>,
    },
}

/// An exception continuation with the values of its extra arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExnCont {
    /// A handler in scope, or the function's own exception continuation.
    pub cont: Continuation,
    /// The values of the handler's parameters after the exception itself.
    pub extra_args: SmallVec<[Simple; 2]>,
}

impl ExnCont {
    /// An exception continuation that takes the exception alone, as that of a function does.
    #[must_use]
    pub fn plain(cont: Continuation) -> ExnCont {
        ExnCont { cont, extra_args: SmallVec::new() }
    }
}

/// Functions which share their captured values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetOfClosures {
    /// The functions, in the order of the layout.
    pub functions: SmallVec<[(FunctionSlot, CodeId); 1]>,
    /// The captured values, in the order of the layout.
    pub values: Vec<(ValueSlot, Simple)>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terminator {
    /// Calls a function.
    Apply(Box<Apply>),
    /// Continues.
    ApplyCont(ApplyCont),
    /// Branches on an integer.
    Switch(Box<Switch>),
    /// Branches on the contents of a string.
    StringSwitch(Box<StringSwitch>),
    /// Raises.
    Raise {
        /// For backtraces.
        kind: RaiseKind,
        /// The exception.
        exn: Simple,
        /// The continuation it is passed to.
        handler: Box<ExnCont>,
        /// The location of the `raise`.
        dbg: Dbg,
    },
    /// Runs a body under a handler.
    Try {
        /// Evaluated under the handler.
        #[serde(with = "crate::transfer::nested")]
        body: Box<Expr>,
        /// An exception continuation in scope, whose only use as a handler this is. Extra parameters
        /// have, until the first raise point of the body, the values listed here.
        handler: ExnCont,
    },
    /// Never reached.
    Unreachable,
}

/// A jump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApplyCont {
    /// An ordinary continuation.
    pub cont: Continuation,
    /// One for each parameter.
    pub args: SmallVec<[Simple; 2]>,
}

impl ApplyCont {
    /// A jump that passes nothing.
    #[must_use]
    pub fn plain(cont: Continuation) -> ApplyCont {
        ApplyCont { cont, args: SmallVec::new() }
    }
}

/// A branch on an integer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// A naked immediate.
    pub scrutinee: Simple,
    /// By increasing value.
    pub arms: Vec<(i64, ApplyCont)>,
    /// For all other values; without it there are no other values.
    pub default: Option<ApplyCont>,
    /// The location of the test.
    pub dbg: Dbg,
    /// Beside a default: the scrutinee is less than this, and not negative, as the type of the source says. Whoever
    /// asks a default for its values, or lays out a table, needs no test of the bounds.
    pub cases: Option<u32>,
}

/// A branch on the contents of a string.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StringSwitch {
    /// A string.
    pub scrutinee: Simple,
    /// In increasing order, pairwise distinct.
    pub arms: Vec<(Vec<u8>, ApplyCont)>,
    /// For all other strings.
    pub default: Option<ApplyCont>,
    /// The location of the test.
    pub dbg: Dbg,
}

/// What backtraces show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RaiseKind {
    /// Begins a backtrace.
    Regular,
    /// Continues one.
    Reraise,
    /// Has none.
    NoTrace,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Apply {
    /// The closure; absent in a direct call of a function that needs none. For a method call, the method
    /// (a hash or a label).
    pub callee: Option<Simple>,
    /// What is known of the callee.
    pub kind: CallKind,
    /// For a method call, the object comes first.
    pub args: Vec<Simple>,
    /// What is known of the static types of the first arguments.
    pub types: Vec<ArgType>,
    /// Takes the result.
    pub ret: Continuation,
    /// Takes the exception.
    pub exn: ExnCont,
    /// The location of the call.
    pub dbg: Dbg,
    /// `[@inlined]`
    pub inlined: InlineAttribute,
    /// `[@specialised]`
    pub specialised: SpecialiseAttribute,
    /// How many inlined functions the call came through (reference: flambda2-inlining, "Inlining predictably").
    pub depth: u8,
    /// The unit whose source the call is from, if that is another one: decisions on the call use its arguments too.
    pub origin: Option<Origin>,
    /// How often it is made, as far as a profile says. It is known in the unit itself alone.
    #[serde(skip)]
    pub heat: Heat,
}

impl Apply {
    /// A call about which no source says anything: without attributes, types of its arguments and a location.
    #[must_use]
    pub fn plain(
        callee: Option<Simple>,
        kind: CallKind,
        args: Vec<Simple>,
        ret: Continuation,
        exn: ExnCont,
    ) -> Apply {
        Apply {
            callee,
            kind,
            args,
            types: Vec::new(),
            ret,
            exn,
            dbg: Dbg::NONE,
            inlined: InlineAttribute::Default,
            specialised: SpecialiseAttribute::Default,
            depth: 0,
            origin: None,
            heat: Heat::Unknown,
        }
    }
}

/// What is known of a callee.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CallKind {
    /// A function of this unit, with all its arguments (the fields of the tuple, if it is tupled).
    Direct(CodeId),
    /// A function of another unit by the symbol of its code, with all its arguments. The closure is
    /// passed if and only if `callee` is present.
    DirectExternal(String),
    /// Unknown.
    Generic,
    /// A method by its hash, looked up in the object.
    MethodPublic,
    /// A method by its label in the object's table (`self#m`).
    MethodSelf,
    /// A method by its hash through a cache: after the object, the arguments begin with the cache and the
    /// position in it.
    MethodCached,
}

/// `[@inline]`, `[@inlined]`, `[@unrolled]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum InlineAttribute {
    /// No attribute.
    #[default]
    Default,
    /// Always, or diagnose.
    Always,
    /// Never.
    Never,
    /// If it can be; no diagnosis.
    Hint,
    /// `[@unrolled n]`
    Unroll(u32),
    /// No attribute; the beginning of the function is before the call already (partial inlining).
    Entered,
    /// No attribute; the call that a closure waits to make, in a version of a loop or function that calls that closure.
    Awaited,
    /// No attribute; each path from the call ends in an error.
    Cold,
}

/// `[@specialise]`, `[@specialised]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SpecialiseAttribute {
    /// No attribute.
    #[default]
    Default,
    /// Always, or diagnose.
    Always,
    /// Never.
    Never,
}
