//! Moving the bodies. Runs are numbered as by `flambeau_flow`.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use flambeau_flow::arms_mut;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    ApplyCont, CodeId, ContHandler, Continuation, Dbg, ExnCont, Expr, Item, LocTable, Named, Prim, Simple,
    Terminator, Unit, ValueSlot,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::analysis::{Analysis, Home, RunNumber, SetId};
use crate::recursion;
use flambeau_ir::renumber::Removal;

/// Carries out the choices of the analysis.
pub(super) fn rewrite(unit: &mut Unit, analysis: &Analysis) {
    let mut conts: SecondaryMap<CodeId, PackedOption<Continuation>> = SecondaryMap::new();
    let (mut rets, mut exns) = (FxHashMap::default(), FxHashMap::default());
    let mut insertions: FxHashMap<(Home, RunNumber), Vec<(u32, SetId)>> = FxHashMap::default();
    let mut values = FxHashMap::default();
    let mut removal = Removal::new(unit);
    for (id, set) in &analysis.sets {
        let Some(chosen) = &set.chosen else { continue };
        let Some(home) = set.home else { continue };
        insertions.entry((home, chosen.at.run)).or_default().push((chosen.at.index, id));
        values.extend(set.values.iter().copied());
        for &(slot, code) in &set.functions {
            conts[code] = unit.new_continuation(unit.function_slots[slot].clone()).into();
            rets.insert(unit.codes[code].ret, chosen.ret);
            exns.insert(unit.codes[code].exn, chosen.exn.clone());
            removal.code(code);
        }
    }
    for (index, item) in unit.statics.iter().enumerate() {
        if item.def.symbols().iter().any(|&symbol| analysis.is_gone(symbol.into())) {
            removal.static_data(index);
        }
    }
    insertions.values_mut().for_each(|points| points.sort_unstable());

    // The bodies are taken out of the unit, so that the rest of it can be read meanwhile.
    let mut entry = unit.entry.body.take();
    let bodies = unit.codes.values_mut().map(|code| code.body.take()).collect();
    let locs = std::mem::take(&mut unit.locs);
    let (home, run) = (Home::Entry, RunNumber(0));
    let mut rewriter =
        Rewriter { unit, analysis, conts, rets, exns, insertions, values, bodies, locs, home, run };
    rewriter.expr(&mut entry);
    for id in rewriter.unit.codes.keys().filter(|&id| !analysis.is_chosen(id)) {
        let mut body = rewriter.bodies[id].take();
        (rewriter.home, rewriter.run) = (Home::Code(id), RunNumber(0));
        rewriter.expr(&mut body);
        rewriter.bodies[id] = body;
    }
    let (bodies, locs) = (rewriter.bodies, rewriter.locs);
    unit.locs = locs;
    unit.entry.body = entry;
    for (id, body) in bodies {
        unit.codes[id].body = body;
    }
    removal.apply(unit);
    // A body that calls the function where it is now, or a sibling of that, makes it recursive.
    recursion::mark_cycles_of_sets(unit);
}

struct Rewriter<'a> {
    unit: &'a Unit,
    analysis: &'a Analysis,
    /// The continuations that functions become.
    conts: SecondaryMap<CodeId, PackedOption<Continuation>>,
    /// The replacements of their return and exception continuations.
    rets: FxHashMap<Continuation, Continuation>,
    exns: FxHashMap<Continuation, ExnCont>,
    /// For each run, what is put before which of its items, in order.
    insertions: FxHashMap<(Home, RunNumber), Vec<(u32, SetId)>>,
    /// The captured values.
    values: FxHashMap<ValueSlot, Simple>,
    bodies: PrimaryMap<CodeId, Expr>,
    locs: LocTable,
    /// The function that is rewritten, and the number of the next run in it.
    home: Home,
    run: RunNumber,
}

