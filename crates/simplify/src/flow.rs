//! What a function needs: from its effects and results backwards, through parameters of continuations.

use cranelift_entity::EntitySet;
use flambeau_ir::{
    ApplyCont, Continuation, ExnCont, Expr, Item, Named, Prim, Simple, Terminator, Variable, tags,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::edges::{Edges, Target};
use crate::run::Params;

/// The result.
pub struct Flow<'a> {
    pub needed: EntitySet<Variable>,
    /// Parameters of the continuations of the function.
    pub params: FxHashMap<Continuation, Params>,
    /// How often each is used.
    pub uses: FxHashMap<Continuation, u32>,
    /// Those that receive the result of a call, which needs a parameter to bind it.
    pub returned_to: FxHashSet<Continuation>,
    pending: Vec<Variable>,
    /// The results of diamonds (`unboxing::diamond`), by all their continuations.
    diamonds: &'a FxHashMap<Continuation, Continuation>,
    /// Objects allocated in the function that are equal to no other one.
    fresh: EntitySet<Variable>,
    /// What each variable is computed from.
    sources: FxHashMap<Variable, SmallVec<[Variable; 3]>>,
}

impl<'a> Flow<'a> {
    /// The needs of a body after the downward pass, with its edges.
    pub fn of(body: &Expr, edges: &Edges, diamonds: &'a FxHashMap<Continuation, Continuation>) -> Flow<'a> {
        let mut flow = Flow {
            needed: EntitySet::new(),
            params: FxHashMap::default(),
            uses: FxHashMap::default(),
            returned_to: FxHashSet::default(),
            pending: Vec::new(),
            diamonds,
            fresh: EntitySet::new(),
            sources: FxHashMap::default(),
        };
        // Binders come before uses in this order.
        flow.expr(body, edges);
        flow.solve();
        flow
    }

    fn expr(&mut self, body: &Expr, edges: &Edges) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                self.item(item, edges);
            }
            self.terminator(&expr.terminator, edges);
        });
    }

    fn solve(&mut self) {
        while let Some(var) = self.pending.pop() {
            if self.needed.insert(var)
                && let Some(sources) = self.sources.get(&var)
            {
                self.pending.extend(sources.iter().copied());
            }
        }
    }

    /// Whether a continuation is the join of a diamond.
    pub fn is_diamond(&self, cont: Continuation) -> bool {
        self.diamonds.contains_key(&cont)
    }

    /// Whether one of what is compared is needed for nothing but such comparisons: then nobody else has it, and the
    /// other one is another object.
    pub fn is_of_nobody_else(&self, compared: &[Simple]) -> bool {
        let nobody_has = |var: Variable| self.fresh.contains(var) && !self.needed.contains(var);
        compared.iter().any(|simple| simple.as_var().is_some_and(nobody_has))
    }

    fn root(&mut self, simple: Simple) {
        self.pending.extend(simple.as_var());
    }

    fn source(&mut self, of: Variable, simple: Simple) {
        if let Simple::Var(var) = simple {
            self.sources.entry(of).or_default().push(var);
        }
    }

    fn item(&mut self, item: &Item, edges: &Edges) {
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => self.source(*var, *simple),
            Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                let droppable = prim.can_drop();
                if makes_object(prim) {
                    self.fresh.insert(*var);
                }
                let compares = matches!(prim, Prim::PhysEqual { .. });
                for arg in args {
                    if compares && arg.as_var().is_some_and(|var| self.fresh.contains(var)) {
                        continue;
                    }
                    if droppable { self.source(*var, *arg) } else { self.root(*arg) }
                }
                if let Some(exn) = exn {
                    self.raise(exn, edges);
                }
            }
            Item::LetClosures { vars, set, .. } => {
                for var in vars {
                    for (_, value) in &set.values {
                        self.source(*var, *value);
                    }
                }
            }
            Item::Join { cont, params, .. } => {
                self.params.insert(*cont, params.clone());
            }
            Item::LetCont { handlers, .. } => {
                for handler in handlers {
                    self.params.insert(handler.cont, handler.params.clone());
                }
            }
        }
    }

    fn raise(&mut self, exn: &ExnCont, edges: &Edges) {
        let (cont, extra) = edges.resolve(exn.cont);
        *self.uses.entry(cont).or_default() += 1;
        self.arguments(cont, 1, &exn.extra_args, extra);
    }

    fn jump(&mut self, jump: &ApplyCont, edges: &Edges) {
        if let Target::Edge(edge) = Target::of(jump.cont) {
            for item in &edges[edge].items {
                self.item(item, edges);
                // A diamond, which has no edges: not deep.
                if let Item::Join { body, .. } = item {
                    self.expr(body, edges);
                }
            }
        }
        let (cont, extra) = edges.resolve(jump.cont);
        *self.uses.entry(cont).or_default() += 1;
        self.arguments(cont, 0, &jump.args, extra);
    }

    /// What is passed to a continuation, from one of its parameters on: needed if that is, or if it is not known.
    fn arguments(&mut self, cont: Continuation, first: usize, args: &[Simple], extra: &[Simple]) {
        let Some(params) = self.params.get(&cont) else {
            self.pending.extend(args.iter().filter_map(|arg| arg.as_var()));
            return;
        };
        for (param, arg) in params.iter().skip(first).zip(args.iter().chain(extra)) {
            if let Simple::Var(var) = arg {
                self.sources.entry(*param).or_default().push(*var);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator, edges: &Edges) {
        match terminator {
            Terminator::Apply(apply) => {
                apply.callee.iter().chain(&apply.args).for_each(|simple| self.root(*simple));
                apply.for_each_comparator(&mut |function| self.root(function));
                let args = match Target::of(apply.ret) {
                    Target::Edge(edge) => edges[edge].results.iter().map(|r| Simple::Var(*r)).collect(),
                    Target::Continuation(_) => SmallVec::new(),
                };
                self.jump(&ApplyCont { cont: apply.ret, args }, edges);
                self.returned_to.insert(edges.resolve(apply.ret).0);
                self.raise(&apply.exn, edges);
            }
            Terminator::ApplyCont(jump) => self.jump(jump, edges),
            Terminator::Switch(switch) => {
                match switch.arms.first().and_then(|(_, jump)| self.diamonds.get(&jump.cont)) {
                    Some(diamond) => {
                        for param in self.params.get(diamond).cloned().unwrap_or_default() {
                            self.source(param, switch.scrutinee);
                        }
                    }
                    None => self.root(switch.scrutinee),
                }
                switch.for_each_jump(&mut |jump| self.jump(jump, edges));
            }
            Terminator::StringSwitch(switch) => {
                self.root(switch.scrutinee);
                switch.for_each_jump(&mut |jump| self.jump(jump, edges));
            }
            Terminator::Raise { exn, handler, .. } => {
                self.root(*exn);
                self.raise(handler, edges);
            }
            Terminator::Try { handler, .. } => self.raise(handler, edges),
            Terminator::Unreachable => {}
        }
    }
}

/// Whether a primitive allocates a block that is equal to no other one. Lazy values become others.
fn makes_object(prim: &Prim) -> bool {
    match prim {
        Prim::MakeBlock { tag, .. } => {
            prim.effects().is_fresh() && (*tag < tags::FIRST_SPECIAL || *tag == tags::OBJECT)
        }
        _ => false,
    }
}
