//! The static types of the variables of a body, from those of its parameters: forward, through loads from what has
//! parts, continuations, results of calls, and what closures capture.
//!
//! A parameter of a continuation has the type that all jumps pass; a jump that was not met yet passes any. So the body
//! is walked until nothing changes: a parameter is not known, then known, then known to have no type.
//!
//! What nothing is inferred of may have a shape ([`flambeau_ir::unit::VariableData::shape`]) over the type variables
//! of the function: these follow from the shapes and the types of the parameters. So the parameters of the functions
//! inside have types.

use flambeau_ir::prim::ArrayKind;
use flambeau_ir::stack::deep;
use flambeau_ir::{
    Apply, ApplyCont, ArgType, CallKind, CodeId, Continuation, Elements, Expr, Item, Named, Prim, Simple,
    Terminator, Unit, ValueSlot, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The static types of variables.
#[derive(Default)]
pub struct Types {
    known: FxHashMap<Variable, ArgType>,
    /// Parameters of continuations that are passed values of several types.
    untyped: FxHashSet<Variable>,
    /// Parameters of continuations that some jump passes a constant.
    constants: FxHashSet<Variable>,
    slots: FxHashMap<ValueSlot, ArgType>,
    /// What type variables are.
    instance: FxHashMap<u32, ArgType>,
    changed: bool,
}

impl Types {
    /// Of the variables of a body, and of the functions whose closures it allocates, which are in the unit.
    pub fn of(unit: &Unit, body: &Expr, params: impl Iterator<Item = (Variable, ArgType)>) -> Types {
        let params: Vec<(Variable, ArgType)> = params.collect();
        let instance = instance(unit, &params);
        let mut types = Types { known: params.into_iter().collect(), instance, ..Types::default() };
        let nested = nested(unit, body);
        for code in &nested {
            for param in &unit.codes[*code].params {
                let ty = types.of_shape(unit, *param);
                types.bind(*param, ty);
            }
        }
        loop {
            types.changed = false;
            let mut walk = Walk { unit, types: &mut types, conts: FxHashMap::default() };
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

    /// What the type variables are, if parameters have these types.
    pub fn of_type_variables(unit: &Unit, params: impl Iterator<Item = (Variable, ArgType)>) -> Types {
        Types { instance: instance(unit, &params.collect::<Vec<_>>()), ..Types::default() }
    }

    /// The types of the parameters of a function that was written inside, as far as they follow from their shapes.
    pub fn of_params(&self, unit: &Unit, code: CodeId) -> Vec<ArgType> {
        let params = unit.codes[code].params.iter();
        params.map(|param| self.of_shape(unit, *param).unwrap_or_default()).collect()
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

    /// The type that follows from a variable's shape.
    fn of_shape(&self, unit: &Unit, var: Variable) -> Option<ArgType> {
        if self.instance.is_empty() {
            return None;
        }
        let shape = unit.variables[var].shape.as_deref()?;
        Some(instantiated(shape, &self.instance)).filter(is_informative)
    }

    /// A parameter of a continuation is passed a value. If values of several types are, it has the one that follows
    /// from its shape.
    fn pass(&mut self, unit: &Unit, param: Variable, ty: Option<&ArgType>) {
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
                let ty = self.of_shape(unit, param);
                self.bind(param, ty);
                self.untyped.insert(param);
            }
        }
    }

    /// A parameter of a continuation is passed a constant: of any type. What is no block has no parts, and is found
    /// among those that are compared. Only an array that is made of it is not flat, though it be one of floats.
    fn pass_constant(&mut self, unit: &Unit, param: Variable) {
        if self.constants.insert(param)
            && self.known.get(&param).is_some_and(|ty| ty.array_kind() == ArrayKind::Float)
        {
            self.pass(unit, param, None);
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

/// What the type variables are in the shapes of parameters with these types.
fn instance(unit: &Unit, params: &[(Variable, ArgType)]) -> FxHashMap<u32, ArgType> {
    let mut found = FxHashMap::default();
    for (param, ty) in params {
        if let Some(shape) = unit.variables[*param].shape.as_deref() {
            match_shape(shape, ty, &mut found);
        }
    }
    found
}

fn match_shape(shape: &ArgType, ty: &ArgType, found: &mut FxHashMap<u32, ArgType>) {
    match (shape, ty) {
        (_, ArgType::Unknown | ArgType::Enclosing(_)) => {}
        (ArgType::Variable(number), ty) => _ = found.entry(*number).or_insert_with(|| without_floats(ty)),
        (ArgType::Array(shape), ArgType::Array(ty)) => match_shape(shape, ty, found),
        (ArgType::Block(shapes), ArgType::Block(_)) => {
            shapes.iter().enumerate().for_each(|(index, shape)| match_shape(shape, &ty.field(index), found));
        }
        (ArgType::Function(shapes, result), ArgType::Function(types, returned)) => {
            shapes.iter().zip(types).for_each(|(shape, ty)| match_shape(shape, ty, found));
            match_shape(result, returned, found);
        }
        _ => {}
    }
}

/// The type as that of values of which some may stand for one that there is not, as in arrays that are filled later.
fn without_floats(ty: &ArgType) -> ArgType {
    match ty {
        ArgType::Compared { compare, equal, total, elements: Elements::Floats, hashed } => {
            ArgType::Compared {
                compare: *compare,
                equal: *equal,
                total: *total,
                elements: Elements::MaybeBoxes,
                hashed: hashed.clone(),
            }
        }
        other => other.clone(),
    }
}

/// A shape with what the variables are.
fn instantiated(shape: &ArgType, instance: &FxHashMap<u32, ArgType>) -> ArgType {
    let all = |shapes: &[ArgType]| shapes.iter().map(|shape| instantiated(shape, instance)).collect();
    match shape {
        ArgType::Variable(number) => instance.get(number).cloned().unwrap_or_default(),
        ArgType::Array(element) => ArgType::Array(Box::new(instantiated(element, instance))),
        ArgType::Block(fields) => ArgType::Block(all(fields)),
        ArgType::Function(params, result) => {
            ArgType::Function(all(params), Box::new(instantiated(result, instance)))
        }
        other => other.clone(),
    }
}

/// Whether a type does not only name blocks around.
fn is_informative(ty: &ArgType) -> bool {
    match ty {
        ArgType::Unknown | ArgType::Enclosing(_) | ArgType::Variable(_) => false,
        ArgType::Immediate | ArgType::Compared { .. } | ArgType::Bigarray { .. } => true,
        ArgType::Array(element) => is_informative(element),
        ArgType::Block(fields) => fields.iter().any(is_informative),
        ArgType::Function(params, result) => params.iter().any(is_informative) || is_informative(result),
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
    unit: &'t Unit,
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
                    let ty = ty.or_else(|| self.types.of_shape(self.unit, *var));
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
                    self.types.pass(self.unit, param, ty.as_ref());
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
                Simple::Const(_) => self.types.pass_constant(self.unit, *param),
                arg => {
                    let ty = self.types.get(*arg).cloned();
                    self.types.pass(self.unit, *param, ty.as_ref());
                }
            }
        }
    }
}
