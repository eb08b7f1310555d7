//! Unboxing of continuation parameters (reference: flambda2-unboxing).
//!
//! The decision is made before the handler is simplified; the arguments for the parameters added are found when all uses
//! are known. The boxed parameter stays: if nothing needs it any more, the way up drops it, and with it the allocations
//! at the uses. In loops it is instead boxed anew in the handler, from where the allocation sinks to what needs it: an
//! exit of the loop, say.

use std::rc::Rc;

use flambeau_ir::prim::Mutability;
use flambeau_ir::{BoxedKind, Const, Dbg, Item, Kind, Named, Prim, Simple, Variable};
use flambeau_types::{Block, Blocks, Definition, IntSet, Operands, Ty, Variant};
use smallvec::SmallVec;

use crate::Simplifier;
use crate::continuations::Use;
use crate::run::Params;

/// Blocks and variants of more fields than these are passed as they are.
const FIELDS: usize = 12;

/// A parameter that is passed in parts, too.
pub struct Unboxing {
    /// Which of the parameters.
    index: usize,
    param: Variable,
    form: Form,
}

/// The parts.
enum Form {
    Number(BoxedKind, Variable),
    Block { tag: u8, fields: Vec<Variable> },
    Variant(Parts),
}

/// The parts of a variant: parameters of those that are not known already.
struct Parts {
    /// 1 for an immediate; absent if it is known which of both.
    is_int: Option<Variable>,
    /// The immediate.
    constant: Option<Variable>,
    /// The tag, if there are several.
    tag: Option<Variable>,
    /// The fields of each tag.
    blocks: Vec<(u8, Vec<Variable>)>,
}

