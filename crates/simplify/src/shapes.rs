//! Which functions the closures run that a call returns or a module holds, where the object itself is allocated only
//! when the program runs (features B7, B13): so a function of a functor's module that is not copied for its argument is
//! still called directly.
//!
//! The function of a closure is known by its code, and called with the closure. That holds of *this* object only: where
//! a call of the functor is inlined, what it allocates has closures of copied codes. So a call whose result is used in
//! this way is never inlined afterwards.

use std::cell::RefCell;
use std::rc::Rc;

use flambeau_ir::imports::{Callee, Shape};
use flambeau_ir::prim::Mutability;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, CallKind, CodeId, Expr, Item, Kind, Named, Prim, Rewrite, SetOfClosures, Simple, StaticDef,
    StaticField, Symbol, Terminator, Unit, Variable,
};
use flambeau_types::{Block, Blocks, Closure, IntSet, Ty, Variant};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Functions, Simplifier};

/// How many levels of nested modules, and of functors whose results are examined, something is known of.
const DEPTH: u32 = 8;

/// An object that a term allocates.
#[derive(Clone)]
enum Object {
    Unknown,
    /// The closure at that position of a set.
    Closure(Rc<SetOfClosures>, usize),
    Block(Rc<[Object]>),
    /// What a function of another unit returned, or a part of it.
    Elsewhere(Shape),
}

impl Object {
    fn field(&self, field: u32) -> Object {
        match self {
            Object::Block(fields) => fields.get(field as usize).cloned().unwrap_or(Object::Unknown),
            Object::Elsewhere(shape) => Object::Elsewhere(shape.field(field)),
            Object::Unknown | Object::Closure(..) => Object::Unknown,
        }
    }

    /// The codes of the functions of the unit in it.
    fn for_each_code(&self, f: &mut impl FnMut(CodeId)) {
        match self {
            Object::Unknown | Object::Elsewhere(_) => {}
            Object::Closure(set, _) => set.functions.iter().for_each(|(_, code)| f(*code)),
            Object::Block(fields) => fields.iter().for_each(|field| field.for_each_code(f)),
        }
    }

    fn is_known(&self) -> bool {
        match self {
            Object::Unknown => false,
            Object::Closure(..) => true,
            Object::Block(fields) => fields.iter().any(Object::is_known),
            Object::Elsewhere(shape) => shape.is_known(),
        }
    }
}

