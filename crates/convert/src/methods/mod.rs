//! Method calls: an object of a class that is in sight has methods that are in sight, which are called directly.
//!
//! Which method an object has is known when its class has been initialised, by functions of the standard library that
//! fill a table with closures. No type says of which class an object is, and other units may inherit from any. So when
//! a class of this unit is complete, the unit looks at its table: if the methods are those that the source shows
//! ([`classes`]), it keeps the table and the closures in a block, its *record*. A method call compares the object's
//! table with the records of the classes that have such a method, and calls the closure in the record directly if one
//! is the same; else it does what it always did. One comparison is enough for all calls of methods of one object.
//!
//! A record never changes; the unit's block of records has the latest of each class, before the first one a block that
//! no object has. Whoever reads a record that is not the latest therefore still calls what is in the table that he
//! compared.

mod classes;
mod complete;

use flambeau_ir::prim::{Init, IntOp, Mutability};
use flambeau_ir::{
    ApplyCont, CallGraph, CallKind, CodeId, ContHandler, Continuation, Expr, FunctionSlot, IntKind, Item,
    Kind, Prim, Rewrite, SetOfClosures, Simple, Static, StaticDef, StaticField, Symbol, Terminator,
};
use flambeau_lambda::term::{Function, Ident, Inline, LocId, MethodKind, Node, NodeId, Specialise};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

pub(crate) use classes::Classes;
use classes::Step;

use crate::apply::{CallSite, atoms};
use crate::builder::{Converter, Result, Target};
use crate::control::two_way;
use crate::functions::Definition;

/// The field of a class's table, as the library defines it, that holds its methods.
const METHODS: u32 = 1;

/// What conversion knows of methods.
#[derive(Debug, Default)]
pub(crate) struct Methods {
    classes: Classes,
    /// The unit's block of records.
    records: Option<Symbol>,
    /// What the parts of classes leave behind, a block: for each definition the table of the class that was initialised
    /// last, and for each method its label there.
    labels: Option<Symbol>,
    /// The record that no object has.
    none: Option<Symbol>,
    /// The function that completes classes, if one is completed on the straight line of the entry code.
    completing: Option<complete::Completing>,
    /// The codes of methods that are called or converted.
    declared: FxHashMap<NodeId, (FunctionSlot, CodeId)>,
    converted: FxHashSet<NodeId>,
}

impl From<Classes> for Methods {
    fn from(classes: Classes) -> Methods {
        Methods { classes, ..Methods::default() }
    }
}

impl Methods {
    fn number_of_definitions(&self) -> u32 {
        self.classes.definitions.len() as u32
    }

    fn record(&self, definition: usize) -> u32 {
        definition as u32
    }

    fn table(&self, definition: usize) -> u32 {
        definition as u32
    }

    fn label(&self, method: usize) -> u32 {
        self.number_of_definitions() + method as u32
    }
}

/// A function that a method may be.
struct Known {
    code: CodeId,
    /// The fields of the records in which it is that method, each with its field there.
    places: Vec<(u32, u32)>,
}

/// A method call whose operands have been evaluated.
struct Sent {
    object: Simple,
    /// The object and the arguments.
    args: Vec<Simple>,
    /// The call as it is if the object is of another class.
    otherwise: (Simple, CallKind, Vec<Simple>),
    site: CallSite<'static>,
}

impl<'a> Converter<'a> {
    // ---- classes

    /// The unit's blocks of records, at the beginning of the entry code.
    pub fn begin_classes(&mut self) {
        if self.methods.classes.classes.is_empty() {
            return;
        }
        let sizes = [
            ("classes", self.methods.number_of_definitions()),
            ("labels", self.methods.label(self.methods.classes.methods.len())),
        ];
        let [symbol, labels] = sizes.map(|(name, size)| {
            let name = self.unit.naming.local(name);
            let symbol = self.fresh_symbol(name);
            let def = StaticDef::Preallocated { symbol, tag: 0, size, private: size };
            self.unit.statics.push(Static { exported: false, def });
            symbol
        });
        self.methods.records = Some(symbol);
        self.methods.labels = Some(labels);
        // Reads of a record may be executed before the class is known to be that of the object.
        let longest =
            self.methods.classes.classes.values().map(|class| class.methods.len()).max().unwrap_or(0);
        let name = self.unit.naming.local("no_class");
        let none = self.fresh_symbol(name);
        self.methods.none = Some(none);
        let fields = vec![StaticField::Immediate(0); longest + 1];
        let def = StaticDef::Block { symbol: none, tag: 0, fields };
        self.unit.statics.push(Static { exported: false, def });
        let mut classes: Vec<usize> = self.methods.classes.classes.keys().copied().collect();
        classes.sort_unstable();
        for class in classes {
            let field = self.methods.record(class);
            self.store_record(symbol, field, none.into(), Init::Root);
        }
    }

