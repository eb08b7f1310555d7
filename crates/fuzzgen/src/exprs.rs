//! Expressions of any type: binding, control, calls, access to data.

use crate::generator::{Cx, Gen, Sort};
use crate::library;
use crate::literals::optional_inside;
use crate::prims;
use crate::tree::Node;
use crate::types::{Label, Param, Shape, Ty};

/// A way to make an expression of a type.
pub(crate) struct Rule {
    /// Its name in the coverage.
    pub name: &'static str,
    /// How often, compared with others.
    pub weight: u32,
    /// It has no effect and can't fail, if its parts don't.
    pub pure: bool,
    /// Nothing when there is no such expression here.
    pub make: fn(&mut Gen, &Ty, i32, Cx) -> Option<Node>,
}

/// Rules, and a type for which they are, if there is one that needs no declarations.
pub(crate) type Table = (&'static [Rule], fn() -> Option<Ty>);

const fn effect(name: &'static str, weight: u32, make: fn(&mut Gen, &Ty, i32, Cx) -> Option<Node>) -> Rule {
    Rule { name, weight, pure: false, make }
}

const fn total(name: &'static str, weight: u32, make: fn(&mut Gen, &Ty, i32, Cx) -> Option<Node>) -> Rule {
    Rule { name, weight, pure: true, make }
}

const ANY: &[Rule] = &[
    total("variable", 8, |g, ty, _, cx| Some(g.leaf(ty, cx))),
    total("let", 8, |g, ty, size, cx| Some(g.let_in(ty, size, cx))),
    total("if", 7, |g, ty, size, cx| {
        let sizes = g.split(size, 3);
        let parts = vec![g.expr(&Ty::Bool, sizes[0], cx), g.expr(ty, sizes[1], cx), g.expr(ty, sizes[2], cx)];
        Some(Node::expr(ty, "(if § then § else §)", parts))
    }),
    effect("match", 9, |g, ty, size, cx| Some(g.match_on(ty, size, cx))),
    effect("match exception", 2, |g, ty, size, cx| Some(g.match_exception(ty, size, cx))),
    effect("try", 5, |g, ty, size, cx| Some(g.try_with(ty, size, cx))),
    effect("try over a reference", 4, |g, ty, size, cx| Some(g.try_reference(ty, size, cx))),
    effect("sequence", 6, |g, ty, size, cx| {
        let sizes = g.split(size, 2);
        let parts = vec![g.statements(sizes[0], cx), g.expr(ty, sizes[1], cx)];
        Some(Node::expr(ty, "(§ §)", parts))
    }),
    effect("trace", 6, |g, ty, size, cx| {
        let n = g.number();
        let inner = g.expr(ty, size - 1, cx);
        Some(Node::expr(ty, &format!("(Fz.tr {n} §)"), vec![inner]))
    }),
    effect("call", 12, |g, ty, size, cx| g.call(ty, size, cx)),
    effect("partial application", 4, |g, ty, size, cx| g.partial(ty, size, cx)),
    effect("apply a lambda", 2, |g, ty, size, cx| {
        let (param, result) = (g.some_type(1, false), ty.clone());
        let sizes = g.split(size, 2);
        let argument = g.expr(&param, sizes[0], Cx { floor: g.env.len(), ..cx });
        let name = g.fresh("x");
        let body = g.scoped(|g| {
            g.bind(&name, &param);
            // The compiler makes a `let` of it, so that a sibling may read what it assigns.
            g.expr(&result, sizes[1], cx)
        });
        let text = g.type_text(&param);
        Some(Node::expr(ty, &format!("((fun ({name} : {text}) -> §) §)"), vec![body, argument]))
    }),
    effect("read a reference", 5, |g, ty, size, cx| {
        let wanted = Ty::Ref(Box::new(ty.clone()));
        let found = g.choose_var(|v| v.ty == wanted && matches!(v.sort, Sort::Value | Sort::LocalRef));
        match found {
            Some(i) => Some(Node::expr(ty, &format!("(!{})", g.path(&g.env[i])), vec![])),
            None => {
                let inner = g.expr(&wanted, size - 1, cx);
                Some(Node::expr(ty, "(!§)", vec![inner]))
            }
        }
    }),
    effect("field", 8, |g, ty, size, cx| g.field(ty, size, cx)),
    effect("array get", 5, |g, ty, size, cx| {
        let parts = g.operands(&[ty.clone().array(), Ty::Int], size, cx);
        Some(Node::expr(ty, "(§.(§))", parts))
    }),
    effect("projection of a tuple", 2, |g, ty, size, cx| {
        let other = g.some_type(1, false);
        let first = g.rng.chance(50);
        let pair = if first { vec![ty.clone(), other] } else { vec![other, ty.clone()] };
        let inner = g.expr(&Ty::Tuple(pair), size - 1, cx);
        Some(Node::expr(ty, if first { "(fst §)" } else { "(snd §)" }, vec![inner]))
    }),
    effect("force", 2, |g, ty, size, cx| {
        let inner = g.expr(&Ty::Lazy(Box::new(ty.clone())), size - 1, cx);
        Some(Node::expr(ty, "(Lazy.force §)", vec![inner]))
    }),
    effect("opaque", 2, |g, ty, size, cx| {
        let inner = g.expr(ty, size - 1, cx);
        Some(Node::expr(ty, "(Sys.opaque_identity §)", vec![inner]))
    }),
    effect("local exception", 3, |g, ty, size, cx| Some(g.local_exception(ty, size, cx))),
    effect("raise", 2, |g, ty, size, cx| {
        let raised = g.exception_value(size - 1, cx);
        let how = *g.rng.pick(&["raise", "raise", "raise_notrace"]);
        Some(Node::expr(ty, &format!("({how} §)"), vec![raised]))
    }),
    effect("failwith", 1, |g, ty, size, cx| {
        let inner = g.expr(&Ty::Str, size - 1, cx);
        let how = *g.rng.pick(&["failwith", "invalid_arg"]);
        Some(Node::expr(ty, &format!("({how} §)"), vec![inner]))
    }),
    effect("head of a list", 2, |g, ty, size, cx| {
        let inner = g.expr(&ty.clone().list(), size - 1, cx);
        Some(Node::expr(ty, "(List.hd §)", vec![inner]))
    }),
    effect("nth of a list", 1, |g, ty, size, cx| {
        let parts = g.operands(&[ty.clone().list(), Ty::Int], size, cx);
        Some(Node::expr(ty, "(List.nth § §)", parts))
    }),
    effect("value of an option", 2, |g, ty, size, cx| {
        let parts = g.operands(&[ty.clone().opt(), ty.clone()], size, cx);
        Some(Node::expr(ty, "(Option.value § ~default:§)", parts))
    }),
    effect("fold", 2, |g, ty, size, cx| {
        let item = g.some_type(1, false);
        let f = Ty::fun(vec![ty.clone(), item.clone()], ty.clone());
        if matches!(ty, Ty::Fun(..)) {
            return None;
        }
        let array = g.rng.chance(30);
        let list = if array { item.array() } else { item.list() };
        let parts = g.operands(&[f, ty.clone(), list], size, cx);
        let module = if array { "Array" } else { "List" };
        Some(Node::expr(ty, &format!("({module}.fold_left § § §)"), parts))
    }),
    effect("loop over a reference", 4, |g, ty, size, cx| Some(g.reference_loop(ty, size, cx))),
    effect("local function", 5, |g, ty, size, cx| Some(g.local_function(ty, size, cx))),
    effect("local recursive functions", 3, |g, ty, size, cx| Some(g.local_recursion(ty, size, cx))),
    effect("unpack a module", 2, |g, ty, size, cx| g.unpack(ty, size, cx)),
    effect("method call", 3, |g, ty, size, cx| g.method_call(ty, size, cx)),
    effect("max or min", 1, |g, ty, size, cx| {
        if !g.comparable(ty) {
            return None;
        }
        let parts = g.operands(&[ty.clone(), ty.clone()], size, cx);
        let how = *g.rng.pick(&["max", "min"]);
        Some(Node::expr(ty, &format!("({how} § §)"), parts))
    }),
];

impl Gen {
    /// An expression of about this many nodes.
    pub(crate) fn expr(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        if size <= 0 {
            return self.leaf(ty, cx);
        }
        for _ in 0..4 {
            let own = prims::rules(ty);
            let rules = self.choose_table(own, ty);
            let rule = self.choose_rule(rules, cx);
            if let Some(node) = rule.and_then(|rule| (rule.make)(self, ty, size, cx).map(|n| (n, rule.name)))
            {
                self.cover(node.1);
                return node.0;
            }
        }
        self.leaf(ty, cx)
    }

    /// The table of a type, or one of those for all types; that of a rule that this program favours more often.
    fn choose_table(&mut self, own: &'static [Rule], ty: &Ty) -> &'static [Rule] {
        let more = library::rules(ty);
        let favoured = |g: &Gen, rules: &[Rule]| rules.iter().any(|rule| g.focus.contains(&rule.name));
        for rules in [own, more, library::ANY] {
            if favoured(self, rules) && self.rng.chance(40) {
                return rules;
            }
        }
        match self.rng.below(20) {
            0..=8 if !own.is_empty() => own,
            9 | 10 => more,
            11 => library::ANY,
            _ => ANY,
        }
    }

    /// A rule by weight; the weights differ from program to program.
    fn choose_rule(&mut self, rules: &'static [Rule], cx: Cx) -> Option<&'static Rule> {
        let weight = |g: &Gen, rule: &Rule| -> usize {
            if cx.pure && !rule.pure {
                return 0;
            }
            if g.focus.contains(&rule.name) {
                return 25;
            }
            let salt =
                rule.name.bytes().fold(g.swarm, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
            rule.weight as usize * [0, 1, 2, 2, 2, 2, 3, 8][(salt >> 40) as usize % 8]
        };
        let sum: usize = rules.iter().map(|r| weight(self, r)).sum();
        if sum == 0 {
            return None;
        }
        let mut left = self.rng.below(sum);
        rules.iter().find(|r| {
            let w = weight(self, r);
            let found = left < w;
            left = left.saturating_sub(w);
            found
        })
    }

    fn let_in(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 2);
        let bound = self.some_type(2, true);
        let value = self.expr(&bound, sizes[0], cx);
        if !cx.pure && self.rng.chance(25) {
            // A mutable variable.
            let name = self.fresh("r");
            let holds = Ty::Ref(Box::new(bound.clone()));
            return self.scoped(|g| {
                g.bind_as(&name, &holds, false, Sort::LocalRef);
                let body = g.expr(ty, sizes[1], cx);
                g.cover("local reference");
                Node::expr(ty, &format!("(let {name} = ref § in §)"), vec![value, body])
            });
        }
        let text = self.type_text(&bound);
        if !cx.pure && self.rng.chance(25) {
            let (pattern, names) = self.irrefutable(&bound, 2);
            return self.scoped(|g| {
                for (name, ty) in &names {
                    g.bind(name, ty);
                }
                let body = g.expr(ty, sizes[1], cx);
                g.cover("let of a pattern");
                Node::expr(ty, &format!("(let ({pattern} : {text}) = § in §)"), vec![value, body])
            });
        }
        let name = self.fresh("x");
        self.scoped(|g| {
            g.bind(&name, &bound);
            let body = g.expr(ty, sizes[1], cx);
            Node::expr(ty, &format!("(let {name} : {text} = § in §)"), vec![value, body])
        })
    }

    /// Statements that change a variable before something may raise, and the variable after it.
    fn try_reference(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 4);
        let name = self.fresh("r");
        let holds = Ty::Ref(Box::new(ty.clone()));
        let start = self.expr(ty, sizes[0], cx);
        self.scoped(|g| {
            g.bind_as(&name, &holds, false, Sort::LocalRef);
            let inner = Cx { floor: cx.floor.min(g.env.len() - 1), ..cx };
            let first = g.expr(ty, sizes[1], inner);
            let first = Node::optional(&format!("{name} := §; "), vec![first]);
            let middle = g.statements(sizes[2], inner);
            let second = g.expr(ty, sizes[1], inner);
            let second = Node::optional(&format!("{name} := §; "), vec![second]);
            let arms = g.handlers(&Ty::Unit, sizes[3], inner);
            Node::expr(
                ty,
                &format!("(let {name} = ref § in (try §§§() with §); !{name})"),
                vec![start, first, middle, second, arms],
            )
        })
    }

    /// A variable that a loop changes.
    fn reference_loop(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 4);
        let (name, index) = (self.fresh("r"), self.fresh("i"));
        let start = self.expr(ty, sizes[0], cx);
        let bound = self.expr(&Ty::Int, sizes[1], cx);
        self.scoped(|g| {
            g.bind_as(&name, &Ty::Ref(Box::new(ty.clone())), false, Sort::LocalRef);
            let (mark, inner) = (g.env.len() - 1, cx.in_loop());
            // The loop is a statement of its own: nothing is evaluated beside it but what is outside of the let.
            let inner = Cx { floor: inner.floor.min(mark), ..inner };
            g.bind(&index, &Ty::Int);
            let body = g.statements(sizes[2], inner);
            let next = g.expr(ty, sizes[3], inner);
            let next = Node::optional(&format!("{name} := §; "), vec![next]);
            let template = match g.rng.below(3) {
                0 => format!(
                    "(let {name} = ref § in for {index} = 0 to Fz.size § do if Fz.more () then (§§()) done; !{name})"
                ),
                1 => format!(
                    "(let {name} = ref § in for {index} = Fz.size § downto 1 do if Fz.more () then (§§()) done; !{name})"
                ),
                _ => format!(
                    "(let {name} = ref § in let c{index} = ref (Fz.size §) in while !c{index} > 0 && Fz.more () do decr c{index}; let {index} = !c{index} in §§() done; !{name})"
                ),
            };
            Node::expr(ty, &template, vec![start, bound, body, next])
        })
    }

    fn local_exception(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let name = self.fresh("L");
        let sizes = self.split(size, 3);
        let payload = self.some_type(1, false);
        let text = self.type_text(&payload);
        let x = self.fresh("x");
        let condition = self.expr(&Ty::Bool, 2, cx);
        let value = self.expr(&payload, sizes[0], cx);
        let body = self.expr(ty, sizes[1], cx);
        let arm = self.scoped(|g| {
            g.bind(&x, &payload);
            g.expr(ty, sizes[2], cx)
        });
        // A type variable may not occur in an exception.
        if payload.has_var() {
            return body;
        }
        Node::expr(
            ty,
            &format!(
                "(let exception {name} of ({text}) in try if § then raise ({name} §) else § with {name} {x} -> §)"
            ),
            vec![condition, value, body, arm],
        )
    }

    /// A value of type `exn`.
    pub(crate) fn exception_value(&mut self, size: i32, cx: Cx) -> Node {
        let standard = ["Not_found", "Exit", "End_of_file", "Division_by_zero", "(Failure \"f\")"];
        if self.exns.is_empty() || self.rng.chance(20) {
            return Node::plain(self.rng.pick::<&str>(&standard), vec![]);
        }
        let n = self.rng.below(self.exns.len());
        let exn = self.exns[n].clone();
        let name = format!("{}{}", self.prefix(exn.unit), exn.name);
        let args = self.operands(&exn.args, size, cx);
        if args.is_empty() {
            return Node::plain(&name, vec![]);
        }
        Node::plain(&format!("({name} ({}))", vec!["§"; args.len()].join(", ")), args)
    }

    /// A field of a record whose field has this type.
    fn field(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let mut found = vec![];
        for (n, decl) in self.types.iter().enumerate() {
            if let Shape::Record { fields, .. } = &decl.shape {
                for field in fields {
                    let mut vars = [None, None, None];
                    if field.ty.matches(ty, &mut vars) {
                        found.push((n, field.name.clone(), vars));
                    }
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (n, field, vars) = self.rng.pick(&found).clone();
        let args = (0..self.types[n].params)
            .map(|i| vars[i].clone().unwrap_or_else(|| self.some_type(1, false)))
            .collect();
        let inner = self.expr(&Ty::Named(n, args), size - 1, cx);
        let prefix = self.prefix(self.types[n].unit);
        Some(Node::expr(ty, &format!("(§.{prefix}{field})"), vec![inner]))
    }

    /// A call, perhaps partial or with more arguments than the function has parameters.
    fn call(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let mut found = vec![];
        for (i, var) in self.env.iter().enumerate() {
            let Ty::Fun(params, result) = &var.ty else { continue };
            for taken in 1..=params.len() {
                let rest = Ty::fun_of(params[taken..].to_vec(), (**result).clone());
                let rest = if taken == params.len() { (**result).clone() } else { rest };
                let partial = taken < params.len();
                if partial && params.iter().any(|p| p.label != Label::None) {
                    continue;
                }
                let mut vars = [None, None, None];
                let fits = if var.poly { rest.matches(ty, &mut vars) } else { rest == *ty };
                if fits {
                    found.push((i, taken, vars));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let recursive: Vec<usize> =
            (0..found.len()).filter(|&k| matches!(self.env[found[k].0].sort, Sort::Recursive(_))).collect();
        let choice = if !recursive.is_empty() && self.rng.chance(40) {
            *self.rng.pick(&recursive)
        } else {
            self.rng.below(found.len()).max(self.rng.below(found.len()))
        };
        let (i, taken, vars) = found[choice].clone();
        let var = self.env[i].clone();
        let Ty::Fun(params, _) = &var.ty else { return None };
        let partial = taken < params.len();
        let instance: Vec<Ty> =
            vars.into_iter().map(|v| v.unwrap_or_else(|| self.some_type(1, false))).collect();
        let params: Vec<Param> = params[..taken]
            .iter()
            .map(|p| Param {
                label: p.label.clone(),
                ty: if var.poly { p.ty.instance(&instance) } else { p.ty.clone() },
            })
            .collect();
        let mut template = format!("({}", self.path(&var));
        match &var.sort {
            Sort::Recursive(fuel) => {
                template.push_str(&format!(" ({fuel} - 1)"));
                self.cover("recursive call");
            }
            Sort::Fuelled => template.push_str(&format!(" {}", self.rng.range(0, 5))),
            Sort::Value | Sort::LocalRef => {}
        }
        // What an optional argument that is left out would have taken stays with the others.
        let kept: Vec<Param> = params
            .into_iter()
            .filter(|p| !(matches!(p.label, Label::Optional(_)) && self.rng.chance(40)))
            .collect();
        let mut tys = vec![];
        for param in &kept {
            match &param.label {
                Label::None => template.push_str(" §"),
                Label::Named(l) => template.push_str(&format!(" ~{l}:§")),
                Label::Optional(l) if self.rng.chance(30) => {
                    template.push_str(&format!(" ?{l}:§"));
                    tys.push(param.ty.clone().opt());
                    continue;
                }
                Label::Optional(l) => template.push_str(&format!(" ~{l}:§")),
            }
            tys.push(param.ty.clone());
        }
        if partial {
            self.cover("partial application as a value");
        }
        let attribute = match self.rng.below(12) {
            0 => "[@inlined]",
            1 => "[@inlined never]",
            2 => "[@specialised]",
            _ => "",
        };
        let args = self.operands(&tys, size, cx);
        if !attribute.is_empty() && !tys.is_empty() {
            self.cover("attribute of a call");
            template = format!(
                "(({}{attribute}){}",
                &template[1..name_end(&template)],
                &template[name_end(&template)..]
            );
        }
        Some(Node::expr(ty, &format!("{template})"), args))
    }

    /// A partial application, named, for an expression that may apply it.
    fn partial(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let i = self.choose_var(|v| match &v.ty {
            Ty::Fun(params, _) => {
                params.len() > 1 && !v.poly && params.iter().all(|p| p.label == Label::None)
            }
            _ => false,
        })?;
        let var = self.env[i].clone();
        let Ty::Fun(params, result) = &var.ty else { return None };
        let taken = self.rng.range(1, params.len() - 1);
        let rest = Ty::fun_of(params[taken..].to_vec(), (**result).clone());
        let sizes = self.split(size, 2);
        let given: Vec<Ty> = params[..taken].iter().map(|p| p.ty.clone()).collect();
        let mut parts = self.operands(&given, sizes[0], cx);
        let fuel = match &var.sort {
            Sort::Recursive(fuel) => format!(" ({fuel} - 1)"),
            Sort::Fuelled => format!(" {}", self.rng.range(0, 5)),
            Sort::Value | Sort::LocalRef => String::new(),
        };
        let (name, path) = (self.fresh("h"), self.path(&var));
        Some(self.scoped(|g| {
            g.bind(&name, &rest);
            parts.push(g.expr(ty, sizes[1], cx));
            let holes = " §".repeat(taken);
            Node::expr(ty, &format!("(let {name} = {path}{fuel}{holes} in §)"), parts)
        }))
    }

    /// A function of the scope of an expression.
    fn local_function(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 2);
        let labels = self.rng.chance(25);
        let params = self.params(labels);
        let result = self.some_type(1, false);
        let name = self.fresh("f");
        let whole = Ty::fun_of(params.clone(), result.clone());
        let definition = self.function(&params, &result, sizes[0], cx, None);
        self.scoped(|g| {
            g.bind(&name, &whole);
            let body = g.expr(ty, sizes[1], cx);
            let attribute = g.function_attribute();
            Node::expr(ty, &format!("(let{attribute} {name}§ in §)"), vec![definition, body])
        })
    }

    /// One or two recursive functions of the scope of an expression.
    fn local_recursion(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 2);
        let (definition, names) = self.recursive_group(sizes[0], cx, false);
        self.scoped(|g| {
            for (name, ty) in &names {
                g.bind_as(name, ty, false, Sort::Fuelled);
            }
            let body = g.expr(ty, sizes[1], cx);
            Node::expr(ty, "(§ in §)", vec![definition, body])
        })
    }

    /// The parameters of a function that is being made.
    pub(crate) fn params(&mut self, labels: bool) -> Vec<Param> {
        // More than the registers hold, now and then.
        let n = if self.rng.chance(5) { self.rng.range(6, 13) } else { self.rng.range(1, 4) };
        let mut params: Vec<Param> = (0..n)
            .map(|_| {
                let ty = self.some_type(2, true);
                let label = match self.rng.below(3) {
                    0 if labels => Label::Named(self.fresh("l")),
                    1 if labels => Label::Optional(self.fresh("o")),
                    _ => Label::None,
                };
                Param { label, ty }
            })
            .collect();
        if labels {
            // An optional parameter needs one found by place behind it.
            params.push(Param { label: Label::None, ty: self.some_type(1, false) });
            self.cover("labels");
        }
        params
    }

    /// The parameters and the body of a function: what stands behind `let f`. With the name of a fuel parameter, a
    /// function that ends when the fuel does.
    pub(crate) fn function(
        &mut self,
        params: &[Param],
        result: &Ty,
        size: i32,
        cx: Cx,
        fuel: Option<&str>,
    ) -> Node {
        let cx = Cx { floor: 0, ..cx };
        self.scoped(|g| {
            let mut text = String::new();
            if let Some(fuel) = fuel {
                text.push_str(&format!(" {fuel}"));
            }
            let mut defaults = vec![];
            // A function that returns a function: calls have more arguments than parameters.
            let plain = params.iter().all(|p| p.label == Label::None);
            let cut = if plain && params.len() > 1 && g.rng.chance(25) {
                g.cover("curried in two steps");
                Some(g.rng.range(1, params.len() - 1))
            } else {
                None
            };
            for (i, param) in params.iter().enumerate() {
                if cut == Some(i) {
                    let n = g.number();
                    text.push_str(&format!(" = Fz.tick {n}; fun"));
                }
                match &param.label {
                    Label::Optional(l) if g.rng.chance(60) => {
                        let name = g.fresh("x");
                        let annotation = g.type_text(&param.ty);
                        text.push_str(&format!(" ?{l}:({name} : {annotation} = §)"));
                        // Without effects: the time of defaults is not promised.
                        defaults.push(g.leaf(&param.ty, cx));
                        g.bind(&name, &param.ty);
                        g.cover("default");
                    }
                    label => {
                        let name = g.fresh("x");
                        if *label == Label::None && g.rng.chance(15) {
                            let annotation = g.type_text(&param.ty);
                            let (pattern, names) = g.irrefutable(&param.ty, 1);
                            text.push_str(&format!(" ({pattern} : {annotation})"));
                            for (name, ty) in &names {
                                g.bind(name, ty);
                            }
                            continue;
                        }
                        text.push_str(&g.param_text(label, &name, &param.ty));
                        g.bind(&name, &optional_inside(label, &param.ty));
                    }
                }
            }
            let annotation = g.type_text(result);
            text.push_str(if cut.is_some() { " -> " } else { " = " });
            if let Some(fuel) = fuel {
                let end = {
                    // At the end of the fuel there is nothing left to call with.
                    let kept = std::mem::take(&mut g.env);
                    g.env = kept.iter().filter(|v| !matches!(v.sort, Sort::Recursive(_))).cloned().collect();
                    let end = g.expr(result, 2, cx.pure());
                    g.env = kept;
                    end
                };
                text.push_str(&format!("(if {fuel} <= 0 || not (Fz.more ()) then § else §)"));
                let body = g.expr(result, size, cx);
                let mut children = defaults;
                children.push(end);
                children.push(body);
                return Node::plain(&text, children);
            }
            text.push_str(&format!("(§ : {annotation})"));
            let body = g.expr(result, size, cx);
            defaults.push(body);
            Node::plain(&text, defaults)
        })
    }
}

/// Where the function's name ends in a call's template.
fn name_end(template: &str) -> usize {
    template.find(' ').unwrap_or(template.len())
}

/// The names of all rules for expressions, each with a type for which it is, if it is not for all.
pub(crate) fn rules_with_types() -> impl Iterator<Item = (&'static str, Option<Ty>)> {
    let own = prims::TABLES.iter().flat_map(|(rules, ty)| rules.iter().map(|rule| (rule.name, ty())));
    let more = library::TABLES.iter().flat_map(|(rules, ty)| rules.iter().map(|rule| (rule.name, ty())));
    own.chain(more).chain(ANY.iter().map(|rule| (rule.name, None)))
}

/// The names of all rules for expressions: what a run of the generator should cover.
pub fn constructs() -> impl Iterator<Item = &'static str> {
    rules_with_types().map(|(name, _)| name)
}
