//! Argument promotion: a parameter which calls allocate, and which is only projected from, is passed as the parts that
//! are read of it; one that is only passed on, or not used, is not passed.
//!
//! A parameter is *needed* if it is used otherwise than by being passed on as one that is not. Needed parameters that
//! are passed on as each other are a *class*: they are passed as the same parts. A block that exists is never allocated
//! again, for no use that needs the boxed value is left. A call that passes what is not allocated in the caller reads
//! the parts of that, where the function would do so at once ([`super::demand`]), or where it is a number by its type.

use cranelift_entity::SecondaryMap;
use flambeau_ir::prim::Mutability;
use flambeau_ir::tags;
use flambeau_ir::unit::{MOST_NEW_PARAMETERS, MOST_PARAMETERS};
use flambeau_ir::{
    BoxedKind, CallKind, CodeId, Const, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, Simple, Subkind,
    Terminator, Unit, ValueSlot, Variable,
};
use smallvec::SmallVec;

use super::demand::{Read, first_reads, read};
use super::known::Known;
use super::workers;

/// A part of what a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Field(u32),
    Float(u32),
    Captured(ValueSlot),
    Number(BoxedKind),
}

impl Part {
    pub fn kind(self) -> Kind {
        match self {
            Part::Field(_) | Part::Captured(_) => Kind::Value,
            Part::Float(_) => Kind::NakedFloat,
            Part::Number(kind) => kind.naked(),
        }
    }
}

/// How parts are read before a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Guard {
    /// The function would certainly read them.
    Certain,
    /// It is tested whether there is a block.
    Tested,
}

/// The parts that an allocation is initialised with.
type Made = SmallVec<[(Part, Simple); 3]>;

/// The number of a parameter.
type Param = usize;

/// What is known of a class of parameters, at the number of its first.
#[derive(Default)]
struct Class {
    members: Vec<Param>,
    /// Used otherwise than by reading parts and passing it on.
    refused: bool,
    /// The parts that are read, without repetition.
    parts: Vec<Part>,
    /// How many reads might read something else at another time.
    changing: usize,
    /// What all reads say of the contents that they read; `Unknown` if they differ.
    mutability: Option<Mutability>,
    /// One is passed on as itself.
    is_passed_on: bool,
    /// The allocations that calls pass.
    made: Vec<Variable>,
    /// Some call passes what comes from several places: once the parts are enough, each of them may pass these.
    is_joined: bool,
}

struct Analysis {
    /// The functions of which all calls are known, or will be.
    known: SecondaryMap<CodeId, bool>,
    /// Those that would get a worker.
    divisible: SecondaryMap<CodeId, bool>,
    /// Each parameter of a code, in order.
    params: Vec<(CodeId, Variable)>,
    kinds: Vec<Kind>,
    /// Whether some call passes something as it that is not allocated in the caller.
    unknown: Vec<bool>,
    /// One more than the number of the parameter that a variable is another name of.
    of_variable: SecondaryMap<Variable, u32>,
    /// The first parameter of each code, but of those that only call their workers.
    first: SecondaryMap<CodeId, Option<u32>>,
    /// One more than the index of what is known of an allocation.
    made_of: SecondaryMap<Variable, u32>,
    made: Vec<Made>,
    /// What continuations with several uses take, those of calls apart.
    joined: SecondaryMap<Variable, bool>,
    /// A parameter of the function that calls, and the parameter that it is passed as.
    passed: Vec<(Param, Param)>,
    needed: Vec<bool>,
    /// By the first of a class, whether its parts are read with a test.
    guarded: Vec<bool>,
    /// Union-find.
    parents: Vec<Param>,
    classes: Vec<Class>,
}

/// Replaces the parameters of all functions of which that can be done; returns whether there was one.
pub(super) fn parts(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut analysis = Analysis::of(unit);
    let chosen = analysis.choose(unit, rewrites);
    if chosen.iter().all(|chosen| !chosen) {
        return false;
    }
    analysis.divide(unit, &chosen);
    let mut replaced: Vec<Option<Vec<(Part, Variable)>>> = Vec::with_capacity(analysis.params.len());
    for param in 0..analysis.params.len() {
        let root = analysis.find(param);
        replaced.push(chosen[root].then(|| analysis.fresh(unit, param, root)));
    }
    let rewriting = Rewriting { analysis: &analysis, replaced: &replaced };
    unit.rewrite_bodies(|unit, _, body| {
        rewriting.body(unit, body);
        true
    });
    for (id, code) in &mut unit.codes {
        let Some(first) = analysis.first[id].map(|first| first as usize) else { continue };
        let params =
            code.params.iter().enumerate().flat_map(|(index, param)| match &replaced[first + index] {
                Some(parts) => parts.iter().map(|(_, part)| *part).collect::<SmallVec<[Variable; 4]>>(),
                None => SmallVec::from_slice(&[*param]),
            });
        code.params = params.collect();
    }
    true
}

