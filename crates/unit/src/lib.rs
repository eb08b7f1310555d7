//! What one compilation unit exports to others: the payload that a `.cmx` carries (`docs/formats.md`).
//!
//! A payload may come from a damaged file: reading never panics, and takes time and memory in proportion to the
//! bytes at most.

mod approximation;
mod bytes;
mod import;

use flambeau_lambda::{Approximation, DecodeError, Reader};

use bytes::Writer;

pub use import::encode_import;

/// The first bytes of a payload.
pub const MAGIC: &[u8] = b"FLBX";

/// The version of the format; the OCaml side (`ocaml/unit/cmx_payload.ml`) refuses others before we see them.
pub const VERSION: u64 = 10;

/// What a unit exports to the units that import it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    /// The version of Flambeau that made it.
    pub flambeau_version: String,
    /// The settings with which the unit was compiled, under their names in a request.
    pub settings: Vec<(String, String)>,
    /// The approximation of the module block.
    pub exports: Approximation,
    /// The codes of the closures that the fields of the module block hold when the program runs, whatever `exports`
    /// says of how they behave. A part that a function of another unit returned is `Applied` to no arguments.
    pub objects: Approximation,
    /// The functions that can be inlined.
    pub functions: Functions,
    /// Functions of the object that are in no field of the module block, and that may be called all the same: the
    /// linker's name of the code of each, and how many arguments it takes. They take no closure.
    pub inner: Vec<(String, u64)>,
}

/// Functions as other units may inline them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Functions {
    /// The form in which they are written: another build of Flambeau may have another.
    pub format: String,
    /// The parameters of the inliner, as text: those of the unit, then those of other units that parts of the functions
    /// were inlined from. A call has the number of its unit's parameters. Empty where there is no limit.
    pub origins: Vec<String>,
    /// The linker's name of each code, and what `flambeau_ir::transfer` reads.
    pub codes: Vec<(String, Vec<u8>)>,
}

impl Payload {
    /// A payload of this version of Flambeau.
    #[must_use]
    pub fn new(
        settings: Vec<(String, String)>,
        exports: Approximation,
        objects: Approximation,
        functions: Functions,
    ) -> Payload {
        let flambeau_version = env!("CARGO_PKG_VERSION").into();
        Payload { flambeau_version, settings, exports, objects, functions, inner: Vec::new() }
    }

    /// Encodes the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.raw(MAGIC);
        w.u(VERSION);
        w.string(&self.flambeau_version);
        w.u(self.settings.len() as u64);
        for (name, value) in &self.settings {
            w.string(name);
            w.string(value);
        }
        approximation::encode(&self.exports, &mut w);
        approximation::encode(&self.objects, &mut w);
        w.string(&self.functions.format);
        w.u(self.functions.origins.len() as u64);
        self.functions.origins.iter().for_each(|origin| w.string(origin));
        w.u(self.functions.codes.len() as u64);
        for (code, bytes) in &self.functions.codes {
            w.string(code);
            w.u(bytes.len() as u64);
            w.raw(bytes);
        }
        w.u(self.inner.len() as u64);
        for (code, arity) in &self.inner {
            w.string(code);
            w.u(*arity);
        }
        w.into_bytes()
    }

    /// Decodes a payload.
    ///
    /// # Errors
    /// When the bytes are no payload of this version.
    pub fn decode(bytes: &[u8]) -> Result<Payload, PayloadError> {
        let r = &mut Reader::new(bytes);
        if r.take(MAGIC.len())? != MAGIC {
            return Err(r.error("not a payload").into());
        }
        let version = r.u64()?;
        if version != VERSION {
            return Err(PayloadError::Version(version));
        }
        let flambeau_version = r.string()?;
        let settings = r.list(|r| Ok((r.string()?, r.string()?)))?;
        let exports = approximation::decode(r)?;
        let objects = approximation::decode(r)?;
        let format = r.string()?;
        let origins = r.list(Reader::string)?;
        let codes = r.list(|r| Ok((r.string()?, r.bytes()?.to_vec())))?;
        let functions = Functions { format, origins, codes };
        let inner = r.list(|r| Ok((r.string()?, r.u64()?)))?;
        if r.remaining() != 0 {
            return Err(r.error("bytes left over").into());
        }
        Ok(Payload { flambeau_version, settings, exports, objects, functions, inner })
    }
}

