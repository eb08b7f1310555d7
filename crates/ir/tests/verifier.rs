//! For each of the verifier's checks, a unit that fails it alone. `UPDATE_EXPECT=1` blesses.

use cranelift_entity::EntityRef;
use expect_test::{Expect, expect};
use flambeau_ir::{
    ApplyCont, CodeId, Const, Expr, FunctionSlot, Item, Named, Prim, Simple, Static, StaticDef, Symbol, Terminator,
    Unit, ValueSlot, Variable, parser, verify,
};

/// A unit with these parts, which bring their own entry if they need one.
fn unit(parts: &str) -> Unit {
    let entry = if parts.contains("entry") { "" } else { "entry -> k { k (0) }" };
    let module = if parts.contains("$camlM =") { "" } else { "static exported $camlM = preallocated[0] size 0" };
    let text = format!("unit \"M\" prefix \"camlM\" module $camlM\n{module}\n{parts}\n{entry}");
    parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn errors(unit: &Unit) -> String {
    let errors = verify::verify(unit).expect_err("the verifier rejects this");
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// The verifier rejects the unit with these parts.
#[track_caller]
fn rejects(parts: &str, expected: Expect) {
    expected.assert_eq(&errors(&unit(parts)));
}

/// The verifier rejects a unit that can't be written as text.
#[track_caller]
fn rejects_changed(parts: &str, change: impl FnOnce(&mut Unit), expected: Expect) {
    let mut unit = unit(parts);
    verify::verify(&unit).expect("the unit is well-formed before the change");
    change(&mut unit);
    expected.assert_eq(&errors(&unit));
}

#[track_caller]
fn accepts(parts: &str) {
    if let Err(errors) = verify::verify(&unit(parts)) {
        panic!("{}", errors[0]);
    }
}

const F: CodeId = CodeId::from_u32(0);

// ---- scope

#[test]
fn variable_before_its_binding() {
    rejects("code f (x) -> k { let a = b let b = x k (a) }", expect![[]]);
}

#[test]
fn variable_after_its_scope() {
    rejects("code f (x) -> k { join j { let a = x j } k (a) }", expect![[]]);
    rejects("code f (x) -> k { cont j (p) { k (p) } k (p) }", expect![[]]);
    rejects("code f (x) -> k { join j (p) { j (p) } k (x) }", expect![[]]);
}

#[test]
fn variable_of_its_own_binding() {
    rejects("code f (x) -> k { let a = tag (a) k (a) }", expect![[]]);
    rejects("code f (x) closure c -> k { let a = closures (f) { x = a } k (a) }", expect![[]]);
}

#[test]
fn variable_bound_twice() {
    rejects("code f (x) -> k { let x = 1 k (x) }", expect![[]]);
    rejects("code f (x, x) -> k { k (x) }", expect![[]]);
    rejects("code f (x) -> k { cont a (y) { k (y) } and b (y) { k (y) } a (x) }", expect![[]]);
}

#[test]
fn variable_of_another_function() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { k (y) }",
        |unit| {
            let x = unit.codes[F].params[0];
            unit.codes[CodeId::new(1)].body.terminator = Terminator::ApplyCont(ApplyCont {
                cont: unit.codes[CodeId::new(1)].ret,
                args: [Simple::Var(x)].into_iter().collect(),
            });
        },
        expect![[]],
    );
}

#[test]
fn variable_bound_in_two_functions() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { unreachable }",
        |unit| {
            let x = unit.codes[F].params[0];
            unit.codes[CodeId::new(1)].params[0] = x;
        },
        expect![[]],
    );
}

#[test]
fn continuation_out_of_scope() {
    rejects("code f (x) -> k { join j (y) { k (x) } j (y) }", expect![[]]);
    rejects("code f (x) -> k { cont a { a } a }", expect![[]]);
    rejects("code f (x) -> k { join j { cont a { k (x) } a } a }", expect![[]]);
    accepts("code f (x) -> k { cont rec a { a } a }");
}

#[test]
fn continuation_bound_twice() {
    rejects("code f (x) -> k { cont a { k (x) } cont a { k (x) } a }", expect![[]]);
    rejects("code f (x) -> k { cont k { unreachable } unreachable }", expect![[]]);
}

