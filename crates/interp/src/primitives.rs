//! What primitives do to values and the heap. Calls and `exn_state` are `world.rs`'s.

use std::borrow::Cow;

use flambeau_ir::prim::{ArrayKind, IntCmp, Mutability, StringKind, loaded_from};
use flambeau_ir::{BoxedKind, FunctionSlot, IntKind, Kind, Prim, tags};

use crate::arith::{self, float, integer};
use crate::bytes;
use crate::heap::{Heap, Shape, Value};
use crate::{Leave, Trap};

type Result<T> = std::result::Result<T, Trap>;

/// The element at an index that a check should have allowed.
fn at<T: Copy>(elements: &[T], index: i64) -> Result<T> {
    usize::try_from(index).ok().and_then(|i| elements.get(i)).copied().ok_or(Trap::OutOfBounds)
}

fn at_mut<T>(elements: &mut [T], index: i64) -> Result<&mut T> {
    usize::try_from(index).ok().and_then(|i| elements.get_mut(i)).ok_or(Trap::OutOfBounds)
}

pub(crate) fn truth(b: bool) -> Value {
    Value::Int(i64::from(b))
}

pub(crate) fn index(value: Value) -> Result<i64> {
    integer(IntKind::Tagged, value)
}

fn floats(args: &[Value]) -> Result<Vec<u64>> {
    args.iter().map(|arg| float(*arg).map(f64::to_bits)).collect()
}

/// Whether a value is a naked number of that kind.
fn is_number(kind: BoxedKind, value: Value) -> bool {
    match kind {
        BoxedKind::Float => matches!(value, Value::Float(_)),
        BoxedKind::Int32 => matches!(value, Value::Int32(_)),
        BoxedKind::Int64 => matches!(value, Value::Int64(_)),
        BoxedKind::Nativeint => matches!(value, Value::Nativeint(_)),
    }
}

/// Whether `==` distinguishes blocks of that mutability from their copies.
fn identity(mutability: Mutability) -> bool {
    mutability != Mutability::Immutable
}

/// The exception of a failed bounds check.
pub(crate) fn bound_error(heap: &mut Heap, invalid_argument: Value) -> Leave {
    let message = heap.alloc(Shape::Bytes(b"index out of bounds".to_vec()), false);
    Leave::Raise(heap.alloc(Shape::Block { tag: 0, fields: vec![invalid_argument, message] }, false))
}

