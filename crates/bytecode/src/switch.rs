//! Branches.

use flambeau_cmm::tree::{Expr, ExprId};
use flambeau_ir::prim::{IntCmp, IntOp};
use flambeau_ir::{Dbg, IntKind, Prim};

use crate::body::{Context, Frame};
use crate::term::{Arms, Ident, Label, Term, TermId};
use crate::unit::{Leaf, Translation};

/// So many keys are tested one after another.
const FEW: usize = 3;

/// A table has no more than so many cases without a key for each that has one, and so many more.
const SPARSE: u64 = 2;
const SPARE: u64 = 8;

/// The code of an arm that may be needed several times.
#[derive(Clone, Copy)]
enum Code {
    Once(TermId),
    Shared(Label),
    Number(i64),
}

/// A search for a number among keys.
struct Search<'a> {
    scrutinee: Ident,
    codes: Vec<Code>,
    default: usize,
    keys: &'a [(i64, u32)],
}

impl Translation<'_> {
    /// A conditional.
    pub fn conditional(&mut self, cond: ExprId, then_: ExprId, else_: ExprId, context: Context) -> TermId {
        if let Some(term) = self.on_any_value(cond, then_, else_, context) {
            return term;
        }
        let (cond, swapped) = self.condition(cond);
        let (then_, else_) = if swapped { (else_, then_) } else { (then_, else_) };
        let then_ = self.expr(then_, context);
        let else_ = self.expr(else_, context);
        self.push(Term::If { cond, then_, else_ })
    }

    /// A condition, and whether it says the opposite: no comparison with 0 is needed.
    pub fn condition(&mut self, cond: ExprId) -> (TermId, bool) {
        let zero = |this: &Self, id: ExprId| *this.tree(id) == Expr::Int(0);
        if let Expr::Prim { prim, args, .. } = self.tree(cond) {
            let is_equal = match prim {
                Prim::PhysEqual { negated } => Some(!*negated),
                Prim::IntCompare { op: IntCmp::Eq, .. } => Some(true),
                Prim::IntCompare { op: IntCmp::Ne, .. } => Some(false),
                _ => None,
            };
            let is_int = !matches!(prim, Prim::IntCompare { kind, .. } if !is_immediate(*kind));
            if let Some(is_equal) = is_equal.filter(|_| is_int && zero(self, args[1])) {
                return (self.expr(args[0], Context::Value), is_equal);
            }
        }
        (self.expr(cond, Context::Value), false)
    }

    /// A switch on immediates and one on tags of the same value are one.
    fn on_any_value(
        &mut self,
        cond: ExprId,
        then_: ExprId,
        else_: ExprId,
        context: Context,
    ) -> Option<TermId> {
        let Expr::Prim { prim: Prim::IsInt, args, .. } = self.tree(cond) else { return None };
        let Expr::Var(value) = self.tree(args[0]) else { return None };
        let (
            Expr::Switch { scrutinee, keys, arms, default: None, dbg },
            Expr::Switch { scrutinee: tag, keys: tags, arms: tag_arms, default: None, .. },
        ) = (self.tree(then_), self.tree(else_))
        else {
            return None;
        };
        if *self.tree(*scrutinee) != Expr::Var(*value)
            || self.tagged(*tag).map(|id| self.tree(id)) != Some(&Expr::Var(*value))
        {
            return None;
        }
        let (mut frames, scrutinee) = (Vec::new(), self.expr(*scrutinee, Context::Value));
        let consts = self.arms_table(keys, arms, context, &mut frames)?;
        let blocks = self.arms_table(tags, tag_arms, context, &mut frames)?;
        let switch = self.push(Term::Switch { scrutinee, consts, blocks, dbg: *dbg });
        Some(self.catching(frames, switch))
    }

    /// The block of which an expression is the tag.
    fn tagged(&self, id: ExprId) -> Option<ExprId> {
        match self.tree(id) {
            Expr::Prim { prim: Prim::GetTag, args, .. } => Some(args[0]),
            _ => None,
        }
    }

    /// A switch on a naked integer, or on a tag.
    pub fn switch(
        &mut self,
        scrutinee: ExprId,
        keys: &[(i64, u32)],
        arms: &[ExprId],
        default: Option<ExprId>,
        dbg: Dbg,
        context: Context,
    ) -> TermId {
        let mut frames = Vec::new();
        if let Some(block) = self.tagged(scrutinee) {
            let scrutinee = self.expr(block, Context::Value);
            let keys = all_tags(keys, arms.len(), default.is_some());
            let arms: Vec<_> = arms.iter().copied().chain(default).collect();
            let blocks = self.arms_table(&keys, &arms, context, &mut frames).expect("tags are small");
            let switch = self.push(Term::Switch { scrutinee, consts: Arms::default(), blocks, dbg });
            return self.catching(frames, switch);
        }
        if default.is_none() && is_dense(keys) {
            let scrutinee = self.expr(scrutinee, Context::Value);
            let consts = self.arms_table(keys, arms, context, &mut frames).expect("keys are dense");
            if let [(_, else_), (_, then_)] = consts.arms[..] {
                let branch = self.push(Term::If { cond: scrutinee, then_, else_ });
                return self.catching(frames, branch);
            }
            let switch = self.push(Term::Switch { scrutinee, consts, blocks: Arms::default(), dbg });
            return self.catching(frames, switch);
        }
        self.search(scrutinee, keys, arms, default, context)
    }

    /// The arms of a switch on small numbers. Code that several keys share is caught.
    fn arms_table(
        &mut self,
        keys: &[(i64, u32)],
        arms: &[ExprId],
        context: Context,
        frames: &mut Vec<(Label, TermId)>,
    ) -> Option<Arms> {
        if !is_dense(keys) {
            return None;
        }
        let mut counts = vec![0; arms.len()];
        keys.iter().for_each(|(_, arm)| counts[*arm as usize] += 1);
        let codes: Vec<_> = arms
            .iter()
            .zip(&counts)
            .map(|(arm, count)| (*count > 0).then(|| self.code(*arm, *count > 1, context, frames)))
            .collect();
        let cases = keys.last().map_or(0, |(key, _)| *key as u32 + 1);
        let mut table = Arms { cases, arms: Vec::new() };
        let mut keys = keys.iter().peekable();
        for case in 0..cases {
            let term = match keys.next_if(|(key, _)| *key == i64::from(case)) {
                Some((_, arm)) => self.code_term(codes[*arm as usize].expect("the arm has a key")),
                // It does not happen.
                None => self.push(Term::Int(0)),
            };
            table.arms.push((case, term));
        }
        Some(table)
    }

    fn code(
        &mut self,
        arm: ExprId,
        is_shared: bool,
        context: Context,
        frames: &mut Vec<(Label, TermId)>,
    ) -> Code {
        let term = self.expr(arm, context);
        match self.program.term(term) {
            Term::Int(n) => Code::Number(*n),
            Term::Exit { label, args } if args.is_empty() => Code::Shared(*label),
            _ if is_shared => {
                let label = self.program.label();
                frames.push((label, term));
                Code::Shared(label)
            }
            _ => Code::Once(term),
        }
    }

    fn code_term(&mut self, code: Code) -> TermId {
        match code {
            Code::Once(term) => term,
            Code::Number(n) => self.push(Term::Int(n)),
            Code::Shared(label) => self.push(Term::Exit { label, args: Vec::new() }),
        }
    }

    fn catching(&mut self, frames: Vec<(Label, TermId)>, term: TermId) -> TermId {
        frames.into_iter().fold(term, |body, (label, handler)| {
            self.push(Term::Catch { label, params: Vec::new(), body, handler })
        })
    }

    /// A switch with a default, or on numbers that are far apart.
    fn search(
        &mut self,
        scrutinee: ExprId,
        keys: &[(i64, u32)],
        arms: &[ExprId],
        default: Option<ExprId>,
        context: Context,
    ) -> TermId {
        let (mut frames, mut bound) = (Vec::new(), Vec::new());
        let value = self.expr(scrutinee, Context::Value);
        let scrutinee = self.ident("key");
        bound.push(Frame::Let(scrutinee, value));
        // Without default the last key needs no test.
        let (keys, fallback) = match (default, keys.split_last()) {
            (None, Some((last, others))) => (others, last.1 as usize),
            _ => (keys, arms.len()),
        };
        let arms: Vec<_> = arms.iter().copied().chain(default).collect();
        let codes = arms.iter().map(|arm| self.code(*arm, true, context, &mut frames)).collect();
        let search = Search { scrutinee, codes, default: fallback, keys };
        let tree = self.find(&search, search.keys);
        let term = self.close(bound, tree);
        self.catching(frames, term)
    }

    fn find(&mut self, search: &Search, keys: &[(i64, u32)]) -> TermId {
        let number = |this: &mut Self, n| this.push(Term::Int(n));
        if keys.len() > FEW && is_clustered(keys) {
            return self.cluster(search, keys);
        }
        if keys.len() > FEW {
            let (low, high) = keys.split_at(keys.len() / 2);
            let (key, bound) = (self.leaf(Leaf::Ident(search.scrutinee)), number(self, high[0].0));
            let cond = self.compare(IntCmp::Lt, key, bound);
            let then_ = self.find(search, low);
            let else_ = self.find(search, high);
            return self.push(Term::If { cond, then_, else_ });
        }
        let last = self.code_term(search.codes[search.default]);
        keys.iter().rev().fold(last, |else_, (key, arm)| {
            let (value, key) = (self.leaf(Leaf::Ident(search.scrutinee)), number(self, *key));
            let cond = self.compare(IntCmp::Eq, value, key);
            let then_ = self.code_term(search.codes[*arm as usize]);
            self.push(Term::If { cond, then_, else_ })
        })
    }

    /// A table of keys that are near to each other.
    fn cluster(&mut self, search: &Search, keys: &[(i64, u32)]) -> TermId {
        let first = keys[0].0;
        let cases = (keys[keys.len() - 1].0 - first) as u32 + 1;
        let position = |this: &mut Self| {
            let key = this.leaf(Leaf::Ident(search.scrutinee));
            if first == 0 {
                return key;
            }
            let first = this.push(Term::Int(first));
            this.prim(Prim::IntArith { op: IntOp::Sub, kind: IntKind::Tagged }, vec![key, first])
        };
        let mut table = Arms { cases, arms: Vec::new() };
        let mut keys = keys.iter().peekable();
        for case in 0..cases {
            let arm = keys.next_if(|(key, _)| *key - first == i64::from(case));
            let arm = arm.map_or(search.default, |(_, arm)| *arm as usize);
            let term = self.code_term(search.codes[arm]);
            table.arms.push((case, term));
        }
        let (at, end) = (position(self), self.push(Term::Int(i64::from(cases))));
        let cond = self.compare(IntCmp::UnsignedLt, at, end);
        let scrutinee = position(self);
        let then_ =
            self.push(Term::Switch { scrutinee, consts: table, blocks: Arms::default(), dbg: Dbg::NONE });
        let else_ = self.code_term(search.codes[search.default]);
        self.push(Term::If { cond, then_, else_ })
    }
}

