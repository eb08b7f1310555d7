//! Encoding Cmm for the OCaml side. This file is the reference of the format, but for numbers, which are in `codes.rs`;
//! the notation is that of `docs/formats.md`. What has a number begins with it.
//!
//! The Cmm part of a reply is: `s*` names of variables, `s*` linker's names, `u` number of labels, locations in
//! inlined functions and in other units `place*`, whose numbers follow those of the request's locations, data items
//! `(b exported, item)*`, functions `*`, then the entry's body. Variables, names and labels
//! elsewhere are indices (`u`).
//!
//! A body is `u` number of expressions, then the expressions in postfix: operands pushed left to right
//! before their parent. `dbg` is a location number.

use flambeau_ir::Prim;

use crate::codes::Code;
use crate::tree::*;

/// Bytes in the making.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// What has been written.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// One byte.
    pub fn byte(&mut self, b: u8) {
        self.bytes.push(b);
    }

    /// The number of what has one.
    pub fn code(&mut self, of: &impl Code) {
        self.byte(of.code());
    }

    /// `b`
    pub fn bool(&mut self, b: bool) {
        self.byte(u8::from(b));
    }

    /// `u`
    pub fn u(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.byte(n as u8 | 0x80);
            n >>= 7;
        }
        self.byte(n as u8);
    }

    /// `i`
    pub fn i(&mut self, n: i64) {
        self.u(((n << 1) ^ (n >> 63)) as u64);
    }

    /// `f`
    pub fn f(&mut self, bits: u64) {
        self.bytes.extend_from_slice(&bits.to_le_bytes());
    }

    /// `s`
    pub fn s(&mut self, bytes: &[u8]) {
        self.u(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}

/// Appends the Cmm part of a reply.
///
/// # Panics
/// When the tree has no entry.
pub fn encode(tree: &Tree, w: &mut Writer) {
    let mutable = mutable_variables(tree);
    w.u(tree.vars.len() as u64);
    for (name, is_mutable) in tree.vars.iter().zip(mutable) {
        w.s(name.as_bytes());
        w.bool(is_mutable);
    }
    w.u(tree.names.len() as u64);
    for name in &tree.names {
        w.s(name.as_bytes());
    }
    w.u(u64::from(tree.labels));
    w.u(tree.places.len() as u64);
    tree.places.iter().for_each(|place| self::place(w, place));
    w.u(tree.data.len() as u64);
    for (item, exported) in &tree.data {
        w.bool(*exported);
        data(w, item);
    }
    w.u(tree.functions.len() as u64);
    for function in &tree.functions {
        w.u(u64::from(function.name.0));
        params(w, &function.params);
        w.u(u64::from(function.dbg.0));
        w.bool(!function.no_poll);
        body(w, tree, function.body);
    }
    body(w, tree, tree.entry.expect("a unit has an entry"));
}

/// Of each variable whether it is bound to be assigned: reads come before that in postfix, and must not be moved past
/// assignments.
fn mutable_variables(tree: &Tree) -> Vec<bool> {
    let mut mutable = vec![false; tree.vars.len()];
    for expr in &tree.exprs {
        if let Expr::LetMut { var, .. } = expr
            && let Some(is_mutable) = mutable.get_mut(var.0 as usize)
        {
            *is_mutable = true;
        }
    }
    mutable
}

/// A location. Inlined: `u` call, `u` location in the callee. Foreign: `s` file, `s` scope, and the six numbers
/// of a location.
pub fn place(w: &mut Writer, place: &Place) {
    w.code(place);
    match place {
        Place::Inlined(place) => {
            w.u(u64::from(place.call.0));
            w.u(u64::from(place.inner.0));
        }
        Place::Foreign(loc) => {
            w.s(loc.file.as_bytes());
            w.s(loc.scope.as_bytes());
            let numbers = [loc.line, loc.char_start, loc.char_end, loc.start_bol, loc.end_bol, loc.end_line];
            numbers.iter().for_each(|n| w.u(u64::from(*n)));
        }
    }
}

/// A list of parameters: `(u variable, machtype)*`.
fn params(w: &mut Writer, params: &[(Var, Machtype)]) {
    w.u(params.len() as u64);
    for (var, ty) in params {
        w.u(u64::from(var.0));
        w.code(ty);
    }
}

fn data(w: &mut Writer, item: &Data) {
    let name = |w: &mut Writer, n: Name| w.u(u64::from(n.0));
    w.code(item);
    match item {
        Data::Block { symbol, tag, fields } => {
            name(w, *symbol);
            w.byte(*tag);
            data_fields(w, fields);
        }
        Data::Float { symbol, bits } => {
            name(w, *symbol);
            w.f(*bits);
        }
        Data::Int32 { symbol, value } => {
            name(w, *symbol);
            w.i(i64::from(*value));
        }
        Data::Int64 { symbol, value } => {
            name(w, *symbol);
            w.i(*value);
        }
        Data::Nativeint { symbol, value } => {
            name(w, *symbol);
            w.i(*value);
        }
        Data::String { symbol, contents } => {
            name(w, *symbol);
            w.s(contents);
        }
        Data::FloatArray { symbol, elements } => {
            name(w, *symbol);
            w.u(elements.len() as u64);
            elements.iter().for_each(|bits| w.f(*bits));
        }
        Data::Closures { symbols, functions, values } => {
            w.u(symbols.len() as u64);
            symbols.iter().for_each(|s| name(w, *s));
            closure_entries(w, functions);
            data_fields(w, values);
        }
        Data::Preallocated { symbol, tag, size } => {
            name(w, *symbol);
            w.byte(*tag);
            w.u(u64::from(*size));
        }
    }
}

/// `(u name | i word)*`, each after its number
fn data_fields(w: &mut Writer, fields: &[DataField]) {
    w.u(fields.len() as u64);
    for field in fields {
        w.code(field);
        match field {
            DataField::Symbol(name) => {
                w.u(u64::from(name.0));
            }
            DataField::Word(word) => {
                w.i(*word);
            }
        }
    }
}

/// `(u code, i arity)*`
fn closure_entries(w: &mut Writer, functions: &[ClosureEntry]) {
    w.u(functions.len() as u64);
    for entry in functions {
        w.u(u64::from(entry.code.0));
        w.i(i64::from(entry.arity));
    }
}

/// Writes a body in postfix.
fn body(w: &mut Writer, tree: &Tree, root: ExprId) {
    let order = in_postfix(tree, root);
    w.u(order.len() as u64);
    for id in order {
        shallow(w, &tree.exprs[id.0 as usize]);
    }
}

/// The expressions of a body, operands left to right before their parent; without recursion.
pub(crate) fn in_postfix(tree: &Tree, root: ExprId) -> Vec<ExprId> {
    // Collected in reverse: the parent, then operands right to left.
    let mut order = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        order.push(id);
        operands(&tree.exprs[id.0 as usize], &mut stack);
    }
    order.reverse();
    order
}

