//! Which values flow where in a unit, and whose reading needs whose.

use cranelift_entity::{EntityRef, SecondaryMap};
use flambeau_ir::prim::ArrayKind;
use flambeau_ir::{
    Apply, ApplyCont, CallKind, CodeId, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, StaticDef,
    Terminator, Unit, ValueSlot, Variable, tags,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::classes::{Classes, ELEMENT, Node};
use crate::parameters::known::Known;

/// The functions of the runtime that make an array of one element.
pub(crate) const MAKE: [&str; 2] = ["caml_make_vect", "caml_array_make"];

/// The one that stores an element in a part of an array.
pub(crate) const FILL: &str = "caml_array_fill";

/// What may be needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Need {
    /// A value.
    Value(Node),
    /// A field of what is in the class of a value.
    Field(Node, u32),
}

/// The flows of a unit.
pub(crate) struct Flows {
    pub classes: Classes,
    /// Where values are numbered: variables come first. Fields are not among them.
    symbols: Node,
    slots: Node,
    results: Node,
    values: Node,
    /// What is needed in any case.
    seeds: Vec<Need>,
    /// What the need of something needs.
    edges: Vec<(Need, Need)>,
    params: SecondaryMap<Continuation, SmallVec<[Variable; 2]>>,
    /// Of a continuation that functions return to, which.
    returns: SecondaryMap<Continuation, Option<CodeId>>,
    /// The functions of which all calls are in the unit.
    known: SecondaryMap<CodeId, bool>,
}

impl Flows {
    /// The flows of a unit.
    pub fn of(unit: &Unit) -> Flows {
        let symbols = unit.variables.len();
        let slots = symbols + unit.symbols.len();
        let results = slots + unit.value_slots.len();
        let mut flows = Flows {
            classes: Classes::new(results + unit.codes.len()),
            values: (results + unit.codes.len()) as Node,
            symbols: symbols as Node,
            slots: slots as Node,
            results: results as Node,
            seeds: Vec::new(),
            edges: Vec::new(),
            params: SecondaryMap::new(),
            returns: SecondaryMap::new(),
            known: SecondaryMap::new(),
        };
        let known = Known::of(unit);
        for (id, code) in &unit.codes {
            flows.returns[code.ret] = Some(id);
            flows.known[id] = known.is_known(id);
            flows.classes.fix(code.my_closure.as_u32());
            if !known.is_known(id) {
                code.params.iter().for_each(|param| flows.classes.escape(param.as_u32()));
                flows.use_node(flows.result(id));
            }
        }
        flows.statics(unit);
        let bodies = || unit.bodies();
        bodies().for_each(|body| flows.bind(body));
        bodies().for_each(|body| flows.body(unit, body));
        flows.classes.propagate();
        flows
    }

    /// The number of an atom that is no constant.
    pub fn node(&self, atom: Simple) -> Option<Node> {
        match atom {
            Simple::Var(var) => Some(var.as_u32()),
            Simple::Symbol(symbol) => Some(self.symbols + symbol.as_u32()),
            Simple::Const(_) => None,
        }
    }

    /// The number of a function's result.
    pub fn result(&self, code: CodeId) -> Node {
        self.results + code.as_u32()
    }

    /// Whether all calls of a function are in the unit.
    pub fn is_known(&self, code: CodeId) -> bool {
        self.known[code]
    }

    /// The number of what is captured in a slot.
    pub fn slot(&self, slot: ValueSlot) -> Node {
        self.slots + slot.index() as Node
    }

    /// A value is used where nothing more is known of it.
    fn use_node(&mut self, node: Node) {
        self.classes.escape(node);
        self.seeds.push(Need::Value(node));
    }

    fn uses(&mut self, atom: Simple) {
        if let Some(node) = self.node(atom) {
            self.use_node(node);
        }
    }

    /// The need of something needs an atom.
    fn needs(&mut self, need: Need, atom: Simple) {
        if let Some(node) = self.node(atom) {
            self.edges.push((need, Need::Value(node)));
        }
    }

    /// A value may be what an atom is.
    fn flows(&mut self, from: Simple, into: Node) {
        if let Some(node) = self.node(from) {
            self.classes.unify(into, node);
            self.edges.push((Need::Value(into), Need::Value(node)));
        }
    }

