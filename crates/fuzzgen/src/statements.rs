//! Statements: each ends with a semicolon, so that any of them may be left out.

use crate::generator::{Cx, Gen, Sort};
use crate::tree::Node;
use crate::types::{Shape, Ty};

impl Gen {
    /// Some statements, to be followed by an expression.
    pub(crate) fn statements(&mut self, size: i32, cx: Cx) -> Node {
        if cx.pure {
            return Node::plain("", vec![]);
        }
        let n = if size > 8 { self.rng.range(1, 3) } else { 1 };
        let sizes = self.split(size, n);
        let all = sizes.into_iter().map(|size| self.statement(size, cx)).collect();
        Node::plain("", all)
    }

    fn statement(&mut self, size: i32, cx: Cx) -> Node {
        for _ in 0..4 {
            let statement = match self.rng.below(24) {
                0..=5 => self.assignment(size, cx),
                6..=8 => self.store(size, cx),
                9 | 10 => Some(self.say(size, cx)),
                11 | 12 => {
                    let n = self.number();
                    self.cover("tick");
                    Some(Node::optional(&format!("Fz.tick {n}; "), vec![]))
                }
                13 | 14 => {
                    let sizes = self.split(size, 2);
                    let parts = vec![self.expr(&Ty::Bool, sizes[0], cx), self.statements(sizes[1], cx)];
                    self.cover("if without else");
                    Some(Node::optional("if § then begin §() end; ", parts))
                }
                15 | 16 if cx.loops < 2 => Some(self.for_loop(size, cx)),
                17 => {
                    let what = *self.rng.pick(&["Fz.minor (); ", "Fz.minor (); ", "Fz.major (); "]);
                    self.cover("collection");
                    Some(Node::optional(what, vec![]))
                }
                18 => {
                    let of = self.some_type(2, true);
                    let inner = self.expr(&of, size - 1, cx);
                    self.cover("ignored expression");
                    Some(Node::optional("ignore §; ", vec![inner]))
                }
                19 => {
                    let of = self.some_type(1, false);
                    let f = Ty::fun(vec![of.clone()], Ty::Unit);
                    let module = *self.rng.pick(&["List", "Array"]);
                    let over = if module == "List" { of.list() } else { of.array() };
                    let parts = self.operands(&[f, over], size, cx);
                    self.cover("iter");
                    Some(Node::optional(&format!("{module}.iter § §; "), parts))
                }
                20 | 21 => {
                    let sizes = self.split(size, 2);
                    let body = self.statements(sizes[0], cx);
                    let value = self.expr(&Ty::Unit, sizes[0], cx);
                    let arms = self.handlers(&Ty::Unit, sizes[1], cx);
                    self.cover("try statement");
                    Some(Node::optional("(try §§ with §); ", vec![body, value, arms]))
                }
                22 => {
                    let sizes = self.split(size, 2);
                    let parts = vec![self.expr(&Ty::Bool, sizes[0], cx), self.expr(&Ty::Unit, sizes[1], cx)];
                    self.cover("assert");
                    Some(Node::optional("(try assert § with Assert_failure _ -> §); ", parts))
                }
                _ => {
                    let inner = self.expr(&Ty::Unit, size - 1, cx);
                    Some(Node::optional("§; ", vec![inner]))
                }
            };
            if let Some(statement) = statement {
                return statement;
            }
        }
        let n = self.number();
        Node::optional(&format!("Fz.tick {n}; "), vec![])
    }

    /// Prints the value of an expression.
    pub(crate) fn say(&mut self, size: i32, cx: Cx) -> Node {
        let of = self.some_type(2, false);
        let n = self.number();
        let shower = self.shower(&of);
        let inner = self.expr(&of, size - 1, cx);
        self.cover("say");
        Node::optional(&format!("Fz.say \"s{n}\" ({shower} §); "), vec![inner])
    }

    /// `r := e`
    fn assignment(&mut self, size: i32, cx: Cx) -> Option<Node> {
        let floor = cx.floor;
        let allowed: Vec<usize> = (0..self.env.len())
            .filter(|&i| {
                let var = &self.env[i];
                matches!(var.ty, Ty::Ref(_))
                    && !var.poly
                    && (var.sort == Sort::Value || (var.sort == Sort::LocalRef && i >= floor))
            })
            .collect();
        if allowed.is_empty() {
            return None;
        }
        let i = allowed[self.rng.below(allowed.len()).max(self.rng.below(allowed.len()))];
        let var = self.env[i].clone();
        let Ty::Ref(of) = &var.ty else { return None };
        let value = self.expr(of, size - 1, cx);
        self.cover(if var.sort == Sort::LocalRef {
            "assign a local reference"
        } else {
            "assign a reference"
        });
        Some(Node::optional(&format!("{} := §; ", self.path(&var)), vec![value]))
    }

    /// Stores into arrays, records, bytes.
    fn store(&mut self, size: i32, cx: Cx) -> Option<Node> {
        match self.rng.below(4) {
            0 | 1 => {
                let of = match self.choose_var(|v| matches!(v.ty, Ty::Array(_)) && !v.poly) {
                    Some(i) => match &self.env[i].ty {
                        Ty::Array(of) => (**of).clone(),
                        _ => return None,
                    },
                    None => self.some_type(1, false),
                };
                let parts = self.operands(&[of.clone().array(), Ty::Int, of], size, cx);
                self.cover("array set");
                Some(Node::optional("(§.(§) <- §); ", parts))
            }
            2 => {
                let parts = self.operands(&[Ty::Bytes, Ty::Int, Ty::Char], size.min(6), cx.pure());
                self.cover("bytes set");
                Some(Node::optional("(Bytes.set § § §); ", parts))
            }
            _ => {
                let mut found = vec![];
                for (n, decl) in self.types.iter().enumerate() {
                    if let Shape::Record { fields, .. } = &decl.shape {
                        found.extend(fields.iter().filter(|f| f.mutable).map(|f| (n, f.clone())));
                    }
                }
                if found.is_empty() {
                    return None;
                }
                let (n, field) = self.rng.pick(&found).clone();
                let args: Vec<Ty> = (0..self.types[n].params).map(|_| self.some_type(1, false)).collect();
                let prefix = self.prefix(self.types[n].unit);
                let of = field.ty.instance(&args);
                let parts = self.operands(&[Ty::Named(n, args), of], size, cx);
                self.cover("field set");
                Some(Node::optional(&format!("(§.{prefix}{} <- §); ", field.name), parts))
            }
        }
    }

    fn for_loop(&mut self, size: i32, cx: Cx) -> Node {
        let sizes = self.split(size, 3);
        let index = self.fresh("i");
        let bounds = self.operands(&[Ty::Int, Ty::Int], sizes[0], cx);
        let body = self.scoped(|g| {
            g.bind(&index, &Ty::Int);
            g.statements(sizes[1] + sizes[2], cx.in_loop())
        });
        let mut parts = bounds;
        parts.push(body);
        self.cover("for loop");
        let template = if self.rng.chance(60) {
            format!("for {index} = Fz.size § - 2 to Fz.size § do if Fz.more () then begin §() end done; ")
        } else {
            format!("for {index} = Fz.size § downto Fz.size § - 3 do if Fz.more () then begin §() end done; ")
        };
        Node::optional(&template, parts)
    }
}