/// Evaluates a primitive. `position`: where the closure of a function slot is in its set.
pub(crate) fn evaluate(
    heap: &mut Heap,
    prim: &Prim,
    args: &[Value],
    position: impl Fn(FunctionSlot) -> u32,
) -> Result<Value> {
    // It may run early, so a poison makes a poison, and traps only where something is decided by it.
    if prim.can_speculate() && args.iter().any(|arg| arg.is_poison()) {
        return Ok(Value::Poison(prim.signature().result));
    }
    let unit = Value::UNIT;
    Ok(match (prim, args) {
        (Prim::MakeBlock { tag, mutability }, fields) => {
            heap.alloc(Shape::Block { tag: *tag, fields: fields.to_vec() }, identity(*mutability))
        }
        (
            Prim::MakeFloatBlock { mutability } | Prim::MakeArray { kind: ArrayKind::Float, mutability },
            fields,
        ) => {
            let elements = floats(fields)?;
            heap.alloc(Shape::Floats(elements), identity(*mutability))
        }
        (Prim::MakeArray { kind, mutability }, elements) => {
            make_array(heap, *kind, elements, identity(*mutability))?
        }
        (Prim::MakeBytes { words }, [length]) => {
            let length = usize::try_from(index(*length)?).map_err(|_| Trap::OutOfBounds)?;
            if length / 8 + 1 != *words as usize {
                return Err(Trap::OutOfBounds);
            }
            heap.alloc(Shape::Bytes(vec![0; length]), true)
        }
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
        (Prim::MakeNakedBlock { fields }, []) => {
            let fields = vec![Value::Poison(Kind::Value); *fields as usize];
            heap.alloc(Shape::Block { tag: tags::DOUBLE_ARRAY, fields }, true)
        }
        (Prim::NakedLoad { field, kind }, [block]) => match load(heap, *block, i64::from(*field))? {
            Value::Poison(_) => Value::Poison(kind.naked()),
            value if is_number(*kind, value) => value,
            _ => return Err(Trap::WrongShape),
        },
        (Prim::NakedStore { field, .. }, [block, value]) => {
            store(heap, *block, i64::from(*field), *value)?;
            unit
        }
        (Prim::ArrayLoadBits { kind }, [array, i]) => {
            let Shape::Floats(elements) = heap.get(*array)? else { return Err(Trap::WrongShape) };
            let bits = at(elements, index(*i)?)?.cast_signed();
            match kind {
                BoxedKind::Float => Value::Float(bits.cast_unsigned()),
                BoxedKind::Int32 => match i32::try_from(bits) {
                    Ok(number) => Value::Int32(number),
                    Err(_) => Value::Poison(kind.naked()),
                },
                BoxedKind::Int64 => Value::Int64(bits),
                BoxedKind::Nativeint => Value::Nativeint(bits),
            }
        }
        (Prim::ArrayStoreBits { .. }, [array, i, number]) => {
            let bits = match *number {
                Value::Float(bits) => bits,
                Value::Int64(n) | Value::Nativeint(n) => n.cast_unsigned(),
                Value::Int32(n) => i64::from(n).cast_unsigned(),
                // Any will do.
                Value::Poison(_) => 0,
                Value::Int(_) | Value::Pointer(..) => return Err(Trap::WrongShape),
            };
            let Shape::Floats(elements) = heap.get_mut(*array)? else { return Err(Trap::WrongShape) };
            *at_mut(elements, index(*i)?)? = bits;
            unit
        }
        (Prim::BlockLoadComputed, [block, i]) => load(heap, *block, index(*i)?)?,
        (Prim::BlockStoreComputed { .. }, [block, i, value]) => {
            store(heap, *block, index(*i)?, *value)?;
            unit
        }
        (Prim::StoreResult { part, .. }, [_, value]) => {
            heap.set_result(*part, *value);
            unit
        }
        (Prim::LoadResult { part, kind }, [_]) => heap.result(*part).unwrap_or(Value::Poison(*kind)),
        (Prim::Duplicate { mutability }, [block]) => {
            let copy = heap.get(*block)?.clone();
            heap.alloc(copy, identity(*mutability))
        }
        (Prim::OffsetRef { amount }, [block]) => {
            let before = load(heap, *block, 0)?;
            let after = match before {
                Value::Poison(_) => before,
                before => Value::Int(arith::wrap63(index(before)?.wrapping_add(*amount))),
            };
            store(heap, *block, 0, after)?;
            unit
        }
        (Prim::IsInt, [value]) => truth(matches!(value, Value::Int(_))),
        (Prim::GetTag, [block]) => Value::Int(tag(heap.get(*block)?)),
        (Prim::PhysEqual { negated }, [a, b]) => phys_equal(heap, *negated, *a, *b)?,
        (Prim::ArrayLength { .. }, [array]) => Value::Int(match heap.get(*array)? {
            Shape::Block { fields, .. } => fields.len() as i64,
            Shape::Floats(elements) => elements.len() as i64,
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
        (Prim::StringLength, [string]) => Value::Int(bytes::length(heap, *string)?),
        (Prim::StringLoad { string, width }, [from, i]) => {
            let big = *string == StringKind::Bigstring;
            let (contents, at) = (bytes::contents(heap, *from, big)?, index(*i)?);
            let read = if big { Cow::Borrowed(contents) } else { loaded_from(contents, *width, at) };
            bytes::load(&read, *width, at)?
        }
        (Prim::StringStore { string, width }, [to, i, value]) => {
            let big = *string == StringKind::Bigstring;
            bytes::store(bytes::contents_mut(heap, *to, big)?, *width, index(*i)?, *value)?;
            unit
        }
        (Prim::BigarrayDim { dim }, [array]) => bytes::dimension(heap, *array, *dim)?,
        (Prim::BigarrayLoad { kind }, [array, offset]) => {
            bytes::load_element(heap, *kind, *array, index(*offset)?)?
        }
        (Prim::BigarrayStore { kind }, [array, offset, element]) => {
            bytes::store_element(heap, *kind, *array, index(*offset)?, *element)?;
            unit
        }
        (Prim::IntArith { op, kind }, [a, b]) => arith::arith(*op, *kind, *a, *b)?,
        (Prim::IntShift { op, kind }, [a, amount]) => arith::shift(*op, *kind, *a, *amount)?,
        (Prim::IntDiv { kind }, [a, b]) => arith::divide(true, *kind, *a, *b)?,
        (Prim::IntMod { kind }, [a, b]) => arith::divide(false, *kind, *a, *b)?,
        // Pattern matching compares machine words, pointers among them.
        (Prim::IntCompare { op: IntCmp::Eq, kind: IntKind::Tagged }, [a, b]) if is_pointer(*a, *b) => {
            phys_equal(heap, false, *a, *b)?
        }
        (Prim::IntCompare { op: IntCmp::Ne, kind: IntKind::Tagged }, [a, b]) if is_pointer(*a, *b) => {
            phys_equal(heap, true, *a, *b)?
        }
        (Prim::IntCompare { op, kind }, [a, b]) => {
            truth(arith::compare(*op, integer(*kind, *a)?, integer(*kind, *b)?))
        }
        (Prim::IntCompare3 { kind }, [a, b]) => arith::sign(integer(*kind, *a)?.cmp(&integer(*kind, *b)?)),
        (Prim::ByteSwap { kind }, [a]) => {
            let n = integer(*kind, *a)?;
            let swapped =
                if *kind == IntKind::Int32 { i64::from((n as i32).swap_bytes()) } else { n.swap_bytes() };
            arith::make(*kind, swapped)
        }
        (Prim::ByteSwap16, [a]) => Value::Int(i64::from((integer(IntKind::Naked, *a)? as u16).swap_bytes())),
        (Prim::PopCount { kind }, [a]) => {
            let n = integer(*kind, *a)?;
            let bits = match kind {
                IntKind::Tagged | IntKind::Naked => n << 1,
                IntKind::Int32 => n << 32,
                IntKind::Int64 | IntKind::Nativeint => n,
            };
            Value::Int(i64::from(bits.count_ones()))
        }
        (Prim::FloatArith { op }, [a, b]) => arith::float_arith(*op, float(*a)?, float(*b)?),
        (Prim::FloatNeg, [a]) => Value::Float((-float(*a)?).to_bits()),
        (Prim::FloatAbs, [a]) => Value::Float(float(*a)?.abs().to_bits()),
        (Prim::FloatCompare { op }, [a, b]) => truth(arith::float_compare(*op, float(*a)?, float(*b)?)),
        (Prim::FloatCompare3, [a, b]) => arith::float_compare3(float(*a)?, float(*b)?),
        (Prim::Tag | Prim::Untag, [a]) => Value::Int(integer(IntKind::Naked, *a)?),
        (Prim::Box(_), [contents]) => heap.alloc(Shape::Boxed(*contents), false),
        (Prim::Rebox(_), [contents, Value::Int(_)]) => heap.alloc(Shape::Boxed(*contents), false),
        (Prim::Rebox(kind), [contents, boxed]) => {
            if unbox(heap, *kind, *boxed)? != *contents {
                return Err(Trap::WrongShape);
            }
            *boxed
        }
        (Prim::Unbox(kind), [boxed]) => unbox(heap, *kind, *boxed)?,
        (Prim::NumConv { from, to }, [a]) => arith::convert(*from, *to, *a)?,
        (Prim::ProjectValueSlot { value, .. }, [closure]) => match heap.get(*closure)? {
            Shape::Closures { slots, .. } => slots.get(value).copied().ok_or(Trap::OutOfBounds)?,
            _ => return Err(Trap::WrongShape),
        },
        (Prim::ProjectFunctionSlot { from, to }, [closure]) => project_function(heap, *from, *to, *closure)?,
        (Prim::IsClosureOf { function }, [block]) => truth(is_closure_of(heap, *function, *block)?),
        (Prim::IsInstance, [object, block]) => {
            let first = |block: &Value| match heap.get(*block)? {
                Shape::Block { fields, .. } => fields.first().copied().ok_or(Trap::OutOfBounds),
                _ => Err(Trap::WrongShape),
            };
            phys_equal(heap, false, first(object)?, first(block)?)?
        }
        (Prim::Opaque | Prim::IntAsPointer, [a]) => *a,
        // Nothing in the program reads the counters.
        (Prim::ProfileCount { .. }, [_]) => unit,
        (Prim::AllocDummyClosure { function }, []) => {
            match heap.alloc(Shape::Block { tag: 0, fields: Vec::new() }, true) {
                Value::Pointer(object, _) => Value::Pointer(object, position(*function)),
                other => other,
            }
        }
        _ => return Err(Trap::WrongShape),
    })
}

fn is_pointer(a: Value, b: Value) -> bool {
    matches!(a, Value::Pointer(..)) || matches!(b, Value::Pointer(..))
}

/// Whether two machine words are the same. Passes may merge two objects without identity: for such the answer is a
/// poison, unless no pass could merge them. A single object is never duplicated.
fn phys_equal(heap: &Heap, negated: bool, a: Value, b: Value) -> Result<Value> {
    let (Value::Pointer(..), Value::Pointer(..)) = (a, b) else { return Ok(truth((a == b) != negated)) };
    let (left, right) = (heap.object(a)?, heap.object(b)?);
    if left.identity || right.identity || a == b {
        return Ok(truth((a == b) != negated));
    }
    if tag(&left.shape) != tag(&right.shape) {
        return Ok(truth(negated));
    }
    Ok(Value::Poison(flambeau_ir::Kind::NakedImmediate))
}

fn project_function(heap: &Heap, from: FunctionSlot, to: FunctionSlot, closure: Value) -> Result<Value> {
    let (Shape::Closures { functions, .. }, Value::Pointer(object, position)) = (heap.get(closure)?, closure)
    else {
        return Err(Trap::WrongShape);
    };
    if functions.get(position as usize).is_none_or(|(slot, _)| *slot != from) {
        return Err(Trap::WrongShape);
    }
    let position = functions.iter().position(|(slot, _)| *slot == to).ok_or(Trap::OutOfBounds)?;
    Ok(Value::Pointer(object, position as u32))
}

fn is_closure_of(heap: &Heap, function: FunctionSlot, block: Value) -> Result<bool> {
    let (Shape::Closures { functions, .. }, Value::Pointer(_, position)) = (heap.get(block)?, block) else {
        return Ok(false);
    };
    Ok(functions.get(position as usize).is_some_and(|(slot, _)| *slot == function))
}

fn tag(shape: &Shape) -> i64 {
    match shape {
        Shape::Block { tag, .. } => i64::from(*tag),
        Shape::Floats(_) => i64::from(tags::DOUBLE_ARRAY),
        Shape::Boxed(Value::Float(_)) => i64::from(tags::DOUBLE),
        Shape::Boxed(_) | Shape::Bigarray { .. } => i64::from(tags::CUSTOM),
        Shape::Bytes(_) => i64::from(tags::STRING),
        Shape::Closures { .. } | Shape::Partial { .. } => i64::from(tags::CLOSURE),
        Shape::Foreign(_) => 0,
    }
}

/// A generic array is flat if the first element is a boxed float.
fn make_array(heap: &mut Heap, kind: ArrayKind, elements: &[Value], identity: bool) -> Result<Value> {
    let is_flat = kind == ArrayKind::Generic
        && match elements.first() {
            Some(Value::Poison(_)) => return Err(Trap::Poison),
            Some(first) => matches!(heap.get(*first), Ok(Shape::Boxed(Value::Float(_)))),
            None => false,
        };
    if !is_flat {
        return Ok(heap.alloc(Shape::Block { tag: 0, fields: elements.to_vec() }, identity));
    }
    let contents = elements
        .iter()
        .map(|element| unbox(heap, BoxedKind::Float, *element).and_then(float).map(f64::to_bits))
        .collect::<Result<_>>()?;
    Ok(heap.alloc(Shape::Floats(contents), identity))
}

fn load(heap: &Heap, block: Value, field: i64) -> Result<Value> {
    match heap.get(block)? {
        Shape::Block { fields, .. } => at(fields, field),
        _ => Err(Trap::WrongShape),
    }
}

fn load_float(heap: &Heap, block: Value, field: i64) -> Result<Value> {
    match heap.get(block)? {
        Shape::Floats(elements) => at(elements, field).map(Value::Float),
        _ => Err(Trap::WrongShape),
    }
}

fn store(heap: &mut Heap, block: Value, field: i64, value: Value) -> Result<()> {
    match heap.get_mut(block)? {
        Shape::Block { fields, .. } => *at_mut(fields, field)? = value,
        _ => return Err(Trap::WrongShape),
    }
    Ok(())
}

fn store_float(heap: &mut Heap, block: Value, field: i64, value: Value) -> Result<()> {
    let bits = float(value)?.to_bits();
    match heap.get_mut(block)? {
        Shape::Floats(elements) => *at_mut(elements, field)? = bits,
        _ => return Err(Trap::WrongShape),
    }
    Ok(())
}

fn load_element(heap: &mut Heap, kind: ArrayKind, array: Value, index: i64) -> Result<Value> {
    match heap.get(array)? {
        Shape::Block { fields, .. } => at(fields, index),
        Shape::Floats(elements) if kind == ArrayKind::Generic => {
            let bits = at(elements, index)?;
            Ok(heap.alloc(Shape::Boxed(Value::Float(bits)), false))
        }
        _ => Err(Trap::WrongShape),
    }
}

fn store_element(heap: &mut Heap, kind: ArrayKind, array: Value, index: i64, element: Value) -> Result<()> {
    if kind == ArrayKind::Generic && matches!(heap.get(array)?, Shape::Floats(_)) {
        let contents = unbox(heap, BoxedKind::Float, element)?;
        return store_float(heap, array, index, contents);
    }
    store(heap, array, index, element)
}

fn unbox(heap: &Heap, kind: BoxedKind, boxed: Value) -> Result<Value> {
    match (heap.get(boxed)?, kind) {
        (Shape::Boxed(Value::Float(bits)), BoxedKind::Float) => Ok(Value::Float(*bits)),
        (Shape::Boxed(Value::Int32(n)), BoxedKind::Int32) => Ok(Value::Int32(*n)),
        (Shape::Boxed(Value::Int64(n)), BoxedKind::Int64) => Ok(Value::Int64(*n)),
        (Shape::Boxed(Value::Nativeint(n)), BoxedKind::Nativeint) => Ok(Value::Nativeint(*n)),
        (Shape::Boxed(Value::Poison(held)), _) if *held == kind.naked() => Ok(Value::Poison(*held)),
        _ => Err(Trap::WrongShape),
    }
}
