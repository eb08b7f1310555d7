//! What walks the blocks of what is to be printed, where they are known: `output_acc` for channels, `bufput_acc` for
//! buffers. A call for each part, in order.

use flambeau_ir::{Apply, ApplyCont, Expr, Item, Rewrite, Simple, Terminator};
use smallvec::smallvec;

use super::text::Text;
use super::{Call, INTERPRETER, acc, is_of};
use crate::Simplifier;
use crate::run::Rest;

/// Where it is printed.
struct Sink {
    string: Call,
    char: Call,
    /// A buffer has none.
    flush: Option<Call>,
}

/// What is done for a block.
enum Step {
    Text(Text),
    /// A printer is called.
    Print(Simple),
    Flush,
}

impl Simplifier<'_> {
    /// Replaces a walk of known blocks by a call for each: returns what the run continues with.
    pub(crate) fn put(&mut self, apply: &Apply) -> Option<Rest> {
        let [out, mut left] = apply.args[..] else { return None };
        let is_called = |name| is_of(INTERPRETER, name, apply, &self.unit.naming);
        let (to_channel, to_buffer) = (is_called("output_acc"), is_called("bufput_acc"));
        if !to_channel && !to_buffer || self.is_measuring() || self.rewrites.stubs_only {
            return None;
        }
        let nothing = Simple::tagged(0);
        let mut steps = Vec::new();
        while left != nothing
            && let Some((before, step)) = self.last_step(left)
        {
            steps.push(step);
            left = before;
        }
        let sink = if to_channel { self.channel()? } else { self.buffer()? };
        if steps.is_empty() && left != nothing || !self.allow(Rewrite::Inlining) {
            return None;
        }
        let mut items = Vec::new();
        if left != nothing {
            // What is not known here is printed first.
            self.then(Apply { args: vec![out, left], ..apply.clone() }, &mut items);
        }
        let mut texts = Vec::new();
        while let Some(step) = steps.pop() {
            let call = match step {
                Step::Text(text) => {
                    self.add_text(&mut texts, text);
                    continue;
                }
                Step::Print(printer) => Some(Call::Closure(printer)),
                Step::Flush => sink.flush.clone(),
            };
            if let Some(call) = call {
                self.put_texts(&mut texts, out, &sink, apply, &mut items);
                self.called_for(call, vec![out], apply, &mut items);
            }
        }
        self.put_texts(&mut texts, out, &sink, apply, &mut items);
        let end = ApplyCont { cont: apply.ret, args: smallvec![Simple::UNIT] };
        self.body_in_place(apply, Expr { items, terminator: Terminator::ApplyCont(end) })
    }

    fn channel(&mut self) -> Option<Sink> {
        Some(Sink {
            string: self.in_unit("camlStdlib", "output_string", 2)?,
            char: Call::Runtime("caml_ml_output_char"),
            flush: Some(Call::Runtime("caml_ml_flush")),
        })
    }

    fn buffer(&mut self) -> Option<Sink> {
        Some(Sink {
            string: self.in_unit("camlStdlib__Buffer", "add_string", 2)?,
            char: self.in_unit("camlStdlib__Buffer", "add_char", 2)?,
            flush: None,
        })
    }

    /// What is before the last piece, and how that is printed.
    fn last_step(&self, all: Simple) -> Option<(Simple, Step)> {
        let (tag, fields) = self.constructor(all)?;
        let (before, field) = (*fields.first()?, fields.get(1).copied());
        let step = match (tag, field) {
            (acc::STRING_LITERAL | acc::DATA_STRING, Some(string)) => Step::Text(self.text_of_string(string)),
            (acc::CHAR_LITERAL | acc::DATA_CHAR, Some(char)) => Step::Text(self.text_of_char(char)),
            (acc::DELAY, Some(printer)) => Step::Print(printer),
            (acc::FLUSH, None) => Step::Flush,
            _ => return None,
        };
        Some((before, step))
    }

    fn put_texts(
        &mut self,
        texts: &mut Vec<Text>,
        out: Simple,
        sink: &Sink,
        call: &Apply,
        items: &mut Vec<Item>,
    ) {
        for text in texts.drain(..) {
            let (prints, what) = match text {
                Text::Known(bytes, _) if bytes.is_empty() => continue,
                Text::Known(bytes, _) if bytes.len() == 1 => (&sink.char, Simple::tagged(bytes[0].into())),
                Text::Char(char) => (&sink.char, char),
                text => (&sink.string, self.as_string(text, call, items)),
            };
            self.called_for(prints.clone(), vec![out, what], call, items);
        }
    }
}
