//! Which functions the closures run that a call returns or a module holds, where the object itself is allocated only
//! when the program runs (features B7, B13): so a function of a functor's module that is not copied for its argument is
//! still called directly.
//!
//! The function of a closure is known by its code, and called with the closure. That holds of *this* object only: where
//! a call of the functor is inlined, what it allocates has closures of copied codes. So a call whose result is used in
//! this way is never inlined afterwards.

use std::rc::Rc;

use flambeau_ir::imports::{Callee, Shape};
use flambeau_ir::prim::Mutability;
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{
    Apply, CallKind, CodeId, Expr, Item, Named, Prim, Rewrite, SetOfClosures, Simple, StaticDef, StaticField,
    Symbol, Terminator, Unit, Variable,
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
        body.walk(&mut |expr| expr.items.iter().for_each(|item| found.note(unit, item)));
        found
    }

    fn note(&mut self, unit: &Unit, item: &'u Item) {
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
                _ => {}
            },
            Item::LetClosures { vars, set, .. } => {
                let closures = vars.iter().enumerate();
                self.definitions.extend(closures.map(|(index, var)| (*var, Definition::Closure(set, index))));
            }
            Item::Join { cont, params, body } => {
                if let ([param], [], Terminator::Apply(apply)) =
                    (&params[..], &body.items[..], &body.terminator)
                    && apply.ret == *cont
                {
                    self.definitions.insert(*param, Definition::Call(apply));
                }
            }
            Item::LetCont { .. } => {}
        }
    }
}

/// Finds objects in a unit.
struct Finder<'u> {
    unit: &'u Unit,
    /// Whether a call will still be one when the program runs: the objects allocated by a function that is inlined, or
    /// copied, have other codes.
    stays: &'u dyn Fn(&Apply) -> bool,
    statics: FxHashMap<Symbol, (&'u StaticDef, usize)>,
}

impl<'u> Finder<'u> {
    fn new(unit: &'u Unit, stays: &'u dyn Fn(&Apply) -> bool) -> Finder<'u> {
        let symbols = |def: &'u StaticDef| def.symbols().iter().enumerate().map(move |(i, s)| (*s, (def, i)));
        Finder { unit, stays, statics: unit.statics.iter().flat_map(|item| symbols(&item.def)).collect() }
    }

    /// The object that a function returns, if it returns at one program point.
    fn result(&self, code: CodeId, depth: u32) -> Object {
        let data = &self.unit.codes[code];
        if depth == 0 {
            return Object::Unknown;
        }
        let mut returned: SmallVec<[Option<Simple>; 2]> = SmallVec::new();
        data.body.walk(&mut |expr| match &expr.terminator {
            Terminator::ApplyCont(jump) if jump.cont == data.ret => returned.push(jump.args.first().copied()),
            terminator => terminator.for_each_cont_use(&mut |cont, _| {
                if cont == data.ret {
                    returned.push(None);
                }
            }),
        });
        match returned[..] {
            [Some(value)] => self.object(&Body::of(self.unit, &data.body), value, depth),
            _ => Object::Unknown,
        }
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
            },
        }
    }

    fn static_object(&self, symbol: Symbol, depth: u32) -> Object {
        match self.statics.get(&symbol) {
            Some((StaticDef::Closures { set, .. }, index)) => Object::Closure(Rc::new(set.clone()), *index),
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
    let finder = Finder::new(unit, &|_| true);
    let body = Body::of(unit, &unit.entry.body);
    let field = |index: u32| match body.module.get(&index) {
        Some(Some(value)) => finder.shape(&finder.object(&body, *value, DEPTH)),
        _ => Shape::Unknown,
    };
    Shape::Block((0..size).map(field).collect())
}

/// The objects that functors return, by the codes of these.
pub fn results(unit: &Unit) -> FxHashMap<String, Shape> {
    let finder = Finder::new(unit, &|_| true);
    let functors = unit.codes.iter().filter(|(_, data)| data.attributes.is_functor);
    functors
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
        // A function, a functor perhaps, may be inlined where more is known of what it applies functors to.
        // Nor has anything been inlined where bodies are only measured (policy benefit).
        if self.rewrites.round == 0 && (self.function.current.is_some() || self.rewrites.stubs_only) {
            return Ty::Unknown;
        }
        let ty = match &apply.kind {
            CallKind::Direct(code) if self.unit.codes[*code].attributes.is_functor => {
                let code = *code;
                self.object_of_functor(code)
            }
            CallKind::DirectExternal(name) => {
                let name = name.clone();
                self.object_of_external(&name, apply)
            }
            _ => Ty::Unknown,
        };
        if ty != Ty::Unknown && apply.inlined == InlineAttribute::Default {
            if !self.allow(Rewrite::FunctorResult) {
                return Ty::Unknown;
            }
            apply.inlined = InlineAttribute::Never;
        }
        ty
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
        let object = Finder::new(self.unit, &stays).result(code, DEPTH);
        if object.is_known() { self.type_of(&object) } else { Ty::Unknown }
    }

    /// What is known of the module that a functor of another unit returns.
    fn object_of_external(&mut self, name: &str, apply: &Apply) -> Ty {
        let shape = Shape::Result(name.into(), Rc::from([]));
        let ty = self.type_of_object(&shape);
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
