//! The state of a traversal, besides the environment and the present point ([`crate::point`]): what is known of the
//! whole unit, and of the function that is being simplified.

use std::rc::Rc;

use flambeau_ir::{CodeId, Continuation, Expr, Heat, Simple, Symbol, Unit, ValueSlot, Variable};
use flambeau_types::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::analysis::Analysis;
use crate::call_patterns::{FunctionVersions, WaitingClosure};
use crate::cold::ColdConts;
use crate::continuations::ContState;
use crate::edges::Edges;
use crate::forks::Fork;
use crate::formats::Formats;
use crate::functors::Functors;
use crate::imported::Imported;
use crate::inline::budgets::{Budgets, any_unit};
use crate::inline::measure::Counts;
use crate::inline::refused::Refused;
use crate::lift::StaticTable;
use crate::sets::Sets;
use crate::shapes::Definitions;
use crate::slots::Slot;
use crate::specialise::types::TypedCopies;
use crate::{inline, made, toplevel, uses};

/// What is known of the unit, whatever function is being simplified.
pub struct Global {
    pub statics: StaticTable,
    /// Codes whose bodies have been simplified, or are not to be.
    pub done: FxHashSet<CodeId>,
    pub sets: Sets,
    pub uses_closure: FxHashMap<CodeId, bool>,
    /// The closures of static sets, and what those captured.
    pub static_codes: FxHashMap<CodeId, (Symbol, Vec<(ValueSlot, Ty)>)>,
    /// Whether there are sets that are not to be copied.
    pub has_sole_sets: bool,
    /// The symbols of closures that are static, by their codes, once known in these.
    pub code_symbols: FxHashMap<CodeId, Symbol>,
    /// Parameters that a code has no use for.
    pub ignored: FxHashMap<CodeId, SmallVec<[usize; 2]>>,
    /// Codes whose bodies are being simplified, and are in no table meanwhile ([`crate::Simplifier::body`]).
    pub in_progress: FxHashSet<CodeId>,
    pub sizes: FxHashMap<CodeId, Option<u32>>,
    /// How recursive functions take their arguments apart, once asked for.
    pub descents: FxHashMap<CodeId, Option<inline::Descent>>,
    /// The beginnings of functions (`inline::guard`), with their sizes.
    pub guards: FxHashMap<CodeId, Option<(Expr, u32)>>,
    /// Bodies as they were before they were simplified, for policy *benefit*.
    pub declared: FxHashMap<CodeId, Expr>,
    pub declared_sizes: FxHashMap<CodeId, Option<u32>>,
    /// The sizes that functions had before the first round which attributes inline.
    pub written_sizes: FxHashMap<CodeId, u32>,
    /// Functions as they were before they were simplified, for policy *threshold* (`inline::originals`).
    pub originals: FxHashMap<CodeId, CodeId>,
    /// The pre-pass of functions that were measured; not of those that loop, which depends on the arguments.
    pub analyses: FxHashMap<CodeId, Rc<Analysis>>,
    /// Evaluations that refused calls.
    pub refused: Refused,
    /// Whether each code has a `try`.
    pub catches: FxHashMap<CodeId, bool>,
    pub budgets: Budgets,
    pub imported: Imported,
    pub typed_copies: TypedCopies,
    pub function_versions: FunctionVersions,
    pub formats: Formats,
    pub toplevel: toplevel::Fields,
    pub uses: uses::Uses,
    /// Which functions are mutually recursive.
    pub groups: inline::Groups,
    /// Which functors are inlined at the toplevel.
    pub functors: Functors,
    /// What functors make of static arguments, as far as it was asked for.
    pub evaluated: FxHashMap<(CodeId, Vec<Simple>), Ty>,
    pub definitions: Definitions,
    /// What is known of the objects that functions return, as far as it was asked for.
    pub returned: FxHashMap<CodeId, Ty>,
    /// And of the parts that they store, by the numbers of these.
    pub returned_parts: FxHashMap<CodeId, Rc<[(u32, Ty)]>>,
    /// The codes of functions in such objects: known too late for inlining to be worth more than a small body.
    pub of_objects: FxHashSet<CodeId>,
    /// What is known of parts of other units' modules, by the symbols of these.
    pub made: FxHashMap<(Symbol, made::Path), Ty>,
    /// What behaves as structures of other units' modules, by where those are.
    pub structures: FxHashMap<(Symbol, made::Path), Option<Simple>>,
    /// Static data that the evaluation of functors created: only [`crate::instances`] needs it.
    pub instance_data: FxHashSet<Symbol>,
    /// Codes of specialised instances that are called, and stay therefore.
    pub called_instances: FxHashSet<CodeId>,
    /// Whether code of an instance called small functions of the functor's argument before it was simplified.
    pub calls_given: FxHashMap<CodeId, bool>,
    /// A profile says of some functions how often they run.
    pub has_profile: bool,
    /// How many states of the memory have a name.
    memories: u32,
}

