//! Argument promotion: a parameter which calls allocate, and which is only projected from, is passed as the parts that
//! are read of it; one that is only passed on, or not used, is not passed.
//!
//! A parameter is *needed* if it is used otherwise than by being passed on as one that is not. Needed parameters that
//! are passed on as each other are a *class*: they are passed as the same parts. A block that exists is never allocated
//! again, for no use that needs the boxed value is left. A call that passes what is not allocated in the caller reads
//! the parts of that, where the function would do so at once ([`super::demand`]), or where it is a number by its type.

mod choose;
mod replace;
pub(super) mod variants;

use cranelift_entity::SecondaryMap;
use flambeau_ir::prim::Mutability;
use flambeau_ir::{
    BoxedKind, CallKind, CodeId, Continuation, Expr, Item, Kind, Named, Rewrites, Simple, Subkind,
    Terminator, Unit, ValueSlot, Variable,
};
use smallvec::SmallVec;

use super::demand::{Read, tested};
use super::known::Known;
use super::made::{AllMade, Made};
use super::{copies, workers};
use replace::Rewriting;

/// A part of what a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Which constructor it is ([`variants`]).
    Which,
    Field(u32),
    Float(u32),
    Captured(ValueSlot),
    Number(BoxedKind),
}

impl Part {
    pub fn kind(self) -> Kind {
        match self {
            Part::Which => Kind::NakedImmediate,
            Part::Field(_) | Part::Captured(_) => Kind::Value,
            Part::Float(_) => Kind::NakedFloat,
            Part::Number(kind) => kind.naked(),
        }
    }
}

/// The number of a parameter, of a function or a continuation.
pub(super) type Param = usize;

/// A call of a known function that passes what is allocated for it: the function and the arguments.
type Call = (CodeId, SmallVec<[Simple; 4]>);

/// How many times functions are copied: for constructors in turn, for one of several parameters after the other.
const MOST_COPIES: usize = 3;

/// What is known of a class of parameters, at the number of its first.
#[derive(Default)]
pub(super) struct Class {
    members: Vec<Param>,
    /// Used otherwise than by reading parts and passing it on.
    pub refused: bool,
    /// The parts that are read, without repetition.
    pub parts: Vec<Part>,
    /// How many reads might read something else at another time.
    changing: usize,
    /// What all reads say of the contents that they read; `Unknown` if they differ.
    mutability: Option<Mutability>,
    /// One is passed on as itself.
    is_passed_on: bool,
    /// Whether it is asked which constructor it is.
    pub is_tested: bool,
    /// What calls pass that is known by its parts.
    made: Vec<Simple>,
    /// Some call passes a constructor without arguments, and variants are looked at ([`variants`]).
    has_immediates: bool,
    /// Some call passes what comes from several places: once the parts are enough, each of them may pass these.
    is_joined: bool,
}

/// What an analysis takes for parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The parameters of functions.
    Functions,
    /// Those of continuations, too, as variants flow through these ([`variants`]).
    Continuations,
}

pub(super) struct Analysis {
    scope: Scope,
    /// The functions of which all calls are known, or will be.
    known: SecondaryMap<CodeId, bool>,
    /// Those that would get a worker.
    divisible: SecondaryMap<CodeId, bool>,
    /// Those that get one for what other units may pass.
    exported: SecondaryMap<CodeId, bool>,
    /// Each parameter of a code, in order.
    pub params: Vec<(CodeId, Variable)>,
    /// The parameters of continuations, the numbers of which come after those of all codes.
    of_conts: Vec<Variable>,
    /// The first parameter of each continuation.
    conts: SecondaryMap<Continuation, Option<u32>>,
    kinds: Vec<Kind>,
    /// Whether some call passes something as it that is not allocated in the caller.
    unknown: Vec<bool>,
    /// One more than the number of the parameter that a variable is another name of.
    of_variable: SecondaryMap<Variable, u32>,
    /// The first parameter of each code, but of those that only call their workers.
    pub first: SecondaryMap<CodeId, Option<u32>>,
    pub made: AllMade,
    pub calls: Vec<Call>,
    /// What continuations with several uses take, those of calls apart.
    joined: SecondaryMap<Variable, bool>,
    /// A parameter of the function that calls, and the parameter that it is passed as.
    pub passed: Vec<(Param, Param)>,
    pub needed: Vec<bool>,
    /// By the first of a class, whether its parts are read with a test.
    guarded: Vec<bool>,
    /// Union-find.
    parents: Vec<Param>,
    pub classes: Vec<Class>,
}

