//! Terms that nest deeply, and units of many lines: they compile in bounded time, and run right.

use std::time::Duration;

use anyhow::{Result, bail};

use super::lab::{By, Lab};
use super::{Check, Verdict};
use xtask_bench::units;
use xtask_support::process;

pub const CHECKS: &[Check] = &[
    Check { name: "size-growth-to-100k-lines", run: growth },
    Check { name: "size-unit-of-50k-lines", run: many_lines },
    Check { name: "deep-constant-list-100k", run: |lab| deep(lab, &constant_list(100_000)) },
    Check { name: "deep-computed-list-100k", run: |lab| deep(lab, &computed_list(100_000)) },
    Check { name: "deep-constant-array-100k", run: |lab| deep(lab, &constant_array(100_000)) },
    Check { name: "deep-lets-50k-in-a-function", run: |lab| deep(lab, &lets_in_a_function(50_000)) },
    Check { name: "deep-lets-50k-at-toplevel", run: |lab| deep(lab, &lets_at_toplevel(50_000)) },
    Check { name: "deep-bindings-50k-of-a-module", run: |lab| deep(lab, &module_bindings(50_000)) },
    Check { name: "deep-bindings-2k-of-a-local-module", run: |lab| deep(lab, &local_module_bindings(2_000)) },
    Check { name: "deep-matches-5k-in-branches", run: |lab| deep(lab, &matches_in_branches(5_000)) },
    Check { name: "deep-matches-5k-in-scrutinees", run: |lab| deep(lab, &matches_in_scrutinees(5_000)) },
    Check { name: "deep-ifs-10k-in-else", run: |lab| deep(lab, &ifs_in_else(10_000)) },
    Check { name: "deep-ifs-10k-in-then", run: |lab| deep(lab, &ifs_in_then(10_000)) },
    Check { name: "deep-sequence-10k", run: |lab| deep(lab, &sequence(10_000)) },
    Check { name: "deep-additions-10k", run: |lab| deep(lab, &additions(10_000)) },
    Check { name: "deep-functions-1k", run: |lab| deep(lab, &functions(1_000)) },
    Check { name: "deep-tries-2k", run: |lab| deep(lab, &tries(2_000)) },
    Check { name: "wide-match-10k", run: |lab| deep(lab, &wide_match(10_000)) },
    Check { name: "wide-string-match-5k", run: |lab| deep(lab, &wide_string_match(5_000)) },
    Check { name: "wide-recursion-2k-functions", run: |lab| deep(lab, &wide_recursion(2_000)) },
];

/// How long compiling one of these may take on the clock, on a machine that does other things too.
const LIMIT: Duration = Duration::from_secs(180);
/// And how much of a processor's time: several times what a near-linear compiler takes.
const CPU_LIMIT: Duration = Duration::from_secs(60);
/// No compilation here has a reason to take more memory.
const MEMORY_LIMIT: u64 = 4 << 30;

/// A program and what it prints.
struct Sample {
    source: String,
    output: String,
}

/// Compiles a sample within the limits, and runs it.
fn deep(lab: &Lab, sample: &Sample) -> Result<Verdict> {
    lab.write("deep.ml", &sample.source)?;
    let arguments = ["-w", "-a", "deep.ml", "-o", "deep.exe"];
    let mut command = lab.command(lab.compiler(By::Flambeau));
    let outcome = process::run(command.args(arguments), LIMIT)?.expect_success("compiling deep.ml")?;
    if outcome.cpu > CPU_LIMIT {
        bail!(
            "{:.0} s of processor time to compile it; the limit is {:.0} s",
            outcome.cpu.as_secs_f64(),
            CPU_LIMIT.as_secs_f64()
        );
    }
    if outcome.memory > MEMORY_LIMIT {
        bail!("{} MB of memory to compile it", outcome.memory >> 20);
    }
    lab.expect_output("deep.exe", &sample.output)?;
    Ok(Verdict::Measured(format!("{:.1} s, {} MB", outcome.cpu.as_secs_f64(), outcome.memory >> 20)))
}

/// `count` pieces of text one after the other.
fn pieces(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, index| {
        text.push_str(&piece(index));
        text
    })
}

fn sum_of_list(elements: &str, count: usize) -> Sample {
    Sample {
        source: format!(
            "let id = Sys.opaque_identity (fun (x : int) -> x)\nlet l = [{elements}]\n\
             let () = Printf.printf \"%d %d\\n\" (List.length l) (List.fold_left (+) 0 l)\n"
        ),
        output: format!("{count} {}\n", count * (count - 1) / 2),
    }
}

fn constant_list(count: usize) -> Sample {
    sum_of_list(&pieces(count, |i| format!("{i}; ")), count)
}

fn computed_list(count: usize) -> Sample {
    sum_of_list(&pieces(count, |i| format!("id {i}; ")), count)
}

fn constant_array(count: usize) -> Sample {
    let elements = pieces(count, |i| format!("{i}; "));
    Sample {
        source: format!(
            "let a = [|{elements}|]\nlet () = Printf.printf \"%d %d\\n\" (Array.length a) (Array.fold_left (+) 0 a)\n"
        ),
        output: format!("{count} {}\n", count * (count - 1) / 2),
    }
}

