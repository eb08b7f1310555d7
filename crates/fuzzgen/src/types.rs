//! The types of generated programs.

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `unit`
    Unit,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `char`
    Char,
    /// `float`
    Float,
    /// `string`
    Str,
    /// `bytes`
    Bytes,
    /// `int32`
    I32,
    /// `int64`
    I64,
    /// `nativeint`
    Nat,
    /// `'a`, …: rigid in the function that it is a parameter of, any type in a use of it.
    Var(u8),
    /// `t list`
    List(Box<Ty>),
    /// `t array`
    Array(Box<Ty>),
    /// `t option`
    Opt(Box<Ty>),
    /// `t ref`
    Ref(Box<Ty>),
    /// `t Lazy.t`
    Lazy(Box<Ty>),
    /// `t * t`
    Tuple(Vec<Ty>),
    /// A function; its result is none, so that equal types are equal terms.
    Fun(Vec<Param>, Box<Ty>),
    /// A declared type, by its number.
    Named(usize, Vec<Ty>),
    /// A first-class module of a module type, by its number.
    Pack(usize),
    /// An object of a class, by its number.
    Obj(usize),
}

/// A parameter in the type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// How an argument is found.
    pub label: Label,
    /// Of the argument; for an optional one, without `option`.
    pub ty: Ty,
}

/// How an argument is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// By position.
    None,
    /// `~l:`
    Named(String),
    /// `?l:`
    Optional(String),
}

impl Ty {
    /// `list` of it.
    #[must_use]
    pub fn list(self) -> Ty {
        Ty::List(Box::new(self))
    }

    /// `option` of it.
    #[must_use]
    pub fn opt(self) -> Ty {
        Ty::Opt(Box::new(self))
    }

    /// `array` of it.
    #[must_use]
    pub fn array(self) -> Ty {
        Ty::Array(Box::new(self))
    }

    /// A function type with positional parameters. If the result is a function, its parameters are appended.
    #[must_use]
    pub fn fun(params: Vec<Ty>, result: Ty) -> Ty {
        Ty::fun_of(params.into_iter().map(|ty| Param { label: Label::None, ty }).collect(), result)
    }

    /// A function type. If the result is a function, its parameters are appended.
    #[must_use]
    pub fn fun_of(mut params: Vec<Param>, result: Ty) -> Ty {
        match result {
            Ty::Fun(more, result) => {
                params.extend(more);
                Ty::Fun(params, result)
            }
            result => Ty::Fun(params, Box::new(result)),
        }
    }

    /// The types that are its parts.
    #[must_use]
    pub fn parts(&self) -> Vec<&Ty> {
        match self {
            Ty::List(t) | Ty::Array(t) | Ty::Opt(t) | Ty::Ref(t) | Ty::Lazy(t) => vec![t],
            Ty::Tuple(ts) | Ty::Named(_, ts) => ts.iter().collect(),
            Ty::Fun(params, result) => params.iter().map(|p| &p.ty).chain([&**result]).collect(),
            _ => vec![],
        }
    }

    /// A copy of the type with each part replaced.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Ty) -> Ty) -> Ty {
        match self {
            Ty::List(t) => Ty::List(Box::new(f(t))),
            Ty::Array(t) => Ty::Array(Box::new(f(t))),
            Ty::Opt(t) => Ty::Opt(Box::new(f(t))),
            Ty::Ref(t) => Ty::Ref(Box::new(f(t))),
            Ty::Lazy(t) => Ty::Lazy(Box::new(f(t))),
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(f).collect()),
            Ty::Named(n, ts) => Ty::Named(*n, ts.iter().map(f).collect()),
            Ty::Fun(params, result) => {
                let params = params.iter().map(|p| Param { label: p.label.clone(), ty: f(&p.ty) }).collect();
                Ty::fun_of(params, f(result))
            }
            other => other.clone(),
        }
    }

    /// A copy of the type with type variables replaced by types.
    #[must_use]
    pub fn instance(&self, of: &[Ty]) -> Ty {
        match self {
            Ty::Var(n) => of.get(usize::from(*n)).cloned().unwrap_or(Ty::Int),
            other => other.map(&mut |t| t.instance(of)),
        }
    }

    /// Whether a type variable occurs in it.
    pub fn has_var(&self) -> bool {
        matches!(self, Ty::Var(_)) || self.parts().into_iter().any(Ty::has_var)
    }

    /// Finds the types for the variables of this pattern with which it equals `target`.
    pub fn matches(&self, target: &Ty, found: &mut [Option<Ty>; 3]) -> bool {
        match (self, target) {
            (Ty::Var(n), _) => match &mut found[usize::from(*n).min(2)] {
                Some(ty) => ty == target,
                free => {
                    *free = Some(target.clone());
                    true
                }
            },
            (Ty::List(a), Ty::List(b))
            | (Ty::Array(a), Ty::Array(b))
            | (Ty::Opt(a), Ty::Opt(b))
            | (Ty::Ref(a), Ty::Ref(b))
            | (Ty::Lazy(a), Ty::Lazy(b)) => a.matches(b, found),
            (Ty::Tuple(a), Ty::Tuple(b)) => all_match(a, b, found),
            (Ty::Named(m, a), Ty::Named(n, b)) => m == n && all_match(a, b, found),
            (Ty::Fun(ps, r), Ty::Fun(qs, s)) => {
                ps.len() == qs.len()
                    && ps.iter().zip(qs).all(|(p, q)| p.label == q.label && p.ty.matches(&q.ty, found))
                    && r.matches(s, found)
            }
            (a, b) => a == b,
        }
    }
}

fn all_match(a: &[Ty], b: &[Ty], found: &mut [Option<Ty>; 3]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.matches(b, found))
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name, with the unit.
    pub name: String,
    /// The unit that it is declared in.
    pub unit: usize,
    /// How many parameters it has.
    pub params: usize,
    /// What it is.
    pub shape: Shape,
    /// Whether values may be compared: no functions, no lazy values, no objects in it.
    pub comparable: bool,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A record.
    Record {
        /// In order.
        fields: Vec<Field>,
        /// `[@@unboxed]`
        unboxed: bool,
    },
    /// A variant.
    Variant {
        /// In order. At least one has no argument that refers to the type itself.
        constructors: Vec<Constructor>,
        /// A polymorphic variant: the constructors' names begin with a backquote.
        polymorphic: bool,
    },
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// No other record has a field of this name.
    pub name: String,
    /// Can it be assigned?
    pub mutable: bool,
    /// Of its contents.
    pub ty: Ty,
}

/// A constructor of a variant.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name, unqualified.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Ty>,
    /// The arguments are an inline record with these field names.
    pub record: Option<Vec<String>>,
}

/// A declared exception.
#[derive(Clone, Debug)]
pub struct ExnDecl {
    /// With the unit, if it is in another one.
    pub name: String,
    /// The unit that it is declared in.
    pub unit: usize,
    /// Its arguments.
    pub args: Vec<Ty>,
}

/// A module type: all of its items are values.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name, with the unit.
    pub name: String,
    /// The unit that it is declared in.
    pub unit: usize,
    /// Its values.
    pub values: Vec<(String, Ty)>,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name, with the unit.
    pub name: String,
    /// The unit that it is declared in.
    pub unit: usize,
    /// Of its one parameter.
    pub param: Ty,
    /// Its methods.
    pub methods: Vec<(String, Ty)>,
}
