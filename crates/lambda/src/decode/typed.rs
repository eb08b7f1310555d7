//! Nodes with types of the source: comparisons, and applications of functions that may compare.

use super::Builder;
use crate::derive::{Operation, Wanted, call};
use crate::prim::Primitive;
use crate::reader::{DecodeError, Reader};
use crate::term::{ArgType, Constant, Constants, Node, Nodes};

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
        let descriptions = r.list(|r| r.u32())?;
        let mut node = self.apply(r)?;
        if let Node::Apply { types, .. } = &mut node {
            *types = descriptions.into_iter().map(|description| self.arg_type(description)).collect();
        }
        Ok(node)
    }

    /// The type of an argument: 0, or the number of a description and 1.
    fn arg_type(&mut self, description: u32) -> ArgType {
        let Some(description) = description.checked_sub(1) else { return ArgType::Unknown };
        if self.derivations.is_immediate(description) {
            return ArgType::Immediate;
        }
        let mut function = |operation| {
            let wanted = Wanted::Plain(operation);
            let function = self.derivations.function(wanted, description, &mut self.term.idents)?;
            Some(self.inner(Node::Var(function)))
        };
        let (Some(compare), Some(equal)) = (function(Operation::Compare), function(Operation::Equal)) else {
            return ArgType::Unknown;
        };
        ArgType::Compared { compare, equal, total: self.derivations.is_totally_ordered(description) }
    }
}
