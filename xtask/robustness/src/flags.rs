//! The command line: the stock compiler's flags, with their meaning, its messages and its exit codes.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::lab::{By, Lab};
use super::{Check, Verdict};
use xtask_support::checks::diff;
use xtask_support::process::{self, Exit};

pub const CHECKS: &[Check] = &[
    Check { name: "flags-all-of-stock", run: all_of_stock },
    Check { name: "flags-same-messages", run: same_messages },
    Check { name: "flags-interface", run: interface },
    Check { name: "flags-dumps", run: dumps },
    Check { name: "flags-stop-after", run: stop_after },
    Check { name: "flags-save-ir", run: save_ir },
    Check { name: "flags-assembly", run: assembly },
    Check { name: "flags-response-files", run: response_files },
    Check { name: "flags-ocamlparam", run: ocamlparam },
    Check { name: "flags-preprocessors", run: preprocessors },
    Check { name: "flags-open-and-include", run: open_and_include },
    Check { name: "flags-nostdlib", run: nostdlib },
    Check { name: "flags-information", run: information },
    Check { name: "flags-objects-only", run: objects_only },
    Check { name: "flags-unsafe", run: unsafe_flag },
    Check { name: "called-as-ocamlopt", run: called_as_ocamlopt },
];

const SOURCE: &str = "type t = { name : string; mutable size : float }\nexception Odd of int\n\
    let rec count n = if n <= 0 then 0 else 1 + count (n - 2)\n\
    let grow t = t.size <- t.size *. 2.; t\n\
    let () = Printf.printf \"%d %g\\n\" (count 9) (grow { name = \"a\"; size = 1.5 }).size\n";
const OUTPUT: &str = "5 3\n";
const LIMIT: Duration = Duration::from_secs(60);

/// Every flag of the stock compiler's `-help` stands in ours, with the same words.
fn all_of_stock(lab: &Lab) -> Result<Verdict> {
    let flags = |by: By| -> Result<Vec<String>> {
        let help = lab.compile(by, &["-help"])?.all_output();
        Ok(help
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'))
            .map(str::to_owned)
            .collect())
    };
    let (stock, ours) = (flags(By::Stock)?, flags(By::Flambeau)?);
    if stock.len() < 100 {
        bail!("the stock compiler's help lists only {} flags", stock.len());
    }
    let missing: Vec<&String> = stock.iter().filter(|flag| !ours.contains(flag)).collect();
    if !missing.is_empty() {
        bail!("not in -help, or in other words: {missing:#?}");
    }
    Ok(Verdict::Held)
}

/// Errors and warnings: same text, same exit code.
fn same_messages(lab: &Lab) -> Result<Verdict> {
    let sources = [
        ("type_error.ml", "let x : int = \"a\"\n"),
        ("syntax_error.ml", "let x = (1 +\n"),
        ("unbound.ml", "let x = Nowhere.f 1\n"),
        ("warning.ml", "let f x = match x with Some y -> y\n"),
        ("tail.ml", "let rec f x = 1 + (f [@tailcall]) x\n"),
        ("primitive.ml", "external f : int -> int = \"%no_such_primitive\"\nlet g = f 1\n"),
        ("good.ml", SOURCE),
        ("bad.mli", "val x : int -> \n"),
    ];
    for (name, source) in sources {
        lab.write(name, source)?;
    }
    lab.write("mismatch.mli", "val x : string\n")?;
    lab.write("mismatch.ml", "let x = 1\n")?;
    lab.write("needs.mli", "val x : int\n")?;
    lab.write("user.ml", "let () = print_int Needs.x\n")?;
    let calls: &[&[&str]] = &[
        &["-c", "type_error.ml"],
        &["-c", "syntax_error.ml"],
        &["-c", "unbound.ml"],
        &["-c", "warning.ml"],
        &["-c", "-w", "+a", "good.ml"],
        &["-c", "-w", "+8", "-warn-error", "+8", "warning.ml"],
        &["-c", "-w", "+51", "tail.ml"],
        // Warning 55 is missing: it comes with the inliner, which knows why (features B9, B18).
        &["-c", "primitive.ml"],
        &["-c", "bad.mli"],
        &["-c", "mismatch.mli", "mismatch.ml"],
        &["-c", "good.ml", "type_error.ml"],
        &["-c", "nowhere.ml"],
        &["-no-such-flag"],
        &["-o"],
        &["-c", "-o", "x.cmx", "good.ml", "warning.ml"],
        &["good.unknown"],
        &["-I"],
        &["-inline", "many", "good.ml"],
        &["-stop-after", "lunch", "good.ml"],
        &["-pack", "good.ml"],
        &["needs.mli", "user.ml", "-o", "user.exe"],
        &["-a", "good.ml"],
        &["-config", "-c"],
        &["-for-pack", "not a name", "-c", "good.ml"],
        &[],
    ];
    for arguments in calls {
        let call = format!("ocamlopt {}", arguments.join(" "));
        let stock = lab.try_compile(By::Stock, arguments)?;
        let ours = lab.try_compile(By::Flambeau, arguments)?;
        if stock.exit != ours.exit {
            bail!("{call}, expected: {}; actual: {}\n{}", stock.exit, ours.exit, ours.all_output());
        }
        for (what, stock, ours) in [("stdout", stock.out(), ours.out()), ("stderr", stock.err(), ours.err())]
        {
            // Messages about the command line begin with the program's own name.
            let stock = stock.replace(&lab.stock.ocamlopt.to_string_lossy().into_owned(), "OCAMLOPT");
            let ours = ours.replace(&lab.flambeau.to_string_lossy().into_owned(), "OCAMLOPT");
            if arguments.contains(&"-config") || usage(&stock) == usage(&ours) {
                continue;
            }
            bail!("{}", diff(&format!("{call}: {what}"), &stock, &ours));
        }
    }
    Ok(Verdict::Held)
}

