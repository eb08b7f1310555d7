//! Information about other units: the payloads of imported units are read, and the payload of this one is written.

use std::rc::Rc;

use flambeau_cmm::CapturedPlaces;
use flambeau_convert::IN_CLOSURE;
use flambeau_ir::imports::{Callee, Function, Known, Library, Made, Origins, Shape};
use flambeau_ir::inlining::Rounds;
use flambeau_ir::{CodeId, FunctionSlot, Imports, Origin, Rewrites, Unit, transfer};
use flambeau_lambda::{Approximation, Import, Names, Request, decode_import};
use flambeau_simplify::consumes_sequences;
use flambeau_simplify::export::{Visible, inlinable};
use flambeau_simplify::shapes;
use flambeau_unit::{Functions, Payload, PayloadError};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::settings::Settings;
use crate::{static_fields, stock_bodies};

/// Replaces the stock descriptions of imported units that Flambeau compiled by their payloads. Gives the functions of
/// those units, and with which parameters of the inliner they were compiled.
///
/// # Errors
/// When a payload is damaged.
pub fn read_payloads(imports: &mut [Import]) -> Result<(Imports, Origins), String> {
    let mut functions = Imports::default();
    let mut origins = Origins::new();
    for import in imports {
        read_payload(import, &mut functions, &mut origins)
            .map_err(|error| format!("the payload of unit {}: {error}", import.name))?;
    }
    Ok((functions, origins))
}

