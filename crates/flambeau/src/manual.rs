//! The manual page and the completions of shells, from what `flambeau help` and `flambeau -help` print.

use std::fmt::Write;
use std::process::Command as Process;

use anyhow::{Context, Result, bail};
use clap::{Command, ValueEnum};

/// A shell for which completions are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// `source <(flambeau completion bash)`, or a file in bash-completion's folder
    Bash,
    /// A file `_flambeau` in a folder of $fpath
    Zsh,
    /// A file in fish's folder of completions
    Fish,
}

/// A flag of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// With the dash.
    name: String,
    /// What it takes, and what it does.
    text: String,
}

/// The flags of the compiler that are documented, as it lists them itself.
///
/// # Errors
/// When it can't be asked.
pub fn flags() -> Result<Vec<Flag>> {
    let own = std::env::current_exe().context("finding the path of flambeau itself")?;
    let output = Process::new(own).arg("-help").env_remove("FLAMBEAU_FLAGS").output()?;
    let flags = parse_flags(&String::from_utf8_lossy(&output.stdout));
    if flags.is_empty() {
        bail!("`flambeau -help` lists no flags");
    }
    Ok(flags)
}

fn parse_flags(help: &str) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    for line in help.lines() {
        if let Some(rest) = line.strip_prefix("  -") {
            let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
            flags.push(Flag { name: format!("-{name}"), text: text.trim().to_owned() });
        } else if let (Some(flag), true) = (flags.last_mut(), line.starts_with("   ")) {
            flag.text = format!("{} {}", flag.text, line.trim());
        }
    }
    flags.retain(|flag| !flag.text.contains("(undocumented)"));
    flags
}

/// Whether the stock compiler does not have it, or ignores it.
fn is_ours(flag: &Flag) -> bool {
    let prefixes = ["-flambeau", "-no-flambeau", "-flambda2", "-no-flambda2", "-dflambeau"];
    prefixes.iter().any(|prefix| flag.name.starts_with(prefix)) || flag.name == "-O1"
}

/// The commands but `help`, which is clap's.
fn commands(command_line: &Command) -> impl Iterator<Item = &Command> {
    command_line.get_subcommands().filter(|command| command.get_name() != "help")
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The options of a command as they are typed.
fn options(command: &Command) -> Vec<String> {
    let options = command.get_opts().chain(command.get_arguments().filter(|a| !a.is_positional()));
    let mut words: Vec<String> = options
        .flat_map(|option| {
            let long = option.get_long().map(|name| format!("--{name}"));
            long.into_iter().chain(option.get_short().map(|name| format!("-{name}")))
        })
        .collect();
    words.sort();
    words.dedup();
    words
}

// ---- the manual page ----

/// The page in the language of `man`.
pub fn page(command_line: &Command, flags: &[Flag]) -> String {
    let mut page = format!(
        ".TH FLAMBEAU 1 \"\" \"flambeau {}\" \"User Commands\"\n.SH NAME\nflambeau \\- an optimising ocamlopt\n",
        env!("CARGO_PKG_VERSION")
    );
    page.push_str(".SH SYNOPSIS\n.B flambeau\n.I FLAGS FILES\n.br\n.B flambeau\n.I COMMAND ARGUMENTS\n");
    page.push_str(".SH DESCRIPTION\n.nf\n");
    let beginning = command_line.get_before_help().map(ToString::to_string).unwrap_or_default();
    page.extend(beginning.lines().map(|line| roff(line) + "\n"));
    page.push_str(".fi\n.SH COMMANDS\n");
    for command in commands(command_line) {
        let _ = writeln!(page, ".SS {}\n{}", roff(command.get_name()), roff(&about(command)));
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, ".TP\n.B {}\n{}", roff(&argument.to_string()), roff(&help));
        }
    }
    page.push_str(".SH FLAGS OF THE COMPILER\nThose of ocamlopt(1), and:\n");
    for flag in flags.iter().filter(|flag| is_ours(flag)) {
        let _ = writeln!(page, ".TP\n.B {}\n{}", roff(&flag.name), roff(&flag.text));
    }
    page.push_str(".SH ENVIRONMENT\n.TP\n.B FLAMBEAU_FLAGS\n");
    page.push_str("Flags of the compiler for every compilation of a build, separated by blanks.\n");
    page.push_str(".TP\n.B OCAMLPARAM\nAs for ocamlopt(1).\n.SH SEE ALSO\n.BR ocamlopt (1)\n");
    page
}

