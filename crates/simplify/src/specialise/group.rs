//! The functions that are copied together: those of a set, or those of another unit that call each other; and the calls
//! between them.

use flambeau_ir::{Apply, CallKind, CodeId, Item, Named, Prim, Simple, Symbol, Terminator, Unit, Variable};
use smallvec::SmallVec;

use super::nested::Nested;
use crate::arrangements::Call;
use crate::{Functions, Simplifier};

/// Larger groups of functions of another unit are not searched for.
const LARGEST_GROUP: usize = 8;

/// The functions of another unit that call each other, by the linker's names of their codes: those that the unit has of
/// its own are called by these names, but for calls of a function in itself.
#[derive(Default)]
pub struct Group(pub Vec<(String, CodeId)>);

impl Group {
    pub fn functions(&self, unit: &Unit) -> Functions {
        self.0.iter().map(|(_, code)| (unit.codes[*code].function_slot, *code)).collect()
    }

    /// The function of the group that a call calls.
    pub fn called(&self, kind: &CallKind) -> Option<CodeId> {
        match kind {
            CallKind::Direct(code) => self.0.iter().find(|(_, own)| own == code).map(|(_, own)| *own),
            CallKind::DirectExternal(name) => self.0.iter().find(|(own, _)| own == name).map(|(_, own)| *own),
            _ => None,
        }
    }
}

impl Simplifier<'_> {
    /// The functions of another unit that call, directly or through others of them, the function `root`, and are called
    /// by it.
    pub(super) fn imported_group(&mut self, root: CodeId, limit: u32) -> Group {
        let mut group = Group(vec![(self.unit.codes[root].linkage_name.clone(), root)]);
        // By positions in the group, which functions call which.
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        while next < group.0.len() {
            let mut called: Vec<(String, usize)> = Vec::new();
            self.calls_in(group.0[next].1, &mut |apply| {
                if let CallKind::DirectExternal(name) = &apply.kind
                    && apply.callee.is_none()
                {
                    called.push((name.clone(), apply.args.len()));
                }
            });
            for (name, args) in called {
                if let Some(known) = group.0.iter().position(|(own, _)| *own == name) {
                    calls.push((next, known));
                    continue;
                }
                let code = self.imported_function(&name, args).filter(|code| {
                    let data = &self.unit.codes[*code];
                    data.recursive && !data.attributes.stub && self.whole_size(*code, limit).is_some()
                });
                let Some(code) = code.filter(|_| group.0.len() < LARGEST_GROUP) else { continue };
                calls.push((next, group.0.len()));
                group.0.push((name, code));
            }
            next += 1;
        }
        let mut reaches = vec![false; group.0.len()];
        reaches[0] = true;
        while let Some((from, _)) = calls.iter().find(|(from, to)| reaches[*to] && !reaches[*from]) {
            reaches[*from] = true;
        }
        let mut reaches = reaches.into_iter();
        group.0.retain(|_| reaches.next().unwrap_or(false));
        group
    }

    /// The calls in a function, and in those whose closures it allocates.
    fn calls_in(&self, code: CodeId, f: &mut impl FnMut(&Apply)) {
        for code in Nested::of(self.unit, code).codes {
            self.unit.codes[code].body.walk(&mut |expr| {
                if let Terminator::Apply(apply) = &expr.terminator {
                    f(apply);
                }
            });
        }
    }

    /// The calls of functions of a set in its own functions. `None` if their closures are used for anything else: then
    /// there may be other calls.
    pub(super) fn calls_of_set(&self, functions: &Functions, group: &Group) -> Option<Vec<Call>> {
        let symbols: SmallVec<[Symbol; 2]> =
            functions.iter().filter_map(|(_, code)| self.global.code_symbols.get(code).copied()).collect();
        let own = |kind: &CallKind| match kind {
            CallKind::Direct(code) if functions.iter().any(|(_, c)| c == code) => Some(*code),
            kind => group.called(kind),
        };
        let mut calls = Vec::new();
        let mut escapes = false;
        for &(_, code) in functions.iter() {
            let nested = Nested::of(self.unit, code);
            for &at in &nested.codes {
                let body = &self.unit.codes[at].body;
                // Closures of the set that are seen there.
                let mut closures: Vec<Variable> = vec![self.unit.codes[at].my_closure];
                let escaped = |simple: Simple, closures: &[Variable]| match simple {
                    Simple::Var(var) => at == code && closures.contains(&var),
                    Simple::Symbol(symbol) => symbols.contains(&symbol),
                    Simple::Const(_) => false,
                };
                body.walk(&mut |expr| {
                    for item in &expr.items {
                        match item {
                            Item::Let {
                                named: Named::Prim { prim: Prim::ProjectValueSlot { .. }, .. },
                                ..
                            } => {}
                            Item::Let {
                                var,
                                named: Named::Prim { prim: Prim::ProjectFunctionSlot { .. }, args, .. },
                                ..
                            } => {
                                if args.iter().any(|arg| escaped(*arg, &closures)) {
                                    closures.push(*var);
                                }
                            }
                            item => item.for_each_simple(&mut |simple| escapes |= escaped(simple, &closures)),
                        }
                    }
                    match &expr.terminator {
                        Terminator::Apply(apply) => {
                            apply.args.iter().for_each(|arg| escapes |= escaped(*arg, &closures));
                            apply
                                .for_each_comparator(&mut |function| escapes |= escaped(function, &closures));
                            apply.exn.for_each_simple(&mut |arg| escapes |= escaped(arg, &closures));
                            match own(&apply.kind) {
                                Some(to) => {
                                    let args = apply.args.iter().map(|arg| nested.outermost(*arg)).collect();
                                    calls.push(Call { from: code, nested: at != code, to, args });
                                }
                                None => {
                                    escapes |= apply.callee.is_some_and(|callee| escaped(callee, &closures));
                                }
                            }
                        }
                        other => other.for_each_simple(&mut |simple| escapes |= escaped(simple, &closures)),
                    }
                });
            }
        }
        (!escapes).then_some(calls)
    }
}
