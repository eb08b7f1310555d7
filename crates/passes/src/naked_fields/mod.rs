//! Numbers in blocks and arrays that never leave the unit are naked: a block whose fields all hold numbers and
//! immediates, or an array of numbers, becomes one that the collector does not look into (features E10;
//! `docs/passes/naked_fields.md` shows it).
//!
//! On entry and on exit the unit is well-formed. Which blocks may be the same is [`Flows`]' to say. A class of blocks
//! changes as a whole, where
//!
//! - the unit allocates all of them, of one size, and nobody asks for their tag or copies them;
//! - each field holds immediates, or numbers of one kind: what is stored there is a box; its number is stored instead;
//! - what is loaded from a field of numbers is only unboxed, or stored in such a field again. So no number is boxed a
//!   second time (E11), but what the toplevel loads in its outermost run, which is done once.
//!
//! An array has one field in that sense, its elements ([`arrays`]).

mod arrays;

use std::sync::Arc;

use cranelift_entity::EntitySet;
use flambeau_ir::prim::Init;
use flambeau_ir::{
    BoxedKind, Const, Dbg, Expr, Item, Named, Prim, Rewrite, Rewrites, Simple, Static, Subkind, Symbol, Unit,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::unread::classes::{ELEMENT, Node};
use crate::unread::flows::Flows;
use crate::unread::{for_each_block, forget_types};

/// Lays out blocks of numbers and immediates as such; returns whether there were any.
pub fn naked_fields(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    if !has_boxes_in_blocks(unit) {
        return false;
    }
    let mut plan = Plan::of(unit);
    plan.choose(unit);
    let classes = plan.chosen() as u32;
    if classes == 0 || !rewrites.allow_in_unit(Rewrite::NakedFields { classes }) {
        return false;
    }
    for (var, kind) in plan.number_loads() {
        let name = Arc::clone(&unit.variables[var].name);
        let naked = unit.new_variable(name, kind.naked(), Subkind::Any);
        plan.naked.insert(var, naked);
    }
    unit.rewrite_bodies(|unit, _, body| {
        body.walk_mut(&mut |expr| plan.rewrite(unit, expr));
        plan.drop_boxes(body);
        true
    });
    forget_types(unit, &mut |atom| plan.class(atom).is_some() || plan.array(atom).is_some());
    true
}

/// Whether some block that is allocated holds a boxed number: few units have one, and classes take time.
fn has_boxes_in_blocks(unit: &Unit) -> bool {
    let constants: FxHashSet<Symbol> = constants(unit).map(|(symbol, _)| symbol).collect();
    let mut boxes: EntitySet<Variable> = EntitySet::new();
    let mut found = false;
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            for item in &expr.items {
                let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { continue };
                match prim {
                    Prim::Box(_) | Prim::Rebox(_) => {
                        boxes.insert(*var);
                    }
                    prim if matches!(prim, Prim::MakeBlock { .. }) || arrays::makes(prim) => {
                        found |= args.iter().any(|arg| match *arg {
                            Simple::Symbol(symbol) => constants.contains(&symbol),
                            Simple::Var(var) => boxes.contains(var),
                            Simple::Const(_) => false,
                        });
                    }
                    _ => {}
                }
            }
        });
    }
    found
}

/// The boxed numbers that are static data.
fn constants(unit: &Unit) -> impl Iterator<Item = (Symbol, (BoxedKind, Const))> {
    let number = |item: &Static| Some((*item.def.symbols().first()?, item.def.number()?));
    unit.statics.iter().filter_map(number)
}

/// A field of the blocks of a class, by the class's first value; or [`ELEMENT`] of arrays.
type Field = (Node, u32);

/// What the values have in common that are stored in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Nothing was seen.
    Nothing,
    Immediate,
    Number(BoxedKind),
    Other,
}

impl Content {
    fn join(self, other: Content) -> Content {
        match (self, other) {
            (Content::Nothing, content) | (content, Content::Nothing) => content,
            (a, b) if a == b => a,
            _ => Content::Other,
        }
    }
}

/// A value that is stored in a field.
struct Stored {
    field: Field,
    value: Simple,
    /// It may be a pointer.
    pointer: bool,
}

