//! Loop inversion: what a loop tests before it takes its parameter apart is tested where the loop is entered or
//! continued, so that the loop begins with the loads. `docs/passes/rotate.md` shows it.
//!
//! What a handler begins with loading can be loaded by those who jump to it instead (`simplify`, the form `Loads`): the
//! block that an iteration allocates for the next one is never made then. Behind a test the loads can't be done
//! earlier, for nothing says that there is such a block if the test fails. So the test goes where the jump is, and the
//! loads stay behind it. Loops of recursive functions are inverted for what the back end saves around calls, too:
//! `docs/passes/invert.md`.

use flambeau_ir::copy::Copier;
use flambeau_ir::{
    ApplyCont, Code, CodeId, ContHandler, Continuation, Expr, Heat, Item, Named, Prim, Rewrite, Rewrites,
    Simple, Switch, Terminator, Unit, Variable,
};
use flambeau_simplify::beginning::for_each_first_load;
use flambeau_simplify::size;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::carried::with_joins;
use crate::loops::{self, Rewriting};
use crate::names_of;

/// What is tested is copied for the entry: no more than this.
const TEST: u32 = 12;
/// Exits that need more of the loop's variables than these stay.
const MORE_PARAMS: usize = 4;

/// Inverts loops in all functions of a unit, and returns in which functions, the entry without a code. On entry and on
/// exit the unit is well-formed.
pub fn rotated_in(unit: &mut Unit, rewrites: &mut Rewrites) -> Vec<Option<CodeId>> {
    let changed = loops::rewrite(unit, rewrites, rotate_entered);
    rewrites.rotated.extend(names_of(unit, &changed));
    changed
}

/// Inverts loops of recursive functions that call something behind their test, and nothing before. The back end saves
/// what is needed after a call where the loop begins, whether the call is reached or not, and such a loop is entered as
/// often as it is continued. Returns whether there are any. On entry and on exit the unit is well-formed.
pub fn invert_recursive(unit: &mut Unit, rewrites: &mut Rewrites) -> bool {
    let calls_behind_test = |rewriting: &mut Rewriting, expr: &mut Expr, index: usize| {
        let Some(function) = rewriting.function() else { return false };
        let Code { recursive, ret, .. } = rewriting.unit.codes[function];
        recursive && invert_entered(rewriting, expr, index, |head, _, _| head.calls_only_behind(ret))
    };
    !loops::rewrite(unit, rewrites, calls_behind_test).is_empty()
}

/// Inverts the loop that a run ends by entering, if it then begins with loads that those who jump to it can do.
fn rotate_entered(rewriting: &mut Rewriting, expr: &mut Expr, index: usize) -> bool {
    invert_entered(rewriting, expr, index, |head, expr, entry| head.is_worth_it(&entry.args, &made_in(expr)))
}

/// Inverts the loop that a run ends by entering.
fn invert_entered(
    rewriting: &mut Rewriting,
    expr: &mut Expr,
    index: usize,
    is_worth_it: impl Fn(&Head, &Expr, &ApplyCont) -> bool,
) -> bool {
    let (Item::LetCont { handlers, .. }, Terminator::ApplyCont(entry)) =
        (&expr.items[index], &expr.terminator)
    else {
        return false;
    };
    let Some(head) = Head::of(&handlers[0]) else { return false };
    let never_ran = rewriting.unit.continuations[handlers[0].cont].heat == Heat::Never;
    if never_ran || !is_worth_it(&head, expr, entry) || !rewriting.allow(Rewrite::Rotation(entry.cont)) {
        return false;
    }
    let Some(inverted) = head.inverted(rewriting.unit, &entry.args) else { return false };
    let mut items = std::mem::take(&mut expr.items);
    items.remove(index);
    items.extend(inverted.items);
    *expr = Expr { items, terminator: inverted.terminator };
    true
}

/// The blocks that are allocated in a term and never assigned.
fn made_in(expr: &Expr) -> FxHashSet<Variable> {
    let mut made = FxHashSet::default();
    expr.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let { var, named: Named::Prim { prim, .. }, .. } = item
                && prim.makes_immutable()
                && !matches!(prim, Prim::Box(_))
            {
                made.insert(*var);
            }
        }
    });
    made
}

/// A loop that begins with a test, behind which it goes on in one place.
struct Head<'e> {
    this: &'e ContHandler,
    /// What is computed before the test.
    bindings: Vec<&'e Item>,
    switch: &'e Switch,
    /// Where the loop goes on.
    rest: &'e ContHandler,
    /// Where it is left, each with the variables of the head that it needs.
    exits: Vec<Exit<'e>>,
}

