//! Results: a function that allocates what it returns for each of its returns, of which some call uses only the parts,
//! returns the parts; calls make the whole where they need that (features E8).
//!
//! A boxed number is returned as the number. Of a block, or of the constructors of a variant, one part is
//! returned in the register, the others in slots ([`flambeau_ir::Prim::StoreResult`]): static ones of the
//! unit, or, where several domains run at the same time, those of the domain. Functions that return each
//! other's results are a *class*. Nothing is allocated a second time: what is returned is allocated for that
//! alone, or is a constant. A constant exists already: calls that need it whole find it again by its parts,
//! if there is one; if there are more, each call has to use only the parts.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, CallKind, CodeId, Continuation, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, Simple, Static,
    StaticDef, SymbolData, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::boxes::Convention;
use super::known::Known;
use super::shapes::{Allocations, MOST_PARTS, Shape};
use super::workers;

/// The name of a unit's static slots.
const SLOTS: &str = "results";

/// What is known of the results of functions which return each other's.
#[derive(Clone, Default)]
struct Class {
    /// How many functions there are beside the first.
    others: u32,
    shape: Shape,
    /// How many calls use only the parts.
    parts: u32,
    /// The fields, as bits, of which such calls look only into the blocks that they hold.
    looked_into: u64,
    /// The functions with the calls that use the whole.
    wholes: Vec<Option<CodeId>>,
    /// Others may call one, and need the whole.
    is_public: bool,
    /// One stores parts, of what it returns perhaps: a run of the pass before this one made it return them.
    has_stores: bool,
}

/// How the results of calls are used.
#[derive(Default)]
struct Uses {
    /// How often parts of variables are looked at.
    reads: SecondaryMap<Variable, u32>,
    /// What continuations take, and how often they are used.
    params: SecondaryMap<Continuation, SmallVec<[Variable; 2]>>,
    conts: SecondaryMap<Continuation, u32>,
    /// What is passed to continuations, by continuation and position.
    passed: Vec<(Variable, Continuation, usize)>,
    /// The variables that something needs whole.
    whole: SecondaryMap<Variable, bool>,
    /// Loads of fields: of what, which, and the results.
    loads: Vec<(Variable, u32, Variable)>,
    /// The fields, as bits, of variables of which only parts are looked at.
    looked_into: SecondaryMap<Variable, u64>,
}

struct Analysis {
    allocations: Allocations,
    uses: Uses,
    /// Union-find, by the numbers of codes.
    parents: SecondaryMap<CodeId, Option<CodeId>>,
    classes: SecondaryMap<CodeId, Class>,
}

/// Makes functions return parts; returns whether there was one.
pub(super) fn results(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let known = Known::of(unit);
    let divisible = workers::divisible(unit, &known);
    let analysis = Analysis::of(unit, &known, &divisible);
    let mut chosen: SecondaryMap<CodeId, Option<Kind>> = SecondaryMap::new();
    for code in unit.codes.keys().filter(|code| analysis.find(*code) == *code) {
        if let Some(register) = analysis.register(code)
            && rewrites.allow(Rewrite::NakedResult, unit, Some(code))
        {
            chosen[code] = Some(register);
        }
    }
    let functions: Vec<CodeId> =
        unit.codes.keys().filter(|code| chosen[analysis.find(*code)].is_some()).collect();
    if functions.is_empty() {
        return false;
    }
    let divided: Vec<CodeId> = functions.iter().copied().filter(|code| divisible[*code]).collect();
    let workers = workers::divide(unit, &divided);
    let has_blocks = |code: &CodeId| analysis.classes[analysis.find(*code)].shape.number.is_none();
    let needs_static = !rewrites.several_domains && functions.iter().any(has_blocks);
    let slots = if needs_static { slots(unit) } else { Simple::UNIT };
    let mut conventions: SecondaryMap<CodeId, Option<Convention>> = SecondaryMap::new();
    for function in functions {
        let class = analysis.find(function);
        let Some(register) = chosen[class] else { continue };
        let code = workers[function].unwrap_or(function);
        let shape = analysis.shape(class);
        let convention = Convention { shape, register, slots, allocations: &analysis.allocations };
        let ret = unit.codes[code].ret;
        let mut body = unit.codes[code].body.take();
        convention.returns(unit, &mut body, ret);
        unit.codes[code].body = body;
        unit.codes[code].result = register;
        conventions[code] = Some(convention);
    }
    unit.rewrite_bodies(|unit, caller, body| {
        // A call in tail position returns what the caller returns, if that gives parts too.
        let own = caller.filter(|code| conventions[*code].is_some()).map(|code| unit.codes[code].ret);
        let mut taken = FxHashSet::default();
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && let Some(convention) = &conventions[callee]
                && Some(apply.ret) != own
                && !taken.contains(&apply.ret)
            {
                let wanted = analysis.wants_parts(apply.ret);
                taken.insert(convention.take(unit, expr, wanted));
            }
        });
        true
    });
    true
}