struct Plan {
    flows: Flows,
    /// The classes that may change, with the number of fields.
    sizes: FxHashMap<Node, u32>,
    /// The classes of arrays that may change.
    arrays: FxHashSet<Node>,
    contents: FxHashMap<Field, Content>,
    stored: Vec<Stored>,
    /// What is loaded from fields of such classes.
    loads: FxHashMap<Variable, Field>,
    /// Of loads, those that are done once at most.
    once: EntitySet<Variable>,
    /// Boxes that are allocated, with the numbers in them.
    boxes: FxHashMap<Variable, (BoxedKind, Simple)>,
    /// Boxes that are static data.
    constants: FxHashMap<Symbol, (BoxedKind, Const)>,
    /// The numbers that are loaded instead of boxes.
    naked: FxHashMap<Variable, Variable>,
    /// Boxes of constant floats, by their bits.
    floats: FxHashMap<u64, Symbol>,
}

impl Plan {
    /// All classes of blocks that the unit lays out, and what is done to them.
    fn of(unit: &Unit) -> Plan {
        let mut plan = Plan {
            flows: Flows::of(unit),
            sizes: FxHashMap::default(),
            arrays: FxHashSet::default(),
            contents: FxHashMap::default(),
            stored: Vec::new(),
            loads: FxHashMap::default(),
            once: EntitySet::new(),
            boxes: FxHashMap::default(),
            constants: constants(unit).collect(),
            naked: FxHashMap::default(),
            floats: FxHashMap::default(),
        };
        plan.find_classes(unit);
        plan.find_arrays(unit);
        if plan.chosen() == 0 {
            return plan;
        }
        for body in unit.bodies() {
            body.walk(&mut |expr| expr.items.iter().for_each(|item| plan.item(item)));
        }
        for item in &unit.entry.body.items {
            if let Item::Let { var, .. } = item
                && plan.loads.contains_key(var)
            {
                plan.once.insert(*var);
            }
        }
        plan
    }

    /// How many classes may change.
    fn chosen(&self) -> usize {
        self.sizes.len() + self.arrays.len()
    }

    fn is_chosen(&self, root: Node) -> bool {
        self.sizes.contains_key(&root) || self.arrays.contains(&root)
    }

    /// A class may not change.
    fn leave(&mut self, root: Node) {
        self.sizes.remove(&root);
        self.arrays.remove(&root);
    }

    fn find_classes(&mut self, unit: &Unit) {
        let mut sizes: FxHashMap<Node, Option<u32>> = FxHashMap::default();
        for_each_block(unit, &mut |atom, size| {
            let Some(node) = self.flows.node(atom).filter(|node| self.flows.classes.is_ours(*node)) else {
                return;
            };
            let size = u32::try_from(size).ok();
            let size =
                size.filter(|size| (1..=Prim::MOST_NAKED_FIELDS).contains(size) && atom.as_var().is_some());
            let known = sizes.entry(self.flows.classes.find(node)).or_insert(size);
            if *known != size {
                *known = None;
            }
        });
        self.sizes = sizes.into_iter().filter_map(|(root, size)| Some((root, size?))).collect();
    }

    /// The class of an atom, if it is one that may change.
    fn class(&mut self, atom: Simple) -> Option<Node> {
        let root = self.flows.classes.find(self.flows.node(atom)?);
        self.sizes.contains_key(&root).then_some(root)
    }

    fn field(&mut self, block: Simple, field: u32) -> Option<Field> {
        let root = self.class(block)?;
        if field >= self.sizes[&root] {
            self.sizes.remove(&root);
            return None;
        }
        Some((root, field))
    }

    fn item(&mut self, item: &Item) {
        let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item else { return };
        match (prim, &args[..]) {
            (Prim::Box(kind) | Prim::Rebox(kind), [number, ..]) => {
                self.boxes.insert(*var, (*kind, *number));
            }
            (Prim::MakeBlock { .. }, values) => {
                if let Some(root) = self.class((*var).into()) {
                    let stored = (0..).zip(values);
                    let field = |(field, value): (u32, &Simple)| Stored {
                        field: (root, field),
                        value: *value,
                        pointer: true,
                    };
                    self.stored.extend(stored.map(field));
                }
            }
            (Prim::BlockLoad { field, .. }, [block]) => {
                if let Some(field) = self.field(*block, *field) {
                    self.loads.insert(*var, field);
                }
            }
            (Prim::BlockStore { field, pointer, .. }, [block, value]) => {
                if let Some(field) = self.field(*block, *field) {
                    self.stored.push(Stored { field, value: *value, pointer: *pointer });
                }
            }
            (Prim::OffsetRef { .. }, [block]) => {
                if let Some(field) = self.field(*block, 0) {
                    self.stored.push(Stored { field, value: Simple::UNIT, pointer: false });
                }
            }
            (Prim::GetTag | Prim::Duplicate { .. }, [block]) => {
                if let Some(root) = self.class(*block) {
                    self.sizes.remove(&root);
                }
            }
            _ => self.array_item(*var, prim, args),
        }
    }

