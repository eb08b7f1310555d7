//! Operations on values of any type as those of the types that are known.

use flambeau_ir::prim::{ArrayKind, Comparison, FloatCmp, IntCmp};
use flambeau_ir::{
    Apply, ApplyCont, ArgType, BoxedKind, CallKind, CodeId, ContHandler, Continuation, Dbg, Elements,
    ExnCont, Expr, IntKind, Item, Kind, Named, Prim, Simple, Subkind, Switch, Terminator, Unit, Variable,
};
use smallvec::{SmallVec, smallvec};

use super::bigarrays::{access_at, bigarray_access};
use super::hashes::{hashed_at, hashed_shapes};
use super::infer::{Types, known_types, nested};

/// The polymorphic comparison that an item is, with its operands.
pub fn comparison(item: &Item) -> Option<(Comparison, &[Simple])> {
    let Item::Let { named: Named::Prim { prim: Prim::CCall(external), args, exn: Some(_) }, .. } = item
    else {
        return None;
    };
    Some((external.comparison()?, args))
}

/// The type at which a comparison compares: one that has one operand of a type has two.
pub(super) fn compared_type<'t>(item: &Item, types: &'t Types) -> Option<&'t ArgType> {
    let (_, args) = comparison(item)?;
    let is_compared = |ty: &&ArgType| matches!(ty, ArgType::Immediate | ArgType::Compared { .. });
    args.iter().filter_map(|arg| types.get(*arg)).find(is_compared)
}

/// The representation of the array of a generic operation on arrays.
pub(super) fn array_kind(item: &Item, types: &Types) -> Option<ArrayKind> {
    let Item::Let { named: Named::Prim { prim, args, .. }, .. } = item else { return None };
    let kind = match (prim, &args[..]) {
        (
            Prim::ArrayLoad { kind: ArrayKind::Generic } | Prim::ArrayStore { kind: ArrayKind::Generic },
            [array, ..],
        ) => types.element(*array)?.array_kind(),
        (Prim::MakeArray { kind: ArrayKind::Generic, .. }, elements) => {
            elements.iter().find_map(|element| types.get(*element))?.array_kind()
        }
        _ => return None,
    };
    (kind != ArrayKind::Generic).then_some(kind)
}

/// Whether the types of the arguments of a call may be said.
pub(super) fn takes_types(apply: &Apply) -> bool {
    matches!(apply.kind, CallKind::Direct(_) | CallKind::DirectExternal(_) | CallKind::Generic)
}

/// Makes the operations of a body, and of the functions whose closures it allocates, those of the types that follow
/// from the types of parameters, and hands the types on to calls. The functions belong to the body alone.
pub(crate) fn at_types(unit: &mut Unit, body: &mut Expr, params: impl Iterator<Item = (Variable, ArgType)>) {
    let params: Vec<(Variable, ArgType)> = params.collect();
    let types = Types::of(unit, body, params.iter().cloned());
    let nested = nested(unit, body);
    rewritten(unit, body, &types);
    for code in &nested {
        let mut body = unit.codes[*code].body.take();
        rewritten(unit, &mut body, &types);
        unit.codes[*code].body = body;
    }
    let params = params.into_iter().map(|(param, _)| param).collect();
    forget_shapes(unit, params, body, &nested);
}

/// Drops the shapes of parameters and of all variables that are bound inside: where they are from now on, the type
/// variables may be something else.
fn forget_shapes(unit: &mut Unit, params: Vec<Variable>, body: &Expr, nested: &[CodeId]) {
    let mut bound = params;
    let mut look = |expr: &Expr| {
        for item in &expr.items {
            item.for_each_bound(&mut |var| bound.push(var));
            if let Item::LetCont { handlers, .. } = item {
                handlers.iter().for_each(|handler| bound.extend(&handler.params));
            }
        }
    };
    body.walk(&mut look);
    for code in nested {
        unit.codes[*code].body.walk(&mut look);
    }
    bound.extend(nested.iter().flat_map(|code| &unit.codes[*code].params));
    bound.into_iter().for_each(|var| unit.variables[var].shape = None);
}

