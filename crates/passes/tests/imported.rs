//! Each `tests/fl/imported/*.fl` is a unit, a line `--->`, a second unit that calls functions of the first, a line
//! `===>`, and the second after the simplifier; `UPDATE_EXPECT=1` writes what came into the files.

mod examples;

use flambeau_cmm::CapturedPlaces;
use flambeau_ir::{Item, Named, Prim, Rewrites, Simple, StaticDef, Unit, parser, printer, verify};
use flambeau_simplify::export::{Visible, inlinable};

const NEXT_UNIT: &str = "--->\n";

#[test]
fn functions_of_other_units_are_inlined() {
    examples::accept(&examples::differences("imported", |input| Ok(outcome(input))));
}

/// The second unit after the simplifier.
fn outcome(input: &str) -> String {
    let rewrites = Rewrites { keep_backtraces: true, ..Rewrites::default() };
    let (first, second) = input.split_once(NEXT_UNIT).expect("two units");
    let mut first = unit(first);
    let mut second = unit(second);
    // Without declared origins the first unit sets no limit.
    let origins: Vec<_> = second.origins.keys().map(Some).chain([None]).collect();
    let roots: Vec<String> = first.codes.values().map(|code| code.linkage_name.clone()).collect();
    let places = CapturedPlaces::of(&first);
    let place_of = |function, value| places.of_value(function, value);
    let functions = inlinable(&mut first, &rewrites, roots, &Visible::All, &place_of);
    assert_eq!(verify::verify(&first), Ok(()));
    second.imports.add(&first.name, functions, &origins);
    add_fields(&first, &mut second);
    second.imports.check();
    assert_eq!(second.imports.damaged(), []);
    flambeau_simplify::simplify(&mut second, &mut rewrites.clone());
    assert_eq!(verify::verify(&second), Ok(()));
    assert_eq!(second.imports.damaged(), []);
    printer::print_unit(&second)
}

/// Adds to the second unit which functions the entry of the first stores in its module.
fn add_fields(first: &Unit, second: &mut Unit) {
    let closures = first.statics.iter().filter_map(|item| match &item.def {
        StaticDef::Closures { symbols, set } => Some(symbols.iter().zip(&set.functions)),
        _ => None,
    });
    let codes: Vec<_> =
        closures.flatten().map(|(symbol, (_, code))| (Simple::Symbol(*symbol), code)).collect();
    let module = &first.symbols[first.module_symbol].linkage_name;
    for item in &first.entry.body.items {
        if let Item::Let { named: Named::Prim { prim: Prim::BlockStore { field, .. }, args, .. }, .. } = item
            && let Some((_, code)) = codes.iter().find(|(closure, _)| *closure == args[1])
        {
            let code = &first.codes[**code];
            second.imports.add_field(module, *field, &code.linkage_name, code.params.len());
        }
    }
}

fn unit(text: &str) -> Unit {
    let unit = parser::parse_unit(text).expect("a unit");
    assert_eq!(verify::verify(&unit), Ok(()), "{text}");
    unit
}

#[test]
fn static_data_that_goes_along_is_exported() {
    let text = "unit \"A\" prefix \"camlA\" module $camlA
        static exported $camlA = preallocated[0] size 0
        static $s = string \"s\"
        static $t = string \"t\"
        static exported $f_closure = closures (f)
        code f (x) -> return { return ($s) }
        entry -> return { return ($t) }";
    let exported = |visible: &Visible| {
        let mut unit = unit(text);
        let functions =
            inlinable(&mut unit, &Rewrites::default(), ["camlA__f".to_owned()], visible, &|_, _| None);
        let statics: Vec<bool> = unit.statics.iter().map(|item| item.exported).collect();
        (functions.len(), statics)
    };
    assert_eq!(exported(&Visible::All), (1, vec![true, true, false, true]));
    // If it may not be, a copy of the string is recorded with the function.
    let others = ["camlA".to_owned(), "camlA__t".to_owned()];
    assert_eq!(exported(&Visible::Only(others.into_iter().collect())), (1, vec![true, false, false, true]));
}

