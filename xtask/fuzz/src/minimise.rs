//! From a difference to a small program and the rewrite that makes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flambeau_fuzzgen::{Program, RUNTIME, RUNTIME_FILE, shrink};

use super::builds::{self, Compilers, Difference, Kind};

/// Shrinking is worth this much.
const SHRINK_LIMIT: Duration = Duration::from_secs(150);
/// No unit has more rewrites than this.
const MOST_FUEL: u64 = 1 << 32;

/// Shrinks, bisects, saves; the report as text.
pub fn investigate(
    compilers: &Compilers,
    program: &Program,
    difference: &Difference,
    folder: &Path,
    raw: bool,
) -> Result<String> {
    save(program, &folder.join("original"))?;
    let mut text = format!("\nDIFFERENCE at seed {}: flambeau {}\n", program.seed, difference.build);
    if raw {
        text.push_str(&difference.detail);
        fs::write(folder.join("report.txt"), &text)?;
        return Ok(text);
    }
    let mut tries = 0;
    let deadline = Instant::now() + SHRINK_LIMIT;
    let small = shrink::shrink(program, &mut |candidate| {
        if Instant::now() >= deadline {
            return None;
        }
        tries += 1;
        // A tool that can't be run is no difference.
        Some(still(compilers, candidate, difference).unwrap_or(false))
    });
    save(&small, &folder.join("minimal"))?;
    let _ = writeln!(text, "shrunk from {} to {} nodes in {tries} tries", program.size(), small.size());
    let detail = match builds::oracle(compilers, &[&small])? {
        Ok(oracle) => builds::still_differs(compilers, &small, &oracle, difference)?,
        Err(_) => None,
    };
    text.push_str(
        &detail.map_or_else(|| "(not seen again: does it depend on chance?)\n".into(), |d| d.detail),
    );
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = writeln!(text, "fuel: {}", bisect(compilers, &small, difference)?);
    for (name, source) in small.files() {
        let _ = writeln!(text, "--- {name}\n{}", source.trim_end());
    }
    let _ = writeln!(
        text,
        "---\nto keep it as a test, once it is understood:\n  cp -r {}/minimal tests/regress/NAME   # then name the bug in a comment of the main file",
        folder.display()
    );
    fs::write(folder.join("report.txt"), &text)?;
    Ok(text)
}

/// Shrinks a program on which the stock native compiler disagrees with the oracle.
pub fn investigate_unsettled(
    compilers: &Compilers,
    program: &Program,
    stock: &[String],
    folder: &Path,
) -> Result<String> {
    save(program, folder)?;
    let seen = |candidate: &Program| -> Result<Option<Difference>> {
        match builds::oracle(compilers, &[candidate])? {
            Ok(oracle) => builds::settled(compilers, &[candidate], &oracle, stock),
            Err(_) => Ok(None),
        }
    };
    let first = seen(program)?;
    let kind = first.as_ref().map(|d| d.kind.clone());
    let deadline = Instant::now() + SHRINK_LIMIT;
    let small = shrink::shrink(program, &mut |candidate| {
        (Instant::now() < deadline)
            .then(|| seen(candidate).ok().flatten().is_some_and(|d| Some(d.kind) == kind))
    });
    save(&small, &folder.join("minimal"))?;
    let mut text = format!("\nUNSETTLED at seed {}\n", program.seed);
    text.push_str(&seen(&small)?.map_or_else(String::new, |d| d.detail));
    for (name, source) in small.files() {
        let _ = writeln!(text, "--- {name}\n{}", source.trim_end());
    }
    Ok(text)
}

/// Whether a smaller program shows the same difference, and nothing else is wrong with it.
fn still(compilers: &Compilers, candidate: &Program, difference: &Difference) -> Result<bool> {
    let Ok(oracle) = builds::oracle(compilers, &[candidate])? else { return Ok(false) };
    if builds::still_differs(compilers, candidate, &oracle, difference)?.is_none() {
        return Ok(false);
    }
    // What costs more was compared with what the stock compiler makes of it.
    let settled = matches!(difference.kind, Kind::Cost(..));
    Ok(settled || builds::reference(compilers, &[candidate], &[])?.is_ok())
}

/// The least fuel that shows the difference.
fn bisect(compilers: &Compilers, program: &Program, difference: &Difference) -> Result<String> {
    let Ok(oracle) = builds::oracle(compilers, &[program])? else { return Ok("the oracle fails".into()) };
    let differs = |fuel: u64| -> Result<bool> {
        let mut limited = difference.clone();
        limited.build.flags.extend(["-flambeau-fuel".into(), fuel.to_string()]);
        Ok(builds::still_differs(compilers, program, &oracle, &limited)?.is_some())
    };
    if differs(0)? {
        return Ok("differs without any optional rewrite (-flambeau-fuel 0): conversion or lowering".into());
    }
    let mut high = 1;
    while !differs(high)? {
        high *= 2;
        if high > MOST_FUEL {
            return Ok("no difference with limited fuel".into());
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if differs(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(format!("-flambeau-fuel {high} differs, {} does not: compare their -dflambeau", high - 1))
}

/// Writes a program into a folder, in the layout of `tests/programs`.
pub fn save(program: &Program, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            fs::remove_file(path)?;
        }
    }
    let mut order = format!("{RUNTIME_FILE}\n");
    fs::write(folder.join(RUNTIME_FILE), RUNTIME)?;
    for (name, text) in program.files() {
        fs::write(folder.join(&name), text)?;
        let _ = writeln!(order, "{name}");
    }
    fs::write(folder.join("order"), order)?;
    Ok(())
}