    fn store_record(&mut self, records: Symbol, field: u32, value: Simple, init: Init) {
        let pointer = !matches!(value, Simple::Const(_));
        self.prim("stored", Prim::BlockStore { field, pointer, init }, &[records.into(), value], LocId(0));
    }

    /// What is to be done after an application that concerns a class.
    pub fn after_application(&mut self, node: NodeId) -> Result<()> {
        let Methods { records: Some(records), labels: Some(kept), .. } = self.methods else { return Ok(()) };
        let Some(step) = self.methods.classes.steps.get(&node).copied() else { return Ok(()) };
        match step {
            Step::Defined(definition) => self.note_labels(kept, definition),
            Step::Complete(_, table)
                if (self.in_function || !self.straight)
                    && !classes::may_be_compared(table, self.options.several_domains) =>
            {
                Ok(())
            }
            // What is executed once is not worth its code at each class.
            Step::Complete(definition, table) if self.straight => {
                self.complete_by_call(records, kept, definition, table)
            }
            Step::Complete(definition, table) => self.complete_class(records, kept, definition, table),
        }
    }

    /// Keeps the table that is being filled, and where the methods of a definition are in it.
    fn note_labels(&mut self, kept: Symbol, definition: usize) -> Result<()> {
        let table = self.variable(self.methods.classes.definitions[definition].table)?.simple;
        let field = self.methods.table(definition);
        self.store_record(kept, field, table, Init::Assignment);
        for method in self.methods.classes.definitions[definition].methods.clone() {
            let label = self.variable(self.methods.classes.methods[method].label)?.simple;
            let field = self.methods.label(method);
            let prim = Prim::BlockStore { field, pointer: false, init: Init::Assignment };
            self.prim("stored", prim, &[kept.into(), label], LocId(0));
        }
        Ok(())
    }

    /// Makes the record of a class that is complete, if its methods are those that its source shows.
    fn complete_class(
        &mut self,
        records: Symbol,
        kept: Symbol,
        definition: usize,
        table: Option<Ident>,
    ) -> Result<()> {
        let class = &self.methods.classes.classes[&definition];
        let (definitions, methods) = (class.definitions.clone(), class.methods.clone());
        if methods.is_empty() {
            return Ok(());
        }
        let labels: Vec<Simple> = methods
            .iter()
            .map(|method| {
                let label = self.methods.label(*method);
                self.changing_field(kept.into(), label)
            })
            .collect();
        let table = match table {
            Some(table) => self.variable(table)?.simple,
            None => {
                let own = self.methods.table(definition);
                self.changing_field(kept.into(), own)
            }
        };
        // What the parts of the class left behind is about this table.
        let mut tests = Vec::new();
        for part in definitions {
            let its = self.methods.table(part);
            let its = self.changing_field(kept.into(), its);
            tests.push(self.prim("same", Prim::PhysEqual { negated: false }, &[its, table], LocId(0)));
        }
        let Some(same_table) = self.all(tests) else { return Ok(()) };
        let done = self.unit.new_continuation("done");
        let body = self.isolated(|this| {
            let complete =
                this.isolated(|this| this.make_record(records, definition, table, &methods, &labels, done))?;
            Ok(this.if_then(same_table, complete, done))
        })?;
        self.items.push(Item::Join { cont: done, params: SmallVec::new(), body: Box::new(body) });
        Ok(())
    }