/// Pushes the operands, left to right.
pub fn operands(expr: &Expr, out: &mut Vec<ExprId>) {
    match expr {
        Expr::Int(_)
        | Expr::Float(_)
        | Expr::Symbol(_)
        | Expr::Var(_)
        | Expr::Boxed { .. }
        | Expr::Code(_)
        | Expr::Unreachable => {}
        Expr::Let { def, body, .. } | Expr::LetMut { def, body, .. } => out.extend([*def, *body]),
        Expr::Assign { value, .. } => out.push(*value),
        Expr::Seq(first, second) => out.extend([*first, *second]),
        Expr::If { cond, then_, else_, .. } => out.extend([*cond, *then_, *else_]),
        Expr::Switch { scrutinee, arms, default, .. }
        | Expr::StringSwitch { scrutinee, arms, default, .. } => {
            out.push(*scrutinee);
            out.extend(arms);
            out.extend(default);
        }
        Expr::Catch { handlers, body, .. } => {
            out.push(*body);
            out.extend(handlers.iter().map(|h| h.body));
        }
        Expr::Exit { args, .. } | Expr::Prim { args, .. } | Expr::DirectCall { args, .. } => out.extend(args),
        Expr::Try { body, handler, .. } => out.extend([*body, *handler]),
        Expr::GenericCall { closure, args, .. } => {
            out.push(*closure);
            out.extend(args);
        }
        Expr::Send { method, object, args, .. } => {
            out.extend([*method, *object]);
            out.extend(args);
        }
        Expr::Raise { exn, .. } => out.push(*exn),
        Expr::Closures { values, .. } | Expr::Functions { values, .. } => out.extend(values),
        Expr::Checked { args, .. } => out.extend(args),
        Expr::Member { set, .. } => out.push(*set),
        Expr::Offset { pointer, .. } | Expr::SlotLoad { pointer, .. } | Expr::IsClosureOf { pointer, .. } => {
            out.push(*pointer);
        }
    }
}