/// Makes the operations of a function those of the types that a call says its parameters have, as far as it is called
/// in itself with the same ones. Nobody else calls it.
pub(crate) fn at_types_of_calls(unit: &mut Unit, code: CodeId, types: &[ArgType]) {
    let mut known = types.to_vec();
    let params = unit.codes[code].params.clone();
    let mut body = unit.codes[code].body.take();
    while known.iter().any(|ty| *ty != ArgType::Unknown) {
        let inferred = Types::of(unit, &body, known_types(&params, &known));
        let mut changed = false;
        let mut look = |expr: &Expr| {
            let Terminator::Apply(apply) = &expr.terminator else { return };
            if apply.kind != CallKind::Direct(code) {
                return;
            }
            for (ty, arg) in known.iter_mut().zip(&apply.args) {
                let passed = inferred.get(*arg);
                if *ty != ArgType::Unknown && passed != Some(ty) && !is_neutral(*arg, ty) {
                    *ty = ArgType::Unknown;
                    changed = true;
                }
            }
        };
        body.walk(&mut look);
        nested(unit, &body).into_iter().for_each(|code| unit.codes[code].body.walk(&mut look));
        if !changed {
            at_types(unit, &mut body, known_types(&params, &known));
            break;
        }
    }
    unit.codes[code].body = body;
}

/// Whether a value is of any type, as a constant is (`Types::pass_constant`).
fn is_neutral(value: Simple, ty: &ArgType) -> bool {
    matches!(value, Simple::Const(_)) && ty.array_kind() != ArrayKind::Float
}

fn rewritten(unit: &mut Unit, body: &mut Expr, types: &Types) {
    // First the calls that there are: those of comparing functions are not to be specialised themselves.
    body.walk_mut(&mut |expr| {
        let Terminator::Apply(apply) = &mut expr.terminator else { return };
        if !takes_types(apply) {
            return;
        }
        let passed = types.passed(apply);
        if passed.iter().all(|ty| *ty == ArgType::Unknown) {
            return;
        }
        apply.types.resize(apply.args.len(), ArgType::Unknown);
        for (ty, passed) in apply.types.iter_mut().zip(passed) {
            if *ty == ArgType::Unknown {
                *ty = passed;
            }
        }
    });
    // What is left to the runtime there, is left to it.
    let first = unit.variables.next_key();
    let is_new = |item: &Item| matches!(item, Item::Let { var, .. } if *var >= first);
    body.walk_mut(&mut |expr| {
        let is_typed = |item: &Item| has_operation(item, types);
        if !expr.items.iter().any(|item| is_typed(item) && !is_new(item)) {
            return;
        }
        let mut items = Vec::with_capacity(expr.items.len() + 2);
        for item in expr.items.drain(..) {
            if is_new(&item) {
                items.push(item);
            } else if let Some(kind) = array_kind(&item, types) {
                of_kind(unit, item, kind, types, &mut items);
            } else if let Some(access) = bigarray_access(&item, types) {
                access_at(unit, item, access, &mut items);
            } else if let Some(hashed) = hashed_shapes(&item, types) {
                hashed_at(unit, item, &hashed, &mut items);
            } else if let Some(ty) = compared_type(&item, types) {
                compared_at(unit, item, ty, &mut items);
            } else {
                items.push(item);
            }
        }
        expr.items = items;
    });
}

