//! Templates with named holes.

use crate::tree::{Node, Part, Role};
use crate::types::Ty;

/// A definition or statement: it may be left out. Each `$name` in the text is replaced by the value of that name.
pub(crate) fn filled(text: &str, values: &[(&str, Node)]) -> Node {
    node(Role::Optional, text, values)
}

/// An expression of type `int`.
pub(crate) fn int(text: &str, values: &[(&str, Node)]) -> Node {
    node(Role::Expr(Ty::Int), text, values)
}

/// A node that shrinking must not replace: an expression of another type, a pattern, a part of a definition.
pub(crate) fn plain(text: &str, values: &[(&str, Node)]) -> Node {
    node(Role::Plain, text, values)
}

fn node(role: Role, text: &str, values: &[(&str, Node)]) -> Node {
    let mut parts = vec![];
    let mut rest = text;
    while let Some(start) = rest.find('$') {
        parts.push(Part::Text(rest[..start].to_owned()));
        rest = &rest[start + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = &rest[..end];
        match values.iter().find(|(of, _)| *of == name) {
            Some((_, value)) => parts.push(Part::Node(value.clone())),
            // A hole without a value stays, and no compiler accepts it.
            None => parts.push(Part::Text(format!("${name}"))),
        }
        rest = &rest[end..];
    }
    parts.push(Part::Text(rest.to_owned()));
    Node { role, parts }
}

impl From<&str> for Node {
    fn from(text: &str) -> Node {
        Node::plain(text, vec![])
    }
}

impl From<&String> for Node {
    fn from(text: &String) -> Node {
        Node::plain(text, vec![])
    }
}

impl From<String> for Node {
    fn from(text: String) -> Node {
        Node::plain(&text, vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let node = filled("let $f x = $body + $body", &[("f", "f1".into()), ("body", int("x", &[]))]);
        assert_eq!(node.to_text(), "let f1 x = x + x");
        assert_eq!(node.size(), 4);
    }
}
