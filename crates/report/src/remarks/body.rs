//! The facts of one body: each operation that costs something, in how many loops it is, whether the function can return
//! after it, and what becomes of its result.

use flambeau_flow::{Block, EdgeKind, Flow, Loop, Point, Visitor};
use flambeau_ir::prim::{ArrayKind, Init};
use flambeau_ir::term::RaiseKind;
use flambeau_ir::{
    Apply, BoxedKind, CallKind, CodeId, Continuation, Dbg, Expr, Heat, Item, Named, Prim, Simple, StaticDef,
    Symbol, Terminator, Unit, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation that costs something.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// So many words, and of what.
    Block {
        words: usize,
        what: &'static str,
    },
    Closure {
        codes: Vec<CodeId>,
    },
    Boxing(BoxedKind),
    Compare(String),
    GenericArray,
    /// A store of what may be a pointer.
    Store,
    BoundsCheck,
    Raise,
    UnknownCall {
        arguments: usize,
    },
    MethodCall,
    /// Of this unit.
    Call(CodeId),
    /// Of another unit, by the linker's name.
    ExternalCall(String),
    /// A C function, which may allocate or raise.
    CCall(String),
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    Returned,
    /// It is passed to a function that is not known.
    ToUnknown,
    /// It is passed to a function of OCaml, by the linker's name.
    ToFunction {
        name: String,
        call: Dbg,
    },
    /// It is passed to a C function.
    ToC(String),
    Stored,
    /// Of a block that is allocated.
    Part,
    Captured,
    Raised,
    Merged,
}

/// An operation that remains in a function, with where it is and what it costs.
#[derive(Clone, Debug)]
pub struct Fact {
    pub operation: Operation,
    pub dbg: Dbg,
    /// The loops around it, in this function.
    pub depth: u32,
    /// The function does not return after it.
    pub is_cold: bool,
    /// It never ran when the program was counted.
    pub never_ran: bool,
    pub fate: Option<Fate>,
}

/// A call of a function of this unit, or a place where it is passed on as a value.
pub struct Use {
    pub code: CodeId,
    pub depth: u32,
    /// It is passed to a function that may call it many times.
    pub is_passed: bool,
    /// Its exceptions are caught in this function.
    pub is_caught: bool,
}

/// What is known of a body.
pub struct Body {
    /// Nothing for the code of the toplevel.
    pub code: Option<CodeId>,
    pub facts: Vec<Fact>,
    pub uses: Vec<Use>,
}

/// The bodies of a unit.
pub fn of_unit(unit: &Unit) -> Vec<Body> {
    let closures = static_closures(unit);
    let mut flow = Flow::default();
    let mut body = |code: Option<CodeId>, expr: &Expr, ret: Continuation| {
        of_body(unit, &closures, &mut flow, code, expr, ret)
    };
    let mut bodies = vec![body(None, &unit.entry.body, unit.entry.ret)];
    bodies.extend(unit.codes.iter().map(|(id, code)| body(Some(id), &code.body, code.ret)));
    bodies
}

/// The codes of static closures, by their symbols.
fn static_closures(unit: &Unit) -> FxHashMap<Symbol, CodeId> {
    let mut closures = FxHashMap::default();
    for item in &unit.statics {
        if let StaticDef::Closures { symbols, set } = &item.def {
            closures.extend(symbols.iter().zip(&set.functions).map(|(symbol, (_, code))| (*symbol, *code)));
        }
    }
    closures
}

fn of_body(
    unit: &Unit,
    closures: &FxHashMap<Symbol, CodeId>,
    flow: &mut Flow,
    code: Option<CodeId>,
    expr: &Expr,
    ret: Continuation,
) -> Body {
    let mut found = Found {
        unit,
        code,
        closures,
        ret,
        facts: Vec::new(),
        uses: Vec::new(),
        made: FxHashMap::default(),
        fates: FxHashMap::default(),
        passed: Vec::new(),
    };
    flow.analyse(expr, &mut found);
    let shape = Shape::of(unit, code, flow);
    let facts = found
        .facts
        .iter()
        .map(|raw| Fact {
            operation: raw.operation.clone(),
            dbg: raw.dbg,
            depth: shape.depth[&raw.block],
            is_cold: !shape.returns.contains(&raw.block),
            never_ran: !shape.ran(raw.block),
            fate: raw.result.and_then(|result| found.fate(flow, result)),
        })
        .collect();
    let mut uses: Vec<Use> = found
        .uses
        .iter()
        .filter(|(_, at)| shape.ran(at.block))
        .map(|&(code, at)| Use {
            code,
            depth: shape.depth[&at.block],
            is_passed: false,
            is_caught: flow.runs()[at.run].in_try.is_some(),
        })
        .collect();
    for (value, block) in found.passed.iter().filter(|(_, block)| shape.ran(*block)) {
        let codes = match value {
            Simple::Symbol(symbol) => closures.get(symbol).copied().into_iter().collect(),
            Simple::Var(var) => found.made.get(var).cloned().unwrap_or_default(),
            Simple::Const(_) => Vec::new(),
        };
        let depth = shape.depth[block];
        uses.extend(codes.into_iter().map(|code| Use { code, depth, is_passed: true, is_caught: false }));
    }
    Body { code, facts, uses }
}

