//! Writes the program of a seed into a folder.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    let seed = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let program = flambeau_fuzzgen::Program::generate(seed, &flambeau_fuzzgen::Options::default());
    std::fs::write(Path::new(&folder).join(flambeau_fuzzgen::RUNTIME_FILE), flambeau_fuzzgen::RUNTIME)?;
    for (name, text) in program.files() {
        println!("{name}");
        std::fs::write(Path::new(&folder).join(name), text)?;
    }
    Ok(())
}