fn read_payload(import: &mut Import, functions: &mut Imports, origins: &mut Origins) -> Result<(), String> {
    let Some(bytes) = import.payload.take() else {
        add_results(&import.approximation, functions);
        return Ok(());
    };
    if let Some(body) = bytes.strip_prefix(stock_bodies::MAGIC) {
        return stock_bodies::add(&import.name, body, functions);
    }
    let payload = match Payload::decode(&bytes) {
        Ok(payload) => payload,
        // The payload is of another version of Flambeau: its unit is treated like those of the stock compiler.
        Err(PayloadError::Version(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    // A payload for a stock `.cmx` exports nothing itself: the stock description holds.
    if payload.exports != Approximation::Unknown {
        import.approximation = payload.exports;
    }
    add_closures(&import.approximation, functions);
    add_results(&import.approximation, functions);
    functions.add_objects(&import.symbol, shape(&payload.objects));
    add_fields(&import.symbol, &import.approximation, functions);
    for (code, arity) in &payload.inner {
        functions.add_inner(&import.symbol, code, usize::try_from(*arity).unwrap_or(usize::MAX));
    }
    Applications { module: &import.symbol, imports: functions, last: None }
        .add(&mut Vec::new(), &import.approximation);
    if payload.functions.format == transfer::FORMAT {
        let own = payload.functions.origins.iter().map(|text| read_origin(text, origins));
        let own: Vec<_> = own
            .collect::<Result<_, String>>()
            .map_err(|error| format!("arguments of the inliner: {error}"))?;
        functions.add(&import.name, payload.functions.codes, &own);
    }
    Ok(())
}

/// Reads units that the source does not mention, but whose functions are called by those of units that it mentions.
/// `find`: for a name of the linker, the unit that defines it, as in a request; empty if there is none, or if the unit
/// was returned before. `verify`: whether all of its functions are checked.
pub fn library(find: impl Fn(&str) -> Vec<u8> + 'static, verify: bool) -> Library {
    Rc::new(move |name, imports, origins| {
        let bytes = find(name);
        if bytes.is_empty() {
            return;
        }
        match decode_import(&bytes) {
            Ok(mut import) => {
                if let Err(error) = read_payload(&mut import, imports, origins) {
                    imports.report_unit(&import.name, error);
                }
                if verify {
                    imports.check();
                }
            }
            Err(error) => imports.report_unit(name, error),
        }
    })
}

/// The index of the inliner's parameters in the table, to which they are added if they are new; `None` if `text` is
/// empty, and there is no limit.
fn read_origin(text: &str, origins: &mut Origins) -> Result<Option<Origin>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let rounds: Rounds = text.parse()?;
    let known = origins.iter().find(|(_, known)| **known == rounds).map(|(origin, _)| origin);
    Ok(Some(known.unwrap_or_else(|| origins.push(rounds))))
}

/// The parameters of the inliner that are exported with the unit's functions, by their numbers in the payload: the
/// unit's own, then those of other units that parts of the functions were inlined from, combined with the unit's own.
/// The description of a stock unit serves users with any parameters: it sets no limit.
fn write_origins(unit: &Unit, own: &Rounds, visible: &Visible) -> Vec<String> {
    match visible {
        Visible::All => {
            let others = unit.origins.values().map(|origin| own.meet(origin).to_string());
            [own.to_string()].into_iter().chain(others).collect()
        }
        Visible::Only(_) => {
            [String::new()].into_iter().chain(unit.origins.values().map(Rounds::to_string)).collect()
        }
    }
}

/// Records the static closures of a unit.
fn add_closures(exports: &Approximation, imports: &mut Imports) {
    let mut pending = vec![exports];
    while let Some(approximation) = pending.pop() {
        match approximation {
            Approximation::Closure { code, arity, needs_closure: false, symbol: Some(symbol), .. } => {
                if let Ok(arity @ 1..) = usize::try_from(*arity) {
                    imports.add_closure(symbol, code, arity);
                }
            }
            Approximation::Block(fields) => pending.extend(fields),
            _ => {}
        }
    }
}

/// The shape of a value, that is the codes of its closures, according to its approximation.
fn shape(approximation: &Approximation) -> Shape {
    match approximation {
        Approximation::Closure { code, arity, needs_closure, .. } => match usize::try_from(*arity) {
            Ok(arity @ 1..) => {
                let code = code.as_str().into();
                Shape::Function(Rc::new(Callee { code, arity, needs_closure: *needs_closure }))
            }
            _ => Shape::Unknown,
        },
        Approximation::Block(fields) => {
            let fields: Rc<[Shape]> = fields.iter().map(shape).collect();
            if fields.iter().any(Shape::is_known) { Shape::Block(fields) } else { Shape::Unknown }
        }
        Approximation::Applied { code, path, .. } => {
            Shape::Result(code.as_str().into(), path.iter().copied().collect())
        }
        _ => Shape::Unknown,
    }
}

/// The approximation that describes a shape.
fn approximation(shape: &Shape) -> Approximation {
    match shape {
        Shape::Unknown => Approximation::Unknown,
        Shape::Function(callee) => Approximation::Closure {
            code: callee.code.to_string(),
            arity: callee.arity as i64,
            needs_closure: callee.needs_closure,
            symbol: None,
            result: Box::new(Approximation::Unknown),
        },
        Shape::Block(fields) => Approximation::Block(fields.iter().map(approximation).collect()),
        Shape::Result(code, path) => {
            Approximation::Applied { code: code.to_string(), args: Rc::from([]), path: path.to_vec() }
        }
    }
}

/// Records which modules and closures the functions of a unit return.
fn add_results(exports: &Approximation, imports: &mut Imports) {
    let mut pending = vec![exports];
    while let Some(approximation) = pending.pop() {
        match approximation {
            Approximation::Closure { code, result, .. } => {
                let shape = shape(result);
                if shape.is_known() {
                    imports.add_result(code, shape);
                }
                pending.push(result);
            }
            Approximation::Block(fields) => pending.extend(fields),
            _ => {}
        }
    }
}

/// Adds the modules that functors return to their exported approximations.
fn set_results(exports: &mut Approximation, results: &FxHashMap<String, Shape>) {
    match exports {
        Approximation::Closure { code, result, .. } => {
            if let Some(shape) = results.get(code) {
                **result = approximation(shape);
            }
        }
        Approximation::Block(fields) => fields.iter_mut().for_each(|field| set_results(field, results)),
        _ => {}
    }
}

/// Records the closures in the fields of a unit's module block.
fn add_fields(module: &str, exports: &Approximation, imports: &mut Imports) {
    let Approximation::Block(fields) = exports else { return };
    for (index, field) in (0..).zip(fields) {
        if let Approximation::Closure { code, arity, needs_closure: false, .. } = field
            && let Ok(arity @ 1..) = usize::try_from(*arity)
        {
            imports.add_field(module, index, code, arity);
        }
    }
}

/// The arguments of an application in another unit: their approximations there, and what is known of them here, if
/// something is known of all.
type Arguments = (Rc<[Approximation]>, Option<Rc<[Known]>>);

/// Records which parts of modules are results of applications.
struct Applications<'i> {
    module: &'i str,
    imports: &'i mut Imports,
    /// The arguments of the last application: its result has many parts, which follow each other.
    last: Option<Arguments>,
}

impl Applications<'_> {
    /// Records the parts of the value in the field that the path leads to.
    fn add(&mut self, path: &mut Vec<u32>, part: &Approximation) {
        match part {
            Approximation::Block(fields) => {
                // The module itself has a symbol.
                if !path.is_empty()
                    && let Some(structure) = self.known(part)
                {
                    self.imports.add_structure(self.module, path.clone(), structure);
                }
                for (index, field) in (0..).zip(fields) {
                    path.push(index);
                    self.add(path, field);
                    path.pop();
                }
            }
            Approximation::Applied { .. } => {
                if let Some(Known::Made(made)) = self.known(part) {
                    self.imports.add_made(self.module, path.clone(), made);
                }
            }
            _ => {}
        }
    }

    /// An argument of an application, or a part of one, if all of it is known.
    fn known(&mut self, value: &Approximation) -> Option<Known> {
        Some(match value {
            Approximation::Symbol(symbol) | Approximation::Number { symbol, .. } => {
                Known::Symbol(symbol.as_str().into())
            }
            Approximation::Immediate(n) => Known::Immediate(*n),
            Approximation::Closure { code, arity, needs_closure: false, symbol, .. } if *arity > 0 => {
                let function = Function { code: code.as_str().into(), arity: usize::try_from(*arity).ok()? };
                Known::Closure(function, symbol.as_deref().map(Into::into))
            }
            Approximation::Closure { symbol, .. } => Known::Symbol(symbol.as_deref()?.into()),
            Approximation::Block(fields) => {
                Known::Structure(fields.iter().map(|field| self.known(field)).collect::<Option<_>>()?)
            }
            Approximation::Applied { code, args, path } => {
                Known::Made(Made { code: code.as_str().into(), args: self.args(args)?, path: path.clone() })
            }
            Approximation::Unknown | Approximation::GlobalField { .. } => return None,
        })
    }

    fn args(&mut self, args: &Rc<[Approximation]>) -> Option<Rc<[Known]>> {
        match &self.last {
            Some((last, known)) if Rc::ptr_eq(last, args) => known.clone(),
            _ => {
                let known: Option<Rc<[Known]>> = args.iter().map(|arg| self.known(arg)).collect();
                self.last = Some((args.clone(), known.clone()));
                known
            }
        }
    }
}

