//! Module types, structures, functors, first-class modules, classes.

use crate::generator::{Cx, Gen, Sort};
use crate::tree::Node;
use crate::types::{Class, Signature, Ty};

impl Gen {
    /// `module type S = sig … end`
    pub(crate) fn signature_item(&mut self) -> Node {
        let name = self.fresh("S");
        let n = self.rng.range(1, 4);
        let values: Vec<(String, Ty)> = (0..n)
            .map(|i| {
                let ty = if i == 0 {
                    Ty::fun(vec![self.some_type(1, false)], self.some_type(1, false))
                } else {
                    self.some_type(2, true)
                };
                (self.fresh("m"), ty)
            })
            .collect();
        let mut text = format!("module type {name} = sig\n");
        for (value, ty) in &values {
            text.push_str(&format!("  val {value} : {}\n", self.type_text(ty)));
        }
        self.signatures.push(Signature { name, unit: self.unit, values });
        self.cover("module type");
        Node::optional(&format!("{text}end\n"), vec![])
    }

    fn signature_name(&self, n: usize) -> String {
        let s = &self.signatures[n];
        format!("{}{}", self.prefix(s.unit), s.name)
    }

    /// `struct … end` of a module type. Values are evaluated where the structure is.
    fn structure(&mut self, n: usize, size: i32, cx: Cx) -> Node {
        let values = self.signatures[n].values.clone();
        let sizes = self.split(size, values.len());
        self.scoped(|g| {
            let mut items = vec![];
            for ((name, ty), size) in values.iter().zip(sizes) {
                let value = g.expr(ty, size, cx);
                items.push(Node::plain(&format!(" let {name} = §"), vec![value]));
                g.bind(name, ty);
            }
            Node::plain("struct§ end", vec![Node::plain("", items)])
        })
    }

    /// `(module struct … end : S)`
    pub(crate) fn pack(&mut self, ty: &Ty, n: usize, size: i32, cx: Cx) -> Node {
        let name = self.signature_name(n);
        let body = self.structure(n, size, cx);
        self.cover("pack a module");
        Node::expr(ty, &format!("(module § : {name})"), vec![body])
    }

    /// `let module M = (val e : S) in …`
    pub(crate) fn unpack(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        if self.signatures.is_empty() {
            return None;
        }
        let n = self.rng.below(self.signatures.len());
        let sizes = self.split(size, 2);
        let name = self.fresh("M");
        let module = self.expr(&Ty::Pack(n), sizes[0], cx);
        let text = self.signature_name(n);
        Some(self.scoped(|g| {
            g.bind_module(&name, n);
            let body = g.expr(ty, sizes[1], cx);
            Node::expr(ty, &format!("(let module {name} = (val § : {text}) in §)"), vec![module, body])
        }))
    }

    fn bind_module(&mut self, module: &str, n: usize) {
        for (value, ty) in self.signatures[n].values.clone() {
            self.bind(&format!("{module}.{value}"), &ty);
        }
    }

    /// `module M : S = struct … end`
    pub(crate) fn module_item(&mut self) -> Option<Node> {
        if self.signatures.is_empty() {
            return None;
        }
        let n = self.rng.below(self.signatures.len());
        let name = self.fresh("M");
        let body = self.structure(n, self.options.body / 2, Cx::FREE.pure());
        let text = self.signature_name(n);
        let annotation = if self.rng.chance(60) { format!(" : {text}") } else { String::new() };
        self.bind_module(&name, n);
        self.cover("module");
        Some(Node::optional(&format!("module {name}{annotation} = §\n"), vec![body]))
    }

