//! Reading bytes: the encodings of `docs/formats.md`. Nothing that the bytes say is trusted: lengths are
//! checked against what is left before anything is allocated.

pub mod numbers;

use std::borrow::Cow;

/// Why bytes could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message} (at byte {offset})")]
pub struct DecodeError {
    /// The offset of the byte.
    pub offset: usize,
    /// What is wrong there.
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

    /// Reads `n` raw bytes.
    ///
    /// # Errors
    /// When fewer bytes are left.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        if n > self.remaining() {
            return Err(self.error("unexpected end"));
        }
        let taken = &self.bytes[self.offset..self.offset + n];
        self.offset += n;
        Ok(taken)
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// When no byte is left.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?[0])
    }

    /// Reads a boolean (`b`).
    ///
    /// # Errors
    /// When no byte is left, or it is neither 0 nor 1.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.error("not a boolean")),
        }
    }

    /// Reads an unsigned number of 64 bits (`u`).
    ///
    /// # Errors
    /// When the bytes end within the number, or it has more than 64 bits.
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

    /// Reads an unsigned number (`u`) of 32 bits.
    ///
    /// # Errors
    /// When the bytes end within the number, or it has more than 32 bits.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.u64()?).map_err(|_| self.error("integer too large"))
    }

    /// Reads a signed number (`i`).
    ///
    /// # Errors
    /// When the bytes end within the number, or it has more than 64 bits.
    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        let zigzag = self.u64()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads a double (`f`), as its bits.
    ///
    /// # Errors
    /// When fewer than 8 bytes are left.
    pub fn float_bits(&mut self) -> Result<u64, DecodeError> {
        let bytes = self.take(8)?;
        let mut array = [0; 8];
        array.copy_from_slice(bytes);
        Ok(u64::from_le_bytes(array))
    }

    /// Reads a byte string (`s`).
    ///
    /// # Errors
    /// When its length is malformed, or larger than what is left.
    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let n = self.count()?;
        self.take(n)
    }

    /// Reads a byte string (`s`) that is text. Bytes that are no UTF-8 (old sources in Latin-1) are replaced.
    ///
    /// # Errors
    /// When its length is malformed, or larger than what is left.
    pub fn string(&mut self) -> Result<String, DecodeError> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// Reads the count of a list (`T*`), of which each element takes at least one byte.
    ///
    /// # Errors
    /// When the count is malformed, or larger than the number of bytes that are left.
    pub fn count(&mut self) -> Result<usize, DecodeError> {
        let n = self.u64()?;
        if n > self.remaining() as u64 {
            return Err(self.error("count larger than what is left"));
        }
        Ok(n as usize)
    }

    /// Reads a list (`T*`).
    ///
    /// # Errors
    /// When the count or an element is malformed.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let n = self.count()?;
        (0..n).map(|_| item(self)).collect()
    }

    /// Reads an optional value (`T?`).
    ///
    /// # Errors
    /// When the boolean before it, or the value, is malformed.
    pub fn option<T>(
        &mut self,
        item: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        if self.bool()? { item(self).map(Some) } else { Ok(None) }
    }
}
