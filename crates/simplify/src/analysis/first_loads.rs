//! What handlers load from their parameters before anything else happens.

use flambeau_ir::{Expr, Item, Named, Prim, Simple, Variable};
use smallvec::SmallVec;

use super::{Analysis, Asked, Walk};

/// At most so many loads are recorded of a parameter, and none in a handler with more parameters than this.
const MOST: usize = 32;

impl Analysis {
    /// What the handler loads from its parameter before anything else happens, each once.
    pub fn first_loads(&self, param: Variable) -> SmallVec<[Prim; 2]> {
        self.first_loads.get(&param).cloned().unwrap_or_default()
    }

    /// Records what a handler that was created in the downward pass begins with loading from a parameter: what its body
    /// loads from a variable that becomes a copy of that.
    pub fn note_first_loads(&mut self, param: Variable, var: Variable, body: &Expr) {
        for item in &body.items {
            self.first_load(item, &[var], |_| param);
            if !may_precede_load(item) {
                break;
            }
        }
    }

    /// Records what an item loads from one of these variables, as a load from what replaces the variable.
    fn first_load(&mut self, item: &Item, vars: &[Variable], replaced: impl Fn(Variable) -> Variable) {
        if let Item::Let { named: Named::Prim { prim, args, exn: None }, .. } = item
            && let (Prim::Unbox(_) | Prim::BlockLoad { .. } | Prim::BlockLoadFloat { .. }, [Simple::Var(var)]) =
                (prim, &args[..])
            && vars.contains(var)
        {
            let loads = self.first_loads.entry(replaced(*var)).or_default();
            if loads.len() < MOST && !loads.contains(prim) {
                loads.push(prim.clone());
            }
        }
    }
}

impl Walk<'_> {
    /// Records a load from one of the parameters of the handler while still at its beginning. Returns the parameters as
    /// long as that lasts.
    pub(super) fn first_load<'p>(&mut self, params: &'p [Variable], item: &Item) -> &'p [Variable] {
        if self.asked != Asked::Everything || params.is_empty() || params.len() > MOST {
            return &[];
        }
        self.analysis.first_load(item, params, |var| var);
        if may_precede_load(item) { params } else { &[] }
    }
}

/// Whether a load behind an item may as well be in front of it.
fn may_precede_load(item: &Item) -> bool {
    match item {
        Item::Let { named: Named::Prim { prim, exn, .. }, .. } => exn.is_none() && prim.can_duplicate(),
        Item::Let { named: Named::Simple(_), .. } | Item::LetCont { .. } => true,
        Item::LetClosures { .. } | Item::Join { .. } => false,
    }
}
