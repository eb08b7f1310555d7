(* flags: -w -a *)
(* A small imperative language: lexer, precedence parser, compiler to bytecode, virtual machine; plus a direct interpreter to check it. *)
type tok = Num of int | Id of string | Kw of string | Sym of string | Eof
let keywords = [ "let"; "while"; "do"; "end"; "if"; "then"; "else"; "print"; "fun"; "return"; "and"; "or"; "not" ]
exception Syntax of string * int
let lex s =
  let n = String.length s in
  let out = ref [] in
  let i = ref 0 in
  let is_al c = match c with 'a' .. 'z' | 'A' .. 'Z' | '_' -> true | _ -> false in
  let is_num = function '0' .. '9' -> true | _ -> false in
  let span p = let st = !i in while !i < n && p s.[!i] do incr i done; String.sub s st (!i - st) in
  while !i < n do
    match s.[!i] with
    | ' ' | '\n' | '\t' -> incr i
    | c when is_num c -> out := Num (int_of_string (span is_num)) :: !out
    | c when is_al c -> let w = span (fun c -> is_al c || is_num c) in out := (if List.mem w keywords then Kw w else Id w) :: !out
    | ('<' | '>' | '=' | '!') when !i + 1 < n && s.[!i + 1] = '=' -> out := Sym (String.sub s !i 2) :: !out; i := !i + 2
    | '+' | '-' | '*' | '/' | '%' | '(' | ')' | '<' | '>' | '=' | ';' | ',' as c -> out := Sym (String.make 1 c) :: !out; incr i
    | c -> raise (Syntax (Printf.sprintf "bad character %C" c, !i))
  done;
  List.rev (Eof :: !out)
type expr = Int of int | Var of string | Bin of string * expr * expr | Not of expr | Call of string * expr list
type stmt = Assign of string * expr | Print of expr | While of expr * stmt list | If of expr * stmt list * stmt list | Fun of string * string list * stmt list | Return of expr | Expr of expr
let parse toks =
  let toks = ref toks in
  let peek () = List.hd !toks in
  let next () = let t = peek () in (match !toks with _ :: (_ :: _ as r) -> toks := r | _ -> ()); t in
  let fail m = raise (Syntax (m, List.length !toks)) in
  let sym s = if next () <> Sym s then fail ("expected " ^ s) in
  let kw k = if next () <> Kw k then fail ("expected " ^ k) in
  let prec = function Kw "or" -> 1 | Kw "and" -> 2 | Sym ("<" | ">" | "<=" | ">=" | "==" | "!=") -> 3 | Sym ("+" | "-") -> 4 | Sym ("*" | "/" | "%") -> 5 | _ -> 0 in
  let rec expr p =
    let rec loop l = let q = prec (peek ()) in
      if q > p then (match next () with Sym o | Kw o -> let r = expr q in loop (Bin (o, l, r)) | _ -> assert false) else l in
    loop (atom ())
  and atom () = match next () with
    | Num n -> Int n
    | Sym "-" -> Bin ("-", Int 0, atom ())
    | Kw "not" -> Not (atom ())
    | Sym "(" -> let e = expr 0 in sym ")"; e
    | Id f when peek () = Sym "(" -> ignore (next ()); Call (f, args ())
    | Id v -> Var v
    | _ -> fail "expression"
  and args () = if peek () = Sym ")" then (ignore (next ()); []) else let rec go acc = let e = expr 0 in match next () with Sym "," -> go (e :: acc) | Sym ")" -> List.rev (e :: acc) | _ -> fail "argument list" in go [] in
  let rec block stop = if List.mem (peek ()) stop then [] else let s = stmt () in s :: block stop
  and stmt () = match next () with
    | Kw "let" -> (match next () with Id v -> sym "="; let e = expr 0 in sym ";"; Assign (v, e) | _ -> fail "let")
    | Kw "print" -> let e = expr 0 in sym ";"; Print e
    | Kw "return" -> let e = expr 0 in sym ";"; Return e
    | Kw "while" -> let c = expr 0 in kw "do"; let b = block [ Kw "end" ] in kw "end"; While (c, b)
    | Kw "if" -> let c = expr 0 in kw "then"; let a = block [ Kw "else"; Kw "end" ] in if next () = Kw "else" then (let b = block [ Kw "end" ] in kw "end"; If (c, a, b)) else If (c, a, [])
    | Kw "fun" -> (match next () with Id f -> sym "("; let ps = List.map (function Var v -> v | _ -> fail "parameter") (args ()) in let b = block [ Kw "end" ] in kw "end"; Fun (f, ps, b) | _ -> fail "fun")
    | Id f when peek () = Sym "(" -> ignore (next ()); let a = args () in sym ";"; Expr (Call (f, a))
    | _ -> fail "statement" in
  block [ Eof ]
