(* A parser and an evaluator of mutually recursive functions. *)
type e = Num of int | Add of e * e | Sub of e * e | Mul of e * e | Var of string | Call of string * e list | Let of string * e * e
exception Bad
let parse s =
  let pos = ref 0 in
  let n = String.length s in
  let peek () = if !pos < n then s.[!pos] else '\000' in
  let rec skip () = if peek () = ' ' then (incr pos; skip ()) in
  let rec expr () =
    let a = term () in
    rest a
  and rest a =
    skip ();
    match peek () with
    | '+' -> incr pos; let b = term () in rest (Add (a, b))
    | '-' -> incr pos; let b = term () in rest (Sub (a, b))
    | _ -> a
  and term () =
    let a = factor () in
    term_rest a
  and term_rest a =
    skip ();
    match peek () with
    | '*' -> incr pos; let b = factor () in term_rest (Mul (a, b))
    | _ -> a
  and factor () =
    skip ();
    match peek () with
    | '0' .. '9' -> number 0
    | '(' -> incr pos; let e = expr () in skip (); if peek () <> ')' then raise Bad; incr pos; e
    | 'a' .. 'z' -> let v = String.make 1 (peek ()) in incr pos; Var v
    | _ -> raise Bad
  and number acc =
    match peek () with
    | '0' .. '9' as c -> incr pos; number (acc * 10 + Char.code c - 48)
    | _ -> Num acc in
  expr ()
let rec eval env = function
  | Num n -> n
  | Add (a, b) -> bin ( + ) env a b
  | Sub (a, b) -> bin ( - ) env a b
  | Mul (a, b) -> bin (fun x y -> (x * y) land 0xffffff) env a b
  | Var v -> lookup env v
  | Let (v, a, b) -> bind env v (eval env a) b
  | Call (f, args) -> apply env f (eval_list env args)
and bin f env a b = f (eval env a) (eval env b)
and lookup env v = match env with [] -> 0 | (w, x) :: r -> if String.equal v w then x else lookup r v
and bind env v x body = eval ((v, x) :: env) body
and eval_list env = function [] -> [] | e :: r -> let x = eval env e in x :: eval_list env r
and apply env f args = match f, args with
  | "max", [a; b] -> max a b
  | "sq", [a] -> eval [("x", a)] (Mul (Var "x", Var "x"))
  | _ -> eval env (Num 0)
type t = Leaf of int | Node of forest and forest = t list
let rec sum = function Leaf n -> n | Node f -> sum_forest f
and sum_forest = function [] -> 0 | t :: r -> sum t + sum_forest r
let rec even n = if n = 0 then true else odd (n - 1) and odd n = if n = 0 then false else even (n - 1)
let () =
  let s = String.concat "+" (List.init 50 (fun i -> Printf.sprintf "(%d*a - b*(%d+a))" i (i * 3))) in
  let t = ref 0 in
  for _ = 1 to 100 do
    let e = Let ("a", Num 3, Let ("b", Num 5, parse s)) in
    for _ = 1 to 5 do t := !t + eval [] e + eval [] (Call ("sq", [Call ("max", [Num 3; e])])) done
  done;
  let rec mk d = if d = 0 then Leaf 1 else Node [mk (d - 1); Leaf d; mk (d - 1)] in
  let tr = mk 12 in
  for _ = 1 to 20 do t := !t + sum tr done;
  if even 1000000 then incr t;
  print_int !t; print_newline ()

(* Exceptions, backtraces' functions and handlers in a group; a closure of a group that escapes; labels and options. *)
exception Found of int

let rec search limit depth = if depth > limit then raise (Found depth) else guarded limit depth
and guarded limit depth = try step limit depth with Found d when d < 5 -> d
and step limit depth = 1 + search limit (depth + 1)

let rec make n = if n = 0 then [] else (fun x -> use n x) :: make (n - 1)
and use n x = List.fold_left (fun acc f -> acc + f x) n (make (n / 2))

let rec outer ?(by = 1) ~n acc = if n <= 0 then acc else inner ~acc:(acc +. float by) ~n:(n - by)
and inner ~n ~acc = outer ~by:2 ~n (acc *. 1.5)

let rec ping n log = if n = 0 then List.rev log else pong (n - 1) (("ping", n) :: log)
and pong n log = if n = 0 then List.rev log else ping (n - 1) (("pong", n) :: log)

(* Each is called once, and captures what is around. *)
let walk keys =
  let seen = Hashtbl.create 16 and order = ref [] in
  let rec visit k = if Hashtbl.mem seen k then again k else first k
  and again k = order := -k :: !order
  and first k =
    Hashtbl.add seen k ();
    order := k :: !order;
    children k
  and children k = if k < 50 then (visit (2 * k); visit ((2 * k) + 1)) in
  List.iter visit keys;
  List.rev !order

let () =
  (match search 20 0 with n -> Printf.printf "%d\n" n | exception Found d -> Printf.printf "found at %d\n" d);
  Printf.printf "%d\n" (search 3 0);
  Printf.printf "%d\n" (List.fold_left (fun acc f -> acc + f 3) 0 (make 9));
  Printf.printf "%.3f\n" (outer ~n:20 0.);
  List.iter (fun (s, n) -> Printf.printf "%s%d " s n) (ping 7 []);
  List.iter (Printf.printf "%d ") (walk [ 1; 3; 7 ]);
  print_newline ()
