//! What every source file keeps to, as a test: it says what it is about, and its comments fit into a line of 120
//! characters.

#[cfg(test)]
mod tests {
    use std::fs;

    use anyhow::Result;
    use xtask_support::env;

    /// The width of comments and documents.
    const WIDTH: usize = 120;

    #[test]
    fn files_say_what_they_are_about_and_comments_fit_into_a_line() -> Result<()> {
        let mut findings = Vec::new();
        let mut files = 0;
        for folder in ["crates", "xtask"] {
            for file in env::files_below(&env::root().join(folder))? {
                if file.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                files += 1;
                let text = fs::read_to_string(&file)?;
                if !text.starts_with("//!") {
                    findings.push(format!("{}: no //! at its head", file.display()));
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
