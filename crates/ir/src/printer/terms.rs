//! Printing terms.

use super::{Place, Printer, inline_attribute, specialise_attribute};
use crate::lexer::{push_name, push_quoted};
use crate::prim_syntax::{Sink, Word, write_prim};
use crate::stack::deep;
use crate::term::{RaiseKind, StringSwitch};
use crate::{
    Apply, ApplyCont, ArgType, CallKind, Continuation, Dbg, Elements, ExnCont, Expr, FunctionSlot, Hashed,
    HashedShape, Heat, Item, Kind, Named, Prim, Simple, Subkind, Switch, Terminator, ValueSlot, Variable,
};

impl Printer<'_> {
    /// A nested term on lines of its own: from after `{` to before `}`.
    pub(super) fn block(&mut self, expr: &Expr) {
        deep(|| {
            self.indent += 1;
            for item in &expr.items {
                self.newline();
                self.item(item);
            }
            self.newline();
            let start = self.out.len();
            self.terminator(&expr.terminator);
            self.note(Place::Terminator(&expr.terminator), start);
            self.indent -= 1;
            self.newline();
        });
    }

    fn braces(&mut self, expr: &Expr) {
        self.text(" {");
        self.block(expr);
        self.text("}");
    }

    fn item(&mut self, item: &Item) {
        let start = self.out.len();
        match item {
            Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } => {
                let result = prim.signature().result;
                if prim.is_for_effect() && self.is_anonymous(*var, result) {
                    self.text("do ");
                } else {
                    self.text("let ");
                    self.binder_of(*var, result);
                    self.text(" = ");
                }
                self.prim(prim, args, exn.as_deref());
                self.dbg(*dbg);
            }
            Item::Let { var, named: Named::Simple(simple), dbg } => {
                self.text("let ");
                self.binder(*var);
                self.text(" = ");
                self.simple(*simple);
                self.dbg(*dbg);
            }
            Item::LetClosures { vars, set, dbg } => {
                self.list(["let ", " = "], vars, |printer, &var| printer.binder(var));
                self.set_of_closures(set);
                self.dbg(*dbg);
            }
            Item::Join { cont, params, body } => match call_alone(body, *cont) {
                Some(apply) if params.len() == 1 && self.is_plain(*cont) => {
                    if self.is_anonymous(params[0], Kind::Value) {
                        self.text("do ");
                    } else {
                        self.text("let ");
                        self.binder(params[0]);
                        self.text(" = ");
                    }
                    self.apply(apply, None);
                    self.note(Place::Terminator(&body.terminator), start);
                }
                _ => {
                    self.text("join ");
                    self.handler_head(*cont, params);
                    self.braces(body);
                }
            },
            Item::LetCont { recursive, handlers } => {
                self.text(if *recursive { "cont rec " } else { "cont " });
                for (i, handler) in handlers.iter().enumerate() {
                    if i > 0 {
                        self.newline();
                        self.text("and ");
                    }
                    self.handler_head(handler.cont, &handler.params);
                    self.braces(&handler.body);
                }
            }
        }
        self.note(Place::Item(item), start);
    }

    /// Whether nothing is lost when the variable is not shown: it has no use, and is what a result of that
    /// kind is bound to without being asked.
    pub(super) fn is_anonymous(&self, variable: Variable, kind: Kind) -> bool {
        let plain = |data: &crate::VariableData| {
            data.kind == kind && data.subkind == Subkind::Any && data.shape.is_none()
        };
        !self.options.numbered
            && !self.used.contains(&variable)
            && self.unit.variables.get(variable).is_some_and(plain)
    }

    fn heat_of(&self, cont: Continuation) -> Heat {
        self.unit.continuations.get(cont).map_or(Heat::Unknown, |data| data.heat)
    }

    /// Whether nothing is lost when the continuation is not shown.
    fn is_plain(&self, cont: Continuation) -> bool {
        !self.options.numbered && !self.is_exn(cont) && self.heat_of(cont) == Heat::Unknown
    }

    fn is_exn(&self, cont: Continuation) -> bool {
        self.unit.continuations.get(cont).is_some_and(|data| data.is_exn)
    }

    fn handler_head(&mut self, cont: Continuation, params: &[Variable]) {
        if self.is_exn(cont) {
            self.text("exn ");
        }
        self.continuation(cont);
        if !params.is_empty() {
            self.list([" (", ")"], params, |printer, &param| printer.binder(param));
        }
        self.heat(self.heat_of(cont));
    }

    fn prim(&mut self, prim: &Prim, args: &[Simple], exn: Option<&ExnCont>) {
        let mut sink = PrimSink { printer: self, in_brackets: false };
        write_prim(prim, &mut sink);
        if sink.in_brackets {
            self.text("]");
        }
        self.arguments(args);
        match exn {
            Some(exn) if prim.may_raise() => self.exn(exn),
            Some(exn) => self.explicit_exn(exn),
            None if prim.may_raise() => self.text(" | none"),
            None => {}
        }
    }

    fn arguments(&mut self, args: &[Simple]) {
        self.list([" (", ")"], args, |printer, &arg| printer.simple(arg));
    }

    fn exn(&mut self, exn: &ExnCont) {
        if !(Some(exn.cont) == self.handler && exn.extra_args.is_empty()) {
            self.explicit_exn(exn);
        }
    }

    fn explicit_exn(&mut self, exn: &ExnCont) {
        self.text(" | ");
        self.jump(exn.cont, &exn.extra_args);
    }

    fn jump(&mut self, cont: Continuation, args: &[Simple]) {
        self.continuation(cont);
        if !args.is_empty() {
            self.arguments(args);
        }
    }

    /// A call; its return continuation if that is not determined by what is around it.
    fn apply(&mut self, apply: &Apply, ret: Option<Continuation>) {
        let Apply { callee, kind, args, types, ret: _, exn, dbg, inlined, specialised, depth, origin, heat } =
            apply;
        self.text("call ");
        match kind {
            CallKind::Generic => {}
            CallKind::Direct(code) => {
                self.text("code ");
                self.code_name(*code);
            }
            CallKind::DirectExternal(name) => {
                self.text("external ");
                self.string(name.as_bytes());
            }
            CallKind::MethodPublic => self.text("method.public "),
            CallKind::MethodSelf => self.text("method.self "),
            CallKind::MethodCached => self.text("method.cached "),
        }
        let direct = matches!(kind, CallKind::Direct(_) | CallKind::DirectExternal(_));
        match callee {
            Some(callee) => {
                self.text(if direct { " via " } else { "" });
                self.simple(*callee);
            }
            None => self.text(if direct { "" } else { "_" }),
        }
        self.arguments(args);
        let inlined = inline_attribute("inlined", *inlined);
        let attributes = inlined.into_iter().chain(specialise_attribute("specialised", *specialised));
        self.attributes(&attributes.collect::<Vec<_>>());
        if let Some(ret) = ret {
            self.text(" -> ");
            self.continuation(ret);
        }
        self.exn(exn);
        self.dbg(*dbg);
        if *depth > 0 {
            self.text(" depth ");
            self.number(depth);
        }
        if let Some(origin) = origin {
            self.text(" origin ");
            self.number(origin.as_u32());
        }
        if !types.is_empty() {
            self.list([" types (", ")"], types, |printer, ty| printer.arg_type(ty));
        }
        self.heat(*heat);
    }

    fn heat(&mut self, heat: Heat) {
        if let Some(word) = heat.word() {
            self.text(" heat ");
            self.text(word);
        }
    }

    pub(super) fn arg_type(&mut self, ty: &ArgType) {
        match ty {
            ArgType::Unknown => self.text("any"),
            ArgType::Variable(number) => {
                self.text("variable ");
                self.number(*number);
            }
            ArgType::Immediate => self.text("int"),
            ArgType::Compared { compare, equal, total, elements, hashed } => {
                self.text("by ");
                self.simple(*compare);
                self.text(" ");
                self.simple(*equal);
                self.text(if *total { " total" } else { "" });
                self.text(match elements {
                    Elements::Any => "",
                    Elements::Values => " no_float",
                    Elements::Floats => " float",
                    Elements::MaybeBoxes => " boxed_float",
                });
                self.hashed(hashed);
            }
            ArgType::Array(element) => {
                self.text("array ");
                self.arg_type(element);
            }
            ArgType::Bigarray { kind, fortran } => {
                self.text("bigarray ");
                self.text(kind.to_word());
                self.text(if *fortran { " fortran" } else { "" });
            }
            ArgType::Block(fields) => self.list(["block (", ")"], fields, |printer, ty| printer.arg_type(ty)),
            ArgType::Enclosing(depth) => {
                self.text("enclosing ");
                self.number(*depth);
            }
            ArgType::Function(params, result) => {
                self.list(["function (", ") "], params, |printer, ty| printer.arg_type(ty));
                self.arg_type(result);
            }
        }
    }

    fn hashed(&mut self, hashed: &Hashed) {
        for (index, shape) in hashed.0.iter().enumerate() {
            self.text(if index == 0 { " hashed " } else { " or " });
            self.hashed_shape(shape);
        }
    }

    fn hashed_shape(&mut self, shape: &HashedShape) {
        match shape {
            HashedShape::Leaf(leaf) => self.text(leaf.word()),
            HashedShape::Block(tag, fields) => {
                self.text("block ");
                self.number(*tag);
                self.list([" (", ")"], fields, |printer, field| printer.hashed_shape(field));
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.apply(apply, Some(apply.ret)),
            Terminator::ApplyCont(ApplyCont { cont, args }) => self.jump(*cont, args),
            Terminator::Switch(switch) => {
                let Switch { scrutinee, arms, default, dbg, cases } = &**switch;
                self.switch_head("switch ", *scrutinee, *dbg);
                self.arms(arms, default.as_ref(), *cases, |printer, &value| printer.number(value));
            }
            Terminator::StringSwitch(switch) => {
                let StringSwitch { scrutinee, arms, default, dbg } = &**switch;
                self.switch_head("switch_string ", *scrutinee, *dbg);
                self.arms(arms, default.as_ref(), None, |printer, value| printer.string(value));
            }
            Terminator::Raise { kind, exn, handler, dbg } => {
                self.text(match kind {
                    RaiseKind::Regular => "raise ",
                    RaiseKind::Reraise => "reraise ",
                    RaiseKind::NoTrace => "raise_notrace ",
                });
                self.simple(*exn);
                self.exn(handler);
                self.dbg(*dbg);
            }
            Terminator::Try { body, handler } => {
                self.text("try ");
                self.jump(handler.cont, &handler.extra_args);
                let outer = self.handler.replace(handler.cont);
                self.braces(body);
                self.handler = outer;
            }
            Terminator::Unreachable => self.text("unreachable"),
        }
    }

    fn switch_head(&mut self, keyword: &str, scrutinee: Simple, dbg: Dbg) {
        self.text(keyword);
        self.simple(scrutinee);
        self.dbg(dbg);
    }

    /// The arms of a switch: on one line if they are at most two, as for a condition.
    fn arms<V>(
        &mut self,
        arms: &[(V, ApplyCont)],
        default: Option<&ApplyCont>,
        cases: Option<u32>,
        mut value: impl FnMut(&mut Self, &V),
    ) {
        let one_line = arms.len() + usize::from(default.is_some()) <= 2;
        self.text(" {");
        self.indent += 1;
        let all =
            arms.iter().map(|(value, jump)| (Some(value), jump)).chain(default.map(|jump| (None, jump)));
        for (i, (arm, jump)) in all.enumerate() {
            match (one_line, i) {
                (false, _) => self.newline(),
                (true, 0) => self.text(" "),
                (true, _) => self.text(", "),
            }
            match arm {
                Some(arm) => value(self, arm),
                None => {
                    self.text("_");
                    if let Some(cases) = cases {
                        self.text(" of ");
                        self.number(cases);
                    }
                }
            }
            self.text(" -> ");
            self.jump(jump.cont, &jump.args);
            self.text(if one_line { "" } else { "," });
        }
        self.indent -= 1;
        if one_line {
            self.text(" ");
        } else {
            self.newline();
        }
        self.text("}");
    }
}

