//! Functions that are the same become one.

use flambeau_cmm::same::{Sharing, share};
use flambeau_cmm::tree::{Data, Name, Tree};
use flambeau_ir::parser;

const UNIT: &str = r#"
unit "T" prefix "camlT" module $camlT

static exported $camlT = preallocated[0] size 1
static $even_closure = closures (even)
static $odd_closure = closures (odd)
static $even_2_closure = closures (even_2)
static $odd_2_closure = closures (odd_2)

code even (n: int) -> return [rec] {
  let m = sub.int (n, 1)
  let zero = eq.int (n, 0)
  cont more { call code odd (m) -> return }
  switch zero { 0 -> more, _ -> return (1) }
}
code odd (n: int) -> return [rec] {
  let m = sub.int (n, 1)
  let zero = eq.int (n, 0)
  cont more { call code even (m) -> return }
  switch zero { 0 -> more, _ -> return (0) }
}
code even_2 (x: int) -> k [rec] {
  let less = sub.int (x, 1)
  let done = eq.int (x, 0)
  cont next { call code odd_2 (less) -> k }
  switch done { 0 -> next, _ -> k (1) }
}
code odd_2 (x: int) -> k [rec] {
  let less = sub.int (x, 1)
  let done = eq.int (x, 0)
  cont next { call code even_2 (less) -> k }
  switch done { 0 -> next, _ -> k (0) }
}
code odd_3 (x: int) -> k [rec] {
  let less = sub.int (x, 1)
  let done = eq.int (x, 0)
  cont next { call code odd (less) -> k }
  switch done { 0 -> next, _ -> k (0) }
}

code first (x) closure env -> return {
  let y = project_value[first, a] (env)
  return (y)
}
code second (x) closure env -> return {
  let y = project_value[second, b] (env)
  return (y)
}
code third (x) closure env -> return {
  let y = project_value[third, d] (env)
  return (y)
}
code made (v, w, t) -> return {
  let f = closures (first) { a = v }
  let g = closures (second) { b = w }
  let h = closures (third) { d = t }
  let is_third = is_closure_of[third] (v)
  let all = make_block[0] (f, g, h)
  switch is_third { 0 -> return (all), _ -> return (0) }
}

entry -> return { return (0) }
"#;

fn shared(keep_locations: bool, is_known: &dyn Fn(&str) -> bool, mut allowed: u32) -> Tree {
    let unit = parser::parse_unit(UNIT).expect("a unit");
    let mut tree = flambeau_cmm::lower(&unit);
    let mut allow = || {
        let allow = allowed > 0;
        allowed = allowed.saturating_sub(1);
        allow
    };
    share(&mut tree, Sharing { keep_locations, is_known, allow: &mut allow });
    tree
}

/// What the unit calls that which has a linker's name.
fn name(tree: &Tree, name: Name) -> &str {
    tree.names[name.0 as usize].trim_start_matches("camlT__")
}

fn names(tree: &Tree) -> Vec<&str> {
    tree.functions.iter().map(|function| name(tree, function.name)).collect()
}

/// Groups that call each other in the same way are the same, one that calls another function is not, nor one of whose
/// closures something is asked.
#[test]
fn what_calls_the_same_is_the_same() {
    let tree = shared(true, &|_| false, u32::MAX);
    assert_eq!(names(&tree), ["even", "odd", "odd_3", "first", "third", "made"]);
    let entries = |data: &Data| match data {
        Data::Closures { functions, .. } => Some(name(&tree, functions[0].code)),
        _ => None,
    };
    let closures: Vec<&str> = tree.data.iter().filter_map(|(data, _)| entries(data)).collect();
    assert_eq!(closures, ["even", "odd", "even", "odd"]);
}

#[test]
fn what_others_know_stays() {
    let tree =
        shared(true, &|name| ["camlT__even_2", "camlT__odd_2", "camlT__odd"].contains(&name), u32::MAX);
    assert_eq!(names(&tree), ["odd", "even_2", "odd_2", "odd_3", "first", "third", "made"]);
}

/// Each is the same as the next one until all but the last are told apart, one in each round.
#[test]
fn long_chains_stay_as_they_are() {
    let chain = |length: usize| {
        let mut text = String::from("unit \"T\" prefix \"camlT\" module $camlT\n");
        text += "static exported $camlT = preallocated[0] size 1\n";
        text += "code f0 (x) -> return { return (x) }\n";
        for n in 1..=length {
            text += &format!("code f{n} (x) -> return {{ call code f{} (x) -> return }}\n", n - 1);
        }
        text += "code g (x) -> return { return (x) }\nentry -> return { return (0) }\n";
        let mut tree = flambeau_cmm::lower(&parser::parse_unit(&text).expect("a unit"));
        share(&mut tree, Sharing { keep_locations: false, is_known: &|_| false, allow: &mut || true });
        tree.functions.len()
    };
    assert_eq!(chain(20), 21);
    assert_eq!(chain(20_000), 20_002);
}

#[test]
fn each_asks() {
    assert_eq!(names(&shared(true, &|_| false, 0)).len(), 9);
    assert_eq!(names(&shared(true, &|_| false, 1)).len(), 8);
}