/// How often blocks run, and whether the function returns after them.
struct Shape {
    depth: FxHashMap<Block, u32>,
    returns: FxHashSet<Block>,
    /// The blocks that a profile does not say never ran; nothing if it says so of none.
    reached: Option<FxHashSet<Block>>,
}

impl Shape {
    fn of(unit: &Unit, code: Option<CodeId>, flow: &Flow) -> Shape {
        let leaves = |kind: EdgeKind| matches!(kind, EdgeKind::Jump | EdgeKind::Return);
        let ends = flow
            .edges()
            .iter()
            .filter(|edge| edge.to.is_none() && leaves(edge.kind))
            .map(|edge| edge.from.block);
        let returns = closure(flow, ends.collect(), |_| true);
        let mut depth: FxHashMap<Block, u32> = flow.blocks().keys().map(|block| (block, 0)).collect();
        for (number, _) in flow.loops() {
            for block in repeated(flow, number) {
                *depth.entry(block).or_default() += 1;
            }
        }
        Shape { depth, returns, reached: reached(unit, code, flow) }
    }

    /// Whether a block may have run when the program was counted.
    fn ran(&self, block: Block) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.contains(&block))
    }
}

/// The blocks that the beginning of a function reaches past those that never ran; nothing if a profile says that of
/// none.
fn reached(unit: &Unit, code: Option<CodeId>, flow: &Flow) -> Option<FxHashSet<Block>> {
    if code.is_some_and(|code| unit.codes[code].attributes.heat == Heat::Never) {
        return Some(FxHashSet::default());
    }
    let never_ran = |block: Block| {
        flow.blocks()[block].cont.is_some_and(|cont| unit.continuations[cont].heat == Heat::Never)
    };
    if !flow.blocks().keys().any(never_ran) {
        return None;
    }
    let mut next: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for edge in flow.edges() {
        next.entry(edge.from.block).or_default().extend(edge.to.expand());
    }
    let mut pending: Vec<Block> =
        flow.blocks().keys().filter(|block| flow.blocks()[*block].cont.is_none()).collect();
    let mut reached: FxHashSet<Block> = pending.iter().copied().collect();
    while let Some(block) = pending.pop() {
        for &to in next.get(&block).into_iter().flatten() {
            if !never_ran(to) && reached.insert(to) {
                pending.push(to);
            }
        }
    }
    Some(reached)
}

/// The blocks of a loop from which control comes back to its beginning.
fn repeated(flow: &Flow, number: Loop) -> FxHashSet<Block> {
    let headers: Vec<Block> = flow.headers(number).collect();
    let inside = |point: Point| flow.is_in_loop(point.run, number);
    let back = flow
        .edges()
        .iter()
        .filter(|edge| inside(edge.from) && edge.to.expand().is_some_and(|to| headers.contains(&to)));
    closure(flow, back.map(|edge| edge.from.block).collect(), inside)
}

/// The blocks from which one of `ends` is reached along edges that leave such points.
fn closure(flow: &Flow, ends: Vec<Block>, along: impl Fn(Point) -> bool) -> FxHashSet<Block> {
    let mut reached: FxHashSet<Block> = ends.iter().copied().collect();
    let mut pending = ends;
    while let Some(block) = pending.pop() {
        for edge in flow.predecessors(block) {
            if along(edge.from) && reached.insert(edge.from.block) {
                pending.push(edge.from.block);
            }
        }
    }
    reached
}

/// An operation before it is known how often it runs.
struct Raw {
    operation: Operation,
    dbg: Dbg,
    block: Block,
    result: Option<Variable>,
}

