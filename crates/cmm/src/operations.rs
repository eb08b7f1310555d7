//! Bindings, primitives and calls, with atoms as operands.

use flambeau_ir::prim::{External, NativeRepr};
use flambeau_ir::{Apply, CodeId, Dbg, Machine, Prim, SetOfClosures, Simple, Variable};
use flambeau_ir::{CallKind, Named};

use crate::frames::Frame;
use crate::layout::{arity, function_offsets};
use crate::lowering::{Atom, Lowering, Representation, machtype, tagged};
use crate::tree::*;

impl<'a> Lowering<'a> {
    /// `Item::Let`.
    pub fn let_(&mut self, var: Variable, named: &Named, dbg: Dbg, frames: &mut Vec<Frame>) {
        match named {
            Named::Simple(simple) => self.env[var] = Some(self.atom(*simple)),
            Named::Prim { prim, args, exn } => {
                if let Some(exn) = exn {
                    self.raise_point(exn, frames);
                }
                self.let_prim(var, prim, args, dbg, frames);
            }
        }
    }

    fn let_prim(&mut self, var: Variable, prim: &Prim, args: &[Simple], dbg: Dbg, frames: &mut Vec<Frame>) {
        let folded = match self.machine {
            Machine::Native => self.fold(prim, args),
            Machine::Bytecode => self.same_value(prim, args),
        };
        if let Some(atom) = folded {
            self.env[var] = Some(atom);
            return;
        }
        let def = match prim {
            _ if self.machine == Machine::Bytecode => self.value_prim(prim, args, dbg, frames),
            Prim::ProjectValueSlot { function, value } => {
                let words = self.layout.to_value(*function, *value);
                let pointer = self.operands(args)[0];
                self.tree.push(Expr::SlotLoad { pointer, words })
            }
            Prim::ProjectFunctionSlot { from, to } => {
                let words = self.layout.between(*from, *to);
                let pointer = self.operands(args)[0];
                self.tree.push(Expr::Offset { pointer, words })
            }
            Prim::AllocDummyClosure { function } => {
                let (size, offset) = self.layout.block(*function);
                self.dummy_closure(size, offset, dbg)
            }
            Prim::IsClosureOf { function } => {
                let pointer = self.operands(args)[0];
                match self.layout.code(*function) {
                    Some(code) => {
                        let function = self.closure_entry(code);
                        self.tree.push(Expr::IsClosureOf { pointer, function })
                    }
                    // No set has the function.
                    None => self.tree.push(Expr::Int(0)),
                }
            }
            _ => {
                let args = self.operands(args);
                self.tree.push(Expr::Prim { prim: prim.clone(), args, dbg })
            }
        };
        if prim.is_for_effect() {
            self.env[var] = Some(self.unit_value());
            frames.push(Frame::Seq { first: def });
            return;
        }
        let bound = self.bind(var);
        frames.push(Frame::Let { var: bound, def });
        match prim {
            Prim::Box(kind) | Prim::Rebox(kind) => {
                self.represent(bound, args, |atom| Representation::Boxed(*kind, atom));
            }
            Prim::Tag => self.represent(bound, args, Representation::Tagged),
            Prim::Untag => self.represent(bound, args, Representation::Untagged),
            Prim::GetTag => self.note_operand(bound, args, |this| &mut this.tags),
            Prim::ArrayLength { .. } | Prim::StringLength => {
                self.note_operand(bound, args, |this| &mut this.lengths);
            }
            Prim::IntCompare { .. }
            | Prim::FloatCompare { .. }
            | Prim::PhysEqual { .. }
            | Prim::IsInt
            | Prim::IsClosureOf { .. }
            | Prim::IsInstance => {
                self.booleans.insert(bound);
            }
            _ => {}
        }
    }

    fn represent(&mut self, var: Var, args: &[Simple], by: impl FnOnce(Atom) -> Representation) {
        let atom = self.atom(args[0]);
        if !matches!(atom, Atom::Var(of) if self.renamed.contains(&of)) {
            self.representations.insert(var, by(atom));
        }
    }

    /// Undoes boxing and tagging: a number that is consumed at once is never boxed. The kinds of box and unbox
    /// may differ in code that is never run (soundness row 23).
    fn fold(&mut self, prim: &Prim, args: &[Simple]) -> Option<Atom> {
        let operand = args.first().map(|arg| self.atom(*arg));
        let known = match operand {
            Some(Atom::Var(var)) => self.representations.get(&var).copied(),
            _ => None,
        };
        match (prim, operand, known) {
            (Prim::ExnState, ..) => Some(self.unit_value()),
            (Prim::Tag, Some(Atom::Int(n)), _) => Some(Atom::Int(tagged(n))),
            (Prim::Untag, Some(Atom::Int(n)), _) => Some(Atom::Int(n >> 1)),
            (Prim::Tag, _, Some(Representation::Untagged(atom))) => Some(atom),
            (Prim::Untag, _, Some(Representation::Tagged(atom))) => Some(atom),
            (Prim::Unbox(kind), _, Some(Representation::Boxed(boxed, atom))) if *kind == boxed => Some(atom),
            (Prim::ProjectFunctionSlot { from, to }, ..) if self.layout.between(*from, *to) == 0 => operand,
            _ => None,
        }
    }

