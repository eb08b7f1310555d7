//! The payload of a `.cmx` comes from a file, which anything may have happened to.

use flambeau_fuzzgen::{Rng, damage};
use flambeau_lambda::Approximation;
use flambeau_unit::{Functions, Payload};

fn approximation(rng: &mut Rng, depth: usize) -> Approximation {
    let name = |rng: &mut Rng| "camlStdlib__list_map_123"[..rng.range(0, 24)].to_owned();
    match rng.below(if depth == 0 { 4 } else { 6 }) {
        0 => Approximation::Unknown,
        1 => Approximation::Immediate(rng.bits() as i64 >> rng.below(64)),
        2 => Approximation::Symbol(name(rng)),
        3 => Approximation::GlobalField { symbol: name(rng), field: rng.bits() as u32 },
        4 => Approximation::Block((0..rng.below(6)).map(|_| approximation(rng, depth - 1)).collect()),
        _ => Approximation::Closure {
            code: name(rng),
            arity: rng.below(9) as i64 - 4,
            needs_closure: rng.chance(50),
            symbol: rng.chance(50).then(|| name(rng)),
            result: Box::new(approximation(rng, depth - 1)),
        },
    }
}

fn functions(rng: &mut Rng) -> Functions {
    let code =
        |rng: &mut Rng| ("camlList__map_12".into(), (0..rng.below(30)).map(|_| rng.bits() as u8).collect());
    Functions {
        format: "1234".into(),
        origins: (0..rng.below(3)).map(|_| "threshold inline=10"[..rng.range(0, 19)].to_owned()).collect(),
        codes: (0..rng.below(4)).map(|_| code(rng)).collect(),
    }
}

#[test]
fn damaged_payloads_are_survived() {
    let mut rng = Rng::new(1);
    let settings = [("level".to_owned(), "3".to_owned())];
    let valid: Vec<Vec<u8>> = (0..60)
        .map(|_| {
            let settings = settings[..rng.below(2)].to_vec();
            Payload::new(
                settings,
                approximation(&mut rng, 5),
                approximation(&mut rng, 5),
                functions(&mut rng),
            )
            .encode()
        })
        .collect();
    let mut accepted = 0;
    damage::survive(2, &valid, 400_000, 32 << 20, |bytes| {
        if let Ok(payload) = Payload::decode(bytes) {
            accepted += 1;
            // What was accepted can be written again.
            assert_eq!(Payload::decode(&payload.encode()), Ok(payload));
        }
    });
    // A mutation that nothing survives would test the first check only.
    assert!(accepted > 1000, "only {accepted} were accepted");
}
