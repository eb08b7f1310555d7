//! Lines of the source: `.debug_line`, and the units and functions that debuggers and profilers find them by, as `as`
//! writes them for a program with `.loc` directives (DWARF 3).

use std::collections::BTreeMap;

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Range, RangeList,
    RelocateWriter, Relocation as GimliRelocation, RelocationTarget, Sections,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, SectionId};
use object::elf;

use crate::Error;
use crate::program::{Program, TEXT};
use crate::section::Position;
use crate::symbols::SymbolKind;

/// A line of the source. Columns count from 1; 0: unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub file: u64,
    pub line: u64,
    pub column: u64,
}

/// What is said of the lines of a program.
pub(crate) struct Lines<'p> {
    /// Where the compiler was called.
    pub directory: &'p [u8],
    /// What the beginnings of names of files are replaced by (`BUILD_PATH_PREFIX_MAP`), the last first.
    pub prefixes: Vec<(&'p [u8], &'p [u8])>,
    pub files: BTreeMap<u64, &'p [u8]>,
    /// It holds for the next instruction.
    pub pending: Option<Row>,
    /// By section, in the order of their places.
    rows: BTreeMap<usize, Vec<(Position, Row)>>,
}

impl<'p> Lines<'p> {
    pub fn new(directory: &'p [u8]) -> Lines<'p> {
        Lines {
            directory,
            prefixes: Vec::new(),
            files: BTreeMap::new(),
            pending: None,
            rows: BTreeMap::new(),
        }
    }

    /// The pending line holds from a place of a section on.
    pub fn flush(&mut self, section: usize, here: Position) {
        if let Some(row) = self.pending.take() {
            self.rows.entry(section).or_default().push((here, row));
        }
    }

    fn mapped(&self, name: &[u8]) -> Vec<u8> {
        for (from, to) in &self.prefixes {
            if let Some(rest) = name.strip_prefix(*from) {
                return [to, rest].concat();
            }
        }
        name.to_vec()
    }
}

/// A section of what debuggers read, with what the linker fills in.
pub(crate) struct DebugSection {
    pub name: &'static str,
    pub flags: u64,
    pub entry_size: u64,
    pub bytes: Vec<u8>,
    pub relocations: Vec<DebugRelocation>,
}

/// A field with the address of a place in a section.
pub(crate) struct DebugRelocation {
    pub offset: u64,
    pub kind: u32,
    pub target: DebugTarget,
    pub addend: i64,
}

/// A section, of the program or of what debuggers read.
pub(crate) enum DebugTarget {
    Program(usize),
    Debug(&'static str),
}

/// The sections for debuggers; none if no line of the source is known.
pub(crate) fn write(program: &Program<'_>) -> Result<Vec<DebugSection>, Error> {
    let lines = &program.lines;
    let Some(main) = lines.files.values().next().filter(|_| !lines.rows.is_empty()) else {
        return Ok(Vec::new());
    };
    let encoding = Encoding { format: Format::Dwarf32, version: 3, address_size: 8 };
    let mut dwarf = DwarfUnit::new(encoding);
    dwarf.unit.line_program = line_program(program, encoding, main);
    describe_unit(program, &mut dwarf, main);
    let mut sections = Sections::new(Output::default());
    dwarf.write(&mut sections)?;
    let mut written = Vec::new();
    sections.for_each(|id, output| {
        if !output.bytes.slice().is_empty() {
            written.push(debug_section(id, output));
        }
        Ok::<(), Error>(())
    })?;
    Ok(written)
}

fn line_program(program: &Program<'_>, encoding: Encoding, main: &[u8]) -> LineProgram {
    let lines = &program.lines;
    let text = |bytes: Vec<u8>| LineString::String(bytes);
    let directory = text(lines.mapped(lines.directory));
    let mut table =
        LineProgram::new(encoding, LineEncoding::default(), directory, None, text(main.to_vec()), None);
    let ids: BTreeMap<u64, FileId> = lines
        .files
        .iter()
        .map(|(number, name)| (*number, add_file(&mut table, &lines.mapped(name))))
        .collect();
    for (number, rows) in &lines.rows {
        let section = &program.sections[*number];
        let Some((first, _)) = rows.first() else { continue };
        let start = section.address(*first);
        table.begin_sequence(Some(Address::Symbol { symbol: *number, addend: i64::from(start) }));
        for (position, row) in rows {
            let Some(file) = ids.get(&row.file) else { continue };
            let next = table.row();
            next.address_offset = u64::from(section.address(*position) - start);
            next.file = *file;
            next.line = row.line;
            next.column = row.column;
            table.generate_row();
        }
        table.end_sequence(u64::from(section.size() - start));
    }
    table
}

/// Names in folders have their folder in a table.
fn add_file(table: &mut LineProgram, name: &[u8]) -> FileId {
    let (directory, base) = match name.iter().rposition(|byte| *byte == b'/') {
        Some(slash) if slash + 1 < name.len() => {
            let directory = &name[..slash.max(1)];
            (table.add_directory(LineString::String(directory.to_vec())), &name[slash + 1..])
        }
        _ => (table.default_directory(), name),
    };
    let base = if base.is_empty() { b"?" } else { base };
    table.add_file(LineString::String(base.to_vec()), directory, None)
}

fn describe_unit(program: &Program<'_>, dwarf: &mut DwarfUnit, main: &[u8]) {
    let lines = &program.lines;
    let text = |dwarf: &mut DwarfUnit, bytes: Vec<u8>| AttributeValue::StringRef(dwarf.strings.add(bytes));
    let name = text(dwarf, lines.mapped(main));
    let directory = text(dwarf, lines.mapped(lines.directory));
    let producer = text(dwarf, b"flambeau".to_vec());
    let has_code =
        |section: &usize| program.sections[*section].is_code() && program.sections[*section].size() > 0;
    let code: Vec<usize> = (0..program.sections.len()).filter(has_code).collect();
    let ranges = match code[..] {
        [] | [TEXT] => None,
        _ => {
            let range = |section: &usize| Range::StartLength {
                begin: Address::Symbol { symbol: *section, addend: 0 },
                length: u64::from(program.sections[*section].size()),
            };
            Some(dwarf.unit.ranges.add(RangeList(code.iter().map(range).collect())))
        }
    };
    let root_id = dwarf.unit.root();
    let root = dwarf.unit.get_mut(root_id);
    match ranges {
        None => set_addresses(root, TEXT, 0, program.sections[TEXT].size()),
        Some(ranges) => root.set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges)),
    }
    root.set(gimli::DW_AT_name, name);
    root.set(gimli::DW_AT_comp_dir, directory);
    root.set(gimli::DW_AT_producer, producer);
    root.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_Mips_Assembler));
    for (_, symbol) in program.symbols.iter().filter(|(_, symbol)| symbol.kind == SymbolKind::Function) {
        let Some(place) = symbol.place else { continue };
        let name = text(dwarf, symbol.name.to_vec());
        let entry = dwarf.unit.add(root_id, gimli::DW_TAG_subprogram);
        let entry = dwarf.unit.get_mut(entry);
        entry.set(gimli::DW_AT_name, name);
        if symbol.is_global {
            entry.set(gimli::DW_AT_external, AttributeValue::FlagPresent);
        }
        let start = program.sections[place.section].address(place.position);
        set_addresses(entry, place.section, start, symbol.size as u32);
    }
}

