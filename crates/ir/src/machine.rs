//! What code is generated for.

/// The machine that runs the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machine {
    /// The processor, through Cmm.
    #[default]
    Native,
    /// OCaml's bytecode, and what is made of that: JavaScript. All that there is is values, integers may be narrower
    /// than here, and nobody looks into a closure but its own function.
    Bytecode,
}

impl Machine {
    /// Whether what is known of a closure may be read from it by others than its own function.
    #[must_use]
    pub fn looks_into_closures(self) -> bool {
        self == Machine::Native
    }

    /// Whether a function that is entered through the beginning of a loop is entered as fast as another.
    #[must_use]
    pub fn enters_loops_for_nothing(self) -> bool {
        self == Machine::Native
    }

    /// Whether numbers are held as values.
    #[must_use]
    pub fn has_values_alone(self) -> bool {
        self == Machine::Bytecode
    }
}
