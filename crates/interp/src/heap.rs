//! Values and the heap.

use std::fmt::Write;

use flambeau_ir::prim::BigarrayKind;
use flambeau_ir::{CodeId, FunctionSlot, Kind, ValueSlot};
use rustc_hash::FxHashMap;

use crate::Trap;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A tagged integer, or a naked one.
    Int(i64),
    /// The bits of a naked float.
    Float(u64),
    /// A naked int32.
    Int32(i32),
    /// A naked int64.
    Int64(i64),
    /// A naked nativeint: not an int64, lest a pass box it as one unseen.
    Nativeint(i64),
    /// An object; for a set of closures, the position of the closure in it.
    Pointer(usize, u32),
    /// An arbitrary value of its kind, which must not be inspected.
    Poison(Kind),
}

impl Value {
    /// `()`, `false`, `[]`…
    pub const UNIT: Value = Value::Int(0);

    /// Whether it is a poison.
    #[must_use]
    pub fn is_poison(self) -> bool {
        matches!(self, Value::Poison(_))
    }
}

/// The contents of an object.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A block of values.
    Block { tag: u8, fields: Vec<Value> },
    /// A flat record or array of floats, by their bits.
    Floats(Vec<u64>),
    /// A boxed number: the naked one.
    Boxed(Value),
    /// A string or bytes.
    Bytes(Vec<u8>),
    /// A bigarray and its contents, in the machine's byte order.
    Bigarray { kind: BigarrayKind, dims: Vec<i64>, data: Vec<u8> },
    /// A set of closures.
    Closures { functions: Vec<(FunctionSlot, CodeId)>, slots: FxHashMap<ValueSlot, Value> },
    /// A function that waits for more arguments.
    Partial { callee: Value, args: Vec<Value> },
    /// The address of something that another unit defines.
    Foreign(String),
}

/// An object of the heap, static data included.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its contents.
    pub shape: Shape,
    /// Whether `==` distinguishes the object from others with the same contents: it is mutable, or meant to be unique.
    /// Passes may merge several objects without identity, but never duplicate an object.
    pub identity: bool,
    /// The operation (by its location) that allocated it, and how many effects had happened before: a name that doesn't
    /// depend on the order of allocations, which may be changed.
    pub birth: (u32, usize),
}

/// The heap: objects are never freed.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    objects: Vec<Object>,
    /// The operation that allocates now.
    pub(crate) birth: (u32, usize),
    /// The numbers that objects with identity have in what is shown, in order of appearance.
    numbers: FxHashMap<usize, usize>,
    /// The objects with identity that have been shown, by number.
    shown: Vec<usize>,
    /// The objects without identity that the outside has seen, in order, each with the number of the event.
    pub(crate) seen: Vec<(usize, usize)>,
    /// The number of the event that is shown.
    pub(crate) event: usize,
    /// How many words were allocated.
    pub(crate) words: u64,
    /// Parts of results that are on their way. An allocation loses them, as the collector does.
    results: FxHashMap<u32, Value>,
}

/// How deep the structure of a value is shown, and in how many bytes.
const MAX_DEPTH: u32 = 6;
const MAX_TEXT: usize = 2000;

impl Heap {
    /// Stores a part of a result.
    pub fn set_result(&mut self, part: u32, value: Value) {
        self.results.insert(part, value);
    }

    /// A part of the result that was returned last, if nothing was allocated since.
    #[must_use]
    pub fn result(&self, part: u32) -> Option<Value> {
        self.results.get(&part).copied()
    }