/// A generic operation on arrays as that of arrays of a kind.
fn of_kind(unit: &mut Unit, item: Item, kind: ArrayKind, types: &Types, items: &mut Vec<Item>) {
    let Item::Let { var, named: Named::Prim { prim, mut args, exn }, dbg } = item else { return };
    let is_float = kind == ArrayKind::Float;
    match prim {
        Prim::ArrayLoad { .. } if is_float => {
            let naked = unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
            let named = Named::Prim { prim: Prim::ArrayLoad { kind }, args, exn };
            items.push(Item::Let { var: naked, named, dbg });
            let boxed = SmallVec::from_slice(&[naked.into()]);
            let named = Named::Prim { prim: Prim::Box(BoxedKind::Float), args: boxed, exn: None };
            items.push(Item::Let { var, named, dbg });
        }
        Prim::ArrayLoad { .. } => {
            // That it is an immediate is said of its type, not of its value: which may be something else by `Obj`, and
            // be recognised so by `==`.
            let kind = ArrayKind::Addr;
            let named = Named::Prim { prim: Prim::ArrayLoad { kind }, args, exn };
            items.push(Item::Let { var, named, dbg });
        }
        Prim::ArrayStore { .. } => {
            if is_float {
                args[2] = unboxed(unit, args[2], dbg, items);
            }
            // What is not known to be an immediate may be something else by `Obj`.
            let kind = match kind {
                ArrayKind::Int if !is_immediate(args[2], types) => ArrayKind::Addr,
                kind => kind,
            };
            let named = Named::Prim { prim: Prim::ArrayStore { kind }, args, exn };
            items.push(Item::Let { var, named, dbg });
        }
        Prim::MakeArray { mutability, .. } => {
            if is_float {
                args.iter_mut().for_each(|arg| *arg = unboxed(unit, *arg, dbg, items));
            }
            let named = Named::Prim { prim: Prim::MakeArray { kind, mutability }, args, exn };
            items.push(Item::Let { var, named, dbg });
        }
        prim => items.push(Item::Let { var, named: Named::Prim { prim, args, exn }, dbg }),
    }
}

fn is_immediate(simple: Simple, types: &Types) -> bool {
    matches!(simple, Simple::Const(_)) || types.get(simple) == Some(&ArgType::Immediate)
}

fn unboxed(unit: &mut Unit, value: Simple, dbg: Dbg, items: &mut Vec<Item>) -> Simple {
    let naked = unit.new_variable("element", Kind::NakedFloat, Subkind::Any);
    let args = SmallVec::from_slice(&[value]);
    let named = Named::Prim { prim: Prim::Unbox(BoxedKind::Float), args, exn: None };
    items.push(Item::Let { var: naked, named, dbg });
    naked.into()
}

/// Whether an item is an operation that knows better what it is at the types.
fn has_operation(item: &Item, types: &Types) -> bool {
    compared_type(item, types).is_some()
        || array_kind(item, types).is_some()
        || hashed_shapes(item, types).is_some()
        || bigarray_access(item, types).is_some()
}

/// A comparison as that of a type.
fn compared_at(unit: &mut Unit, item: Item, ty: &ArgType, items: &mut Vec<Item>) {
    let Some((comparison, _)) = comparison(&item) else { return items.push(item) };
    let (compare, equal) = match ty {
        ArgType::Immediate => return compare_immediates(unit, item, comparison, items),
        ArgType::Compared { compare, equal, total, .. } => (total.then_some(*compare), *equal),
        _ => return items.push(item),
    };
    // The function, and the test of its result, if that is not what is wanted.
    let (function, test) = match (comparison, ty) {
        (Comparison::ThreeWay, ArgType::Compared { compare, .. }) => (*compare, None),
        (Comparison::Test(IntCmp::Eq), _) => (equal, None),
        (Comparison::Test(IntCmp::Ne), _) => (equal, Some(IntCmp::Eq)),
        (
            Comparison::Test(op),
            ArgType::Compared { elements: Elements::Floats | Elements::MaybeBoxes, .. },
        ) => {
            return compare_floats(unit, item, op, items);
        }
        (Comparison::Test(op), _) => match compare {
            Some(compare) => (compare, Some(op)),
            None => return items.push(item),
        },
        _ => return items.push(item),
    };
    let Item::Let { var, named: Named::Prim { args, exn: Some(exn), .. }, dbg } = item else { return };
    let result = if test.is_some() { unit.new_value("order") } else { var };
    items.push(call(unit, function, &args, result, *exn, dbg));
    if let Some(op) = test {
        let zero = Simple::tagged(0);
        tested(unit, var, Prim::IntCompare { op, kind: IntKind::Tagged }, &[result.into(), zero], dbg, items);
    }
}

fn compare_immediates(unit: &mut Unit, item: Item, comparison: Comparison, items: &mut Vec<Item>) {
    let Item::Let { var, named: Named::Prim { args, .. }, dbg } = item else { return };
    let kind = IntKind::Tagged;
    match comparison {
        Comparison::ThreeWay => {
            let named = Named::Prim { prim: Prim::IntCompare3 { kind }, args, exn: None };
            items.push(Item::Let { var, named, dbg });
        }
        Comparison::Test(op) => tested(unit, var, Prim::IntCompare { op, kind }, &args, dbg, items),
    }
}

