(** What later versions have come to emit. *)

let instruction _ (_ : X86_ast.instruction) = raise Assembly_operands.Unsupported
let line _ (_ : X86_ast.asm_line) = raise Assembly_operands.Unsupported
