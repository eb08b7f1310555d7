//! The function of a unit that compares classes with what the source shows of them, and makes their records.
//!
//! Classes of the toplevel are completed once. In line the comparison is 60 bytes of code for each method of each
//! class, more than all the methods of small classes; here it is a loop over a description in static data, and one
//! test for each method, whatever classes have it.

use flambeau_ir::prim::{External, Init, IntCmp, IntOp, NativeRepr};
use flambeau_ir::term::{InlineAttribute, SpecialiseAttribute, Switch};
use flambeau_ir::{
    ApplyCont, CallKind, Code, CodeAttributes, CodeId, ContHandler, Continuation, Dbg, Expr, FunctionKind,
    Heat, IntKind, Item, Kind, Prim, SetOfClosures, Simple, Static, StaticDef, StaticField, Subkind, Symbol,
    Terminator, Variable,
};
use flambeau_lambda::term::{Ident, Inline, LocId, NodeId, Specialise};
use smallvec::smallvec;

use super::METHODS;
use crate::apply::CallSite;
use crate::builder::{Converter, Result, Target};
use crate::control::two_way;

/// Where the description of a class begins to name its parts: after the positions where these end and where it ends
/// itself, and how long the record is.
const PARTS: usize = 3;

/// The function, which is defined when all methods are known: `(table, description)` → record, or the empty one.
#[derive(Debug)]
pub(super) struct Completing {
    code: CodeId,
    closure: Symbol,
    table: Variable,
    description: Variable,
    /// The functions of methods, as descriptions number them.
    methods: Vec<NodeId>,
}