/// How a variable of a body is defined.
enum Definition<'u> {
    Load(u32, Simple),
    Block(&'u [Simple]),
    Alias(Simple),
    Closure(&'u SetOfClosures, usize),
    Call(&'u Apply),
    /// A part of what a call returned, beside the one in the register.
    Part(&'u Apply, u32),
}

/// The definitions of a body.
struct Body<'u> {
    definitions: FxHashMap<Variable, Definition<'u>>,
    /// What the fields of the module are initialised with; nothing where there is more than one store.
    module: FxHashMap<u32, Option<Simple>>,
}

impl<'u> Body<'u> {
    fn of(unit: &Unit, body: &'u Expr) -> Body<'u> {
        let mut found = Body { definitions: FxHashMap::default(), module: FxHashMap::default() };
        body.walk(&mut |expr| {
            let mut call = None;
            for item in &expr.items {
                found.note(unit, item, &mut call);
            }
        });
        found
    }

    /// `call`: the last one of the run, as long as the parts of its result are in the slots.
    fn note(&mut self, unit: &Unit, item: &'u Item, call: &mut Option<&'u Apply>) {
        match item {
            Item::Let { var, named: Named::Simple(simple), .. } => {
                self.definitions.insert(*var, Definition::Alias(*simple));
            }
            Item::Let { var, named: Named::Prim { prim, args, .. }, .. } => match (prim, &args[..]) {
                // Only for immutable blocks the objects in their fields are known.
                (Prim::BlockLoad { field, .. }, [block]) => {
                    self.definitions.insert(*var, Definition::Load(*field, *block));
                }
                (Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable, .. }, fields) => {
                    self.definitions.insert(*var, Definition::Block(fields));
                }
                (Prim::BlockStore { field, .. }, [block, value])
                    if *block == Simple::Symbol(unit.module_symbol) =>
                {
                    self.module.entry(*field).and_modify(|known| *known = None).or_insert(Some(*value));
                }
                (Prim::LoadResult { part, kind: Kind::Value }, _) => {
                    self.definitions.extend(call.map(|call| (*var, Definition::Part(call, *part))));
                }
                (Prim::StoreResult { .. }, _) => *call = None,
                _ => {}
            },
            Item::LetClosures { vars, set, .. } => {
                let closures = vars.iter().enumerate();
                self.definitions.extend(closures.map(|(index, var)| (*var, Definition::Closure(set, index))));
            }
            Item::Join { cont, params, body } => {
                *call = None;
                if let ([param], [], Terminator::Apply(apply)) =
                    (&params[..], &body.items[..], &body.terminator)
                    && apply.ret == *cont
                {
                    self.definitions.insert(*param, Definition::Call(apply));
                    *call = Some(&**apply);
                }
            }
            Item::LetCont { .. } => {}
        }
    }
}

/// What a function returns, if that is one value, at one program point.
fn returned(unit: &Unit, code: CodeId) -> Option<Simple> {
    let data = &unit.codes[code];
    let mut returned: SmallVec<[Option<Simple>; 2]> = SmallVec::new();
    data.body.walk(&mut |expr| match &expr.terminator {
        Terminator::ApplyCont(jump) if jump.cont == data.ret => {
            returned.push(jump.args.first().copied().filter(|_| jump.args.len() == 1));
        }
        terminator => terminator.for_each_cont_use(&mut |cont, _| {
            if cont == data.ret {
                returned.push(None);
            }
        }),
    });
    match returned[..] {
        [value] => value,
        _ => None,
    }
}

/// The parts of its result that a function stores, each where that is one value, stored at one program point.
fn stored(unit: &Unit, code: CodeId) -> SmallVec<[(u32, Option<Simple>); 2]> {
    let mut stored: SmallVec<[(u32, Option<Simple>); 2]> = SmallVec::new();
    unit.codes[code].body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::Let {
                named: Named::Prim { prim: Prim::StoreResult { part, .. }, args, .. }, ..
            } = item
            {
                match stored.iter_mut().find(|(known, _)| known == part) {
                    Some((_, value)) => *value = None,
                    None => stored.push((*part, args.get(1).copied())),
                }
            }
        }
    });
    stored
}

/// Whether a function fills the table of a class: what that returns is called once for each class and each `new`, where
/// methods are known otherwise (features B14), and direct calls of it would only be inlined into the toplevel.
fn fills_class(unit: &Unit, code: CodeId) -> bool {
    let mut fills = false;
    unit.codes[code].body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator
            && let CallKind::DirectExternal(name) = &apply.kind
        {
            fills |= name.contains("CamlinternalOO");
        }
    });
    fills
}

/// A function, the part of its result, if not the first, and the depth to which it is looked at.
type Asked = (CodeId, Option<u32>, u32);

/// Finds objects in a unit.
struct Finder<'u> {
    unit: &'u Unit,
    /// Whether a call will still be one when the program runs: the objects allocated by a function that is inlined, or
    /// copied, have other codes.
    stays: &'u dyn Fn(&Apply) -> bool,
    definitions: &'u Definitions,
    /// What was read already: the results of a function are asked for by each call of it.
    bodies: RefCell<FxHashMap<CodeId, Rc<Body<'u>>>>,
    /// The results of functions, or parts of these, by the depths to which they were looked at.
    results: RefCell<FxHashMap<Asked, Object>>,
}

/// Where the symbols of a unit's static data are defined: at which index of these, and as which of the symbols there.
/// Asked for at calls, so that it is kept: what is new is added.
#[derive(Default)]
pub struct Definitions {
    places: FxHashMap<Symbol, (usize, usize)>,
    seen: usize,
}