/// Fails if functions of other units could not be read.
///
/// # Errors
/// When a payload was found to be damaged while functions were read from it.
pub fn check(imports: &Imports) -> Result<(), String> {
    match imports.damaged() {
        [] => Ok(()),
        [damage, ..] => Err(format!("the payload of unit {}: {}", damage.unit, damage.cause)),
    }
}

/// The payload of a unit that was optimised. `inner`: functions of the stock object that others may call besides those
/// that it exports, with the numbers of their arguments.
pub fn payload(
    request: &Request,
    settings: &Settings,
    unit: &mut Unit,
    exports: Approximation,
    rewrites: &Rewrites,
    inner: Vec<(String, u64)>,
    closed: &FxHashSet<String>,
) -> Vec<u8> {
    let exports = static_fields::export(exports, unit);
    let mut roots = Vec::new();
    exports.for_each_name(&mut |name, names_what| {
        if names_what != Names::Data {
            roots.push(name.to_owned());
        }
    });
    roots.extend(take_stock_labels(request, unit));
    let in_fields = stock_unit(request).map(|promised| take_labels_of_fields(promised, unit));
    let mut visible = visible(request, settings, unit, closed);
    if let (Some(labels), Visible::Only(names)) = (in_fields, &mut visible) {
        names.retain(|name| !labels.contains(name));
        roots.extend(labels);
    }
    let (mut exports, mut objects) = (exports, Approximation::Unknown);
    let of_functors = OfFunctors::in_unit(unit);
    match visible {
        Visible::All => {
            set_results(&mut exports, &shapes::results(unit));
            objects = approximation(&shapes::module(unit, request.options.exported_fields));
            // Of what functions return, and of what fields hold, others know which functions they run.
            for known in [&exports, &objects] {
                known.for_each_name(&mut |name, names_what| {
                    if names_what != Names::Data && !of_functors.names.contains(name) {
                        roots.push(name.to_owned());
                    }
                });
            }
        }
        // The stock `.cmx` describes them.
        Visible::Only(_) => {
            roots.extend(settings.stock_functions.iter().map(|(label, _)| label.clone()));
            exports = Approximation::Unknown;
        }
    }
    // The closures of a stock object are as its compiler made them.
    let places = matches!(visible, Visible::All).then(|| CapturedPlaces::of(unit));
    let place_of = |function, value| {
        let places = places.as_ref().filter(|_| !of_functors.slots.contains(&function))?;
        places.of_value(function, value)
    };
    let codes = inlinable(unit, rewrites, roots, &visible, &place_of);
    let origins = write_origins(unit, &rewrites.inlining, &visible);
    let functions = Functions { format: transfer::FORMAT.into(), origins, codes };
    Payload { inner, ..Payload::new(recorded_settings(request), exports, objects, functions) }.encode()
}