/// Whether a body stores parts of results.
fn has_stores(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |run| {
        found |= run.items.iter().any(|item| {
            matches!(item, Item::Let { named: Named::Prim { prim: Prim::StoreResult { .. }, .. }, .. })
        });
    });
    found
}

/// The static slots of a unit.
fn slots(unit: &mut Unit) -> Simple {
    let linkage_name = unit.naming.local(SLOTS);
    if let Some((symbol, _)) = unit.symbols.iter().find(|(_, data)| data.linkage_name == linkage_name) {
        return symbol.into();
    }
    let symbol = unit.symbols.push(SymbolData { linkage_name, is_local: true });
    // The collector does not look into floats.
    let def = StaticDef::FloatArray { symbol, mutable: true, elements: vec![0; MOST_PARTS] };
    unit.statics.push(Static { exported: false, def });
    symbol.into()
}

impl Analysis {
    /// `divisible`: the functions that would get a worker, for which somebody else needs the whole.
    fn of(unit: &Unit, known: &Known, divisible: &SecondaryMap<CodeId, bool>) -> Analysis {
        let allocations = Allocations::of(unit);
        let uses = Uses::of(unit, &allocations);
        let mut analysis =
            Analysis { allocations, uses, parents: SecondaryMap::new(), classes: SecondaryMap::new() };
        for (id, code) in &unit.codes {
            let class = &mut analysis.classes[id];
            class.shape.refused = !(known.is_known(id) || divisible[id]) || code.result != Kind::Value;
            class.is_public = divisible[id];
            class.has_stores = has_stores(&code.body);
        }
        for (id, code) in &unit.codes {
            // A stub may make the whole of what it gets, though it was in tail position.
            let own = (id, code.ret);
            analysis.body(&code.body, Some(id), Some(own).filter(|_| !code.attributes.stub));
        }
        analysis.body(&unit.entry.body, None, None);
        analysis
    }

    fn find(&self, mut code: CodeId) -> CodeId {
        while let Some(parent) = self.parents[code] {
            code = parent;
        }
        code
    }

    fn class(&mut self, code: CodeId) -> &mut Class {
        let root = self.find(code);
        &mut self.classes[root]
    }

    fn unite(&mut self, a: CodeId, b: CodeId) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        // The larger class takes the smaller one, so that paths stay short.
        if self.classes[a].others < self.classes[b].others {
            std::mem::swap(&mut a, &mut b);
        }
        self.parents[b] = Some(a);
        let from = std::mem::take(&mut self.classes[b]);
        let into = &mut self.classes[a];
        into.others += from.others + 1;
        into.parts += from.parts;
        into.looked_into |= from.looked_into;
        into.wholes.extend(from.wholes);
        into.is_public |= from.is_public;
        into.has_stores |= from.has_stores;
        into.shape.join(from.shape);
    }

    /// The body of a function, which may return what it gets, or that of the entry.
    fn body(&mut self, body: &Expr, caller: Option<CodeId>, own: Option<(CodeId, Continuation)>) {
        body.walk(&mut |expr| {
            if let Some((code, ret)) = own {
                expr.terminator.for_each_jump(&mut |jump| {
                    if jump.cont == ret {
                        let shape = self.allocations.shape(jump.args[0]);
                        self.class(code).shape.join(shape);
                    }
                });
            }
            if let Terminator::Apply(apply) = &expr.terminator {
                self.call(apply, caller, own);
            }
        });
    }

    fn call(&mut self, apply: &Apply, caller: Option<CodeId>, own: Option<(CodeId, Continuation)>) {
        let callee = match apply.kind {
            CallKind::Direct(callee) => Some(callee),
            _ => None,
        };
        match (own.filter(|(_, ret)| *ret == apply.ret), callee) {
            (Some((caller, _)), Some(callee)) => self.unite(caller, callee),
            (Some((caller, _)), None) => self.class(caller).shape.refused = true,
            (None, Some(callee)) => {
                let wanted = self.wants_parts(apply.ret);
                let looked_into = self.looked_into(apply.ret);
                let class = self.class(callee);
                if wanted {
                    class.parts += 1;
                    class.looked_into |= looked_into;
                } else {
                    class.wholes.push(caller);
                }
            }
            (None, None) => {}
        }
    }

    /// The kind that the functions of a class are to return in the register, if they are to return parts: where as many
    /// calls want parts as want the whole. Blocks do not return in parts where the functions themselves make them
    /// whole, as the rest of a list.
    fn register(&self, root: CodeId) -> Option<Kind> {
        let class = &self.classes[root];
        let is_whole = !class.wholes.is_empty() || class.is_public;
        let is_better = class.parts > 0 && !(class.shape.has_several_constants() && is_whole);
        let is_inside = |caller: &Option<CodeId>| caller.is_some_and(|caller| self.find(caller) == root);
        let is_worth_slots = class.shape.number.is_some()
            || class.parts as usize >= class.wholes.len() && !class.wholes.iter().any(is_inside);
        // The part in the register may be a block itself: its parts would need the slots that the others are in.
        let has_slots = class.shape.number.is_some() || !class.has_stores;
        self.shape(root).register().filter(|_| is_better && is_worth_slots && has_slots)
    }

    /// How the functions of a class return what they return.
    fn shape(&self, root: CodeId) -> Shape {
        let Class { shape, looked_into, .. } = &self.classes[root];
        shape.clone().limit(*looked_into)
    }

    /// The fields of what a call returns there, as bits, into whose blocks is looked.
    fn looked_into(&self, cont: Continuation) -> u64 {
        self.uses.params[cont].first().map_or(0, |param| self.uses.looked_into[*param])
    }

    /// Whether only one call returns to a continuation, and that takes the result apart.
    fn wants_parts(&self, cont: Continuation) -> bool {
        self.uses.conts[cont] == 1
            && self.uses.params[cont].first().is_some_and(|param| !self.uses.whole[*param])
    }
}

