//! Patterns, matches and handlers.

use crate::generator::{Cx, Gen};
use crate::tree::Node;
use crate::types::{Shape, Ty, TypeDecl};

/// What a pattern binds.
type Names = Vec<(String, Ty)>;

impl Gen {
    /// A pattern that always matches.
    pub(crate) fn irrefutable(&mut self, ty: &Ty, depth: u32) -> (String, Names) {
        match ty {
            Ty::Tuple(ts) if depth > 0 => {
                let parts: Vec<_> = ts.iter().map(|t| self.irrefutable(t, depth - 1)).collect();
                join(parts, "(", ", ", ")")
            }
            Ty::Named(n, args) if depth > 0 => {
                let decl = self.types[*n].clone();
                match &decl.shape {
                    Shape::Record { fields, .. } => {
                        let tys: Vec<Ty> = fields.iter().map(|f| f.ty.instance(args)).collect();
                        let parts = tys.iter().map(|t| self.irrefutable(t, depth - 1)).collect();
                        self.record_pattern(&decl, parts)
                    }
                    Shape::Variant { .. } => self.variable_pattern(ty),
                }
            }
            Ty::Unit => ("()".into(), vec![]),
            _ => self.variable_pattern(ty),
        }
    }

    fn variable_pattern(&mut self, ty: &Ty) -> (String, Names) {
        if self.rng.chance(20) {
            return ("_".into(), vec![]);
        }
        let name = self.fresh("v");
        (name.clone(), vec![(name, ty.clone())])
    }

    fn record_pattern(&mut self, decl: &TypeDecl, parts: Vec<(String, Names)>) -> (String, Names) {
        let Shape::Record { fields, .. } = &decl.shape else { return ("_".into(), vec![]) };
        let prefix = self.prefix(decl.unit);
        let mut texts = vec![];
        let mut names = vec![];
        for (field, (text, bound)) in fields.iter().zip(parts) {
            if texts.is_empty() || text != "_" {
                texts.push(format!("{prefix}{} = {text}", field.name));
                names.extend(bound);
            }
        }
        let rest = if texts.len() < fields.len() { "; _" } else { "" };
        (format!("{{ {}{rest} }}", texts.join("; ")), names)
    }

    /// A pattern that may fail.
    pub(crate) fn pattern(&mut self, ty: &Ty, depth: u32, names: bool) -> (String, Names) {
        if depth == 0 || self.rng.chance(20) {
            return if names { self.variable_pattern(ty) } else { ("_".into(), vec![]) };
        }
        if self.rng.chance(10) {
            // Both sides bind nothing.
            let (a, _) = self.pattern(ty, depth - 1, false);
            let (b, _) = self.pattern(ty, depth - 1, false);
            self.cover("or-pattern");
            return (format!("({a} | {b})"), vec![]);
        }
        if names && self.rng.chance(8) {
            let (inner, mut bound) = self.pattern(ty, depth - 1, true);
            let name = self.fresh("v");
            bound.push((name.clone(), ty.clone()));
            self.cover("alias pattern");
            return (format!("({inner} as {name})"), bound);
        }
        let literal = match ty {
            Ty::Int => {
                let n = self.rng.below(6).to_string();
                if self.rng.chance(10) { "(-1)".into() } else { n }
            }
            Ty::Char if self.rng.chance(30) => "'a'..'m'".into(),
            Ty::Char => self.char_text(),
            Ty::Str => {
                self.cover("string pattern");
                self.string_text()
            }
            Ty::Bool => (*self.rng.pick(&["true", "false"])).into(),
            Ty::I32 => format!("{}l", self.rng.below(4)),
            Ty::I64 => format!("{}L", self.rng.below(4)),
            Ty::Nat => format!("{}n", self.rng.below(4)),
            Ty::Float => (*self.rng.pick(&["0.", "1.", "0.5"])).into(),
            Ty::Unit => "()".into(),
            _ => return self.structured(ty, depth, names),
        };
        (literal, vec![])
    }

