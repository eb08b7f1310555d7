//! What is known of integers: bounds on their differences.
//!
//! A fact is *x ≤ y + c* for two nodes and a constant. A node is what one evaluation of a binding gave a variable, or zero:
//! facts about constants are facts about the difference to it. What is asked for is found as a path: from *x ≤ y + c* and *y ≤ z + d*
//! follows *x ≤ z + (c + d)* (the graph of inequalities of Bodík, Gupta and Sarkar's ABCD, without its cycles).
//!
//! Values are those of OCaml's integers, so sums are only taken where they do not wrap around ([`Differences::add`]).

use std::cell::Cell;

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::{Const, Simple, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The greatest OCaml integer; the least is `-MAX - 1`.
pub const MAX: i64 = i64::MAX >> 1;
const MIN: i64 = -MAX - 1;

/// Longer paths are not followed.
const DEPTH: usize = 8;
/// Of one question, so many facts are looked at.
const STEPS: u32 = 96;
/// What a value is related to when paths meet: so many others, the nearest.
const NEIGHBOURS: usize = 16;
/// Of the facts about zero, the last ones, when its neighbours are asked for.
const LAST: usize = 16;

/// What a variable is at one time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node(u32);
entity_impl!(Node);

/// The constant.
const ZERO: Node = Node(0);

/// An integer: that of a node and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    node: Node,
    offset: i64,
}

impl Term {
    pub fn constant(offset: i64) -> Term {
        Term { node: ZERO, offset }
    }

    /// The constant, if it is one.
    pub fn as_constant(self) -> Option<i64> {
        (self.node == ZERO).then_some(self.offset)
    }

    /// No question is asked about sums that do not fit: they saturate towards "not known".
    pub fn plus(self, amount: i64) -> Term {
        Term { node: self.node, offset: self.offset.saturating_add(amount) }
    }
}

/// *x ≤ y + c*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    x: Node,
    y: Node,
    c: i64,
}

/// Which end of facts a path follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
}

/// Bounds of a value by nodes that are older than some time: `above` has (y, c) for *value ≤ y + c*, `below` has (y, c) for
/// *y ≤ value + c*.
#[derive(Clone, Default, Debug)]
pub struct Bounds {
    pub above: SmallVec<[(Node, i64); 8]>,
    pub below: SmallVec<[(Node, i64); 8]>,
}

impl Bounds {
    pub fn len(&self) -> usize {
        self.above.len() + self.below.len()
    }

    /// Of what begins at a value and goes one way from there, the value is no bound on that side.
    pub fn forget_start(&mut self, direction: Option<Direction>) {
        let (goes, stays) = match direction {
            Some(Direction::Up) => (&mut self.above, &self.below),
            Some(Direction::Down) => (&mut self.below, &self.above),
            None => return,
        };
        goes.retain(|(node, c)| !stays.contains(&(*node, c.saturating_neg())));
    }
}

#[derive(Clone, Default)]
struct Edges {
    above: SmallVec<[(Node, i64); 2]>,
    below: SmallVec<[(Node, i64); 2]>,
}

/// The facts that hold at a point of a program.
pub struct Differences {
    nodes: PrimaryMap<Node, Edges>,
    current: SecondaryMap<Variable, Option<Node>>,
    /// Halves of sums of two values, rounded down.
    middles: FxHashMap<Node, (Term, Term)>,
    trail: Vec<Fact>,
    /// What may still be looked at in this function (features G6).
    budget: Cell<u32>,
}

impl Differences {
    pub fn new(budget: u32) -> Differences {
        let mut nodes = PrimaryMap::new();
        nodes.push(Edges::default());
        Differences {
            nodes,
            current: SecondaryMap::new(),
            middles: FxHashMap::default(),
            trail: Vec::new(),
            budget: Cell::new(budget),
        }
    }

    /// Takes from the budget; whether anything is left.
    pub fn spend(&self, amount: u32) -> bool {
        self.budget.set(self.budget.get().saturating_sub(amount));
        self.budget.get() > 0
    }

    /// A variable is bound, perhaps again.
    pub fn bind(&mut self, var: Variable) -> Term {
        let node = self.nodes.push(Edges::default());
        self.current[var] = Some(node);
        Term { node, offset: 0 }
    }

    /// An operand, if it is an integer as far as one can see.
    pub fn term(&mut self, simple: Simple) -> Option<Term> {
        match simple {
            Simple::Var(var) => Some(match self.current[var] {
                Some(node) => Term { node, offset: 0 },
                None => self.bind(var),
            }),
            Simple::Const(Const::Tagged(n) | Const::NakedImmediate(n)) => Some(Term::constant(n)),
            Simple::Const(_) | Simple::Symbol(_) => None,
        }
    }

    /// A time: nodes made later are not older than it.
    pub fn now(&self) -> Node {
        Node::new(self.nodes.len())
    }

    /// How many facts there are.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// The facts after a mark.
    pub fn since(&self, mark: usize) -> &[Fact] {
        &self.trail[mark..]
    }

