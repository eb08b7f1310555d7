//! Functions inside of the functors of a described unit that are called where they are, in the stock object; and
//! functions that are free of that object.
//!
//! Whoever inlines a function of what a functor makes copies the functions of the functor that it calls. Those that
//! depend on nothing, such as the balancing of a tree, gain nothing by it, and are in the stock object. Their labels,
//! and that they take no closure, the stock `.cmx` does not say; the stock object does
//! ([`stock_object`](super::stock_object)), if it and the unit as it was converted agree on all of its functions.

use flambeau_ir::{CallKind, Code, CodeId, FunctionSlot, Simple, StaticDef, Symbol, Terminator, Unit};
use flambeau_simplify::{formats, uses_functions};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The suffix of labels of functions that are no longer what they are in the stock object.
const LOCAL: &str = "_local";
/// Smaller functions than this many operations are copied: they may be inlined.
const SMALL: usize = 16;

/// The labels of the functions of a unit, as it was converted, that take no closure in the stock object either. Nothing
/// where that has a function that the unit has not, since its labels may then be those of other functions.
pub fn closed_functions(unit: &Unit, stock: &[(String, usize)]) -> FxHashSet<String> {
    let by_label: FxHashMap<&str, CodeId> =
        unit.codes.iter().map(|(code, data)| (data.linkage_name.as_str(), code)).collect();
    let refer_to_themselves = functions_that_refer_to_themselves(unit);
    let mut closed = FxHashSet::default();
    for (label, arity) in stock.iter().filter(|(label, _)| has_name(label)) {
        let Some(code) = by_label.get(label.as_str()) else { return FxHashSet::default() };
        let data = &unit.codes[*code];
        if data.params.len() != *arity {
            return FxHashSet::default();
        }
        if !data.uses_closure() && !refer_to_themselves.contains(code) {
            closed.insert(label.clone());
        }
    }
    closed
}

/// The functions of a unit that formats which are known are printed with, though its interface has them not: of those
/// that take no closure, with the numbers of their arguments.
pub fn called_for_formats(unit: &Unit, closed: &FxHashSet<String>) -> Vec<(String, u64)> {
    let is_called = |data: &&Code| {
        closed.contains(&data.linkage_name) && formats::is_called(&data.linkage_name, &unit.naming)
    };
    let called = unit.codes.values().filter(is_called);
    called.map(|data| (data.linkage_name.clone(), data.params.len() as u64)).collect()
}

/// Frees functions that one other function alone mentions, local ones above all, as in a unit that is compiled for its
/// object: they may become part of that function, or take other arguments. So they bear the stock labels no more;
/// `promised` are the names that stay, as others know them from the stock `.cmx`. Functions of functors are left alone:
/// they call what they can in place. So are recursive functions that call what they are passed and are no loops, as
/// `List.of_seq` has one: others call them where they are, or have versions of them.
pub fn free_local_functions(unit: &mut Unit, promised: &FxHashSet<String>) {
    let of_functors = functions_of_functors(unit, &FxHashSet::default());
    let users = users(unit);
    let consumers: FxHashSet<CodeId> =
        unit.codes.keys().filter(|code| is_no_loop(unit, *code) && uses_functions(unit, *code)).collect();
    for item in &mut unit.statics {
        let StaticDef::Closures { symbols, set } = &item.def else { continue };
        let [(_, code)] = set.functions[..] else { continue };
        let is_local = matches!(users.get(&code).map(SmallVec::as_slice), Some([Some(_)]))
            && !of_functors.contains(&code)
            && !consumers.contains(&code);
        let data = &mut unit.codes[code];
        let is_promised = promised.contains(&data.linkage_name)
            || symbols.iter().any(|symbol| promised.contains(&unit.symbols[*symbol].linkage_name));
        if is_local && !is_promised && !data.attributes.is_functor {
            item.exported = false;
            data.linkage_name.push_str(LOCAL);
        }
    }
}

/// Whether a function calls itself other than at its end.
fn is_no_loop(unit: &Unit, code: CodeId) -> bool {
    let data = &unit.codes[code];
    let mut found = false;
    data.body.walk(&mut |expr| {
        if let Terminator::Apply(apply) = &expr.terminator {
            found |= apply.kind == CallKind::Direct(code) && apply.ret != data.ret;
        }
    });
    found
}

/// The other functions that mention each function of a static set; nothing in place of the entry and of static data.
type Users = FxHashMap<CodeId, SmallVec<[Option<CodeId>; 2]>>;

fn users(unit: &Unit) -> Users {
    let sets = static_sets(unit);
    let mut users = Users::default();
    for (user, body) in unit.bodies_by_code() {
        body.for_each_simple_deep(&mut |simple| add_user(&mut users, functions_of(&sets, simple), user));
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(called) = apply.kind
            {
                add_user(&mut users, [called], user);
            }
        });
    }
    for item in &unit.statics {
        item.def.for_each_simple(&mut |simple| add_user(&mut users, functions_of(&sets, simple), None));
    }
    users
}