/// What is done with a variable first.
#[derive(Clone, Debug)]
enum Done {
    Fate(Fate),
    /// It is passed to the parameter of that number of a continuation.
    Jump(Continuation, usize),
}

struct Found<'u> {
    unit: &'u Unit,
    code: Option<CodeId>,
    closures: &'u FxHashMap<Symbol, CodeId>,
    ret: Continuation,
    facts: Vec<Raw>,
    uses: Vec<(CodeId, Point)>,
    made: FxHashMap<Variable, Vec<CodeId>>,
    fates: FxHashMap<Variable, Done>,
    /// Arguments of calls of functions that may call them.
    passed: Vec<(Simple, Block)>,
}

impl Found<'_> {
    /// Whether a comparison or hash is there for what is no value of its type alone: of the operands of a function that
    /// is derived for a type, or left from one that is made in place.
    fn is_for_no_value(&self, prim: &Prim, args: &[Simple]) -> bool {
        let Prim::CCall(external) = prim else { return false };
        let derived = self.code.map(|code| &self.unit.codes[code]).filter(|code| {
            let name = &self.unit.function_slots[code.function_slot];
            ["compare_derived", "equal_derived"].iter().any(|derived| name.starts_with(derived))
        });
        let is_param = |arg: &Simple| {
            derived.is_some_and(|code| arg.as_var().is_some_and(|var| code.params.contains(&var)))
        };
        external.is_hash() && external.tested || external.comparison().is_some() && args.iter().all(is_param)
    }

    fn note(&mut self, operation: Operation, dbg: Dbg, at: Point, result: Option<Variable>) {
        self.facts.push(Raw { operation, dbg, block: at.block, result });
    }

    fn becomes(&mut self, value: Simple, done: Done) {
        if let Simple::Var(var) = value {
            let known = self.fates.entry(var).or_insert_with(|| done.clone());
            // What leaves the function says more than a jump.
            if matches!(known, Done::Jump(..)) {
                *known = done;
            }
        }
    }

    /// What becomes of a variable, also of those that it is passed on as.
    fn fate(&self, flow: &Flow, var: Variable) -> Option<Fate> {
        let mut var = var;
        for _ in 0..8 {
            match self.fates.get(&var)? {
                Done::Fate(fate) => return Some(fate.clone()),
                Done::Jump(cont, index) => {
                    let Some(block) = flow.block_of(*cont) else { return Some(Fate::Merged) };
                    let params = &flow.blocks()[block].params;
                    match params.get(*index) {
                        Some(param) => var = *param,
                        None => return Some(Fate::Merged),
                    }
                }
            }
        }
        Some(Fate::Merged)
    }

    fn jump(&mut self, cont: Continuation, args: &[Simple]) {
        for (index, arg) in args.iter().enumerate() {
            let done = if cont == self.ret { Done::Fate(Fate::Returned) } else { Done::Jump(cont, index) };
            self.becomes(*arg, done);
        }
    }

    fn prim(&mut self, var: Variable, prim: &Prim, args: &[Simple], dbg: Dbg, at: Point) {
        if let Some(operation) = of_prim(prim, args.len())
            && !self.is_for_no_value(prim, args)
        {
            self.note(operation, dbg, at, Some(var));
        }
        for (index, arg) in args.iter().enumerate() {
            if let Some(fate) = fate_of_operand(prim, index) {
                self.becomes(*arg, Done::Fate(fate));
            }
        }
        if let Prim::CCall(_) = prim {
            self.passed.extend(args.iter().map(|arg| (*arg, at.block)));
        }
    }

    fn call(&mut self, apply: &Apply, at: Point) {
        let name = match &apply.kind {
            CallKind::Direct(code) => Some(self.unit.codes[*code].linkage_name.clone()),
            CallKind::DirectExternal(name) => Some(name.clone()),
            _ => None,
        };
        let operation = match &apply.kind {
            CallKind::Direct(code) => {
                self.uses.push((*code, at));
                Operation::Call(*code)
            }
            CallKind::DirectExternal(name) => Operation::ExternalCall(name.clone()),
            CallKind::Generic => {
                let known = match apply.callee {
                    Some(Simple::Symbol(symbol)) => self.closures.get(&symbol).copied(),
                    _ => None,
                };
                self.uses.extend(known.map(|code| (code, at)));
                Operation::UnknownCall { arguments: apply.args.len() }
            }
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => Operation::MethodCall,
        };
        self.note(operation, apply.dbg, at, None);
        let fate = match &name {
            Some(name) => Fate::ToFunction { name: name.clone(), call: apply.dbg },
            None => Fate::ToUnknown,
        };
        for arg in &apply.args {
            self.becomes(*arg, Done::Fate(fate.clone()));
            // Classes are set up once.
            if !name.as_ref().is_some_and(|name| name.starts_with("camlCamlinternalOO")) {
                self.passed.push((*arg, at.block));
            }
        }
    }
}

