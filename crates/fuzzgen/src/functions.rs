//! Functions and their calls: parameters with labels and defaults, partial applications, recursion with fuel.

use crate::generator::{Cx, Gen, Sort};
use crate::literals::optional_inside;
use crate::tree::Node;
use crate::types::{Label, Param, Ty};

impl Gen {
    /// A call, perhaps partial or with more arguments than the function has parameters.
    pub(crate) fn call(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
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
        // The size that an optional argument would have taken is left to the others when it is omitted.
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
    pub(crate) fn partial(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
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
        let applied: Vec<Ty> = params[..taken].iter().map(|p| p.ty.clone()).collect();
        let mut parts = self.operands(&applied, sizes[0], cx);
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
    pub(crate) fn local_function(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 2);
        let labels = self.rng.chance(25);
        let params = self.params(labels);
        let result = self.some_type(1, false);
        let name = self.fresh("f");
        let ty_of_function = Ty::fun_of(params.clone(), result.clone());
        let definition = self.function(&params, &result, sizes[0], cx, None);
        self.scoped(|g| {
            g.bind(&name, &ty_of_function);
            let body = g.expr(ty, sizes[1], cx);
            let attribute = g.function_attribute();
            Node::expr(ty, &format!("(let{attribute} {name}§ in §)"), vec![definition, body])
        })
    }

    /// One or two recursive functions of the scope of an expression.
    pub(crate) fn local_recursion(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
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

    /// The parameters of a function that is being generated.
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
            // An optional parameter needs a positional one behind it.
            params.push(Param { label: Label::None, ty: self.some_type(1, false) });
            self.cover("labels");
        }
        params
    }

    /// The parameters and the body of a function: what follows `let f`. With the name of a fuel parameter, a function
    /// that ends when the fuel does.
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

/// The end of the function's name in a call's template.
fn name_end(template: &str) -> usize {
    template.find(' ').unwrap_or(template.len())
}
