//! Which values may be the same: classes of values that flow into each other, whatever the order (Steensgaard).
//!
//! A class knows its fields, which are classes, whether values of it leave the unit, and whether their layout is what
//! others rely on.

use smallvec::SmallVec;

/// A value: a variable, a symbol, what is captured in a slot, a function's result, or what a field of a class holds.
pub(crate) type Node = u32;

/// The field that stands for all elements of an array, after all fields.
pub(crate) const ELEMENT: u32 = u32::MAX;

#[derive(Default)]
struct Class {
    /// Values may be read where nobody sees it, or come from there.
    escapes: bool,
    /// Some value is no block that the unit lays out: a closure, the module block.
    is_fixed: bool,
    /// Some value is taken for an array.
    is_array: bool,
    /// What the fields hold, by increasing number of the field.
    fields: SmallVec<[(u32, Node); 2]>,
    /// How many values are in the class, so that the larger one takes the smaller.
    size: u32,
}

/// Classes of values.
pub(crate) struct Classes {
    parents: Vec<Node>,
    classes: Vec<Class>,
}

impl Classes {
    /// So many values, each in a class of its own.
    pub fn new(count: usize) -> Classes {
        let mut classes = Classes { parents: Vec::with_capacity(count), classes: Vec::with_capacity(count) };
        (0..count).for_each(|_| {
            classes.push();
        });
        classes
    }

    fn push(&mut self) -> Node {
        let node = self.parents.len() as Node;
        self.parents.push(node);
        self.classes.push(Class { size: 1, ..Class::default() });
        node
    }

    /// The class of a value, by one of its values.
    pub fn find(&mut self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            let next = self.parents[node as usize];
            self.parents[node as usize] = self.parents[next as usize];
            node = next;
        }
        node
    }

    /// The two values may be the same.
    pub fn unify(&mut self, a: Node, b: Node) {
        let mut pending: SmallVec<[(Node, Node); 8]> = SmallVec::from_slice(&[(a, b)]);
        while let Some((a, b)) = pending.pop() {
            let (mut a, mut b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            if self.classes[a as usize].size < self.classes[b as usize].size {
                std::mem::swap(&mut a, &mut b);
            }
            self.parents[b as usize] = a;
            let from = std::mem::take(&mut self.classes[b as usize]);
            let into = &mut self.classes[a as usize];
            into.size += from.size;
            into.escapes |= from.escapes;
            into.is_fixed |= from.is_fixed;
            into.is_array |= from.is_array;
            for (field, node) in from.fields {
                match into.fields.binary_search_by_key(&field, |(known, _)| *known) {
                    Ok(at) => pending.push((into.fields[at].1, node)),
                    Err(at) => into.fields.insert(at, (field, node)),
                }
            }
        }
    }

    /// What a field of a value holds.
    pub fn field(&mut self, node: Node, field: u32) -> Node {
        let root = self.find(node) as usize;
        match self.classes[root].fields.binary_search_by_key(&field, |(known, _)| *known) {
            Ok(at) => self.classes[root].fields[at].1,
            Err(at) => {
                let node = self.push();
                self.classes[root].fields.insert(at, (field, node));
                node
            }
        }
    }

    /// Records that a value may be seen outside, or is from there.
    pub fn escape(&mut self, node: Node) {
        let root = self.find(node) as usize;
        self.classes[root].escapes = true;
    }

    /// Records that the layout of a value is not ours to choose.
    pub fn fix(&mut self, node: Node) {
        let root = self.find(node) as usize;
        self.classes[root].is_fixed = true;
    }

    /// Records that a value is taken for an array.
    pub fn take_for_array(&mut self, node: Node) {
        let root = self.find(node) as usize;
        self.classes[root].is_array = true;
    }

    /// What is reachable from what is seen outside is seen outside, too. Which fields are read of a block that is taken
    /// for an array nobody knows.
    pub fn propagate(&mut self) {
        for class in &mut self.classes {
            let is_array = class.fields.last().is_some_and(|(field, _)| *field == ELEMENT);
            class.escapes |= is_array && class.fields.len() > 1;
        }
        let roots = (0..self.parents.len() as Node).filter(|node| self.parents[*node as usize] == *node);
        let mut pending: Vec<Node> = roots.filter(|root| self.classes[*root as usize].escapes).collect();
        while let Some(root) = pending.pop() {
            let fields: SmallVec<[Node; 4]> =
                self.classes[root as usize].fields.iter().map(|(_, node)| *node).collect();
            for node in fields {
                let root = self.find(node);
                if !std::mem::replace(&mut self.classes[root as usize].escapes, true) {
                    pending.push(root);
                }
            }
        }
    }

    /// Whether values of the class of a value are seen outside.
    pub fn escapes(&mut self, node: Node) -> bool {
        let root = self.find(node) as usize;
        self.classes[root].escapes
    }

    /// Whether all values of the class are blocks that the unit lays out.
    pub fn is_ours(&mut self, node: Node) -> bool {
        let root = self.find(node) as usize;
        let class = &self.classes[root];
        !(class.escapes || class.is_fixed || class.is_array)
    }

    /// Whether all values of the class are arrays that nobody else sees.
    pub fn is_our_array(&mut self, node: Node) -> bool {
        let root = self.find(node) as usize;
        let class = &self.classes[root];
        class.is_array && !class.escapes && !class.is_fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_one_class_are_one() {
        let mut classes = Classes::new(4);
        let (a, b) = (classes.field(0, 1), classes.field(1, 1));
        classes.unify(a, 2);
        classes.unify(b, 3);
        assert_ne!(classes.find(2), classes.find(3));
        classes.unify(0, 1);
        assert_eq!(classes.find(2), classes.find(3));
    }

    #[test]
    fn a_cyclic_class_ends() {
        let mut classes = Classes::new(2);
        let tail = classes.field(0, 1);
        classes.unify(tail, 0);
        let tail = classes.field(1, 1);
        classes.unify(tail, 1);
        classes.unify(0, 1);
        classes.escape(0);
        classes.propagate();
        assert!(classes.escapes(1));
    }

    #[test]
    fn a_block_that_is_read_as_an_array_escapes() {
        let mut classes = Classes::new(2);
        classes.field(0, ELEMENT);
        classes.field(0, 2);
        classes.field(1, ELEMENT);
        classes.propagate();
        assert!(classes.escapes(0) && !classes.escapes(1));
    }

    #[test]
    fn what_is_in_what_escapes_escapes() {
        let mut classes = Classes::new(3);
        let field = classes.field(0, 0);
        classes.unify(field, 1);
        classes.escape(0);
        classes.propagate();
        assert!(classes.escapes(1) && !classes.escapes(2));
    }
}
