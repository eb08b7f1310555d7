//! Results: a function that allocates a boxed number for each of its returns, of which some call uses only the number,
//! returns the number; calls box it where they need that (features E8).
//!
//! Functions that return each other's results are a *class*. No box is allocated a second time: what is returned is
//! boxed for that alone, or is a constant. A constant is boxed already: calls that need the box find it again by its
//! number, if there is one constant; if there are more, each call has to use only the number.

use cranelift_entity::SecondaryMap;
use flambeau_ir::{
    Apply, ApplyCont, BoxedKind, CallKind, CodeId, Const, Continuation, Expr, Item, Named, Prim, Rewrite,
    Rewrites, Simple, StaticDef, Symbol, Terminator, Unit, Variable,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::boxes::box_result;
use super::known::Known;
use super::workers;

/// What is known of the results of functions which return each other's.
#[derive(Clone, Default)]
struct Class {
    /// How many functions there are beside the first.
    others: u32,
    refused: bool,
    /// What they box.
    kind: Option<BoxedKind>,
    /// The constants that are returned, without repetition; of more than two the first two.
    constants: SmallVec<[Symbol; 2]>,
    /// Some call uses only the number, and some the box.
    unboxed: bool,
    boxed: bool,
}

impl Class {
    fn gives(&mut self, kind: BoxedKind) {
        self.refused |= self.kind.is_some_and(|known| known != kind);
        self.kind = Some(kind);
    }

    fn returns(&mut self, constant: Symbol) {
        if self.constants.len() < 2 && !self.constants.contains(&constant) {
            self.constants.push(constant);
        }
    }

    /// The kind of number that the functions are to return.
    fn number(&self) -> Option<BoxedKind> {
        let is_better = self.unboxed && !(self.constants.len() > 1 && self.boxed);
        self.kind.filter(|_| !self.refused && is_better)
    }
}

/// Where a variable that is a boxed number comes from, and how variables are used.
#[derive(Default)]
struct Uses {
    boxes: SecondaryMap<Variable, Option<(BoxedKind, Simple)>>,
    all: SecondaryMap<Variable, u32>,
    unboxed: SecondaryMap<Variable, u32>,
    /// The variable that a continuation takes, and how often it is used.
    params: SecondaryMap<Continuation, Option<Variable>>,
    conts: SecondaryMap<Continuation, u32>,
}

struct Analysis {
    uses: Uses,
    constants: SecondaryMap<Symbol, Option<(BoxedKind, Const)>>,
    /// Union-find, by the numbers of codes.
    parents: SecondaryMap<CodeId, Option<CodeId>>,
    classes: SecondaryMap<CodeId, Class>,
}

/// Makes functions return numbers; returns whether there was one.
pub(super) fn results(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let known = Known::of(unit);
    let divisible = workers::divisible(unit, &known);
    let analysis = Analysis::of(unit, &known, &divisible);
    let mut chosen: SecondaryMap<CodeId, Option<BoxedKind>> = SecondaryMap::new();
    let mut is_any = false;
    for code in unit.codes.keys().filter(|code| analysis.find(*code) == *code) {
        if let Some(kind) = analysis.classes[code].number()
            && rewrites.allow(Rewrite::NakedResult, unit, Some(code))
        {
            chosen[code] = Some(kind);
            is_any = true;
        }
    }
    if !is_any {
        return false;
    }
    let functions: Vec<CodeId> =
        unit.codes.keys().filter(|code| chosen[analysis.find(*code)].is_some()).collect();
    let divided: Vec<CodeId> = functions.iter().copied().filter(|code| divisible[*code]).collect();
    let workers = workers::divide(unit, &divided);
    // What functions give, and the constants that they may give.
    let mut gives: SecondaryMap<CodeId, Option<(BoxedKind, &[Symbol])>> = SecondaryMap::new();
    for function in functions {
        let class = analysis.find(function);
        let code = workers[function].unwrap_or(function);
        gives[code] = chosen[class].map(|kind| (kind, &analysis.classes[class].constants[..]));
        let ret = unit.codes[code].ret;
        unit.codes[code].body.walk_mut(&mut |expr| analysis.returns(&mut expr.terminator, ret));
        if let Some(kind) = chosen[class] {
            unit.codes[code].result = kind.naked();
        }
    }
    unit.rewrite_bodies(|unit, caller, body| {
        // A call in tail position returns what the caller returns, if that gives a number too.
        let own = caller.filter(|code| gives[*code].is_some()).map(|code| unit.codes[code].ret);
        let mut wrapped = FxHashSet::default();
        body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(callee) = apply.kind
                && let Some((kind, constants)) = gives[callee]
                && Some(apply.ret) != own
                && !wrapped.contains(&apply.ret)
            {
                // Where the box is not needed, it is taken away again.
                let constants = if analysis.uses.wants_number(apply.ret) { &[] } else { constants };
                let constant =
                    constants.iter().find_map(|symbol| Some((*symbol, analysis.constants[*symbol]?.1)));
                wrapped.insert(box_result(unit, expr, kind, constant));
            }
        });
        true
    });
    true
}

