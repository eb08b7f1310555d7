//! Blocks that escape late: made, filled while nobody else can see them, often in a loop, and only then passed on.
//!
//! ```text
//! let acc = make_block.mut[0] (0)              let early = make_block.mut[0] (0)
//! join exit { loop that stores to acc }  ===>  join exit { loop that stores to early }
//! return (acc)                                 let field = block_load.mut[0] (early)
//!                                              let acc = make_block.mut[0] (field)
//!                                              return (acc)
//! ```
//!
//! What is done with the block before it escapes is then done with another one, which doesn't, and becomes variables.
//! The copy is made where nobody has seen the block and all that has been done with it is to load and store fields: so
//! it can't be told from the block. It is in the block's own run, before the first item that lets it escape, or before
//! the terminator: once a run has gone past an item, it does not come back to it, so the copy is made at most once, and
//! all that uses the block after it is in its scope. A handler that the run binds is executed later than the items
//! behind it: where it uses the block, the copy stands before it.

use flambeau_ir::prim::Mutability;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    CodeId, Expr, Item, Kind, Named, Prim, Rewrite, Rewrites, Simple, Subkind, Terminator, Unit, Variable,
};
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::facts::candidate;

/// The values of so many fields at most may live on in place of the block.
const MAX_FIELDS: usize = 8;

/// A block that may escape late. Items are numbered in the run that makes it, the terminator behind the last.
struct Late {
    depth: usize,
    fields: usize,
    is_float: bool,
    /// The first item that stores to it.
    stored: Option<usize>,
    /// The first item that lets it escape.
    escapes: Option<usize>,
}

/// Where the walk is in a run.
struct Place {
    item: usize,
    in_handler: bool,
}

/// Makes copies of the blocks that escape late, before they do.
pub(super) fn split_late_escapes(
    unit: &mut Unit,
    body: &mut Expr,
    classes: &Classes,
    rewrites: &mut Rewrites,
    code: Option<CodeId>,
) -> bool {
    let mut search = Search { classes, late: FxHashMap::default(), found: Vec::new(), path: Vec::new() };
    search.run(body);
    let mut copied_at = FxHashMap::default();
    for var in &search.found {
        let late = &search.late[var];
        if let (Some(stored), Some(escapes)) = (late.stored, late.escapes)
            && stored < escapes
            && rewrites.allow(Rewrite::LateEscape(*var), unit, code)
        {
            copied_at.insert(*var, escapes);
        }
    }
    let any = !copied_at.is_empty();
    if any {
        Splitter { unit, copied_at, early: FxHashMap::default() }.run(body);
    }
    any
}

struct Search<'s> {
    classes: &'s Classes,
    late: FxHashMap<Variable, Late>,
    found: Vec<Variable>,
    path: Vec<Place>,
}

impl Search<'_> {
    fn run(&mut self, expr: &Expr) {
        let depth = self.path.len();
        self.path.push(Place { item: 0, in_handler: false });
        for (index, item) in expr.items.iter().enumerate() {
            self.path[depth].item = index;
            match item {
                Item::Let { var, named: Named::Prim { prim, args, exn }, .. } => {
                    self.prim(prim, args);
                    exn.iter().for_each(|exn| exn.for_each_simple(&mut |arg| self.escape(arg)));
                    self.make(*var, prim, args.len());
                }
                Item::Join { body, .. } => deep(|| self.run(body)),
                Item::LetCont { handlers, .. } => {
                    self.path[depth].in_handler = true;
                    handlers.iter().for_each(|handler| deep(|| self.run(&handler.body)));
                    self.path[depth].in_handler = false;
                }
                Item::Let { .. } | Item::LetClosures { .. } => {
                    item.for_each_simple(&mut |simple| self.escape(simple));
                }
            }
        }
        self.path[depth].item = expr.items.len();
        expr.terminator.for_each_simple(&mut |simple| self.escape(simple));
        if let Terminator::Try { body, .. } = &expr.terminator {
            deep(|| self.run(body));
        }
        self.path.pop();
    }

    /// The block of a variable is one that may be copied, if the primitive makes it.
    fn make(&mut self, var: Variable, prim: &Prim, fields: usize) {
        let is_mutable = matches!(
            prim,
            Prim::MakeBlock { mutability: Mutability::Mutable, .. }
                | Prim::MakeFloatBlock { mutability: Mutability::Mutable }
        );
        if let Some((_, is_float)) = candidate(prim)
            && is_mutable
            && fields <= MAX_FIELDS
            && self.classes.block(var).is_some_and(|block| self.classes.escapes(block))
        {
            let depth = self.path.len() - 1;
            self.late.insert(var, Late { depth, fields, is_float, stored: None, escapes: None });
            self.found.push(var);
        }
    }

    fn prim(&mut self, prim: &Prim, args: &[Simple]) {
        let access = match prim {
            Prim::BlockLoad { field, .. } => Some((*field, false, false)),
            Prim::BlockLoadFloat { field, .. } => Some((*field, true, false)),
            Prim::BlockStore { field, .. } => Some((*field, false, true)),
            Prim::BlockStoreFloat { field, .. } => Some((*field, true, true)),
            Prim::OffsetRef { .. } => Some((0, false, true)),
            _ => None,
        };
        let (Some((field, is_float, stores)), [Simple::Var(block), rest @ ..]) = (access, args) else {
            return args.iter().for_each(|arg| self.escape(*arg));
        };
        rest.iter().for_each(|arg| self.escape(*arg));
        let Some(late) = self.late.get_mut(block) else { return };
        let place = &self.path[late.depth];
        if place.in_handler || field as usize >= late.fields || is_float != late.is_float {
            self.escape((*block).into());
        } else if stores {
            late.stored.get_or_insert(place.item);
        }
    }

    fn escape(&mut self, simple: Simple) {
        if let Some(late) = simple.as_var().and_then(|var| self.late.get_mut(&var)) {
            late.escapes.get_or_insert(self.path[late.depth].item);
        }
    }
}