    fn make_record(
        &mut self,
        records: Symbol,
        definition: usize,
        table: Simple,
        methods: &[usize],
        labels: &[Simple],
        done: Continuation,
    ) -> Result<Terminator> {
        let places = self.changing_field(table, METHODS);
        let (mut record, mut tests) = (vec![places], Vec::new());
        for (method, label) in methods.iter().zip(labels) {
            let closure = self.prim("method", Prim::BlockLoadComputed, &[places, *label], LocId(0));
            record.push(closure);
            let (function, _) = self.declare_method(self.methods.classes.methods[*method].function)?;
            tests.push(self.prim("as_shown", Prim::IsClosureOf { function }, &[closure], LocId(0)));
        }
        let to_done = || Terminator::ApplyCont(ApplyCont::plain(done));
        let Some(as_shown) = self.all(tests) else { return Ok(to_done()) };
        let keep = self.isolated(|this| {
            let make = Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable };
            let record = this.prim("record", make, &record, LocId(0));
            let field = this.methods.record(definition);
            this.store_record(records, field, record, Init::Assignment);
            Ok(to_done())
        })?;
        Ok(self.if_then(as_shown, keep, done))
    }

    fn changing_field(&mut self, block: Simple, field: u32) -> Simple {
        let load = Prim::BlockLoad { field, mutability: Mutability::Mutable };
        self.prim("field", load, &[block], LocId(0))
    }

    /// Whether all tests, each naked, have succeeded.
    fn all(&mut self, tests: Vec<Simple>) -> Option<Simple> {
        let and = Prim::IntArith { op: IntOp::And, kind: IntKind::Naked };
        tests.into_iter().reduce(|all, test| self.prim("and", and.clone(), &[all, test], LocId(0)))
    }

    fn if_then(&mut self, test: Simple, then: Expr, otherwise: Continuation) -> Terminator {
        let cont = self.unit.new_continuation("then");
        self.items.push(Item::let_cont(cont, then));
        two_way(test, cont, otherwise)
    }

    // ---- methods

    /// The code of a method, which need not have been converted yet.
    fn declare_method(&mut self, node: NodeId) -> Result<(FunctionSlot, CodeId)> {
        if let Some(declared) = self.methods.declared.get(&node) {
            return Ok(*declared);
        }
        let Node::Function(function) = self.node(node) else {
            return self.malformed("a method was expected");
        };
        Ok(self.declare_function(node, function))
    }

    fn declare_function(&mut self, node: NodeId, function: &'a Function) -> (FunctionSlot, CodeId) {
        let slot = self.slot_of(node, "fun");
        let code = self.declare_code(&Definition { ident: None, node, function }, slot);
        self.methods.declared.insert(node, (slot, code));
        (slot, code)
    }

    /// The code of a method that is converted now.
    pub fn begin_method(&mut self, node: NodeId, function: &'a Function) -> Option<(FunctionSlot, CodeId)> {
        self.methods.records?;
        self.methods.classes.method_of(node)?;
        self.methods.converted.insert(node);
        match self.methods.declared.get(&node) {
            Some(declared) => Some(*declared),
            None => Some(self.declare_function(node, function)),
        }
    }

    /// Completes what is said of methods when all is converted.
    pub fn finish_methods(&mut self) -> Result<()> {
        self.define_completing()?;
        let mut declared: Vec<_> = self.methods.declared.iter().map(|(node, to)| (*node, *to)).collect();
        declared.sort_unstable_by_key(|(node, _)| node.0);
        for (node, (slot, code)) in &declared {
            if !self.methods.converted.contains(node) {
                self.define_lost_method(*node, *slot, *code);
            }
        }
        self.mark_recursive();
        Ok(())
    }

    /// What comes back to itself through other methods, and functions that it makes, is as bad to inline as what calls
    /// itself.
    fn mark_recursive(&mut self) {
        if self.methods.declared.is_empty() {
            return;
        }
        let mut closures: FxHashMap<Symbol, CodeId> = FxHashMap::default();
        for item in &self.unit.statics {
            if let StaticDef::Closures { symbols, set } = &item.def {
                closures.extend(symbols.iter().copied().zip(set.functions.iter().map(|(_, code)| *code)));
            }
        }
        let mut graph = CallGraph::default();
        for (id, code) in &self.unit.codes {
            code.body
                .for_each_set(&mut |set| set.functions.iter().for_each(|(_, made)| graph.add(id, *made)));
            code.body.for_each_simple_deep(&mut |simple| {
                if let Simple::Symbol(symbol) = simple
                    && let Some(mentioned) = closures.get(&symbol)
                {
                    graph.add(id, *mentioned);
                }
            });
            code.body.walk(&mut |expr| {
                if let Terminator::Apply(apply) = &expr.terminator
                    && let CallKind::Direct(called) = apply.kind
                {
                    graph.add(id, called);
                }
            });
        }
        let methods: FxHashSet<CodeId> = self.methods.declared.values().map(|(_, code)| *code).collect();
        for code in graph.cycles(self.unit.codes.len()).into_iter().flatten() {
            self.unit.codes[code].recursive |= methods.contains(&code);
        }
    }

    /// Gives a set to a method that is called and not part of the unit after all: its class is in code that is known
    /// not to be executed.
    fn define_lost_method(&mut self, node: NodeId, slot: FunctionSlot, code: CodeId) {
        let Node::Function(function) = self.node(node) else { return };
        let params = function.params.iter().map(|(id, kind)| self.bind_param(*id, *kind)).collect();
        self.unit.codes[code].params = params;
        let name = format!("{}_closure", self.unit.codes[code].linkage_name);
        let set = SetOfClosures { functions: smallvec![(slot, code)], values: Vec::new() };
        let def = StaticDef::Closures { symbols: vec![self.fresh_symbol(name)], set };
        self.unit.statics.push(Static { exported: false, def });
    }

    // ---- calls

    /// `Lsend` in tail position: the object, then the method, then the arguments from right to left.
    pub fn tail_send(&mut self, node: NodeId, target: &Target) -> Result<Terminator> {
        let Node::Send { kind, method, object, args, loc } = self.node(node) else {
            return self.malformed("a method call was expected");
        };
        let object = self.value(*object)?.simple;
        let method = self.value(*method)?.simple;
        let args = atoms(&self.values_right_to_left(args)?);
        let (call, cache) = match kind {
            MethodKind::SelfMethod => (CallKind::MethodSelf, 0),
            MethodKind::Public => (CallKind::MethodPublic, 0),
            MethodKind::Cached => (CallKind::MethodCached, 2),
        };
        if args.len() < cache {
            return self.malformed("a cached method call without cache");
        }
        let mut all = vec![object];
        all.extend(&args);
        let site =
            CallSite { types: &[], loc: *loc, inlined: Inline::Default, specialised: Specialise::Default };
        let mut own = vec![object];
        own.extend(&args[cache..]);
        let known = self.known_methods(node, own.len())?;
        let sent = Sent { object, args: own, otherwise: (method, call, all), site };
        self.dispatch(&known, &sent, target)
    }

    /// What the method of a call may be that has so many arguments, the object included.
    fn known_methods(&mut self, send: NodeId, args: usize) -> Result<Vec<Known>> {
        let mut known: Vec<Known> = Vec::new();
        // What is executed once gains less than the question costs.
        if self.methods.records.is_none() || self.straight {
            return Ok(known);
        }
        for (class, position) in self.methods.classes.candidates(self.term, send) {
            let method = self.methods.classes.classes[&class].methods[position];
            let node = self.methods.classes.methods[method].function;
            if !matches!(self.node(node), Node::Function(f) if f.params.len() == args && !f.tupled)
                || !self.rewrites.allow_in_unit(Rewrite::ConvertedMethod)
            {
                continue;
            }
            let (_, code) = self.declare_method(node)?;
            let place = (self.methods.record(class), position as u32 + 1);
            match known.iter_mut().find(|other| other.code == code) {
                Some(known) => known.places.push(place),
                None => known.push(Known { code, places: vec![place] }),
            }
        }
        Ok(known)
    }

    /// Asks for one function after the other, then does as if none were known.
    fn dispatch(&mut self, known: &[Known], sent: &Sent, target: &Target) -> Result<Terminator> {
        let ([Known { code, places }, others @ ..], Some(records)) = (known, self.methods.records) else {
            let (callee, kind, args) = sent.otherwise.clone();
            return self.apply(Some(callee), kind, args, sent.site, target);
        };
        let closure = self.unit.new_variable("method", Kind::Value, flambeau_ir::Subkind::Any);
        let direct = self.isolated(|this| {
            this.apply(Some(closure.into()), CallKind::Direct(*code), sent.args.clone(), sent.site, target)
        })?;
        let other = self.isolated(|this| this.dispatch(others, sent, target))?;
        let [known, unknown] = ["known_method", "other_method"].map(|name| self.unit.new_continuation(name));
        let handlers = vec![
            ContHandler { cont: known, params: smallvec![closure], body: direct },
            ContHandler::plain(unknown, other),
        ];
        self.items.push(Item::LetCont { recursive: false, handlers });
        self.ask(records, places, sent, known, unknown)
    }

    /// Compares the object's class with those that have a function as this method.
    fn ask(
        &mut self,
        records: Symbol,
        places: &[(u32, u32)],
        sent: &Sent,
        known: Continuation,
        unknown: Continuation,
    ) -> Result<Terminator> {
        let [(field, place), others @ ..] = places else {
            return Ok(Terminator::ApplyCont(ApplyCont::plain(unknown)));
        };
        // Toplevel code runs while classes are being made.
        let mutability = if self.in_function { Mutability::Immutable } else { Mutability::Mutable };
        let loc = sent.site.loc;
        let load = Prim::BlockLoad { field: *field, mutability };
        let record = self.prim("record", load, &[records.into()], loc);
        let test = self.prim("is_instance", Prim::IsInstance, &[sent.object, record], loc);
        let found = self.isolated(|this| {
            let load = Prim::BlockLoad { field: *place, mutability: Mutability::Immutable };
            let closure = this.prim("method", load, &[record], loc);
            Ok(Terminator::ApplyCont(ApplyCont { cont: known, args: smallvec![closure] }))
        })?;
        let next = self.isolated(|this| this.ask(records, others, sent, known, unknown))?;
        let [yes, no] = ["this_class", "other_class"].map(|name| self.unit.new_continuation(name));
        let handlers = vec![ContHandler::plain(yes, found), ContHandler::plain(no, next)];
        self.items.push(Item::LetCont { recursive: false, handlers });
        Ok(two_way(test, yes, no))
    }
}