/// Text in the language of `man`: it begins no line with a control character, and its hyphens can be copied.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

// ---- completions ----

/// What the shell is to read.
pub fn completion(shell: Shell, command_line: &Command, flags: &[Flag]) -> String {
    match shell {
        Shell::Bash => bash(command_line, flags),
        Shell::Zsh => zsh(command_line, flags),
        Shell::Fish => fish(command_line, flags),
    }
}

fn names(command_line: &Command) -> Vec<&str> {
    command_line.get_subcommands().map(Command::get_name).collect()
}

fn flag_names(flags: &[Flag]) -> Vec<&str> {
    flags.iter().map(|flag| flag.name.as_str()).collect()
}

/// An arm of a `case` for each command, with its options.
fn arms(command_line: &Command, arm: impl Fn(&str) -> String) -> String {
    commands(command_line)
        .map(|command| format!("    {}) {} ;;\n", command.get_name(), arm(&options(command).join(" "))))
        .collect()
}

fn bash(command_line: &Command, flags: &[Flag]) -> String {
    format!(
        "_flambeau() {{\n  \
           local current=${{COMP_WORDS[COMP_CWORD]}} words flags='{flags}'\n  \
           case $COMP_CWORD:${{COMP_WORDS[1]}} in\n    \
             1:*) words=\"{commands} $flags\" ;;\n{arms}    \
             *) words=$flags ;;\n  \
           esac\n  \
           COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n\
         }}\n\
         complete -o filenames -F _flambeau flambeau\n",
        flags = flag_names(flags).join(" "),
        commands = names(command_line).join(" "),
        arms = arms(command_line, |options| format!("words='{options}'")).replace("    ", "    *:"),
    )
}

fn zsh(command_line: &Command, flags: &[Flag]) -> String {
    format!(
        "#compdef flambeau\n\
         local -a words_of_ours\n\
         if (( CURRENT == 2 )); then\n  \
           words_of_ours=({commands} {flags})\n\
         else\n  \
           case $words[2] in\n{arms}    \
             *) words_of_ours=({flags}) ;;\n  \
           esac\n\
         fi\n\
         compadd -a words_of_ours\n\
         _files\n",
        flags = flag_names(flags).join(" "),
        commands = names(command_line).join(" "),
        arms = arms(command_line, |options| format!("words_of_ours=({options})")),
    )
}

fn fish(command_line: &Command, flags: &[Flag]) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut script = String::new();
    for command in command_line.get_subcommands() {
        let (name, about) = (command.get_name(), quoted(&about(command)));
        let _ = writeln!(script, "complete -c flambeau -n __fish_use_subcommand -a {name} -d {about}");
        for option in options(command) {
            let kind = if option.starts_with("--") { "-l" } else { "-s" };
            let option = option.trim_start_matches('-');
            let _ = writeln!(
                script,
                "complete -c flambeau -n '__fish_seen_subcommand_from {name}' {kind} {option}"
            );
        }
    }
    for flag in flags {
        let name = flag.name.trim_start_matches('-');
        let _ = writeln!(
            script,
            "complete -c flambeau -n 'not __fish_seen_subcommand_from {}' -o {} -d {}",
            names(command_line).join(" "),
            quoted(name),
            quoted(&flag.text)
        );
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Usage: ocamlopt <options> <files>\n  -a  Build a library\n  -O1 Optimise\n    as without -O2\n  \
                        -dx  (undocumented)\n  -flambeau-fuel <n> Do at most\n";

    #[test]
    fn flags_are_read_from_help() {
        let flags = parse_flags(HELP);
        let names: Vec<&str> = flag_names(&flags);
        assert_eq!(names, ["-a", "-O1", "-flambeau-fuel"]);
        assert_eq!(flags[1].text, "Optimise as without -O2");
        assert_eq!(flags.iter().filter(|flag| is_ours(flag)).count(), 2);
    }

    #[test]
    fn page_and_completions_have_every_command_and_flag() {
        let (line, flags) = (crate::subcommands::command_line(), parse_flags(HELP));
        let page = page(&line, &flags);
        for command in commands(&line) {
            assert!(page.contains(&format!(".SS {}\n", command.get_name())), "{page}");
        }
        assert!(page.contains(".B \\-flambeau\\-fuel\n<n> Do at most\n"), "{page}");
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let text = completion(shell, &line, &flags);
            for word in ["toolchain", "doctor", "flambeau-fuel", "format"] {
                assert!(text.contains(word), "{shell:?}: no {word} in {text}");
            }
        }
    }
}
