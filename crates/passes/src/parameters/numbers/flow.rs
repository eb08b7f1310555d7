//! From where to where boxed numbers flow, in functions that call each other, and what needs the box.

use flambeau_ir::{
    Apply, BoxedKind, CallKind, CodeId, Continuation, Expr, Item, Named, Prim, Simple, Symbol, Terminator,
    Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::super::results::never_returns;
use super::super::shapes::Allocations;
use super::{Numeric, number};

/// No more boxes that exist are found again by a stub.
const MOST_FOUND_AGAIN: usize = 3;

/// Where more comes together than this nothing is known of it.
const FARTHEST: usize = 1000;

/// What may be a box or a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Variable(Variable),
    Result(CodeId),
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Source {
    Node(Node),
    /// A box that is made there.
    Fresh(BoxedKind),
    /// A box that calls from elsewhere pass, as the type of the parameter says.
    Given(BoxedKind),
    /// A static box.
    Constant(Symbol, BoxedKind),
    /// A box that exists, or something else.
    Other,
}

/// The boxes that exist and may be what a function returns.
#[derive(Default)]
pub(super) struct Origins {
    pub constants: SmallVec<[Symbol; 2]>,
    /// Its parameters, by their positions.
    pub params: SmallVec<[usize; 3]>,
}

/// How boxed numbers flow in the functions in question and in those that call them.
pub(super) struct Flow {
    sources: FxHashMap<Node, SmallVec<[Source; 2]>>,
    /// What something needs as a box.
    whole: FxHashSet<Node>,
    /// What continuations take.
    conts: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
}

/// All that comes to a node in the end.
#[derive(Default)]
struct Closure {
    nodes: FxHashSet<Node>,
    kinds: SmallVec<[BoxedKind; 2]>,
    constants: SmallVec<[Symbol; 2]>,
    makes: bool,
    is_open: bool,
}

struct Walk<'a> {
    unit: &'a Unit,
    allocations: &'a Allocations,
    candidates: &'a FxHashSet<CodeId>,
    ends_at_calls: bool,
    flow: Flow,
    /// The function that is looked at, if it is one of those in question, and where it returns to.
    own: Option<(CodeId, Continuation)>,
    /// Calls in tail position: the callee and the caller.
    tails: Vec<(CodeId, CodeId)>,
}

impl Flow {
    /// Of functions that might be numeric. `ends_at_calls`: calls in tail position that never return are no returns.
    pub fn of(
        unit: &Unit,
        allocations: &Allocations,
        candidates: &FxHashSet<CodeId>,
        ends_at_calls: bool,
    ) -> Flow {
        let flow =
            Flow { sources: FxHashMap::default(), whole: FxHashSet::default(), conts: FxHashMap::default() };
        let mut walk =
            Walk { unit, allocations, candidates, ends_at_calls, flow, own: None, tails: Vec::new() };
        for (id, code) in &unit.codes {
            let own = candidates.contains(&id).then_some((id, code.ret));
            if own.is_some() || walk.calls_some(&code.body) {
                walk.function(own, &code.params, &code.body);
            }
        }
        if walk.calls_some(&unit.entry.body) {
            walk.function(None, &[], &unit.entry.body);
        }
        let Walk { mut flow, tails, .. } = walk;
        loop {
            flow.spread(&tails);
            let is_whole = |code: &CodeId| flow.result(unit, *code).is_none();
            let results: Vec<Node> =
                candidates.iter().filter(|code| is_whole(code)).map(|code| Node::Result(*code)).collect();
            let before = flow.whole.len();
            flow.whole.extend(results);
            if flow.whole.len() == before {
                return flow;
            }
        }
    }

    /// Finds all that is needed as a box: what comes to something that is, and where a call in tail position is made
    /// what the callee and the caller return.
    fn spread(&mut self, tails: &[(CodeId, CodeId)]) {
        let mut pending: Vec<Node> = self.whole.iter().copied().collect();
        while let Some(node) = pending.pop() {
            let sources = self.sources.get(&node).into_iter().flatten().filter_map(|source| match source {
                Source::Node(node) => Some(*node),
                _ => None,
            });
            let callers = tails.iter().filter(|(callee, _)| node == Node::Result(*callee));
            let found: Vec<Node> = sources.chain(callers.map(|(_, caller)| Node::Result(*caller))).collect();
            pending.extend(found.into_iter().filter(|node| self.whole.insert(*node)));
        }
    }

