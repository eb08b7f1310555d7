//! What the inliner decides, for reports and warnings.

use flambeau_ir::decision::{Decision, Reason, places};
use flambeau_ir::term::InlineAttribute;
use flambeau_ir::{Apply, CallKind, CodeId, Dbg};

use super::Refusal;
use crate::Simplifier;

impl Simplifier<'_> {
    /// Records a decision on a call, if decisions are reported.
    pub(crate) fn log(&mut self, apply: &Apply, code: Option<CodeId>, reason: Reason) {
        self.note_unmet(apply, &reason);
        let Some(log) = &mut self.rewrites.decisions else { return };
        let unit = &*self.unit;
        let callee = match (&apply.kind, code) {
            (_, Some(code)) => Some(unit.codes[code].linkage_name.clone()),
            (CallKind::Direct(code), None) => Some(unit.codes[*code].linkage_name.clone()),
            (CallKind::DirectExternal(name), None) => Some(name.clone()),
            _ => None,
        };
        log.decisions.push(Decision {
            round: self.rewrites.round,
            function: self.function.current.map(|current| unit.codes[current].linkage_name.clone()),
            places: places(&unit.locs, apply.dbg),
            callee,
            depth: u32::from(apply.depth),
            reason,
        });
    }

    /// Records that a call stays as it is.
    pub(crate) fn log_refusal(&mut self, apply: &Apply, refusal: Refusal) {
        if let Some(reason) = refusal.reason {
            let entered = refusal.code.and_then(|code| self.entered_before(apply, code));
            self.log(apply, refusal.code, entered.unwrap_or(reason));
        }
    }

    /// Remembers why an attribute of a call could not be obeyed, until the call is seen again.
    fn note_unmet(&mut self, apply: &Apply, reason: &Reason) {
        let wanted = apply.inlined == InlineAttribute::Always && apply.dbg != Dbg::NONE;
        if wanted && !reason.is_favourable() {
            self.rewrites.unmet.insert(apply.dbg, reason.clone());
        }
    }
}