/// The functions whose closures functors make, and the functions that they make: they go out with the functor, which is
/// copied for its argument where that is worth it.
#[derive(Default)]
struct OfFunctors {
    names: FxHashSet<String>,
    slots: FxHashSet<FunctionSlot>,
}

impl OfFunctors {
    fn in_unit(unit: &Unit) -> OfFunctors {
        let mut found = OfFunctors::default();
        let mut pending: Vec<CodeId> =
            unit.codes.iter().filter(|(_, data)| data.attributes.is_functor).map(|(code, _)| code).collect();
        while let Some(code) = pending.pop() {
            unit.codes[code].body.for_each_code_made(&mut |made| {
                let data = &unit.codes[made];
                if found.slots.insert(data.function_slot) {
                    found.names.insert(data.linkage_name.clone());
                    pending.push(made);
                }
            });
        }
        found
    }
}

/// The settings that are recorded in the payload: all but those that ask for output beside the code (features G9).
fn recorded_settings(request: &Request) -> Vec<(String, String)> {
    let settings = request.options.settings.iter();
    settings
        .filter(|(name, _)| {
            !matches!(
                name.as_str(),
                "report" | "remarks" | "source" | "trace" | "locations" | "stock-cmx" | "stock-function"
            )
        })
        .cloned()
        .collect()
}

/// What is known of the stock object of the unit, if the unit is compiled for its description alone.
pub fn stock_unit(request: &Request) -> Option<&Approximation> {
    let own = request.imports.iter().find(|import| import.symbol == request.options.symbol_prefix)?;
    Some(&own.approximation).filter(|approximation| !matches!(approximation, Approximation::Unknown))
}

/// The names of the linker that the stock `.cmx` of the unit mentions, if the unit is compiled for its description.
pub fn stock_names(request: &Request) -> FxHashSet<String> {
    stock_unit(request).map(names_in).unwrap_or_default()
}

fn names_in(approximation: &Approximation) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    approximation.for_each_name(&mut |name, _| {
        names.insert(name.to_owned());
    });
    names
}

/// Functions that captured values in the source, and need no closure after optimisation, get the labels of the stock
/// functions that take none. Gives these labels.
fn take_stock_labels(request: &Request, unit: &mut Unit) -> Vec<String> {
    let mut arities: FxHashMap<String, usize> = FxHashMap::default();
    let mut pending: Vec<&Approximation> = stock_unit(request).into_iter().collect();
    while let Some(approximation) = pending.pop() {
        match approximation {
            Approximation::Closure { code, arity: arity @ 1.., needs_closure: false, .. } => {
                arities.extend(usize::try_from(*arity).map(|arity| (format!("{code}{IN_CLOSURE}"), arity)));
            }
            Approximation::Block(fields) => pending.extend(fields),
            _ => {}
        }
    }
    let mut taken = Vec::new();
    for code in unit.codes.values_mut() {
        let agrees = arities.get(&code.linkage_name).is_some_and(|arity| *arity == code.params.len());
        if agrees && !code.uses_closure() {
            code.linkage_name.truncate(code.linkage_name.len() - IN_CLOSURE.len());
            taken.push(code.linkage_name.clone());
        }
    }
    taken
}