#[test]
fn continuation_of_another_function() {
    rejects_changed(
        "code f (x) -> k { k (x) } code g (y) -> k { k (y) }",
        |unit| unit.codes[CodeId::new(1)].ret = unit.codes[F].ret,
        expect![[]],
    );
}

#[test]
fn identifiers_out_of_range() {
    rejects_changed(
        "code f (x) -> k { let a = x k (a) }",
        |unit| {
            let Item::Let { named, .. } = &mut unit.codes[F].body.items[0] else { unreachable!() };
            *named = Named::Simple(Simple::Var(Variable::new(1000)));
        },
        expect![[]],
    );
    rejects_changed(
        "code f (x) -> k { let a = x k (a) }",
        |unit| {
            let Item::Let { named, .. } = &mut unit.codes[F].body.items[0] else { unreachable!() };
            *named = Named::Simple(Simple::Symbol(Symbol::new(1000)));
        },
        expect![[]],
    );
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| unit.codes[F].function_slot = FunctionSlot::new(1000),
        expect![[]],
    );
    rejects_changed(
        "code f (x) -> k { k (x) } code g (x) -> k { let c = closures (f) { v = x } k (c) }",
        |unit| {
            let Item::LetClosures { set, .. } = &mut unit.codes[CodeId::new(1)].body.items[0] else {
                unreachable!()
            };
            set.functions[0] = (FunctionSlot::new(1000), CodeId::new(1000));
            set.values[0].0 = ValueSlot::new(1000);
        },
        expect![[]],
    );
}

// ---- kinds and arities

#[test]
fn kind_of_a_let() {
    rejects("code f (x) -> k { let a: float# = x k (x) }", expect![[]]);
    rejects("code f (x) -> k { let a: int# = tag (#1) k (x) }", expect![[]]);
}

#[test]
fn kind_of_operands() {
    rejects("code f (x) -> k { let a = fadd (x, #1) k (0) }", expect![[]]);
    rejects("code f (x: float#) -> k { let a = make_block[0] (1, x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = make_array.float (#1.5, x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = c_call[\"c\" (float#) -> val] (x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = lsl.int64# (#1L, #2L) k (x) }", expect![[]]);
}

#[test]
fn number_of_operands() {
    rejects("code f (x) -> k { let a = add.int (x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = tag (#1, x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = c_call[\"c\"/2] (x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = make_block[0] () k (a) }", expect![[]]);
}

#[test]
fn operands_of_bigarrays() {
    rejects("code f (x) -> k { let a = bigarray_load.int64.c (x) k (x) }", expect![[]]);
    rejects("code f (x) -> k { do bigarray_store.float64.c (x, 0, x) k (x) }", expect![[]]);
    rejects("code f (x) -> k { do bigarray_store.float64.c (x, #1.5) k (x) }", expect![[]]);
    rejects("code f (x) -> k { do bigarray_store.float64.c (x, #1.5, #1.5) k (x) }", expect![[]]);
    accepts("code f (x) -> k { do bigarray_store.float64.fortran (x, 0, 1, #1.5) k (x) }");
}

#[test]
fn data_of_primitives() {
    rejects("code f (x) -> k { let a = make_block[251] (x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = bswap.int (x) k (a) }", expect![[]]);
    rejects("code f (x) -> k { let a = convert.val.float# (x) k (x) }", expect![[]]);
    rejects("code f (x) -> k { do string_store.string.8 (x, 0, #1) k (x) }", expect![[]]);
    rejects("code f (x) -> k { let a = c_call[\"c\" (val) -> float# void] (x) k (x) }", expect![[]]);
}

#[test]
fn immediates_fit() {
    rejects("code f (x) -> k { k (4611686018427387904) }", expect![[]]);
    rejects("code f (x) -> k { let a: int# = #-4611686018427387905 k (x) }", expect![[]]);
    rejects("static $b = block[0] (4611686018427387904)", expect![[]]);
}

#[test]
fn arguments_of_jumps() {
    rejects("code f (x) -> k { cont a (y, z) { k (y) } a (x) }", expect![[]]);
    rejects("code f (x) -> k { cont a (y: float#) { k (x) } a (x) }", expect![[]]);
    rejects("code f (x) -> k { k (x, x) }", expect![[]]);
    rejects("code f (x) -> k: float# { k (x) }", expect![[]]);
    rejects("entry -> k { k (#1.5) }", expect![[]]);
}

