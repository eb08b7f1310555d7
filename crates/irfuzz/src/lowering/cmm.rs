//! An interpreter of Cmm: control alone. All else (primitives, the heap, the outside, what is recorded) is the
//! [`World`] of the interpreter of the IR, with which it has to agree. Operands are evaluated right to left.

use std::collections::HashMap;

use flambeau_cmm::tree::{Expr, ExprId, Label, Name, Tree, Var};
use flambeau_interp::heap::Shape;
use flambeau_interp::history::{History, Operand};
use flambeau_interp::world::Site;
use flambeau_interp::{Leave, Options, Trap, Value, World};
use flambeau_ir::{Dbg, Kind, Prim, Unit};

/// A machine word, or the contents of a float register.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Word {
    Bits(i64),
    Float(u64),
    Pointer(Value),
    /// An arbitrary word, which may be computed, but must not be inspected.
    Poison,
}

/// What leaves an expression other than a value.
enum Exit {
    Label(Label, Vec<Word>),
    Raise(Word),
    Bug(String),
    /// It takes too many steps.
    Endless,
}

/// Expressions evaluated in one run: far more than a run of the IR that ends.
const STEPS: u64 = 1_000_000;

struct Machine<'a> {
    tree: &'a Tree,
    world: World,
    env: HashMap<Var, Word>,
    steps: u64,
}

/// Runs the tree's first function; `None` if it does not end in time. `unit` is the unit that was lowered: the static
/// data are taken from it.
///
/// # Errors
/// When the tree is malformed, or does what lowering may never emit.
///
/// # Panics
/// When `options` do not ask for the history.
pub fn run(
    tree: &Tree,
    unit: &Unit,
    arguments: [i64; 2],
    options: &Options,
) -> Result<Option<History>, String> {
    let function = &tree.functions[0];
    let mut machine = Machine { tree, world: World::new(unit, options), env: HashMap::new(), steps: 0 };
    for ((param, _), n) in function.params.iter().zip(arguments) {
        machine.env.insert(*param, Word::Bits(2 * n + 1));
    }
    let outcome = match machine.eval(function.body, true) {
        Ok(word) => Ok(machine.operand(word)),
        Err(Exit::Raise(exn)) => Err(machine.operand(exn)),
        Err(Exit::Label(label, _)) => return Err(format!("no catch for {label:?}")),
        Err(Exit::Bug(message)) => return Err(message),
        Err(Exit::Endless) => return Ok(None),
    };
    let mut history = machine.world.history.take().expect("the history was asked for");
    history.outcome = Some(outcome);
    Ok(Some(history))
}

/// A word as a value of the kind that the IR gives it.
fn to_value(word: Word, kind: Kind) -> Result<Value, Exit> {
    Ok(match (word, kind) {
        (Word::Bits(n), Kind::Value) if n & 1 == 1 => Value::Int(n >> 1),
        (Word::Bits(n), Kind::NakedImmediate) if (n << 1) >> 1 == n => Value::Int(n),
        (Word::Bits(n), Kind::NakedInt32) if i64::from(n as i32) == n => Value::Int32(n as i32),
        (Word::Bits(n), Kind::NakedInt64) => Value::Int64(n),
        (Word::Bits(n), Kind::NakedNativeint) => Value::Nativeint(n),
        (Word::Float(bits), Kind::NakedFloat) => Value::Float(bits),
        (Word::Pointer(pointer), Kind::Value) => pointer,
        (Word::Poison, kind) => Value::Poison(kind),
        _ => return Err(Exit::Bug(format!("{word:?} is not of kind {kind:?}"))),
    })
}

fn of_value(value: Value, kind: Kind) -> Word {
    match value {
        Value::Int(n) if kind == Kind::Value => Word::Bits(2 * n + 1),
        Value::Int(n) | Value::Int64(n) | Value::Nativeint(n) => Word::Bits(n),
        Value::Int32(n) => Word::Bits(i64::from(n)),
        Value::Float(bits) => Word::Float(bits),
        Value::Pointer(..) => Word::Pointer(value),
        Value::Poison(_) => Word::Poison,
    }
}

