//! Which arguments of a call the parameters of recursive functions are, on each path of calls between these (features
//! C1, C2).
//!
//! A parameter is *fixed* if it can only be one argument of the call; a set of parameters is *closed* if each can only
//! be one or another of them, as in `iter_swap f g l = … iter_swap g f …`. An arrangement of a function says for each
//! of its parameters which argument it is; the functions are to be copied once for each arrangement that can be
//! reached.

use flambeau_ir::{CodeId, Simple, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// More arrangements of one function are not worth their size.
const MOST: usize = 4;

/// A direct call of a function of the set, in a function of the set or nested in one.
pub struct Call {
    /// The function of the set that contains it, or in which one that contains it is nested.
    pub from: CodeId,
    /// Whether it is in a nested function.
    pub nested: bool,
    /// What it calls.
    pub to: CodeId,
    /// What it passes; in nested functions what that is outside of them, if they have captured it.
    pub args: Vec<Simple>,
}

/// For each parameter of a function the argument that it is.
pub type Arrangement = Vec<Option<usize>>;

/// What is known of an argument of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// Nothing that is of use.
    Unknown,
    /// A constant.
    Constant,
    /// A function.
    Function,
}

/// The arrangements of the functions of a set, at least one for each.
pub struct Arrangements {
    of: FxHashMap<CodeId, Vec<Arrangement>>,
    /// The arguments that some call passes on to a parameter which may be something else, too.
    passed_as_unknown: FxHashSet<usize>,
}

impl Arrangements {
    /// The arrangements of a function.
    pub fn of(&self, code: CodeId) -> &[Arrangement] {
        self.of.get(&code).map_or(&[], Vec::as_slice)
    }

    /// The arrangements of all functions.
    pub fn iter(&self) -> impl Iterator<Item = (CodeId, &Arrangement)> {
        self.of.iter().flat_map(|(code, all)| all.iter().map(|arrangement| (*code, arrangement)))
    }

    /// Whether a function has several.
    #[must_use]
    pub fn permute(&self) -> bool {
        self.of.values().any(|all| all.len() > 1)
    }

    /// Whether calls pass on an argument only to parameters that are known to be it.
    #[must_use]
    pub fn stays_known(&self, argument: usize) -> bool {
        !self.passed_as_unknown.contains(&argument)
    }

    /// The arguments that some parameter is, in order.
    #[must_use]
    pub fn arguments(&self) -> Vec<usize> {
        let mut arguments: Vec<usize> = self.iter().flat_map(|(_, a)| a.iter().flatten().copied()).collect();
        arguments.sort_unstable();
        arguments.dedup();
        arguments
    }
}

/// What calls in a set of functions do with their parameters.
pub struct Flow<'c> {
    /// The function that the call is of.
    pub root: CodeId,
    /// Its arguments.
    pub arguments: &'c [Argument],
    /// The functions of the set, with their parameters.
    pub functions: &'c [(CodeId, &'c [Variable])],
    /// The calls.
    pub calls: &'c [Call],
}

/// A parameter of a function.
type Position = (CodeId, usize);

