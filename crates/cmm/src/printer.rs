//! Cmm as text, for dumps and tests.
//!
//! S-expressions, one step a line. What follows a `let` or a step is on the next lines, not nested, so that a
//! run of bindings reads as one. Variables carry their numbers (`x/3`). A primitive is its name and its data, with
//! dots between (`block_load.2.mutable`).

use std::fmt::Write;

use flambeau_ir::Prim;

use crate::tree::*;

/// Nesting beyond this is not indented further: else deep terms take quadratic space.
const MAX_INDENT: usize = 60;

/// A unit's Cmm as text.
#[must_use]
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer { tree, out: String::new(), indent: 0 };
    for (data, exported) in &tree.data {
        printer.data(data, *exported);
    }
    for function in &tree.functions {
        printer.text("(function ");
        printer.name(function.name);
        printer.text(" ");
        printer.params(&function.params);
        printer.inside(|p| p.block(function.body));
        printer.text(")\n");
    }
    if let Some(entry) = tree.entry {
        printer.text("(entry");
        printer.inside(|p| p.block(entry));
        printer.text(")\n");
    }
    printer.out
}

struct Printer<'a> {
    tree: &'a Tree,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        // Writing to a string can't fail.
        let _ = write!(self.out, "{value}");
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', 2 * self.indent.min(MAX_INDENT)));
    }

    fn inside(&mut self, f: impl FnOnce(&mut Self)) {
        self.indent += 1;
        self.line();
        f(self);
        self.indent -= 1;
    }

    fn name(&mut self, name: Name) {
        self.text(&self.tree.names[name.0 as usize]);
    }

    fn var(&mut self, var: Var) {
        self.text(&self.tree.vars[var.0 as usize]);
        self.display(format_args!("/{}", var.0));
    }

    fn typed(&mut self, var: Var, ty: Machtype) {
        self.var(var);
        self.text(match ty {
            Machtype::Val => ":val",
            Machtype::Int => ":int",
            Machtype::Float => ":float",
        });
    }

    fn params(&mut self, params: &[(Var, Machtype)]) {
        self.text("(");
        self.separated(params, |p, (var, ty)| p.typed(*var, *ty));
        self.text(")");
    }

    fn separated<T>(&mut self, items: &[T], mut f: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(" ");
            }
            f(self, item);
        }
    }

    /// The steps of a run, on lines of their own.
    fn block(&mut self, id: ExprId) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.run(id));
    }

    fn run(&mut self, mut id: ExprId) {
        let tree = self.tree;
        loop {
            match &tree.exprs[id.0 as usize] {
                Expr::Let { var, def, body } => {
                    self.text("(let ");
                    self.var(*var);
                    self.part(*def);
                    id = *body;
                }
                Expr::LetMut { var, ty, def, body } => {
                    self.text("(letmut ");
                    self.typed(*var, *ty);
                    self.part(*def);
                    id = *body;
                }
                Expr::Seq(first, rest) => {
                    if self.is_flat(*first) {
                        self.flat(*first);
                    } else {
                        self.text("(do");
                        self.part(*first);
                    }
                    id = *rest;
                }
                last => return self.last(id, last),
            }
            self.line();
        }
    }

    /// A part of a step, then the parenthesis that closes the step.
    fn part(&mut self, id: ExprId) {
        if self.is_flat(id) {
            self.text(" ");
            self.flat(id);
        } else {
            self.inside(|p| p.block(id));
        }
        self.text(")");
    }

    fn labelled_part(&mut self, label: &str, id: ExprId) {
        self.inside(|p| {
            p.text("(");
            p.text(label);
            p.part(id);
        });
    }

    fn last(&mut self, id: ExprId, expr: &Expr) {
        match expr {
            Expr::If { cond, then_, else_, .. } => {
                self.text("(if ");
                self.flat(*cond);
                self.labelled_part("then", *then_);
                self.labelled_part("else", *else_);
                self.text(")");
            }
            Expr::Switch { scrutinee, keys, arms, default, .. } => {
                self.text("(switch ");
                self.flat(*scrutinee);
                for (index, arm) in arms.iter().enumerate() {
                    let of_arm = keys.iter().filter(|(_, target)| *target as usize == index);
                    let keys: Vec<_> = of_arm.map(|(key, _)| key.to_string()).collect();
                    self.labelled_part(&format!("case {}", keys.join(" ")), *arm);
                }
                default.iter().for_each(|arm| self.labelled_part("default", *arm));
                self.text(")");
            }
            Expr::StringSwitch { scrutinee, keys, arms, default, .. } => {
                self.text("(string_switch ");
                self.flat(*scrutinee);
                for (key, arm) in keys.iter().zip(arms) {
                    self.labelled_part(&format!("case \"{}\"", key.escape_ascii()), *arm);
                }
                default.iter().for_each(|arm| self.labelled_part("default", *arm));
                self.text(")");
            }
            Expr::Catch { recursive, handlers, body } => {
                self.text(if *recursive { "(catch_rec" } else { "(catch" });
                self.inside(|p| p.block(*body));
                for handler in handlers {
                    self.inside(|p| {
                        p.display(format_args!("(with L{} ", handler.label.0));
                        p.params(&handler.params);
                        p.part(handler.body);
                    });
                }
                self.text(")");
            }
            Expr::Try { body, var, handler, .. } => {
                self.text("(try");
                self.inside(|p| p.block(*body));
                self.inside(|p| {
                    p.text("(with ");
                    p.var(*var);
                    p.part(*handler);
                });
                self.text(")");
            }
            _ => self.flat(id),
        }
    }

    fn is_flat(&self, id: ExprId) -> bool {
        self.tree.exprs[id.0 as usize].is_operation()
    }

    /// An expression on one line.
    fn flat(&mut self, id: ExprId) {
        let tree = self.tree;
        let expr = &tree.exprs[id.0 as usize];
        match expr {
            Expr::Int(n) => return self.display(n),
            Expr::Float(bits) => return self.display(format_args!("{:?}", f64::from_bits(*bits))),
            Expr::Symbol(name) => return self.name(*name),
            Expr::Var(var) => return self.var(*var),
            Expr::Unreachable => return self.text("(unreachable)"),
            Expr::Assign { var, .. } => {
                self.text("(assign ");
                self.var(*var);
            }
            Expr::Exit { label, .. } => self.display(format_args!("(exit L{}", label.0)),
            Expr::Prim { prim, .. } => {
                self.text("(");
                self.text(&prim_name(prim));
            }
            Expr::DirectCall { code, result, .. } => {
                self.text(match result {
                    Machtype::Val => "(call ",
                    Machtype::Int => "(call:int ",
                    Machtype::Float => "(call:float ",
                });
                self.name(*code);
            }
            Expr::GenericCall { .. } => self.text("(apply"),
            Expr::Send { kind, .. } => self.text(match kind {
                SendKind::SelfMethod => "(send.self",
                SendKind::Public => "(send.public",
                SendKind::Cached => "(send.cached",
            }),
            Expr::Raise { kind, .. } => self.display(format_args!("(raise.{}", snake(&format!("{kind:?}")))),
            Expr::Closures { functions, .. } => {
                self.text("(closures (");
                self.closure_entries(functions);
                self.text(")");
            }
            Expr::Offset { words, .. } => self.display(format_args!("(offset.{words}")),
            Expr::IsClosureOf { function, .. } => {
                self.text("(is_closure_of (");
                self.closure_entries(std::slice::from_ref(function));
                self.text(")");
            }
            Expr::SlotLoad { words, .. } => self.display(format_args!("(slot.{words}")),
            Expr::Boxed { kind, value } => {
                return self.display(format_args!("({} {value})", snake(&format!("{kind:?}"))));
            }
            Expr::Code(code) => return self.display(code),
            Expr::Functions { functions, .. } => {
                self.text("(functions (");
                self.separated(functions, |p, code| p.display(code));
                self.text(")");
            }
            Expr::Member { index, .. } => self.display(format_args!("(member.{index}")),
            Expr::Checked { prim, .. } => self.display(format_args!("(checked.{}", prim_name(prim))),
            Expr::Let { .. }
            | Expr::LetMut { .. }
            | Expr::Seq(..)
            | Expr::If { .. }
            | Expr::Switch { .. }
            | Expr::StringSwitch { .. }
            | Expr::Catch { .. }
            | Expr::Try { .. } => {
                self.text("(do");
                return self.part(id);
            }
        }
        let mut operands = Vec::new();
        expr.each_operand(|operand| operands.push(operand));
        for operand in operands {
            self.text(" ");
            self.flat(operand);
        }
        self.text(")");
    }

    fn closure_entries(&mut self, functions: &[ClosureEntry]) {
        self.separated(functions, |p, entry| {
            p.name(entry.code);
            p.display(format_args!(":{}", entry.arity));
        });
    }

    fn data(&mut self, data: &Data, exported: bool) {
        self.text(if exported { "(data.exported " } else { "(data " });
        match data {
            Data::Block { symbol, tag, fields } => {
                self.name(*symbol);
                self.display(format_args!(" (block.{tag} "));
                self.data_fields(fields);
                self.text(")");
            }
            Data::Float { symbol, bits } => {
                self.name(*symbol);
                self.display(format_args!(" (float {:?})", f64::from_bits(*bits)));
            }
            Data::Int32 { symbol, value } => {
                self.name(*symbol);
                self.display(format_args!(" (int32 {value})"));
            }
            Data::Int64 { symbol, value } => {
                self.name(*symbol);
                self.display(format_args!(" (int64 {value})"));
            }
            Data::Nativeint { symbol, value } => {
                self.name(*symbol);
                self.display(format_args!(" (nativeint {value})"));
            }
            Data::String { symbol, contents } => {
                self.name(*symbol);
                self.display(format_args!(" \"{}\"", contents.escape_ascii()));
            }
            Data::FloatArray { symbol, elements } => {
                self.name(*symbol);
                self.text(" (float_array");
                elements.iter().for_each(|bits| self.display(format_args!(" {:?}", f64::from_bits(*bits))));
                self.text(")");
            }
            Data::Closures { symbols, functions, values } => {
                self.separated(symbols, |p, symbol| p.name(*symbol));
                self.text(" (closures (");
                self.closure_entries(functions);
                self.text(") ");
                self.data_fields(values);
                self.text(")");
            }
            Data::Preallocated { symbol, tag, size } => {
                self.name(*symbol);
                self.display(format_args!(" (preallocated.{tag} {size})"));
            }
        }
        self.text(")\n");
    }

    fn data_fields(&mut self, fields: &[DataField]) {
        self.text("(");
        self.separated(fields, |p, field| match field {
            DataField::Symbol(name) => p.name(*name),
            DataField::Word(word) => p.display(word),
        });
        self.text(")");
    }
}

/// The name of a primitive and its data, built from what `Debug` prints: all of it, for every primitive.
fn prim_name(prim: &Prim) -> String {
    if let Prim::CCall(external) = prim {
        let noalloc = if external.alloc { "" } else { ".noalloc" };
        return format!("c.{}{noalloc}", external.name);
    }
    let debug = format!("{prim:?}");
    let (name, data) = debug.split_once([' ', '(']).unwrap_or((&debug, ""));
    let mut text = snake(name);
    for datum in data.trim_matches(['{', '}', '(', ')', ' ']).split(", ").filter(|datum| !datum.is_empty()) {
        match datum.split_once(": ").unwrap_or(("", datum)) {
            (_, "false") => {}
            (field, "true") => text.extend([".", field]),
            (_, value) => text.extend([".", &snake(value)]),
        }
    }
    text
}

/// `BlockLoad` as `block_load`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (index, c) in name.char_indices() {
        if c.is_ascii_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
