//! What the Lambda of a unit shows of its classes: calls of the library's functions for objects, which fill a table for
//! each class.
//!
//! All of it is a guess: who uses it checks at run time, when a class has been initialised, that its methods are these.

use flambeau_lambda::decode::Import;
use flambeau_lambda::term::{Constant, Ident, MethodKind, Node, NodeId, Term};
use flambeau_lambda::{Approximation, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call of a method that more classes than these define is as it was: the lookup in a cache takes as long as some
/// questions.
const MOST: usize = 3;

/// Classes that inherit from so many others are not looked at any further.
const DEEPEST: usize = 32;

/// A record has no more methods than these: all of them are live where it is made.
const LONGEST: usize = 64;

/// The library's module of objects.
const LIBRARY: &str = "CamlinternalOO";

/// A method as a class defines it.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub hash: i64,
    /// The variable that holds its label while the class is initialised.
    pub label: Ident,
    pub function: NodeId,
    /// The position in [`Classes::definitions`] of the class that defines it.
    pub definition: usize,
}

/// The part of a class that its source defines.
#[derive(Debug)]
pub struct Definition {
    /// The variable that holds the table of methods: each initialisation of the class or of one that inherits has its
    /// own.
    pub table: Ident,
    /// Indices of methods.
    pub methods: Vec<usize>,
    /// The classes that it inherits from, as the source names them.
    parents: Vec<NodeId>,
}

/// A class of which objects are made.
#[derive(Debug)]
pub struct Class {
    /// It and those that it inherits from.
    pub definitions: Vec<usize>,
    /// Indices of the methods that its objects have.
    pub methods: Vec<usize>,
}

/// What happens to tables in an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Methods of a definition get their places.
    Defined(usize),
    /// The class of a definition is complete: that which was initialised last, or that whose table is in a variable.
    Complete(usize, Option<Ident>),
}

/// The classes of a unit.
#[derive(Debug, Default)]
pub struct Classes {
    pub methods: Vec<Method>,
    pub definitions: Vec<Definition>,
    /// By definition: those of which objects are made.
    pub classes: FxHashMap<usize, Class>,
    pub steps: FxHashMap<NodeId, Step>,
    by_function: FxHashMap<NodeId, usize>,
    by_hash: FxHashMap<i64, Vec<usize>>,
}

impl Classes {
    /// Reads them off a term: what concerns methods that it calls. `several_domains`: whether others may run meanwhile.
    pub fn new(term: &Term, imports: &[Import], module: &str, several_domains: bool) -> Classes {
        let called: FxHashSet<i64> = term.nodes.iter().filter_map(|node| called(term, node)).collect();
        if called.is_empty() || !imports.iter().any(|import| import.name == LIBRARY) {
            return Classes::default();
        }
        let reader = Reader::new(term, imports, module);
        let mut classes = reader.definitions(&called);
        reader.complete(&mut classes, several_domains);
        if classes.by_hash.is_empty() { Classes::default() } else { classes }
    }

    /// The method that a function is.
    pub fn method_of(&self, function: NodeId) -> Option<usize> {
        self.by_function.get(&function).copied()
    }

    /// The classes that the object of a call may be of, each by its definition and with the position of the method
    /// among its methods: the likeliest first, none if they are too many.
    pub fn candidates(&self, term: &Term, send: NodeId) -> Vec<(usize, usize)> {
        let node = &term.nodes[send.0 as usize];
        let (Node::Send { kind, .. }, Some(name)) = (node, called(term, node)) else { return Vec::new() };
        let Some(classes) = self.by_hash.get(&name) else { return Vec::new() };
        let within = if *kind == MethodKind::SelfMethod { self.definition_around(term, send) } else { None };
        let position = |class: &usize| {
            let class = &self.classes[class];
            let is_possible = within.is_none_or(|within| class.definitions.contains(&within));
            class.methods.iter().position(|m| self.methods[*m].hash == name).filter(|_| is_possible)
        };
        let mut candidates: Vec<(usize, usize)> =
            classes.iter().filter_map(|class| Some((*class, position(class)?))).collect();
        candidates.sort_by_key(|(class, _)| Some(*class) != within);
        if candidates.len() > MOST {
            candidates.clear();
        }
        candidates
    }

