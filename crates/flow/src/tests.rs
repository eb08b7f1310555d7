//! What is said of bodies written as text.

use cranelift_entity::SecondaryMap;
use flambeau_ir::parser::parse_unit;
use flambeau_ir::{CodeId, Continuation, Expr, Item, Unit, Variable};

use crate::{Block, EdgeKind, Flow, Location, Rewriter, Run, RunKind, Values, rewrite_runs};

/// A loop inside a `try`, whose switch has two arms; a join around a call.
const TEXT: &str = r#"
unit "T" prefix "camlT" module $camlT
static $camlT = preallocated[0] size 1
code f (x, y) -> return {
  join exn handler (e, kept) {
    try handler (x) {
      cont rec loop (i) {
        let sum = add.int (i, y)
        cont done {
          return (sum)
        }
        let stop = ge.int (sum, 100)
        switch stop { 0 -> loop (sum), 1 -> done }
      }
      loop (x)
    }
  }
  let result = call y (kept)
  return (result)
}
entry -> return { return (0) }
"#;

struct Analysed {
    unit: Unit,
    code: CodeId,
    flow: Flow,
    values: Values,
}

impl Analysed {
    fn new(text: &str) -> Analysed {
        let unit = parse_unit(text).expect("the text is a unit");
        let code = unit.codes.keys().next().expect("it has a function");
        let (mut flow, mut values) = (Flow::default(), Values::default());
        flow.analyse(&unit.codes[code].body, &mut values);
        Analysed { unit, code, flow, values }
    }

    fn variable(&self, name: &str) -> Variable {
        self.unit.variables.iter().find(|(_, data)| *data.name == *name).expect("bound").0
    }

    fn block(&self, name: &str) -> Block {
        let named = |(_, data): &(Continuation, &flambeau_ir::ContinuationData)| *data.name == *name;
        let cont = self.unit.continuations.iter().find(named).expect("bound").0;
        self.flow.block_of(cont).expect("of the body")
    }

    fn defined(&self, name: &str) -> Location {
        self.values.definition(self.variable(name)).expect("of the body")
    }

    fn uses(&self, name: &str) -> Vec<Location> {
        self.values.uses(self.variable(name)).collect()
    }
}

#[test]
fn runs_are_intervals() {
    let f = Analysed::new(TEXT);
    let kinds: Vec<RunKind> = f.flow.runs().values().map(|run| run.kind).collect();
    let repeated = f.flow.loops().keys().next().expect("a loop");
    // The call is in the body of a join of its own.
    let expected = [
        RunKind::Body,
        RunKind::Join,
        RunKind::Try,
        RunKind::Loop(repeated),
        RunKind::Handler,
        RunKind::Arm,
        RunKind::Arm,
        RunKind::Join,
    ];
    assert_eq!(kinds, expected);
    let runs: Vec<_> = f.flow.runs().keys().collect();
    assert_eq!(f.flow.children(runs[3]), &runs[4..7]);
    assert_eq!(f.flow.arms(runs[3]), &runs[5..7]);
    assert_eq!(f.flow.child_towards(runs[0], runs[5]), Some(runs[1]));
    assert_eq!(f.flow.child_towards(runs[3], runs[3]), None);
    assert!(f.flow.is_in_loop(runs[6], repeated) && !f.flow.is_in_loop(runs[7], repeated));
    assert!(f.flow.is_inside(runs[5], runs[1]) && !f.flow.is_inside(runs[7], runs[1]));
    // In the order of the text, those nested within those around.
    for (run, data) in f.flow.runs() {
        assert!(data.start < data.terminator && data.terminator < data.end || data.kind == RunKind::Arm);
        if let Some(parent) = data.parent.expand() {
            let around = &f.flow.runs()[parent];
            assert!(around.start < data.at && data.at < data.start && data.end <= around.end, "{run}");
        }
    }
}

