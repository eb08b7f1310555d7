//! Profiles by sampling: `flambeau profile run` and `flambeau report --profile`. The machines that run the tests may
//! have no perf, or one that may not record: a script stands for it, which takes the same arguments, and prints stacks
//! as perf does, with addresses of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;

mod folder;
use folder::{Folder, check_contains, check_status, text};

/// The first function, of line 1, is called by that of line 2, and costs little by estimate.
const SOURCE: &str = "let[@inline never] made x = [| x; x + 1 |]\n\
    let[@inline never] hot n = let s = ref 0 in for i = 1 to n do s := !s + Array.length (made i) done; !s\n\
    let () = for _ = 1 to 3 do print_int (hot 10) done\n";

/// `perf record … --output FILE … -- PROGRAM …`, and `perf script … --input FILE`: the functions of the program are
/// found by nm. Nine samples in the first function, one in the runtime, which the second one called.
const PERF: &str = r#"#!/bin/sh
set -e
command=$1
while [ "$1" != -- ] && [ $# -gt 0 ]; do
  case "$1" in --output|--input) file=$2 ;; esac
  shift
done
if [ "$command" = record ]; then
  shift
  echo "$1" > "$file"
  exec "$@"
fi
program=$(cat "$file")
[ -x "$program" ] || exit 1
address() { nm "$program" | awk -v name="$1" '$3 ~ name { print $1; exit }'; }
symbol() { nm "$program" | awk -v name="$1" '$3 ~ name { print $3; exit }'; }
made=$(symbol 'Slow.*made_[0-9]*$')
hot=$(symbol 'Slow.*hot_[0-9]*$')
for _ in 1 2 3 4 5 6 7 8 9; do
  printf '\t%s %s+0x0 (%s)\n\t%s %s+0x0 (%s)\n\n' "$(address "$made")" "$made" "$program" "$(address "$hot")" "$hot" "$program"
done
printf '\t10 caml_call_gc+0x1 (%s)\n\t%x %s+0x1 (%s)\n\n' "$program" $((0x$(address "$hot") + 1)) "$hot" "$program"
"#;

fn with_perf(folder: &Folder) {
    let perf = folder.path("bin/perf");
    fs::create_dir_all(folder.path("bin")).expect("a folder");
    fs::write(&perf, PERF).expect("written");
    fs::set_permissions(&perf, fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn samples_weigh_remarks() {
    let folder = Folder::new(&[("slow.ml", SOURCE)]);
    with_perf(&folder);
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").expect("a PATH"));
    let run =
        |arguments: &[&str]| folder.command(env!("CARGO_BIN_EXE_flambeau"), &[("PATH", &path)], arguments);
    check_status(&folder.run(&["-O3", "-g", "-inlining-report", "-o", "slow.exe", "slow.ml"]), 0);
    let program = folder.path("slow.exe");
    let ran = run(&["profile", "run", program.to_str().expect("text")]);
    check_status(&ran, 0);
    assert_eq!(text(&ran.stdout), "202020", "the program's output");
    check_contains(&ran.stderr, &["flambeau report --profile flambeau.perf FILES"]);

    let shown = run(&["report", "--profile", "flambeau.perf", "."]);
    check_status(&shown, 0);
    let shown = text(&shown.stdout);
    check_contains(
        shown.as_bytes(),
        &["10 samples: 100 % in code with reports", "1.  90 %  slow.ml:1:", "90 %  Slow.made"],
    );
    assert!(!shown.contains("slow.ml:3:"), "nobody was seen in line 3: {shown}");
    let lines = run(&["report", "--profile", "flambeau.perf", "--format", "lines", "."]);
    assert!(text(&lines.stdout).starts_with("slow.ml:1:"), "{}", text(&lines.stdout));
}

#[test]
fn what_is_missing_is_said() {
    let folder = Folder::new(&[("slow.ml", SOURCE)]);
    let empty = folder.path("nowhere");
    let nowhere = empty.to_str().expect("text");
    let flambeau = env!("CARGO_BIN_EXE_flambeau");
    let output = folder.command(flambeau, &[("PATH", nowhere)], &["profile", "run", "./slow.exe"]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["perf is not there", "linux-perf"]);

    with_perf(&folder);
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").expect("a PATH"));
    check_status(&folder.run(&["-O3", "-g", "-inlining-report", "-c", "slow.ml"]), 0);
    let output = folder.command(flambeau, &[("PATH", &path)], &["report", "--profile", "slow.ml", "."]);
    check_status(&output, 2);
    check_contains(&output.stderr, &["slow.ml: no profile"]);
}
