//! Writing the data encodings of `docs/formats.md`.

/// An encoder: bytes are appended to those written before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// The bytes that have been written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes one byte.
    pub(crate) fn byte(&mut self, b: u8) {
        self.bytes.push(b);
    }

    /// Writes a boolean (`b`).
    pub(crate) fn bool(&mut self, b: bool) {
        self.byte(u8::from(b));
    }

    /// Writes an unsigned number (`u`).
    pub(crate) fn u(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.byte(n as u8 | 0x80);
            n >>= 7;
        }
        self.byte(n as u8);
    }

    /// Writes a signed number (`i`).
    pub(crate) fn i(&mut self, n: i64) {
        self.u(((n << 1) ^ (n >> 63)) as u64);
    }

    /// Writes a byte string (`s`).
    pub(crate) fn string(&mut self, s: &str) {
        self.u(s.len() as u64);
        self.raw(s.as_bytes());
    }

    /// Writes an optional value (`T?`).
    pub(crate) fn option<T>(&mut self, option: Option<T>, item: impl FnOnce(&mut Self, T)) {
        self.bool(option.is_some());
        if let Some(value) = option {
            item(self, value);
        }
    }
}
