//! Programs that consist of shapes: each shape occurs, and every kernel is measured.

use std::collections::BTreeSet;

use flambeau_fuzzgen::{KERNEL, Options, Program, shape_names};

/// The programs of the first seeds that consist of shapes.
fn programs(seeds: u64) -> impl Iterator<Item = Program> {
    let options = Options { ocaml5: true, ..Options::default() };
    (0..seeds).map(move |seed| Program::generate(seed, &options)).filter(|p| p.shape.is_some())
}

#[test]
fn every_shape_occurs() {
    let seen: BTreeSet<&str> = programs(160).filter_map(|p| p.shape).collect();
    let missing: Vec<&str> = shape_names(&Options { ocaml5: true, ..Options::default() })
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_template_is_filled_and_measured() {
    for program in programs(1200) {
        let text: String = program.files().into_iter().map(|(_, text)| text).collect();
        // The shell's variable is the only dollar in a program.
        let holes = text.replace("$PPID", "").matches('$').count();
        assert_eq!(holes, 0, "seed {}: {text}", program.seed);
        assert!(text.contains(KERNEL), "seed {}", program.seed);
    }
}