let binop o a b = let bool c = if c then 1 else 0 in match o with
  | "+" -> a + b | "-" -> a - b | "*" -> a * b | "/" -> a / b | "%" -> a mod b | "<" -> bool (a < b) | ">" -> bool (a > b) | "<=" -> bool (a <= b) | ">=" -> bool (a >= b) | "==" -> bool (a = b) | "!=" -> bool (a <> b) | _ -> invalid_arg o
module Env = Map.Make (String)
exception Ret of int
let interp prog =
  let out = Buffer.create 64 and funs = Hashtbl.create 8 in
  let rec ev env = function
    | Int n -> n | Var v -> (try Env.find v !env with Not_found -> failwith ("unbound " ^ v))
    | Bin ("and", a, b) -> if ev env a <> 0 then ev env b else 0 | Bin ("or", a, b) -> let x = ev env a in if x <> 0 then x else ev env b
    | Bin (o, a, b) -> let x = ev env a in binop o x (ev env b) | Not e -> if ev env e = 0 then 1 else 0
    | Call (f, l) -> let ps, b = Hashtbl.find funs f in let l = List.fold_left (fun acc e -> ev env e :: acc) [] l |> List.rev in
      let local = ref (List.fold_left2 (fun m p v -> Env.add p v m) Env.empty ps l) in (try List.iter (ex local) b; 0 with Ret n -> n)
  and ex env = function
    | Assign (v, e) -> env := Env.add v (ev env e) !env | Print e -> Buffer.add_string out (string_of_int (ev env e) ^ " ")
    | While (c, b) -> while ev env c <> 0 do List.iter (ex env) b done | If (c, a, b) -> List.iter (ex env) (if ev env c <> 0 then a else b)
    | Fun (f, ps, b) -> Hashtbl.replace funs f (ps, b) | Return e -> raise (Ret (ev env e)) | Expr e -> ignore (ev env e) in
  (try List.iter (ex (ref Env.empty)) prog with Division_by_zero -> Buffer.add_string out "div0" | Failure m -> Buffer.add_string out m); Buffer.contents out
