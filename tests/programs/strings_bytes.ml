(* flags: -w -a *)
(* Strings and bytes: accesses, 16/32/64 bits, bounds failures, unsafe, mutation. *)
let o = Sys.opaque_identity
let b name f = match f () with s -> Printf.printf "%s=%s " name s | exception Invalid_argument m -> Printf.printf "%s!%s " name m
let s = "\x01\x82\x03\xff\x05\x06\x87\x08\x09\xfa"
external get16 : string -> int -> int = "%caml_string_get16"
external get32 : string -> int -> int32 = "%caml_string_get32"
external get64 : string -> int -> int64 = "%caml_string_get64"
external get16u : string -> int -> int = "%caml_string_get16u"
external get64u : string -> int -> int64 = "%caml_string_get64u"
external bset16 : bytes -> int -> int -> unit = "%caml_bytes_set16"
external bset32 : bytes -> int -> int32 -> unit = "%caml_bytes_set32"
external bset64 : bytes -> int -> int64 -> unit = "%caml_bytes_set64"
external bget32 : bytes -> int -> int32 = "%caml_bytes_get32"
let () =
  List.iter (fun i -> let i = o i in b "c" (fun () -> Printf.sprintf "%02x" (Char.code s.[i])); b "16" (fun () -> Printf.sprintf "%x" (get16 s i)); b "32" (fun () -> Printf.sprintf "%lx" (get32 s i)); b "64" (fun () -> Printf.sprintf "%Lx" (get64 s i)); b "i8" (fun () -> string_of_int (String.get_int8 s i)); b "u8" (fun () -> string_of_int (String.get_uint8 s i)); b "16le" (fun () -> string_of_int (String.get_int16_le s i)); b "u16be" (fun () -> string_of_int (String.get_uint16_be s i)); b "16ne" (fun () -> string_of_int (String.get_int16_ne s i)); b "32le" (fun () -> Int32.to_string (String.get_int32_le s i)); b "32be" (fun () -> Int32.to_string (String.get_int32_be s i)); b "64be" (fun () -> Int64.to_string (String.get_int64_be s i)); b "64le" (fun () -> Int64.to_string (String.get_int64_le s i)); print_newline ()) [ 0; 1; 2; 3; 6; 7; 8; 9; 10; -1; max_int; min_int; -8 ];
  let y = Bytes.make 12 '.' in
  bset16 y 0 0x4142; bset32 y 2 0x43444546l; Bytes.set_int64_be y 4 0x4748494a4b4c4d4eL; bset16 y 10 0x16161; Printf.printf "%S %lx\n" (Bytes.to_string y) (bget32 y 8);
  List.iter (fun i -> b "s" (fun () -> Bytes.set y i 'q'; "ok"); b "s16" (fun () -> bset16 y i 0; "ok"); b "s32" (fun () -> bset32 y i 0l; "ok"); b "s64" (fun () -> bset64 y i 0L; "ok"); b "s8" (fun () -> Bytes.set_int8 y i (-1); "ok"); b "s16be" (fun () -> Bytes.set_uint16_be y i 0x6162; "ok")) [ o 0; o 4; o 5; o 8; o 9; o 10; o 11; o 12; o (-1) ]; print_newline (); Printf.printf "%S\n" (Bytes.to_string y);
  Printf.printf "%c %x %Lx %d\n" (String.unsafe_get s (o 2)) (get16u s 4) (get64u s 1) (String.length s);
  let z = Bytes.create 5 in for i = 0 to 4 do Bytes.unsafe_set z i (Char.unsafe_chr (97 + i)) done; Bytes.blit z 0 z 1 4; print_string (Bytes.to_string z); Bytes.fill z 1 2 '-'; Bytes.blit_string "XY" 0 z 3 2; print_endline (Bytes.to_string z);
  b "sub" (fun () -> String.sub s 5 6); b "blit" (fun () -> Bytes.blit z 3 z 4 2; ""); b "fill" (fun () -> Bytes.fill z 4 2 'x'; ""); b "make" (fun () -> String.make (-1) 'x'); b "chr" (fun () -> String.make 1 (Char.chr 256)); print_newline ();
  let each f = String.concat "" (List.map f [ ""; "a"; "Hello, World"; "  trim  " ]) in List.iter print_endline [ each String.uppercase_ascii; each String.capitalize_ascii; each String.trim; each String.escaped; each (fun s -> string_of_int (String.length s)); each (String.map (fun c -> if c = 'l' then 'L' else c)) ];
  Printf.printf "%d %d %s %b %b\n" (String.index "abcabc" 'c') (String.rindex "abcabc" 'c') (String.concat "|" (String.split_on_char ',' "a,b,,c")) (String.contains "xyz" 'y') (String.equal "a" (o "a"));
  Printf.printf "%d %d %d %b %b %b\n" (compare "abc" "abd") (compare "ab" "abc") (compare "b" "abc") ("abc" < o "abd") ("" < o "a") ("a\000" > o "a"); Printf.printf "%s %s\n" (Bytes.to_string (Bytes.cat (Bytes.of_string "p") (Bytes.of_string "q"))) (Bytes.sub_string (Bytes.of_string "hello") 1 3);
  let n = ref 0 in String.iteri (fun i c -> n := !n * 31 + i * Char.code c) "iterate"; Printf.printf "%d %d %b\n" !n (Hashtbl.hash "iterate") (Bytes.equal (Bytes.of_string "a") (Bytes.of_string "a")); Seq.iter (fun c -> print_char (Char.uppercase_ascii c)) (String.to_seq "seq"); print_newline ()
