//! The optimiser's settings, as the OCaml side sends them, or as a saved unit has them.

use std::path::PathBuf;

use flambeau_ir::decision::Policy;
use flambeau_ir::inlining::{Choice, Rounds};
use flambeau_ir::{Fuel, Machine, Rewrites};
use flambeau_passes::schedule::{Step, lifting_rounds};
use flambeau_passes::{Conditions, PASSES, schedule};
use flambeau_report::remarks::Kind;

/// The settings of a compilation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Backtraces are wanted (`-g`).
    pub debug: bool,
    /// Domains run OCaml code at the same time (OCaml 5).
    pub several_domains: bool,
    /// The code is for the description of a stock object.
    pub described: bool,
    /// How many rewrites conversion has done: of a saved unit.
    pub converted: u64,
    /// What code is generated for.
    pub machine: Machine,
    /// Optimise at all.
    pub simplify: bool,
    /// Passes that are left out (`-flambeau-skip`).
    pub skip: Vec<String>,
    /// Inline functions that are no stubs.
    pub inline: bool,
    /// Closures capture values as they are (`-no-unbox-free-vars-of-closures`).
    pub boxed_captures: bool,
    /// Each allocation of the source makes a value of its own (`-flambeau-keep-sharing`).
    pub keep_sharing: bool,
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
    /// Where code comes from matters without `-g`, too.
    pub locations: bool,
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
            debug: false,
            several_domains: false,
            described: false,
            converted: 0,
            machine: Machine::Native,
            simplify: true,
            skip: Vec::new(),
            inline: true,
            boxed_captures: false,
            keep_sharing: false,
            unboxed_closures: false,
            boxed_arguments: false,
            level: 1,
            rounds: None,
            inlining: Rounds::default(),
            export: true,
            locations: false,
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
                ("debug", "yes") => settings.debug = true,
                ("several-domains", "yes") => settings.several_domains = true,
                ("described", "yes") => settings.described = true,
                ("converted", n) => {
                    settings.converted = n.parse().map_err(|_| format!("no number of rewrites {n}"))?;
                }
                ("skip", pass) => settings.skip.push(pass_named("-flambeau-skip", pass)?.to_owned()),
                ("machine", "bytecode") => settings.machine = Machine::Bytecode,
                ("simplify", "no") => settings.simplify = false,
                ("inline", "no") => settings.inline = false,
                ("sharing", "kept") => settings.keep_sharing = true,
                ("unbox-free-vars-of-closures", "no") => settings.boxed_captures = true,
                ("unbox-closures", "yes") => settings.unboxed_closures = true,
                ("unbox-specialised-args", "no") => settings.boxed_arguments = true,
                ("export", "no") => settings.export = false,
                ("locations", "yes") => settings.locations = true,
                ("trace", "yes") => settings.trace = true,
                ("report", "yes") => settings.report = true,
                ("profile-gen", "yes") => settings.profile_gen = true,
                ("profile-use", file) => settings.profile_use = Some(file.into()),
                ("source", source) => source.clone_into(&mut settings.source),
                ("remarks", kinds) => settings.remarks = remarks(kinds)?,
                ("level", n) => settings.level = n.parse().map_err(|_| format!("no level {n}"))?,
                ("rounds", n) => {
                    settings.rounds = Some(
                        n.parse()
                            .map_err(|_| format!("-rounds: {n} is no number of rounds, which are 2 to 8"))?,
                    );
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

    /// The passes that run, in order.
    pub fn steps(&self) -> Vec<&'static Step> {
        if !self.simplify {
            return Vec::new();
        }
        let Settings { level, rounds, described, machine, .. } = *self;
        let conditions = Conditions { level, rounds, described, machine };
        let mut steps = schedule(conditions);
        steps.retain(|step| self.skip.iter().all(|name| name != step.pass.name));
        steps
    }

    /// After how many rounds `parameters` follows.
    pub fn lifting_rounds(&self) -> Option<u32> {
        self.simplify.then(|| lifting_rounds(&self.steps()))
    }

    /// How many rounds a unit has in which a profile says that the program spends its time, if the user does not say
    /// it: as many as at `-O3`, and there one more. What is inlined for hot calls is seen through by the next round.
    pub fn rounds_of_hot_unit(&self) -> Option<u32> {
        self.rounds.is_none().then_some(if self.level >= 3 { 4 } else { 3 })
    }

    /// What passes decide by.
    pub fn rewrites(&self, fuel: Fuel) -> Rewrites {
        Rewrites {
            fuel: fuel.after(self.converted),
            keep_backtraces: self.debug,
            several_domains: self.several_domains,
            exported_parts: self.level >= 3 && !self.described,
            described: self.described,
            stubs_only: !self.inline,
            boxed_captures: self.boxed_captures,
            keep_sharing: self.keep_sharing,
            unboxed_closures: self.unboxed_closures,
            boxed_arguments: self.boxed_arguments,
            machine: self.machine,
            inlining: self.inlining.clone(),
            lifting_rounds: self.lifting_rounds(),
            ..Rewrites::default()
        }
    }
}

/// The name of a pass, if it is one; else an error that names all.
///
/// # Errors
/// When there is no such pass.
pub fn pass_named(flag: &str, name: &str) -> Result<&'static str, String> {
    let names = || PASSES.iter().map(|pass| pass.name);
    names().find(|known| *known == name).ok_or_else(|| {
        format!("{flag}: there is no pass {name}; the passes are {}", names().collect::<Vec<_>>().join(", "))
    })
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