impl Machine<'_> {
    fn operand(&self, word: Word) -> Operand {
        // What a function returns, and an exception, is a value.
        let value = to_value(word, Kind::Value).unwrap_or(Value::Poison(Kind::Value));
        Operand::new(&self.world.heap, value)
    }

    fn args(&mut self, args: &[ExprId]) -> Result<Vec<Word>, Exit> {
        let mut words = Vec::with_capacity(args.len());
        for arg in args.iter().rev() {
            words.push(self.eval(*arg, false)?);
        }
        words.reverse();
        Ok(words)
    }

    /// The result of an operation as a word.
    fn result(&self, result: Result<Value, Leave>, kind: Kind) -> Result<Word, Exit> {
        match result {
            Ok(value) => Ok(of_value(value, kind)),
            Err(Leave::Raise(exn)) => Err(Exit::Raise(of_value(exn, Kind::Value))),
            Err(Leave::Trap(trap)) => Err(trapped(trap)),
        }
    }

    fn prim(&mut self, prim: &Prim, args: &[Word], dbg: Dbg) -> Result<Word, Exit> {
        let signature = prim.signature();
        let kinds = (0..args.len())
            .map(|i| signature.args.get(i).or(signature.args.last()).copied().unwrap_or(Kind::Value));
        let values = args.iter().zip(kinds).map(|(word, kind)| to_value(*word, kind));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let result = self.world.prim(prim, &values, dbg);
        self.result(result, signature.result)
    }

    /// A call: of the outside, there is no other.
    fn call(&mut self, name: &str, args: &[Word], dbg: Dbg, tail: bool) -> Result<Word, Exit> {
        let values = args.iter().map(|word| to_value(*word, Kind::Value)).collect::<Result<Vec<_>, _>>()?;
        let result = self.world.call(name, &values, true, Site { dbg, tail });
        self.result(result, Kind::Value)
    }

    fn symbol(&mut self, name: Name) -> Value {
        self.world.named(&self.tree.names[name.0 as usize])
    }

    fn eval(&mut self, id: ExprId, tail: bool) -> Result<Word, Exit> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Exit::Endless);
        }
        let tree = self.tree;
        match &tree.exprs[id.0 as usize] {
            Expr::Int(n) => Ok(Word::Bits(*n)),
            Expr::Float(bits) => Ok(Word::Float(*bits)),
            Expr::Symbol(name) => Ok(Word::Pointer(self.symbol(*name))),
            Expr::Var(var) => self.env.get(var).copied().ok_or(Exit::Bug(format!("{var:?} has no value"))),
            Expr::Let { var, def, body } | Expr::LetMut { var, def, body, .. } => {
                let word = self.eval(*def, false)?;
                self.env.insert(*var, word);
                self.eval(*body, tail)
            }
            Expr::Assign { var, value } => {
                let word = self.eval(*value, false)?;
                self.env.insert(*var, word);
                Ok(Word::Bits(1))
            }
            Expr::Seq(first, rest) => {
                self.eval(*first, false)?;
                self.eval(*rest, tail)
            }
            Expr::If { cond, then_, else_, .. } => {
                let taken = if self.eval(*cond, false)? == Word::Bits(0) { else_ } else { then_ };
                self.eval(*taken, tail)
            }
            Expr::Switch { scrutinee, keys, arms, default, .. } => {
                let word = self.eval(*scrutinee, false)?;
                let arm = keys.iter().find(|(key, _)| Word::Bits(*key) == word);
                let arm = arm.map(|(_, arm)| arms[*arm as usize]).or(*default);
                self.eval(arm.ok_or(Exit::Bug("no arm".to_owned()))?, tail)
            }
            Expr::StringSwitch { scrutinee, keys, arms, default, .. } => {
                let value = to_value(self.eval(*scrutinee, false)?, Kind::Value)?;
                let arm = match self.world.heap.get(value).map_err(trapped)? {
                    Shape::Bytes(bytes) => keys.iter().position(|key| key == bytes),
                    other => return Err(Exit::Bug(format!("{other:?} is no string"))),
                };
                let arm = arm.map(|arm| arms[arm]).or(*default);
                self.eval(arm.ok_or(Exit::Bug("no arm".to_owned()))?, tail)
            }
            Expr::Catch { recursive, handlers, body } => {
                let mut result = self.eval(*body, tail);
                loop {
                    let Err(Exit::Label(label, args)) = result else { return result };
                    let Some(handler) = handlers.iter().find(|handler| handler.label == label) else {
                        return Err(Exit::Label(label, args));
                    };
                    for ((param, _), arg) in handler.params.iter().zip(args) {
                        self.env.insert(*param, arg);
                    }
                    result = self.eval(handler.body, tail);
                    if !recursive {
                        return result;
                    }
                }
            }
            Expr::Exit { label, args } => {
                let args = self.args(args)?;
                Err(Exit::Label(*label, args))
            }
            Expr::Try { body, var, handler, .. } => match self.eval(*body, false) {
                Err(Exit::Raise(exn)) => {
                    self.env.insert(*var, exn);
                    self.eval(*handler, tail)
                }
                result => result,
            },
            Expr::Prim { prim, args, dbg } => {
                let args = self.args(args)?;
                self.prim(prim, &args, *dbg)
            }
            Expr::GenericCall { closure, args, dbg } => {
                let args = self.args(args)?;
                let callee = to_value(self.eval(*closure, false)?, Kind::Value)?;
                match self.world.heap.get(callee).map_err(trapped)? {
                    Shape::Foreign(name) => {
                        let name = name.clone();
                        self.call(&name, &args, *dbg, tail)
                    }
                    other => Err(Exit::Bug(format!("calls of {other:?} are not generated"))),
                }
            }
            Expr::DirectCall { code, args, dbg, .. } => {
                let args = self.args(args)?;
                self.call(&tree.names[code.0 as usize], &args, *dbg, tail)
            }
            Expr::Send { method, object, args, dbg, .. } => {
                let mut words = self.args(args)?;
                words.insert(0, self.eval(*object, false)?);
                words.insert(0, self.eval(*method, false)?);
                self.call("send", &words, *dbg, tail)
            }
            Expr::Raise { exn, .. } => Err(Exit::Raise(self.eval(*exn, false)?)),
            other => Err(Exit::Bug(format!("{other:?} is not generated"))),
        }
    }
}

fn trapped(trap: Trap) -> Exit {
    Exit::Bug(format!("undefined behaviour: {trap:?}"))
}
