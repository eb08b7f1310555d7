//! Primitives that neither raise nor call.

use flambeau_ir::prim::{ArrayKind, StringKind, Width};
use flambeau_ir::{BoxedKind, IntKind, Prim};

use crate::Trap;
use crate::arith::{self, float, integer};
use crate::heap::{Heap, Object, Value};

type Result<T> = std::result::Result<T, Trap>;

/// The element at an index that a check should have allowed.
fn at<T: Copy>(elements: &[T], index: i64) -> Result<T> {
    usize::try_from(index).ok().and_then(|i| elements.get(i)).copied().ok_or(Trap::OutOfBounds)
}

fn at_mut<T>(elements: &mut [T], index: i64) -> Result<&mut T> {
    usize::try_from(index).ok().and_then(|i| elements.get_mut(i)).ok_or(Trap::OutOfBounds)
}

fn truth(b: bool) -> Value {
    Value::Int(i64::from(b))
}

fn index(value: Value) -> Result<i64> {
    integer(IntKind::Tagged, value)
}

fn floats(args: &[Value]) -> Result<Vec<u64>> {
    args.iter().map(|arg| float(*arg).map(f64::to_bits)).collect()
}

/// Evaluates a primitive.
///
/// # Errors
/// Undefined behaviour.
pub(crate) fn evaluate(heap: &mut Heap, prim: &Prim, args: &[Value]) -> Result<Value> {
    let unit = Value::Int(0);
    Ok(match (prim, args) {
        (Prim::MakeBlock { tag, .. }, fields) => {
            heap.alloc(Object::Block { tag: *tag, fields: fields.to_vec() })
        }
        (Prim::MakeFloatBlock { .. } | Prim::MakeArray { kind: ArrayKind::Float, .. }, fields) => {
            let elements = floats(fields)?;
            heap.alloc(Object::Floats(elements))
        }
        (Prim::MakeArray { kind: ArrayKind::Generic, .. }, elements) => make_generic_array(heap, elements)?,
        (Prim::MakeArray { .. }, elements) => heap.alloc(Object::Block { tag: 0, fields: elements.to_vec() }),
        (Prim::BlockLoad { field, .. }, [block]) => load(heap, *block, i64::from(*field))?,
        (Prim::BlockLoadFloat { field, .. }, [block]) => load_float(heap, *block, i64::from(*field))?,
        (Prim::BlockStore { field, .. }, [block, value]) => {
            store(heap, *block, i64::from(*field), *value)?;
            unit
        }
        (Prim::BlockStoreFloat { field, .. }, [block, value]) => {
            store_float(heap, *block, i64::from(*field), *value)?;
            unit
        }
        (Prim::BlockLoadComputed, [block, i]) => load(heap, *block, index(*i)?)?,
        (Prim::BlockStoreComputed { .. }, [block, i, value]) => {
            store(heap, *block, index(*i)?, *value)?;
            unit
        }
        (Prim::Duplicate { .. }, [block]) => {
            let copy = heap.get(*block)?.clone();
            heap.alloc(copy)
        }
        (Prim::OffsetRef { amount }, [block]) => {
            let before = index(load(heap, *block, 0)?)?;
            store(heap, *block, 0, Value::Int(arith::wrap63(before.wrapping_add(*amount))))?;
            unit
        }
        (Prim::IsInt, [value]) => match value {
            Value::Poison(_) => return Err(Trap::Poison),
            value => truth(matches!(value, Value::Int(_))),
        },
        (Prim::GetTag, [block]) => Value::Int(tag(heap.get(*block)?)),
        (Prim::PhysEqual { negated }, [a, b]) => {
            if matches!(a, Value::Poison(_)) || matches!(b, Value::Poison(_)) {
                return Err(Trap::Poison);
            }
            truth((a == b) != *negated)
        }
        (Prim::ArrayLength { .. }, [array]) => Value::Int(match heap.get(*array)? {
            Object::Block { fields, .. } => fields.len() as i64,
            Object::Floats(elements) => elements.len() as i64,
            _ => return Err(Trap::WrongShape),
        }),
        (Prim::ArrayLoad { kind: ArrayKind::Float }, [array, i]) => load_float(heap, *array, index(*i)?)?,
        (Prim::ArrayLoad { kind }, [array, i]) => load_element(heap, *kind, *array, index(*i)?)?,
        (Prim::ArrayStore { kind: ArrayKind::Float }, [array, i, element]) => {
            store_float(heap, *array, index(*i)?, *element)?;
            unit
        }
        (Prim::ArrayStore { kind }, [array, i, element]) => {
            store_element(heap, *kind, *array, index(*i)?, *element)?;
            unit
        }
        (Prim::StringLength, [string]) => Value::Int(bytes(heap, *string)?.len() as i64),
        (Prim::StringLoad { string: StringKind::String | StringKind::Bytes, width }, [string, i]) => {
            load_bytes(bytes(heap, *string)?, *width, index(*i)?)?
        }
        (Prim::StringStore { string: StringKind::String | StringKind::Bytes, width }, [string, i, value]) => {
            store_bytes(heap, *string, *width, index(*i)?, *value)?;
            unit
        }
        (Prim::IntArith { op, kind }, [a, b]) => arith::arith(*op, *kind, *a, *b)?,
        (Prim::IntShift { op, kind }, [a, amount]) => arith::shift(*op, *kind, *a, *amount)?,
        (Prim::IntDiv { kind }, [a, b]) => arith::divide(true, *kind, *a, *b)?,
        (Prim::IntMod { kind }, [a, b]) => arith::divide(false, *kind, *a, *b)?,
        (Prim::IntCompare { op, kind }, [a, b]) => {
            truth(arith::compare(*op, integer(*kind, *a)?, integer(*kind, *b)?))
        }
        (Prim::IntCompare3 { kind }, [a, b]) => arith::sign(integer(*kind, *a)?.cmp(&integer(*kind, *b)?)),
        (Prim::ByteSwap { kind }, [a]) => {
            let n = integer(*kind, *a)?;
            arith::make(
                *kind,
                if *kind == IntKind::Int32 { i64::from((n as i32).swap_bytes()) } else { n.swap_bytes() },
            )
        }
        (Prim::ByteSwap16, [a]) => Value::Int(i64::from((integer(IntKind::Naked, *a)? as u16).swap_bytes())),
        (Prim::FloatArith { op }, [a, b]) => arith::float_arith(*op, float(*a)?, float(*b)?),
        (Prim::FloatNeg, [a]) => Value::Float((-float(*a)?).to_bits()),
        (Prim::FloatAbs, [a]) => Value::Float(float(*a)?.abs().to_bits()),
        (Prim::FloatCompare { op }, [a, b]) => truth(arith::float_compare(*op, float(*a)?, float(*b)?)),
        (Prim::FloatCompare3, [a, b]) => arith::float_compare3(float(*a)?, float(*b)?),
        (Prim::Tag | Prim::Untag, [a]) => Value::Int(integer(IntKind::Naked, *a)?),
        (Prim::Box(_), [contents]) => heap.alloc(Object::Boxed(*contents)),
        (Prim::Unbox(kind), [boxed]) => unbox(heap, *kind, *boxed)?,
        (Prim::NumConv { from, to }, [a]) => arith::convert(*from, *to, *a)?,
        (Prim::ProjectValueSlot { value, .. }, [closure]) => match heap.get(*closure)? {
            Object::Closures { slots, .. } => slots.get(value).copied().ok_or(Trap::OutOfBounds)?,
            _ => return Err(Trap::WrongShape),
        },
        (Prim::ProjectFunctionSlot { to, .. }, [closure]) => {
            let Object::Closures { functions, .. } = heap.get(*closure)? else {
                return Err(Trap::WrongShape);
            };
            let position = functions.iter().position(|(slot, _)| slot == to).ok_or(Trap::OutOfBounds)?;
            match closure {
                Value::Pointer(object, _) => Value::Pointer(*object, position as u32),
                _ => return Err(Trap::WrongShape),
            }
        }
        (Prim::Opaque | Prim::IntAsPointer, [a]) => *a,
        (Prim::AllocDummyClosure { .. }, []) => heap.alloc(Object::Block { tag: 0, fields: Vec::new() }),
        _ => return Err(Trap::WrongShape),
    })
}