/// Functions that are found in fields of the module only after optimisation (one arm of a test that is evaluated by
/// now), and that no label of the stock object denotes yet, get those of the stock object's functions in these fields.
/// Gives these labels. Where one of these functions is called, a copy of it is better than the stock object's function,
/// which has nothing inlined: so callers that are exported bring copies of them along.
fn take_labels_of_fields(promised: &Approximation, unit: &mut Unit) -> Vec<String> {
    let Approximation::Block(fields) = promised else { return Vec::new() };
    let module = shapes::module(unit, u32::try_from(fields.len()).unwrap_or(0));
    let mut codes: FxHashMap<String, CodeId> =
        unit.codes.iter().map(|(id, code)| (code.linkage_name.clone(), id)).collect();
    let promises = names_in(promised);
    let mut taken = Vec::new();
    let mut pending = vec![(promised, module)];
    while let Some((promise, found)) = pending.pop() {
        match (promise, &found) {
            (Approximation::Closure { code, arity, needs_closure: false, .. }, Shape::Function(callee)) => {
                let agrees = usize::try_from(*arity) == Ok(callee.arity) && !callee.needs_closure;
                if !agrees || promises.contains(&*callee.code) || codes.contains_key(code) {
                    continue;
                }
                let Some(id) = codes.remove(&*callee.code) else { continue };
                codes.insert(code.clone(), id);
                unit.codes[id].linkage_name.clone_from(code);
                taken.push(code.clone());
            }
            (Approximation::Block(fields), Shape::Block(_)) => {
                pending.extend((0..).zip(fields).map(|(index, field)| (field, found.field(index))));
            }
            _ => {}
        }
    }
    taken
}

/// What the exported functions may mention: in a description of a stock unit, what its object is known to define.
/// `closed`: the labels of functions inside of others that take no closure in the stock object. Of these, what consumes
/// sequences is for others: there is a version of it for what it consumes. So are functors that others apply, as
/// `Pqueue.MakeMin` is made by the functor behind the exported `MakeMinPoly`: what those make is known only with them.
fn visible(request: &Request, settings: &Settings, unit: &Unit, closed: &FxHashSet<String>) -> Visible {
    match stock_unit(request) {
        None => Visible::All,
        Some(promised) => {
            let mut names = FxHashSet::default();
            names.insert(request.options.symbol_prefix.clone());
            let take_closures: FxHashSet<&str> = unit
                .codes
                .values()
                .filter(|code| code.uses_closure())
                .map(|code| code.linkage_name.as_str())
                .collect();
            promised.for_each_name(&mut |name, names_what| {
                // The stock object's function may take its closure where ours does not, and calls in exported code
                // follow the convention of ours.
                if names_what != (Names::Code { needs_closure: true }) || take_closures.contains(name) {
                    names.insert(name.to_owned());
                }
            });
            let agrees = |(label, args): &&(String, usize)| {
                unit.codes.values().any(|code| code.linkage_name == *label && code.params.len() == *args)
            };
            names.extend(settings.stock_functions.iter().filter(agrees).map(|(label, _)| label.clone()));
            let for_others = unit.codes.iter().filter(|(id, code)| {
                closed.contains(&code.linkage_name)
                    && !code.uses_closure()
                    && (code.attributes.is_functor || consumes_sequences(code, *id))
            });
            names.extend(for_others.map(|(_, code)| code.linkage_name.clone()));
            Visible::Only(names)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(format: &str, origins: &[&str]) -> Import {
        let functions = Functions {
            format: format.into(),
            origins: origins.iter().map(|text| (*text).to_owned()).collect(),
            codes: Vec::new(),
        };
        Import {
            name: "A".into(),
            symbol: "camlA".into(),
            predefined: false,
            approximation: Approximation::Unknown,
            payload: Some(
                Payload::new(Vec::new(), Approximation::Unknown, Approximation::Unknown, functions).encode(),
            ),
        }
    }

    #[test]
    fn arguments_of_units_are_kept_once() {
        let own = Rounds::default().to_string();
        let mut imports =
            [import(transfer::FORMAT, &[&own, ""]), import(transfer::FORMAT, &["", &own, &own])];
        let (_, origins) = read_payloads(&mut imports).expect("good payloads");
        assert_eq!(origins.values().collect::<Vec<_>>(), [&Rounds::default()]);
    }

    #[test]
    fn a_unit_of_another_version_tells_nothing() {
        let mut of_another_version = import(transfer::FORMAT, &["best"]);
        // After the magic, which is of four bytes.
        of_another_version.payload.as_mut().expect("a payload")[4] += 1;
        assert!(read_payloads(&mut [of_another_version]).is_ok());
    }

    #[test]
    fn damaged_parameters_are_reported_with_the_name_of_the_unit() {
        let error = read_payloads(&mut [import(transfer::FORMAT, &["best"])]).map(|_| ()).unwrap_err();
        assert_eq!(error, "the payload of unit A: arguments of the inliner: no policy \"best\"");
        // The parameters in a payload of another build are not read, and neither are its functions.
        assert!(read_payloads(&mut [import("another", &["best"])]).is_ok());
    }
}
