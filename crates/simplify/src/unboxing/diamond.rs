//! Diamonds: values that depend on the case that a variant is in.
//!
//! `join k (x) { … switch test { 0 -> a, 1 -> b } }`, where the arms do nothing but compute what they pass to `k`. It
//! is removed if its values are not needed: they are computed from the switch's operand, so that is no root of what is
//! needed.

use flambeau_ir::{
    ApplyCont, ContHandler, Continuation, Dbg, Expr, Item, Named, Prim, Simple, Switch, Terminator, Variable,
};
use flambeau_types::Operands;
use smallvec::SmallVec;

use crate::Simplifier;
use crate::run::Params;

/// What one case passes, and what it computes for that.
#[derive(Default)]
pub(super) struct Case {
    pub lets: Vec<Item>,
    pub args: SmallVec<[Simple; 2]>,
}

/// The cases of a variant.
pub(super) struct Cases {
    /// The part of an immediate, with the test whether the value is one.
    pub int: Option<(Simple, Case)>,
    /// The computation of the tag, if there are several: it is valid only where the value is a block.
    pub tag: Option<(Vec<Item>, Simple)>,
    /// By increasing tag.
    pub blocks: Vec<(u8, Case)>,
}

impl Simplifier<'_> {
    /// Binds the parameters to what the case that holds passes. `first` is computed before the test.
    pub(super) fn diamond(&mut self, params: Params, first: Vec<Item>, cases: Cases) -> Item {
        let join = self.unit.new_continuation("whole");
        self.function.diamonds.insert(join, join);
        let mut items = first;
        let mut arms = Vec::with_capacity(cases.blocks.len());
        let mut handlers = Vec::new();
        for (tag, case) in cases.blocks {
            arms.push((i64::from(tag), self.diamond_arm(join, case, &mut handlers)));
        }
        let mut of_blocks = match cases.tag {
            Some((lets, scrutinee)) => {
                let switch = Switch { scrutinee, arms, default: None, dbg: Dbg::NONE, cases: None };
                Expr { items: lets, terminator: Terminator::Switch(Box::new(switch)) }
            }
            None => Expr {
                items: Vec::new(),
                terminator: arms
                    .pop()
                    .map_or(Terminator::Unreachable, |(_, jump)| Terminator::ApplyCont(jump)),
            },
        };
        if !handlers.is_empty() {
            items.push(Item::LetCont { recursive: false, handlers });
        }
        let Some((is_int, case)) = cases.int else {
            items.append(&mut of_blocks.items);
            let body = Box::new(Expr { items, terminator: of_blocks.terminator });
            return Item::Join { cont: join, params, body };
        };
        let mut handlers = Vec::new();
        let int = self.diamond_arm(join, case, &mut handlers);
        let block = match of_blocks {
            Expr { items, terminator: Terminator::ApplyCont(jump) } if items.is_empty() => jump,
            body => {
                let cont = self.diamond_cont(join);
                handlers.push(ContHandler { cont, params: Params::new(), body });
                ApplyCont::plain(cont)
            }
        };
        if !handlers.is_empty() {
            items.push(Item::LetCont { recursive: false, handlers });
        }
        let arms = vec![(0, block), (1, int)];
        let switch = Switch { scrutinee: is_int, arms, default: None, dbg: Dbg::NONE, cases: None };
        let body = Box::new(Expr { items, terminator: Terminator::Switch(Box::new(switch)) });
        Item::Join { cont: join, params, body }
    }

    fn diamond_cont(&mut self, join: Continuation) -> Continuation {
        let cont = self.unit.new_continuation("case");
        self.function.diamonds.insert(cont, join);
        cont
    }

    fn diamond_arm(&mut self, join: Continuation, case: Case, handlers: &mut Vec<ContHandler>) -> ApplyCont {
        let jump = ApplyCont { cont: join, args: case.args };
        if case.lets.is_empty() {
            return jump;
        }
        let cont = self.diamond_cont(join);
        let body = Expr { items: case.lets, terminator: Terminator::ApplyCont(jump) };
        handlers.push(ContHandler { cont, params: Params::new(), body });
        ApplyCont::plain(cont)
    }
}

/// `let var = prim (args)`, without effect.
pub(super) fn pure_let(var: Variable, prim: Prim, args: &[Simple]) -> Item {
    let named = Named::Prim { prim, args: Operands::from_slice(args), exn: None };
    Item::Let { var, named, dbg: Dbg::NONE }
}
