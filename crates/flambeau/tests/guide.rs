//! The guide: each example compiles, or fails with the message that it shows; what reports say of programs is what the
//! guide says; its figures are those that are measured; its links lead somewhere.
//!
//! The words after ```` ```ocaml ```` say what a block is: `error`, it does not compile, and the text after it is part
//! of the message; `same=FILE`, it is that file of `tests/remarks`; otherwise it compiles without a warning. A block
//! `text remark=FILE` is the first remark on that block.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

mod folder;
use folder::{Folder, check_status, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The chapters: names and contents.
fn chapters() -> Vec<(String, String)> {
    let folder = root().join("docs/guide/src");
    let entries = fs::read_dir(folder).expect("the guide is there");
    let mut chapters: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("a chapter"))
        })
        .collect();
    chapters.sort();
    chapters
}

/// A fenced block.
struct Block {
    kind: String,
    contents: String,
}

impl Block {
    fn value(&self, key: &str) -> Option<&str> {
        self.kind.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks(chapter: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in chapter.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => open = Some(Block { kind: kind.to_owned(), contents: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.contents.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[test]
fn examples_are_as_the_guide_says() {
    let tools = Folder::new(&[]);
    let tool = tools.tool();
    let mut examples = 0;
    for (name, chapter) in chapters() {
        let blocks = blocks(&chapter);
        let mut files: HashMap<&str, &str> = HashMap::new();
        for (index, block) in blocks.iter().enumerate() {
            let folder = Folder::new(&[("example.ml", &block.contents)]);
            let compile = |flags: &[&str]| {
                folder.command(&tool, &[], &[flags, &["-O3", "-g", "-c", "example.ml"][..]].concat())
            };
            if let Some(file) = block.value("same") {
                let source = fs::read_to_string(root().join("tests/remarks").join(file)).expect("a program");
                let source = match source.strip_prefix("(* ") {
                    Some(_) => source.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
                    None => source,
                };
                assert_eq!(block.contents, source, "{name}: {file}");
                files.insert(file, &block.contents);
            } else if let Some(file) = block.value("remark") {
                check_remark(
                    &tool,
                    file,
                    files.get(file).expect("the program stands before"),
                    &block.contents,
                );
            } else if block.kind == "ocaml" {
                let output = compile(&["-w", "+a-4-9-32-40-41-42-44-45-70", "-warn-error", "+a"]);
                check_status(&output, 0);
            } else if block.kind == "ocaml error" {
                let output = compile(&[]);
                check_status(&output, 2);
                let message = text(&output.stderr);
                for line in blocks[index + 1].contents.lines() {
                    assert!(message.contains(line), "{name}: {line} is not in {message}");
                }
            }
            examples += usize::from(block.kind.starts_with("ocaml"));
        }
    }
    assert!(examples > 20, "examples are missing");
}

/// The first remark on a program has these lines.
fn check_remark(tool: &str, file: &str, source: &str, expected: &str) {
    let folder = Folder::new(&[(file, source)]);
    check_status(&folder.command(tool, &[], &["-O3", "-g", "-inlining-report", "-c", file]), 0);
    let report = file.replace(".ml", ".flambeau-report.json");
    let shown = text(&folder.command(tool, &[], &["report", "--top", "1", &report]).stdout);
    for line in expected.lines() {
        assert!(shown.contains(line), "{file}: {line}\nis not in\n{shown}");
    }
}

/// The table of words in `slow.md`: on the version of OCaml that it names exactly, on others no more afterwards.
#[test]
fn figures_are_those_that_are_measured() {
    let (_, chapter) = chapters().into_iter().find(|(name, _)| name == "slow.md").expect("the chapter");
    let folder = Folder::new(&[]);
    let tool = folder.tool();
    let is_named = text(&folder.run(&["-version"]).stdout).starts_with("4.13");
    let words = |file: &str, name: &str| {
        let source = fs::read(root().join("tests/remarks").join(file)).expect("a program");
        fs::write(folder.path(&format!("{name}.ml")), source).expect("written");
        let program = folder.path(name);
        let program = program.to_str().expect("text");
        check_status(&folder.command(&tool, &[], &["-O3", "-g", "-o", program, &format!("{name}.ml")]), 0);
        let output = folder.command(program, &[("OCAMLRUNPARAM", "v=0x400")], &[]);
        let counters = text(&output.stderr);
        let counter = |name: &str| -> f64 {
            let line = counters.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|value| value.trim().parse().ok())
                .unwrap_or_else(|| panic!("no {name} in {counters}"))
        };
        counter("minor_words") + counter("major_words") - counter("promoted_words")
    };
    let mut rows = 0;
    for line in chapter.lines().filter(|line| line.starts_with("| ") && !line.contains("program")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, before, after] = cells[..] else { panic!("{line}") };
        let measured =
            [words(&format!("{name}.ml"), name), words(&format!("{name}.fast.ml"), &format!("{name}_fast"))];
        if is_named {
            let shown = measured.map(|words| format!("{:.1}", words / 1e6));
            assert_eq!(shown, [before, after], "{name}");
        } else {
            assert!(measured[1] <= measured[0] + 1000.0, "{name}: {measured:?}");
        }
        rows += 1;
    }
    assert_eq!(rows, 10);
}

#[test]
fn links_lead_somewhere() {
    let guide = root().join("docs/guide/src");
    let mut listed = Vec::new();
    let chapters = chapters();
    for (name, chapter) in &chapters {
        for link in chapter.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = guide.join(link.split('#').next().unwrap_or_default());
            assert!(target.exists(), "{name}: {link} leads nowhere");
            if name == "SUMMARY.md" {
                listed.push(link.to_owned());
            }
        }
    }
    for (name, _) in chapters.iter().filter(|(name, _)| name != "SUMMARY.md") {
        assert!(listed.contains(name), "{name} is not in the summary");
    }
}
