//! Functions that are the same. Copies for the types and functions of calls, and functions inside of what was inlined,
//! often come to the same instructions: then one stays, and the closures and calls of the others are its own.
//!
//! At this stage a captured value is a distance in words, so that closures of different sets can share a function. Two
//! functions are the same if they differ in the names of variables and labels alone, and call the same functions, or
//! such as are the same in turn: the classes are split until that holds. With `-g` their locations are compared, too.

use flambeau_ir::Dbg;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encode::{Writer, in_postfix, shallow};
use crate::tree::*;

/// How often classes are split at most. A chain of functions each of which only calls the next one takes as many times
/// as it is long: then nothing is shared.
const ROUNDS: u32 = 100;

/// What may be made of functions that are the same.
pub struct Sharing<'a> {
    /// Whether locations are to stay as they are.
    pub keep_locations: bool,
    /// Whether others know a function by that linker's name, so that it stays.
    pub is_known: &'a dyn Fn(&str) -> bool,
    /// Asked before each function is left out.
    pub allow: &'a mut dyn FnMut() -> bool,
}

/// Leaves out functions that are the same as others.
pub fn share(tree: &mut Tree, sharing: Sharing<'_>) {
    let Sharing { keep_locations, is_known, allow } = sharing;
    let mut kept: FxHashMap<u32, Name> = FxHashMap::default();
    let mut instead: FxHashMap<Name, Name> = FxHashMap::default();
    let mut left_out = Vec::new();
    for (function, class) in tree.functions.iter().zip(classes(tree, keep_locations)) {
        let Some(class) = class else { continue };
        // One that stays anyway may stand for the others.
        if is_known(&tree.names[function.name.0 as usize]) {
            kept.insert(class, function.name);
        } else {
            kept.entry(class).or_insert(function.name);
            left_out.push((function.name, class));
        }
    }
    for (function, class) in left_out {
        let same = kept[&class];
        if same != function && allow() {
            instead.insert(function, same);
        }
    }
    if instead.is_empty() {
        return;
    }
    tree.functions.retain(|function| !instead.contains_key(&function.name));
    let rename = |name: &mut Name| {
        if let Some(same) = instead.get(name) {
            *name = *same;
        }
    };
    for expr in &mut tree.exprs {
        parts(expr, &mut |part| {
            if let Part::Code(name) = part {
                rename(name);
            }
        });
    }
    for (data, _) in &mut tree.data {
        if let Data::Closures { functions, .. } = data {
            functions.iter_mut().for_each(|entry| rename(&mut entry.code));
        }
    }
}

/// Of each function its class: those of one class are the same. None of one that is the same as no other.
fn classes(tree: &Tree, keep_locations: bool) -> Vec<Option<u32>> {
    let numbers: FxHashMap<Name, u32> =
        (0..).zip(&tree.functions).map(|(number, function)| (function.name, number)).collect();
    let bodies: Vec<Vec<ExprId>> =
        tree.functions.iter().map(|function| in_postfix(tree, function.body)).collect();
    let mut of_length: FxHashMap<usize, u32> = FxHashMap::default();
    bodies.iter().for_each(|body| *of_length.entry(body.len()).or_default() += 1);
    let tested = tested(tree);
    let mut texts: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut classes: Vec<u32> = Vec::with_capacity(bodies.len());
    let mut called: Vec<Vec<u32>> = Vec::with_capacity(bodies.len());
    for (number, (function, body)) in (0..).zip(tree.functions.iter().zip(&bodies)) {
        if of_length[&body.len()] < 2 || tested.contains(&function.name) {
            classes.push(number);
            called.push(Vec::new());
            continue;
        }
        let mut text = Text::new(&numbers, keep_locations);
        text.write(tree, function, body);
        classes.push(*texts.entry(text.writer.bytes).or_insert(number));
        called.push(text.called);
    }
    // Functions of one class call functions of one class, in the same order.
    let mut is_settled = false;
    for _ in 0..ROUNDS {
        let mut split: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let of = |number: &u32| classes[*number as usize];
        let finer: Vec<u32> = (0..)
            .zip(classes.iter().zip(&called))
            .map(|(number, (class, called))| {
                *split.entry((*class, called.iter().map(of).collect())).or_insert(number)
            })
            .collect();
        is_settled = finer == classes;
        if is_settled {
            break;
        }
        classes = finer;
    }
    if !is_settled {
        return vec![None; classes.len()];
    }
    let mut members: FxHashMap<u32, u32> = FxHashMap::default();
    classes.iter().for_each(|class| *members.entry(*class).or_default() += 1);
    classes.into_iter().map(|class| (members[&class] > 1).then_some(class)).collect()
}

