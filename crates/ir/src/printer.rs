//! The printer of the textual form (docs/ir.md).
//!
//! It prints any unit, well-formed or not, since its readers are often looking for what is wrong. For a
//! unit that the verifier accepts, parsing gives back the same unit up to the numbering of identifiers
//! and the names of what has no linkage name; and printing that again yields the same text.
//!
//! Names are made unique by numbers (`x_12`), those of variables and continuations in each function by
//! itself. They are assigned in the order of the text, so that text printed anew keeps its names.
//!
//! Time is linear in the unit. The nesting is bounded by memory alone; indentation stops growing at
//! `MAX_INDENT`, without which deep terms would take quadratic space.

mod marked;
mod names;
mod terms;

use std::fmt::Write;

use rustc_hash::FxHashSet;

use crate::lexer::{push_name, push_quoted, push_symbol};
use crate::naming::Naming;
use crate::prim_syntax::{Word, type_word};
use crate::saved::Context;
use crate::term::{InlineAttribute, SpecialiseAttribute};
use crate::{
    Code, CodeId, Const, Continuation, Dbg, Expr, FunctionKind, Inlined, Kind, Loc, SetOfClosures, Simple,
    Static, StaticDef, StaticField, Symbol, Unit, Variable,
};
use marked::Marks;
pub(crate) use marked::{FunctionId, Part, Place, describe};
use names::Names;

/// Beyond this nesting, lines are indented no further.
const MAX_INDENT: usize = 40;

/// How much to print.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Source locations: the table, and the references to it.
    pub locations: bool,
    /// Identifiers have their numbers, `x#12`, and nothing is left implicit: what is parsed is the same unit, with the
    /// same numbering.
    pub numbered: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { locations: true, numbered: false }
    }
}

/// The unit as text.
pub fn print_unit(unit: &Unit) -> String {
    print_unit_with(unit, Options::default())
}

/// The unit as text, some of it left out.
pub fn print_unit_with(unit: &Unit, options: Options) -> String {
    let mut printer = Printer::new(unit, options);
    printer.unit();
    printer.out
}

/// What passes are given besides a unit as text, which follows that of the unit.
#[must_use]
pub fn print_context(context: &Context) -> String {
    let Context { settings, imports, library } = context;
    let mut out = "\n".to_owned();
    let mut line = |word: &str, strings: &[&[u8]]| {
        out.push_str(word);
        for string in strings {
            out.push(' ');
            push_quoted(&mut out, string, b'"');
        }
        out.push('\n');
    };
    settings.iter().for_each(|(name, value)| line("setting", &[name.as_bytes(), value.as_bytes()]));
    imports.iter().for_each(|import| line("import", &[import]));
    library.iter().for_each(|(name, found)| line("library", &[name.as_bytes(), found]));
    out
}

/// The state of printing: names, position, and what surrounds the term.
struct Printer<'u> {
    unit: &'u Unit,
    options: Options,
    names: Names<'u>,
    out: String,
    indent: usize,
    /// The exception continuation of the innermost enclosing `try`, or else the function's: it is
    /// implicit.
    handler: Option<Continuation>,
    /// The variables of the function that have uses.
    used: FxHashSet<Variable>,
    /// What the verifier wants to see the lines of.
    marks: Marks,
}

impl<'u> Printer<'u> {
    fn new(unit: &'u Unit, options: Options) -> Self {
        Printer {
            unit,
            options,
            names: Names::new(unit, options.numbered),
            out: String::new(),
            indent: 0,
            handler: None,
            used: FxHashSet::default(),
            marks: Marks::default(),
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.out.push_str("  ");
        }
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{number}");
    }

    fn string(&mut self, bytes: &[u8]) {
        push_quoted(&mut self.out, bytes, b'"');
    }

