//! The state of the walk, and how runs of items are built.

use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;

use flambeau_ir::decision::Warning;
use flambeau_ir::{
    ApplyCont, ArgType, BoxedKind, Continuation, Dbg, ExnCont, Expr, FunctionSlot, Item, Kind, Loc, Machine,
    Named, Naming, Prim, Rewrite, Rewrites, Simple, Subkind, Symbol, SymbolData, Terminator, Unit, Variable,
};
use flambeau_lambda::term::{Ident, LocId, NodeId, Term};
use flambeau_lambda::{Approximation, EvaluationOrder, Import, Options, Request, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::analysis::Analysis;
use crate::apply::shape;
use crate::constants::ConstantTable;
use crate::env::{Binding, Field, Importing, Info, MutableRepr, Val};
use crate::methods::{Classes, Methods};
use crate::{ConvertError, Converted, exports};

/// The result of a step of the walk.
pub(crate) type Result<T> = std::result::Result<T, ConvertError>;

/// Where the value of a term in tail position is passed.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The continuation.
    pub cont: Continuation,
    /// Whether it takes the value (else the value is dropped).
    pub takes_value: bool,
    /// The mutable variables whose current values it takes next.
    pub mutables: Rc<[Ident]>,
}

/// The handler of a static exception, seen from a `StaticRaise`.
#[derive(Clone, Debug)]
pub(crate) struct CatchTarget {
    pub cont: Continuation,
    pub mutables: Rc<[Ident]>,
}

/// The exception handler in force.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub cont: Continuation,
    pub mutables: Rc<[Ident]>,
}

/// A field of the unit's module block.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleField {
    /// What it holds, from the first store on.
    pub field: Field,
    /// How often it is stored to.
    pub stores: u32,
}

/// The state of the walk.
pub(crate) struct Converter<'a> {
    pub term: &'a Term,
    pub options: &'a Options,
    pub imports: &'a [Import],
    pub analysis: Analysis,
    pub unit: Unit,
    pub rewrites: &'a mut Rewrites,
    /// Indexed by identifier.
    pub env: Vec<Binding>,
    pub catches: FxHashMap<i64, CatchTarget>,
    pub handler: Handler,
    /// Earlier values of mutable variables, to be restored when a nested run ends.
    pub trail: Vec<(Ident, Simple)>,
    /// The run that is being built.
    pub items: Vec<Item>,
    /// Whether the current program point is executed at most once and dominates all that follows in the toplevel: it is
    /// on the straight line of the entry code.
    pub straight: bool,
    /// Whether the current program point is in the body of a function.
    pub in_function: bool,
    pub module_fields: Vec<ModuleField>,
    /// The atom and what is known of each imported global.
    pub globals: Vec<(Symbol, Info)>,
    pub symbols: FxHashMap<String, Symbol>,
    pub constants: ConstantTable,
    /// Function slots that were needed before their function was converted.
    pub reserved_slots: FxHashMap<NodeId, FunctionSlot>,
    pub methods: Methods,
    pub next_code: u32,
    pub code_names: FxHashSet<String>,
    pub order: EvaluationOrder,
    pub direct_calls: u64,
    pub warnings: Vec<(Dbg, Warning)>,
    pub generic_calls: u64,
    pub bytecode_names: BTreeMap<String, String>,
}

