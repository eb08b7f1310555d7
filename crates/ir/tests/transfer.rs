//! Functions that are exported to other units as bytes.

mod generator;

use flambeau_fuzzgen::damage;
use flambeau_ir::transfer::{self, Exported, Importer};
use flambeau_ir::{ArgType, CodeId, Naming, Origin, Unit, parser};
use rustc_hash::FxHashMap;

const UNITS: u64 = 150;

/// What the arguments that come with functions are elsewhere: the unit's own, and the two that random units have.
const ORIGINS: [Option<Origin>; 3] = [None; 3];

fn export(unit: &Unit, code: CodeId) -> Option<Exported> {
    transfer::export(unit, code, &FxHashMap::default(), &FxHashMap::default(), &|_, _| None)
}

/// All functions of random units that can leave, as bytes.
fn functions() -> Vec<Vec<u8>> {
    let mut functions = Vec::new();
    for seed in 0..UNITS {
        let unit = generator::unit(seed);
        functions.extend(unit.codes.keys().filter_map(|code| export(&unit, code)).map(|e| e.bytes));
    }
    functions
}

#[test]
fn what_arrives_is_what_left() {
    let functions = functions();
    assert!(functions.len() > 100, "only {} functions can leave", functions.len());
    let mut elsewhere = generator::unit(UNITS);
    let mut importer = Importer::default();
    for bytes in functions {
        let origins = [None].into_iter().chain(elsewhere.origins.keys().map(Some)).collect::<Vec<_>>();
        let code = transfer::import(&mut elsewhere, &bytes, &mut importer, &origins).expect("a function");
        let again = export(&elsewhere, code).expect("it can leave again");
        if elsewhere.codes.next_key().as_u32() == code.as_u32() + 1 {
            assert_eq!(bytes, again.bytes);
        } else {
            // The functions of its sets of closures have got names of this unit.
            assert_eq!(transfer::check(&again.bytes, 3), Ok(()));
        }
    }
}

#[test]
fn what_arrives_is_well_formed() {
    for bytes in functions() {
        assert_eq!(transfer::check(&bytes, 3), Ok(()));
    }
}

#[test]
fn locations_arrive_as_they_left() {
    // The locations of a function's body, in its order.
    let locations = |unit: &Unit, code: CodeId| {
        let mut found = Vec::new();
        unit.codes[code].body.clone().map_places(&mut |dbg| {
            found.push(unit.locs.get(dbg).cloned());
            dbg
        });
        found
    };
    let mut known = 0;
    for seed in 0..UNITS {
        let unit = generator::unit(seed);
        for code in unit.codes.keys() {
            let Some(exported) = export(&unit, code) else { continue };
            let mut elsewhere = Unit::new("Elsewhere", Naming::usual("camlElsewhere"), 0);
            let imported =
                transfer::import(&mut elsewhere, &exported.bytes, &mut Importer::default(), &ORIGINS);
            assert_eq!(imported, Ok(CodeId::from_u32(0)));
            let left = locations(&unit, code);
            assert_eq!(locations(&elsewhere, CodeId::from_u32(0)), left);
            known += left.iter().flatten().count();
        }
    }
    assert!(known > 20, "only {known} locations");
}

#[test]
fn damaged_functions_are_survived() {
    let (mut imported, mut well_formed) = (0, 0);
    damage::survive(3, &functions(), 100_000, 32 << 20, |bytes| {
        let mut unit = Unit::new("Elsewhere", Naming::usual("camlElsewhere"), 0);
        if transfer::import(&mut unit, bytes, &mut Importer::default(), &ORIGINS).is_ok() {
            imported += 1;
            well_formed += u32::from(transfer::check(bytes, 3).is_ok());
        }
    });
    assert!(imported > 1000 && well_formed > 100, "only {imported} were read, {well_formed} well-formed");
    assert!(well_formed < imported, "the verifier finds something");
}

#[test]
fn what_is_nested_deeply_stays() {
    let function = |depth: usize| {
        let open: String = (0..depth).map(|n| format!("join k{n} (x{n}) {{ ")).collect();
        let close: String = (0..depth).rev().map(|n| format!("k{n} (x) }} ")).collect();
        let text = format!(
            "unit \"T\" prefix \"camlT\" module $camlT
             static exported $camlT = preallocated[0] size 0
             static exported $f_closure = closures (f)
             code f (x) -> return {{ {open} {close} return (x) }}
             entry -> return {{ return (0) }}"
        );
        let unit = flambeau_ir::parser::parse_unit(&text).expect("a unit");
        assert_eq!(flambeau_ir::verify::verify(&unit), Ok(()));
        export(&unit, CodeId::from_u32(0))
    };
    assert!(function(100).is_some_and(|exported| transfer::check(&exported.bytes, 1).is_ok()));
    assert!(function(149).is_some_and(|exported| transfer::check(&exported.bytes, 1).is_ok()));
    assert!(function(150).is_none());
}

#[test]
fn arguments_that_did_not_come_are_noticed() {
    let text = "unit \"T\" prefix \"camlT\" module $camlT
         static exported $camlT = preallocated[0] size 0
         static exported $f_closure = closures (f)
         code f (x) -> return { call x (x) -> return }
         entry -> return { return (0) }";
    let unit = flambeau_ir::parser::parse_unit(text).expect("a unit");
    let bytes = export(&unit, CodeId::from_u32(0)).expect("it can leave").bytes;
    assert_eq!(transfer::check(&bytes, 1), Ok(()));
    assert_eq!(transfer::check(&bytes, 0).map_err(|error| error.to_string()), Err("no arguments 0".into()));
}

/// What is copied for types takes two variables of one type variable for variables of one type.
#[test]
fn type_variables_of_imported_functions_are_others() {
    let read = |name: &str| {
        let text = format!(
            "unit \"{name}\" prefix \"caml{name}\" module $caml{name}
             static exported $caml{name} = preallocated[0] size 1
             static exported $f_closure = closures (f)
             code f (x of variable 1, y of variable 0, z of variable 1) -> return {{ return (x) }}
             entry -> return {{ return (0) }}"
        );
        parser::parse_unit(&text).unwrap_or_else(|error| panic!("{error}"))
    };
    let shapes = |unit: &Unit, code: CodeId| -> Vec<ArgType> {
        let params = unit.codes[code].params.iter();
        params.map(|param| unit.variables[*param].shape.as_deref().cloned().unwrap_or_default()).collect()
    };
    let of = |numbers: [u32; 3]| numbers.map(ArgType::Variable).to_vec();
    let (other, mut unit) = (read("A"), read("B"));
    let own = unit.codes.keys().next().expect("a function");
    let bytes = export(&other, own).expect("it can leave").bytes;
    let mut importer = Importer::default();
    for numbers in [[2, 3, 2], [4, 5, 4]] {
        let code = transfer::import(&mut unit, &bytes, &mut importer, &[None]).expect("a function");
        assert_eq!(shapes(&unit, code), of(numbers));
    }
    assert_eq!(shapes(&unit, own), of([1, 0, 1]));
}
