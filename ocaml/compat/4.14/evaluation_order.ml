(** In which order stock native code evaluates operands: from 4.14 on, from right to left in all primitives, and a known
    function after its arguments. *)

(** Its code in a request ([EvaluationOrder] in crates/lambda/src/decode.rs). *)
let code = 1