impl Uses {
    fn of(unit: &Unit, allocations: &Allocations) -> Uses {
        let mut uses = Uses::default();
        unit.codes.values().for_each(|code| uses.body(&code.body));
        uses.body(&unit.entry.body);
        uses.find_whole(unit, allocations);
        for (of, field, var) in std::mem::take(&mut uses.loads) {
            if !uses.whole[var] && uses.reads[var] > 0 {
                uses.looked_into[of] |= 1 << field;
            }
        }
        uses
    }

    /// Finds what is needed whole: what is used otherwise than by looking at parts, or passed as what is needed whole.
    fn find_whole(&mut self, unit: &Unit, allocations: &Allocations) {
        let mut looks: SecondaryMap<Variable, u32> = self.reads.clone();
        let mut passed_as: SecondaryMap<Variable, SmallVec<[Variable; 2]>> = SecondaryMap::new();
        for (var, cont, position) in std::mem::take(&mut self.passed) {
            // What a function returns has no parameter here.
            if let Some(param) = self.params[cont].get(position) {
                passed_as[*param].push(var);
                looks[var] += 1;
            }
        }
        let is_whole = |var: &Variable| allocations.uses(*var) != looks[*var];
        let mut pending: Vec<Variable> = unit.variables.keys().filter(is_whole).collect();
        pending.iter().for_each(|var| self.whole[*var] = true);
        while let Some(param) = pending.pop() {
            for var in std::mem::take(&mut passed_as[param]) {
                if !std::mem::replace(&mut self.whole[var], true) {
                    pending.push(var);
                }
            }
        }
    }

    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                item.for_each_cont_use(&mut |cont, _| self.conts[cont] += 1);
                match item {
                    Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                        if let Some(of) = looked_at(prim, args) {
                            self.reads[of] += 1;
                            if let Prim::BlockLoad { field, .. } = prim
                                && *field < MOST_PARTS as u32
                            {
                                self.loads.push((of, *field, *var));
                            }
                        }
                    }
                    Item::Join { cont, params, .. } => self.params[*cont].clone_from(params),
                    Item::LetCont { handlers, .. } => {
                        for handler in handlers {
                            self.params[handler.cont].clone_from(&handler.params);
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            expr.terminator.for_each_cont_use(&mut |cont, _| self.conts[cont] += 1);
            expr.terminator.for_each_jump(&mut |jump| {
                let passed = jump.args.iter().enumerate();
                let vars = passed.filter_map(|(position, arg)| Some((arg.as_var()?, jump.cont, position)));
                self.passed.extend(vars);
            });
        });
    }
}

/// The variable of which a primitive looks at a part alone, or which constructor it is.
fn looked_at(prim: &Prim, args: &[Simple]) -> Option<Variable> {
    match (prim, args) {
        (Prim::Unbox(_) | Prim::BlockLoad { .. } | Prim::IsInt | Prim::GetTag, [block, ..]) => block.as_var(),
        (Prim::PhysEqual { .. }, [value, Simple::Const(_)] | [Simple::Const(_), value]) => value.as_var(),
        _ => None,
    }
}