impl Analysis {
    fn of(unit: &Unit) -> Analysis {
        let known = Known::of(unit);
        let divisible = workers::divisible(unit, &known);
        let mut analysis = Analysis {
            known: SecondaryMap::new(),
            divisible,
            params: Vec::new(),
            kinds: Vec::new(),
            unknown: Vec::new(),
            of_variable: SecondaryMap::new(),
            first: SecondaryMap::new(),
            made_of: SecondaryMap::new(),
            made: Vec::new(),
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
                let number = analysis.params.len();
                analysis.params.push((id, *param));
                analysis.kinds.push(unit.variables[*param].kind);
                analysis.of_variable[*param] = number as u32 + 1;
                analysis.parents.push(number);
                let refused = !analysis.known[id];
                analysis.unknown.push(analysis.divisible[id]);
                analysis.classes.push(Class { members: vec![number], refused, ..Class::default() });
            }
        }
        for code in unit.codes.values() {
            analysis.body(&code.body);
        }
        analysis.body(&unit.entry.body);
        analysis.find_needed();
        for (own, param) in std::mem::take(&mut analysis.passed) {
            if analysis.needed[param] {
                analysis.unite(own, param);
            }
        }
        analysis
    }

    /// What is used in a function, and what is passed on as what is needed.
    fn find_needed(&mut self) {
        self.needed = self.classes.iter().map(|class| class.refused || !class.parts.is_empty()).collect();
        let mut passed_as: Vec<SmallVec<[Param; 2]>> = vec![SmallVec::new(); self.params.len()];
        self.passed.iter().for_each(|(own, param)| passed_as[*param].push(*own));
        let mut pending: Vec<Param> = (0..self.params.len()).filter(|param| self.needed[*param]).collect();
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
        into.is_joined |= from.is_joined;
        for part in from.parts {
            into.reads(part);
        }
    }

    fn param(&self, atom: Simple) -> Option<Param> {
        (self.of_variable[atom.as_var()?] as usize).checked_sub(1)
    }

    fn made(&self, atom: Simple) -> Option<&Made> {
        self.made.get((self.made_of[atom.as_var()?] as usize).checked_sub(1)?)
    }

    /// Records a use that needs the boxed value.
    fn refuse(&mut self, atom: Simple) {
        if let Some(param) = self.param(atom) {
            self.classes[param].refused = true;
        }
    }

    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(item));
            let Terminator::Apply(apply) = &expr.terminator else {
                return expr.terminator.for_each_simple(&mut |atom| self.refuse(atom));
            };
            apply.callee.iter().for_each(|callee| self.refuse(*callee));
            apply.exn.for_each_simple(&mut |atom| self.refuse(atom));
            match apply.kind {
                CallKind::Direct(callee) if self.known[callee] => {
                    let first = self.first[callee].unwrap_or_default() as usize;
                    (first..).zip(&apply.args).for_each(|(param, arg)| self.passes(param, *arg));
                }
                _ => apply.args.iter().for_each(|arg| self.refuse(*arg)),
            }
        });
    }

    /// A known call passes an atom as a parameter.
    fn passes(&mut self, param: Param, arg: Simple) {
        match (self.param(arg), self.made(arg), arg) {
            (Some(own), ..) => self.passed.push((own, param)),
            (None, Some(_), Simple::Var(var)) => self.classes[param].made.push(var),
            _ => {
                self.unknown[param] = true;
                self.classes[param].is_joined |= arg.as_var().is_some_and(|var| self.joined[var]);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Let { var, named: Named::Simple(atom), .. } => {
                if let Some(var_of) = atom.as_var() {
                    self.of_variable[*var] = self.of_variable[var_of];
                    self.made_of[*var] = self.made_of[var_of];
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
                item.for_each_simple(&mut |atom| self.refuse(atom));
                self.allocation(*var, prim, args);
            }
            Item::LetClosures { vars, set, .. } => {
                set.for_each_simple(&mut |atom| self.refuse(atom));
                let made = set.values.iter().map(|(slot, value)| (Part::Captured(*slot), *value)).collect();
                self.made.push(made);
                vars.iter().for_each(|var| self.made_of[*var] = self.made.len() as u32);
            }
            Item::Join { params, body, .. } => {
                let is_call = matches!(body.terminator, Terminator::Apply(_));
                params.iter().for_each(|param| self.joined[*param] = !is_call);
            }
            Item::LetCont { handlers, .. } => {
                handlers
                    .iter()
                    .flat_map(|handler| &handler.params)
                    .for_each(|param| self.joined[*param] = true);
            }
        }
    }

    fn allocation(&mut self, var: Variable, prim: &Prim, args: &[Simple]) {
        let fields = |part: fn(u32) -> Part| (0..).map(part).zip(args.iter().copied()).collect();
        let made = match prim {
            Prim::MakeBlock { tag, mutability: Mutability::Immutable } if *tag < tags::FIRST_SPECIAL => {
                fields(Part::Field)
            }
            Prim::MakeFloatBlock { mutability: Mutability::Immutable } => fields(Part::Float),
            Prim::Box(kind) => SmallVec::from_slice(&[(Part::Number(*kind), args[0])]),
            _ => return,
        };
        self.made.push(made);
        self.made_of[var] = self.made.len() as u32;
    }

    /// Which classes are replaced, by the numbers of their first parameters: those that disappear before those that
    /// are passed as parts, which may take their positions.
    fn choose(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> Vec<bool> {
        let mut chosen = vec![false; self.params.len()];
        self.guarded = vec![false; self.params.len()];
        let mut counts: SecondaryMap<CodeId, usize> = SecondaryMap::new();
        unit.codes.iter().for_each(|(id, code)| counts[id] = code.params.len());
        let roots: Vec<Param> =
            (0..self.params.len()).filter(|param| self.parents[*param] == *param).collect();
        for disappears in [true, false] {
            for &root in &roots {
                if self.needed[root] == disappears {
                    continue;
                }
                let class = &self.classes[root];
                let guard = if disappears { self.unneeded(class) } else { self.replaceable(unit, class) };
                let Some(guard) = guard.filter(|_| self.fits(unit, class, &counts)) else { continue };
                let (code, variable) = self.params[root];
                if !rewrites.allow(Rewrite::ParameterParts(variable), unit, Some(code)) {
                    continue;
                }
                chosen[root] = true;
                self.guarded[root] = guard == Guard::Tested;
                for member in &class.members {
                    let count = &mut counts[self.params[*member].0];
                    *count = *count + class.parts.len() - 1;
                }
            }
        }
        chosen
    }

    /// A class that is not needed disappears if no function of it would get a worker, for which that is no reason.
    fn unneeded(&self, class: &Class) -> Option<Guard> {
        class.members.iter().all(|member| !self.divisible[self.params[*member].0]).then_some(Guard::Certain)
    }

    /// How calls read the parts of a class where they do not allocate it, if all calls pass what has the parts or can
    /// read them, and some would allocate it no more.
    fn replaceable(&self, unit: &Unit, class: &Class) -> Option<Guard> {
        let has = |made: &Made, part: &Part| made.iter().any(|(has, _)| has == part);
        let has_all = |var: &Variable| {
            self.made((*var).into()).is_some_and(|made| class.parts.iter().all(|part| has(made, part)))
        };
        let gains = !class.refused && (class.is_joined || !class.made.is_empty());
        if !gains || !class.made.iter().all(has_all) {
            return None;
        }
        let mut unknown = class.members.iter().filter(|member| self.unknown[**member]);
        unknown
            .try_fold(Guard::Certain, |guard, member| Some(guard.max(self.readable(unit, class, *member)?)))
    }

    /// How callers may read the parts of what they pass as a parameter, if they may.
    fn readable(&self, unit: &Unit, class: &Class, param: Param) -> Option<Guard> {
        let (code, variable) = self.params[param];
        let first = first_reads(&unit.codes[code].body);
        let first: Vec<_> = first.iter().filter(|read| self.param(read.atom) == Some(param)).collect();
        let is_certain = |part: &Part| first.iter().any(|read| read.part == *part && read.is_certain);
        let guard = if class.parts.iter().all(is_certain) { Guard::Certain } else { Guard::Tested };
        let is_number = |part: &Part| match part {
            Part::Number(kind) => unit.variables[variable].subkind == Subkind::Boxed(*kind),
            _ => false,
        };
        if class.parts.iter().all(is_number) {
            return Some(guard);
        }
        let changing = first.iter().filter(|read| read.mutability.may_change()).count();
        let is_readable = class.parts.iter().all(|part| first.iter().any(|read| read.part == *part))
            && !class.parts.iter().any(|part| matches!(part, Part::Captured(_)))
            && (class.changing == 0 || class.changing == changing && !class.is_passed_on);
        is_readable.then_some(guard)
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

    /// Whether each function has a parameter left, and none too many.
    fn fits(&self, unit: &Unit, class: &Class, counts: &SecondaryMap<CodeId, usize>) -> bool {
        class.members.iter().all(|member| {
            let code = self.params[*member].0;
            let members = class.members.iter().filter(|other| self.params[**other].0 == code).count();
            let (before, count) = (unit.codes[code].params.len(), counts[code]);
            let after = count - members + members * class.parts.len();
            after >= 1
                && (after <= count || after <= MOST_PARAMETERS && after <= before + MOST_NEW_PARAMETERS)
        })
    }

    /// The parameters that replace one of a class.
    fn fresh(&self, unit: &mut Unit, param: Param, root: Param) -> Vec<(Part, Variable)> {
        let name = unit.variables[self.params[param].1].name.clone();
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

struct Rewriting<'r> {
    analysis: &'r Analysis,
    /// By the number of a parameter, what it is replaced by.
    replaced: &'r [Option<Vec<(Part, Variable)>>],
}

impl Rewriting<'_> {
    /// What an atom is replaced by, if it is a parameter that is.
    fn parts_of(&self, atom: Simple) -> Option<&Vec<(Part, Variable)>> {
        self.replaced[self.analysis.param(atom)?].as_ref()
    }

    fn body(&self, unit: &mut Unit, body: &mut Expr) {
        body.walk_mut(&mut |expr| {
            expr.items.retain_mut(|item| self.item(item));
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && self.analysis.known[callee]
                && let Some(first) = self.analysis.first[callee]
            {
                let mut args = Vec::with_capacity(apply.args.len());
                for (param, arg) in (first as usize..).zip(&apply.args) {
                    match self.replaced.get(param) {
                        Some(Some(parts)) => {
                            args.extend(self.parts(unit, &mut expr.items, param, *arg, parts));
                        }
                        // It is not needed: else it would be in the class of what it is passed.
                        _ if self.parts_of(*arg).is_some() => {
                            args.push(Simple::Const(Const::Poison(self.analysis.kinds[param])));
                        }
                        _ => args.push(*arg),
                    }
                }
                apply.args = args;
            }
        });
    }

    /// The parts of what a call passes as a parameter.
    fn parts(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        param: Param,
        arg: Simple,
        parts: &[(Part, Variable)],
    ) -> SmallVec<[Simple; 2]> {
        if let Some(known) = parts.iter().map(|(part, _)| self.part(arg, *part)).collect() {
            return known;
        }
        let class = self.analysis.find(param);
        let mutability = self.analysis.classes[class].mutability.unwrap_or(Mutability::Unknown);
        let wanted: SmallVec<[_; 4]> = parts.iter().map(|(part, _)| (*part, mutability)).collect();
        read(unit, items, arg, &wanted, self.analysis.guarded[class])
    }

    /// A part of what a call passes.
    fn part(&self, arg: Simple, part: Part) -> Option<Simple> {
        if let Some(own) = self.parts_of(arg) {
            return own.iter().find(|(p, _)| *p == part).map(|(_, var)| (*var).into());
        }
        self.analysis.made(arg)?.iter().find(|(p, _)| *p == part).map(|(_, value)| *value)
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, item: &mut Item) -> bool {
        let Item::Let { named, .. } = item else { return true };
        match named {
            Named::Simple(atom) => self.parts_of(*atom).is_none(),
            Named::Prim { prim, args, .. } => {
                if let Some(read) = Read::of(prim, args)
                    && let Some(own) = self.parts_of(read.atom)
                    && let Some((_, value)) = own.iter().find(|(part, _)| *part == read.part)
                {
                    *named = Named::Simple((*value).into());
                }
                true
            }
        }
    }
}
