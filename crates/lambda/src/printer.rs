//! Printing Lambda as S-expressions, for `-dflambeau-lambda`.

use std::fmt::Write;

use crate::term::{Constant, Constants, Ident, Node, NodeId, Term, ValueKind};

/// The text of a term, one construct a line, indented by depth (up to a limit: deep terms stay readable
/// and linear in size).
#[must_use]
pub fn print(term: &Term) -> String {
    let mut printer = Printer { term, out: String::new() };
    if !term.nodes.is_empty() {
        printer.run();
    }
    printer.out
}

/// Indentation stops growing there.
const MAX_INDENT: usize = 40;

struct Printer<'a> {
    term: &'a Term,
    out: String,
}

/// What remains to be printed.
enum Step {
    Node(NodeId, usize),
    Text(String, usize),
    Close,
}

impl Printer<'_> {
    fn run(&mut self) {
        let mut stack = vec![Step::Node(self.term.root(), 0)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Close => self.out.push(')'),
                Step::Text(text, depth) => {
                    self.line(depth);
                    self.out.push_str(&text);
                }
                Step::Node(id, depth) => {
                    self.line(depth);
                    let (head, children) = self.describe(id);
                    if children.is_empty() {
                        self.out.push_str(&head);
                        continue;
                    }
                    self.out.push('(');
                    self.out.push_str(&head);
                    stack.push(Step::Close);
                    for (label, child) in children.into_iter().rev() {
                        stack.push(Step::Node(child, depth + 1));
                        if let Some(label) = label {
                            stack.push(Step::Text(label, depth + 1));
                        }
                    }
                }
            }
        }
        self.out.push('\n');
    }

    fn line(&mut self, depth: usize) {
        if depth > 0 {
            let _ = write!(self.out, "\n{:width$}", "", width = 2 * depth.min(MAX_INDENT));
        }
    }

    fn ident(&self, id: Ident) -> String {
        match self.term.idents.get(id.0 as usize) {
            Some((name, stamp)) => format!("{name}/{stamp}"),
            None => format!("?{}", id.0),
        }
    }

    fn params(&self, params: &[(Ident, ValueKind)]) -> String {
        let one = |(id, kind): &(Ident, ValueKind)| match kind {
            ValueKind::Generic => self.ident(*id),
            kind => format!("{}: {}", self.ident(*id), format!("{kind:?}").to_lowercase()),
        };
        params.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// The head of a node, and its children with their labels.
    fn describe(&self, id: NodeId) -> (String, Vec<(Option<String>, NodeId)>) {
        let plain = |nodes: &[NodeId]| nodes.iter().map(|n| (None, *n)).collect::<Vec<_>>();
        match self.term.node(id) {
            Node::Var(id) => (self.ident(*id), vec![]),
            Node::MutVar(id) => (format!("*{}", self.ident(*id)), vec![]),
            Node::Const(constants) => (constant(constants), vec![]),
            Node::Apply { func, args, .. } => {
                let mut children = plain(&[*func]);
                children.extend(plain(args));
                ("apply".into(), children)
            }
            Node::Function(f) => {
                let kind = if f.tupled { "function-tupled" } else { "function" };
                (format!("{kind} ({})", self.params(&f.params)), plain(&[f.body]))
            }
            Node::Let { id, def, body, .. } => (format!("let {}", self.ident(*id)), plain(&[*def, *body])),
            Node::MutLet { id, def, body, .. } => {
                (format!("let mutable {}", self.ident(*id)), plain(&[*def, *body]))
            }
            Node::LetRec { defs, body } => {
                let mut children: Vec<_> =
                    defs.iter().map(|(id, def)| (Some(format!("{} =", self.ident(*id))), *def)).collect();
                children.push((Some("in".into()), *body));
                ("letrec".into(), children)
            }
            Node::Prim { prim, args, .. } => (format!("{prim:?}"), plain(args)),
            Node::Switch(switch) => {
                let mut children = plain(&[switch.scrutinee]);
                children.extend(switch.consts.iter().map(|(key, n)| (Some(format!("case {key}:")), *n)));
                children.extend(switch.blocks.iter().map(|(key, n)| (Some(format!("case tag {key}:")), *n)));
                children.extend(switch.fail.map(|n| (Some("default:".into()), n)));
                ("switch".into(), children)
            }
            Node::StringSwitch { scrutinee, arms, default, .. } => {
                let mut children = plain(&[*scrutinee]);
                children.extend(
                    arms.iter()
                        .map(|(key, n)| (Some(format!("case {:?}:", String::from_utf8_lossy(key))), *n)),
                );
                children.extend(default.map(|n| (Some("default:".into()), n)));
                ("stringswitch".into(), children)
            }
            Node::StaticRaise { label, args } => (format!("(exit {label})"), plain(args)),
            Node::StaticCatch { body, label, params, handler } => {
                let with = format!("with ({label} {})", self.params(params));
                ("catch".into(), vec![(None, *body), (Some(with), *handler)])
            }
            Node::TryWith { body, id, handler } => {
                ("try".into(), vec![(None, *body), (Some(format!("with {}", self.ident(*id))), *handler)])
            }
            Node::IfThenElse { cond, then_, else_ } => ("if".into(), plain(&[*cond, *then_, *else_])),
            Node::Sequence { first, second } => ("seq".into(), plain(&[*first, *second])),
            Node::While { cond, body } => ("while".into(), plain(&[*cond, *body])),
            Node::For { id, from, to, downto, body } => {
                let direction = if *downto { "downto" } else { "to" };
                (format!("for {} {direction}", self.ident(*id)), plain(&[*from, *to, *body]))
            }
            Node::Assign { id, value } => (format!("assign {}", self.ident(*id)), plain(&[*value])),
            Node::Send { kind, method, object, args, .. } => {
                let mut children = plain(&[*method, *object]);
                children.extend(plain(args));
                (format!("send {kind:?}"), children)
            }
            Node::SymbolCall { symbol, args, .. } => (format!("call {symbol}"), plain(args)),
            Node::Event { body, .. } => ("event".into(), plain(&[*body])),
            Node::IfUsed { id, body } => (format!("ifused {}", self.ident(*id)), plain(&[*body])),
        }
    }
}

/// The root of a constant: its parts are printed as numbers of earlier steps.
fn constant(constants: &Constants) -> String {
    match constants.steps.last() {
        Some(Constant::Int(n)) => n.to_string(),
        Some(Constant::Float(bits)) => format!("{:?}", f64::from_bits(*bits)),
        Some(Constant::Int32(n)) => format!("{n}l"),
        Some(Constant::Int64(n)) => format!("{n}L"),
        Some(Constant::Nativeint(n)) => format!("{n}n"),
        Some(Constant::String { contents, .. }) => format!("{:?}", String::from_utf8_lossy(contents)),
        Some(Constant::Block { tag, fields }) => {
            format!("[{tag}: {} fields, {} parts]", fields.len(), constants.steps.len() - 1)
        }
        Some(Constant::FloatArray(elements)) => format!("[|{} floats|]", elements.len()),
        None => "?".into(),
    }
}
