//! Reading bytes: the encodings of `docs/formats.md`. Nothing that the bytes say is trusted: lengths are
//! checked against what is left before anything is allocated.

use std::borrow::Cow;

/// Why bytes could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message} (at byte {offset})")]
pub struct DecodeError {
    /// Where.
    pub offset: usize,
    /// What.
    pub message: Cow<'static, str>,
}

/// A position in bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the beginning.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, offset: 0 }
    }

    /// An error at the present position.
    pub fn error(&self, message: impl Into<Cow<'static, str>>) -> DecodeError {
        DecodeError { offset: self.offset, message: message.into() }
    }

    /// How many bytes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// `n` raw bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        if n > self.remaining() {
            return Err(self.error("unexpected end"));
        }
        let taken = &self.bytes[self.offset..self.offset + n];
        self.offset += n;
        Ok(taken)
    }

    /// One byte.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?[0])
    }

    /// `b`
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.error("not a boolean")),
        }
    }

    /// `u`
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.error("integer too long"))
    }

    /// `u` of 32 bits.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.u64()?).map_err(|_| self.error("integer too large"))
    }

    /// `i`
    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        let zigzag = self.u64()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// `f`, as bits.
    pub fn float_bits(&mut self) -> Result<u64, DecodeError> {
        let bytes = self.take(8)?;
        let mut array = [0; 8];
        array.copy_from_slice(bytes);
        Ok(u64::from_le_bytes(array))
    }

    /// `s`
    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let n = self.count()?;
        self.take(n)
    }

    /// `s` that is text. Bytes that are no UTF-8 (old sources in Latin-1) are replaced.
    pub fn string(&mut self) -> Result<String, DecodeError> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// The count of a `T*`, each `T` taking at least one byte.
    pub fn count(&mut self) -> Result<usize, DecodeError> {
        let n = self.u64()?;
        if n > self.remaining() as u64 {
            return Err(self.error("count larger than what is left"));
        }
        Ok(n as usize)
    }

    /// `T*`
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let n = self.count()?;
        (0..n).map(|_| item(self)).collect()
    }

    /// `T?`
    pub fn option<T>(
        &mut self,
        item: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        if self.bool()? { item(self).map(Some) } else { Ok(None) }
    }
}
