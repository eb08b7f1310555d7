//! Reading a program, line by line, into its sections.

use std::borrow::Cow;

use flambeau_wire::{DecodeError, Reader};
use object::elf;
use rustc_hash::FxHashMap;

use crate::Error;
use crate::codes::{ConstantKind, Line, Mnemonic};
use crate::frames::{Change, Frame};
use crate::instruction::{Instruction, ReferenceKind};
use crate::lines::{Lines, Row};
use crate::operand::{Through, text};
use crate::section::{Attributes, Expression, Fixup, Point, Position, RelocationKind, Section, Value};
use crate::symbols::{Place, SymbolId, SymbolKind, Symbols};

/// What a program begins with.
const MAGIC: &[u8] = b"FLBA";
const VERSION: u64 = 1;

/// Constants of directives are sums of at most a few terms.
const MAX_DEPTH: u32 = 16;

/// A program that was read.
pub(crate) struct Program<'p> {
    pub sections: Vec<Section<'p>>,
    /// The numbers of sections: each function may have one.
    by_name: FxHashMap<Cow<'p, [u8]>, usize>,
    pub symbols: Symbols<'p>,
    pub frames: Vec<Frame>,
    pub lines: Lines<'p>,
    /// Sizes of symbols: differences of addresses.
    pub sizes: Vec<(SymbolId, usize, Expression)>,
    current: usize,
    is_in_frame: bool,
}

/// The first of the sections that every object file has.
pub(crate) const TEXT: usize = 0;

/// What `as` names in an object file that reaches symbols through the table of addresses.
const GOT: &[u8] = b"_GLOBAL_OFFSET_TABLE_";

impl<'p> Program<'p> {
    /// Reads a program.
    ///
    /// # Errors
    /// When it is malformed, or says what the emitter never does.
    pub fn read(bytes: &'p [u8]) -> Result<Program<'p>, Error> {
        let mut reader = Reader::new(bytes);
        let reader = &mut reader;
        if reader.take(MAGIC.len())? != MAGIC || reader.u64()? != VERSION {
            return Err(reader.error("not an assembly program of this version").into());
        }
        let mut lines = Lines::new(text(reader)?);
        lines.prefixes = reader.list(|reader| Ok((text(reader)?, text(reader)?)))?;
        let sections = basic_sections();
        let numbered = sections.iter().enumerate();
        let mut program = Program {
            by_name: numbered.map(|(number, section)| (section.attributes.name.clone(), number)).collect(),
            sections,
            symbols: Symbols::default(),
            frames: Vec::new(),
            lines,
            sizes: Vec::new(),
            current: TEXT,
            is_in_frame: false,
        };
        while reader.remaining() > 0 {
            program.read_line(reader)?;
        }
        Ok(program)
    }

    fn section(&mut self) -> &mut Section<'p> {
        &mut self.sections[self.current]
    }

    fn here(&self) -> Position {
        self.sections[self.current].here()
    }

    fn symbol(&mut self, name: &'p [u8]) -> SymbolId {
        self.symbols.named(name, self.sections.len())
    }

