//! Text in, terms out: what programs of the source hardly show.

use flambeau_bytecode::{Program, Term, translate};
use flambeau_ir::{Prim, parser, verify};

fn program(text: &str) -> Program {
    let unit = parser::parse_unit(text).expect("it can be read");
    verify::verify(&unit).expect("it is well-formed");
    translate(&unit)
}

fn count(program: &Program, is_meant: impl Fn(&Term) -> bool) -> usize {
    let (mut found, mut stack) = (0, vec![program.root.expect("a unit has a term")]);
    while let Some(id) = stack.pop() {
        found += usize::from(is_meant(program.term(id)));
        program.term(id).each_part(|part| stack.push(part));
    }
    found
}

fn is_comparison(term: &Term) -> bool {
    matches!(term, Term::Prim { prim: Prim::PhysEqual { .. }, .. })
}

/// `f` captures `x`; `read` gets it out of a closure that it is given.
fn captured(read: &str) -> String {
    format!(
        "unit \"M\" prefix \"camlM\" module $camlM\n\
         static exported $camlM = preallocated[0] size 2\n\
         code f (y) closure own -> k {{ let x = project_value[f, x] (own) let s = add.int (x, y) k (s) }}\n\
         code make (x) -> k {{ let f = closures (f) {{ x }} {read} }}\n\
         code read (c) -> k {{ let x = project_value[f, x] (c) k (x) }}\n\
         static $make_closure = closures (make)\n\
         static $read_closure = closures (read)\n\
         entry -> k {{ do block_store.root_init[0] ($camlM, $make_closure) do block_store.root_init[1] ($camlM, $read_closure) k (0) }}"
    )
}

#[test]
fn what_a_function_in_scope_has_captured_is_a_variable() {
    let text = captured("let y = project_value[f, x] (f) let b = make_block[0] (f, y) k (b)");
    let text = text.replace(
        "code read (c) -> k { let x = project_value[f, x] (c) k (x) }",
        "code read (c) -> k { k (c) }",
    );
    assert_eq!(count(&program(&text), is_comparison), 0);
}

#[test]
fn a_function_from_elsewhere_is_asked_what_it_has_captured() {
    let program = program(&captured("k (f)"));
    // `f` looks whether it is asked, and `read` asks.
    assert_eq!(count(&program, is_comparison), 1);
    assert_eq!(count(&program, |term| matches!(term, Term::Apply { .. })), 1);
}

#[test]
fn a_loop_that_counts_is_for() {
    let program = program(
        "unit \"M\" prefix \"camlM\" module $camlM\n\
         static exported $camlM = preallocated[0] size 1\n\
         code sum (n) -> k {\n\
           cont rec loop (i, s) {\n\
             let t = add.int (s, i)\n\
             let last = phys_eq (i, n)\n\
             cont next { let j = add.int (i, 1) loop (j, t) } and end { k (t) }\n\
             switch last { 0 -> next, 1 -> end }\n\
           }\n\
           loop (0, 0)\n\
         }\n\
         static $sum_closure = closures (sum)\n\
         entry -> k { do block_store.root_init[0] ($camlM, $sum_closure) k (0) }",
    );
    assert_eq!(count(&program, |term| matches!(term, Term::For { up: true, .. })), 1);
    assert_eq!(count(&program, |term| matches!(term, Term::While { .. })), 0);
}

#[test]
fn a_field_that_is_stored_in_a_branch_is_kept_in_the_table() {
    let program = program(
        "unit \"M\" prefix \"camlM\" module $camlM\n\
         static exported $camlM = preallocated[0] size 1\n\
         extern $other = \"camlOther\"\n\
         entry -> k {\n\
           let c = block_load.mut[0] ($other)\n\
           let b = untag (c)\n\
           cont one { do block_store.root_init[0] ($camlM, 1) k (0) }\n\
           and two { do block_store.root_init[0] ($camlM, 2) k (0) }\n\
           switch b { 0 -> one, 1 -> two }\n\
         }",
    );
    assert_eq!(count(&program, |term| matches!(term, Term::Prim { prim: Prim::BlockStore { .. }, .. })), 2);
    assert_eq!(count(&program, |term| matches!(term, Term::SetGlobal(_))), 1);
}
