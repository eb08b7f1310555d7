//! Static data and symbols.

use cranelift_entity::EntityRef;
use expect_test::expect;
use flambeau_ir::{Static, StaticDef, Symbol, parser};

use super::{errors, rejects, rejects_changed};

#[test]
fn symbols_are_defined_once() {
    rejects(
        "static $a = block[0] () static $a = string \"\"",
        expect![[r#"
            in the unit: the symbol `$a` is defined a second time
              at: static $a = string ""
        "#]],
    );
    rejects(
        "local $a",
        expect![[r#"
        in the unit: the symbol `$a` of this unit is not defined
    "#]],
    );
    rejects(
        "extern $a static $a = string \"\"",
        expect![[r#"
            in the unit: the symbol `$a` of another unit is defined
              at: static $a = string ""
        "#]],
    );
}

#[test]
fn linkage_names_are_distinct() {
    rejects(
        "local $a = \"x\" static $a = string \"\" code f = \"x\" (x) -> k { k (x) }",
        expect![[r#"
        in the unit: the linkage name of the code `x` is that of another symbol or code
    "#]],
    );
    rejects(
        "extern $a extern $b = \"a\"",
        expect![[r#"
        in the unit: the linkage name of `$a_1` is that of another symbol
    "#]],
    );
}

#[test]
fn module_block() {
    rejects(
        "static $camlM = preallocated[0] size 1",
        expect![[r#"
            in the unit: the module block `$camlM` is not exported
              at: static $camlM = preallocated[0] size 1
        "#]],
    );
    rejects(
        "static exported $camlM = string \"\"",
        expect![[r#"
            in the unit: the module block `$camlM` is no block
              at: static exported $camlM = string ""
        "#]],
    );
    let text = "unit \"M\" prefix \"camlM\" module $camlM extern $camlM entry -> k { k (0) }";
    let unit = parser::parse_unit(text).expect("the text parses");
    expect![[r#"
        in the unit: the module block's symbol is of another unit
    "#]]
    .assert_eq(&errors(&unit));
}

#[test]
fn static_tags() {
    rejects(
        "static $a = block[252] (1)",
        expect![[r#"
            in the unit: the GC does not scan blocks of tag 252
              at: static $a = block[252] (1)
        "#]],
    );
    rejects(
        "static $a = preallocated[255] size 1",
        expect![[r#"
            in the unit: the GC does not scan blocks of tag 255
              at: static $a = preallocated[255] size 1
        "#]],
    );
}

#[test]
fn static_symbols_in_range() {
    rejects_changed(
        "",
        |unit| {
            let def = StaticDef::Float { symbol: Symbol::new(1000), bits: 0 };
            unit.statics.push(Static { exported: false, def });
        },
        expect![[r#"
            in the unit: the symbol `$$1000` is not in the unit's table
              at: static $$1000 = boxed #0.0
        "#]],
    );
}