/// Replaces the parameters of all functions of which that can be done; returns whether there was one.
pub(super) fn parts(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let (mut analysis, copied) = with_copies(unit, rewrites);
    let chosen = analysis.choose(unit, rewrites);
    let replaced = replace(unit, &mut analysis, &chosen);
    let mut analysis = Analysis::of(unit, Scope::Continuations);
    analysis.unite_passed();
    let chosen = analysis.choose_variants(unit, rewrites);
    replace(unit, &mut analysis, &chosen) || replaced || copied
}

/// Replaces the parameters of the classes that are chosen; returns whether there is one.
fn replace(unit: &mut Unit, analysis: &mut Analysis, chosen: &[bool]) -> bool {
    if chosen.iter().all(|chosen| !chosen) {
        return false;
    }
    analysis.divide(unit, chosen);
    let mut replaced: Vec<Option<Vec<(Part, Variable)>>> = Vec::with_capacity(analysis.classes.len());
    for param in 0..analysis.classes.len() {
        let root = analysis.find(param);
        replaced.push(chosen[root].then(|| analysis.fresh(unit, param, root)));
    }
    let rewriting = Rewriting { analysis, replaced: &replaced };
    unit.rewrite_bodies(|unit, _, body| {
        rewriting.body(unit, body);
        true
    });
    for (id, code) in &mut unit.codes {
        let Some(first) = analysis.first[id].map(|first| first as usize) else { continue };
        code.params = rewriting.params(first, &code.params);
    }
    true
}

/// Copies functions so that more parameters can be replaced; returns the classes of parameters, and whether one was.
fn with_copies(unit: &mut Unit, rewrites: &mut Rewrites) -> (Analysis, bool) {
    let mut copied = false;
    let times = if rewrites.boxed_arguments { 0 } else { MOST_COPIES };
    for _ in 0..times {
        let mut analysis = Analysis::of(unit, Scope::Functions);
        let mut groups = copies::groups(unit, &analysis);
        analysis.unite_passed();
        groups.retain(|group| {
            let class = &analysis.classes[analysis.find(group.params[0])];
            analysis.replaceable(unit, class).is_none()
        });
        if !copies::copy(unit, &analysis, groups, rewrites) {
            analysis.note_exported(unit, rewrites);
            return (analysis, copied);
        }
        copied = true;
    }
    let mut analysis = Analysis::of(unit, Scope::Functions);
    analysis.unite_passed();
    analysis.note_exported(unit, rewrites);
    (analysis, copied)
}

impl Analysis {
    fn of(unit: &Unit, scope: Scope) -> Analysis {
        let known = Known::of(unit);
        let divisible = workers::divisible(unit, &known);
        let mut analysis = Analysis {
            scope,
            known: SecondaryMap::new(),
            divisible,
            exported: SecondaryMap::new(),
            params: Vec::new(),
            of_conts: Vec::new(),
            conts: SecondaryMap::new(),
            kinds: Vec::new(),
            unknown: Vec::new(),
            of_variable: SecondaryMap::new(),
            first: SecondaryMap::new(),
            made: AllMade::of_statics(unit),
            calls: Vec::new(),
            joined: SecondaryMap::new(),
            passed: Vec::new(),
            needed: Vec::new(),
            guarded: Vec::new(),
            parents: Vec::new(),
            classes: Vec::new(),
        };
        for (id, code) in &unit.codes {
            analysis.known[id] = known.is_known(id) || analysis.divisible[id];
            analysis.first[id] = Some(analysis.params.len() as u32);
            for param in &code.params {
                analysis.params.push((id, *param));
                analysis.add(unit, *param, analysis.divisible[id], !analysis.known[id]);
            }
        }
        for code in unit.codes.values() {
            analysis.body(unit, &code.body);
        }
        analysis.body(unit, &unit.entry.body);
        analysis.find_needed();
        analysis
    }

    fn add(&mut self, unit: &Unit, param: Variable, unknown: bool, refused: bool) {
        let number = self.classes.len();
        self.kinds.push(unit.variables[param].kind);
        self.of_variable[param] = number as u32 + 1;
        self.parents.push(number);
        self.unknown.push(unknown);
        self.classes.push(Class { members: vec![number], refused, ..Class::default() });
    }

    /// Makes classes of the parameters.
    fn unite_passed(&mut self) {
        for (own, param) in std::mem::take(&mut self.passed) {
            if self.needed[param] {
                self.unite(own, param);
            }
        }
        for class in self.classes.iter_mut().filter(|class| class.is_tested) {
            // What only other constructors have nobody reads.
            let made: SmallVec<[&Made; 4]> =
                class.made.iter().filter_map(|made| self.made.get(*made)).collect();
            class.parts.retain(|part| made.iter().any(|made| made.part(*part).is_some()));
        }
    }