/// A message without the list of flags that follows a mistake on the command line: ours is longer.
fn usage(message: &str) -> &str {
    match message.find("Usage: ") {
        Some(start) => &message[..start],
        None => message,
    }
}

fn interface(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let stock = lab.compile(By::Stock, &["-i", "x.ml"])?.all_output();
    let ours = lab.compile(By::Flambeau, &["-i", "x.ml"])?.all_output();
    if stock.is_empty() || stock != ours {
        bail!("{}", diff("-i", &stock, &ours));
    }
    lab.expect_absent(&["x.cmi", "x.cmx", "x.o"])?;
    Ok(Verdict::Held)
}

fn dumps(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    // What comes before our middle-end is the stock compiler's, to the letter.
    for flag in ["-dparsetree", "-dtypedtree", "-drawlambda", "-dlambda", "-dsource"] {
        let stock = lab.compile(By::Stock, &["-c", flag, "x.ml"])?.all_output();
        let ours = lab.compile(By::Flambeau, &["-c", flag, "x.ml"])?.all_output();
        if stock.is_empty() || stock != ours {
            bail!("{}", diff(flag, &stock, &ours));
        }
    }
    // What comes after it is another program, in the stock compiler's format.
    let count = lab.stock.symbol("X", "count")?;
    for (flag, sign) in [
        ("-dcmm", "(function"),
        ("-dsel", "*** After instruction selection"),
        ("-dlinear", "*** Linearized code"),
        ("-dlive", "*** Liveness analysis"),
        ("-dspill", "*** After spilling"),
        ("-dalloc", "*** After register allocation"),
        ("-dtimings", "typing"),
    ] {
        let text = lab.compile(By::Flambeau, &["-c", flag, "x.ml"])?.all_output();
        if !text.contains(sign) || (flag != "-dtimings" && !text.contains(&count)) {
            bail!("{flag} prints no {sign}, or no {count}: {text}");
        }
    }
    Ok(Verdict::Held)
}

fn stop_after(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    for (pass, made, not_made) in [
        ("parsing", &[][..], &["x.cmi", "x.cmx", "x.o"][..]),
        ("typing", &["x.cmi"], &["x.cmx", "x.o"]),
        ("scheduling", &["x.cmi", "x.cmx"], &["x.o"]),
    ] {
        for name in ["x.cmi", "x.cmx", "x.o"] {
            let _ = fs::remove_file(lab.file(name));
        }
        lab.compile(By::Flambeau, &["-c", "-stop-after", pass, "x.ml"])?;
        for name in made {
            if !lab.has(name) {
                bail!("-stop-after {pass} makes no {name}");
            }
        }
        lab.expect_absent(not_made).with_context(|| format!("-stop-after {pass}"))?;
    }
    Ok(Verdict::Held)
}

