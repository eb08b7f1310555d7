(** In which order stock native code evaluates operands: from 4.14 on, from right to left in all primitives, and a known
    function after its arguments. *)

(** Its code in a request ([EvaluationOrder] in crates/lambda/src/decode.rs). *)
let code = 1

(** That of bytecode: from right to left, a function after its arguments. *)
let of_bytecode = 2