    /// `before`, what `each` prints for every element with commas between, `after`.
    fn list<T>(
        &mut self,
        [before, after]: [&str; 2],
        elements: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        self.text(before);
        for (i, element) in elements.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            each(self, element);
        }
        self.text(after);
    }

    // ---- identifiers and atoms

    fn variable(&mut self, variable: Variable) {
        push_name(&mut self.out, self.names.variable(variable));
    }

    fn continuation(&mut self, continuation: Continuation) {
        push_name(&mut self.out, self.names.continuation(continuation));
    }

    fn symbol(&mut self, symbol: Symbol) {
        push_symbol(&mut self.out, self.names.symbol(symbol));
    }

    fn code_name(&mut self, code: CodeId) {
        push_name(&mut self.out, self.names.code(code));
    }

    /// A variable where it is bound.
    fn binder(&mut self, variable: Variable) {
        self.binder_of(variable, Kind::Value);
    }

    /// A variable where it is bound, its type left out if it is `usual` and nothing more is known.
    fn binder_of(&mut self, variable: Variable, usual: Kind) {
        self.variable(variable);
        let word = match self.unit.variables.get(variable) {
            Some(data) => type_word(data.kind, data.subkind),
            None => "?",
        };
        if word != usual.to_word() {
            self.text(": ");
            self.text(word);
        }
        if let Some(shape) = self.unit.variables.get(variable).and_then(|data| data.shape.as_deref()) {
            self.text(" of ");
            self.arg_type(shape);
        }
    }

    fn simple(&mut self, simple: Simple) {
        match simple {
            Simple::Var(variable) => self.variable(variable),
            Simple::Symbol(symbol) => self.symbol(symbol),
            Simple::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&mut self, constant: Const) {
        let (value, suffix) = match constant {
            Const::Tagged(n) => return self.number(n),
            Const::NakedImmediate(n) => (n, ""),
            Const::NakedInt32(n) => (i64::from(n), "l"),
            Const::NakedInt64(n) => (n, "L"),
            Const::NakedNativeint(n) => (n, "n"),
            Const::NakedFloat(bits) => return self.float(bits),
            Const::Poison(kind) => {
                self.text("poison");
                if kind != Kind::Value {
                    self.text(": ");
                    self.text(kind.to_word());
                }
                return;
            }
        };
        self.text("#");
        self.number(value);
        self.text(suffix);
    }

    /// Finite floats in the shortest decimal form that reads back as the same; others by name or bits.
    fn float(&mut self, bits: u64) {
        let value = f64::from_bits(bits);
        let text = if value.is_nan() {
            format!("#nan:{bits:016x}")
        } else {
            // The debug format always has a point or an exponent, unlike the ordinary one.
            format!("#{value:?}")
        };
        self.text(&text);
    }

    fn dbg(&mut self, dbg: Dbg) {
        if dbg != Dbg::NONE && self.options.locations {
            self.text(" @");
            self.number(dbg.0);
        }
    }

    /// `closures (code, …) { slot = value, … }`. A function slot is implicit if it is its code's;
    /// so does a captured variable which has the name of its slot.
    fn set_of_closures(&mut self, set: &SetOfClosures) {
        self.list(["closures (", ")"], &set.functions, |printer, &(slot, code)| {
            printer.code_name(code);
            if printer.unit.codes.get(code).is_none_or(|code| code.function_slot != slot) {
                printer.text("/");
                push_name(&mut printer.out, printer.names.function_slot(slot));
            }
        });
        if set.values.is_empty() {
            return;
        }
        self.list([" { ", " }"], &set.values, |printer, &(slot, value)| {
            let slot_name = printer.names.value_slot(slot).to_owned();
            push_name(&mut printer.out, &slot_name);
            let same = value.as_var().is_some_and(|var| printer.names.variable(var) == slot_name);
            if !same {
                printer.text(" = ");
                printer.simple(value);
            }
        });
    }

    fn attributes(&mut self, attributes: &[String]) {
        if !attributes.is_empty() {
            self.list([" [", "]"], attributes, |printer, attribute| printer.text(attribute));
        }
    }

    // ---- the parts of a unit

    fn unit(&mut self) {
        self.text("unit ");
        self.string(self.unit.name.as_bytes());
        self.text(" prefix ");
        self.string(self.unit.naming.prefix().as_bytes());
        if self.unit.naming.separator() != Naming::USUAL_SEPARATOR {
            self.text(" separator ");
            self.string(self.unit.naming.separator().as_bytes());
        }
        if self.unit.parts != 1 {
            self.text(&format!(" parts {}", self.unit.parts));
        }
        if self.options.numbered {
            let Unit { variables, continuations, symbols, function_slots, value_slots, .. } = self.unit;
            let sizes = [
                variables.len(),
                continuations.len(),
                symbols.len(),
                function_slots.len(),
                value_slots.len(),
            ];
            self.list([" numbered (", ")"], sizes, |printer, size| printer.number(size));
        }
        self.text(" module ");
        self.symbol(self.unit.module_symbol);
        self.text("\n");
        self.symbols();
        self.section(self.unit.statics.len());
        for item in &self.unit.statics {
            self.static_item(item);
        }
        for id in self.unit.codes.keys() {
            self.text("\n");
            self.code(id);
        }
        self.text("\n");
        self.entry();
        self.section(self.unit.origins.len());
        for (origin, rounds) in &self.unit.origins {
            self.text(&format!("origin {} \"{rounds}\"\n", origin.as_u32()));
        }
        if self.options.locations {
            self.section(self.unit.locs.len() - 1);
            for number in 1..self.unit.locs.len() as u32 {
                if let Some(place) = self.unit.locs.inlined(Dbg(number)) {
                    let Inlined { call, inner } = place;
                    self.text(&format!("loc @{number} inlined @{} at @{}\n", inner.0, call.0));
                } else if let Some(loc) = self.unit.locs.get(Dbg(number)) {
                    self.location(number, loc);
                }
            }
        }
    }

    /// A blank line before a section that is not empty.
    fn section(&mut self, size: usize) {
        if size > 0 {
            self.text("\n");
        }
    }

    /// The symbols that must be declared: those of other units, and those of this unit which no static
    /// defines or whose linkage name is not the usual one for their name.
    fn symbols(&mut self) {
        let declared = self.names.declared_symbols();
        self.section(declared.len());
        for symbol in declared {
            let data = &self.unit.symbols[symbol];
            self.text(if data.is_local { "local " } else { "extern " });
            self.symbol(symbol);
            if !self.names.has_usual_linkage(symbol) {
                self.text(" = ");
                self.string(data.linkage_name.as_bytes());
            }
            self.text("\n");
        }
    }

    fn static_item(&mut self, item: &Static) {
        self.text(if item.exported { "static exported " } else { "static " });
        self.list(["", " = "], item.def.symbols(), |printer, &symbol| printer.symbol(symbol));
        match &item.def {
            StaticDef::Block { tag, fields, .. } => {
                self.text("block[");
                self.number(*tag);
                self.list(["] (", ")"], fields, |printer, &field| match field {
                    StaticField::Symbol(symbol) => printer.symbol(symbol),
                    StaticField::Immediate(n) => printer.number(n),
                });
            }
            StaticDef::Float { bits, .. } => self.boxed(Const::NakedFloat(*bits)),
            StaticDef::Int32 { value, .. } => self.boxed(Const::NakedInt32(*value)),
            StaticDef::Int64 { value, .. } => self.boxed(Const::NakedInt64(*value)),
            StaticDef::Nativeint { value, .. } => self.boxed(Const::NakedNativeint(*value)),
            StaticDef::String { mutable, contents, .. } => {
                self.text(if *mutable { "bytes " } else { "string " });
                self.string(contents);
            }
            StaticDef::FloatArray { mutable, elements, .. } => {
                let open = if *mutable { "float_array mut (" } else { "float_array (" };
                self.list([open, ")"], elements, |printer, &bits| printer.float(bits));
            }
            StaticDef::Closures { set, .. } => {
                self.names.begin_function();
                self.set_of_closures(set);
            }
            StaticDef::Preallocated { tag, size, private, .. } => {
                self.text("preallocated[");
                self.number(*tag);
                self.text("] size ");
                self.number(*size);
                if *private > 0 {
                    self.text(" private ");
                    self.number(*private);
                }
            }
        }
        self.text("\n");
    }

    fn boxed(&mut self, contents: Const) {
        self.text("boxed ");
        self.constant(contents);
    }

    fn code(&mut self, id: CodeId) {
        let code = &self.unit.codes[id];
        self.names.begin_function();
        self.text("code ");
        self.code_name(id);
        if !self.names.code_has_usual_linkage(id) {
            self.text(" = ");
            self.string(code.linkage_name.as_bytes());
        }
        let slot = self.names.function_slot(code.function_slot).to_owned();
        if slot != self.names.code(id) {
            self.text(" slot ");
            push_name(&mut self.out, &slot);
        }
        self.list([" (", ")"], &code.params, |printer, &param| printer.binder(param));
        self.begin_body(&code.body);
        if !self.is_anonymous(code.my_closure, Kind::Value) {
            self.text(" closure ");
            self.binder(code.my_closure);
        }
        self.text(" -> ");
        self.continuation(code.ret);
        if code.result != Kind::Value {
            self.text(": ");
            self.text(code.result.to_word());
        }
        let exn_position = self.out.len();
        self.attributes(&code_attributes(code));
        self.dbg(code.dbg);
        self.body(&code.body, code.exn, exn_position);
    }

    fn entry(&mut self) {
        self.names.begin_function();
        self.text("entry -> ");
        let entry = &self.unit.entry;
        self.continuation(entry.ret);
        self.begin_body(&entry.body);
        self.body(&entry.body, entry.exn, self.out.len());
    }

    /// Finds the variables of a function that have uses.
    fn begin_body(&mut self, body: &Expr) {
        let mut used = FxHashSet::default();
        body.for_each_simple_deep(&mut |simple| used.extend(simple.as_var()));
        self.used = used;
    }

    /// The body of a function. Its exception continuation is implicit, but if the body names it, so
    /// must the head, at that position.
    fn body(&mut self, body: &Expr, exn: Continuation, exn_position: usize) {
        self.handler = Some(exn);
        self.text(" {");
        self.block(body);
        self.text("}\n");
        if self.options.numbered || self.names.names_continuation(exn) {
            let mut name = " | ".to_owned();
            push_name(&mut name, self.names.continuation(exn));
            self.out.insert_str(exn_position, &name);
        }
    }

    fn location(&mut self, number: u32, loc: &Loc) {
        let Loc { file, line, char_start, char_end, start_bol, end_bol, end_line, scope } = loc;
        self.text("loc @");
        self.number(number);
        self.text(" ");
        self.string(file.as_bytes());
        let span = |name: &str, from: &u32, to: &u32| {
            if from == to { format!(" {name} {from}") } else { format!(" {name} {from} {to}") }
        };
        let spans = [
            span("line", line, end_line),
            span("chars", char_start, char_end),
            span("bol", start_bol, end_bol),
        ];
        self.text(&spans.concat());
        if !scope.is_empty() {
            self.text(" in ");
            self.string(scope.as_bytes());
        }
        self.text("\n");
    }
}