/// The functions of which some code asks whether a closure is one of theirs: it knows what that has captured.
fn tested(tree: &Tree) -> FxHashSet<Name> {
    let of = |expr: &Expr| match expr {
        Expr::IsClosureOf { function, .. } => Some(function.code),
        _ => None,
    };
    tree.exprs.iter().filter_map(of).collect()
}

/// A function as bytes that are the same for functions that are.
struct Text<'a> {
    numbers: &'a FxHashMap<Name, u32>,
    keep_locations: bool,
    vars: FxHashMap<Var, u32>,
    labels: FxHashMap<Label, u32>,
    /// The functions of the unit that it mentions, in order.
    called: Vec<u32>,
    writer: Writer,
}

impl<'a> Text<'a> {
    fn new(numbers: &'a FxHashMap<Name, u32>, keep_locations: bool) -> Text<'a> {
        Text {
            numbers,
            keep_locations,
            vars: FxHashMap::default(),
            labels: FxHashMap::default(),
            called: Vec::new(),
            writer: Writer::default(),
        }
    }

    fn write(&mut self, tree: &Tree, function: &Function, body: &[ExprId]) {
        let Function { name: _, params, body: _, dbg, no_poll } = function;
        self.writer.bool(*no_poll);
        if self.keep_locations {
            self.writer.u(u64::from(dbg.0));
        }
        self.writer.u(params.len() as u64);
        for (var, ty) in params {
            let next = self.vars.len() as u32;
            self.vars.insert(*var, next);
            self.writer.code(ty);
        }
        for id in body {
            let mut expr = tree.exprs[id.0 as usize].clone();
            parts(&mut expr, &mut |part| self.renamed(part));
            shallow(&mut self.writer, &expr);
        }
    }

    fn renamed(&mut self, part: Part<'_>) {
        match part {
            Part::Var(var) => {
                let next = self.vars.len() as u32;
                *var = Var(*self.vars.entry(*var).or_insert(next));
            }
            Part::Label(label) => {
                let next = self.labels.len() as u32;
                *label = Label(*self.labels.entry(*label).or_insert(next));
            }
            Part::Code(name) => match self.numbers.get(name) {
                Some(number) => {
                    self.called.push(*number);
                    *name = Name(0);
                }
                None => name.0 += 1,
            },
            Part::Dbg(dbg) if !self.keep_locations => *dbg = Dbg::NONE,
            Part::Dbg(_) => {}
        }
    }
}

/// What an expression has beside operands and plain data.
enum Part<'a> {
    Var(&'a mut Var),
    Label(&'a mut Label),
    /// The symbol of a code.
    Code(&'a mut Name),
    Dbg(&'a mut Dbg),
}

fn parts(expr: &mut Expr, f: &mut impl FnMut(Part<'_>)) {
    match expr {
        Expr::Var(var) | Expr::Let { var, .. } | Expr::LetMut { var, .. } | Expr::Assign { var, .. } => {
            f(Part::Var(var));
        }
        Expr::Try { var, dbg, .. } => {
            f(Part::Var(var));
            f(Part::Dbg(dbg));
        }
        Expr::Catch { handlers, .. } => {
            for handler in handlers {
                f(Part::Label(&mut handler.label));
                handler.params.iter_mut().for_each(|(var, _)| f(Part::Var(var)));
            }
        }
        Expr::Exit { label, .. } => f(Part::Label(label)),
        Expr::DirectCall { code, dbg, .. } => {
            f(Part::Code(code));
            f(Part::Dbg(dbg));
        }
        Expr::Closures { functions, dbg, .. } => {
            functions.iter_mut().for_each(|entry| f(Part::Code(&mut entry.code)));
            f(Part::Dbg(dbg));
        }
        Expr::IsClosureOf { function, .. } => f(Part::Code(&mut function.code)),
        Expr::If { dbg, .. }
        | Expr::Switch { dbg, .. }
        | Expr::StringSwitch { dbg, .. }
        | Expr::Prim { dbg, .. }
        | Expr::GenericCall { dbg, .. }
        | Expr::Send { dbg, .. }
        | Expr::Raise { dbg, .. }
        | Expr::Functions { dbg, .. }
        | Expr::Checked { dbg, .. } => f(Part::Dbg(dbg)),
        Expr::Int(_)
        | Expr::Float(_)
        | Expr::Symbol(_)
        | Expr::Seq(..)
        | Expr::Offset { .. }
        | Expr::SlotLoad { .. }
        | Expr::Unreachable
        | Expr::Boxed { .. }
        | Expr::Code(_)
        | Expr::Member { .. } => {}
    }
}
