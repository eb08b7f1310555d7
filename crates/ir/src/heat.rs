//! How often code runs, as far as a profile says (`docs/design/profiles.md`). Without a profile nothing is known, and
//! nothing is decided by it. It is no fact: what never ran may run.

use serde::{Deserialize, Serialize};

/// How often a function, a continuation or a call runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Heat {
    /// Nobody counted.
    #[default]
    Unknown,
    /// It did not run.
    Never,
    /// It ran.
    Warm,
    /// It is among the code in which the program is nearly always.
    Hot,
}

impl Heat {
    /// What is counted.
    pub const COUNTED: [Heat; 3] = [Heat::Never, Heat::Warm, Heat::Hot];

    /// As the textual form has it; nothing where nobody counted.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Heat::Unknown => None,
            Heat::Never => Some("never"),
            Heat::Warm => Some("warm"),
            Heat::Hot => Some("hot"),
        }
    }
}