    /// What is used in a function, and what is passed on as what is needed.
    fn find_needed(&mut self) {
        self.needed = self
            .classes
            .iter()
            .map(|class| class.refused || class.is_tested || !class.parts.is_empty())
            .collect();
        let mut passed_as: Vec<SmallVec<[Param; 2]>> = vec![SmallVec::new(); self.classes.len()];
        self.passed.iter().for_each(|(own, param)| passed_as[*param].push(*own));
        let mut pending: Vec<Param> = (0..self.classes.len()).filter(|param| self.needed[*param]).collect();
        while let Some(param) = pending.pop() {
            for own in &passed_as[param] {
                if !std::mem::replace(&mut self.needed[*own], true) {
                    pending.push(*own);
                }
            }
        }
    }

    fn find(&self, mut param: Param) -> Param {
        while self.parents[param] != param {
            param = self.parents[param];
        }
        param
    }

    /// The parameters are passed on as each other. The larger class takes the smaller one, so that paths stay short.
    fn unite(&mut self, a: Param, b: Param) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            self.classes[a].is_passed_on = true;
            return;
        }
        if self.classes[a].members.len() < self.classes[b].members.len() {
            std::mem::swap(&mut a, &mut b);
        }
        self.parents[b] = a;
        let from = std::mem::take(&mut self.classes[b]);
        let into = &mut self.classes[a];
        into.members.extend(from.members);
        into.refused |= from.refused;
        into.made.extend(from.made);
        into.changing += from.changing;
        from.mutability.iter().for_each(|mutability| into.says(*mutability));
        into.is_passed_on = true;
        into.is_tested |= from.is_tested;
        into.is_joined |= from.is_joined;
        into.has_immediates |= from.has_immediates;
        for part in from.parts {
            into.reads(part);
        }
    }

    /// The number of the parameter that an atom is.
    pub fn param(&self, atom: Simple) -> Option<Param> {
        (self.of_variable[atom.as_var()?] as usize).checked_sub(1)
    }

    /// What calls of known functions pass that is allocated for them, by parameters.
    pub fn allocations(&self) -> impl Iterator<Item = (Param, Simple)> + '_ {
        self.calls.iter().flat_map(|(callee, args)| {
            let first = self.first[*callee].unwrap_or_default() as usize;
            let is_made = |arg: &Simple| arg.as_var().is_some() && self.made.get(*arg).is_some();
            (first..).zip(args.iter().copied()).filter(move |(_, arg)| is_made(arg))
        })
    }

    /// Records a use that needs the boxed value.
    fn refuse(&mut self, atom: Simple) {
        self.made.note_needed(atom);
        if let Some(param) = self.param(atom) {
            self.classes[param].refused = true;
        }
    }

    fn body(&mut self, unit: &Unit, body: &Expr) {
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(unit, item));
            expr.terminator.for_each_jump(&mut |jump| self.jump(jump));
            let apply = match &expr.terminator {
                Terminator::Apply(apply) => apply,
                Terminator::Switch(switch) => return self.refuse(switch.scrutinee),
                Terminator::StringSwitch(switch) => return self.refuse(switch.scrutinee),
                Terminator::ApplyCont(_) | Terminator::Unreachable => return,
                other @ (Terminator::Raise { .. } | Terminator::Try { .. }) => {
                    return other.for_each_simple(&mut |atom| self.refuse(atom));
                }
            };
            self.returns_to(apply.ret);
            apply.callee.iter().for_each(|callee| self.refuse(*callee));
            apply.for_each_comparator(&mut |function| self.refuse(function));
            apply.exn.for_each_simple(&mut |atom| self.refuse(atom));
            match apply.kind {
                CallKind::Direct(callee) if self.known[callee] => {
                    let first = self.first[callee].unwrap_or_default() as usize;
                    (first..).zip(&apply.args).for_each(|(param, arg)| self.passes(param, *arg));
                    let is_made = |arg: &Simple| arg.as_var().is_some() && self.made.get(*arg).is_some();
                    if apply.args.iter().any(is_made) {
                        self.calls.push((callee, apply.args.iter().copied().collect()));
                    }
                }
                _ => apply.args.iter().for_each(|arg| self.refuse(*arg)),
            }
        });
    }

    /// A known call passes an atom as a parameter.
    fn passes(&mut self, param: Param, arg: Simple) {
        match (self.param(arg), self.made.get(arg)) {
            (Some(own), _) => self.passed.push((own, param)),
            (None, Some(_)) => self.classes[param].made.push(arg),
            // Nobody looks at it.
            (None, None) if self.knows_all() && variants::is_poison(arg) => {}
            (None, None) if self.knows_all() && variants::immediate(arg).is_some() => {
                self.classes[param].has_immediates = true;
            }
            (None, None) => {
                self.unknown[param] = true;
                self.classes[param].is_joined |= arg.as_var().is_some_and(|var| self.joined[var]);
            }
        }
    }

    fn item(&mut self, unit: &Unit, item: &Item) {
        match item {
            Item::Let { var, named: Named::Simple(atom), .. } => {
                if let Some(var_of) = atom.as_var() {
                    self.of_variable[*var] = self.of_variable[var_of];
                    self.made.note_name(*var, var_of);
                }
            }
            Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                if let Some(read) = Read::of(prim, args)
                    && let Some(param) = self.param(read.atom)
                {
                    let class = &mut self.classes[param];
                    class.changing += usize::from(read.mutability.may_change());
                    class.says(read.mutability);
                    return class.reads(read.part);
                }
                if let Some((atom, _)) = tested(prim, args)
                    && let Some(param) = self.param(atom)
                {
                    self.classes[param].is_tested = true;
                    return;
                }
                item.for_each_simple(&mut |atom| self.refuse(atom));
                self.made.note_primitive(*var, prim, args);
            }
            Item::LetClosures { vars, set, .. } => {
                set.for_each_simple(&mut |atom| self.refuse(atom));
                self.made.note_closures(vars, set);
            }
            Item::Join { cont, params, body } => {
                let is_call = matches!(body.terminator, Terminator::Apply(_));
                params.iter().for_each(|param| self.joined[*param] = !is_call);
                self.continuation(unit, *cont, params);
            }
            Item::LetCont { handlers, .. } => {
                handlers.iter().for_each(|handler| self.continuation(unit, handler.cont, &handler.params));
                handlers
                    .iter()
                    .flat_map(|handler| &handler.params)
                    .for_each(|param| self.joined[*param] = true);
            }
        }
    }

    /// The first parameters of all classes.
    fn roots(&self) -> Vec<Param> {
        (0..self.classes.len()).filter(|param| self.parents[*param] == *param).collect()
    }

    /// Notes which functions get a worker for what other units may pass.
    fn note_exported(&mut self, unit: &Unit, rewrites: &Rewrites) {
        workers::exported(unit, rewrites).into_iter().for_each(|code| self.exported[code] = true);
    }

    /// The tag of all blocks that come as a parameter.
    fn only_tag(&self, atom: Simple) -> Option<i64> {
        self.tag_of_all(self.class(self.param(atom)?))
    }

    /// The class of a parameter.
    fn class(&self, param: Param) -> &Class {
        &self.classes[self.find(param)]
    }

    /// Gives workers to those functions which other units may call and of which a parameter is replaced.
    fn divide(&mut self, unit: &mut Unit, chosen: &[bool]) {
        let functions: Vec<CodeId> = unit
            .codes
            .keys()
            .filter(|code| self.divisible[*code])
            .filter(|code| {
                let params = self.first[*code].unwrap_or_default() as usize..;
                params.take(unit.codes[*code].params.len()).any(|param| chosen[self.find(param)])
            })
            .collect();
        let workers = workers::divide(unit, &functions);
        for function in functions {
            let Some(worker) = workers[function] else { continue };
            let first = self.first[function].take();
            self.first[worker] = first;
            self.known[worker] = true;
            let params = first.unwrap_or_default() as usize..;
            params.take(unit.codes[worker].params.len()).for_each(|param| self.params[param].0 = worker);
        }
    }

    /// The variable that a parameter is.
    fn variable(&self, param: Param) -> Variable {
        self.params.get(param).map_or_else(|| self.of_conts[param - self.params.len()], |(_, param)| *param)
    }

    /// The parameters that replace one of a class.
    fn fresh(&self, unit: &mut Unit, param: Param, root: Param) -> Vec<(Part, Variable)> {
        let name = unit.variables[self.variable(param)].name.clone();
        let class = &self.classes[root];
        let mut fresh = |part: &Part| (*part, unit.new_variable(name.clone(), part.kind(), Subkind::Any));
        class.parts.iter().map(&mut fresh).collect()
    }
}

impl Class {
    fn says(&mut self, mutability: Mutability) {
        let agrees = self.mutability.is_none_or(|known| known == mutability);
        self.mutability = Some(if agrees { mutability } else { Mutability::Unknown });
    }

    fn reads(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }
}
