let is_blank = function ' ' | '\t' | '\n' -> true | _ -> false

let words text =
  let rec go i start acc =
    if i = String.length text then if i > start then String.sub text start (i - start) :: acc else acc
    else if is_blank text.[i] then
      go (i + 1) (i + 1) (if i > start then String.sub text start (i - start) :: acc else acc)
    else go (i + 1) start acc
  in
  List.rev (go 0 0 [])

let join separator = function
  | [] -> ""
  | first :: rest ->
      let buffer = Buffer.create 64 in
      Buffer.add_string buffer first;
      List.iter (fun word -> Buffer.add_string buffer separator; Buffer.add_string buffer word) rest;
      Buffer.contents buffer

let escape text =
  let buffer = Buffer.create (String.length text) in
  String.iter
    (function
      | '<' -> Buffer.add_string buffer "&lt;"
      | '>' -> Buffer.add_string buffer "&gt;"
      | '&' -> Buffer.add_string buffer "&amp;"
      | c -> Buffer.add_char buffer c)
    text;
  Buffer.contents buffer

let hash text =
  let h = ref NUMBER in
  String.iter (fun c -> h := ((!h * 31) + Char.code c) land 0xffffff) text;
  !h

let describe name n = Printf.sprintf "%s %d has %d words of hash %06x" name n (List.length (words name)) (hash name)

let parse_int text =
  match int_of_string_opt (String.trim text) with
  | Some n when n >= 0 -> Ok n
  | Some n -> Error (Printf.sprintf "%d is below 0" n)
  | None -> Error ("no number: " ^ text)

let is_keyword = function "let" | "in" | "match" | "with" | "fun" | "type" | "module" -> true | _ -> false