    /// A functor and one or two applications.
    pub(crate) fn functor_item(&mut self) -> Option<Node> {
        if self.signatures.is_empty() {
            return None;
        }
        let (from, to) = (self.rng.below(self.signatures.len()), self.rng.below(self.signatures.len()));
        let (name, param) = (self.fresh("F"), self.fresh("X"));
        let (from_text, to_text) = (self.signature_name(from), self.signature_name(to));
        let attribute = *self.rng.pick(&["", "", " [@@inline]", " [@@inline never]"]);
        let body = self.scoped(|g| {
            g.bind_module(&param, from);
            let n = g.number();
            let body = g.structure(to, g.options.body / 2, Cx::FREE.pure());
            Node::plain(&format!("struct let _ = Fz.tick {n} include (§) end"), vec![body])
        });
        let mut items = vec![Node::optional(
            &format!("module {name} (({param}) : {from_text}) : {to_text} = §{attribute}\n")
                .replace(&format!("(({param}) :"), &format!("({param} :")),
            vec![body],
        )];
        for _ in 0..self.rng.range(1, 2) {
            let result = self.fresh("M");
            let argument = self.structure(from, 6, Cx::FREE.pure());
            items.push(Node::optional(&format!("module {result} = {name} (§)\n"), vec![argument]));
            self.bind_module(&result, to);
        }
        self.cover("functor");
        Some(Node::plain("", items))
    }

    /// Two modules that refer to each other.
    pub(crate) fn recursive_modules_item(&mut self, size: i32) -> Node {
        let (a, b, n) = (self.fresh("M"), self.fresh("M"), self.fresh("n"));
        let function = Ty::fun(vec![Ty::Int], Ty::Int);
        let parts: Vec<Node> = (0..4)
            .map(|_| {
                self.scoped(|g| {
                    g.bind(&n, &Ty::Int);
                    g.expr(&Ty::Int, size / 4, Cx::FREE.in_loop())
                })
            })
            .collect();
        let constant = self.expr(&Ty::Float, 3, Cx::FREE.pure());
        let template = format!(
            "module rec {a} : sig val f : int -> int end = struct\n let f {n} = if {n} <= 0 || not (Fz.more ()) then § else {b}.f ({n} - 1) + §\nend\nand {b} : sig val f : int -> int val k : float end = struct\n let f {n} = if {n} <= 1 || not (Fz.more ()) then § else {a}.f ({n} - 2) lxor §\n let k = §\nend\nlet {a}_f n = {a}.f (n land 7) + Fz.int_of {b}.k\n"
        )
        .replace(&format!("{a}_f"), &format!("f{}", a.to_lowercase()));
        let name = format!("f{}", a.to_lowercase());
        let node = Node::optional(&template, parts.into_iter().chain([constant]).collect());
        self.bind(&name, &function);
        self.cover("recursive modules");
        node
    }

    /// A class, perhaps one that inherits.
    pub(crate) fn class_item(&mut self) -> Node {
        let name = self.fresh("c");
        let (argument, state) = (self.fresh("a"), self.fresh("w"));
        let parent = self.classes.iter().rposition(|c| c.unit == self.unit).filter(|_| self.rng.chance(60));
        if let Some(p) = parent {
            return self.subclass_item(&name, &argument, p);
        }
        let param = self.some_type(1, false);
        let held = self.rng.pick(&[Ty::Int, Ty::Float, Ty::Str]).clone();
        let methods: Vec<(String, Ty)> = (0..self.rng.range(1, 3))
            .map(|_| {
                let params = (0..self.rng.below(3)).map(|_| self.some_type(1, false)).collect::<Vec<_>>();
                let result = self.some_type(1, false);
                (self.fresh("d"), if params.is_empty() { result } else { Ty::fun(params, result) })
            })
            .collect();
        let annotation = self.type_text(&param);
        let node = self.scoped(|g| {
            g.bind(&argument, &param);
            let start = g.expr(&held, 3, Cx::FREE.pure());
            g.bind(&state, &held);
            let bodies: Vec<Node> = methods.iter().map(|(n, ty)| g.method(n, ty, Some((&state, &held)))).collect();
            let text = g.type_text(&held);
            Node::optional(
                &format!("class {name} ({argument} : {annotation}) = object (self)\n  val mutable {state} : {text} = §\n§end\n"),
                vec![start, Node::plain("", bodies)],
            )
        });
        self.classes.push(Class { name, unit: self.unit, param, methods });
        self.cover("class");
        node
    }

    fn subclass_item(&mut self, name: &str, argument: &str, parent: usize) -> Node {
        let class = self.classes[parent].clone();
        let annotation = self.type_text(&class.param);
        let node = self.scoped(|g| {
            g.bind(argument, &class.param);
            let passed = g.expr(&class.param, 3, Cx::FREE.pure());
            let (method, ty) = g.rng.pick(&class.methods).clone();
            // The method of the parent is called like a function.
            g.bind(&format!("super#{method}"), &ty);
            let body = g.method(&method, &ty, None);
            Node::optional(
                &format!(
                    "class {name} ({argument} : {annotation}) = object (self)\n  inherit {} § as super\n§end\n",
                    class.name
                ),
                vec![passed, body],
            )
        });
        self.classes.push(Class { name: name.to_owned(), unit: self.unit, ..class });
        self.cover("subclass");
        node
    }

