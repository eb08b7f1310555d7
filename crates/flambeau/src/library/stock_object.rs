//! Which functions of an object of the stock compiler take no closure, and how many arguments they take: what a direct
//! call must know, and what no `.cmx` says of functions inside of functors.
//!
//! The stock compiler makes the closure of a function without free variables in static data: the code for a call of one
//! argument, a word with the arity in its highest byte, and, unless that is 1, the code for a call of all of them. A
//! function that takes its closure for what it says of the function itself has one, too: the caller must exclude these.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use rustc_hash::FxHashMap;

/// The functions with a static closure that the object beside a stock `.cmx` of the standard library defines: the label
/// and the arity of each.
///
/// # Errors
/// When the archive can't be read, or has no such object.
pub fn static_closures(cmx: &Path) -> Result<Vec<(String, usize)>> {
    let archive = cmx.with_file_name("stdlib.a");
    let bytes = fs::read(&archive).with_context(|| format!("reading {}", archive.display()))?;
    let name = cmx.with_extension("o");
    let name = name.file_name().context("a .cmx without a name")?;
    let parsed =
        ArchiveFile::parse(&*bytes).with_context(|| format!("{} is no archive", archive.display()))?;
    for member in parsed.members() {
        let member = member.with_context(|| format!("{} is damaged", archive.display()))?;
        if member.name() == name.as_encoded_bytes() {
            return closures_in(member.data(&*bytes)?);
        }
    }
    anyhow::bail!("{} has no {}", archive.display(), name.display())
}

fn closures_in(object: &[u8]) -> Result<Vec<(String, usize)>> {
    // Objects of other formats are not looked at.
    if !object.starts_with(b"\x7fELF") {
        return Ok(Vec::new());
    }
    let file = object::File::parse(object).context("the object is damaged")?;
    let mut found = Vec::new();
    for section in file.sections().filter(|section| section.name() == Ok(".data")) {
        let data = section.data()?;
        let mut targets: FxHashMap<u64, (String, bool)> = FxHashMap::default();
        for (offset, relocation) in section.relocations() {
            if let RelocationTarget::Symbol(index) = relocation.target()
                && relocation.addend() == 0
                && let Ok(symbol) = file.symbol_by_index(index)
                && let Ok(name) = symbol.name()
            {
                targets.insert(offset, (name.to_owned(), symbol.is_global() && symbol.is_definition()));
            }
        }
        let arity_at = |offset: u64| {
            let start = usize::try_from(offset).ok()?;
            let word = data.get(start..start.checked_add(8)?)?;
            let is_information = word[0] & 1 == 1 && !targets.contains_key(&offset);
            is_information.then(|| usize::from(word[7]))
        };
        for (offset, (label, is_own)) in &targets {
            if !is_own {
                continue;
            }
            let through = offset.checked_sub(16).and_then(|before| targets.get(&before));
            let arity = match through.and_then(|(name, _)| name.strip_prefix("caml_curry")?.parse().ok()) {
                Some(arity) if arity_at(offset - 8) == Some(arity) => arity,
                _ if arity_at(offset + 8) == Some(1) => 1,
                _ => continue,
            };
            found.push((label.clone(), arity));
        }
    }
    found.sort();
    Ok(found)
}
