//! The state of a generation: what is declared, what is in scope, what has been covered.

use std::collections::BTreeMap;

use crate::options::Options;
use crate::rng::Rng;
use crate::tree::Node;
use crate::types::{Class, ExnDecl, Label, Param, Signature, Ty, TypeDecl};

/// How often each construct was generated.
pub type Coverage = BTreeMap<&'static str, u64>;

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    /// Without the unit.
    pub name: String,
    /// The unit that it is defined in.
    pub unit: usize,
    /// Its type; of a function with fuel, without the fuel.
    pub ty: Ty,
    /// Type variables in its type stand for any type.
    pub poly: bool,
    /// How it may be used.
    pub sort: Sort,
}

/// How a variable may be used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sort {
    /// Without restriction.
    Value,
    /// `let x = ref …` in an expression: the compiler makes it a mutable variable, whose reads native code
    /// moves behind assignments in sibling operands.
    LocalRef,
    /// A recursive function seen from outside: the first argument is fuel.
    Fuelled,
    /// A recursive function in its own body, which may call it with less fuel than this variable holds.
    Recursive(String),
}

/// What the context of an expression allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cx {
    /// No effects, no exceptions: stock native code and bytecode disagree on the order of operands here.
    pub pure: bool,
    /// Local references before this index of the scope may not be assigned: a sibling operand may read them.
    pub floor: usize,
    /// How many loops are around.
    pub loops: u8,
}

impl Cx {
    /// A context that allows everything.
    pub(crate) const FREE: Cx = Cx { pure: false, floor: 0, loops: 0 };

    pub(crate) fn pure(self) -> Cx {
        Cx { pure: true, ..self }
    }

    pub(crate) fn in_loop(self) -> Cx {
        Cx { loops: self.loops + 1, ..self }
    }
}

/// The generator.
pub(crate) struct Gen {
    pub rng: Rng,
    pub options: Options,
    /// The name of the program: the prefix of its units' names.
    pub program: String,
    pub unit: usize,
    pub types: Vec<TypeDecl>,
    pub exns: Vec<ExnDecl>,
    pub signatures: Vec<Signature>,
    pub classes: Vec<Class>,
    pub env: Vec<Var>,
    pub coverage: Coverage,
    /// Rules differ in weight from program to program: what is rare on average is frequent in some.
    pub swarm: u64,
    /// Rules that this program has many of, if it can: the rules are favoured in turns, so that none is rare for long.
    pub focus: [&'static str; 2],
    /// A type for which the first of them makes expressions.
    focus_type: Option<Ty>,
    next: u32,
}

impl Gen {
    pub(crate) fn new(seed: u64, options: &Options) -> Gen {
        let mut rng = Rng::new(seed);
        let swarm = rng.bits();
        let (focus, focus_type) = focus(seed);
        Gen {
            rng,
            options: options.clone(),
            program: format!("p{seed}"),
            unit: 0,
            types: vec![],
            exns: vec![],
            signatures: vec![],
            classes: vec![],
            env: vec![],
            coverage: Coverage::new(),
            swarm,
            focus,
            focus_type,
            next: 0,
        }
    }

    /// A name that nothing else has.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// A number that no other trace has.
    pub(crate) fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(crate) fn cover(&mut self, construct: &'static str) {
        *self.coverage.entry(construct).or_default() += 1;
    }

    /// The name of a unit's file, without extension.
    pub(crate) fn unit_file(&self, unit: usize) -> String {
        format!("{}_{}", self.program, char::from(b'a' + unit as u8))
    }

    /// What to write before a name that this unit declares.
    pub(crate) fn prefix(&self, unit: usize) -> String {
        if unit == self.unit {
            return String::new();
        }
        self.unit_module(unit) + "."
    }

    /// The name of a unit as a module.
    pub(crate) fn unit_module(&self, unit: usize) -> String {
        let file = self.unit_file(unit);
        file[..1].to_uppercase() + &file[1..]
    }

    /// A variable's name as it is written here.
    pub(crate) fn path(&self, var: &Var) -> String {
        format!("{}{}", self.prefix(var.unit), var.name)
    }

    /// Brings a value into scope.
    pub(crate) fn bind(&mut self, name: &str, ty: &Ty) {
        self.bind_as(name, ty, false, Sort::Value);
    }

    pub(crate) fn bind_as(&mut self, name: &str, ty: &Ty, poly: bool, sort: Sort) {
        self.env.push(Var { name: name.to_owned(), unit: self.unit, ty: ty.clone(), poly, sort });
    }

