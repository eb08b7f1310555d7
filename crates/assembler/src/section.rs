//! A section while it is written, and its layout: which jumps are short, and where everything is.

use std::borrow::Cow;

use crate::symbols::{SymbolId, Symbols};

/// A place in a section whose address depends on the items before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Position {
    /// The number of items before it.
    items: u32,
    /// The number of bytes before it that belong to no item.
    bytes: u32,
}

/// What has a size that is known only when all of the section is.
struct Item {
    at: u32,
    kind: ItemKind,
}

enum ItemKind {
    /// A jump to a label of the section: of two bytes, or with four bytes of distance.
    Jump {
        condition: Option<u8>,
        to: SymbolId,
        is_long: bool,
    },
    Align(u32),
}

impl Item {
    /// The number of its bytes, if it begins at `address`.
    fn size(&self, address: u32) -> u32 {
        match self.kind {
            ItemKind::Jump { is_long: false, .. } => 2,
            ItemKind::Jump { condition: None, .. } => 5,
            ItemKind::Jump { condition: Some(_), .. } => 6,
            ItemKind::Align(alignment) => address.wrapping_neg() & (alignment - 1),
        }
    }
}

/// What is to be filled in when all addresses are known.
pub(crate) struct Fixup {
    pub at: Position,
    /// Bytes of the field.
    pub size: u8,
    pub value: Value,
}

/// What a field holds.
pub(crate) enum Value {
    /// What an instruction refers to.
    Reference { symbol: SymbolId, addend: i64, kind: RelocationKind },
    /// What a directive says.
    Expression(Expression),
}

/// How the linker fills in a field of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RelocationKind {
    Absolute,
    Relative,
    Jump,
    Got,
}

/// `plus - minus + addend`
#[derive(Default)]
pub(crate) struct Expression {
    pub plus: Option<Point>,
    pub minus: Option<Point>,
    pub addend: i64,
}

/// An address.
#[derive(Clone, Copy)]
pub(crate) enum Point {
    Symbol(SymbolId),
    /// In the section of the field.
    Here(Position),
}

/// What the linker knows of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Attributes<'p> {
    pub name: Cow<'p, [u8]>,
    /// `SHF_…`
    pub flags: u64,
    /// Of sections whose equal entries are merged.
    pub entry_size: u64,
    /// It takes no space in the file (`.bss`).
    pub is_empty: bool,
}

/// A section.
pub(crate) struct Section<'p> {
    pub attributes: Attributes<'p>,
    pub alignment: u32,
    pub fixups: Vec<Fixup>,
    bytes: Vec<u8>,
    items: Vec<Item>,
    /// After the layout: of each item the bytes of those before it, and of all at the end.
    sizes: Vec<u32>,
}