fn is_immediate(kind: IntKind) -> bool {
    matches!(kind, IntKind::Tagged | IntKind::Naked)
}

/// The first of tags that no constructor has.
const TAGS: i64 = 246;

/// The keys of a switch on tags, with all those that the default is for.
fn all_tags(keys: &[(i64, u32)], default: usize, has_default: bool) -> Vec<(i64, u32)> {
    if !has_default {
        return keys.to_vec();
    }
    let end = keys.last().map_or(0, |(key, _)| key + 1).max(TAGS);
    let mut keys = keys.iter().peekable();
    (0..end)
        .map(|tag| keys.next_if(|(key, _)| *key == tag).copied().unwrap_or((tag, default as u32)))
        .collect()
}

/// Whether a table that begins at 0 has few cases without a key.
fn is_dense(keys: &[(i64, u32)]) -> bool {
    keys.first().is_none_or(|(first, _)| *first >= 0)
        && keys.last().is_none_or(|(last, _)| (*last as u64) < SPARSE * keys.len() as u64 + SPARE)
}

/// Whether a table that begins at the first key has few cases without a key.
fn is_clustered(keys: &[(i64, u32)]) -> bool {
    let span = keys[keys.len() - 1].0.wrapping_sub(keys[0].0) as u64;
    span < SPARSE * keys.len() as u64 + SPARE
}
