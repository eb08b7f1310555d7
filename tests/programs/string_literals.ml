(* What is read from literals is known to the compiler; what is read from others is not. *)

let digits = "0123456789abcdef"
let hex n = String.init 4 (fun i -> digits.[(n lsr (4 * (3 - i))) land 15])
let beyond i = try String.make 1 digits.[i] with Invalid_argument m -> m

let colour = "green"
let code = match colour with "red" -> 1 | "green" -> 2 | "blue" -> 3 | _ -> 0
let code_of s = match s with "red" -> 1 | "green" -> 2 | "blue" -> 3 | _ -> 0
let inlined = [ code_of "red"; code_of "blue"; code_of "re"; code_of "" ]

let orders a b =
  [ compare a b; compare b a; Bool.to_int (a = b); Bool.to_int (a < b); Bool.to_int (a >= b); Bool.to_int (a <> b) ]

external get16 : string -> int -> int = "%caml_string_get16"
external get32 : string -> int -> int32 = "%caml_string_get32"
external get64 : string -> int -> int64 = "%caml_string_get64"
let binary = "\x80\xff\x00\x7f\xff\xff\xff\xff\x01"

(* Copies of literals change, literals do not. *)
let copied =
  let b = Bytes.of_string "abc" in
  Bytes.set b 0 'x';
  Bytes.to_string b ^ "abc"

(* Bytes that became a string and are assigned none the less. *)
let changed =
  let b = Bytes.make 3 'a' in
  let s = Bytes.unsafe_to_string b in
  let before = s.[1] in
  Bytes.set b 1 'z';
  (before, s.[1], s = "aza", match s with "aaa" -> 1 | "aza" -> 2 | _ -> 3)

let () =
  List.iter (fun n -> print_endline (hex n)) [ 0; 0xbeef; 0x1a2b ];
  List.iter (fun i -> print_endline (beyond i)) [ 0; 15; 16; -1; max_int; min_int ];
  Printf.printf "%d %d\n" code (String.length colour);
  List.iter (Printf.printf "%d ") inlined;
  print_newline ();
  List.iter
    (fun (a, b) -> List.iter (Printf.printf "%d ") (orders a b); print_newline ())
    [ ("abc", "abd"); ("abc", "abc"); ("", "a"); ("a\000", "a"); ("\255", "a"); ("abc", "ab") ];
  List.iter (Printf.printf "%d ") (orders "abc" "abd" @ orders "b" "a" @ orders "" "");
  List.iter (Printf.printf "%d ") (orders "a\000" "a" @ orders "\255" "a");
  print_newline ();
  Printf.printf "%x %lx %Lx %lx\n" (get16 binary 0) (get32 binary 0) (get64 binary 0) (get32 binary 4);
  (try ignore (get32 binary 6) with Invalid_argument m -> print_endline m);
  (try ignore (get64 binary 2) with Invalid_argument m -> print_endline m);
  print_endline copied;
  let a, b, c, d = changed in
  Printf.printf "%c %c %b %d\n" a b c d