fn add_user(users: &mut Users, used: impl IntoIterator<Item = CodeId>, user: Option<CodeId>) {
    for code in used.into_iter().filter(|code| Some(*code) != user) {
        let known = users.entry(code).or_default();
        if !known.contains(&user) {
            known.push(user);
        }
    }
}

/// The functions of static sets, by the symbols of these.
type StaticSets<'u> = FxHashMap<Symbol, &'u [(FunctionSlot, CodeId)]>;

fn static_sets(unit: &Unit) -> StaticSets<'_> {
    let mut sets = StaticSets::default();
    for item in &unit.statics {
        if let StaticDef::Closures { symbols, set } = &item.def {
            sets.extend(symbols.iter().map(|symbol| (*symbol, &set.functions[..])));
        }
    }
    sets
}

/// The functions of the static set that an atom is a closure of.
fn functions_of(sets: &StaticSets<'_>, simple: Simple) -> impl Iterator<Item = CodeId> {
    let set = if let Simple::Symbol(symbol) = simple { sets.get(&symbol).copied() } else { None };
    set.unwrap_or_default().iter().map(|(_, code)| *code)
}

/// Whether the source names the function: labels of others have numbers of the middle end.
fn has_name(label: &str) -> bool {
    !label.contains("fun_") && !label.contains("_inner_")
}

/// The functions of static sets one of whose functions mentions a closure of the set: in the stock object all of these
/// take their closure.
fn functions_that_refer_to_themselves(unit: &Unit) -> FxHashSet<CodeId> {
    let mut found = FxHashSet::default();
    for item in &unit.statics {
        let StaticDef::Closures { symbols, set } = &item.def else { continue };
        let mut pending: Vec<CodeId> = set.functions.iter().map(|(_, code)| *code).collect();
        let mut refers = false;
        while let Some(code) = pending.pop() {
            let body = &unit.codes[code].body;
            body.for_each_simple_deep(&mut |simple| {
                refers |= matches!(simple, Simple::Symbol(symbol) if symbols.contains(&symbol));
            });
            body.for_each_code_made(&mut |code| pending.push(code));
        }
        if refers {
            found.extend(set.functions.iter().map(|(_, code)| *code));
        }
    }
    found
}

/// Lets the functions of functors, and those that go along with these, call such functions in the stock object.
pub fn call_in_place(unit: &mut Unit, closed: &FxHashSet<String>) {
    let in_place: FxHashSet<CodeId> =
        unit.codes.iter().filter(|(_, data)| stays(data, closed)).map(|(code, _)| code).collect();
    if in_place.is_empty() {
        return;
    }
    let names: FxHashMap<CodeId, String> =
        in_place.iter().map(|code| (*code, unit.codes[*code].linkage_name.clone())).collect();
    for code in functions_of_functors(unit, &in_place) {
        unit.codes[code].body.walk_mut(&mut |expr| {
            if let Terminator::Apply(apply) = &mut expr.terminator
                && let CallKind::Direct(called) = apply.kind
                && apply.callee.is_none()
                && let Some(name) = names.get(&called)
            {
                apply.kind = CallKind::DirectExternal(name.clone());
            }
        });
    }
}

/// Whether a function is better called than copied: one that loops or is large, and calls nothing that it is given. A
/// functor that another one applies is never: the functions of the module are known only if the functor is
/// (`Pqueue.MakeMin` is made by `MakeMinPoly`).
fn stays(data: &Code, closed: &FxHashSet<String>) -> bool {
    let attributes = &data.attributes;
    if !closed.contains(&data.linkage_name) || data.uses_closure() || attributes.stub || attributes.is_functor
    {
        return false;
    }
    let (mut size, mut calls_unknown) = (0, false);
    data.body.walk(&mut |expr| {
        size += expr.items.len();
        calls_unknown |=
            matches!(&expr.terminator, Terminator::Apply(apply) if apply.kind == CallKind::Generic);
    });
    !calls_unknown && (data.recursive || size >= SMALL)
}

