//! Programs that consist of *shapes*: small functions of a kind that an optimiser treats specially, called often enough
//! that their cost can be compared with their cost when the stock compiler compiles them.
//!
//! A shape is a template whose parameters are random: conditions, payloads, loops, sizes, attributes, and which of its
//! definitions are in another unit. Each has a *kernel*, a function that the runtime calls once and whose allocated
//! words it prints to the standard error output ([`COST`]). Other shapes are programs of the same size that OCaml's
//! users write: interpreters, trees, parsers.

mod calls;
mod combinators;
mod data;
mod memory;
mod modules;
mod number_arrays;
mod ocaml5;
mod polymorphic;
mod programs;
mod results;
mod template;

use crate::generator::{Cx, Gen};
use crate::options::Options;
use crate::program::{Program, Unit};
use crate::tree::Node;
use crate::types::Ty;
pub use calls::GENERAL_CODE;
use template::filled;

/// The prefix of lines of the standard error output that say how much a kernel, or a whole program, allocated: the name
/// of the program, that of the kernel if it is one, and the number of words follow.
pub const COST: &str = "cost ";
/// The prefix of the names of kernels, in programs and so in the symbols of executables.
pub const KERNEL: &str = "kernel";

/// A shape: its name, and the function that generates an instance.
pub(crate) struct Shape {
    /// The name in the coverage, and in names of kernels.
    pub name: &'static str,
    make: fn(&mut Gen) -> Instance,
}

const fn shape(name: &'static str, make: fn(&mut Gen) -> Instance) -> Shape {
    Shape { name, make }
}

/// An instance of a shape.
pub(crate) struct Instance {
    /// Definitions in order: the first ones may be in another unit.
    items: Vec<Node>,
    kernel: Kernel,
    /// Between which items a unit should often end, by the number of items before; if there are none, anywhere.
    ends: Vec<usize>,
}

/// The code that is measured.
enum Kernel {
    /// An expression of type `int`, with the number `i` of the iteration in scope, of which the allocated words count.
    Iterated(Node, usize),
    /// Definitions and statements of the unit itself, of which the allocated words count.
    Toplevel(Vec<Node>),
    /// An expression of type `int` of which only the result counts: how much it does depends on chance.
    Once(Node),
}

/// All shapes that programs may have.
fn shapes(ocaml5: bool) -> impl Iterator<Item = &'static Shape> {
    let new = if ocaml5 { ocaml5::SHAPES } else { &[] };
    [
        data::SHAPES,
        memory::SHAPES,
        calls::SHAPES,
        modules::SHAPES,
        programs::SHAPES,
        polymorphic::SHAPES,
        combinators::SHAPES,
        number_arrays::SHAPES,
        results::SHAPES,
        new,
    ]
    .into_iter()
    .flatten()
}

/// The names of all shapes: what a run of the generator should cover.
pub fn shape_names(options: &Options) -> impl Iterator<Item = &'static str> {
    shapes(options.ocaml5).map(|shape| shape.name)
}

/// The program of a seed; its first shape is the one with the index `first`, so that each is frequent.
pub(crate) fn generate(mut g: Gen, seed: u64, first: u64) -> Program {
    let all: Vec<&Shape> = shapes(g.options.ocaml5).collect();
    let mut chosen = vec![all[(first % all.len() as u64) as usize]];
    for _ in 0..g.rng.below(3) {
        chosen.push(*g.rng.pick(&all));
    }
    let units = *g.rng.pick(&[1, 1, 2, 2, 3, 3]);
    let mut bodies = vec![vec![]; units];
    bodies[0].push(Node::plain(&format!("let () = Fz.start \"{}\"\n", g.program), vec![]));
    for (unit, body) in bodies.iter_mut().enumerate() {
        let opened = (0..unit).map(|used| format!("open {}\n", g.unit_module(used)));
        body.extend(opened.map(|open| Node::optional(&open, vec![])));
    }
    let first = chosen[0].name;
    for shape in chosen {
        g.cover(shape.name);
        let Instance { items, kernel, ends } = (shape.make)(&mut g);
        // Users of a definition come after it.
        let mut end = || {
            if ends.is_empty() || g.rng.chance(25) { g.rng.range(0, items.len()) } else { *g.rng.pick(&ends) }
        };
        let ends: Vec<usize> = (1..units).map(|_| end()).collect();
        for (number, item) in items.into_iter().enumerate() {
            bodies[ends.iter().filter(|end| number >= **end).count()].push(item);
        }
        let name = format!("{KERNEL}{}_{}", g.number(), shape.name.replace([' ', '-'], "_"));
        bodies[units - 1].push(g.measured(&name, kernel));
    }
    bodies[units - 1].push(Node::plain("let () = Fz.stop ()\n", vec![]));
    let hidden = g.rng.chance(50);
    let units = bodies
        .into_iter()
        .enumerate()
        .map(|(unit, items)| Unit {
            name: g.unit_file(unit),
            body: Node::plain("", items),
            interface: (hidden && unit + 1 == units).then(|| Node::plain("", vec![])),
        })
        .collect();
    Program { seed, units, uncaught: false, shape: Some(first), coverage: g.coverage }
}

