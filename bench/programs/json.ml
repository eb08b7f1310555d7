(* A JSON parser and printer with escapes, unicode and a query function, over a generated document. *)

type t =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | List of t list
  | Object of (string * t) list

exception Parse_error of int * string

module Parser = struct
  type state = { text : string; mutable pos : int; buffer : Buffer.t }

  let fail s message = raise (Parse_error (s.pos, message))
  let peek s = if s.pos < String.length s.text then s.text.[s.pos] else '\000'
  let skip s = s.pos <- s.pos + 1

  let rec blanks s =
    match peek s with
    | ' ' | '\n' | '\t' | '\r' ->
      skip s;
      blanks s
    | _ -> ()

  let expect s c = if peek s = c then skip s else fail s (Printf.sprintf "%C expected" c)

  let literal s word value =
    String.iter (expect s) word;
    value

  let hex_digit s =
    let c = peek s in
    skip s;
    match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | 'A' .. 'F' -> Char.code c - 55
    | _ -> fail s "hexadecimal digit expected"

  let unicode s =
    let a = hex_digit s in
    let b = hex_digit s in
    let c = hex_digit s in
    let d = hex_digit s in
    Buffer.add_utf_8_uchar s.buffer (Uchar.of_int ((a lsl 12) lor (b lsl 8) lor (c lsl 4) lor d))

  let string s =
    expect s '"';
    Buffer.clear s.buffer;
    let rec go () =
      match peek s with
      | '"' -> skip s
      | '\\' ->
        skip s;
        escape ();
        go ()
      | '\000' -> fail s "unfinished string"
      | c ->
        Buffer.add_char s.buffer c;
        skip s;
        go ()
    and escape () =
      let c = peek s in
      skip s;
      match c with
      | 'n' -> Buffer.add_char s.buffer '\n'
      | 't' -> Buffer.add_char s.buffer '\t'
      | '"' | '\\' | '/' -> Buffer.add_char s.buffer c
      | 'u' -> unicode s
      | _ -> fail s "bad escape"
    in
    go ();
    Buffer.contents s.buffer

  let digits s n =
    let rec go n = match peek s with
      | '0' .. '9' as c ->
        skip s;
        go ((10 * n) + Char.code c - 48)
      | _ -> n
    in
    go n

  let number s =
    let negative = peek s = '-' in
    if negative then skip s;
    let whole = float_of_int (digits s 0) in
    let value =
      if peek s = '.' then begin
        skip s;
        let start = s.pos in
        let fraction = digits s 0 in
        whole +. (float_of_int fraction /. (10. ** float_of_int (s.pos - start)))
      end
      else whole
    in
    if negative then -.value else value

  let rec value s =
    blanks s;
    match peek s with
    | '{' -> Object (sequence s '{' '}' member)
    | '[' -> List (sequence s '[' ']' value)
    | '"' -> String (string s)
    | 't' -> literal s "true" (Bool true)
    | 'f' -> literal s "false" (Bool false)
    | 'n' -> literal s "null" Null
    | '-' | '0' .. '9' -> Number (number s)
    | _ -> fail s "value expected"

  and member s =
    blanks s;
    let name = string s in
    blanks s;
    expect s ':';
    (name, value s)

  and sequence : 'a. state -> char -> char -> (state -> 'a) -> 'a list =
   fun s opening closing item ->
    expect s opening;
    blanks s;
    if peek s = closing then (skip s; [])
    else
      let rec go acc =
        let acc = item s :: acc in
        blanks s;
        if peek s = ',' then (skip s; go acc)
        else begin
          expect s closing;
          List.rev acc
        end
      in
      go []

  let parse text =
    let s = { text; pos = 0; buffer = Buffer.create 64 } in
    let v = value s in
    blanks s;
    if s.pos < String.length text then fail s "end expected";
    v
end

module Printer = struct
  let string b s =
    Buffer.add_char b '"';
    String.iter
      (function
        | '"' -> Buffer.add_string b "\\\""
        | '\\' -> Buffer.add_string b "\\\\"
        | '\n' -> Buffer.add_string b "\\n"
        | '\t' -> Buffer.add_string b "\\t"
        | c -> Buffer.add_char b c)
      s;
    Buffer.add_char b '"'

  let separated b item = List.iteri (fun i x -> if i > 0 then Buffer.add_char b ','; item b x)

  let number b x =
    if Float.is_integer x && abs_float x < 1e15 then Buffer.add_string b (string_of_int (int_of_float x))
    else Buffer.add_string b (Printf.sprintf "%.4f" x)

  let rec value b = function
    | Null -> Buffer.add_string b "null"
    | Bool x -> Buffer.add_string b (string_of_bool x)
    | Number x -> number b x
    | String s -> string b s
    | List items ->
      Buffer.add_char b '[';
      separated b value items;
      Buffer.add_char b ']'
    | Object members ->
      Buffer.add_char b '{';
      separated b member members;
      Buffer.add_char b '}'

  and member b (name, v) =
    string b name;
    Buffer.add_char b ':';
    value b v

  let to_string v =
    let b = Buffer.create 1024 in
    value b v;
    Buffer.contents b
end

let rec path names v =
  match names, v with
  | [], v -> [ v ]
  | "*" :: rest, List items -> List.concat_map (path rest) items
  | name :: rest, Object members -> (
    match List.assoc_opt name members with Some v -> path rest v | None -> [])
  | _ :: _, (Null | Bool _ | Number _ | String _ | List _) -> []

let rec depth = function
  | Null | Bool _ | Number _ | String _ -> 0
  | List items -> 1 + List.fold_left (fun d v -> max d (depth v)) 0 items
  | Object members -> 1 + List.fold_left (fun d (_, v) -> max d (depth v)) 0 members

let record i =
  Printf.sprintf
    "{ \"id\": %d, \"name\": \"User \\\"%d\\\" \\u00e9\\u4e2d\", \"score\": -%d.%d, \"tags\": [\"a\\n\", \"b%d\", true, null],\n\
     \  \"address\": {\"city\": \"Town\\\\%d\", \"at\": [%d.125, [%d, []]]} }"
    i i (i mod 90) (i mod 10) i (i mod 7) i (i * i)

let () =
  let document = "[" ^ String.concat ",\n" (List.init 3_000 record) ^ "]" in
  let printed = ref "" in
  for _ = 1 to 52 do
    let v = Parser.parse document in
    printed := Printer.to_string v
  done;
  let v = Parser.parse !printed in
  let total = List.fold_left (fun acc -> function Number x -> acc +. x | _ -> acc) 0. (path [ "*"; "score" ] v) in
  Printf.printf "characters %d, depth %d, cities %d, score %.3f, stable %b\n" (String.length !printed) (depth v)
    (List.length (path [ "*"; "address"; "city" ] v))
    total
    (String.equal (Printer.to_string v) !printed);
  match Parser.parse "[1, 2,, 3]" with
  | _ -> print_endline "no error"
  | exception Parse_error (at, message) -> Printf.printf "at %d: %s\n" at message
