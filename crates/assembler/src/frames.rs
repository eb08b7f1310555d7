//! How to unwind the stack: `.eh_frame`, from the `.cfi_…` directives (DWARF 4, section 6.4; the Linux Standard Base on
//! `.eh_frame`), laid out as `as` does.

use crate::section::{Position, Section};

/// A function, as unwinders see it.
pub(crate) struct Frame {
    pub section: usize,
    start: Position,
    end: Position,
    /// The distance of the canonical frame address from the register that it is counted from.
    offset: i64,
    remembered: Vec<i64>,
    changes: Vec<(Position, Change)>,
}

/// What a directive changes.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    Offset(i64),
    Register(u8),
    Remember,
    Restore,
}

impl Frame {
    /// Of a function that begins here, behind its return address.
    pub fn new(section: usize, start: Position) -> Frame {
        Frame { section, start, end: start, offset: 8, remembered: Vec::new(), changes: Vec::new() }
    }

    pub fn adjust_offset(&mut self, at: Position, by: i64) {
        self.change(at, Change::Offset(self.offset + by));
    }

    pub fn change(&mut self, at: Position, change: Change) {
        match change {
            Change::Offset(offset) => self.offset = offset,
            Change::Remember => self.remembered.push(self.offset),
            Change::Restore => self.offset = self.remembered.pop().unwrap_or(self.offset),
            Change::Register(_) => {}
        }
        self.changes.push((at, change));
    }

    pub fn end(&mut self, at: Position) {
        self.end = at;
    }
}

/// A place in `.eh_frame` that holds the distance to the function at an address of a section.
pub(crate) struct FrameStart {
    pub field: u64,
    pub section: usize,
    pub address: u32,
}

/// Version 1, "zR", code in bytes, data in words downwards, the return address in register 16, pointers relative and of
/// four bytes; at the start the frame is at `rsp` + 8, and the return address below it.
const COMMON: [u8; 24] =
    [0x14, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0];

/// The section's bytes, and where functions go.
pub(crate) fn write(frames: &[Frame], sections: &[Section<'_>]) -> (Vec<u8>, Vec<FrameStart>) {
    let mut bytes = COMMON.to_vec();
    let mut starts = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        let alignment = if index + 1 == frames.len() { 8 } else { 4 };
        write_frame(&mut bytes, &mut starts, frame, &sections[frame.section], alignment);
    }
    (bytes, starts)
}

fn write_frame(
    bytes: &mut Vec<u8>,
    starts: &mut Vec<FrameStart>,
    frame: &Frame,
    section: &Section<'_>,
    alignment: usize,
) {
    let start = section.address(frame.start);
    let begin = bytes.len();
    bytes.extend([0; 4]);
    bytes.extend((bytes.len() as u32).to_le_bytes());
    starts.push(FrameStart { field: bytes.len() as u64, section: frame.section, address: start });
    bytes.extend([0; 4]);
    bytes.extend((section.address(frame.end) - start).to_le_bytes());
    bytes.push(0);
    let mut reached = start;
    for (at, change) in &frame.changes {
        let address = section.address(*at);
        advance(bytes, address - reached);
        reached = address;
        match change {
            Change::Offset(offset) => {
                bytes.push(0x0e);
                unsigned(bytes, *offset as u64);
            }
            Change::Register(register) => bytes.extend([0x0d, *register]),
            Change::Remember => bytes.push(0x0a),
            Change::Restore => bytes.push(0x0b),
        }
    }
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
    let length = (bytes.len() - begin - 4) as u32;
    bytes[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

fn advance(bytes: &mut Vec<u8>, distance: u32) {
    match distance {
        0 => {}
        1..0x40 => bytes.push(0x40 | distance as u8),
        0x40..0x100 => bytes.extend([0x02, distance as u8]),
        0x100..0x1_0000 => {
            bytes.push(0x03);
            bytes.extend((distance as u16).to_le_bytes());
        }
        _ => {
            bytes.push(0x04);
            bytes.extend(distance.to_le_bytes());
        }
    }
}

fn unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