/// `let x1 = x0 + 0 in let x2 = x1 + 1 in …`, and the last variable's value for `x0 = 1`.
fn chain(count: usize) -> (String, usize) {
    let lets = pieces(count, |i| format!("let x{} = x{i} + {} in\n", i + 1, i % 7));
    (lets, 1 + (0..count).map(|i| i % 7).sum::<usize>())
}

fn lets_in_a_function(count: usize) -> Sample {
    let (lets, value) = chain(count);
    Sample {
        source: format!(
            "let f x0 =\n{lets}x{count}\nlet () = Printf.printf \"%d\\n\" (f (Sys.opaque_identity 1))\n"
        ),
        output: format!("{value}\n"),
    }
}

fn lets_at_toplevel(count: usize) -> Sample {
    let (lets, value) = chain(count);
    Sample {
        source: format!(
            "let () =\nlet x0 = Sys.opaque_identity 1 in\n{lets}Printf.printf \"%d\\n\" x{count}\n"
        ),
        output: format!("{value}\n"),
    }
}

fn module_bindings(count: usize) -> Sample {
    let (lets, value) = chain(count);
    Sample {
        source: format!(
            "let x0 = Sys.opaque_identity 1\n{}let () = Printf.printf \"%d\\n\" x{count}\n",
            lets.replace(" in\n", "\n")
        ),
        output: format!("{value}\n"),
    }
}

/// Values that are all live across calls until the block of the module is made.
fn local_module_bindings(count: usize) -> Sample {
    let bindings = pieces(count, |i| format!("let x{} = id (x{i} + {})\n", i + 1, i % 7));
    let (_, value) = chain(count);
    Sample {
        source: format!(
            "let id = Sys.opaque_identity (fun (x : int) -> x)\n\
             module type S = sig val x1 : int val x{count} : int end\n\
             let f x0 =\nlet module M = struct\n{bindings}end in\n\
             let module M = (val Sys.opaque_identity (module M : S)) in (M.x1, M.x{count})\n\
             let () = let first, last = f 1 in Printf.printf \"%d %d\\n\" first last\n"
        ),
        output: format!("1 {value}\n"),
    }
}

fn matches_in_branches(count: usize) -> Sample {
    let arms = pieces(count, |i| format!("match id (x + {i}) with 0 -> {i} | 1 -> -{i} | _ ->\n"));
    Sample {
        source: format!(
            "let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f x =\n{arms}x\n\
             let () = Printf.printf \"%d %d %d\\n\" (f (-7)) (f (-{count})) (f 3)\n"
        ),
        output: format!("7 -{count} 3\n"),
    }
}

fn matches_in_scrutinees(count: usize) -> Sample {
    let opening = "match\n".repeat(count);
    let arms = pieces(count, |i| format!(" with 0 -> {i} | y -> id (y + 1)\n"));
    Sample {
        source: format!(
            "let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f x =\n{opening}id x{arms}\n\
             let () = Printf.printf \"%d %d\\n\" (f 1) (f 0)\n"
        ),
        // From 0, the first answer is 0 again, the next ones count up from there.
        output: format!("{} {}\n", count + 1, {
            (0..count).fold(0, |value, i| if value == 0 { i } else { value + 1 })
        }),
    }
}

fn ifs_in_else(count: usize) -> Sample {
    let ifs = pieces(count, |i| format!("if x = {i} then {} else\n", i * 3));
    Sample {
        source: format!(
            "let f x =\n{ifs}-1\nlet () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity {})) (f (Sys.opaque_identity {count}))\n",
            count - 1
        ),
        output: format!("{} -1\n", (count - 1) * 3),
    }
}

fn ifs_in_then(count: usize) -> Sample {
    let ifs = pieces(count, |i| format!("if x > {i} then (\n"));
    let elses = pieces(count, |i| format!(") else {}\n", count - 1 - i));
    Sample {
        source: format!(
            "let f x =\n{ifs}-1{elses}\nlet () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity {})) (f (Sys.opaque_identity {count}))\n",
            count - 1
        ),
        output: format!("{} -1\n", count - 1),
    }
}

/// The state that the ticks of [`sequence`] end in.
fn ticked(count: usize) -> usize {
    (0..count).fold(0, |state, i| (state * 31 + i) & 0xff_ffff)
}

fn sequence(count: usize) -> Sample {
    let ticks = pieces(count, |i| format!("tick {i};\n"));
    Sample {
        source: format!(
            "let c = ref 0\nlet tick n = c := (!c * 31 + n) land 0xffffff\nlet f () =\n{ticks}()\n\
             let () = f (); Printf.printf \"%d\\n\" !c\n"
        ),
        output: format!("{}\n", ticked(count)),
    }
}

fn additions(count: usize) -> Sample {
    Sample {
        source: format!(
            "let f x = {}x{}\nlet () = Printf.printf \"%d\\n\" (f (Sys.opaque_identity 1))\n",
            "1 + (".repeat(count),
            ")".repeat(count)
        ),
        output: format!("{}\n", count + 1),
    }
}