    fn structured(&mut self, ty: &Ty, depth: u32, names: bool) -> (String, Names) {
        match ty {
            Ty::Tuple(ts) => {
                let parts = ts.iter().map(|t| self.pattern(t, depth - 1, names)).collect();
                join(parts, "(", ", ", ")")
            }
            Ty::Opt(_) if self.rng.chance(40) => ("None".into(), vec![]),
            Ty::Opt(t) => join(vec![self.pattern(t, depth - 1, names)], "(Some ", "", ")"),
            Ty::List(t) => {
                let n = self.rng.below(3);
                if self.rng.chance(30) {
                    let parts = (0..n).map(|_| self.pattern(t, depth - 1, names)).collect();
                    return join(parts, "[", "; ", "]");
                }
                let parts = vec![self.pattern(t, depth - 1, names), self.pattern(ty, depth - 1, names)];
                join(parts, "(", " :: ", ")")
            }
            Ty::Array(t) => {
                let n = self.rng.below(4);
                let parts = (0..n).map(|_| self.pattern(t, depth - 1, names)).collect();
                self.cover("array pattern");
                join(parts, "[|", "; ", "|]")
            }
            Ty::Lazy(t) => join(vec![self.pattern(t, depth - 1, names)], "(lazy ", "", ")"),
            Ty::Ref(t) => join(vec![self.pattern(t, depth - 1, names)], "{ contents = ", "", " }"),
            Ty::Named(n, args) => {
                let decl = self.types[*n].clone();
                match &decl.shape {
                    Shape::Record { fields, .. } => {
                        let tys: Vec<Ty> = fields.iter().map(|f| f.ty.instance(args)).collect();
                        let parts = tys.iter().map(|t| self.pattern(t, depth - 1, names)).collect();
                        self.record_pattern(&decl, parts)
                    }
                    Shape::Variant { constructors, polymorphic } => {
                        let chosen = self.rng.pick(constructors).clone();
                        let prefix = if *polymorphic { String::new() } else { self.prefix(decl.unit) };
                        let name = format!("{prefix}{}", chosen.name);
                        let parts: Vec<_> = chosen
                            .args
                            .iter()
                            .map(|t| self.pattern(&t.instance(args), depth - 1, names))
                            .collect();
                        if parts.is_empty() {
                            return (name, vec![]);
                        }
                        let Some(fields) = &chosen.record else {
                            return join(parts, &format!("({name} ("), ", ", "))");
                        };
                        let parts = parts
                            .into_iter()
                            .zip(fields)
                            .map(|((text, bound), field)| (format!("{field} = {text}"), bound))
                            .collect();
                        join(parts, &format!("({name} {{ "), "; ", " })")
                    }
                }
            }
            _ if names => self.variable_pattern(ty),
            _ => ("_".into(), vec![]),
        }
    }

    /// The arms of a match, of which the last one always matches.
    pub(crate) fn arms(&mut self, of: &Ty, result: &Ty, size: i32, cx: Cx) -> Node {
        let n = self.rng.range(1, 4);
        let sizes = self.split(size, n + 1);
        let mut arms = vec![];
        for &size in &sizes[1..] {
            let (pattern, names) = self.pattern(of, 3, true);
            arms.push(self.arm(&pattern, &names, result, size, cx));
        }
        let (pattern, names) = self.irrefutable(of, 1);
        let mut last = self.arm(&pattern, &names, result, sizes[0], Cx { ..cx });
        // A guard on the last arm would leave values unmatched; that is allowed, and rare.
        last.role = crate::tree::Role::Plain;
        arms.push(last);
        Node::plain("", arms)
    }

    fn arm(&mut self, pattern: &str, names: &Names, result: &Ty, size: i32, cx: Cx) -> Node {
        self.scoped(|g| {
            for (name, ty) in names {
                g.bind(name, ty);
            }
            if g.rng.chance(20) {
                let guard = g.expr(&Ty::Bool, size.min(4), cx);
                let body = g.expr(result, size, cx);
                g.cover("guard");
                return Node::optional(&format!(" | {pattern} when § -> §"), vec![guard, body]);
            }
            let body = g.expr(result, size, cx);
            Node::optional(&format!(" | {pattern} -> §"), vec![body])
        })
    }

