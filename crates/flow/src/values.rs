//! Where variables are defined and used.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use flambeau_ir::{ApplyCont, Item, Simple, Terminator, Variable};

use crate::{BlockData, Flow, Point, Run, Visitor};

/// A position in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The innermost run.
    pub run: Run,
    /// Increasing in the order of the text.
    pub position: u32,
}

impl From<Point> for Location {
    fn from(point: Point) -> Location {
        Location { run: point.run, position: point.position }
    }
}

/// One use.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Use(u32);
entity_impl!(Use, "use");

struct UseData {
    at: Location,
    /// The next use of the same variable.
    next: PackedOption<Use>,
}

#[derive(Clone, Default)]
struct Value {
    definition: Option<Location>,
    uses: PackedOption<Use>,
    is_known: bool,
}

/// The definitions and uses of a body's variables.
#[derive(Default)]
pub struct Values {
    values: SecondaryMap<Variable, Value>,
    uses: PrimaryMap<Use, UseData>,
    /// The variables of which anything is recorded.
    known: Vec<Variable>,
}

impl Values {
    /// Clears the tables, before another body is analysed.
    pub fn clear(&mut self) {
        self.known.drain(..).for_each(|variable| self.values[variable] = Value::default());
        self.uses.clear();
    }

    /// Where a variable is defined; nothing of the parameters of the function. Parameters of a continuation are defined
    /// where its code begins.
    #[must_use]
    pub fn definition(&self, variable: Variable) -> Option<Location> {
        self.values[variable].definition
    }

    /// Where a variable is used, the last use first.
    pub fn uses(&self, variable: Variable) -> impl Iterator<Item = Location> {
        let mut next = self.values[variable].uses;
        std::iter::from_fn(move || {
            let data = &self.uses[next.expand()?];
            next = data.next;
            Some(data.at)
        })
    }

    fn value(&mut self, variable: Variable) -> &mut Value {
        let value = &mut self.values[variable];
        if !value.is_known {
            value.is_known = true;
            self.known.push(variable);
        }
        value
    }

    fn define(&mut self, variable: Variable, at: Point) {
        self.value(variable).definition = Some(at.into());
    }

    fn add_use(&mut self, simple: Simple, at: Point) {
        if let Simple::Var(variable) = simple {
            let next = self.value(variable).uses;
            self.values[variable].uses = self.uses.push(UseData { at: at.into(), next }).into();
        }
    }
}

impl Visitor<'_> for Values {
    fn item(&mut self, _: &Flow, at: Point, _: usize, item: &Item) {
        item.for_each_simple(&mut |simple| self.add_use(simple, at));
        match item {
            Item::Let { var, .. } => self.define(*var, at),
            Item::LetClosures { vars, .. } => vars.iter().for_each(|var| self.define(*var, at)),
            // Their parameters are defined where their code begins.
            Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn terminator(&mut self, _: &Flow, at: Point, terminator: &Terminator) {
        match terminator {
            Terminator::Switch(switch) => self.add_use(switch.scrutinee, at),
            Terminator::StringSwitch(switch) => self.add_use(switch.scrutinee, at),
            _ => terminator.for_each_simple(&mut |simple| self.add_use(simple, at)),
        }
    }

    fn block(&mut self, _: &Flow, at: Point, block: &BlockData) {
        block.params.iter().for_each(|param| self.define(*param, at));
    }

    fn arm(&mut self, _: &Flow, at: Point, jump: &ApplyCont) {
        jump.for_each_simple(&mut |simple| self.add_use(simple, at));
    }
}