type ins = Push of int | Load of int | Store of int | Op of string | Jmp of int | Jz of int | Neg | CallI of int * int | RetI | Out | Pop
let compile prog =
  let code = ref [||] and n = ref 0 in
  let emit i = if !n >= Array.length !code then (let c = Array.make (max 16 (2 * !n)) Pop in Array.blit !code 0 c 0 !n; code := c); !code.(!n) <- i; incr n; !n - 1 in
  let funs = Hashtbl.create 8 in
  let rec ce vars = function
    | Int k -> ignore (emit (Push k)) | Var v -> ignore (emit (Load (slot vars v)))
    | Bin ("and", a, b) -> ce vars a; let j = emit (Jz 0) in ce vars b; let k = emit (Jmp 0) in !code.(j) <- Jz !n; ignore (emit (Push 0)); !code.(k) <- Jmp !n
    | Bin ("or", a, b) -> ce vars a; ignore (emit (Store 0)); ignore (emit (Load 0)); let j = emit (Jz 0) in ignore (emit (Load 0)); let k = emit (Jmp 0) in !code.(j) <- Jz !n; ce vars b; !code.(k) <- Jmp !n
    | Bin (o, a, b) -> ce vars a; ce vars b; ignore (emit (Op o)) | Not e -> ce vars e; ignore (emit Neg)
    | Call (f, l) -> List.iter (ce vars) l; ignore (emit (CallI (Hashtbl.find funs f, List.length l)))
  and slot vars v = match Hashtbl.find_opt vars v with Some s -> s | None -> let s = Hashtbl.length vars + 1 in Hashtbl.add vars v s; s
  and cs vars = function
    | Assign (v, e) -> ce vars e; ignore (emit (Store (slot vars v))) | Print e -> ce vars e; ignore (emit Out) | Expr e -> ce vars e; ignore (emit Pop) | Return e -> ce vars e; ignore (emit RetI)
    | While (c, b) -> let top = !n in ce vars c; let j = emit (Jz 0) in List.iter (cs vars) b; ignore (emit (Jmp top)); !code.(j) <- Jz !n
    | If (c, a, b) -> ce vars c; let j = emit (Jz 0) in List.iter (cs vars) a; let k = emit (Jmp 0) in !code.(j) <- Jz !n; List.iter (cs vars) b; !code.(k) <- Jmp !n
    | Fun (f, ps, b) -> let j = emit (Jmp 0) in Hashtbl.replace funs f !n; let vars = Hashtbl.create 8 in List.iter (fun p -> ignore (slot vars p)) ps; List.iter (cs vars) b; ignore (emit (Push 0)); ignore (emit RetI); !code.(j) <- Jmp !n in
  List.iter (cs (Hashtbl.create 8)) prog; Array.sub !code 0 !n
let run code =
  let out = Buffer.create 64 and stack = Array.make 1000 0 and sp = ref 0 in
  let push v = stack.(!sp) <- v; incr sp and pop () = decr sp; stack.(!sp) in
  let rec go pc frame calls = if pc < Array.length code then match code.(pc) with
    | Push k -> push k; go (pc + 1) frame calls | Load s -> push frame.(s); go (pc + 1) frame calls | Store s -> frame.(s) <- pop (); go (pc + 1) frame calls
    | Op o -> let b = pop () in let a = pop () in push (binop o a b); go (pc + 1) frame calls | Neg -> push (if pop () = 0 then 1 else 0); go (pc + 1) frame calls
    | Jmp t -> go t frame calls | Jz t -> if pop () = 0 then go t frame calls else go (pc + 1) frame calls
    | CallI (t, k) -> let f = Array.make 32 0 in for i = k downto 1 do f.(i) <- pop () done; go t f ((pc + 1, frame) :: calls)
    | RetI -> (match calls with (pc, frame) :: r -> go pc frame r | [] -> ()) | Out -> Buffer.add_string out (string_of_int (pop ()) ^ " "); go (pc + 1) frame calls | Pop -> ignore (pop ()); go (pc + 1) frame calls in
  (try go 0 (Array.make 32 0) [] with Division_by_zero -> Buffer.add_string out "div0"); Buffer.contents out
let programs = [
  "let a = 10; let b = 3; print a + b * 2 - (a - b) / 2; print a % b; print -a;";
  "fun fib(n) if n < 2 then return n; end return fib(n - 1) + fib(n - 2); end print fib(15);";
  "let i = 0; let s = 0; while i < 100 do if i % 3 == 0 or i % 5 == 0 then let s = s + i; end let i = i + 1; end print s;";
  "fun gcd(a, b) while b != 0 do let t = a % b; let a = b; let b = t; end return a; end print gcd(1071, 462); print gcd(17, 5);";
  "fun even(n) if n == 0 then return 1; else return 1 - even(n - 1); end end print even(50) and not even(51); print 1 / 0; print 5;";
  "let n = 27; let c = 0; while n > 1 and c < 500 do if n % 2 == 0 then let n = n / 2; else let n = 3 * n + 1; end let c = c + 1; end print c;";
  "print 1 +;"; "let x = @;" ]
let () = List.iter (fun p -> match parse (lex p) with
  | ast -> let a = interp ast and b = run (compile ast) in Printf.printf "%s| %b\n" a (a = b)
  | exception Syntax (m, n) -> Printf.printf "syntax error: %s at %d\n" m n) programs