impl Analysis {
    /// `divisible`: the functions that would get a worker, for which somebody else needs a box.
    fn of(unit: &Unit, known: &Known, divisible: &SecondaryMap<CodeId, bool>) -> Analysis {
        let mut analysis = Analysis {
            uses: Uses::of(unit),
            constants: SecondaryMap::new(),
            parents: SecondaryMap::new(),
            classes: SecondaryMap::new(),
        };
        for item in &unit.statics {
            match item.def {
                StaticDef::Float { symbol, bits } => {
                    analysis.constants[symbol] = Some((BoxedKind::Float, Const::NakedFloat(bits)));
                }
                StaticDef::Int32 { symbol, value } => {
                    analysis.constants[symbol] = Some((BoxedKind::Int32, Const::NakedInt32(value)));
                }
                StaticDef::Int64 { symbol, value } => {
                    analysis.constants[symbol] = Some((BoxedKind::Int64, Const::NakedInt64(value)));
                }
                StaticDef::Nativeint { symbol, value } => {
                    analysis.constants[symbol] = Some((BoxedKind::Nativeint, Const::NakedNativeint(value)));
                }
                _ => {}
            }
        }
        for (id, code) in &unit.codes {
            let class = &mut analysis.classes[id];
            class.refused |=
                !(known.is_known(id) || divisible[id]) || code.result != flambeau_ir::Kind::Value;
            class.boxed |= divisible[id];
        }
        for (id, code) in &unit.codes {
            // A stub may box what it gets, though it was in tail position.
            let own = (id, code.ret);
            analysis.body(&code.body, Some(own).filter(|_| !code.attributes.stub));
        }
        analysis.body(&unit.entry.body, None);
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
        into.refused |= from.refused;
        from.constants.iter().for_each(|constant| into.returns(*constant));
        into.unboxed |= from.unboxed;
        into.boxed |= from.boxed;
        from.kind.iter().for_each(|kind| into.gives(*kind));
    }

    /// The body of a function with its return continuation, or that of the entry.
    fn body(&mut self, body: &Expr, own: Option<(CodeId, Continuation)>) {
        body.walk(&mut |expr| {
            if let Some((code, ret)) = own {
                expr.terminator.for_each_jump(&mut |jump| {
                    if jump.cont == ret {
                        self.returned(code, jump.args[0]);
                    }
                });
            }
            if let Terminator::Apply(apply) = &expr.terminator {
                self.call(apply, own);
            }
        });
    }

    fn returned(&mut self, code: CodeId, atom: Simple) {
        let constant = self.constant(atom);
        let own_box = self.own_box(atom);
        let class = self.class(code);
        match (constant, own_box, atom) {
            (Some((kind, _)), _, Simple::Symbol(symbol)) => {
                class.returns(symbol);
                class.gives(kind);
            }
            (_, Some((kind, _)), _) => class.gives(kind),
            _ => class.refused = true,
        }
    }