    pub(crate) fn match_on(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 3);
        if self.rng.chance(30) {
            let of = vec![self.some_type(1, false), self.some_type(2, false)];
            let pair = Ty::Tuple(of.clone());
            let mut parts = self.operands(&of, sizes[0], cx);
            parts.push(self.arms(&pair, ty, size - sizes[0], cx));
            self.cover("match on a tuple");
            let text = self.type_text(&pair);
            return Node::expr(ty, &format!("(match ((§, §) : {text}) with§)"), parts);
        }
        let of = self.some_type(2, false);
        let parts = vec![self.expr(&of, sizes[0], cx), self.arms(&of, ty, size - sizes[0], cx)];
        let text = self.type_text(&of);
        Node::expr(ty, &format!("(match (§ : {text}) with§)"), parts)
    }

    /// The arms of a handler.
    pub(crate) fn handlers(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        self.handler_arms(ty, size, cx, "")
    }

    fn handler_arms(&mut self, ty: &Ty, size: i32, cx: Cx, word: &str) -> Node {
        let n = self.rng.range(1, 3);
        let sizes = self.split(size, n + 1);
        let mut arms = vec![];
        for &size in &sizes[1..] {
            let (pattern, names) = self.exception_pattern();
            arms.push(self.arm(&format!("{word}{pattern}"), &names, ty, size, cx));
        }
        if self.rng.chance(50) {
            let name = self.fresh("e");
            let n = self.number();
            let body = self.expr(ty, sizes[0], cx);
            let template = match self.rng.below(3) {
                0 => format!(" | {word}{name} -> Fz.say \"exn{n}\" (Fz.s_exn {name}); §"),
                1 => format!(" | {word}({name} : exn) -> Fz.tick {n}; §"),
                _ => format!(" | {word}{name} when Fz.tr {n} ({name} = Exit) -> raise {name} | {word}_ -> §"),
            };
            // A comparison of exceptions may fail on functions: physical equality instead.
            let template = template.replace("= Exit", "== Exit");
            arms.push(Node::optional(&template, vec![body]));
        }
        Node::plain("", arms)
    }

    fn exception_pattern(&mut self) -> (String, Names) {
        if self.exns.is_empty() || self.rng.chance(40) {
            return match self.rng.below(6) {
                0 => ("Not_found".into(), vec![]),
                1 => ("Division_by_zero".into(), vec![]),
                2 => ("(Exit | End_of_file)".into(), vec![]),
                3 => {
                    let name = self.fresh("v");
                    (format!("Failure {name}"), vec![(name, Ty::Str)])
                }
                4 => ("Invalid_argument \"index out of bounds\"".into(), vec![]),
                _ => {
                    let name = self.fresh("v");
                    (format!("(Invalid_argument {name})"), vec![(name, Ty::Str)])
                }
            };
        }
        let n = self.rng.below(self.exns.len());
        let exn = self.exns[n].clone();
        let name = format!("{}{}", self.prefix(exn.unit), exn.name);
        if exn.args.is_empty() {
            return (name, vec![]);
        }
        let parts = exn.args.iter().map(|t| self.pattern(t, 1, true)).collect();
        join(parts, &format!("{name} ("), ", ", ")")
    }

    pub(crate) fn try_with(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 2);
        let parts = vec![self.expr(ty, sizes[0], cx), self.handlers(ty, sizes[1], cx)];
        Node::expr(ty, "(try § with§)", parts)
    }

    pub(crate) fn match_exception(&mut self, ty: &Ty, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 3);
        let of = self.some_type(2, false);
        let text = self.type_text(&of);
        let value = self.expr(&of, sizes[0], cx);
        let arms = self.arms(&of, ty, sizes[1], cx);
        let handlers = self.handler_arms(ty, sizes[2], cx, "exception ");
        Node::expr(ty, &format!("(match (§ : {text}) with§§)"), vec![value, arms, handlers])
    }
}

fn join(parts: Vec<(String, Names)>, open: &str, between: &str, close: &str) -> (String, Names) {
    let (texts, names): (Vec<String>, Vec<Names>) = parts.into_iter().unzip();
    (format!("{open}{}{close}", texts.join(between)), names.into_iter().flatten().collect())
}