impl Converter<'_> {
    /// Calls the function for a class, and keeps the record.
    pub(super) fn complete_by_call(
        &mut self,
        records: Symbol,
        kept: Symbol,
        definition: usize,
        table: Option<Ident>,
    ) -> Result<()> {
        let class = &self.methods.classes.classes[&definition];
        let (parts, methods) = (class.definitions.clone(), class.methods.clone());
        if methods.is_empty() {
            return Ok(());
        }
        let table = match table {
            Some(table) => self.variable(table)?.simple,
            None => {
                let own = self.methods.table(definition);
                self.changing_field(kept.into(), own)
            }
        };
        let parts_end = PARTS + parts.len();
        let mut description =
            vec![parts_end as i64, (parts_end + 2 * methods.len()) as i64, methods.len() as i64 + 1];
        description.extend(parts.iter().map(|part| i64::from(self.methods.table(*part))));
        for method in &methods {
            description.push(i64::from(self.methods.label(*method)));
            let function = self.methods.classes.methods[*method].function;
            self.declare_method(function)?;
            let known = &mut self.completing().methods;
            let number = known.iter().position(|known| *known == function).unwrap_or_else(|| {
                known.push(function);
                known.len() - 1
            });
            description.push(number as i64);
        }
        let name = self.unit.naming.local(&format!("class_{}", self.unit.statics.len()));
        let symbol = self.fresh_symbol(name);
        let fields = description.into_iter().map(StaticField::Immediate).collect();
        let def = StaticDef::Block { symbol, tag: 0, fields };
        self.unit.statics.push(Static { exported: false, def });
        let Completing { code, closure, .. } = *self.completing();
        let site =
            CallSite { types: &[], loc: LocId(0), inlined: Inline::Never, specialised: Specialise::Never };
        let args = vec![table, symbol.into()];
        let record = self.call_value(|this, target: &Target| {
            this.apply(Some(closure.into()), CallKind::Direct(code), args, site, target)
        })?;
        let field = self.methods.record(definition);
        self.store_record(records, field, record, Init::Assignment);
        Ok(())
    }

    fn completing(&mut self) -> &mut Completing {
        if self.methods.completing.is_none() {
            let [table, description, my_closure] =
                ["table", "description", "my_closure"].map(|name| self.unit.new_value(name));
            let ret = self.unit.new_continuation("return");
            let exn = self.unit.new_exn_continuation("raise");
            let function_slot = self.unit.function_slots.push("complete_class".into());
            let linkage_name = self.unit.naming.local("complete_class");
            let name = format!("{linkage_name}_closure");
            let code = self.unit.codes.push(Code {
                linkage_name,
                params: smallvec![table, description],
                my_closure,
                function_slot,
                ret,
                exn,
                result: Kind::Value,
                kind: FunctionKind::Curried,
                recursive: false,
                attributes: CodeAttributes {
                    inline: InlineAttribute::Never,
                    specialise: SpecialiseAttribute::Never,
                    is_functor: false,
                    stub: false,
                    no_poll: false,
                    sole: false,
                    no_return: false,
                    exported: false,
                    heat: Heat::Unknown,
                },
                dbg: Dbg::NONE,
                body: Expr { items: Vec::new(), terminator: Terminator::Unreachable },
            });
            let closure = self.fresh_symbol(name);
            let set = SetOfClosures { functions: smallvec![(function_slot, code)], values: Vec::new() };
            let def = StaticDef::Closures { symbols: vec![closure], set };
            self.unit.statics.push(Static { exported: false, def });
            let new = Completing { code, closure, table, description, methods: Vec::new() };
            self.methods.completing = Some(new);
        }
        self.methods.completing.as_mut().expect("it was made")
    }

    /// Gives the function its body: the table must be the one that all parts of the class left behind, and must have
    /// the closures of the methods, which become the record.
    pub(super) fn define_completing(&mut self) -> Result<()> {
        let (Some(completing), Some(kept)) = (self.methods.completing.take(), self.methods.labels) else {
            return Ok(());
        };
        let Completing { code, table, description, methods, .. } = completing;
        let ret = self.unit.codes[code].ret;
        let none = self.methods.none.map_or(Simple::UNIT, Simple::Symbol);
        let give_up = self.unit.new_continuation("give_up");
        let jump = |cont, args: &[Simple]| {
            Terminator::ApplyCont(ApplyCont { cont, args: args.iter().copied().collect() })
        };
        let body = self.isolated(|this| {
            this.nested(give_up, |_| Ok(jump(ret, &[none])))?;
            let [parts_end, end, length] =
                [0, 1, 2].map(|field| this.described(description, Simple::tagged(field)));
            let complete = this.unit.new_continuation("complete");
            this.nested(complete, |this| {
                let places = this.changing_field(table.into(), METHODS);
                let record = this.new_record(code, length, places);
                this.repeat(
                    "method",
                    [parts_end, Simple::tagged(1)],
                    end,
                    jump(ret, &[record]),
                    |this, at, next| {
                        let [at, to] = at;
                        let label = this.described(description, at);
                        let label =
                            this.prim("label", Prim::BlockLoadComputed, &[kept.into(), label], LocId(0));
                        let closure =
                            this.prim("closure", Prim::BlockLoadComputed, &[places, label], LocId(0));
                        let number_at = this.plus(at, 1);
                        let number = this.described(description, number_at);
                        let keep = this.unit.new_continuation("keep");
                        this.nested(keep, |this| {
                            let store = Prim::BlockStoreComputed { pointer: true, init: Init::Assignment };
                            this.prim("stored", store, &[record, to, closure], LocId(0));
                            let (at, to) = (this.plus(at, 2), this.plus(to, 1));
                            Ok(jump(next, &[at, to]))
                        })?;
                        this.as_shown(&methods, number, closure, keep, give_up)
                    },
                )
            })?;
            let enough = jump(complete, &[]);
            this.repeat("part", [Simple::tagged(PARTS as i64)], parts_end, enough, |this, [at], next| {
                let field = this.described(description, at);
                let its = this.prim("its_table", Prim::BlockLoadComputed, &[kept.into(), field], LocId(0));
                let same = Prim::PhysEqual { negated: false };
                let same = this.prim("same", same, &[its, table.into()], LocId(0));
                let again = this.unit.new_continuation("again");
                this.nested(again, |this| {
                    let at = this.plus(at, 1);
                    Ok(jump(next, &[at]))
                })?;
                Ok(two_way(same, again, give_up))
            })
        })?;
        self.unit.codes[code].body = body;
        Ok(())
    }

    /// A loop over some positions, the first of which ends it at `end`.
    fn repeat<const N: usize>(
        &mut self,
        name: &str,
        first: [Simple; N],
        end: Simple,
        then: Terminator,
        body: impl FnOnce(&mut Self, [Simple; N], Continuation) -> Result<Terminator>,
    ) -> Result<Terminator> {
        let looped = self.unit.new_continuation(name);
        let params = [(); N].map(|()| self.unit.new_variable(name, Kind::Value, Subkind::Immediate));
        let run = self.isolated(|this| {
            let [done, more] = ["done", "more"].map(|name| this.unit.new_continuation(name));
            this.nested(done, |_| Ok(then))?;
            this.nested(more, |this| body(this, params.map(Simple::Var), looped))?;
            let compare = Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Tagged };
            let is_end = this.prim("is_end", compare, &[params[0].into(), end], LocId(0));
            Ok(two_way(is_end, done, more))
        })?;
        let handler = ContHandler { cont: looped, params: params.into_iter().collect(), body: run };
        self.items.push(Item::LetCont { recursive: true, handlers: vec![handler] });
        Ok(Terminator::ApplyCont(ApplyCont { cont: looped, args: first.into_iter().collect() }))
    }

    /// Appends a continuation without parameters.
    fn nested(
        &mut self,
        cont: Continuation,
        body: impl FnOnce(&mut Self) -> Result<Terminator>,
    ) -> Result<()> {
        let body = self.isolated(body)?;
        self.items.push(Item::let_cont(cont, body));
        Ok(())
    }

    fn described(&mut self, description: Variable, at: Simple) -> Simple {
        self.prim("described", Prim::BlockLoadComputed, &[description.into(), at], LocId(0))
    }

    fn plus(&mut self, position: Simple, n: i64) -> Simple {
        let add = Prim::IntArith { op: IntOp::Add, kind: IntKind::Tagged };
        self.prim("next", add, &[position, Simple::tagged(n)], LocId(0))
    }

    /// A block that begins with the places of a class's methods.
    fn new_record(&mut self, code: CodeId, length: Simple, places: Simple) -> Simple {
        let outer = self.handler.cont;
        self.handler.cont = self.unit.codes[code].exn;
        let make = Prim::CCall(Box::new(External {
            name: "caml_make_vect".into(),
            args: vec![NativeRepr::Value; 2],
            result: NativeRepr::Value,
            no_result: false,
            alloc: true,
            tested: false,
        }));
        let record = self.raising_prim("record", make, &[length, places], LocId(0));
        self.handler.cont = outer;
        record
    }

    /// Whether a closure is the one of a method, by its number.
    fn as_shown(
        &mut self,
        methods: &[NodeId],
        number: Simple,
        closure: Simple,
        yes: Continuation,
        no: Continuation,
    ) -> Result<Terminator> {
        let mut arms = Vec::with_capacity(methods.len());
        for (index, method) in methods.iter().enumerate() {
            let (function, _) = self.declare_method(*method)?;
            let cont = self.unit.new_continuation("is_method");
            self.nested(cont, |this| {
                let test = this.prim("as_shown", Prim::IsClosureOf { function }, &[closure], LocId(0));
                Ok(two_way(test, yes, no))
            })?;
            arms.push((index as i64, ApplyCont::plain(cont)));
        }
        let scrutinee = self.prim("number", Prim::Untag, &[number], LocId(0));
        let default = Some(ApplyCont::plain(no));
        Ok(Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg: Dbg::NONE, cases: None })))
    }
}
