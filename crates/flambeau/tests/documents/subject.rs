//! What expectations are about: functions, the code of the toplevel, the whole unit.

use std::fmt;

use flambeau_ir::{
    CallKind, Code, CodeId, Const, Expr, Item, Named, Prim, Simple, StaticDef, Terminator, Unit, Variable,
};

use crate::claims::Noun;

/// A name as the source has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Copies that specialisation or inlining made of it.
    pub copy: bool,
    name: String,
}

/// The code of the toplevel, and all of the unit.
const ENTRY: &str = "entry";
const UNIT: &str = "unit";

impl Name {
    pub fn parse(text: &str) -> Result<Name, String> {
        let (copy, name) = match text.strip_prefix("copy of ") {
            Some(name) => (true, name),
            None => (false, text),
        };
        if name.is_empty() || name.contains(' ') {
            return Err(format!("`{text}` is no name"));
        }
        Ok(Name { copy, name: name.to_owned() })
    }

    /// Whether a linkage name is derived from it: `camlT__NAME_12`, of copies `camlT__NAME_12_d3`.
    fn is_of(&self, linkage_name: &str) -> bool {
        let Some((_, rest)) = linkage_name.split_once("__") else { return false };
        let mut parts: Vec<&str> = rest.split('_').collect();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let mut copy = false;
        while parts.len() > 2
            && parts.last().is_some_and(|last| last.strip_prefix('d').is_some_and(is_number))
        {
            parts.pop();
            copy = true;
        }
        if parts.last().is_some_and(|last| is_number(last)) {
            parts.pop();
        }
        copy == self.copy && parts.join("_") == self.name
    }

    /// Fails unless the unit defines a function of that name: another name is a mistake in the expectation.
    pub fn must_be_in(&self, raw: &Unit) -> Result<(), String> {
        let original = Name { copy: false, ..self.clone() };
        let there = raw.codes.values().any(|code| original.is_of(&code.linkage_name));
        if there { Ok(()) } else { Err(format!("there was no function {self}")) }
    }

    /// Fails unless the unit calls or defines a function of that name.
    pub fn must_be_called_in(&self, raw: &Unit) -> Result<(), String> {
        let original = Name { copy: false, ..self.clone() };
        let mut called = false;
        for code in raw.codes.values() {
            called |= Subject::of_code(raw, code).count(&Noun::CallOf(original.clone())) > 0;
        }
        called |= Subject::of_entry(raw).count(&Noun::CallOf(original)) > 0;
        if called { Ok(()) } else { self.must_be_in(raw) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", if self.copy { "copy of " } else { "" }, self.name)
    }
}

/// Functions, code or a unit of which something is claimed.
pub struct Subject<'u> {
    unit: &'u Unit,
    bodies: Vec<&'u Expr>,
    params: Vec<Variable>,
    /// Whether static data counts with it.
    is_unit: bool,
}

impl<'u> Subject<'u> {
    /// All of that name.
    pub fn all(unit: &'u Unit, name: &Name) -> Vec<Subject<'u>> {
        match name.name.as_str() {
            ENTRY => vec![Subject::of_entry(unit)],
            UNIT => {
                let bodies = unit.bodies().collect();
                vec![Subject { unit, bodies, params: Vec::new(), is_unit: true }]
            }
            _ => {
                let codes = unit.codes.values().filter(|code| name.is_of(&code.linkage_name));
                codes.map(|code| Subject::of_code(unit, code)).collect()
            }
        }
    }

    fn of_code(unit: &'u Unit, code: &'u Code) -> Subject<'u> {
        Subject { unit, bodies: vec![&code.body], params: code.params.to_vec(), is_unit: false }
    }

