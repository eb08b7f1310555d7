//! What every source file keeps to, as a test: it says what it is about, it is not too long to be about one thing, and
//! the comments of those in Rust fit into a line of 120 characters.

#[cfg(test)]
mod tests {
    use std::fs;

    use anyhow::Result;
    use xtask_support::env;

    /// The width of comments and documents.
    const WIDTH: usize = 120;
    /// The lines of a file; one that needs more has two subjects.
    const LINES: usize = 600;

    #[test]
    fn files_are_about_one_thing_and_say_what_and_comments_fit_into_a_line() -> Result<()> {
        let mut findings = Vec::new();
        let mut files = 0;
        for folder in ["crates", "xtask", "ocaml"] {
            for file in env::files_below(&env::root().join(folder))? {
                let head = match file.extension().and_then(|extension| extension.to_str()) {
                    Some("rs") => "//!",
                    Some("ml" | "mli") if folder == "ocaml" => "(*",
                    _ => continue,
                };
                files += 1;
                let text = fs::read_to_string(&file)?;
                if !text.starts_with(head) {
                    findings.push(format!("{}: no {head} at its head", file.display()));
                }
                let lines = text.lines().count();
                if lines > LINES {
                    findings.push(format!("{}: {lines} lines, above {LINES}", file.display()));
                }
                for (number, line) in text.lines().enumerate() {
                    if line.trim_start().starts_with("//") && line.chars().count() > WIDTH {
                        findings.push(format!("{}:{}: a comment above {WIDTH}", file.display(), number + 1));
                    }
                }
            }
        }
        assert!(files > 300, "only {files} files were looked at");
        assert!(findings.is_empty(), "{}", findings.join("\n"));
        Ok(())
    }
}
