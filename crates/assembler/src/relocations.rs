//! Filling in what is known, and saying the rest to the linker.

use object::elf;

use crate::Error;
use crate::program::Program;
use crate::section::{Expression, Fixup, Point, RelocationKind, Section, Value};
use crate::symbols::{SymbolId, Symbols};

/// What the linker is to fill in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub target: Target,
    /// `R_X86_64_…`
    pub kind: u32,
    pub addend: i64,
}

/// What a relocation is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    Section(usize),
    Symbol(SymbolId),
}

/// The bytes of a section with all that is known filled in, and relocations in the order of their places.
pub(crate) fn resolve(program: &Program<'_>, number: usize) -> Result<(Vec<u8>, Vec<Relocation>), Error> {
    let section = &program.sections[number];
    let mut contents = section.contents(&program.symbols);
    let mut relocations = Vec::new();
    let resolver = Resolver { program, section, number };
    for fixup in &section.fixups {
        let offset = section.address(fixup.at);
        match resolver.resolve(fixup)? {
            Resolved::Number(number) => {
                let size = usize::from(fixup.size);
                contents[offset as usize..offset as usize + size]
                    .copy_from_slice(&number.to_le_bytes()[..size]);
            }
            Resolved::Later { target, kind, addend } => {
                relocations.push(Relocation { offset: u64::from(offset), target, kind, addend });
            }
        }
    }
    Ok((contents, relocations))
}

enum Resolved {
    Number(i64),
    Later { target: Target, kind: u32, addend: i64 },
}

struct Resolver<'r, 'p> {
    program: &'r Program<'p>,
    section: &'r Section<'p>,
    number: usize,
}

impl Resolver<'_, '_> {
    fn symbols(&self) -> &Symbols<'_> {
        &self.program.symbols
    }

    fn resolve(&self, fixup: &Fixup) -> Result<Resolved, Error> {
        let here = i64::from(self.section.address(fixup.at));
        match &fixup.value {
            Value::Reference { symbol, addend, kind } => Ok(self.reference(*symbol, *addend, *kind, here)),
            Value::Expression(expression) => self.expression(expression, fixup.size, here),
        }
    }

    fn reference(&self, symbol: SymbolId, addend: i64, kind: RelocationKind, here: i64) -> Resolved {
        let is_relative = matches!(kind, RelocationKind::Relative | RelocationKind::Jump);
        if is_relative
            && self.symbols()[symbol].is_local()
            && let Some(address) = self.address(symbol)
        {
            return Resolved::Number(address + addend - here);
        }
        let (kind, keeps_symbol) = match kind {
            RelocationKind::Absolute => (elf::R_X86_64_32S, false),
            RelocationKind::Relative => (elf::R_X86_64_PC32, false),
            RelocationKind::Jump => (elf::R_X86_64_PLT32, true),
            RelocationKind::Got => (elf::R_X86_64_REX_GOTPCRELX, true),
        };
        let (target, base) =
            if keeps_symbol { (Target::Symbol(symbol), 0) } else { self.target(symbol, is_relative) };
        Resolved::Later { target, kind, addend: addend + base }
    }

    /// What a relocation about a symbol names, and what is added for it: what nothing can replace is an offset in its
    /// section, but where the linker merges entries, and a relative address counts from elsewhere.
    fn target(&self, symbol: SymbolId, is_relative: bool) -> (Target, i64) {
        let data = &self.symbols()[symbol];
        match data.place {
            Some(place) if !data.is_global => {
                let section = &self.program.sections[place.section];
                let is_merged = section.attributes.flags & u64::from(elf::SHF_MERGE) != 0;
                if is_merged && is_relative {
                    (Target::Symbol(symbol), 0)
                } else {
                    (Target::Section(place.section), i64::from(section.address(place.position)))
                }
            }
            _ => (Target::Symbol(symbol), 0),
        }
    }

    /// The address of a symbol of this section.
    fn address(&self, symbol: SymbolId) -> Option<i64> {
        let place = self.symbols()[symbol].place.filter(|place| place.section == self.number)?;
        Some(i64::from(self.section.address(place.position)))
    }

    fn point(&self, point: Point) -> Option<i64> {
        match point {
            Point::Here(position) => Some(i64::from(self.section.address(position))),
            Point::Symbol(symbol) => self.address(symbol),
        }
    }

    fn expression(&self, expression: &Expression, size: u8, here: i64) -> Result<Resolved, Error> {
        let strange = || Error::Expression;
        match (expression.plus, expression.minus) {
            (Some(Point::Symbol(plus)), None) => {
                let kind = match size {
                    8 => elf::R_X86_64_64,
                    4 => elf::R_X86_64_32,
                    _ => return Err(strange()),
                };
                let (target, base) = self.target(plus, false);
                Ok(Resolved::Later { target, kind, addend: expression.addend + base })
            }
            (Some(plus), Some(minus)) => {
                let minus = self.point(minus).ok_or_else(strange)?;
                let addend = expression.addend - minus;
                match (plus, self.point(plus)) {
                    (_, Some(plus)) => Ok(Resolved::Number(plus + addend)),
                    (Point::Symbol(plus), None) if size == 4 => {
                        let (target, base) = self.target(plus, true);
                        let kind = elf::R_X86_64_PC32;
                        Ok(Resolved::Later { target, kind, addend: addend + base + here })
                    }
                    _ => Err(strange()),
                }
            }
            _ => Err(strange()),
        }
    }
}

/// The value of a difference of addresses in one section, which has this number.
pub(crate) fn difference(
    program: &Program<'_>,
    number: usize,
    expression: &Expression,
) -> Result<u64, Error> {
    let resolver = Resolver { program, section: &program.sections[number], number };
    match resolver.expression(expression, 8, 0)? {
        Resolved::Number(number) => Ok(number as u64),
        Resolved::Later { .. } => Err(Error::Expression),
    }
}