/// A handler by which a loop is left, and the variables of the head that it needs.
type Exit<'e> = (&'e ContHandler, SmallVec<[Variable; 2]>);

impl<'e> Head<'e> {
    fn of(this: &'e ContHandler) -> Option<Head<'e>> {
        let Terminator::Switch(switch) = &this.body.terminator else { return None };
        let (mut bindings, mut rest, mut exits) = (Vec::new(), None, Vec::new());
        let mut total = size::terminator(&this.body.terminator);
        for item in &this.body.items {
            match item {
                Item::Let { named: Named::Prim { prim, exn: None, .. }, .. } if prim.can_duplicate() => {
                    total += size::item(item);
                    bindings.push(item);
                }
                Item::Let { named: Named::Simple(_), .. } => bindings.push(item),
                Item::LetCont { recursive: false, handlers } => {
                    for handler in handlers {
                        if !uses(&handler.body, this.cont) {
                            exits.push(handler);
                        } else if rest.replace(handler).is_some() {
                            return None;
                        }
                    }
                }
                _ => return None,
            }
        }
        let rest = rest?;
        let mut arms = 0;
        let mut jumps_back = false;
        switch.for_each_jump(&mut |jump| {
            arms += u32::from(jump.cont == rest.cont);
            jumps_back |= jump.cont == this.cont;
        });
        let is_entered_once =
            arms == 1 && !jumps_back && !exits.iter().any(|exit| uses(&exit.body, rest.cont));
        if total > TEST || !is_entered_once {
            return None;
        }
        let mut head = Head { this, bindings, switch, rest, exits: Vec::new() };
        head.exits = head.needs(exits)?;
        Some(head)
    }

    /// The variables of the head.
    fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let bound = self.bindings.iter().filter_map(|item| match item {
            Item::Let { var, .. } => Some(*var),
            _ => None,
        });
        self.this.params.iter().copied().chain(bound)
    }

    /// What each exit needs of the head, for itself and for the exits that it jumps to; nothing if one needs too much,
    /// or what only jumps can pass.
    fn needs(&self, exits: Vec<&'e ContHandler>) -> Option<Vec<Exit<'e>>> {
        let own: FxHashSet<Variable> = self.variables().collect();
        let mut fixed: FxHashSet<Continuation> = FxHashSet::default();
        self.this.body.walk(&mut |expr| {
            expr.items.iter().for_each(|item| item.for_each_cont_use(&mut |cont, _| _ = fixed.insert(cont)));
            if !matches!(
                expr.terminator,
                Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_)
            ) {
                expr.terminator.for_each_cont_use(&mut |cont, _| _ = fixed.insert(cont));
            }
        });
        let mut needs: FxHashMap<Continuation, SmallVec<[Variable; 2]>> = FxHashMap::default();
        let mut all = Vec::with_capacity(exits.len());
        // An exit is in scope in those that are bound after it alone.
        for exit in exits {
            let mut needed: SmallVec<[Variable; 2]> = SmallVec::new();
            let mut need = |var: Variable| {
                if !needed.contains(&var) {
                    needed.push(var);
                }
            };
            exit.body.for_each_simple_deep(&mut |simple| {
                simple.as_var().into_iter().filter(|var| own.contains(var)).for_each(&mut need);
            });
            exit.body.for_each_cont_use_deep(&mut |cont, _| {
                needs.get(&cont).into_iter().flatten().copied().for_each(&mut need);
            });
            if needed.len() > MORE_PARAMS || !needed.is_empty() && fixed.contains(&exit.cont) {
                return None;
            }
            needs.insert(exit.cont, needed.clone());
            all.push((exit, needed));
        }
        Some(all)
    }

    /// Whether the loop, where it goes on, only loads from a parameter for which iterations allocate blocks, and it is
    /// entered with a block of which nothing is known. Loads before the test are done by those who jump to the loop
    /// without that, unless an exit of the test needs the block.
    fn is_worth_it(&self, entry: &[Simple], made: &FxHashSet<Variable>) -> bool {
        self.this.params.iter().zip(entry).enumerate().any(|(index, (param, arg))| {
            let is_needed = self.exits_need(*param);
            // The parts of a constant are known, but it may not be allocated anew.
            let enters_unknown = match arg {
                Simple::Var(arg) => !made.contains(arg),
                Simple::Symbol(_) => is_needed,
                Simple::Const(_) => false,
            };
            let is_read = match self.read_before(*param) {
                Before::Nothing => loads_first(&self.rest.body, *param),
                Before::Loads => is_needed,
                Before::More => false,
            };
            enters_unknown
                && is_read
                && self.is_only_loaded_from(index, *param)
                && self.is_allocated_for(index, made)
        })
    }

