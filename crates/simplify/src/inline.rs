//! Inlining at calls of functions of the unit that are known.
//!
//! The body of a callee has been simplified before its callers are: it is copied into the place of the call, and
//! simplified once more there, with what is known of the arguments.

use flambeau_ir::copy::Copier;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, CodeId, Expr, Item, Prim, Simple, Terminator};
use flambeau_types::Ty;

use crate::Simplifier;
use crate::analysis::Analysis;
use crate::continuations::ContState;
use crate::run::Rest;
use crate::size;

/// Bodies up to this size are inlined wherever they are called at `-O3`. Over 49 programs, text beside stock at limits of
/// 30, 33, 37, 40, 60: 1.17, 1.21, 1.24, 1.27, 1.35; allocation 0.65, 0.62, 0.61, 0.59, 0.57.
pub const SMALL: u32 = 60;
/// The same at other levels.
const SMALL_BY_DEFAULT: u32 = 33;
/// Larger ones are never, unless an attribute wants it.
pub const LARGE: u32 = 250;
/// The same with an attribute.
pub const HUGE: u32 = 5_000;
/// What one function may grow by.
const BUDGET: u32 = 3_000;
/// What a whole unit may grow by, the smallest functions and stubs apart: what comes after is to stay in proportion
/// (features G6; the assembler's time is not linear in the number of jumps).
pub const UNIT_BUDGET: u32 = 40_000;
/// Functions up to this size are inlined then, too.
const SMALLEST: u32 = 12;
/// The same for the code of the toplevel, which runs once.
const ENTRY_BUDGET: u32 = 300;

/// What an argument is worth of which the body may make use.
pub const CLOSURE_BENEFIT: u32 = 40;
pub const ALLOCATION_BENEFIT: u32 = 12;
pub const CONSTANT_BENEFIT: u32 = 6;

/// What inlining adds, by the size of the callee.
struct Growth {
    /// To the function that calls.
    function: u32,
    /// To the unit.
    unit: u32,
}

