//! How the linker's names of a unit are formed: `Compilenv.make_symbol` of the version of OCaml that compiles it.

/// The linker's names of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Naming {
    prefix: String,
    separator: String,
}

impl Naming {
    /// What stands between a unit and what it defines before OCaml 5.1, and in `.fl` files that do not say otherwise.
    pub const USUAL_SEPARATOR: &'static str = "__";

    /// For a unit whose own symbol is `prefix` (`caml` and its name), `separator` being what follows in all other
    /// names.
    pub fn new(prefix: impl Into<String>, separator: impl Into<String>) -> Naming {
        Naming { prefix: prefix.into(), separator: separator.into() }
    }

    /// For a unit whose own symbol is `prefix`, with [`Naming::USUAL_SEPARATOR`].
    pub fn usual(prefix: impl Into<String>) -> Naming {
        Naming::new(prefix, Naming::USUAL_SEPARATOR)
    }

    /// The symbol of the unit: of its module block.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What stands between the symbol of a unit and the name of what it defines.
    #[must_use]
    pub fn separator(&self) -> &str {
        &self.separator
    }

    /// The linker's name of what this unit calls `name`, unless it is the unit's own symbol.
    #[must_use]
    pub fn local(&self, name: &str) -> String {
        if name == self.prefix { name.to_owned() } else { format!("{}{}{name}", self.prefix, self.separator) }
    }

    /// What this unit calls that which has a linker's name; nothing if it is of another unit, or the unit's own symbol.
    #[must_use]
    pub fn name_of<'n>(&self, linkage_name: &'n str) -> Option<&'n str> {
        linkage_name
            .strip_prefix(self.prefix.as_str())
            .and_then(|rest| rest.strip_prefix(self.separator.as_str()))
            .filter(|name| !name.is_empty())
    }

    /// What a unit, maybe another one, calls that which has a linker's name. Of units whose name has the separator in
    /// it, what follows its first occurrence there.
    #[must_use]
    pub fn base<'n>(&self, linkage_name: &'n str) -> &'n str {
        linkage_name.split_once(self.separator.as_str()).map_or(linkage_name, |(_, base)| base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_separator_of_the_version() {
        let old = Naming::usual("camlM");
        let new = Naming::new("camlM", ".");
        assert_eq!(old.local("f_1"), "camlM__f_1");
        assert_eq!(new.local("f_1"), "camlM.f_1");
        assert_eq!(old.name_of("camlM__f_1"), Some("f_1"));
        assert_eq!(new.name_of("camlM__f_1"), None);
        assert_eq!(new.name_of("camlM.+._2"), Some("+._2"));
        assert_eq!(old.base("camlStdlib__List__map_261"), "List__map_261");
        assert_eq!(new.base("camlStdlib__List.map_261"), "map_261");
        assert_eq!(new.name_of("camlM"), None);
    }
}