impl Flow<'_> {
    /// The arrangements with fixed parameters only: one for each function.
    #[must_use]
    pub fn fixed(&self) -> Option<Arrangements> {
        self.arrangements(&self.positions(|arguments| arguments.len() == 1))
    }

    /// The arrangements in which functions are permuted among parameters, too; `None` if there are too many, or nothing
    /// is permuted.
    pub fn permuting(&self) -> Option<Arrangements> {
        let is_function = |argument: &usize| self.arguments[*argument] == Argument::Function;
        let fit = |arguments: &[usize]| arguments.len() == 1 || arguments.iter().all(is_function);
        let positions = self.positions(|arguments| !arguments.is_empty() && fit(arguments));
        self.arrangements(&positions).filter(Arrangements::permute)
    }

    /// The parameter of the calling function, or of the one that this is nested in, that a call passes on.
    fn source(&self, call: &Call, index: usize) -> Option<Position> {
        let var = call.args[index].as_var()?;
        self.functions.iter().find_map(|(code, params)| {
            params.iter().position(|param| *param == var).map(|position| (*code, position))
        })
    }

    /// The functions that the call reaches.
    fn reached(&self) -> FxHashSet<CodeId> {
        let mut reached = FxHashSet::from_iter([self.root]);
        loop {
            let before = reached.len();
            for call in self.calls {
                if reached.contains(&call.from) {
                    reached.insert(call.to);
                }
            }
            if reached.len() == before {
                return reached;
            }
        }
    }

    /// The parameters that can only be arguments of which something is known, and such that `fit` together in one
    /// position: the largest set whose members are passed members only.
    fn positions(&self, fit: impl Fn(&[usize]) -> bool) -> FxHashSet<Position> {
        let reached = self.reached();
        let is_known = |index: usize| self.arguments.get(index).is_some_and(|a| *a != Argument::Unknown);
        let mut closed: FxHashSet<Position> = FxHashSet::default();
        for (code, params) in self.functions.iter().filter(|(code, _)| reached.contains(code)) {
            closed
                .extend((0..params.len()).filter(|i| *code != self.root || is_known(*i)).map(|i| (*code, i)));
        }
        let calls = || self.calls.iter().filter(|call| reached.contains(&call.from));
        loop {
            let before = closed.len();
            for call in calls() {
                for index in 0..call.args.len() {
                    if self.source(call, index).is_none_or(|source| !closed.contains(&source)) {
                        closed.remove(&(call.to, index));
                    }
                }
            }
            if closed.len() == before {
                let mut values = self.values(&closed, &calls().collect::<Vec<_>>());
                closed.retain(|position| values.remove(position).is_some_and(|values| fit(&values)));
            }
            if closed.len() == before {
                return closed;
            }
        }
    }

    /// Which arguments each of these parameters can be.
    fn values(&self, closed: &FxHashSet<Position>, calls: &[&Call]) -> FxHashMap<Position, Vec<usize>> {
        let mut values: FxHashMap<Position, Vec<usize>> = FxHashMap::default();
        let roots = (0..self.arguments.len()).filter(|index| closed.contains(&(self.root, *index)));
        values.extend(roots.map(|index| ((self.root, index), vec![index])));
        let mut changed = true;
        while changed {
            changed = false;
            for call in calls {
                for index in (0..call.args.len()).filter(|index| closed.contains(&(call.to, *index))) {
                    let source = self.source(call, index).and_then(|source| values.get(&source)).cloned();
                    let known = values.entry((call.to, index)).or_default();
                    for argument in source.into_iter().flatten() {
                        if !known.contains(&argument) {
                            known.push(argument);
                            changed = true;
                        }
                    }
                }
            }
        }
        values
    }

    fn arrangements(&self, closed: &FxHashSet<Position>) -> Option<Arrangements> {
        let mut of: FxHashMap<CodeId, Vec<Arrangement>> = FxHashMap::default();
        let mut passed_as_unknown = FxHashSet::default();
        let root =
            (0..self.arguments.len()).map(|index| closed.contains(&(self.root, index)).then_some(index));
        let root: Arrangement = root.collect();
        of.insert(self.root, vec![root.clone()]);
        let mut pending = vec![(self.root, root)];
        while let Some((from, arrangement)) = pending.pop() {
            for call in self.calls.iter().filter(|call| call.from == from) {
                let passed = self.passed(call, &arrangement);
                let is_known = |index: usize| closed.contains(&(call.to, index));
                passed_as_unknown
                    .extend((0..passed.len()).filter(|index| !is_known(*index)).filter_map(|i| passed[i]));
                let next: Arrangement =
                    (0..).zip(passed).map(|(i, arg)| arg.filter(|_| is_known(i))).collect();
                let known = of.entry(call.to).or_default();
                if known.contains(&next) {
                    continue;
                }
                if known.len() == MOST {
                    return None;
                }
                known.push(next.clone());
                pending.push((call.to, next));
            }
        }
        for (code, params) in self.functions {
            of.entry(*code).or_insert_with(|| vec![vec![None; params.len()]]);
        }
        Some(Arrangements { of, passed_as_unknown })
    }

    /// Which arguments a call passes that is in a function of this arrangement.
    fn passed(&self, call: &Call, from: &Arrangement) -> Arrangement {
        (0..call.args.len()).map(|index| from[self.source(call, index)?.1]).collect()
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::*;

    const F: usize = 0;
    const G: usize = 1;

    /// The flow of functions with so many parameters each, which call each other: from, to, and which parameters are
    /// passed on. The first is called with these arguments.
    fn flow(
        arities: &[usize],
        calls: &[(usize, usize, &[Option<usize>])],
        arguments: &[Argument],
        test: impl Fn(&Flow),
    ) {
        let param = |code: usize, index: usize| Variable::new(code * 10 + index);
        let params: Vec<Vec<Variable>> =
            arities.iter().enumerate().map(|(code, n)| (0..*n).map(|i| param(code, i)).collect()).collect();
        let functions: Vec<(CodeId, &[Variable])> =
            params.iter().enumerate().map(|(code, params)| (CodeId::new(code), params.as_slice())).collect();
        let call = |(from, to, args): &(usize, usize, &[Option<usize>])| Call {
            from: CodeId::new(*from),
            to: CodeId::new(*to),
            nested: false,
            args: args.iter().map(|arg| arg.map_or(Simple::UNIT, |arg| param(*from, arg).into())).collect(),
        };
        let calls: Vec<Call> = calls.iter().map(call).collect();
        test(&Flow { root: CodeId::new(F), arguments, functions: &functions, calls: &calls });
    }

    use Argument::{Constant, Function, Unknown};

    fn fixed(flow: &Flow, code: usize) -> Vec<Arrangement> {
        flow.fixed().expect("one arrangement").of(CodeId::new(code)).to_vec()
    }

    #[test]
    fn a_parameter_that_is_passed_along_is_fixed() {
        flow(&[2], &[(F, F, &[Some(0), None])], &[Function, Constant], |flow| {
            assert_eq!(fixed(flow, F), [vec![Some(0), None]]);
            assert!(flow.permuting().is_none());
        });
    }

    #[test]
    fn functions_change_places() {
        let calls: &[(usize, usize, &[Option<usize>])] =
            &[(F, F, &[Some(1), Some(0), None]), (F, F, &[Some(0), Some(1), None])];
        flow(&[3], calls, &[Function, Function, Unknown], |flow| {
            assert_eq!(fixed(flow, F), [vec![None; 3]]);
            let both = flow.permuting().expect("two arrangements");
            assert_eq!(both.of(CodeId::new(F)), [vec![Some(0), Some(1), None], vec![Some(1), Some(0), None]]);
        });
        // Constants are not worth a copy.
        flow(&[3], calls, &[Function, Constant, Unknown], |flow| assert!(flow.permuting().is_none()));
        flow(&[3], calls, &[Function, Unknown, Unknown], |flow| assert!(flow.permuting().is_none()));
    }

    #[test]
    fn several_functions_have_arrangements_of_their_own() {
        let calls: &[(usize, usize, &[Option<usize>])] =
            &[(F, G, &[Some(1), Some(0)]), (G, F, &[Some(0), Some(1)])];
        flow(&[2, 2], calls, &[Function, Function], |flow| {
            let all = flow.permuting().expect("arrangements");
            assert_eq!((all.of(CodeId::new(F)).len(), all.of(CodeId::new(G)).len()), (2, 2));
        });
    }

    #[test]
    fn what_is_lost_on_the_way_is_unknown() {
        // The second position receives anything, and is passed to the first.
        flow(&[2], &[(F, F, &[Some(1), None])], &[Function, Function], |flow| {
            assert!(flow.permuting().is_none());
            assert_eq!(fixed(flow, F), [vec![None, None]]);
        });
        // One that is passed twice is two arrangements, of which the second recurs.
        flow(&[2], &[(F, F, &[Some(0), Some(0)])], &[Function, Function], |flow| {
            let all = flow.permuting().expect("two arrangements");
            assert_eq!(all.of(CodeId::new(F)), [vec![Some(0), Some(1)], vec![Some(0), Some(0)]]);
            assert_eq!(fixed(flow, F), [vec![Some(0), None]]);
        });
    }

    #[test]
    fn calls_in_nested_functions_pass_on_what_is_captured() {
        // F calls G in a nested function only; G calls itself, and passes on its first parameter.
        let params: [&[Variable]; 2] = [&[Variable::new(0)], &[Variable::new(10)]];
        let functions = [(CodeId::new(F), params[0]), (CodeId::new(G), params[1])];
        let call = |from: usize, to: usize, nested: bool, arg: Simple| Call {
            from: CodeId::new(from),
            nested,
            to: CodeId::new(to),
            args: vec![arg],
        };
        let passes = |from: usize, to: usize, nested: bool| call(from, to, nested, params[from][0].into());
        let mut calls = vec![passes(F, G, true), passes(G, G, false)];
        let flow =
            Flow { root: CodeId::new(F), arguments: &[Function], functions: &functions, calls: &calls };
        let both = flow.fixed().expect("one arrangement");
        assert_eq!(both.of(CodeId::new(G)), [vec![Some(0)]]);
        assert!(both.stays_known(0));
        // Another call of G passes something else.
        calls.push(call(F, G, false, Simple::UNIT));
        let flow =
            Flow { root: CodeId::new(F), arguments: &[Function], functions: &functions, calls: &calls };
        let one = flow.fixed().expect("one arrangement");
        assert_eq!(
            (one.of(CodeId::new(F)), one.of(CodeId::new(G))),
            (&[vec![Some(0)]][..], &[vec![None]][..])
        );
        assert!(!one.stays_known(0));
    }

    #[test]
    fn too_many_arrangements_are_none() {
        let rotated = |n: usize| (0..n).map(|index| Some((index + 1) % n)).collect::<Vec<_>>();
        for n in 2..8 {
            flow(&[n], &[(F, F, &rotated(n))], &vec![Function; n], |flow| {
                assert_eq!(
                    flow.permuting().map(|all| all.of(CodeId::new(F)).len()),
                    (n <= MOST).then_some(n)
                );
            });
        }
        // A transposition and a rotation reach all orders.
        let swapped: &[Option<usize>] = &[Some(1), Some(0), Some(2)];
        flow(&[3], &[(F, F, swapped), (F, F, &rotated(3))], &[Function; 3], |flow| {
            assert!(flow.permuting().is_none());
        });
    }
}