impl<'a> Converter<'a> {
    /// The state at the beginning.
    pub fn new(request: &'a Request, rewrites: &'a mut Rewrites) -> Self {
        let options = &request.options;
        let naming = Naming::new(&options.symbol_prefix, &options.symbol_separator);
        let mut unit = Unit::new(options.unit_name.clone(), naming, options.module_size);
        for loc in &request.locations {
            unit.locs.push(Loc {
                file: loc.file.clone(),
                line: loc.line,
                char_start: loc.char_start,
                char_end: loc.char_end,
                start_bol: loc.start_bol,
                end_bol: loc.end_bol,
                end_line: loc.end_line,
                scope: loc.scope.clone(),
            });
        }
        let mut symbols = FxHashMap::default();
        symbols.insert(options.symbol_prefix.clone(), unit.module_symbol);
        let mut globals = Vec::with_capacity(request.imports.len());
        for import in &request.imports {
            let symbol = intern_symbol(&mut unit, &mut symbols, &import.symbol);
            let module_symbol = unit.module_symbol;
            let mut atom = |name: &str| Simple::Symbol(intern_symbol(&mut unit, &mut symbols, name));
            // The request's description of the unit itself is not a fact about this object but a promise that it must
            // keep: see `exports::keep_labels`.
            let info = if symbol == module_symbol {
                Info::Unknown
            } else {
                Importing::new(&mut atom).field(&import.approximation).info
            };
            globals.push((symbol, info));
        }
        // An object that exists has no records of classes.
        let is_described = request.imports.iter().any(|import| {
            import.symbol == options.symbol_prefix && import.approximation != Approximation::Unknown
        });
        let classes = if is_described || rewrites.machine == Machine::Bytecode {
            Classes::default()
        } else {
            Classes::new(&request.term, &request.imports, &options.symbol_prefix, options.several_domains)
        };
        let handler = Handler { cont: unit.entry.exn, mutables: Rc::from([]) };
        Converter {
            term: &request.term,
            options,
            imports: &request.imports,
            analysis: Analysis::new(&request.term),
            unit,
            rewrites,
            env: vec![Binding::Unbound; request.term.idents.len()],
            catches: FxHashMap::default(),
            handler,
            trail: Vec::new(),
            items: Vec::new(),
            straight: true,
            in_function: false,
            module_fields: vec![ModuleField::default(); options.module_size as usize],
            globals,
            symbols,
            constants: ConstantTable::new(&request.term),
            reserved_slots: FxHashMap::default(),
            methods: classes.into(),
            next_code: 0,
            code_names: FxHashSet::default(),
            order: options.evaluation_order,
            direct_calls: 0,
            warnings: Vec::new(),
            generic_calls: 0,
            bytecode_names: BTreeMap::new(),
        }
    }

    /// Converts the unit.
    pub fn run(mut self) -> Result<Converted> {
        if self.term.nodes.is_empty() {
            return Err(ConvertError("the term is empty".into()));
        }
        self.count_module_stores();
        self.begin_classes();
        let target = Target { cont: self.unit.entry.ret, takes_value: true, mutables: Rc::from([]) };
        let terminator = self.tail(self.term.root(), &target)?;
        self.unit.entry.body = Expr { items: mem::take(&mut self.items), terminator };
        self.finish_methods()?;
        let own = self.globals.iter().position(|(symbol, _)| *symbol == self.unit.module_symbol);
        if let Some(import) = own.and_then(|index| self.imports.get(index)) {
            exports::keep_labels(&mut self.unit, &self.module_fields, &import.approximation);
        }
        let promised = own.and_then(|index| self.imports.get(index)).map(|import| &import.approximation);
        let promised = promised.unwrap_or(&Approximation::Unknown);
        exports::hide_fields(&mut self.unit, self.options, promised);
        crate::rows::mark(&mut self.unit);
        crate::defaults::share_shapes(&mut self.unit);
        let exports = exports::exports(&self.unit, &self.module_fields);
        exports::export_statics(&mut self.unit, &exports, promised);
        exports::export_codes(&mut self.unit, &exports, promised);
        let counters = vec![
            ("convert: functions".into(), self.unit.codes.len() as u64),
            ("convert: direct calls".into(), self.direct_calls),
            ("convert: generic calls".into(), self.generic_calls),
            ("convert: rewrites (fuel)".into(), self.rewrites.fuel.used()),
        ];
        let Converter { unit, warnings, bytecode_names, .. } = self;
        Ok(Converted { unit, exports, counters, warnings, bytecode_names })
    }

    // ---- runs

