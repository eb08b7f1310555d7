//! What other units may inline: the functions of a unit that the inliner of another can reach and would consider, by
//! the measure that it applies itself.

use flambeau_ir::inlining::{LARGE, LARGEST};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::transfer::{self, Exported};
use flambeau_ir::{CodeId, Rewrites, Simple, StaticDef, Subkind, Symbol, Unit, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{call_patterns, inline, instances, size, specialise};

/// What others may inline without evaluating it, at their `-O3`.
const SMALL: u32 = 60;
/// The size of the hidden functions that an importing unit may have to copy with a function: it has them once, and
/// whatever it inlines the function for.
const LARGEST_COPIES: u32 = 100;
/// What knowledge of an argument can be worth, mostly: a function that is called and not allocated, a block, a
/// constant.
const CLOSURE_BENEFIT: u32 = 42;
const ALLOCATION_BENEFIT: u32 = 14;
const CONSTANT_BENEFIT: u32 = 6;

/// What of the unit others may refer to.
#[derive(Clone, Debug)]
pub enum Visible {
    /// Whatever is mentioned by what is exported: the object will define it.
    All,
    /// These names of the linker alone: the object must be one of several interchangeable ones.
    Only(FxHashSet<String>),
}

impl Visible {
    fn contains(&self, name: &str) -> bool {
        match self {
            Visible::All => true,
            Visible::Only(names) => names.contains(name),
        }
    }
}

/// The functions that other units may inline, each with the linker's name of its code: those of `roots`, which are
/// names of the linker, and those that these call. Static data that they mention is exported from now on. `place_of`:
/// where the closures of the object, which are those of no other one, have what they captured.
pub fn inlinable(
    unit: &mut Unit,
    rewrites: &Rewrites,
    roots: impl IntoIterator<Item = String>,
    visible: &Visible,
    place_of: transfer::PlaceOf<'_>,
) -> Vec<(String, Vec<u8>)> {
    let by_name: FxHashMap<&str, CodeId> =
        unit.codes.iter().map(|(id, code)| (code.linkage_name.as_str(), id)).collect();
    let mut seen = FxHashSet::default();
    let mut pending: Vec<CodeId> = roots
        .into_iter()
        .filter_map(|name| by_name.get(name.as_str()).copied())
        .filter(|code| seen.insert(*code))
        .collect();
    let mut functions = Vec::new();
    let mut mentioned: FxHashSet<Symbol> = FxHashSet::default();
    let hidden = hidden_closures(unit, |closure| !visible.contains(closure.code));
    let mut along = match visible {
        Visible::All => FxHashMap::default(),
        Visible::Only(_) => constants(unit),
    };
    along.extend(&hidden);
    let mut along_with_functor = along.clone();
    along_with_functor.extend(hidden_closures(unit, |closure| {
        !visible.contains(closure.code) || !visible.contains(closure.symbol)
    }));
    let closures = static_closures(unit);
    while let Some(code) = pending.pop() {
        if !may_be_inlined(unit, code, rewrites) {
            continue;
        }
        let along = if unit.codes[code].attributes.is_functor { &along_with_functor } else { &along };
        let exported = transfer::export(unit, code, along, &closures, place_of);
        let Some(exported) = exported else { continue };
        if !may_leave(unit, &exported, visible) || !may_have_copies(unit, code, &exported, &hidden) {
            continue;
        }
        pending.extend(exported.called.iter().filter(|called| seen.insert(**called)));
        mentioned.extend(exported.symbols);
        functions.push((unit.codes[code].linkage_name.clone(), exported.bytes));
    }
    for item in &mut unit.statics {
        item.exported |= item.def.symbols().iter().any(|symbol| mentioned.contains(symbol));
    }
    functions.sort();
    functions
}

/// What the arguments of a call can be worth to the inliner at the most.
fn largest_benefit(unit: &Unit, code: CodeId) -> u32 {
    let of_param = |param: &Variable| match unit.variables[*param].subkind {
        Subkind::Any => CLOSURE_BENEFIT,
        Subkind::Boxed(_) => ALLOCATION_BENEFIT,
        Subkind::Immediate => CONSTANT_BENEFIT,
    };
    unit.codes[code].params.iter().map(of_param).fold(0, u32::saturating_add)
}

/// Static data whose identity nobody can rely on: numbers, strings, and immutable blocks of such.
fn constants(unit: &Unit) -> FxHashMap<Symbol, &StaticDef> {
    let mut constants = FxHashMap::default();
    for item in &unit.statics {
        match &item.def {
            StaticDef::Block { .. }
            | StaticDef::Float { .. }
            | StaticDef::Int32 { .. }
            | StaticDef::Int64 { .. }
            | StaticDef::Nativeint { .. }
            | StaticDef::String { mutable: false, .. }
            | StaticDef::FloatArray { mutable: false, .. } => {
                constants.extend(item.def.symbols().iter().map(|symbol| (*symbol, &item.def)));
            }
            StaticDef::String { mutable: true, .. }
            | StaticDef::FloatArray { mutable: true, .. }
            | StaticDef::Closures { .. }
            | StaticDef::Preallocated { .. } => {}
        }
    }
    constants
}

/// The linker's names of a static closure.
struct ClosureNames<'u> {
    code: &'u str,
    symbol: &'u str,
}

