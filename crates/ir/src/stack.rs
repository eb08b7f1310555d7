//! Room on the stack for recursion over terms, whose nesting has no bound.

/// Free stack below which a nested call gets a new piece, and the size of that piece.
const RED_ZONE: usize = 64 * 1024;
const STACK_PIECE: usize = 2 * 1024 * 1024;

/// Calls a function which may recurse, with room to do so. To be put around each level of nesting of terms;
/// a level may use 64 KiB.
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, STACK_PIECE, f)
}