/// The call, if the term is a call that returns to that continuation and nothing else.
fn call_alone(body: &Expr, cont: Continuation) -> Option<&Apply> {
    match &body.terminator {
        Terminator::Apply(apply) if apply.ret == cont && body.items.is_empty() => Some(apply),
        _ => None,
    }
}

/// Writes one primitive.
struct PrimSink<'p, 'u> {
    printer: &'p mut Printer<'u>,
    in_brackets: bool,
}

impl Sink for PrimSink<'_, '_> {
    fn mnemonic(&mut self, name: &'static str) {
        self.printer.text(name);
    }

    fn word(&mut self, word: &'static str) {
        self.printer.text(".");
        self.printer.text(word);
    }

    fn datum(&mut self) {
        self.printer.text(if self.in_brackets { ", " } else { "[" });
        self.in_brackets = true;
    }

    fn text(&mut self, text: &'static str) {
        self.printer.text(text);
    }

    fn integer(&mut self, value: i64) {
        self.printer.number(value);
    }

    fn string(&mut self, value: &str) {
        push_quoted(&mut self.printer.out, value.as_bytes(), b'"');
    }

    fn function_slot(&mut self, slot: FunctionSlot) {
        push_name(&mut self.printer.out, self.printer.names.function_slot(slot));
    }

    fn value_slot(&mut self, slot: ValueSlot) {
        push_name(&mut self.printer.out, self.printer.names.value_slot(slot));
    }
}