impl Global {
    /// The state for a unit of which nothing is known but what it holds.
    pub fn of(unit: &Unit, budgets: Budgets) -> Global {
        Global {
            statics: StaticTable::of(unit),
            done: FxHashSet::default(),
            sets: Sets::default(),
            uses_closure: FxHashMap::default(),
            static_codes: FxHashMap::default(),
            has_sole_sets: false,
            code_symbols: FxHashMap::default(),
            ignored: FxHashMap::default(),
            in_progress: FxHashSet::default(),
            sizes: FxHashMap::default(),
            descents: FxHashMap::default(),
            guards: FxHashMap::default(),
            declared: FxHashMap::default(),
            declared_sizes: FxHashMap::default(),
            written_sizes: FxHashMap::default(),
            originals: FxHashMap::default(),
            analyses: FxHashMap::default(),
            refused: Refused::default(),
            catches: FxHashMap::default(),
            imported: Imported::default(),
            typed_copies: TypedCopies::default(),
            function_versions: FunctionVersions::default(),
            formats: Formats::new(any_unit(unit), budgets.unit),
            budgets,
            toplevel: toplevel::Fields::default(),
            uses: uses::Uses::default(),
            groups: inline::Groups::default(),
            functors: Functors::default(),
            evaluated: FxHashMap::default(),
            definitions: Definitions::default(),
            returned: FxHashMap::default(),
            returned_parts: FxHashMap::default(),
            of_objects: FxHashSet::default(),
            made: FxHashMap::default(),
            structures: FxHashMap::default(),
            instance_data: FxHashSet::default(),
            called_instances: FxHashSet::default(),
            calls_given: FxHashMap::default(),
            has_profile: unit.codes.values().any(|code| code.attributes.heat != Heat::Unknown),
            // The first is that of the beginning.
            memories: 1,
        }
    }

    /// A name for a state of the memory that has none yet.
    pub fn new_memory(&mut self) -> u32 {
        self.memories += 1;
        self.memories
    }
}

/// What is known of the function that is being simplified.
#[derive(Default)]
pub struct FunctionState {
    /// Its code, for the trace and for decisions; none of the toplevel.
    pub current: Option<CodeId>,
    pub conts: FxHashMap<Continuation, ContState>,
    pub edges: Edges,
    /// The continuations from which each path ends in an error.
    pub cold: ColdConts,
    /// Shared by all evaluations that only measure the same function.
    pub analysis: Rc<Analysis>,
    /// What is counted, if the function is evaluated only to be measured ([`crate::inline::measure`]).
    pub measured: Option<Box<Counts>>,
    /// What inlining may still add to the function.
    pub budget: u32,
    /// What may still be copied for calls that result from the last call of the source for which something was copied.
    pub deeper: u32,
    /// What policies may still inline inside what was inlined for the last call of the source.
    pub below: u32,
    /// Variables created in the downward pass that are possibly poison.
    pub possibly_poison: FxHashSet<Variable>,
    /// Parameters that are passed as parts and boxed again where a box is needed.
    pub rebuilt: FxHashSet<Variable>,
    /// Numbers that are passed unboxed, with what is passed beside each: its box, or an immediate if there is none.
    pub boxes_beside: FxHashMap<Variable, Variable>,
    /// Variants that are passed unboxed: uses that need no boxed value do without the allocation.
    pub unboxed: FxHashSet<Variable>,
    /// Whether parameters of loops that values flow between may be passed unboxed, by their representative.
    pub parted_webs: FxHashMap<Variable, bool>,
    /// The continuations of diamonds (`unboxing::diamond`), each with the one at which all paths meet.
    pub diamonds: FxHashMap<Continuation, Continuation>,
    /// The ordinary continuations in which exception handlers continue.
    pub raise_targets: FxHashMap<Continuation, Continuation>,
    /// The tests that handlers begin with, and that continue others ([`crate::forks`]).
    pub forks: FxHashMap<Continuation, Rc<Fork>>,
    /// Whether it has loops with [`CalledParam`](crate::call_patterns::CalledParam)s.
    pub has_called_params: bool,
    /// Closures that are passed as what they have captured.
    pub waiting: FxHashMap<Variable, WaitingClosure>,
    /// The slots in which parts of results have been stored so far, wherever.
    pub slots: SmallVec<[Slot; 2]>,
    /// What is known of the parts that a call left in the slots, by their numbers, and the name of what these held
    /// then.
    pub left_by_call: (u32, Rc<[(u32, Ty)]>),
    /// How many loops are around the point that is being simplified.
    pub loops: u32,
    /// Whether what is being simplified is the body of a functor evaluated for what it makes ([`crate::instances`]), or
    /// a function for that.
    pub in_instance: bool,
}