    /// A method; with the name and type of a variable of the object, one that may assign it.
    fn method(&mut self, name: &str, ty: &Ty, state: Option<(&str, &Ty)>) -> Node {
        let (params, result) = match ty {
            Ty::Fun(params, result) => (params.clone(), (**result).clone()),
            other => (vec![], other.clone()),
        };
        self.scoped(|g| {
            let mut text = format!("  method {name}");
            for param in &params {
                let x = g.fresh("x");
                text.push_str(&g.param_text(&param.label, &x, &param.ty));
                g.bind(&x, &param.ty);
            }
            let annotation = g.type_text(&result);
            let mut children = vec![];
            text.push_str(&format!(" : {annotation} = "));
            if let Some((state, held)) = state {
                text.push('§');
                let value = g.expr(held, 4, Cx::FREE);
                children.push(Node::optional(&format!("{state} <- §; "), vec![value]));
            }
            text.push_str("§\n");
            children.push(g.expr(&result, g.options.body / 4, Cx::FREE));
            Node::plain(&text, children)
        })
    }

    /// `o#m e`
    pub(crate) fn method_call(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let mut found = vec![];
        for (n, class) in self.classes.iter().enumerate() {
            for (name, of) in &class.methods {
                let (params, result) = match of {
                    Ty::Fun(params, result) => (params.clone(), (**result).clone()),
                    other => (vec![], other.clone()),
                };
                if result == *ty {
                    found.push((n, name.clone(), params));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (n, name, params) = self.rng.pick(&found).clone();
        let mut tys = vec![Ty::Obj(n)];
        tys.extend(params.iter().map(|p| p.ty.clone()));
        let args = self.operands(&tys, size, cx);
        let text = self.type_text(&Ty::Obj(n));
        Some(Node::expr(ty, &format!("((§ : {text})#{name}{})", " §".repeat(params.len())), args))
    }

    /// One or two mutually recursive functions with fuel: their text from `let` on, and their names.
    pub(crate) fn recursive_group(&mut self, size: i32, cx: Cx, poly: bool) -> (Node, Vec<(String, Ty)>) {
        let n = self.rng.range(1, if poly { 3 } else { 2 });
        let mut group = vec![];
        for _ in 0..n {
            let params = self.params(false);
            let result = self.some_type(1, false);
            group.push((self.fresh("g"), self.fresh("fuel"), params, result));
        }
        let sizes = self.split(size, n);
        let mut definitions = vec![];
        for (i, (name, fuel, params, result)) in group.iter().enumerate() {
            let node = self.scoped(|g| {
                for (other, _, params, result) in &group {
                    let ty = Ty::fun_of(params.clone(), result.clone());
                    g.bind_as(other, &ty, false, Sort::Recursive(fuel.clone()));
                }
                let inner = Cx { loops: cx.loops + 1, ..Cx::FREE };
                g.function(params, result, sizes[i].max(6), inner, Some(fuel))
            });
            let word = if i == 0 { "let" } else { " and" };
            let attribute = if i == 0 { self.function_attribute() } else { "" };
            let rec = if i == 0 { " rec" } else { "" };
            definitions.push(Node::plain(&format!("{word}{attribute}{rec} {name}§"), vec![node]));
        }
        self.cover(if n > 1 { "mutual recursion" } else { "recursion" });
        let names = group.into_iter().map(|(name, _, ps, r)| (name, Ty::fun_of(ps, r))).collect();
        (Node::plain("", definitions), names)
    }

    /// An attribute behind `let`.
    pub(crate) fn function_attribute(&mut self) -> &'static str {
        let choices =
            ["", "", "", "", "[@inline]", "[@inline never]", "[@specialise]", "[@local]", "[@inline always]"];
        let chosen = *self.rng.pick(&choices);
        if !chosen.is_empty() {
            self.cover("attribute of a function");
        }
        chosen
    }
}