#[test]
fn scrutinees() {
    rejects("code f (x) -> k { switch x { 0 -> k (x), _ -> k (x) } }", expect![[]]);
    rejects("code f (x) -> k { switch_string #0 { \"a\" -> k (x), _ -> k (x) } }", expect![[]]);
}

#[test]
fn exceptions_are_values() {
    rejects("code f (x: float#) -> k { raise x }", expect![[]]);
    rejects("code f (x) -> k { join exn h (e: float#) { try h { k (x) } } k (x) }", expect![[]]);
}

#[test]
fn captured_values_are_values() {
    rejects("code g (x) -> k { k (x) } code f (x: float#) -> k { let c = closures (g) { x } k (c) }", expect![[]]);
}

// ---- continuations

#[test]
fn exception_continuation_as_ordinary() {
    rejects("code f (x) -> k | kx { kx (x) }", expect![[]]);
    rejects("code f (x) -> k | kx { call x (x) -> kx }", expect![[]]);
    rejects("code f (x) -> k | kx { switch #1 { _ -> kx (x) } }", expect![[]]);
}

#[test]
fn ordinary_continuation_for_exceptions() {
    rejects("code f (x) -> k { cont a (e) { k (e) } raise x | a }", expect![[]]);
    rejects("code f (x) -> k { cont a (e) { k (e) } try a { k (x) } }", expect![[]]);
}

#[test]
fn sorts_of_the_functions_own_continuations() {
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| {
            let code = &unit.codes[F];
            unit.continuations[code.exn].is_exn = false;
        },
        expect![[]],
    );
    rejects_changed(
        "code f (x) -> k { unreachable }",
        |unit| {
            let code = &unit.codes[F];
            unit.continuations[code.ret].is_exn = true;
        },
        expect![[]],
    );
}

#[test]
fn exception_continuation_of_a_primitive() {
    rejects("code f (x) -> k | kx { let a = add.int (x, x) | kx k (a) }", expect![[]]);
    rejects("code f (x) -> k { do check_bound[1] (x, x) | none k (x) }", expect![[]]);
}

#[test]
fn exceptions_go_to_the_innermost_handler() {
    rejects(
        "code f (x) -> k | kx {
           join exn h (e) { try h { call x (x) -> k | kx } }
           k (e)
         }",
        expect![[]],
    );
    rejects(
        "code f (x) -> k {
           join exn h (e) { call x (x) -> k | h }
           k (e)
         }",
        expect![[]],
    );
    rejects(
        "code f (x) -> k {
           join exn h1 (e1) {
             try h1 {
               join exn h2 (e2) { try h2 { raise x | h1 } }
               raise e2 | h2
             }
           }
           k (e1)
         }",
        expect![[]],
    );
}

#[test]
fn extra_arguments() {
    rejects(
        "code f (x) -> k { join exn h (e, y) { try h (x) { raise x | h } } k (e) }",
        expect![[]],
    );
    rejects(
        "code f (x) -> k { join exn h (e, y: float#) { try h (#1.5) { raise x | h (x) } } k (e) }",
        expect![[]],
    );
    rejects("code f (x) -> k { join exn h (e, y) { try h { k (x) } } k (e) }", expect![[]]);
    rejects("code f (x) -> k | kx { raise x | kx (x) }", expect![[]]);
    accepts("code f (x) -> k { join exn h (e, y) { try h (1) { raise x | h (2) } } k (y) }");
}

#[test]
fn one_try_for_each_handler() {
    rejects(
        "code f (x) -> k {
           join exn h (e) {
             join j (y) { try h { j (x) } }
             try h { k (y) }
           }
           k (e)
         }",
        expect![[]],
    );
    rejects("code f (x) -> k | kx { try kx { k (x) } }", expect![[]]);
}

#[test]
fn handler_under_the_same_handler() {
    rejects(
        "code f (x) -> k {
           join exn h1 (e1) {
             join exn h2 (e2) {
               try h1 { try h2 { k (x) } }
             }
             k (e2)
           }
           k (e1)
         }",
        expect![[]],
    );
}

#[test]
fn exception_continuations_have_a_parameter_and_no_recursion() {
    rejects("code f (x) -> k { join exn h { try h { k (x) } } k (x) }", expect![[]]);
    rejects("code f (x) -> k { cont rec exn h (e) { k (e) } try h { k (x) } }", expect![[]]);
}

