//! Strings, bytes and bigarrays: what is kept as bytes, in the machine's order.

use flambeau_ir::prim::{BigarrayKind, Width};

use crate::Trap;
use crate::arith::float;
use crate::heap::{Heap, Shape, Value};

type Result<T> = std::result::Result<T, Trap>;

/// The length of a string or bytes.
pub(crate) fn length(heap: &Heap, string: Value) -> Result<i64> {
    contents(heap, string, false).map(|bytes| bytes.len() as i64)
}

/// The bytes of a string, bytes or (`big`) bigstring.
pub(crate) fn contents(heap: &Heap, string: Value, big: bool) -> Result<&[u8]> {
    match heap.get(string)? {
        Shape::Bytes(bytes) if !big => Ok(bytes),
        Shape::Bigarray { kind: BigarrayKind::Sint8 | BigarrayKind::Uint8, dims, data, .. }
            if big && dims.len() == 1 =>
        {
            Ok(data)
        }
        _ => Err(Trap::WrongShape),
    }
}

/// The bytes of a string, bytes or (`big`) bigstring, to be changed.
pub(crate) fn contents_mut(heap: &mut Heap, string: Value, big: bool) -> Result<&mut [u8]> {
    contents(heap, string, big)?;
    match heap.get_mut(string)? {
        Shape::Bytes(data) | Shape::Bigarray { data, .. } => Ok(data),
        _ => Err(Trap::WrongShape),
    }
}

/// The bytes of an access.
fn span(length: usize, bytes: usize, index: i64) -> Result<std::ops::Range<usize>> {
    let from = usize::try_from(index).map_err(|_| Trap::OutOfBounds)?;
    let to = from.checked_add(bytes).filter(|to| *to <= length);
    to.map(|to| from..to).ok_or(Trap::OutOfBounds)
}

/// `caml_fill_bytes`.
pub(crate) fn fill(heap: &mut Heap, to: Value, at: i64, length: usize, character: i64) -> Result<()> {
    let to = contents_mut(heap, to, false)?;
    let range = span(to.len(), length, at)?;
    to[range].fill(character as u8);
    Ok(())
}

/// `caml_blit_bytes`, between two or within one.
pub(crate) fn copy(heap: &mut Heap, from: (Value, i64), to: (Value, i64), length: usize) -> Result<()> {
    let source = contents(heap, from.0, false)?;
    let copied = source[span(source.len(), length, from.1)?].to_vec();
    let target = contents_mut(heap, to.0, false)?;
    let range = span(target.len(), length, to.1)?;
    target[range].copy_from_slice(&copied);
    Ok(())
}

/// A little-endian word of at most 8 bytes, not sign-extended.
fn word(bytes: &[u8]) -> i64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(word)
}

/// The integer of a naked number.
fn number(value: Value) -> Result<i64> {
    match value {
        Value::Int(n) | Value::Int64(n) | Value::Nativeint(n) => Ok(n),
        Value::Int32(n) => Ok(i64::from(n)),
        Value::Poison(_) => Err(Trap::Poison),
        Value::Float(_) | Value::Pointer(..) => Err(Trap::WrongShape),
    }
}

/// An access as to a string.
pub(crate) fn load(bytes: &[u8], width: Width, index: i64) -> Result<Value> {
    let word = word(&bytes[span(bytes.len(), width.bytes() as usize, index)?]);
    Ok(match width {
        Width::W8 | Width::W16 => Value::Int(word),
        Width::W32 => Value::Int32(word as i32),
        Width::W64 => Value::Int64(word),
    })
}

/// A store as to bytes.
pub(crate) fn store(bytes: &mut [u8], width: Width, index: i64, value: Value) -> Result<()> {
    let word = number(value)?.to_le_bytes();
    let range = span(bytes.len(), width.bytes() as usize, index)?;
    let length = range.len();
    bytes[range].copy_from_slice(&word[..length]);
    Ok(())
}

