(* flags: -w -a *)
(* Parser combinators with error positions; arithmetic, s-expressions, CSV. *)
type 'a res = Ok of 'a * int | Err of int * string
type 'a p = string -> int -> 'a res
let return x : 'a p = fun _ i -> Ok (x, i)
let fail m : 'a p = fun _ i -> Err (i, m)
let ( >>= ) (p : 'a p) (f : 'a -> 'b p) : 'b p = fun s i -> match p s i with Ok (x, j) -> f x s j | Err (j, m) -> Err (j, m)
let ( let* ) = ( >>= )
let ( <|> ) (p : 'a p) (q : 'a p) : 'a p = fun s i -> match p s i with Ok _ as r -> r | Err (j, _) as e -> if j > i then e else q s i
let attempt p : 'a p = fun s i -> match p s i with Err (_, m) -> Err (i, m) | r -> r
let sat name f : char p = fun s i -> if i < String.length s && f s.[i] then Ok (s.[i], i + 1) else Err (i, name)
let chr c = sat (Printf.sprintf "%C" c) (( = ) c)
let rec many p : 'a list p = fun s i -> match p s i with Ok (x, j) -> (match many p s j with Ok (l, k) -> Ok (x :: l, k) | Err _ as e -> e) | Err (j, m) -> if j > i then Err (j, m) else Ok ([], i)
let many1 p = let* x = p in let* l = many p in return (x :: l)
let map f p = let* x = p in return (f x)
let ( <* ) p q = let* x = p in let* _ = q in return x
let ( *> ) p q = let* _ = p in q
let str l = String.init (List.length l) (List.nth l)
let ws = many (sat "space" (fun c -> c = ' ' || c = '\n'))
let tok p = p <* ws
let sep_by p s = (let* x = p in let* l = many (s *> p) in return (x :: l)) <|> return []
let digit = sat "digit" (function '0' .. '9' -> true | _ -> false)
let number = tok (map (fun l -> float_of_string (str l)) (let* a = many1 digit in (let* _ = chr '.' in let* b = many1 digit in return (a @ ('.' :: b))) <|> return a))
let rec chainl p op = let rec rest a = (let* f = op in let* b = p in rest (f a b)) <|> return a in let* a = p in rest a
let fix f = let rec p s i = f p s i in p
let expr = fix (fun expr ->
  let atom = number <|> (tok (chr '(') *> expr <* tok (chr ')')) <|> (tok (chr '-') *> fail "no unary minus") in
  let pow = fix (fun pow -> let* a = atom in (let* _ = tok (chr '^') in let* b = pow in return (a ** b)) <|> return a) in
  let bin c f = map (fun _ -> f) (tok (chr c)) in
  let term = chainl pow (bin '*' ( *. ) <|> bin '/' ( /. )) in
  chainl term (bin '+' ( +. ) <|> bin '-' ( -. )))
type sexp = Atom of string | List of sexp list
let sexp = fix (fun sexp ->
  let ident = map (fun l -> Atom (str l)) (tok (many1 (sat "ident" (function 'a' .. 'z' | '0' .. '9' | '+' | '*' -> true | _ -> false)))) in
  let quoted = tok (let* _ = chr '"' in let* l = many ((chr '\\' *> sat "any" (fun _ -> true)) <|> sat "char" (fun c -> c <> '"' && c <> '\\')) in let* _ = chr '"' in return (Atom (str l))) in
  ident <|> quoted <|> map (fun l -> List l) (tok (chr '(') *> many sexp <* tok (chr ')')))
let rec show = function Atom s -> Printf.sprintf "%S" s | List l -> "(" ^ String.concat " " (List.map show l) ^ ")"
let field = (let* _ = chr '"' in let* l = many ((attempt (chr '"' *> chr '"')) <|> sat "q" (( <> ) '"')) in let* _ = chr '"' in return (str l)) <|> map str (many (sat "f" (fun c -> c <> ',' && c <> '\n')))
let csv = sep_by (sep_by field (chr ',')) (chr '\n')
let eof : unit p = fun s i -> if i = String.length s then Ok ((), i) else Err (i, "end of input")
let run p s show = print_endline (match (ws *> p <* eof) s 0 with Ok (x, _) -> show x | Err (i, m) -> Printf.sprintf "error at %d: expected %s" i m)
let rec count = function Atom _ -> 1 | List l -> List.fold_left (fun a x -> a + count x) 0 l
let () =
  List.iter (fun s -> run expr s (Printf.sprintf "%g")) [ "1 + 2 * 3"; "(1 + 2) * 3 - 4 / 2"; "2 ^ 3 ^ 2"; "10 - 3 - 2"; "1.5 * 4"; "1 +"; "(1"; "-3"; "1 2"; " 8 / 4 / 2 " ];
  List.iter (fun s -> run sexp s show) [ "(a (b c) () 12)"; "(+ 1 (* 2 \"x y\\\"z\"))"; "(a"; ")" ];
  run csv "a,b,\"c,d\"\n1,,\"say \"\"hi\"\"\"\n" (fun rows -> String.concat ";" (List.map (String.concat "|") rows));
  run sexp ("(" ^ String.concat " " (List.init 500 string_of_int) ^ ")") (fun s -> string_of_int (count s))
