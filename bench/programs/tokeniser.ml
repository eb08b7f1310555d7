(* A hand-written tokeniser for a C-like language, with positions, keywords, escapes and a summary. *)

type keyword = If | Else | While | Return | Let | Function | True | False

type token =
  | Keyword of keyword
  | Ident of string
  | Integer of int
  | Real of float
  | Text of string
  | Punct of string
  | End

type position = { line : int; column : int }
type located = { token : token; at : position }

exception Lexical_error of string * position

let keyword = function
  | "if" -> Some If
  | "else" -> Some Else
  | "while" -> Some While
  | "return" -> Some Return
  | "let" -> Some Let
  | "function" -> Some Function
  | "true" -> Some True
  | "false" -> Some False
  | _ -> None

type lexer = { source : string; mutable pos : int; mutable line : int; mutable line_start : int }

let of_string source = { source; pos = 0; line = 1; line_start = 0 }
let position lx = { line = lx.line; column = lx.pos - lx.line_start + 1 }
let error lx message = raise (Lexical_error (message, position lx))
let peek_at lx k = if lx.pos + k < String.length lx.source then lx.source.[lx.pos + k] else '\000'
let peek lx = peek_at lx 0

let advance lx =
  if peek lx = '\n' then begin
    lx.line <- lx.line + 1;
    lx.line_start <- lx.pos + 1
  end;
  lx.pos <- lx.pos + 1

let is_digit c = c >= '0' && c <= '9'
let is_letter = function 'a' .. 'z' | 'A' .. 'Z' | '_' -> true | _ -> false

let take_while lx test =
  let start = lx.pos in
  while test (peek lx) do
    lx.pos <- lx.pos + 1
  done;
  String.sub lx.source start (lx.pos - start)

let rec skip_blanks lx =
  match peek lx with
  | ' ' | '\t' | '\n' | '\r' ->
    advance lx;
    skip_blanks lx
  | '/' when peek_at lx 1 = '/' ->
    while lx.pos < String.length lx.source && peek lx <> '\n' do advance lx done;
    skip_blanks lx
  | '/' when peek_at lx 1 = '*' ->
    advance lx;
    advance lx;
    while not (peek lx = '*' && peek_at lx 1 = '/') do
      if lx.pos >= String.length lx.source then error lx "unfinished comment";
      advance lx
    done;
    advance lx;
    advance lx;
    skip_blanks lx
  | _ -> ()

let number lx =
  let whole = take_while lx is_digit in
  if peek lx = '.' && is_digit (peek_at lx 1) then begin
    lx.pos <- lx.pos + 1;
    let fraction = take_while lx is_digit in
    Real (float_of_string (whole ^ "." ^ fraction))
  end
  else Integer (String.fold_left (fun n c -> (10 * n) + Char.code c - Char.code '0') 0 whole)

let text lx =
  let buffer = Buffer.create 16 in
  advance lx;
  let rec go () =
    match peek lx with
    | '"' -> advance lx
    | '\000' | '\n' -> error lx "unfinished string"
    | '\\' ->
      advance lx;
      Buffer.add_char buffer
        (match peek lx with 'n' -> '\n' | 't' -> '\t' | ('"' | '\\') as c -> c | _ -> error lx "escape");
      advance lx;
      go ()
    | c ->
      Buffer.add_char buffer c;
      advance lx;
      go ()
  in
  go ();
  Text (Buffer.contents buffer)

let punct lx =
  let two = match peek lx, peek_at lx 1 with
    | '=', '=' -> Some "==" | '!', '=' -> Some "!=" | '<', '=' -> Some "<=" | '>', '=' -> Some ">="
    | '&', '&' -> Some "&&" | '|', '|' -> Some "||" | '-', '>' -> Some "->"
    | _ -> None
  in
  match two with
  | Some p ->
    lx.pos <- lx.pos + 2;
    Punct p
  | None -> (
    match peek lx with
    | ('(' | ')' | '{' | '}' | '[' | ']' | ';' | ',' | '+' | '-' | '*' | '/' | '<' | '>' | '=' | '!' | '%') as c ->
      lx.pos <- lx.pos + 1;
      Punct (String.make 1 c)
    | c -> error lx (Printf.sprintf "unexpected %C" c))

let next lx =
  skip_blanks lx;
  let at = position lx in
  let token =
    if lx.pos >= String.length lx.source then End
    else
      match peek lx with
      | c when is_digit c -> number lx
      | c when is_letter c -> (
        let word = take_while lx (fun c -> is_letter c || is_digit c) in
        match keyword word with Some k -> Keyword k | None -> Ident word)
      | '"' -> text lx
      | _ -> punct lx
  in
  { token; at }

let tokens source =
  let lx = of_string source in
  let rec go acc =
    match next lx with { token = End; _ } as last -> List.rev (last :: acc) | t -> go (t :: acc)
  in
  go []

type summary = { idents : int; keywords : int; sum : int; reals : float; texts : int; depth : int; deepest : int }

let summarise =
  List.fold_left
    (fun s { token; _ } ->
      match token with
      | Ident _ -> { s with idents = s.idents + 1 }
      | Keyword _ -> { s with keywords = s.keywords + 1 }
      | Integer n -> { s with sum = s.sum + n }
      | Real r -> { s with reals = s.reals +. r }
      | Text t -> { s with texts = s.texts + String.length t }
      | Punct ("{" | "(") -> { s with depth = s.depth + 1; deepest = max s.deepest (s.depth + 1) }
      | Punct ("}" | ")") -> { s with depth = s.depth - 1 }
      | Punct _ | End -> s)
    { idents = 0; keywords = 0; sum = 0; reals = 0.; texts = 0; depth = 0; deepest = 0 }

let sample i =
  Printf.sprintf
    "// function %d\nfunction f%d(alpha, beta_%d) {\n  let total = %d + 3.25 * alpha;\n\
     \  while (total >= %d && beta_%d != 0) { /* loop\n  body */ total = total - \"step\\t%d\\n\"; }\n\
     \  if (total == %d) { return true; } else { return f%d(total %% 7, [1, 2, %d]); }\n}\n"
    i i i (i * 3) i i i (i * i) (i / 2) i

let () =
  let source = String.concat "\n" (List.init 2_000 sample) in
  let last = ref None in
  for _ = 1 to 22 do
    let all = tokens source in
    last := Some (summarise all, List.length all)
  done;
  (match !last with
  | None -> ()
  | Some (s, count) ->
    Printf.printf "tokens %d: identifiers %d, keywords %d, sum %d, reals %.2f, texts %d, deepest %d\n"
      count s.idents s.keywords s.sum s.reals s.texts s.deepest);
  match tokens "let x = 1;\n  y = ?" with
  | _ -> print_endline "no error"
  | exception Lexical_error (message, { line; column }) ->
    Printf.printf "%d:%d: %s\n" line column message
