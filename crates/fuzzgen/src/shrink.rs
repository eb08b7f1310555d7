//! Making a program smaller as long as it keeps a property that the caller can test.
//!
//! Candidates need not be well-typed: the caller's test compiles them, and a program that doesn't compile does not
//! have the property.

use std::collections::HashSet;

use crate::literals::simple_texts;
use crate::program::Program;
use crate::tree::{Node, Part, Role};

/// The most descendants that are tried as a replacement of an expression.
const DESCENDANTS: usize = 6;

/// Shrinks until nothing helps any more. `test` returns `None` when the time for shrinking is up.
pub fn shrink(program: &Program, test: &mut dyn FnMut(&Program) -> Option<bool>) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.size();
        let Some(()) = pass(&mut best, test) else { return best };
        if best.size() >= before {
            return best;
        }
    }
}

fn pass(best: &mut Program, test: &mut dyn FnMut(&Program) -> Option<bool>) -> Option<()> {
    drop_units(best, test)?;
    for tree in trees(best) {
        drop_optional(best, tree, test)?;
    }
    for unit in 0..best.units.len() {
        simplify(best, unit, test)?;
    }
    Some(())
}

/// A tree of a program: the unit, and whether its interface.
type TreeId = (usize, bool);

/// Users come before what they use: interfaces before bodies, later units before earlier ones.
fn trees(program: &Program) -> Vec<TreeId> {
    let units = (0..program.units.len()).rev();
    units.flat_map(|unit| [(unit, true), (unit, false)]).collect()
}

fn tree(program: &Program, (unit, interface): TreeId) -> Option<&Node> {
    let unit = &program.units[unit];
    if interface { unit.interface.as_ref() } else { Some(&unit.body) }
}

fn with_tree(program: &Program, (unit, interface): TreeId, tree: Node) -> Program {
    let mut changed = program.clone();
    if interface {
        changed.units[unit].interface = Some(tree);
    } else {
        changed.units[unit].body = tree;
    }
    changed
}

/// Leaves out whole units, then interfaces.
fn drop_units(best: &mut Program, test: &mut dyn FnMut(&Program) -> Option<bool>) -> Option<()> {
    for unit in (0..best.units.len()).rev() {
        let mut fewer = best.clone();
        fewer.units.remove(unit);
        if !fewer.units.is_empty() && test(&fewer)? {
            *best = fewer;
        }
    }
    for unit in (1..best.units.len()).rev() {
        let merged = merged(best, unit);
        if test(&merged)? {
            *best = merged;
        }
    }
    for unit in 0..best.units.len() {
        let mut open = best.clone();
        if open.units[unit].interface.take().is_some() && test(&open)? {
            *best = open;
        }
    }
    Some(())
}

/// The program with a unit's definitions behind those of the unit before it, which it may have opened.
fn merged(program: &Program, unit: usize) -> Program {
    let mut fewer = program.clone();
    let user = fewer.units.remove(unit);
    let library = &mut fewer.units[unit - 1];
    let opening = format!("open {}{}\n", library.name[..1].to_uppercase(), &library.name[1..]);
    let mut body = user.body;
    body.parts.retain(|part| !matches!(part, Part::Node(node) if node.to_text() == opening));
    library.body = Node::plain("", vec![library.body.clone(), body]);
    library.interface = None;
    fewer
}

/// Leaves out definitions, statements and arms, many at a time as long as that works.
fn drop_optional(
    best: &mut Program,
    id: TreeId,
    test: &mut dyn FnMut(&Program) -> Option<bool>,
) -> Option<()> {
    let count = |program: &Program| tree(program, id).map_or(0, |t| optional(t).len());
    let mut chunk = count(best);
    while chunk > 0 {
        let mut end = count(best);
        while end > 0 {
            let start = end.saturating_sub(chunk);
            let Some(root) = tree(best, id) else { return Some(()) };
            let numbers: HashSet<usize> = optional(root)[start..end].iter().copied().collect();
            let smaller = with_tree(best, id, without(root, &numbers, &mut 0));
            if test(&smaller)? {
                *best = smaller;
                // Nodes inside of those left out are gone with them.
                end = start.min(count(best));
            } else {
                end = start;
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    Some(())
}

/// The numbers, in preorder, of the nodes that may be left out and are not empty.
fn optional(node: &Node) -> Vec<usize> {
    fn visit(node: &Node, number: &mut usize, into: &mut Vec<usize>) {
        if node.role == Role::Optional && !node.parts.is_empty() {
            into.push(*number);
        }
        *number += 1;
        for child in node.children() {
            visit(child, number, into);
        }
    }
    let mut numbers = vec![];
    visit(node, &mut 0, &mut numbers);
    numbers
}

/// A copy of the tree without the nodes of these numbers.
fn without(node: &Node, numbers: &HashSet<usize>, number: &mut usize) -> Node {
    let leave_out = numbers.contains(number);
    *number += 1;
    let mut parts = vec![];
    for part in &node.parts {
        match part {
            Part::Text(text) => parts.push(Part::Text(text.clone())),
            Part::Node(child) => parts.push(Part::Node(without(child, numbers, number))),
        }
    }
    if leave_out {
        parts.clear();
    }
    Node { role: node.role.clone(), parts }
}

/// Replaces expressions by parts of them, or by simple ones of the same type; the large ones first.
fn simplify(best: &mut Program, unit: usize, test: &mut dyn FnMut(&Program) -> Option<bool>) -> Option<()> {
    let mut number = 0;
    while let Some(node) = best.units[unit].body.at(&mut { number }).cloned() {
        let mut replaced = false;
        for candidate in candidates(&node) {
            let body = best.units[unit].body.replaced(&mut { number }, &candidate);
            let smaller = with_tree(best, (unit, false), body);
            if test(&smaller)? {
                *best = smaller;
                replaced = true;
                break;
            }
        }
        // The replacement may shrink further.
        if !replaced || node.size() == 1 {
            number += 1;
        }
    }
    Some(())
}

/// Smaller expressions of the same type.
fn candidates(node: &Node) -> Vec<Node> {
    let Role::Expr(ty) = &node.role else { return vec![] };
    let text = node.to_text();
    let simple = simple_texts(ty);
    if simple.contains(&text.as_str()) {
        return vec![];
    }
    let mut found: Vec<Node> = simple.iter().take(1).map(|text| Node::expr(ty, text, vec![])).collect();
    let mut inside = vec![];
    collect(node, &node.role, &mut inside);
    inside.sort_by_key(|n: &&Node| n.size());
    found.extend(inside.into_iter().take(DESCENDANTS).filter(|n| n.to_text() != text).cloned());
    if node.size() > 1 {
        found.extend(simple.iter().skip(1).map(|text| Node::expr(ty, text, vec![])));
    }
    found
}

fn collect<'a>(node: &'a Node, role: &Role, into: &mut Vec<&'a Node>) {
    for child in node.children() {
        if child.role == *role {
            into.push(child);
        }
        collect(child, role, into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    /// A property of the text: shrinking leaves little beside it.
    #[test]
    fn what_matters_is_kept_and_little_else() {
        let has = |p: &Program| p.units.iter().any(|u| u.body.to_text().contains("Fz.minor"));
        let program = (0..400)
            .map(|seed| Program::generate(seed, &Options::default()))
            .find(|p| p.size() > 200 && has(p))
            .expect("a program with a collection");
        let small = shrink(&program, &mut |p| Some(has(p)));
        assert!(has(&small));
        assert!(small.size() * 5 < program.size(), "{} of {}", small.size(), program.size());
    }
}