fn tag(object: &Object) -> i64 {
    match object {
        Object::Block { tag, .. } => i64::from(*tag),
        Object::Floats(_) => 254,
        Object::Boxed(Value::Float(_)) => 253,
        Object::Boxed(_) => 255,
        Object::Bytes(_) => 252,
        Object::Closures { .. } => 247,
        Object::Foreign(_) => 0,
    }
}

/// Flat if the first element is a boxed float.
fn make_generic_array(heap: &mut Heap, elements: &[Value]) -> Result<Value> {
    let is_float = |heap: &Heap, value: Value| matches!(heap.get(value), Ok(Object::Boxed(Value::Float(_))));
    if elements.first().is_some_and(|first| is_float(heap, *first)) {
        let contents = elements
            .iter()
            .map(|element| match unbox(heap, BoxedKind::Float, *element)? {
                Value::Float(bits) => Ok(bits),
                _ => Err(Trap::WrongShape),
            })
            .collect::<Result<_>>()?;
        return Ok(heap.alloc(Object::Floats(contents)));
    }
    Ok(heap.alloc(Object::Block { tag: 0, fields: elements.to_vec() }))
}

fn load(heap: &Heap, block: Value, field: i64) -> Result<Value> {
    match heap.get(block)? {
        Object::Block { fields, .. } => at(fields, field),
        _ => Err(Trap::WrongShape),
    }
}

