(** Arithmetic of the IR on naked numbers, in Cmm.

    Invariants of registers (crates/ir/src/kind.rs): a naked immediate holds 63 significant bits and a naked
    int32 holds 32, each sign-extended to the word. *)

open Cmm
open Cmm_helpers

(** The integers that arithmetic works on. *)
type int_kind = Cmm_codes.int_kind = Tagged | Naked | Int32 | Int64 | Nativeint

let constant dbg n = natint_const_untagged dbg n

(** Restores the invariant of naked immediates after arithmetic that may have left 63 bits. [tag_int] sees
    through it, so that [tag (wrap x)] costs no more than [tag x]. *)
let wrap_immediate dbg = function
  | Cconst_int (n, _) ->
      (* An OCaml [int] is one by nature. *)
      Cconst_int (n, dbg)
  | Cconst_natint (n, _) -> constant dbg (Nativeint.shift_right (Nativeint.shift_left n 1) 1)
  | e -> Cop (Casr, [ Cop (Clsl, [ e; Cconst_int (1, dbg) ], dbg); Cconst_int (1, dbg) ], dbg)

(** Restores the invariant of naked int32. *)
let wrap_int32 dbg = function
  | Cconst_int (n, _) -> Cconst_int ((n lsl (Sys.int_size - 32)) asr (Sys.int_size - 32), dbg)
  | Cconst_natint (n, _) -> constant dbg (Nativeint.of_int32 (Nativeint.to_int32 n))
  | Cop (operation, args, load_dbg) as e -> (
      match Cmm_load.view operation with
      | Some ((Thirtytwo_signed | Byte_signed | Byte_unsigned | Sixteen_signed | Sixteen_unsigned), _) -> e
      | Some (Thirtytwo_unsigned, load) -> Cop (load Thirtytwo_signed, args, load_dbg)
      | Some _ | None -> sign_extend_32 dbg e)
  | e -> sign_extend_32 dbg e

(** Restores the invariant of that kind. *)
let wrap kind dbg e =
  match kind with
  | Naked -> wrap_immediate dbg e
  | Int32 -> wrap_int32 dbg e
  | Tagged | Int64 | Nativeint -> e

(* An operand of which only the bits of the kind matter. *)
let low kind dbg e =
  match kind with
  | Naked -> ignore_high_bit_int e
  | Int32 -> low_32 dbg e
  | Tagged | Int64 | Nativeint -> e

let boxed_integer = function
  | Int32 -> Primitive.Pint32
  | Nativeint -> Primitive.Pnativeint
  | Int64 | Tagged | Naked -> Primitive.Pint64

type arith = Cmm_codes.int_op = Add | Sub | Mul | And | Or | Xor

(* What was tagged for the multiplication alone need not be: the bit that is lost in tagging is lost in it too. *)
let mul_tagged a b dbg =
  match b with
  | Cop (Caddi, [ Cop (Clsl, [ b; Cconst_int (1, _) ], _); Cconst_int (1, _) ], _) ->
      incr_int (mul_int (decr_int a dbg) b dbg) dbg
  | _ -> mul_int_caml a b dbg

let arith_tagged op a b dbg =
  match op with
  | Add -> add_int_caml a b dbg
  | Sub -> sub_int_caml a b dbg
  | Mul -> mul_tagged a b dbg
  | And -> and_int_caml a b dbg
  | Or -> or_int_caml a b dbg
  | Xor -> xor_int_caml a b dbg

(* The lowest bit, which a shift to the right and back clears, is set anyway: the word of a tagged integer, as it is
   hashed. *)
let or_naked a b dbg =
  let a =
    match (a, b) with
    | Cop (Clsl, [ Cop (Casr, [ word; Cconst_int (1, _) ], _); Cconst_int (1, _) ], _), (Cconst_int (1, _) | Cconst_natint (1n, _))
      ->
        word
    | _ -> a
  in
  Cop (Cor, [ a; b ], dbg)

(* A mask without high bits clears those of the other operand. *)
let and_naked kind a b dbg =
  let is_mask = function
    | Cconst_int (n, _) -> n >= 0 && n < 1 lsl 31
    | Cconst_natint (n, _) -> Nativeint.compare n 0n >= 0 && Nativeint.compare n 0x8000_0000n < 0
    | _ -> false
  in
  match kind with
  | Int32 when is_mask b -> Cop (Cand, [ low_32 dbg a; b ], dbg)
  | Int32 when is_mask a -> Cop (Cand, [ low_32 dbg b; a ], dbg)
  | _ -> Cop (Cand, [ a; b ], dbg)

let arith_naked op kind a b dbg =
  let partial f = wrap kind dbg (f (low kind dbg a) (low kind dbg b) dbg) in
  match op with
  | Add -> partial add_int
  | Sub -> partial sub_int
  | Mul -> partial mul_int
  (* On sign-extended operands these give sign-extended results. *)
  | And -> and_naked kind a b dbg
  | Or -> or_naked a b dbg
  | Xor -> Cop (Cxor, [ a; b ], dbg)

let arith op kind a b dbg =
  match kind with Tagged -> arith_tagged op a b dbg | _ -> arith_naked op kind a b dbg

type shift = Cmm_codes.shift_op = Lsl | Lsr | Asr

let shift_tagged op a b dbg =
  match op with
  | Lsl -> lsl_int_caml a b dbg
  | Lsr -> lsr_int_caml a b dbg
  | Asr -> asr_int_caml a b dbg