    /// The class in whose source a node is, if it is in a method.
    fn definition_around(&self, term: &Term, node: NodeId) -> Option<usize> {
        let around = self.methods.iter().filter(|method| term.range(method.function).contains(&node.0));
        around.min_by_key(|method| method.function.0).map(|method| method.definition)
    }
}

/// Whether a class that is complete may be compared with what its parts left behind where the code may be executed more
/// than once: others may have initialised the class anew in between, so its own table, in a variable, must be at hand,
/// and another domain could come between all the same.
pub fn may_be_compared(table: Option<Ident>, several_domains: bool) -> bool {
    table.is_some() && !several_domains
}

/// The hash of the name of the method that a node calls, if it does.
fn called(term: &Term, node: &Node) -> Option<i64> {
    let Node::Send { kind, method, .. } = node else { return None };
    match (kind, &term.nodes[method.0 as usize]) {
        (MethodKind::SelfMethod, Node::Var(label)) => Some(hash(term.name(*label))),
        (MethodKind::Cached, Node::Const(constant)) => match constant.steps[..] {
            [Constant::Int(hash)] => Some(hash),
            _ => None,
        },
        _ => None,
    }
}

/// The hash of a method's name (`Btype.hash_variant`).
fn hash(name: &str) -> i64 {
    let hash = name.bytes().fold(0_i64, |hash, byte| (223 * hash + i64::from(byte)) & 0x7fff_ffff);
    if hash > 0x3fff_ffff { hash - 0x8000_0000 } else { hash }
}

struct Reader<'a> {
    term: &'a Term,
    imports: &'a [Import],
    module: &'a str,
    /// What variables are bound to.
    bound: FxHashMap<Ident, NodeId>,
    /// What the fields of the unit's module block hold.
    fields: FxHashMap<u32, NodeId>,
}

impl<'a> Reader<'a> {
    fn new(term: &'a Term, imports: &'a [Import], module: &'a str) -> Reader<'a> {
        let mut reader =
            Reader { term, imports, module, bound: FxHashMap::default(), fields: FxHashMap::default() };
        for node in &term.nodes {
            match node {
                Node::Let { id, def, .. } => {
                    reader.bound.insert(*id, *def);
                }
                Node::LetRec { defs, .. } => reader.bound.extend(defs.iter().copied()),
                Node::Prim { prim, args, .. } => {
                    if let (Primitive::SetField { field, .. }, [block, value]) = (&**prim, &args[..])
                        && reader.is_module(*block)
                    {
                        reader.fields.insert(*field, *value);
                    }
                }
                _ => {}
            }
        }
        reader
    }

    fn node(&self, id: NodeId) -> &'a Node {
        &self.term.nodes[id.0 as usize]
    }

    fn is_module(&self, node: NodeId) -> bool {
        matches!(self.node(node), Node::Prim { prim, .. }
            if matches!(**prim, Primitive::GetGlobal(global)
                if self.imports.get(global as usize).is_some_and(|import| import.symbol == self.module)))
    }