/// The sets of static closures of which one is hidden, by their symbols: functions that other units can't refer to.
fn hidden_closures(
    unit: &Unit,
    is_hidden: impl Fn(&ClosureNames<'_>) -> bool,
) -> FxHashMap<Symbol, &StaticDef> {
    let mut hidden = FxHashMap::default();
    for item in &unit.statics {
        let StaticDef::Closures { symbols, set } = &item.def else { continue };
        let mut closures = symbols.iter().zip(&set.functions).map(|(symbol, (_, code))| ClosureNames {
            code: &unit.codes[*code].linkage_name,
            symbol: &unit.symbols[*symbol].linkage_name,
        });
        if closures.any(|closure| is_hidden(&closure)) {
            hidden.extend(symbols.iter().map(|symbol| (*symbol, &item.def)));
        }
    }
    hidden
}

/// The functions of static closures which a generic call of so many arguments runs, and which need no closure.
fn static_closures(unit: &Unit) -> FxHashMap<Symbol, CodeId> {
    let mut closures = FxHashMap::default();
    for item in &unit.statics {
        let StaticDef::Closures { symbols, set } = &item.def else { continue };
        for (symbol, (_, code)) in symbols.iter().zip(&set.functions) {
            let data = &unit.codes[*code];
            if !data.uses_closure() && data.takes_values(&unit.variables, data.params.len()) {
                closures.insert(*symbol, *code);
            }
        }
    }
    closures
}

/// Whether the inliner would ever want it.
fn may_be_inlined(unit: &Unit, code: CodeId, rewrites: &Rewrites) -> bool {
    let data = &unit.codes[code];
    let stub = data.attributes.stub;
    let limit = match data.attributes.inline {
        InlineAttribute::Never => return false,
        InlineAttribute::Always | InlineAttribute::Hint if !rewrites.stubs_only => LARGEST,
        _ if stub => LARGEST,
        _ if rewrites.stubs_only => return false,
        _ if data.attributes.is_functor => instances::LARGEST,
        _ if specialise::gains_from_functions(unit, code) || !call_patterns::consumed(data).is_empty() => {
            specialise::LARGEST_WITH_LOOPS
        }
        _ if data.recursive || specialise::types::gains_from_types(unit, code) => {
            specialise::LARGEST_SPECIALISED
        }
        _ => largest_benefit(unit, code).saturating_add(SMALL).min(LARGE),
    };
    (stub || !data.recursive || is_copied(unit, code)) && size::whole(unit, code, limit).is_some()
}

/// Whether other units may want copies of a function, though it is recursive: for a function that it calls, for the
/// types of what it takes, for a sequence, or down a block that is known.
#[must_use]
pub fn is_copied(unit: &Unit, code: CodeId) -> bool {
    specialise::uses_functions(unit, code)
        || specialise::types::gains_from_types(unit, code)
        || call_patterns::consumes_sequences(&unit.codes[code], code)
        || inline::descends_and_is_small(unit, code)
}

/// Whether the hidden functions that an importing unit copies with a function are worth it: small, called and not
/// handed on, and one of them takes a number in a box, which the copy need not, or makes a closure, as what makes a
/// sequence does ([`call_patterns`]). A functor's may be anything: they are what it is evaluated for.
fn may_have_copies(
    unit: &Unit,
    code: CodeId,
    exported: &Exported,
    hidden: &FxHashMap<Symbol, &StaticDef>,
) -> bool {
    if unit.codes[code].attributes.is_functor || exported.copies.is_empty() {
        return true;
    }
    let mut hands_on = false;
    for body in exported.copies.iter().chain([&code]).map(|code| &unit.codes[*code].body) {
        body.for_each_simple_deep(&mut |simple| {
            hands_on |= matches!(simple, Simple::Symbol(symbol) if hidden.contains_key(&symbol));
        });
    }
    let is_boxed = |param: &Variable| matches!(unit.variables[*param].subkind, Subkind::Boxed(_));
    let makes_closures = |copy: &CodeId| unit.codes[*copy].body.makes_closures();
    let mut left = LARGEST_COPIES;
    !hands_on
        && exported
            .copies
            .iter()
            .any(|copy| unit.codes[*copy].params.iter().any(is_boxed) || makes_closures(copy))
        && exported.copies.iter().all(|copy| {
            let size = size::of(&unit.codes[*copy].body, left);
            left -= size.unwrap_or(0);
            size.is_some()
        })
}

/// Whether all that a function mentions of the unit may be known outside.
fn may_leave(unit: &Unit, exported: &Exported, visible: &Visible) -> bool {
    let symbols =
        exported.symbols.iter().map(|symbol| &unit.symbols[*symbol]).filter(|symbol| symbol.is_local);
    let codes = exported.called.iter().map(|code| &unit.codes[*code].linkage_name);
    symbols.map(|symbol| &symbol.linkage_name).chain(codes).all(|name| visible.contains(name))
}