    /// Whether the loop, where it goes on, calls something before the function ends, which returns to `ret`, and some
    /// exit of the test calls nothing.
    fn calls_only_behind(&self, ret: Continuation) -> bool {
        let mut leaves = false;
        self.switch.for_each_jump(&mut |jump| {
            let exit = self.exits.iter().find(|(exit, _)| exit.cont == jump.cont);
            leaves |= jump.cont != self.rest.cont && !exit.is_some_and(|(exit, _)| calls(&exit.body, ret));
        });
        leaves && calls(&self.rest.body, ret)
    }

    /// What is done with a parameter before the test.
    fn read_before(&self, param: Variable) -> Before {
        self.bindings.iter().filter(|item| mentions(item, param)).fold(Before::Nothing, |before, item| {
            if is_load(item) && before != Before::More { Before::Loads } else { Before::More }
        })
    }

    /// Whether a variable is needed where the loop is left after the test.
    fn exits_need(&self, var: Variable) -> bool {
        let mut needed = self.exits.iter().any(|(_, needs)| needs.contains(&var));
        self.switch.for_each_jump(&mut |jump| {
            needed |= jump.cont != self.rest.cont && jump.args.contains(&var.into());
        });
        needed
    }

    /// Whether some iteration passes a block that it allocates.
    fn is_allocated_for(&self, index: usize, made: &FxHashSet<Variable>) -> bool {
        let mut allocated = false;
        let made = with_joins(&self.rest.body, made);
        self.rest.body.walk(&mut |expr| {
            expr.terminator.for_each_jump(&mut |jump| {
                let arg = jump.args.get(index).and_then(|arg| arg.as_var());
                allocated |= jump.cont == self.this.cont && arg.is_some_and(|arg| made.contains(&arg));
            });
        });
        allocated
    }

    /// Whether a parameter, where the loop goes on, is loaded from, and else only passed to the next iteration. An exit
    /// that needs it may be jumped to by the test alone.
    fn is_only_loaded_from(&self, index: usize, param: Variable) -> bool {
        let mut exits = self.exits.iter().filter(|(_, needs)| needs.contains(&param));
        let mut only = !exits.any(|(exit, _)| uses(&self.rest.body, exit.cont));
        self.switch.for_each_jump(&mut |jump| {
            only &= jump.cont != self.rest.cont || !jump.args.contains(&param.into());
        });
        self.rest.body.walk(&mut |expr| {
            for item in &expr.items {
                only &= is_load(item) || !mentions(item, param);
            }
            expr.terminator.for_each_jump(&mut |jump| {
                for (at, arg) in jump.args.iter().enumerate() {
                    let passes_on = jump.cont == self.this.cont && at == index;
                    only &= passes_on || arg.as_var() != Some(param);
                }
            });
            if !matches!(
                expr.terminator,
                Terminator::ApplyCont(_) | Terminator::Switch(_) | Terminator::StringSwitch(_)
            ) {
                expr.terminator.for_each_simple(&mut |simple| only &= simple.as_var() != Some(param));
            }
        });
        only
    }

