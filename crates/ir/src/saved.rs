//! A unit as a compilation gave it to its passes, with all else that they were given: what reproduces a compilation
//! (`flambeau opt`). The text is that of a unit, with numbers, and with what this module adds.

/// What passes are given besides a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Settings, by name.
    pub settings: Vec<(String, String)>,
    /// The units that the source mentions, each as in a request.
    pub imports: Vec<Vec<u8>>,
    /// The units that were found because they define a name of the linker: the name and the unit, as in a request.
    pub library: Vec<(String, Vec<u8>)>,
}
