(* flags: -w -a *)
(* JSON: parser, printer, queries, transformation, errors. *)
type t = Null | Bool of bool | Num of float | Str of string | Arr of t array | Obj of (string * t) list
exception Parse_error of { pos : int; msg : string }
class reader (s : string) = object (self)
  val mutable pos = 0
  method pos = pos
  method peek = if pos < String.length s then s.[pos] else '\000'
  method next = let c = self#peek in pos <- pos + 1; c
  method error : 'a. string -> 'a = fun msg -> raise (Parse_error { pos; msg })
  method ws = while (match self#peek with ' ' | '\n' | '\t' | '\r' -> true | _ -> false) do pos <- pos + 1 done
  method expect c = if self#next <> c then (pos <- pos - 1; self#error (Printf.sprintf "expected %C" c))
  method word w v = String.iter (fun c -> self#expect c) w; v
  method str =
    self#expect '"';
    let b = Buffer.create 16 in
    let rec go () = match self#next with
      | '"' -> Buffer.contents b
      | '\\' -> (match self#next with
        | 'n' -> Buffer.add_char b '\n' | 't' -> Buffer.add_char b '\t' | ('"' | '\\' | '/') as c -> Buffer.add_char b c
        | 'u' -> let h = String.init 4 (fun _ -> self#next) in (match int_of_string_opt ("0x" ^ h) with Some n -> Buffer.add_utf_8_uchar b (Uchar.of_int n) | None -> self#error "bad unicode")
        | _ -> self#error "bad escape"); go ()
      | '\000' -> self#error "unterminated string"
      | c -> Buffer.add_char b c; go () in
    go ()
  method num =
    let st = pos in
    while (match self#peek with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> true | _ -> false) do pos <- pos + 1 done;
    match float_of_string_opt (String.sub s st (pos - st)) with Some f -> f | None -> self#error "bad number"
  method sep : 'a. char -> (unit -> 'a) -> 'a list = fun close item ->
    self#ws;
    if self#peek = close then (ignore self#next; []) else begin
      let rec go acc = let x = item () in self#ws; match self#next with ',' -> go (x :: acc) | c when c = close -> List.rev (x :: acc) | _ -> pos <- pos - 1; self#error "expected , or end" in
      go []
    end
  method value : t =
    self#ws;
    match self#peek with
    | '{' -> ignore self#next; Obj (self#sep '}' (fun () -> self#ws; let k = self#str in self#ws; self#expect ':'; (k, self#value)))
    | '[' -> ignore self#next; Arr (Array.of_list (self#sep ']' (fun () -> self#value)))
    | '"' -> Str self#str
    | 't' -> self#word "true" (Bool true) | 'f' -> self#word "false" (Bool false) | 'n' -> self#word "null" Null
    | '-' | '0' .. '9' -> Num self#num
    | _ -> self#error "expected value"
end
let parse s = let r = new reader s in let v = r#value in r#ws; if r#pos < String.length s then r#error "trailing data" else v
let rec print ?(indent = 0) b v =
  let pad n = if indent > 0 then (Buffer.add_char b '\n'; Buffer.add_string b (String.make n ' ')) in
  let quote s = Buffer.add_char b '"'; String.iter (function '"' -> Buffer.add_string b "\\\"" | '\\' -> Buffer.add_string b "\\\\" | '\n' -> Buffer.add_string b "\\n" | c when Char.code c < 32 -> Printf.bprintf b "\\u%04x" (Char.code c) | c -> Buffer.add_char b c) s; Buffer.add_char b '"' in
  let rec go n v = let list o c l f = if l = [] then (Buffer.add_char b o; Buffer.add_char b c) else begin Buffer.add_char b o; List.iteri (fun i x -> if i > 0 then Buffer.add_char b ','; pad (n + indent); f (n + indent) x) l; pad n; Buffer.add_char b c end in
    match v with
    | Null -> Buffer.add_string b "null" | Bool x -> Buffer.add_string b (string_of_bool x)
    | Num f -> if Float.is_integer f && abs_float f < 1e15 then Printf.bprintf b "%.0f" f else Printf.bprintf b "%g" f
    | Str s -> quote s | Arr a -> list '[' ']' (Array.to_list a) go
    | Obj l -> list '{' '}' l (fun n (k, v) -> quote k; Buffer.add_char b ':'; if indent > 0 then Buffer.add_char b ' '; go n v) in
  go 0 v
let to_string ?indent v = let b = Buffer.create 100 in print ?indent b v; Buffer.contents b
let rec query path v = match path, v with
  | [], v -> Some v | `Key k :: r, Obj l -> Option.bind (List.assoc_opt k l) (query r)
  | `Idx i :: r, Arr a -> if i >= 0 && i < Array.length a then query r a.(i) else None
  | `All :: r, Arr a -> Some (Arr (Array.of_list (List.filter_map (query r) (Array.to_list a)))) | _ -> None
let rec map f v = match f v with Some v -> v | None -> (match v with Arr a -> Arr (Array.map (map f) a) | Obj l -> Obj (List.map (fun (k, v) -> (k, map f v)) l) | v -> v)
let rec depth = function Arr a -> 1 + Array.fold_left (fun m v -> max m (depth v)) 0 a | Obj l -> 1 + List.fold_left (fun m (_, v) -> max m (depth v)) 0 l | _ -> 0
let doc = {| { "name": "test \"q\" \u00e9", "list": [1, 2.5, -3e2, true, null, []], "nested": {"a": {"b": [{"c": 1}, {"c": 2}, {"d": 3}]}}, "empty": {} } |}
let () =
  let v = parse doc in
  print_endline (to_string v); print_endline (to_string ~indent:2 v);
  Printf.printf "%b %d\n" (parse (to_string v) = v) (depth v);
  let q p = print_endline (match query p v with Some v -> to_string v | None -> "nothing") in
  q [ `Key "nested"; `Key "a"; `Key "b"; `All; `Key "c" ]; q [ `Key "list"; `Idx 2 ]; q [ `Key "list"; `Idx 9 ]; q [ `Idx 0 ];
  print_endline (to_string (map (function Num f -> Some (Num (f *. 2.)) | Null -> Some (Str "nil") | _ -> None) v));
  List.iter (fun s -> match parse s with v -> print_endline (to_string v) | exception Parse_error { pos; msg } -> Printf.printf "%d: %s\n" pos msg) [ "[1,2"; "{\"a\" 1}"; "tru"; "\"abc"; "[1,]"; "01x"; "[] []"; "-"; "\"\\q\""; "3" ]