    /// Runs `body` in a scope of its own.
    pub(crate) fn scoped<T>(&mut self, body: impl FnOnce(&mut Gen) -> T) -> T {
        let mark = self.env.len();
        let result = body(self);
        self.env.truncate(mark);
        result
    }

    /// One of the variables that fit, by index; the latest ones are likelier.
    pub(crate) fn choose_var(&mut self, fits: impl Fn(&Var) -> bool) -> Option<usize> {
        let found: Vec<usize> = (0..self.env.len()).filter(|&i| fits(&self.env[i])).collect();
        if found.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(found.len()), self.rng.below(found.len()));
        Some(found[a.max(b)])
    }

    /// The size of each of `n` children.
    pub(crate) fn split(&mut self, size: i32, n: usize) -> Vec<i32> {
        let n = n.max(1);
        let each = (size - 1) / n as i32;
        (0..n).map(|_| (each + self.rng.below(3) as i32 - 1).min(size - 1)).collect()
    }

    /// Expressions whose order of evaluation is not that of the text: none assigns what another may read.
    pub(crate) fn operands(&mut self, tys: &[Ty], size: i32, cx: Cx) -> Vec<Node> {
        let sizes = self.split(size, tys.len());
        let cx = if tys.len() > 1 { Cx { floor: self.env.len(), ..cx } } else { cx };
        tys.iter().zip(sizes).map(|(ty, size)| self.expr(ty, size, cx)).collect()
    }

    /// A type of the kinds that are frequent; `depth` bounds its nesting.
    pub(crate) fn some_type(&mut self, depth: u32, functions: bool) -> Ty {
        let simple =
            [Ty::Int, Ty::Int, Ty::Float, Ty::Str, Ty::Bool, Ty::Char, Ty::I32, Ty::I64, Ty::Nat, Ty::Unit];
        // The result of a function in scope, so that there is something to call.
        if self.rng.chance(12)
            && let Some(i) = self.choose_var(|v| matches!(v.ty, Ty::Fun(..)) && !v.poly)
            && let Ty::Fun(_, result) = &self.env[i].ty
            && !result.has_var()
            && (functions || Self::is_data(result))
        {
            return (**result).clone();
        }
        if self.rng.chance(12)
            && let Some(ty) = &self.focus_type
        {
            return ty.clone();
        }
        if depth == 0 || self.rng.chance(40) {
            return self.rng.pick(&simple).clone();
        }
        let inner = |g: &mut Gen| g.some_type(depth - 1, functions);
        match self.rng.below(16) {
            0 | 1 => inner(self).list(),
            2 | 3 => inner(self).array(),
            4 => inner(self).opt(),
            5 => Ty::Ref(Box::new(inner(self))),
            6 => Ty::Lazy(Box::new(inner(self))),
            7 => Ty::Bytes,
            8 => Ty::Tuple((0..self.rng.range(2, 3)).map(|_| inner(self)).collect()),
            9 | 10 if functions => {
                let params = (0..self.rng.range(1, 3)).map(|_| inner(self)).collect();
                Ty::fun(params, inner(self))
            }
            11 if functions && !self.signatures.is_empty() => Ty::Pack(self.rng.below(self.signatures.len())),
            12 if functions && !self.classes.is_empty() => Ty::Obj(self.rng.below(self.classes.len())),
            _ if !self.types.is_empty() => {
                let n = self.rng.below(self.types.len());
                let args = (0..self.types[n].params).map(|_| inner(self)).collect();
                Ty::Named(n, args)
            }
            _ => self.rng.pick(&simple).clone(),
        }
    }

    /// Whether no function, module or object is in values of the type.
    fn is_data(ty: &Ty) -> bool {
        !matches!(ty, Ty::Fun(..) | Ty::Pack(_) | Ty::Obj(_)) && ty.parts().into_iter().all(Self::is_data)
    }