impl Definitions {
    fn of(unit: &Unit) -> Definitions {
        let mut definitions = Definitions::default();
        definitions.update(unit);
        definitions
    }

    /// Adds the static data that the unit got since the last time.
    fn update(&mut self, unit: &Unit) {
        for (index, item) in unit.statics.iter().enumerate().skip(self.seen) {
            let symbols = item.def.symbols().iter().enumerate();
            self.places.extend(symbols.map(|(place, symbol)| (*symbol, (index, place))));
        }
        self.seen = unit.statics.len();
    }

    /// What defines a symbol, and as which of its symbols.
    fn get<'u>(&self, unit: &'u Unit, symbol: Symbol) -> Option<(&'u StaticDef, usize)> {
        let (index, place) = *self.places.get(&symbol)?;
        let def = &unit.statics.get(index)?.def;
        (def.symbols().get(place) == Some(&symbol)).then_some((def, place))
    }
}

impl<'u> Finder<'u> {
    fn new(unit: &'u Unit, definitions: &'u Definitions, stays: &'u dyn Fn(&Apply) -> bool) -> Finder<'u> {
        Finder { unit, stays, definitions, bodies: RefCell::default(), results: RefCell::default() }
    }

    fn body(&self, code: CodeId) -> Rc<Body<'u>> {
        let known = self.bodies.borrow().get(&code).cloned();
        known.unwrap_or_else(|| {
            let body = Rc::new(Body::of(self.unit, &self.unit.codes[code].body));
            self.bodies.borrow_mut().insert(code, Rc::clone(&body));
            body
        })
    }

    /// The object that a function returns, if it returns at one program point.
    fn result(&self, code: CodeId, depth: u32) -> Object {
        self.once((code, None, depth), || {
            let value = returned(self.unit, code)?;
            Some(self.object(&self.body(code), value, depth))
        })
    }

    /// The object that is a part of the result of a function, as [`Finder::result`] is the first: what it stores last
    /// before it returns, as which nothing else is stored.
    fn part(&self, code: CodeId, part: u32, depth: u32) -> Object {
        self.once((code, Some(part), depth), || {
            returned(self.unit, code)?;
            let (_, value) = *stored(self.unit, code).iter().find(|(stored, _)| *stored == part)?;
            Some(self.object(&self.body(code), value?, depth))
        })
    }

    /// What is found if the depth allows it; what was found the first time.
    fn once(&self, key: Asked, find: impl FnOnce() -> Option<Object>) -> Object {
        if key.2 == 0 {
            return Object::Unknown;
        }
        if let Some(known) = self.results.borrow().get(&key) {
            return known.clone();
        }
        let found = find().unwrap_or(Object::Unknown);
        self.results.borrow_mut().insert(key, found.clone());
        found
    }

    fn object(&self, body: &Body, simple: Simple, depth: u32) -> Object {
        if depth == 0 {
            return Object::Unknown;
        }
        match simple {
            Simple::Const(_) => Object::Unknown,
            Simple::Symbol(symbol) => self.static_object(symbol, depth),
            Simple::Var(var) => match body.definitions.get(&var) {
                None => Object::Unknown,
                Some(Definition::Alias(simple)) => self.object(body, *simple, depth),
                Some(Definition::Load(field, Simple::Symbol(module)))
                    if *module == self.unit.module_symbol =>
                {
                    match body.module.get(field) {
                        Some(Some(value)) => self.object(body, *value, depth - 1),
                        _ => Object::Unknown,
                    }
                }
                Some(Definition::Load(field, block)) => self.object(body, *block, depth).field(*field),
                Some(Definition::Block(fields)) => {
                    Object::Block(fields.iter().map(|field| self.object(body, *field, depth - 1)).collect())
                }
                Some(Definition::Closure(set, index)) => Object::Closure(Rc::new((*set).clone()), *index),
                Some(Definition::Call(apply)) if !(self.stays)(apply) => Object::Unknown,
                Some(Definition::Call(apply)) => match &apply.kind {
                    CallKind::Direct(code) => self.result(*code, depth - 1),
                    CallKind::DirectExternal(name) => {
                        Object::Elsewhere(Shape::Result(name.as_str().into(), Rc::from([])))
                    }
                    _ => Object::Unknown,
                },
                Some(Definition::Part(apply, part)) => match apply.kind {
                    CallKind::Direct(code) if (self.stays)(apply) => self.part(code, *part, depth - 1),
                    _ => Object::Unknown,
                },
            },
        }
    }