    /// What is in place of the loop and of the jump that enters it.
    fn inverted(&self, unit: &mut Unit, entry: &[Simple]) -> Option<Expr> {
        let mut items = Vec::new();
        let mut used: FxHashSet<Variable> = FxHashSet::default();
        self.rest.body.for_each_simple_deep(&mut |simple| used.extend(simple.as_var()));
        self.exits.iter().for_each(|(_, needed)| used.extend(needed));
        // Where the loop goes on, what it needs of the head comes as parameters.
        let passed: SmallVec<[Variable; 8]> = self.variables().filter(|var| used.contains(var)).collect();
        for (exit, needed) in &self.exits {
            let mut copier = self.copier(unit);
            let own = exit.params.iter().chain(needed).map(|param| copier.bind_variable(*param)).collect();
            let body = copier.expr(&exit.body);
            let exit = ContHandler { cont: exit.cont, params: own, body };
            items.push(Item::LetCont { recursive: false, handlers: vec![exit] });
        }
        let loop_data = unit.continuations[self.this.cont].clone();
        let again = unit.continuations.push(loop_data);
        let entered = self.test(unit, entry, &passed, again)?;
        // The loop: its iterations end with the test.
        let params: SmallVec<[Variable; 2]> =
            self.this.params.iter().map(|param| unit.new_variable_like(*param)).collect();
        let atoms: SmallVec<[Simple; 4]> = params.iter().map(|param| Simple::Var(*param)).collect();
        let tested = self.test(unit, &atoms, &passed, again)?;
        let next = ContHandler { cont: self.this.cont, params, body: tested.run };
        let mut copier = self.copier(unit);
        let own = self.rest.params.iter().chain(&passed).map(|param| copier.bind_variable(*param)).collect();
        let body = copier.expr(&self.rest.body);
        let mut inside = vec![Item::LetCont { recursive: false, handlers: vec![next] }];
        inside.extend(body.items);
        let body = Expr { items: inside, terminator: body.terminator };
        let rest = ContHandler { cont: again, params: own, body };
        let enters = Expr {
            items: vec![Item::LetCont { recursive: true, handlers: vec![rest] }],
            terminator: Terminator::ApplyCont(ApplyCont { cont: again, args: entered.args }),
        };
        let enter = unit.new_continuation("enter");
        let Expr { items: bindings, mut terminator } = entered.run;
        if let Terminator::Switch(switch) = &mut terminator {
            switch.for_each_jump_mut(&mut |jump| {
                if jump.cont == again {
                    *jump = ApplyCont::plain(enter);
                }
            });
        }
        items.extend(bindings);
        items.push(Item::let_cont(enter, enters));
        Some(Expr { items, terminator })
    }

    /// Copies terms of the loop to where exits take what they need.
    fn copier<'u>(&self, unit: &'u mut Unit) -> Copier<'u> {
        let mut copier = Copier::new(&mut unit.variables, &mut unit.continuations);
        for (exit, needed) in &self.exits {
            copier.add_arguments(exit.cont, needed);
        }
        copier
    }

    /// The test, of arguments of the loop; if the loop goes on it goes on in `again`, with the variables of the head
    /// that are passed.
    fn test(
        &self,
        unit: &mut Unit,
        args: &[Simple],
        passed: &[Variable],
        again: Continuation,
    ) -> Option<Test> {
        let mut copier = self.copier(unit);
        copier.substitute_variables(&self.this.params, args);
        copier.substitute_continuation(self.rest.cont, again);
        copier.add_arguments(self.rest.cont, passed);
        let head = Expr {
            items: self.bindings.iter().map(|item| (*item).clone()).collect(),
            terminator: Terminator::Switch(Box::new(self.switch.clone())),
        };
        let run = copier.expr(&head);
        let mut args = None;
        run.terminator.for_each_jump(&mut |jump| {
            if jump.cont == again {
                args = Some(jump.args.clone());
            }
        });
        Some(Test { run, args: args? })
    }
}

/// What is done with a parameter before the test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Loads,
    More,
}

/// A copy of the test, and what it passes to where the loop goes on.
struct Test {
    run: Expr,
    args: SmallVec<[Simple; 2]>,
}

/// Whether a term mentions a continuation.
fn uses(body: &Expr, cont: Continuation) -> bool {
    let mut used = false;
    body.for_each_cont_use_deep(&mut |by, _| used |= by == cont);
    used
}

/// Whether something is saved around a call in a term, of a function that returns to `ret`.
fn calls(body: &Expr, ret: Continuation) -> bool {
    let mut calls = false;
    body.walk(&mut |expr| {
        calls |= matches!(&expr.terminator, Terminator::Apply(apply) if apply.ret != ret);
        calls |= expr.items.iter().any(
            |item| matches!(item, Item::Let { named: Named::Prim { prim, .. }, .. } if prim.is_c_call()),
        );
    });
    calls
}

/// Whether a term begins with loading from a variable, before anything else happens.
fn loads_first(body: &Expr, from: Variable) -> bool {
    let mut loads = false;
    for_each_first_load(&body.items, &mut |var, prim| {
        loads |= var == from && !matches!(prim, Prim::Unbox(_));
    });
    loads
}

/// Whether an item loads a field.
fn is_load(item: &Item) -> bool {
    let Item::Let { named: Named::Prim { prim, .. }, .. } = item else { return false };
    matches!(prim, Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. })
}

/// Whether an item itself mentions a variable, not what is nested in it.
fn mentions(item: &Item, var: Variable) -> bool {
    let mut found = false;
    item.for_each_simple(&mut |simple| found |= simple.as_var() == Some(var));
    found
}
