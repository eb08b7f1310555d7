//! The uses' side: the arguments for the parts.

use flambeau_ir::prim::Mutability;
use flambeau_ir::{Const, Item, Kind, Prim, Simple, ValueSlot, Variable};
use flambeau_types::{Blocks, Choice, Closure, Ty, Variant};
use smallvec::SmallVec;

use super::decide::has_names;
use super::diamond::{Case, Cases, pure_let};
use super::{BoxedValue, Form, Parts, Tests, Unboxing, is_poison};
use crate::Simplifier;
use crate::continuations::Use;
use crate::edges::EdgeId;

impl Simplifier<'_> {
    /// Records at each use what the parts are there. The first `entries` uses are from outside the loop, if it is one.
    pub(crate) fn pass_extras(&mut self, uses: &[Use], entries: usize, unboxings: &[Unboxing]) {
        for (index, u) in uses.iter().enumerate() {
            for unboxing in unboxings {
                self.pass_parts(u.edge, u, unboxing);
                if let BoxedValue::Available(_) = unboxing.boxed {
                    let arg = u.args[unboxing.index];
                    let boxed = match unboxing.form {
                        Form::Number(..) => self.box_beside(arg, index < entries),
                        _ if index < entries && !is_poison(arg) => arg,
                        _ => Simple::UNIT,
                    };
                    self.function.edges[u.edge].extra.push(boxed);
                }
            }
        }
    }

    /// What is passed beside a number: its box if there is one, else an immediate.
    fn box_beside(&self, arg: Simple, enters: bool) -> Simple {
        let Simple::Var(var) = arg else { return if is_poison(arg) { Simple::UNIT } else { arg } };
        let analysis = &self.function.analysis;
        match self.function.boxes_beside.get(&var) {
            Some(boxed) => (*boxed).into(),
            None if enters => arg,
            None if self.function.rebuilt.contains(&var) => Simple::UNIT,
            None if analysis.travels(var) && analysis.is_allocated(var) => Simple::UNIT,
            None => arg,
        }
    }

    fn pass_parts(&mut self, edge: EdgeId, u: &Use, unboxing: &Unboxing) {
        let (arg, ty, tests) = (u.args[unboxing.index], &u.tys[unboxing.index], u.tests[unboxing.index]);
        if let Form::Choice { choice, values, .. } = &unboxing.form {
            return self.extra_choice(edge, (choice, values), (arg, ty, tests));
        }
        let may_be_poison = arg.as_var().is_some_and(|var| self.may_be_poison(var));
        let is_only_declared = unboxing.is_declared && !matches!(ty, Ty::Boxed(..)) && !is_poison(arg);
        if is_only_declared
            || may_be_poison && !matches!(unboxing.form, Form::Loads(_)) && !has_names(ty, &tests)
        {
            return self.extra_guarded(edge, &unboxing.form, arg);
        }
        match &unboxing.form {
            Form::Number(kind, part) => {
                let unbox = Prim::Unbox(*kind);
                self.extra(edge, *part, known_load(&unbox, ty), arg, unbox);
            }
            Form::Block { make, fields } => {
                for (index, field) in fields.iter().enumerate() {
                    let load = load_of(make, index);
                    self.extra(edge, *field, known_load(&load, ty), arg, load);
                }
            }
            Form::Variant(parts) => self.extra_parts(edge, parts, (arg, ty, tests)),
            Form::Closure { closure, values } => self.extra_values(edge, closure, values, arg, ty),
            Form::Choice { .. } => {}
            Form::Loads(loads) => {
                for (prim, part) in loads {
                    self.extra(edge, *part, known_load(prim, ty), arg, prim.clone());
                }
            }
        }
    }

    /// One more argument: what is known, poison for poison, or computed from the boxed value.
    fn extra(&mut self, edge: EdgeId, part: Variable, known: Option<Simple>, arg: Simple, prim: Prim) {
        let kind = self.unit.variables[part].kind;
        let simple = match known {
            Some(simple) => simple,
            None if is_poison(arg) => Simple::Const(Const::Poison(kind)),
            None => {
                let var = self.unit.new_variable_like(part);
                self.function.edges[edge].items.push(pure_let(var, prim, &[arg]));
                var.into()
            }
        };
        self.function.edges[edge].extra.push(simple);
    }

    fn extra_values(
        &mut self,
        edge: EdgeId,
        closure: &Closure,
        values: &[(ValueSlot, Variable)],
        arg: Simple,
        ty: &Ty,
    ) {
        for (value, part) in values {
            let known = match ty {
                Ty::Closure(known) => known.values.iter().find(|(slot, _)| slot == value),
                _ => None,
            };
            let name = known.and_then(|(_, ty)| as_alias(ty));
            let prim = Prim::ProjectValueSlot { function: closure.slot, value: *value };
            self.extra(edge, *part, name, arg, prim);
        }
    }

    /// Which of several closures is passed, and what it has captured.
    fn extra_choice(
        &mut self,
        edge: EdgeId,
        (choice, values): (&Choice, &[Vec<(ValueSlot, Variable)>]),
        (arg, ty, tests): (Simple, &Ty, Tests),
    ) {
        let known_at_uses = self.known_at_uses(choice, ty, (arg, &tests), false);
        let mut which = Simple::naked_imm(choice.closures.len() as i64);
        let mut only = None;
        match ty {
            // Never poison, because it is branched on.
            _ if is_poison(arg) => which = Simple::naked_imm(0),
            Ty::Closure(closure) if known_at_uses => {
                only = choice.position(closure);
                which = only.map_or(which, |at| Simple::naked_imm(at as i64));
            }
            Ty::OneOf(known) if known_at_uses => {
                which = as_alias(&known.which).unwrap_or(which);
                self.function.edges[edge].extra.push(which);
                let names = known.closures.iter().flat_map(|closure| &closure.values);
                let names = names.filter_map(|(_, ty)| as_alias(ty));
                return self.function.edges[edge].extra.extend(names);
            }
            _ => {}
        }
        self.function.edges[edge].extra.push(which);
        for (at, (closure, values)) in choice.closures.iter().zip(values).enumerate() {
            if only == Some(at) {
                self.extra_values(edge, closure, values, arg, ty);
            } else {
                let poison = values.iter().map(|_| Simple::Const(Const::Poison(Kind::Value)));
                self.function.edges[edge].extra.extend(poison);
            }
        }
    }

    /// The parts of a variant: of the case that it is known to be in, or by a test.
    fn extra_parts(&mut self, edge: EdgeId, parts: &Parts, (arg, ty, tests): (Simple, &Ty, Tests)) {
        if is_poison(arg) {
            let case = self.case_of_poison(parts);
            return self.function.edges[edge].extra.extend(case.args);
        }
        let all = parts.all_cases();
        let variant = match ty {
            Ty::Variant(variant) if parts.includes(variant) => variant,
            // The pre-pass knew more than is known of the value here.
            _ => &all,
        };
        let Blocks::Known(blocks) = &variant.blocks else { return };
        match (variant.ints.is_empty(), &blocks[..]) {
            (true, [block]) => {
                let case = self.case_of_block(parts, block.tag, &block.fields, arg);
                self.pass_case(edge, case);
            }
            (_, []) => {
                let n = variant.ints.as_one().map(Simple::naked_imm).or(tests.constant);
                let case = self.case_of_int(parts, n, arg);
                self.pass_case(edge, case);
            }
            _ => match parts_by_name(parts, variant, tests) {
                Some(args) => self.function.edges[edge].extra.extend(args),
                None => self.extra_by_test(edge, parts, variant, arg, tests),
            },
        }
    }

    fn pass_case(&mut self, edge: EdgeId, case: Case) {
        self.function.edges[edge].items.extend(case.lets);
        self.function.edges[edge].extra.extend(case.args);
    }

    /// The parts of a variant that may be in several cases: a test at the use decides.
    fn extra_by_test(&mut self, edge: EdgeId, parts: &Parts, variant: &Variant, arg: Simple, tests: Tests) {
        let mut first = Vec::new();
        let new_test = |this: &mut Self, known: Option<Simple>, prim, lets: &mut Vec<Item>| match known {
            Some(known) => known,
            None => {
                let var = this.unit.new_variable("case", Kind::NakedImmediate, flambeau_ir::Subkind::Any);
                lets.push(pure_let(var, prim, &[arg]));
                var.into()
            }
        };
        let int = if variant.ints.is_empty() {
            None
        } else {
            let is_int = new_test(self, tests.is_int, Prim::IsInt, &mut first);
            let n = variant.ints.as_one().map(Simple::naked_imm).or(tests.constant);
            Some((is_int, self.case_of_int(parts, n, arg)))
        };
        let Blocks::Known(known) = &variant.blocks else { return };
        let blocks: Vec<(u8, Case)> =
            known.iter().map(|b| (b.tag, self.case_of_block(parts, b.tag, &b.fields, arg))).collect();
        let tag = (blocks.len() > 1).then(|| {
            let mut lets = Vec::new();
            let tag = new_test(self, tests.tag, Prim::GetTag, &mut lets);
            (lets, tag)
        });
        let results: crate::run::Params = parts
            .variables()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|part| self.unit.new_variable_like(part))
            .collect();
        self.function.edges[edge].extra.extend(results.iter().map(|result| Simple::Var(*result)));
        let item = self.diamond(results, first, Cases { int, tag, blocks });
        self.function.edges[edge].items.push(item);
    }

    /// The parts of a possibly poison value that has no names for them though it should have. Poison is an immediate
    /// (the language reference), but types say nothing of it: the test must not be folded by what they say.
    fn extra_guarded(&mut self, edge: EdgeId, form: &Form, arg: Simple) {
        let opaque = self.unit.new_value("opaque");
        let is_int = self.unit.new_variable("case", Kind::NakedImmediate, flambeau_ir::Subkind::Any);
        let arg_of = Simple::Var(opaque);
        let results: crate::run::Params =
            form.variables().into_iter().map(|part| self.unit.new_variable_like(part)).collect();
        let poison = results.iter().map(|part| Simple::Const(Const::Poison(self.unit.variables[*part].kind)));
        let mut int = Case { lets: Vec::new(), args: poison.collect() };
        let mut tag = None;
        let blocks = match form {
            Form::Variant(parts) => {
                int = match parts.only.or(parts.constant.map(|_| 0)) {
                    Some(_) => self.case_of_int(parts, parts.only.map(Simple::naked_imm), arg_of),
                    None => self.case_of_poison(parts),
                };
                if parts.tag.is_some() {
                    let var = self.unit.new_variable("case", Kind::NakedImmediate, flambeau_ir::Subkind::Any);
                    tag = Some((vec![pure_let(var, Prim::GetTag, &[arg_of])], var.into()));
                }
                parts
                    .blocks
                    .iter()
                    .map(|(tag, _)| (*tag, self.case_of_block(parts, *tag, &[], arg_of)))
                    .collect()
            }
            Form::Number(kind, part) => {
                let var = self.unit.new_variable_like(*part);
                let lets = vec![pure_let(var, Prim::Unbox(*kind), &[arg_of])];
                vec![(0, Case { lets, args: SmallVec::from_slice(&[var.into()]) })]
            }
            Form::Block { make, fields } => {
                let mut case = Case::default();
                for (index, field) in fields.iter().enumerate() {
                    let var = self.unit.new_variable_like(*field);
                    case.lets.push(pure_let(var, load_of(make, index), &[arg_of]));
                    case.args.push(var.into());
                }
                vec![(0, case)]
            }
            Form::Closure { closure, values } => {
                let mut case = Case::default();
                for (value, part) in values {
                    let var = self.unit.new_variable_like(*part);
                    let prim = Prim::ProjectValueSlot { function: closure.slot, value: *value };
                    case.lets.push(pure_let(var, prim, &[arg_of]));
                    case.args.push(var.into());
                }
                vec![(0, case)]
            }
            // The handler loads from whatever is passed; which closure it is is known by name, or not at all.
            Form::Choice { .. } | Form::Loads(_) => Vec::new(),
        };
        let first = vec![pure_let(opaque, Prim::Opaque, &[arg]), pure_let(is_int, Prim::IsInt, &[arg_of])];
        self.function.edges[edge].extra.extend(results.iter().map(|result| Simple::Var(*result)));
        let item = self.diamond(results, first, Cases { int: Some((is_int.into(), int)), tag, blocks });
        self.function.edges[edge].items.push(item);
    }

    /// The parts of an immediate.
    fn case_of_int(&mut self, parts: &Parts, n: Option<Simple>, arg: Simple) -> Case {
        let mut case = Case::default();
        if parts.is_int.is_some() {
            case.args.push(Simple::naked_imm(1));
        }
        if let Some(constant) = parts.constant {
            let value = n.unwrap_or_else(|| {
                let var = self.unit.new_variable_like(constant);
                case.lets.push(pure_let(var, Prim::Untag, &[arg]));
                var.into()
            });
            case.args.push(value);
        }
        if parts.tag.is_some() {
            case.args.push(parts.some_tag());
        }
        let fields = parts.blocks.iter().flat_map(|(_, fields)| fields);
        case.args.extend(fields.map(|_| Simple::Const(Const::Poison(Kind::Value))));
        case
    }

    /// The parts of a block.
    fn case_of_block(&mut self, parts: &Parts, tag: u8, known: &[Ty], arg: Simple) -> Case {
        let mut case = Case::default();
        if parts.is_int.is_some() {
            case.args.push(Simple::naked_imm(0));
        }
        if parts.constant.is_some() {
            case.args.push(Simple::Const(Const::Poison(Kind::NakedImmediate)));
        }
        if parts.tag.is_some() {
            case.args.push(Simple::naked_imm(i64::from(tag)));
        }
        for (other, fields) in &parts.blocks {
            for (index, field) in fields.iter().enumerate() {
                let value = if *other != tag {
                    Simple::Const(Const::Poison(Kind::Value))
                } else if let Some(name) = known.get(index).and_then(as_alias) {
                    name
                } else {
                    let var = self.unit.new_variable_like(*field);
                    case.lets.push(pure_let(var, load(index), &[arg]));
                    var.into()
                };
                case.args.push(value);
            }
        }
        case
    }

    /// The parts of poison. What allocates the box again, here or where these parts are passed on to, branches on the
    /// case, so the poison must be in one.
    fn case_of_poison(&mut self, parts: &Parts) -> Case {
        let poison = |kind| Simple::Const(Const::Poison(kind));
        let mut case = Case::default();
        case.args.extend(parts.is_int.map(|_| Simple::naked_imm(1)));
        case.args.extend(parts.constant.map(|_| poison(Kind::NakedImmediate)));
        case.args.extend(parts.tag.map(|_| parts.some_tag()));
        let fields = parts.blocks.iter().flat_map(|(_, fields)| fields);
        case.args.extend(fields.map(|_| poison(Kind::Value)));
        case
    }
}