    /// A block for `caml_update_dummy` to overwrite: as large as the set of closures will be, with an infix
    /// header where the function is not the first (pitfall 33).
    fn dummy_closure(&mut self, size: u32, offset: u32, dbg: Dbg) -> ExprId {
        let (name, words) = if offset == 0 {
            ("caml_alloc_dummy", vec![size])
        } else {
            ("caml_alloc_dummy_infix", vec![size, offset])
        };
        let external = External {
            name: name.to_owned(),
            args: vec![NativeRepr::Value; words.len()],
            result: NativeRepr::Value,
            no_result: false,
            alloc: true,
            tested: false,
        };
        let args = words.into_iter().map(|n| self.tree.push(Expr::Int(tagged(i64::from(n))))).collect();
        self.tree.push(Expr::Prim { prim: Prim::CCall(Box::new(external)), args, dbg })
    }

    /// `Item::LetClosures`.
    pub fn let_closures(
        &mut self,
        vars: &[Variable],
        set: &SetOfClosures,
        dbg: Dbg,
        frames: &mut Vec<Frame>,
    ) {
        if self.machine == Machine::Bytecode {
            return self.let_functions(vars, set, dbg, frames);
        }
        let values: Vec<_> = set.values.iter().map(|(_, value)| *value).collect();
        let values = self.operands(&values);
        let functions = self.closure_entries(set);
        let def = self.tree.push(Expr::Closures { functions, values, dbg });
        let first = self.bind(vars[0]);
        frames.push(Frame::Let { var: first, def });
        let (offsets, _) = function_offsets(self.unit, set);
        for (var, offset) in vars.iter().zip(offsets).skip(1) {
            let pointer = self.expr(Atom::Var(first));
            let def = self.tree.push(Expr::Offset { pointer, words: offset as i32 });
            frames.push(Frame::Let { var: self.bind(*var), def });
        }
    }

    /// The functions of a set.
    pub fn closure_entries(&mut self, set: &SetOfClosures) -> Vec<ClosureEntry> {
        set.functions.iter().map(|(_, code)| self.closure_entry(*code)).collect()
    }

    fn closure_entry(&mut self, code: CodeId) -> ClosureEntry {
        ClosureEntry { code: self.code_name(code), arity: arity(&self.unit.codes[code]) }
    }

    /// The symbol of a code.
    pub fn code_name(&mut self, code: CodeId) -> Name {
        let unit = self.unit;
        self.name(&unit.codes[code].linkage_name)
    }

    /// A call.
    pub fn call(&mut self, apply: &'a Apply, frames: &mut Vec<Frame>) -> ExprId {
        let mut args = self.operands(&apply.args);
        let callee = apply.callee.map(|callee| {
            let atom = self.atom(callee);
            self.expr(atom)
        });
        let dbg = apply.dbg;
        let send = |kind, mut args: Vec<ExprId>| {
            let method = callee.expect("a method call has a method");
            let object = args.remove(0);
            Expr::Send { kind, method, object, args, dbg }
        };
        let call = match &apply.kind {
            CallKind::Direct(id) if self.machine == Machine::Bytecode => {
                let closure = callee.filter(|_| self.takes_closure(*id));
                let closure = closure.unwrap_or_else(|| self.tree.push(Expr::Code(*id)));
                let args = self.as_passed(*id, args, dbg, frames);
                Expr::GenericCall { closure, args, dbg }
            }
            CallKind::Direct(id) => {
                let unit = self.unit;
                let code = &unit.codes[*id];
                // Passed if and only if the definition takes it (pitfall 53).
                if self.takes_closure(*id) {
                    args.push(callee.unwrap_or_else(|| {
                        panic!("{} needs its closure, and a direct call of it has none", code.linkage_name)
                    }));
                }
                let result = machtype(code.result);
                Expr::DirectCall { code: self.code_name(*id), args, result, dbg }
            }
            CallKind::DirectExternal(name) => {
                args.extend(callee);
                let result = self.analysis.continuations[apply.ret].takes.map_or(Machtype::Val, machtype);
                Expr::DirectCall { code: self.name(name), args, result, dbg }
            }
            CallKind::Generic => {
                let closure = callee.expect("a generic call has a callee");
                Expr::GenericCall { closure, args, dbg }
            }
            CallKind::MethodPublic => send(SendKind::Public, args),
            CallKind::MethodSelf => send(SendKind::SelfMethod, args),
            CallKind::MethodCached => send(SendKind::Cached, args),
        };
        self.tree.push(call)
    }

    /// Whether the code has its closure as last parameter.
    pub fn takes_closure(&self, code: CodeId) -> bool {
        self.analysis.occurs(self.unit.codes[code].my_closure)
    }
}
