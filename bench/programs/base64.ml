(* Base64 encoding and decoding with line breaks, alphabets as records, and a checksum. *)

type alphabet = { encode : string; decode : int array; padding : bool }

let invalid = -1

let alphabet ~padding encode =
  let decode = Array.make 256 invalid in
  String.iteri (fun i c -> decode.(Char.code c) <- i) encode;
  { encode; decode; padding }

let letters = String.init 52 (fun i -> Char.chr (if i < 26 then 65 + i else 71 + i))
let standard = alphabet ~padding:true (letters ^ "0123456789+/")
let url_safe = alphabet ~padding:false (letters ^ "0123456789-_")

exception Bad_character of int

let encoded_length alphabet n =
  if alphabet.padding then (n + 2) / 3 * 4 else ((n * 4) + 2) / 3

let encode alphabet s =
  let n = String.length s in
  let out = Bytes.make (encoded_length alphabet n) '=' in
  let byte i = if i < n then Char.code s.[i] else 0 in
  let put at six = if at < Bytes.length out then Bytes.set out at alphabet.encode.[six land 63] in
  let rec go i at =
    if i < n then begin
      let word = (byte i lsl 16) lor (byte (i + 1) lsl 8) lor byte (i + 2) in
      put at (word lsr 18);
      put (at + 1) (word lsr 12);
      if i + 1 < n then put (at + 2) (word lsr 6);
      if i + 2 < n then put (at + 3) word;
      go (i + 3) (at + 4)
    end
  in
  go 0 0;
  Bytes.unsafe_to_string out

(* Decoding as a fold over characters that gathers bits; blanks are skipped. *)
type gathered = { bits : int; count : int }

let decode alphabet s =
  let out = Buffer.create (String.length s * 3 / 4) in
  let take i state c =
    match c with
    | '\n' | '\r' | ' ' | '=' -> state
    | c ->
      let six = alphabet.decode.(Char.code c) in
      if six = invalid then raise (Bad_character i);
      let bits = (state.bits lsl 6) lor six and count = state.count + 6 in
      if count >= 8 then begin
        let count = count - 8 in
        Buffer.add_char out (Char.unsafe_chr ((bits lsr count) land 255));
        { bits = bits land ((1 lsl count) - 1); count }
      end
      else { bits; count }
  in
  let state = ref { bits = 0; count = 0 } in
  String.iteri (fun i c -> state := take i !state c) s;
  Buffer.contents out

let wrap width s =
  let b = Buffer.create (String.length s + (String.length s / width) + 1) in
  String.iteri
    (fun i c ->
      if i > 0 && i mod width = 0 then Buffer.add_char b '\n';
      Buffer.add_char b c)
    s;
  Buffer.contents b

let crc24 s =
  let step crc c =
    let rec shift n crc =
      if n = 0 then crc
      else
        let crc = crc lsl 1 in
        shift (n - 1) (if crc land 0x1000000 <> 0 then crc lxor 0x1864cfb else crc)
    in
    shift 8 (crc lxor (Char.code c lsl 16))
  in
  String.fold_left step 0xb704ce s land 0xffffff

let data n = String.init n (fun i -> Char.chr (((i * i) + (i lsr 3)) land 255))

let () =
  List.iter
    (fun s -> Printf.printf "%S %S %S\n" s (encode standard s) (encode url_safe s))
    [ ""; "f"; "fo"; "foo"; "\xfb\xff\xfe" ];
  let good = ref 0 and checksum = ref 0 in
  for round = 1 to 14 do
    let s = data (600_000 + round) in
    let standard_text = wrap 76 (encode standard s) in
    let url_text = encode url_safe s in
    checksum := !checksum lxor crc24 url_text;
    if String.equal (decode standard standard_text) s then incr good;
    if String.equal (decode url_safe url_text) s then incr good
  done;
  Printf.printf "round trips %d, checksum %06x\n" !good !checksum;
  match decode standard "Zm9v*" with
  | s -> print_endline s
  | exception Bad_character i -> Printf.printf "bad character at %d\n" i
