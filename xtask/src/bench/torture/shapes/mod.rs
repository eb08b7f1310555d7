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
mod modules;

use self::code::{chain_of_lets, huge_constants, joins_of_variants, loops_and_references};
use self::functions::{
    doubling, doubling_inline, functions_of_functions, group_with_functions, monads, nested_closures,
    optional_arguments, recursive_group,
};
use self::generated::{extracted, parser_of_functions, parser_with_tables};
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
}

/// All kinds. Each prints something that depends on all that it computes.
pub const SHAPES: &[Shape] = &[
    Shape { name: "parser with tables", source: parser_with_tables, full: 1500, quick: 300 },
    Shape { name: "parser of functions", source: parser_of_functions, full: 400, quick: 100 },
    Shape { name: "extracted code", source: extracted, full: 150, quick: 40 },
    Shape { name: "recursive group", source: recursive_group, full: 2000, quick: 500 },
    Shape { name: "group that passes functions", source: group_with_functions, full: 500, quick: 150 },
    Shape { name: "chain of lets", source: chain_of_lets, full: 20_000, quick: 4000 },
    Shape { name: "tower of functors", source: tower_of_functors, full: 40, quick: 40 },
    Shape { name: "wide functors", source: wide_functors, full: 400, quick: 100 },
    Shape { name: "optional arguments", source: optional_arguments, full: 400, quick: 100 },
    Shape { name: "huge constants", source: huge_constants, full: 5000, quick: 1000 },
    Shape { name: "class of many methods", source: many_methods, full: 600, quick: 150 },
    Shape { name: "nested closures", source: nested_closures, full: 150, quick: 100 },
    Shape { name: "doubling", source: doubling, full: 400, quick: 100 },
    Shape { name: "doubling, [@inline]", source: doubling_inline, full: 400, quick: 100 },
    Shape { name: "functions of functions", source: functions_of_functions, full: 300, quick: 80 },
    Shape { name: "monads", source: monads, full: 2000, quick: 400 },
    Shape { name: "loops and references", source: loops_and_references, full: 1000, quick: 250 },
    Shape { name: "joins of variants", source: joins_of_variants, full: 1500, quick: 400 },
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// Where OCaml is installed: all of them are programs.
    #[test]
    fn units_are_well_typed() -> anyhow::Result<()> {
        let Some(ocamlc) = crate::env::find("ocamlc") else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        for shape in SHAPES {
            fs::write(folder.path().join("unit.ml"), (shape.source)(20))?;
            let mut command = Command::new(&ocamlc);
            let output = command.args(["-w", "-a", "-c", "unit.ml"]).current_dir(folder.path()).output()?;
            assert!(output.status.success(), "{}: {}", shape.name, String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }
}
