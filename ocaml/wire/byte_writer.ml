(** Writing the data encodings of [docs/formats.md]. *)

type t = Buffer.t

let create () : t = Buffer.create 4096

let length : t -> int = Buffer.length
let contents : t -> string = Buffer.contents

let append (w : t) (other : t) = Buffer.add_buffer w other

let raw (w : t) bytes = Buffer.add_string w bytes

let byte (w : t) n = Buffer.add_char w (Char.unsafe_chr (n land 0xff))

let bool w b = byte w (if b then 1 else 0)

(** [u], of a number whose 63 bits are taken as unsigned. *)
let rec u w n =
  if n land lnot 0x7f = 0 then byte w n
  else begin
    byte w (n lor 0x80);
    u w (n lsr 7)
  end

(** [i]: a zigzag of 63 bits is the same as one of 64 for every [int]. *)
let i w n = u w ((n lsl 1) lxor (n asr (Sys.int_size - 1)))

(** [i], of 64 bits. *)
let i64 w n =
  let rec unsigned n =
    if Int64.equal (Int64.logand n (-128L)) 0L then byte w (Int64.to_int n)
    else begin
      byte w (Int64.to_int n lor 0x80);
      unsigned (Int64.shift_right_logical n 7)
    end
  in
  unsigned (Int64.logxor (Int64.shift_left n 1) (Int64.shift_right n 63))

let float w x = Buffer.add_int64_le w (Int64.bits_of_float x)

let string w s =
  u w (String.length s);
  Buffer.add_string w s

let is_ascii c = Char.code c < 0x80

(* Bytes beyond ASCII (identifiers in Latin-1) become characters of Unicode's private area. *)
let text_of_name name =
  let b = Buffer.create (3 * String.length name) in
  String.iter
    (fun c ->
      if is_ascii c then Buffer.add_char b c
      else Buffer.add_utf_8_uchar b (Uchar.of_int (0xE000 + Char.code c)))
    name;
  Buffer.contents b

(** [s], of an identifier or a linker's name: text to Rust whatever its bytes are, and restored unchanged by
    [Byte_reader.name]. *)
let name w s = string w (if String.for_all is_ascii s then s else text_of_name s)

let list w item items =
  u w (List.length items);
  List.iter item items

let option w item = function
  | None -> bool w false
  | Some x ->
      bool w true;
      item x
