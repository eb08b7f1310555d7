//! Functions, and what they have captured.
//!
//! A function reaches what it has captured as variables in scope: who allocates a set binds what its slots hold, and
//! nests the functions there. So whoever sees the variable of a function sees those of its slots, too, however deep in
//! other functions. Of a function that comes from elsewhere nobody can read a slot: it is *asked*. Called with a block
//! that nobody else has, it returns what it has captured.

use std::rc::Rc;

use flambeau_cmm::tree::{Expr, ExprId};
use flambeau_ir::prim::Mutability;
use flambeau_ir::{CodeId, FunctionKind, FunctionSlot, Prim, ValueSlot};

use crate::body::{Context, Frame};
use crate::term::{Ident, Term, TermId};
use crate::unit::{Known, Leaf, Translation};

impl Translation<'_> {
    /// The functions of a set that is allocated here.
    pub fn functions(
        &mut self,
        functions: &[CodeId],
        slots: &[ValueSlot],
        values: &[ExprId],
        frames: &mut Vec<Frame>,
    ) -> Rc<[Leaf]> {
        let mut captured = Vec::new();
        for (slot, value) in slots.iter().zip(values) {
            let name = self.unit.value_slots[*slot].clone();
            captured.push((*slot, self.lasting(*value, &name, frames)));
        }
        match self.mentions.maker(functions) {
            Some(maker) => self.made(maker, functions, captured, frames),
            None => self.set(functions, captured, frames),
        }
    }

    /// Functions that know one another.
    pub fn set(
        &mut self,
        functions: &[CodeId],
        slots: Vec<(ValueSlot, Leaf)>,
        frames: &mut Vec<Frame>,
    ) -> Rc<[Leaf]> {
        let idents: Vec<_> = functions.iter().map(|code| self.function_ident(*code)).collect();
        self.know(functions, &idents, slots);
        self.define(functions, &idents, frames);
        idents.into_iter().map(Leaf::Ident).collect()
    }

    pub fn function_ident(&mut self, code: CodeId) -> Ident {
        let slot = self.unit.codes[code].function_slot;
        let name = self.unit.function_slots[slot].clone();
        self.ident(&name)
    }

    /// Notes what the functions of a set have captured.
    pub fn know(&mut self, functions: &[CodeId], idents: &[Ident], slots: Vec<(ValueSlot, Leaf)>) {
        let slot = |code: &CodeId| self.unit.codes[*code].function_slot;
        let members =
            functions.iter().map(slot).zip(idents.iter().map(|ident| Leaf::Ident(*ident))).collect();
        let known = Rc::new(Known { slots, members });
        for ident in idents {
            self.known.insert(*ident, Rc::clone(&known));
        }
    }

    /// Defines functions whose variables are there.
    pub fn define(&mut self, functions: &[CodeId], idents: &[Ident], frames: &mut Vec<Frame>) {
        let before: u32 = idents.iter().map(|ident| self.uses[ident.0 as usize]).sum();
        let mut defined = Vec::new();
        for (code, ident) in functions.iter().zip(idents) {
            defined.push((*ident, self.function(*code, Some(*ident))));
        }
        let after: u32 = idents.iter().map(|ident| self.uses[ident.0 as usize]).sum();
        frames.push(match defined[..] {
            [(ident, function)] if before == after => Frame::Let(ident, function),
            _ => Frame::LetRec(defined),
        });
    }

    /// A function of the IR. `own`: the variable that it is bound to.
    pub fn function(&mut self, code: CodeId, own: Option<Ident>) -> TermId {
        let data = &self.unit.codes[code];
        assert!(self.inside.insert(code), "the code of {} is inside of itself", data.linkage_name);
        let leaving = std::mem::take(&mut self.leaving);
        let bodies = self.bodies;
        let function = &bodies.functions[code.as_u32() as usize];
        let params: Vec<_> = function.params.iter().map(|var| self.ident_like(*var)).collect();
        for (var, param) in function.params.iter().zip(&params) {
            self.vars[var.0 as usize] = Some(Leaf::Ident(*param));
        }
        self.vars[function.closure.0 as usize] = own.map(Leaf::Ident);
        let mut frames = Vec::new();
        let params = match data.kind {
            FunctionKind::Curried => params,
            FunctionKind::Tupled => vec![self.untuple(&params, &mut frames)],
        };
        let body = self.expr(function.body, Context::Tail);
        let body = self.close(frames, body);
        let body = match own {
            Some(own) if self.demands.asked.contains(&data.function_slot) => {
                self.answering(code, own, params[0], body)
            }
            _ => body,
        };
        self.leaving = leaving;
        self.inside.remove(&code);
        self.push(Term::Function { params, body, dbg: function.dbg })
    }

    /// Binds the fields of the tuple that a function takes.
    fn untuple(&mut self, params: &[Ident], frames: &mut Vec<Frame>) -> Ident {
        let tuple = self.ident("tuple");
        for (field, param) in (0..).zip(params) {
            let block = self.leaf(Leaf::Ident(tuple));
            let load = Prim::BlockLoad { field, mutability: Mutability::Immutable };
            let part = self.prim(load, vec![block]);
            frames.push(Frame::Let(*param, part));
        }
        tuple
    }

    /// The functions of a set that a maker allocates.
    fn made(
        &mut self,
        maker: u32,
        functions: &[CodeId],
        slots: Vec<(ValueSlot, Leaf)>,
        frames: &mut Vec<Frame>,
    ) -> Rc<[Leaf]> {
        let maker_leaf = self.makers[&maker];
        let mut args = Vec::new();
        for wanted in self.slots_of_maker(maker).to_vec() {
            let leaf = slots.iter().find(|(slot, _)| *slot == wanted).map_or(Leaf::Int(0), |(_, leaf)| *leaf);
            args.push(self.leaf(leaf));
        }
        if args.is_empty() {
            args.push(self.push(Term::Int(0)));
        }
        let function = self.leaf(maker_leaf);
        let call = self.push(Term::Apply { function, args, dbg: flambeau_ir::Dbg::NONE });
        let idents: Vec<_> = functions.iter().map(|code| self.function_ident(*code)).collect();
        if let [ident] = idents[..] {
            frames.push(Frame::Let(ident, call));
        } else {
            let set = self.ident("set");
            frames.push(Frame::Let(set, call));
            for (field, ident) in (0..).zip(&idents) {
                let member = self.read(set, field);
                frames.push(Frame::Let(*ident, member));
            }
        }
        self.know(functions, &idents, slots);
        idents.into_iter().map(Leaf::Ident).collect()
    }

    fn slots_of_maker(&self, maker: u32) -> &[ValueSlot] {
        match &self.bodies.tree.exprs[self.mentions.sets[maker as usize].0 as usize] {
            Expr::Functions { slots, .. } => slots,
            expr => panic!("a maker of {expr:?}"),
        }
    }

    /// The function that allocates a set.
    pub fn maker(&mut self, maker: u32) -> TermId {
        let Expr::Functions { functions, .. } = self.tree(self.mentions.sets[maker as usize]) else {
            panic!("a maker of no set");
        };
        let mut slots = Vec::new();
        for slot in self.slots_of_maker(maker).to_vec() {
            let name = self.unit.value_slots[slot].clone();
            slots.push((slot, self.ident(&name)));
        }
        let mut params: Vec<_> = slots.iter().map(|(_, ident)| *ident).collect();
        if params.is_empty() {
            params.push(self.ident("unit"));
        }
        let mut frames = Vec::new();
        let slots = slots.into_iter().map(|(slot, ident)| (slot, Leaf::Ident(ident))).collect();
        let members = self.set(functions, slots, &mut frames);
        let members: Vec<_> = members.iter().map(|member| self.leaf(*member)).collect();
        let result = match members[..] {
            [member] => member,
            _ => self.prim(Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable }, members),
        };
        let body = self.close(frames, result);
        self.push(Term::Function { params, body, dbg: flambeau_ir::Dbg::NONE })
    }

    /// What a function in scope has captured.
    pub fn captured(&self, closure: Leaf, slot: ValueSlot) -> Option<Leaf> {
        let Leaf::Ident(ident) = closure else { return None };
        self.known.get(&ident)?.slots.iter().find(|(known, _)| *known == slot).map(|(_, leaf)| *leaf)
    }

    /// Another function of the set of one in scope.
    pub fn member(&self, closure: Leaf, slot: FunctionSlot) -> Option<Leaf> {
        let Leaf::Ident(ident) = closure else { return None };
        self.known.get(&ident)?.members.iter().find(|(known, _)| *known == slot).map(|(_, leaf)| *leaf)
    }

    // ---- asking functions that come from elsewhere

    /// All slots and functions of the sets that a function is in.
    fn answer_of(&self, function: FunctionSlot) -> (Vec<ValueSlot>, Vec<FunctionSlot>) {
        let (mut slots, mut functions) = (Vec::new(), Vec::new());
        self.unit.for_each_set(&mut |_, set| {
            if set.functions.iter().any(|(slot, _)| *slot == function) {
                let new = set.values.iter().map(|(slot, _)| *slot).filter(|slot| !slots.contains(slot));
                let new: Vec<_> = new.collect();
                slots.extend(new);
                let new =
                    set.functions.iter().map(|(slot, _)| *slot).filter(|slot| !functions.contains(slot));
                let new: Vec<_> = new.collect();
                functions.extend(new);
            }
        });
        (slots, functions)
    }

    /// The body of a function that answers.
    fn answering(&mut self, code: CodeId, own: Ident, param: Ident, body: TermId) -> TermId {
        let Some(question) = self.question else { return body };
        let (slots, functions) = self.answer_of(self.unit.codes[code].function_slot);
        let slots = slots.iter().map(|slot| self.captured(Leaf::Ident(own), *slot));
        let functions = functions.iter().map(|slot| self.member(Leaf::Ident(own), *slot));
        let leaves: Vec<_> = slots.chain(functions).map(|leaf| leaf.unwrap_or(Leaf::Int(0))).collect();
        let fields = leaves.into_iter().map(|leaf| self.leaf(leaf)).collect();
        let answer = self.prim(Prim::MakeBlock { tag: 0, mutability: Mutability::Immutable }, fields);
        let args = vec![self.leaf(Leaf::Ident(param)), self.leaf(Leaf::Ident(question))];
        let cond = self.prim(Prim::PhysEqual { negated: false }, args);
        self.push(Term::If { cond, then_: answer, else_: body })
    }

    /// Asks a function for a part of its answer.
    fn ask(&mut self, closure: ExprId, function: FunctionSlot, part: Option<usize>) -> TermId {
        self.demands.asked.insert(function);
        let closure = self.expr(closure, Context::Value);
        let code = self.unit.codes.values().find(|code| code.function_slot == function);
        let (Some(question), Some(part), Some(code)) = (self.question, part, code) else { return closure };
        let mut args = vec![self.leaf(Leaf::Ident(question))];
        let arity = if code.kind == FunctionKind::Tupled { 1 } else { code.params.len() };
        args.extend((1..arity).map(|_| self.program.push(Term::Int(0))));
        let answer = self.push(Term::Apply { function: closure, args, dbg: flambeau_ir::Dbg::NONE });
        let load = Prim::BlockLoad { field: part as u32, mutability: Mutability::Immutable };
        self.prim(load, vec![answer])
    }

    /// A captured value of a function that comes from elsewhere.
    pub fn ask_value(&mut self, closure: ExprId, function: FunctionSlot, slot: ValueSlot) -> TermId {
        let part = self.answer_of(function).0.iter().position(|known| *known == slot);
        self.ask(closure, function, part)
    }

    /// Another function of the set of one that comes from elsewhere.
    pub fn ask_member(&mut self, closure: ExprId, from: FunctionSlot, to: FunctionSlot) -> TermId {
        let (slots, functions) = self.answer_of(from);
        let part = functions.iter().position(|known| *known == to).map(|position| slots.len() + position);
        self.ask(closure, from, part)
    }

    // ---- functions that a `let rec` defines later

    /// A function that calls what its cell will hold.
    pub fn dummy(&mut self, def: ExprId, frames: &mut Vec<Frame>) -> Leaf {
        let Expr::Prim { prim: Prim::AllocDummyClosure { function }, .. } = self.tree(def) else {
            panic!("no dummy of a function");
        };
        let code = self.unit.codes.values().find(|code| code.function_slot == *function);
        let arity = code.map_or(1, |code| code.params.len());
        let (cell, ident) = (self.ident("cell"), self.ident("dummy"));
        let empty = self.zeros(0, 1);
        frames.push(Frame::Let(cell, empty));
        let params: Vec<_> = (0..arity).map(|_| self.ident("argument")).collect();
        let args = params.iter().map(|param| self.leaf(Leaf::Ident(*param))).collect();
        let function = self.read(cell, 0);
        let body = self.push(Term::Apply { function, args, dbg: flambeau_ir::Dbg::NONE });
        let function = self.push(Term::Function { params, body, dbg: flambeau_ir::Dbg::NONE });
        frames.push(Frame::Let(ident, function));
        self.dummies.insert(ident, cell);
        Leaf::Ident(ident)
    }

    /// Fills the cell of such a function, if the first operand is one.
    pub fn define_dummy(&mut self, args: &[ExprId], frames: &mut Vec<Frame>) -> Option<TermId> {
        let Some(Leaf::Ident(dummy)) = self.leaf_of(args[0], frames) else { return None };
        let cell = *self.dummies.get(&dummy)?;
        let value = self.expr(args[1], Context::Value);
        Some(self.write(cell, 0, value))
    }
}
