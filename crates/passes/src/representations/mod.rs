//! Code that finds out again and again how an array is represented is copied for each representation, behind one test
//! (features F1–F4). `docs/passes/representations.md` shows it.
//!
//! What is copied is the rest of a run: from a loop on, or from the first access on. In each copy the accesses are
//! those of arrays of that representation, and the simplifier finds that the floats need no boxes.

mod points;

use flambeau_ir::copy::Copier;
use flambeau_ir::prim::{IntCmp, IntOp, Unknown};
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, CodeId, ContHandler, Continuation, Dbg, Expr, IntKind, Item, Kind, Named, Prim, Rewrite,
    Rewrites, Simple, Subkind, Switch, Terminator, Unit, Variable, tags,
};
use flambeau_simplify::arrays::{Access, Representation};
use flambeau_simplify::size;
use flambeau_types::Elements;
use flambeau_types::length_of_made;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::loops::entered;
use crate::peel::{peel_off, scope_at_back_edge};
use points::{Gain, Points};

/// More arrays than these are not tested at once.
const MOST: usize = 4;
/// A function grows by so many times what may be copied at once.
const GROWTH: u32 = 4;

/// Copies code of all functions of a unit for the representations of arrays, and returns in which functions, the entry
/// without a code. On entry and on exit the unit is well-formed.
pub fn copied_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let limit = rewrites.inlining.of(rewrites.round).representations;
    let mut changed = Vec::new();
    if limit == 0 {
        return changed;
    }
    unit.rewrite_bodies(|unit, code, body| {
        if !has_points(body) {
            return false;
        }
        let mut copying = Copying::new(unit, rewrites, code, limit);
        copying.run(body);
        if copying.changed {
            changed.push(code);
        }
        copying.changed
    });
    changed
}

fn has_points(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |expr| found |= expr.items.iter().any(|item| unknown_array(item).is_some()));
    found
}

/// The array of which an item finds out whether it is flat.
fn unknown_array(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { named: Named::Prim { prim, args, .. }, .. } => {
            (prim.needs_representation() == Some(Unknown::IsFlat)).then(|| args[0].as_var())?
        }
        _ => None,
    }
}

/// The array that an item shows to be one.
fn shown_array(item: &Item) -> Option<Variable> {
    match item {
        Item::Let { named: Named::Prim { prim, args, .. }, .. } if prim.shows_array() => args[0].as_var(),
        _ => None,
    }
}

/// How a term is copied.
struct Plan {
    /// The arrays that are tested: one at least.
    arrays: SmallVec<[Variable; 2]>,
    /// There is a copy for those that are all flat.
    flat: bool,
    /// There is one for those of which none is flat.
    other: bool,
    /// There is one for the rest, as it was.
    mixed: bool,
    /// By how much the function grows.
    growth: u32,
}

/// The copying in one function, whose body is not in the unit meanwhile.
struct Copying<'a> {
    unit: &'a mut Unit,
    rewrites: &'a mut Rewrites,
    code: Option<CodeId>,
    /// Whether the current point is executed more than once: what the entry does outside of loops is not.
    repeats: bool,
    /// Larger code is not copied.
    limit: u32,
    /// What may still be copied: copies of copies are as many as there are arrays in the power of two.
    budget: u32,
    /// What an operation that was executed before the current point shows to be arrays, in the order in which it is
    /// found: what is nested in a run is taken away behind it.
    arrays: Vec<Variable>,
    /// The arrays for which the loop around the current point was peeled, which are tested before what is left of it.
    awaited: Vec<Variable>,
    /// The arrays that were tested around the current point.
    tested: Vec<Variable>,
    /// The arrays that were made in copies: once these are simplified, what is in them may be known.
    made: FxHashSet<Variable>,
    changed: bool,
}

