(* flags: -w -a *)
(* String switches: word-sized, short, long, many, prefixes, with embedded zeros. *)
let kw = function "let" -> 1 | "in" -> 2 | "match" -> 3 | "with" -> 4 | "function" -> 5 | "fun" -> 6 | "if" -> 7 | "then" -> 8 | "else" -> 9 | "" -> 10 | "begin" -> 11 | "end" -> 12 | "type" -> 13 | "module" -> 14 | "sig" -> 15 | "struct" -> 16 | "open" -> 17 | "include" -> 18 | _ -> 0
let lens = function "1234567" -> 7 | "12345678" -> 8 | "123456789" -> 9 | "123456789012345" -> 15 | "1234567890123456" -> 16 | "12345678901234567" -> 17 | _ -> -1
let zero = function "a" -> 1 | "a\000" -> 2 | "a\000\000" -> 3 | "\000a" -> 4 | "\000" -> 5 | _ -> 0
let one = function "x" -> true | _ -> false
let long s = match s with
  | "a rather long string that spans several machine words, number one" -> 1
  | "a rather long string that spans several machine words, number two" -> 2
  | "a rather long string that spans several machine words, number" -> 3
  | s when String.length s > 70 -> 4 | _ -> 5
let pair = function "a", "b" -> 1 | "a", _ -> 2 | _, "b" -> 3 | ("c" | "d"), ("e" | "f") -> 4 | _ -> 5
let opt = function Some "yes" -> 1 | Some "no" -> 2 | Some _ -> 3 | None -> 4
let nest = function [ "a"; x ] -> x | "b" :: _ -> "B" | [ x; "z" ] -> x ^ "z" | _ -> "?"
let high = function "\255\255\255\255\255\255\255\255" -> 1 | "\128" -> 2 | "\127\255" -> 3 | "\000\255" -> 4 | _ -> 0
let () =
  List.iter (fun s -> Printf.printf "%d " (kw s)) [ "let"; "in"; "match"; "with"; "function"; "fun"; "if"; "then"; "else"; ""; "begin"; "end"; "type"; "module"; "sig"; "struct"; "open"; "include"; "lets"; "le"; "inclu"; "functio"; "functions" ]; print_newline ();
  List.iter (fun n -> Printf.printf "%d " (lens (String.sub "123456789012345678901234" 0 n))) [ 0; 6; 7; 8; 9; 10; 15; 16; 17; 18 ]; print_newline ();
  List.iter (fun s -> Printf.printf "%d " (zero s)) [ "a"; "a\000"; "a\000\000"; "\000a"; "\000"; ""; "a\000\000\000" ]; Printf.printf "%b %b\n" (one "x") (one "xx");
  List.iter (fun s -> Printf.printf "%d " (long s)) [ "a rather long string that spans several machine words, number one"; "a rather long string that spans several machine words, number two"; "a rather long string that spans several machine words, number"; String.make 80 'a'; "" ]; print_newline ();
  List.iter (fun p -> Printf.printf "%d " (pair p)) [ ("a", "b"); ("a", "c"); ("b", "b"); ("c", "e"); ("d", "f"); ("c", "x") ]; List.iter (fun p -> Printf.printf "%d " (opt p)) [ Some "yes"; Some "no"; Some ""; None ]; print_newline ();
  List.iter (fun l -> print_string (nest l ^ " ")) [ [ "a"; "q" ]; [ "b" ]; [ "b"; "z" ]; [ "c"; "z" ]; []; [ "a" ] ]; List.iter (fun s -> Printf.printf "%d " (high s)) [ "\255\255\255\255\255\255\255\255"; "\128"; "\127\255"; "\000\255"; "\255" ]; print_newline ();
  Printf.printf "%d %d\n" (kw (String.concat "" [ "m"; "atch" ])) (kw (Bytes.to_string (Bytes.of_string "sig")))