    fn read_line(&mut self, reader: &mut Reader<'p>) -> Result<(), Error> {
        match Line::decode(reader)? {
            Line::Instruction => self.read_instruction(reader)?,
            Line::Align => {
                let alignment = reader.u32()?;
                if !alignment.is_power_of_two() {
                    return Err(reader.error("an alignment that is no power of 2").into());
                }
                self.section().align(alignment);
            }
            Line::Ascii => {
                let bytes = reader.bytes()?;
                self.section().append(bytes);
            }
            Line::Byte => self.read_constant(reader, 1)?,
            Line::Word => self.read_constant(reader, 2)?,
            Line::Long => self.read_constant(reader, 4)?,
            Line::Quad => self.read_constant(reader, 8)?,
            Line::Space => {
                let count = reader.u32()?;
                self.section().append_zeros(count as usize);
            }
            Line::Label => self.define(reader)?,
            Line::Global => {
                let symbol = self.symbol(text(reader)?);
                self.symbols[symbol].is_global = true;
            }
            Line::Section => self.switch_section(reader)?,
            Line::Type => {
                let symbol = self.symbol(text(reader)?);
                let is_function = reader.bool()?;
                self.symbols[symbol].kind =
                    if is_function { SymbolKind::Function } else { SymbolKind::Object };
            }
            Line::Size => {
                let symbol = self.symbol(text(reader)?);
                let size = self.read_expression(reader)?;
                self.sizes.push((symbol, self.current, size));
            }
            Line::File => {
                let (number, name) = (reader.u64()?, text(reader)?);
                self.lines.files.insert(number, name);
            }
            Line::Loc => self.read_location(reader)?,
            Line::CfiStartproc => {
                let frame = Frame::new(self.current, self.here());
                self.frames.push(frame);
                self.is_in_frame = true;
            }
            Line::CfiEndproc => {
                let here = self.here();
                self.frame(reader)?.end(here);
                self.is_in_frame = false;
            }
            Line::CfiAdjustCfaOffset => {
                let (here, by) = (self.here(), reader.i64()?);
                self.frame(reader)?.adjust_offset(here, by);
            }
            Line::CfiDefCfaOffset => {
                let offset = reader.i64()?;
                self.change_frame(reader, Change::Offset(offset))?;
            }
            Line::CfiDefCfaRegister => {
                let register = reader.byte()?;
                self.change_frame(reader, Change::Register(register))?;
            }
            Line::CfiRememberState => self.change_frame(reader, Change::Remember)?,
            Line::CfiRestoreState => self.change_frame(reader, Change::Restore)?,
        }
        Ok(())
    }

    fn frame(&mut self, reader: &Reader<'p>) -> Result<&mut Frame, DecodeError> {
        match self.frames.last_mut() {
            Some(frame) if self.is_in_frame && frame.section == self.current => Ok(frame),
            _ => Err(reader.error("outside of a function")),
        }
    }

    fn change_frame(&mut self, reader: &Reader<'p>, change: Change) -> Result<(), DecodeError> {
        let here = self.here();
        self.frame(reader)?.change(here, change);
        Ok(())
    }

    /// A line of the source takes effect at the next instruction, or where the next line is said.
    fn read_location(&mut self, reader: &mut Reader<'p>) -> Result<(), DecodeError> {
        let (file, line, column) = (reader.u64()?, reader.u64()?, reader.i64()?);
        let here = self.here();
        self.lines.flush(self.current, here);
        self.lines.pending = Some(Row { file, line, column: column.max(0) as u64 });
        Ok(())
    }

    fn read_instruction(&mut self, reader: &mut Reader<'p>) -> Result<(), Error> {
        let instruction = Instruction::decode(reader)?;
        let here = self.here();
        self.lines.flush(self.current, here);
        if let Some(name) = instruction.jumps_to() {
            let to = self.symbol(name.symbol);
            let condition = (instruction.mnemonic == Mnemonic::J).then_some(instruction.condition);
            self.section().append_jump(condition, to);
            return Ok(());
        }
        let reference = self
            .section()
            .append_with(|code| instruction.encode(code))
            .map_err(|_| Error::Unsupported(instruction.mnemonic))?;
        let Some(reference) = reference else { return Ok(()) };
        let kind = match (reference.kind, reference.name.through) {
            (ReferenceKind::Absolute, Through::Nothing) => RelocationKind::Absolute,
            (ReferenceKind::Relative, Through::Nothing) => RelocationKind::Relative,
            (ReferenceKind::Jump, Through::Nothing | Through::Plt) => RelocationKind::Jump,
            (ReferenceKind::Relative, Through::Got) if instruction.mnemonic == Mnemonic::Mov => {
                self.symbol(GOT);
                RelocationKind::Got
            }
            _ => return Err(Error::Unsupported(instruction.mnemonic)),
        };
        let symbol = self.symbol(reference.name.symbol);
        let section = self.section();
        let at = section.position(reference.field);
        let value = Value::Reference { symbol, addend: reference.addend, kind };
        section.fixups.push(Fixup { at, size: 4, value });
        Ok(())
    }

