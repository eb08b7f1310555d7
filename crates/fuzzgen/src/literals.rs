//! Values of every type: literals, and the smallest expressions.

use crate::generator::{Cx, Gen, Sort};
use crate::tree::Node;
use crate::types::{Constructor, Label, Shape, Ty, TypeDecl};

const INTS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "(-1)",
    "7",
    "10",
    "31",
    "63",
    "255",
    "256",
    "1000",
    "65535",
    "(-128)",
    "0x3fffffff",
    "0x40000000",
    "(-0x40000001)",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "max_int",
    "min_int",
    "(max_int - 1)",
    "(min_int + 1)",
];
const FLOATS: &[&str] = &[
    "0.",
    "1.",
    "(-1.)",
    "0.5",
    "2.",
    "1.5",
    "(-0.)",
    "infinity",
    "neg_infinity",
    "nan",
    "epsilon_float",
    "max_float",
    "min_float",
    "1e10",
    "(-3.25)",
    "0x1p-1074",
    "1e308",
    "123.456",
];
const STRINGS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "foo",
    "bar",
    "hello",
    "Hello, world",
    "0123456",
    "01234567",
    "012345678",
    "\\000\\255",
    "a longer string, of 33 characters",
    "x\\ny",
];
const CHARS: &[&str] = &["'a'", "'b'", "'z'", "'A'", "'0'", "'9'", "' '", "'\\000'", "'\\255'", "'\\n'"];

impl Gen {
    /// The text of an `int`.
    pub(crate) fn int_text(&mut self) -> String {
        match self.rng.below(10) {
            0..=4 => self.rng.below(10).to_string(),
            5 => format!("(-{})", self.rng.range(1, 9)),
            6 => format!("({})", self.rng.bits() as i64 >> self.rng.range(2, 62)),
            _ => (*self.rng.pick(INTS)).to_owned(),
        }
    }

    pub(crate) fn string_text(&mut self) -> String {
        format!("\"{}\"", self.rng.pick(STRINGS))
    }

    pub(crate) fn char_text(&mut self) -> String {
        (*self.rng.pick(CHARS)).to_owned()
    }

    /// A boxed integer of this suffix and module.
    pub(crate) fn boxed_text(&mut self, suffix: char, module: &str) -> String {
        match self.rng.below(8) {
            0 => format!("{module}.max_int"),
            1 => format!("{module}.min_int"),
            2 => format!("(-1{suffix})"),
            3 => format!("0x7fffffff{suffix}"),
            4 if suffix != 'l' => format!("0x123456789abcdef{suffix}"),
            _ => format!("{}{suffix}", self.rng.below(12)),
        }
    }

    /// An expression without effects, of leaves only.
    pub(crate) fn leaf(&mut self, ty: &Ty, cx: Cx) -> Node {
        self.leaf_of(ty, 2, cx)
    }

    fn leaf_of(&mut self, ty: &Ty, depth: u32, cx: Cx) -> Node {
        if self.rng.chance(65)
            && let Some(i) = self.choose_var(|v| v.sort == Sort::Value && !v.poly && v.ty == *ty)
        {
            let path = self.path(&self.env[i]);
            return Node::expr(ty, &path, vec![]);
        }
        self.literal(ty, depth, cx)
    }

    /// A literal, or a constructor applied to leaves.
    pub(crate) fn literal(&mut self, ty: &Ty, depth: u32, cx: Cx) -> Node {
        let text = match ty {
            Ty::Unit => "()".into(),
            Ty::Bool => (*self.rng.pick(&["true", "false"])).into(),
            Ty::Int => self.int_text(),
            Ty::Char => self.char_text(),
            Ty::Float => (*self.rng.pick(FLOATS)).into(),
            Ty::Str => self.string_text(),
            Ty::Bytes => format!("(Bytes.of_string {})", self.string_text()),
            Ty::I32 => self.boxed_text('l', "Int32"),
            Ty::I64 => self.boxed_text('L', "Int64"),
            Ty::Nat => self.boxed_text('n', "Nativeint"),
            Ty::Var(_) => {
                // Its value comes from a parameter, or from nowhere.
                let found = self.choose_var(|v| v.sort == Sort::Value && !v.poly && v.ty == *ty);
                match found {
                    Some(i) => self.path(&self.env[i]),
                    None => "(raise Exit)".into(),
                }
            }
            Ty::List(t) => return self.sequence(ty, t, depth, cx, "[", "]"),
            Ty::Array(t) => return self.sequence(ty, t, depth, cx, "[|", "|]"),
            Ty::Opt(t) => {
                if depth == 0 || self.rng.chance(30) {
                    "None".into()
                } else {
                    let inner = self.below(t, depth, cx);
                    return Node::expr(ty, "(Some §)", vec![inner]);
                }
            }
            Ty::Ref(t) => {
                let inner = self.below(t, depth, cx);
                return Node::expr(ty, "(ref §)", vec![inner]);
            }
            Ty::Lazy(t) => {
                let inner = self.below(t, depth, cx);
                return Node::expr(ty, "(lazy §)", vec![inner]);
            }
            Ty::Tuple(ts) => {
                let inner: Vec<Node> = ts.iter().map(|t| self.below(t, depth, cx)).collect();
                let holes = vec!["§"; ts.len()].join(", ");
                return Node::expr(ty, &format!("({holes})"), inner);
            }
            Ty::Fun(params, result) => {
                let (params, result) = (params.clone(), result.clone());
                return self.scoped(|g| {
                    let mut text = String::from("(fun");
                    for param in &params {
                        let name = g.fresh("x");
                        text.push_str(&g.param_text(&param.label, &name, &param.ty));
                        g.bind(&name, &optional_inside(&param.label, &param.ty));
                    }
                    let body = g.below(&result, depth, cx);
                    Node::expr(ty, &format!("{text} -> §)"), vec![body])
                });
            }
            Ty::Named(n, args) => return self.named_literal(ty, *n, args, depth, cx),
            Ty::Pack(n) => return self.pack(ty, *n, 0, cx),
            Ty::Obj(n) => {
                let class = self.classes[*n].clone();
                let prefix = self.prefix(class.unit);
                let argument = self.below(&class.param, depth, cx);
                return Node::expr(ty, &format!("(new {prefix}{} §)", class.name), vec![argument]);
            }
        };
        Node::expr(ty, &text, vec![])
    }

