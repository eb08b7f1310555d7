//! Approximations as bytes, in the prefix form of `docs/formats.md`.

use std::rc::Rc;

use flambeau_lambda::{Approximation, DecodeError, Number, Reader, number};

use crate::bytes::Writer;

/// The depth of nesting beyond which nothing is exported; no reader accepts more.
const MAX_DEPTH: u32 = 64;

/// Writes an approximation; what is nested too deeply becomes unknown.
pub(crate) fn encode(approximation: &Approximation, w: &mut Writer) {
    Encoder { w, last: None }.approximation(approximation, 0);
}

/// Reads an approximation.
pub(crate) fn decode(r: &mut Reader) -> Result<Approximation, DecodeError> {
    Decoder { r, last: None }.approximation(0)
}

struct Encoder<'w, 'a> {
    w: &'w mut Writer,
    /// The application of which a part was written last, as code and arguments: the fields of a module follow each
    /// other, and all are parts of one application's result.
    last: Option<(&'a str, &'a [Approximation])>,
}

impl<'a> Encoder<'_, 'a> {
    fn approximation(&mut self, approximation: &'a Approximation, depth: u32) {
        match approximation {
            _ if depth == MAX_DEPTH => self.w.byte(0),
            Approximation::Unknown => self.w.byte(0),
            Approximation::Closure { code, arity, needs_closure, symbol, result } => {
                self.w.byte(1);
                self.w.string(code);
                self.w.i(*arity);
                self.w.bool(*needs_closure);
                self.w.option(symbol.as_deref(), Writer::string);
                self.approximation(result, depth + 1);
            }
            Approximation::Block(fields) => {
                self.w.byte(2);
                self.list(fields, depth);
            }
            Approximation::Immediate(n) => {
                self.w.byte(3);
                self.w.i(*n);
            }
            Approximation::Symbol(symbol) => {
                self.w.byte(4);
                self.w.string(symbol);
            }
            Approximation::Number { symbol, number } => {
                self.w.byte(8);
                self.w.string(symbol);
                self.number(*number);
            }
            Approximation::GlobalField { symbol, field } => {
                self.w.byte(5);
                self.w.string(symbol);
                self.w.u(u64::from(*field));
            }
            Approximation::Applied { code, args, path } => {
                let application = (code.as_str(), &**args);
                if self.last == Some(application) {
                    self.w.byte(7);
                } else {
                    self.w.byte(6);
                    self.w.string(code);
                    self.list(args, depth);
                    self.last = Some(application);
                }
                self.w.u(path.len() as u64);
                for field in path {
                    self.w.u(u64::from(*field));
                }
            }
        }
    }

    fn number(&mut self, number: Number) {
        match number {
            Number::Float(bits) => {
                self.w.byte(1);
                self.w.raw(&bits.to_le_bytes());
            }
            Number::Int32(n) => {
                self.w.byte(2);
                self.w.i(n.into());
            }
            Number::Int64(n) => {
                self.w.byte(3);
                self.w.i(n);
            }
            Number::Nativeint(n) => {
                self.w.byte(4);
                self.w.i(n);
            }
        }
    }

    fn list(&mut self, list: &'a [Approximation], depth: u32) {
        self.w.u(list.len() as u64);
        for approximation in list {
            self.approximation(approximation, depth + 1);
        }
    }
}

struct Decoder<'r, 'b> {
    r: &'r mut Reader<'b>,
    /// The application of which a part was read last, as code and arguments.
    last: Option<(String, Rc<[Approximation]>)>,
}

impl Decoder<'_, '_> {
    fn approximation(&mut self, depth: u32) -> Result<Approximation, DecodeError> {
        if depth > MAX_DEPTH {
            return Err(self.r.error("approximations nested too deeply"));
        }
        Ok(match self.r.byte()? {
            0 => Approximation::Unknown,
            1 => Approximation::Closure {
                code: self.r.string()?,
                arity: self.r.i64()?,
                needs_closure: self.r.bool()?,
                symbol: self.r.option(Reader::string)?,
                result: Box::new(self.approximation(depth + 1)?),
            },
            2 => Approximation::Block(self.list(depth)?),
            3 => Approximation::Immediate(self.r.i64()?),
            4 => Approximation::Symbol(self.r.string()?),
            5 => Approximation::GlobalField { symbol: self.r.string()?, field: self.r.u32()? },
            6 => {
                let code = self.r.string()?;
                let args = self.list(depth)?;
                self.last = Some((code, args.into()));
                self.part()?
            }
            7 => self.part()?,
            8 => Approximation::Number { symbol: self.r.string()?, number: number(self.r)? },
            _ => return Err(self.r.error("no such approximation")),
        })
    }

    /// A part of the result of the last application.
    fn part(&mut self) -> Result<Approximation, DecodeError> {
        let path = self.r.list(Reader::u32)?;
        match self.last.clone() {
            Some((code, args)) => Ok(Approximation::Applied { code, args, path }),
            None => Err(self.r.error("a part of nothing")),
        }
    }

    fn list(&mut self, depth: u32) -> Result<Vec<Approximation>, DecodeError> {
        let count = self.r.count()?;
        (0..count).map(|_| self.approximation(depth + 1)).collect()
    }
}
