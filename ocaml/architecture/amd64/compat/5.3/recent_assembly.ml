(** What versions from 5.0 on emit, and those before did not. *)

open X86_ast
open Assembly_codes
open Assembly_operands

(* The processor's numbers of comparisons of doubles. *)
let float_condition = function
  | EQf -> 0
  | LTf -> 1
  | LEf -> 2
  | UNORDf -> 3
  | NEQf -> 4
  | NLTf -> 5
  | NLEf -> 6
  | ORDf -> 7

let instruction w = function
  | CMPSD (c, a, b) ->
      conditional w Mnemonic.cmpsd (float_condition c);
      operand w a;
      operand w b
  | MOVD (a, b) -> two w Mnemonic.movd a b
  | _ -> raise Unsupported

(* DWARF's numbers of registers. *)
let dwarf_register = function
  | "rax" -> 0
  | "rdx" -> 1
  | "rcx" -> 2
  | "rbx" -> 3
  | "rsi" -> 4
  | "rdi" -> 5
  | "rbp" -> 6
  | "rsp" -> 7
  | "r8" -> 8
  | "r9" -> 9
  | "r10" -> 10
  | "r11" -> 11
  | "r12" -> 12
  | "r13" -> 13
  | "r14" -> 14
  | "r15" -> 15
  | _ -> raise Unsupported

let line w = function
  | Cfi_remember_state -> line w Line.cfi_remember_state
  | Cfi_restore_state -> line w Line.cfi_restore_state
  | Cfi_def_cfa_register name ->
      line w Line.cfi_def_cfa_register;
      Byte_writer.byte w (dwarf_register name)
  | Cfi_def_cfa_offset n ->
      line w Line.cfi_def_cfa_offset;
      Byte_writer.i w n
  | _ -> raise Unsupported