/// Functions within functions, each of which needs the variables of those around it.
fn functions(count: usize) -> Sample {
    let opening = pieces(count, |i| format!("let g{i} y = y + x + {i} + \n"));
    let calls = pieces(count, |i| format!(" in g{} 1\n", count - 1 - i));
    Sample {
        source: format!(
            "let f x = {opening}0{calls}\nlet () = Printf.printf \"%d\\n\" (f (Sys.opaque_identity 1))\n"
        ),
        output: format!("{}\n", {
            // g(i) 1 = 1 + 1 + i + (what g(i+1) 1 is), and the innermost adds 0.
            (0..count).rev().fold(0, |inner, i| 2 + i + inner)
        }),
    }
}

fn tries(count: usize) -> Sample {
    let opening = "try\n".repeat(count);
    let handlers = pieces(count, |i| format!(" with E {i} -> {}\n", i * 2));
    Sample {
        source: format!(
            "exception E of int\nlet f x =\n{opening}raise (E x){handlers}\n\
             let () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity {})) (try f (Sys.opaque_identity (-1)) with E n -> n)\n",
            count - 1
        ),
        output: format!("{} -1\n", (count - 1) * 2),
    }
}

fn wide_match(count: usize) -> Sample {
    let arms = pieces(count, |i| format!("| {} -> {}\n", i * 3, i % 1000));
    Sample {
        source: format!(
            "let f x = match x with\n{arms}| _ -> -1\n\
             let () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity {})) (f (Sys.opaque_identity 1))\n",
            (count - 1) * 3
        ),
        output: format!("{} -1\n", (count - 1) % 1000),
    }
}

fn wide_string_match(count: usize) -> Sample {
    let arms = pieces(count, |i| format!("| \"key number {i}\" -> {i}\n"));
    Sample {
        source: format!(
            "let f x = match x with\n{arms}| _ -> -1\n\
             let () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity \"key number {}\")) (f (Sys.opaque_identity \"key\"))\n",
            count - 1
        ),
        output: format!("{} -1\n", count - 1),
    }
}

fn wide_recursion(count: usize) -> Sample {
    let functions = pieces(count, |i| {
        let keyword = if i == 0 { "let rec" } else { "and" };
        let next = (i * 7 + 1) % count;
        format!("{keyword} f{i} n a = if n = 0 then a + {i} else f{next} (n - 1) (a + {i})\n")
    });
    let steps = 1000;
    let (mut at, mut sum) = (0, 0);
    for _ in 0..steps {
        sum += at;
        at = (at * 7 + 1) % count;
    }
    Sample {
        source: format!("{functions}let () = Printf.printf \"%d\\n\" (f0 {steps} 0)\n"),
        output: format!("{}\n", sum + at),
    }
}

/// Compiles ordinary code to an object file; the processor time and the memory that it took.
fn compile_lines(lab: &Lab, name: &str, lines: usize) -> Result<(f64, u64)> {
    let file = format!("{name}.ml");
    lab.write(&file, units::ordinary(lines))?;
    let mut command = lab.command(lab.compiler(By::Flambeau));
    let outcome = process::run(command.args(["-w", "-a", "-c", &file]), LIMIT)?
        .expect_success(&format!("compiling {lines} lines"))?;
    Ok((outcome.cpu.as_secs_f64(), outcome.memory >> 20))
}

fn many_lines(lab: &Lab) -> Result<Verdict> {
    let (seconds, megabytes) = compile_lines(lab, "many", 50_000)?;
    if seconds > CPU_LIMIT.as_secs_f64() {
        bail!("{seconds:.0} s to compile 50,000 lines");
    }
    lab.compile(By::Flambeau, &["many.cmx", "-o", "many.exe"])?;
    let ocamlc = lab.stock.ocamlc.to_string_lossy().into_owned();
    lab.tool(&ocamlc, &["-w", "-a", "many.ml", "-o", "many.byte"])?;
    let program = lab.file("many.byte").to_string_lossy().into_owned();
    let expected = lab.tool(&program, &[])?.out();
    lab.expect_output("many.exe", &expected)?;
    Ok(Verdict::Measured(format!("{seconds:.1} s, {megabytes} MB")))
}

/// Ten times the lines must take about ten times the time and memory.
fn growth(lab: &Lab) -> Result<Verdict> {
    /// Room for caches that stop to fit, and for a busy machine: n·log n takes 12.5, n^1.5 takes 32.
    const MOST: f64 = 20.0;
    let (small, small_memory) = compile_lines(lab, "small", 10_000)?;
    let (large, large_memory) = compile_lines(lab, "large", 100_000)?;
    let growth = large / small.max(0.01);
    let text = format!(
        "10k lines: {small:.1} s, {small_memory} MB; 100k lines: {large:.1} s, {large_memory} MB; {growth:.1} times the time"
    );
    if growth > MOST || large_memory as f64 > MOST * small_memory as f64 {
        bail!("{text}: more than {MOST} times");
    }
    Ok(Verdict::Measured(text))
}
