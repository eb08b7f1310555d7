//! The `flambeau` executable: `ocamlopt` with our middle-end, and a few commands of its own.

mod boundary;
mod describe;
mod doctor;
mod init;
mod library;
mod manual;
mod ocaml_thread;
mod opt;
mod other_units;
mod perf;
mod pipeline;
mod profiles;
mod program;
mod recompile;
mod reports;
mod run;
mod runner;
mod saved;
mod settings;
mod static_fields;
mod stock_bodies;
mod subcommands;
mod toolchain;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The middle end allocates much, and the process is short-lived.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    boundary::restore_default_signals();
    subcommands::run_if_called().unwrap_or_else(|| ocaml_thread::run(boundary::run_ocaml_driver))
}
