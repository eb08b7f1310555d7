//! Whole programs: units, their definitions and interfaces.

use crate::generator::{Coverage, Cx, Gen, Sort};
use crate::options::Options;
use crate::shapes;
use crate::tree::Node;
use crate::types::{Constructor, ExnDecl, Field, Label, Param, Shape, Ty, TypeDecl};

/// The runtime that every program links: printing, counting, and bounds.
pub const RUNTIME: &str = include_str!("fz.ml");
/// Its file.
pub const RUNTIME_FILE: &str = "fz.ml";

/// A unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name of its files, without extension.
    pub name: String,
    /// Its definitions.
    pub body: Node,
    /// The lines of its interface, if it has one.
    pub interface: Option<Node>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed that it was generated from.
    pub seed: u64,
    /// The units in the order of linking.
    pub units: Vec<Unit>,
    /// Whether it ends with an exception that nothing handles.
    pub uncaught: bool,
    /// The first of its shapes, if the program consists of shapes: such a program never accesses what is out of bounds
    /// (unless [`GENERAL_CODE`](crate::GENERAL_CODE) is among them), and the cost of its kernels is compared.
    pub shape: Option<&'static str>,
    /// The constructs that it has.
    pub coverage: Coverage,
}

impl Program {
    /// The program of a seed.
    #[must_use]
    pub fn generate(seed: u64, options: &Options) -> Program {
        let mut g = Gen::new(seed, options);
        // Eight general programs, eight of shapes.
        if seed & 8 != 0 {
            return shapes::generate(g, seed, seed / 16 * 8 + seed % 8);
        }
        // Small programs are soon compiled and easy to read; large ones have more that can interact.
        let (items, body) =
            *g.rng.pick(&[(3, 14), (3, 20), (4, 20), (5, 24), (8, 30), (usize::MAX, i32::MAX)]);
        g.options.items = options.items.min(items);
        g.options.body = options.body.min(body);
        let n = if g.rng.chance(65) { 1 } else { g.rng.range(1, options.units.max(1)) };
        let uncaught = g.rng.chance(options.uncaught);
        let units = (0..n).map(|unit| g.make_unit(unit, n, uncaught)).collect();
        Program { seed, units, uncaught, shape: None, coverage: g.coverage }
    }

    /// Its files with their contents, in the order of compilation, without the runtime.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![];
        for unit in &self.units {
            if let Some(interface) = &unit.interface {
                files.push((format!("{}.mli", unit.name), interface.to_text()));
            }
            files.push((format!("{}.ml", unit.name), unit.body.to_text()));
        }
        files
    }

    /// How many nodes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.units.iter().map(|u| u.body.size()).sum()
    }
}

impl Gen {
    fn make_unit(&mut self, unit: usize, units: usize, uncaught: bool) -> Unit {
        self.unit = unit;
        let mark = self.env.len();
        let (signatures, classes) = (self.signatures.len(), self.classes.len());
        let (types, exns) = (self.types.len(), self.exns.len());
        let mut items = vec![];
        if unit == 0 {
            items.push(Node::plain(&format!("let () = Fz.start \"{}\"\n", self.program), vec![]));
        }
        let mut declared = vec![];
        for _ in 0..self.rng.range(1, if self.options.items < 6 { 2 } else { 3 }) {
            let item = self.type_item();
            declared.push(item);
        }
        for _ in 0..self.rng.below(3) {
            let item = self.exception_item();
            declared.push(item);
        }
        items.extend(declared.iter().map(|(item, _)| item.clone()));
        for _ in 0..self.rng.range(2, self.options.items.max(2)) {
            if let Some(item) = self.item() {
                items.push(item);
            }
        }
        if unit + 1 == units {
            if uncaught {
                let raised = self.exception_value(4, Cx::FREE.pure());
                items.push(Node::optional("let () = if Fz.more () || true then raise §\n", vec![raised]));
                self.cover("uncaught exception");
            }
            items.push(Node::plain("let () = Fz.stop ()\n", vec![]));
        }
        let name = self.unit_file(unit);
        // Modules and classes are seen outside only without an interface.
        let interface = (unit + 1 == units || self.rng.chance(60)).then(|| {
            self.classes.truncate(classes);
            self.signatures.truncate(signatures);
            let mut lines: Vec<Node> = declared.into_iter().map(|(_, line)| line).collect();
            let mut kept = self.env[..mark].to_vec();
            let declared_later = self.env[mark..].to_vec();
            for var in declared_later {
                if var.name.contains('.') || self.hidden(&var.ty) || self.rng.chance(30) {
                    continue;
                }
                let mut ty = var.ty.clone();
                if var.sort == Sort::Fuelled {
                    ty = Ty::fun_of(vec![Param { label: Label::None, ty: Ty::Int }], ty);
                }
                let text = self.type_text(&ty);
                lines.push(Node::optional(&format!("val {} : {text}\n", var.name), vec![]));
                kept.push(var);
            }
            self.env = kept;
            self.cover("interface");
            Node::plain("", lines)
        });
        debug_assert!(types <= self.types.len() && exns <= self.exns.len());
        Unit { name, body: Node::plain("", items), interface }
    }