    /// Builds a nested run: what `build` appends, then the terminator that it gives. It is off the straight
    /// line of the toplevel, and after it mutable variables have again the values that they had before.
    pub fn isolated(&mut self, build: impl FnOnce(&mut Self) -> Result<Terminator>) -> Result<Expr> {
        let mark = self.trail.len();
        let outer_items = mem::take(&mut self.items);
        let outer_straight = mem::replace(&mut self.straight, false);
        let terminator = build(self);
        let items = mem::replace(&mut self.items, outer_items);
        self.straight = outer_straight;
        while self.trail.len() > mark {
            let Some((id, before)) = self.trail.pop() else { break };
            if let Binding::Mutable(simple, _) = &mut self.env[id.0 as usize] {
                *simple = before;
            }
        }
        Ok(Expr { items, terminator: terminator? })
    }

    /// Appends a binding of a fresh variable to a primitive that can't raise.
    pub fn prim(&mut self, name: &str, prim: Prim, args: &[Simple], loc: LocId) -> Simple {
        debug_assert!(!prim.may_raise(), "{prim:?}");
        self.bind_prim(name, prim, args, None, loc)
    }

    /// Appends a binding of a fresh variable to a primitive that may raise.
    pub fn raising_prim(&mut self, name: &str, prim: Prim, args: &[Simple], loc: LocId) -> Simple {
        let exn = prim.may_raise().then(|| Box::new(self.exn_cont()));
        self.bind_prim(name, prim, args, exn, loc)
    }

    fn bind_prim(
        &mut self,
        name: &str,
        prim: Prim,
        args: &[Simple],
        exn: Option<Box<ExnCont>>,
        loc: LocId,
    ) -> Simple {
        let kind = prim.signature().result;
        let for_effect = prim.is_for_effect();
        let var = self.unit.new_variable(name, kind, Subkind::Any);
        let named = Named::Prim { prim, args: args.iter().copied().collect(), exn };
        self.items.push(Item::Let { var, named, dbg: Dbg(loc.0) });
        if for_effect { Simple::UNIT } else { Simple::Var(var) }
    }

    /// The exception continuation in force, with the current values of its extra arguments.
    pub fn exn_cont(&self) -> ExnCont {
        ExnCont {
            cont: self.handler.cont,
            extra_args: self.handler.mutables.iter().map(|id| self.current_value(*id)).collect(),
        }
    }

    /// A jump to a target.
    pub fn jump(&self, target: &Target, value: Simple) -> Terminator {
        let mut args: SmallVec<[Simple; 2]> = SmallVec::new();
        if target.takes_value {
            args.push(value);
        }
        args.extend(target.mutables.iter().map(|id| self.current_value(*id)));
        Terminator::ApplyCont(ApplyCont { cont: target.cont, args })
    }

    /// Evaluates a nested run that ends in a fresh continuation, and continues in the handler of that
    /// continuation: its parameters are the value of `node`, if wanted, and the variables assigned in it.
    pub fn join(
        &mut self,
        name: &str,
        node: NodeId,
        takes_value: bool,
        build: impl FnOnce(&mut Self, &Target) -> Result<Terminator>,
    ) -> Result<Option<Variable>> {
        let mutables = self.mutables_assigned_in(node);
        let cont = self.unit.new_continuation(name);
        let target = Target { cont, takes_value, mutables: mutables.clone() };
        let body = self.isolated(|this| build(this, &target))?;
        let mut params = SmallVec::new();
        let result = takes_value.then(|| self.unit.new_value("result"));
        params.extend(result);
        self.bind_mutable_params(&mutables, &mut params);
        self.items.push(Item::Join { cont, params, body: Box::new(body) });
        Ok(result)
    }

    // ---- mutable variables

    /// The mutable variables in scope that are assigned inside a term.
    pub fn mutables_assigned_in(&self, node: NodeId) -> Rc<[Ident]> {
        self.analysis
            .assigned_in(self.term, node)
            .into_iter()
            .filter(|id| matches!(self.env[id.0 as usize], Binding::Mutable(..)))
            .collect()
    }

    /// The current value of a mutable variable, in its representation.
    ///
    /// # Panics
    /// When it is not in scope: targets and handlers are not used out of the scope of their variables.
    pub fn current_value(&self, id: Ident) -> Simple {
        match self.env[id.0 as usize] {
            Binding::Mutable(simple, _) => simple,
            _ => panic!("mutable variable {} is not in scope", self.term.name(id)),
        }
    }

