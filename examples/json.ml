(* A JSON reader and printer: a big document is made, printed, read back, changed and compared.
   Shows strings, buffers, variants, exceptions and structural equality. *)

type json =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | Array of json list
  | Object of (string * json) list

exception Error of int * string

let read text =
  let position = ref 0 in
  let fail message = raise (Error (!position, message)) in
  let peek () = if !position < String.length text then text.[!position] else '\000' in
  let skip () = incr position in
  let rec spaces () =
    match peek () with
    | ' ' | '\n' | '\t' | '\r' -> skip (); spaces ()
    | _ -> () in
  let expect c = if peek () = c then skip () else fail (Printf.sprintf "expected %c" c) in
  let word w value = String.iter expect w; value in
  let buffer = Buffer.create 64 in
  let string () =
    expect '"';
    Buffer.clear buffer;
    let rec loop () =
      match peek () with
      | '"' -> skip ()
      | '\\' ->
          skip ();
          (match peek () with
           | 'n' -> Buffer.add_char buffer '\n'
           | 't' -> Buffer.add_char buffer '\t'
           | 'u' ->
               let code = int_of_string ("0x" ^ String.sub text (!position + 1) 4) in
               Buffer.add_utf_8_uchar buffer (Uchar.of_int code);
               position := !position + 4
           | ('"' | '\\' | '/') as c -> Buffer.add_char buffer c
           | _ -> fail "unknown escape");
          skip ();
          loop ()
      | '\000' -> fail "string without an end"
      | c -> Buffer.add_char buffer c; skip (); loop () in
    loop ();
    Buffer.contents buffer in
  let number () =
    let start = !position in
    while match peek () with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> true | _ -> false do
      skip ()
    done;
    match float_of_string_opt (String.sub text start (!position - start)) with
    | Some f -> Number f
    | None -> fail "not a number" in
  (* The items up to [close], with commas between them. *)
  let rec items close item acc =
    spaces ();
    if peek () = close then (skip (); List.rev acc)
    else begin
      if acc <> [] then (expect ','; spaces ());
      let item' = item () in
      items close item (item' :: acc)
    end in
  let rec value () =
    spaces ();
    match peek () with
    | '{' -> skip (); Object (items '}' member [])
    | '[' -> skip (); Array (items ']' value [])
    | '"' -> String (string ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | _ -> number ()
  and member () =
    let key = string () in
    spaces (); expect ':';
    let v = value () in
    (key, v) in
  let result = value () in
  spaces ();
  if !position < String.length text then fail "something after the value";
  result

let quote b s =
  Buffer.add_char b '"';
  String.iter
    (function
      | '"' -> Buffer.add_string b "\\\"" | '\\' -> Buffer.add_string b "\\\\"
      | '\n' -> Buffer.add_string b "\\n" | '\t' -> Buffer.add_string b "\\t"
      | c when c < ' ' -> Printf.bprintf b "\\u%04x" (Char.code c)
      | c -> Buffer.add_char b c)
    s;
  Buffer.add_char b '"'

let rec print b = function
  | Null -> Buffer.add_string b "null"
  | Bool x -> Buffer.add_string b (string_of_bool x)
  | Number f when Float.is_integer f -> Buffer.add_string b (string_of_int (int_of_float f))
  | Number f -> Printf.bprintf b "%.17g" f
  | String s -> quote b s
  | Array l -> separated b '[' ']' print l
  | Object l -> separated b '{' '}' (fun b (k, v) -> quote b k; Buffer.add_char b ':'; print b v) l

and separated : 'a. Buffer.t -> char -> char -> (Buffer.t -> 'a -> unit) -> 'a list -> unit =
 fun b opening closing item l ->
  Buffer.add_char b opening;
  List.iteri (fun i x -> if i > 0 then Buffer.add_char b ','; item b x) l;
  Buffer.add_char b closing

let to_string j = let b = Buffer.create 1024 in print b j; Buffer.contents b

let rec sample seed depth =
  let next = ((seed * 1103515245) + 12345) land 0xFFFFFF in
  match if depth = 0 then next mod 4 else 4 + (next mod 2) with
  | 0 -> Number (float_of_int (next mod 1000))
  | 1 -> Number (float_of_int next /. 7.)
  | 2 -> String (Printf.sprintf "a \"word\" \\ number\n%d" next)
  | 3 -> if next land 8 = 0 then Null else Bool (next land 16 = 0)
  | 4 -> Array (List.init 9 (fun i -> sample (next + i) (depth - 1)))
  | _ -> Object (List.init 9 (fun i -> (Printf.sprintf "key%d" i, sample (next - i) (depth - 1))))

let rec size = function
  | Array l -> List.fold_left (fun n j -> n + size j) 1 l
  | Object l -> List.fold_left (fun n (_, j) -> n + size j) 1 l
  | _ -> 1

let () =
  let document = sample 42 5 in
  let text = to_string document in
  for _ = 1 to 20 do
    let again = read text in
    assert (again = document);
    assert (String.equal (to_string again) text)
  done;
  Printf.printf "%d values, %d bytes, digest %s\n" (size document) (String.length text)
    (Digest.to_hex (Digest.string text));
  List.iter
    (fun bad ->
      match read bad with
      | j -> Printf.printf "%S is %s\n" bad (to_string j)
      | exception Error (at, message) -> Printf.printf "%S: %s at %d\n" bad message at)
    [ "[1, 2"; "{\"a\":tru}"; "\"\\q\""; "[1,2,]"; " [ 1 , {\"k\" : \"\\u00e9\"} ] "; "1 2" ]
