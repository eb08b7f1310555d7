//! What walks the blocks of what is to be printed, where they are known: `output_acc` for channels, `bufput_acc` for
//! buffers, `strput_acc` for buffers whose printers return strings. A call for each piece, in order.

use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, ApplyCont, CallKind, Expr, Item, Rewrite, Simple, Terminator};
use smallvec::{SmallVec, smallvec};

use super::{acc, call_of_runtime, is_of_interpreter};
use crate::Simplifier;
use crate::run::Rest;

/// Where it is printed.
#[derive(Clone, Copy, PartialEq)]
enum Sink {
    Channel,
    /// Printers print there.
    Buffer,
    /// Printers return strings.
    StringBuffer,
}

/// A call.
enum Step {
    /// Of a function of another unit, by the name of its code.
    Function(String, SmallVec<[Simple; 3]>),
    /// Of a function of the runtime.
    Runtime(&'static str, SmallVec<[Simple; 3]>),
    /// Of a closure.
    Closure(Simple, Simple),
    /// Of a closure that returns a string; what the string is passed to.
    StringOf(Simple, String),
}

impl Simplifier<'_> {
    /// Replaces a walk of known blocks by a call for each: returns what the run continues with.
    pub(crate) fn put(&mut self, apply: &Apply) -> Option<Rest> {
        let [out, mut accumulated] = apply.args[..] else { return None };
        let sinks =
            [("output_acc", Sink::Channel), ("bufput_acc", Sink::Buffer), ("strput_acc", Sink::StringBuffer)];
        let (_, sink) = *sinks.iter().find(|(name, _)| is_of_interpreter(apply, name, &self.unit.naming))?;
        if self.is_measuring() || self.rewrites.stubs_only {
            return None;
        }
        let mut steps = Vec::new();
        while accumulated != Simple::tagged(0) {
            let Some((before, step)) = self.last_piece(sink, out, accumulated) else { break };
            steps.extend(step);
            accumulated = before;
        }
        if steps.is_empty() && accumulated != Simple::tagged(0) || !self.allow(Rewrite::Inlining) {
            return None;
        }
        let mut items = Vec::new();
        if accumulated != Simple::tagged(0) {
            // What is not known here is printed first.
            let first = Apply { args: vec![out, accumulated], ..apply.clone() };
            self.then(first, &mut items);
        }
        for step in steps.into_iter().rev() {
            self.put_piece(step, out, apply, &mut items);
        }
        let end = ApplyCont { cont: apply.ret, args: smallvec![Simple::UNIT] };
        self.body_in_place(apply, Expr { items, terminator: Terminator::ApplyCont(end) })
    }

    /// What is before the last piece, and how that is printed.
    fn last_piece(&mut self, sink: Sink, out: Simple, accumulated: Simple) -> Option<(Simple, Option<Step>)> {
        let (tag, fields) = self.constructor(accumulated)?;
        let (before, field) = (*fields.first()?, fields.get(1).copied());
        let step = match (tag, field) {
            (acc::STRING_LITERAL | acc::DATA_STRING, Some(string)) => {
                Some(Step::Function(self.prints_string(sink)?, smallvec![out, string]))
            }
            (acc::CHAR_LITERAL | acc::DATA_CHAR, Some(char)) => Some(match sink {
                Sink::Channel => Step::Runtime("caml_ml_output_char", smallvec![out, char]),
                Sink::Buffer | Sink::StringBuffer => {
                    Step::Function(self.in_unit("camlStdlib__Buffer", "add_char", 2)?, smallvec![out, char])
                }
            }),
            (acc::DELAY, Some(printer)) => Some(match sink {
                Sink::Channel | Sink::Buffer => Step::Closure(printer, out),
                Sink::StringBuffer => Step::StringOf(printer, self.prints_string(sink)?),
            }),
            (acc::FLUSH, None) => {
                (sink == Sink::Channel).then(|| Step::Runtime("caml_ml_flush", smallvec![out]))
            }
            _ => return None,
        };
        Some((before, step))
    }

    fn prints_string(&mut self, sink: Sink) -> Option<String> {
        match sink {
            Sink::Channel => self.in_unit("camlStdlib", "output_string", 2),
            Sink::Buffer | Sink::StringBuffer => self.in_unit("camlStdlib__Buffer", "add_string", 2),
        }
    }

    /// The code of the function that a unit of the library exports under a name.
    fn in_unit(&mut self, unit: &str, function: &str, arity: usize) -> Option<String> {
        self.unit.imports.find_unit_of(unit, &mut self.unit.origins);
        let prefix = format!("{unit}{}{function}_", self.unit.naming.separator());
        let found = self.unit.imports.field_named(unit, &prefix)?;
        (found.arity == arity).then(|| found.code.to_string())
    }

    fn put_piece(&mut self, step: Step, out: Simple, call: &Apply, items: &mut Vec<Item>) {
        let function = |code: String, args: SmallVec<[Simple; 3]>| Apply {
            callee: None,
            kind: CallKind::DirectExternal(code),
            args: args.to_vec(),
            types: Vec::new(),
            // Where there are many pieces, calls are smaller.
            inlined: InlineAttribute::Never,
            ..call.clone()
        };
        let closure = |closure: Simple, arg: Simple| Apply {
            callee: Some(closure),
            kind: CallKind::Generic,
            args: vec![arg],
            types: Vec::new(),
            inlined: InlineAttribute::Default,
            ..call.clone()
        };
        match step {
            Step::Function(code, args) => _ = self.then(function(code, args), items),
            Step::Runtime(name, args) => {
                let unit = self.unit.new_value("unit");
                items.push(call_of_runtime(unit, name, args, &call.exn, call.dbg));
            }
            Step::Closure(printer, out) => _ = self.then(closure(printer, out), items),
            Step::StringOf(printer, prints) => {
                let string = self.then(closure(printer, Simple::UNIT), items);
                self.then(function(prints, smallvec![out, string]), items);
            }
        }
    }

    /// A call in the middle of a run: what it returns.
    fn then(&mut self, call: Apply, items: &mut Vec<Item>) -> Simple {
        let (cont, result) = (self.unit.new_continuation("printed"), self.unit.new_value("result"));
        let call = Apply { ret: cont, ..call };
        let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(call)) };
        items.push(Item::Join { cont, params: smallvec![result], body: Box::new(body) });
        result.into()
    }
}