    /// Whether values of the type may be compared and hashed.
    pub(crate) fn comparable(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Fun(..) | Ty::Lazy(_) | Ty::Pack(_) | Ty::Obj(_) => false,
            Ty::Named(n, _) if !self.types[*n].comparable => false,
            // A type variable may stand for a function.
            Ty::Var(_) => false,
            other => other.parts().into_iter().all(|t| self.comparable(t)),
        }
    }

    /// The text of a type.
    pub(crate) fn type_text(&self, ty: &Ty) -> String {
        let one = |t: &Ty, suffix: &str| format!("{} {suffix}", self.type_text(t));
        match ty {
            Ty::Unit => "unit".into(),
            Ty::Bool => "bool".into(),
            Ty::Int => "int".into(),
            Ty::Char => "char".into(),
            Ty::Float => "float".into(),
            Ty::Str => "string".into(),
            Ty::Bytes => "bytes".into(),
            Ty::I32 => "int32".into(),
            Ty::I64 => "int64".into(),
            Ty::Nat => "nativeint".into(),
            Ty::Var(n) => format!("'{}", char::from(b'a' + n)),
            Ty::List(t) => one(t, "list"),
            Ty::Array(t) => one(t, "array"),
            Ty::Opt(t) => one(t, "option"),
            Ty::Ref(t) => one(t, "ref"),
            Ty::Lazy(t) => one(t, "Lazy.t"),
            Ty::Tuple(ts) => {
                let all: Vec<String> = ts.iter().map(|t| self.type_text(t)).collect();
                format!("({})", all.join(" * "))
            }
            Ty::Fun(params, result) => {
                let mut text = String::from("(");
                for Param { label, ty } in params {
                    match label {
                        Label::None => {}
                        Label::Named(l) => text.push_str(&format!("{l}:")),
                        Label::Optional(l) => text.push_str(&format!("?{l}:")),
                    }
                    text.push_str(&self.type_text(ty));
                    text.push_str(" -> ");
                }
                text + &self.type_text(result) + ")"
            }
            Ty::Named(n, args) => {
                let name = format!("{}{}", self.prefix(self.types[*n].unit), self.types[*n].name);
                let args: Vec<String> = args.iter().map(|t| self.type_text(t)).collect();
                match args.len() {
                    0 => name,
                    1 => format!("{} {name}", args[0]),
                    _ => format!("({}) {name}", args.join(", ")),
                }
            }
            Ty::Pack(n) => {
                let s = &self.signatures[*n];
                format!("(module {}{})", self.prefix(s.unit), s.name)
            }
            Ty::Obj(n) => format!("{}{}", self.prefix(self.classes[*n].unit), self.classes[*n].name),
        }
    }

    /// A function, as text, that shows values of a type.
    pub(crate) fn shower(&self, ty: &Ty) -> String {
        let one = |name: &str, t: &Ty| format!("(Fz.{name} {})", self.shower(t));
        match ty {
            Ty::Unit => "Fz.s_unit".into(),
            Ty::Bool => "Fz.s_bool".into(),
            Ty::Int => "Fz.s_int".into(),
            Ty::Char => "Fz.s_char".into(),
            Ty::Float => "Fz.s_float".into(),
            Ty::Str => "Fz.s_str".into(),
            Ty::Bytes => "Fz.s_bytes".into(),
            Ty::I32 => "Fz.s_i32".into(),
            Ty::I64 => "Fz.s_i64".into(),
            Ty::Nat => "Fz.s_nat".into(),
            Ty::List(t) => one("s_list", t),
            Ty::Array(t) => one("s_array", t),
            Ty::Opt(t) => one("s_opt", t),
            Ty::Ref(t) => one("s_ref", t),
            Ty::Lazy(t) => one("s_lazy", t),
            Ty::Tuple(ts) => {
                let names: Vec<String> = (0..ts.len()).map(|i| format!("q{i}")).collect();
                let shown: Vec<String> =
                    ts.iter().zip(&names).map(|(t, q)| format!("{} {q}", self.shower(t))).collect();
                format!("(fun ({}) -> \"(\" ^ {} ^ \")\")", names.join(", "), shown.join(" ^ \",\" ^ "))
            }
            Ty::Named(n, args) => {
                let decl = &self.types[*n];
                let mut text = format!("{}s_{}", self.prefix(decl.unit), decl.name);
                if !args.is_empty() {
                    let args: Vec<String> = args.iter().map(|t| self.shower(t)).collect();
                    text = format!("({text} {})", args.join(" "));
                }
                text
            }
            Ty::Var(_) | Ty::Fun(..) | Ty::Pack(_) | Ty::Obj(_) => "Fz.s_any".into(),
        }
    }
}

/// The rules that programs of this seed favour: the first in rotation, the second by chance.
fn focus(seed: u64) -> ([&'static str; 2], Option<Ty>) {
    let all: Vec<(&'static str, Option<Ty>)> = crate::exprs::rules_with_types().collect();
    let (first, ty) = all[(seed % all.len() as u64) as usize].clone();
    let second = Rng::new(!seed).pick(&all).0;
    ([first, second], ty)
}
