//! Programs as trees of text: each node is a template with holes, and knows only what shrinking needs to know
//! (its type, or that it may be left out). Whether a shrunk program is still well-typed is not decided here:
//! the compiler decides.

use crate::types::Ty;

/// The mark of a hole in a template; no OCaml program of ours contains it.
pub const HOLE: char = '§';

/// What shrinking may do with a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Nothing.
    Plain,
    /// An expression: it may be replaced by another of the same type.
    Expr(Ty),
    /// A definition, a statement with its semicolon, an arm of a match: it may be left out.
    Optional,
}

/// A piece of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// What stands in a hole.
    Node(Node),
}

/// A tree of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What may be done with it.
    pub role: Role,
    /// Its pieces in order.
    pub parts: Vec<Part>,
}

impl Node {
    /// A template whose holes are filled with `children`, in order. Children for which there is no hole come
    /// at the end, so that lists need no template.
    pub fn fill(role: Role, template: &str, children: Vec<Node>) -> Node {
        let mut parts = Vec::new();
        let mut children = children.into_iter();
        for (index, text) in template.split(HOLE).enumerate() {
            if index > 0
                && let Some(child) = children.next()
            {
                parts.push(Part::Node(child));
            }
            if !text.is_empty() {
                parts.push(Part::Text(text.to_owned()));
            }
        }
        parts.extend(children.map(Part::Node));
        Node { role, parts }
    }

    /// An expression.
    #[must_use]
    pub fn expr(ty: &Ty, template: &str, children: Vec<Node>) -> Node {
        Node::fill(Role::Expr(ty.clone()), template, children)
    }

    /// Something that may be left out.
    #[must_use]
    pub fn optional(template: &str, children: Vec<Node>) -> Node {
        Node::fill(Role::Optional, template, children)
    }

    /// Something that must stay.
    #[must_use]
    pub fn plain(template: &str, children: Vec<Node>) -> Node {
        Node::fill(Role::Plain, template, children)
    }

    /// Appends the text.
    pub fn render(&self, into: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => into.push_str(text),
                Part::Node(node) => node.render(into),
            }
        }
    }

    /// The text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.render(&mut text);
        text
    }

    /// The nodes directly below.
    pub fn children(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().filter_map(|part| match part {
            Part::Node(node) => Some(node),
            Part::Text(_) => None,
        })
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// The node with this number in preorder; the number is counted down during the search.
    pub fn at(&self, number: &mut usize) -> Option<&Node> {
        if *number == 0 {
            return Some(self);
        }
        *number -= 1;
        self.children().find_map(|child| child.at(number))
    }

    /// A copy of the tree in which another node replaces that with this number in preorder.
    #[must_use]
    pub fn replaced(&self, number: &mut usize, by: &Node) -> Node {
        if *number == 0 {
            // Numbers below are taken: no other node is replaced.
            *number = usize::MAX;
            return by.clone();
        }
        if *number == usize::MAX {
            return self.clone();
        }
        *number -= 1;
        let parts = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => Part::Text(text.clone()),
                Part::Node(node) => Part::Node(node.replaced(number, by)),
            })
            .collect();
        Node { role: self.role.clone(), parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum() -> Node {
        let leaf = |text: &str| Node::expr(&Ty::Int, text, vec![]);
        let inner = Node::expr(&Ty::Int, "(§ + §)", vec![leaf("1"), leaf("2")]);
        Node::expr(&Ty::Int, "(§ * §)", vec![inner, leaf("3")])
    }

    #[test]
    fn holes_are_filled_in_order() {
        assert_eq!(sum().to_text(), "((1 + 2) * 3)");
        assert_eq!(sum().size(), 5);
    }

    #[test]
    fn every_node_can_be_replaced() {
        let by = Node::expr(&Ty::Int, "0", vec![]);
        let texts: Vec<String> = (0..5).map(|i| sum().replaced(&mut i.clone(), &by).to_text()).collect();
        assert_eq!(
            texts,
            ["0", "(0 * 3)", "((0 + 2) * 3)", "((1 + 0) * 3)", "((1 + 2) * 0)"].map(String::from)
        );
        assert_eq!(sum().at(&mut 3).map(Node::to_text), Some("2".into()));
        assert!(sum().at(&mut 5).is_none());
    }
}