/// The order of two floats, by an instruction. What stands for a float by `Obj` is left to the runtime.
fn compare_floats(unit: &mut Unit, item: Item, op: IntCmp, items: &mut Vec<Item>) {
    let op = match op {
        IntCmp::Lt => FloatCmp::Lt,
        IntCmp::Le => FloatCmp::Le,
        IntCmp::Gt => FloatCmp::Gt,
        IntCmp::Ge => FloatCmp::Ge,
        IntCmp::Eq | IntCmp::Ne | IntCmp::UnsignedLt => return items.push(item),
    };
    let Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } = item else { return };
    let [x, y] = args[..] else { return };
    let [done, by_runtime, first, both] =
        ["compared", "slow", "block", "floats"].map(|name| unit.new_continuation(name));
    let jump = |cont| ApplyCont { cont, args: SmallVec::new() };
    let result =
        |value: Variable| Terminator::ApplyCont(ApplyCont { cont: done, args: smallvec![value.into()] });
    // Goes on if a value is no immediate.
    let test = |unit: &mut Unit, value: Simple, on: Continuation| {
        let var = unit.new_variable("is_int", Kind::NakedImmediate, Subkind::Any);
        let named = Named::Prim { prim: Prim::IsInt, args: smallvec![value], exn: None };
        let arms = vec![(0, jump(on))];
        let switch =
            Switch { scrutinee: var.into(), arms, default: Some(jump(by_runtime)), dbg, cases: None };
        (Item::Let { var, named, dbg }, Terminator::Switch(Box::new(switch)))
    };
    let handler = |cont, body| ContHandler { cont, params: SmallVec::new(), body };
    let let_cont = |handler| Item::LetCont { recursive: false, handlers: vec![handler] };

    let slow = unit.new_value("compared");
    let named = Named::Prim { prim, args, exn };
    let slow_path = Expr { items: vec![Item::Let { var: slow, named, dbg }], terminator: result(slow) };
    let mut float_items = Vec::with_capacity(4);
    let (x_naked, y_naked) =
        (unboxed(unit, x, dbg, &mut float_items), unboxed(unit, y, dbg, &mut float_items));
    let fast = unit.new_value("compared");
    tested(unit, fast, Prim::FloatCompare { op }, &[x_naked, y_naked], dbg, &mut float_items);
    let floats = Expr { items: float_items, terminator: result(fast) };
    let (is_int, terminator) = test(unit, y, both);
    let second = Expr { items: vec![let_cont(handler(both, floats)), is_int], terminator };
    let (is_int, terminator) = test(unit, x, first);
    let items_of_body =
        vec![let_cont(handler(by_runtime, slow_path)), let_cont(handler(first, second)), is_int];
    let body = Box::new(Expr { items: items_of_body, terminator });
    items.push(Item::Join { cont: done, params: smallvec![var], body });
}

/// Binds `var` to the truth value that a test gives, tagged.
fn tested(unit: &mut Unit, var: Variable, prim: Prim, args: &[Simple], dbg: Dbg, items: &mut Vec<Item>) {
    let naked = unit.new_variable("test", Kind::NakedImmediate, Subkind::Any);
    let named = Named::Prim { prim, args: SmallVec::from_slice(args), exn: None };
    items.push(Item::Let { var: naked, named, dbg });
    let named = Named::Prim { prim: Prim::Tag, args: SmallVec::from_slice(&[naked.into()]), exn: None };
    items.push(Item::Let { var, named, dbg });
}

/// A call whose result is bound to `result` in the rest of the run.
fn call(
    unit: &mut Unit,
    function: Simple,
    args: &[Simple],
    result: Variable,
    exn: ExnCont,
    dbg: Dbg,
) -> Item {
    let cont = unit.new_continuation("compared");
    let apply = Apply { dbg, ..Apply::plain(Some(function), CallKind::Generic, args.to_vec(), cont, exn) };
    let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply)) };
    Item::Join { cont, params: SmallVec::from_slice(&[result]), body: Box::new(body) }
}
