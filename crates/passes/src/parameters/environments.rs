//! Closures capture the parts of a block that is made to be captured, and only taken apart in the functions (features
//! E4; OCaml's manual, 21.9.1): the block is not allocated, and its parts are nearer.
//!
//! What a function got so it may capture again for its own closures: these capture the parts that they need, too.
//!
//! No set captures more than twice as many values as before, nor do those that capture a block together take more
//! words than with it. One that captures it again, and may be bound more often than the block is allocated, captures
//! one part.

use flambeau_ir::{
    CodeId, Const, Expr, FunctionSlot, Item, Kind, Named, Prim, Rewrite, Rewrites, SetOfClosures, Simple,
    Unit, ValueSlot, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::build::bind;
use super::demand::{Read, tested};
use super::made::{AllMade, Made};
use super::parts::Part;

/// How many times what a set has captured may grow.
const MOST_GROWTH: usize = 2;
/// Through how many closures a block may be captured again.
const DEEPEST: usize = 16;

/// What is captured in a slot.
#[derive(Default)]
struct Captured {
    value: Option<Simple>,
    /// The whole is needed.
    refused: bool,
    is_tested: bool,
    /// The parts that are read, without repetition.
    parts: Vec<Part>,
}

/// Where a captured value comes from in a function.
#[derive(Clone, Copy)]
struct Projection {
    function: FunctionSlot,
    closure: Simple,
    slot: ValueSlot,
}

struct Analysis {
    made: AllMade,
    slots: FxHashMap<ValueSlot, Captured>,
    projections: FxHashMap<Variable, Projection>,
    /// The slots of each set, with the function that binds it.
    sets: Vec<(Option<CodeId>, SmallVec<[ValueSlot; 4]>)>,
}

/// Replaces what closures capture by its parts; returns whether something was.
pub(super) fn environments(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let mut analysis = Analysis::of(unit);
    let chosen = analysis.choose(unit, rewrites);
    if chosen.is_empty() {
        return false;
    }
    let mut parts = FxHashMap::default();
    for slot in chosen {
        let Some(captured) = analysis.slots.get(&slot) else { continue };
        let mut fresh = |part: &Part| (*part, unit.value_slots.push(unit.value_slots[slot].clone()));
        let fresh: Vec<(Part, ValueSlot)> = captured.parts.iter().map(&mut fresh).collect();
        parts.insert(slot, fresh);
    }
    let rewriting = Rewriting { analysis: &analysis, parts: &parts };
    unit.rewrite_bodies(|unit, _, body| {
        body.walk_mut(&mut |expr| rewriting.items(unit, &mut expr.items));
        true
    });
    true
}

impl Analysis {
    fn of(unit: &Unit) -> Analysis {
        let mut analysis = Analysis {
            made: AllMade::of_statics(unit),
            slots: FxHashMap::default(),
            projections: FxHashMap::default(),
            sets: Vec::new(),
        };
        for (code, data) in &unit.codes {
            analysis.body(Some(code), &data.body);
        }
        analysis.body(None, &unit.entry.body);
        analysis.hand_on();
        analysis
    }

    fn body(&mut self, code: Option<CodeId>, body: &Expr) {
        body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| self.item(code, item));
            expr.terminator.for_each_simple(&mut |atom| self.refuse(atom));
        });
    }

    /// Records a use that needs the whole.
    fn refuse(&mut self, atom: Simple) {
        self.made.note_needed(atom);
        if let Some(projection) = self.projection(atom) {
            self.slots.entry(projection.slot).or_default().refused = true;
        }
    }

    fn projection(&self, atom: Simple) -> Option<Projection> {
        self.projections.get(&atom.as_var()?).copied()
    }

    fn item(&mut self, code: Option<CodeId>, item: &Item) {
        match item {
            Item::Let { var, named: Named::Simple(atom), .. } => {
                if let Some(projection) = self.projection(*atom) {
                    self.projections.insert(*var, projection);
                }
                if let Some(of) = atom.as_var() {
                    self.made.note_name(*var, of);
                }
            }
            Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => self.primitive(*var, prim, args),
            Item::LetClosures { set, .. } => self.set(code, set),
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn primitive(&mut self, var: Variable, prim: &Prim, args: &[Simple]) {
        if let Prim::ProjectValueSlot { function, value } = prim {
            self.refuse(args[0]);
            let projection = Projection { function: *function, closure: args[0], slot: *value };
            self.projections.insert(var, projection);
            return;
        }
        if let Some((atom, _)) = tested(prim, args)
            && let Some(projection) = self.projection(atom)
        {
            self.slots.entry(projection.slot).or_default().is_tested = true;
            return;
        }
        if let Some(read) = Read::of(prim, args)
            && let Some(projection) = self.projection(read.atom)
        {
            let captured = self.slots.entry(projection.slot).or_default();
            // A number would have to be boxed.
            captured.refused |= !matches!(read.part, Part::Field(_));
            if !captured.parts.contains(&read.part) {
                captured.parts.push(read.part);
            }
            return;
        }
        args.iter().for_each(|arg| self.refuse(*arg));
        self.made.note_primitive(var, prim, args);
    }

    fn set(&mut self, code: Option<CodeId>, set: &SetOfClosures) {
        for (slot, value) in &set.values {
            let captured = self.slots.entry(*slot).or_default();
            captured.refused |= captured.value.replace(*value).is_some();
        }
        if !set.values.is_empty() {
            self.sets.push((code, set.values.iter().map(|(slot, _)| *slot).collect()));
        }
    }

    /// The slot whose value a function captures again in a slot.
    fn captured_from(&self, slot: ValueSlot) -> Option<ValueSlot> {
        let value = self.slots.get(&slot)?.value?;
        self.projection(value).map(|projection| projection.slot)
    }

    /// What was captured first of what is in a slot.
    fn origin(&self, slot: ValueSlot) -> Option<Simple> {
        let mut first = slot;
        for _ in 0..=DEEPEST {
            match self.captured_from(first) {
                Some(outer) => first = outer,
                None => return self.slots.get(&first)?.value,
            }
        }
        None
    }

    /// What is read where a value is captured again is read of all slots that it comes through.
    fn hand_on(&mut self) {
        let slots = self.sets.iter().flat_map(|(_, slots)| slots.iter().copied());
        let again: Vec<ValueSlot> = slots.filter(|slot| self.captured_from(*slot).is_some()).collect();
        let mut outer: Vec<(ValueSlot, Captured)> = Vec::new();
        for slot in again {
            let Some(captured) = self.slots.get(&slot) else { continue };
            let refused = captured.refused || captured.parts.len() > 1 || self.origin(slot).is_none();
            let parts = &captured.parts;
            let mut next = self.captured_from(slot);
            for _ in 0..=DEEPEST {
                let Some(from) = next else { break };
                let parts = parts.clone();
                outer.push((from, Captured { value: None, refused, is_tested: captured.is_tested, parts }));
                next = self.captured_from(from);
            }
        }
        for (slot, more) in outer {
            let captured = self.slots.entry(slot).or_default();
            captured.refused |= more.refused;
            captured.is_tested |= more.is_tested;
            for part in more.parts {
                if !captured.parts.contains(&part) {
                    captured.parts.push(part);
                }
            }
        }
    }

    /// The slots that are replaced.
    fn choose(&mut self, unit: &Unit, rewrites: &mut Rewrites) -> Vec<ValueSlot> {
        // By the numbers of what is allocated, whether it stays.
        let mut kept: FxHashMap<usize, bool> = FxHashMap::default();
        let mut growth: FxHashMap<usize, usize> = FxHashMap::default();
        for slot in self.sets.iter().flat_map(|(_, slots)| slots) {
            let Some(value) = self.origin(*slot) else { continue };
            let Some(captured) = self.slots.get_mut(slot) else { continue };
            let Some((number, made)) = self.made.number(value).zip(self.made.get(value)) else { continue };
            let stays = !self.made.is_only_passed(value) || !captured.fits(made);
            *kept.entry(number).or_default() |= stays;
            *growth.entry(number).or_default() += captured.parts.len().saturating_sub(1);
        }
        let is_large = |number: &usize| growth[number] > self.made.words(*number);
        kept.iter_mut().for_each(|(number, kept)| *kept |= is_large(number));
        while self.keep_in_large_sets(&mut kept) {}
        let mut chosen = Vec::new();
        let mut allowed: FxHashMap<usize, bool> = FxHashMap::default();
        for (code, slots) in &self.sets {
            for slot in slots {
                let Some((number, value)) = self.replaceable(*slot, &kept) else { continue };
                let is_allowed = *allowed
                    .entry(number)
                    .or_insert_with(|| rewrites.allow(Rewrite::CapturedParts(value), unit, *code));
                if is_allowed {
                    chosen.push(*slot);
                }
            }
        }
        chosen
    }

    /// What a slot holds, if that is not allocated any more.
    fn replaceable(&self, slot: ValueSlot, kept: &FxHashMap<usize, bool>) -> Option<(usize, Variable)> {
        let value = self.origin(slot)?;
        let number = self.made.number(value)?;
        let goes = !kept.get(&number)?;
        Some((number, value.as_var()?)).filter(|_| goes)
    }

    /// Keeps what sets capture that would capture too much; whether there was one.
    fn keep_in_large_sets(&self, kept: &mut FxHashMap<usize, bool>) -> bool {
        let mut found = false;
        for (_, slots) in &self.sets {
            let count = |slot: &ValueSlot| match self.replaceable(*slot, kept) {
                Some(_) => self.slots[slot].parts.len(),
                None => 1,
            };
            if slots.iter().map(count).sum::<usize>() > MOST_GROWTH * slots.len() {
                for slot in slots {
                    if let Some((number, _)) = self.replaceable(*slot, kept) {
                        kept.insert(number, true);
                        found = true;
                    }
                }
            }
        }
        found
    }
}

impl Captured {
    /// Whether functions need nothing but parts of what is made; parts that only other constructors have do not count.
    fn fits(&mut self, made: &Made) -> bool {
        if self.is_tested {
            self.parts.retain(|part| made.part(*part).is_some());
        }
        !self.refused && made.tag.is_some() && made.has_all(&self.parts)
    }
}

struct Rewriting<'r> {
    analysis: &'r Analysis,
    /// The slots of the parts of what slots held.
    parts: &'r FxHashMap<ValueSlot, Vec<(Part, ValueSlot)>>,
}