    /// A parameter with its annotation.
    pub(crate) fn param_text(&self, label: &Label, name: &str, ty: &Ty) -> String {
        let text = self.type_text(ty);
        match label {
            Label::None => format!(" ({name} : {text})"),
            Label::Named(l) => format!(" ~{l}:({name} : {text})"),
            Label::Optional(l) => format!(" ?{l}:({name} : {text} option)"),
        }
    }

    fn below(&mut self, ty: &Ty, depth: u32, cx: Cx) -> Node {
        self.leaf_of(ty, depth.saturating_sub(1), cx)
    }

    fn sequence(&mut self, ty: &Ty, of: &Ty, depth: u32, cx: Cx, open: &str, close: &str) -> Node {
        let n = if depth == 0 { 0 } else { self.rng.below(4) };
        let inner: Vec<Node> = (0..n).map(|_| self.below(of, depth, cx)).collect();
        let holes = vec!["§"; n].join("; ");
        Node::expr(ty, &format!("{open}{holes}{close}"), inner)
    }

    fn named_literal(&mut self, ty: &Ty, n: usize, args: &[Ty], depth: u32, cx: Cx) -> Node {
        let decl = self.types[n].clone();
        match &decl.shape {
            Shape::Record { fields, .. } => {
                let inner = fields.iter().map(|f| self.below(&f.ty.instance(args), depth, cx)).collect();
                Node::expr(ty, &self.record_template(&decl), inner)
            }
            Shape::Variant { constructors, .. } => {
                // At depth 0, a constructor that ends the recursion.
                let ending: Vec<&Constructor> = constructors
                    .iter()
                    .filter(|c| depth > 0 || !c.args.iter().any(|t| mentions(t, n)))
                    .collect();
                let chosen = (*self.rng.pick(&ending)).clone();
                let inner = chosen.args.iter().map(|t| self.below(&t.instance(args), depth, cx)).collect();
                let template = self.constructor_template(&decl, &chosen, ty);
                Node::expr(ty, &template, inner)
            }
        }
    }

    /// `{ f = §; … }`
    pub(crate) fn record_template(&self, decl: &TypeDecl) -> String {
        let Shape::Record { fields, .. } = &decl.shape else { return "{}".into() };
        let prefix = self.prefix(decl.unit);
        let all: Vec<String> = fields.iter().map(|f| format!("{prefix}{} = §", f.name)).collect();
        format!("{{ {} }}", all.join("; "))
    }

    /// `C (§, …)`, `C { f = §; … }`; a polymorphic variant gets its type.
    pub(crate) fn constructor_template(&self, decl: &TypeDecl, chosen: &Constructor, ty: &Ty) -> String {
        let polymorphic = matches!(decl.shape, Shape::Variant { polymorphic: true, .. });
        let prefix = if polymorphic { String::new() } else { self.prefix(decl.unit) };
        let mut text = format!("{prefix}{}", chosen.name);
        if let Some(names) = &chosen.record {
            let all: Vec<String> = names.iter().map(|f| format!("{f} = §")).collect();
            text.push_str(&format!(" {{ {} }}", all.join("; ")));
        } else if !chosen.args.is_empty() {
            text.push_str(&format!(" ({})", vec!["§"; chosen.args.len()].join(", ")));
        }
        if polymorphic { format!("({text} : {})", self.type_text(ty)) } else { format!("({text})") }
    }
}

/// The type that an optional parameter has in the function's body.
pub(crate) fn optional_inside(label: &Label, ty: &Ty) -> Ty {
    match label {
        Label::Optional(_) => ty.clone().opt(),
        _ => ty.clone(),
    }
}

/// Whether a type mentions a declared one.
fn mentions(ty: &Ty, n: usize) -> bool {
    matches!(ty, Ty::Named(m, _) if *m == n) || ty.parts().into_iter().any(|t| mentions(t, n))
}

/// Small expressions of a type, as text, for shrinking: tried in order, and the compiler says which are right.
pub fn simple_texts(ty: &Ty) -> Vec<&'static str> {
    match ty {
        Ty::Unit => vec!["()"],
        Ty::Bool => vec!["false", "true"],
        Ty::Int => vec!["0", "1"],
        Ty::Char => vec!["'a'"],
        Ty::Float => vec!["0.", "1."],
        Ty::Str => vec!["\"\"", "\"a\""],
        Ty::Bytes => vec!["(Bytes.create 0)"],
        Ty::I32 => vec!["0l"],
        Ty::I64 => vec!["0L"],
        Ty::Nat => vec!["0n"],
        Ty::List(_) => vec!["[]"],
        Ty::Array(_) => vec!["[||]"],
        Ty::Opt(_) => vec!["None"],
        Ty::Fun(params, _) if params.iter().all(|p| p.label == Label::None) => vec!["(fun _ -> raise Exit)"],
        _ => vec!["(raise Exit)"],
    }
}
