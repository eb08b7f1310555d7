//! An assembler for what OCaml's back end emits on x86-64 under Linux.
//!
//! The back end hands its instructions over as data (`X86_proc.register_internal_assembler`) instead of printing them:
//! no text is written, none is parsed, and no process is started, which together are a sixth of what compiling a small
//! unit takes. The object file is what GNU `as` makes of the same program: the same bytes in the sections that are
//! loaded, the same relocations, the same symbols in the same order; lines of the source are written by `gimli`, and
//! say the same. What the emitter never uses is an error, and the caller assembles by `as` instead.
//!
//! [`codes`] has the numbers of the encoding, which `docs/formats.md` describes. `program` reads line by line and
//! appends to sections; `instruction` encodes; `section` decides which jumps are short; `relocations` fills in
//! addresses; `frames` and `lines` are for unwinders and debuggers; `object_file` writes the file.

pub mod codes;
mod frames;
mod instruction;
mod lines;
mod object_file;
mod operand;
mod program;
mod relocations;
mod section;
mod symbols;

use flambeau_wire::DecodeError;

use crate::codes::Mnemonic;
use crate::program::Program;

/// Why a program can't be assembled.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are not a program.
    #[error("malformed assembly program: {0}")]
    Malformed(#[from] DecodeError),
    /// An instruction with operands that it is never emitted with.
    #[error("the operands of an instruction `{0:?}` are not supported")]
    Unsupported(Mnemonic),
    /// A label that is not where it should be.
    #[error("the label {0} is not in the section of the jump to it")]
    Label(String),
    /// A data directive or size with an address that can't be said to the linker.
    #[error("an address can't be said to the linker")]
    Expression,
    /// Lines of the source.
    #[error("writing debug information: {0}")]
    Debug(#[from] gimli::write::Error),
    /// The file.
    #[error("writing the object file: {0}")]
    Object(String),
}

/// The object file of a program.
///
/// # Errors
/// When the program is malformed, or has what OCaml's back end does not emit.
pub fn assemble(program: &[u8]) -> Result<Vec<u8>, Error> {
    let mut program = Program::read(program)?;
    lay_out(&mut program)?;
    let resolved = (0..program.sections.len())
        .map(|section| relocations::resolve(&program, section))
        .collect::<Result<_, _>>()?;
    let frames = (!program.frames.is_empty()).then(|| frames::write(&program.frames, &program.sections));
    let debug = lines::write(&program)?;
    object_file::write(&program, &object_file::outputs(&program, resolved, frames, debug))
}

fn lay_out(program: &mut Program<'_>) -> Result<(), Error> {
    for (number, section) in program.sections.iter_mut().enumerate() {
        section.lay_out(number, &program.symbols).map_err(|label| {
            Error::Label(String::from_utf8_lossy(program.symbols[label].name).into_owned())
        })?;
    }
    for (symbol, section, size) in std::mem::take(&mut program.sizes) {
        program.symbols[symbol].size = relocations::difference(program, section, &size)?;
    }
    Ok(())
}
