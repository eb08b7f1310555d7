//! What a payload says of the unit that has it, for `flambeau info`.

use std::fmt::Write;

use flambeau_ir::transfer;
use flambeau_unit::{Payload, PayloadError};

/// Lines `name: value`; `flambeau doctor` reads them too.
pub fn describe_payload(bytes: &[u8]) -> String {
    let payload = match Payload::decode(bytes) {
        Ok(payload) => payload,
        Err(PayloadError::Version(version)) => {
            return format!(
                "compiler: flambeau of another version (payload format {version}); its functions are ignored\n"
            );
        }
        Err(error) => return format!("compiler: flambeau; the payload is damaged: {error}\n"),
    };
    let mut text = format!("compiler: flambeau {}\n", payload.flambeau_version);
    let settings: Vec<String> =
        payload.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let codes = &payload.functions.codes;
    let bytes: usize = codes.iter().map(|(_, body)| body.len()).sum();
    let readable = if payload.functions.format == transfer::FORMAT {
        ""
    } else {
        ", written by another build of flambeau: ignored"
    };
    let _ = writeln!(text, "settings: {}", settings.join(" "));
    let _ = writeln!(text, "functions that others may inline: {} ({bytes} bytes){readable}", codes.len());
    text
}

#[cfg(test)]
mod tests {
    use flambeau_lambda::Approximation;
    use flambeau_unit::Functions;

    use super::*;

    #[test]
    fn a_payload_is_described_whatever_it_is() {
        let functions = Functions {
            format: transfer::FORMAT.into(),
            origins: vec![String::new()],
            codes: vec![("camlA__f_1".into(), vec![0; 7])],
        };
        let settings = vec![("level".to_owned(), "3".to_owned())];
        let payload = Payload::new(settings, Approximation::Unknown, Approximation::Unknown, functions);
        let text = describe_payload(&payload.encode());
        assert!(
            text.contains("settings: level=3\nfunctions that others may inline: 1 (7 bytes)\n"),
            "{text}"
        );
        let other =
            Payload { functions: Functions { format: "x".into(), ..payload.functions.clone() }, ..payload };
        assert!(describe_payload(&other.encode()).contains("another build"));
        assert!(describe_payload(b"FLBX\x01").contains("another version"));
        assert!(describe_payload(b"nonsense").contains("damaged"));
    }
}
