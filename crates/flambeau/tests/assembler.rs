//! Flambeau's assembler against `as`: of each test program the object file that it makes is compared with that of the
//! text which the emitter prints for the same instructions.

mod folder;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use folder::{Folder, check_status, text};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags};

/// The test programs, and those of the benchmarks.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut programs = Vec::new();
    for folder in ["tests/programs", "bench/programs"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder of programs") {
            let path = entry.expect("an entry").path();
            programs.extend(path.extension().is_some_and(|extension| extension == "ml").then_some(path));
        }
    }
    programs.sort();
    programs
}

/// What the linker reads of an object file, and what debuggers do.
#[derive(PartialEq, Debug)]
struct Contents {
    sections: Vec<(String, SectionFlags, u64, Vec<u8>)>,
    /// The order within a section means nothing.
    relocations: BTreeSet<(String, u64, String, i64, u32)>,
    symbols: Vec<String>,
    labels: BTreeSet<String>,
    lines: String,
}

fn contents(folder: &Folder, name: &str) -> Contents {
    let bytes = fs::read(folder.path(name)).expect("an object file");
    let file: ElfFile64 = ElfFile64::parse(&*bytes).expect("an ELF file");
    let is_loaded =
        |name: &str| !name.is_empty() && !name.starts_with(".debug") && name != ".note.gnu.property";
    let mut sections = Vec::new();
    let mut relocations = BTreeSet::new();
    for section in file.sections() {
        let name = section.name().expect("a name");
        let is_table = name.starts_with(".rela") || [".symtab", ".strtab", ".shstrtab"].contains(&name);
        if !is_loaded(name) || is_table {
            continue;
        }
        let data = section.data().expect("bytes").to_vec();
        sections.push((name.to_owned(), section.flags(), section.align(), data));
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let symbol = file.symbol_by_index(symbol).expect("a symbol");
            let target = match symbol.section_index().filter(|_| symbol.name() == Ok("")) {
                Some(section) => file.section_by_index(section).expect("a section").name().expect("a name"),
                None => symbol.name().expect("a name"),
            };
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            relocations.insert((name.to_owned(), offset, target.to_owned(), relocation.addend(), r_type));
        }
    }
    let mut symbols = Vec::new();
    let mut labels = BTreeSet::new();
    for symbol in file.symbols() {
        let section = symbol.section_index().and_then(|section| file.section_by_index(section).ok());
        let section = section.as_ref().map_or("", |section| section.name().expect("a name"));
        if section.starts_with(".debug") {
            continue;
        }
        let name = symbol.name().expect("a name");
        let row = format!("{name} {section} {} {} {:?}", symbol.address(), symbol.size(), symbol.flags());
        if name.starts_with(".L") {
            labels.insert(row);
        } else {
            symbols.push(row);
        }
    }
    let lines = folder.command("readelf", &[], &["--debug-dump=decodedline", name]);
    check_status(&lines, 0);
    Contents { sections, relocations, symbols, labels, lines: text(&lines.stdout) }
}

/// Compares the objects of all programs with these flags.
fn check_programs(flags: &[&str]) {
    let mut compared = 0;
    for path in programs() {
        let source = fs::read_to_string(&path).expect("a program");
        let folder = Folder::new(&[("m.ml", &source)]);
        let always = ["-flambeau-strict", "-w", "-a", "-S", "-c", "-I", "+unix", "-I", "+threads", "m.ml"];
        let compiled = folder.run(&[flags, &always].concat());
        // Some programs are for other versions of OCaml, or want flags and libraries.
        if !compiled.status.success() {
            let message = text(&compiled.stderr);
            assert!(!message.contains("internal compiler error"), "{}: {message}", path.display());
            continue;
        }
        let ours = contents(&folder, "m.o");
        check_status(&folder.command("as", &[], &["-o", "m.o", "m.s"]), 0);
        let theirs = contents(&folder, "m.o");
        let path = path.display();
        assert!(ours.symbols == theirs.symbols, "{path}: {:#?}\n{:#?}", ours.symbols, theirs.symbols);
        assert!(ours.relocations == theirs.relocations, "{path}: {:#?}", ours.relocations);
        assert!(ours.lines == theirs.lines, "{path}: {}\n{}", ours.lines, theirs.lines);
        assert!(ours == theirs, "{path}: other sections or labels");
        compared += 1;
    }
    assert!(compared > 250, "{compared} programs");
}

