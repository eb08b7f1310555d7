(** In which order stock native code evaluates operands: 4.13. *)

(** Its code in a request ([EvaluationOrder] in crates/lambda/src/decode.rs). *)
let code = 0

(** That of bytecode: from right to left, a function after its arguments. *)
let of_bytecode = 2
