//! Encoding Cmm for the OCaml side. This file is the reference of the format; the notation is that of
//! `docs/formats.md`.
//!
//! The Cmm part of a reply is: `s*` names of variables, `s*` linker's names, `u` number of labels, places in
//! inlined functions and in other units `place*`, whose numbers follow those of the request's locations, data items
//! `(b exported, item)*`, functions `*`, then the entry's body. Variables, names and labels
//! elsewhere are indices (`u`).
//!
//! A body is `u` number of expressions, then the expressions in postfix: operands pushed left to right
//! before their parent. `dbg` is a location number.

use flambeau_ir::kind::{BoxedKind, IntKind, Kind};
use flambeau_ir::prim::*;
use flambeau_ir::term::RaiseKind;

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

/// A place: 0, `u` call, `u` place in the callee; or 1, `s` file, `s` scope, and the six numbers of a location.
fn place(w: &mut Writer, place: &Place) {
    match place {
        Place::Inlined(place) => {
            w.byte(0);
            w.u(u64::from(place.call.0));
            w.u(u64::from(place.inner.0));
        }
        Place::Foreign(loc) => {
            w.byte(1);
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
        w.byte(*ty as u8);
    }
}

fn data(w: &mut Writer, item: &Data) {
    let name = |w: &mut Writer, n: Name| w.u(u64::from(n.0));
    match item {
        Data::Block { symbol, tag, fields } => {
            w.byte(0);
            name(w, *symbol);
            w.byte(*tag);
            data_fields(w, fields);
        }
        Data::Float { symbol, bits } => {
            w.byte(1);
            name(w, *symbol);
            w.f(*bits);
        }
        Data::Int32 { symbol, value } => {
            w.byte(2);
            name(w, *symbol);
            w.i(i64::from(*value));
        }
        Data::Int64 { symbol, value } => {
            w.byte(3);
            name(w, *symbol);
            w.i(*value);
        }
        Data::Nativeint { symbol, value } => {
            w.byte(4);
            name(w, *symbol);
            w.i(*value);
        }
        Data::String { symbol, contents } => {
            w.byte(5);
            name(w, *symbol);
            w.s(contents);
        }
        Data::FloatArray { symbol, elements } => {
            w.byte(6);
            name(w, *symbol);
            w.u(elements.len() as u64);
            elements.iter().for_each(|bits| w.f(*bits));
        }
        Data::Closures { symbols, functions, values } => {
            w.byte(7);
            w.u(symbols.len() as u64);
            symbols.iter().for_each(|s| name(w, *s));
            closure_entries(w, functions);
            data_fields(w, values);
        }
        Data::Preallocated { symbol, tag, size } => {
            w.byte(8);
            name(w, *symbol);
            w.byte(*tag);
            w.u(u64::from(*size));
        }
    }
}

/// `(0, u name | 1, i word)*`
fn data_fields(w: &mut Writer, fields: &[DataField]) {
    w.u(fields.len() as u64);
    for field in fields {
        match field {
            DataField::Symbol(name) => {
                w.byte(0);
                w.u(u64::from(name.0));
            }
            DataField::Word(word) => {
                w.byte(1);
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

/// Writes a body in postfix, without recursion.
fn body(w: &mut Writer, tree: &Tree, root: ExprId) {
    // Collected in reverse postfix (parent, then operands right to left), then written backwards.
    let mut order = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        order.push(id);
        operands(&tree.exprs[id.0 as usize], &mut stack);
    }
    w.u(order.len() as u64);
    for id in order.iter().rev() {
        expr(w, &tree.exprs[id.0 as usize]);
    }
}

/// Pushes the operands, left to right.
fn operands(expr: &Expr, out: &mut Vec<ExprId>) {
    match expr {
        Expr::Int(_) | Expr::Float(_) | Expr::Symbol(_) | Expr::Var(_) | Expr::Unreachable => {}
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
        Expr::Closures { values, .. } => out.extend(values),
        Expr::Offset { pointer, .. } | Expr::SlotLoad { pointer, .. } => out.push(*pointer),
    }
}

fn expr(w: &mut Writer, expr: &Expr) {
    let count = |w: &mut Writer, n: usize| w.u(n as u64);
    match expr {
        Expr::Int(n) => {
            w.byte(0);
            w.i(*n);
        }
        Expr::Float(bits) => {
            w.byte(1);
            w.f(*bits);
        }
        Expr::Symbol(name) => {
            w.byte(2);
            w.u(u64::from(name.0));
        }
        Expr::Var(var) => {
            w.byte(3);
            w.u(u64::from(var.0));
        }
        Expr::Let { var, .. } => {
            w.byte(4);
            w.u(u64::from(var.0));
        }
        Expr::LetMut { var, ty, .. } => {
            w.byte(5);
            w.u(u64::from(var.0));
            w.byte(*ty as u8);
        }
        Expr::Assign { var, .. } => {
            w.byte(6);
            w.u(u64::from(var.0));
        }
        Expr::Seq(..) => w.byte(7),
        Expr::If { dbg, .. } => {
            w.byte(8);
            w.u(u64::from(dbg.0));
        }
        // keys (i key, u arm)*, u number of arms, b default
        Expr::Switch { keys, arms, default, dbg, .. } => {
            w.byte(9);
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
            w.byte(10);
            w.u(u64::from(dbg.0));
            count(w, keys.len());
            keys.iter().for_each(|key| w.s(key));
            w.bool(default.is_some());
        }
        // operands: body, then the handlers' bodies
        Expr::Catch { recursive, handlers, .. } => {
            w.byte(11);
            w.bool(*recursive);
            count(w, handlers.len());
            for handler in handlers {
                w.u(u64::from(handler.label.0));
                params(w, &handler.params);
            }
        }
        Expr::Exit { label, args } => {
            w.byte(12);
            w.u(u64::from(label.0));
            count(w, args.len());
        }
        Expr::Try { var, dbg, .. } => {
            w.byte(13);
            w.u(u64::from(dbg.0));
            w.u(u64::from(var.0));
        }
        Expr::Prim { prim, args, dbg } => {
            w.byte(14);
            w.u(u64::from(dbg.0));
            count(w, args.len());
            primitive(w, prim);
        }
        Expr::DirectCall { code, args, result, dbg } => {
            w.byte(15);
            w.u(u64::from(dbg.0));
            w.u(u64::from(code.0));
            w.byte(*result as u8);
            count(w, args.len());
        }
        Expr::GenericCall { args, dbg, .. } => {
            w.byte(16);
            w.u(u64::from(dbg.0));
            count(w, args.len());
        }
        Expr::Send { kind, args, dbg, .. } => {
            w.byte(17);
            w.u(u64::from(dbg.0));
            w.byte(*kind as u8);
            count(w, args.len());
        }
        // 0 regular, 1 reraise, 2 notrace
        Expr::Raise { kind, dbg, .. } => {
            w.byte(18);
            w.u(u64::from(dbg.0));
            w.byte(match kind {
                RaiseKind::Regular => 0,
                RaiseKind::Reraise => 1,
                RaiseKind::NoTrace => 2,
            });
        }
        Expr::Closures { functions, values, dbg } => {
            w.byte(19);
            w.u(u64::from(dbg.0));
            closure_entries(w, functions);
            count(w, values.len());
        }
        Expr::Offset { words, .. } => {
            w.byte(20);
            w.i(i64::from(*words));
        }
        Expr::SlotLoad { words, .. } => {
            w.byte(21);
            w.i(i64::from(*words));
        }
        Expr::Unreachable => w.byte(22),
    }
}

/// An opcode and its data. Immutable 0, mutable 1 (unknown is mutable, unique is immutable).
fn primitive(w: &mut Writer, prim: &Prim) {
    match prim {
        Prim::MakeBlock { tag, .. } => {
            w.byte(0);
            w.byte(*tag);
        }
        Prim::MakeFloatBlock { .. } => w.byte(1),
        Prim::BlockLoad { field, mutability } => {
            w.byte(2);
            w.u(u64::from(*field));
            w.byte(mutability_code(*mutability));
        }
        Prim::BlockLoadFloat { field, .. } => {
            w.byte(3);
            w.u(u64::from(*field));
        }
        Prim::BlockStore { field, pointer, init } => {
            w.byte(4);
            w.u(u64::from(*field));
            w.bool(*pointer);
            w.byte(init_code(*init));
        }
        Prim::BlockStoreFloat { field, init } => {
            w.byte(5);
            w.u(u64::from(*field));
            w.byte(init_code(*init));
        }
        Prim::BlockLoadComputed => w.byte(6),
        Prim::BlockStoreComputed { pointer, init } => {
            w.byte(7);
            w.bool(*pointer);
            w.byte(init_code(*init));
        }
        Prim::Duplicate { .. } => w.byte(8),
        Prim::OffsetRef { amount } => {
            w.byte(9);
            w.i(*amount);
        }
        Prim::IsInt => w.byte(10),
        Prim::GetTag => w.byte(11),
        Prim::PhysEqual { negated } => {
            w.byte(12);
            w.bool(*negated);
        }
        Prim::MakeArray { kind, .. } => {
            w.byte(13);
            w.byte(array_code(*kind));
        }
        Prim::ArrayLength { kind } => {
            w.byte(14);
            w.byte(array_code(*kind));
        }
        Prim::ArrayLoad { kind } => {
            w.byte(15);
            w.byte(array_code(*kind));
        }
        Prim::ArrayStore { kind } => {
            w.byte(16);
            w.byte(array_code(*kind));
        }
        Prim::CheckBound { width } => {
            w.byte(17);
            w.u(u64::from(*width));
        }
        Prim::StringLength => w.byte(18),
        Prim::StringLoad { string, width } => {
            w.byte(19);
            w.byte(string_code(*string));
            w.byte(width_code(*width));
        }
        Prim::StringStore { string, width } => {
            w.byte(20);
            w.byte(string_code(*string));
            w.byte(width_code(*width));
        }
        Prim::BigarrayDim { dim } => {
            w.byte(21);
            w.u(u64::from(*dim));
        }
        Prim::BigarrayLoad { kind } => {
            w.byte(22);
            w.byte(bigarray_code(*kind));
        }
        Prim::BigarrayStore { kind } => {
            w.byte(23);
            w.byte(bigarray_code(*kind));
        }
        Prim::IntArith { op, kind } => {
            w.byte(24);
            w.byte(match op {
                IntOp::Add => 0,
                IntOp::Sub => 1,
                IntOp::Mul => 2,
                IntOp::And => 3,
                IntOp::Or => 4,
                IntOp::Xor => 5,
            });
            w.byte(int_kind_code(*kind));
        }
        Prim::IntShift { op, kind } => {
            w.byte(25);
            w.byte(match op {
                ShiftOp::Lsl => 0,
                ShiftOp::Lsr => 1,
                ShiftOp::Asr => 2,
            });
            w.byte(int_kind_code(*kind));
        }
        Prim::IntDiv { kind } => {
            w.byte(26);
            w.byte(int_kind_code(*kind));
        }
        Prim::IntMod { kind } => {
            w.byte(27);
            w.byte(int_kind_code(*kind));
        }
        Prim::CheckZero { kind, .. } => {
            w.byte(28);
            w.byte(int_kind_code(*kind));
        }
        Prim::IntCompare { op, kind } => {
            w.byte(29);
            w.byte(match op {
                IntCmp::Eq => 0,
                IntCmp::Ne => 1,
                IntCmp::Lt => 2,
                IntCmp::Gt => 3,
                IntCmp::Le => 4,
                IntCmp::Ge => 5,
                IntCmp::UnsignedLt => 6,
            });
            w.byte(int_kind_code(*kind));
        }
        Prim::IntCompare3 { kind } => {
            w.byte(30);
            w.byte(int_kind_code(*kind));
        }
        Prim::ByteSwap { kind } => {
            w.byte(31);
            w.byte(int_kind_code(*kind));
        }
        Prim::ByteSwap16 => w.byte(32),
        Prim::FloatArith { op } => {
            w.byte(33);
            w.byte(match op {
                FloatOp::Add => 0,
                FloatOp::Sub => 1,
                FloatOp::Mul => 2,
                FloatOp::Div => 3,
            });
        }
        Prim::FloatNeg => w.byte(34),
        Prim::FloatAbs => w.byte(35),
        Prim::FloatCompare { op } => {
            w.byte(36);
            w.byte(match op {
                FloatCmp::Eq => 0,
                FloatCmp::Ne => 1,
                FloatCmp::Lt => 2,
                FloatCmp::NotLt => 3,
                FloatCmp::Gt => 4,
                FloatCmp::NotGt => 5,
                FloatCmp::Le => 6,
                FloatCmp::NotLe => 7,
                FloatCmp::Ge => 8,
                FloatCmp::NotGe => 9,
            });
        }
        Prim::FloatCompare3 => w.byte(37),
        Prim::Tag => w.byte(38),
        Prim::Untag => w.byte(39),
        Prim::Box(kind) => {
            w.byte(40);
            w.byte(boxed_code(*kind));
        }
        Prim::Unbox(kind) => {
            w.byte(41);
            w.byte(boxed_code(*kind));
        }
        Prim::NumConv { from, to } => {
            w.byte(42);
            w.byte(kind_code(*from));
            w.byte(kind_code(*to));
        }
        Prim::Opaque => w.byte(43),
        Prim::IntAsPointer => w.byte(44),
        // s name, native representations *, native representation of the result, b no result, b alloc
        Prim::CCall(external) => {
            w.byte(45);
            w.s(external.name.as_bytes());
            w.u(external.args.len() as u64);
            external.args.iter().for_each(|repr| w.byte(native_code(*repr)));
            w.byte(native_code(external.result));
            w.bool(external.no_result);
            w.bool(external.alloc);
        }
        Prim::ProjectValueSlot { .. }
        | Prim::ProjectFunctionSlot { .. }
        | Prim::AllocDummyClosure { .. }
        | Prim::ExnState => unreachable!("{prim:?} is lowered before Cmm"),
    }
}

fn bigarray_code(kind: BigarrayKind) -> u8 {
    match kind {
        BigarrayKind::Float32 => 1,
        BigarrayKind::Float64 => 2,
        BigarrayKind::Sint8 => 3,
        BigarrayKind::Uint8 => 4,
        BigarrayKind::Sint16 => 5,
        BigarrayKind::Uint16 => 6,
        BigarrayKind::Int32 => 7,
        BigarrayKind::Int64 => 8,
        BigarrayKind::CamlInt => 9,
        BigarrayKind::NativeInt => 10,
        BigarrayKind::Complex32 => 11,
        BigarrayKind::Complex64 => 12,
    }
}

fn mutability_code(mutability: Mutability) -> u8 {
    match mutability {
        Mutability::Immutable | Mutability::ImmutableUnique => 0,
        Mutability::Mutable | Mutability::Unknown => 1,
    }
}

/// Assignment 0, heap 1, root 2.
fn init_code(init: Init) -> u8 {
    match init {
        Init::Assignment => 0,
        Init::Heap => 1,
        Init::Root => 2,
    }
}

/// Generic 0, addr 1, int 2, float 3.
fn array_code(kind: ArrayKind) -> u8 {
    match kind {
        ArrayKind::Generic => 0,
        ArrayKind::Addr | ArrayKind::Rows => 1,
        ArrayKind::Int => 2,
        ArrayKind::Float => 3,
    }
}

/// String 0, bytes 1, bigstring 2.
fn string_code(string: StringKind) -> u8 {
    match string {
        StringKind::String => 0,
        StringKind::Bytes => 1,
        StringKind::Bigstring => 2,
    }
}

/// 8 bits 0, 16 bits 1, 32 bits 2, 64 bits 3.
fn width_code(width: Width) -> u8 {
    match width {
        Width::W8 => 0,
        Width::W16 => 1,
        Width::W32 => 2,
        Width::W64 => 3,
    }
}

/// Tagged 0, naked immediate 1, int32 2, int64 3, nativeint 4.
fn int_kind_code(kind: IntKind) -> u8 {
    match kind {
        IntKind::Tagged => 0,
        IntKind::Naked => 1,
        IntKind::Int32 => 2,
        IntKind::Int64 => 3,
        IntKind::Nativeint => 4,
    }
}

/// Float 0, int32 1, int64 2, nativeint 3.
fn boxed_code(kind: BoxedKind) -> u8 {
    match kind {
        BoxedKind::Float => 0,
        BoxedKind::Int32 => 1,
        BoxedKind::Int64 => 2,
        BoxedKind::Nativeint => 3,
    }
}

/// Value 0, naked immediate 1, float 2, int32 3, int64 4, nativeint 5.
fn kind_code(kind: Kind) -> u8 {
    match kind {
        Kind::Value => 0,
        Kind::NakedImmediate => 1,
        Kind::NakedFloat => 2,
        Kind::NakedInt32 => 3,
        Kind::NakedInt64 => 4,
        Kind::NakedNativeint => 5,
    }
}

/// Value 0, float 1, int32 2, int64 3, nativeint 4, untagged 5.
fn native_code(repr: NativeRepr) -> u8 {
    match repr {
        NativeRepr::Value => 0,
        NativeRepr::Unboxed(BoxedKind::Float) => 1,
        NativeRepr::Unboxed(BoxedKind::Int32) => 2,
        NativeRepr::Unboxed(BoxedKind::Int64) => 3,
        NativeRepr::Unboxed(BoxedKind::Nativeint) => 4,
        NativeRepr::Untagged => 5,
    }
}
