(* Parser combinators over strings, used for arithmetic with lets and for s-expressions. *)

type 'a outcome = Parsed of 'a * int | Failed of int
type 'a parser = string -> int -> 'a outcome

let return x : 'a parser = fun _ pos -> Parsed (x, pos)
let fail : 'a parser = fun _ pos -> Failed pos

let ( >>= ) (p : 'a parser) (f : 'a -> 'b parser) : 'b parser =
 fun input pos ->
  match p input pos with Parsed (x, pos) -> f x input pos | Failed at -> Failed at

let ( >>| ) p f = p >>= fun x -> return (f x)
let ( let* ) = ( >>= )
let ( <* ) p q = p >>= fun x -> q >>| fun _ -> x
let ( *> ) p q = p >>= fun _ -> q

(* Tries the second parser only where the first took nothing. *)
let ( <|> ) (p : 'a parser) (q : 'a parser) : 'a parser =
 fun input pos ->
  match p input pos with Failed at when at = pos -> q input pos | outcome -> outcome

let attempt (p : 'a parser) : 'a parser =
 fun input pos -> match p input pos with Failed _ -> Failed pos | ok -> ok

let satisfy test : char parser =
 fun input pos ->
  if pos < String.length input && test input.[pos] then Parsed (input.[pos], pos + 1)
  else Failed pos

let char c = satisfy (Char.equal c)

let many (p : 'a parser) : 'a list parser =
 fun input pos ->
  let rec go acc pos =
    match p input pos with
    | Parsed (x, next) -> go (x :: acc) next
    | Failed at when at = pos -> Parsed (List.rev acc, pos)
    | Failed at -> Failed at
  in
  go [] pos

let many1 p =
  let* first = p in
  many p >>| fun rest -> first :: rest

let chain_left p op =
  let rec rest left =
    (let* f = op in
     let* right = p in
     rest (f left right))
    <|> return left
  in
  p >>= rest

let fix f =
  let rec p input pos = f p input pos in
  p

let eof : unit parser =
 fun input pos -> if pos = String.length input then Parsed ((), pos) else Failed pos

let spaces = many (satisfy (fun c -> c = ' ' || c = '\n'))
let token p = p <* spaces
let symbol c = token (char c)
let is_digit c = c >= '0' && c <= '9'
let is_letter c = c >= 'a' && c <= 'z'
let implode chars = String.of_seq (List.to_seq chars)
let digits = many1 (satisfy is_digit)
let number = token (digits >>| List.fold_left (fun n c -> (10 * n) + Char.code c - 48) 0)
let word = token (many1 (satisfy is_letter) >>| implode)
let keyword k = attempt (word >>= fun w -> if w = k then return () else fail)

(* Arithmetic. *)
type expr =
  | Num of int
  | Var of string
  | Bin of (int -> int -> int) * expr * expr
  | Let of string * expr * expr

let expression =
  let modulus = 1_000_003 in
  let wrap f a b = f a b mod modulus in
  let binary c f = symbol c *> return (fun a b -> Bin (wrap f, a, b)) in
  fix (fun expr ->
      let binding =
        let* () = keyword "let" in
        let* name = word in
        let* value = symbol '=' *> expr in
        let* body = symbol ';' *> expr in
        return (Let (name, value, body))
      in
      let atom =
        (number >>| fun n -> Num n)
        <|> (symbol '(' *> expr <* symbol ')')
        <|> binding
        <|> (word >>| fun name -> Var name)
      in
      let product = chain_left atom (binary '*' ( * )) in
      chain_left product (binary '+' ( + ) <|> binary '-' ( - )))

let rec eval env = function
  | Num n -> n
  | Var name -> List.assoc name env
  | Bin (f, a, b) -> f (eval env a) (eval env b)
  | Let (name, value, body) -> eval ((name, eval env value) :: env) body

(* S-expressions. *)
type sexp = Atom of string | List of sexp list

let sexp =
  fix (fun sexp ->
      word >>| (fun w -> Atom w) <|> (symbol '(' *> many sexp <* symbol ')' >>| fun l -> List l))

let rec depth = function Atom _ -> 0 | List l -> 1 + List.fold_left (fun d s -> max d (depth s)) 0 l
let rec atoms = function Atom _ -> 1 | List l -> List.fold_left (fun n s -> n + atoms s) 0 l

let parse p input =
  match (spaces *> p <* eof) input 0 with
  | Parsed (x, _) -> x
  | Failed at -> failwith (Printf.sprintf "parse error at %d" at)

let rec arithmetic n =
  if n = 0 then "x"
  else
    Printf.sprintf "let x = (%d + x * %d) - 3; (x * %d + %s) - (12 * (x + 7))" n (n * 3) (n + 11)
      (arithmetic (n - 1))

let rec nested n =
  if n = 0 then "(leaf)" else Printf.sprintf "(node (tag left) %s %s)" (nested (n - 1)) (nested (n / 2))

let () =
  let source = Printf.sprintf "let x = 5; %s" (arithmetic 400) in
  let total = ref 0 in
  for _ = 1 to 12 do
    total := !total + eval [] (parse expression source)
  done;
  Printf.printf "arithmetic: %d characters, total %d\n" (String.length source) !total;
  let source = nested 60 in
  let shape = ref (0, 0) in
  for _ = 1 to 12 do
    let s = parse sexp source in
    shape := (depth s, atoms s)
  done;
  Printf.printf "s-expressions: %d characters, depth %d, atoms %d\n" (String.length source)
    (fst !shape) (snd !shape)
