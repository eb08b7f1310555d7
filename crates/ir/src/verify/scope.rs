//! Scope: each identifier is bound at most once, and used only where it is bound.

use cranelift_entity::SecondaryMap;

use super::{Verifier, cause};
use crate::{Continuation, Kind, Variable};

/// Whether an identifier has been bound.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    NotSeen,
    InScope,
    /// Bound, in a scope that has been left.
    Left,
}

/// What a continuation takes.
#[derive(Clone, Copy)]
pub(super) enum Takes<'u> {
    /// The arguments of a handler.
    Params(&'u [Variable]),
    /// The result of the function.
    Result(Kind),
    /// The exception that leaves the function.
    Exception,
}

/// A continuation that has been bound.
#[derive(Clone, Copy)]
pub(super) struct Bound<'u> {
    pub(super) takes: Takes<'u>,
    /// The innermost handler where it is bound.
    pub(super) under: Continuation,
    /// Whether it is the handler of a `try` that has been seen.
    pub(super) handles: bool,
}

/// What is in scope.
#[derive(Default)]
pub(super) struct Scope<'u> {
    variables: SecondaryMap<Variable, State>,
    continuations: SecondaryMap<Continuation, (State, Option<Bound<'u>>)>,
    /// What is in scope, the innermost last, so that leaving a scope takes time for what it bound only.
    variables_in_scope: Vec<Variable>,
    continuations_in_scope: Vec<Continuation>,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    variables: usize,
    continuations: usize,
}

impl Scope<'_> {
    pub(super) fn mark(&self) -> Mark {
        Mark { variables: self.variables_in_scope.len(), continuations: self.continuations_in_scope.len() }
    }

    /// Leaves the scopes entered since the mark.
    pub(super) fn leave(&mut self, mark: Mark) {
        for variable in self.variables_in_scope.drain(mark.variables..) {
            self.variables[variable] = State::Left;
        }
        for continuation in self.continuations_in_scope.drain(mark.continuations..) {
            self.continuations[continuation].0 = State::Left;
        }
    }
}

impl<'u> Verifier<'u> {
    pub(super) fn bind_variable(&mut self, variable: Variable) {
        if self.unit.variables.get(variable).is_none() {
            return self.error(cause!["the variable ", variable, " is not in the unit's table"]);
        }
        if self.scope.variables[variable] != State::NotSeen {
            self.error(cause!["the variable ", variable, " is bound a second time"]);
        }
        self.scope.variables[variable] = State::InScope;
        self.scope.variables_in_scope.push(variable);
    }

    /// The kind of a variable, which must be in scope.
    pub(super) fn use_variable(&mut self, variable: Variable) -> Option<Kind> {
        let Some(data) = self.unit.variables.get(variable) else {
            self.error(cause!["the variable ", variable, " is not in the unit's table"]);
            return None;
        };
        if self.scope.variables[variable] != State::InScope {
            self.error(cause!["the variable ", variable, " is not in scope"]);
        }
        Some(data.kind)
    }

    pub(super) fn is_exn(&self, continuation: Continuation) -> bool {
        self.unit.continuations.get(continuation).is_some_and(|data| data.is_exn)
    }

    /// Binds a continuation, without bringing it into scope.
    pub(super) fn bind_continuation(&mut self, continuation: Continuation, takes: Takes<'u>) {
        if self.unit.continuations.get(continuation).is_none() {
            return self.error(cause!["the continuation ", continuation, " is not in the unit's table"]);
        }
        if self.scope.continuations[continuation].0 != State::NotSeen {
            self.error(cause!["the continuation ", continuation, " is bound a second time"]);
        }
        let bound = Bound { takes, under: self.handler, handles: false };
        self.scope.continuations[continuation] = (State::Left, Some(bound));
    }

    pub(super) fn enter_continuation(&mut self, continuation: Continuation) {
        self.scope.continuations[continuation].0 = State::InScope;
        self.scope.continuations_in_scope.push(continuation);
    }

    /// What is known of a continuation, which must be in scope.
    pub(super) fn use_continuation(&mut self, continuation: Continuation) -> Option<Bound<'u>> {
        // An entry beyond the map's end reads as "not seen", so that the table's range needs no check.
        let (state, bound) = self.scope.continuations[continuation];
        if state != State::InScope {
            self.error(cause!["the continuation ", continuation, " is not in scope"]);
        }
        bound
    }

    /// Notes that a continuation is the handler of a `try`; whether it already was.
    pub(super) fn mark_as_handler(&mut self, continuation: Continuation) -> bool {
        match &mut self.scope.continuations[continuation].1 {
            Some(bound) => std::mem::replace(&mut bound.handles, true),
            None => false,
        }
    }
}
