//! The numbers by which an assembly program is written. The OCaml side has them by name:
//! `ocaml/architecture/amd64/assembly_codes.ml` is made from these tables (`tests/codes.rs`).

use flambeau_wire::{DecodeError, Reader};

/// A row: a type, what its table is called in OCaml, and its cases in the order of their numbers.
macro_rules! codes {
    ($( $(#[$meta:meta])* $name:ident, $what:literal { $($case:ident,)* } )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            #[expect(missing_docs, reason = "cases have the names of OCaml's `X86_ast`, or of `as`")]
            pub enum $name { $($case),* }

            impl $name {
                const ALL: &[$name] = &[$($name::$case),*];

                /// Reads a number.
                ///
                /// # Errors
                /// When no byte is left, or the table has no such row.
                pub fn decode(reader: &mut Reader<'_>) -> Result<$name, DecodeError> {
                    let number = reader.byte()?;
                    Self::ALL.get(usize::from(number)).copied()
                        .ok_or_else(|| reader.error(concat!("no such ", $what)))
                }
            }
        )*

        /// The name of each table, with those of its cases.
        pub const TABLES: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($case)),*])),*];
    };
}

codes! {
    /// What a line of the program is: an instruction or a directive.
    Line, "line" {
        Instruction, Align, Ascii, Byte, Word, Long, Quad, Space, Label, Global, Section, Type, Size, File, Loc,
        CfiStartproc, CfiEndproc, CfiAdjustCfaOffset, CfiDefCfaOffset, CfiDefCfaRegister, CfiRememberState,
        CfiRestoreState,
    }

    /// What an instruction does. Its operands follow, the source first, as many as [`Mnemonic::operands`] says.
    Mnemonic, "instruction" {
        Add, Addsd, And, Andpd, Bswap, Call, Cdq, Cmov, Cmp, Cmpsd, Comisd, Cqo, Cvtsd2si, Cvtsd2ss, Cvtsi2sd,
        Cvtss2sd, Cvttsd2si, Dec, Divsd, Hlt, Idiv, ImulHigh, Imul, Inc, J, Jmp, Lea, Leave, Mov, Movapd, Movd,
        Movlpd, Movsd, Movss, Movsx, Movsxd, Movzx, Mulsd, Neg, Nop, Or, Pop, Push, Ret, Sal, Sar, Set, Shr, Sqrtsd,
        Sub, Subsd, Test, Ucomisd, Xchg, Xor, Xorpd,
    }

    /// What an operand is.
    OperandKind, "operand" {
        Immediate, Symbol, Byte, HighByte, Word, Dword, Qword, Xmm, Memory, Relative,
    }

    /// What a constant of a data directive is.
    ConstantKind, "constant" {
        Number, Here, Symbol, Sum, Difference,
    }
}

impl Mnemonic {
    /// The number of its operands.
    pub(crate) fn operands(self) -> usize {
        use Mnemonic::*;
        match self {
            Cdq | Cqo | Hlt | Leave | Nop | Ret => 0,
            Bswap | Call | Dec | Idiv | ImulHigh | Inc | J | Jmp | Neg | Pop | Push | Set => 1,
            _ => 2,
        }
    }

    /// Whether a condition, as the processor numbers it, stands before its operands.
    pub(crate) fn has_condition(self) -> bool {
        matches!(self, Mnemonic::Cmov | Mnemonic::Cmpsd | Mnemonic::J | Mnemonic::Set)
    }
}