impl Rewriter<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        deep(|| {
            let insertions = self.insertions.remove(&(self.home, self.run)).unwrap_or_default();
            self.run.0 += 1;
            let mut insertions = insertions.into_iter().peekable();
            let items = std::mem::take(&mut expr.items);
            expr.items.reserve(items.len() + insertions.len());
            // Bound as late as can be: what is computed before a loop is entered is then in scope in it.
            let mut groups = Vec::new();
            for (index, mut item) in items.into_iter().enumerate() {
                while let Some((_, set)) = insertions.next_if(|(at, _)| *at as usize == index) {
                    groups.push(self.group(set));
                }
                if self.item(&mut item) {
                    if matches!(item, Item::Join { .. } | Item::LetCont { .. }) {
                        expr.items.append(&mut groups);
                    }
                    expr.items.push(item);
                }
            }
            expr.items.append(&mut groups);
            for (_, set) in insertions {
                expr.items.push(self.group(set));
            }
            self.terminator(&mut expr.terminator);
            // Arms have numbers, too.
            self.run.0 += arms_mut(&mut expr.terminator).count() as u32;
        });
    }

    /// The continuations that the functions of a set become.
    fn group(&mut self, set: SetId) -> Item {
        let set = &self.analysis.sets[set];
        let here = (self.home, self.run);
        let mut handlers = Vec::with_capacity(set.functions.len());
        for &(_, code) in &set.functions {
            let mut body = self.bodies[code].take();
            (self.home, self.run) = (Home::Code(code), RunNumber(0));
            self.expr(&mut body);
            if let Some(chosen) = &set.chosen
                && chosen.call != Dbg::NONE
            {
                body.map_places(&mut |dbg| self.locs.inline(chosen.call, dbg));
            }
            let Some(cont) = self.conts[code].expand() else { continue };
            handlers.push(ContHandler {
                cont,
                params: SmallVec::from_slice(&self.unit.codes[code].params),
                body,
            });
        }
        (self.home, self.run) = here;
        Item::LetCont { recursive: set.recursive, handlers }
    }

    /// Whether the item stays.
    fn item(&mut self, item: &mut Item) -> bool {
        match item {
            Item::Let { named: Named::Simple(simple), .. } => return !self.analysis.is_gone(*simple),
            Item::Let { named, .. } => {
                let Named::Prim { prim, args, exn } = named else { return true };
                match prim {
                    Prim::ProjectFunctionSlot { .. } => return !self.analysis.is_gone(args[0]),
                    Prim::ProjectValueSlot { value, .. } => {
                        if let Some(captured) = self.values.get(value) {
                            *named = Named::Simple(*captured);
                        }
                    }
                    _ => exn.iter_mut().for_each(|exn| self.exn(exn)),
                }
            }
            Item::LetClosures { set, .. } => return !self.analysis.is_chosen(set.functions[0].1),
            Item::Join { body, .. } => self.expr(body),
            Item::LetCont { handlers, .. } => {
                handlers.iter_mut().for_each(|handler| self.expr(&mut handler.body));
            }
        }
        true
    }

    fn terminator(&mut self, terminator: &mut Terminator) {
        match terminator {
            Terminator::Apply(apply) => {
                let called = self.analysis.called(self.unit, apply);
                let code = called.map(|closure| self.analysis.code(closure));
                if let Some(cont) = code.and_then(|code| self.conts[code].expand()) {
                    let args = SmallVec::from_slice(&apply.args);
                    *terminator = Terminator::ApplyCont(ApplyCont { cont, args });
                    return;
                }
                self.ret(&mut apply.ret);
                self.exn(&mut apply.exn);
            }
            Terminator::ApplyCont(jump) => self.ret(&mut jump.cont),
            Terminator::Switch(_) | Terminator::StringSwitch(_) => {
                arms_mut(terminator).for_each(|jump| self.ret(&mut jump.cont));
            }
            Terminator::Raise { handler, .. } => self.exn(handler),
            Terminator::Try { body, .. } => self.expr(body),
            Terminator::Unreachable => {}
        }
    }

    fn ret(&self, cont: &mut Continuation) {
        if let Some(by) = self.rets.get(cont) {
            *cont = *by;
        }
    }

    fn exn(&self, exn: &mut ExnCont) {
        if let Some(by) = self.exns.get(&exn.cont) {
            *exn = by.clone();
        }
    }
}
