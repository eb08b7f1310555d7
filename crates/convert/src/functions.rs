//! Functions: sets of closures, their code, and partial applications.

use std::mem;
use std::rc::Rc;

use flambeau_ir::decision::Warning;
use flambeau_ir::{
    Apply, CallKind, Code, CodeAttributes, CodeId, Dbg, ExnCont, Expr, FunctionKind, FunctionSlot, Item,
    Kind, Named, Prim, SetOfClosures, Simple, Static, StaticDef, Terminator, ValueSlot, Variable,
};
use flambeau_lambda::term::{Function, Ident, Inline, LocId, NodeId, Specialise};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::apply::{CallSite, inline_attribute, specialise_attribute};
use crate::builder::{Converter, Handler, Result, Target};
use crate::env::{Binding, ClosureInfo, CodeRef, Info, Val};

/// A function of a set that is being converted.
pub(crate) struct Definition<'a> {
    /// The variable that it is bound to, by which the functions of a recursive set call it.
    pub ident: Option<Ident>,
    pub node: NodeId,
    pub function: &'a Function,
}

/// A captured variable.
struct Capture {
    ident: Ident,
    outer: Val,
    slot: ValueSlot,
}

impl<'a> Converter<'a> {
    /// An anonymous function, or one bound by a plain `let`.
    pub fn function(&mut self, node: NodeId, function: &'a Function, ident: Option<Ident>) -> Result<Val> {
        let set = [Definition { ident, node, function }];
        let mut values = self.closures(&set)?;
        Ok(values.remove(0))
    }

    /// The slot of a function, which may be asked for before the function is converted.
    pub fn slot_of(&mut self, node: NodeId, name: &str) -> FunctionSlot {
        if let Some(slot) = self.reserved_slots.get(&node) {
            return *slot;
        }
        let slot = self.unit.function_slots.push(name.to_owned());
        self.reserved_slots.insert(node, slot);
        slot
    }

    /// Converts a set of functions, and gives its closures: symbols if nothing must be captured.
    pub fn closures(&mut self, set: &[Definition<'a>]) -> Result<Vec<Val>> {
        let captures = self.captures(set);
        let closed = captures.is_empty();
        let functions: SmallVec<[(FunctionSlot, CodeId); 1]> = set
            .iter()
            .map(|d| {
                self.begin_method(d.node, d.function).unwrap_or_else(|| {
                    let slot = self.slot_of(d.node, self.definition_name(d));
                    (slot, self.declare_code(d, slot))
                })
            })
            .collect();
        let atoms: Vec<Simple> = set
            .iter()
            .zip(&functions)
            .map(|(d, (_, code))| {
                if closed {
                    let name = format!("{}_closure", self.unit.codes[*code].linkage_name);
                    self.fresh_symbol(name).into()
                } else {
                    self.unit.new_value(self.definition_name(d)).into()
                }
            })
            .collect();
        let mut values: Vec<Val> = set
            .iter()
            .zip(&functions)
            .zip(&atoms)
            .map(|((d, (_, code)), atom)| Val {
                simple: *atom,
                info: Info::Closure(Rc::new(ClosureInfo {
                    code: CodeRef::Local(*code),
                    arity: d.function.params.len(),
                    tupled: d.function.tupled,
                    needs_closure: !closed,
                    result: Info::Unknown,
                })),
            })
            .collect();
        for (index, definition) in set.iter().enumerate() {
            let result = self.body(set, index, &functions, &values, &captures)?;
            // For other functions the description of the result would be exported, too, but seldom be of use.
            if definition.function.is_functor
                && let Info::Closure(closure) = &mut values[index].info
            {
                Rc::make_mut(closure).result = result;
            }
            let (_, code) = functions[index];
            let recursive = self.mentions_set(set, definition);
            self.unit.codes[code].recursive = recursive;
        }
        let set_of_closures =
            SetOfClosures { functions, values: captures.iter().map(|c| (c.slot, c.outer.simple)).collect() };
        if closed {
            let symbols = atoms
                .iter()
                .filter_map(|atom| if let Simple::Symbol(symbol) = atom { Some(*symbol) } else { None })
                .collect();
            let def = StaticDef::Closures { symbols, set: set_of_closures };
            self.unit.statics.push(Static { exported: false, def });
        } else {
            let vars = atoms.iter().filter_map(|atom| atom.as_var()).collect();
            let dbg = Dbg(set[0].function.loc.0);
            self.items.push(Item::LetClosures { vars, set: set_of_closures, dbg });
        }
        Ok(values)
    }

    /// Whether a function may call a function of its own set: by name, as far as that is known.
    fn mentions_set(&self, set: &[Definition], definition: &Definition) -> bool {
        let free = self.analysis.free_variables(definition.node);
        set.iter().any(|d| d.ident.is_some_and(|id| free.contains(&id)))
    }

    /// The variables that a set must capture: its free variables but those known at link time.
    fn captures(&mut self, set: &[Definition]) -> Vec<Capture> {
        let own: FxHashSet<Ident> = set.iter().filter_map(|d| d.ident).collect();
        let mut seen = FxHashSet::default();
        let mut captures = Vec::new();
        for definition in set {
            for ident in self.analysis.free_variables(definition.node) {
                if own.contains(ident) || !seen.insert(*ident) {
                    continue;
                }
                if let Binding::Immutable(outer) = &self.env[ident.0 as usize]
                    && !outer.is_static()
                {
                    let name = self.term.name(*ident).to_owned();
                    let slot = self.unit.value_slots.push(name);
                    captures.push(Capture { ident: *ident, outer: outer.clone(), slot });
                }
            }
        }
        captures
    }

    /// Enters a code in the table, its body to follow.
    pub fn declare_code(&mut self, definition: &Definition, slot: FunctionSlot) -> CodeId {
        let function = definition.function;
        let my_closure = self.unit.new_value("my_closure");
        let ret = self.unit.new_continuation("return");
        let exn = self.unit.new_exn_continuation("raise");
        let linkage_name = self.code_name(definition.ident);
        self.unit.codes.push(Code {
            linkage_name,
            params: SmallVec::new(),
            my_closure,
            function_slot: slot,
            ret,
            exn,
            result: Kind::Value,
            kind: if function.tupled { FunctionKind::Tupled } else { FunctionKind::Curried },
            recursive: false,
            attributes: CodeAttributes {
                inline: inline_attribute(function.inline),
                specialise: specialise_attribute(function.specialise),
                is_functor: function.is_functor,
                // The coercion of a functor has the functor's body: the inliner is to measure it.
                stub: function.stub && !function.is_functor,
                no_poll: function.no_poll,
                sole: false,
                no_return: false,
                exported: false,
                heat: flambeau_ir::Heat::Unknown,
            },
            dbg: Dbg(function.loc.0),
            body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
        })
    }

    /// The name of a function for people who read the IR.
    fn definition_name(&self, definition: &Definition) -> &'a str {
        definition.ident.map_or("fun", |id| self.term.name(id))
    }

