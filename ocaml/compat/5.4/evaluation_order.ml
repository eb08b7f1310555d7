(** In which order stock native code evaluates operands: from 5.4 on, any function after its arguments. *)

(** Its code in a request ([EvaluationOrder] in crates/lambda/src/decode.rs). *)
let code = 2

(** That of bytecode: the same. *)
let of_bytecode = 2