/// The back end can be stopped before it emits code, and taken up from there.
fn save_ir(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let arguments = &["-c", "-save-ir-after", "scheduling", "-stop-after", "scheduling", "x.ml"];
    lab.compile(By::Flambeau, arguments)?;
    lab.expect_absent(&["x.o"])?;
    if !lab.has("x.cmir-linear") {
        bail!("-save-ir-after scheduling makes no x.cmir-linear");
    }
    lab.compile(By::Flambeau, &["-c", "x.cmir-linear"])?;
    lab.compile(By::Flambeau, &["x.cmx", "-o", "x.exe"])?;
    lab.expect_output("x.exe", OUTPUT)?;
    Ok(Verdict::Held)
}

fn assembly(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    lab.compile(By::Flambeau, &["-S", "-c", "x.ml"])?;
    let text = String::from_utf8_lossy(&lab.read("x.s")?).into_owned();
    let count = lab.stock.symbol("X", "count")?;
    if !text.contains(&count) {
        bail!("x.s does not define {count}");
    }
    Ok(Verdict::Held)
}

fn response_files(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    lab.write("lines", "-g\nx.ml\n-o\nx.exe\n")?;
    lab.compile(By::Flambeau, &["-args", "lines"])?;
    lab.expect_output("x.exe", OUTPUT)?;
    fs::remove_file(lab.file("x.exe"))?;
    lab.write("zeros", "-g\0x.ml\0-o\0x.exe\0")?;
    lab.compile(By::Flambeau, &["-args0", "zeros"])?;
    lab.expect_output("x.exe", OUTPUT)?;
    Ok(Verdict::Held)
}

fn ocamlparam(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let compile = |value: &str| {
        let mut command = lab.command(&lab.flambeau);
        process::run(command.args(["-c", "x.ml"]).env("OCAMLPARAM", value), LIMIT)
    };
    compile("_,S=1")?.expect_success("OCAMLPARAM=_,S=1")?;
    if !lab.has("x.s") {
        bail!("OCAMLPARAM=_,S=1 leaves no assembly");
    }
    // An error in it is reported, and the compilation continues: as stock.
    let ours = compile("_,g=maybe")?;
    let mut command = lab.command(lab.compiler(By::Stock));
    let stock = process::run(command.args(["-c", "x.ml"]).env("OCAMLPARAM", "_,g=maybe"), LIMIT)?;
    if (ours.exit, ours.err()) != (stock.exit, stock.err()) {
        bail!("{}", diff("OCAMLPARAM=_,g=maybe", &stock.err(), &ours.err()));
    }
    Ok(Verdict::Held)
}

fn preprocessors(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE.replace("Printf.printf", "PRINT"))?;
    let pp = "sed s/PRINT/Printf.printf/";
    lab.compile(By::Flambeau, &["-pp", pp, "x.ml", "-o", "x.exe"])?;
    lab.expect_output("x.exe", OUTPUT)?;
    // The simplest rewriter of trees gives back what it gets.
    lab.write("y.ml", SOURCE)?;
    lab.compile(By::Flambeau, &["-ppx", "cp", "y.ml", "-o", "y.exe"])?;
    lab.expect_output("y.exe", OUTPUT)?;
    lab.expect_refusal(&["-c", "-ppx", "false", "y.ml"], &["false"], &["preprocessor"])?;
    Ok(Verdict::Held)
}

fn open_and_include(lab: &Lab) -> Result<Verdict> {
    fs::create_dir(lab.file("inner"))?;
    lab.write("inner/prelude.ml", "let say = print_endline\nlet answer = 42\n")?;
    lab.write("x.ml", "let () = say (string_of_int answer)\n")?;
    lab.compile(By::Flambeau, &["-c", "inner/prelude.ml"])?;
    lab.compile(
        By::Flambeau,
        &["-I", "inner", "-open", "Prelude", "inner/prelude.cmx", "x.ml", "-o", "x.exe"],
    )?;
    lab.expect_output("x.exe", "42\n")?;
    Ok(Verdict::Held)
}