/// DWARF 3 has the end of a range as an address.
fn set_addresses(entry: &mut gimli::write::DebuggingInformationEntry, section: usize, start: u32, size: u32) {
    let address =
        |addend: u32| AttributeValue::Address(Address::Symbol { symbol: section, addend: i64::from(addend) });
    entry.set(gimli::DW_AT_low_pc, address(start));
    entry.set(gimli::DW_AT_high_pc, address(start + size));
}

/// Bytes of a section, and what the linker fills in; `gimli`'s symbols are numbers of sections of the program.
#[derive(Clone)]
struct Output {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<GimliRelocation>,
}

impl Default for Output {
    fn default() -> Output {
        Output { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() }
    }
}

impl RelocateWriter for Output {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &EndianVec<LittleEndian> {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut EndianVec<LittleEndian> {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: GimliRelocation) {
        self.relocations.push(relocation);
    }
}

fn debug_section(id: SectionId, output: &Output) -> DebugSection {
    let (flags, entry_size) = match id {
        SectionId::DebugStr => (u64::from(elf::SHF_MERGE | elf::SHF_STRINGS), 1),
        _ => (0, 0),
    };
    let relocations = output.relocations.iter().map(|relocation| DebugRelocation {
        offset: relocation.offset as u64,
        kind: if relocation.size == 8 { elf::R_X86_64_64 } else { elf::R_X86_64_32 },
        target: match relocation.target {
            RelocationTarget::Symbol(section) => DebugTarget::Program(section),
            RelocationTarget::Section(section) => DebugTarget::Debug(section.name()),
        },
        addend: relocation.addend,
    });
    DebugSection {
        name: id.name(),
        flags,
        entry_size,
        bytes: output.bytes.slice().to_vec(),
        relocations: relocations.collect(),
    }
}