impl<'e> Visitor<'e> for Found<'_> {
    fn item(&mut self, _: &Flow, at: Point, _: usize, item: &'e Item) {
        match item {
            Item::Let { var, named: Named::Prim { prim, args, exn }, dbg } => {
                self.prim(*var, prim, args, *dbg, at);
                for arg in exn.iter().flat_map(|exn| &exn.extra_args) {
                    self.becomes(*arg, Done::Fate(Fate::Merged));
                }
            }
            Item::LetClosures { vars, set, dbg } => {
                let codes: Vec<CodeId> = set.functions.iter().map(|(_, code)| *code).collect();
                for (var, code) in vars.iter().zip(&codes) {
                    self.made.insert(*var, vec![*code]);
                }
                for (_, value) in &set.values {
                    self.becomes(*value, Done::Fate(Fate::Captured));
                }
                self.note(Operation::Closure { codes }, *dbg, at, vars.first().copied());
            }
            Item::Let { .. } | Item::Join { .. } | Item::LetCont { .. } => {}
        }
    }

    fn terminator(&mut self, _: &Flow, at: Point, terminator: &'e Terminator) {
        match terminator {
            Terminator::Apply(apply) => self.call(apply, at),
            Terminator::ApplyCont(jump) => self.jump(jump.cont, &jump.args),
            Terminator::Raise { kind, exn, dbg, .. } => {
                self.becomes(*exn, Done::Fate(Fate::Raised));
                if *kind == RaiseKind::Regular {
                    self.note(Operation::Raise, *dbg, at, None);
                }
            }
            _ => {}
        }
    }

    fn arm(&mut self, _: &Flow, _: Point, jump: &'e flambeau_ir::ApplyCont) {
        self.jump(jump.cont, &jump.args);
    }
}

fn of_prim(prim: &Prim, operands: usize) -> Option<Operation> {
    let block = |words, what| Some(Operation::Block { words, what });
    match prim {
        Prim::MakeBlock { .. } => block(operands + 1, "block"),
        Prim::MakeFloatBlock { .. } => block(operands + 1, "record of floats"),
        Prim::MakeArray { kind: ArrayKind::Generic, .. } => Some(Operation::GenericArray),
        Prim::MakeArray { .. } => block(operands + 1, "array"),
        Prim::MakeBytes { words } => block(*words as usize + 1, "string or bytes"),
        Prim::Duplicate { .. } => block(4, "copy of a record or array"),
        Prim::ArrayLoad { kind: ArrayKind::Generic } | Prim::ArrayStore { kind: ArrayKind::Generic } => {
            Some(Operation::GenericArray)
        }
        Prim::BlockStore { pointer: true, init: Init::Assignment, .. }
        | Prim::BlockStoreComputed { pointer: true, init: Init::Assignment }
        | Prim::ArrayStore { kind: ArrayKind::Addr } => Some(Operation::Store),
        Prim::CheckBound { .. } => Some(Operation::BoundsCheck),
        Prim::Box(kind) | Prim::Rebox(kind) => Some(Operation::Boxing(*kind)),
        Prim::CCall(external) if super::advice::is_comparison(&external.name) => {
            Some(Operation::Compare(external.name.clone()))
        }
        Prim::CCall(external) if external.alloc => Some(Operation::CCall(external.name.clone())),
        _ => None,
    }
}

fn fate_of_operand(prim: &Prim, index: usize) -> Option<Fate> {
    match prim {
        Prim::MakeBlock { .. } | Prim::MakeArray { .. } => Some(Fate::Part),
        Prim::BlockStore { .. } if index == 1 => Some(Fate::Stored),
        Prim::BlockStoreComputed { .. } | Prim::ArrayStore { .. } if index == 2 => Some(Fate::Stored),
        Prim::CCall(external) => Some(Fate::ToC(external.name.clone())),
        Prim::Opaque => Some(Fate::ToUnknown),
        _ => None,
    }
}
