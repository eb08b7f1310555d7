//! The names of the variables and continuations of one function.

use rustc_hash::FxHashMap;

use super::numbering::Table;
use super::{Name, Parser, Result};
use crate::{Continuation, ContinuationData, Heat, Kind, Subkind, Variable, VariableData};

/// What a name of a function stands for.
#[derive(Clone, Copy)]
struct Local<E> {
    entity: E,
    /// Whether a binding has been seen.
    bound: bool,
    /// Where the name was seen first.
    offset: usize,
}

/// The function that is being parsed.
#[derive(Default)]
pub(super) struct Function<'s> {
    variables: FxHashMap<Name<'s>, Local<Variable>>,
    continuations: FxHashMap<Name<'s>, Local<Continuation>>,
    /// The exception continuation of the innermost enclosing `try`, or else the function's.
    pub(super) handler: Option<Continuation>,
}

/// A variable where it is bound.
pub(super) struct Binder {
    pub(super) variable: Variable,
    pub(super) annotation: Option<(Kind, Subkind)>,
}

impl<'s> Parser<'s> {
    /// Parses something as the function that variables and continuations are local to.
    pub(super) fn in_function<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.function = Function::default();
        let result = parse(self)?;
        let function = std::mem::take(&mut self.function);
        let variables = unbound("variable", &function.variables);
        let unbound = variables.chain(unbound("continuation", &function.continuations));
        match unbound.min() {
            Some((offset, what, name)) => {
                Err(self.error_at(offset, format!("nothing binds the {what} `{name}`")))
            }
            None => Ok(result),
        }
    }

    fn variable(&mut self, name: Name<'s>, offset: usize, binds: bool) -> Result<Variable> {
        if let Some(local) = self.function.variables.get_mut(&name) {
            local.bound |= binds;
            return Ok(local.entity);
        }
        let make = |name: &str| VariableData {
            name: name.into(),
            kind: Kind::Value,
            subkind: Subkind::Any,
            shape: None,
        };
        let added = self.numbering.add((Table::Variables, &mut self.unit.variables), &name, make);
        let entity = added.map_err(|error| self.error_at(offset, error))?;
        self.function.variables.insert(name, Local { entity, bound: binds, offset });
        Ok(entity)
    }

    fn continuation(&mut self, binds: bool) -> Result<Continuation> {
        let offset = self.offset();
        let name = self.name("the name of a continuation")?;
        if let Some(local) = self.function.continuations.get_mut(&name) {
            local.bound |= binds;
            return Ok(local.entity);
        }
        let make = |name: &str| ContinuationData { name: name.into(), is_exn: false, heat: Heat::Unknown };
        let added = self.numbering.add((Table::Continuations, &mut self.unit.continuations), &name, make);
        let entity = added.map_err(|error| self.error_at(offset, error))?;
        self.function.continuations.insert(name, Local { entity, bound: binds, offset });
        Ok(entity)
    }

    /// A use of the variable of that name, which was seen there.
    pub(super) fn variable_named(&mut self, name: Name<'s>, offset: usize) -> Result<Variable> {
        self.variable(name, offset, false)
    }

    pub(super) fn variable_use(&mut self) -> Result<Variable> {
        let offset = self.offset();
        let name = self.name("a variable")?;
        self.variable(name, offset, false)
    }

    pub(super) fn continuation_use(&mut self) -> Result<Continuation> {
        self.continuation(false)
    }

    pub(super) fn continuation_binder(&mut self, is_exn: bool) -> Result<Continuation> {
        let continuation = self.continuation(true)?;
        self.unit.continuations[continuation].is_exn = is_exn;
        Ok(continuation)
    }

    /// `name` or `name: type`, and `of` what it is over type variables.
    pub(super) fn binder(&mut self) -> Result<Binder> {
        let offset = self.offset();
        let name = self.name("a variable")?;
        let variable = self.variable(name, offset, true)?;
        let annotation = self.type_annotation()?;
        if self.eat_word("of") {
            self.unit.variables[variable].shape = Some(Box::new(self.arg_type()?));
        }
        Ok(Binder { variable, annotation })
    }

    /// Gives the variable its kind: the one annotated, or the usual one at that position.
    pub(super) fn bind(&mut self, binder: Binder, usual: Kind) -> Variable {
        let (kind, subkind) = binder.annotation.unwrap_or((usual, Subkind::Any));
        let data = &mut self.unit.variables[binder.variable];
        (data.kind, data.subkind) = (kind, subkind);
        binder.variable
    }

    /// A variable which is a value unless it says otherwise.
    pub(super) fn parameter(&mut self) -> Result<Variable> {
        let binder = self.binder()?;
        Ok(self.bind(binder, Kind::Value))
    }
}

fn unbound<'f, E>(
    what: &'static str,
    locals: &'f FxHashMap<Name<'_>, Local<E>>,
) -> impl Iterator<Item = (usize, &'static str, &'f str)> {
    locals.iter().filter(|(_, local)| !local.bound).map(move |(name, local)| (local.offset, what, &**name))
}