    /// The linkage name of a code. A function bound to a variable has the name that the stock compiler would
    /// give it, so that what either compiler exports about a function is true of both objects.
    fn code_name(&mut self, ident: Option<Ident>) -> String {
        if let Some(ident) = ident {
            let (name, stamp) = &self.term.idents[ident.0 as usize];
            let linkage_name = self.unit.naming.local(&format!("{name}_{stamp}"));
            if self.code_names.insert(linkage_name.clone()) {
                return linkage_name;
            }
        }
        // The letter keeps clear of names that end in a stamp.
        self.next_code += 1;
        self.unit.naming.local(&format!("fun_c{}", self.next_code))
    }

    /// Converts the body of one function of a set; gives what is known of its result.
    fn body(
        &mut self,
        set: &[Definition<'a>],
        index: usize,
        functions: &[(FunctionSlot, CodeId)],
        closures: &[Val],
        captures: &[Capture],
    ) -> Result<Info> {
        let definition = &set[index];
        let (slot, code) = functions[index];
        let outer = OuterContext::enter(self, code);
        let free: FxHashSet<Ident> = self.analysis.free_variables(definition.node).iter().copied().collect();
        let my_closure = self.unit.codes[code].my_closure;
        let mut saved: Vec<(Ident, Binding)> = Vec::new();
        let bind = |this: &mut Self, ident: Ident, val: Val, saved: &mut Vec<(Ident, Binding)>| {
            let before = mem::replace(&mut this.env[ident.0 as usize], Binding::Immutable(val));
            saved.push((ident, before));
        };
        for capture in captures.iter().filter(|c| free.contains(&c.ident)) {
            let prim = Prim::ProjectValueSlot { function: slot, value: capture.slot };
            let name = self.term.name(capture.ident);
            let simple = self.prim(name, prim, &[my_closure.into()], LocId::default());
            let val = Val { simple, info: capture.outer.portable_info() };
            bind(self, capture.ident, val, &mut saved);
        }
        for (sibling, definition) in set.iter().enumerate() {
            let Some(ident) = definition.ident.filter(|id| free.contains(id)) else { continue };
            let mut val = closures[sibling].clone();
            if !val.is_static() {
                val.simple = if sibling == index {
                    my_closure.into()
                } else {
                    let prim = Prim::ProjectFunctionSlot { from: slot, to: functions[sibling].0 };
                    self.prim(self.definition_name(definition), prim, &[my_closure.into()], LocId::default())
                };
            }
            bind(self, ident, val, &mut saved);
        }
        let params: SmallVec<[Variable; 4]> =
            definition.function.params.iter().map(|(id, kind)| self.bind_param(*id, *kind)).collect();
        self.unit.codes[code].params = params;
        let ret = self.unit.codes[code].ret;
        let target = Target { cont: ret, takes_value: true, mutables: Rc::from([]) };
        let converted = self.tail_with_info(definition.function.body, &target);
        let items = outer.leave(self);
        for (ident, binding) in saved.into_iter().rev() {
            self.env[ident.0 as usize] = binding;
        }
        let (terminator, result) = converted?;
        self.unit.codes[code].body = Expr { items, terminator };
        Ok(result.of_result())
    }

    /// A partial application calls nothing: inlining attributes on it are reported (warning 55).
    fn warn_of_attributes(&mut self, site: CallSite<'_>) {
        let name = match (site.inlined, site.specialised) {
            (Inline::Always, _) => "inlined",
            (Inline::Unroll(_), _) => "unrolled",
            (_, Specialise::Always) => "specialised",
            _ => return,
        };
        let why = format!("[@{name}] attributes may not be used on partial applications");
        self.warnings.push((Dbg(site.loc.0), Warning::InliningImpossible(why)));
    }

    /// A known function with fewer arguments than it takes: a closure that waits for the rest. It is no stub.
    pub fn partial_application(
        &mut self,
        func: &Val,
        callee: &ClosureInfo,
        args: Vec<Simple>,
        site: CallSite<'_>,
    ) -> Result<Val> {
        self.warn_of_attributes(site);
        let slot = self.unit.function_slots.push("partial".to_owned());
        let my_closure = self.unit.new_value("my_closure");
        let mut items = Vec::new();
        let mut values = Vec::new();
        let mut capture = |this: &mut Self, outer: Simple| -> Simple {
            if !matches!(outer, Simple::Var(_)) {
                return outer;
            }
            let value = this.unit.value_slots.push("arg".to_owned());
            values.push((value, outer));
            let var = this.unit.new_value("arg");
            let prim = Prim::ProjectValueSlot { function: slot, value };
            let named = Named::Prim { prim, args: [my_closure.into()].into_iter().collect(), exn: None };
            items.push(Item::Let { var, named, dbg: Dbg::NONE });
            var.into()
        };
        let inner_callee = callee.needs_closure.then(|| capture(self, func.simple));
        let mut inner_args: Vec<Simple> = args.iter().map(|arg| capture(self, *arg)).collect();
        let params: SmallVec<[Variable; 4]> =
            (args.len()..callee.arity).map(|_| self.unit.new_value("param")).collect();
        inner_args.extend(params.iter().map(|p| Simple::Var(*p)));
        let ret = self.unit.new_continuation("return");
        let exn = self.unit.new_exn_continuation("raise");
        let kind = match &callee.code {
            CodeRef::Local(code) => CallKind::Direct(*code),
            CodeRef::External(name) => CallKind::DirectExternal(name.clone()),
        };
        self.direct_calls += 1;
        let terminator = Terminator::Apply(Box::new(Apply {
            dbg: Dbg(site.loc.0),
            ..Apply::plain(inner_callee, kind, inner_args, ret, ExnCont::plain(exn))
        }));
        let linkage_name = self.code_name(None);
        let arity = params.len();
        let code = self.unit.codes.push(Code {
            linkage_name: linkage_name.clone(),
            params,
            my_closure,
            function_slot: slot,
            ret,
            exn,
            result: Kind::Value,
            kind: FunctionKind::Curried,
            recursive: false,
            attributes: CodeAttributes::default(),
            dbg: Dbg(site.loc.0),
            body: Expr { items, terminator },
        });
        let closed = values.is_empty();
        let set = SetOfClosures { functions: [(slot, code)].into_iter().collect(), values };
        let simple = if closed {
            let symbol = self.fresh_symbol(format!("{linkage_name}_closure"));
            let def = StaticDef::Closures { symbols: vec![symbol], set };
            self.unit.statics.push(Static { exported: false, def });
            symbol.into()
        } else {
            let var = self.unit.new_value("closure");
            let vars = [var].into_iter().collect();
            self.items.push(Item::LetClosures { vars, set, dbg: Dbg(site.loc.0) });
            var.into()
        };
        let info = Info::Closure(Rc::new(ClosureInfo {
            code: CodeRef::Local(code),
            arity,
            tupled: false,
            needs_closure: !closed,
            result: callee.result.clone(),
        }));
        Ok(Val { simple, info })
    }
}

/// The state of the enclosing function, which is set aside while a function body is converted.
struct OuterContext {
    items: Vec<Item>,
    handler: Handler,
    straight: bool,
    in_function: bool,
}

impl OuterContext {
    fn enter(converter: &mut Converter, code: CodeId) -> OuterContext {
        let handler = Handler { cont: converter.unit.codes[code].exn, mutables: Rc::from([]) };
        OuterContext {
            items: mem::take(&mut converter.items),
            handler: mem::replace(&mut converter.handler, handler),
            straight: mem::replace(&mut converter.straight, false),
            in_function: mem::replace(&mut converter.in_function, true),
        }
    }

    /// Restores the state of the enclosing function, and returns the items of the body.
    fn leave(self, converter: &mut Converter) -> Vec<Item> {
        converter.handler = self.handler;
        converter.straight = self.straight;
        converter.in_function = self.in_function;
        mem::replace(&mut converter.items, self.items)
    }
}
