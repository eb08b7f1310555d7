//! Which constructs and primitives a term has: a fuzzer that never sees one tests nothing of it.

use std::collections::BTreeMap;

use crate::prim::Primitive;
use crate::term::{Constant, Node, Term};

/// How often each construct and primitive occurs.
pub type Coverage = BTreeMap<String, u64>;

/// The constructs and primitives of a term. A primitive is counted under its name and the data that decide which
/// code it becomes; numbers (fields, tags) are left out.
#[must_use]
pub fn of(term: &Term) -> Coverage {
    let mut coverage = Coverage::new();
    for node in &term.nodes {
        *coverage.entry(name(node)).or_default() += 1;
        if let Node::Const(constants) = node {
            for step in &constants.steps {
                *coverage.entry(format!("const {}", constant(step))).or_default() += 1;
            }
        }
    }
    coverage
}

fn name(node: &Node) -> String {
    match node {
        Node::Var(_) => "var".into(),
        Node::MutVar(_) => "mutvar".into(),
        Node::Const(_) => "const".into(),
        Node::Apply { args, .. } => format!("apply of {}", few(args.len())),
        Node::Function(f) if f.is_functor => "functor".into(),
        Node::Function(f) if f.stub => "function, stub".into(),
        Node::Function(f) if f.tupled => "function, tupled".into(),
        Node::Function(f) => format!("function of {}", few(f.params.len())),
        Node::Let { strict, .. } => format!("let {strict:?}"),
        Node::MutLet { kind, .. } => format!("let mutable {kind:?}"),
        Node::LetRec { defs, .. } => format!("letrec of {}", few(defs.len())),
        Node::Prim { prim, .. } => primitive(prim),
        Node::Switch(switch) => {
            let kinds = match (switch.num_consts, switch.num_blocks) {
                (0, _) => "blocks",
                (_, 0) => "constants",
                _ => "both",
            };
            format!("switch on {kinds}{}", if switch.fail.is_some() { ", default" } else { "" })
        }
        Node::StringSwitch { .. } => "stringswitch".into(),
        Node::StaticRaise { args, .. } => format!("staticraise of {}", few(args.len())),
        Node::StaticCatch { params, .. } => format!("staticcatch of {}", few(params.len())),
        Node::TryWith { .. } => "try".into(),
        Node::IfThenElse { .. } => "if".into(),
        Node::Sequence { .. } => "sequence".into(),
        Node::While { .. } => "while".into(),
        Node::For { downto, .. } => if *downto { "for downto" } else { "for to" }.into(),
        Node::Assign { .. } => "assign".into(),
        Node::Send { kind, .. } => format!("send {kind:?}"),
        Node::SymbolCall { .. } => "call of a symbol".into(),
        Node::Event { .. } => "event".into(),
        Node::IfUsed { .. } => "ifused".into(),
    }
}

fn few(count: usize) -> String {
    if count > 6 { "many".into() } else { count.to_string() }
}

fn constant(constant: &Constant) -> &'static str {
    match constant {
        Constant::Int(_) => "int",
        Constant::Float(_) => "float",
        Constant::Int32(_) => "int32",
        Constant::Int64(_) => "int64",
        Constant::Nativeint(_) => "nativeint",
        Constant::String { shared: true, .. } => "string",
        Constant::String { shared: false, .. } => "string, unshared",
        Constant::Block { .. } => "block",
        Constant::FloatArray(_) => "float array",
    }
}

/// The text of a primitive without its numbers: they become `_`. Strings stay: the name of a C function is what it is.
fn primitive(prim: &Primitive) -> String {
    if let Primitive::CCall(external) = prim {
        return format!("CCall {}", external.name);
    }
    let text = format!("{prim:?}");
    let (mut result, mut word) = (String::new(), String::new());
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            word.push(c);
            continue;
        }
        result.push_str(if word.parse::<i64>().is_ok() { "_" } else { &word });
        word.clear();
        result.push(c);
    }
    result.pop();
    result
}

pub use crate::prim::NAMES as PRIMITIVES;

/// The names of all constructs, without their data.
pub const CONSTRUCTS: &[&str] = &[
    "var",
    "mutvar",
    "const",
    "apply",
    "function",
    "function, stub",
    "function, tupled",
    "functor",
    "let",
    "let mutable",
    "letrec",
    "switch",
    "stringswitch",
    "staticraise",
    "staticcatch",
    "try",
    "if",
    "sequence",
    "while",
    "for to",
    "for downto",
    "assign",
    "send",
    "event",
    "ifused",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::{ArrayKind, Initialization};

    #[test]
    fn numbers_are_left_out_and_what_decides_stays() {
        let store = Primitive::SetField { field: 7, pointer: true, init: Initialization::Assignment };
        assert_eq!(primitive(&store), "SetField { field: _, pointer: true, init: Assignment }");
        let load = Primitive::ArrayRef { kind: ArrayKind::Gen, safe: false };
        assert_eq!(primitive(&load), "ArrayRef { kind: Gen, safe: false }");
        assert_eq!(primitive(&Primitive::OffsetInt(-3)), "OffsetInt(_)");
    }

    #[test]
    fn every_opcode_has_a_name() {
        // The byte of data after the opcode means something for every primitive.
        for (opcode, name) in PRIMITIVES.iter().enumerate() {
            let bytes = [opcode as u8, 0, 0, 0, 0, 0, 0, 0, 0];
            let prim = Primitive::decode(&mut crate::Reader::new(&bytes)).expect("a primitive");
            assert!(primitive(&prim).starts_with(name), "{prim:?}");
        }
    }
}