    /// The function of the library's module of objects that a node is, by its name.
    fn library_function(&self, node: NodeId) -> Option<&'a str> {
        let Node::Prim { prim, args, .. } = self.node(node) else { return None };
        let (Primitive::Field { field, .. }, [module]) = (&**prim, &args[..]) else { return None };
        let Node::Prim { prim, .. } = self.node(*module) else { return None };
        let Primitive::GetGlobal(global) = **prim else { return None };
        let import = self.imports.get(global as usize).filter(|import| import.name == LIBRARY)?;
        let Approximation::Block(fields) = &import.approximation else { return None };
        let Approximation::Closure { code, .. } = fields.get(*field as usize)? else { return None };
        // The linker's name ends in a stamp.
        let (name, _) = code.rsplit_once('_')?;
        let names = ["set_method", "set_methods", "init_class", "make_class", "make_class_store", "inherits"];
        names.into_iter().find(|known| {
            name.strip_suffix(known)
                .is_some_and(|before| before.ends_with(['_', '.', '$']) && !before.ends_with("e_"))
        })
    }

    fn definitions(&self, called: &FxHashSet<i64>) -> Classes {
        let mut classes = Classes::default();
        let mut by_table: FxHashMap<Ident, usize> = FxHashMap::default();
        for (index, node) in self.term.nodes.iter().enumerate() {
            let Node::Apply { func, args, .. } = node else { continue };
            let Some(&Node::Var(table)) = args.first().map(|table| self.node(*table)) else { continue };
            let Some(name) = self.library_function(*func) else { continue };
            if !matches!(name, "set_method" | "set_methods" | "inherits") {
                continue;
            }
            let definition = *by_table.entry(table).or_insert_with(|| {
                classes.definitions.push(Definition { table, methods: Vec::new(), parents: Vec::new() });
                classes.definitions.len() - 1
            });
            let defined = match (name, &args[..]) {
                ("inherits", [_, _, _, _, class, _]) => {
                    classes.definitions[definition].parents.push(*class);
                    continue;
                }
                ("set_method", [_, label, function]) => &[*label, *function][..],
                ("set_methods", [_, block]) => match self.node(*block) {
                    Node::Prim { prim, args, .. } if matches!(**prim, Primitive::MakeBlock { .. }) => {
                        &args[..]
                    }
                    _ => continue,
                },
                _ => continue,
            };
            classes.steps.insert(NodeId(index as u32), Step::Defined(definition));
            for pair in defined.windows(2) {
                let (Node::Var(label), Node::Function(_)) = (self.node(pair[0]), self.node(pair[1])) else {
                    continue;
                };
                let hash = hash(self.term.name(*label));
                if !called.contains(&hash) {
                    continue;
                }
                let method = Method { hash, label: *label, function: pair[1], definition };
                classes.by_function.insert(pair[1], classes.methods.len());
                classes.definitions[definition].methods.push(classes.methods.len());
                classes.methods.push(method);
            }
        }
        classes
    }

    /// Finds where classes are complete, and what they then have. A class that no place can make a record of is none:
    /// it would be asked for in vain at each call of its methods.
    fn complete(&self, classes: &mut Classes, several_domains: bool) {
        let by_table: FxHashMap<Ident, usize> =
            classes.definitions.iter().enumerate().map(|(index, d)| (d.table, index)).collect();
        // Tables that are passed to a function of the unit that initialises a class, with what they are called there.
        let passed = |node: &Node| match node {
            Node::Apply { func, args, .. } => match args[..] {
                [table] => match self.node(table) {
                    Node::Var(table) => Some((*table, self.table_of(*func)?)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let initialised: FxHashMap<Ident, Ident> = self.term.nodes.iter().filter_map(passed).collect();
        let in_function = self.in_functions();
        for (index, node) in self.term.nodes.iter().enumerate() {
            let Node::Apply { func, args, .. } = node else { continue };
            let complete = match (self.library_function(*func), &args[..]) {
                (Some("init_class"), [table]) => match self.node(*table) {
                    Node::Var(table) => {
                        let initialised = initialised.get(table).unwrap_or(table);
                        by_table.get(initialised).map(|definition| (*definition, Some(*table)))
                    }
                    _ => None,
                },
                (Some("make_class" | "make_class_store"), [_, initialise, ..]) => {
                    let table = self.table_of(*initialise);
                    table.and_then(|table| by_table.get(&table)).map(|definition| (*definition, None))
                }
                _ => None,
            };
            let Some((definition, table)) = complete else { continue };
            if in_function[index] && !may_be_compared(table, several_domains) {
                continue;
            }
            classes.steps.insert(NodeId(index as u32), Step::Complete(definition, table));
            let mut class = Class { definitions: Vec::new(), methods: Vec::new() };
            self.add(classes, &by_table, definition, &mut class);
            classes.classes.insert(definition, class);
        }
        // What a part leaves behind is for those classes.
        let parts: FxHashSet<usize> =
            classes.classes.values().flat_map(|c| c.definitions.iter().copied()).collect();
        classes.steps.retain(|_, step| !matches!(step, Step::Defined(part) if !parts.contains(part)));
        let mut found: Vec<usize> = classes.classes.keys().copied().collect();
        found.sort_unstable();
        for definition in found {
            for method in &classes.classes[&definition].methods {
                classes.by_hash.entry(classes.methods[*method].hash).or_default().push(definition);
            }
        }
    }

    /// Which nodes are in the body of a function.
    fn in_functions(&self) -> Vec<bool> {
        let mut inside = vec![false; self.term.nodes.len()];
        let mut first = inside.len() as u32;
        // A node comes after those of its sub-term: outer functions are met before inner ones.
        for (index, node) in self.term.nodes.iter().enumerate().rev() {
            if matches!(node, Node::Function(_)) && (index as u32) < first {
                first = *self.term.range(NodeId(index as u32)).start();
            }
            inside[index] = index as u32 >= first;
        }
        inside
    }

    /// Adds what a definition has, then what it inherits and does not override.
    fn add(
        &self,
        classes: &Classes,
        by_table: &FxHashMap<Ident, usize>,
        definition: usize,
        class: &mut Class,
    ) {
        let mut pending = vec![definition];
        while let Some(definition) = pending.pop() {
            if class.definitions.contains(&definition) || class.definitions.len() > DEEPEST {
                continue;
            }
            class.definitions.push(definition);
            for method in classes.definitions[definition].methods.iter().rev() {
                let name = classes.methods[*method].hash;
                let is_new = class.methods.iter().all(|other| classes.methods[*other].hash != name);
                if is_new && class.methods.len() < LONGEST {
                    class.methods.push(*method);
                }
            }
            // The last one overrides the others.
            let parents = classes.definitions[definition].parents.iter();
            pending
                .extend(parents.filter_map(|parent| by_table.get(&self.table_of_class(*parent)?)).copied());
        }
    }

    /// The table of a function that initialises a class: its parameter.
    fn table_of(&self, initialise: NodeId) -> Option<Ident> {
        match self.node(initialise) {
            Node::Function(function) => function.params.first().map(|(table, _)| *table),
            Node::Var(id) => self.bound.get(id).and_then(|def| match self.node(*def) {
                Node::Function(_) => self.table_of(*def),
                _ => None,
            }),
            _ => None,
        }
    }

    /// The table that a class as a value of the source is initialised with.
    fn table_of_class(&self, class: NodeId) -> Option<Ident> {
        let mut node = class;
        for _ in 0..DEEPEST {
            node = match self.node(node) {
                Node::Var(id) => *self.bound.get(id)?,
                Node::Let { body, .. } | Node::LetRec { body, .. } => *body,
                Node::Sequence { second, .. } => *second,
                Node::Apply { func, args, .. } => {
                    let initialise = args.get(1).filter(|_| self.library_function(*func).is_some())?;
                    return self.table_of(*initialise);
                }
                Node::Prim { prim, args, .. } => match (&**prim, &args[..]) {
                    (Primitive::Field { field, .. }, [module]) if self.is_module(*module) => {
                        *self.fields.get(field)?
                    }
                    // A virtual class: no objects are made of it.
                    (Primitive::MakeBlock { .. }, [_, initialise, ..]) => return self.table_of(*initialise),
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_hashed_as_the_front_end_does() {
        assert_eq!(super::hash("add"), 4_846_113);
        assert_eq!(super::hash("get"), 5_144_726);
        assert_eq!(super::hash("calls"), -1_055_165_931);
    }
}