/// Writes an expression without its operands.
pub(crate) fn shallow(w: &mut Writer, expr: &Expr) {
    let count = |w: &mut Writer, n: usize| w.u(n as u64);
    w.code(expr);
    match expr {
        Expr::Int(n) => {
            w.i(*n);
        }
        Expr::Float(bits) => {
            w.f(*bits);
        }
        Expr::Symbol(name) => {
            w.u(u64::from(name.0));
        }
        Expr::Var(var) => {
            w.u(u64::from(var.0));
        }
        Expr::Let { var, .. } => {
            w.u(u64::from(var.0));
        }
        Expr::LetMut { var, ty, .. } => {
            w.u(u64::from(var.0));
            w.code(ty);
        }
        Expr::Assign { var, .. } => {
            w.u(u64::from(var.0));
        }
        Expr::Seq(..) => {}
        Expr::If { swapped, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.bool(*swapped);
        }
        // keys (i key, u arm)*, u number of arms, b default
        Expr::Switch { keys, arms, default, dbg, .. } => {
            w.u(u64::from(dbg.0));
            count(w, keys.len());
            for (key, arm) in keys {
                w.i(*key);
                w.u(u64::from(*arm));
            }
            count(w, arms.len());
            w.bool(default.is_some());
        }
        // keys s*, one for each arm, b default
        Expr::StringSwitch { keys, default, dbg, .. } => {
            w.u(u64::from(dbg.0));
            count(w, keys.len());
            keys.iter().for_each(|key| w.s(key));
            w.bool(default.is_some());
        }
        // operands: body, then the handlers' bodies
        Expr::Catch { recursive, handlers, .. } => {
            w.bool(*recursive);
            count(w, handlers.len());
            for handler in handlers {
                w.u(u64::from(handler.label.0));
                params(w, &handler.params);
            }
        }
        Expr::Exit { label, args } => {
            w.u(u64::from(label.0));
            count(w, args.len());
        }
        Expr::Try { var, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.u(u64::from(var.0));
        }
        Expr::Prim { prim, args, dbg } => {
            w.u(u64::from(dbg.0));
            count(w, args.len());
            primitive(w, prim);
        }
        Expr::DirectCall { code, args, result, dbg } => {
            w.u(u64::from(dbg.0));
            w.u(u64::from(code.0));
            w.code(result);
            count(w, args.len());
        }
        Expr::GenericCall { args, dbg, .. } => {
            w.u(u64::from(dbg.0));
            count(w, args.len());
        }
        Expr::Send { kind, args, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.code(kind);
            count(w, args.len());
        }
        Expr::Raise { kind, dbg, .. } => {
            w.u(u64::from(dbg.0));
            w.code(kind);
        }
        Expr::Closures { functions, values, dbg } => {
            w.u(u64::from(dbg.0));
            closure_entries(w, functions);
            count(w, values.len());
        }
        Expr::Offset { words, .. } => {
            w.i(i64::from(*words));
        }
        Expr::SlotLoad { words, .. } => {
            w.i(i64::from(*words));
        }
        Expr::IsClosureOf { function, .. } => closure_entries(w, std::slice::from_ref(function)),
        Expr::Unreachable => {}
        Expr::Boxed { .. }
        | Expr::Code(_)
        | Expr::Functions { .. }
        | Expr::Member { .. }
        | Expr::Checked { .. } => unreachable!("{expr:?} is for bytecode alone"),
    }
}

