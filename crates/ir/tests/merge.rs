//! Making one unit of several.

use flambeau_ir::{Naming, Unit, merge, parser, printer, verify};

/// Stores a constant and a value in fields of its own, the second of which other units do not read.
const FIRST: &str = r#"
unit "First" prefix "camlFirst" module $camlFirst

static exported $camlFirst = preallocated[0] size 2 private 1
static exported $f_closure = closures (f)

code f (x) -> return {
  let hidden = block_load[1] ($camlFirst)
  let y = add.int (x, hidden)
  return (y)
}

entry -> return {
  let s = block_store.root_init[0] ($camlFirst, $f_closure)
  let n = block_load[0] ($camlFirst)
  let t = block_store.root_init[1] ($camlFirst, n)
  return (0)
}
"#;

/// Reads a field of the first, passes it on as a whole, and has it in static data. Its initialisation ends in two
/// places.
const SECOND: &str = r#"
unit "Second" prefix "camlSecond" module $camlSecond
extern $camlFirst

static exported $camlSecond = preallocated[0] size 1
static $pair = block[0] ($camlFirst, 5)

code g (x) -> return {
  let f = block_load[0] ($camlFirst)
  let r = call f (x)
  let p = make_block[0] ($camlFirst, r)
  return (p)
}

entry -> return {
  let s = block_store.root_init[0] ($camlSecond, $pair)
  let condition = is_int ($pair)
  switch condition { 0 -> return (0), 1 -> return (2) }
}
"#;

/// Both in one. What was static in the second and has the first in it is filled when the second is initialised.
const WHOLE: &str = r#"
unit "Program" prefix "camlProgram" parts 2 module $camlProgram

extern $camlFirst
extern $camlSecond
local $camlFirst__f_closure = "camlFirst__f_closure"
local $camlSecond__pair = "camlSecond__pair"

static exported $camlProgram = preallocated[0] size 4 private 4
static $camlFirst__f_closure = closures (camlFirst__f)
static $camlSecond__pair = preallocated[0] size 2 private 2

code camlFirst__f = "camlFirst__f" slot f (x) -> return {
  let hidden = block_load[1] ($camlProgram)
  let y = add.int (x, hidden)
  return (y)
}

code camlSecond__g = "camlSecond__g" slot g (x) -> return {
  let module = block_load[3] ($camlProgram)
  let f = block_load[0] ($camlProgram)
  let r = call f (x)
  let p = make_block[0] (module, r)
  return (p)
}

entry -> return {
  do block_store.root_init[0] ($camlProgram, $camlFirst__f_closure)
  let n = block_load[0] ($camlProgram)
  do block_store.root_init[1] ($camlProgram, n)
  let module = block_load[0] ($camlProgram)
  let module_1 = make_block[0] (module)
  do block_store.root_init[3] ($camlProgram, module_1)
  join return_1 (initialised) {
    let module_2 = block_load[3] ($camlProgram)
    do block_store.root_init[0] ($camlSecond__pair, module_2)
    do block_store.root_init[1] ($camlSecond__pair, 5)
    do block_store.root_init[2] ($camlProgram, $camlSecond__pair)
    let condition = is_int ($camlSecond__pair)
    switch condition { 0 -> return_1 (0), 1 -> return_1 (2) }
  }
  return (0)
}
"#;

fn read(source: &str) -> Unit {
    let unit = parser::parse_unit(source).expect("well-formed text");
    verify::verify(&unit).expect("a well-formed unit");
    unit
}

#[test]
fn fields_are_those_of_one_module_block() {
    let naming = Naming::usual("camlProgram");
    let whole = merge::merge("Program", naming, vec![read(FIRST), read(SECOND)]);
    verify::verify(&whole).expect("a well-formed unit");
    let printed = printer::print_unit(&whole);
    assert_eq!(printed.trim(), WHOLE.trim());
    assert_eq!(read(&printed).parts, 2);
}
