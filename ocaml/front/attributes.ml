(** [[@unrolled]], [[@specialise]] and [[@specialised]], which the stock translation to Lambda drops. *)

let inlined _loc attribute = attribute
let specialised _loc attribute = attribute
let specialise _loc attribute = attribute
