//! What the optimiser is told, as the OCaml side sends it.

/// The settings of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Optimise at all.
    pub simplify: bool,
    /// Inline functions that are no stubs.
    pub inline: bool,
    /// Of `-O`; 1 without.
    pub level: u32,
    /// Tell other units of this one.
    pub export: bool,
    /// Note every rewrite.
    pub trace: bool,
    /// Report what was decided (`-inlining-report`): the source file, as the command line names it.
    pub report: Option<String>,
}

impl Settings {
    /// Reads names and values.
    ///
    /// # Errors
    /// A name or value that nobody knows: the two sides are not of one build.
    pub fn read(pairs: &[(String, String)]) -> Result<Settings, String> {
        let mut settings =
            Settings { simplify: true, inline: true, level: 1, export: true, trace: false, report: None };
        for (name, value) in pairs {
            match (name.as_str(), value.as_str()) {
                ("simplify", "no") => settings.simplify = false,
                ("inline", "no") => settings.inline = false,
                ("export", "no") => settings.export = false,
                ("trace", "yes") => settings.trace = true,
                ("report", source) => settings.report = Some(source.to_owned()),
                ("level", n) => settings.level = n.parse().map_err(|_| format!("no level {n}"))?,
                (name, value) => return Err(format!("unknown setting {name} = {value}")),
            }
        }
        Ok(settings)
    }
}
