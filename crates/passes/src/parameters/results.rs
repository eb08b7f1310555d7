//! Results: a function that allocates what it returns for each of its returns, of which some call uses only the parts,
//! returns the parts; calls make the whole where they need that (features E8).
//!
//! A boxed number is returned as the number. Of a block, or of the constructors of a variant, one part is
//! returned in the register, the others in slots ([`flambeau_ir::Prim::StoreResult`]): static ones of the
//! unit, or, where several domains run at the same time, those of the domain. Functions that return each
//! other's results are a *class*. Nothing is allocated a second time: what is returned is allocated for that
//! alone, or is a constant, or the result of a call that returns parts. A constant exists already: calls that need it
//! whole find it again by its parts, if there are few; if there are more, each call has to use only the parts.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, CallKind, Code, CodeId, Continuation, Dbg, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites,
    Simple, Static, StaticDef, SymbolData, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::boxes::Convention;
use super::known::Known;
use super::returned::Returned;
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
    /// Other units may call one of a size at which it is not inlined there.
    is_exported: bool,
    /// Some call passes what it gets to a function, which may need the whole in the end.
    is_given: bool,
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
    /// By how many jumps a continuation is passed one constant.
    constants: SecondaryMap<Continuation, u32>,
    /// What is passed to continuations, by continuation and position.
    passed: Vec<(Variable, Continuation, usize)>,
    /// What is passed to functions of which all calls are known, as which variable.
    given: Vec<(Variable, Variable)>,
    /// The function that a continuation takes the result of.
    called: SecondaryMap<Continuation, Option<CodeId>>,
    /// The functions whose results variables are, as they were returned.
    origins: SecondaryMap<Variable, Option<CodeId>>,
    /// The variables that something needs whole.
    whole: SecondaryMap<Variable, bool>,
    /// Those of which parts are looked at, under that name or another.
    is_read: SecondaryMap<Variable, bool>,
    /// Those that are passed to functions, which may come to take parts instead.
    is_given: SecondaryMap<Variable, bool>,
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
    returned: Returned,
}

/// Makes functions return parts; returns whether there was one.
pub(super) fn results(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let known = Known::of(unit);
    let divisible = workers::divisible(unit, &known);
    // Without inlining backtraces are those of the stock compiler, which has tail calls there.
    let ends_at_calls = !rewrites.stubs_only;
    let mut analysis = Analysis::of(unit, &known, &divisible, ends_at_calls);
    for code in workers::exported(unit, rewrites) {
        let data = &unit.codes[code];
        analysis.class(code).is_exported |= returns_parts(data) && !hands_out_closures(&data.body);
    }
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
        let cases = analysis.returned.of(function);
        let convention = Convention { shape, cases, register, slots, allocations: &analysis.allocations };
        let ret = unit.codes[code].ret;
        let mut body = unit.codes[code].body.take();
        if ends_at_calls {
            end_at_calls_without_return(unit, &mut body, ret);
        }
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
                let wanted = analysis.wants_parts(apply.ret) && !analysis.is_given(apply.ret);
                taken.insert(convention.take(unit, expr, wanted));
            }
        });
        let is_single = |cont: Continuation| analysis.uses.conts[cont] == 1;
        body.walk_mut(&mut |expr| splice_joins(expr, &is_single));
        true
    });
    true
}

/// Takes the bodies of joins which end where the joins go on into the run: what is known of what was made there is
/// known of the join's parameters. `is_single`: nothing else jumps there.
pub(super) fn splice_joins(expr: &mut Expr, is_single: &dyn Fn(Continuation) -> bool) {
    let ends_here = |item: &Item| match item {
        Item::Join { cont, body, .. } => match &body.terminator {
            Terminator::ApplyCont(jump) => jump.cont == *cont && is_single(*cont),
            _ => false,
        },
        _ => false,
    };
    if !expr.items.iter().any(ends_here) {
        return;
    }
    for item in std::mem::take(&mut expr.items) {
        if !ends_here(&item) {
            expr.items.push(item);
            continue;
        }
        let Item::Join { params, mut body, .. } = item else { continue };
        expr.items.append(&mut body.items);
        if let Terminator::ApplyCont(jump) = &body.terminator {
            let names = params.iter().zip(&jump.args).map(|(param, arg)| Item::Let {
                var: *param,
                named: Named::Simple(*arg),
                dbg: Dbg::NONE,
            });
            expr.items.extend(names);
        }
    }
}

