//! The project's own commands, one module a subject: `cargo xtask --help` lists them.
//!
//! Every command works on the executable `flambeau` of the target folder, built by the command itself.
//! With the environment variable `FLAMBEAU` another compiler replaces it (the stock `ocamlopt.opt`,
//! say): that is how the commands themselves are checked, and how an older build is measured.

mod bootstrap;
mod demo;
mod dist;
mod install;
mod opam;
mod programs;
mod stability;
mod test;
mod tidy;
mod walk;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask_projects::{conformance, corpus, projects, selfbuild};
use xtask_support::{ocaml, setup};

/// Set-up, tests and measurements of Flambeau.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Work with another version of OCaml, which is prepared first if it was not (docs/versions.md)
    #[arg(long, global = true, value_name = "VERSION")]
    ocaml: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Install what the build needs, build flambeau, and make a toolchain folder with it (target/toolchain)
    Setup,
    /// Prepare another version of OCaml: built from its sources, with ocamlfind and its own test suite
    Ocaml(ocaml::Options),
    /// Format, lints, unit tests, program tests, robustness
    Test(test::Options),
    /// Compile and run four example programs with the stock compiler and with flambeau
    Demo,
    /// Run OCaml's own test suite with the stock native compiler and with flambeau
    Conformance(conformance::Options),
    /// Build three real projects with both compilers and run their tests
    Projects(projects::Options),
    /// Compile OCaml's compiler with both compilers; both results must make the same code
    Selfbuild(selfbuild::Options),
    /// Damaged inputs, full disks, huge units, and every way of linking
    Robustness(xtask_robustness::Options),
    /// Compile OCaml's sources and many Debian packages at all levels: nothing may be refused
    Corpus(corpus::Options),
    /// Random programs, on which all compilers must agree
    Fuzz(xtask_fuzz::Options),
    /// Build flambeau and install it, with its toolchain folder, manual page, completions and documents
    Install(install::Options),
    /// Run the commands of README.md and of the guide's first chapter, as a newcomer types them
    Walk(walk::Options),
    /// Make the release archive, which builds without a network
    Dist(dist::Options),
    /// Compare speed, allocation, size and compile time with stock ocamlopt, Flambda 1 and C
    Bench(xtask_bench::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Carries out the command; whether all that it checks held.
fn run(arguments: Arguments) -> Result<bool> {
    if let Some(version) = &arguments.ocaml {
        ocaml::switch(version)?;
    }
    match arguments.command {
        Command::Setup => setup::run().map(|()| true),
        Command::Ocaml(options) => ocaml::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Demo => demo::run(),
        Command::Conformance(options) => conformance::run(&options),
        Command::Projects(options) => projects::run(&options),
        Command::Selfbuild(options) => selfbuild::run(&options),
        Command::Robustness(options) => xtask_robustness::run(&options),
        Command::Corpus(options) => corpus::run(&options),
        Command::Fuzz(options) => xtask_fuzz::run(&options),
        Command::Install(options) => install::run(&options).map(|()| true),
        Command::Walk(options) => walk::run(&options).map(|()| true),
        Command::Dist(options) => dist::run(&options),
        Command::Bench(options) => xtask_bench::run(&options),
    }
}