    fn of_entry(unit: &'u Unit) -> Subject<'u> {
        Subject { unit, bodies: vec![&unit.entry.body], params: Vec::new(), is_unit: false }
    }

    /// Whether it does nothing but to return that.
    pub fn returns(&self, what: &str) -> Result<(), String> {
        let [Expr { items, terminator: Terminator::ApplyCont(jump) }] = self.bodies[..] else {
            return Err("it does more than to return".into());
        };
        let [value] = jump.args[..] else { return Err("it returns nothing".into()) };
        if !items.is_empty() {
            return Err("it does more than to return".into());
        }
        let returned = match value {
            Simple::Const(Const::Tagged(n)) => n.to_string(),
            Simple::Var(var) => self.unit.variables[var].name.to_string(),
            other => format!("{other:?}"),
        };
        if returned == what { Ok(()) } else { Err(format!("it returns {returned}")) }
    }

    /// Only functions have parameters, only the unit has static data.
    pub fn can_have(&self, noun: &Noun) -> bool {
        match noun {
            Noun::Parameter => !self.params.is_empty(),
            Noun::Static(_) => self.is_unit,
            _ => true,
        }
    }

    /// How many there are of that.
    pub fn count(&self, noun: &Noun) -> usize {
        match noun {
            Noun::Parameter => return self.params.len(),
            Noun::Static(shape) => {
                return self.unit.statics.iter().filter(|item| shape_of(&item.def) == shape).count();
            }
            _ => {}
        }
        let mut count = 0;
        for body in &self.bodies {
            body.walk(&mut |expr| {
                count += expr.items.iter().map(|item| count_item(item, noun)).sum::<usize>();
                count += usize::from(self.is_end(&expr.terminator, noun));
            });
        }
        count
    }

    fn is_end(&self, terminator: &Terminator, noun: &Noun) -> bool {
        match (noun, terminator) {
            (Noun::Call, Terminator::Apply(_))
            | (Noun::Branch, Terminator::Switch(_) | Terminator::StringSwitch(_))
            | (Noun::Raise, Terminator::Raise { .. })
            | (Noun::Try, Terminator::Try { .. }) => true,
            (Noun::IndirectCall, Terminator::Apply(apply)) => apply.kind == CallKind::Generic,
            (Noun::MethodCall, Terminator::Apply(apply)) => {
                matches!(apply.kind, CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached)
            }
            (Noun::CallOf(name), Terminator::Apply(apply)) => match &apply.kind {
                CallKind::Direct(code) => name.is_of(self.linkage_name(*code)),
                CallKind::DirectExternal(code) => name.is_of(code),
                _ => false,
            },
            _ => false,
        }
    }

    fn linkage_name(&self, code: CodeId) -> &str {
        &self.unit.codes[code].linkage_name
    }
}

fn count_item(item: &Item, noun: &Noun) -> usize {
    match (noun, item) {
        (Noun::Capture, Item::LetClosures { set, .. }) => set.values.len(),
        (Noun::Closure | Noun::Allocation, Item::LetClosures { .. }) => 1,
        (Noun::Loop, Item::LetCont { recursive, .. }) => usize::from(*recursive),
        (Noun::Prim(name), Item::Let { named: Named::Prim { prim, .. }, .. }) => {
            usize::from(prim.mnemonic() == name)
        }
        (Noun::CCallOf(name), Item::Let { named: Named::Prim { prim: Prim::CCall(external), .. }, .. }) => {
            usize::from(external.name == *name)
        }
        (Noun::Allocation, Item::Let { named: Named::Prim { prim, .. }, .. }) => {
            usize::from(prim.is_allocation())
        }
        _ => 0,
    }
}

fn shape_of(def: &StaticDef) -> &'static str {
    match def {
        StaticDef::Block { .. } => "block",
        StaticDef::Float { .. } => "float",
        StaticDef::Int32 { .. } => "int32",
        StaticDef::Int64 { .. } => "int64",
        StaticDef::Nativeint { .. } => "nativeint",
        StaticDef::String { mutable: false, .. } => "string",
        StaticDef::String { mutable: true, .. } => "bytes",
        StaticDef::FloatArray { .. } => "float_array",
        StaticDef::Closures { .. } => "closure",
        StaticDef::Preallocated { .. } => "preallocated",
    }
}
