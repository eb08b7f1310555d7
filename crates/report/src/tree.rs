//! Calls nested as they came about: in each definition the calls that stand there, in each call that was inlined the
//! calls of the body.

use flambeau_ir::decision::Place;
use rustc_hash::FxHashMap;

/// A definition or a source location, and what belongs to it.
#[derive(Debug)]
pub struct Node<'r, T> {
    /// The function that is defined, or in which the location is.
    pub function: Option<&'r str>,
    /// None for a definition, and for calls whose location is unknown.
    pub location: Option<&'r Place>,
    /// How many nodes are around it: 0 for definitions.
    pub depth: usize,
    /// The entries at this location. None for a location of which only nested ones have entries.
    pub entries: Vec<T>,
}

/// The nodes, each followed by those that are nested in it: definitions in the order of their first calls in the
/// source, the toplevel first; calls in the order of the source.
pub fn nest<'r, T>(entries: impl IntoIterator<Item = (Option<&'r str>, &'r [Place], T)>) -> Vec<Node<'r, T>> {
    let mut arena = Arena { nodes: Vec::new(), children: Vec::new(), index: FxHashMap::default() };
    let mut definitions: Vec<usize> = Vec::new();
    let mut by_function: FxHashMap<Option<&str>, usize> = FxHashMap::default();
    for (function, locations, entry) in entries {
        let definition = *by_function.entry(function).or_insert_with(|| {
            let id = arena.push(function, None, 0);
            definitions.push(id);
            id
        });
        let node = locations.iter().fold(definition, |parent, location| arena.child(parent, location));
        let node = if locations.is_empty() { arena.without_location(definition) } else { node };
        arena.nodes[node].entries.push(entry);
    }
    arena.flatten(definitions)
}

struct Arena<'r, T> {
    nodes: Vec<Node<'r, T>>,
    children: Vec<Vec<usize>>,
    index: FxHashMap<(usize, &'r Place), usize>,
}

impl<'r, T> Arena<'r, T> {
    fn push(&mut self, function: Option<&'r str>, location: Option<&'r Place>, depth: usize) -> usize {
        self.nodes.push(Node { function, location, depth, entries: Vec::new() });
        self.children.push(Vec::new());
        self.nodes.len() - 1
    }

    fn add_child(&mut self, parent: usize, location: Option<&'r Place>) -> usize {
        let id = self.push(self.nodes[parent].function, location, self.nodes[parent].depth + 1);
        self.children[parent].push(id);
        id
    }

    /// The node for a location in a definition or in an inlined body.
    fn child(&mut self, parent: usize, location: &'r Place) -> usize {
        if let Some(&known) = self.index.get(&(parent, location)) {
            return known;
        }
        let id = self.add_child(parent, Some(location));
        self.index.insert((parent, location), id);
        id
    }

    /// A node for a call of which no location is known.
    fn without_location(&mut self, definition: usize) -> usize {
        self.add_child(definition, None)
    }

    fn flatten(mut self, mut definitions: Vec<usize>) -> Vec<Node<'r, T>> {
        let position = |nodes: &[Node<T>], id: usize| {
            nodes[id]
                .location
                .map(|location| (location.file.clone(), location.line, location.start, location.end))
        };
        for children in &mut self.children {
            children.sort_by_cached_key(|&id| {
                let position = position(&self.nodes, id);
                (position.is_none(), position)
            });
        }
        definitions.sort_by_cached_key(|&id| {
            let first = self.children[id].iter().find_map(|&child| position(&self.nodes, child));
            (self.nodes[id].function.is_some(), first.is_none(), first, self.nodes[id].function)
        });
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut pending = definitions;
        pending.reverse();
        while let Some(id) = pending.pop() {
            order.push(id);
            pending.extend(self.children[id].iter().rev());
        }
        let mut nodes: Vec<Option<Node<T>>> = self.nodes.into_iter().map(Some).collect();
        order.into_iter().filter_map(|id| nodes[id].take()).collect()
    }
}
