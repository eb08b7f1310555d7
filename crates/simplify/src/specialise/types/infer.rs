//! The static types of the variables of a body, from those of its parameters: forward, through loads from what has
//! parts, continuations, results of calls, and what closures capture.
//!
//! A parameter of a continuation has the type that all jumps pass; a jump that was not met yet passes any. So the body
//! is walked until nothing changes: a parameter is not known, then known, then known to have no type.

use flambeau_ir::prim::ArrayKind;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    Apply, ApplyCont, ArgType, CallKind, CodeId, Continuation, Expr, Item, Named, Prim, Simple, Terminator,
    Unit, ValueSlot, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The static types of variables.
#[derive(Default)]
pub struct Types {
    known: FxHashMap<Variable, ArgType>,
    /// Parameters of continuations that have no type.
    untyped: FxHashSet<Variable>,
    /// Parameters of continuations that some jump passes a constant.
    constants: FxHashSet<Variable>,
    slots: FxHashMap<ValueSlot, ArgType>,
    changed: bool,
}

impl Types {
    /// Of the variables of a body, and of the functions whose closures it allocates, which are in the unit.
    pub fn of(unit: &Unit, body: &Expr, params: impl Iterator<Item = (Variable, ArgType)>) -> Types {
        let mut types = Types { known: params.collect(), ..Types::default() };
        let nested = nested(unit, body);
        loop {
            types.changed = false;
            let mut walk = Walk { types: &mut types, conts: FxHashMap::default() };
            walk.run(body);
            for code in &nested {
                walk.run(&unit.codes[*code].body);
            }
            if !types.changed {
                return types;
            }
        }
    }

    /// The type of an atom, if it is known.
    pub fn get(&self, simple: Simple) -> Option<&ArgType> {
        self.known.get(&simple.as_var()?)
    }

    fn bind(&mut self, var: Variable, ty: Option<ArgType>) {
        match ty {
            Some(ty) if ty != ArgType::Unknown => {
                self.known.insert(var, ty);
            }
            _ => {
                self.known.remove(&var);
            }
        }
    }

    /// A parameter of a continuation is passed a value.
    fn pass(&mut self, param: Variable, ty: Option<&ArgType>) {
        if self.untyped.contains(&param) {
            return;
        }
        let known = self.known.get(&param);
        let ty = ty.filter(|ty| !(ty.array_kind() == ArrayKind::Float && self.constants.contains(&param)));
        if known.is_some() && known == ty {
            return;
        }
        self.changed = true;
        match (known, ty) {
            (None, Some(ty)) => {
                self.known.insert(param, ty.clone());
            }
            _ => {
                self.known.remove(&param);
                self.untyped.insert(param);
            }
        }
    }

    /// A parameter of a continuation is passed a constant: of any type. What is no block has no parts, and is found
    /// among those that are compared. Only an array that is made of it is not flat, though it be one of floats.
    fn pass_constant(&mut self, param: Variable) {
        if self.constants.insert(param)
            && self.known.get(&param).is_some_and(|ty| ty.array_kind() == ArrayKind::Float)
        {
            self.pass(param, None);
        }
    }

    /// The type of what a primitive returns.
    fn result(&self, prim: &Prim, args: &[Simple]) -> Option<ArgType> {
        match (prim, args) {
            (Prim::BlockLoad { field, .. }, [block]) => Some(self.get(*block)?.field(*field as usize)),
            (Prim::ArrayLoad { kind: ArrayKind::Float }, _) => None,
            (Prim::ArrayLoad { .. }, [array, _]) => self.element(*array).cloned(),
            (Prim::MakeArray { .. }, elements) => {
                let element = elements.iter().find_map(|element| self.get(*element))?;
                Some(ArgType::Array(Box::new(element.clone())))
            }
            (Prim::CCall(external), args) => match (external.name.as_str(), args) {
                ("caml_make_vect" | "caml_array_make", [_, element]) => {
                    Some(ArgType::Array(Box::new(self.get(*element)?.clone())))
                }
                ("caml_array_sub", [array, _, _]) => self.array(*array).cloned(),
                ("caml_array_append", [a, b]) => self.array(*a).or_else(|| self.array(*b)).cloned(),
                ("caml_array_concat", [list]) => Some(self.get(*list)?.field(0)),
                _ => None,
            },
            (Prim::ProjectValueSlot { value, .. }, _) => self.slots.get(value).cloned(),
            _ => None,
        }
    }

    fn array(&self, array: Simple) -> Option<&ArgType> {
        self.get(array).filter(|ty| matches!(ty, ArgType::Array(_)))
    }