    /// A field of a value may hold what an atom is.
    fn holds(&mut self, block: Node, field: u32, atom: Simple) {
        let node = self.classes.field(block, field);
        if let Some(held) = self.node(atom) {
            self.classes.unify(node, held);
        }
        self.needs(Need::Field(block, field), atom);
    }

    fn statics(&mut self, unit: &Unit) {
        let mut defined = SecondaryMap::new();
        for item in &unit.statics {
            for &symbol in item.def.symbols() {
                defined[symbol] = true;
                let node = self.symbols + symbol.as_u32();
                match &item.def {
                    StaticDef::Block { tag, fields, .. } if *tag < tags::FIRST_SPECIAL => {
                        for (index, field) in (0..).zip(fields) {
                            self.holds(node, index, field.simple());
                        }
                        if item.exported {
                            self.use_node(node);
                        }
                    }
                    StaticDef::Preallocated { size, private, .. } => {
                        self.classes.fix(node);
                        let seen = if item.exported { size.saturating_sub(*private) } else { 0 };
                        for index in 0..seen {
                            let field = self.classes.field(node, index);
                            self.classes.escape(field);
                            self.seeds.push(Need::Field(node, index));
                        }
                    }
                    StaticDef::Closures { .. } => self.classes.fix(node),
                    _ => self.use_node(node),
                }
            }
            if let StaticDef::Closures { set, .. } = &item.def {
                set.values.iter().for_each(|(slot, value)| self.flows(*value, self.slot(*slot)));
            }
        }
        for symbol in unit.symbols.keys().filter(|symbol| !defined[*symbol]) {
            self.use_node(self.symbols + symbol.as_u32());
        }
    }

    /// Records the parameters of continuations.
    fn bind(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Join { cont, params, .. } => self.params[*cont].clone_from(params),
                    Item::LetCont { handlers, .. } => {
                        for handler in handlers {
                            self.params[handler.cont].clone_from(&handler.params);
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
        });
    }