/// Makes the copies. What comes before them has the new variable, what comes behind has the old one.
struct Splitter<'u> {
    unit: &'u mut Unit,
    copied_at: FxHashMap<Variable, usize>,
    /// What the block is named before it is copied.
    early: FxHashMap<Variable, Variable>,
}

impl Splitter<'_> {
    fn run(&mut self, expr: &mut Expr) {
        let old = std::mem::take(&mut expr.items);
        expr.items.reserve(old.len());
        // Those that this run has made and not yet copied, with the items that made them.
        let mut made: Vec<(usize, Variable, Item)> = Vec::new();
        for (index, mut item) in old.into_iter().enumerate() {
            self.copy(&mut made, Some(index), &mut expr.items);
            match &mut item {
                Item::Let { var, named: Named::Prim { args, .. }, .. } => {
                    if let Some(Simple::Var(block)) = args.first_mut()
                        && let Some(&early) = self.early.get(block)
                    {
                        *block = early;
                    }
                    if let Some(&at) = self.copied_at.get(var) {
                        let early = self.unit.new_variable_like(*var);
                        self.early.insert(*var, early);
                        made.push((at, *var, item.clone()));
                        if let Item::Let { var, .. } = &mut item {
                            *var = early;
                        }
                    }
                }
                Item::Join { body, .. } => deep(|| self.run(body)),
                Item::LetCont { handlers, .. } => {
                    handlers.iter_mut().for_each(|handler| deep(|| self.run(&mut handler.body)));
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
            expr.items.push(item);
        }
        self.copy(&mut made, None, &mut expr.items);
        if let Terminator::Try { body, .. } = &mut expr.terminator {
            deep(|| self.run(body));
        }
    }

    /// Copies those blocks that escape at an item, or at the terminator.
    fn copy(&mut self, made: &mut Vec<(usize, Variable, Item)>, at: Option<usize>, items: &mut Vec<Item>) {
        let due = |(escapes, ..): &mut (usize, Variable, Item)| at.is_none_or(|at| *escapes == at);
        for (_, var, mut make) in made.extract_if(.., due) {
            let (Some(early), Item::Let { named: Named::Prim { prim, args, .. }, dbg, .. }) =
                (self.early.remove(&var), &mut make)
            else {
                continue;
            };
            let is_float = matches!(prim, Prim::MakeFloatBlock { .. });
            for (field, arg) in (0..).zip(args.iter_mut()) {
                let mutability = Mutability::Mutable;
                let (load, kind) = if is_float {
                    (Prim::BlockLoadFloat { field, mutability }, Kind::NakedFloat)
                } else {
                    (Prim::BlockLoad { field, mutability }, Kind::Value)
                };
                let value = self.unit.new_variable("field", kind, Subkind::Any);
                items.push(Item::let_prim(value, load, &[early.into()], *dbg));
                *arg = value.into();
            }
            items.push(make);
        }
    }
}