impl Rewriting<'_> {
    /// Where a value comes from that is not captured any more, and the slots of its parts.
    fn gone(&self, atom: Simple) -> Option<(Projection, &[(Part, ValueSlot)])> {
        let projection = self.analysis.projection(atom)?;
        Some((projection, self.parts.get(&projection.slot)?))
    }

    /// Rewrites the items of a run.
    fn items(&self, unit: &mut Unit, items: &mut Vec<Item>) {
        let is_changed = |item: &Item| matches!(item, Item::LetClosures { .. } | Item::Let { .. });
        if !items.iter().any(is_changed) {
            return;
        }
        for mut item in std::mem::take(items) {
            if let Item::LetClosures { set, .. } = &mut item {
                for captured in std::mem::take(&mut set.values) {
                    set.values.extend(self.captured(unit, items, captured));
                }
            }
            if self.item(&mut item) {
                items.push(item);
            }
        }
    }

    /// Rewrites an item; whether it stays.
    fn item(&self, item: &mut Item) -> bool {
        match item {
            Item::Let { var, named, .. } => {
                if self.gone((*var).into()).is_some() {
                    return false;
                }
                if let Named::Prim { prim, args, .. } = named
                    && let Some(by) = self.primitive(prim, args)
                {
                    *named = by;
                }
                true
            }
            Item::LetClosures { .. } | Item::Join { .. } | Item::LetCont { .. } => true,
        }
    }

    /// What is captured instead of a value.
    fn captured(
        &self,
        unit: &mut Unit,
        items: &mut Vec<Item>,
        (slot, value): (ValueSlot, Simple),
    ) -> SmallVec<[(ValueSlot, Simple); 2]> {
        let Some(parts) = self.parts.get(&slot) else { return SmallVec::from_slice(&[(slot, value)]) };
        if let Some((projection, outer)) = self.gone(value) {
            let again = parts.iter().filter_map(|(part, slot)| {
                let (_, from) = outer.iter().find(|(outer, _)| outer == part)?;
                let prim = Prim::ProjectValueSlot { function: projection.function, value: *from };
                Some((*slot, bind(unit, items, Kind::Value, prim, &[projection.closure])))
            });
            return again.collect();
        }
        match self.analysis.made.get(value) {
            Some(made) => parts.iter().filter_map(|(part, slot)| Some((*slot, made.part(*part)?))).collect(),
            None => SmallVec::from_slice(&[(slot, value)]),
        }
    }

    /// What a test or a read of what is not captured any more becomes.
    fn primitive(&self, prim: &Prim, args: &[Simple]) -> Option<Named> {
        if let Some((atom, test)) = tested(prim, args) {
            let (projection, _) = self.gone(atom)?;
            let value = self.analysis.origin(projection.slot)?;
            let tag = self.analysis.made.get(value)?.tag?;
            return Some(Named::Simple(test.outcome(i64::from(tag))));
        }
        let read = Read::of(prim, args)?;
        let (projection, parts) = self.gone(read.atom)?;
        Some(match parts.iter().find(|(part, _)| *part == read.part) {
            Some((_, slot)) => {
                let prim = Prim::ProjectValueSlot { function: projection.function, value: *slot };
                Named::Prim { prim, args: SmallVec::from_slice(&[projection.closure]), exn: None }
            }
            // It belongs to another constructor: this is never evaluated.
            None => Named::Simple(Const::Poison(read.part.kind()).into()),
        })
    }
}
