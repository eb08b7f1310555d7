//! The compilers and flags that every unit is compiled with.

use anyhow::{Result, bail};

/// Whose `.cmx` of other units a compilation finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Stock's, of the package's other units, of installed libraries and of OCaml's own.
    Stock,
    /// Ours, of the package's other units and of OCaml's standard library; stock's of installed libraries.
    Ours,
}

/// A compiler with flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// As the table and the option `--levels` name it.
    pub name: &'static str,
    /// Stock or ours.
    pub is_stock: bool,
    /// The flags.
    pub flags: &'static [&'static str],
    /// What it compiles beside.
    pub library: Library,
}

const fn ours(name: &'static str, flags: &'static [&'static str]) -> Setting {
    Setting { name, is_stock: false, flags, library: Library::Ours }
}

const fn stock(name: &'static str, flags: &'static [&'static str]) -> Setting {
    Setting { name, is_stock: true, flags, library: Library::Stock }
}

/// What ours is compared with: without debugging information, and with it.
pub const BASES: [Setting; 2] = [stock("stock", &[]), stock("stock -g", &["-g"])];

const LEVELS: &[Setting] = &[
    ours("default", &[]),
    ours("O3", &["-O3"]),
    ours("O3-g", &["-O3", "-g"]),
    ours("Oclassic", &["-Oclassic"]),
    ours("benefit", &["-O3", "-flambeau-policy", "benefit"]),
    ours("threshold", &["-O3", "-flambeau-policy", "threshold"]),
    Setting {
        name: "default/stock",
        is_stock: false,
        flags: &["-flambeau-no-library"],
        library: Library::Stock,
    },
    Setting {
        name: "O3/stock",
        is_stock: false,
        flags: &["-O3", "-flambeau-no-library"],
        library: Library::Stock,
    },
];

impl Setting {
    /// The index in [`BASES`] of what it is compared with.
    pub fn base(&self) -> usize {
        usize::from(self.flags.contains(&"-g"))
    }
}

/// The settings of those names, separated by commas; all of them if there is none.
pub fn chosen(names: Option<&str>) -> Result<Vec<Setting>> {
    let Some(names) = names else { return Ok(LEVELS.to_vec()) };
    names
        .split(',')
        .map(|name| {
            if let Some(level) = LEVELS.iter().find(|level| level.name == name) {
                Ok(level.clone())
            } else {
                let known: Vec<&str> = LEVELS.iter().map(|level| level.name).collect();
                bail!("no level {name}; there are {}", known.join(", "))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() -> Result<()> {
        let names: Vec<&str> = chosen(Some("O3,Oclassic"))?.iter().map(|level| level.name).collect();
        assert_eq!(names, ["O3", "Oclassic"]);
        assert_eq!(chosen(None)?.len(), LEVELS.len());
        assert!(chosen(Some("O7")).is_err());
        Ok(())
    }

    #[test]
    fn debugging_information_is_compared_with_debugging_information() -> Result<()> {
        for level in chosen(None)? {
            assert_eq!(
                BASES[level.base()].flags.contains(&"-g"),
                level.flags.contains(&"-g"),
                "{}",
                level.name
            );
        }
        Ok(())
    }
}
