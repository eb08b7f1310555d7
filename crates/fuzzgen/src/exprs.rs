//! Expressions of any type: binding, control, calls, access to data.

use crate::generator::{Cx, Gen, Sort};
use crate::library;
use crate::prims;
use crate::tree::Node;
use crate::types::{Shape, Ty};

/// A rule that generates expressions of a type.
pub(crate) struct Rule {
    /// The name of the rule in the coverage.
    pub name: &'static str,
    /// How often the rule is chosen, compared with others.
    pub weight: u32,
    /// Whether the expression has no effect and can't fail if its parts have none and can't.
    pub pure: bool,
    /// Generates an expression; `None` when there is none here.
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
    effect("call", 12, Gen::call),
    effect("partial application", 4, Gen::partial),
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
        if let Some(i) = found {
            Some(Node::expr(ty, &format!("(!{})", g.path(&g.env[i])), vec![]))
        } else {
            let inner = g.expr(&wanted, size - 1, cx);
            Some(Node::expr(ty, "(!§)", vec![inner]))
        }
    }),
    effect("field", 8, Gen::field),
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
    effect("unpack a module", 2, Gen::unpack),
    effect("method call", 6, Gen::method_call),
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