/// Of each length the instruction that does nothing which `as` chooses for x86-64.
const NOPS: [&[u8]; 12] = [
    &[],
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

impl<'p> Section<'p> {
    pub fn new(attributes: Attributes<'p>) -> Section<'p> {
        Section {
            attributes,
            alignment: 1,
            fixups: Vec::new(),
            bytes: Vec::new(),
            items: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Whether it holds code.
    pub fn is_code(&self) -> bool {
        self.attributes.flags & u64::from(object::elf::SHF_EXECINSTR) != 0
    }

    /// Where the next byte goes.
    pub fn here(&self) -> Position {
        self.position(self.bytes.len())
    }

    /// The place of a byte that was just written, or of the next one.
    pub fn position(&self, byte: usize) -> Position {
        Position { items: self.items.len() as u32, bytes: byte as u32 }
    }

    pub fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub fn append_zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// Appends what `encode` writes, and gives its result. Places in it are those of [`Section::position`].
    pub fn append_with<T>(&mut self, encode: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        encode(&mut self.bytes)
    }

    /// A field of `size` bytes that is filled in later.
    pub fn append_field(&mut self, size: u8, value: Expression) {
        let at = self.here();
        self.fixups.push(Fixup { at, size, value: Value::Expression(value) });
        self.append_zeros(usize::from(size));
    }

    pub fn append_jump(&mut self, condition: Option<u8>, to: SymbolId) {
        self.push(ItemKind::Jump { condition, to, is_long: false });
    }

    /// Makes the address of what follows a multiple of `alignment`, a power of 2.
    pub fn align(&mut self, alignment: u32) {
        self.alignment = self.alignment.max(alignment);
        if self.items.is_empty() {
            let padding = (self.bytes.len() as u32).wrapping_neg() & (alignment - 1);
            pad(&mut self.bytes, padding as usize, self.attributes.flags);
        } else {
            self.push(ItemKind::Align(alignment));
        }
    }

    fn push(&mut self, kind: ItemKind) {
        self.items.push(Item { at: self.bytes.len() as u32, kind });
    }

    /// Decides which jumps are short: all, but those that don't reach their labels. In each pass what comes later is
    /// taken to move as far as what was passed has, unless padding between may take that up; these are the choices of
    /// `as`, so that the code is the same.
    ///
    /// # Errors
    /// With the label, if one is not in this section, which has the number `number`.
    pub fn lay_out(&mut self, number: usize, symbols: &Symbols<'p>) -> Result<(), SymbolId> {
        let mut regions = Vec::with_capacity(self.items.len() + 1);
        let mut sum = 0;
        let mut region = 0u32;
        for item in &self.items {
            self.sizes.push(sum);
            regions.push(region);
            sum += item.size(item.at + sum);
            region += u32::from(matches!(item.kind, ItemKind::Align(_)));
        }
        self.sizes.push(sum);
        regions.push(region);
        while self.pass(number, symbols, &regions)? {}
        Ok(())
    }

    /// One pass, with the number of alignments before each item. Whether anything moved.
    fn pass(&mut self, number: usize, symbols: &Symbols<'p>, regions: &[u32]) -> Result<bool, SymbolId> {
        let mut stretch = 0i64;
        let mut moved = false;
        for index in 0..self.items.len() {
            let item = &mut self.items[index];
            let before = self.sizes[index];
            let size = self.sizes[index + 1] - before;
            let start = (i64::from(before) + stretch) as u32;
            self.sizes[index] = start;
            if let ItemKind::Jump { to, is_long: is_long @ false, .. } = &mut item.kind {
                let target = symbols[*to].place.filter(|place| place.section == number).ok_or(*to)?.position;
                let passed = target.items as usize <= index;
                let moves = !passed && (stretch < 0 || regions[target.items as usize] == regions[index]);
                let address = i64::from(target.bytes + self.sizes[target.items as usize]);
                let address = address + if moves { stretch } else { 0 };
                let end = i64::from(item.at + start) + 2;
                let is_behind = !passed && address < end - 2;
                *is_long = !is_behind && i8::try_from(address - end).is_err();
            }
            let growth = i64::from(item.size(item.at + start)) - i64::from(size);
            moved |= growth != 0;
            stretch += growth;
        }
        if let Some(sum) = self.sizes.last_mut() {
            *sum = (i64::from(*sum) + stretch) as u32;
        }
        Ok(moved)
    }

    /// The address of a place in the section, after the layout.
    pub fn address(&self, position: Position) -> u32 {
        position.bytes + self.sizes.get(position.items as usize).copied().unwrap_or_default()
    }

    /// Its number of bytes, after the layout.
    pub fn size(&self) -> u32 {
        self.address(self.here())
    }

    /// Its bytes, after the layout. Fields are zero.
    pub fn contents(&self, symbols: &Symbols<'p>) -> Vec<u8> {
        let mut contents = Vec::with_capacity(self.size() as usize);
        let mut copied = 0;
        for (index, item) in self.items.iter().enumerate() {
            contents.extend_from_slice(&self.bytes[copied..item.at as usize]);
            copied = item.at as usize;
            let address = item.at + self.sizes[index];
            let size = item.size(address);
            match &item.kind {
                ItemKind::Align(_) => pad(&mut contents, size as usize, self.attributes.flags),
                ItemKind::Jump { condition, to, is_long } => {
                    let target = symbols[*to].place.map_or(0, |place| self.address(place.position));
                    write_jump(&mut contents, *condition, *is_long, target.wrapping_sub(address + size));
                }
            }
        }
        contents.extend_from_slice(&self.bytes[copied..]);
        contents
    }
}

fn write_jump(contents: &mut Vec<u8>, condition: Option<u8>, is_long: bool, distance: u32) {
    match (condition, is_long) {
        (None, false) => contents.push(0xeb),
        (None, true) => contents.push(0xe9),
        (Some(condition), false) => contents.push(0x70 | condition),
        (Some(condition), true) => contents.extend([0x0f, 0x80 | condition]),
    }
    contents.extend_from_slice(&distance.to_le_bytes()[..if is_long { 4 } else { 1 }]);
}

/// What stands before something aligned: instructions that do nothing in code, else zeros.
fn pad(bytes: &mut Vec<u8>, mut count: usize, flags: u64) {
    if flags & u64::from(object::elf::SHF_EXECINSTR) == 0 {
        bytes.resize(bytes.len() + count, 0);
        return;
    }
    while count > 0 {
        let nop = NOPS[count.min(NOPS.len() - 1)];
        bytes.extend_from_slice(nop);
        count -= nop.len();
    }
}