    fn body(&mut self, unit: &Unit, body: &Expr) {
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            self.terminator(unit, &expr.terminator);
        });
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Let { var, named: Named::Simple(atom), .. } => self.flows(*atom, var.as_u32()),
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                self.primitive(var.as_u32(), prim, args);
                exn.iter().for_each(|exn| self.raises(exn));
            }
            Item::LetClosures { vars, set, .. } => {
                vars.iter().for_each(|var| self.classes.fix(var.as_u32()));
                set.values.iter().for_each(|(slot, value)| self.flows(*value, self.slot(*slot)));
            }
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn primitive(&mut self, result: Node, prim: &Prim, args: &[Simple]) {
        match (prim, args) {
            (Prim::MakeBlock { tag, .. }, fields) if *tag < tags::FIRST_SPECIAL => {
                (0..).zip(fields).for_each(|(index, field)| self.holds(result, index, *field));
            }
            (Prim::BlockLoad { field, .. }, [block @ (Simple::Var(_) | Simple::Symbol(_))]) => {
                let Some(node) = self.node(*block) else { return };
                let content = self.classes.field(node, *field);
                self.classes.unify(result, content);
                self.edges.push((Need::Value(result), Need::Field(node, *field)));
                self.needs(Need::Value(result), *block);
            }
            (Prim::BlockStore { field, .. }, [block @ (Simple::Var(_) | Simple::Symbol(_)), value]) => {
                let Some(node) = self.node(*block) else { return };
                self.holds(node, *field, *value);
                self.needs(Need::Field(node, *field), *block);
            }
            (Prim::OffsetRef { .. }, [block]) => {
                if let Some(node) = self.node(*block) {
                    self.seeds.extend([Need::Field(node, 0), Need::Value(node)]);
                }
            }
            // Blocks have a length, too (`Obj.size`).
            (Prim::ArrayLength { .. }, [array]) => {
                self.node(*array).into_iter().for_each(|node| self.classes.take_for_array(node));
                self.needs(Need::Value(result), *array);
            }
            (Prim::Duplicate { .. }, [block]) => self.flows(*block, result),
            (Prim::MakeArray { kind, .. }, elements) if *kind != ArrayKind::Float => {
                self.classes.take_for_array(result);
                for element in elements {
                    self.holds(result, ELEMENT, *element);
                    // It is looked at, whether it is a float.
                    if *kind == ArrayKind::Generic {
                        self.needs(Need::Value(result), *element);
                    }
                }
            }
            (Prim::ArrayLoad { kind }, [array @ (Simple::Var(_) | Simple::Symbol(_)), index])
                if *kind != ArrayKind::Float =>
            {
                let Some(node) = self.node(*array) else { return };
                self.classes.take_for_array(node);
                let content = self.classes.field(node, ELEMENT);
                self.classes.unify(result, content);
                self.edges.push((Need::Value(result), Need::Field(node, ELEMENT)));
                self.needs(Need::Value(result), *array);
                self.needs(Need::Value(result), *index);
            }
            (Prim::ArrayStore { kind }, [array @ (Simple::Var(_) | Simple::Symbol(_)), index, element])
                if *kind != ArrayKind::Float =>
            {
                let Some(node) = self.node(*array) else { return };
                self.classes.take_for_array(node);
                self.holds(node, ELEMENT, *element);
                self.needs(Need::Field(node, ELEMENT), *array);
                self.needs(Need::Field(node, ELEMENT), *index);
            }
            (Prim::CCall(external), [count, element]) if MAKE.contains(&&*external.name) => {
                self.classes.take_for_array(result);
                self.uses(*count);
                self.holds(result, ELEMENT, *element);
                // So does the runtime.
                self.seeds.extend(self.node(*element).map(Need::Value));
            }
            (Prim::CCall(external), [array, start, count, element]) if external.name == FILL => {
                let Some(node) = self.array(*array) else { return };
                self.holds(node, ELEMENT, *element);
                [start, count].into_iter().for_each(|arg| self.uses(*arg));
                self.seeds.extend(self.node(*element).map(Need::Value));
            }
            (Prim::CCall(external), [array, start, count]) if external.name == "caml_array_sub" => {
                let Some(node) = self.array(*array) else { return };
                self.classes.unify(result, node);
                [start, count].into_iter().for_each(|arg| self.uses(*arg));
            }
            (Prim::CCall(external), [first, second]) if external.name == "caml_array_append" => {
                self.classes.take_for_array(result);
                for array in [first, second] {
                    if let Some(node) = self.array(*array) {
                        self.classes.unify(result, node);
                    }
                }
            }
            (Prim::CCall(external), [from, start, into, place, count])
                if external.name == "caml_array_blit" =>
            {
                let nodes = [from, into].map(|array| self.array(*array));
                if let [Some(from), Some(into)] = nodes {
                    self.classes.unify(from, into);
                }
                [start, place, count].into_iter().for_each(|arg| self.uses(*arg));
            }
            // Pattern matching compares words, pointers among them (soundness row 28).
            (Prim::IsInt | Prim::GetTag | Prim::PhysEqual { .. } | Prim::IntCompare { .. }, args) => {
                args.iter().for_each(|arg| self.needs(Need::Value(result), *arg));
            }
            (Prim::ProjectValueSlot { value, .. }, [closure]) => {
                let slot = self.slot(*value);
                self.classes.unify(result, slot);
                self.edges.push((Need::Value(result), Need::Value(slot)));
                self.needs(Need::Value(result), *closure);
            }
            (Prim::ProjectFunctionSlot { .. }, [closure]) => {
                self.classes.fix(result);
                self.needs(Need::Value(result), *closure);
            }
            _ if prim.can_drop() => {
                self.classes.escape(result);
                for arg in args {
                    self.needs(Need::Value(result), *arg);
                    if let Some(node) = self.node(*arg) {
                        self.classes.escape(node);
                    }
                }
            }
            _ => {
                self.classes.escape(result);
                args.iter().for_each(|arg| self.uses(*arg));
            }
        }
    }

    /// An array of which the runtime copies elements: it is needed, and they are. What is in two of one class it copies
    /// whatever their representation is.
    fn array(&mut self, array: Simple) -> Option<Node> {
        let node = self.node(array)?;
        self.classes.take_for_array(node);
        self.classes.field(node, ELEMENT);
        self.seeds.extend([Need::Value(node), Need::Field(node, ELEMENT)]);
        Some(node)
    }

    /// An exception may be passed to its handler.
    fn raises(&mut self, exn: &ExnCont) {
        let params = self.params[exn.cont].clone();
        if let Some(first) = params.first() {
            self.classes.escape(first.as_u32());
        }
        for (param, arg) in params.iter().skip(1).zip(&exn.extra_args) {
            self.flows(*arg, param.as_u32());
        }
    }

    fn jump(&mut self, jump: &ApplyCont) {
        if let Some(code) = self.returns[jump.cont] {
            let result = self.result(code);
            return jump.args.iter().for_each(|arg| self.flows(*arg, result));
        }
        let params = self.params[jump.cont].clone();
        for (param, arg) in params.iter().zip(&jump.args) {
            self.flows(*arg, param.as_u32());
        }
    }

    fn terminator(&mut self, unit: &Unit, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.call(unit, apply),
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::Switch(switch) => {
                self.uses(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump));
            }
            Terminator::StringSwitch(switch) => {
                self.uses(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.uses(*exn);
                self.raises(handler);
            }
            Terminator::Try { handler, .. } => self.raises(handler),
            Terminator::Unreachable => {}
        }
    }

    fn call(&mut self, unit: &Unit, apply: &Apply) {
        apply.for_each_comparator(&mut |function| self.uses(function));
        apply.callee.iter().for_each(|callee| self.uses(*callee));
        self.raises(&apply.exn);
        let known = match apply.kind {
            CallKind::Direct(code) if self.known[code] => Some(code),
            _ => None,
        };
        match known {
            Some(code) => {
                for (param, arg) in unit.codes[code].params.iter().zip(&apply.args) {
                    self.flows(*arg, param.as_u32());
                }
            }
            None => apply.args.iter().for_each(|arg| self.uses(*arg)),
        }
        let into = match self.returns[apply.ret] {
            Some(own) => Some(self.result(own)),
            None => self.params[apply.ret].first().map(|param| param.as_u32()),
        };
        let Some(into) = into else { return };
        match known {
            Some(code) => {
                let result = self.result(code);
                self.classes.unify(into, result);
                self.edges.push((Need::Value(into), Need::Value(result)));
            }
            None => self.classes.escape(into),
        }
    }

    /// What is needed, in the end.
    pub fn needed(&mut self) -> Needed {
        let mut numbers: FxHashMap<(Node, u32), Node> = FxHashMap::default();
        let mut count = self.values;
        let mut escaping: Vec<Node> = Vec::new();
        let classes = &mut self.classes;
        let mut number = |need: Need| match need {
            Need::Value(node) => node,
            Need::Field(node, field) => {
                let root = classes.find(node);
                *numbers.entry((root, field)).or_insert_with(|| {
                    count += 1;
                    if classes.escapes(root) {
                        escaping.push(count - 1);
                    }
                    count - 1
                })
            }
        };
        let edges: Vec<(Node, Node)> =
            self.edges.iter().map(|(from, to)| (number(*from), number(*to))).collect();
        let mut pending: Vec<Node> = self.seeds.iter().map(|seed| number(*seed)).collect();
        pending.extend(escaping);
        // The edges by where they begin.
        let mut first = vec![0u32; count as usize + 1];
        edges.iter().for_each(|(from, _)| first[*from as usize + 1] += 1);
        (0..count as usize).for_each(|node| first[node + 1] += first[node]);
        let mut next = first.clone();
        let mut to = vec![0; edges.len()];
        for (from, into) in edges {
            to[next[from as usize] as usize] = into;
            next[from as usize] += 1;
        }
        let mut is_needed = vec![false; count as usize];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut is_needed[node as usize], true) {
                let (begin, end) = (first[node as usize], first[node as usize + 1]);
                pending.extend(&to[begin as usize..end as usize]);
            }
        }
        Needed { is_needed, numbers }
    }
}

/// What is needed in a unit.
pub(crate) struct Needed {
    is_needed: Vec<bool>,
    numbers: FxHashMap<(Node, u32), Node>,
}

impl Needed {
    /// Whether a value is needed.
    pub fn value(&self, node: Node) -> bool {
        self.is_needed[node as usize]
    }

    /// Whether a field of what is in a class is needed, by the class's first value.
    pub fn field(&self, root: Node, field: u32) -> bool {
        self.numbers.get(&(root, field)).is_some_and(|number| self.is_needed[*number as usize])
    }
}
