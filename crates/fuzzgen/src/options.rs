//! The bounds of generated programs.

/// Bounds of a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most units of a program.
    pub units: usize,
    /// The most definitions of a unit.
    pub items: usize,
    /// The most nodes, roughly, of a definition's body.
    pub body: i32,
    /// Of 100 programs, how many end with an exception that nothing handles.
    pub uncaught: usize,
    /// Whether it may use what OCaml 5 has: effects, atomics and domains.
    pub ocaml5: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { units: 3, items: 12, body: 34, uncaught: 1, ocaml5: false }
    }
}
