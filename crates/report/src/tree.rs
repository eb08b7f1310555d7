//! Calls nested as they came about: in each definition the calls that stand there, in each call that was inlined the
//! calls of the body.

use flambeau_ir::decision::Place;
use rustc_hash::FxHashMap;

/// A definition or a place, and what belongs to it.
#[derive(Debug)]
pub struct Node<'r, T> {
    /// The function of a definition; of a place, that in which it is.
    pub function: Option<&'r str>,
    /// None for a definition, and for calls whose place is unknown.
    pub place: Option<&'r Place>,
    /// How many nodes are around it: 0 for definitions.
    pub depth: usize,
    /// What is at this place. None for a place of which only what is nested is known.
    pub entries: Vec<T>,
}

/// The nodes, each followed by those that are nested in it: definitions in the order of their first calls in the
/// source, the toplevel first; calls in the order of the source.
pub fn nest<'r, T>(entries: impl IntoIterator<Item = (Option<&'r str>, &'r [Place], T)>) -> Vec<Node<'r, T>> {
    let mut arena = Arena { nodes: Vec::new(), children: Vec::new(), index: FxHashMap::default() };
    let mut definitions: Vec<usize> = Vec::new();
    let mut by_function: FxHashMap<Option<&str>, usize> = FxHashMap::default();
    for (function, places, entry) in entries {
        let definition = *by_function.entry(function).or_insert_with(|| {
            let id = arena.push(function, None, 0);
            definitions.push(id);
            id
        });
        let node = places.iter().fold(definition, |parent, place| arena.child(parent, place));
        let node = if places.is_empty() { arena.placeless(definition) } else { node };
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
    fn push(&mut self, function: Option<&'r str>, place: Option<&'r Place>, depth: usize) -> usize {
        self.nodes.push(Node { function, place, depth, entries: Vec::new() });
        self.children.push(Vec::new());
        self.nodes.len() - 1
    }

    fn add_child(&mut self, parent: usize, place: Option<&'r Place>) -> usize {
        let id = self.push(self.nodes[parent].function, place, self.nodes[parent].depth + 1);
        self.children[parent].push(id);
        id
    }

    /// The node for a place in a definition or in an inlined body.
    fn child(&mut self, parent: usize, place: &'r Place) -> usize {
        if let Some(&known) = self.index.get(&(parent, place)) {
            return known;
        }
        let id = self.add_child(parent, Some(place));
        self.index.insert((parent, place), id);
        id
    }

    /// A node for a call of which no place is known.
    fn placeless(&mut self, definition: usize) -> usize {
        self.add_child(definition, None)
    }

    fn flatten(mut self, mut definitions: Vec<usize>) -> Vec<Node<'r, T>> {
        let position = |nodes: &[Node<T>], id: usize| {
            nodes[id].place.map(|place| (place.file.clone(), place.line, place.start, place.end))
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
