//! Every way of linking, and mixtures of both compilers' objects in one program.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::lab::{BOTH_ORDERS, By, Lab};
use super::{Check, Verdict};
use xtask_bench::small_units::{self, Project};

pub const CHECKS: &[Check] = &[
    Check { name: "link-mixed-objects", run: mixed_objects },
    Check { name: "link-mixed-calls", run: mixed_calls },
    Check { name: "link-small-functions", run: small_functions },
    Check { name: "link-mixed-libraries", run: mixed_libraries },
    Check { name: "link-natdynlink", run: natdynlink },
    Check { name: "link-natdynlink-library", run: natdynlink_library },
    Check { name: "link-pack", run: pack },
    Check { name: "link-library", run: library },
    Check { name: "link-linkall", run: linkall },
    Check { name: "link-output-obj", run: output_obj },
    Check { name: "link-output-complete-obj", run: output_complete_obj },
    Check { name: "link-output-obj-shared", run: output_obj_shared },
    Check { name: "link-function-sections", run: function_sections },
    Check { name: "link-c-stubs", run: c_stubs },
    Check { name: "link-unix-and-threads", run: standard_libraries },
    Check { name: "link-described-library", run: described_library },
    Check { name: "link-position-of-code", run: position },
    Check { name: "link-small-units", run: small_units },
];

/// The compilers of two units: the stock one first for both.
const BOTH_BY_BOTH: [[By; 2]; 4] = [
    [By::Stock, By::Stock],
    [By::Stock, By::Flambeau],
    [By::Flambeau, By::Stock],
    [By::Flambeau, By::Flambeau],
];

/// What the program made of `chain_*.ml` prints: see there.
const CHAIN_OUTPUT: &str = include_str!("../../../tests/robustness/chain.expected");
const CHAIN: [&str; 3] = ["chain_base", "chain_middle", "chain_main"];

