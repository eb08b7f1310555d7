//! The optimiser's settings, as the OCaml side sends them.

use std::path::PathBuf;

use flambeau_ir::decision::Policy;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_report::remarks::Kind;

/// The settings of a compilation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Optimise at all.
    pub simplify: bool,
    /// Inline functions that are no stubs.
    pub inline: bool,
    /// Closures capture values as they are (`-no-unbox-free-vars-of-closures`).
    pub boxed_captures: bool,
    /// Captured values are passed to functions at direct calls wherever that can be (`-unbox-closures`).
    pub unboxed_closures: bool,
    /// No function is copied for the parts of arguments (`-no-unbox-specialised-args`).
    pub boxed_arguments: bool,
    /// The level of `-O`; 1 without the flag.
    pub level: u32,
    /// `-rounds`.
    pub rounds: Option<u32>,
    /// The policy and parameters of the inliner.
    pub inlining: Rounds,
    /// Export this unit's functions and values to other units.
    pub export: bool,
    /// Record every rewrite.
    pub trace: bool,
    /// Report what was decided (`-inlining-report`).
    pub report: bool,
    /// Print remarks of these kinds while compiling (`-flambeau-remarks`).
    pub remarks: Vec<Kind>,
    /// Count how often functions and branches run (`-flambeau-profile-gen`).
    pub profile_gen: bool,
    /// The file of the profile that decisions are made by (`-flambeau-profile-use`).
    pub profile_use: Option<PathBuf>,
    /// The source file, as the command line names it.
    pub source: String,
    /// Functions of the stock object that its description does not name otherwise, if the unit is compiled for the
    /// library: the label and the number of arguments.
    pub stock_functions: Vec<(String, usize)>,
    /// The stock `.cmx` that the unit is compiled for, if it is compiled for the library.
    pub stock_cmx: Option<PathBuf>,
}

impl Settings {
    /// Whether what is decided and what remains is to be explained.
    pub fn explains(&self) -> bool {
        self.report || !self.remarks.is_empty()
    }

    /// Reads names and values.
    ///
    /// # Errors
    /// When a name or value is unknown, because the two sides are of different builds; or when a round is no number.
    pub fn read(pairs: &[(String, String)]) -> Result<Settings, String> {
        let mut settings = Settings {
            simplify: true,
            inline: true,
            boxed_captures: false,
            unboxed_closures: false,
            boxed_arguments: false,
            level: 1,
            rounds: None,
            inlining: Rounds::default(),
            export: true,
            trace: false,
            report: false,
            remarks: Vec::new(),
            profile_gen: false,
            profile_use: None,
            source: String::new(),
            stock_functions: Vec::new(),
            stock_cmx: None,
        };
        let mut choice = Choice::default();
        let mut arguments = Vec::new();
        for (name, value) in pairs {
            match (name.as_str(), value.as_str()) {
                ("simplify", "no") => settings.simplify = false,
                ("inline", "no") => settings.inline = false,
                ("unbox-free-vars-of-closures", "no") => settings.boxed_captures = true,
                ("unbox-closures", "yes") => settings.unboxed_closures = true,
                ("unbox-specialised-args", "no") => settings.boxed_arguments = true,
                ("export", "no") => settings.export = false,
                ("trace", "yes") => settings.trace = true,
                ("report", "yes") => settings.report = true,
                ("profile-gen", "yes") => settings.profile_gen = true,
                ("profile-use", file) => settings.profile_use = Some(file.into()),
                ("source", source) => source.clone_into(&mut settings.source),
                ("remarks", kinds) => settings.remarks = remarks(kinds)?,
                ("level", n) => settings.level = n.parse().map_err(|_| format!("no level {n}"))?,
                ("rounds", n) => {
                    settings.rounds =
                        Some(n.parse().map_err(|_| format!("-rounds: {n} is no number of rounds"))?);
                }
                ("policy", name) => choice = policy(name)?,
                ("stock-cmx", file) => settings.stock_cmx = Some(PathBuf::from(file)),
                ("stock-function", text) => settings.stock_functions.push(stock_function(text)?),
                (name, value) => match name.strip_prefix("argument:") {
                    Some(name) => arguments.push((name, value)),
                    None => return Err(format!("unknown setting {name} = {value}")),
                },
            }
        }
        settings.inlining = Rounds::new(choice, settings.level);
        for (name, value) in arguments {
            let (name, round) = match name.split_once('@') {
                None => (name, None),
                Some((name, round)) => {
                    let number = round.parse().map_err(|_| format!("-{name}: {round} is no round"))?;
                    (name, Some(number))
                }
            };
            settings.inlining.set(name, round, value)?;
        }
        Ok(settings)
    }
}

/// Kinds of remarks, separated by commas.
fn remarks(text: &str) -> Result<Vec<Kind>, String> {
    let kind = |name| Kind::ALL.into_iter().find(|kind| kind.name() == name);
    text.split(',')
        .map(|name| kind(name).ok_or_else(|| format!("-flambeau-remarks: no kind {name}")))
        .collect()
}

/// A label and a number of arguments.
fn stock_function(text: &str) -> Result<(String, usize), String> {
    let parts = text.split_once(' ').and_then(|(label, args)| Some((label.to_owned(), args.parse().ok()?)));
    parts.ok_or_else(|| format!("no stock function: {text}"))
}

fn policy(name: &str) -> Result<Choice, String> {
    match name {
        "default" => Ok(Choice::Measured),
        name => Policy::named(name).map(Choice::Documented).ok_or_else(|| format!("no policy {name}")),
    }
}
