//! The description of an imported unit, as in a request: what [`flambeau_lambda::decode_import`] reads.

use flambeau_lambda::Import;

use crate::Payload;
use crate::approximation;
use crate::bytes::Writer;

/// Encodes the description of an imported unit. What its payload says of functions is left out, but for those that are
/// `wanted`, by the linker's names of their codes.
#[must_use]
pub fn encode_import(import: &Import, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut w = Writer::default();
    w.string(&import.name);
    w.string(&import.symbol);
    w.bool(import.predefined);
    approximation::encode(&import.approximation, &mut w);
    w.option(import.payload.as_deref(), |w, payload| {
        let fewer = with_functions(payload, wanted);
        let payload = fewer.as_deref().unwrap_or(payload);
        w.u(payload.len() as u64);
        w.raw(payload);
    });
    w.into_bytes()
}

/// A payload with fewer functions, if it can be read.
fn with_functions(payload: &[u8], wanted: impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let mut payload = Payload::decode(payload).ok()?;
    payload.functions.codes.retain(|(code, _)| wanted(code));
    Some(payload.encode())
}

#[cfg(test)]
mod tests {
    use flambeau_lambda::{Approximation, decode_import};

    use super::*;
    use crate::Functions;

    #[test]
    fn reading_undoes_writing_but_for_functions_that_nobody_wants() {
        let functions = |codes: &[&str]| Functions {
            format: "f".into(),
            origins: vec!["o".into()],
            codes: codes.iter().map(|code| ((*code).to_owned(), vec![1, 2, 3])).collect(),
        };
        let payload = |codes: &[&str]| {
            let exports = Approximation::Block(vec![Approximation::Immediate(3)]);
            Payload::new(
                vec![("level".into(), "3".into())],
                exports,
                Approximation::Unknown,
                functions(codes),
            )
            .encode()
        };
        let import = |payload| Import {
            name: "M".into(),
            symbol: "camlM".into(),
            predefined: false,
            approximation: Approximation::Immediate(7),
            payload,
        };
        let written = encode_import(&import(Some(payload(&["f", "g"]))), |code| code == "g");
        assert_eq!(decode_import(&written), Ok(import(Some(payload(&["g"])))));
        for payload in [None, Some(vec![0xff, 1, 2])] {
            let unreadable = import(payload);
            assert_eq!(decode_import(&encode_import(&unreadable, |_| false)), Ok(unreadable));
        }
    }
}