fn code_attributes(code: &Code) -> Vec<String> {
    let mut list = Vec::new();
    let mut flag = |set: bool, name: &str| {
        if set {
            list.push(name.to_owned());
        }
    };
    flag(code.recursive, "rec");
    flag(code.kind == FunctionKind::Tupled, "tupled");
    flag(code.attributes.is_functor, "functor");
    flag(code.attributes.stub, "stub");
    flag(code.attributes.no_poll, "no_poll");
    flag(code.attributes.sole, "sole");
    flag(code.attributes.no_return, "no_return");
    flag(code.attributes.exported, "exported");
    list.extend(code.attributes.heat.word().map(|word| format!("heat {word}")));
    list.extend(inline_attribute("inline", code.attributes.inline));
    list.extend(specialise_attribute("specialise", code.attributes.specialise));
    list
}

fn inline_attribute(name: &str, attribute: InlineAttribute) -> Option<String> {
    match attribute {
        InlineAttribute::Default => None,
        InlineAttribute::Always => Some(format!("{name} always")),
        InlineAttribute::Never => Some(format!("{name} never")),
        InlineAttribute::Hint => Some(format!("{name} hint")),
        InlineAttribute::Unroll(n) => Some(format!("{name} unroll {n}")),
        InlineAttribute::Entered => Some(format!("{name} entered")),
        InlineAttribute::Awaited => Some(format!("{name} awaited")),
        InlineAttribute::Cold => Some(format!("{name} cold")),
    }
}

fn specialise_attribute(name: &str, attribute: SpecialiseAttribute) -> Option<String> {
    match attribute {
        SpecialiseAttribute::Default => None,
        SpecialiseAttribute::Always => Some(format!("{name} always")),
        SpecialiseAttribute::Never => Some(format!("{name} never")),
    }
}
