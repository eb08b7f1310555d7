(* Strings compared with literals of all lengths around words, and with what differs from them in one character. *)

let show b = print_char (if b then '1' else '0')

let tests =
  [
    (fun s -> s = ""); (fun s -> s <> ""); (fun s -> s = "\000"); (fun s -> s = "a"); (fun s -> s = "abcdef");
    (fun s -> s = "abcdefg"); (fun s -> s = "abcdefgh"); (fun s -> s <> "abcdefgh"); (fun s -> s = "abcdefghi");
    (fun s -> s = "abcdefghijklmno"); (fun s -> s = "abcdefghijklmnop"); (fun s -> String.equal s "abcdefghijklmnopqrstuvw");
    (fun s -> s = "abcdefghijklmnopqrstuvwx"); (fun s -> s = "abcdefg\000"); (fun s -> "abcdefg" = s);
    (fun s -> s = "\255\254\253\252\251\250\249\248");
  ]

let all = "abcdefghijklmnopqrstuvwxyz"

let strings =
  List.concat_map
    (fun n ->
      let s = String.sub all 0 n in
      let changed at c = String.mapi (fun i d -> if i = at then c else d) s in
      [ s; s ^ "\000"; changed 0 'A'; changed (n - 1) 'Z'; changed (n / 2) '\000' ])
    (List.init 26 Fun.id)
  @ [ "\000"; "\255\254\253\252\251\250\249\248"; "\255\254\253\252\251\250\249\249" ]

type token = Paren of bool | Op of char | Keyword of int | Name of string

(* The same string tested again, in a known branch, and as a condition of conditions. *)
let token s =
  if s = "(" || s = ")" then Paren (s = "(")
  else if not (s <> "+") || s = "-" then Op s.[0]
  else
    let keyword = if s = "let" then 1 else if s = "in" then 2 else if s = "let" then 3 else 0 in
    if keyword > 0 && s <> "in" then Keyword keyword else Name s

let known () = ("abc" = "abc", "abc" = "abd", "ab" <> "abc")
let calls = ref 0
let next () = incr calls; string_of_int !calls

let () =
  List.iter (fun s -> List.iter (fun test -> show (test s)) tests; print_newline ()) strings;
  List.iter
    (fun s ->
      match token s with
      | Paren b -> Printf.printf "paren %b\n" b
      | Op c -> Printf.printf "op %c\n" c
      | Keyword n -> Printf.printf "keyword %d\n" n
      | Name s -> Printf.printf "name %s\n" s)
    [ "("; ")"; "+"; "-"; "let"; "in"; "x"; "" ];
  let a, b, c = known () in
  Printf.printf "%b %b %b\n" a b c;
  let found = ref 0 in
  while next () <> "12" do incr found done;
  Printf.printf "%d %d %b\n" !found !calls (List.exists (fun s -> s = "b") [ "a"; "b" ])