/// Whether a function may return parts: a stub makes the whole of what it gets, though it was in tail position.
pub(super) fn returns_parts(code: &Code) -> bool {
    !code.attributes.stub
}

/// Whether a body puts closures that it allocates into blocks. Other units know the functions of closures in a block
/// that is returned, and not those of parts.
fn hands_out_closures(body: &Expr) -> bool {
    let mut closures: FxHashSet<Variable> = FxHashSet::default();
    let mut fields: Vec<Simple> = Vec::new();
    body.walk(&mut |run| {
        for item in &run.items {
            match item {
                Item::LetClosures { vars, .. } => closures.extend(vars),
                Item::Let { named: Named::Prim { prim: Prim::MakeBlock { .. }, args, .. }, .. } => {
                    fields.extend(args);
                }
                _ => {}
            }
        }
    });
    fields.iter().any(|field| matches!(field, Simple::Var(var) if closures.contains(var)))
}

/// Whether a call is of a function that never returns: one of another unit, as a rule (`failwith`).
pub(super) fn never_returns(unit: &Unit, apply: &Apply) -> bool {
    match &apply.kind {
        CallKind::Direct(code) => unit.codes[*code].attributes.no_return,
        CallKind::DirectExternal(name) => unit.imports.never_returns(name),
        _ => false,
    }
}

