//! The names of the linker that are known of what another unit exports.

use crate::Approximation;

/// What a name of the linker denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// A function's code.
    Code {
        /// Whether direct calls pass the closure.
        needs_closure: bool,
    },
    /// Static data.
    Data,
}

impl Approximation {
    /// Applies `f` to each name of the linker in it, but for those of module blocks of which fields are known.
    pub fn for_each_name<'a>(&'a self, f: &mut impl FnMut(&'a str, Names)) {
        let mut pending = vec![self];
        while let Some(approximation) = pending.pop() {
            match approximation {
                Approximation::Closure { code, symbol, result, needs_closure, .. } => {
                    f(code, Names::Code { needs_closure: *needs_closure });
                    symbol.iter().for_each(|symbol| f(symbol, Names::Data));
                    pending.push(result);
                }
                Approximation::Block(fields) => pending.extend(fields),
                Approximation::Applied { code, args, .. } => {
                    f(code, Names::Code { needs_closure: false });
                    pending.extend(&**args);
                }
                Approximation::Symbol(symbol) | Approximation::Number { symbol, .. } => {
                    f(symbol, Names::Data);
                }
                Approximation::Unknown | Approximation::Immediate(_) | Approximation::GlobalField { .. } => {}
            }
        }
    }
}