    /// The current values of several mutable variables.
    pub fn current_values(&self, ids: &[Ident]) -> Vec<Simple> {
        ids.iter().map(|id| self.current_value(*id)).collect()
    }

    /// Sets the current value of a mutable variable.
    pub fn set_value(&mut self, id: Ident, value: Simple) {
        if let Binding::Mutable(simple, _) = &mut self.env[id.0 as usize] {
            self.trail.push((id, *simple));
            *simple = value;
        }
    }

    /// Makes fresh parameters for mutable variables, which are their current values from here on.
    pub fn bind_mutable_params(&mut self, ids: &[Ident], params: &mut SmallVec<[Variable; 2]>) {
        for id in ids {
            let Binding::Mutable(_, repr) = self.env[id.0 as usize] else { continue };
            let (kind, subkind) = repr.kind();
            let var = self.unit.new_variable(self.term.name(*id), kind, subkind);
            params.push(var);
            self.set_value(*id, Simple::Var(var));
        }
    }

    /// A value in the representation of a mutable variable.
    pub fn in_repr(&mut self, value: &Val, repr: MutableRepr) -> Simple {
        match repr {
            MutableRepr::Value(_) => value.simple,
            MutableRepr::Naked(boxed) => self.unbox(value, boxed),
        }
    }

    /// The contents of a boxed number.
    pub fn unbox(&mut self, value: &Val, boxed: BoxedKind) -> Simple {
        match &value.info {
            Info::Boxed(kind, naked)
                if *kind == boxed && self.rewrites.allow_in_unit(Rewrite::ConvertedContents) =>
            {
                *naked
            }
            _ => self.prim("unboxed", Prim::Unbox(boxed), &[value.simple], LocId(0)),
        }
    }

    /// A boxed number.
    pub fn boxed(&mut self, naked: Simple, boxed: BoxedKind, loc: LocId) -> Val {
        let simple = self.prim("boxed", Prim::Box(boxed), &[naked], loc);
        Val { simple, info: Info::Boxed(boxed, naked) }
    }

    // ---- names

    /// Binds an identifier, and names the variable after it where it has no name of its own.
    pub fn bind(&mut self, id: Ident, kind: ValueKind, value: Val) {
        if let Simple::Var(var) = value.simple {
            let shape = self.shape_of(id);
            let data = &mut self.unit.variables[var];
            if is_anonymous(&data.name) {
                data.name = self.term.name(id).into();
                data.shape = shape;
            }
            if data.kind == Kind::Value && data.subkind == Subkind::Any {
                data.subkind = crate::env::subkind(kind);
            }
        }
        self.env[id.0 as usize] = Binding::Immutable(value);
    }

    /// The type of an identifier over type variables.
    pub fn shape_of(&self, id: Ident) -> Option<Box<ArgType>> {
        self.term.ident_types.get(&id).map(|ty| Box::new(shape(ty)))
    }

    /// A fresh symbol of this unit.
    pub fn fresh_symbol(&mut self, linkage_name: String) -> Symbol {
        let symbol =
            self.unit.symbols.push(SymbolData { linkage_name: linkage_name.clone(), is_local: true });
        self.symbols.insert(linkage_name, symbol);
        symbol
    }

    /// An error of the OCaml side.
    pub fn malformed<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(ConvertError(format!("malformed Lambda: {}", what.into())))
    }
}

/// The names that variables have before the source names them.
fn is_anonymous(name: &str) -> bool {
    matches!(name, "result" | "prim" | "boxed" | "unboxed" | "field" | "block" | "closure" | "tagged")
}

fn intern_symbol(unit: &mut Unit, symbols: &mut FxHashMap<String, Symbol>, linkage_name: &str) -> Symbol {
    if let Some(symbol) = symbols.get(linkage_name) {
        return *symbol;
    }
    let symbol = unit.symbols.push(SymbolData { linkage_name: linkage_name.to_owned(), is_local: false });
    symbols.insert(linkage_name.to_owned(), symbol);
    symbol
}