    /// Whether a type mentions a module type or class that the interface hides.
    fn hidden(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Pack(n) => *n >= self.signatures.len(),
            Ty::Obj(n) => *n >= self.classes.len(),
            other => other.parts().into_iter().any(|t| self.hidden(t)),
        }
    }

    /// A type with the function that shows its values, and both in an interface.
    fn type_item(&mut self) -> (Node, Node) {
        let name = self.fresh("t");
        let params = usize::from(self.rng.chance(25));
        let me = self.types.len();
        let field_type = |g: &mut Gen| {
            if params > 0 && g.rng.chance(40) { Ty::Var(0) } else { g.some_type(2, false) }
        };
        let shape = match self.rng.below(10) {
            0 => Shape::Record {
                fields: vec![Field { name: self.fresh("u"), mutable: false, ty: field_type(self) }],
                unboxed: true,
            },
            1 | 2 => {
                let mutable = self.rng.chance(50);
                let fields = (0..self.rng.range(1, 4))
                    .map(|_| Field { name: self.fresh("u"), mutable, ty: Ty::Float })
                    .collect();
                self.cover("float record");
                Shape::Record { fields, unboxed: false }
            }
            3 | 4 => {
                let fields = (0..self.rng.range(1, 5))
                    .map(|_| Field {
                        name: self.fresh("u"),
                        mutable: self.rng.chance(50),
                        ty: field_type(self),
                    })
                    .collect();
                self.cover("record type");
                Shape::Record { fields, unboxed: false }
            }
            n => {
                let polymorphic = n == 5 && params == 0;
                let mut constructors = vec![];
                for i in 0..self.rng.range(1, 6) {
                    let prefix = if polymorphic { "`K" } else { "K" };
                    let count = if i == 0 { self.rng.below(2) } else { self.rng.below(4) };
                    let mut args: Vec<Ty> = (0..count)
                        .map(|_| {
                            // Recursion, but not in the first constructor.
                            if i > 0 && params == 0 && self.rng.chance(25) {
                                Ty::Named(me, vec![])
                            } else {
                                field_type(self)
                            }
                        })
                        .collect();
                    if polymorphic {
                        args.truncate(1);
                    }
                    let record = (!polymorphic && !args.is_empty() && self.rng.chance(20))
                        .then(|| args.iter().map(|_| self.fresh("u")).collect());
                    constructors.push(Constructor { name: self.fresh(prefix), args, record });
                }
                self.cover(if polymorphic { "polymorphic variant type" } else { "variant type" });
                Shape::Variant { constructors, polymorphic }
            }
        };
        let tys: Vec<Ty> = match &shape {
            Shape::Record { fields, .. } => fields.iter().map(|f| f.ty.clone()).collect(),
            Shape::Variant { constructors, .. } => constructors.iter().flat_map(|c| c.args.clone()).collect(),
        };
        // While the type itself is looked at, it counts as comparable; a parameter is judged where it is used.
        self.types.push(TypeDecl { name: name.clone(), unit: self.unit, params, shape, comparable: true });
        let comparable = tys.iter().all(|t| *t == Ty::Var(0) || self.comparable(&t.instance(&[Ty::Int])));
        self.types[me].comparable = comparable;
        let definition = self.type_definition(me);
        let parameter = if params > 0 { "sp" } else { "" };
        let mut shown =
            format!("let rec s_{name} {parameter} v = if not (Fz.may_show ()) then \"..\" else match v with");
        if params == 0 {
            shown = shown.replace("  v", " v");
        }
        shown.push_str(&self.show_arms(me));
        let value_ty = Ty::Named(me, vec![Ty::Var(0); params]);
        let mut of = format!("{} -> string", self.type_text(&value_ty));
        if params > 0 {
            of = format!("('a -> string) -> {of}");
        }
        let item = |show: String| {
            let parts = vec![Node::optional(&definition, vec![]), Node::optional(&show, vec![])];
            Node::plain("", parts)
        };
        (item(format!("{shown}\n")), item(format!("val s_{name} : {of}\n")))
    }

    fn type_definition(&self, n: usize) -> String {
        let decl = &self.types[n];
        let head = format!("type {}{} = ", if decl.params > 0 { "'a " } else { "" }, decl.name);
        match &decl.shape {
            Shape::Record { fields, unboxed } => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|f| {
                        let word = if f.mutable { "mutable " } else { "" };
                        format!("{word}{} : {}", f.name, self.type_text(&f.ty))
                    })
                    .collect();
                let attribute = if *unboxed { " [@@unboxed]" } else { "" };
                format!("{head}{{ {} }}{attribute}\n", fields.join("; "))
            }
            Shape::Variant { constructors, polymorphic } => {
                let all: Vec<String> = constructors
                    .iter()
                    .map(|c| {
                        let tys: Vec<String> = c.args.iter().map(|t| self.type_text(t)).collect();
                        match &c.record {
                            _ if tys.is_empty() => c.name.clone(),
                            None => format!("{} of {}", c.name, tys.join(" * ")),
                            Some(names) => {
                                let fields: Vec<String> =
                                    names.iter().zip(&tys).map(|(n, t)| format!("{n} : {t}")).collect();
                                format!("{} of {{ {} }}", c.name, fields.join("; "))
                            }
                        }
                    })
                    .collect();
                let all = all.join(" | ");
                // Where it is allowed; the name decides, so that the interface says the same.
                let unboxed = match &constructors[..] {
                    [c] if c.args.len() == 1 && c.record.is_none() && c.name.len() % 2 == 0 => " [@@unboxed]",
                    _ => "",
                };
                if *polymorphic { format!("{head}[ {all} ]\n") } else { format!("{head}{all}{unboxed}\n") }
            }
        }
    }

    /// The arms of the function that shows values of a type.
    fn show_arms(&self, n: usize) -> String {
        let decl = &self.types[n];
        let show = |ty: &Ty, name: &str| -> String {
            // The type's parameter is shown by the function's.
            let text = self.shower(&ty.instance(&[Ty::Var(0)]));
            let text = if ty.has_var() { text.replace("Fz.s_any", "sp") } else { text };
            format!("{text} {name}")
        };
        match &decl.shape {
            Shape::Record { fields, .. } => {
                let bound: Vec<String> = fields.iter().map(|f| format!("{0} = w{0}", f.name)).collect();
                let shown: Vec<String> =
                    fields.iter().map(|f| show(&f.ty, &format!("w{}", f.name))).collect();
                format!(" {{ {} }} -> \"{{\" ^ {} ^ \"}}\"", bound.join("; "), shown.join(" ^ \";\" ^ "))
            }
            Shape::Variant { constructors, .. } => {
                let mut text = String::new();
                for c in constructors {
                    let names: Vec<String> = (0..c.args.len()).map(|i| format!("w{i}")).collect();
                    let pattern = match &c.record {
                        _ if names.is_empty() => String::new(),
                        None => format!("({})", names.join(", ")),
                        Some(fields) => {
                            let all: Vec<String> =
                                fields.iter().zip(&names).map(|(f, w)| format!("{f} = {w}")).collect();
                            format!("{{ {} }}", all.join("; "))
                        }
                    };
                    text.push_str(&format!(" | {} {pattern} -> \"{}(\"", c.name, c.name));
                    for (ty, name) in c.args.iter().zip(&names) {
                        text.push_str(&format!(" ^ {} ^ \",\"", show(ty, name)));
                    }
                    text.push_str(" ^ \")\"");
                }
                text
            }
        }
    }

    fn exception_item(&mut self) -> (Node, Node) {
        let name = self.fresh("E");
        let args: Vec<Ty> = (0..self.rng.below(3)).map(|_| self.some_type(1, false)).collect();
        let texts: Vec<String> = args.iter().map(|t| self.type_text(t)).collect();
        let of = if texts.is_empty() { String::new() } else { format!(" of {}", texts.join(" * ")) };
        let text = format!("exception {name}{of}\n");
        self.exns.push(ExnDecl { name, unit: self.unit, args });
        self.cover("exception");
        (Node::optional(&text, vec![]), Node::optional(&text, vec![]))
    }

    /// A definition.
    fn item(&mut self) -> Option<Node> {
        let size = self.rng.range(6, self.options.body.max(6) as usize) as i32;
        match self.rng.below(24) {
            0..=4 => Some(self.function_item(size)),
            5 | 6 => {
                let (group, names) = self.recursive_group(size, Cx::FREE, true);
                for (name, ty) in &names {
                    self.bind_as(name, ty, false, Sort::Fuelled);
                }
                Some(Node::optional("§\n", vec![group]))
            }
            7 | 8 => Some(self.polymorphic_item(size)),
            9..=11 => {
                let name = self.fresh("k");
                let ty = self.some_type(2, true);
                let text = self.type_text(&ty);
                let node = if self.rng.chance(40) {
                    let value = self.expr(&ty, size.min(10), Cx::FREE.pure());
                    Node::optional(&format!("let {name} : {text} = §\n"), vec![value])
                } else {
                    let value = self.expr(&ty, size, Cx::FREE);
                    let other = self.leaf(&ty, Cx::FREE.pure());
                    Node::optional(&format!("let {name} : {text} = try § with _ -> §\n"), vec![value, other])
                };
                self.bind(&name, &ty);
                self.cover("value");
                Some(node)
            }
            12 => Some(self.signature_item()),
            13 | 14 if self.signatures.is_empty() => Some(self.signature_item()),
            13 => self.module_item(),
            14 => self.functor_item(),
            15 if self.rng.chance(30) => Some(self.recursive_modules_item(size)),
            15 => Some(self.class_item()),
            16 | 17 if !self.signatures.is_empty() => self.functor_item(),
            18 => Some(self.recursive_values_item(size)),
            19 | 20 => Some(self.state_item(size)),
            _ => Some(self.main_item(size)),
        }
    }

    /// `let f … = …`
    pub(crate) fn function_item(&mut self, size: i32) -> Node {
        let labels = self.rng.chance(30);
        let params = self.params(labels);
        let result = self.some_type(2, !labels);
        let name = self.fresh("f");
        let definition = self.function(&params, &result, size, Cx::FREE, None);
        let attribute = self.function_attribute();
        self.bind(&name, &Ty::fun_of(params, result));
        self.cover("function");
        Node::optional(&format!("let{attribute} {name}§\n"), vec![definition])
    }

    /// A function of type variables.
    fn polymorphic_item(&mut self, size: i32) -> Node {
        let (a, b) = (Ty::Var(0), Ty::Var(1));
        let shapes = [
            (vec![a.clone(), a.clone()], a.clone()),
            (vec![a.clone().array(), Ty::Int], a.clone()),
            (vec![a.clone().array(), Ty::Int, a.clone()], Ty::Unit),
            (vec![a.clone(), b.clone()], Ty::Tuple(vec![b.clone(), a.clone()])),
            (vec![a.clone().list(), a.clone()], a.clone().list()),
            (vec![a.clone().opt(), a.clone()], a.clone()),
            (vec![Ty::fun(vec![a.clone()], b.clone()), a.clone(), Ty::Bool], b.clone()),
            (vec![Ty::Int, a.clone()], a.clone().array()),
            (vec![Ty::Ref(Box::new(a.clone())), a.clone()], a.clone()),
        ];
        let (params, result) = self.rng.pick(&shapes).clone();
        let params: Vec<Param> = params.into_iter().map(|ty| Param { label: Label::None, ty }).collect();
        let name = self.fresh("y");
        let definition = self.function(&params, &result, size, Cx::FREE, None);
        let attribute = self.function_attribute();
        self.bind_as(&name, &Ty::fun_of(params, result), true, Sort::Value);
        self.cover("polymorphic function");
        Node::optional(&format!("let{attribute} {name}§\n"), vec![definition])
    }

    /// Recursive values: closures in blocks that refer to each other, cyclic lists.
    fn recursive_values_item(&mut self, size: i32) -> Node {
        let (a, b, n, m) = (self.fresh("z"), self.fresh("z"), self.fresh("n"), self.fresh("n"));
        self.cover("recursive values");
        if self.rng.chance(40) {
            let first = self.leaf(&Ty::Int, Cx::FREE.pure());
            let second = self.literal(&Ty::Int, 0, Cx::FREE.pure());
            return Node::optional(
                &format!(
                    "let rec {a} = {n} :: {b} and {b} = {m} :: {a} and {n} = (§) and {m} = §\nlet {a} = Fz.take 5 {a} and {b} = Fz.take 3 {b}\nlet () = Fz.say \"{a}\" (Fz.s_list Fz.s_int {a} ^ Fz.s_list Fz.s_int {b})\n"
                )
                .replace(&format!("{a} = {n} :: {b} and {b} = {m} :: {a} and {n} = (§) and {m} = §"), &format!("{a} = (§) :: {b} and {b} = § :: {a}")),
                vec![first, second],
            );
        }
        let body = |g: &mut Gen, n: &str| {
            g.scoped(|g| {
                g.bind(n, &Ty::Int);
                g.expr(&Ty::Int, size / 2, Cx::FREE.in_loop())
            })
        };
        let (first, second) = (body(self, &n), body(self, &m));
        let node = Node::optional(
            &format!(
                "let rec {a} = {{ Fz.fn = (fun {n} -> if {n} <= 0 || not (Fz.more ()) then {b}.Fz.v else {b}.Fz.fn ({n} - 1) + §); v = 3; next = [ {b}; {a} ] }}\n and {b} = {{ Fz.fn = (fun {m} -> if {m} <= 1 || not (Fz.more ()) then {a}.Fz.v else {a}.Fz.fn ({m} - 2) lxor §); v = 5; next = [] }}\nlet {a} {n} = {a}.Fz.fn ({n} land 7) + List.length {a}.Fz.next\n"
            ),
            vec![first, second],
        );
        self.bind(&a, &Ty::fun(vec![Ty::Int], Ty::Int));
        node
    }

    /// The state of a unit, a function that changes it, and one that reads it before and after other things.
    fn state_item(&mut self, size: i32) -> Node {
        let (state, put, around) = (self.fresh("st"), self.fresh("put"), self.fresh("f"));
        let (x, before, after) = (self.fresh("x"), self.fresh("x"), self.fresh("x"));
        let ty = self.some_type(1, false);
        let (text, look) = (self.type_text(&ty), self.shower(&ty));
        let start = self.literal(&ty, 1, Cx::FREE.pure());
        let number = self.number();
        let (first, second) = (self.function_attribute(), self.function_attribute());
        self.bind(&put, &Ty::fun(vec![ty.clone()], Ty::Unit));
        let sizes = self.split(size, 3);
        let (middle, value, more) = self.scoped(|g| {
            g.bind(&x, &ty);
            g.bind(&before, &ty);
            let middle = g.statements(sizes[0], Cx::FREE);
            let value = g.expr(&ty, sizes[1], Cx::FREE);
            let value = Node::optional(&format!("{put} §; "), vec![value]);
            g.bind(&after, &ty);
            (middle, value, g.expr(&ty, sizes[2], Cx::FREE))
        });
        self.bind(&around, &Ty::fun(vec![ty.clone()], ty));
        self.cover("state of a unit");
        Node::optional(
            &format!(
                "let {state} : {text} Fz.cell = {{ Fz.held = §; count = 0 }}\n\
                 let{first} {put} (v : {text}) = Fz.tick {number}; {state}.Fz.held <- v; {state}.Fz.count <- {state}.Fz.count + 1\n\
                 let{second} {around} ({x} : {text}) : {text} = let {before} = {state}.Fz.held and n = {state}.Fz.count in §§let {after} = {state}.Fz.held in Fz.look ({look} {after}); ignore (Fz.see ({state}.Fz.count - n)); §\n"
            ),
            vec![start, middle, value, more],
        )
    }

    /// Something that is observed.
    fn main_item(&mut self, size: i32) -> Node {
        let n = self.rng.range(1, 3);
        let statements: Vec<Node> = (0..n).map(|_| self.say(size / n as i32, Cx::FREE)).collect();
        let (name, number) = (self.fresh("e"), self.number());
        self.cover("main");
        Node::optional(
            &format!("let () = try §() with {name} -> Fz.say \"main{number}\" (Fz.s_exn {name})\n"),
            vec![Node::plain("", statements)],
        )
    }
}
