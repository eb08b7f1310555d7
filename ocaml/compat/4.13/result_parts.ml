(** Where the parts of a function's result are that no register is left for: 4.13, in static slots of its unit. *)

open Cmm

(** Stores a part, before the function returns. An assignment: common subexpressions are loads again after it, since
    where functions are inlined one result follows the other in the same slots. *)
let store ~slots ~part chunk value dbg =
  let address = Cmm_helpers.field_address slots part dbg in
  Cop (Cstore (chunk, Lambda.Assignment), [ address; value ], dbg)

(** Loads a part, right after the call. *)
let load ~slots ~part chunk dbg = Cmm_build.load chunk (Cmm_helpers.field_address slots part dbg) dbg

(** Whether the C function of that name, which takes the part alone, is no function but such a store. *)
let is_store (_ : string) = false

(** After instruction selection. *)
let after_selection (code : Mach.fundecl) = code

(** What dumps show. *)
let readable (code : Mach.fundecl) = code

(** Before code is emitted. *)
let before_emission (code : Linear.fundecl) = code