    fn read_constant(&mut self, reader: &mut Reader<'p>, size: u8) -> Result<(), DecodeError> {
        let expression = self.read_expression(reader)?;
        if expression.plus.is_none() && expression.minus.is_none() {
            self.section().append(&expression.addend.to_le_bytes()[..usize::from(size)]);
        } else {
            self.section().append_field(size, expression);
        }
        Ok(())
    }

    fn read_expression(&mut self, reader: &mut Reader<'p>) -> Result<Expression, DecodeError> {
        let mut expression = Expression::default();
        self.add_constant(reader, &mut expression, false, MAX_DEPTH)?;
        Ok(expression)
    }

    fn add_constant(
        &mut self,
        reader: &mut Reader<'p>,
        sum: &mut Expression,
        is_negative: bool,
        depth: u32,
    ) -> Result<(), DecodeError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(reader.error("a constant that is too deep"));
        };
        let point = match ConstantKind::decode(reader)? {
            ConstantKind::Number => {
                let number = reader.i64()?;
                sum.addend =
                    sum.addend.wrapping_add(if is_negative { number.wrapping_neg() } else { number });
                return Ok(());
            }
            ConstantKind::Sum => {
                self.add_constant(reader, sum, is_negative, depth)?;
                return self.add_constant(reader, sum, is_negative, depth);
            }
            ConstantKind::Difference => {
                self.add_constant(reader, sum, is_negative, depth)?;
                return self.add_constant(reader, sum, !is_negative, depth);
            }
            ConstantKind::Here => Point::Here(self.here()),
            ConstantKind::Symbol => Point::Symbol(self.symbol(text(reader)?)),
        };
        let side = if is_negative { &mut sum.minus } else { &mut sum.plus };
        match side.replace(point) {
            None => Ok(()),
            Some(_) => Err(reader.error("a constant with two symbols of one sign")),
        }
    }

    fn define(&mut self, reader: &mut Reader<'p>) -> Result<(), DecodeError> {
        let symbol = self.symbol(text(reader)?);
        let place = Place { section: self.current, position: self.here() };
        match self.symbols[symbol].place.replace(place) {
            None => Ok(()),
            Some(_) => Err(reader.error("a symbol that is defined twice")),
        }
    }

    fn switch_section(&mut self, reader: &mut Reader<'p>) -> Result<(), DecodeError> {
        let name = text(reader)?;
        let flags = reader.option(text)?;
        let entry_size = reader.option(|reader| reader.u64())?.unwrap_or_default();
        if let Some(known) = self.by_name.get(name) {
            self.current = *known;
            return Ok(());
        }
        let flags = match flags {
            Some(flags) => section_flags(flags).ok_or_else(|| reader.error("a strange flag of a section"))?,
            None => default_flags(name),
        };
        let name = Cow::Borrowed(name);
        self.current = self.sections.len();
        self.by_name.insert(name.clone(), self.current);
        self.sections.push(Section::new(Attributes { name, flags, entry_size, is_empty: false }));
        Ok(())
    }
}

fn basic_sections<'p>() -> Vec<Section<'p>> {
    let section = |name: &'static [u8], flags: u32, is_empty| {
        let flags = u64::from(flags | elf::SHF_ALLOC);
        Section::new(Attributes { name: Cow::Borrowed(name), flags, entry_size: 0, is_empty })
    };
    vec![
        section(b".text", elf::SHF_EXECINSTR, false),
        section(b".data", elf::SHF_WRITE, false),
        section(b".bss", elf::SHF_WRITE, true),
    ]
}

/// What `as` gives a section whose flags are not said.
fn default_flags(name: &[u8]) -> u64 {
    if name.starts_with(b".rodata") { u64::from(elf::SHF_ALLOC) } else { 0 }
}

fn section_flags(letters: &[u8]) -> Option<u64> {
    letters.iter().try_fold(0, |flags, letter| {
        let flag = match letter {
            b'a' => elf::SHF_ALLOC,
            b'w' => elf::SHF_WRITE,
            b'x' => elf::SHF_EXECINSTR,
            b'M' => elf::SHF_MERGE,
            _ => return None,
        };
        Some(flags | u64::from(flag))
    })
}