#[test]
fn groups_are_not_empty() {
    rejects_changed(
        "code f (x) -> k { k (x) }",
        |unit| unit.codes[F].body.items.push(Item::LetCont { recursive: false, handlers: Vec::new() }),
        expect![[]],
    );
}

#[test]
fn arms_increase() {
    rejects("code f (x: int#) -> k { switch x { 1 -> k (1), 0 -> k (2) } }", expect![[]]);
    rejects("code f (x: int#) -> k { switch x { 1 -> k (1), 1 -> k (2) } }", expect![[]]);
    rejects("code f (x: int#) -> k { switch x { } }", expect![[]]);
    rejects("code f (x) -> k { switch_string x { \"b\" -> k (1), \"a\\n\" -> k (2) } }", expect![[]]);
    rejects("code f (x) -> k { switch_string x { } }", expect![[]]);
}

// ---- calls and functions

#[test]
fn arguments_of_calls() {
    rejects("code f (x, y) -> k { k (x) } code g (x) -> k { call code f (x) -> k }", expect![[]]);
    rejects("code f (x: float#) -> k { k (1) } code g (x) -> k { call code f (x) -> k }", expect![[]]);
    rejects("code f (x: float#) -> k { call x (1) -> k }", expect![[]]);
    rejects("code f (x: float#) -> k { call 1 (x) -> k }", expect![[]]);
    rejects("code f (x) -> k { call x () -> k }", expect![[]]);
    rejects("code f (x) -> k { call external \"g\" () -> k }", expect![[]]);
    rejects("code f (x) -> k { call method.cached x (x, x) -> k }", expect![[]]);
}

#[test]
fn results_of_calls() {
    rejects("code f (x) -> k: float# { k (#1.5) } code g (x) -> k { call code f (x) -> k }", expect![[]]);
    rejects("code f (x) -> k { let a: float# = call x (x) k (x) }", expect![[]]);
    rejects("code f (x) -> k { cont a { k (x) } call x (x) -> a }", expect![[]]);
    rejects("code f (x) -> k { cont a (y, z) { k (x) } call x (x) -> a }", expect![[]]);
    accepts("code f (x) -> k { let a: float# = call external \"g\" (x) k (x) }");
}

#[test]
fn callees() {
    rejects("code f (x) -> k { call _ (x) -> k }", expect![[]]);
    rejects("code f (x) -> k { call method.self _ (x) -> k }", expect![[]]);
    rejects(
        "code f (x) closure c -> k { k (c) } code g (x) -> k { call code f (x) -> k }",
        expect![[]],
    );
    accepts("code f (x) closure c -> k { k (c) } code g (x) -> k { call code f via x (x) -> k }");
}

#[test]
fn functions_have_a_parameter() {
    rejects("code f () -> k { k (1) }", expect![[]]);
    rejects("code f (x) closure c: float# -> k { k (1) }", expect![[]]);
}

#[test]
fn recursion_is_marked() {
    rejects("code f (x) -> k { call code f (x) -> k }", expect![[]]);
    rejects(
        "static $f, $g, $h = closures (f, g, h)
         code f (x) -> k { call code g (x) -> k }
         code g (x) -> k { call code f (x) -> k }
         code h (x) -> k { call code g (x) -> k }",
        expect![[]],
    );
    // A local function that calls the function around it.
    accepts(
        "code f (x) -> k [rec] { let g = closures (g) call code g (x) -> k }
         code g (x) -> k { call code f (x) -> k }",
    );
}

// ---- closures

#[test]
fn shapes_of_sets() {
    rejects("code f (x) -> k { let c = closures () k (c) }", expect![[]]);
    rejects("code f (x) -> k { let c, d = closures (f) k (c) }", expect![[]]);
    rejects("code f (x) -> k { let c = closures (f/other) k (c) }", expect![[]]);
    rejects("code f (x) -> k { let c: float# = closures (f) k (x) }", expect![[]]);
}

#[test]
fn slots_are_bound_once() {
    rejects("code f (x) -> k { let c = closures (f) let d = closures (f) k (c) }", expect![[]]);
    rejects("static $f = closures (f) code f (x) -> k { let d = closures (f) k (d) }", expect![[]]);
    rejects("code f (x) -> k { let c = closures (f) { v = x, v = x } k (c) }", expect![[]]);
}

