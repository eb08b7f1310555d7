//! What nobody reads is not built: fields of blocks that never leave the unit, arguments, results, captured values, and
//! what is computed for these alone (features E10, D6, D16). Where no field that is read would be left out, blocks get
//! smaller.
//!
//! On entry and on exit the unit is well-formed. The analysis looks at the whole unit, whatever the order of execution:
//! [`classes`] says which blocks may be the same, [`flows`] what needs what. Its time is nearly linear in the unit. See
//! `docs/passes/unread.md`.

pub(crate) mod classes;
pub(crate) mod flows;
pub(crate) mod slots;

use flambeau_ir::prim::{ArrayKind, Mutability};
use flambeau_ir::rewrite::Unread;
use flambeau_ir::{
    Apply, ApplyCont, ArgType, CallKind, CodeId, Const, Continuation, Expr, Item, Kind, Named, Prim, Rewrite,
    Rewrites, Simple, StaticDef, StaticField, Terminator, Unit, ValueSlot, Variable, tags,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use classes::{ELEMENT, Node};
use flows::{Flows, Needed};

/// Leaves out what nobody reads; returns whether there was something.
pub fn unread(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let stores = slots::stores(unit, rewrites);
    let mut flows = Flows::of(unit);
    let needed = flows.needed();
    let mut plan = Plan { flows, needed, kept: FxHashMap::default(), found: Unread::default() };
    plan.lay_out(unit);
    plan.count(unit);
    if plan.found == Unread::default() || !rewrites.allow_in_unit(Rewrite::Unread(plan.found)) {
        return stores;
    }
    for item in &mut unit.statics {
        plan.rewrite_static(&mut item.def);
    }
    unit.rewrite_bodies(|unit, code, body| {
        let own = code.filter(|code| plan.flows.is_known(*code)).map(|code| (code, unit.codes[code].ret));
        body.walk_mut(&mut |expr| plan.rewrite(unit, own, expr));
        true
    });
    if !plan.kept.is_empty() {
        forget_types(unit, &mut |atom| plan.class(atom).is_some());
    }
    true
}

/// What is left out.
struct Plan {
    flows: Flows,
    needed: Needed,
    /// By class, the fields of its blocks that stay, by increasing number.
    kept: FxHashMap<Node, Vec<u32>>,
    found: Unread,
}

impl Plan {
    /// The class of an atom of which all uses are seen.
    fn class(&mut self, atom: Simple) -> Option<Node> {
        let node = self.flows.node(atom)?;
        let root = self.flows.classes.find(node);
        (!self.flows.classes.escapes(root)).then_some(root)
    }

    /// Whether a value is needed.
    fn needs(&self, atom: Simple) -> bool {
        self.flows.node(atom).is_none_or(|node| self.needed.value(node))
    }

    /// Whether a field of a block is never read.
    fn is_unread(&mut self, block: Simple, field: u32) -> bool {
        self.class(block).is_some_and(|root| !self.needed.field(root, field))
    }

    /// Chooses the layouts of the classes that are all ours.
    fn lay_out(&mut self, unit: &Unit) {
        let mut sites: FxHashMap<Node, SmallVec<[u32; 2]>> = FxHashMap::default();
        let mut site = |plan: &mut Plan, atom: Simple, size: usize| {
            if let Some(root) = plan.class(atom)
                && plan.flows.classes.is_ours(root)
            {
                let sizes = sites.entry(root).or_default();
                if !sizes.contains(&(size as u32)) {
                    sizes.push(size as u32);
                }
            }
        };
        for_each_block(unit, &mut |atom, size| site(self, atom, size));
        for (root, sizes) in sites {
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let mut kept: Vec<u32> = (0..largest).filter(|field| self.needed.field(root, *field)).collect();
            // No block is empty.
            if sizes.iter().any(|size| !kept.iter().any(|field| field < size)) {
                kept.insert(0, 0);
            }
            if kept.len() < largest as usize {
                self.kept.insert(root, kept);
            }
        }
    }

    /// The new number of a field, `None` if it is left out.
    fn position(&mut self, block: Simple, field: u32) -> Option<u32> {
        let Some(root) = self.class(block) else { return Some(field) };
        match self.kept.get(&root) {
            Some(kept) => kept.binary_search(&field).ok().map(|position| position as u32),
            None => Some(field),
        }
    }

    /// Counts what is left out that something is done for.
    fn count(&mut self, unit: &Unit) {
        let mut smaller: FxHashSet<Node> = FxHashSet::default();
        for_each_block(unit, &mut |atom, size| {
            if let Some(root) = self.class(atom)
                && self
                    .kept
                    .get(&root)
                    .is_some_and(|kept| kept.iter().filter(|f| **f < size as u32).count() < size)
            {
                smaller.insert(root);
            }
        });
        self.found.blocks = smaller.len() as u32;
        for (code, body) in unit.bodies_by_code() {
            let own = code.filter(|code| self.flows.is_known(*code)).map(|code| (code, unit.codes[code].ret));
            body.walk(&mut |expr| {
                expr.items.iter().for_each(|item| self.count_item(item));
                self.count_terminator(unit, own, &expr.terminator);
            });
        }
    }

    fn count_item(&mut self, item: &Item) {
        match item {
            Item::Let { var, named: Named::Prim { prim: Prim::MakeBlock { tag, .. }, args, .. }, .. }
                if *tag < tags::FIRST_SPECIAL && self.needs((*var).into()) =>
            {
                for (field, arg) in (0..).zip(args) {
                    let is_left_out =
                        !matches!(arg, Simple::Const(_)) && self.is_unread((*var).into(), field);
                    self.found.fields += u32::from(is_left_out);
                }
            }
            Item::Let { named: Named::Prim { prim, args, .. }, .. } => {
                self.found.stores += u32::from(self.is_unread_store(prim, args));
            }
            Item::LetClosures { set, .. } => {
                let unread = set.values.iter().filter(|captured| self.leaves_slot(captured));
                self.found.captured += unread.count() as u32;
            }
            Item::Let { named: Named::Simple(_), .. } | Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    /// Whether a primitive stores what is never read: in a block, or in an array, which may be there for that alone.
    fn is_unread_store(&mut self, prim: &Prim, args: &[Simple]) -> bool {
        match prim {
            Prim::BlockStore { field, .. } => self.is_unread(args[0], *field),
            Prim::ArrayStore { kind } if *kind != ArrayKind::Float => self.is_unread(args[0], ELEMENT),
            _ => false,
        }
    }

    fn leaves_slot(&self, (slot, value): &(ValueSlot, Simple)) -> bool {
        !matches!(value, Simple::Const(_)) && !self.needed.value(self.flows.slot(*slot))
    }

    fn count_terminator(
        &mut self,
        unit: &Unit,
        own: Option<(CodeId, Continuation)>,
        terminator: &Terminator,
    ) {
        match terminator {
            Terminator::Apply(apply) => {
                if let Some(params) = self.known_params(unit, apply) {
                    let left =
                        params.iter().zip(&apply.args).filter(|(param, arg)| self.leaves(**param, **arg));
                    self.found.arguments += left.count() as u32;
                }
            }
            Terminator::ApplyCont(jump) => {
                let is_left_out = self.leaves_result(own, jump)
                    && jump.args.iter().any(|arg| !matches!(arg, Simple::Const(_)));
                self.found.results += u32::from(is_left_out);
            }
            _ => {}
        }
    }

    fn known_params<'u>(&self, unit: &'u Unit, apply: &Apply) -> Option<&'u [Variable]> {
        match apply.kind {
            CallKind::Direct(code) if self.flows.is_known(code) => Some(&unit.codes[code].params),
            _ => None,
        }
    }

    /// Whether what is passed as a parameter is left out.
    fn leaves(&self, param: Variable, arg: Simple) -> bool {
        !matches!(arg, Simple::Const(_)) && !self.needs(param.into())
    }

    /// Whether a jump returns what nobody needs.
    fn leaves_result(&self, own: Option<(CodeId, Continuation)>, jump: &ApplyCont) -> bool {
        own.is_some_and(|(code, ret)| jump.cont == ret && !self.needed.value(self.flows.result(code)))
    }

    fn rewrite_static(&mut self, def: &mut StaticDef) {
        if let StaticDef::Block { symbol, fields, .. } = def {
            let block = Simple::Symbol(*symbol);
            let old = std::mem::take(fields);
            for (number, field) in (0..).zip(old) {
                if self.position(block, number).is_some() {
                    let is_unread = self.is_unread(block, number);
                    fields.push(if is_unread { StaticField::Immediate(0) } else { field });
                }
            }
        }
    }

    /// Rewrites a run. A value that is not needed is bound to nothing, so that whatever takes it may be left as it is.
    fn rewrite(&mut self, unit: &Unit, own: Option<(CodeId, Continuation)>, expr: &mut Expr) {
        for item in &mut expr.items {
            match item {
                Item::Let { var, named, .. } => self.rewrite_named(unit, *var, named),
                Item::LetClosures { set, .. } => {
                    for captured in &mut set.values {
                        if self.leaves_slot(captured) {
                            captured.1 = Simple::UNIT;
                        }
                    }
                }
                Item::Join { .. } | Item::LetCont { .. } => {}
            }
        }
        match &mut expr.terminator {
            Terminator::Apply(apply) => {
                let Some(params) = self.known_params(unit, apply) else { return };
                for (param, arg) in params.iter().zip(&mut apply.args) {
                    if self.leaves(*param, *arg) {
                        *arg = nothing(unit.variables[*param].kind);
                    }
                }
            }
            Terminator::ApplyCont(jump) if self.leaves_result(own, jump) => {
                jump.args.iter_mut().for_each(|arg| *arg = nothing(unit.kind_of(*arg)));
            }
            _ => {}
        }
    }

    fn rewrite_named(&mut self, unit: &Unit, var: Variable, named: &mut Named) {
        let Named::Prim { prim, args, .. } = named else { return };
        if prim.can_drop() && !self.needs(var.into()) {
            *named = Named::Simple(nothing(unit.variables[var].kind));
            return;
        }
        match prim {
            Prim::MakeBlock { tag, mutability } if *tag < tags::FIRST_SPECIAL => {
                let is_constant = |args: &[Simple]| args.iter().all(|arg| arg.as_var().is_none());
                let was_constant = is_constant(args);
                for (number, arg) in (0..).zip(std::mem::take(args)) {
                    if self.position(var.into(), number).is_some() {
                        args.push(if self.is_unread(var.into(), number) { Simple::UNIT } else { arg });
                    }
                }
                // There was one for each time: none is static data that all share.
                if !was_constant && is_constant(args) && *mutability == Mutability::Immutable {
                    *mutability = Mutability::ImmutableUnique;
                }
            }
            Prim::BlockLoad { field, .. } => {
                if let Some(position) = self.position(args[0], *field) {
                    *field = position;
                }
            }
            _ if self.is_unread_store(prim, args) => *named = Named::Simple(Simple::UNIT),
            Prim::BlockStore { field, .. } => {
                if let Some(position) = self.position(args[0], *field) {
                    *field = position;
                }
            }
            _ => {}
        }
    }
}

/// Forgets what the static types of arguments, and the shapes of variables, which other units may ask, say of the
/// fields of blocks, where the layout of a value is no more that of the source.
pub(crate) fn forget_types(unit: &mut Unit, is_changed: &mut impl FnMut(Simple) -> bool) {
    unit.rewrite_bodies(|_, _, body| {
        body.walk_mut(&mut |expr| {
            let Terminator::Apply(apply) = &mut expr.terminator else { return };
            for (arg, ty) in apply.args.iter().zip(&mut apply.types) {
                if has_layout(ty) && is_changed(*arg) {
                    *ty = ArgType::Unknown;
                }
            }
        });
        true
    });
    for (var, data) in &mut unit.variables {
        if data.shape.as_deref().is_some_and(has_layout) && is_changed(var.into()) {
            data.shape = None;
        }
    }
}

/// Whether a type says what the fields of some block are.
fn has_layout(ty: &ArgType) -> bool {
    match ty {
        ArgType::Block(_) => true,
        ArgType::Array(part) => has_layout(part),
        ArgType::Function(params, result) => params.iter().any(has_layout) || has_layout(result),
        ArgType::Unknown
        | ArgType::Variable(_)
        | ArgType::Immediate
        | ArgType::Compared { .. }
        | ArgType::Bigarray { .. }
        | ArgType::Enclosing(_) => false,
    }
}

/// What stands for a value that is never needed.
fn nothing(kind: Kind) -> Simple {
    Simple::Const(Const::Poison(kind))
}

/// Each block that the unit allocates or has, and how many fields.
pub(crate) fn for_each_block(unit: &Unit, f: &mut impl FnMut(Simple, usize)) {
    for item in &unit.statics {
        if let StaticDef::Block { symbol, fields, .. } = &item.def {
            f(Simple::Symbol(*symbol), fields.len());
        }
    }
    for body in unit.bodies() {
        body.walk(&mut |expr| {
            for item in &expr.items {
                if let Item::Let {
                    var,
                    named: Named::Prim { prim: Prim::MakeBlock { tag, .. }, args, .. },
                    ..
                } = item
                    && *tag < tags::FIRST_SPECIAL
                {
                    f((*var).into(), args.len());
                }
            }
        });
    }
}
