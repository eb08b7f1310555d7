//! The sources that a report shows its decisions beside: read when the unit is compiled, so that locations refer to
//! them even if the files change later.

use std::path::{Component, Path};

use crate::model::{Report, Source};

/// Longer files are left out: nobody looks at them on a page.
const LIMIT: usize = 8 << 20;

/// Reads the sources of a report as far as they are there; names are relative to that folder.
pub fn read(report: &mut Report, folder: &Path) {
    let main = report.build.source.clone();
    let mut files = report.files();
    files.retain(|file| *file == main || is_inside(file));
    // The source of the unit comes first.
    files.sort_by_key(|file| *file != main);
    let read = |file: &&str| {
        let text = text_of(&folder.join(file))?;
        Some(Source { file: (*file).to_owned(), text })
    };
    report.sources = files.iter().filter_map(read).collect();
}

/// Whether a file is below the folder in which the compiler runs.
fn is_inside(file: &str) -> bool {
    !file.is_empty()
        && Path::new(file).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

/// The contents of a file of text.
fn text_of(path: &Path) -> Option<String> {
    let is_short = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LIMIT as u64);
    let bytes = is_short.then(|| std::fs::read(path).ok()).flatten()?;
    // A parse tree is what `-ppx` and dune hand to the compiler.
    let is_text = !bytes.contains(&0) && !bytes.starts_with(b"Caml1999");
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Build;
    use flambeau_ir::decision::{Decision, DecisionLog, Place, Reason};
    use flambeau_ir::{Naming, Unit};

    #[test]
    fn only_text_of_the_project_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, contents) in [("a.mly", "y"), ("b.ml", "let x = 1"), ("tree.ml", "Caml1999M030\0\0")] {
            std::fs::write(folder.path().join(name), contents).expect("written");
        }
        let decision = |file: &str| Decision {
            round: 0,
            function: None,
            places: vec![Place { file: file.into(), ..Place::default() }],
            callee: None,
            depth: 0,
            reason: Reason::Stub,
        };
        let files = ["a.mly", "tree.ml", "/etc/hostname", "../b.ml", "missing.ml", ""];
        let log = DecisionLog {
            decisions: files.iter().map(|file| decision(file)).collect(),
            ..Default::default()
        };
        let build = Build { source: "b.ml".into(), ..Build::default() };
        let mut report = Report::new(&Unit::new("B", Naming::usual("camlB"), 0), build, log, 1, &[]);
        read(&mut report, folder.path());
        let names: Vec<&str> = report.sources.iter().map(|source| source.file.as_str()).collect();
        assert_eq!(names, ["b.ml", "a.mly"]);
    }
}