#[test]
fn objects_are_those_of_as() {
    check_programs(&["-g"]);
}

#[test]
fn objects_with_a_section_for_each_function_are_those_of_as() {
    check_programs(&["-O3", "-g", "-function-sections"]);
}

#[test]
fn objects_with_absolute_addresses_are_those_of_as() {
    check_programs(&["-nodynlink", "-fno-PIC", "-inline", "200"]);
}

/// Distances of jumps at the edge of what a byte holds, behind and across padding: each body has one more instruction.
#[test]
fn jumps_are_as_short_as_those_of_as() {
    let mut source = String::new();
    for size in 0..80 {
        let body: String = (0..size).map(|n| format!("r := !r lxor (n lsl {});", 1 + n % 7)).collect();
        source.push_str(&format!(
            "let f{size} n = let r = ref n in for i = 0 to n do if i land 1 = 0 then begin {body} () end done; !r\n"
        ));
    }
    let folder = Folder::new(&[("m.ml", &source)]);
    check_status(&folder.run(&["-flambeau-strict", "-g", "-S", "-c", "m.ml"]), 0);
    let ours = contents(&folder, "m.o");
    check_status(&folder.command("as", &[], &["-o", "m.o", "m.s"]), 0);
    assert!(ours == contents(&folder, "m.o"), "other sections, symbols or lines");
}

/// What is linked of equal objects is equal, the program that starts them included.
#[test]
fn executables_are_the_same() {
    let folder = Folder::new(&[("m.ml", "let () = print_endline \"hello\"")]);
    check_status(&folder.run(&["-g", "-c", "m.ml"]), 0);
    check_status(&folder.run(&["-g", "m.cmx", "-o", "ours"]), 0);
    check_status(&folder.run(&["-g", "-flambeau-external-assembler", "m.cmx", "-o", "theirs"]), 0);
    let [ours, theirs] = ["ours", "theirs"].map(|name| fs::read(folder.path(name)).expect("an executable"));
    assert!(ours == theirs, "the executables differ");
}

/// `BUILD_PATH_PREFIX_MAP` holds for names in debug information.
#[test]
fn paths_are_mapped() {
    let folder = Folder::new(&[("m.ml", "let f x = x + 1\nlet () = print_int (f 2)")]);
    let here = folder.path("").canonicalize().expect("a path").display().to_string();
    let map = format!("/replaced={here}");
    check_status(&folder.run_with(&[("BUILD_PATH_PREFIX_MAP", &map)], &["-g", "-c", "m.ml"]), 0);
    let info = folder.command("readelf", &[], &["--debug-dump=info", "m.o"]);
    let info = text(&info.stdout);
    assert!(info.contains("/replaced") && !info.contains(&here), "{info}");
}

/// The second loop needs a poll, which made the back end put one into the first, too, that allocates each time.
#[test]
fn a_loop_that_allocates_has_no_poll() {
    let source = "let f n =
         let list = ref [] and i = ref 0 in
         while !i < n do incr i; list := !i :: !list done;
         let sum = ref 0 in
         while !i > 0 do decr i; sum := !sum lxor (!i * !sum) done;
         (!list, !sum)";
    let folder = Folder::new(&[("m.ml", source)]);
    check_status(&folder.run(&["-flambeau-strict", "-S", "-c", "m.ml"]), 0);
    let assembly = fs::read_to_string(folder.path("m.s")).expect("the assembly");
    // The cell, the pair, and the poll of the second loop.
    assert_eq!(assembly.matches("(%r14), %r15").count(), 3, "{assembly}");
}

/// Without position-independent code the index would be part of the address, for which the linker has no room.
#[test]
fn an_index_outside_is_no_offset() {
    let source = include_str!("../../../tests/regress/index_beyond_all_objects.ml");
    let folder = Folder::new(&[("m.ml", source)]);
    let outside = "index out of bounds\n".repeat(3);
    assert_eq!(folder.link_and_run(&["-nodynlink", "m.ml"]), format!("{outside}c\nby zero\n"));
}