/// Calls in tail position that never return, of functions that would return a whole, are followed by nothing instead.
pub(super) fn end_at_calls_without_return(unit: &mut Unit, body: &mut Expr, ret: Continuation) {
    body.walk_mut(&mut |expr| {
        let Terminator::Apply(apply) = &mut expr.terminator else { return };
        if apply.ret != ret || !never_returns(unit, apply) {
            return;
        }
        let (never, result) = (unit.new_continuation("never"), unit.new_value("never"));
        apply.ret = never;
        let terminator = std::mem::replace(&mut expr.terminator, Terminator::Unreachable);
        let body = Box::new(Expr { items: Vec::new(), terminator });
        expr.items.push(Item::Join { cont: never, params: SmallVec::from_slice(&[result]), body });
    });
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
    /// `ends_at_calls`: calls in tail position that never return are no returns.
    fn of(
        unit: &Unit,
        known: &Known,
        divisible: &SecondaryMap<CodeId, bool>,
        ends_at_calls: bool,
    ) -> Analysis {
        let allocations = Allocations::of(unit);
        let may_take = |code: CodeId| known.is_known(code) || divisible[code];
        let uses = Uses::of(unit, &allocations, &may_take);
        let mut analysis = Analysis {
            allocations,
            uses,
            parents: SecondaryMap::new(),
            classes: SecondaryMap::new(),
            returned: Returned::default(),
        };
        for (id, code) in &unit.codes {
            let class = &mut analysis.classes[id];
            class.shape.refused = !may_take(id) || code.result != Kind::Value;
            class.is_public = divisible[id];
            class.has_stores = has_stores(&code.body);
        }
        let mut handed_on = Vec::new();
        for (id, _) in unit.codes.iter().filter(|(_, code)| returns_parts(code)) {
            analysis.returns(unit, id, ends_at_calls, &mut handed_on);
        }
        analysis.hand_on(handed_on);
        for (id, code) in &unit.codes {
            analysis.calls(&code.body, Some(id), Some(code.ret).filter(|_| returns_parts(code)));
        }
        analysis.calls(&unit.entry.body, None, None);
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
        into.is_exported |= from.is_exported;
        into.is_given |= from.is_given;
        into.has_stores |= from.has_stores;
        into.shape.join(from.shape);
    }

    /// What a function returns. `handed_on`: results of calls, which it returns as they are: the function, the callee
    /// and the result.
    fn returns(
        &mut self,
        unit: &Unit,
        code: CodeId,
        ends_at_calls: bool,
        handed_on: &mut Vec<(CodeId, CodeId, Variable)>,
    ) {
        let Code { body, ret, .. } = &unit.codes[code];
        let ret = *ret;
        body.walk(&mut |expr| {
            expr.terminator.for_each_jump(&mut |jump| {
                if jump.cont != ret {
                    return;
                }
                let result = jump.args[0].as_var().filter(|var| !self.uses.whole[*var]);
                match result.and_then(|var| Some((var, self.uses.origins[var]?))) {
                    Some((var, callee)) => {
                        self.returned.add_callee(code, callee);
                        handed_on.push((code, callee, var));
                    }
                    None => {
                        let shape = self.allocations.shape(jump.args[0]);
                        self.returned.add(code, &shape);
                        self.class(code).shape.join(shape);
                    }
                }
            });
            if let Terminator::Apply(apply) = &expr.terminator
                && apply.ret == ret
                && !(ends_at_calls && never_returns(unit, apply))
            {
                match apply.kind {
                    CallKind::Direct(callee) => {
                        self.returned.add_callee(code, callee);
                        self.unite(code, callee);
                    }
                    _ => self.class(code).shape.refused = true,
                }
            }
        });
    }

    /// Functions that hand on results return them as their callees do, if both can: else they return a whole.
    fn hand_on(&mut self, handed_on: Vec<(CodeId, CodeId, Variable)>) {
        for (code, callee, var) in handed_on {
            let mut joined = self.class(code).shape.clone();
            joined.join(self.class(callee).shape.clone());
            if joined.refused {
                self.class(code).shape.refused = true;
                self.uses.whole[var] = true;
            } else {
                self.unite(code, callee);
            }
        }
    }

    /// The calls of a function, which may return what it gets (`ret`), or of the entry.
    fn calls(&mut self, body: &Expr, caller: Option<CodeId>, ret: Option<Continuation>) {
        body.walk_repeated(&mut |expr, in_loop| {
            let Terminator::Apply(apply) = &expr.terminator else { return };
            let CallKind::Direct(callee) = apply.kind else { return };
            if ret == Some(apply.ret) {
                return;
            }
            let wanted = self.takes_apart(apply.ret);
            let looked_into = self.looked_into(apply.ret);
            let is_given = self.is_given(apply.ret);
            // What the toplevel does once is no reason for a worker. Nor is what is only returned.
            let is_read = (caller.is_some() || in_loop) && self.is_read(apply.ret);
            let class = self.class(callee);
            class.is_given |= is_given;
            // Functions that others may call, too, take variants as they are (`parts/variants.rs`).
            let stays_whole = is_given && !class.shape.is_tuple() && class.shape.number.is_none();
            if !wanted || stays_whole {
                class.wholes.push(caller);
            } else if is_read {
                class.parts += 1;
                class.looked_into |= looked_into;
            }
        });
    }

    /// The kind that the functions of a class are to return in the register, if they are to return parts: where as many
    /// calls want parts as want the whole. Blocks do not return in parts where the functions themselves make them
    /// whole, as the rest of a list.
    fn register(&self, root: CodeId) -> Option<Kind> {
        let class = &self.classes[root];
        let is_whole = !class.wholes.is_empty() || class.is_public || class.is_given;
        let is_wanted = class.parts > 0 || class.is_exported && class.wholes.is_empty();
        let is_better = is_wanted && !(class.shape.has_many_constants() && is_whole);
        let is_inside = |caller: &Option<CodeId>| caller.is_some_and(|caller| self.find(caller) == root);
        let is_worth_slots = class.shape.number.is_some()
            || class.parts as usize >= class.wholes.len() && !class.wholes.iter().any(is_inside);
        // The part in the register may be a block itself: its parts would need the slots that the others are in.
        let has_slots = class.shape.number.is_some() || !class.has_stores;
        self.shape(root).register().filter(|_| is_better && is_worth_slots && has_slots)
    }

    /// How the functions of a class return what they return.
    fn shape(&self, root: CodeId) -> Shape {
        let Class { shape, looked_into, is_exported, parts, .. } = &self.classes[root];
        // Of calls that other units make it is not known what they look into.
        shape.clone().limit(if *is_exported && *parts == 0 { u64::MAX } else { *looked_into })
    }

    /// The fields of what a call returns there, as bits, into whose blocks is looked.
    fn looked_into(&self, cont: Continuation) -> u64 {
        self.uses.params[cont].first().map_or(0, |param| self.uses.looked_into[*param])
    }

    /// Whether parts of what a call returns there are looked at, here or by a function that it is passed to.
    fn is_read(&self, cont: Continuation) -> bool {
        self.uses.params[cont].first().is_some_and(|param| self.uses.is_read[*param])
    }

    /// Whether what a call returns there is passed to a function.
    fn is_given(&self, cont: Continuation) -> bool {
        self.uses.params[cont].first().is_some_and(|param| self.uses.is_given[*param])
    }

    /// Whether what a call returns to a continuation is only taken apart, where nothing else but constants comes there:
    /// a function whose beginning was inlined may return one before it is called. There the call makes the whole, and
    /// the simplifier separates it from the constants, and takes it apart.
    fn takes_apart(&self, cont: Continuation) -> bool {
        self.uses.conts[cont] == 1 + self.uses.constants[cont]
            && self.uses.params[cont].first().is_some_and(|param| !self.uses.whole[*param])
    }

    /// Whether only one call returns to a continuation, and that takes the result apart.
    fn wants_parts(&self, cont: Continuation) -> bool {
        self.uses.conts[cont] == 1
            && self.uses.params[cont].first().is_some_and(|param| !self.uses.whole[*param])
    }
}

