(* Documents written into Buffers: HTML with escaping, a pretty-printer with widths, and hex dumps. *)

(* HTML. *)
type html = Text of string | Element of { tag : string; attributes : (string * string) list; children : html list }

let element ?(attributes = []) tag children = Element { tag; attributes; children }

let add_escaped b s =
  String.iter
    (function
      | '<' -> Buffer.add_string b "&lt;"
      | '>' -> Buffer.add_string b "&gt;"
      | '&' -> Buffer.add_string b "&amp;"
      | '"' -> Buffer.add_string b "&quot;"
      | c -> Buffer.add_char b c)
    s

let rec add_html b = function
  | Text s -> add_escaped b s
  | Element { tag; attributes; children } ->
    Buffer.add_char b '<';
    Buffer.add_string b tag;
    List.iter
      (fun (name, value) ->
        Buffer.add_char b ' ';
        Buffer.add_string b name;
        Buffer.add_string b "=\"";
        add_escaped b value;
        Buffer.add_char b '"')
      attributes;
    Buffer.add_char b '>';
    List.iter (add_html b) children;
    Buffer.add_string b "</";
    Buffer.add_string b tag;
    Buffer.add_char b '>'

let page i =
  let cell j = element "td" [ Text (string_of_int (i * j)) ] in
  let row j =
    let attributes = [ ("id", Printf.sprintf "row-%d" j); ("title", "a < b & \"c\"") ] in
    element ~attributes "tr" (List.init 8 (fun k -> cell (j + k)))
  in
  element "html" [ element "h1" [ Text "Tables & <figures>" ]; element "table" (List.init 40 row) ]

(* A pretty-printer: groups are laid out flat where they fit. *)
type doc =
  | Empty
  | Word of string
  | Line
  | Join of doc * doc
  | Nest of int * doc
  | Group of doc

type mode = Flat | Broken

let ( ^^ ) a b = Join (a, b)

let rec fits width = function
  | _ when width < 0 -> false
  | [] -> true
  | (_, _, Empty) :: rest -> fits width rest
  | (_, _, Word s) :: rest -> fits (width - String.length s) rest
  | (_, Flat, Line) :: rest -> fits (width - 1) rest
  | (_, Broken, Line) :: _ -> true
  | (i, mode, Join (a, b)) :: rest -> fits width ((i, mode, a) :: (i, mode, b) :: rest)
  | (i, mode, Nest (n, d)) :: rest -> fits width ((i + n, mode, d) :: rest)
  | (i, _, Group d) :: rest -> fits width ((i, Flat, d) :: rest)

let layout b width doc =
  let rec go column = function
    | [] -> ()
    | (_, _, Empty) :: rest -> go column rest
    | (_, _, Word s) :: rest ->
      Buffer.add_string b s;
      go (column + String.length s) rest
    | (_, Flat, Line) :: rest ->
      Buffer.add_char b ' ';
      go (column + 1) rest
    | (i, Broken, Line) :: rest ->
      Buffer.add_char b '\n';
      for _ = 1 to i do Buffer.add_char b ' ' done;
      go i rest
    | (i, mode, Join (a, c)) :: rest -> go column ((i, mode, a) :: (i, mode, c) :: rest)
    | (i, mode, Nest (n, d)) :: rest -> go column ((i + n, mode, d) :: rest)
    | (i, _, Group d) :: rest ->
      let flat = (i, Flat, d) in
      go column ((if fits (width - column) [ flat ] then flat else (i, Broken, d)) :: rest)
  in
  go 0 [ (0, Broken, doc) ]

let rec separated = function
  | [] -> Empty
  | [ d ] -> d
  | d :: rest -> d ^^ Word "," ^^ Line ^^ separated rest

let rec call depth i =
  let name = Word (Printf.sprintf "f%d" (i mod 100)) in
  if depth = 0 then name
  else
    let arguments = List.init (1 + (i mod 4)) (fun k -> call (depth - 1) ((i * 3) + k)) in
    Group (name ^^ Word "(" ^^ Nest (2, separated arguments) ^^ Word ")")

(* A hex dump with the printable characters beside it. *)
let digits = "0123456789abcdef"

let add_hex b width n =
  for k = width - 1 downto 0 do
    Buffer.add_char b digits.[(n lsr (4 * k)) land 15]
  done

let dump b s =
  let n = String.length s in
  let at = ref 0 in
  while !at < n do
    add_hex b 8 !at;
    let line = String.sub s !at (min 16 (n - !at)) in
    String.iter
      (fun c ->
        Buffer.add_char b ' ';
        add_hex b 2 (Char.code c))
      line;
    Buffer.add_string b "  |";
    String.iter (fun c -> Buffer.add_char b (if c >= ' ' && c <= '~' then c else '.')) line;
    Buffer.add_string b "|\n";
    at := !at + 16
  done

let digest s = String.fold_left (fun h c -> ((h * 33) lxor Char.code c) land 0xffffffff) 5381 s

let () =
  let total = ref 0 and last = ref 0 in
  let finish b =
    total := !total + Buffer.length b;
    last := !last lxor digest (Buffer.contents b);
    Buffer.clear b
  in
  let b = Buffer.create 65536 in
  for i = 1 to 1_500 do
    add_html b (page i);
    let page = Buffer.contents b in
    finish b;
    dump b page;
    finish b;
    layout b 72 (call 7 i);
    finish b
  done;
  Printf.printf "bytes %d, digest %08x\n" !total !last
