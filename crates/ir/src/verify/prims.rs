//! Primitives: operands, data, exception continuation.

use super::{Verifier, cause};
use crate::prim::{Signature, StringKind};
use crate::printer::Part;
use crate::{Const, ExnCont, IntKind, Kind, Prim, Simple, tags};

impl Verifier<'_> {
    /// Checks a primitive and returns the kind of its result.
    pub(super) fn prim(&mut self, prim: &Prim, args: &[Simple], exn: Option<&ExnCont>) -> Kind {
        self.prim_data(prim);
        let signature = prim.signature();
        let result = signature.result;
        self.operands(prim, args, &signature);
        match (exn, prim.may_raise()) {
            (Some(exn), true) => self.exn(exn),
            (None, false) => {}
            (Some(_), false) => {
                self.error(cause!["this primitive never raises, and has an exception continuation"]);
            }
            (None, true) => self.error(cause!["this primitive may raise, and has no exception continuation"]),
        }
        result
    }

    fn operands(&mut self, prim: &Prim, args: &[Simple], signature: &Signature) {
        let Signature { args: kinds, variadic, .. } = signature;
        let at_least = match prim {
            Prim::MakeBlock { .. } | Prim::MakeFloatBlock { .. } | Prim::MakeArray { .. } => 1,
            _ if *variadic => kinds.len().saturating_sub(1),
            _ => kinds.len(),
        };
        if args.len() < at_least || (!variadic && args.len() > at_least) {
            let takes = if *variadic { "at least " } else { "" };
            let takes = cause!["the primitive takes ", takes, Part::count(at_least, "operand")];
            self.error([takes, cause![", and is given ", args.len()]].concat());
        }
        for (i, &arg) in args.iter().enumerate() {
            match kinds.get(i).or(if *variadic { kinds.last() } else { None }).copied() {
                Some(kind) => self.expect_kind(arg, kind, || cause!["operand ", i + 1]),
                None => {
                    self.use_simple(arg);
                }
            }
        }
    }

    fn prim_data(&mut self, prim: &Prim) {
        match prim {
            Prim::MakeBlock { tag, .. } => self.check_tag(*tag),
            Prim::MakeBytes { words } if !(1..=Prim::MOST_WORDS_OF_BYTES).contains(words) => {
                let most = Prim::MOST_WORDS_OF_BYTES as usize;
                self.error(cause!["bytes of 1 to ", most, " words are made, not ", *words as usize]);
            }
            Prim::MakeNakedBlock { fields } if !(1..=Prim::MOST_NAKED_FIELDS).contains(fields) => {
                let most = Prim::MOST_NAKED_FIELDS as usize;
                self.error(cause!["a naked block has 1 to ", most, " fields, not ", *fields as usize]);
            }
            Prim::ByteSwap { kind: IntKind::Tagged | IntKind::Naked } => {
                self.error(cause!["bytes are swapped in an int32, an int64 or a nativeint"]);
            }
            Prim::NumConv { from, to } if *from == Kind::Value || *to == Kind::Value => {
                self.error(cause!["conversions are between naked numbers"]);
            }
            Prim::StringStore { string: StringKind::String, .. } => {
                self.error(cause!["the contents of a string never change"]);
            }
            Prim::CCall(external) if external.no_result && external.result.kind() != Kind::Value => {
                self.error(cause!["a C function without result gives `()`, a value"]);
            }
            Prim::ProjectValueSlot { function, value } => self.project_value(*function, *value),
            Prim::ProjectFunctionSlot { from, to } => self.project_function(*from, *to),
            Prim::AllocDummyClosure { function } | Prim::IsClosureOf { function } => {
                self.known_function_slot(*function);
            }
            _ => {}
        }
    }

    pub(super) fn check_tag(&mut self, tag: u8) {
        if tag >= tags::NO_SCAN {
            self.error(cause!["the GC does not scan blocks of tag ", usize::from(tag)]);
        }
    }

    pub(super) fn check_constant(&mut self, constant: Const) {
        if let Const::Tagged(n) | Const::NakedImmediate(n) = constant {
            self.check_immediate(n);
        }
    }

    pub(super) fn check_immediate(&mut self, n: i64) {
        if (n << 1) >> 1 != n {
            self.error(cause!["the immediate ", n.to_string(), " does not fit in 63 bits"]);
        }
    }
}
