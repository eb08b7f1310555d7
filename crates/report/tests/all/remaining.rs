//! What remains, counted over small units.

use expect_test::{Expect, expect};
use flambeau_ir::parser::parse_unit;
use flambeau_report::model::Function;
use flambeau_report::{remaining, terminal};

use crate::fixture;

fn describe(functions: &[Function]) -> String {
    let mut text = String::new();
    for function in functions {
        let name = function.name.as_deref().unwrap_or("toplevel");
        text.push_str(&format!("{name}: {}\n", terminal::counted(&function.counts())));
        for remaining in &function.remaining {
            let at: Vec<String> =
                remaining.places.iter().map(|p| format!(" {}:{}:{}", p.file, p.line, p.start)).collect();
            let of = remaining.unit.as_ref().map(|unit| format!(" of {unit}")).unwrap_or_default();
            text.push_str(&format!("  {:?} {}{of}{}\n", remaining.operation, remaining.detail, at.concat()));
        }
    }
    text
}

#[track_caller]
fn check(items: &str, expected: Expect) {
    let header =
        "unit \"T\" prefix \"camlT\" module $camlT\nstatic exported $camlT = preallocated[0] size 1\n";
    let unit = parse_unit(&format!("{header}{items}")).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&describe(&remaining::functions(&unit)));
}

#[test]
fn each_operation() {
    check(
        r#"
code f (x, i: int) closure env -> k | kx {
  let a = make_block[0] (x, x) @1
  let n = unbox.float (x)
  let b = box.float (n) @2
  let c = c_call["caml_compare"/2] (a, b) @1
  let d = c_call["caml_other"/2] (a, b) @1
  let l = array_length.int (x)
  do check_bound[1] (l, i) @2
  let r = call x (c, d) @2
  let g = closures (g) { x } @1
  call code g via g (r) -> k
}
code g (y) closure env -> k | kx {
  let o = call method.self 1 (y, y) @1
  call method.public 77 (o) -> k
}
entry -> done | failed { done (0) }
loc @1 "t.ml" line 3 chars 4 9 bol 0 in "T.f"
loc @2 "t.ml" line 4 chars 6 9 bol 20 in "T.f"
"#,
        expect![[r#"
            toplevel: 
            camlT__f: 2 allocations, 1 boxing, 1 indirect call, 1 polymorphic compare, 1 bounds check
              Allocation block of 2 t.ml:3:4
              Boxing float t.ml:4:6
              PolymorphicCompare caml_compare t.ml:3:4
              BoundsCheck array, string or bigarray t.ml:4:6
              Allocation closure of T.g t.ml:3:4
              IndirectCall 2 arguments t.ml:4:6
            camlT__g: 2 method calls
              MethodCall 0 arguments
              MethodCall 1 argument t.ml:3:4
        "#]],
    );
}

#[test]
fn functions_of_opaque_units() {
    check(
        r#"
extern $camlOther__Unit
static $own = block[0] ($camlT)
code f (x) closure env -> k | kx {
  let m = block_load.unknown[1] ($camlOther__Unit)
  let f = block_load.unknown[0] (m)
  let g = block_load.unknown[0] ($camlOther__Unit)
  let h = block_load.unknown[0] ($own)
  let a = call f (x)
  let b = call g (a)
  let c = call h (b)
  call m (c) -> k
}
entry -> done | failed { done (0) }
"#,
        expect![[r#"
            toplevel: 
            camlT__f: 4 indirect calls
              IndirectCall 1 argument of Other.Unit
              IndirectCall 1 argument of Other.Unit
              IndirectCall 1 argument of Other.Unit
              IndirectCall 1 argument
        "#]],
    );
}

#[test]
fn a_real_unit() {
    let functions = remaining::functions(&fixture::unit());
    let total = functions.iter().find(|function| function.name.as_deref() == Some("camlShapes__total_106"));
    let total = total.expect("the function is there").clone();
    expect![[r#"
        camlShapes__total_106: 1 boxing
          Boxing float
    "#]]
    .assert_eq(&describe(&[total]));
}
