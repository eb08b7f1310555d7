//! Tests whether a string is a literal: a match on it, for which the stock compiler compares words in place of a call.

use super::Builder;
use crate::prim::Primitive;
use crate::term::{Constant, Constants, LocId, Node, NodeId, Nodes};

/// A longer literal is compared by the call, which takes less code.
const LONGEST: usize = 23;

impl Builder {
    /// A primitive. `s = "literal"` and `s <> "literal"` become `match s with "literal" -> … | _ -> …`, where what can
    /// be known of both is found by the same rules.
    pub(super) fn primitive(&mut self, prim: Box<Primitive>, args: Nodes, loc: LocId) -> Node {
        let Some((scrutinee, literal, is_equal)) = self.test_for_literal(&prim, &args) else {
            return Node::Prim { prim, args, loc };
        };
        let truth = |builder: &mut Builder, value: bool| {
            let steps = vec![Constant::Int(i64::from(value))];
            builder.inner(Node::Const(Box::new(Constants { steps })))
        };
        let found = truth(self, is_equal);
        let default = Some(truth(self, !is_equal));
        Node::StringSwitch { scrutinee, arms: vec![(literal, found)], default, loc }
    }

    fn test_for_literal(&self, prim: &Primitive, args: &Nodes) -> Option<(NodeId, Vec<u8>, bool)> {
        let Primitive::CCall(external) = prim else { return None };
        let is_equal = match external.name.as_str() {
            "caml_string_equal" => true,
            "caml_string_notequal" => false,
            _ => return None,
        };
        let [scrutinee, literal] = args.as_slice() else { return None };
        let Node::Const(constants) = &self.term.nodes[literal.0 as usize] else { return None };
        match &constants.steps[..] {
            [Constant::String { contents, .. }] if contents.len() <= LONGEST => {
                Some((*scrutinee, contents.clone(), is_equal))
            }
            _ => None,
        }
    }
}