fn load_float(heap: &Heap, block: Value, field: i64) -> Result<Value> {
    match heap.get(block)? {
        Object::Floats(elements) => at(elements, field).map(Value::Float),
        _ => Err(Trap::WrongShape),
    }
}

fn store(heap: &mut Heap, block: Value, field: i64, value: Value) -> Result<()> {
    match heap.get_mut(block)? {
        Object::Block { fields, .. } => *at_mut(fields, field)? = value,
        _ => return Err(Trap::WrongShape),
    }
    Ok(())
}

fn store_float(heap: &mut Heap, block: Value, field: i64, value: Value) -> Result<()> {
    let bits = float(value)?.to_bits();
    match heap.get_mut(block)? {
        Object::Floats(elements) => *at_mut(elements, field)? = bits,
        _ => return Err(Trap::WrongShape),
    }
    Ok(())
}

fn load_element(heap: &mut Heap, kind: ArrayKind, array: Value, index: i64) -> Result<Value> {
    match heap.get(array)? {
        Object::Block { fields, .. } => at(fields, index),
        Object::Floats(elements) if kind == ArrayKind::Generic => {
            let bits = at(elements, index)?;
            Ok(heap.alloc(Object::Boxed(Value::Float(bits))))
        }
        _ => Err(Trap::WrongShape),
    }
}

fn store_element(heap: &mut Heap, kind: ArrayKind, array: Value, index: i64, element: Value) -> Result<()> {
    if kind == ArrayKind::Generic && matches!(heap.get(array)?, Object::Floats(_)) {
        let contents = unbox(heap, BoxedKind::Float, element)?;
        return store_float(heap, array, index, contents);
    }
    store(heap, array, index, element)
}

fn unbox(heap: &Heap, kind: BoxedKind, boxed: Value) -> Result<Value> {
    match (heap.get(boxed)?, kind) {
        (Object::Boxed(Value::Float(bits)), BoxedKind::Float) => Ok(Value::Float(*bits)),
        (Object::Boxed(Value::Int32(n)), BoxedKind::Int32) => Ok(Value::Int32(*n)),
        (Object::Boxed(Value::Int64(n)), BoxedKind::Int64 | BoxedKind::Nativeint) => Ok(Value::Int64(*n)),
        (Object::Boxed(Value::Poison(_)), _) => Err(Trap::Poison),
        _ => Err(Trap::WrongShape),
    }
}

fn bytes(heap: &Heap, string: Value) -> Result<&[u8]> {
    match heap.get(string)? {
        Object::Bytes(bytes) => Ok(bytes),
        _ => Err(Trap::WrongShape),
    }
}

/// The bytes of an access.
fn span(length: usize, width: Width, index: i64) -> Result<std::ops::Range<usize>> {
    let from = usize::try_from(index).map_err(|_| Trap::OutOfBounds)?;
    let to = from.checked_add(width.bytes() as usize).filter(|to| *to <= length);
    to.map(|to| from..to).ok_or(Trap::OutOfBounds)
}

fn load_bytes(bytes: &[u8], width: Width, index: i64) -> Result<Value> {
    let mut word = [0; 8];
    let range = span(bytes.len(), width, index)?;
    word[..range.len()].copy_from_slice(&bytes[range]);
    let word = i64::from_le_bytes(word);
    Ok(match width {
        Width::W8 | Width::W16 => Value::Int(word),
        Width::W32 => Value::Int32(word as i32),
        Width::W64 => Value::Int64(word),
    })
}

fn store_bytes(heap: &mut Heap, string: Value, width: Width, index: i64, value: Value) -> Result<()> {
    let word = match value {
        Value::Int(n) | Value::Int64(n) => n,
        Value::Int32(n) => i64::from(n),
        Value::Poison(_) => return Err(Trap::Poison),
        _ => return Err(Trap::WrongShape),
    };
    let Object::Bytes(bytes) = heap.get_mut(string)? else { return Err(Trap::WrongShape) };
    let range = span(bytes.len(), width, index)?;
    let length = range.len();
    bytes[range].copy_from_slice(&word.to_le_bytes()[..length]);
    Ok(())
}
