//! Operands of instructions.

use flambeau_wire::{DecodeError, Reader};

use crate::codes::OperandKind;

/// Bytes of an operand; 0 where the instruction says it all.
pub(crate) type Size = u8;

/// An operand. Registers have the processor's numbers: `rax` 0, `rcx` 1, `rdx` 2, `rbx` 3, `rsp` 4, …
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'p> {
    Immediate(i64),
    /// The address of a symbol, or, of a jump or call, where it goes.
    Symbol(Name<'p>),
    Register {
        number: u8,
        size: Size,
    },
    /// `ah`, `ch`, `dh`, `bh`: 4 to 7.
    HighByte(u8),
    Xmm(u8),
    Memory(Memory),
    /// Relative to the instruction pointer.
    Relative {
        size: Size,
        name: Name<'p>,
        displacement: i32,
    },
}

/// `displacement + base + index * scale`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub size: Size,
    pub base: Option<u8>,
    pub index: Option<Index>,
    pub displacement: i32,
}

/// A register, and the logarithm of what it is multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    pub register: u8,
    pub shift: u8,
}

/// A symbol, and how it is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'p> {
    pub symbol: &'p [u8],
    pub through: Through,
}

/// How a symbol is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Through {
    /// Directly.
    Nothing,
    /// `@PLT`
    Plt,
    /// `@GOTPCREL`
    Got,
}

impl<'p> Name<'p> {
    /// Reads a name with the suffix that the emitter gives it.
    pub fn decode(reader: &mut Reader<'p>) -> Result<Name<'p>, DecodeError> {
        let text = text(reader)?;
        if let Some(symbol) = text.strip_suffix(b"@PLT") {
            Ok(Name { symbol, through: Through::Plt })
        } else if let Some(symbol) = text.strip_suffix(b"@GOTPCREL") {
            Ok(Name { symbol, through: Through::Got })
        } else if text.contains(&b'@') {
            Err(reader.error("a symbol with an unknown suffix"))
        } else {
            Ok(Name { symbol: text, through: Through::Nothing })
        }
    }

    /// Whether it is a label within a function, which other units never see.
    pub fn is_label(&self) -> bool {
        self.through == Through::Nothing && is_label(self.symbol)
    }
}

/// Reads a name: in an object file it ends with a zero byte, so that it can't contain one.
pub(crate) fn text<'p>(reader: &mut Reader<'p>) -> Result<&'p [u8], DecodeError> {
    let text = reader.bytes()?;
    if text.contains(&0) { Err(reader.error("a zero byte in a name")) } else { Ok(text) }
}

/// Whether a symbol is left out of the object file.
pub(crate) fn is_label(symbol: &[u8]) -> bool {
    symbol.starts_with(b".L")
}

impl<'p> Operand<'p> {
    /// Reads an operand.
    pub fn decode(reader: &mut Reader<'p>) -> Result<Operand<'p>, DecodeError> {
        Ok(match OperandKind::decode(reader)? {
            OperandKind::Immediate => Operand::Immediate(reader.i64()?),
            OperandKind::Symbol => Operand::Symbol(Name::decode(reader)?),
            OperandKind::Byte => Operand::Register { number: register(reader)?, size: 1 },
            OperandKind::HighByte => Operand::HighByte(register(reader)?),
            OperandKind::Word => Operand::Register { number: register(reader)?, size: 2 },
            OperandKind::Dword => Operand::Register { number: register(reader)?, size: 4 },
            OperandKind::Qword => Operand::Register { number: register(reader)?, size: 8 },
            OperandKind::Xmm => Operand::Xmm(register(reader)?),
            OperandKind::Memory => Operand::Memory(Memory::decode(reader)?),
            OperandKind::Relative => Operand::Relative {
                size: reader.byte()?,
                name: Name::decode(reader)?,
                displacement: displacement(reader)?,
            },
        })
    }

    /// What the operand says of the operation's size.
    pub fn size(&self) -> Size {
        match self {
            Operand::Register { size, .. } | Operand::Relative { size, .. } => *size,
            Operand::Memory(memory) => memory.size,
            Operand::HighByte(_) => 1,
            Operand::Immediate(_) | Operand::Symbol(_) | Operand::Xmm(_) => 0,
        }
    }
}

impl Memory {
    /// A register multiplied by 1 without a base is the base.
    fn decode(reader: &mut Reader<'_>) -> Result<Memory, DecodeError> {
        let size = reader.byte()?;
        let base = reader.option(register)?;
        let register = register(reader)?;
        let scale = reader.byte()?;
        let displacement = displacement(reader)?;
        if !matches!(scale, 1 | 2 | 4 | 8) {
            return Err(reader.error("an address with a strange scale"));
        }
        let index = Index { register, shift: scale.trailing_zeros() as u8 };
        if base.is_none() && scale == 1 {
            return Ok(Memory { size, base: Some(register), index: None, displacement });
        }
        if register == RSP {
            return Err(reader.error("the stack pointer as an index"));
        }
        Ok(Memory { size, base, index: Some(index), displacement })
    }
}

const RSP: u8 = 4;

fn register(reader: &mut Reader<'_>) -> Result<u8, DecodeError> {
    let number = reader.byte()?;
    if number < 16 { Ok(number) } else { Err(reader.error("no such register")) }
}

fn displacement(reader: &mut Reader<'_>) -> Result<i32, DecodeError> {
    let displacement = reader.i64()?;
    i32::try_from(displacement).map_err(|_| reader.error("a displacement of more than 32 bits"))
}