    fn static_object(&self, symbol: Symbol, depth: u32) -> Object {
        match self.definitions.get(self.unit, symbol) {
            Some((StaticDef::Closures { set, .. }, index)) => Object::Closure(Rc::new(set.clone()), index),
            Some((StaticDef::Block { tag: 0, fields, .. }, _)) if depth > 0 => {
                let field = |field: &StaticField| match field {
                    StaticField::Symbol(symbol) => self.static_object(*symbol, depth - 1),
                    StaticField::Immediate(_) => Object::Unknown,
                };
                Object::Block(fields.iter().map(field).collect())
            }
            _ => Object::Unknown,
        }
    }

    /// An object as other units know it.
    fn shape(&self, object: &Object) -> Shape {
        match object {
            Object::Unknown => Shape::Unknown,
            Object::Elsewhere(shape) => shape.clone(),
            Object::Block(fields) => {
                let fields: Rc<[Shape]> = fields.iter().map(|field| self.shape(field)).collect();
                if fields.iter().any(Shape::is_known) { Shape::Block(fields) } else { Shape::Unknown }
            }
            Object::Closure(set, index) => {
                let data = &self.unit.codes[set.functions[*index].1];
                if !data.takes_values(&self.unit.variables, data.params.len()) {
                    return Shape::Unknown;
                }
                Shape::Function(Rc::new(Callee {
                    code: data.linkage_name.as_str().into(),
                    arity: data.params.len(),
                    needs_closure: data.uses_closure(),
                }))
            }
        }
    }
}

/// The objects in the first `size` fields of the module of a unit that is optimised.
pub fn module(unit: &Unit, size: u32) -> Shape {
    let definitions = Definitions::of(unit);
    let finder = Finder::new(unit, &definitions, &|_| true);
    let body = Body::of(unit, &unit.entry.body);
    let field = |index: u32| match body.module.get(&index) {
        Some(Some(value)) => finder.shape(&finder.object(&body, *value, DEPTH)),
        _ => Shape::Unknown,
    };
    Shape::Block((0..size).map(field).collect())
}

/// The objects that functions return, functors among them, by the codes of these.
pub fn results(unit: &Unit) -> FxHashMap<String, Shape> {
    let definitions = Definitions::of(unit);
    let finder = Finder::new(unit, &definitions, &|_| true);
    // A call of a recursive function may be one of a copy that is specialised for it.
    let functions = unit.codes.iter().filter(|(_, data)| !data.recursive);
    functions
        .map(|(code, data)| (data.linkage_name.clone(), finder.shape(&finder.result(code, DEPTH))))
        .filter(|(_, shape)| shape.is_known())
        .collect()
}