    /// Allocates an object.
    pub fn alloc(&mut self, shape: Shape, identity: bool) -> Value {
        self.results.clear();
        self.words += 1 + match &shape {
            Shape::Block { fields, .. } => fields.len() as u64,
            Shape::Floats(elements) => elements.len() as u64,
            Shape::Bytes(bytes) => bytes.len() as u64 / 8 + 1,
            Shape::Closures { functions, slots } => (4 * functions.len() + slots.len()) as u64,
            Shape::Partial { args, .. } => 4 + args.len() as u64,
            Shape::Boxed(_) | Shape::Bigarray { .. } | Shape::Foreign(_) => 1,
        };
        self.objects.push(Object { shape, identity, birth: self.birth });
        Value::Pointer(self.objects.len() - 1, 0)
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The object that a pointer points to.
    ///
    /// # Errors
    /// When the value is a poison or no pointer.
    pub fn object(&self, value: Value) -> Result<&Object, Trap> {
        match value {
            Value::Pointer(object, _) => Ok(&self.objects[object]),
            Value::Poison(_) => Err(Trap::Poison),
            _ => Err(Trap::WrongShape),
        }
    }

    /// The contents of the object that a pointer points to.
    ///
    /// # Errors
    /// When the value is a poison or no pointer.
    pub fn get(&self, value: Value) -> Result<&Shape, Trap> {
        self.object(value).map(|object| &object.shape)
    }

    /// The contents of the object that a pointer points to, to be changed.
    ///
    /// # Errors
    /// When the value is a poison or no pointer.
    pub fn get_mut(&mut self, value: Value) -> Result<&mut Shape, Trap> {
        match value {
            Value::Pointer(object, _) => Ok(&mut self.objects[object].shape),
            Value::Poison(_) => Err(Trap::Poison),
            _ => Err(Trap::WrongShape),
        }
    }

    /// Overwrites a dummy: from then on it has an identity only if what it became has.
    pub(crate) fn become_copy(&mut self, dummy: Value, contents: Object) -> Result<(), Trap> {
        let Value::Pointer(object, _) = dummy else { return Err(Trap::WrongShape) };
        let birth = self.objects[object].birth;
        self.objects[object] = Object { birth, ..contents };
        Ok(())
    }

    /// The objects with identity that the outside has seen, the latest last.
    pub(crate) fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// The structure of a value, without addresses: what external functions may find out. Objects with identity have
    /// numbers, so that it is visible when one is replaced by a copy; code is not shown, because passes change it.
    ///
    /// # Errors
    /// When the value is a poison, or contains one.
    pub fn show(&mut self, value: Value) -> Result<String, Trap> {
        let mut out = String::new();
        self.write(&mut out, value, MAX_DEPTH)?;
        Ok(out)
    }

    fn write(&mut self, out: &mut String, value: Value, depth: u32) -> Result<(), Trap> {
        let _ = match value {
            Value::Int(n) => write!(out, "{n}"),
            Value::Float(bits) => write_float(out, bits),
            Value::Int32(n) => write!(out, "{n}l"),
            Value::Int64(n) => write!(out, "{n}L"),
            Value::Nativeint(n) => write!(out, "{n}n"),
            Value::Poison(_) => return Err(Trap::Poison),
            Value::Pointer(..) if depth == 0 || out.len() > MAX_TEXT => write!(out, "…"),
            Value::Pointer(object, _) => return self.write_object(out, object, depth - 1),
        };
        Ok(())
    }

    fn write_object(&mut self, out: &mut String, index: usize, depth: u32) -> Result<(), Trap> {
        // An object that another unit defines has a name.
        let object = &self.objects[index];
        if object.identity && !matches!(object.shape, Shape::Foreign(_)) {
            let next = self.shown.len();
            let number = *self.numbers.entry(index).or_insert(next);
            if number == next {
                self.shown.push(index);
            }
            let _ = write!(out, "@{number}");
        } else if matches!(object.shape, Shape::Block { .. } | Shape::Floats(_) | Shape::Boxed(_)) {
            self.seen.push((self.event, index));
        }
        let fields = match &self.objects[index].shape {
            Shape::Block { tag, fields } => {
                let _ = write!(out, "[{tag}:");
                fields.clone()
            }
            Shape::Floats(elements) => {
                out.push_str("[|");
                for bits in elements {
                    out.push(' ');
                    let _ = write_float(out, *bits);
                }
                out.push_str(" |]");
                return Ok(());
            }
            Shape::Boxed(contents) => {
                out.push_str("box ");
                let contents = *contents;
                return self.write(out, contents, depth);
            }
            Shape::Bytes(bytes) => {
                let _ = write!(out, "\"{}\"", bytes.escape_ascii());
                return Ok(());
            }
            Shape::Bigarray { kind, dims, data } => {
                let _ = write!(out, "{kind:?}{dims:?} {data:x?}");
                return Ok(());
            }
            Shape::Closures { .. } | Shape::Partial { .. } => {
                out.push_str("<fun>");
                return Ok(());
            }
            Shape::Foreign(name) => {
                let _ = write!(out, "&{name}");
                return Ok(());
            }
        };
        for field in fields {
            out.push(' ');
            self.write(out, field, depth)?;
        }
        out.push(']');
        Ok(())
    }
}

/// Writes a float: by its bits where the text would hide them.
fn write_float(out: &mut String, bits: u64) -> std::fmt::Result {
    let x = f64::from_bits(bits);
    if x.is_nan() { write!(out, "nan:{bits:x}f") } else { write!(out, "{x:?}f") }
}
