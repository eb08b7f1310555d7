//! The encoding of instructions (Intel's manual, volume 2), with the choices among encodings that `as` makes.

use flambeau_wire::{DecodeError, Reader};

use crate::codes::Mnemonic;
use crate::operand::{Memory, Name, Operand, Size, Through};

/// An instruction, and its operands, the source first.
pub(crate) struct Instruction<'p> {
    pub mnemonic: Mnemonic,
    /// Of a conditional instruction, as the processor numbers it.
    pub condition: u8,
    operands: [Operand<'p>; 2],
}

/// A part of an instruction that the linker may have to fill in.
pub(crate) struct Reference<'p> {
    pub name: Name<'p>,
    /// Where the field of four bytes is.
    pub field: usize,
    /// What is added to the address of the symbol. Relative fields count from their own beginning.
    pub addend: i64,
    pub kind: ReferenceKind,
}

/// What is written into a field of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReferenceKind {
    /// An address of 32 bits with a sign.
    Absolute,
    /// The distance from the field.
    Relative,
    /// The distance of where the linker wants it jumped to.
    Jump,
}

/// Why an instruction can't be encoded.
#[derive(Debug)]
pub(crate) struct Unsupported;

type Encoding<T = ()> = Result<T, Unsupported>;

impl<'p> Instruction<'p> {
    /// Reads an instruction.
    pub fn decode(reader: &mut Reader<'p>) -> Result<Instruction<'p>, DecodeError> {
        let mnemonic = Mnemonic::decode(reader)?;
        let condition = if mnemonic.has_condition() { reader.byte()? } else { 0 };
        if condition > 15 {
            return Err(reader.error("no such condition"));
        }
        let mut operands = [Operand::Immediate(0); 2];
        for operand in operands.iter_mut().take(mnemonic.operands()) {
            *operand = Operand::decode(reader)?;
        }
        Ok(Instruction { mnemonic, condition, operands })
    }

    /// The label that it jumps to, if its encoding depends on how far away that is.
    pub fn jumps_to(&self) -> Option<Name<'p>> {
        match (self.mnemonic, self.operands[0]) {
            (Mnemonic::J | Mnemonic::Jmp, Operand::Symbol(name)) if name.is_label() => Some(name),
            _ => None,
        }
    }

    /// Appends its encoding to `code`.
    ///
    /// # Errors
    /// When the emitter does not use such an instruction.
    pub fn encode(&self, code: &mut Vec<u8>) -> Encoding<Option<Reference<'p>>> {
        let mut encoder = Encoder { code, reference: None };
        self.encode_with(&mut encoder)?;
        Ok(encoder.finish())
    }

    fn encode_with(&self, e: &mut Encoder<'_, 'p>) -> Encoding {
        use Mnemonic::*;
        let [a, b] = &self.operands;
        match self.mnemonic {
            Add => e.arithmetic(0, a, b),
            Or => e.arithmetic(1, a, b),
            And => e.arithmetic(4, a, b),
            Sub => e.arithmetic(5, a, b),
            Xor => e.arithmetic(6, a, b),
            Cmp => e.arithmetic(7, a, b),
            Test => e.test(a, b),
            Mov => e.mov(a, b),
            Lea => e.general(Shape::wide(b.size()), &[0x8d], b, a),
            Movsx => e.extend(0xbe, a, b),
            Movzx => e.extend(0xb6, a, b),
            Movsxd => e.general(Shape::wide(b.size()), &[0x63], b, a),
            Cmov => e.general(Shape::wide(b.size()), &[0x0f, 0x40 | self.condition], b, a),
            Xchg => e.exchange(a, b),
            Imul => e.multiply(a, b),
            ImulHigh => e.unary(0xf6, 5, a),
            Idiv => e.unary(0xf6, 7, a),
            Neg => e.unary(0xf6, 3, a),
            Inc => e.unary(0xfe, 0, a),
            Dec => e.unary(0xfe, 1, a),
            Sal => e.shift(4, a, b),
            Shr => e.shift(5, a, b),
            Sar => e.shift(7, a, b),
            Set => e.extension(Shape::byte(), &[0x0f, 0x90 | self.condition], 0, a),
            Bswap => e.in_opcode(a.size(), &[0x0f], 0xc8, a),
            Push => e.push(a),
            Pop => e.pop(a),
            Call => e.transfer(&[0xe8], 2, a),
            Jmp => e.transfer(&[0xe9], 4, a),
            J => e.jump_if(self.condition, a),
            Ret => e.bytes(&[0xc3]),
            Nop => e.bytes(&[0x90]),
            Hlt => e.bytes(&[0xf4]),
            Leave => e.bytes(&[0xc9]),
            Cdq => e.bytes(&[0x99]),
            Cqo => e.bytes(&[0x48, 0x99]),
            Addsd => e.scalar(0x58, a, b),
            Mulsd => e.scalar(0x59, a, b),
            Subsd => e.scalar(0x5c, a, b),
            Divsd => e.scalar(0x5e, a, b),
            Sqrtsd => e.scalar(0x51, a, b),
            Cvtsd2ss => e.scalar(0x5a, a, b),
            Cvtss2sd => e.general(Shape::prefix(0xf3), &[0x0f, 0x5a], b, a),
            Cvtsi2sd => e.general(Shape::prefix(0xf2).of_size(a.size()), &[0x0f, 0x2a], b, a),
            Cvttsd2si => e.general(Shape::prefix(0xf2).of_size(b.size()), &[0x0f, 0x2c], b, a),
            Cvtsd2si => e.general(Shape::prefix(0xf2).of_size(b.size()), &[0x0f, 0x2d], b, a),
            Cmpsd => {
                e.scalar(0xc2, a, b)?;
                e.bytes(&[self.condition])
            }
            Comisd => e.general(Shape::prefix(0x66), &[0x0f, 0x2f], b, a),
            Ucomisd => e.general(Shape::prefix(0x66), &[0x0f, 0x2e], b, a),
            Andpd => e.general(Shape::prefix(0x66), &[0x0f, 0x54], b, a),
            Xorpd => e.general(Shape::prefix(0x66), &[0x0f, 0x57], b, a),
            Movapd => e.move_float(0x66, 0x28, a, b),
            Movsd => e.move_float(0xf2, 0x10, a, b),
            Movss => e.move_float(0xf3, 0x10, a, b),
            Movlpd => e.move_float(0x66, 0x12, a, b),
            Movd => e.move_double_word(a, b),
        }
    }
}

