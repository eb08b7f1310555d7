//! What a compilation costs, and how large its object is.

use std::fs;
use std::ops::AddAssign;
use std::path::Path;

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use serde::Serialize;

/// Of one unit; or the sum of many, of whose memory it is the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// Units that this is the sum of.
    pub units: u64,
    /// Bytes of code.
    pub text: u64,
    /// Bytes of data but for the frame table.
    pub data: u64,
    /// Bytes of the frame table.
    pub frames: u64,
    /// Processor time, with the assembler's.
    pub seconds: f64,
    /// Largest resident memory in bytes.
    pub memory: u64,
}

impl Measure {
    /// The sizes of an object file, which costs nothing so far.
    pub fn of_object(file: &Path) -> Result<Measure> {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let object = object::File::parse(&*bytes).with_context(|| format!("{}", file.display()))?;
        let mut measure = Measure { units: 1, ..Measure::default() };
        for section in object.sections() {
            match section.kind() {
                SectionKind::Text => measure.text += section.size(),
                SectionKind::Data | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => {
                    measure.data += section.size();
                }
                _ => {}
            }
        }
        // The frame table is the last that is emitted, with the descriptions of locations that it refers to.
        let table = object.symbols().find(|symbol| {
            symbol.is_definition() && symbol.name().is_ok_and(|name| name.ends_with("__frametable"))
        });
        if let Some(table) = table
            && let Some(section) = table.section_index()
        {
            let section = object.section_by_index(section)?;
            measure.frames = (section.address() + section.size()).saturating_sub(table.address());
            measure.data -= measure.frames;
        }
        Ok(measure)
    }
}

impl AddAssign for Measure {
    fn add_assign(&mut self, other: Measure) {
        self.units += other.units;
        self.text += other.text;
        self.data += other.data;
        self.frames += other.frames;
        self.seconds += other.seconds;
        self.memory = self.memory.max(other.memory);
    }
}