    fn call(&mut self, apply: &Apply, own: Option<(CodeId, Continuation)>) {
        let callee = match apply.kind {
            CallKind::Direct(callee) => Some(callee),
            _ => None,
        };
        match (own.filter(|(_, ret)| *ret == apply.ret), callee) {
            (Some((caller, _)), Some(callee)) => self.unite(caller, callee),
            (Some((caller, _)), None) => self.class(caller).refused = true,
            (None, Some(callee)) => {
                let wants_number = self.uses.wants_number(apply.ret);
                let class = self.class(callee);
                class.unboxed |= wants_number;
                class.boxed |= !wants_number;
            }
            (None, None) => {}
        }
    }

    fn constant(&self, atom: Simple) -> Option<(BoxedKind, Const)> {
        match atom {
            Simple::Symbol(symbol) => self.constants[symbol],
            _ => None,
        }
    }

    /// What an atom boxes, if that is done for this use alone.
    fn own_box(&self, atom: Simple) -> Option<(BoxedKind, Simple)> {
        let var = atom.as_var()?;
        self.uses.boxes[var].filter(|_| self.uses.all[var] == 1)
    }

    /// Makes a terminator return numbers instead of boxes.
    fn returns(&self, terminator: &mut Terminator, ret: Continuation) {
        let returns = |jump: &mut ApplyCont| {
            if jump.cont == ret {
                let atom = jump.args[0];
                let constant = self.constant(atom).map(|(_, number)| Simple::Const(number));
                if let Some(number) = constant.or(self.own_box(atom).map(|(_, number)| number)) {
                    jump.args[0] = number;
                }
            }
        };
        match terminator {
            Terminator::ApplyCont(jump) => returns(jump),
            Terminator::Switch(switch) => {
                switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default).for_each(returns);
            }
            Terminator::StringSwitch(switch) => {
                switch.arms.iter_mut().map(|(_, jump)| jump).chain(&mut switch.default).for_each(returns);
            }
            _ => {}
        }
    }
}

impl Uses {
    fn of(unit: &Unit) -> Uses {
        let mut uses = Uses::default();
        unit.codes.values().for_each(|code| uses.body(&code.body));
        uses.body(&unit.entry.body);
        uses
    }

    fn body(&mut self, body: &Expr) {
        body.walk(&mut |expr| {
            for item in &expr.items {
                item.for_each_simple(&mut |atom| self.note(atom));
                item.for_each_cont_use(&mut |cont, _| self.conts[cont] += 1);
                match item {
                    Item::Let { var, named: Named::Prim { prim: Prim::Box(kind), args, .. }, .. } => {
                        self.boxes[*var] = Some((*kind, args[0]));
                    }
                    Item::Let { named: Named::Prim { prim: Prim::Unbox(_), args, .. }, .. } => {
                        args[0].as_var().iter().for_each(|var| self.unboxed[*var] += 1);
                    }
                    Item::Join { cont, params, .. } => self.params[*cont] = params.first().copied(),
                    Item::LetCont { handlers, .. } => {
                        for handler in handlers {
                            self.params[handler.cont] = handler.params.first().copied();
                        }
                    }
                    Item::Let { .. } | Item::LetClosures { .. } => {}
                }
            }
            expr.terminator.for_each_simple(&mut |atom| self.note(atom));
            expr.terminator.for_each_cont_use(&mut |cont, _| self.conts[cont] += 1);
        });
    }

    fn note(&mut self, atom: Simple) {
        atom.as_var().iter().for_each(|var| self.all[*var] += 1);
    }

    /// Whether only one call returns to a continuation, and that unboxes the result.
    fn wants_number(&self, cont: Continuation) -> bool {
        self.conts[cont] == 1 && self.params[cont].is_some_and(|param| self.all[param] == self.unboxed[param])
    }
}