/// The size of an element.
pub(crate) fn element_size(kind: BigarrayKind) -> usize {
    match kind {
        BigarrayKind::Sint8 | BigarrayKind::Uint8 => 1,
        BigarrayKind::Sint16 | BigarrayKind::Uint16 => 2,
        BigarrayKind::Float32 | BigarrayKind::Int32 => 4,
        BigarrayKind::Float64
        | BigarrayKind::Int64
        | BigarrayKind::CamlInt
        | BigarrayKind::NativeInt
        | BigarrayKind::Complex32 => 8,
        BigarrayKind::Complex64 => 16,
    }
}

/// The length of a dimension, tagged.
pub(crate) fn dimension(heap: &Heap, array: Value, dim: u32) -> Result<Value> {
    match heap.get(array)? {
        Shape::Bigarray { dims, .. } => {
            dims.get(dim as usize).map(|n| Value::Int(*n)).ok_or(Trap::OutOfBounds)
        }
        _ => Err(Trap::WrongShape),
    }
}

/// The range of the bytes of the element of that number.
fn byte_range(heap: &Heap, kind: BigarrayKind, array: Value, offset: i64) -> Result<std::ops::Range<usize>> {
    match heap.get(array)? {
        Shape::Bigarray { kind: actual, data, .. } if *actual == kind => {
            let size = element_size(kind);
            let from = offset.checked_mul(size as i64).ok_or(Trap::OutOfBounds)?;
            span(data.len(), size, from)
        }
        _ => Err(Trap::WrongShape),
    }
}

/// Reads an element.
pub(crate) fn load_element(heap: &mut Heap, kind: BigarrayKind, array: Value, offset: i64) -> Result<Value> {
    let range = byte_range(heap, kind, array, offset)?;
    let Shape::Bigarray { data, .. } = heap.get(array)? else { return Err(Trap::WrongShape) };
    let data = &data[range];
    let single = |data: &[u8]| f64::from(f32::from_bits(word(data) as u32)).to_bits();
    let n = word(&data[..data.len().min(8)]);
    Ok(match kind {
        BigarrayKind::Float32 => Value::Float(single(data)),
        BigarrayKind::Float64 => Value::Float(n as u64),
        BigarrayKind::Sint8 => Value::Int(i64::from(n as i8)),
        BigarrayKind::Sint16 => Value::Int(i64::from(n as i16)),
        BigarrayKind::Uint8 | BigarrayKind::Uint16 => Value::Int(n),
        BigarrayKind::Int32 => Value::Int32(n as i32),
        BigarrayKind::Int64 => Value::Int64(n),
        BigarrayKind::NativeInt => Value::Nativeint(n),
        BigarrayKind::CamlInt => Value::Int(crate::arith::wrap63(n)),
        BigarrayKind::Complex32 => {
            let parts = vec![single(&data[..4]), single(&data[4..])];
            heap.alloc(Shape::Floats(parts), false)
        }
        BigarrayKind::Complex64 => {
            let parts = vec![n as u64, word(&data[8..]) as u64];
            heap.alloc(Shape::Floats(parts), false)
        }
    })
}

/// Writes an element.
pub(crate) fn store_element(
    heap: &mut Heap,
    kind: BigarrayKind,
    array: Value,
    offset: i64,
    element: Value,
) -> Result<()> {
    let range = byte_range(heap, kind, array, offset)?;
    let single = |x: f64| (x as f32).to_bits().to_le_bytes();
    let bytes: Vec<u8> = match kind {
        BigarrayKind::Float32 => single(float(element)?).to_vec(),
        BigarrayKind::Float64 => float(element)?.to_bits().to_le_bytes().to_vec(),
        BigarrayKind::Complex32 | BigarrayKind::Complex64 => {
            let Shape::Floats(parts) = heap.get(element)? else { return Err(Trap::WrongShape) };
            if kind == BigarrayKind::Complex64 {
                parts.iter().flat_map(|bits| bits.to_le_bytes()).collect()
            } else {
                parts.iter().flat_map(|bits| single(f64::from_bits(*bits))).collect()
            }
        }
        _ => number(element)?.to_le_bytes()[..element_size(kind)].to_vec(),
    };
    let Shape::Bigarray { data, .. } = heap.get_mut(array)? else { return Err(Trap::WrongShape) };
    if bytes.len() != range.len() {
        return Err(Trap::WrongShape);
    }
    data[range].copy_from_slice(&bytes);
    Ok(())
}