(* The 63 bits of a naked immediate, moved to the top of the word, so that the word's own logical shift brings
   in zeros; then back down. *)
let lsr_immediate a amount dbg =
  let up = lsl_int a (Cconst_int (1, dbg)) dbg in
  Cop (Casr, [ Cop (Clsr, [ up; amount ], dbg); Cconst_int (1, dbg) ], dbg)

let shift_naked op kind a amount dbg =
  match op with
  | Lsl -> wrap kind dbg (lsl_int (low kind dbg a) amount dbg)
  | Asr -> asr_int a amount dbg
  | Lsr -> (
      match kind with
      | Naked -> lsr_immediate a amount dbg
      | Int32 -> (
          let word = lsr_int (zero_extend_32 dbg a) amount dbg in
          match amount with
          (* No bit is left where the sign is. *)
          | Cconst_int (n, _) when n > 0 && n < 32 -> word
          | _ -> wrap_int32 dbg word)
      | _ -> lsr_int a amount dbg)

(** The amount is tagged for [Tagged], else a naked immediate. *)
let shift op kind a amount dbg =
  match kind with Tagged -> shift_tagged op a amount dbg | _ -> shift_naked op kind a amount dbg

(** The divisor is known not to be zero. *)
let div kind a b dbg =
  match kind with
  | Tagged -> div_int_caml Lambda.Unsafe a b dbg
  | Naked | Int32 -> wrap kind dbg (div_int a b Lambda.Unsafe dbg)
  | Int64 | Nativeint -> safe_div_bi Lambda.Unsafe a b (boxed_integer kind) dbg

(** The divisor is known not to be zero. *)
let modulo kind a b dbg =
  match kind with
  | Tagged -> mod_int_caml Lambda.Unsafe a b dbg
  | Naked | Int32 -> mod_int a b Lambda.Unsafe dbg
  | Int64 | Nativeint -> safe_mod_bi Lambda.Unsafe a b (boxed_integer kind) dbg

let raise_division_by_zero dbg = raise_symbol dbg "caml_exn_Division_by_zero"

(** For its effect: raises [Division_by_zero]. *)
let check_zero kind e dbg =
  let zero = match kind with Tagged -> 1n | _ -> 0n in
  let constant =
    match e with
    | Cconst_int (n, _) -> Some (Nativeint.of_int n)
    | Cconst_natint (n, _) -> Some n
    | _ -> None
  in
  match constant with
  | Some n when Nativeint.equal n zero -> raise_division_by_zero dbg
  | Some _ -> Ctuple []
  | None ->
      let is_not_zero =
        match kind with
        | Tagged -> Cop (Ccmpi Cne, [ e; Cconst_int (1, dbg) ], dbg)
        | _ -> e
      in
      Cmm_build.if_then_else ~dbg is_not_zero (Ctuple []) (raise_division_by_zero dbg)

(** The number of ones, as a naked immediate: those of pairs of bits are added, of groups of four, of bytes, and of all
    bytes by a multiplication. The integer is moved to where the bits that it does not have are zeros. *)
let population_count kind e dbg =
  let masked mask e = Cop (Cand, [ e; Cconst_natint (mask, dbg) ], dbg) in
  let shifted n e = Cop (Clsr, [ e; Cconst_int (n, dbg) ], dbg) in
  let word =
    match kind with
    | Tagged -> Cop (Csubi, [ e; Cconst_int (1, dbg) ], dbg)
    | Naked -> Cop (Clsl, [ e; Cconst_int (1, dbg) ], dbg)
    | Int32 -> Cop (Clsl, [ e; Cconst_int (32, dbg) ], dbg)
    | Int64 | Nativeint -> e
  in
  bind "word" word (fun word ->
      bind "pairs" (Cop (Csubi, [ word; masked 0x5555555555555555n (shifted 1 word) ], dbg)) (fun pairs ->
          let low = masked 0x3333333333333333n pairs and high = masked 0x3333333333333333n (shifted 2 pairs) in
          bind "groups" (Cop (Caddi, [ low; high ], dbg)) (fun groups ->
              let bytes = masked 0x0f0f0f0f0f0f0f0fn (Cop (Caddi, [ groups; shifted 4 groups ], dbg)) in
              shifted 56 (Cop (Cmuli, [ bytes; Cconst_natint (0x0101010101010101n, dbg) ], dbg)))))

let byte_swap kind e dbg = wrap kind dbg (bbswap (boxed_integer kind) e dbg)

(** How a number is held in a register, by its number in the reply. *)
type kind = Cmm_codes.kind = Value | Naked_immediate | Naked_float | Naked_int32 | Naked_int64 | Naked_nativeint

(** Between naked numbers: wraps integers, truncates floats towards zero. *)
let convert ~from ~to_ e dbg =
  let to_integer e =
    match to_ with
    | Naked_immediate -> wrap_immediate dbg e
    | Naked_int32 -> wrap_int32 dbg e
    | _ -> e
  in
  match (from, to_) with
  | (Value, _ | _, Value) -> Misc.fatal_error "flambeau: a conversion of a value"
  | Naked_float, Naked_float -> e
  | Naked_float, _ -> to_integer (Cop (Cintoffloat, [ e ], dbg))
  | _, Naked_float -> Cop (Cfloatofint, [ e ], dbg)
  (* What already has the invariant of the narrower or equal kind. *)
  | Naked_int32, _ | Naked_immediate, (Naked_immediate | Naked_int64 | Naked_nativeint) -> e
  | (Naked_immediate | Naked_int64 | Naked_nativeint), _ -> to_integer e
