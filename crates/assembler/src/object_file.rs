//! Writing the object file.

use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, Sym, Writer};
use object::{Endianness, write::elf::SectionIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Error;
use crate::frames::FrameStart;
use crate::lines::{DebugSection, DebugTarget};
use crate::program::Program;
use crate::relocations::{Relocation, Target};
use crate::symbols::{SymbolId, SymbolKind};

/// A section of the object file.
pub(crate) struct Output<'o> {
    pub name: &'o [u8],
    pub kind: u32,
    pub flags: u64,
    pub alignment: u64,
    pub entry_size: u64,
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
}

/// All sections: those of the program, which keep their numbers, and those made for unwinders and debuggers. In their
/// relocations sections have the numbers of the result.
pub(crate) fn outputs<'o>(
    program: &'o Program<'_>,
    resolved: Vec<(Vec<u8>, Vec<Relocation>)>,
    frames: Option<(Vec<u8>, Vec<FrameStart>)>,
    debug: Vec<DebugSection>,
) -> Vec<Output<'o>> {
    let mut outputs: Vec<Output<'o>> = Vec::new();
    for (section, (bytes, relocations)) in program.sections.iter().zip(resolved) {
        let attributes = &section.attributes;
        outputs.push(Output {
            name: &attributes.name,
            kind: if attributes.is_empty { elf::SHT_NOBITS } else { elf::SHT_PROGBITS },
            flags: attributes.flags,
            alignment: u64::from(section.alignment),
            entry_size: attributes.entry_size,
            bytes,
            relocations,
        });
    }
    let first = outputs.len();
    let names: Vec<&'static str> = debug.iter().map(|section| section.name).collect();
    for section in debug {
        let relocations = section.relocations.iter().filter_map(|relocation| {
            let target = match relocation.target {
                DebugTarget::Program(section) => section,
                DebugTarget::Debug(name) => first + names.iter().position(|other| *other == name)?,
            };
            let (offset, kind, addend) = (relocation.offset, relocation.kind, relocation.addend);
            Some(Relocation { offset, target: Target::Section(target), kind, addend })
        });
        outputs.push(Output {
            name: section.name.as_bytes(),
            kind: elf::SHT_PROGBITS,
            flags: section.flags,
            alignment: 1,
            entry_size: section.entry_size,
            relocations: relocations.collect(),
            bytes: section.bytes,
        });
    }
    if let Some((bytes, starts)) = frames {
        let relocations = starts.iter().map(|start| Relocation {
            offset: start.field,
            target: Target::Section(start.section),
            kind: elf::R_X86_64_PC32,
            addend: i64::from(start.address),
        });
        outputs.push(Output {
            name: b".eh_frame",
            kind: elf::SHT_PROGBITS,
            flags: u64::from(elf::SHF_ALLOC),
            alignment: 8,
            entry_size: 0,
            relocations: relocations.collect(),
            bytes,
        });
    }
    outputs
}

/// A row of the table of symbols.
enum Entry {
    /// The name of the source, which is empty: else the linker would show that of another object.
    File,
    Section(usize),
    Symbol(SymbolId),
}

/// The rows in the order of `as`, and how many are local: what is mentioned first comes first, sections where they were
/// first used, labels within functions last.
fn entries(program: &Program<'_>, outputs: &[Output<'_>]) -> (Vec<Entry>, usize) {
    let mut used_sections = vec![false; outputs.len()];
    let mut used_labels = FxHashSet::default();
    for relocation in outputs.iter().flat_map(|output| &output.relocations) {
        match relocation.target {
            Target::Section(section) => used_sections[section] = true,
            Target::Symbol(symbol) if program.symbols[symbol].is_label() => {
                used_labels.insert(symbol);
            }
            Target::Symbol(_) => {}
        }
    }
    let mut entries = vec![Entry::File];
    let mut sections = (0..outputs.len()).peekable();
    let mut labels = Vec::new();
    for (id, symbol) in program.symbols.iter() {
        while let Some(section) = sections.next_if(|section| *section < symbol.sections_before) {
            entries.extend(used_sections[section].then_some(Entry::Section(section)));
        }
        if symbol.is_label() {
            let is_kept = symbol.place.is_some() && used_labels.contains(&id);
            labels.extend(is_kept.then_some(Entry::Symbol(id)));
        } else if symbol.is_local() {
            entries.push(Entry::Symbol(id));
        }
    }
    entries.extend(sections.filter(|section| used_sections[*section]).map(Entry::Section));
    entries.extend(labels);
    let local = entries.len();
    let is_seen = |id: &SymbolId| !program.symbols[*id].is_local() && !program.symbols[*id].is_label();
    entries.extend(program.symbols.iter().map(|(id, _)| id).filter(is_seen).map(Entry::Symbol));
    (entries, local)
}

