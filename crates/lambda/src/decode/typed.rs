//! Nodes with types of the source: comparisons, and applications of functions that may compare.

use super::Builder;
use crate::derive::{Operation, Wanted, call};
use crate::numbers::{arg_type as number, bigarray_kind, bigarray_layout};
use crate::prim::Primitive;
use crate::term::{ArgType, Constant, Constants, Elements, Node, Nodes};
use flambeau_wire::{DecodeError, Reader};

/// Types are not nested deeper: the front end describes no larger ones.
const DEEPEST: u32 = 1000;

impl Builder {
    /// A primitive that is used at a type.
    pub(super) fn typed_prim(&mut self, r: &mut Reader) -> Result<Node, DecodeError> {
        let description = r.u32()?;
        let (prim, loc, args) = self.prim(r)?;
        let wanted = Wanted::of(&prim).filter(|_| args.len() == 2);
        let idents = &mut self.term.idents;
        let function = wanted.and_then(|wanted| self.derivations.function(wanted, description, idents));
        let (Some(wanted), Some(function)) = (wanted, function) else {
            return Ok(Node::Prim { prim, args, loc });
        };
        let func = self.inner(Node::Var(function));
        let result = call(func, args, loc);
        let (prim, args) = match wanted {
            Wanted::Plain(_) => return Ok(result),
            Wanted::Negated(_) => (Primitive::Not, Nodes::from_slice(&[self.inner(result)])),
            Wanted::Test(op) => {
                let zero = Node::Const(Box::new(Constants { steps: vec![Constant::Int(0)] }));
                (Primitive::IntComp(op), Nodes::from_slice(&[self.inner(result), self.inner(zero)]))
            }
        };
        Ok(Node::Prim { prim: Box::new(prim), args, loc })
    }

    /// An application of a function that takes values of any type.
    pub(super) fn typed_apply(&mut self, r: &mut Reader) -> Result<Node, DecodeError> {
        let known =
            r.list(|r| arg_type(r, &mut |description, exact| Some(self.value_type(description, exact)), 0))?;
        let mut node = self.apply(r)?;
        if let Node::Apply { types, .. } = &mut node {
            *types = known;
        }
        Ok(node)
    }

    /// The type that a variable is. One that is not `exact` is part of a declared type, where a value may stand for one
    /// of the type that is none: it is only compared as the type says, and only what is no float is known of arrays.
    fn value_type(&mut self, description: u32, exact: bool) -> ArgType {
        if exact && self.derivations.is_immediate(description) {
            return ArgType::Immediate;
        }
        let elements = match self.derivations.is_float(description) {
            true if exact => Elements::Floats,
            true => Elements::MaybeBoxes,
            false => Elements::Values,
        };
        let mut function = |operation| {
            let wanted = Wanted::Plain(operation);
            let function = self.derivations.function(wanted, description, &mut self.term.idents)?;
            Some(self.inner(Node::Var(function)))
        };
        let (Some(compare), Some(equal)) = (function(Operation::Compare), function(Operation::Equal)) else {
            return ArgType::Unknown;
        };
        let total = self.derivations.is_totally_ordered(description);
        let hashed = self.derivations.hashed(description);
        ArgType::Compared { compare, equal, total, elements, hashed }
    }
}

/// The type of a variable, over type variables: nothing else is described.
pub(super) fn variable_type(r: &mut Reader) -> Result<ArgType, DecodeError> {
    arg_type(r, &mut |_, _| None, 0)
}

/// A type, inside so many others. `value` gives that of a description, if there may be one.
fn arg_type(
    r: &mut Reader,
    value: &mut dyn FnMut(u32, bool) -> Option<ArgType>,
    depth: u32,
) -> Result<ArgType, DecodeError> {
    if depth > DEEPEST {
        return Err(r.error("a type of an argument that is too deep"));
    }
    let mut part = |r: &mut Reader| arg_type(r, value, depth + 1);
    Ok(match r.byte()? {
        number::Unknown => ArgType::Unknown,
        number::Value => {
            let (description, exact) = (r.u32()?, r.bool()?);
            value(description, exact).ok_or_else(|| r.error("a type that is described"))?
        }
        number::Array => ArgType::Array(Box::new(part(r)?)),
        number::Block => ArgType::Block(r.list(part)?),
        number::Enclosing => ArgType::Enclosing(r.u32()?),
        number::Function => {
            let params = r.list(&mut part)?;
            ArgType::Function(params, Box::new(part(r)?))
        }
        number::Variable => ArgType::Variable(r.u32()?),
        number::Bigarray => ArgType::Bigarray(bigarray_kind(r)?, bigarray_layout(r)?),
        _ => return Err(r.error("no such type of an argument")),
    })
}