impl Copying<'_> {
    fn new<'a>(
        unit: &'a mut Unit,
        rewrites: &'a mut Rewrites,
        code: Option<CodeId>,
        limit: u32,
    ) -> Copying<'a> {
        let (arrays, awaited, tested) = (Vec::new(), Vec::new(), Vec::new());
        let (made, changed) = (FxHashSet::default(), false);
        let budget = limit.saturating_mul(GROWTH);
        let repeats = code.is_some();
        Copying { unit, rewrites, code, repeats, limit, budget, arrays, awaited, tested, made, changed }
    }

    /// A run, from the first point on at which copying the rest is worth it.
    fn run(&mut self, expr: &mut Expr) {
        deep(|| {
            let shown = self.arrays.len();
            let mut seen: SmallVec<[Variable; 4]> = SmallVec::new();
            let awaited = self.awaited.len();
            let mut index = 0;
            while index < expr.items.len() {
                let item = &expr.items[index];
                let is_loop = matches!(item, Item::LetCont { recursive: true, .. });
                let is_first = self.repeats
                    && unknown_array(item).is_some_and(|array| {
                        let is_new = !seen.contains(&array) && !self.awaited.contains(&array);
                        seen.push(array);
                        is_new
                    });
                if (is_loop || is_first) && self.cut(expr, index) {
                    break;
                }
                if is_loop && self.peel(expr, index) {
                    continue;
                }
                self.item(&mut expr.items[index]);
                index += 1;
            }
            self.awaited.truncate(awaited);
            if let Terminator::Try { body, .. } = &mut expr.terminator {
                self.run(body);
            }
            self.arrays.truncate(shown);
        });
    }

    fn item(&mut self, item: &mut Item) {
        self.arrays.extend(shown_array(item));
        match item {
            Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => {
                if !self.tested.is_empty() && length_of_made(prim, args).is_some() {
                    self.made.insert(*var);
                }
            }
            Item::Join { body, .. } => {
                self.run(body);
                // What comes first in it was executed before whatever jumps to the rest.
                let straight = body.items.iter().take_while(|item| matches!(item, Item::Let { .. }));
                self.arrays.extend(straight.filter_map(shown_array));
            }
            Item::LetCont { handlers, recursive } => {
                let around = self.repeats;
                self.repeats |= *recursive;
                handlers.iter_mut().for_each(|handler| self.run(&mut handler.body));
                self.repeats = around;
            }
            Item::Let { .. } | Item::LetClosures { .. } => {}
        }
    }

    /// Copies the rest of a run, from an item on, if that is possible and worth it.
    fn cut(&mut self, expr: &mut Expr, index: usize) -> bool {
        // An item has a size of one at least, or binds what has.
        if expr.items.len() - index > self.limit as usize {
            return false;
        }
        let mut rest = Expr {
            items: expr.items.split_off(index),
            terminator: std::mem::replace(&mut expr.terminator, Terminator::Unreachable),
        };
        let plan = self.plan(&rest).filter(|plan| {
            self.rewrites.allow(Rewrite::Representations(plan.arrays[0]), self.unit, self.code)
        });
        let cut = plan.is_some();
        if let Some(plan) = plan {
            self.budget -= plan.growth;
            rest = self.copies(rest, &plan);
            self.changed = true;
        }
        expr.items.append(&mut rest.items);
        expr.terminator = rest.terminator;
        cut
    }

    fn may_be_tested(&self, array: Variable) -> bool {
        !self.tested.contains(&array) && !self.made.contains(&array)
    }

    /// Peels a loop where only its first iteration shows that what it works on is an array: the loop that is left can
    /// be copied.
    fn peel(&mut self, expr: &mut Expr, index: usize) -> bool {
        let Some(arrays) = self.shown_by_first(expr, index) else { return false };
        let Terminator::ApplyCont(entry) = &expr.terminator else { return false };
        if !self.rewrites.allow(Rewrite::Peeling(entry.cont), self.unit, self.code) {
            return false;
        }
        self.awaited.extend(arrays);
        peel_off(self.unit, expr, index);
        self.changed = true;
        true
    }

    /// The arrays that the first iteration of a loop shows to be arrays, if copying the others is worth the peeling,
    /// too.
    fn shown_by_first(&mut self, expr: &Expr, index: usize) -> Option<SmallVec<[Variable; 2]>> {
        let Item::LetCont { handlers, .. } = &expr.items[index] else { return None };
        if entered(expr) != Some(index) {
            return None;
        }
        let handler = &handlers[0];
        let size = size::of(&handler.body, self.limit.min(self.budget) / 2)?;
        let points = Points::of(&handler.body);
        let mut arrays = points.arrays();
        if arrays.is_empty() || !points.can_be_copied() {
            return None;
        }
        let path = scope_at_back_edge(handler)?;
        let shown: FxHashSet<Variable> = path
            .into_iter()
            .flatten()
            .filter_map(shown_array)
            .filter(|array| !handler.params.contains(array))
            .collect();
        arrays.retain(|(array, _)| {
            shown.contains(array) && self.may_be_tested(*array) && !self.arrays.contains(array)
        });
        // The points are those of one iteration.
        let gain = arrays.iter().map(|(_, gain)| gain.repeated(1).most()).max()?;
        let is_worth = u64::from(gain) * u64::from(self.limit) / 100 >= 2 * u64::from(size);
        is_worth.then(|| {
            self.budget -= size;
            arrays.iter().map(|(array, _)| *array).collect()
        })
    }

    /// How a term is to be copied, if that is worth it.
    fn plan(&self, rest: &Expr) -> Option<Plan> {
        let size = size::of(rest, self.limit.min(self.budget))?;
        let points = Points::of(rest);
        let mut arrays = points.arrays();
        if arrays.is_empty() || !points.can_be_copied() {
            return None;
        }
        let soon = shown_soon(rest);
        arrays.retain(|(array, _)| {
            self.may_be_tested(*array) && (self.arrays.contains(array) || soon.contains(array))
        });
        arrays.truncate(MOST);
        // A larger limit asks for less gain, too.
        let is_worth = |gain: u32| u64::from(gain) * u64::from(self.limit) / 100 >= u64::from(size);
        let together = arrays.iter().fold(Gain::default(), |total, (_, gain)| total.and(*gain));
        let (flat, other) = (is_worth(together.flat), is_worth(together.other));
        let growth = size * (u32::from(flat) + u32::from(other));
        if arrays.len() > 1 && growth > 0 && growth <= self.budget {
            let arrays = arrays.iter().map(|(array, _)| *array).collect();
            return Some(Plan { arrays, flat, other, mixed: true, growth });
        }
        let (array, gain) = *arrays.first()?;
        is_worth(gain.most()).then(|| Plan {
            arrays: smallvec![array],
            flat: true,
            other: true,
            mixed: false,
            growth: size,
        })
    }

    /// ```text
    /// cont flat { REST with floats }
    /// and other { REST with values }
    /// let tag = get_tag (array)
    /// let is_flat = eq.int# (tag, 254)
    /// switch is_flat { 0 -> other, _ -> flat }
    /// ```
    /// and where there are several arrays, a copy as it was for those of which some are flat and some are not, beside
    /// one or both of these.
    fn copies(&mut self, rest: Expr, plan: &Plan) -> Expr {
        let dbg = place(&rest);
        let Plan { arrays, .. } = plan;
        let tested = self.tested.len();
        self.tested.extend(arrays);
        let mut handlers = Vec::new();
        let mut conts = [None; 3];
        let mut rest = Some(rest);
        // `Obj.field` is an access to a generic array, so what is not flat may be any block.
        let wanted = [
            (plan.flat, "flat", Some(Representation::Array(Elements::Floats))),
            (plan.other, "other", Some(Representation::Fields)),
            (plan.mixed, "mixed", None),
        ];
        let last = wanted.iter().rposition(|(is_wanted, ..)| *is_wanted);
        for (index, (_, name, representation)) in
            wanted.iter().enumerate().filter(|(_, (wanted, ..))| *wanted)
        {
            // The last one is the original.
            let body =
                if Some(index) == last { rest.take() } else { rest.as_ref().map(|rest| self.copy(rest)) };
            let Some(mut body) = body else { break };
            if let Some(representation) = representation {
                self.specialise(&mut body, arrays, *representation);
            }
            let cont = self.unit.new_continuation(*name);
            conts[index] = Some(cont);
            self.run(&mut body);
            handlers.push(ContHandler::plain(cont, body));
        }
        self.tested.truncate(tested);
        let mut items = vec![Item::LetCont { recursive: false, handlers }];
        let count = self.count_flat(&mut items, arrays, dbg);
        let [flat, other, mixed] = conts;
        // How many are flat.
        let mut arms = Vec::new();
        arms.extend(other.map(|cont| (0, ApplyCont::plain(cont))));
        arms.extend(
            flat.filter(|_| mixed.is_some()).map(|cont| (arrays.len() as i64, ApplyCont::plain(cont))),
        );
        let switch = Switch {
            scrutinee: count,
            arms,
            default: mixed.or(flat).map(ApplyCont::plain),
            dbg,
            cases: None,
        };
        Expr { items, terminator: Terminator::Switch(Box::new(switch)) }
    }

    fn copy(&mut self, rest: &Expr) -> Expr {
        Copier::new(&mut self.unit.variables, &mut self.unit.continuations).expr(rest)
    }

    /// Counts how many of some arrays are flat.
    fn count_flat(&mut self, items: &mut Vec<Item>, arrays: &[Variable], dbg: Dbg) -> Simple {
        let mut bind = |name: &str, prim: Prim, args: &[Simple]| {
            let var = self.unit.new_variable(name, Kind::NakedImmediate, Subkind::Any);
            items.push(bound(var, prim, args, dbg));
            Simple::Var(var)
        };
        let kind = IntKind::Naked;
        let tag_of_flat = Simple::naked_imm(i64::from(tags::DOUBLE_ARRAY));
        let tests: SmallVec<[Simple; 2]> = arrays
            .iter()
            .map(|array| {
                let tag = bind("tag", Prim::GetTag, &[(*array).into()]);
                bind("is_flat", Prim::IntCompare { op: IntCmp::Eq, kind }, &[tag, tag_of_flat])
            })
            .collect();
        let sum = Prim::IntArith { op: IntOp::Add, kind };
        let count = tests.into_iter().reduce(|count, test| bind("flat", sum.clone(), &[count, test]));
        count.unwrap_or(Simple::naked_imm(0))
    }

    /// Makes accesses those of arrays that are flat, or are not.
    fn specialise(&mut self, expr: &mut Expr, arrays: &[Variable], representation: Representation) {
        let unit = &mut *self.unit;
        expr.walk_mut(&mut |expr| {
            if !expr.items.iter().any(|item| unknown_array(item).is_some_and(|array| arrays.contains(&array)))
            {
                return;
            }
            for item in std::mem::take(&mut expr.items) {
                let access = match &item {
                    Item::Let { named: Named::Prim { prim, args, .. }, .. }
                        if unknown_array(&item).is_some_and(|array| arrays.contains(&array)) =>
                    {
                        Access::of(unit, prim, args, representation)
                    }
                    _ => None,
                };
                match (item, access) {
                    (Item::Let { var, dbg, .. }, Some(Access { lets, prim, args })) => {
                        let results = lets.into_iter().chain([(var, prim, args)]);
                        expr.items.extend(results.map(|(var, prim, args)| bound(var, prim, &args, dbg)));
                    }
                    (item, _) => expr.items.push(item),
                }
            }
        });
    }
}

