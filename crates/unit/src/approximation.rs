//! Approximations as bytes, in the prefix form of `docs/formats.md`.

use flambeau_lambda::{Approximation, DecodeError, Reader};

use crate::bytes::Writer;

/// Nesting beyond which nothing is told, and which no reader accepts.
const MAX_DEPTH: u32 = 64;

/// Writes an approximation; what is nested too deeply becomes unknown.
pub(crate) fn encode(approximation: &Approximation, w: &mut Writer) {
    encode_at(approximation, w, 0);
}

fn encode_at(approximation: &Approximation, w: &mut Writer, depth: u32) {
    match approximation {
        _ if depth == MAX_DEPTH => w.byte(0),
        Approximation::Unknown => w.byte(0),
        Approximation::Closure { code, arity, needs_closure, symbol, result } => {
            w.byte(1);
            w.string(code);
            w.i(*arity);
            w.bool(*needs_closure);
            w.option(symbol.as_deref(), Writer::string);
            encode_at(result, w, depth + 1);
        }
        Approximation::Block(fields) => {
            w.byte(2);
            w.u(fields.len() as u64);
            for field in fields {
                encode_at(field, w, depth + 1);
            }
        }
        Approximation::Immediate(n) => {
            w.byte(3);
            w.i(*n);
        }
        Approximation::Symbol(symbol) => {
            w.byte(4);
            w.string(symbol);
        }
        Approximation::GlobalField { symbol, field } => {
            w.byte(5);
            w.string(symbol);
            w.u(u64::from(*field));
        }
    }
}

/// Reads an approximation.
pub(crate) fn decode(r: &mut Reader) -> Result<Approximation, DecodeError> {
    decode_at(r, 0)
}

fn decode_at(r: &mut Reader, depth: u32) -> Result<Approximation, DecodeError> {
    if depth > MAX_DEPTH {
        return Err(r.error("approximations nested too deeply"));
    }
    Ok(match r.byte()? {
        0 => Approximation::Unknown,
        1 => Approximation::Closure {
            code: r.string()?,
            arity: r.i64()?,
            needs_closure: r.bool()?,
            symbol: r.option(Reader::string)?,
            result: Box::new(decode_at(r, depth + 1)?),
        },
        2 => Approximation::Block(r.list(|r| decode_at(r, depth + 1))?),
        3 => Approximation::Immediate(r.i64()?),
        4 => Approximation::Symbol(r.string()?),
        5 => Approximation::GlobalField { symbol: r.string()?, field: r.u32()? },
        _ => return Err(r.error("no such approximation")),
    })
}