impl Simplifier<'_> {
    /// What is known of the object that a call of a functor allocates. The call is not inlined any more then.
    pub(crate) fn object_of(&mut self, apply: &mut Apply) -> Ty {
        if self.function.in_instance
            || !matches!(apply.inlined, InlineAttribute::Default | InlineAttribute::Never)
        {
            return Ty::Unknown;
        }
        // A function, a functor perhaps, may be inlined where more is known of what it applies functors to, unless
        // that is never inlined. Nor has anything been inlined where bodies are only measured (policy benefit).
        let may_wait = self.function.current.is_some() && !self.is_never_inlined(apply);
        if self.rewrites.round == 0 && (may_wait || self.rewrites.stubs_only) {
            return Ty::Unknown;
        }
        let ty = match &apply.kind {
            CallKind::Direct(code) if self.unit.codes[*code].attributes.is_functor => {
                let code = *code;
                self.object_of_functor(code)
            }
            CallKind::Direct(code) if self.rewrites.is_last_round() => {
                let code = *code;
                self.object_of_function(code)
            }
            CallKind::DirectExternal(name) => {
                let name = name.clone();
                self.object_of_external(&name, apply)
            }
            _ => Ty::Unknown,
        };
        if ty == Ty::Unknown || self.keeps(apply) { ty } else { Ty::Unknown }
    }

    /// Makes sure that a call stays one, so that what is known of what the function returns holds of its result;
    /// whether that may be done.
    fn keeps(&mut self, apply: &mut Apply) -> bool {
        let is_kept = apply.inlined != InlineAttribute::Default || self.allow(Rewrite::FunctorResult);
        if is_kept && apply.inlined == InlineAttribute::Default {
            apply.inlined = InlineAttribute::Never;
        }
        is_kept
    }

    fn is_never_inlined(&self, apply: &Apply) -> bool {
        apply.inlined == InlineAttribute::Never
            || matches!(&apply.kind, CallKind::Direct(code)
                if self.unit.codes[*code].attributes.inline == InlineAttribute::Never)
    }

    /// What is known of the object that a functor of the unit returns.
    fn object_of_functor(&mut self, code: CodeId) -> Ty {
        self.simplify_callee(code);
        if !self.global.done.contains(&code) || self.global.in_progress.contains(&code) {
            return Ty::Unknown;
        }
        let is_functor = |code: CodeId| self.unit.codes[code].attributes.is_functor;
        // A functor is not recursive, and so never specialised.
        let stays = |apply: &Apply| {
            apply.inlined == InlineAttribute::Never
                && match &apply.kind {
                    CallKind::Direct(code) => is_functor(*code),
                    CallKind::DirectExternal(name) => self.global.imported.known(name).is_none_or(is_functor),
                    _ => false,
                }
        };
        self.global.definitions.update(self.unit);
        let object = Finder::new(self.unit, &self.global.definitions, &stays).result(code, DEPTH);
        if object.is_known() { self.type_of(&object) } else { Ty::Unknown }
    }

    /// What is known of the object that a function of the unit allocates and returns, a closure or a record of
    /// closures, where the call of the function stays: that is known in the last round.
    fn object_of_function(&mut self, code: CodeId) -> Ty {
        if !self.global.done.contains(&code) || self.global.in_progress.contains(&code) {
            return Ty::Unknown;
        }
        if let Some(known) = self.global.returned.get(&code) {
            return known.clone();
        }
        let is_variable = returned(self.unit, code).is_some_and(|value| value.as_var().is_some());
        let object = if is_variable && !self.unit.codes[code].recursive && !fills_class(self.unit, code) {
            self.global.definitions.update(self.unit);
            let stays = |apply: &Apply| apply.inlined == InlineAttribute::Never;
            Finder::new(self.unit, &self.global.definitions, &stays).result(code, DEPTH)
        } else {
            Object::Unknown
        };
        let ty = if object.is_known() { self.type_of(&object) } else { Ty::Unknown };
        object.for_each_code(&mut |code| {
            self.global.of_objects.insert(code);
        });
        self.global.returned.insert(code, ty.clone());
        ty
    }

    /// What is known of the parts that a call that stays leaves in the slots, beside what it returns, as for
    /// [`Simplifier::object_of_function`]; none where nothing is.
    pub(crate) fn parts_of(&mut self, apply: &mut Apply) -> Rc<[(u32, Ty)]> {
        let CallKind::Direct(code) = apply.kind else { return Rc::from([]) };
        if !self.rewrites.is_last_round()
            || self.function.in_instance
            || !matches!(apply.inlined, InlineAttribute::Default | InlineAttribute::Never)
        {
            return Rc::from([]);
        }
        let parts = self.parts_of_function(code);
        if parts.is_empty() || self.keeps(apply) { parts } else { Rc::from([]) }
    }

    fn parts_of_function(&mut self, code: CodeId) -> Rc<[(u32, Ty)]> {
        if !self.global.done.contains(&code) || self.global.in_progress.contains(&code) {
            return Rc::from([]);
        }
        if let Some(known) = self.global.returned_parts.get(&code) {
            return known.clone();
        }
        let mut parts = Vec::new();
        if !self.unit.codes[code].recursive {
            self.global.definitions.update(self.unit);
            let stays = |apply: &Apply| apply.inlined == InlineAttribute::Never;
            let finder = Finder::new(self.unit, &self.global.definitions, &stays);
            let stored = stored(self.unit, code);
            parts.extend(stored.iter().map(|(part, _)| (*part, finder.part(code, *part, DEPTH))));
        }
        parts.iter().for_each(|(_, object)| {
            object.for_each_code(&mut |code| {
                self.global.of_objects.insert(code);
            });
        });
        let types = parts.into_iter().map(|(part, object)| (part, self.type_of(&object)));
        let types: Rc<[(u32, Ty)]> = types.filter(|(_, ty)| *ty != Ty::Unknown).collect();
        self.global.returned_parts.insert(code, types.clone());
        types
    }

    /// What is known of the module that a functor of another unit returns.
    fn object_of_external(&mut self, name: &str, apply: &Apply) -> Ty {
        let shape = Shape::Result(name.into(), Rc::from([]));
        let ty = self.type_of_object(&shape);
        if self.rewrites.is_last_round() {
            return ty;
        }
        if ty.as_block().is_none() {
            return Ty::Unknown;
        }
        // If it is no functor, the inliner may know more in a later round.
        let functor = |code: CodeId| self.unit.codes[code].attributes.is_functor;
        match self.global.imported.known(name).filter(|_| !apply.args.is_empty()) {
            Some(code) if !functor(code) => Ty::Unknown,
            _ => ty,
        }
    }

    fn type_of(&mut self, object: &Object) -> Ty {
        match object {
            Object::Unknown => Ty::Unknown,
            Object::Elsewhere(shape) => self.type_of_object(shape),
            Object::Block(fields) => {
                let fields = fields.iter().map(|field| self.type_of(field)).collect();
                block(fields)
            }
            Object::Closure(set, index) => {
                let (slot, code) = set.functions[*index];
                if self.global.sets.binders(code) != 1 {
                    return Ty::Unknown;
                }
                Ty::Closure(Rc::new(Closure {
                    slot,
                    functions: Functions::from(&set.functions[..]),
                    values: set.values.iter().map(|(slot, _)| (*slot, Ty::Unknown)).collect(),
                }))
            }
        }
    }

    /// What is known of an object of another unit.
    pub(crate) fn type_of_object(&mut self, shape: &Shape) -> Ty {
        self.type_of_shape(shape, DEPTH)
    }

    fn type_of_shape(&mut self, shape: &Shape, depth: u32) -> Ty {
        match shape {
            Shape::Unknown => Ty::Unknown,
            _ if depth == 0 => Ty::Unknown,
            Shape::Function(callee) => Ty::Elsewhere(callee.clone()),
            Shape::Block(fields) => {
                let fields: SmallVec<[Ty; 2]> =
                    fields.iter().map(|field| self.type_of_shape(field, depth - 1)).collect();
                if fields.iter().all(|field| *field == Ty::Unknown) { Ty::Unknown } else { block(fields) }
            }
            Shape::Result(code, path) => {
                self.unit.imports.find_unit_of(code, &mut self.unit.origins);
                let Some(whole) = self.unit.imports.result(code).cloned() else { return Ty::Unknown };
                let part = path.iter().fold(whole, |shape, field| shape.field(*field));
                self.type_of_shape(&part, depth - 1)
            }
        }
    }
}

/// An immutable block with these fields, and perhaps more.
fn block(fields: SmallVec<[Ty; 2]>) -> Ty {
    let block = Block { tag: 0, exact: false, fields };
    Ty::Variant(Rc::new(Variant {
        ints: IntSet::empty(),
        blocks: Blocks::Known(SmallVec::from_iter([block])),
    }))
}
