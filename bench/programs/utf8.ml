(* Decoding, validating, encoding and transforming UTF-8 text, with statistics by kind of character. *)

type decoded =
  | Scalar of { code : int; width : int }
  | Malformed of int

let continuation s i = i < String.length s && Char.code s.[i] land 0xc0 = 0x80
let low s i = Char.code s.[i] land 0x3f

(* Decodes the character at [i], refusing long forms and surrogates. *)
let decode s i =
  let c = Char.code s.[i] in
  if c < 0x80 then Scalar { code = c; width = 1 }
  else if c < 0xc2 then Malformed 1
  else if c < 0xe0 then
    if continuation s (i + 1) then Scalar { code = ((c land 0x1f) lsl 6) lor low s (i + 1); width = 2 }
    else Malformed 1
  else if c < 0xf0 then
    if continuation s (i + 1) && continuation s (i + 2) then
      let code = ((c land 0x0f) lsl 12) lor (low s (i + 1) lsl 6) lor low s (i + 2) in
      if code < 0x800 || (code >= 0xd800 && code < 0xe000) then Malformed 3
      else Scalar { code; width = 3 }
    else Malformed 1
  else if c < 0xf5 && continuation s (i + 1) && continuation s (i + 2) && continuation s (i + 3) then
    let code =
      ((c land 0x07) lsl 18) lor (low s (i + 1) lsl 12) lor (low s (i + 2) lsl 6) lor low s (i + 3)
    in
    if code < 0x10000 || code > 0x10ffff then Malformed 4 else Scalar { code; width = 4 }
  else Malformed 1

let encode b code =
  let put x = Buffer.add_char b (Char.chr x) in
  let tail shift = put (0x80 lor ((code lsr shift) land 0x3f)) in
  if code < 0x80 then put code
  else if code < 0x800 then begin
    put (0xc0 lor (code lsr 6));
    tail 0
  end
  else if code < 0x10000 then begin
    put (0xe0 lor (code lsr 12));
    tail 6;
    tail 0
  end
  else begin
    put (0xf0 lor (code lsr 18));
    tail 12;
    tail 6;
    tail 0
  end

let replacement = 0xfffd

let fold f init s =
  let rec go acc i =
    if i >= String.length s then acc
    else
      match decode s i with
      | Scalar { code; width } -> go (f acc code) (i + width)
      | Malformed width -> go (f acc replacement) (i + width)
  in
  go init 0

let is_valid s =
  let rec go i =
    i >= String.length s
    || match decode s i with Scalar { width; _ } -> go (i + width) | Malformed _ -> false
  in
  go 0

let length s = fold (fun n _ -> n + 1) 0 s

let map f s =
  let b = Buffer.create (String.length s) in
  fold (fun () code -> encode b (f code)) () s;
  Buffer.contents b

type kind = Ascii | Latin | Greek | Cyrillic | Cjk | Emoji | Other

let kind code =
  if code < 0x80 then Ascii
  else if code < 0x250 then Latin
  else if code >= 0x370 && code < 0x400 then Greek
  else if code >= 0x400 && code < 0x530 then Cyrillic
  else if code >= 0x4e00 && code < 0xa000 then Cjk
  else if code >= 0x1f300 && code < 0x1fa00 then Emoji
  else Other

let uppercase code =
  match kind code with
  | Ascii when code >= 0x61 && code <= 0x7a -> code - 32
  | Latin when code >= 0xe0 && code <= 0xfe && code <> 0xf7 -> code - 32
  | Greek when code >= 0x3b1 && code <= 0x3c9 && code <> 0x3c2 -> code - 32
  | Cyrillic when code >= 0x430 && code < 0x450 -> code - 32
  | Ascii | Latin | Greek | Cyrillic | Cjk | Emoji | Other -> code

let words s =
  let step (words, inside) code =
    match kind code with
    | Ascii when code <= 0x20 -> (words, false)
    | _ -> ((if inside then words else words + 1), true)
  in
  fst (fold step (0, false) s)

let sample n =
  let b = Buffer.create (4 * n) in
  for i = 1 to n do
    let r = ((i * 1103515245) + 12345) lsr 5 land 0xffff in
    encode b
      (match r mod 9 with
      | 0 -> 0x20
      | 1 | 2 | 3 -> 0x61 + (r mod 26)
      | 4 -> 0xe0 + (r mod 23)
      | 5 -> 0x3b1 + (r mod 25)
      | 6 -> 0x430 + (r mod 32)
      | 7 -> 0x4e00 + (r mod 5000)
      | _ -> 0x1f300 + (r mod 600))
  done;
  Buffer.contents b

let damage s = String.mapi (fun i c -> if i mod 97 = 0 then '\xff' else c) s

let () =
  let text = sample 1_200_000 in
  let upper = map uppercase text in
  let kinds = Hashtbl.create 8 in
  fold
    (fun () code ->
      let k = kind code in
      Hashtbl.replace kinds k (1 + Option.value (Hashtbl.find_opt kinds k) ~default:0))
    () upper;
  let count k = Option.value (Hashtbl.find_opt kinds k) ~default:0 in
  let broken = damage text in
  let replaced = fold (fun n code -> if code = replacement then n + 1 else n) 0 broken in
  let mixed = ref 0 in
  for _ = 1 to 28 do
    mixed := fold (fun h code -> ((h * 31) + uppercase code) land 0xffffffff) !mixed text
  done;
  Printf.printf "bytes %d, characters %d, words %d\n" (String.length text) (length text) (words upper);
  Printf.printf "greek %d, cyrillic %d, cjk %d, emoji %d\n" (count Greek) (count Cyrillic) (count Cjk) (count Emoji);
  Printf.printf "valid %b %b %b, replaced %d\n" (is_valid text) (is_valid broken)
    (is_valid (map Fun.id broken)) replaced;
  Printf.printf "hash %d\n" !mixed