/// A primitive's number and its data.
pub fn primitive(w: &mut Writer, prim: &Prim) {
    w.code(prim);
    match prim {
        Prim::MakeBlock { tag, .. } => {
            w.byte(*tag);
        }
        Prim::MakeFloatBlock { .. } => {}
        Prim::BlockLoad { field, mutability } => {
            w.u(u64::from(*field));
            w.code(mutability);
        }
        Prim::BlockLoadFloat { field, .. } => {
            w.u(u64::from(*field));
        }
        Prim::BlockStore { field, pointer, init } => {
            w.u(u64::from(*field));
            w.bool(*pointer);
            w.code(init);
        }
        Prim::BlockStoreFloat { field, init } => {
            w.u(u64::from(*field));
            w.code(init);
        }
        Prim::MakeNakedBlock { fields } => {
            w.u(u64::from(*fields));
        }
        Prim::NakedLoad { field, kind } | Prim::NakedStore { field, kind } => {
            w.u(u64::from(*field));
            w.code(kind);
        }
        Prim::BlockLoadComputed => {}
        Prim::BlockStoreComputed { pointer, init } => {
            w.bool(*pointer);
            w.code(init);
        }
        Prim::StoreResult { part, kind } | Prim::LoadResult { part, kind } => {
            w.u(u64::from(*part));
            w.code(kind);
        }
        Prim::Duplicate { .. } => {}
        Prim::OffsetRef { amount } => {
            w.i(*amount);
        }
        Prim::IsInt => {}
        Prim::GetTag => {}
        Prim::PhysEqual { negated } => {
            w.bool(*negated);
        }
        Prim::MakeArray { kind, .. } => {
            w.code(kind);
        }
        Prim::ArrayLength { kind } => {
            w.code(kind);
        }
        Prim::ArrayLoad { kind } => {
            w.code(kind);
        }
        Prim::ArrayStore { kind } => {
            w.code(kind);
        }
        Prim::ArrayLoadBits { kind } | Prim::ArrayStoreBits { kind } => {
            w.code(kind);
        }
        Prim::CheckBound { width } => {
            w.u(u64::from(*width));
        }
        Prim::MakeBytes { words } => {
            w.u(u64::from(*words));
        }
        Prim::StringLength => {}
        Prim::StringLoad { string, width } => {
            w.code(string);
            w.code(width);
        }
        Prim::StringStore { string, width } => {
            w.code(string);
            w.code(width);
        }
        Prim::BigarrayDim { dim } => {
            w.u(u64::from(*dim));
        }
        Prim::BigarrayLoad { kind } => {
            w.code(kind);
        }
        Prim::BigarrayStore { kind } => {
            w.code(kind);
        }
        Prim::IntArith { op, kind } => {
            w.code(op);
            w.code(kind);
        }
        Prim::IntShift { op, kind } => {
            w.code(op);
            w.code(kind);
        }
        Prim::IntDiv { kind } => {
            w.code(kind);
        }
        Prim::IntMod { kind } => {
            w.code(kind);
        }
        Prim::CheckZero { kind, .. } => {
            w.code(kind);
        }
        Prim::IntCompare { op, kind } => {
            w.code(op);
            w.code(kind);
        }
        Prim::IntCompare3 { kind } => {
            w.code(kind);
        }
        Prim::ByteSwap { kind } | Prim::PopCount { kind } => {
            w.code(kind);
        }
        Prim::ByteSwap16 => {}
        Prim::FloatArith { op } => {
            w.code(op);
        }
        Prim::FloatNeg => {}
        Prim::FloatAbs => {}
        Prim::FloatCompare { op } => {
            w.code(op);
        }
        Prim::FloatCompare3 => {}
        Prim::Tag => {}
        Prim::Untag => {}
        Prim::Box(kind) => {
            w.code(kind);
        }
        Prim::Rebox(kind) => {
            w.code(kind);
        }
        Prim::Unbox(kind) => {
            w.code(kind);
        }
        Prim::NumConv { from, to } => {
            w.code(from);
            w.code(to);
        }
        Prim::ProfileCount { word } => {
            w.u(u64::from(*word));
        }
        Prim::Opaque => {}
        Prim::IntAsPointer => {}
        Prim::IsInstance => {}
        // s name, native representations *, native representation of the result, b no result, b alloc
        Prim::CCall(external) => {
            w.s(external.name.as_bytes());
            w.u(external.args.len() as u64);
            external.args.iter().for_each(|repr| w.code(repr));
            w.code(&external.result);
            w.bool(external.no_result);
            w.bool(external.alloc);
        }
        Prim::ProjectValueSlot { .. }
        | Prim::ProjectFunctionSlot { .. }
        | Prim::AllocDummyClosure { .. }
        | Prim::IsClosureOf { .. }
        | Prim::ExnState => unreachable!("{prim:?} is lowered before Cmm"),
    }
}