/// What comes before the opcode.
#[derive(Clone, Copy)]
struct Shape {
    prefix: Option<u8>,
    /// The operation is one of 64 bits.
    wide: bool,
    /// Registers are bytes: `spl` to `dil` need a prefix to be told from `ah` to `bh`.
    byte: bool,
}

impl Shape {
    const PLAIN: Shape = Shape { prefix: None, wide: false, byte: false };

    fn wide(size: Size) -> Shape {
        Shape::PLAIN.of_size(size)
    }

    fn byte() -> Shape {
        Shape { byte: true, ..Shape::PLAIN }
    }

    fn prefix(prefix: u8) -> Shape {
        Shape { prefix: Some(prefix), ..Shape::PLAIN }
    }

    fn of_size(self, size: Size) -> Shape {
        Shape { wide: size == 8, ..self }
    }

    /// Of an operation on general registers of any size.
    fn general(size: Size) -> Shape {
        Shape { prefix: (size == 2).then_some(0x66), wide: size == 8, byte: size == 1 }
    }
}

struct Encoder<'c, 'p> {
    code: &'c mut Vec<u8>,
    reference: Option<Reference<'p>>,
}

/// The size of an operation on integers: a register's, or else what the memory operand is said to be.
fn size_of(a: &Operand<'_>, b: &Operand<'_>) -> Encoding<Size> {
    let size = match (a, b) {
        (Operand::Register { .. }, Operand::Memory(_) | Operand::Relative { .. }) => a.size(),
        _ => b.size(),
    };
    if matches!(size, 1 | 2 | 4 | 8) { Ok(size) } else { Err(Unsupported) }
}

/// The low bit of opcodes that have one for bytes, and one for what is larger.
fn larger(size: Size) -> u8 {
    u8::from(size > 1)
}

/// A number as an immediate operand of up to 32 bits with a sign.
fn immediate(number: i64, size: Size) -> Encoding<i32> {
    match size {
        1 => Ok(i32::from(number as i8)),
        2 => Ok(i32::from(number as i16)),
        4 => Ok(number as i32),
        _ => i32::try_from(number).map_err(|_| Unsupported),
    }
}