fn bound(var: Variable, prim: Prim, args: &[Simple], dbg: Dbg) -> Item {
    Item::Let { var, named: Named::Prim { prim, args: SmallVec::from_slice(args), exn: None }, dbg }
}

/// The location of the first access.
fn place(rest: &Expr) -> Dbg {
    let mut found = None;
    rest.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let { dbg, .. } = item
                && unknown_array(item).is_some()
            {
                found.get_or_insert(*dbg);
            }
        }
    });
    found.unwrap_or(Dbg::NONE)
}

/// What a term shows to be arrays before anything that may not go on: reading their headers before it reads nothing
/// that it does not.
fn shown_soon(rest: &Expr) -> FxHashSet<Variable> {
    let mut shown = FxHashSet::default();
    let mut expr = rest;
    loop {
        let mut inner = None;
        for item in &expr.items {
            shown.extend(shown_array(item));
            match item {
                Item::Let { named: Named::Prim { prim, .. }, .. } if prim.can_be_interrupted() => {
                    return shown;
                }
                Item::Join { body, .. } => {
                    inner = Some(&**body);
                    break;
                }
                Item::Let { .. } | Item::LetClosures { .. } | Item::LetCont { .. } => {}
            }
        }
        expr = match (inner, &expr.terminator) {
            (Some(body), _) => body,
            (None, Terminator::ApplyCont(jump)) => match handler_of(&expr.items, jump.cont) {
                Some(body) => body,
                None => return shown,
            },
            (None, _) => return shown,
        };
    }
}

/// The handler of a continuation that some of these items binds.
fn handler_of(items: &[Item], cont: Continuation) -> Option<&Expr> {
    items.iter().find_map(|item| match item {
        Item::LetCont { handlers, .. } => {
            handlers.iter().find(|handler| handler.cont == cont).map(|handler| &handler.body)
        }
        _ => None,
    })
}