    fn closure(&self, node: Node) -> Closure {
        let mut closure = Closure::default();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if closure.nodes.len() == FARTHEST {
                closure.is_open = true;
                break;
            }
            if !closure.nodes.insert(node) {
                continue;
            }
            let Some(sources) = self.sources.get(&node) else {
                closure.is_open = true;
                continue;
            };
            for source in sources {
                match *source {
                    Source::Node(node) => pending.push(node),
                    Source::Fresh(kind) => {
                        closure.makes = true;
                        closure.is(kind);
                    }
                    Source::Given(kind) => closure.is(kind),
                    Source::Constant(symbol, kind) => {
                        closure.is(kind);
                        if !closure.constants.contains(&symbol) {
                            closure.constants.push(symbol);
                        }
                    }
                    Source::Other => closure.is_open = true,
                }
            }
        }
        closure
    }

    /// Whether something other than unboxing is done with what a call returns there.
    pub fn needs_box(&self, ret: Continuation) -> bool {
        let param = self.conts.get(&ret).and_then(|params| params.first());
        param.is_none_or(|param| self.whole.contains(&Node::Variable(*param)))
    }

    /// Whether an atom is known to be a boxed number by how it was made.
    pub fn is_number(&self, atom: Simple) -> bool {
        atom.as_var().is_some_and(|var| !self.closure(Node::Variable(var)).is_open)
    }

    /// The number that a function returns, and the boxes of such that exist, if all that it returns is known, and few
    /// of these are.
    fn result(&self, unit: &Unit, code: CodeId) -> Option<(BoxedKind, Origins)> {
        let result = Node::Result(code);
        let closure = self.closure(result);
        let own = &unit.codes[code].params;
        let params: SmallVec<[usize; 3]> =
            (0..own.len()).filter(|index| closure.nodes.contains(&Node::Variable(own[*index]))).collect();
        let [kind] = closure.kinds[..] else { return None };
        let is_few = params.len() + closure.constants.len() <= MOST_FOUND_AGAIN;
        // What is needed as a box, too, would be made a second time.
        let needs_none = closure.nodes.is_disjoint(&self.whole);
        let is_number = !closure.is_open && is_few && needs_none;
        is_number.then_some((kind, Origins { constants: closure.constants, params }))
    }

    /// How a function takes and returns numbers, if it does, and some of them are made.
    pub fn numeric(&self, unit: &Unit, code: CodeId) -> Option<Numeric> {
        let result = self.result(unit, code);
        let own = &unit.codes[code].params;
        let params: SmallVec<[Option<BoxedKind>; 4]> = own
            .iter()
            .map(|param| number(unit, *param).filter(|_| !self.whole.contains(&Node::Variable(*param))))
            .collect();
        let is_made = |node: Node| self.closure(node).makes;
        let mut numbers = own.iter().zip(&params).filter(|(_, kind)| kind.is_some());
        // Where only what is returned is made, and is no parameter, `results` knows more of what callers need.
        let returns_some = result.as_ref().is_some_and(|(_, origins)| !origins.params.is_empty());
        let is_worth_it = returns_some && is_made(Node::Result(code))
            || numbers.any(|(param, _)| is_made(Node::Variable(*param)));
        let (result, origins) =
            result.map_or((None, Origins::default()), |(kind, origins)| (Some(kind), origins));
        is_worth_it.then_some(Numeric { result, params, origins })
    }
}

impl Closure {
    fn is(&mut self, kind: BoxedKind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }
}

