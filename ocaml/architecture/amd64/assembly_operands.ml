(** Writing operands and constants of an assembly program (docs/formats.md, "The assembly program"). *)

open X86_ast
open Assembly_codes

(** What our assembler does not know. *)
exception Unsupported

(** The processor's number of a register. *)
let register = function
  | RAX -> 0
  | RCX -> 1
  | RDX -> 2
  | RBX -> 3
  | RSP -> 4
  | RBP -> 5
  | RSI -> 6
  | RDI -> 7
  | R8 -> 8
  | R9 -> 9
  | R10 -> 10
  | R11 -> 11
  | R12 -> 12
  | R13 -> 13
  | R14 -> 14
  | R15 -> 15

let high_byte = function AH -> 4 | CH -> 5 | DH -> 6 | BH -> 7

(** The bytes of an operand; 0 if the instruction says it. *)
let size = function
  | NONE -> 0
  | BYTE -> 1
  | WORD -> 2
  | DWORD | REAL4 -> 4
  | QWORD | REAL8 -> 8
  | OWORD -> 16
  | NEAR | PROC -> raise Unsupported

(** The processor's number of a condition. *)
let condition = function
  | O -> 0
  | NO -> 1
  | B -> 2
  | AE -> 3
  | E -> 4
  | NE -> 5
  | BE -> 6
  | A -> 7
  | S -> 8
  | NS -> 9
  | P -> 10
  | NP -> 11
  | L -> 12
  | GE -> 13
  | LE -> 14
  | G -> 15

let plain_register w kind r =
  Byte_writer.byte w kind;
  Byte_writer.byte w (register r)

let memory w { arch; typ; idx; scale; base; sym; displ } =
  if arch <> X64 || Option.is_some sym || scale = 0 then raise Unsupported;
  Byte_writer.byte w Operand_kind.memory;
  Byte_writer.byte w (size typ);
  Byte_writer.option w (fun base -> Byte_writer.byte w (register base)) base;
  Byte_writer.byte w (register idx);
  Byte_writer.byte w scale;
  Byte_writer.i w displ

let operand w = function
  | Imm n ->
      Byte_writer.byte w Operand_kind.immediate;
      Byte_writer.i64 w n
  | Sym name ->
      Byte_writer.byte w Operand_kind.symbol;
      Byte_writer.string w name
  | Reg8L r -> plain_register w Operand_kind.byte r
  | Reg8H r ->
      Byte_writer.byte w Operand_kind.high_byte;
      Byte_writer.byte w (high_byte r)
  | Reg16 r -> plain_register w Operand_kind.word r
  | Reg32 r -> plain_register w Operand_kind.dword r
  | Reg64 r -> plain_register w Operand_kind.qword r
  | Regf (XMM n) ->
      Byte_writer.byte w Operand_kind.xmm;
      Byte_writer.byte w n
  | Regf (TOS | ST _) -> raise Unsupported
  | Mem address -> memory w address
  | Mem64_RIP (typ, name, displacement) ->
      Byte_writer.byte w Operand_kind.relative;
      Byte_writer.byte w (size typ);
      Byte_writer.string w name;
      Byte_writer.i w displacement

let rec constant w = function
  | Const n ->
      Byte_writer.byte w Constant_kind.number;
      Byte_writer.i64 w n
  | ConstThis -> Byte_writer.byte w Constant_kind.here
  | ConstLabel name ->
      Byte_writer.byte w Constant_kind.symbol;
      Byte_writer.string w name
  | ConstAdd (a, b) -> constants w Constant_kind.sum a b
  | ConstSub (a, b) -> constants w Constant_kind.difference a b

and constants w kind a b =
  Byte_writer.byte w kind;
  constant w a;
  constant w b

(** {1 Lines} *)

let line w code = Byte_writer.byte w code

let mnemonic w code =
  line w Line.instruction;
  Byte_writer.byte w code

let none w code = mnemonic w code

let one w code a =
  mnemonic w code;
  operand w a

let two w code a b =
  one w code a;
  operand w b

(** The condition comes first, as the processor numbers it. *)
let conditional w code number =
  mnemonic w code;
  Byte_writer.byte w number
