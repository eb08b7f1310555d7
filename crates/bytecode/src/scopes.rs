//! The scopes of the straight line: what is bound there ends with its last use, so that the stack does not keep alive
//! what nobody needs while the program runs.

use rustc_hash::FxHashMap;

use crate::body::Frame;
use crate::term::{Ident, Term, TermId};
use crate::unit::Translation;

/// The frames of a straight line that have not been closed yet, each with the number of the last frame that uses what
/// it binds.
struct Open {
    frame: Frame,
    last: usize,
}

impl Translation<'_> {
    /// As [`Translation::close`], but that what is bound is bound no longer than it is used.
    pub fn close_early(&mut self, frames: Vec<Frame>, hole: TermId) -> TermId {
        let last = self.last_uses(&frames, hole);
        let mut open: Vec<Open> = Vec::new();
        for (index, frame) in frames.into_iter().enumerate() {
            // What is used in this frame's definition at the last is bound in that.
            let first = open.iter().rposition(|other| other.last > index).map_or(0, |index| index + 1);
            let frame = match frame {
                Frame::Let(ident, def) => Frame::Let(ident, self.inside(&mut open, first, def)),
                Frame::LetMut(ident, def) => Frame::LetMut(ident, self.inside(&mut open, first, def)),
                Frame::Seq(def) => Frame::Seq(self.inside(&mut open, first, def)),
                frame => frame,
            };
            open.push(match frame {
                // What nobody uses is not bound.
                Frame::Let(_, def) if last[index] == index => Open { frame: Frame::Seq(def), last: index },
                frame => Open { frame, last: last[index] },
            });
        }
        self.close(open.into_iter().map(|open| open.frame).collect(), hole)
    }

    /// A term inside the frames from `first` on.
    fn inside(&mut self, open: &mut Vec<Open>, first: usize, term: TermId) -> TermId {
        let binds = |open: &Open| !matches!(open.frame, Frame::Seq(_));
        // Effects before the first binding stay where they are.
        match open[first..].iter().position(binds) {
            None => term,
            Some(skipped) => {
                let frames = open.split_off(first + skipped).into_iter().map(|open| open.frame).collect();
                self.close(frames, term)
            }
        }
    }

    /// For each frame the number of the last one that uses what it binds: that of the hole is their number. A catch,
    /// and a conditional, end with the line.
    fn last_uses(&self, frames: &[Frame], hole: TermId) -> Vec<usize> {
        let mut defined: FxHashMap<Ident, usize> = FxHashMap::default();
        let mut last: Vec<usize> = (0..frames.len()).collect();
        for (index, frame) in frames.iter().enumerate() {
            match frame {
                Frame::Let(ident, _) | Frame::LetMut(ident, _) => defined.extend([(*ident, index)]),
                Frame::LetRec(functions) => {
                    defined.extend(functions.iter().map(|(ident, _)| (*ident, index)));
                }
                Frame::Handler { .. } | Frame::Arm { .. } => last[index] = frames.len(),
                Frame::Seq(_) => {}
            }
        }
        let parts = frames
            .iter()
            .enumerate()
            .flat_map(|(index, frame)| parts(frame).into_iter().map(move |t| (t, index)));
        for (term, at) in parts.chain([(hole, frames.len())]) {
            self.each_variable(term, |ident| {
                if let Some(index) = defined.get(&ident) {
                    last[*index] = last[*index].max(at);
                }
            });
        }
        last
    }

    fn each_variable(&self, term: TermId, mut f: impl FnMut(Ident)) {
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            let term = self.program.term(id);
            if let Term::Var(ident) | Term::MutVar(ident) | Term::Assign { ident, .. } = term {
                f(*ident);
            }
            term.each_part(|part| stack.push(part));
        }
    }
}

fn parts(frame: &Frame) -> Vec<TermId> {
    match frame {
        Frame::Let(_, term) | Frame::LetMut(_, term) | Frame::Seq(term) => vec![*term],
        Frame::LetRec(functions) => functions.iter().map(|(_, function)| *function).collect(),
        Frame::Handler { body, .. } => vec![*body],
        Frame::Arm { cond, other, .. } => vec![*cond, *other],
    }
}
