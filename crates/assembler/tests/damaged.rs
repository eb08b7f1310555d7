//! Damaged programs are refused, or assembled to something else: no panic.

use flambeau_assembler::assemble;
use flambeau_assembler::codes::{ConstantKind, Line, Mnemonic, OperandKind};

/// A program with what the encoding has.
#[derive(Default)]
struct Program(Vec<u8>);

impl Program {
    fn bytes(mut self, bytes: &[u8]) -> Program {
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, text: &str) -> Program {
        let length = [text.len() as u8];
        self.bytes(&length).bytes(text.as_bytes())
    }

    fn line(self, line: Line) -> Program {
        self.bytes(&[line as u8])
    }

    fn label(self, name: &str) -> Program {
        self.line(Line::Label).text(name)
    }

    fn instruction(self, mnemonic: Mnemonic) -> Program {
        self.line(Line::Instruction).bytes(&[mnemonic as u8])
    }

    fn register(self, number: u8) -> Program {
        self.bytes(&[OperandKind::Qword as u8, number])
    }

    fn symbol(self, name: &str) -> Program {
        self.bytes(&[OperandKind::Symbol as u8]).text(name)
    }
}

fn program() -> Vec<u8> {
    let difference = [ConstantKind::Difference as u8, ConstantKind::Here as u8, ConstantKind::Symbol as u8];
    Program::default()
        .bytes(b"FLBA\x01")
        .text("/folder")
        .bytes(&[1])
        .text("/fol")
        .text("/replaced")
        .line(Line::Global)
        .text("f")
        .label("f")
        .line(Line::File)
        .bytes(&[1])
        .text("a/m.ml")
        .line(Line::Loc)
        .bytes(&[1, 3, 8])
        .line(Line::CfiStartproc)
        .instruction(Mnemonic::Push)
        .register(3)
        .line(Line::CfiAdjustCfaOffset)
        .bytes(&[16])
        .label(".L1")
        .instruction(Mnemonic::Mov)
        .bytes(&[OperandKind::Memory as u8, 8, 1, 4, 12, 8, 160, 2])
        .register(0)
        .instruction(Mnemonic::J)
        .bytes(&[4])
        .symbol(".L1")
        .line(Line::Align)
        .bytes(&[16])
        .instruction(Mnemonic::Mov)
        .bytes(&[OperandKind::Relative as u8, 8])
        .text("g@GOTPCREL")
        .bytes(&[0])
        .register(1)
        .instruction(Mnemonic::Call)
        .symbol("g@PLT")
        .instruction(Mnemonic::Ret)
        .line(Line::CfiEndproc)
        .line(Line::Type)
        .text("f")
        .bytes(&[1])
        .line(Line::Size)
        .text("f")
        .bytes(&difference)
        .text("f")
        .line(Line::Section)
        .text(".data")
        .bytes(&[0, 0])
        .line(Line::Quad)
        .bytes(&[ConstantKind::Symbol as u8])
        .text(".L1")
        .line(Line::Space)
        .bytes(&[4])
        .0
}

#[test]
fn the_program_is_assembled() {
    let object = assemble(&program()).expect("an object");
    assert_eq!(&object[..4], b"\x7fELF");
}

/// What the linker can't fill in: the distance from a place in the code to one in the data.
#[test]
fn strange_differences_are_refused() {
    let strange = Program(program())
        .line(Line::Long)
        .bytes(&[ConstantKind::Difference as u8, ConstantKind::Here as u8, ConstantKind::Symbol as u8])
        .text("f");
    let error = assemble(&strange.0).expect_err("no object");
    assert!(error.to_string().contains("linker"), "{error}");
}

#[test]
fn damage_is_no_panic() {
    let program = program();
    let mut refused = 0;
    for at in 0..program.len() {
        refused += u32::from(assemble(&program[..at]).is_err());
        for value in [0, 1, 2, 3, 5, 8, 16, 17, 64, 0x7f, 0x80, 0xc0, 0xff] {
            let mut damaged = program.clone();
            damaged[at] = value;
            refused += u32::from(assemble(&damaged).is_err());
        }
    }
    assert!(refused > 1000, "only {refused} were refused");
}
