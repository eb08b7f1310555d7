//! The environment that compilers and programs are run in: that of a plain shell, whatever ours is.

use std::process::Command;

use crate::env;

/// Variables that would make a compiler or a program behave otherwise than in a plain shell.
const VARIABLES: &[&str] = &[
    "OCAMLRUNPARAM",
    "CAMLRUNPARAM",
    "OCAMLPARAM",
    "OCAMLLIB",
    "CAMLLIB",
    "OCAML_COLOR",
    "CAML_LD_LIBRARY_PATH",
    "FLAMBEAU_FUEL",
];

/// Flambeau's flags for a command, which are those of all our own compilations and of no one else: what is measured
/// must be our middle end's. A compiler that replaces ours may not know them.
pub fn own_flags(command: &mut Command) -> &mut Command {
    match env::stand_in() {
        None => command.env("FLAMBEAU_FLAGS", "-flambeau-strict"),
        Some(_) => command.env_remove("FLAMBEAU_FLAGS"),
    }
}

/// Takes the variables out of a command's environment that would change what it does.
pub fn clean(command: &mut Command) -> &mut Command {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C.UTF-8").env("TZ", "UTC")
}