impl Walk<'_> {
    /// Whether one of the functions in question is called.
    fn calls_some(&self, body: &Expr) -> bool {
        let mut found = false;
        body.walk(&mut |expr| {
            found |= matches!(&expr.terminator, Terminator::Apply(apply) if self.callee(apply).is_some());
        });
        found
    }

    fn callee(&self, apply: &Apply) -> Option<CodeId> {
        match apply.kind {
            CallKind::Direct(callee) if self.candidates.contains(&callee) => Some(callee),
            _ => None,
        }
    }

    fn function(&mut self, own: Option<(CodeId, Continuation)>, params: &[Variable], body: &Expr) {
        self.own = own;
        for param in params {
            // A box that is passed and returned is found again.
            let kind = number(self.unit, *param).filter(|_| own.is_some());
            self.comes(kind.map_or(Source::Other, Source::Given), Node::Variable(*param));
        }
        if let Some((code, _)) = own {
            self.flow.sources.entry(Node::Result(code)).or_default();
        }
        body.walk(&mut |expr| {
            for item in &expr.items {
                match item {
                    Item::Join { cont, params, .. } => self.binds(*cont, params),
                    Item::LetCont { handlers, .. } => {
                        handlers.iter().for_each(|handler| self.binds(handler.cont, &handler.params));
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
        });
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            self.terminator(&expr.terminator);
        });
    }

    fn binds(&mut self, cont: Continuation, params: &SmallVec<[Variable; 2]>) {
        self.flow.conts.insert(cont, params.clone());
        for param in params {
            self.flow.sources.entry(Node::Variable(*param)).or_default();
        }
    }

    fn comes(&mut self, source: Source, to: Node) {
        self.flow.sources.entry(to).or_default().push(source);
    }

    fn flows(&mut self, atom: Simple, to: Node) {
        let source = match (atom, self.allocations.number(atom)) {
            (Simple::Var(var), _) => Source::Node(Node::Variable(var)),
            (Simple::Symbol(symbol), Some((kind, _))) => Source::Constant(symbol, kind),
            _ => Source::Other,
        };
        self.comes(source, to);
    }

    fn needs(&mut self, atom: Simple) {
        if let Some(var) = atom.as_var() {
            self.flow.whole.insert(Node::Variable(var));
        }
    }

    /// What a continuation takes that does more than jumping to it.
    fn unknown(&mut self, cont: Continuation) {
        for param in self.flow.conts.get(&cont).cloned().into_iter().flatten() {
            self.comes(Source::Other, Node::Variable(param));
        }
    }

    fn item(&mut self, item: &Item) {
        item.for_each_cont_use(&mut |cont, _| self.unknown(cont));
        match item {
            Item::Let { var, named: Named::Simple(atom), .. } => self.flows(*atom, Node::Variable(*var)),
            Item::Let { var, named: Named::Prim { prim, exn, .. }, .. } => {
                if !matches!(prim, Prim::Unbox(_)) || exn.is_some() {
                    item.for_each_simple(&mut |atom| self.needs(atom));
                }
                let source = match prim {
                    Prim::Box(kind) => Source::Fresh(*kind),
                    _ => Source::Other,
                };
                self.comes(source, Node::Variable(*var));
            }
            Item::LetClosures { vars, set, .. } => {
                set.for_each_simple(&mut |atom| self.needs(atom));
                vars.iter().for_each(|var| self.comes(Source::Other, Node::Variable(*var)));
            }
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Apply(apply) => return self.call(apply),
            Terminator::Switch(switch) => self.needs(switch.scrutinee),
            Terminator::StringSwitch(switch) => self.needs(switch.scrutinee),
            Terminator::ApplyCont(_) | Terminator::Unreachable => {}
            Terminator::Raise { .. } | Terminator::Try { .. } => {
                terminator.for_each_simple(&mut |atom| self.needs(atom));
                terminator.for_each_cont_use(&mut |cont, _| self.unknown(cont));
            }
        }
        terminator.for_each_jump(&mut |jump| {
            if let Some((code, _)) = self.own.filter(|(_, ret)| *ret == jump.cont) {
                return self.flows(jump.args[0], Node::Result(code));
            }
            let params = self.flow.conts.get(&jump.cont).cloned().unwrap_or_default();
            for (position, arg) in jump.args.iter().enumerate() {
                match params.get(position) {
                    Some(param) => self.flows(*arg, Node::Variable(*param)),
                    None => self.needs(*arg),
                }
            }
        });
    }

    fn call(&mut self, apply: &Apply) {
        apply.callee.iter().for_each(|callee| self.needs(*callee));
        apply.for_each_comparator(&mut |function| self.needs(function));
        apply.exn.for_each_simple(&mut |atom| self.needs(atom));
        self.unknown(apply.exn.cont);
        let callee = self.callee(apply);
        let params = callee.map(|callee| &self.unit.codes[callee].params);
        for (position, arg) in apply.args.iter().enumerate() {
            match params.map(|params| params[position]).filter(|param| number(self.unit, *param).is_some()) {
                Some(param) if self.own.is_some() => self.flows(*arg, Node::Variable(param)),
                // The number is read of a box that exists.
                Some(_) => {}
                None => self.needs(*arg),
            }
        }
        match (self.own.filter(|(_, ret)| *ret == apply.ret), callee) {
            (Some((code, _)), Some(callee)) => {
                self.comes(Source::Node(Node::Result(callee)), Node::Result(code));
                self.tails.push((callee, code));
            }
            (Some((code, _)), None) => {
                if !(self.ends_at_calls && never_returns(self.unit, apply)) {
                    self.flow.whole.insert(Node::Result(code));
                }
            }
            (None, Some(callee)) if self.own.is_some() => {
                for param in self.flow.conts.get(&apply.ret).cloned().into_iter().flatten() {
                    self.comes(Source::Node(Node::Result(callee)), Node::Variable(param));
                }
            }
            (None, _) => self.unknown(apply.ret),
        }
    }
}