impl Gen {
    /// The kernel with what calls it and measures it.
    fn measured(&mut self, name: &str, kernel: Kernel) -> Node {
        match kernel {
            Kernel::Iterated(body, times) => filled(
                "let[@inline never] $name () = let sum = ref 0 in for i = 1 to $times do sum := (!sum * 7 + $body) \
                 land 0xFFFFFF done; !sum\nlet () = Fz.kernel \"$name\" $name\n",
                &[("name", name.into()), ("times", times.to_string().into()), ("body", body)],
            ),
            Kernel::Toplevel(items) => filled(
                "let () = Fz.enter ()\n$items\nlet () = Fz.leave \"$name\"\n",
                &[("name", name.into()), ("items", Node::plain("", items))],
            ),
            Kernel::Once(body) => filled(
                "let[@inline never] $name () = $body\nlet () = Fz.once \"$name\" $name\n",
                &[("name", name.into()), ("body", body)],
            ),
        }
    }

    /// An integer computed from these variables.
    fn int(&mut self, variables: &[&str]) -> Node {
        self.int_of(variables, 2)
    }

    fn int_of(&mut self, variables: &[&str], depth: u32) -> Node {
        let choice = if depth == 0 { self.rng.below(6) } else { self.rng.below(12) };
        let (a, b) = (*self.rng.pick(variables), self.rng.range(1, 9).to_string());
        let text = match choice {
            0..=4 => a.to_owned(),
            5 => b,
            6 => format!("({a} * {b})"),
            7 => format!("({a} land {})", (1 << self.rng.range(1, 6)) - 1),
            _ => {
                let operator = *self.rng.pick(&["+", "+", "-", "lxor", "*"]);
                let (x, y) = (self.int_of(variables, depth - 1), self.int_of(variables, depth - 1));
                return Node::expr(&Ty::Int, &format!("(§ {operator} §)"), vec![x, y]);
            }
        };
        Node::expr(&Ty::Int, &text, vec![])
    }

    /// A condition on these variables, often one that holds rarely.
    fn condition(&mut self, variables: &[&str]) -> Node {
        let (a, b) = (*self.rng.pick(variables), *self.rng.pick(variables));
        let text = match self.rng.below(7) {
            0 | 1 => format!("({a} land {} = 0)", (1 << self.rng.range(1, 5)) - 1),
            2 => format!("({a} mod {} = 1)", self.rng.range(2, 9)),
            3 => format!("({a} > {b} + {})", self.rng.range(0, 9)),
            4 => format!("({a} = {})", self.rng.range(1, 9)),
            5 => format!("(Fz.odd {a})"),
            _ => format!("({a} land 3 <> {})", self.rng.range(0, 3)),
        };
        Node::expr(&Ty::Bool, &text, vec![])
    }

    /// Any expression without effects that may use these integers.
    fn any_int(&mut self, variables: &[&str]) -> Node {
        if self.rng.chance(85) {
            return self.int(variables);
        }
        let variables: Vec<String> = variables.iter().map(|&v| v.to_owned()).collect();
        self.scoped(|g| {
            g.env.clear();
            variables.iter().for_each(|v| g.bind(v, &Ty::Int));
            g.expr(&Ty::Int, 5, Cx::FREE.pure())
        })
    }

    /// One of several texts.
    fn choice(&mut self, all: &[&'static str]) -> &'static str {
        self.rng.pick::<&'static str>(all)
    }

    /// An attribute of a function: most have none.
    fn attribute(&mut self) -> &'static str {
        self.choice(&["", "", "", "", "[@inline never]", "[@inline]"])
    }
}