impl<'p> Encoder<'_, 'p> {
    /// Relative operands count from the end of the instruction; fields count from their own beginning.
    fn finish(self) -> Option<Reference<'p>> {
        let end = self.code.len();
        self.reference.map(|mut reference| {
            if reference.kind != ReferenceKind::Absolute {
                reference.addend -= (end - reference.field) as i64;
            }
            reference
        })
    }

    fn bytes(&mut self, bytes: &[u8]) -> Encoding {
        self.code.extend_from_slice(bytes);
        Ok(())
    }

    fn immediate(&mut self, number: i32, size: Size) -> Encoding {
        self.bytes(&number.to_le_bytes()[..usize::from(size.min(4))])
    }

    /// A field of four bytes for a symbol.
    fn refer(&mut self, name: Name<'p>, addend: i64, kind: ReferenceKind) -> Encoding {
        self.reference = Some(Reference { name, field: self.code.len(), addend, kind });
        self.bytes(&[0; 4])
    }

    /// An instruction with a register and an operand that is a register or memory.
    fn general(&mut self, shape: Shape, opcode: &[u8], register: &Operand<'p>, rm: &Operand<'p>) -> Encoding {
        match register {
            Operand::Register { number, size } => {
                let needs_rex = shape.byte && *size == 1 && *number >= 4;
                self.modrm(shape, opcode, *number, needs_rex, rm)
            }
            Operand::HighByte(number) | Operand::Xmm(number) => self.modrm(shape, opcode, *number, false, rm),
            _ => Err(Unsupported),
        }
    }

    /// An instruction with one operand, and an extension of the opcode in the place of a register.
    fn extension(&mut self, shape: Shape, opcode: &[u8], extension: u8, rm: &Operand<'p>) -> Encoding {
        self.modrm(shape, opcode, extension, false, rm)
    }

    fn modrm(
        &mut self,
        shape: Shape,
        opcode: &[u8],
        register: u8,
        needs_rex: bool,
        rm: &Operand<'p>,
    ) -> Encoding {
        let (base, index) = match rm {
            Operand::Register { number, .. } | Operand::Xmm(number) => (*number, 0),
            Operand::Memory(memory) => {
                (memory.base.unwrap_or_default(), memory.index.map_or(0, |index| index.register))
            }
            Operand::HighByte(_) | Operand::Relative { .. } => (0, 0),
            Operand::Immediate(_) | Operand::Symbol(_) => return Err(Unsupported),
        };
        let needs_rex =
            needs_rex || shape.byte && matches!(rm, Operand::Register { number, size: 1 } if *number >= 4);
        self.code.extend(shape.prefix);
        let rex = u8::from(shape.wide) << 3 | (register >> 3) << 2 | (index >> 3) << 1 | base >> 3;
        if rex != 0 || needs_rex {
            self.code.push(0x40 | rex);
        }
        self.bytes(opcode)?;
        let register = (register & 7) << 3;
        match rm {
            Operand::Register { number, .. } | Operand::Xmm(number) | Operand::HighByte(number) => {
                self.bytes(&[0xc0 | register | number & 7])
            }
            Operand::Memory(memory) => self.memory(register, memory),
            Operand::Relative { name, displacement, .. } => {
                self.code.push(register | 5);
                self.refer(*name, i64::from(*displacement), ReferenceKind::Relative)
            }
            Operand::Immediate(_) | Operand::Symbol(_) => Err(Unsupported),
        }
    }

    fn memory(&mut self, register: u8, memory: &Memory) -> Encoding {
        /// In the place of a base: an index follows.
        const SIB: u8 = 4;
        /// `rbp` and `r13`, which as bases always have a displacement, and as none mean that there is no base.
        const RBP: u8 = 5;
        let displacement = memory.displacement;
        let Some(base) = memory.base else {
            let index = memory.index.ok_or(Unsupported)?;
            self.bytes(&[register | SIB, index.shift << 6 | (index.register & 7) << 3 | RBP])?;
            return self.immediate(displacement, 4);
        };
        let base = base & 7;
        let (mode, size) = match i8::try_from(displacement) {
            Ok(0) if base != RBP => (0, 0),
            Ok(_) => (0x40, 1),
            Err(_) => (0x80, 4),
        };
        match memory.index {
            Some(index) => {
                self.bytes(&[mode | register | SIB, index.shift << 6 | (index.register & 7) << 3 | base])?;
            }
            None if base == SIB => self.bytes(&[mode | register | SIB, SIB << 3 | base])?,
            None => self.code.push(mode | register | base),
        }
        self.immediate(displacement, size)
    }

    /// One of the eight operations that are encoded alike.
    fn arithmetic(&mut self, operation: u8, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let size = size_of(a, b)?;
        let shape = Shape::general(size);
        let opcode = operation << 3;
        match (a, b) {
            (Operand::Immediate(number), _) => {
                let number = immediate(*number, size)?;
                let is_accumulator = matches!(b, Operand::Register { number: 0, .. });
                if size > 1 && i8::try_from(number).is_ok() {
                    self.extension(shape, &[0x83], operation, b)?;
                    self.immediate(number, 1)
                } else if is_accumulator {
                    self.accumulator(shape, opcode | 4 | larger(size))?;
                    self.immediate(number, size)
                } else {
                    self.extension(shape, &[0x80 | larger(size)], operation, b)?;
                    self.immediate(number, size)
                }
            }
            (Operand::Memory(_) | Operand::Relative { .. }, _) => {
                self.general(shape, &[opcode | 2 | larger(size)], b, a)
            }
            _ => self.general(shape, &[opcode | larger(size)], a, b),
        }
    }

    /// An instruction on `al`, `ax`, `eax`, or `rax` that has an encoding of its own.
    fn accumulator(&mut self, shape: Shape, opcode: u8) -> Encoding {
        self.code.extend(shape.prefix);
        if shape.wide {
            self.code.push(0x48);
        }
        self.bytes(&[opcode])
    }

    fn test(&mut self, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let size = size_of(a, b)?;
        let shape = Shape::general(size);
        match (a, b) {
            (Operand::Immediate(number), _) => {
                let number = immediate(*number, size)?;
                if matches!(b, Operand::Register { number: 0, .. }) {
                    self.accumulator(shape, 0xa8 | larger(size))?;
                } else {
                    self.extension(shape, &[0xf6 | larger(size)], 0, b)?;
                }
                self.immediate(number, size)
            }
            (Operand::Memory(_) | Operand::Relative { .. }, _) => {
                self.general(shape, &[0x84 | larger(size)], b, a)
            }
            _ => self.general(shape, &[0x84 | larger(size)], a, b),
        }
    }

    fn mov(&mut self, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let size = size_of(a, b)?;
        let shape = Shape::general(size);
        match (a, b) {
            (Operand::Immediate(number), Operand::Register { size: 8, .. }) => match i32::try_from(*number) {
                Ok(number) => {
                    self.extension(shape, &[0xc7], 0, b)?;
                    self.immediate(number, 4)
                }
                Err(_) => {
                    self.in_opcode(8, &[], 0xb8, b)?;
                    self.bytes(&number.to_le_bytes())
                }
            },
            (Operand::Immediate(number), Operand::Register { size: 4, .. }) => {
                self.in_opcode(4, &[], 0xb8, b)?;
                self.immediate(*number as i32, 4)
            }
            (Operand::Immediate(number), Operand::Memory(_) | Operand::Relative { .. }) => {
                self.extension(shape, &[0xc6 | larger(size)], 0, b)?;
                self.immediate(immediate(*number, size)?, size)
            }
            (Operand::Symbol(name), _) if size == 8 && name.through == Through::Nothing => {
                self.extension(shape, &[0xc7], 0, b)?;
                self.refer(*name, 0, ReferenceKind::Absolute)
            }
            (Operand::Memory(_) | Operand::Relative { .. }, _) => {
                self.general(shape, &[0x8a | larger(size)], b, a)
            }
            _ => self.general(shape, &[0x88 | larger(size)], a, b),
        }
    }

    /// A load of a byte or of two into a larger register.
    fn extend(&mut self, opcode: u8, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let opcode = match a.size() {
            1 => opcode,
            2 => opcode | 1,
            _ => return Err(Unsupported),
        };
        if matches!(a, Operand::HighByte(_)) {
            return Err(Unsupported);
        }
        let shape = Shape { byte: a.size() == 1, ..Shape::general(b.size()) };
        self.general(shape, &[0x0f, opcode], b, a)
    }

    fn exchange(&mut self, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        match (a, b) {
            (Operand::HighByte(_), Operand::Register { number: 0..=3, size: 1 }) => {
                self.general(Shape::byte(), &[0x86], a, b)
            }
            _ => Err(Unsupported),
        }
    }

    fn multiply(&mut self, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let size = size_of(a, b)?;
        let shape = Shape::general(size);
        match a {
            _ if size == 1 => Err(Unsupported),
            Operand::Immediate(number) => {
                let number = immediate(*number, size)?;
                let is_short = i8::try_from(number).is_ok();
                self.general(shape, &[if is_short { 0x6b } else { 0x69 }], b, b)?;
                self.immediate(number, if is_short { 1 } else { size })
            }
            _ => self.general(shape, &[0x0f, 0xaf], b, a),
        }
    }

    /// An operation on one integer; `opcode` is that on bytes.
    fn unary(&mut self, opcode: u8, extension: u8, a: &Operand<'p>) -> Encoding {
        let size = size_of(a, a)?;
        self.extension(Shape::general(size), &[opcode | larger(size)], extension, a)
    }

    fn shift(&mut self, extension: u8, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let size = size_of(b, b)?;
        let shape = Shape::general(size);
        match a {
            Operand::Immediate(1) => self.extension(shape, &[0xd0 | larger(size)], extension, b),
            Operand::Immediate(number) => {
                self.extension(shape, &[0xc0 | larger(size)], extension, b)?;
                self.immediate(immediate(*number, 1)?, 1)
            }
            Operand::Register { number: 1, size: 1 } => {
                self.extension(shape, &[0xd2 | larger(size)], extension, b)
            }
            _ => Err(Unsupported),
        }
    }

    /// An instruction whose register is part of the opcode.
    fn in_opcode(&mut self, size: Size, escape: &[u8], opcode: u8, a: &Operand<'p>) -> Encoding {
        let Operand::Register { number, .. } = a else { return Err(Unsupported) };
        let rex = u8::from(size == 8) << 3 | number >> 3;
        if rex != 0 {
            self.code.push(0x40 | rex);
        }
        self.bytes(escape)?;
        self.bytes(&[opcode | number & 7])
    }

    fn push(&mut self, a: &Operand<'p>) -> Encoding {
        match a {
            Operand::Register { size: 8, .. } => self.in_opcode(0, &[], 0x50, a),
            Operand::Immediate(number) => {
                let number = immediate(*number, 8)?;
                let is_short = i8::try_from(number).is_ok();
                self.bytes(&[if is_short { 0x6a } else { 0x68 }])?;
                self.immediate(number, if is_short { 1 } else { 4 })
            }
            _ if a.size() == 8 => self.extension(Shape::PLAIN, &[0xff], 6, a),
            _ => Err(Unsupported),
        }
    }

    fn pop(&mut self, a: &Operand<'p>) -> Encoding {
        match a {
            Operand::Register { size: 8, .. } => self.in_opcode(0, &[], 0x58, a),
            _ if a.size() == 8 => self.extension(Shape::PLAIN, &[0x8f], 0, a),
            _ => Err(Unsupported),
        }
    }

    /// A call or a jump: to a symbol by an opcode of its own, or to where an operand says.
    fn transfer(&mut self, to_symbol: &[u8], extension: u8, a: &Operand<'p>) -> Encoding {
        match a {
            Operand::Symbol(name) => {
                self.bytes(to_symbol)?;
                self.refer(*name, 0, ReferenceKind::Jump)
            }
            _ => self.extension(Shape::PLAIN, &[0xff], extension, a),
        }
    }

    fn jump_if(&mut self, condition: u8, a: &Operand<'p>) -> Encoding {
        let Operand::Symbol(name) = a else { return Err(Unsupported) };
        self.bytes(&[0x0f, 0x80 | condition])?;
        self.refer(*name, 0, ReferenceKind::Jump)
    }

    /// An operation on doubles.
    fn scalar(&mut self, opcode: u8, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        self.general(Shape::prefix(0xf2), &[0x0f, opcode], b, a)
    }

    /// A load, a store, or a move between registers; a store has the next opcode.
    fn move_float(&mut self, prefix: u8, opcode: u8, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        let shape = Shape::prefix(prefix);
        match b {
            Operand::Xmm(_) => self.general(shape, &[0x0f, opcode], b, a),
            _ => self.general(shape, &[0x0f, opcode | 1], a, b),
        }
    }

    /// Bits between a general register and a register of doubles.
    fn move_double_word(&mut self, a: &Operand<'p>, b: &Operand<'p>) -> Encoding {
        match (a, b) {
            (Operand::Xmm(_), Operand::Register { size, .. }) => {
                self.general(Shape::prefix(0x66).of_size(*size), &[0x0f, 0x7e], a, b)
            }
            (Operand::Register { size, .. }, Operand::Xmm(_)) => {
                self.general(Shape::prefix(0x66).of_size(*size), &[0x0f, 0x6e], b, a)
            }
            _ => Err(Unsupported),
        }
    }
}