    /// The type of the elements of an array.
    pub fn element(&self, array: Simple) -> Option<&ArgType> {
        match self.get(array)? {
            ArgType::Array(element) => Some(element),
            _ => None,
        }
    }

    /// The types of what a call passes: of the values, or as the function that is called is typed.
    pub fn passed(&self, apply: &Apply) -> Vec<ArgType> {
        let callee = apply.callee.filter(|_| apply.kind == CallKind::Generic);
        let params = match callee.and_then(|callee| self.get(callee)) {
            Some(ArgType::Function(params, _)) if params.len() == apply.args.len() => &params[..],
            _ => &[],
        };
        let mut params = params.iter();
        let of_args = apply.args.iter().map(|arg| (self.get(*arg), params.next()));
        of_args.map(|(arg, param)| arg.or(param).cloned().unwrap_or_default()).collect()
    }

    /// What a call returns.
    fn returned(&self, apply: &Apply) -> Option<&ArgType> {
        match (&apply.kind, self.get(apply.callee?)?) {
            (CallKind::Generic, ArgType::Function(params, result)) if params.len() == apply.args.len() => {
                Some(result)
            }
            _ => None,
        }
    }
}

/// The parameters of which something is known.
pub(super) fn known_types<'t>(
    params: &'t [Variable],
    types: &'t [ArgType],
) -> impl Iterator<Item = (Variable, ArgType)> + 't {
    let known = params.iter().copied().zip(types.iter().cloned());
    known.filter(|(_, ty)| *ty != ArgType::Unknown)
}

/// The functions whose closures a term allocates, and those that they do.
pub fn nested(unit: &Unit, body: &Expr) -> Vec<CodeId> {
    let mut found: Vec<CodeId> = Vec::new();
    body.for_each_code_made(&mut |code| found.push(code));
    let mut at = 0;
    while let Some(code) = found.get(at) {
        unit.codes[*code].body.for_each_code_made(&mut |code| found.push(code));
        at += 1;
    }
    found
}

struct Walk<'t> {
    types: &'t mut Types,
    /// The parameters of ordinary continuations in scope.
    conts: FxHashMap<Continuation, SmallVec<[Variable; 2]>>,
}

impl Walk<'_> {
    fn run(&mut self, expr: &Expr) {
        deep(|| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        for item in &expr.items {
            match item {
                Item::Let { var, named, .. } => {
                    let ty = match named {
                        Named::Simple(simple) => self.types.get(*simple).cloned(),
                        Named::Prim { prim, args, .. } => self.types.result(prim, args),
                    };
                    self.types.bind(*var, ty);
                }
                Item::LetClosures { set, .. } => {
                    for (slot, value) in &set.values {
                        self.capture(*slot, *value);
                    }
                }
                Item::Join { cont, params, body } => {
                    self.conts.insert(*cont, params.clone());
                    self.run(body);
                }
                Item::LetCont { handlers, .. } => {
                    for handler in handlers {
                        self.conts.insert(handler.cont, handler.params.clone());
                    }
                }
            }
        }
        self.terminator(&expr.terminator);
        // Behind the jumps in the rest of the run.
        for item in expr.items.iter().rev() {
            if let Item::LetCont { handlers, .. } = item {
                handlers.iter().for_each(|handler| self.run(&handler.body));
            }
        }
    }

    fn capture(&mut self, slot: ValueSlot, value: Simple) {
        let ty = self.types.get(value);
        if self.types.slots.get(&slot) == ty {
            return;
        }
        let ty = ty.cloned();
        self.types.changed = true;
        match ty {
            Some(ty) => self.types.slots.insert(slot, ty),
            None => self.types.slots.remove(&slot),
        };
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::ApplyCont(jump) => self.jump(jump),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| self.jump(jump)),
            Terminator::StringSwitch(switch) => switch.for_each_jump(&mut |jump| self.jump(jump)),
            Terminator::Apply(apply) => {
                if let Some([param]) = self.conts.get(&apply.ret).map(SmallVec::as_slice) {
                    let (param, ty) = (*param, self.types.returned(apply).cloned());
                    self.types.pass(param, ty.as_ref());
                }
            }
            Terminator::Try { body, .. } => self.run(body),
            Terminator::Raise { .. } | Terminator::Unreachable => {}
        }
    }

    fn jump(&mut self, jump: &ApplyCont) {
        let Some(params) = self.conts.get(&jump.cont) else { return };
        for (param, arg) in params.iter().zip(&jump.args) {
            match arg {
                Simple::Const(_) => self.types.pass_constant(*param),
                arg => {
                    let ty = self.types.get(*arg).cloned();
                    self.types.pass(*param, ty.as_ref());
                }
            }
        }
    }
}