/// The bytes of the object file.
///
/// # Errors
/// When a label is used that is defined nowhere, or there are too many sections.
pub(crate) fn write(program: &Program<'_>, outputs: &[Output<'_>]) -> Result<Vec<u8>, Error> {
    let (entries, local) = entries(program, outputs);
    let relocation_names: Vec<Vec<u8>> =
        outputs.iter().map(|output| [b".rela", output.name].concat()).collect();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut bytes);
    writer.reserve_file_header();
    let mut placed = reserve_sections(&mut writer, outputs, &relocation_names);
    let symbols = reserve_symbols(&mut writer, program, &placed, &entries);
    if writer.symtab_shndx_needed() {
        return Err(Error::Object("more sections than a symbol can name".into()));
    }
    reserve_ranges(&mut writer, outputs, &mut placed);

    writer
        .write_file_header(&FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: elf::ET_REL,
            e_machine: elf::EM_X86_64,
            e_entry: 0,
            e_flags: 0,
        })
        .map_err(|error| Error::Object(error.to_string()))?;
    for output in outputs {
        writer.write_align(output.alignment as usize);
        writer.write(&output.bytes);
    }
    writer.write_null_symbol();
    for (entry, name) in entries.iter().zip(&symbols.names) {
        writer.write_symbol(&symbol(program, &placed, entry, *name));
    }
    writer.write_strtab();
    write_relocations(&mut writer, outputs, &symbols)?;
    writer.write_shstrtab();
    write_headers(&mut writer, outputs, &placed, local as u32 + 1);
    Ok(bytes)
}

fn reserve_sections<'o>(
    writer: &mut Writer<'o>,
    outputs: &[Output<'o>],
    relocation_names: &'o [Vec<u8>],
) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (output, relocation_name) in outputs.iter().zip(relocation_names) {
        let name = writer.add_section_name(output.name);
        let index = writer.reserve_section_index();
        let relocations = (!output.relocations.is_empty()).then(|| {
            let name = writer.add_section_name(relocation_name);
            writer.reserve_section_index();
            name
        });
        placed.push(Placed { name, index, relocations, offset: 0, relocation_offset: 0 });
    }
    placed
}

/// The rows of the table of symbols in the file.
#[derive(Default)]
struct SymbolRows {
    /// What relocations call them.
    numbers: FxHashMap<Target, u32>,
    names: Vec<Option<StringId>>,
}

fn reserve_symbols<'p>(
    writer: &mut Writer<'p>,
    program: &Program<'p>,
    placed: &[Placed],
    entries: &[Entry],
) -> SymbolRows {
    writer.reserve_null_symbol_index();
    let mut rows = SymbolRows::default();
    for entry in entries {
        let (target, name, section) = match entry {
            Entry::File => (None, None, None),
            Entry::Section(section) => (Some(Target::Section(*section)), None, Some(placed[*section].index)),
            Entry::Symbol(id) => {
                let symbol = &program.symbols[*id];
                let name = writer.add_string(symbol.name);
                (Some(Target::Symbol(*id)), Some(name), symbol.place.map(|place| placed[place.section].index))
            }
        };
        let number = writer.reserve_symbol_index(section);
        rows.numbers.extend(target.map(|target| (target, number.0)));
        rows.names.push(name);
    }
    rows
}

