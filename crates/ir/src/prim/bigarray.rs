//! Elements of bigarrays: the checks of indices, the offset and the access are separate, so that each can be shared.

use super::IntOp;
use crate::{IntKind, Prim, Simple};

/// How an element of a bigarray is found.
#[derive(Clone, Copy, Debug)]
pub struct Indexing {
    /// The last index is the slowest-moving one, and they count from 1.
    pub fortran: bool,
    /// Indices are checked.
    pub safe: bool,
}

impl Indexing {
    /// The offset of the element with these indices, tagged, after their checks. `emit` binds what a primitive gives
    /// in front of the access, with the exception continuation there if it may raise.
    pub fn offset(
        self,
        array: Simple,
        indices: &[Simple],
        emit: &mut impl FnMut(&'static str, Prim, &[Simple]) -> Simple,
    ) -> Simple {
        let tagged = |op| Prim::IntArith { op, kind: IntKind::Tagged };
        let mut axes: Vec<(u32, Simple)> = (0..).zip(indices.iter().copied()).collect();
        // The slowest-moving first.
        if self.fortran {
            axes.reverse();
            for (_, index) in &mut axes {
                *index = emit("index", tagged(IntOp::Sub), &[*index, Simple::tagged(1)]);
            }
        }
        let mut offset = None;
        for (dim, index) in axes {
            // The offset needs no length of the slowest-moving dimension.
            if !self.safe && offset.is_none() {
                offset = Some(index);
                continue;
            }
            let length = emit("length", Prim::BigarrayDim { dim }, &[array]);
            if self.safe {
                emit("check", Prim::CheckBound { width: 1 }, &[length, index]);
            }
            offset = Some(match offset {
                None => index,
                Some(row) => {
                    let start = emit("start", tagged(IntOp::Mul), &[row, length]);
                    emit("offset", tagged(IntOp::Add), &[start, index])
                }
            });
        }
        offset.unwrap_or(Simple::tagged(0))
    }
}