/// The functions of functors, with those that they would take along.
fn functions_of_functors(unit: &Unit, in_place: &FxHashSet<CodeId>) -> FxHashSet<CodeId> {
    let sets = static_sets(unit);
    let functors = unit.codes.iter().filter(|(_, data)| data.attributes.is_functor);
    let mut pending: Vec<CodeId> = functors.map(|(code, _)| code).collect();
    let mut seen: FxHashSet<CodeId> = FxHashSet::default();
    while let Some(code) = pending.pop() {
        if !seen.insert(code) {
            continue;
        }
        let body = &unit.codes[code].body;
        body.for_each_code_made(&mut |code| pending.push(code));
        body.for_each_simple_deep(&mut |simple| pending.extend(functions_of(&sets, simple)));
        body.walk(&mut |expr| {
            if let Terminator::Apply(apply) = &expr.terminator
                && let CallKind::Direct(called) = apply.kind
                && !in_place.contains(&called)
            {
                pending.push(called);
            }
        });
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = r#"
unit "T" prefix "camlT" module $camlT

static exported $camlT = preallocated[0] size 1
static $loop_closure = closures (loop_1)
static $itself_closure = closures (itself_2)
static exported $Make_closure = closures (Make_3)
static $user_closure = closures (user_5)
static $inner_closure = closures (inner_6)

code loop_1 slot loop (x, y) -> return [rec] {
  call code loop_1 (y, x) -> return
}

code itself_2 slot itself (x) -> return [rec] {
  let pair = make_block[0] (x, $itself_closure)
  call code itself_2 (pair) -> return
}

code Make_3 slot Make (K) -> return [functor] {
  let f = closures (f_4) { K }
  return (f)
}

code f_4 slot f (x) closure my_closure -> return {
  let K = project_value[f, K] (my_closure)
  let r = call code itself_2 (K)
  call code loop_1 (x, r) -> return
}

code user_5 slot user (x) -> return {
  call code inner_6 (x, $inner_closure) -> return
}

code inner_6 slot inner (x, y) -> return [rec] {
  call code inner_6 (y, x) -> return
}

entry -> return {
  do block_store.root_init[0] ($camlT, $Make_closure)
  do call code user_5 (0)
  return (0)
}
"#;

    fn stock(functions: &[(&str, usize)]) -> Vec<(String, usize)> {
        functions.iter().map(|(label, arity)| ((*label).to_owned(), *arity)).collect()
    }

    fn unit() -> Unit {
        flambeau_ir::parser::parse_unit(UNIT).expect("a unit")
    }

    fn labels(unit: &Unit) -> Vec<&str> {
        unit.codes.values().map(|data| data.linkage_name.as_str()).collect()
    }

    #[test]
    fn functions_of_functors_call_what_is_closed() {
        let mut unit = unit();
        let names: Vec<String> = labels(&unit).into_iter().map(str::to_owned).collect();
        let [looping, itself, ..] = &names[..] else { panic!("{names:?}") };
        let closed = closed_functions(&unit, &stock(&[(looping, 2), (itself, 1), ("camlT__fun_7", 3)]));
        // The closure of `itself` is one of its arguments in the stock object.
        assert_eq!(closed, FxHashSet::from_iter([looping.clone()]));
        call_in_place(&mut unit, &closed);
        let text = flambeau_ir::printer::print_unit(&unit);
        let f = text.split("code f_4").nth(1).expect("f");
        assert!(f.contains(&format!("call external \"{looping}\" (x, r)")), "{text}");
        assert!(f.contains("call code itself_2"), "{text}");
    }

    #[test]
    fn a_functor_that_another_applies_is_not_called_in_place() {
        let fields: String =
            (0..SMALL).map(|field| format!("  let block{field} = make_block[0] (K)\n")).collect();
        let text = format!(
            "unit \"T\" prefix \"camlT\" module $camlT\n\
             static exported $camlT = preallocated[0] size 1\n\
             static exported $Outer_closure = closures (Outer_1)\n\
             code Outer_1 slot Outer (K) -> return [functor] {{\n  call code Inner_2 (K) -> return\n}}\n\
             code Inner_2 slot Inner (K) -> return [functor] {{\n{fields}  return (block0)\n}}\n\
             entry -> return {{\n  return (0)\n}}\n"
        );
        let mut unit = flambeau_ir::parser::parse_unit(&text).expect("a unit");
        let closed = labels(&unit).into_iter().map(str::to_owned).collect();
        call_in_place(&mut unit, &closed);
        let text = flambeau_ir::printer::print_unit(&unit);
        assert!(text.contains("call code Inner_2"), "{text}");
    }

    #[test]
    fn what_one_function_alone_mentions_is_free() {
        let free = |promised: &[&str]| {
            let mut unit = unit();
            unit.statics.iter_mut().for_each(|item| item.exported = true);
            let promised = promised.iter().map(|name| (*name).to_owned()).collect();
            free_local_functions(&mut unit, &promised);
            let is_free = |data: &&Code| data.linkage_name.ends_with(LOCAL);
            let exported = unit.statics.iter().filter(|item| item.exported).count();
            (unit.codes.values().filter(is_free).map(|data| data.linkage_name.clone()).collect(), exported)
        };
        let names: (Vec<String>, usize) = free(&[]);
        let [inner] = &names.0[..] else { panic!("{names:?}") };
        assert!(inner.contains("inner_6"), "{names:?}");
        // The others are of the functor, or mentioned by the entry.
        assert_eq!(names.1, 5);
        let label = inner.strip_suffix(LOCAL).expect("the suffix");
        assert_eq!(free(&[label]), (Vec::new(), 6));
    }

    #[test]
    fn labels_of_another_source_say_nothing() {
        let unit = unit();
        let names = labels(&unit);
        assert!(closed_functions(&unit, &stock(&[(names[0], 2), ("camlT__other_9", 1)])).is_empty());
        assert!(closed_functions(&unit, &stock(&[(names[0], 3)])).is_empty());
    }
}
