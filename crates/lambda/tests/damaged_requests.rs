//! Requests come from our own OCaml side; a decoder that trusts its input would still hide that side's mistakes.

use flambeau_fuzzgen::{Rng, damage};
use flambeau_lambda::{decode, printer};

/// Writes random requests: the encodings of `docs/formats.md`.
struct Writer {
    bytes: Vec<u8>,
    rng: Rng,
    nodes: u64,
}

const IDENTS: u64 = 6;
const DESCRIPTIONS: u64 = 6;

impl Writer {
    fn u(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn i(&mut self, n: i64) {
        self.u(((n << 1) ^ (n >> 63)) as u64);
    }

    fn all(&mut self, ns: &[u64]) {
        ns.iter().for_each(|&n| self.u(n));
    }

    fn string(&mut self, s: &str) {
        self.u(s.len() as u64);
        self.bytes.extend_from_slice(s.as_bytes());
    }

    fn ident(&mut self) {
        let n = self.rng.bits() % IDENTS;
        self.u(n);
    }

    /// A node below which `depth` levels are allowed.
    fn node(&mut self, depth: u32) {
        let choice = if depth == 0 { self.rng.below(3) } else { self.rng.below(25) };
        let children = |w: &mut Writer, n: usize| (0..n).for_each(|_| w.node(depth - 1));
        let some = self.rng.below(4);
        match choice {
            0 | 1 => {
                self.u(choice as u64);
                self.ident();
            }
            2 => self.constant(),
            3 => {
                children(self, 1 + some);
                self.all(&[3, some as u64, 0, 0, 4, 2, 1]);
            }
            4 => {
                children(self, 1);
                self.all(&[4, 0, some as u64]);
                for _ in 0..some {
                    self.ident();
                    self.u(1);
                }
                self.all(&[0, 1, 1, 0, 0, 0, 1, 0]);
            }
            5 | 6 => {
                children(self, 2);
                self.u(choice as u64);
                if choice == 5 {
                    self.u(2);
                }
                self.u(5);
                self.ident();
            }
            7 => {
                children(self, some + 1);
                self.all(&[7, some as u64]);
                (0..some).for_each(|_| self.ident());
            }
            8 => {
                children(self, some);
                // Primitives with no, one and two parameters.
                let prims: &[&[u64]] = &[&[0], &[3, 0], &[5, 0, 1], &[6, 2, 1], &[22, 1], &[40]];
                let prim = *self.rng.pick(prims);
                self.u(8);
                self.all(prim);
                self.all(&[0, some as u64]);
            }
            9 => {
                children(self, 4);
                self.all(&[9, 0, 2, 1, 2, 2, 1, 0, 1]);
            }
            10 => {
                children(self, some + 2);
                self.all(&[10, 0, some as u64]);
                (0..some).for_each(|_| self.string("key"));
                self.u(1);
            }
            11 => {
                children(self, some);
                self.all(&[11, 3, some as u64]);
            }
            12 => {
                children(self, 2);
                self.all(&[12, 3, 1]);
                self.ident();
                self.u(0);
            }
            13 => {
                children(self, 2);
                self.u(13);
                self.ident();
            }
            14 => {
                children(self, 3);
                self.u(14);
            }
            15 | 16 => {
                children(self, 2);
                self.u(choice as u64);
            }
            17 => {
                children(self, 3);
                self.u(17);
                self.ident();
                self.u(1);
            }
            18 | 21 => {
                children(self, 1);
                self.u(choice as u64);
                self.ident();
            }
            19 => {
                children(self, 2 + some);
                self.all(&[19, 1, 0, some as u64]);
            }
            22 | 24 => {
                // Of the runtime, which is never inlined; of another unit.
                let (name, inlined) = if choice == 22 { ("caml_perform", 2) } else { ("camlOther__f_1", 0) };
                children(self, some);
                self.u(22);
                self.string(name);
                self.all(&[0, inlined, some as u64]);
            }
            23 => {
                // A comparison at a type.
                children(self, 2);
                let name = *self.rng.pick(&["caml_compare", "caml_equal", "caml_notequal", "caml_lessthan"]);
                let description = self.rng.bits() % DESCRIPTIONS;
                self.all(&[23, description, 13]);
                self.string(name);
                self.string(name);
                self.all(&[2, 1, 2, 0, 0, 0, 0, 2]);
            }
            _ => {
                children(self, 1);
                self.all(&[20, 0]);
            }
        }
        self.nodes += 1;
    }

    /// A type that mentions types of a list of so many.
    fn type_term(&mut self, count: u64) {
        let kind = self.rng.bits() % 12;
        self.u(kind);
        let some = self.rng.bits() % 4;
        match kind {
            8 | 9 => self.u(some % count),
            10 => {
                self.all(&[some, some]);
                for tag in 0..some {
                    self.all(&[tag, some]);
                    (0..some).for_each(|field| self.all(&[(field + tag) % count, field % 2]));
                }
            }
            11 => {
                self.u(some);
                (0..some).for_each(|tag| self.all(&[tag, tag % count]));
            }
            _ => {}
        }
    }

    fn description(&mut self) {
        let count = 1 + self.rng.bits() % 5;
        self.u(count);
        (0..count).for_each(|_| self.type_term(count));
        let root = self.rng.bits() % count;
        self.u(root);
    }

    /// A block of one constant of each sort.
    fn constant(&mut self) {
        self.all(&[2, 8, 0]);
        let n = self.rng.bits() as i64;
        self.i(n);
        self.u(1);
        self.bytes.extend_from_slice(&1.5f64.to_le_bytes());
        self.u(2);
        self.i(-5);
        self.u(3);
        self.i(n);
        self.u(5);
        self.string("text");
        self.all(&[7, 1]);
        self.bytes.extend_from_slice(&n.to_le_bytes());
        self.all(&[8, 0, 6, 3, 7]);
    }
}

fn request(seed: u64) -> Vec<u8> {
    let new = || Writer { bytes: vec![], rng: Rng::new(seed), nodes: 0 };
    let mut term = new();
    term.node(4);
    let mut w = new();
    w.bytes.extend_from_slice(b"FLBQ");
    w.u(9);
    // Options.
    w.string("M");
    w.string("camlM");
    w.string(".");
    w.all(&[1, 2]);
    w.all(&[1, 0, 1, 1, 7, 1]);
    w.string("ir");
    w.all(&[0, 3, 2, 1]);
    w.string("level");
    w.string("3");
    // Locations, identifiers, imports.
    w.u(1);
    w.string("m.ml");
    w.all(&[1, 2, 3, 4, 5, 6]);
    w.string("M.f");
    w.u(IDENTS);
    for n in 0..IDENTS {
        w.string("x");
        w.u(n);
        // Its type: nothing, a type variable, a list of such.
        let types: [&[u64]; 3] = [&[0], &[6, 1], &[3, 2, 6, 1, 4, 0]];
        w.all(types[n as usize % types.len()]);
    }
    w.u(1);
    w.string("Stdlib");
    w.string("camlStdlib");
    w.u(0);
    // An approximation: a block of an immediate and a symbol.
    w.all(&[2, 2, 3, 5, 4]);
    w.string("camlStdlib__1");
    w.u(1);
    w.string("payload");
    w.u(DESCRIPTIONS);
    (0..DESCRIPTIONS).for_each(|_| w.description());
    w.u(term.nodes);
    w.bytes.extend(term.bytes);
    // Parts.
    w.u(seed % 3);
    (0..seed % 3).for_each(|_| w.string("part"));
    w.bytes
}

#[test]
fn random_requests_are_valid() {
    for seed in 0..200 {
        if let Err(error) = decode(&request(seed)) {
            panic!("request {seed}: {error}");
        }
    }
}

#[test]
fn damaged_requests_are_survived() {
    let valid: Vec<Vec<u8>> = (0..60).map(request).collect();
    let mut accepted = 0;
    damage::survive(4, &valid, 90_000, 64 << 20, |bytes| {
        if let Ok(request) = decode(bytes) {
            accepted += 1;
            drop(printer::print(&request.term));
        }
    });
    assert!(accepted > 1000, "only {accepted} were accepted");
}