/// Where everything goes, in the order in which [`write()`] writes it.
fn reserve_ranges(writer: &mut Writer<'_>, outputs: &[Output<'_>], placed: &mut [Placed]) {
    for (output, placed) in outputs.iter().zip(placed.iter_mut()) {
        placed.offset = writer.reserve(output.bytes.len(), output.alignment as usize);
    }
    writer.reserve_symtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab_section_index();
    writer.reserve_strtab();
    for (output, placed) in outputs.iter().zip(placed) {
        if placed.relocations.is_some() {
            placed.relocation_offset = writer.reserve_relocations(output.relocations.len(), true);
        }
    }
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab();
    writer.reserve_section_headers();
}

fn write_relocations(
    writer: &mut Writer<'_>,
    outputs: &[Output<'_>],
    symbols: &SymbolRows,
) -> Result<(), Error> {
    for output in outputs.iter().filter(|output| !output.relocations.is_empty()) {
        writer.write_align_relocation();
        for relocation in &output.relocations {
            let symbol = *symbols.numbers.get(&relocation.target).ok_or(Error::Expression)?;
            writer.write_relocation(
                true,
                &Rel {
                    r_offset: relocation.offset,
                    r_sym: symbol,
                    r_type: relocation.kind,
                    r_addend: relocation.addend,
                },
            );
        }
    }
    Ok(())
}

/// Where a section stands in the file.
struct Placed {
    name: StringId,
    index: SectionIndex,
    /// The name of the section of its relocations.
    relocations: Option<StringId>,
    offset: usize,
    relocation_offset: usize,
}

fn symbol(program: &Program<'_>, placed: &[Placed], entry: &Entry, name: Option<StringId>) -> Sym {
    let info = |binding: u8, kind: u8| binding << 4 | kind;
    let row = |section, info, value, size| Sym {
        name,
        section,
        st_info: info,
        st_other: 0,
        st_shndx: elf::SHN_UNDEF,
        st_value: value,
        st_size: size,
    };
    match entry {
        Entry::File => {
            let file = row(None, info(elf::STB_LOCAL, elf::STT_FILE), 0, 0);
            Sym { st_shndx: elf::SHN_ABS, ..file }
        }
        Entry::Section(section) => {
            row(Some(placed[*section].index), info(elf::STB_LOCAL, elf::STT_SECTION), 0, 0)
        }
        Entry::Symbol(id) => {
            let symbol = &program.symbols[*id];
            let binding = if symbol.is_local() { elf::STB_LOCAL } else { elf::STB_GLOBAL };
            let kind = match symbol.kind {
                SymbolKind::Unknown => elf::STT_NOTYPE,
                SymbolKind::Function => elf::STT_FUNC,
                SymbolKind::Object => elf::STT_OBJECT,
            };
            let section = symbol.place.map(|place| placed[place.section].index);
            let address = |place: crate::symbols::Place| {
                u64::from(program.sections[place.section].address(place.position))
            };
            row(section, info(binding, kind), symbol.place.map_or(0, address), symbol.size)
        }
    }
}

fn write_headers(writer: &mut Writer<'_>, outputs: &[Output<'_>], placed: &[Placed], local: u32) {
    writer.write_null_section_header();
    let symtab = writer.symtab_index();
    for (output, placed) in outputs.iter().zip(placed) {
        writer.write_section_header(&SectionHeader {
            name: Some(placed.name),
            sh_type: output.kind,
            sh_flags: output.flags,
            sh_addr: 0,
            sh_offset: placed.offset as u64,
            sh_size: output.bytes.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: output.alignment,
            sh_entsize: output.entry_size,
        });
        if let Some(name) = placed.relocations {
            let size = size_of::<elf::Rela64<Endianness>>() as u64;
            writer.write_section_header(&SectionHeader {
                name: Some(name),
                sh_type: elf::SHT_RELA,
                sh_flags: u64::from(elf::SHF_INFO_LINK),
                sh_addr: 0,
                sh_offset: placed.relocation_offset as u64,
                sh_size: output.relocations.len() as u64 * size,
                sh_link: symtab.0,
                sh_info: placed.index.0,
                sh_addralign: 8,
                sh_entsize: size,
            });
        }
    }
    writer.write_symtab_section_header(local);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
}