/// The parts of what has been unboxed already.
fn parts_by_name(parts: &Parts, variant: &Variant, tests: Tests) -> Option<SmallVec<[Simple; 8]>> {
    let mut args = SmallVec::new();
    let Blocks::Known(blocks) = &variant.blocks else { return None };
    if parts.is_int.is_some() {
        let known = variant.ints.is_empty().then(|| Simple::naked_imm(0));
        args.push(known.or(tests.is_int)?);
    }
    if parts.constant.is_some() {
        let known = match variant.ints.as_one() {
            Some(n) => Some(Simple::naked_imm(n)),
            None => variant.ints.is_empty().then_some(Simple::Const(Const::Poison(Kind::NakedImmediate))),
        };
        args.push(known.or(tests.constant)?);
    }
    if parts.tag.is_some() {
        let known = if let [block] = &blocks[..] { Some(i64::from(block.tag)) } else { None };
        args.push(known.map(Simple::naked_imm).or(tests.tag)?);
    }
    for (tag, fields) in &parts.blocks {
        match blocks.iter().find(|b| b.tag == *tag) {
            Some(block) => {
                for ty in &block.fields {
                    args.push(as_alias(ty)?);
                }
            }
            None => args.extend(fields.iter().map(|_| Simple::Const(Const::Poison(Kind::Value)))),
        }
    }
    Some(args)
}

fn load(field: usize) -> Prim {
    Prim::BlockLoad { field: field as u32, mutability: Mutability::Immutable }
}

/// The load of a field of what the primitive allocates.
fn load_of(make: &Prim, field: usize) -> Prim {
    match make {
        Prim::MakeFloatBlock { .. } => {
            Prim::BlockLoadFloat { field: field as u32, mutability: Mutability::Immutable }
        }
        _ => load(field),
    }
}

/// The result of a load, by what is known of the value.
fn known_load(prim: &Prim, ty: &Ty) -> Option<Simple> {
    match (prim, ty) {
        (Prim::Unbox(kind), Ty::Boxed(k, contents)) if k == kind => {
            contents.as_const(kind.naked()).map(Simple::Const).or_else(|| as_alias(contents))
        }
        (Prim::BlockLoadFloat { field, .. }, Ty::Floats(fields)) => as_alias(fields.get(*field as usize)?),
        (Prim::BlockLoad { field, .. }, ty) => as_alias(ty.as_block()?.fields.get(*field as usize)?),
        _ => None,
    }
}

fn as_alias(ty: &Ty) -> Option<Simple> {
    match ty {
        Ty::Is(simple) => Some(*simple),
        _ => None,
    }
}