/// Why a payload can't be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PayloadError {
    /// The payload has another version of the format.
    #[error("format {0}, where {VERSION} was expected")]
    Version(u64),
    /// The payload is damaged.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = flambeau_lambda::Number> {
        use flambeau_lambda::Number;
        prop_oneof![
            any::<u64>().prop_map(Number::Float),
            any::<i32>().prop_map(Number::Int32),
            any::<i64>().prop_map(Number::Int64),
            any::<i64>().prop_map(Number::Nativeint),
        ]
    }

    fn approximations() -> impl Strategy<Value = Approximation> {
        let leaf = prop_oneof![
            Just(Approximation::Unknown),
            any::<i64>().prop_map(Approximation::Immediate),
            "[a-z]{0,8}".prop_map(Approximation::Symbol),
            ("[a-z]{0,8}", numbers()).prop_map(|(symbol, number)| Approximation::Number { symbol, number }),
            ("[a-z]{0,8}", any::<u32>())
                .prop_map(|(symbol, field)| Approximation::GlobalField { symbol, field }),
        ];
        leaf.prop_recursive(6, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Approximation::Block),
                ("[a-b]", prop::collection::vec(inner.clone(), 0..2), prop::collection::vec(0..3u32, 1..3))
                    .prop_map(|(code, args, path)| {
                        let part = |field| Approximation::Applied {
                            code: code.clone(),
                            args: args.clone().into(),
                            path: vec![field],
                        };
                        Approximation::Block(path.into_iter().map(part).collect())
                    }),
                ("[a-z]{0,8}", any::<i64>(), any::<bool>(), prop::option::of("[a-z]{0,8}"), inner).prop_map(
                    |(code, arity, needs_closure, symbol, result)| Approximation::Closure {
                        code,
                        arity,
                        needs_closure,
                        symbol,
                        result: Box::new(result),
                    }
                ),
            ]
        })
    }

    fn functions() -> impl Strategy<Value = Functions> {
        let code = ("[a-z]{0,8}", prop::collection::vec(any::<u8>(), 0..40));
        let origins = prop::collection::vec("[a-z=0-9]{0,20}", 0..4);
        ("[0-9a-f]{0,8}", origins, prop::collection::vec(code, 0..5))
            .prop_map(|(format, origins, codes)| Functions { format, origins, codes })
    }

    fn settings() -> impl Strategy<Value = Vec<(String, String)>> {
        prop::collection::vec(("[a-z:]{0,8}", "[a-z0-9]{0,8}"), 0..4)
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(
            settings in settings(),
            exports in approximations(),
            objects in approximations(),
            functions in functions(),
            inner in prop::collection::vec(("[a-z]{0,8}", any::<u64>()), 0..4),
        ) {
            let payload = Payload { inner, ..Payload::new(settings, exports, objects, functions) };
            prop_assert_eq!(Payload::decode(&payload.encode()), Ok(payload));
        }

        #[test]
        fn any_bytes_are_survived(tail in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut bytes = MAGIC.to_vec();
            bytes.push(VERSION as u8);
            bytes.extend(tail);
            let _ = Payload::decode(&bytes);
        }

        #[test]
        fn truncation_is_noticed(exports in approximations(), functions in functions(), cut in any::<prop::sample::Index>()) {
            let bytes = Payload::new(Vec::new(), exports, Approximation::Unknown, functions).encode();
            let kept = cut.index(bytes.len());
            prop_assert!(Payload::decode(&bytes[..kept]).is_err());
        }
    }

    #[test]
    fn deep_nesting_is_cut_when_written_and_refused_when_read() {
        let mut deep = Approximation::Immediate(1);
        for _ in 0..10_000 {
            deep = Approximation::Block(vec![deep]);
        }
        let bytes = Payload::new(Vec::new(), deep, Approximation::Unknown, Functions::default()).encode();
        assert!(Payload::decode(&bytes).is_ok());

        let unknown = Approximation::Unknown;
        let mut bytes = Payload::new(Vec::new(), unknown.clone(), unknown, Functions::default()).encode();
        // The approximations, and the empty functions.
        bytes.truncate(bytes.len() - 6);
        bytes.extend([2, 1].repeat(1_000_000));
        assert!(Payload::decode(&bytes).is_err());
    }

    #[test]
    fn other_versions_are_distinguished_from_damage() {
        let mut bytes = MAGIC.to_vec();
        bytes.push(99);
        assert_eq!(Payload::decode(&bytes), Err(PayloadError::Version(99)));
    }
}
