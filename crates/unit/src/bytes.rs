//! Writing the data encodings of `docs/formats.md`.

/// Bytes in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What has been written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// One byte.
    pub(crate) fn byte(&mut self, b: u8) {
        self.bytes.push(b);
    }

    /// `b`
    pub(crate) fn bool(&mut self, b: bool) {
        self.byte(u8::from(b));
    }

    /// `u`
    pub(crate) fn u(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.byte(n as u8 | 0x80);
            n >>= 7;
        }
        self.byte(n as u8);
    }

    /// `i`
    pub(crate) fn i(&mut self, n: i64) {
        self.u(((n << 1) ^ (n >> 63)) as u64);
    }

    /// `s`
    pub(crate) fn string(&mut self, s: &str) {
        self.u(s.len() as u64);
        self.raw(s.as_bytes());
    }

    /// `T?`
    pub(crate) fn option<T>(&mut self, option: Option<T>, item: impl FnOnce(&mut Self, T)) {
        self.bool(option.is_some());
        if let Some(value) = option {
            item(self, value);
        }
    }
}