#[test]
fn constants_go_along_where_their_symbols_may_not() {
    let text = "unit \"A\" prefix \"camlA\" module $camlA
        extern $caml_exn_Failure
        static exported $camlA = preallocated[0] size 0
        static $s = string \"s\"
        static $b = block[0] ($caml_exn_Failure, $s)
        static exported $f_closure = closures (f)
        static exported $g_closure = closures (g)
        code f (x) -> return { let y = opaque ($b) return (y) }
        code g (x) -> return { let y = opaque ($f_closure) return (y) }
        entry -> return { return (0) }";
    let mut first = unit(text);
    let visible = Visible::Only(["camlA".to_owned()].into_iter().collect());
    let roots = ["camlA__f".to_owned(), "camlA__g".to_owned()];
    let functions = inlinable(&mut first, &Rewrites::default(), roots, &visible, &|_, _| None);
    // Closures have an identity, and code.
    assert_eq!(functions.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), ["camlA__f"]);
    let mut caller = unit(
        "unit \"B\" prefix \"camlB\" module $camlB
        static exported $camlB = preallocated[0] size 0
        entry -> return {
          let x = call external \"camlA__f\" (0) let y = call external \"camlA__f\" (1)
          let z = make_block[0] (x, y) return (z)
        }",
    );
    caller.imports.add("A", functions, &[None]);
    // Each run reads the function again, and finds the copies of the last.
    for _ in 0..2 {
        flambeau_simplify::simplify(&mut caller, &mut Rewrites::default());
        assert_eq!(verify::verify(&caller), Ok(()));
        assert_eq!(caller.statics.len(), 3);
    }
    assert!(!printer::print_unit(&caller).contains("call"));
}

#[test]
fn hidden_functions_that_take_boxes_go_along_where_they_are_called() {
    let text = "unit \"A\" prefix \"camlA\" module $camlA
        static exported $camlA = preallocated[0] size 0
        static $hidden_closure = closures (hidden)
        static $plain_closure = closures (plain)
        static exported $f_closure = closures (f)
        static exported $g_closure = closures (g)
        static exported $h_closure = closures (h)
        code hidden (x: int64) -> return [inline never] {
          let n = unbox.int64 (x) let m = add.int64# (n, #1L) let y = box.int64 (m) return (y)
        }
        code plain (x) -> return [inline never] { let y = opaque (x) return (y) }
        code f (x: int64) -> return { let y = call code hidden (x) return (y) }
        code g (x: int64) -> return { let z = opaque ($hidden_closure) let y = call code hidden (z) return (y) }
        code h (x) -> return { let y = call code plain (x) return (y) }
        entry -> return { return (0) }";
    let mut first = unit(text);
    let visible = Visible::Only(["camlA".to_owned()].into_iter().collect());
    let roots = ["camlA__f".to_owned(), "camlA__g".to_owned(), "camlA__h".to_owned()];
    let functions = inlinable(&mut first, &Rewrites::default(), roots, &visible, &|_, _| None);
    assert_eq!(functions.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), ["camlA__f"]);
    let mut caller = unit(
        "unit \"B\" prefix \"camlB\" module $camlB
        static exported $camlB = preallocated[0] size 0
        entry -> return {
          let a = opaque (0) let x = call external \"camlA__f\" (a) let y = call external \"camlA__f\" (x)
          return (y)
        }",
    );
    caller.imports.add("A", functions, &[None]);
    // Both calls run one copy, in each round.
    for _ in 0..2 {
        flambeau_simplify::simplify(&mut caller, &mut Rewrites::default());
        assert_eq!(verify::verify(&caller), Ok(()));
        let text = printer::print_unit(&caller);
        assert!(!text.contains("external"), "{text}");
        assert_eq!(text.matches("call code hidden_from").count(), 2, "{text}");
        assert_eq!(text.matches("\ncode ").count(), 1, "{text}");
    }
}

#[test]
fn damage_is_reported_with_the_name_of_the_unit() {
    let mut caller = unit(
        "unit \"B\" prefix \"camlB\" module $camlB
        static exported $camlB = preallocated[0] size 0
        entry -> return { let x = call external \"camlA__f\" (0) return (x) }",
    );
    let text = printer::print_unit(&caller);
    caller.imports.add("A", [("camlA__f".to_owned(), vec![1, 2, 3])], &[]);
    flambeau_simplify::simplify(&mut caller, &mut Rewrites::default());
    assert_eq!(caller.imports.damaged().len(), 1);
    assert_eq!(caller.imports.damaged()[0].unit, "A");
    assert!(caller.imports.damaged()[0].cause.starts_with("function camlA__f: "));
    assert_eq!(printer::print_unit(&caller), text);
}
