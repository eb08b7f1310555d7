//! In how many of a hundred loops a check of bounds is left: `tests/loop_checks`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use flambeau_ir::parser::parse_unit;
use flambeau_ir::{Expr, Item, Named, Prim};

/// Of the hundred shapes.
const LEFT: usize = 10;

fn has_check(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        found |= expr.items.iter().any(|item| {
            matches!(item, Item::Let { named: Named::Prim { prim: Prim::CheckBound { .. }, .. }, .. })
        });
    });
    found
}

fn has_check_in_loop(body: &Expr) -> bool {
    let mut found = false;
    body.walk(&mut |expr| {
        for item in &expr.items {
            if let Item::LetCont { recursive: true, handlers } = item {
                found |= handlers.iter().any(|handler| has_check(&handler.body));
            }
        }
    });
    found
}

#[test]
fn few_checks_are_left_in_loops() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/loop_checks/loops.ml");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::copy(&source, folder.path().join("loops.ml")).expect("the source can be copied");
    // Functions of the standard library (`min`, `invalid_arg`) are inlined, so flambeau needs its library.
    let toolchain = folder.path().join("toolchain");
    let made = Command::new(env!("CARGO_BIN_EXE_flambeau")).arg("toolchain").arg(&toolchain).output();
    assert!(made.expect("flambeau runs").status.success());
    let output = Command::new(toolchain.join("bin/flambeau"))
        .args(["-O3", "-w", "-a", "-flambeau-verify", "-dflambeau", "-c", "loops.ml"])
        .current_dir(folder.path())
        .output()
        .expect("flambeau runs");
    let text = String::from_utf8(output.stderr).expect("text");
    let unit = parse_unit(&text).expect("what is printed can be read");
    // `camlLoops__shape_017_480` and what was made of it are one shape.
    let shape = |name: &str| Some(name.split_once("shape_")?.1.get(..3)?.to_owned());
    let (mut shapes, mut left) = (BTreeSet::new(), BTreeSet::new());
    for code in unit.codes.values() {
        let Some(shape) = shape(&code.linkage_name) else { continue };
        if has_check_in_loop(&code.body) || (code.recursive && has_check(&code.body)) {
            left.insert(shape.clone());
        }
        shapes.insert(shape);
    }
    assert_eq!(shapes.len(), 100, "{shapes:?}");
    assert!(left.len() <= LEFT, "{} of 100: {left:?}", left.len());
}