    /// Leaves out the classes that may not change, until none is left out any more.
    fn choose(&mut self, unit: &Unit) {
        let mut before = usize::MAX;
        while self.chosen() < before {
            before = self.chosen();
            self.find_contents(unit);
            let contents = &self.contents;
            self.sizes.retain(|root, size| {
                let content = |field| contents.get(&(*root, field)).copied().unwrap_or(Content::Other);
                let is_known = |field| matches!(content(field), Content::Immediate | Content::Number(_));
                (0..*size).all(is_known) && (0..*size).any(|field| content(field) != Content::Immediate)
            });
            self.arrays.retain(|root| match contents.get(&(*root, ELEMENT)) {
                Some(Content::Number(kind)) => *kind != BoxedKind::Float,
                _ => false,
            });
            for body in unit.bodies() {
                body.walk(&mut |expr| {
                    expr.items.iter().for_each(|item| self.uses(item));
                    expr.terminator.for_each_simple(&mut |atom| self.escapes(atom));
                });
            }
        }
    }

    /// What the fields of the classes hold.
    fn find_contents(&mut self, unit: &Unit) {
        self.contents.clear();
        let stored = std::mem::take(&mut self.stored);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for Stored { field, value, pointer } in &stored {
                let before = self.contents.get(field).copied().unwrap_or(Content::Nothing);
                let content = match self.content(unit, *value) {
                    Content::Other if !pointer => Content::Immediate,
                    content => content,
                };
                let after = before.join(content);
                is_changed |= after != before;
                self.contents.insert(*field, after);
            }
        }
        self.stored = stored;
    }

    fn content(&self, unit: &Unit, value: Simple) -> Content {
        let var = match value {
            Simple::Const(Const::Tagged(_)) => return Content::Immediate,
            Simple::Const(_) => return Content::Other,
            Simple::Symbol(symbol) => {
                return self
                    .constants
                    .get(&symbol)
                    .map_or(Content::Other, |(kind, _)| Content::Number(*kind));
            }
            Simple::Var(var) => var,
        };
        if let Some((kind, _)) = self.boxes.get(&var) {
            return Content::Number(*kind);
        }
        if let Some(field) = self.loads.get(&var)
            && self.is_chosen(field.0)
        {
            return self.contents.get(field).copied().unwrap_or(Content::Nothing);
        }
        match unit.variables[var].subkind {
            Subkind::Immediate => Content::Immediate,
            // Of what is never read nobody relies on the type (`Obj.magic 0`); to be stored it would be unboxed.
            Subkind::Boxed(_) | Subkind::Any => Content::Other,
        }
    }

    /// The kind of the numbers that a variable is loaded from a field of.
    fn number(&self, atom: Simple) -> Option<BoxedKind> {
        let field = self.loads.get(&atom.as_var()?).filter(|field| self.is_chosen(field.0))?;
        match self.contents.get(field)? {
            Content::Number(kind) => Some(*kind),
            _ => None,
        }
    }

    /// What is loaded from fields of numbers.
    fn number_loads(&self) -> Vec<(Variable, BoxedKind)> {
        let number = |var: &Variable| Some((*var, self.number((*var).into())?));
        let mut loads: Vec<_> = self.loads.keys().filter_map(number).collect();
        loads.sort_unstable_by_key(|(var, _)| var.as_u32());
        loads
    }

    /// A number is used where the box is wanted.
    fn escapes(&mut self, atom: Simple) {
        if let Some(var) = atom.as_var()
            && self.number(atom).is_some()
            && !self.once.contains(var)
        {
            let (root, _) = self.loads[&var];
            self.leave(root);
        }
    }

    /// Looks for numbers of which the box is wanted. What is stored in a field has the kind of the field.
    fn uses(&mut self, item: &Item) {
        if let Item::Let { var, named: Named::Prim { prim, args, .. }, .. } = item {
            let is_allowed = match prim {
                Prim::Unbox(kind) => self.number(args[0]) == Some(*kind),
                Prim::MakeBlock { .. } => self.class((*var).into()).is_some(),
                Prim::BlockStore { .. } => self.class(args[0]).is_some(),
                prim => self.stores_element(*var, prim, args),
            };
            if is_allowed {
                return;
            }
        }
        item.for_each_simple(&mut |atom| self.escapes(atom));
    }

    fn rewrite(&mut self, unit: &mut Unit, expr: &mut Expr) {
        let items = std::mem::take(&mut expr.items);
        let mut run = Run { unit, items: Vec::with_capacity(items.len()) };
        items.into_iter().for_each(|item| self.rewrite_item(item, &mut run));
        expr.items = run.items;
    }

    /// Leaves out the boxes that were only stored.
    fn drop_boxes(&self, body: &mut Expr) {
        let mut used: EntitySet<Variable> = EntitySet::new();
        body.for_each_simple_deep(&mut |atom| {
            if let Some(var) = atom.as_var() {
                used.insert(var);
            }
        });
        body.walk_mut(&mut |expr| {
            expr.items.retain(|item| {
                !matches!(item, Item::Let { var, named: Named::Prim { prim: Prim::Box(_) | Prim::Rebox(_), .. }, .. }
                    if !used.contains(*var) && self.is_box(*var))
            });
        });
    }

    fn is_box(&self, var: Variable) -> bool {
        self.boxes.contains_key(&var) || self.once.contains(var)
    }

    fn rewrite_item(&mut self, item: Item, run: &mut Run) {
        let Item::Let { var, named: Named::Prim { prim, args, .. }, dbg } = &item else {
            return run.items.push(item);
        };
        let (var, dbg) = (*var, *dbg);
        match (prim, &args[..]) {
            (Prim::MakeBlock { .. }, values) => {
                if let Some(root) = self.class(var.into()) {
                    let fields = self.sizes[&root];
                    run.bind(var, Prim::MakeNakedBlock { fields }, &[], dbg);
                    for (field, value) in (0..).zip(values) {
                        self.store((root, field), var.into(), *value, None, (run, dbg));
                    }
                    return;
                }
            }
            (Prim::BlockLoad { field, .. }, [block]) => {
                let load = |kind| Prim::NakedLoad { field: *field, kind };
                if self.load(var, load, &[*block], (run, dbg)) {
                    return;
                }
            }
            (Prim::BlockStore { field, .. }, [block, value]) => {
                if let Some(field) = self.field(*block, *field) {
                    return self.store(field, *block, *value, Some(var), (run, dbg));
                }
            }
            (Prim::Unbox(_), [value]) => {
                if let Some(naked) = value.as_var().and_then(|value| self.naked.get(&value)) {
                    return run.items.push(Item::Let { var, named: Named::Simple((*naked).into()), dbg });
                }
            }
            _ => {
                if self.rewrite_array(&item, run) {
                    return;
                }
            }
        }
        run.items.push(item);
    }

    /// Loads a number instead of its box, if there is one.
    fn load(
        &self,
        var: Variable,
        prim: impl Fn(BoxedKind) -> Prim,
        args: &[Simple],
        (run, dbg): (&mut Run, Dbg),
    ) -> bool {
        let (Some(naked), Some(kind)) = (self.naked.get(&var), self.number(var.into())) else { return false };
        run.bind(*naked, prim(kind), args, dbg);
        if self.once.contains(var) {
            run.bind(var, Prim::Box(kind), &[(*naked).into()], dbg);
        }
        true
    }

    /// Stores a value in a field. `result`: what is bound to `()`.
    fn store(
        &self,
        (root, field): Field,
        block: Simple,
        value: Simple,
        result: Option<Variable>,
        (run, dbg): (&mut Run, Dbg),
    ) {
        let (prim, value) = match self.contents.get(&(root, field)) {
            Some(Content::Number(kind)) => {
                (Prim::NakedStore { field, kind: *kind }, self.naked_value(value, *kind))
            }
            _ => (Prim::BlockStore { field, pointer: false, init: Init::Assignment }, value),
        };
        let result = result.unwrap_or_else(|| run.unit.new_value("stored"));
        run.bind(result, prim, &[block, value], dbg);
    }

    /// The number in a box that is stored in a field of numbers.
    fn naked_value(&self, value: Simple, kind: BoxedKind) -> Simple {
        let number = match value {
            Simple::Symbol(symbol) => self.constants.get(&symbol).map(|(_, number)| (*number).into()),
            Simple::Var(var) => {
                let made = self.boxes.get(&var).map(|(_, number)| *number);
                made.or_else(|| self.naked.get(&var).map(|naked| (*naked).into()))
            }
            Simple::Const(_) => None,
        };
        number.unwrap_or(Simple::Const(Const::Poison(kind.naked())))
    }
}

/// A run that is made.
struct Run<'u> {
    unit: &'u mut Unit,
    items: Vec<Item>,
}

impl Run<'_> {
    fn bind(&mut self, var: Variable, prim: Prim, args: &[Simple], dbg: Dbg) {
        self.items.push(Item::let_prim(var, prim, args, dbg));
    }
}
