//! Describing locations in a unit, with the names that the whole text gives them: for the verifier's
//! messages.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Options, Printer};
use crate::lexer::push_name;
use crate::{
    CodeId, Continuation, FunctionSlot, Item, Kind, Simple, Static, Symbol, Terminator, Unit, ValueSlot,
    Variable,
};

/// What has names of its own, in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FunctionId {
    /// Declarations and static data.
    Unit,
    /// A function.
    Code(CodeId),
    /// The unit's initialisation.
    Entry,
}

/// A line of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'u> {
    /// None in particular, or the head of the function.
    Head,
    /// An item of static data.
    Static(&'u Static),
    /// An item: its first line.
    Item(&'u Item),
    /// A terminator: its first line.
    Terminator(&'u Terminator),
}

impl Place<'_> {
    /// What distinguishes locations.
    fn address(self) -> *const () {
        match self {
            Place::Head => std::ptr::null(),
            Place::Static(item) => std::ptr::from_ref(item).cast(),
            Place::Item(item) => std::ptr::from_ref(item).cast(),
            Place::Terminator(terminator) => std::ptr::from_ref(terminator).cast(),
        }
    }
}

/// The locations wanted, and the lines found there.
#[derive(Default)]
pub(super) struct Marks {
    wanted: FxHashSet<*const ()>,
    found: FxHashMap<*const (), String>,
}

/// A piece of a message, to be written with the names of the text.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(Cow<'static, str>),
    Variable(Variable),
    Continuation(Continuation),
    Code(CodeId),
    FunctionSlot(FunctionSlot),
    ValueSlot(ValueSlot),
    Simple(Simple),
}

macro_rules! part_from {
    ($($type:ty => $make:expr;)*) => { $(
        impl From<$type> for Part {
            fn from(value: $type) -> Part {
                ($make)(value)
            }
        }
    )* };
}

part_from! {
    &'static str => |text| Part::Text(Cow::Borrowed(text));
    String => |text| Part::Text(Cow::Owned(text));
    usize => |number: usize| Part::Text(Cow::Owned(number.to_string()));
    Kind => |kind| Part::Text(Cow::Owned(format!("`{}`", crate::prim_syntax::Word::to_word(kind))));
    Variable => Part::Variable;
    Continuation => Part::Continuation;
    CodeId => Part::Code;
    FunctionSlot => Part::FunctionSlot;
    ValueSlot => Part::ValueSlot;
    Simple => Part::Simple;
    Symbol => |symbol| Part::Simple(Simple::Symbol(symbol));
}

impl Part {
    /// A number of things: `1 argument`, `2 arguments`.
    pub(crate) fn count(number: usize, noun: &str) -> Part {
        let plural = if number == 1 { "" } else { "s" };
        format!("{number} {noun}{plural}").into()
    }
}

/// For several locations in one function, each with a message: the function's name; and for each its line,
/// if there is one, and its message.
pub(crate) fn describe(
    unit: &Unit,
    function: FunctionId,
    messages: &[(Place<'_>, &[Part])],
) -> (String, Vec<(String, String)>) {
    let mut printer = Printer::new(unit, Options::default());
    printer.marks.wanted = messages.iter().map(|(place, _)| place.address()).collect();
    let name = match function {
        FunctionId::Unit => {
            for item in &unit.statics {
                let start = printer.out.len();
                printer.static_item(item);
                printer.note(Place::Static(item), start);
            }
            String::new()
        }
        FunctionId::Code(id) => {
            printer.code(id);
            printer.take(|printer| printer.code_name(id))
        }
        FunctionId::Entry => {
            printer.entry();
            "entry".to_owned()
        }
    };
    let described = messages.iter().map(|(place, parts)| {
        let line = printer.marks.found.get(&place.address()).cloned().unwrap_or_default();
        let message = printer.take(|printer| parts.iter().for_each(|part| printer.part(part)));
        (line, message)
    });
    (name, described.collect())
}

impl Printer<'_> {
    /// Records the line that begins there, if it is wanted.
    pub(super) fn note(&mut self, place: Place<'_>, start: usize) {
        if self.marks.wanted.contains(&place.address()) {
            let line = self.out[start..].lines().next().unwrap_or("");
            let line = line.strip_suffix('{').unwrap_or(line).trim_end();
            self.marks.found.insert(place.address(), line.to_owned());
        }
    }

    /// What is printed by that, apart from the rest.
    fn take(&mut self, print: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.out);
        print(self);
        std::mem::replace(&mut self.out, outer)
    }

    fn part(&mut self, part: &Part) {
        if let Part::Text(text) = part {
            return self.text(text);
        }
        let name = self.take(|printer| match *part {
            Part::Text(_) => {}
            Part::Variable(variable) => printer.variable(variable),
            Part::Continuation(continuation) => printer.continuation(continuation),
            Part::Code(code) => printer.code_name(code),
            Part::FunctionSlot(slot) => push_name(&mut printer.out, printer.names.function_slot(slot)),
            Part::ValueSlot(slot) => push_name(&mut printer.out, printer.names.value_slot(slot)),
            Part::Simple(simple) => printer.simple(simple),
        });
        self.text("`");
        self.text(&name);
        self.text("`");
    }
}