    /// Forgets the facts after a mark.
    pub fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some(Fact { x, y, .. }) = self.trail.pop() {
                self.nodes[x].above.pop();
                self.nodes[y].below.pop();
            }
        }
    }

    pub fn assume_fact(&mut self, fact: Fact) {
        let Fact { x, y, c } = fact;
        self.nodes[x].above.push((y, c));
        self.nodes[y].below.push((x, c));
        self.trail.push(fact);
    }

    /// *x ≤ y + c* holds.
    pub fn assume(&mut self, x: Term, y: Term, c: i64) {
        let sum = y.offset.checked_sub(x.offset).and_then(|offset| offset.checked_add(c));
        if let Some(c) = sum
            && x.node != y.node
        {
            self.assume_fact(Fact { x: x.node, y: y.node, c });
        }
    }

    pub fn assume_equal(&mut self, x: Term, y: Term) {
        self.assume(x, y, 0);
        self.assume(y, x, 0);
    }

    /// A value is bounded as it says.
    pub fn assume_bounds(&mut self, value: Term, bounds: &Bounds) {
        for &(node, c) in &bounds.above {
            self.assume(value, Term { node, offset: 0 }, c);
        }
        for &(node, c) in &bounds.below {
            self.assume(Term { node, offset: 0 }, value, c);
        }
    }

    /// A value is half of a sum of two, rounded down.
    pub fn assume_middle(&mut self, value: Term, x: Term, y: Term) {
        if value.offset == 0 && value.node != ZERO {
            self.middles.insert(value.node, (x, y));
        }
    }

    /// The least *c* that is found with *x ≤ y + c*.
    pub fn distance(&self, x: Term, y: Term) -> Option<i64> {
        self.distance_up_to(x, y, i64::MIN)
    }

    /// Whether *x ≤ y + c* is certain.
    pub fn proves(&self, x: Term, y: Term, c: i64) -> bool {
        self.distance_up_to(x, y, c).is_some_and(|least| least <= c)
    }

    /// The least *c*, or one that is not greater than what is enough.
    fn distance_up_to(&self, x: Term, y: Term, enough: i64) -> Option<i64> {
        let mut search = Search {
            nodes: &self.nodes,
            middles: &self.middles,
            steps: STEPS.min(self.budget.get()),
            path: SmallVec::new(),
        };
        let granted = search.steps;
        let offset = x.offset.checked_sub(y.offset)?;
        let enough = enough.saturating_sub(offset);
        let distance = search.distance(x.node, y.node, enough);
        self.spend(granted - search.steps);
        distance?.checked_add(offset)
    }

    /// The greatest value that it may have, as far as is known.
    pub fn highest(&self, x: Term) -> i64 {
        self.distance(x, Term::constant(0)).unwrap_or(MAX).min(MAX)
    }

    /// The least.
    pub fn lowest(&self, x: Term) -> i64 {
        self.distance(Term::constant(0), x).map_or(MIN, |c| c.saturating_neg().max(MIN))
    }

    /// The sum with a constant, if it does not wrap around: something else that is an integer, too, is as far away.
    pub fn add(&self, x: Term, amount: i64) -> Option<Term> {
        let sum = Term { node: x.node, offset: x.offset.checked_add(amount)? };
        if sum.node == ZERO {
            return (MIN..=MAX).contains(&sum.offset).then_some(sum);
        }
        let fits = match sum.offset {
            0 => true,
            up if up > 0 => {
                let (node, direction) = (Term { node: x.node, offset: 0 }, Direction::Up);
                self.highest(node) <= MAX - up || self.has_room(x.node, up, direction)
            }
            down => {
                let (node, direction) = (Term { node: x.node, offset: 0 }, Direction::Down);
                self.lowest(node) >= MIN - down || self.has_room(x.node, -down, direction)
            }
        };
        fits.then_some(sum)
    }

    /// Whether some value is at least so far from this one.
    fn has_room(&self, node: Node, amount: i64, direction: Direction) -> bool {
        let bounds = self.neighbours(node, direction, self.now());
        bounds.iter().any(|&(other, c)| other != ZERO && c <= -amount)
    }

    /// Bounds of a value by what is older than a time.
    pub fn bounds(&self, value: Term, time: Node) -> Bounds {
        let with_offset = |neighbours: SmallVec<[(Node, i64); 8]>, offset: i64| {
            neighbours.into_iter().filter_map(|(node, c)| Some((node, c.checked_add(offset)?))).collect()
        };
        Bounds {
            above: with_offset(self.neighbours(value.node, Direction::Up, time), value.offset),
            below: with_offset(
                self.neighbours(value.node, Direction::Down, time),
                value.offset.saturating_neg(),
            ),
        }
    }

    /// Older nodes that paths lead to, with the least sums.
    fn neighbours(&self, node: Node, direction: Direction, time: Node) -> SmallVec<[(Node, i64); 8]> {
        let mut found: SmallVec<[(Node, i64); 8]> = SmallVec::new();
        let mut pending: SmallVec<[(Node, i64, usize); 16]> = SmallVec::from_slice(&[(node, 0, DEPTH)]);
        let steps = STEPS.min(self.budget.get()) as usize;
        let mut first = 0;
        while let Some(&(next, sum, depth)) = pending.get(first) {
            first += 1;
            if next < time {
                match found.iter().position(|(node, _)| *node == next) {
                    Some(index) if found[index].1 <= sum => continue,
                    Some(index) => found[index].1 = sum,
                    None if found.len() < NEIGHBOURS => found.push((next, sum)),
                    None => {}
                }
            }
            // What zero is below of is not what is near.
            if depth == 0 || (next == ZERO && first > 1) {
                continue;
            }
            let edges = &self.nodes[next];
            let edges = if direction == Direction::Up { &edges.above } else { &edges.below };
            let depth = if next == ZERO { 0 } else { depth - 1 };
            let count = edges.len().min(LAST).min(steps - pending.len().min(steps));
            for &(further, c) in edges.iter().rev().take(count) {
                pending.extend(sum.checked_add(c).map(|sum| (further, sum, depth)));
            }
        }
        self.spend(first as u32);
        found
    }

    /// Bounds that hold of this value, too: those of another one, loosened where they have to be.
    pub fn join(&self, bounds: &mut Bounds, value: Term) {
        let loosen = |c: &mut i64, distance: Option<i64>| match distance {
            Some(distance) => {
                *c = distance.max(*c);
                true
            }
            None => false,
        };
        bounds.above.retain(|(node, c)| loosen(c, self.distance(value, Term { node: *node, offset: 0 })));
        bounds.below.retain(|(node, c)| loosen(c, self.distance(Term { node: *node, offset: 0 }, value)));
    }

    /// Keeps the bounds that hold of this value, too, as they are.
    pub fn retain(&self, bounds: &mut Bounds, value: Term) {
        bounds.above.retain(|(node, c)| self.proves(value, Term { node: *node, offset: 0 }, *c));
        bounds.below.retain(|(node, c)| self.proves(Term { node: *node, offset: 0 }, value, *c));
    }
}