impl Simplifier<'_> {
    /// What a function may grow by.
    pub(crate) fn budget(code: Option<CodeId>) -> u32 {
        if code.is_some() { BUDGET } else { ENTRY_BUDGET }
    }

    /// The body of a callee in the place of a direct call, if it is to be inlined: what the run goes on with.
    pub(crate) fn inlined(&mut self, apply: &Apply) -> Option<Rest> {
        if !matches!(apply.kind, CallKind::Direct(_) | CallKind::DirectExternal(_)) {
            return None;
        }
        // Nothing is inlined inside a stub (features A7); its callees may want to inline it.
        if self.current.is_some_and(|current| self.unit.codes[current].attributes.stub) {
            return None;
        }
        let code = match &apply.kind {
            CallKind::Direct(code) => *code,
            CallKind::DirectExternal(name) => self.imported(name, apply)?,
            _ => return None,
        };
        self.simplify_callee(code);
        let growth = self.decide(apply, code)?;
        if !self.allow("inlining") {
            return None;
        }
        let body = self.copy_body(apply, code)?;
        self.budget = self.budget.saturating_sub(growth.function);
        self.unit_budget = self.unit_budget.saturating_sub(growth.unit);
        let analysis = Analysis::of(&body, &self.env, self.rewrites.keep_backtraces);
        let returns = analysis.uses(apply.ret);
        self.analysis.absorb(analysis);
        if !matches!(self.conts.get(&apply.ret), Some(ContState::Pending(_)))
            || returns.count == 1 && !returns.crosses_region
        {
            return Some(Rest::from(body));
        }
        let Some(ContState::Pending(handler)) = self.conts.remove(&apply.ret) else { return None };
        // The place where the call returns to is used several times now, or never.
        self.analysis.note_open(apply.ret);
        let join = Item::Join { cont: apply.ret, params: handler.params, body: Box::new(body) };
        let items: Vec<Item> = std::iter::once(join).chain(handler.rest.items).collect();
        Some(Rest { items: items.into_iter(), terminator: handler.rest.terminator })
    }

    /// Simplifies a static callee that has not been yet, so that what is inlined is as small as can be.
    pub(crate) fn simplify_callee(&mut self, code: CodeId) {
        if !self.done.contains(&code)
            && let Some((symbol, values)) = self.static_codes.get(&code).cloned()
        {
            flambeau_ir::stack::deep(|| self.code(code, &values, Some(symbol)));
        }
    }

    /// What grows, if the body is to be inlined.
    fn decide(&mut self, apply: &Apply, code: CodeId) -> Option<Growth> {
        let data = &self.unit.codes[code];
        let stub = data.attributes.stub;
        if data.recursive && !stub || self.in_progress.contains(&code) || !self.done.contains(&code) {
            return None;
        }
        let recursive = data.recursive;
        let wish = match apply.inlined {
            InlineAttribute::Default | InlineAttribute::Unroll(_) => data.attributes.inline,
            wish => wish,
        };
        // Each application at the toplevel makes a module, whose functions are to know those of the argument (B7).
        let functor = data.attributes.is_functor && self.current.is_none();
        let limit = match wish {
            InlineAttribute::Never => return None,
            InlineAttribute::Always | InlineAttribute::Hint if !self.rewrites.stubs_only => HUGE,
            _ if stub => HUGE,
            _ if self.rewrites.stubs_only => return None,
            _ if functor => HUGE,
            _ => LARGE,
        };
        let small = if self.rewrites.level >= 3 { SMALL } else { SMALL_BY_DEFAULT };
        let size = self.size(code).filter(|size| *size <= limit)?;
        let affordable = size <= SMALLEST || size <= self.unit_budget;
        if functor {
            return affordable.then_some(Growth { function: 0, unit: size });
        }
        let wanted = limit == HUGE
            || affordable && (size <= small || size <= self.benefit(apply).saturating_add(small));
        // A stub that calls itself would go on for ever (soundness row 42).
        let size = if recursive { size.max(BUDGET / 8) } else { size };
        // Functions grow by what is small or wanted only as far as the budget goes.
        (wanted && (size <= self.budget || limit == HUGE && self.budget > 0))
            .then_some(Growth { function: size, unit: size })
    }

    /// What may go when the arguments are known in the body.
    fn benefit(&self, apply: &Apply) -> u32 {
        apply
            .args
            .iter()
            .map(|arg| match self.env.ty(*arg) {
                Ty::Closure(_) => CLOSURE_BENEFIT,
                _ if self.closure_of_other_unit(*arg).is_some() => CLOSURE_BENEFIT,
                _ if matches!(arg, Simple::Const(_) | Simple::Symbol(_)) => CONSTANT_BENEFIT,
                _ if self.env.definition(*arg).is_some_and(|d| is_allocation(&d.prim)) => ALLOCATION_BENEFIT,
                _ => 0,
            })
            .sum()
    }

    /// The size of a simplified body that may be copied, with the functions that it makes.
    fn size(&mut self, code: CodeId) -> Option<u32> {
        if let Some(size) = self.sizes.get(&code) {
            return *size;
        }
        let size = if self.ends_backtraces(code) { None } else { size::whole(self.unit, code, HUGE) };
        self.sizes.insert(code, size);
        size
    }

    /// Whether the backtrace of an exception that is caught in the body ends there: not with the callers.
    fn ends_backtraces(&self, code: CodeId) -> bool {
        let mut catches = false;
        self.unit.codes[code]
            .body
            .walk(&mut |expr| catches |= matches!(expr.terminator, Terminator::Try { .. }));
        catches && self.rewrites.keep_backtraces
    }

    /// The body with the arguments, the way back and the handler of the call. The functions that it makes are copied
    /// with it, to be simplified there.
    fn copy_body(&mut self, apply: &Apply, code: CodeId) -> Option<Expr> {
        let unit = &mut *self.unit;
        let data = &unit.codes[code];
        if data.params.len() != apply.args.len() {
            return None;
        }
        let mut copier = Copier::with_sets(
            &mut unit.variables,
            &mut unit.continuations,
            &unit.codes,
            &mut unit.function_slots,
            &mut unit.value_slots,
        );
        for (param, arg) in data.params.iter().zip(&apply.args) {
            copier.substitute_variable(*param, *arg);
        }
        if let Some(callee) = apply.callee {
            copier.substitute_variable(data.my_closure, callee);
        }
        copier.substitute_continuation(data.ret, apply.ret);
        copier.substitute_exn(data.exn, apply.exn.clone());
        if self.rewrites.keep_backtraces {
            copier.inline_locations(&mut unit.locs, apply.dbg);
        }
        let body = copier.expr(&data.body);
        for copy in copier.finish().ok()? {
            unit.codes.push(copy);
        }
        self.note_sets(&body);
        Some(body)
    }
}

fn is_allocation(prim: &Prim) -> bool {
    matches!(prim, Prim::Box(_) | Prim::MakeBlock { .. } | Prim::MakeFloatBlock { .. })
}