#[test]
fn blocks_have_predecessors_loops_and_handlers() {
    let f = Analysed::new(TEXT);
    let (handler, repeated, done) = (f.block("handler"), f.block("loop"), f.block("done"));
    let blocks = f.flow.blocks();
    assert!(blocks[handler].is_exn && blocks[handler].in_try.is_none());
    assert_eq!(blocks[repeated].in_try.expand(), Some(handler));
    assert!(blocks[repeated].header_of.is_some() && blocks[done].header_of.is_none());
    let kinds: Vec<EdgeKind> = f.flow.predecessors(handler).map(|edge| edge.kind).collect();
    assert_eq!(kinds, [EdgeKind::Try]);
    let into_loop: Vec<bool> =
        f.flow.predecessors(repeated).map(|edge| edge.from.block == repeated).collect();
    assert_eq!(into_loop, [true, false], "the back edge, then the entry, in the order of the text");
    let arm = f.flow.predecessors(done).next().expect("an arm").from;
    assert_eq!(f.flow.runs()[arm.run].kind, RunKind::Arm);
    let scope = &blocks[done];
    assert!((scope.used_from..scope.used_to).contains(&arm.position));
    assert!(!(scope.used_from..scope.used_to).contains(&scope.start), "it is not recursive");
    // What a `Join` binds begins behind it; what is before it in the run is of the function's first block.
    let joined = &blocks[handler];
    assert_eq!(joined.code, joined.bound_in);
    assert_eq!(f.flow.block_at(joined.code, joined.start), handler);
    assert_eq!(Some(f.flow.block_at(joined.bound_in, joined.bound_at)), blocks.keys().next());
    assert_eq!(f.flow.block_at(blocks[repeated].code, blocks[done].bound_at), repeated);
    // The call raises to the function's own continuation.
    let leaving = f.flow.edges().iter().filter(|edge| edge.to.is_none()).map(|edge| edge.kind);
    assert_eq!(leaving.collect::<Vec<_>>(), [EdgeKind::Jump, EdgeKind::Raise, EdgeKind::Jump]);
}

#[test]
fn definitions_and_uses_are_located() {
    let f = Analysed::new(TEXT);
    assert_eq!(f.values.definition(f.variable("y")), None, "a parameter of the function");
    let (i, sum) = (f.defined("i"), f.defined("sum"));
    assert_eq!(i, f.flow.blocks()[f.block("loop")].beginning(f.block("loop")).into());
    assert_eq!(f.uses("i"), [sum]);
    // In the test, the arm that continues, and the handler; the innermost run around all is the loop's.
    let uses = f.uses("sum");
    assert_eq!(uses.len(), 3);
    let common = uses.into_iter().reduce(|a, b| f.flow.common(a, b)).expect("uses");
    assert_eq!(common.run, sum.run);
    assert!(sum.position < common.position && common.position < f.defined("stop").position);
    let kept = f.defined("kept");
    assert!(f.uses("kept")[0].position > kept.position && kept.position > sum.position);
}

#[test]
fn the_tables_serve_for_one_body_after_another() {
    let mut f = Analysed::new(TEXT);
    let sum = f.variable("sum");
    let repeated = f.unit.continuations.iter().find(|(_, data)| &*data.name == "loop").expect("bound").0;
    f.values.clear();
    f.flow.analyse(&f.unit.entry.body, &mut f.values);
    assert_eq!(f.flow.runs().len(), 1);
    assert_eq!(f.values.definition(sum), None);
    assert_eq!(f.values.uses(sum).count(), 0);
    assert_eq!(f.flow.block_of(repeated), None);
}

struct Seen<'t> {
    terms: &'t SecondaryMap<Run, Option<&'t Expr>>,
    items: usize,
    runs: usize,
}

impl Rewriter for Seen<'_> {
    fn item(&mut self, _: &mut Item) {
        self.items += 1;
    }

    fn run(&mut self, run: Run, expr: &mut Expr) {
        assert_eq!(self.terms[run], Some(&*expr), "{run}");
        self.runs += 1;
    }
}

#[test]
fn terms_and_rewrites_go_by_the_same_numbers() {
    let mut f = Analysed::new(TEXT);
    let body = f.unit.codes[f.code].body.clone();
    let terms = f.flow.terms(&body);
    let mut seen = Seen { terms: &terms, items: 0, runs: 0 };
    rewrite_runs(&mut f.unit.codes[f.code].body, &mut seen);
    assert_eq!((seen.items, seen.runs), (6, 6));
    assert_eq!(seen.runs, terms.values().filter(|term| term.is_some()).count());
}
