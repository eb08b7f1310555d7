//! What is counted in a unit, and by what it is found again.
//!
//! A function is known by its path in the source (`M.f.(fun)`), by its position among those with the same path, and by
//! its *shape*: a hash of how its body branches and calls. So its counters are found as long as it branches as it did,
//! whatever is computed in between, and whatever is added elsewhere.

use flambeau_ir::{Code, CodeId, Expr, Item, Terminator, Unit};
use rustc_hash::FxHashMap;

use crate::flow::Flow;

/// The name of the source that the code which writes the profile is said to come from
/// (`ocaml/driver/profile_hook.ml`): it is not counted.
pub const HOOK: &str = "*flambeau profile*";

/// A function with more blocks has a counter of its calls alone.
const MOST: usize = 4_000;

/// What is counted in a function.
#[derive(Clone, Debug)]
pub struct Counted {
    /// None for the code that initialises the unit.
    pub code: Option<CodeId>,
    /// By what it is found again.
    pub key: Key,
    /// Where its counters are, and what follows from them.
    pub flow: Flow,
}

impl Counted {
    /// How many counters it has.
    #[must_use]
    pub fn counters(&self) -> usize {
        self.flow.counted().len()
    }
}

/// By what a function is found again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The definitions around it, as backtraces show them.
    pub path: String,
    /// Its position among the functions with that path.
    pub position: u32,
    /// How it branches and calls.
    pub shape: u64,
}

/// All that is counted in a unit that no pass has changed yet.
#[must_use]
pub fn of_unit(unit: &Unit) -> Vec<Counted> {
    let mut positions: FxHashMap<String, u32> = FxHashMap::default();
    let mut key = |path: String, shape: u64| {
        let next = positions.entry(path.clone()).or_insert(0);
        let position = *next;
        *next += 1;
        Key { path, position, shape }
    };
    let codes = unit.codes.iter().filter(|(_, code)| !code.attributes.stub && !is_hook(unit, code));
    let mut counted: Vec<Counted> = codes
        .map(|(id, code)| {
            let (flow, shape) = flow_and_shape(unit, &code.body);
            Counted { code: Some(id), key: key(path(unit, code), shape), flow }
        })
        .collect();
    let (flow, shape) = flow_and_shape(unit, &unit.entry.body);
    counted.push(Counted { code: None, key: key(format!("{} (toplevel)", unit.name), shape), flow });
    counted
}

fn path(unit: &Unit, code: &Code) -> String {
    match unit.locs.get(code.dbg) {
        Some(loc) if !loc.scope.is_empty() => loc.scope.replace(['\n', ' '], "_"),
        // Functions that the compiler made have no place: their names, without the numbers that follow.
        _ => code.linkage_name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').replace(' ', "_"),
    }
}

fn is_hook(unit: &Unit, code: &Code) -> bool {
    unit.locs.get(code.dbg).is_some_and(|loc| loc.file == HOOK)
}

/// Whether an item registers what writes the profile.
pub(crate) fn is_registration(unit: &Unit, item: &Item) -> bool {
    let Item::Join { body, .. } = item else { return false };
    matches!(&body.terminator, Terminator::Apply(apply)
        if unit.locs.get(apply.dbg).is_some_and(|loc| loc.file == HOOK))
}

/// The flow of a body, and its shape: all that the derived counts depend on, and the keys of its branches.
fn flow_and_shape(unit: &Unit, body: &Expr) -> (Flow, u64) {
    let flow = Flow::of(unit, body, MOST);
    let mut shape = Shape::default();
    shape.add(flow.words());
    let mut pending = vec![body];
    while let Some(expr) = pending.pop() {
        let first = pending.len();
        for item in expr.items.iter().filter(|item| !is_registration(unit, item)) {
            match item {
                Item::Join { params, body, .. } => {
                    shape.add([1, params.len() as u64]);
                    pending.push(body);
                }
                Item::LetCont { recursive, handlers } => {
                    shape.add([2, u64::from(*recursive), handlers.len() as u64]);
                    pending.extend(handlers.iter().map(|handler| &handler.body));
                }
                Item::Let { .. } | Item::LetClosures { .. } => {}
            }
        }
        shape.terminator(&expr.terminator);
        pending.extend(expr.terminator.child());
        pending[first..].reverse();
    }
    (flow, shape.0)
}

/// A hash that stays the same from build to build (FNV-1a).
#[derive(Clone, Copy)]
pub struct Shape(pub u64);

impl Default for Shape {
    fn default() -> Shape {
        Shape(0xcbf2_9ce4_8422_2325)
    }
}

impl Shape {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.bytes(&word.to_le_bytes()));
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            // What is known of a callee depends on what other units say.
            Terminator::Apply(apply) => self.add([3, apply.args.len() as u64]),
            Terminator::ApplyCont(jump) => self.add([4, jump.args.len() as u64]),
            Terminator::Switch(switch) => {
                self.add([5, switch.arms.len() as u64, u64::from(switch.default.is_some())]);
                switch.arms.iter().for_each(|(key, _)| self.add([*key as u64]));
            }
            Terminator::StringSwitch(switch) => {
                self.add([6, switch.arms.len() as u64, u64::from(switch.default.is_some())]);
                switch.arms.iter().for_each(|(key, _)| self.bytes(key));
            }
            Terminator::Raise { .. } => self.add([7]),
            Terminator::Try { .. } => self.add([8]),
            Terminator::Unreachable => self.add([9]),
        }
    }
}
