//! Values and the heap.

use std::fmt::Write;

use flambeau_ir::{CodeId, FunctionSlot, Kind, ValueSlot};
use rustc_hash::FxHashMap;

use crate::Trap;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// A tagged integer, or a naked one.
    Int(i64),
    /// The bits of a naked float.
    Float(u64),
    /// A naked int32.
    Int32(i32),
    /// A naked int64 or nativeint.
    Int64(i64),
    /// An object; for a set of closures, the position of the closure in it.
    Pointer(usize, u32),
    /// Not to be looked at.
    Poison(Kind),
}

/// An object of the heap, static data included.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    Block {
        tag: u8,
        fields: Vec<Value>,
    },
    Floats(Vec<u64>),
    Boxed(Value),
    Bytes(Vec<u8>),
    Closures {
        functions: Vec<(FunctionSlot, CodeId)>,
        slots: FxHashMap<ValueSlot, Value>,
    },
    /// The address of something that another unit defines.
    Foreign(String),
}

/// The heap: objects are never freed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    pub objects: Vec<Object>,
}

/// How deep the structure of a value is told.
const MAX_DEPTH: u32 = 6;

impl Heap {
    pub fn alloc(&mut self, object: Object) -> Value {
        self.objects.push(object);
        Value::Pointer(self.objects.len() - 1, 0)
    }

    pub fn get(&self, value: Value) -> Result<&Object, Trap> {
        match value {
            Value::Pointer(object, _) => Ok(&self.objects[object]),
            Value::Poison(_) => Err(Trap::Poison),
            _ => Err(Trap::WrongShape),
        }
    }

    pub fn get_mut(&mut self, value: Value) -> Result<&mut Object, Trap> {
        match value {
            Value::Pointer(object, _) => Ok(&mut self.objects[object]),
            Value::Poison(_) => Err(Trap::Poison),
            _ => Err(Trap::WrongShape),
        }
    }

    /// The structure of a value, without addresses. Code is not told: passes change it.
    pub fn show(&self, value: Value) -> String {
        let mut out = String::new();
        self.write(&mut out, value, MAX_DEPTH);
        out
    }

    fn write(&self, out: &mut String, value: Value, depth: u32) {
        let _ = match value {
            Value::Int(n) => write!(out, "{n}"),
            Value::Float(bits) => write!(out, "{bits:#x}f"),
            Value::Int32(n) => write!(out, "{n}l"),
            Value::Int64(n) => write!(out, "{n}L"),
            Value::Poison(_) => write!(out, "?"),
            Value::Pointer(..) if depth == 0 => write!(out, "…"),
            Value::Pointer(object, _) => {
                self.write_object(out, &self.objects[object], depth);
                Ok(())
            }
        };
    }

    fn write_object(&self, out: &mut String, object: &Object, depth: u32) {
        let _ = match object {
            Object::Block { tag, fields } => {
                let _ = write!(out, "[{tag}:");
                for field in fields {
                    out.push(' ');
                    self.write(out, *field, depth - 1);
                }
                write!(out, "]")
            }
            Object::Floats(elements) => write!(out, "{elements:x?}"),
            Object::Boxed(contents) => {
                out.push_str("box ");
                self.write(out, *contents, depth);
                Ok(())
            }
            Object::Bytes(bytes) => write!(out, "{:?}", String::from_utf8_lossy(bytes)),
            Object::Closures { .. } => write!(out, "<fun>"),
            Object::Foreign(name) => write!(out, "&{name}"),
        };
    }
}