/// One question.
struct Search<'d> {
    nodes: &'d PrimaryMap<Node, Edges>,
    middles: &'d FxHashMap<Node, (Term, Term)>,
    /// What may still be looked at.
    steps: u32,
    path: SmallVec<[Node; 8]>,
}

impl Search<'_> {
    fn distance(&mut self, x: Node, y: Node, enough: i64) -> Option<i64> {
        if x == ZERO {
            return self.reach(y, ZERO, Direction::Down, enough);
        }
        let direct = self.reach(x, y, Direction::Up, enough);
        if y == ZERO || direct.is_some_and(|sum| sum <= enough) {
            return direct;
        }
        let upper = self.reach(x, ZERO, Direction::Up, i64::MIN);
        let lower = upper.and_then(|_| self.reach(y, ZERO, Direction::Down, i64::MIN));
        let constant = upper.zip(lower).and_then(|(upper, lower)| upper.checked_add(lower));
        [direct, constant].into_iter().flatten().min()
    }

    /// The least sum of the constants of facts on a path that does not go through zero, or one that is not greater than
    /// what is enough.
    fn reach(&mut self, from: Node, goal: Node, direction: Direction, enough: i64) -> Option<i64> {
        if from == goal {
            return Some(0);
        }
        if from == ZERO || self.path.len() >= DEPTH || self.path.contains(&from) {
            return None;
        }
        self.path.push(from);
        let best = self.reach_by_facts(from, goal, direction, enough);
        let best = match self.middles.get(&from) {
            Some(sides) if best.is_none_or(|best| best > enough) => {
                let middle = self.reach_from_middle(sides, goal, direction);
                [best, middle].into_iter().flatten().min()
            }
            _ => best,
        };
        self.path.pop();
        best
    }

    fn reach_by_facts(&mut self, from: Node, goal: Node, direction: Direction, enough: i64) -> Option<i64> {
        let edges = &self.nodes[from];
        let edges = if direction == Direction::Up { &edges.above } else { &edges.below };
        let mut best: Option<i64> = None;
        // What was learnt last is nearest.
        for &(next, c) in edges.iter().rev() {
            if self.steps == 0 {
                break;
            }
            self.steps -= 1;
            let rest = self.reach(next, goal, direction, enough.saturating_sub(c));
            if let Some(sum) = rest.and_then(|rest| rest.checked_add(c)) {
                best = Some(best.map_or(sum, |best| best.min(sum)));
                if sum <= enough {
                    break;
                }
            }
        }
        best
    }

    /// A sum of two bounds, halved, bounds the half of the sum, which is rounded down.
    fn reach_from_middle(&mut self, (x, y): &(Term, Term), goal: Node, direction: Direction) -> Option<i64> {
        let mut side = |term: &Term| {
            let offset = if direction == Direction::Up { term.offset } else { term.offset.checked_neg()? };
            self.reach(term.node, goal, direction, i64::MIN)?.checked_add(offset)
        };
        let sum = side(x)?.checked_add(side(y)?)?;
        Some(if direction == Direction::Up { sum.div_euclid(2) } else { -sum.checked_neg()?.div_euclid(2) })
    }
}