impl Simplifier<'_> {
    /// Whether a parameter is to be unboxed whose uses are all known.
    pub(crate) fn unbox_at_join(
        &mut self,
        index: usize,
        param: Variable,
        ty: &Ty,
        uses: &[Use],
    ) -> Option<Unboxing> {
        if uses.iter().any(|u| u.edge.is_none()) || !self.analysis.is_opened(param) && !is_variant(ty) {
            return None;
        }
        let beneficial = uses.iter().any(|u| self.is_fresh(u.args[index]));
        if !beneficial || !self.can_be_parted(ty, index, uses) || !self.allow("unboxing of a parameter") {
            return None;
        }
        self.form(param, ty).map(|form| Unboxing { index, param, form })
    }

    /// The same in a loop, from what the inductive pre-pass says.
    pub(crate) fn unbox_in_loop(&mut self, index: usize, param: Variable, ty: &Ty) -> Option<Unboxing> {
        let simple = matches!(ty, Ty::Boxed(..)) || ty.as_block().is_some();
        if !simple || self.analysis.is_flimsy(param) || !self.analysis.is_opened(param) {
            return None;
        }
        if !self.is_small(ty) || !self.allow("unboxing of a loop's parameter") {
            return None;
        }
        self.form(param, ty).map(|form| Unboxing { index, param, form })
    }

    fn is_small(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Variant(variant) => match &variant.blocks {
                Blocks::Known(known) => known.iter().map(|b| b.fields.len()).sum::<usize>() <= FIELDS,
                Blocks::Any => false,
            },
            _ => true,
        }
    }

    /// Whether an argument was allocated just to be passed.
    fn is_fresh(&self, arg: Simple) -> bool {
        self.env.definition(arg).is_some_and(|d| matches!(d.prim, Prim::Box(_) | Prim::MakeBlock { .. }))
    }

    /// Whether each use can give the parts.
    fn can_be_parted(&self, ty: &Ty, index: usize, uses: &[Use]) -> bool {
        let each = |test: &dyn Fn(&Ty, Simple) -> bool| {
            uses.iter().all(|u| is_poison(u.args[index]) || test(&u.tys[index], u.args[index]))
        };
        // A load at the use, where the source has none, must not meet poison.
        let solid = |arg: Simple| arg.as_var().is_none_or(|var| !self.is_flimsy(var));
        match ty {
            Ty::Boxed(kind, _) => each(&|ty, arg| match ty {
                Ty::Boxed(k, contents) => k == kind && (matches!(**contents, Ty::Is(_)) || solid(arg)),
                _ => false,
            }),
            Ty::Variant(variant) => {
                let Blocks::Known(known) = &variant.blocks else { return false };
                if !self.is_small(ty) || known.iter().any(|b| !b.exact) || known.is_empty() {
                    return false;
                }
                each(&|ty, arg| self.is_parted(ty, arg, known, solid(arg)))
            }
            _ => false,
        }
    }

    /// Whether it is known of a variant which case it is, or its parts have names already.
    fn is_parted(&self, ty: &Ty, arg: Simple, known: &[Block], solid: bool) -> bool {
        let Ty::Variant(variant) = ty else { return false };
        let Blocks::Known(blocks) = &variant.blocks else { return false };
        let named = |block: &Block| block.fields.iter().all(|f| matches!(f, Ty::Is(_)));
        let fits = blocks
            .iter()
            .all(|b| b.exact && known.iter().any(|k| k.tag == b.tag && k.fields.len() == b.fields.len()));
        if !fits {
            return false;
        }
        match (variant.ints.is_empty(), blocks.len()) {
            (false, 0) => true,
            (true, 1) => named(&blocks[0]) || solid,
            _ => {
                blocks.iter().all(named)
                    && (variant.ints.is_empty() || self.known_prim(Prim::IsInt, arg).is_some())
                    && (blocks.len() == 1 || self.known_prim(Prim::GetTag, arg).is_some())
                    && (variant.ints.is_empty()
                        || variant.ints.as_one().is_some()
                        || self.known_prim(Prim::Untag, arg).is_some())
            }
        }
    }

    fn known_prim(&self, prim: Prim, arg: Simple) -> Option<Simple> {
        self.env.cse(&prim, &Operands::from_slice(&[arg]), 0)
    }

    pub(crate) fn is_flimsy(&self, var: Variable) -> bool {
        self.flimsy.contains(&var) || self.analysis.is_flimsy(var)
    }

    /// Makes the variables for the parts.
    fn form(&mut self, param: Variable, ty: &Ty) -> Option<Form> {
        match ty {
            Ty::Boxed(kind, _) => Some(Form::Number(*kind, self.part(param, kind.naked()))),
            Ty::Variant(variant) => {
                let Blocks::Known(known) = &variant.blocks else { return None };
                if variant.ints.is_empty() && known.len() == 1 {
                    let fields = known[0].fields.iter().map(|_| self.part(param, Kind::Value)).collect();
                    return Some(Form::Block { tag: known[0].tag, fields });
                }
                let has_ints = !variant.ints.is_empty();
                let immediate = Kind::NakedImmediate;
                let is_int = (has_ints && !known.is_empty()).then(|| self.part(param, immediate));
                let constant =
                    (has_ints && variant.ints.as_one().is_none()).then(|| self.part(param, immediate));
                let tag = (known.len() > 1).then(|| self.part(param, immediate));
                let blocks = known
                    .iter()
                    .map(|b| (b.tag, b.fields.iter().map(|_| self.part(param, Kind::Value)).collect()))
                    .collect();
                Some(Form::Variant(Parts { is_int, constant, tag, blocks }))
            }
            _ => None,
        }
    }

    fn part(&mut self, param: Variable, kind: Kind) -> Variable {
        let name = self.unit.variables[param].name.clone();
        self.unit.new_variable(name, kind, flambeau_ir::Subkind::Any)
    }

    /// Adds the parts to the parameters, and tells the environment what they are. With `rebox`, the whole is made of its
    /// parts at the beginning of the handler, by the items given back, and no longer a parameter.
    pub(crate) fn add_params(
        &mut self,
        params: &mut Params,
        unboxings: &[Unboxing],
        rebox: bool,
    ) -> Vec<Item> {
        let mut items = Vec::new();
        for unboxing in unboxings {
            let param = unboxing.param;
            match &unboxing.form {
                Form::Number(kind, part) => {
                    params.push(*part);
                    self.env.bind(*part, Ty::Unknown);
                    let prim = Prim::Box(*kind);
                    self.whole(param, prim, &[*part], Ty::boxed(*kind, Ty::Is((*part).into())));
                }
                Form::Block { tag, fields } => {
                    params.extend(fields.iter().copied());
                    for field in fields {
                        self.env.bind(*field, Ty::Unknown);
                    }
                    let prim = Prim::MakeBlock { tag: *tag, mutability: Mutability::Immutable };
                    let ty = Ty::block(*tag, fields.iter().map(|f| Ty::Is((*f).into())));
                    self.whole(param, prim, fields, ty);
                }
                Form::Variant(parts) => self.add_parts(params, param, parts),
            }
            if rebox && let Some(definition) = self.env.definition(param.into()) {
                params[unboxing.index] = self.fresh_like(param);
                let named =
                    Named::Prim { prim: definition.prim.clone(), args: definition.args.clone(), exn: None };
                items.push(Item::Let { var: param, named, dbg: Dbg::NONE });
            }
        }
        items
    }

    /// Of the parts of which a variable can be made again.
    fn whole(&mut self, param: Variable, prim: Prim, parts: &[Variable], ty: Ty) {
        let args: Operands = parts.iter().map(|part| Simple::Var(*part)).collect();
        self.env.retype(param, ty);
        self.env.define(param, Definition { prim: prim.clone(), args: args.clone() });
        self.env.add_cse(prim, args, 0, param.into());
    }

    fn add_parts(&mut self, params: &mut Params, param: Variable, parts: &Parts) {
        let whole = Operands::from_slice(&[param.into()]);
        let old = self.env.ty(param.into());
        let ints = old.immediates().unwrap_or(IntSet::OCAML);
        let relations =
            [(parts.is_int, Prim::IsInt), (parts.constant, Prim::Untag), (parts.tag, Prim::GetTag)];
        for (part, prim) in relations {
            let Some(part) = part else { continue };
            params.push(part);
            let ty = match prim {
                Prim::IsInt => Ty::bool(),
                Prim::Untag => Ty::Unknown,
                _ => old.blocks().tags().map_or(Ty::Unknown, Ty::Int),
            };
            self.env.bind(part, ty);
            self.env.define(part, Definition { prim: prim.clone(), args: whole.clone() });
            self.env.add_cse(prim, whole.clone(), 0, part.into());
            self.flimsy.insert(part);
        }
        let mut blocks = SmallVec::new();
        for (tag, fields) in &parts.blocks {
            for field in fields {
                params.push(*field);
                self.env.bind(*field, Ty::Unknown);
                self.flimsy.insert(*field);
            }
            let fields = fields.iter().map(|f| Ty::Is((*f).into())).collect();
            blocks.push(Block { tag: *tag, exact: true, fields });
        }
        self.env.retype(param, Ty::Variant(Rc::new(Variant { ints, blocks: Blocks::Known(blocks) })));
    }

    /// Notes at each use what the parts are there.
    pub(crate) fn pass_extras(&mut self, uses: &[Use], unboxings: &[Unboxing]) {
        for u in uses {
            let Some(edge) = u.edge else { continue };
            for unboxing in unboxings {
                let (arg, ty) = (u.args[unboxing.index], &u.tys[unboxing.index]);
                match &unboxing.form {
                    Form::Number(kind, part) => {
                        let known = match ty {
                            Ty::Boxed(_, contents) => contents
                                .as_const(kind.naked())
                                .map(Simple::Const)
                                .or_else(|| as_alias(contents)),
                            _ => None,
                        };
                        self.extra(edge, *part, known, arg, Prim::Unbox(*kind));
                    }
                    Form::Block { fields, .. } => {
                        let known = ty.as_block().map(|b| &b.fields[..]);
                        self.extra_fields(edge, fields, known, arg);
                    }
                    Form::Variant(parts) => self.extra_parts(edge, parts, arg, ty),
                }
            }
        }
    }

    /// One more argument: what is known, poison for poison, or computed from the whole.
    fn extra(&mut self, edge: usize, part: Variable, known: Option<Simple>, arg: Simple, prim: Prim) {
        let kind = self.unit.variables[part].kind;
        let simple = match known {
            Some(simple) => simple,
            None if is_poison(arg) => Simple::Const(Const::Poison(kind)),
            None => {
                let var = self.fresh_like(part);
                self.edges[edge].lets.push((var, prim, Operands::from_slice(&[arg])));
                var.into()
            }
        };
        self.edges[edge].extra.push(simple);
    }

    fn extra_fields(&mut self, edge: usize, fields: &[Variable], known: Option<&[Ty]>, arg: Simple) {
        for (index, field) in fields.iter().enumerate() {
            let name = known.and_then(|known| as_alias(known.get(index)?));
            let prim = Prim::BlockLoad { field: index as u32, mutability: Mutability::Immutable };
            self.extra(edge, *field, name, arg, prim);
        }
    }

    fn extra_parts(&mut self, edge: usize, parts: &Parts, arg: Simple, ty: &Ty) {
        let poison = is_poison(arg);
        let ints = if poison { IntSet::empty() } else { ty.immediates().unwrap_or(IntSet::OCAML) };
        let blocks = ty.blocks();
        let is_block = ints.is_empty();
        let is_int = blocks.is_none();
        let naked = |n: i64| Some(Simple::naked_imm(n));
        let nothing = Some(Simple::Const(Const::Poison(Kind::NakedImmediate)));
        if let Some(part) = parts.is_int {
            let known = match (is_int, is_block) {
                _ if poison => nothing,
                (true, _) => naked(1),
                (_, true) => naked(0),
                _ => None,
            };
            self.extra(edge, part, known, arg, Prim::IsInt);
        }
        if let Some(part) = parts.constant {
            let known =
                if poison || is_block { nothing } else { ints.as_one().filter(|_| is_int).and_then(naked) };
            self.extra(edge, part, known, arg, Prim::Untag);
        }
        if let Some(part) = parts.tag {
            let known = match blocks.tags() {
                _ if poison || is_int => nothing,
                Some(tags) if tags.as_one().is_some() => tags.as_one().and_then(naked),
                // The tag of what may be an immediate is known by name, or the use would not have been accepted.
                _ => self.known_prim(Prim::GetTag, arg),
            };
            self.extra(edge, part, known, arg, Prim::GetTag);
        }
        for (tag, fields) in &parts.blocks {
            let block = match &blocks {
                Blocks::Known(known) if !poison => known.iter().find(|b| b.tag == *tag),
                _ => None,
            };
            match block {
                Some(block) => self.extra_fields(edge, fields, Some(&block.fields), arg),
                None => {
                    let none = Simple::Const(Const::Poison(Kind::Value));
                    self.edges[edge].extra.extend(fields.iter().map(|_| none));
                }
            }
        }
    }
}

fn is_variant(ty: &Ty) -> bool {
    matches!(ty, Ty::Variant(_))
}

fn is_poison(simple: Simple) -> bool {
    matches!(simple, Simple::Const(Const::Poison(_)))
}

fn as_alias(ty: &Ty) -> Option<Simple> {
    match ty {
        Ty::Is(simple) => Some(*simple),
        _ => None,
    }
}
