//! Units that are hard on compilers, of the kinds that people report: what programs write, and what writers of
//! benchmarks of inliners fear.

/// Adds a line. Writing to a string does not fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {{
        let _ = writeln!($text, $($arguments)*);
    }};
}

mod code;
mod functions;
mod generated;
mod groups;
mod modules;

use self::code::{chain_of_lets, huge_constants, joins_of_variants, loops_and_references};
use self::functions::{
    doubling, doubling_closures, doubling_inline, functions_of_functions, group_with_functions, monads,
    nested_closures, optional_arguments, recursive_group,
};
use self::generated::{extracted, parser_of_functions, parser_with_tables};
use self::groups::{groups, uses_of_groups};
use self::modules::{many_methods, tower_of_functors, wide_functors};

/// A kind of unit.
pub struct Shape {
    /// Its name in the tables.
    pub name: &'static str,
    /// The unit of that size, whatever the size counts there.
    pub source: fn(usize) -> String,
    /// The size that is measured.
    pub full: usize,
    /// That of the quick version.
    pub quick: usize,
    /// The unit that it uses, for what happens across units.
    pub library: Option<fn(usize) -> String>,
    /// Whether memory and code are bounded too.
    pub all_bounded: bool,
}

impl Shape {
    const fn new(name: &'static str, source: fn(usize) -> String, full: usize, quick: usize) -> Shape {
        Shape { name, source, full, quick, library: None, all_bounded: false }
    }

    const fn with_library(self, library: fn(usize) -> String) -> Shape {
        Shape { library: Some(library), ..self }
    }

    const fn bounded(self) -> Shape {
        Shape { all_bounded: true, ..self }
    }
}

/// All kinds. Each prints something that depends on all that it computes.
pub const SHAPES: &[Shape] = &[
    Shape::new("parser with tables", parser_with_tables, 1500, 300),
    Shape::new("parser of functions", parser_of_functions, 400, 100),
    Shape::new("extracted code", extracted, 150, 40),
    Shape::new("recursive group", recursive_group, 2000, 500),
    Shape::new("group that passes functions", group_with_functions, 500, 150),
    Shape::new("chain of lets", chain_of_lets, 20_000, 4000),
    Shape::new("tower of functors", tower_of_functors, 40, 40),
    Shape::new("wide functors", wide_functors, 400, 100),
    Shape::new("optional arguments", optional_arguments, 400, 100),
    Shape::new("huge constants", huge_constants, 5000, 1000),
    Shape::new("class of many methods", many_methods, 600, 150),
    Shape::new("nested closures", nested_closures, 150, 100),
    Shape::new("doubling", doubling, 400, 100),
    Shape::new("doubling, [@inline]", doubling_inline, 400, 100),
    Shape::new("closures doubling, [@inline]", doubling_closures, 20, 20).bounded(),
    Shape::new("functions of functions", functions_of_functions, 300, 80),
    Shape::new("groups of another unit", uses_of_groups, 60, 15).with_library(groups).bounded(),
    Shape::new("monads", monads, 2000, 400),
    Shape::new("loops and references", loops_and_references, 1000, 250),
    Shape::new("joins of variants", joins_of_variants, 1500, 400),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// Where OCaml is installed: all of them are programs.
    #[test]
    fn units_are_well_typed() -> anyhow::Result<()> {
        let Some(ocamlc) = xtask_support::env::find("ocamlc") else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        for shape in SHAPES {
            let library = shape.library.map_or_else(String::new, |library| library(20));
            fs::write(folder.path().join("library.ml"), library)?;
            fs::write(folder.path().join("unit.ml"), (shape.source)(20))?;
            let mut command = Command::new(&ocamlc);
            command.args(["-w", "-a", "-c", "library.ml", "unit.ml"]).current_dir(folder.path());
            let output = command.output()?;
            assert!(output.status.success(), "{}: {}", shape.name, String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }
}