#[test]
fn projections_name_a_set() {
    rejects("code f (x) closure c -> k { let y = project_value[f, v] (c) k (y) }", expect![[]]);
    rejects(
        "static $f = closures (f) { v = 1 }
         static $g = closures (g) { w = 1 }
         code f (x) closure c -> k { let y = project_value[f, w] (c) k (y) }
         code g (x) closure c -> k { let y = project_function[g, f] (c) k (y) }",
        expect![[]],
    );
    rejects("code f (x) closure c -> k { let y = project_function[f, nowhere] (c) k (y) }", expect![[]]);
    rejects("code f (x) -> k { let y = alloc_dummy_closure[nowhere] () k (y) }", expect![[]]);
}

#[test]
fn static_sets_capture_no_variables() {
    rejects_changed(
        "static $f = closures (f) { v = 1 } code f (x) -> k { k (x) }",
        |unit| {
            let x = unit.codes[F].params[0];
            for item in &mut unit.statics {
                if let StaticDef::Closures { set, .. } = &mut item.def {
                    set.values[0].1 = Simple::Var(x);
                }
            }
        },
        expect![[]],
    );
    rejects("static $f = closures (f) { v = #1 } code f (x) -> k { k (x) }", expect![[]]);
}

// ---- static data

#[test]
fn symbols_are_defined_once() {
    rejects("static $a = block[0] () static $a = string \"\"", expect![[]]);
    rejects("local $a", expect![[]]);
    rejects("extern $a static $a = string \"\"", expect![[]]);
}

#[test]
fn linkage_names_are_distinct() {
    rejects("local $a = \"x\" static $a = string \"\" code f = \"x\" (x) -> k { k (x) }", expect![[]]);
    rejects("extern $a extern $b = \"a\"", expect![[]]);
}

#[test]
fn module_block() {
    rejects("static $camlM = preallocated[0] size 1", expect![[]]);
    rejects("static exported $camlM = string \"\"", expect![[]]);
    rejects("extern $camlM entry -> k { let camlM = 1 /* */ k (camlM) }".replace("/* */", "").as_str(), expect![[]]);
}

#[test]
fn static_tags() {
    rejects("static $a = block[252] (1)", expect![[]]);
    rejects("static $a = preallocated[255] size 1", expect![[]]);
}

#[test]
fn static_symbols_in_range() {
    rejects_changed(
        "",
        |unit| {
            let def = StaticDef::Float { symbol: Symbol::new(1000), bits: 0 };
            unit.statics.push(Static { exported: false, def });
        },
        expect![[]],
    );
}

// ---- the report

#[test]
fn at_most_twenty_errors() {
    let body = "let a = b ".replace('b', "poison: float#").repeat(1);
    let many: String = (0..100).map(|n| body.replace('a', &format!("a{n}"))).collect();
    // "let" and "float" hold no other letter `a`.
    let many = many.replace("floa", "flo").replace("flot", "float");
    let errors = verify::verify(&unit(&format!("code f (x) -> k {{ {many} k (x) }}"))).expect_err("kinds differ");
    assert_eq!(errors.len(), 20);
}

#[test]
fn messages_use_the_names_of_the_text() {
    let mut unit = unit("code f (x, y: float#) -> k { let z = x let z_1 = add.int (z, y) k (z_1) }");
    // Both are now called `z`; the printer calls them `z` and `z_1`.
    for data in unit.variables.values_mut() {
        if data.name == "z_1" {
            data.name = "z".to_owned();
        }
    }
    expect![[]].assert_eq(&errors(&unit));
}

#[test]
fn deep_and_wrong() {
    let mut body = Expr { items: Vec::new(), terminator: Terminator::Unreachable };
    let mut unit = unit("");
    let wrong = unit.new_value("wrong");
    let prim = Prim::Tag;
    let named = Named::Prim { prim, args: [Const::UNIT.into()].into_iter().collect(), exn: None };
    body.items.push(Item::Let { var: wrong, named, dbg: flambeau_ir::Dbg::NONE });
    for _ in 0..50_000 {
        let cont = unit.new_continuation("j");
        let join = Item::Join { cont, params: Default::default(), body: Box::new(body) };
        body = Expr { items: vec![join], terminator: Terminator::Unreachable };
    }
    unit.entry.body = body;
    expect![[]].assert_eq(&errors(&unit));
    unit.entry.body.dismantle();
}
