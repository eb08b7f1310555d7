//! The handler's side: parameters for the parts, and what is known of the boxed value.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::{Item, Kind, Prim, Simple, Subkind, ValueSlot, Variable};
use flambeau_types::{Block, Blocks, Choice, Closure, Definition, IntSet, Operands, Ty, Variant};
use smallvec::{SmallVec, smallvec};

use super::diamond::{Case, Cases, pure_let};
use super::{BoxedValue, Form, Parts, Unboxing};
use crate::Simplifier;
use crate::run::Params;

impl Simplifier<'_> {
    /// Adds the parts to the parameters, and records them in the environment. Returns the items that allocate boxes
    /// again, for the beginning of the handler.
    pub(crate) fn add_params(&mut self, params: &mut Params, unboxings: &[Unboxing]) -> Vec<Item> {
        let mut items = Vec::new();
        for unboxing in unboxings {
            let param = unboxing.param;
            let first = params.len();
            self.add_parts(params, param, unboxing);
            if self.may_be_poison(param) {
                self.function.possibly_poison.extend(&params[first..]);
            }
            let item = match unboxing.boxed {
                BoxedValue::Passed => None,
                BoxedValue::Rebuilt => {
                    self.function.rebuilt.insert(param);
                    self.rebuilt(param, &unboxing.form)
                }
                BoxedValue::Available(boxed) => {
                    self.add_part(params, boxed, Ty::Unknown);
                    self.function.boxes_beside.insert(param, boxed);
                    self.given_or_rebuilt(param, boxed, &unboxing.form)
                }
            };
            if let Some(item) = item {
                params[unboxing.index] = self.unit.new_variable_like(param);
                items.push(item);
            }
        }
        items
    }

    fn add_part(&mut self, params: &mut Params, part: Variable, ty: Ty) {
        params.push(part);
        self.env.bind(part, ty);
    }

    fn add_parts(&mut self, params: &mut Params, param: Variable, unboxing: &Unboxing) {
        match &unboxing.form {
            Form::Number(kind, part) => {
                self.add_part(params, *part, Ty::Unknown);
                let prim = Prim::Box(*kind);
                self.boxed((param, unboxing.boxed), prim, &[*part], Ty::boxed(*kind, Ty::Is((*part).into())));
            }
            Form::Block { make, fields } => {
                for field in fields {
                    self.add_part(params, *field, Ty::Unknown);
                }
                let names = fields.iter().map(|f| Ty::Is((*f).into()));
                let ty = match make {
                    Prim::MakeBlock { tag, .. } => Ty::block(*tag, names),
                    _ => Ty::floats(names),
                };
                self.boxed((param, unboxing.boxed), make.clone(), fields, ty);
            }
            Form::Variant(parts) => self.add_variant(params, param, parts),
            Form::Closure { closure, values } => {
                for (_, part) in values {
                    self.add_part(params, *part, Ty::Unknown);
                }
                let values = values.iter().map(|(slot, part)| (*slot, Ty::Is((*part).into()))).collect();
                let ty = Closure { slot: closure.slot, functions: closure.functions.clone(), values };
                self.env.retype(param, Ty::Closure(Rc::new(ty)));
            }
            Form::Choice { choice, which, values, known_at_uses } => {
                let most = choice.closures.len() as i64 - i64::from(*known_at_uses);
                self.add_part(params, *which, Ty::Int(IntSet::range(0, most)));
                for (_, part) in values.iter().flatten() {
                    self.add_part(params, *part, Ty::Unknown);
                    self.function.possibly_poison.insert(*part);
                }
                let named = |closure: &Closure, values: &[(ValueSlot, Variable)]| Closure {
                    values: values.iter().map(|(slot, part)| (*slot, Ty::Is((*part).into()))).collect(),
                    ..closure.clone()
                };
                let closures =
                    choice.closures.iter().zip(values).map(|(c, values)| named(c, values)).collect();
                let ty = Choice { which: Ty::Is((*which).into()), closures };
                self.env.retype(param, Ty::OneOf(Rc::new(ty)));
            }
            Form::Loads(loads) => {
                for (prim, part) in loads {
                    self.add_part(params, *part, Ty::Unknown);
                    self.note_result(prim, &[param.into()], *part);
                }
            }
        }
    }

    /// Records the parts that a variable consists of. An equal allocation elsewhere is replaced by the variable if that
    /// is passed; but a box that is allocated at the beginning of the handler is to sink to the exits, and is given no
    /// uses on other paths.
    fn boxed(&mut self, (param, boxed): (Variable, BoxedValue), prim: Prim, parts: &[Variable], ty: Ty) {
        let args: Operands = parts.iter().map(|part| Simple::Var(*part)).collect();
        self.env.retype(param, ty);
        self.env.define(param, Definition { prim: prim.clone(), args: args.clone() });
        if boxed == BoxedValue::Passed {
            self.env.add_cse(prim, args, 0, param.into());
        }
    }

    fn add_variant(&mut self, params: &mut Params, param: Variable, parts: &Parts) {
        self.function.unboxed.insert(param);
        let boxed = Operands::from_slice(&[param.into()]);
        let old = self.env.ty(param.into());
        let ints = old.immediates().unwrap_or(IntSet::OCAML);
        let relations = [
            (parts.is_int, Prim::IsInt, Ty::bool()),
            (parts.constant, Prim::Untag, Ty::Unknown),
            (parts.tag, Prim::GetTag, old.blocks().tags().map_or(Ty::Unknown, Ty::Int)),
        ];
        for (part, prim, ty) in relations {
            let Some(part) = part else { continue };
            self.add_part(params, part, ty);
            self.env.define(part, Definition { prim: prim.clone(), args: boxed.clone() });
            self.env.add_cse(prim, boxed.clone(), 0, part.into());
            self.function.possibly_poison.insert(part);
        }
        let mut blocks = SmallVec::new();
        for (tag, fields) in &parts.blocks {
            for field in fields {
                self.add_part(params, *field, Ty::Unknown);
                self.function.possibly_poison.insert(*field);
            }
            let fields = fields.iter().map(|f| Ty::Is((*f).into())).collect();
            blocks.push(Block { tag: *tag, exact: true, fields });
        }
        self.env.retype(param, Ty::Variant(Rc::new(Variant { ints, blocks: Blocks::Known(blocks) })));
    }

    /// Allocates the boxed value from its parts.
    fn rebuilt(&mut self, param: Variable, form: &Form) -> Option<Item> {
        let atoms = |vars: &[Variable]| vars.iter().map(|var| Simple::Var(*var)).collect::<Operands>();
        match form {
            Form::Number(kind, part) => Some(pure_let(param, Prim::Box(*kind), &[(*part).into()])),
            Form::Block { make, fields } => Some(pure_let(param, make.clone(), &atoms(fields))),
            Form::Variant(parts) => Some(self.rebuilt_variant(param, parts)),
            Form::Closure { .. } | Form::Choice { .. } | Form::Loads(_) => None,
        }
    }

    /// The box that was passed, if it is one; else the boxed value, allocated from its parts.
    fn given_or_rebuilt(&mut self, param: Variable, boxed: Variable, form: &Form) -> Option<Item> {
        if let Form::Number(kind, part) = form {
            return Some(pure_let(param, Prim::Rebox(*kind), &[(*part).into(), boxed.into()]));
        }
        let made = self.unit.new_variable_like(param);
        let make = self.rebuilt(made, form)?;
        let is_int = self.unit.new_variable("is_allocated", Kind::NakedImmediate, Subkind::Any);
        let test = pure_let(is_int, Prim::IsInt, &[boxed.into()]);
        let cases = Cases {
            int: Some((is_int.into(), Case { lets: vec![make], args: smallvec![made.into()] })),
            tag: None,
            blocks: vec![(0, Case { lets: Vec::new(), args: smallvec![boxed.into()] })],
        };
        Some(self.diamond(smallvec![param], vec![test], cases))
    }

    fn rebuilt_variant(&mut self, param: Variable, parts: &Parts) -> Item {
        let int = match (parts.constant, parts.only) {
            (Some(constant), _) => {
                let tagged = self.unit.new_variable("tagged", Kind::Value, Subkind::Any);
                let lets = vec![pure_let(tagged, Prim::Tag, &[constant.into()])];
                Some(Case { lets, args: smallvec![tagged.into()] })
            }
            (None, Some(n)) => Some(Case { lets: Vec::new(), args: smallvec![Simple::tagged(n)] }),
            (None, None) => None,
        };
        let blocks = parts
            .blocks
            .iter()
            .map(|(tag, fields)| {
                let block = self.unit.new_variable("block", Kind::Value, Subkind::Any);
                let fields: Operands = fields.iter().map(|field| Simple::Var(*field)).collect();
                let lets = vec![pure_let(block, make_block(*tag), &fields)];
                (*tag, Case { lets, args: smallvec![block.into()] })
            })
            .collect();
        let cases = Cases {
            int: parts.is_int.map(Simple::Var).zip(int),
            tag: parts.tag.map(|tag| (Vec::new(), tag.into())),
            blocks,
        };
        self.diamond(smallvec![param], Vec::new(), cases)
    }
}

fn make_block(tag: u8) -> Prim {
    Prim::MakeBlock { tag, mutability: Mutability::Immutable }
}