/// Compiles the units of the chain, each by one of the compilers, and links them by another.
fn chain(lab: &Lab, by: [By; 3], linker: By) -> Result<()> {
    lab.take(&["chain_base.ml", "chain_base.mli", "chain_middle.ml", "chain_main.ml"])?;
    lab.compile(by[0], &["-c", "chain_base.mli"])?;
    for (unit, by) in CHAIN.iter().zip(by) {
        lab.compile(by, &["-g", "-c", &format!("{unit}.ml")])?;
    }
    let mut arguments: Vec<String> = CHAIN.iter().map(|unit| format!("{unit}.cmx")).collect();
    arguments.extend(["-o".into(), "chain.exe".into()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    lab.compile(linker, &arguments)?;
    lab.expect_output("chain.exe", CHAIN_OUTPUT)
}

/// All combinations of two compilers for three units and for linking them.
fn mixed_objects(lab: &Lab) -> Result<Verdict> {
    let by = |bit: u32| if bit == 0 { By::Stock } else { By::Flambeau };
    for mixture in 0..16_u32 {
        let compilers = [by(mixture & 1), by(mixture & 2), by(mixture & 4)];
        let linker = by(mixture & 8);
        chain(&lab.another()?, compilers, linker)
            .with_context(|| format!("{compilers:?}, linked by {linker:?}"))?;
    }
    Ok(Verdict::Held)
}

/// Functions of a unit, also those that a function returns, are called directly by the other compiler's code, which may
/// pass on the unit's constants.
fn mixed_calls(lab: &Lab) -> Result<Verdict> {
    lab.write("called.ml", CALLED)?;
    lab.write("caller.ml", CALLER)?;
    for (maker, user) in BOTH_ORDERS {
        lab.compile(maker, &["-inline", "0", "-c", "called.ml"])?;
        lab.compile(user, &["-S", "-inline", "0", "called.cmx", "caller.ml", "-o", "caller.exe"])
            .and_then(|_| lab.expect_output("caller.exe", CALLER_OUTPUT))
            .with_context(|| format!("functions by {maker:?}, calls by {user:?}"))?;
        let assembly = String::from_utf8_lossy(&lab.read("caller.s")?).into_owned();
        if let Some(line) = assembly.lines().find(|line| line.contains("caml_apply")) {
            bail!("functions by {maker:?}, calls by {user:?}: an unknown call:{line}");
        }
        // The function that `adder` returned, and that of the module that the functor returned.
        for function in ["fun", "from"] {
            let label = lab.stock.symbol("Called", function)?;
            if !assembly.contains(&label) {
                bail!("functions by {maker:?}, calls by {user:?}: no direct call of {label}");
            }
        }
    }
    Ok(Verdict::Held)
}

/// Of a unit that the stock compiler made, whatever it inlines into others is inlined by Flambeau, too, and neither the
/// output nor backtraces differ.
fn small_functions(lab: &Lab) -> Result<Verdict> {
    lab.take(&["small_functions.ml", "small_functions_user.ml"])?;
    lab.compile(By::Stock, &["-g", "-c", "small_functions.ml"])?;
    let prefix = lab.stock.symbol("Small_functions", "")?;
    let mut called = Vec::new();
    for (user, flags) in [
        (By::Stock, &[][..]),
        (By::Flambeau, &[]),
        (By::Flambeau, &["-O3"]),
        (By::Flambeau, &["-inline", "200"]),
    ] {
        let arguments = ["-g", "-S", "small_functions.cmx", "small_functions_user.ml", "-o", "small.exe"];
        lab.compile(user, &[flags, &arguments].concat())?;
        let output = lab.tool(&lab.file("small.exe").to_string_lossy(), &[])?.stdout;
        let assembly = String::from_utf8_lossy(&lab.read("small_functions_user.s")?).into_owned();
        called.push((user, flags, functions_with(&assembly, &prefix), output));
    }
    let (_, _, of_stock, expected) = &called[0];
    for (user, flags, labels, output) in &called[1..] {
        if output != expected {
            bail!(
                "{user:?} {flags:?}: other output than the stock compiler's:\n{}",
                String::from_utf8_lossy(output)
            );
        }
        let more: Vec<_> = labels.difference(of_stock).collect();
        if !more.is_empty() {
            bail!("{user:?} {flags:?}: functions that the stock compiler inlines are called: {more:?}");
        }
    }
    Ok(Verdict::Held)
}

/// The labels of functions in assembly that begin so.
fn functions_with(assembly: &str, prefix: &str) -> BTreeSet<String> {
    let name = |rest: &str| -> String {
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    // Data have numbers instead of names.
    let names = assembly.split(prefix).skip(1).map(name);
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())).collect()
}

const CALLED: &str = "\
let rec sum a b = if a > 1000 then b else sum (a + a) (b + a)
let pair (a, b) = sum a b
let ten = 10
let half = 0.5
let words = [ \"words\" ]
let adder a = let d = sum a 0 in fun b c -> sum (b + d) (c + a)
module Sums (Start : sig val start : int end) = struct
  let from a b = sum (a + Start.start) b
end
";
const CALLER: &str = "\
let ten = Called.ten
let half = Called.half
let words = Called.words
module Sums = Called.Sums (struct let start = Sys.word_size - 60 end)
let () =
  let add = Called.adder 3 in
  let added = add 4 in
  Printf.printf \"%d\" (Called.sum 1 2);
  Printf.printf \" %d\" (Called.pair (3, Called.ten));
  Printf.printf \" %d\" (added 5);
  Printf.printf \" %d\\n\" (Sums.from 3 4)
";
const CALLER_OUTPUT: &str = "1025 1543 8 1789\n";

fn mixed_libraries(lab: &Lab) -> Result<Verdict> {
    for (maker, user) in BOTH_ORDERS {
        let lab = lab.another()?;
        lab.take(&["chain_base.ml", "chain_base.mli", "chain_middle.ml"])?;
        lab.take(&["chain_main.ml"])?;
        lab.compile(maker, &["-c", "chain_base.mli", "chain_base.ml"])?;
        lab.compile(maker, &["-c", "chain_middle.ml"])?;
        lab.compile(maker, &["-a", "chain_base.cmx", "chain_middle.cmx", "-o", "chain.cmxa"])?;
        lab.compile(user, &["chain.cmxa", "chain_main.ml", "-o", "chain.exe"])
            .and_then(|_| lab.expect_output("chain.exe", CHAIN_OUTPUT))
            .with_context(|| format!("library by {maker:?}, program by {user:?}"))?;
    }
    Ok(Verdict::Held)
}

const PLUGIN_OUTPUT: &str = "before\nplugin: 42 true 2.5\nregistered: double 21 = 42\nafter\n";

fn natdynlink(lab: &Lab) -> Result<Verdict> {
    let mut pairs = BOTH_ORDERS.to_vec();
    pairs.push((By::Flambeau, By::Flambeau));
    for (plugin, host) in pairs {
        let lab = lab.another()?;
        lab.take(&["registry.ml", "plugin.ml", "host.ml"])?;
        lab.compile(host, &["-c", "registry.ml"])?;
        lab.compile(plugin, &["-shared", "plugin.ml", "-o", "plugin.cmxs"])?;
        lab.compile(host, &["-linkall", "dynlink.cmxa", "registry.cmx", "host.ml", "-o", "host.exe"])?;
        lab.expect_output("host.exe", PLUGIN_OUTPUT)
            .with_context(|| format!("plugin by {plugin:?}, host by {host:?}"))?;
    }
    Ok(Verdict::Held)
}

/// A plugin that is a whole library, linked with -linkall.
fn natdynlink_library(lab: &Lab) -> Result<Verdict> {
    for (plugin, host) in BOTH_ORDERS {
        let lab = lab.another()?;
        lab.take(&["registry.ml", "plugin.ml", "host.ml"])?;
        lab.compile(host, &["-c", "registry.ml"])?;
        lab.compile(plugin, &["-c", "plugin.ml"])?;
        lab.compile(plugin, &["-a", "plugin.cmx", "-o", "plugin.cmxa"])?;
        lab.compile(plugin, &["-shared", "-linkall", "plugin.cmxa", "-o", "plugin.cmxs"])?;
        lab.compile(host, &["-linkall", "dynlink.cmxa", "registry.cmx", "host.ml", "-o", "host.exe"])?;
        lab.expect_output("host.exe", PLUGIN_OUTPUT)
            .with_context(|| format!("plugin by {plugin:?}, host by {host:?}"))?;
    }
    Ok(Verdict::Held)
}

fn pack(lab: &Lab) -> Result<Verdict> {
    let mut pairs = BOTH_ORDERS.to_vec();
    pairs.push((By::Flambeau, By::Flambeau));
    for (maker, user) in pairs {
        let lab = lab.another()?;
        lab.take(&["pack_a.ml", "pack_b.ml", "pack_user.ml"])?;
        lab.compile(maker, &["-for-pack", "Pack", "-c", "pack_a.ml"])?;
        lab.compile(maker, &["-for-pack", "Pack", "-c", "pack_b.ml"])?;
        lab.compile(maker, &["-pack", "pack_a.cmx", "pack_b.cmx", "-o", "pack.cmx"])?;
        lab.compile(user, &["pack.cmx", "pack_user.ml", "-o", "user.exe"])
            .and_then(|_| lab.expect_output("user.exe", "3 x! 7\n"))
            .with_context(|| format!("pack by {maker:?}, program by {user:?}"))?;
    }
    // A unit that was not made for the pack is refused as by stock.
    lab.take(&["pack_a.ml", "pack_b.ml"])?;
    lab.compile(By::Flambeau, &["-c", "pack_a.ml", "pack_b.ml"])?;
    lab.expect_refusal(
        &["-pack", "pack_a.cmx", "pack_b.cmx", "-o", "pack.cmx"],
        &["pack_a.cmx"],
        &["-for-pack"],
    )?;
    Ok(Verdict::Held)
}

fn library(lab: &Lab) -> Result<Verdict> {
    lab.write("used.ml", "let f x = x + 1\nlet () = print_endline \"used\"\n")?;
    lab.write("unused.ml", "let () = print_endline \"unused\"\n")?;
    lab.write("user.ml", "let () = Printf.printf \"%d\\n\" (Used.f 1)\n")?;
    lab.compile(By::Flambeau, &["-a", "used.ml", "unused.ml", "-o", "lib.cmxa"])?;
    lab.compile(By::Flambeau, &["lib.cmxa", "user.ml", "-o", "user.exe"])?;
    lab.expect_output("user.exe", "used\n2\n")?;
    Ok(Verdict::Held)
}

fn linkall(lab: &Lab) -> Result<Verdict> {
    library(lab)?;
    lab.compile(By::Flambeau, &["-linkall", "lib.cmxa", "user.ml", "-o", "user.exe"])?;
    lab.expect_output("user.exe", "used\nunused\n2\n")?;
    Ok(Verdict::Held)
}

/// The folder of OCaml's runtime and headers, which the C compiler needs.
fn runtime(lab: &Lab) -> String {
    lab.stock.library.to_string_lossy().into_owned()
}

const EMBEDDED_OUTPUT: &str = "C: start\nOCaml: 10\nC: callback gives 55\nC: end\n";

fn output_obj(lab: &Lab) -> Result<Verdict> {
    lab.take(&["embedded.ml", "embedding.c"])?;
    let runtime = runtime(lab);
    lab.compile(By::Flambeau, &["-output-obj", "embedded.ml", "-o", "code.o"])?;
    lab.tool(
        "gcc",
        &["-I", &runtime, "embedding.c", "code.o", "-L", &runtime, "-lasmrun", "-lm", "-ldl", "-o", "it"],
    )?;
    lab.expect_output("it", EMBEDDED_OUTPUT)?;
    Ok(Verdict::Held)
}

fn output_complete_obj(lab: &Lab) -> Result<Verdict> {
    lab.take(&["embedded.ml", "embedding.c"])?;
    let arguments = &["-output-complete-obj", "embedded.ml", "-o", "code.o"];
    lab.compile(By::Flambeau, arguments)?;
    let runtime = runtime(lab);
    lab.tool("gcc", &["-I", &runtime, "embedding.c", "code.o", "-lm", "-ldl", "-o", "it"])?;
    lab.expect_output("it", EMBEDDED_OUTPUT)?;
    Ok(Verdict::Held)
}

fn output_obj_shared(lab: &Lab) -> Result<Verdict> {
    lab.take(&["embedded.ml", "embedding.c"])?;
    let arguments = &[
        "-output-obj",
        "-runtime-variant",
        "_pic",
        // Nothing in the OCaml code refers to what the C code starts it with.
        "-ccopt",
        "-Wl,--undefined=caml_startup",
        "embedded.ml",
        "-o",
        "libcode.so",
    ];
    lab.compile(By::Flambeau, arguments)?;
    let runtime = runtime(lab);
    lab.tool("gcc", &["-I", &runtime, "embedding.c", "./libcode.so", "-Wl,-rpath,$ORIGIN", "-o", "it"])?;
    lab.expect_output("it", EMBEDDED_OUTPUT)?;
    Ok(Verdict::Held)
}

fn function_sections(lab: &Lab) -> Result<Verdict> {
    lab.write(
        "sections.ml",
        "let f x = x + 1\nlet g x = f (x * 2)\nlet () = Printf.printf \"%d\\n\" (g 3)\n",
    )?;
    lab.compile(By::Flambeau, &["-function-sections", "-c", "sections.ml"])?;
    let sections = lab.tool("readelf", &["-SW", "sections.o"])?.out();
    for function in ["f", "g"] {
        let section = format!(".text.caml.{}_", lab.stock.symbol("Sections", function)?);
        if !sections.contains(&section) {
            bail!("no section {section}…:\n{sections}");
        }
    }
    lab.compile(By::Flambeau, &["sections.cmx", "-o", "sections.exe"])?;
    lab.expect_output("sections.exe", "7\n")?;
    Ok(Verdict::Held)
}

fn c_stubs(lab: &Lab) -> Result<Verdict> {
    lab.take(&["stubs_c.c", "stubs.ml"])?;
    lab.compile(By::Flambeau, &["stubs_c.c", "stubs.ml", "-o", "stubs.exe"])?;
    lab.expect_output("stubs.exe", "5 7.5 1234567890123 78 abc! Failure no\n")?;
    Ok(Verdict::Held)
}

fn standard_libraries(lab: &Lab) -> Result<Verdict> {
    lab.take(&["libraries.ml"])?;
    for (by, linker) in [(By::Flambeau, By::Flambeau), (By::Flambeau, By::Stock), (By::Stock, By::Flambeau)] {
        lab.compile(by, &["-I", "+threads", "-c", "libraries.ml"])?;
        let arguments = &[
            "-I",
            "+threads",
            "unix.cmxa",
            "str.cmxa",
            "threads.cmxa",
            "libraries.cmx",
            "-o",
            "libraries.exe",
        ];
        lab.compile(linker, arguments)
            .and_then(|_| lab.expect_output("libraries.exe", "thread 3\nstr b\nunix true\n"))
            .with_context(|| format!("compiled by {by:?}, linked by {linker:?}"))?;
    }
    Ok(Verdict::Held)
}

/// Code of both compilers over the stock standard library, of whose functions one calls the labels and the other has
/// descriptions. What holds stock objects alone is, byte for byte, what the stock compiler links.
fn described_library(lab: &Lab) -> Result<Verdict> {
    lab.take(&["stock_library.ml", "stock_closures.ml"])?;
    let units = ["stock_closures", "stock_library"];
    let mut expected = None;
    for makers in BOTH_BY_BOTH {
        for inline in ["10", "0"] {
            for (unit, by) in units.iter().zip(makers) {
                lab.compile(by, &["-inline", inline, "-c", &format!("{unit}.ml")])?;
            }
            for linker in [By::Stock, By::Flambeau] {
                let program = format!("by_{linker:?}.exe");
                lab.compile(linker, &["stock_closures.cmx", "stock_library.cmx", "-o", &program])?;
                let output = lab.tool(&format!("./{program}"), &[])?.out();
                let expected = expected.get_or_insert_with(|| output.clone());
                if output != *expected {
                    bail!(
                        "{makers:?} with -inline {inline}, linked by {linker:?}: another output:\n{output}"
                    );
                }
            }
            let linked = |by: By| std::fs::read(lab.file(&format!("by_{by:?}.exe")));
            if makers == [By::Stock; 2] && linked(By::Stock)? != linked(By::Flambeau)? {
                bail!(
                    "stock objects, compiled with -inline {inline}: the two programs are not the same bytes"
                );
            }
        }
    }
    Ok(Verdict::Held)
}

fn position(lab: &Lab) -> Result<Verdict> {
    chain_with(lab, &["-nodynlink"])?;
    chain_with(&lab.another()?, &["-fPIC"])?;
    chain_with(&lab.another()?, &["-fno-PIC", "-ccopt", "-no-pie"])?;
    Ok(Verdict::Held)
}

fn chain_with(lab: &Lab, flags: &[&str]) -> Result<()> {
    lab.take(&["chain_base.ml", "chain_base.mli", "chain_middle.ml"])?;
    lab.take(&["chain_main.ml"])?;
    let mut arguments = flags.to_vec();
    arguments.extend(["chain_base.mli", "chain_base.ml", "chain_middle.ml"]);
    arguments.extend(["chain_main.ml", "-o", "chain.exe"]);
    lab.compile(By::Flambeau, &arguments)?;
    lab.expect_output("chain.exe", CHAIN_OUTPUT)
}

/// The project of `cargo xtask bench --units`, of fewer units: of each kind with an interface and without one.
fn small_units(lab: &Lab) -> Result<Verdict> {
    let flags = ["-O3".to_owned()];
    let columns = small_units::columns(lab.compiler(By::Stock), lab.compiler(By::Flambeau), &flags);
    let mut project = Project::new(20, &columns)?;
    project.build()?;
    project.same_output()?;
    Ok(Verdict::Held)
}
