(** Reading the data encodings of [docs/formats.md]. *)

(** The bytes are not what was expected: what, and at which byte. *)
exception Malformed of string * int

type t = { bytes : string; mutable offset : int }

let create bytes = { bytes; offset = 0 }

let malformed r what = raise (Malformed (what, r.offset))

let at_end r = r.offset = String.length r.bytes

let byte r =
  if r.offset >= String.length r.bytes then malformed r "unexpected end";
  let b = Char.code (String.unsafe_get r.bytes r.offset) in
  r.offset <- r.offset + 1;
  b

let bool r = match byte r with 0 -> false | 1 -> true | _ -> malformed r "not a boolean"

(** [u], of at most 63 bits. *)
let u r =
  let rec continue shift acc =
    let b = byte r in
    let acc = acc lor ((b land 0x7f) lsl shift) in
    if b < 0x80 then acc
    else if shift > 55 then malformed r "integer too long"
    else continue (shift + 7) acc
  in
  continue 0 0

(** [i], of 64 bits. *)
let i64 r =
  let rec unsigned shift acc =
    let b = byte r in
    let acc = Int64.logor acc (Int64.shift_left (Int64.of_int (b land 0x7f)) shift) in
    if b < 0x80 then acc
    else if shift > 56 then malformed r "integer too long"
    else unsigned (shift + 7) acc
  in
  let zigzag = unsigned 0 0L in
  Int64.logxor
    (Int64.shift_right_logical zigzag 1)
    (Int64.neg (Int64.logand zigzag 1L))

(** [i], of what fits an [int]. *)
let i r =
  let n = i64 r in
  let small = Int64.to_int n in
  if Int64.equal (Int64.of_int small) n then small else malformed r "integer too large"

let raw r length =
  if length < 0 || length > String.length r.bytes - r.offset then malformed r "unexpected end";
  let s = String.sub r.bytes r.offset length in
  r.offset <- r.offset + length;
  s

(** The bits of a double. *)
let float_bits r =
  if String.length r.bytes - r.offset < 8 then malformed r "unexpected end";
  let bits = String.get_int64_le r.bytes r.offset in
  r.offset <- r.offset + 8;
  bits

let float r = Int64.float_of_bits (float_bits r)

let string r = raw r (u r)

(* The inverse of [Byte_writer.text_of_name]: U+E0xx is written EE 82 xx or EE 83 xx-40. *)
let name_of_text text =
  let b = Buffer.create (String.length text) in
  let n = String.length text in
  let rec from i =
    if i < n then
      if text.[i] = '\xee' && i + 2 < n && (text.[i + 1] = '\x82' || text.[i + 1] = '\x83') then begin
        let high = Char.code text.[i + 1] land 0x3f and low = Char.code text.[i + 2] land 0x3f in
        Buffer.add_char b (Char.chr (((high lsl 6) lor low) land 0xff));
        from (i + 3)
      end
      else begin
        Buffer.add_char b text.[i];
        from (i + 1)
      end
  in
  from 0;
  Buffer.contents b

(** What [Byte_writer.name] wrote. *)
let name r =
  let text = string r in
  if String.contains text '\xee' then name_of_text text else text

(** The count of a [T*], each [T] taking at least one byte. *)
let count r =
  let n = u r in
  if n < 0 || n > String.length r.bytes - r.offset then
    malformed r "count larger than what is left";
  n

let array r item =
  let n = count r in
  (* [Array.init] calls in order. *)
  Array.init n (fun _ -> item r)

let list r item = Array.to_list (array r item)

(** The entry of a table whose number comes next. [what]: what the table has, for the message. *)
let entry r table what =
  let n = u r in
  if n < 0 || n >= Array.length table then malformed r ("no such " ^ what);
  table.(n)