/// The standard library of the flags, not ours: what OCaml's own test suite and build do.
fn nostdlib(lab: &Lab) -> Result<Verdict> {
    lab.write("x.ml", SOURCE)?;
    let library = lab.stock.library.to_string_lossy().into_owned();
    lab.compile(By::Flambeau, &["-nostdlib", "-I", &library, "x.ml", "-o", "x.exe"])?;
    lab.expect_output("x.exe", OUTPUT)?;
    lab.expect_refusal(&["-nostdlib", "-c", "x.ml"], &["stdlib"], &["unbound module", "cannot find"])?;
    Ok(Verdict::Held)
}

fn information(lab: &Lab) -> Result<Verdict> {
    for flag in ["-version", "-vnum"] {
        let stock = lab.compile(By::Stock, &[flag])?.out();
        let ours = lab.compile(By::Flambeau, &[flag])?.out();
        if stock != ours {
            bail!("{}", diff(flag, &stock, &ours));
        }
    }
    let library = lab.compile(By::Flambeau, &["-where"])?.out();
    for file in ["stdlib.cmxa", "stdlib.cmi", "libasmrun.a", "caml/mlvalues.h"] {
        if !std::path::Path::new(library.trim()).join(file).exists() {
            bail!("the folder of -where, {}, has no {file}", library.trim());
        }
    }
    let value = |by: By, name: &str| -> Result<String> { Ok(lab.compile(by, &["-config-var", name])?.out()) };
    for name in ["architecture", "flambda", "ext_obj", "cmx_magic_number", "native_c_compiler"] {
        let (stock, ours) = (value(By::Stock, name)?, value(By::Flambeau, name)?);
        if stock != ours {
            bail!("{}", diff(&format!("-config-var {name}"), &stock, &ours));
        }
    }
    Ok(Verdict::Held)
}

/// Object files and archives of C on the command line.
fn objects_only(lab: &Lab) -> Result<Verdict> {
    lab.take(&["stubs_c.c", "stubs.ml"])?;
    lab.compile(By::Flambeau, &["-ccopt", "-O1", "-c", "stubs_c.c"])?;
    lab.tool("ar", &["rc", "libstubs.a", "stubs_c.o"])?;
    lab.compile(By::Flambeau, &["-c", "stubs.ml"])?;
    lab.compile(By::Flambeau, &["stubs.cmx", "-ccopt", "-L.", "-cclib", "-lstubs", "-o", "stubs.exe"])?;
    lab.expect_output("stubs.exe", "5 7.5 1234567890123 78 abc! Failure no\n")?;
    Ok(Verdict::Held)
}

fn unsafe_flag(lab: &Lab) -> Result<Verdict> {
    // Beyond the end of the string stands its padding, so that the unchecked access is harmless.
    lab.write(
        "x.ml",
        "let s = Sys.opaque_identity \"abc\"\n\
         let () = try ignore (Sys.opaque_identity s.[Sys.opaque_identity 4]); print_endline \"unchecked\"\n\
         with Invalid_argument m -> print_endline m\n",
    )?;
    lab.compile(By::Flambeau, &["x.ml", "-o", "x.exe"])?;
    lab.expect_output("x.exe", "index out of bounds\n")?;
    lab.compile(By::Flambeau, &["-unsafe", "x.ml", "-o", "x.exe"])?;
    lab.expect_output("x.exe", "unchecked\n")?;
    Ok(Verdict::Held)
}

/// Under the name `ocamlopt`, by a link to it, it is the compiler and nothing else.
fn called_as_ocamlopt(lab: &Lab) -> Result<Verdict> {
    for name in ["ocamlopt", "ocamlopt.opt"] {
        std::os::unix::fs::symlink(&lab.flambeau, lab.file(name))?;
        lab.write("x.ml", SOURCE)?;
        let program = lab.file(name).to_string_lossy().into_owned();
        lab.tool(&program, &["x.ml", "-o", "x.exe"])?;
        lab.expect_output("x.exe", OUTPUT)?;
        // A subcommand's name is a file of unknown kind to ocamlopt.
        let outcome = process::run(lab.command(lab.file(name)).arg("stdlib"), LIMIT)?;
        if outcome.exit != Exit::Code(2) || !outcome.err().contains("on't know what to do with stdlib") {
            bail!("{name} stdlib: {}\n{}", outcome.exit, outcome.all_output());
        }
    }
    Ok(Verdict::Held)
}