impl Uses {
    /// `may_take`: whether all calls of a function are known, or will be, so that it can take the parts of what it
    /// looks at.
    fn of(unit: &Unit, allocations: &Allocations, may_take: &dyn Fn(CodeId) -> bool) -> Uses {
        let mut uses = Uses::default();
        let params = |code: CodeId| Some(&unit.codes[code].params[..]).filter(|_| may_take(code));
        unit.codes.values().for_each(|code| uses.body(&code.body, &params));
        uses.body(&unit.entry.body, &params);
        uses.find_origins();
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
        let given = std::mem::take(&mut self.given);
        for (var, param) in &given {
            passed_as[*param].push(*var);
            looks[*var] += 1;
        }
        let returned = unit.codes.values().filter(|code| returns_parts(code)).map(|code| code.ret);
        let returned: FxHashSet<Continuation> = returned.collect();
        for (var, cont, position) in std::mem::take(&mut self.passed) {
            if let Some(param) = self.params[cont].get(position) {
                passed_as[*param].push(var);
                looks[var] += 1;
            } else if returned.contains(&cont) && self.origins[var].is_some() {
                looks[var] += 1;
            }
        }
        let is_whole = |var: &Variable| allocations.uses(*var) != looks[*var];
        self.whole = spread(&passed_as, unit.variables.keys().filter(is_whole).collect());
        let reads = unit.variables.keys().filter(|var| self.reads[*var] > 0);
        self.is_read = spread(&passed_as, reads.collect());
        self.is_given = spread(&passed_as, given.into_iter().map(|(var, _)| var).collect());
    }

    /// Finds the results of calls, in the continuations that one call alone returns to.
    fn find_origins(&mut self) {
        for (cont, callee) in self.called.iter() {
            if let (Some(callee), [param, ..], 1) = (callee, &self.params[cont][..], self.conts[cont]) {
                self.origins[*param] = Some(*callee);
            }
        }
    }

    /// `params`: those of functions that can take parts.
    fn body<'u>(&mut self, body: &Expr, params: &dyn Fn(CodeId) -> Option<&'u [Variable]>) {
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
            {
                self.called[apply.ret] = Some(callee);
                let passed = apply.args.iter().zip(params(callee).into_iter().flatten());
                self.given.extend(passed.filter_map(|(arg, param)| Some((arg.as_var()?, *param))));
            }
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
                self.constants[jump.cont] += u32::from(matches!(jump.args[..], [Simple::Const(_)]));
            });
        });
    }
}

/// Some variables, and those that are passed as one of them.
fn spread(
    passed_as: &SecondaryMap<Variable, SmallVec<[Variable; 2]>>,
    mut pending: Vec<Variable>,
) -> SecondaryMap<Variable, bool> {
    let mut marked = SecondaryMap::new();
    pending.iter().for_each(|var| marked[*var] = true);
    while let Some(param) = pending.pop() {
        for var in &passed_as[param] {
            if !std::mem::replace(&mut marked[*var], true) {
                pending.push(*var);
            }
        }
    }
    marked
}

/// The variable of which a primitive looks at a part alone, or which constructor it is.
fn looked_at(prim: &Prim, args: &[Simple]) -> Option<Variable> {
    match (prim, args) {
        (Prim::Unbox(_) | Prim::BlockLoad { .. } | Prim::IsInt | Prim::GetTag, [block, ..]) => block.as_var(),
        (Prim::PhysEqual { .. }, [value, Simple::Const(_)] | [Simple::Const(_), value]) => value.as_var(),
        _ => None,
    }
}
